"""What users read of a failure in the driver: one sentence with a code, nothing of Spark's insides."""

from __future__ import annotations

from typing import Any

import pytest

from sqe import errors
from sqe.engine.failures import error_of

ANALYSIS = "org.apache.spark.sql.catalyst.ExtendedAnalysisException"


def facts(condition: str | None = None, message: str = "", classes: tuple[str, ...] = (ANALYSIS,), **more: Any) -> dict[str, Any]:
    return {"condition": condition, "messages": [message], "classes": list(classes), **more}


@pytest.mark.parametrize(
    ("report", "shown"),
    [
        (
            facts("TABLE_OR_VIEW_NOT_FOUND", "long text", parameters={"relationName": "`a`.`b`"}, line=1, column=15),
            "TABLE_NOT_FOUND: line 1:15: Table a.b does not exist",
        ),
        (
            facts("UNRESOLVED_COLUMN.WITH_SUGGESTION", "x", parameters={"objectName": "`nmae`", "proposal": "`name`, `id`"}),
            "COLUMN_NOT_FOUND: Column nmae does not exist [did you mean name, id?]",
        ),
        (facts("DIVIDE_BY_ZERO", "[DIVIDE_BY_ZERO] …"), "DIVISION_BY_ZERO: Division by zero [try_divide() gives NULL instead]"),
        (
            facts(
                "CAST_INVALID_INPUT",
                '[CAST_INVALID_INPUT] The value \'x\' of the type "STRING" cannot be cast to "INT". SQLSTATE: 22018\n== SQL ==',
            ),
            'INVALID_CAST_ARGUMENT: The value \'x\' of the type "STRING" cannot be cast to "INT"',
        ),
        (facts(None, "x", ("org.apache.iceberg.exceptions.CommitFailedException",)), "TRANSACTION_CONFLICT: Another writer"),
        (
            facts(None, "java.io.IOException: No space left on device", ("java.io.IOException",)),
            "OUT_OF_DISK_SPACE: There is no space",
        ),
        (
            facts(None, "[SQLITE_READONLY] Attempt to write a readonly database", ("java.sql.SQLException",)),
            "READ_ONLY_VIOLATION: The warehouse",
        ),
        (
            facts(None, "Java heap space", ("org.apache.spark.SparkException", "java.lang.OutOfMemoryError")),
            "EXCEEDED_LOCAL_MEMORY_LIMIT",
        ),
        (facts(None, "cancelled", ("org.apache.spark.sql.sqe.Failure$Cancelled",)), "USER_CANCELED: The statement was cancelled"),
        (
            facts(None, "password=hunter2 at Foo.scala:12", ("java.lang.NullPointerException",)),
            "GENERIC_INTERNAL_ERROR: The server met",
        ),
    ],
)
def test_a_failure_becomes_one_sentence_with_a_code(report: dict[str, Any], shown: str) -> None:
    assert str(error_of(report)).startswith(shown)


def test_the_text_of_an_unknown_exception_is_not_shown() -> None:
    assert "hunter2" not in str(error_of(facts(None, "password=hunter2", ("java.lang.IllegalStateException",))))


def test_every_code_has_a_name_and_a_number_of_its_own() -> None:
    numbers = [code.number for code in errors.CODES.values()]
    assert len(numbers) == len(set(numbers))
    assert all(len(code.sqlstate) == 5 for code in errors.CODES.values())
