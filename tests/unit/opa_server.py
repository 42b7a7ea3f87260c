"""A server that speaks OPA's protocol and evaluates Rego with regopy; tests make it slow, silent or mad."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from sqe.policy.opa.rego import RegoRules
from sqe.policy.opa.rules import UNDEFINED, Asked

Answer = Callable[[Asked], tuple[int, bytes]]


class OpaServer:
    """`answer` gives status and body for a question; `asked` is what came."""

    def __init__(self, answer: Answer) -> None:
        self.answer = answer
        self.asked: list[Asked] = []
        self.tokens: set[str | None] = set()
        self.url = ""
        self.gone = False

    def rules(self, *names: str) -> dict[str, str]:
        return {name: f"{self.url}/v1/data/trino/{name}" for name in names}


def evaluated(folder: Path) -> Answer:
    rules = RegoRules(folder, "trino")

    def answer(asked: Asked) -> tuple[int, bytes]:
        (value,) = rules.ask([asked])
        return 200, json.dumps({} if value is UNDEFINED else {"result": value}).encode()

    return answer


@contextmanager
def serving(answer: Answer) -> Iterator[OpaServer]:
    told = OpaServer(answer)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            asked = Asked(self.path.rsplit("/", 1)[1], body["input"])
            if told.gone:  # connections that were kept open end without an answer
                self.close_connection = True
                return
            told.asked.append(asked)
            told.tokens.add(self.headers["Authorization"])
            status, content = told.answer(asked)
            self.send_response(status)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *arguments: Any) -> None: ...

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        request_queue_size = 64

        def handle_error(self, request: Any, client_address: Any) -> None: ...

    server = Server(("127.0.0.1", 0), Handler)
    told.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield told
    finally:
        told.gone = True
        server.shutdown()
        server.server_close()
        thread.join()
