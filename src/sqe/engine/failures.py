"""From what the driver reports of a failure (jvm: Failure.scala) to one `SqeError`: the code by table, the words by us.

Nothing of an unknown exception's text reaches a user: it may hold plans, paths or credentials. It goes to the log.
"""

from __future__ import annotations

import difflib
import logging
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqe import credentials, errors
from sqe.engine.touched import Touched
from sqe.errors import ErrorCode, SqeError

log = logging.getLogger("sqe.engine")

# Spark's error conditions; the longest matching prefix wins.
CONDITIONS: Mapping[str, ErrorCode] = {
    "PARSE_": errors.SYNTAX_ERROR,
    "FAILED_TO_PARSE_TOO_COMPLEX": errors.QUERY_TEXT_TOO_LARGE,
    "INVALID_SQL_SYNTAX": errors.SYNTAX_ERROR,
    "INVALID_IDENTIFIER": errors.SYNTAX_ERROR,
    "INVALID_ATTRIBUTE_NAME_SYNTAX": errors.SYNTAX_ERROR,
    "INVALID_STATEMENT_OR_CLAUSE": errors.SYNTAX_ERROR,
    "UNCLOSED_BRACKETED_COMMENT": errors.SYNTAX_ERROR,
    "SPARK_JOB_CANCELLED": errors.USER_CANCELED,
    "TABLE_OR_VIEW_NOT_FOUND": errors.TABLE_NOT_FOUND,
    "VIEW_NOT_FOUND": errors.TABLE_NOT_FOUND,
    "SCHEMA_NOT_FOUND": errors.SCHEMA_NOT_FOUND,
    "CATALOG_NOT_FOUND": errors.CATALOG_NOT_FOUND,
    "UNRESOLVED_COLUMN": errors.COLUMN_NOT_FOUND,
    "UNRESOLVED_FIELD": errors.COLUMN_NOT_FOUND,
    "UNRESOLVED_MAP_KEY": errors.COLUMN_NOT_FOUND,
    "FIELD_NOT_FOUND": errors.COLUMN_NOT_FOUND,
    "COLUMN_NOT_FOUND": errors.COLUMN_NOT_FOUND,
    "UNRESOLVED_ROUTINE": errors.FUNCTION_NOT_FOUND,
    "ROUTINE_NOT_FOUND": errors.FUNCTION_NOT_FOUND,
    "FAILED_TO_LOAD_ROUTINE": errors.PROCEDURE_NOT_FOUND,
    "MISSING_CATALOG_ABILITY.TABLE_VALUED_FUNCTIONS": errors.FUNCTION_NOT_FOUND,
    "DIVIDE_BY_ZERO": errors.DIVISION_BY_ZERO,
    "REMAINDER_BY_ZERO": errors.DIVISION_BY_ZERO,
    "CAST_INVALID_INPUT": errors.INVALID_CAST_ARGUMENT,
    "CAST_OVERFLOW": errors.INVALID_CAST_ARGUMENT,
    "CANNOT_PARSE_TIMESTAMP": errors.INVALID_CAST_ARGUMENT,
    "INVALID_TYPED_LITERAL": errors.INVALID_LITERAL,
    "INVALID_NUMERIC_LITERAL_RANGE": errors.NUMERIC_VALUE_OUT_OF_RANGE,
    "NUMERIC_OUT_OF_SUPPORTED_RANGE": errors.NUMERIC_VALUE_OUT_OF_RANGE,
    "DECIMAL_PRECISION_EXCEEDS_MAX_PRECISION": errors.NUMERIC_VALUE_OUT_OF_RANGE,
    "ARITHMETIC_OVERFLOW": errors.NUMERIC_VALUE_OUT_OF_RANGE,
    "BINARY_ARITHMETIC_OVERFLOW": errors.NUMERIC_VALUE_OUT_OF_RANGE,
    "INTERVAL_ARITHMETIC_OVERFLOW": errors.NUMERIC_VALUE_OUT_OF_RANGE,
    "NUMERIC_VALUE_OUT_OF_RANGE": errors.NUMERIC_VALUE_OUT_OF_RANGE,
    "DATATYPE_MISMATCH": errors.TYPE_MISMATCH,
    "INCOMPATIBLE_": errors.TYPE_MISMATCH,
    "INSERT_COLUMN_ARITY_MISMATCH": errors.TYPE_MISMATCH,
    "UNEXPECTED_INPUT_TYPE": errors.TYPE_MISMATCH,
    "NUM_COLUMNS_MISMATCH": errors.TYPE_MISMATCH,
    "TABLE_OR_VIEW_ALREADY_EXISTS": errors.TABLE_ALREADY_EXISTS,
    "VIEW_ALREADY_EXISTS": errors.TABLE_ALREADY_EXISTS,
    "TEMP_TABLE_OR_VIEW_ALREADY_EXISTS": errors.TABLE_ALREADY_EXISTS,
    "SCHEMA_ALREADY_EXISTS": errors.SCHEMA_ALREADY_EXISTS,
    "FIELD_ALREADY_EXISTS": errors.COLUMN_ALREADY_EXISTS,
    "FIELDS_ALREADY_EXISTS": errors.COLUMN_ALREADY_EXISTS,
    "COLUMN_ALREADY_EXISTS": errors.DUPLICATE_COLUMN_NAME,
    "SCHEMA_NOT_EMPTY": errors.SCHEMA_NOT_EMPTY,
    "AMBIGUOUS_": errors.AMBIGUOUS_NAME,
    "MISSING_AGGREGATION": errors.MISSING_GROUP_BY,
    "MISSING_GROUP_BY": errors.MISSING_GROUP_BY,
    "GROUP_BY": errors.MISSING_GROUP_BY,
    "SCALAR_SUBQUERY_TOO_MANY_ROWS": errors.SUBQUERY_MULTIPLE_ROWS,
    "MERGE_CARDINALITY_VIOLATION": errors.SUBQUERY_MULTIPLE_ROWS,
    "INVALID_PARAMETER_VALUE": errors.INVALID_FUNCTION_ARGUMENT,
    "INVALID_ARRAY_INDEX": errors.INVALID_FUNCTION_ARGUMENT,
    "INVALID_REGEXP": errors.INVALID_FUNCTION_ARGUMENT,
    "WRONG_NUM_ARGS": errors.INVALID_FUNCTION_ARGUMENT,
    "DUPLICATED_MAP_KEY": errors.INVALID_FUNCTION_ARGUMENT,
    "MALFORMED_RECORD_IN_PARSING": errors.INVALID_FUNCTION_ARGUMENT,
    "DATETIME_FIELD_OUT_OF_BOUNDS": errors.INVALID_FUNCTION_ARGUMENT,
    "INVALID_FORMAT": errors.INVALID_FUNCTION_ARGUMENT,
    "INVALID_TIMEZONE": errors.INVALID_FUNCTION_ARGUMENT,
    "INVALID_LIMIT_LIKE_EXPRESSION": errors.INVALID_ARGUMENTS,
    "UNRECOGNIZED_PARAMETER_NAME": errors.INVALID_PROCEDURE_ARGUMENT,
    "REQUIRED_PARAMETER_NOT_FOUND": errors.INVALID_PROCEDURE_ARGUMENT,
    "UNSUPPORTED_DATATYPE": errors.TYPE_NOT_FOUND,
    "INVALID_PARTITION_OPERATION": errors.NOT_SUPPORTED,
    "UNSUPPORTED_": errors.NOT_SUPPORTED,
    "NOT_SUPPORTED_": errors.NOT_SUPPORTED,
    "UNBOUND_SQL_PARAMETER": errors.INVALID_PARAMETER_USAGE,
    "INVALID_QUERY_MIXED_QUERY_PARAMETERS": errors.INVALID_PARAMETER_USAGE,
    "DATATYPE_CANNOT_ORDER": errors.TYPE_MISMATCH,
    "NOT_NULL_": errors.CONSTRAINT_VIOLATION,
    "NULL_ASSERT": errors.CONSTRAINT_VIOLATION,
}

