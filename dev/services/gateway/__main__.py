"""`python -m dev.services.gateway SETTINGS.json`: serve on the loopback address."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import httpx
import uvicorn

from dev.services.gateway.app import Gateway
from dev.services.gateway.audit import AuditLog
from dev.services.gateway.grants import GrantsFile
from dev.services.gateway.signing import Signer
from dev.services.gateway.tokens import Verifier
from dev.services.gateway.upstream import Upstream
from dev.services.gateway.vending import Store, Vendor
from dev.services.s3 import Keys
from dev.services.service import LOOPBACK


def main() -> None:
    settings = json.loads(Path(sys.argv[1]).read_text())
    told = settings["store"]
    store = Store(
        told["s3"],
        told["region"],
        told["role"],
        Keys(told["access_key"], told["secret_key"]),
        told["seconds"],
        told.get("vended_endpoint", told["s3"]),
    )
    gateway = Gateway(
        Verifier(settings["issuer"], settings["audience"], settings["jwks"]),
        GrantsFile(Path(settings["grants"])),
        Vendor(store),
        Signer(store),
        Upstream(httpx.AsyncClient(base_url=settings["upstream"], trust_env=False, timeout=60), settings["warehouse"]),
        AuditLog(Path(settings["audit"])),
    )
    uvicorn.run(gateway.app(), host=LOOPBACK, port=settings["port"], log_level="warning", access_log=False)


if __name__ == "__main__":
    main()
