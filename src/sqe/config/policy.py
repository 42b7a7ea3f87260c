"""`[policy]`: who decides about rights, and where grants are kept. What the engines do is in `sqe.policy`."""

# ruff: noqa: RUF009 - `key` and its kin return dataclass fields, not values

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from sqe.config.keys import key
from sqe.config.kinds import PATH, SECRET, TEXT, TEXTS, URL, Context, Kind, Wrong, choice, duration
from sqe.config.values import Duration, Secret

ENGINES = ("grants", "opa", "cedar", "none")


def _engines(raw: Any, context: Context) -> tuple[str, ...]:
    found = TEXTS.read(raw, context)
    for name in found:
        if name not in ENGINES:
            raise Wrong(f"must hold engines ({', '.join(ENGINES)}), not {name!r}")
    if not found:
        raise Wrong("must name an engine")
    if len(set(found)) != len(found):
        raise Wrong("names an engine twice")
    if "none" in found and len(found) > 1:
        raise Wrong("has 'none' beside others")
    return found


def _store(raw: Any, context: Context) -> str:
    url = TEXT.read(raw, context)
    if url.startswith("sqlite:///") and len(url) > len("sqlite:///"):
        return f"sqlite:///{Path(context.folder, Path(url.removeprefix('sqlite:///')).expanduser())}"
    parts = urlsplit(url)
    if parts.scheme not in ("postgresql", "postgres") or not parts.path.strip("/"):
        raise Wrong("must be sqlite:///FILE or postgresql://user@host/database")
    if parts.password is not None:
        raise Wrong("must not hold the password, which is the key store_password")
    return url


@dataclass(frozen=True)
class Policy:
    """Fine-grained rights (docs/policy.md). Without this section the catalog's own rights are the only ones."""

    engines: tuple[str, ...] = key(
        Kind("list of engines", _engines, TEXTS.text),
        (),
        "Who decides: `grants` (SQL; the default when the section is there), `opa`, `cedar`, `none`. Of several answers the most "
        "restrictive counts.",
    )
    default: str = key(
        choice(("deny", "allow")), "deny", "What `grants` answers for a table that nobody has a grant on: `deny` or `allow`."
    )
    store: str = key(
        Kind("URL", _store, str),
        "",
        "Where grants and tags are kept: `sqlite:///policy.db` (the default), `postgresql://u@host/db`.",
    )
    store_password: Secret | None = key(SECRET, None, "Password of the PostgreSQL store.")
    cache_ttl: Duration = key(
        duration("0s", "1h"),
        Duration.parse("30s"),
        "How long decisions are kept. A change by SQL counts from the next statement whatever this says.",
    )
    timeout: Duration = key(duration("50ms", "1m"), Duration.parse("2s"), "An engine that takes longer has not decided: denied.")
    mask_key: Secret | None = key(
        SECRET,
        None,
        "Key of `mask_hmac` and of views with SECURITY DEFINER; without it the mask shows NULL and there are no such views.",
    )
    opa_url: str | None = key(URL, None, "OPA's `allow` rule, as Trino's `opa.policy.uri`: `http://…/v1/data/trino/allow`.")
    opa_row_filters_url: str | None = key(URL, None, "Trino's `opa.policy.row-filters-uri`.")
    opa_column_masks_url: str | None = key(URL, None, "Trino's `opa.policy.column-masking-uri`.")
    opa_batch_column_masks_url: str | None = key(URL, None, "Trino's `opa.policy.batch-column-masking-uri`.")
    opa_batch_url: str | None = key(URL, None, "Trino's `opa.policy.batched-uri`.")
    opa_token: Secret | None = key(SECRET, None, "Bearer token for OPA.")
    opa_bundle: Path | None = key(
        PATH, None, "Folder with Rego (and data.json) that is evaluated in this process; no OPA server."
    )
    opa_package: str = key(TEXT, "trino", "Package of the bundle that has the rules.")
    cedar_policies: Path | None = key(PATH, None, "Cedar policies: a file, or a folder of `*.cedar` files.")
    cedar_schema: Path | None = key(PATH, None, "Cedar schema that they must fit; by default the one in docs/policy.md.")

    @property
    def absent(self) -> bool:
        return not self.engines

    @staticmethod
    def prepared(raw: dict[str, Any]) -> dict[str, Any]:
        """The section alone is a wish: an empty one must not mean that nobody decides."""
        return {"engines": ["grants"], "store": "sqlite:///policy.db", **raw}

    def contradictions(self, admin_roles: tuple[str, ...]) -> Iterator[tuple[str, str]]:
        """What is wrong with keys that are fine each: the key to show, and the sentence."""
        if not self.engines:
            return
        for name in ("opa", "cedar"):
            given = [key for key in vars(self) if key.startswith(f"{name}_") and key != "opa_package" and getattr(self, key)]
            if given and name not in self.engines:
                yield given[0], f"policy.{given[0]} is not used: policy.engines has no {name!r}"
        if "grants" in self.engines and not admin_roles:
            yield "engines", "policy.engines has 'grants', but nobody could grant: auth.admin_roles is empty"
        if "opa" in self.engines:
            yield from self._opa()
        if "cedar" in self.engines and self.cedar_policies is None:
            yield "cedar_policies", "policy.engines has 'cedar', which needs the key 'cedar_policies'"
        if self.store_password is not None and self.store.startswith("sqlite"):
            yield "store_password", "policy.store_password is not used with an SQLite store"

    def _opa(self) -> Iterator[tuple[str, str]]:
        if (self.opa_url is None) == (self.opa_bundle is None):
            yield "opa_url", "policy.engines has 'opa', which needs the key 'opa_url' or the key 'opa_bundle'"
        remote = ("opa_row_filters_url", "opa_column_masks_url", "opa_batch_column_masks_url", "opa_batch_url", "opa_token")
        for name in remote:
            if self.opa_bundle is not None and getattr(self, name) is not None:
                yield name, f"policy.{name} is not used with policy.opa_bundle"
        if self.opa_column_masks_url and self.opa_batch_column_masks_url:
            yield (
                "opa_batch_column_masks_url",
                "policy.opa_column_masks_url and policy.opa_batch_column_masks_url are the same question",
            )
        urls = [name for name in ("opa_url", *remote[:-1]) if getattr(self, name)]
        for name in urls:
            parts = urlsplit(getattr(self, name))
            if parts.scheme not in ("http", "https") or not parts.hostname:
                yield name, f"policy.{name} must be an http or https URL"
            elif self.opa_token and parts.scheme == "http" and parts.hostname not in ("127.0.0.1", "localhost", "::1"):
                yield name, f"policy.{name} would send policy.opa_token unencrypted"
