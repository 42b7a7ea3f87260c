"""What an answer tells the client to change in the session that it keeps."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote, quote_plus

from sqe.doors.trino.request import compressed


@dataclass(frozen=True)
class Changes:
    """Each field is a header of the answer; empty ones are not sent."""

    catalog: str = ""
    schema: str = ""
    path: str | None = None
    set_session: tuple[tuple[str, str], ...] = ()
    clear_session: tuple[str, ...] = ()
    set_role: tuple[tuple[str, str], ...] = ()
    added_prepare: tuple[tuple[str, str], ...] = ()
    deallocated_prepare: tuple[str, ...] = ()
    started_transaction: str = ""
    clear_transaction: bool = False

    def headers(self) -> list[tuple[str, str]]:
        """No value can hold a line's end: names and texts are quoted, and what is not is checked where it is made."""
        found = [("X-Trino-Set-Catalog", _safe(self.catalog))] if self.catalog else []
        found += [("X-Trino-Set-Schema", _safe(self.schema))] if self.schema else []
        found += [("X-Trino-Set-Path", _safe(self.path))] if self.path is not None else []
        found += [("X-Trino-Set-Session", f"{_safe(name)}={quote_plus(value)}") for name, value in self.set_session]
        found += [("X-Trino-Clear-Session", _safe(name)) for name in self.clear_session]
        found += [("X-Trino-Set-Role", f"{_safe(name)}={quote_plus(role)}") for name, role in self.set_role]
        found += [
            ("X-Trino-Added-Prepare", f"{quote_plus(name)}={quote_plus(compressed(text))}") for name, text in self.added_prepare
        ]
        found += [("X-Trino-Deallocated-Prepare", quote_plus(name)) for name in self.deallocated_prepare]
        found += [("X-Trino-Started-Transaction-Id", self.started_transaction)] if self.started_transaction else []
        found += [("X-Trino-Clear-Transaction-Id", "true")] if self.clear_transaction else []
        return found


NONE = Changes()


def _safe(text: str) -> str:
    """Clients take these as they are; what a header cannot hold is percent-encoded."""
    return quote(text, safe="".join(map(chr, range(0x21, 0x7F))).replace("%", "") + " ")