# Iceberg's and SQE's procedures, for "did you mean".
PROCEDURES = (
    "add_files ancestors_of cherrypick_snapshot compute_partition_stats compute_table_stats create_changelog_view "
    "expire_snapshots fast_forward migrate publish_changes refresh_catalog_cache register_table remove_orphan_files "
    "rewrite_data_files rewrite_manifests rewrite_position_delete_files rewrite_table_path rollback_to_snapshot "
    "rollback_to_timestamp set_current_snapshot snapshot table_health"
).split()

# Exception classes that have no condition, by their simple names.
CLASSES: Mapping[str, ErrorCode] = {
    "Failure$Stalled": errors.ABANDONED_QUERY,
    "Failure$Cancelled": errors.USER_CANCELED,
    "Failure$Refused": errors.NOT_SUPPORTED,
    "Failure$NoSession": errors.REMOTE_HOST_GONE,
    "Failure$Denied": errors.PERMISSION_DENIED,
    "Failure$RowNotAllowed": errors.PERMISSION_DENIED,
    "Failure$PolicyUnusable": errors.PERMISSION_DENIED,
    "Failure$ViewUnusable": errors.PERMISSION_DENIED,
    "FileMissing": errors.NOT_FOUND,
    "FileUnreadable": errors.INVALID_FUNCTION_ARGUMENT,
    "FileDenied": errors.PERMISSION_DENIED,
    "WrongOption": errors.INVALID_FUNCTION_ARGUMENT,
    "InterruptedException": errors.USER_CANCELED,
    "ClosedByInterruptException": errors.USER_CANCELED,
    "UncheckedInterruptedException": errors.USER_CANCELED,
    "ParseException": errors.SYNTAX_ERROR,
    "NoSuchTableException": errors.TABLE_NOT_FOUND,
    "NoSuchViewException": errors.TABLE_NOT_FOUND,
    "NoSuchNamespaceException": errors.SCHEMA_NOT_FOUND,
    "NoSuchProcedureException": errors.PROCEDURE_NOT_FOUND,
    "CatalogNotFoundException": errors.CATALOG_NOT_FOUND,
    "AlreadyExistsException": errors.ALREADY_EXISTS,
    "CommitFailedException": errors.TRANSACTION_CONFLICT,
    "ForbiddenException": errors.PERMISSION_DENIED,
    "NotAuthorizedException": errors.PERMISSION_DENIED,
    "Failure$NoTokenFor": errors.CATALOG_NOT_FOUND,
    "RESTException": errors.ICEBERG_CATALOG_ERROR,
    "BadRequestException": errors.INVALID_ARGUMENTS,
    "TTransportException": errors.ICEBERG_CATALOG_ERROR,
    "MetaException": errors.ICEBERG_CATALOG_ERROR,
    "RuntimeMetaException": errors.ICEBERG_CATALOG_ERROR,
    "GlueException": errors.ICEBERG_CATALOG_ERROR,
    "EntityNotFoundException": errors.SCHEMA_NOT_FOUND,
    "ServiceFailureException": errors.ICEBERG_CATALOG_ERROR,
    "ServiceUnavailableException": errors.ICEBERG_CATALOG_ERROR,
    "SdkClientException": errors.ICEBERG_FILESYSTEM_ERROR,
    "ApiCallTimeoutException": errors.ICEBERG_FILESYSTEM_ERROR,
    "KeysRefused": errors.PERMISSION_DENIED,
    "IdentityUnavailable": errors.CONFIGURATION_INVALID,
    "StoreUnreachable": errors.ICEBERG_FILESYSTEM_ERROR,
    "OutOfMemoryError": errors.EXCEEDED_LOCAL_MEMORY_LIMIT,
    "SparkOutOfMemoryError": errors.EXCEEDED_LOCAL_MEMORY_LIMIT,
    "StackOverflowError": errors.QUERY_TEXT_TOO_LARGE,
    "Nesting$TooDeep": errors.QUERY_TEXT_TOO_LARGE,
    "NamespaceNotEmptyException": errors.SCHEMA_NOT_EMPTY,
    "IcebergParseException": errors.SYNTAX_ERROR,
}

