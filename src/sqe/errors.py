"""One error family: every failure a user can meet is an `SqeError` with a code from the table below.

The code carries everything a door needs: Trino's error name and number, the gRPC status of Flight, the SQLSTATE of JDBC.
The message is one sentence that the user may read: never a traceback, a plan or a secret.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqe.engine.touched import Touched


class Kind(Enum):
    """Who has to act: the person who wrote the statement, us, whoever pays for the machine, or whoever runs what we depend on."""

    USER = "USER_ERROR"
    INTERNAL = "INTERNAL_ERROR"
    RESOURCES = "INSUFFICIENT_RESOURCES"
    EXTERNAL = "EXTERNAL"


class Grpc(Enum):
    """The gRPC statuses that pyarrow.flight can send, by the name of its exception."""

    INVALID_ARGUMENT = "invalid argument"
    NOT_FOUND = "not found"
    ALREADY_EXISTS = "already exists"
    UNAUTHENTICATED = "unauthenticated"
    UNAUTHORIZED = "unauthorized"
    CANCELLED = "cancelled"
    TIMED_OUT = "timed out"
    UNAVAILABLE = "unavailable"
    UNIMPLEMENTED = "unimplemented"
    INTERNAL = "internal"


@dataclass(frozen=True)
class ErrorCode:
    """One row of the family. `name` and `number` are Trino's where Trino has the error."""

    name: str
    number: int
    kind: Kind
    grpc: Grpc
    sqlstate: str


def _user(name: str, number: int, sqlstate: str, grpc: Grpc = Grpc.INVALID_ARGUMENT) -> ErrorCode:
    return ErrorCode(name, number, Kind.USER, grpc, sqlstate)


def _internal(name: str, offset: int, grpc: Grpc = Grpc.INTERNAL, sqlstate: str = "XX000") -> ErrorCode:
    return ErrorCode(name, 0x0001_0000 + offset, Kind.INTERNAL, grpc, sqlstate)


def _resources(name: str, offset: int, grpc: Grpc = Grpc.UNAVAILABLE, sqlstate: str = "53000") -> ErrorCode:
    return ErrorCode(name, 0x0002_0000 + offset, Kind.RESOURCES, grpc, sqlstate)


def _external(name: str, number: int, sqlstate: str = "58000") -> ErrorCode:
    return ErrorCode(name, number, Kind.EXTERNAL, Grpc.UNAVAILABLE, sqlstate)


GENERIC_USER_ERROR = _user("GENERIC_USER_ERROR", 0, "42000")
SYNTAX_ERROR = _user("SYNTAX_ERROR", 1, "42601")
ABANDONED_QUERY = _user("ABANDONED_QUERY", 2, "57014", Grpc.TIMED_OUT)
USER_CANCELED = _user("USER_CANCELED", 3, "57014", Grpc.CANCELLED)
PERMISSION_DENIED = _user("PERMISSION_DENIED", 4, "42501", Grpc.UNAUTHORIZED)
NOT_FOUND = _user("NOT_FOUND", 5, "42704", Grpc.NOT_FOUND)
FUNCTION_NOT_FOUND = _user("FUNCTION_NOT_FOUND", 6, "42883", Grpc.NOT_FOUND)
INVALID_FUNCTION_ARGUMENT = _user("INVALID_FUNCTION_ARGUMENT", 7, "22023")
DIVISION_BY_ZERO = _user("DIVISION_BY_ZERO", 8, "22012")
INVALID_CAST_ARGUMENT = _user("INVALID_CAST_ARGUMENT", 9, "22018")
ALREADY_EXISTS = _user("ALREADY_EXISTS", 12, "42710", Grpc.ALREADY_EXISTS)
NOT_SUPPORTED = _user("NOT_SUPPORTED", 13, "0A000", Grpc.UNIMPLEMENTED)
INVALID_SESSION_PROPERTY = _user("INVALID_SESSION_PROPERTY", 14, "42704")
CONSTRAINT_VIOLATION = _user("CONSTRAINT_VIOLATION", 16, "23000")
TRANSACTION_CONFLICT = _user("TRANSACTION_CONFLICT", 17, "40001")
INVALID_TABLE_PROPERTY = _user("INVALID_TABLE_PROPERTY", 18, "42602")
NUMERIC_VALUE_OUT_OF_RANGE = _user("NUMERIC_VALUE_OUT_OF_RANGE", 19, "22003")
NOT_IN_TRANSACTION = _user("NOT_IN_TRANSACTION", 21, "25P01")
READ_ONLY_VIOLATION = _user("READ_ONLY_VIOLATION", 23, "25006")
SUBQUERY_MULTIPLE_ROWS = _user("SUBQUERY_MULTIPLE_ROWS", 28, "21000")
PROCEDURE_NOT_FOUND = _user("PROCEDURE_NOT_FOUND", 29, "42883", Grpc.NOT_FOUND)
INVALID_PROCEDURE_ARGUMENT = _user("INVALID_PROCEDURE_ARGUMENT", 30, "22023")
QUERY_REJECTED = _user("QUERY_REJECTED", 31, "57000")
SCHEMA_NOT_EMPTY = _user("SCHEMA_NOT_EMPTY", 34, "2BP01")
QUERY_TEXT_TOO_LARGE = _user("QUERY_TEXT_TOO_LARGE", 35, "54000")
ADMINISTRATIVELY_KILLED = _user("ADMINISTRATIVELY_KILLED", 38, "57014", Grpc.CANCELLED)
TYPE_NOT_FOUND = _user("TYPE_NOT_FOUND", 43, "42704")
CATALOG_NOT_FOUND = _user("CATALOG_NOT_FOUND", 44, "3D000", Grpc.NOT_FOUND)
SCHEMA_NOT_FOUND = _user("SCHEMA_NOT_FOUND", 45, "3F000", Grpc.NOT_FOUND)
TABLE_NOT_FOUND = _user("TABLE_NOT_FOUND", 46, "42P01", Grpc.NOT_FOUND)
COLUMN_NOT_FOUND = _user("COLUMN_NOT_FOUND", 47, "42703", Grpc.NOT_FOUND)
SCHEMA_ALREADY_EXISTS = _user("SCHEMA_ALREADY_EXISTS", 49, "42P06", Grpc.ALREADY_EXISTS)
TABLE_ALREADY_EXISTS = _user("TABLE_ALREADY_EXISTS", 50, "42P07", Grpc.ALREADY_EXISTS)
COLUMN_ALREADY_EXISTS = _user("COLUMN_ALREADY_EXISTS", 51, "42701", Grpc.ALREADY_EXISTS)
DUPLICATE_COLUMN_NAME = _user("DUPLICATE_COLUMN_NAME", 54, "42701")
TYPE_MISMATCH = _user("TYPE_MISMATCH", 58, "42804")
INVALID_COLUMN_REFERENCE = _user("INVALID_COLUMN_REFERENCE", 55, "42703")
MISMATCHED_COLUMN_ALIASES = _user("MISMATCHED_COLUMN_ALIASES", 57, "42811")
INVALID_LITERAL = _user("INVALID_LITERAL", 59, "22018")
AMBIGUOUS_NAME = _user("AMBIGUOUS_NAME", 62, "42702")
MISSING_GROUP_BY = _user("MISSING_GROUP_BY", 64, "42803")
INVALID_ARGUMENTS = _user("INVALID_ARGUMENTS", 76, "22023")
INVALID_PARAMETER_USAGE = _user("INVALID_PARAMETER_USAGE", 80, "07001")

