"""What SQE can do, as SqlInfo: the answers behind JDBC's DatabaseMetaData and ADBC's `get_info`.

JDBC casts each value to one Java class and fails on a missing one, so every number of Arrow's list is here, as the type
that the driver casts to. `0` for a limit means "no limit that you would meet".
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum
from functools import lru_cache

import pyarrow as pa

from sqe.doors.flight.schemas import SQL_INFO, SQL_INFO_VALUE
from sqe.version import __version__


class Bitmask(int):
    """An int32; plain integers travel as int64."""


Value = str | bool | int | Bitmask | list[str] | dict[int, list[int]]

# Positions in the union of schemas.SQL_INFO_VALUE.
_STRING, _BOOL, _BIGINT, _BITMASK, _STRINGS, _MAP = range(6)

_NO_LIMIT = 0
_CASE_INSENSITIVE = 1
_NULLS_FIRST_IN_ASCENDING_ORDER = 1  # SQL_NULLS_SORTED_LOW
_NO_TRANSACTIONS = 0
_FULL_OUTER_JOINS = Bitmask(0b111)
_FORWARD_ONLY = Bitmask(1 << 1)
_READ_ONLY_CURSOR = Bitmask(1 << 1)
_ALL_SUBQUERIES = Bitmask(0b1111)
_UNION_AND_UNION_ALL = Bitmask(0b11)
_NO_ISOLATION_LEVEL = Bitmask(0b1)  # SQL_TRANSACTION_NONE


class Convert(IntEnum):
    """Arrow's SqlSupportsConvert."""

    BIGINT = 0
    BINARY = 1
    BIT = 2
    DATE = 4
    DECIMAL = 5
    FLOAT = 6
    INTEGER = 7
    NUMERIC = 12
    REAL = 13
    SMALLINT = 14
    TIMESTAMP = 16
    TINYINT = 17
    VARCHAR = 19


# What CAST does between the types of Spark in ANSI mode.
_NUMBERS: list[int] = [
    Convert.BIGINT,
    Convert.DECIMAL,
    Convert.FLOAT,
    Convert.INTEGER,
    Convert.NUMERIC,
    Convert.REAL,
    Convert.SMALLINT,
    Convert.TINYINT,
]
_CASTS: dict[int, list[int]] = {
    **{number: [*_NUMBERS, Convert.BIT, Convert.VARCHAR, Convert.TIMESTAMP] for number in _NUMBERS},
    Convert.BIT: [*_NUMBERS, Convert.BIT, Convert.VARCHAR],
    Convert.VARCHAR: [*_NUMBERS, Convert.BIT, Convert.VARCHAR, Convert.BINARY, Convert.DATE, Convert.TIMESTAMP],
    Convert.DATE: [Convert.DATE, Convert.TIMESTAMP, Convert.VARCHAR],
    Convert.TIMESTAMP: [*_NUMBERS, Convert.DATE, Convert.TIMESTAMP, Convert.VARCHAR],
    Convert.BINARY: [Convert.BINARY, Convert.VARCHAR],
}


def _words(text: str) -> list[str]:
    return text.split()


_KEYWORDS = _words(
    "ANTI CACHE CHANGE CLEAR CLUSTER CLUSTERED CODEGEN COMMENT COMPACT CONCATENATE COST DATABASE DATABASES DBPROPERTIES DFS "
    "DIRECTORIES DIRECTORY DISTRIBUTE EXCHANGE EXPORT EXTENDED FILEFORMAT FUNCTIONS ILIKE IMPORT INDEXES INPATH ITEMS KEYS "
    "LAZY LIMIT LINES LIST LOAD LOCATION MACRO MINUS NAMESPACE NAMESPACES OPTIMIZE PARTITIONED PARTITIONS PERCENT PIVOT QUALIFY "
    "PRINCIPALS PURGE QUERY RECORDREADER RECORDWRITER REDUCE REFRESH RENAME REPAIR REPLACE RLIKE ROLES SEMI SERDE "
    "SERDEPROPERTIES SHOW SKEWED SORT SORTED STORED STRATIFY STRUCT SUBSTR TABLES TABLESPACE TBLPROPERTIES TERMINATED TOUCH "
    "TRANSFORM TRUNCATE TYPE UNARCHIVE UNCACHE UNLOCK UNPIVOT UNSET USE VIEWS ZONE"
)
_NUMERIC_FUNCTIONS = _words(
    "ABS ACOS ASIN ATAN ATAN2 CEILING COS COT DEGREES EXP FLOOR LOG LOG10 MOD PI POWER RADIANS RAND ROUND SIGN SIN SQRT TAN"
)
_STRING_FUNCTIONS = _words(
    "ASCII CHAR CHAR_LENGTH CHARACTER_LENGTH CONCAT LCASE LEFT LENGTH LOCATE LTRIM OCTET_LENGTH POSITION REPEAT REPLACE RIGHT "
    "RTRIM SOUNDEX SPACE SUBSTRING UCASE"
)
_SYSTEM_FUNCTIONS = ["IFNULL"]
_DATETIME_FUNCTIONS = _words(
    "CURRENT_DATE CURRENT_TIMESTAMP CURDATE DAYNAME DAYOFMONTH DAYOFWEEK DAYOFYEAR EXTRACT HOUR MINUTE MONTH MONTHNAME NOW "
    "QUARTER SECOND TIMESTAMPADD TIMESTAMPDIFF WEEK YEAR"
)

