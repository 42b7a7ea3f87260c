"""sqlglot's parser of Trino's SQL, kept from deciding anything about meaning.

sqlglot turns calls into neutral nodes (`strpos` and `position` become one), shifts array indexes and guesses where NULLs sort:
good for texts, but then nobody knows any more what Trino was asked. Here calls stay calls, with their own names.
"""

from __future__ import annotations

import re
from typing import Any, ClassVar

from sqlglot import exp
from sqlglot.dialects.trino import Trino
from sqlglot.errors import ErrorLevel, ParseError, SqlglotError
from sqlglot.parsers.trino import TrinoParser
from sqlglot.tokenizer_core import TokenType

from sqe import errors
from sqe.errors import SqeError
from sqe.sql.dialect.other import syntax_error
from sqe.sql.dialect.trino.lexer import trino_tokens

_SPECIAL = ("CAST", "TRY_CAST", "EXTRACT", "TRIM", "POSITION", "JSON_QUERY", "JSON_VALUE", "LISTAGG", "JSON_OBJECT", "NORMALIZE")


def _typed_literal(text: exp.Expr, kind: exp.DataType) -> exp.Expr:
    made = exp.Cast(this=text, to=kind)
    made.meta["literal"] = True
    return made


class Parser(TrinoParser):
    FUNCTIONS: ClassVar[dict[str, Any]] = {}
    FUNCTION_PARSERS: ClassVar[dict[str, Any]] = {
        **{name: TrinoParser.FUNCTION_PARSERS[name] for name in _SPECIAL},
        "SUBSTRING": lambda self: self._parse_substring_call(),
    }
    NO_PAREN_FUNCTION_PARSERS: ClassVar[dict[str, Any]] = {
        name: TrinoParser.NO_PAREN_FUNCTION_PARSERS[name] for name in ("ANY", "CASE", "IF")
    }
    # `x -> …` is a lambda and nothing else.
    COLUMN_OPERATORS: ClassVar[dict[TokenType, Any]] = {
        token: parse for token, parse in TrinoParser.COLUMN_OPERATORS.items() if token in (TokenType.DOT, TokenType.DCOLON)
    }

    # `DECIMAL '1.5'` is not CAST('1.5' AS DECIMAL).
    TYPE_LITERAL_PARSERS: ClassVar[dict[Any, Any]] = {
        kind: lambda self, this, to: _typed_literal(this, to) for kind in exp.DType if kind is not exp.DType.JSON
    } | {exp.DType.JSON: TrinoParser.TYPE_LITERAL_PARSERS[exp.DType.JSON]}

    def _parse_substring_call(self) -> exp.Expr:
        arguments: list[exp.Expr | None] = [*self._parse_csv(self._parse_bitwise)]
        if self._match(TokenType.FROM):
            arguments.append(self._parse_bitwise())
            if self._match(TokenType.FOR):
                arguments.append(self._parse_bitwise())
        return self.expression(exp.Anonymous(this="substring", expressions=arguments))


class TrinoText(Trino):
    INDEX_OFFSET = 0
    Parser = Parser


_ODD_NUMBER = re.compile(r"\d_\d|\b0[xob][\da-f]", re.IGNORECASE)


def _with_plain_numbers(sql: str) -> str:
    """`1_000` and `0x1F` in digits, which sqlglot reads. What follows keeps its place where that is possible."""
    if _ODD_NUMBER.search(sql) is None:
        return sql
    made, done = [], 0
    for token in trino_tokens(sql):
        if token.kind == "number" and _ODD_NUMBER.search(token.text):
            digits = token.text.replace("_", "")
            plain = str(int(digits, 0)) if digits[1:2].lower() in ("x", "o", "b") else digits
            made += [sql[done : token.start], plain.ljust(len(token.text))]
            done = token.end
    return "".join([*made, sql[done:]])


def parse(sql: str) -> exp.Expr:
    """One statement. Raises SYNTAX_ERROR."""
    try:
        plain = _with_plain_numbers(sql)
        statements = [each for each in TrinoText().parse(plain, error_level=ErrorLevel.IMMEDIATE) if each is not None]
    except ParseError as error:
        raise syntax_error(error) from None
    except (SqlglotError, RecursionError, ValueError) as error:
        raise SqeError(errors.SYNTAX_ERROR, str(error).split("\n", 1)[0][:200] or "The statement is too deep") from None
    if len(statements) != 1:
        raise SqeError(errors.SYNTAX_ERROR, "One statement at a time")
    return statements[0]