_KEYS_REFUSED = "The object store does not accept the keys for this table"

# Where the exception's own words would be a stranger's (a catalog's answer), or its code says too little.
CLASS_SENTENCES: Mapping[str, str] = {
    "ForbiddenException": "The catalog does not allow this",
    "NotAuthorizedException": "The catalog does not accept the session's token",
    "EntityNotFoundException": "The schema does not exist",
    "BadRequestException": "The catalog does not take this name, property or location",
    "KeysRefused": _KEYS_REFUSED,
    "IdentityUnavailable": "The server has no keys for the object store; an administrator has to look at s3_identity",
    "Failure$RowNotAllowed": "A new row is one that you may not see",
}

SENTENCES: Mapping[ErrorCode, str] = {
    errors.ICEBERG_CATALOG_ERROR: "The catalog cannot be reached or does not answer",
    errors.ICEBERG_FILESYSTEM_ERROR: "The object store cannot be reached or does not answer",
    errors.REMOTE_HOST_GONE: "The query engine was restarted while this statement was on its way",
    errors.USER_CANCELED: "The statement was cancelled",
    errors.ABANDONED_QUERY: "Nobody reads the rows of this statement",
    errors.EXCEEDED_LOCAL_MEMORY_LIMIT: "The engine ran out of memory for this statement",
    errors.QUERY_TEXT_TOO_LARGE: "The statement is too long or nested too deeply to be planned",
    errors.OUT_OF_DISK_SPACE: "There is no space left for the statement's files",
    errors.READ_ONLY_VIOLATION: "The warehouse cannot be written to",
    errors.TRANSACTION_CONFLICT: "Another writer changed the table in the meantime; nothing was written",
    errors.INVALID_PARAMETER_USAGE: "A parameter of the statement has no value",
    errors.DIVISION_BY_ZERO: "Division by zero",
}