VALUES: dict[int, Value] = {
    # the server
    0: "SQE",
    1: __version__,
    2: pa.__version__,
    3: False,  # read only
    4: True,  # SQL
    5: False,  # Substrait
    6: "",
    7: "",
    8: Bitmask(_NO_TRANSACTIONS),
    9: True,  # cancel
    10: True,  # bulk ingestion
    11: False,  # … in transactions
    100: Bitmask(_NO_LIMIT),
    101: Bitmask(_NO_LIMIT),
    # what SQL can be written
    500: False,  # CREATE CATALOG
    501: True,
    502: True,
    503: _CASE_INSENSITIVE,
    504: '"',
    505: _CASE_INSENSITIVE,
    506: False,  # all tables selectable: rights may say no
    507: _NULLS_FIRST_IN_ASCENDING_ORDER,
    508: _KEYWORDS,
    509: _NUMERIC_FUNCTIONS,
    510: _STRING_FUNCTIONS,
    511: _SYSTEM_FUNCTIONS,
    512: _DATETIME_FUNCTIONS,
    513: "\\",  # escapes _ and % in the patterns of metadata commands
    514: "",
    515: True,  # column aliases
    516: True,  # NULL || 'x' is NULL
    517: _CASTS,
    518: True,  # table aliases
    519: False,
    520: True,  # ORDER BY expressions
    521: True,
    522: Bitmask(0b11),  # GROUP BY columns that are not selected, and more
    523: True,  # LIKE … ESCAPE
    524: True,  # NOT NULL columns
    525: Bitmask(0b111),  # ODBC grammar: minimum, core, extended
    526: Bitmask(0b001),  # ANSI 92 entry level
    527: False,
    528: _FULL_OUTER_JOINS,
    529: "schema",
    530: "procedure",
    531: "catalog",
    532: True,  # the catalog comes first in a name
    533: Bitmask(0b101),  # schemas in procedure calls and GRANT
    534: Bitmask(0b101),
    535: Bitmask(0),  # no positioned updates
    536: False,
    537: True,  # CALL
    538: _ALL_SUBQUERIES,
    539: True,
    540: _UNION_AND_UNION_ALL,
    **dict.fromkeys(range(541, 556), _NO_LIMIT),
    556: False,
    **dict.fromkeys(range(557, 562), _NO_LIMIT),
    # transactions: each statement is its own
    562: 0,
    563: False,
    564: _NO_ISOLATION_LEVEL,
    565: False,
    566: False,
    567: _FORWARD_ONLY,
    568: Bitmask(0),
    569: _READ_ONLY_CURSOR,
    570: Bitmask(0),
    571: Bitmask(0),
    572: True,  # batches of parameters
    573: False,  # savepoints
    574: False,  # named parameters
    575: False,
    576: False,
}


def sql_info(wanted: Iterable[int] = ()) -> pa.Table:
    """The rows for these numbers, all of them when none is named; a number that Arrow does not know has no row."""
    numbers = list(wanted) or list(VALUES)
    return _rows(tuple(number for number in numbers if number in VALUES))


@lru_cache(maxsize=32)  # clients choose the key: bounded
def _rows(numbers: tuple[int, ...]) -> pa.Table:
    children: list[list[object]] = [[] for _ in range(SQL_INFO_VALUE.num_fields)]
    codes, offsets = [], []
    for number in numbers:
        value = VALUES[number]
        code = _code(value)
        codes.append(code)
        offsets.append(len(children[code]))
        children[code].append(list(value.items()) if isinstance(value, dict) else value)
    values = pa.UnionArray.from_dense(
        pa.array(codes, pa.int8()),
        pa.array(offsets, pa.int32()),
        [pa.array(child, SQL_INFO_VALUE.field(code).type) for code, child in enumerate(children)],
        [SQL_INFO_VALUE.field(code).name for code in range(len(children))],
    )
    return pa.Table.from_arrays([pa.array(numbers, pa.uint32()), values], schema=SQL_INFO)


def _code(value: Value) -> int:
    if isinstance(value, bool):
        return _BOOL
    if isinstance(value, Bitmask):
        return _BITMASK
    if isinstance(value, int):
        return _BIGINT
    if isinstance(value, str):
        return _STRING
    return _STRINGS if isinstance(value, list) else _MAP