GENERIC_INTERNAL_ERROR = _internal("GENERIC_INTERNAL_ERROR", 0)
SERVER_SHUTTING_DOWN = _internal("SERVER_SHUTTING_DOWN", 9, Grpc.UNAVAILABLE, "57P01")
SERVER_STARTING_UP = _internal("SERVER_STARTING_UP", 12, Grpc.UNAVAILABLE, "57P03")
REMOTE_HOST_GONE = _internal("REMOTE_HOST_GONE", 22, Grpc.UNAVAILABLE, "08006")
AUDIT_UNAVAILABLE = _internal("AUDIT_UNAVAILABLE", 0x8005, Grpc.UNAVAILABLE, "58030")
CONFIGURATION_INVALID = _internal("CONFIGURATION_INVALID", 23, sqlstate="F0000")

GENERIC_INSUFFICIENT_RESOURCES = _resources("GENERIC_INSUFFICIENT_RESOURCES", 0)
QUERY_QUEUE_FULL = _resources("QUERY_QUEUE_FULL", 2)
EXCEEDED_TIME_LIMIT = _resources("EXCEEDED_TIME_LIMIT", 3, Grpc.TIMED_OUT, "57014")
EXCEEDED_LOCAL_MEMORY_LIMIT = _resources("EXCEEDED_LOCAL_MEMORY_LIMIT", 7, sqlstate="53200")
OUT_OF_DISK_SPACE = _resources("OUT_OF_DISK_SPACE", 0x8001, sqlstate="53100")
EXCEEDED_RESULT_ROW_LIMIT = _resources("EXCEEDED_RESULT_ROW_LIMIT", 0x8002, Grpc.INVALID_ARGUMENT, "54000")

# Not Trino's, whose HTTP server answers 429 without an error object.
TOO_MANY_REQUESTS = _resources("TOO_MANY_REQUESTS", 0x8010, sqlstate="53400")

# Trino's Iceberg connector has these names.
ICEBERG_CATALOG_ERROR = _external("ICEBERG_CATALOG_ERROR", 0x0504_000D)
ICEBERG_FILESYSTEM_ERROR = _external("ICEBERG_FILESYSTEM_ERROR", 0x0504_000A)

# Not Trino's: the identity provider, which a log-in or a renewal needs, does not answer.
IDENTITY_PROVIDER_UNAVAILABLE = _external("IDENTITY_PROVIDER_UNAVAILABLE", 0x8003, "08001")

# Not Trino's: it answers HTTP 401 without an error object. The text never says why (SURFACE.md).
AUTHENTICATION_FAILED = _user("AUTHENTICATION_FAILED", 0x8000, "28000", Grpc.UNAUTHENTICATED)

CODES: dict[str, ErrorCode] = {code.name: code for code in list(globals().values()) if isinstance(code, ErrorCode)}


class SqeError(Exception):
    """`CODE: one sentence [hint]`, with the position in the statement where there is one."""

    def __init__(
        self, code: ErrorCode, message: str, *, hint: str | None = None, line: int | None = None, column: int | None = None
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.hint = hint
        self.line = line
        self.column = column
        self.touched: Touched | None = None  # what the failed statement had to do with, as far as the engine came

    def __str__(self) -> str:
        where = f"line {self.line}:{self.column}: " if self.line is not None else ""
        hint = f" [{self.hint}]" if self.hint else ""
        return f"{self.code.name}: {where}{self.message}{hint}"


def shutting_down() -> SqeError:
    return SqeError(SERVER_SHUTTING_DOWN, "The server is shutting down")


def internal(what: str = "The server met an unexpected condition; its log has the details") -> SqeError:
    """What a user sees of a defect of ours: that it is one, and nothing else."""
    return SqeError(GENERIC_INTERNAL_ERROR, what)