class PolicyNeeded(SqeError):
    """The driver wants decisions for these tables; nothing has run. Seen by `Session.ask` only, which gets them."""

    def __init__(self, tables: Sequence[str], definer: Mapping[str, Any] | None = None) -> None:
        super().__init__(errors.GENERIC_INTERNAL_ERROR, "A decision about a table is missing")
        self.tables = tables
        self.definer = definer  # for whom, if not for the session's user


@dataclass(frozen=True)
class Symptom:
    """Words that mean the same in whichever exception they come. Only for failures to which Spark gave no condition."""

    words: re.Pattern[str]
    code: ErrorCode
    sentence: str | None = None  # None: the one of the code, else the failure's own


def _symptom(words: str, code: ErrorCode, sentence: str | None = None) -> Symptom:
    return Symptom(re.compile(words), code, sentence)


_NO_NANOSECONDS = "Timestamps in nanoseconds are not available: Spark 4.1 has no such type, and reading them would lose digits"
_NO_DEFAULTS = "Column defaults cannot be set: Iceberg 1.12 for Spark does not write them yet; those that others set are read"

SYMPTOMS: Sequence[Symptom] = (
    _symptom(r"No space left on device|SQLITE_FULL|Disk quota exceeded", errors.OUT_OF_DISK_SPACE),
    _symptom(
        r"Service: S3, Status Code: 40[13]|\bStatus code 40[13],",  # the second are Azure's words
        errors.PERMISSION_DENIED,
        _KEYS_REFUSED,
    ),
    _symptom(r"SQLITE_READONLY|SQLITE_PERM|Read-only file system|Permission denied|AccessDenied", errors.READ_ONLY_VIOLATION),
    _symptom(r"not a directory|Not a directory|Mkdirs failed to create", errors.READ_ONLY_VIOLATION),
    _symptom(
        r"SQLITE_(CANTOPEN|NOTADB|CORRUPT|IOERR)",
        errors.CONFIGURATION_INVALID,
        "The catalog's database cannot be opened or is damaged",
    ),
    _symptom(r"SQLITE_(BUSY|LOCKED)", errors.TRANSACTION_CONFLICT, "The catalog is busy with other writers; nothing was written"),
    _symptom(r"\bUncheckedSQLException\b", errors.ICEBERG_CATALOG_ERROR),
    _symptom(
        r"Failed to (open|read|get)[^\n]* file|FileNotFoundException|NotFoundException|"
        r"Not an Avro data file|is not a Parquet file|ChecksumException|Checksum error",
        errors.GENERIC_INTERNAL_ERROR,
        "A file of the table is missing or damaged",
    ),
    _symptom(r"[Cc]onflicting (files|deletes)|Cannot commit|concurrent update", errors.TRANSACTION_CONFLICT),
    _symptom(r"Couldn't find column \S+|Cannot find (source )?column|Cannot find field", errors.COLUMN_NOT_FOUND),
    _symptom(
        r"setting default values in Spark is currently unsupported|UpdateColumnDefaultValue",
        errors.NOT_SUPPORTED,
        _NO_DEFAULTS,
    ),
    _symptom(
        r"Cannot convert transform with more than one column",
        errors.NOT_SUPPORTED,
        "Transforms of several columns are not available: Iceberg 1.12 for Spark does not have them yet",
    ),
    _symptom(
        r"Cannot change column type: \S+ date -> timestamp",
        errors.NOT_SUPPORTED,
        "A date cannot become a timestamp: Iceberg 1.12 does not promote it yet",
    ),
    _symptom(r"timestamp(tz)?_ns|TimestampNano|NANOS", errors.NOT_SUPPORTED, _NO_NANOSECONDS),
    _symptom(r"to unknown snapshot|is not a parent ancestor|not an ancestor of", errors.NOT_FOUND),
    _symptom(r"[Cc]annot (find|roll back|use)[^\n]*(snapshot|reference|branch|tag|version)|does not exist: ", errors.NOT_FOUND),
    _symptom(r"^(Ref|Branch|Tag) \S+ already exists", errors.ALREADY_EXISTS),
    _symptom(
        r"Error loading expression|Invalid XML document|XPathExpressionException",
        errors.INVALID_ARGUMENTS,
        "The XML or the XPath cannot be read",
    ),
    _symptom(
        r'No FileSystem for scheme "(s3|gs|abfs)',
        errors.NOT_SUPPORTED,
        "Files of an object store can be listed with prefix_listing => true only",
    ),
    _symptom(
        r"multi part namespace|Cannot convert namespace \S+\.\S+ to Glue",
        errors.NOT_SUPPORTED,
        "This catalog has no schemas within schemas",
    ),
    _symptom(
        r"types incompatible with the existing columns in their respective positions",
        errors.NOT_SUPPORTED,
        "The Hive Metastore does not let columns change places or types, unless its operator sets "
        "hive.metastore.disallow.incompatible.col.type.changes to false",
    ),
    _symptom(r"references temporary (function|view)", errors.NOT_SUPPORTED, "A view cannot use what is only this session's"),
    _symptom(r"streaming sources", errors.NOT_SUPPORTED, "Reading a table as a stream is not available"),
    _symptom(r"Unsupported table change|is not supported|Unsupported format", errors.NOT_SUPPORTED),
    _symptom(r"[Jj]ob[^\n]* cancel|Task was (killed|interrupted)|ClosedByInterrupt", errors.USER_CANCELED),
)


