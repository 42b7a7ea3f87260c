"""Requests to identity providers: short, small, never redirected, and refused at once while a provider is known to be down."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

from sqe.errors import IDENTITY_PROVIDER_UNAVAILABLE, SqeError

if TYPE_CHECKING:
    import httpx

log = logging.getLogger("sqe.identity")

# A log-in against a dead provider must fail within five seconds, whatever it asks for.
TOTAL_SECONDS = 4.5
CONNECT_SECONDS = 2.0
# Keycloak's key sets and tokens are a few kilobytes.
LARGEST_ANSWER = 1 << 20
# How long nobody waits again for a provider that has just not answered.
PAUSE_SECONDS = 5.0

Clock = Callable[[], float]
Json = dict[str, Any]


class Answer(NamedTuple):
    status: int
    body: bytes

    def json(self) -> Json | None:
        """The object that the answer holds; None when it holds anything else."""
        import json

        try:
            found = json.loads(self.body)
        except (ValueError, RecursionError):
            return None
        return found if isinstance(found, dict) else None


def unavailable(sentence: str) -> SqeError:
    return SqeError(IDENTITY_PROVIDER_UNAVAILABLE, sentence)


@cache
def identity_http() -> Http:
    """The one of this process: that a provider is down is the same fact for all who ask it."""
    return Http()


class Http:
    """Thread-safe. Raises `SqeError` for everything that is not an answer below 500."""

    def __init__(self, clock: Clock = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._client: httpx.Client | None = None
        self._closed_until: dict[str, float] = {}  # by scheme, host and port
        self._budget = threading.local()

    @contextmanager
    def one_log_in(self) -> Iterator[None]:
        """All requests of this thread inside it share one time limit: a log-in may need three of them."""
        if getattr(self._budget, "deadline", None) is not None:
            yield
            return
        self._budget.deadline = time.monotonic() + TOTAL_SECONDS
        try:
            yield
        finally:
            self._budget.deadline = None

    def get(self, url: str) -> Answer:
        return self._ask("GET", url, None, {})

    def post(self, url: str, form: Mapping[str, str], headers: Mapping[str, str]) -> Answer:
        return self._ask("POST", url, form, headers)

    def _ask(self, method: str, url: str, form: Mapping[str, str] | None, headers: Mapping[str, str]) -> Answer:
        place = place_of(url)
        self._let_through(place)
        limit = TOTAL_SECONDS
        if (deadline := getattr(self._budget, "deadline", None)) is not None:
            limit = max(0.1, deadline - time.monotonic())
        request = _Request(self._http_client(), method, url, form, headers, limit)
        answer = request.answer()
        if answer is None:
            self._closed_until[place] = self._clock() + PAUSE_SECONDS
            log.warning("no answer from the identity provider at %s: %s", place, request.failure)
            raise unavailable(f"The identity provider at {place} does not answer")
        self._closed_until.pop(place, None)
        if answer.status >= 500 or answer.status == 429:
            log.warning("the identity provider at %s answered with status %s", place, answer.status)
            raise unavailable(f"The identity provider at {place} cannot answer now")
        if len(answer.body) > LARGEST_ANSWER:
            raise unavailable(f"The identity provider at {place} sent an answer that is too large")
        return answer

    def _let_through(self, place: str) -> None:
        """After a pause one caller tries; the others are refused at once until it has an answer."""
        with self._lock:
            closed_until = self._closed_until.get(place)
            if closed_until is None:
                return
            if self._clock() < closed_until:
                raise unavailable(f"The identity provider at {place} does not answer")
            self._closed_until[place] = self._clock() + PAUSE_SECONDS

    def _http_client(self) -> httpx.Client:
        with self._lock:
            if self._client is None:
                self._client = _new_client()
            return self._client


def _new_client() -> httpx.Client:
    import ssl

    import httpx  # 110 ms of imports, which a server without such providers never needs

    # The machine's own authorities, as curl and the JVM here use them; a company's is among them.
    trust = ssl.create_default_context()
    # No idle connections: one that a restarted provider has closed would fail a request that must not be sent twice (refresh
    # tokens are often good for one use only).
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=0)
    # A company's proxy (HTTPS_PROXY) is used for all but this machine itself.
    here = {f"all://{host}": httpx.HTTPTransport(verify=trust, limits=limits) for host in ("127.0.0.1", "localhost", "[::1]")}
    return httpx.Client(
        verify=trust,
        limits=limits,
        mounts=here,
        follow_redirects=False,
        timeout=httpx.Timeout(TOTAL_SECONDS, connect=CONNECT_SECONDS),
        headers={"Accept": "application/json", "User-Agent": "sqe"},
    )


class _Request:
    """One request in a thread of its own, because httpx's limits are for each step: looking up a name has none at all, several
    addresses are tried one after the other, and a byte now and then keeps a connection alive for ever."""

    def __init__(
        self,
        client: httpx.Client,
        method: str,
        url: str,
        form: Mapping[str, str] | None,
        headers: Mapping[str, str],
        limit_seconds: float,
    ) -> None:
        self._client = client
        self._what = (method, url)
        self._form = form
        self._headers = dict(headers)
        self._limit = limit_seconds
        self._deadline = time.monotonic() + limit_seconds
        self._answer: Answer | None = None
        self.failure = "it took too long"

    def answer(self) -> Answer | None:
        """None when there was none in time."""
        thread = threading.Thread(target=self._run, name="sqe-identity-request", daemon=True)
        thread.start()
        thread.join(self._limit)
        return self._answer

    def _run(self) -> None:
        import httpx

        try:
            with self._client.stream(*self._what, data=self._form, headers=self._headers) as response:
                body = b""
                for part in response.iter_bytes(16384):
                    body += part
                    if len(body) > LARGEST_ANSWER:
                        break
                    if time.monotonic() > self._deadline:
                        return
                self._answer = Answer(response.status_code, body)
        except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError, OSError, ValueError) as failure:
            # The class alone: the text of some holds the URL with what was sent.
            self.failure = type(failure).__name__


def place_of(url: str) -> str:
    """Scheme, host and port: what may be told of an address without whatever else it holds."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"


def is_secret_from_the_network(url: str) -> bool:
    """Whether nobody can read on the way what is sent there."""
    parts = urlsplit(url)
    return parts.scheme == "https" or parts.hostname in ("127.0.0.1", "localhost", "::1")
