"""The folder of the benchmarks: a warehouse with the tables that they read, made once by SQE itself."""

from __future__ import annotations

import fcntl
import os
import secrets
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sqe.network import NetworkDoors
    from sqe.server import Server
    from sqe.session import Session

CATALOG = "lake"
USER = "bench"
PASSWORD = secrets.token_hex(16)  # of servers that live as long as this process


@dataclass(frozen=True)
class Table:
    """A table of `rows` rows, made from `range`; `columns` is the SELECT list over its `id`."""

    name: str
    rows: int
    columns: str

    def __str__(self) -> str:
        return f"{CATALOG}.default.{self.name}"


def small_table() -> Table:
    return Table("small", 5, "id, concat('name ', id) AS name, CAST(id * 1.25 AS DECIMAL(10,2)) AS amount")


def orders(rows: int) -> Table:
    """For point look-ups by `o_orderkey`."""
    return Table(f"orders_{rows}", rows, _ORDERS)


def line_items(rows: int) -> Table:
    """Sixteen columns of the kinds that TPC-H's lineitem has."""
    return Table(f"line_items_{rows}", rows, _LINE_ITEMS)


_ORDERS = """
    id AS o_orderkey,
    hash(id) % 150000 AS o_custkey,
    element_at(array('F', 'O', 'P'), CAST(id % 3 + 1 AS INT)) AS o_orderstatus,
    CAST(pmod(hash(id, 1), 50000000) / 100 AS DECIMAL(15,2)) AS o_totalprice,
    date_add(DATE '1992-01-01', CAST(id % 2400 AS INT)) AS o_orderdate,
    concat('Clerk#', id % 1000) AS o_clerk,
    sha1(CAST(id AS STRING)) AS o_comment
"""

_LINE_ITEMS = """
    id AS l_orderkey,
    CAST(pmod(hash(id, 1), 200000) AS BIGINT) AS l_partkey,
    CAST(pmod(hash(id, 2), 10000) AS BIGINT) AS l_suppkey,
    CAST(id % 7 AS INT) AS l_linenumber,
    CAST(pmod(hash(id, 3), 50) + 1 AS DECIMAL(15,2)) AS l_quantity,
    CAST(pmod(hash(id, 4), 10000000) / 100 AS DECIMAL(15,2)) AS l_extendedprice,
    pmod(hash(id, 5), 11) / 100D AS l_discount,
    pmod(hash(id, 6), 9) / 100D AS l_tax,
    element_at(array('A', 'N', 'R'), pmod(hash(id, 7), 3) + 1) AS l_returnflag,
    element_at(array('F', 'O'), pmod(hash(id, 8), 2) + 1) AS l_linestatus,
    date_add(DATE '1992-01-01', pmod(hash(id, 9), 2500)) AS l_shipdate,
    date_add(DATE '1992-01-01', pmod(hash(id, 10), 2500)) AS l_commitdate,
    timestamp_seconds(694224000 + pmod(hash(id, 11), 216000000)) AS l_receiptdate,
    element_at(array('COLLECT COD', 'IN PERSON', 'NONE', 'TAKE BACK RETURN'), pmod(hash(id, 12), 4) + 1) AS l_shipinstruct,
    element_at(array('AIR', 'FOB', 'MAIL', 'RAIL', 'REG AIR', 'SHIP', 'TRUCK'), pmod(hash(id, 13), 7) + 1) AS l_shipmode,
    substr(sha1(CAST(id AS STRING)), 1, 10 + pmod(hash(id, 14), 30)) AS l_comment
"""


def prepared_folder(chosen: Path | None) -> Path:
    """The folder, on a machine where the engine is set up: fetching and training are no part of a measurement."""
    from sqe.engine import install
    from sqe.engine.training import train

    install.ensure(print_to_stderr, trainer=train)
    folder = (chosen or install.cache_dir() / "bench").expanduser().absolute()
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Two that generate the same tables would take each other's files away, and two that measure would measure each other."""
    with open(folder / "lock", "w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print_to_stderr(f"waiting for another sqe-bench in {folder}")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def print_to_stderr(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def warehouse(folder: Path) -> Path:
    return folder / "warehouse"


def make_tables(folder: Path, tables: Sequence[Table]) -> None:
    """Makes those that are not there yet; a mark in the folder says which are, so that a run does not start a server to look."""
    missing = [table for table in tables if not _mark(folder, table).exists()]
    if not missing:
        return
    with local_server(folder) as (server, _):
        session = local_session(server)
        for table in missing:
            print_to_stderr(f"making {table} with {table.rows:,} rows, once")
            rows_of(server, session, f"CREATE OR REPLACE TABLE {table} AS SELECT {table.columns} FROM range({table.rows})")
            _mark(folder, table).touch()


def _mark(folder: Path, table: Table) -> Path:
    return folder / f"{table.name}.made"


def free_ports(memory: str) -> str:
    """How every server's sqe.toml here begins."""
    return f"""
[coordinator]
flight_sql_port = 0
trino_http_port = 0
metrics_port = 0
health_port = 0

[engine]
driver_memory = "{memory}"
"""


def server_config(folder: Path, memory: str, more: str = "") -> str:
    """sqe.toml of a server on free ports with one user."""
    return f"""{free_ports(memory)}
[[auth.providers]]
type = "static"
users = [{{ name = "{USER}", password = "{PASSWORD}" }}]

[catalog]
name = "{CATALOG}"
type = "sqlite"
path = "{warehouse(folder)}"
{more}"""


@contextmanager
def config_file(text: str) -> Iterator[Path]:
    with TemporaryDirectory(prefix="sqe-bench-") as private:
        path = Path(private) / "sqe.toml"
        path.write_text(text)
        yield path


@contextmanager
def local_server(folder: Path, memory: str = "2g", more: str = "") -> Iterator[tuple[Server, NetworkDoors]]:
    """The server of `sqe-server` in this process, for what only its inside tells: the driver's heap after a collection."""
    from sqe.config import load
    from sqe.network import NetworkDoors
    from sqe.server import Server

    with config_file(server_config(folder, memory, more)) as path:
        settings = load(path, os.environ, {})
    network = NetworkDoors(settings)
    with Server(settings, doors=network.open) as server:
        yield server, network


def local_session(server: Server) -> Session:
    from sqe.identity import Identity

    return server.sessions.open(Identity(USER))


def rows_of(server: Server, session: Session, sql: str) -> Any:
    with server.handler.submit(session, sql, door="bench") as query:
        return query.read_all()