def error_of(facts: Mapping[str, Any]) -> SqeError:
    """The error for one failure report. An unknown one is an internal error, and its facts are logged."""
    if needed := facts.get("policy_needed"):
        return PolicyNeeded(needed["tables"], needed["definer"])
    error = _error_of(facts)
    error.touched = Touched.of(facts) if "reads" in facts else None
    return error


def _error_of(facts: Mapping[str, Any]) -> SqeError:
    code, sentence = _judged(facts)
    if code.kind is not errors.Kind.USER and code not in (errors.REMOTE_HOST_GONE, errors.EXCEEDED_LOCAL_MEMORY_LIMIT):
        log.error("a failure in the driver: %s: %s", facts.get("classes"), facts.get("messages"))
    if code is errors.GENERIC_INTERNAL_ERROR:
        return errors.internal(sentence) if sentence else errors.internal()
    line, column = (facts.get("line"), facts.get("column")) if code in _POSITIONED else (None, None)
    return SqeError(code, _shown(sentence or _sentence(code, facts)), hint=_hint(code, facts), line=line, column=column)


def _shown(sentence: str) -> str:
    """Fit for a terminal: names and values in it are the user's, or of whoever named the table; some words are a catalog's."""
    return re.sub(r"[\x00-\x1f\x7f-\x9f]", "\N{REPLACEMENT CHARACTER}", credentials.hidden(sentence)[:500])


