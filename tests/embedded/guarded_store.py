"""S3 that looks at who asks: it can refuse data files to somebody's keys, and let everybody wait for them."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

BUCKET = "landing"


@dataclass(frozen=True)
class Asked:
    who: str  # the id of the key
    method: str
    path: str


@dataclass
class GuardedStore:
    refused: set[str] = field(default_factory=set)
    open: threading.Event = field(default_factory=threading.Event)
    asked: list[Asked] = field(default_factory=list)
    endpoint: str = ""
    client: Any = None

    def data_files(self, who: str) -> list[str]:
        """Those that somebody asked for."""
        return [each.path for each in self.asked if each.who == who and each.method == "GET" and is_data(each.path)]

    def let(self, environ: dict[str, Any]) -> bool:
        key = re.search(r"Credential=([^/]+)/", environ.get("HTTP_AUTHORIZATION", ""))
        asked = Asked(key[1] if key else "", environ["REQUEST_METHOD"], environ["PATH_INFO"])
        self.asked.append(asked)
        if asked.method == "GET" and is_data(asked.path):
            self.open.wait(60)
            return asked.who not in self.refused
        return True


def is_data(path: str) -> bool:
    return "/data/" in path and path.endswith(".parquet")


@contextmanager
def guarded_store() -> Iterator[GuardedStore]:
    """Several of them have the same objects: moto's are those of the process."""
    import botocore.session
    from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
    from moto.server import MotoRequestHandler
    from werkzeug.serving import make_server

    store, moto = GuardedStore(), DomainDispatcherApplication(create_backend_app)
    store.open.set()

    def guarded(environ: dict[str, Any], start: Any) -> Iterable[bytes]:
        if store.let(environ):
            answer: Iterable[bytes] = moto(environ, start)
            return answer
        start("403 Forbidden", [("Content-Type", "application/xml")])
        return [b"<Error><Code>AccessDenied</Code><Message>no</Message></Error>"]

    server = make_server("127.0.0.1", 0, guarded, threaded=True, request_handler=MotoRequestHandler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    store.endpoint = f"http://127.0.0.1:{server.server_port}"
    store.client = botocore.session.get_session().create_client(
        "s3",
        endpoint_url=store.endpoint,
        region_name="us-east-1",
        aws_access_key_id="root",
        aws_secret_access_key="secret",  # noqa: S106 - nobody checks it
    )
    try:
        store.client.create_bucket(Bucket=BUCKET)
        yield store
    finally:
        store.open.set()
        server.shutdown()
        server.server_close()
        thread.join()
