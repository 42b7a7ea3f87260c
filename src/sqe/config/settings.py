"""`Settings`: everything sqe.toml can say, typed and frozen. Its fields are the file's sections, in the order of the docs."""

# ruff: noqa: RUF009 - `key` and its kin return dataclass fields, not values

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqe.config.audit import Audit
from sqe.config.catalogs import Catalog
from sqe.config.keys import named_tables, table
from sqe.config.policy import Policy
from sqe.config.rate_limit import RateLimit
from sqe.config.sections import Auth, Cluster, Coordinator, Engine, Files, Log, Metrics, Query, Session, Storage


@dataclass(frozen=True)
class Settings:
    """Made by `sqe.config.load` only, which completes and checks them."""

    coordinator: Coordinator = table(Coordinator)
    engine: Engine = table(Engine)
    cluster: Cluster = table(Cluster)
    auth: Auth = table(Auth)
    catalog: Catalog = table(Catalog)
    catalogs: Mapping[str, Catalog] = named_tables(Catalog)
    storage: Storage = table(Storage)
    policy: Policy = table(Policy)
    query: Query = table(Query)
    session: Session = table(Session)
    rate_limit: RateLimit = table(RateLimit)
    files: Files = table(Files)
    metrics: Metrics = table(Metrics)
    log: Log = table(Log)
    audit: Audit = table(Audit)

    def catalog_options(self) -> dict[str, dict[str, str]]:
        """Every configured catalog by name, the default one first, as the engine takes them."""
        return {each.name: self._storage_of(each) | each.options() for each in (self.catalog, *self.catalogs.values())}

    def _storage_of(self, catalog: Catalog) -> dict[str, str]:
        return self.storage.options() if catalog.backend != "sqlite" else {}
