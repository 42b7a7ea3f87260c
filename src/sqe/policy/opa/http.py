"""Rules that an OPA server evaluates: one POST each, many at the same time over connections that stay open."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from sqe.config.values import Secret
from sqe.policy.engine import Outage
from sqe.policy.opa.rules import UNDEFINED, Asked

if TYPE_CHECKING:
    import httpx

_CONNECTIONS = 16
# A filter and some masks are a kilobyte; a table has at most some thousand columns.
_LARGEST_ANSWER = 4 << 20


class HttpRules:
    def __init__(self, urls: Mapping[str, str], token: Secret | None, timeout_seconds: float) -> None:
        self._urls = dict(urls)
        self._token = token
        self._timeout = timeout_seconds
        self._pool = ThreadPoolExecutor(_CONNECTIONS, thread_name_prefix="sqe-opa")
        self._lock = threading.Lock()
        self._client: httpx.Client | None = None

    def has(self, rule: str) -> bool:
        return rule in self._urls

    def version(self) -> str:
        return ""  # a server does not say; decisions live for `cache_ttl`

    def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)
        if self._client is not None:
            self._client.close()

    def ask(self, asked: Sequence[Asked]) -> list[Any]:
        return list(self._pool.map(self._post, asked))

    def _post(self, asked: Asked) -> Any:
        import httpx

        url = self._urls[asked.rule]
        try:
            try:
                status, body = self._answer(asked)
            except (httpx.ReadError, httpx.WriteError, httpx.RemoteProtocolError):
                # A connection that was kept open and that a restarted server has closed. Asking twice changes nothing.
                status, body = self._answer(asked)
        except httpx.HTTPError as failure:
            raise Outage(f"{place_of(url)}: {type(failure).__name__}") from None
        if status >= 500 or status == 429:
            raise Outage(f"{place_of(url)} answered with status {status}")
        if status != 200:
            raise ValueError(f"{asked.rule}: status {status} from {place_of(url)}")
        answer = json.loads(body)
        if not isinstance(answer, dict):
            raise ValueError(f"{asked.rule}: the answer is not an object")
        return answer.get("result", UNDEFINED)

    def _answer(self, asked: Asked) -> tuple[int, bytes]:
        with self._http().stream("POST", self._urls[asked.rule], json={"input": asked.input}) as response:
            body = b""
            for part in response.iter_bytes():
                body += part
                if len(body) > _LARGEST_ANSWER:
                    raise ValueError(f"{asked.rule}: the answer is larger than {_LARGEST_ANSWER} bytes")
            return response.status_code, body

    def _http(self) -> httpx.Client:
        import ssl

        import httpx  # 110 ms of imports, which a server without OPA never needs

        with self._lock:
            if self._client is None:
                self._client = httpx.Client(
                    # The machine's own authorities, and no proxy: OPA stands beside the server.
                    verify=ssl.create_default_context(),
                    trust_env=False,
                    limits=httpx.Limits(max_connections=_CONNECTIONS, max_keepalive_connections=_CONNECTIONS),
                    timeout=self._timeout,
                    headers={"Authorization": f"Bearer {self._token.reveal()}"} if self._token else {},
                )
            return self._client


def place_of(url: str) -> str:
    """What a log may hold of an address."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
