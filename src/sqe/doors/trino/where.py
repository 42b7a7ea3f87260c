"""The address under which a client finds this server, for the addresses in answers."""

from __future__ import annotations

import re
from collections.abc import Callable

from starlette.requests import Request

from sqe.doors.trino.request import Headers
from sqe.doors.trino.results import Address

_HOST = re.compile(r"(?:[A-Za-z0-9._-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(?::\d{1,5})?")


def address_for(request: Request, headers: Headers, trusts: Callable[[str], bool]) -> Address:
    """As the client wrote it, or as a trusted proxy says that the client did. What is not a host's name is not repeated."""
    scheme, host = request.url.scheme, _first(headers, "host")
    if request.client is not None and trusts(request.client.host):
        forwarded = _first(headers, "x-forwarded-proto").lower()
        scheme = forwarded if forwarded in ("http", "https") else scheme
        host = _forwarded_host(headers) or host
    if not _HOST.fullmatch(host):
        name, port = request.scope["server"]
        host = f"[{name}]:{port}" if ":" in name else f"{name}:{port}"
    return Address(f"{scheme}://{host}")


def _forwarded_host(headers: Headers) -> str:
    host, port = _first(headers, "x-forwarded-host"), _first(headers, "x-forwarded-port")
    if host and port.isdigit() and ":" not in host.rpartition("]")[2]:
        return f"{host}:{port}"
    return host


def _first(headers: Headers, name: str) -> str:
    """The proxy nearest to the client wrote the first."""
    values = headers.get(name)
    return values[0].split(",")[0].strip() if values else ""
