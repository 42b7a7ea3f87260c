"""`python -m dev.services.storelog_server PORT FILE`: append what arrives in Fluentd's forward protocol to a file."""

from __future__ import annotations

import asyncio
import json
import sys
from typing import TextIO

import msgpack

from dev.services.service import LOOPBACK


async def serve(port: int, lines: TextIO) -> None:
    async def receive(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        unpacker = msgpack.Unpacker()
        while content := await reader.read(65536):
            unpacker.feed(content)
            # A message is [tag, time, record, options]; SeaweedFS sends one record a message.
            for _, _, record, *_ in unpacker:
                lines.write(json.dumps(record) + "\n")
        writer.close()

    server = await asyncio.start_server(receive, LOOPBACK, port)
    await server.serve_forever()


def main() -> None:
    with open(sys.argv[2], "a", encoding="utf-8", buffering=1) as lines:
        asyncio.run(serve(int(sys.argv[1]), lines))


if __name__ == "__main__":
    main()