_POSITIONED = {
    errors.SYNTAX_ERROR,
    errors.TABLE_NOT_FOUND,
    errors.COLUMN_NOT_FOUND,
    errors.FUNCTION_NOT_FOUND,
    errors.TYPE_MISMATCH,
    errors.AMBIGUOUS_NAME,
    errors.MISSING_GROUP_BY,
    errors.INVALID_LITERAL,
}


# Of files that the statement itself names; their words are meant for its user (jvm: files/FileFailures.scala).
_OF_NAMED_FILES = ("FileMissing", "FileUnreadable", "FileDenied", "WrongOption")

# Their words name the server's files.
_FILES = ("FAILED_READ_FILE", "PATH_NOT_FOUND", "UNABLE_TO_INFER_SCHEMA", "CANNOT_READ_FILE_FOOTER", "CANNOT_MERGE_SCHEMAS")


# Spark's sentence has the column's path on lines of its own.
_NULL_COLUMN = re.compile(r"non-nullable field:\s*\n(.+?)\n?If the schema", re.DOTALL)


def _null_column(facts: Mapping[str, Any]) -> str | None:
    """In Trino's words, with the name of the column."""
    found = next((match for message in facts.get("messages") or () if (match := _NULL_COLUMN.search(str(message)))), None)
    return f"NULL value not allowed for NOT NULL column: {'.'.join(found[1].split())}" if found else None


def _judged(facts: Mapping[str, Any]) -> tuple[ErrorCode, str | None]:
    """The code, and a sentence where the failure's own would say too much or too little."""
    classes = [str(name).rsplit(".", 1)[-1] for name in facts.get("classes") or ()]
    known = [CLASSES[name] for name in classes if name in CLASSES]
    for code in (errors.USER_CANCELED, errors.EXCEEDED_LOCAL_MEMORY_LIMIT):
        if code in known:
            return code, None
    for name, message in zip(classes, facts.get("messages") or (), strict=False):
        if name in _OF_NAMED_FILES:
            return CLASSES[name], str(message)
    condition = facts.get("condition") or ""
    if condition.startswith(_FILES):
        return errors.GENERIC_INTERNAL_ERROR, "A file of the table is missing or damaged"
    if by_condition := _by_prefix(condition):
        return by_condition, _null_column(facts) if condition.startswith("NOT_NULL_ASSERT") else None
    if known:
        return known[0], next((CLASS_SENTENCES[name] for name in classes if name in CLASS_SENTENCES), None)
    if condition and not condition.startswith("_LEGACY"):
        return errors.GENERIC_USER_ERROR, None
    text = "\n".join([*(str(message) for message in facts.get("messages") or ()), *classes])
    for symptom in SYMPTOMS:
        if symptom.words.search(text):
            return symptom.code, symptom.sentence
    if classes and classes[0] == "UnsupportedOperationException" and facts["messages"][0] != "null":
        return errors.NOT_SUPPORTED, None
    return (errors.GENERIC_USER_ERROR if _from_analysis(classes) else errors.GENERIC_INTERNAL_ERROR), None


def _from_analysis(classes: Sequence[str]) -> bool:
    """Iceberg refuses wrong arguments with plain Java exceptions whose first line is meant for the user."""
    return bool(classes) and classes[0] in (
        "AnalysisException",
        "ExtendedAnalysisException",
        "IllegalArgumentException",
        "ValidationException",
    )


def _by_prefix(condition: str) -> ErrorCode | None:
    matches = [prefix for prefix in CONDITIONS if condition.startswith(prefix)]
    return CONDITIONS[max(matches, key=len)] if matches else None


