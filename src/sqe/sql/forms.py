"""SQE's own forms of statements that Spark and Iceberg have under other names, turned into theirs.

`COMMENT ON COLUMN`, `CREATE BRANCH … ON t`, `CREATE VIEW … SECURITY DEFINER`, Trino's `SHOW STATS` and `FOR INCREMENTAL BETWEEN`.
The result is ordinary text: Spark's parser and the gate see it as if the user had written it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from itertools import takewhile

from sqe.query.statements import StatementClass
from sqe.sql.execute import execute_on_table
from sqe.sql.reading import Reader, quoted
from sqe.sql.tokens import Token, quote_name, tokens


@dataclass(frozen=True)
class Form:
    """The text that Spark gets, and the class of the statement where its own plan would say another one."""

    sql: str
    statement: StatementClass | None = None
    keeps_positions: bool = False  # a line and column of an error mean the same in the user's text


# A statement that begins otherwise, or is longer, and does not hold this word is none of ours: it is not looked at any further.
_INCREMENTAL = re.compile(r"\bINCREMENTAL\b", re.IGNORECASE)
_FILE = re.compile(r"\b(?:FROM|JOIN)\s*(?:--[^\n]*\n\s*)*[rR]?'", re.IGNORECASE)
_FIRST_WORDS = ("CREATE", "REPLACE", "DROP", "COMMENT", "SHOW", "ALTER")
_FIRST_WORD = re.compile(rf"\b(?:{'|'.join(_FIRST_WORDS)})\b", re.IGNORECASE)
_LONGEST_COMMAND = 10_000
_SECURITY = re.compile(r"\bSECURITY\s+(?:DEFINER|INVOKER)\b", re.IGNORECASE)  # whose query may be long


def with_forms(sql: str, catalogs: Collection[str]) -> Form | None:
    """The statement in Spark's words; None when it is in them already."""
    incremental = _INCREMENTAL.search(sql) is not None
    files = _FILE.search(sql) is not None
    short = len(sql) <= _LONGEST_COMMAND or _SECURITY.search(sql, 0, _LONGEST_COMMAND) is not None
    if not incremental and not files and not (short and _FIRST_WORD.search(sql)):
        return None
    found = tokens(sql)
    if short and found and found[0].says(*_FIRST_WORDS) and (form := _command(Reader(sql, found), catalogs)):
        return form
    if files and (form := with_files(sql, found)):
        return with_forms(form.sql, catalogs) or form
    return _with_incremental(sql, found) if incremental else None


def _command(reader: Reader, catalogs: Collection[str]) -> Form | None:
    for read in _COMMANDS:
        if form := read(reader, catalogs):
            return form
    return None


def _reference(reader: Reader, _: Collection[str]) -> Form | None:
    """`CREATE [OR REPLACE] BRANCH b ON t …` and its kin: Iceberg's `ALTER TABLE t CREATE BRANCH b …`."""
    for verb in (("CREATE", "OR", "REPLACE"), ("CREATE",), ("REPLACE",), ("DROP",)):
        kind = next((word for word in ("BRANCH", "TAG") if reader.see(*verb, word)), None)
        if kind is None:
            continue
        reader.take(*verb, kind)
        condition = next((words for words in (("IF", "NOT", "EXISTS"), ("IF", "EXISTS")) if reader.take(*words)), ())
        name = reader.identifier()
        if not reader.take("ON"):
            reader.expect("IN")
        reader.take("TABLE")
        table = reader.name()
        words = " ".join([*verb, kind, *condition])
        return Form(f"ALTER TABLE {quoted(table)} {words} {quote_name(name)} {reader.rest()}")
    return None


def _references(reader: Reader, _: Collection[str]) -> Form | None:
    """`SHOW BRANCHES | TAGS | REFS FROM t`."""
    kinds = {"BRANCHES": "WHERE type = 'BRANCH'", "TAGS": "WHERE type = 'TAG'", "REFS": ""}
    kind = next((word for word in kinds if reader.see("SHOW", word)), None)
    if kind is None:
        return None
    reader.take("SHOW", kind)
    if not reader.take("FROM"):
        reader.expect("IN")
    reader.take("TABLE")
    table = reader.name()
    reader.end()
    columns = "name, type, snapshot_id, max_reference_age_in_ms, min_snapshots_to_keep, max_snapshot_age_in_ms"
    return Form(f"SELECT {columns} FROM {_part(table, 'refs')} {kinds[kind]} ORDER BY name", StatementClass.SHOW)


def _comment(reader: Reader, _: Collection[str]) -> Form | None:
    """`COMMENT ON COLUMN t.c IS '…'` and `COMMENT ON VIEW v IS '…'`."""
    if reader.take("COMMENT", "ON", "COLUMN"):
        name = reader.name()
        if len(name) < 2:
            raise reader.wrong()
        reader.expect("IS")
        text = _comment_text(reader)
        return Form(f"ALTER TABLE {quoted(name[:-1])} ALTER COLUMN {quote_name(name[-1])} COMMENT {text}")
    if reader.take("COMMENT", "ON", "VIEW"):
        view = reader.name()
        reader.expect("IS")
        return Form(f"ALTER VIEW {quoted(view)} SET TBLPROPERTIES ('comment' = {_comment_text(reader)})")
    return None


def _comment_text(reader: Reader) -> str:
    text = "''" if reader.take("NULL") else reader.one("string").text
    reader.end()
    return text


def _stats(reader: Reader, _: Collection[str]) -> Form | None:
    if not reader.take("SHOW", "STATS"):
        return None
    reader.expect("FOR")
    table = reader.name()
    reader.end()
    return Form(f"SELECT * FROM {_part(table, 'column_stats')}", StatementClass.SHOW)


