"""An account of Azure Data Lake Storage Gen2 on the loopback address, for tests: no program of Azure's offers that store to run.

It has what Iceberg's access asks for, of both faces of the service: files are looked at, read and written by calls of the Blob
API, listed and deleted by calls of the DFS API. Whatever else is asked is answered by 501, and kept in `unknown`. Requests have
to be signed with the account's key (Shared Key, version 2009-09-19 and later); others are refused as Azure does, with the
signature in the answer. Folders are things of their own, as in an account with a hierarchical namespace.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import secrets
import socket
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import ClassVar
from urllib.parse import parse_qsl, unquote, urlsplit
from xml.etree import ElementTree

_SIGNED = ("Content-Encoding", "Content-Language", "Content-Length", "Content-MD5", "Content-Type", "Date")
_CONDITIONS = ("If-Modified-Since", "If-Match", "If-None-Match", "If-Unmodified-Since", "Range")
# Ten days ago, since 1601, as the DFS API tells times: what is young is never taken for an orphan.
_TICKS = (int(time.time()) - 10 * 86400 + 11644473600) * 10_000_000


@dataclass
class Account:
    """What the store has: files by `container/path`. `page` is how many paths it lists at a time."""

    name: str = "acme"
    key: str = field(default_factory=lambda: base64.b64encode(secrets.token_bytes(64)).decode())
    page: int = 2
    address: str = ""
    files: dict[str, bytes] = field(default_factory=dict)
    folders: set[str] = field(default_factory=set)
    blocks: dict[str, dict[str, bytes]] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)
    refused: int = 0

    @property
    def host(self) -> str:
        return f"{self.name}.dfs.core.windows.net"

    def put(self, path: str, content: bytes) -> None:
        self.files[path] = content
        steps = path.split("/")
        self.folders.update("/".join(steps[:end]) for end in range(2, len(steps)))

    def names(self, ending: str = "") -> list[str]:
        return sorted(name for name in self.files if name.endswith(ending))

    def below(self, folder: str) -> list[str]:
        return sorted(name for name in (*self.files, *self.folders) if name.startswith(folder.rstrip("/") + "/"))

    def signature(self, method: str, target: str, headers: Mapping[str, str]) -> str:
        """Of a request, with the key: what its sender has to know. `headers` by names in lower case."""
        url = urlsplit(target)
        plain = [headers.get(name.lower(), "") for name in (*_SIGNED, *_CONDITIONS)]
        plain[2] = plain[2] if plain[2] != "0" else ""
        plain[5] = "" if "x-ms-date" in headers else plain[5]
        own = [f"{name}:{headers[name].strip()}" for name in sorted(headers) if name.startswith("x-ms-")]
        asked: dict[str, list[str]] = {}
        for name, value in parse_qsl(url.query, keep_blank_values=True):
            asked.setdefault(name.lower(), []).append(value)
        resource = f"/{self.name}{url.path}"
        query = [f"{name}:{','.join(sorted(values))}" for name, values in sorted(asked.items())]
        text = "\n".join([method, *plain, *own, resource, *query])
        return base64.b64encode(hmac.digest(base64.b64decode(self.key), text.encode(), hashlib.sha256)).decode()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    account: ClassVar[Account]

    def _serve(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        url = urlsplit(self.path)
        query = dict(parse_qsl(url.query, keep_blank_values=True))
        name, _, path = unquote(url.path).lstrip("/").partition("/")
        self.account.asked.append(f"{self.command} {path} {sorted(query)}")
        shown = self.headers.get("Authorization", "")
        wanted = self.account.signature(self.command, self.path, {name.lower(): text for name, text in self.headers.items()})
        if name != self.account.name or not hmac.compare_digest(shown, f"SharedKey {self.account.name}:{wanted}"):
            self.account.refused += 1
            return self._error(
                403, "AuthenticationFailed", f"The MAC signature found in the HTTP request '{shown}' is not {wanted}"
            )
        what = query.get("resource") or query.get("comp") or ("folder" if "recursive" in query else "file")
        call = getattr(self, f"_{self.command.lower()}_{what}", None)
        if call is None:
            self.account.unknown.append(f"{self.command} {self.path}")
            return self._error(501, "NotImplemented", "no such call here")
        return call(path, query, body) or None

    do_GET = do_HEAD = do_PUT = do_DELETE = do_PATCH = do_POST = _serve

    def _head_file(self, path: str, _query: Mapping[str, str], _body: bytes) -> None:
        if path in self.account.files:
            return self._answer(200, self.account.files[path], self._facts(path))
        if path in self.account.folders:
            return self._answer(200, b"", self._facts(path) | {"x-ms-meta-hdi_isfolder": "true"})
        return self._error(404, "BlobNotFound", "The specified blob does not exist.")

    def _get_file(self, path: str, _query: Mapping[str, str], _body: bytes) -> None:
        if path not in self.account.files:
            return self._error(404, "BlobNotFound", "The specified blob does not exist.")
        content = self.account.files[path]
        wanted = self.headers.get("x-ms-range") or self.headers.get("Range")
        if not wanted:
            return self._answer(200, content, self._facts(path))
        first, _, last = wanted.removeprefix("bytes=").partition("-")
        if int(first) >= len(content):
            return self._error(416, "InvalidRange", "The range specified is invalid for the current size of the resource.")
        part = content[int(first) : int(last) + 1 if last else len(content)]
        end = int(first) + len(part) - 1
        return self._answer(206, part, self._facts(path) | {"Content-Range": f"bytes {first}-{end}/{len(content)}"})

    def _put_file(self, path: str, _query: Mapping[str, str], body: bytes) -> None:
        if self.headers.get("If-None-Match") == "*" and path in self.account.files:
            return self._error(409, "BlobAlreadyExists", "The specified blob already exists.")
        self.account.put(path, body)
        return self._answer(201, b"", self._facts(path))

    def _put_block(self, path: str, query: Mapping[str, str], body: bytes) -> None:
        self.account.blocks.setdefault(path, {})[query["blockid"]] = body
        self._answer(201, b"")

    def _put_blocklist(self, path: str, query: Mapping[str, str], body: bytes) -> None:
        blocks = self.account.blocks.pop(path, {})
        wanted = [each.text or "" for each in ElementTree.fromstring(body)]
        self._put_file(path, query, b"".join(blocks[name] for name in wanted))

    def _get_filesystem(self, container: str, query: Mapping[str, str], _body: bytes) -> None:
        """Folders are in the list, too; a folder that does not exist is an error."""
        folder = f"{container}/{query.get('directory', '')}".strip("/")
        if folder != container and folder not in self.account.folders:
            return self._error(404, "PathNotFound", "The specified path does not exist.")
        found, start = self.account.below(folder), int(query.get("continuation") or 0)
        more = {"x-ms-continuation": str(start + self.account.page)} if start + self.account.page < len(found) else {}
        paths = [self._listed(name) for name in found[start : start + self.account.page]]
        return self._answer(200, json.dumps({"paths": paths}).encode(), {"Content-Type": "application/json"} | more)

    def _listed(self, name: str) -> dict[str, str]:
        facts = {"name": name.partition("/")[2], "creationTime": str(_TICKS), "lastModified": formatdate(usegmt=True)}
        if name in self.account.folders:
            return facts | {"isDirectory": "true", "contentLength": "0"}
        return facts | {"contentLength": str(len(self.account.files[name])), "etag": "0x1"}

    def _delete_file(self, path: str, _query: Mapping[str, str], _body: bytes) -> None:
        if self.account.files.pop(path, None) is None:
            return self._error(404, "PathNotFound", "The specified path does not exist.")
        return self._answer(200, b"")

    def _delete_folder(self, path: str, query: Mapping[str, str], body: bytes) -> None:
        if path not in self.account.folders:
            return self._delete_file(path, query, body)
        for name in self.account.below(path):
            self.account.files.pop(name, None)
            self.account.folders.discard(name)
        self.account.folders.discard(path)
        return self._answer(200, b"")

    def _facts(self, path: str) -> dict[str, str]:
        tag = hashlib.sha256(self.account.files.get(path, b"")).hexdigest()[:16]
        now = formatdate(usegmt=True)
        return {"ETag": f'"0x{tag}"', "Last-Modified": now, "x-ms-creation-time": now, "x-ms-blob-type": "BlockBlob"}

    def _error(self, status: int, code: str, words: str) -> None:
        text = f'<?xml version="1.0" encoding="utf-8"?><Error><Code>{code}</Code><Message>{words}</Message></Error>'
        self._answer(status, text.encode(), {"x-ms-error-code": code, "Content-Type": "application/xml"})

    def _answer(self, status: int, body: bytes, headers: Mapping[str, str] | None = None) -> None:
        self.send_response(status)
        own = {"Content-Length": str(len(body)), "x-ms-request-id": secrets.token_hex(8), "x-ms-version": "2025-05-05"}
        for name, value in (own | dict(headers or {})).items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


class _Server(ThreadingHTTPServer):
    """Clients keep their connections: they are closed with the server, and its threads are gone with them."""

    daemon_threads = False

    def __init__(self, account: Account) -> None:
        super().__init__(("127.0.0.1", 0), type("Handler", (_Handler,), {"account": account}))
        self.connections: set[socket.socket] = set()

    def process_request(self, request: socket.socket | tuple[bytes, socket.socket], client_address: object) -> None:
        assert isinstance(request, socket.socket)
        self.connections.add(request)
        super().process_request(request, client_address)

    def server_close(self) -> None:
        for connection in self.connections:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        super().server_close()


@contextmanager
def azure_account(account: Account) -> Iterator[Account]:
    server = _Server(account)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    account.address = f"http://127.0.0.1:{server.server_port}/{account.name}"
    try:
        yield account
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