def _sentence(code: ErrorCode, facts: Mapping[str, Any]) -> str:
    parameters: Mapping[str, str] = facts.get("parameters") or {}
    if re.search(r"TIMESTAMP(TZ)?_NS", parameters.get("typeName", "")):
        return _NO_NANOSECONDS
    if parameters.get("operation") == "column default value":
        return _NO_DEFAULTS
    if code is errors.TABLE_NOT_FOUND and "relationName" in parameters:
        return f"Table {_plain(parameters['relationName']).removesuffix('$column_stats')} does not exist"
    if code is errors.SCHEMA_NOT_FOUND and "schemaName" in parameters:
        return f"Schema {_plain(parameters['schemaName'])} does not exist"
    if code is errors.CATALOG_NOT_FOUND and "catalogName" in parameters:
        return f"Catalog {_plain(parameters['catalogName'])} does not exist"
    if code is errors.COLUMN_NOT_FOUND and "objectName" in parameters:
        return f"Column {_plain(parameters['objectName'])} does not exist"
    if code is errors.PROCEDURE_NOT_FOUND and "routineName" in parameters:
        return f"Procedure {_plain(parameters['routineName'])} does not exist"
    if code is errors.INVALID_PROCEDURE_ARGUMENT and "argumentName" in parameters:
        return f"Procedure {_plain(parameters['routineName'])} has no argument {_plain(parameters['argumentName'])}"
    if code is errors.INVALID_PROCEDURE_ARGUMENT and "parameterName" in parameters:
        return f"Procedure {_plain(parameters['routineName'])} needs the argument {_plain(parameters['parameterName'])}"
    if code is errors.FUNCTION_NOT_FOUND:
        return (
            f"Function {_plain(parameters['routineName'])} does not exist"
            if "routineName" in parameters
            else "The table function does not exist"
        )
    return SENTENCES.get(code) or _tidy(next((str(message) for message in facts.get("messages") or () if message), "Unknown"))


def _hint(code: ErrorCode, facts: Mapping[str, Any]) -> str | None:
    parameters: Mapping[str, str] = facts.get("parameters") or {}
    proposal = parameters.get("proposal")
    if code is errors.PROCEDURE_NOT_FOUND and "routineName" in parameters:
        near = difflib.get_close_matches(_plain(parameters["routineName"]).rsplit(".", 1)[-1].lower(), PROCEDURES, n=1)
        return f"did you mean {near[0]}?" if near else None
    if code is errors.INVALID_PROCEDURE_ARGUMENT and proposal:
        return f"did you mean {_plain(re.split('[ ,]', proposal)[0])}?"
    if code is errors.COLUMN_NOT_FOUND and proposal:
        names = re.findall(r"(?:`[^`]*`\.?)+", proposal) or [proposal]
        return f"did you mean {', '.join(_plain(name) for name in names)}?"
    if code is errors.DIVISION_BY_ZERO:
        return "try_divide() gives NULL instead"
    return None


def _plain(name: str) -> str:
    return name.replace("`", "")


_ADVICE = re.compile(
    r"^(Add|Ask|Check|Choose|Consider|Correct|Did you mean|Ensure|For more|If |If necessary|Please|Set|To |Try|Use|Verify|You )|"
    r"\bto tolerate\b|\btry_\w+|spark\.sql\."
)


def _tidy(message: str) -> str:
    """Spark's message as one sentence: without its condition, SQLSTATE, position, lists, and advice naming Spark's settings."""
    text = re.sub(r"^\[[A-Z0-9_.]+\]\s*", "", message.strip())
    text = text.split(" SQLSTATE:", 1)[0].split("\n", 1)[0]
    text = re.sub(r";?\s*line \d+ pos \d+.*$", "", text)
    first, *others = re.split(r"(?<=[.!?])\s+(?=[A-Z])", text)
    facts = [_ended(first), *(_continued(sentence) for sentence in others if not _ADVICE.search(sentence))]
    return "; ".join(facts) or "The statement could not be run"


def _ended(sentence: str) -> str:
    return re.sub(r"(,? the reason is| in)?\s*[.:;,]*$", "", sentence.strip())


def _continued(sentence: str) -> str:
    return re.sub(r"^[A-Z](?=[a-z ])", lambda start: start[0].lower(), _ended(sentence))