def _show_create(reader: Reader, _: Collection[str]) -> Form | None:
    return Form(f"SHOW CREATE TABLE {reader.rest()}") if reader.take("SHOW", "CREATE", "VIEW") else None


_CREATE_VIEW = (("CREATE", "OR", "REPLACE", "VIEW"), ("CREATE", "VIEW"))
_DEFINER = "'sqe.security' = 'definer'"


def _security(reader: Reader, _: Collection[str]) -> Form | None:
    """`CREATE [OR REPLACE] VIEW v … SECURITY DEFINER | INVOKER … AS query`: a property that SQE makes a signed record of."""
    if not any(reader.see(*words) for words in _CREATE_VIEW):
        return None
    head = list(takewhile(lambda token: not token.says("AS"), reader.left))  # no clause before the query has this word
    chosen = next((at for at, token in enumerate(head) if token.says("SECURITY") and head[at + 1 : at + 2]), None)
    if chosen is None or chosen < 3 or not head[chosen + 1].says("DEFINER", "INVOKER"):
        return None
    start, end = head[chosen].start, head[chosen + 1].end
    blank = _as_long("", reader.sql[start:end])
    if head[chosen + 1].says("INVOKER"):
        return Form(reader.sql[:start] + blank + reader.sql[end:], keeps_positions=True)
    properties = next((at for at, token in enumerate(head) if token.says("TBLPROPERTIES") and head[at + 1].says("(")), None)
    if properties is None:
        return Form(f"{reader.sql[:start]}TBLPROPERTIES ({_DEFINER}){reader.sql[end:]}")
    opened = head[properties + 1].end
    added = [(opened, opened, f"{_DEFINER}, "), (start, end, blank)]
    made, done = [], 0
    for begins, ends, text in sorted(added):
        made += [reader.sql[done:begins], text]
        done = ends
    return Form("".join([*made, reader.sql[done:]]))


def _execute(reader: Reader, catalogs: Collection[str]) -> Form | None:
    sql = execute_on_table(reader, catalogs)
    return Form(sql) if sql else None


def _backticks(reader: Reader, _: Collection[str]) -> Form | None:
    """Iceberg's own grammar, which has these, does not know identifiers in double quotes."""
    found = reader.left
    quotes = [token for token in found if token.kind == "quoted" and token.text[0] == '"']
    if not quotes or not reader.see("ALTER", "TABLE") or not any(token.says(*_ICEBERGS) for token in found):
        return None
    made, done = [], 0
    for token in quotes:
        made += [reader.sql[done : token.start], quote_name(token.name)]
        done = token.end
    return Form("".join([*made, reader.sql[done:]]), keeps_positions=True)


_ICEBERGS = ("BRANCH", "TAG", "FIELD", "FIELDS", "WRITE")

_COMMANDS: tuple[Callable[[Reader, Collection[str]], Form | None], ...] = (
    _reference,
    _references,
    _comment,
    _stats,
    _show_create,
    _security,
    _backticks,
    _execute,
)


# Functions whose arguments are written with FROM: what follows it there is no table.
_WITH_FROM = ("TRIM", "EXTRACT", "SUBSTRING", "SUBSTR", "OVERLAY", "POSITION")


def with_files(sql: str, found: list[Token]) -> Form | None:
    """`FROM '/x.parquet'` and `JOIN 's3://…'` → `read_file('…')`."""
    made, done = [], 0
    callers: list[str] = [""]  # the word before each open bracket
    for at, token in enumerate(found):
        if token.says("("):
            callers.append(found[at - 1].text.upper() if at else "")
        elif token.says(")") and len(callers) > 1:
            callers.pop()
        elif token.kind == "string" and at and found[at - 1].says("FROM", "JOIN") and callers[-1] not in _WITH_FROM:
            if at > 1 and found[at - 2].says("DISTINCT"):  # IS DISTINCT FROM 'text'
                continue
            made += [sql[done : token.start], f"read_file({token.text})"]
            done = token.end
    return Form("".join([*made, sql[done:]])) if made else None


def _part(table: list[str], part: str) -> str:
    return quoted([*table[:-1], f"{table[-1]}${part}"])


def _with_incremental(sql: str, found: list[Token]) -> Form | None:
    """`t FOR INCREMENTAL BETWEEN SNAPSHOT a AND SNAPSHOT b` → Iceberg's read options for the same."""
    made, done, at = [], 0, 0
    while at < len(found):
        if not found[at].says("FOR"):  # the usual case, in a text that may have a million tokens
            at += 1
            continue
        reader = Reader(sql, found, at)
        start = found[at].start
        if not reader.take("FOR", "INCREMENTAL"):
            at += 1
            continue
        reader.expect("BETWEEN")
        reader.take("SNAPSHOT")
        first = _snapshot(reader)
        reader.expect("AND")
        reader.take("SNAPSHOT")
        last = _snapshot(reader)
        at = reader.at
        end = found[at - 1].end
        text = f"WITH('start-snapshot-id'={first},'end-snapshot-id'={last})"
        made += [sql[done:start], _as_long(text, sql[start:end])]
        done = end
    return Form("".join([*made, sql[done:]]), keeps_positions=True) if made else None


def _snapshot(reader: Reader) -> str:
    token = reader.next
    return reader.one("string").text if token and token.kind == "string" else reader.one("number").text


def _as_long(text: str, replaced: str) -> str:
    """So that what follows keeps its line and column, which errors name."""
    lines = replaced.count("\n")
    if lines:
        return text + "\n" * lines + " " * (len(replaced) - replaced.rfind("\n") - 1)
    return text.ljust(len(replaced))
