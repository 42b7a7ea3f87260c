"""Where files lie in tests: an HTTP server (ranges, redirects, what `hf://` asks of the hub's API), and S3."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit


@dataclass
class Site:
    """What the server has. `pages` is how many files the hub lists at a time."""

    files: dict[str, bytes] = field(default_factory=dict)
    redirects: dict[str, str] = field(default_factory=dict)
    ranges: bool = True
    pages: int = 2
    token: str = ""
    asked: list[str] = field(default_factory=list)
    address: str = ""


def outside_address() -> str:
    """An address of this machine that is not a loopback one; nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(("192.0.2.1", 9))
        return str(probe.getsockname()[0])


@contextmanager
def serve(site: Site, host: str = "127.0.0.1") -> Iterator[Site]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            url = urlsplit(self.path)
            site.asked.append(self.path)
            if site.token and self.headers.get("Authorization") != f"Bearer {site.token}":
                self._answer(401, b"")
            elif url.path in site.redirects:
                self._answer(302, b"", {"Location": site.redirects[url.path]})
            elif url.path.startswith("/api/datasets/"):
                self._list(url.path, int(parse_qs(url.query).get("cursor", ["0"])[0]))
            elif url.path in site.files:
                self._file(site.files[url.path])
            else:
                self._answer(404, b"not here")

        def _list(self, path: str, start: int) -> None:
            dataset = path.removeprefix("/api/datasets/").split("/tree/")[0]
            revision = path.split("/tree/")[1]
            base = f"/datasets/{dataset}/resolve/{revision}/"
            names = sorted(name.removeprefix(base) for name in site.files if name.startswith(base))
            entries = [{"type": "file", "path": name, "size": 1} for name in names[start : start + site.pages]]
            more = start + site.pages < len(names)
            link = {"Link": f'<{site.address}{path}?recursive=true&cursor={start + site.pages}>; rel="next"'} if more else {}
            self._answer(200, json.dumps(entries).encode(), link)

        def _file(self, content: bytes) -> None:
            wanted = self.headers.get("Range", "")
            if not site.ranges or not wanted:
                return self._answer(200, content)
            first, _, last = wanted.removeprefix("bytes=").partition("-")
            part = content[int(first) : int(last) + 1 if last else len(content)]
            if int(first) >= len(content):
                return self._answer(416, b"")
            end = int(first) + len(part) - 1
            return self._answer(206, part, {"Content-Range": f"bytes {first}-{end}/{len(content)}"})

        def _answer(self, status: int, body: bytes, headers: dict[str, str] | None = None) -> None:
            self.send_response(status)
            for name, value in {"Content-Length": str(len(body)), **(headers or {})}.items():
                self.send_header(name, value)
            self.end_headers()
            try:
                self.wfile.write(body)
            except OSError:
                self.close_connection = True  # the reader has what it wants

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer((host, 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    site.address = f"http://{host}:{server.server_port}"
    try:
        yield site
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@contextmanager
def s3_store() -> Iterator[tuple[str, Any]]:
    """An S3 service with the bucket `landing`: its address and a client of it."""
    import botocore.session
    from moto.server import ThreadedMotoServer

    moto = ThreadedMotoServer(port=0, ip_address="127.0.0.1", verbose=False)
    moto.start()
    try:
        host, port = moto.get_host_and_port()
        endpoint = f"http://{host}:{port}"
        client = botocore.session.get_session().create_client(
            "s3",
            endpoint_url=endpoint,
            region_name="us-east-1",
            aws_access_key_id="key",
            aws_secret_access_key="secret",  # noqa: S106 - nobody checks it
        )
        client.create_bucket(Bucket="landing")
        yield endpoint, client
    finally:
        moto.stop()
