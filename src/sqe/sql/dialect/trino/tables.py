"""CREATE, ALTER and DROP in Trino's words, for Iceberg in Spark's."""

from __future__ import annotations

import re

from sqe import errors
from sqe.errors import SqeError
from sqe.sql.dialect.trino import types as T
from sqe.sql.dialect.trino.lexer import text_of
from sqe.sql.reading import Reader, quoted
from sqe.sql.tokens import quote_name, quote_text

_TRANSFORMS = {"year": "years", "month": "months", "day": "days", "hour": "hours"}
_IF_NOT_EXISTS = ("IF", "NOT", "EXISTS")


def refuse(words: Reader, what: str, hint: str | None = None) -> SqeError:
    token = words.next
    before = words.sql[: token.start if token else len(words.sql)]
    return SqeError(
        errors.NOT_SUPPORTED,
        f"{what} is not available in the Trino dialect",
        hint=hint,
        line=before.count("\n") + 1,
        column=len(before) - (before.rfind("\n") + 1) + 1,
    )


def name_of(words: Reader) -> list[str]:
    return [part.lower() for part in words.name()]


def type_of(words: Reader) -> T.Type:
    """The tokens of a type: words with brackets, up to what cannot belong to it."""
    start = words.next
    if start is None or not start.is_name:
        raise words.wrong()
    end, depth = start.end, 0
    while (token := words.next) is not None:
        if (
            depth == 0
            and token is not start
            and not (token.says("(", "WITH", "WITHOUT", "TIME", "ZONE", "TO", "MONTH", "SECOND", "PRECISION", "YEAR", "DAY"))
        ):
            break
        if depth == 0 and token.says("WITH", "WITHOUT") and not words.see(token.text.upper(), "TIME", "ZONE"):
            break
        depth += token.says("(") - token.says(")")
        if depth < 0:
            break
        words.at += 1
        end = token.end
        if depth == 0 and token.says(")") and not words.see("WITH", "TIME", "ZONE"):
            break
    return T.read_type(words.sql[start.start : end])


def column(words: Reader) -> str:
    name = words.identifier().lower()
    made = f"{quote_name(name)} {type_of(words).spark}"
    while True:
        if words.take("NOT", "NULL"):
            made += " NOT NULL"
        elif words.take("COMMENT"):
            made += f" COMMENT {quote_text(text_of(words.one('string')))}"
        elif words.see("WITH") or words.see("DEFAULT"):
            raise refuse(words, "A property or default of a column")
        else:
            return made


def create_schema(words: Reader) -> str:
    condition = "IF NOT EXISTS " if words.take(*_IF_NOT_EXISTS) else ""
    name = name_of(words)
    place = ""
    if words.take("WITH"):
        found = properties(words)
        if set(found) - {"location"}:
            raise refuse(words, "A property of a schema besides location")
        place = f" LOCATION {found['location']}" if found else ""
    words.end()
    return f"CREATE SCHEMA {condition}{quoted(name)}{place}"


def properties(words: Reader) -> dict[str, str]:
    """`(name = value, …)`: each value in Spark's words, arrays as Python sees them with blanks between."""
    found: dict[str, str] = {}
    words.expect("(")
    while not words.take(")"):
        if found:
            words.expect(",")
        name = words.identifier().lower()
        words.expect("=")
        found[name] = _property(words)
    return found


def _property(words: Reader) -> str:
    if words.take("ARRAY"):
        words.expect("[")
        items: list[str] = []
        while not words.take("]"):
            if items:
                words.expect(",")
            items.append(text_of(words.one("string")))
        return "\n".join(items)
    token = words.next
    if token is None or token.kind not in ("string", "number", "word"):
        raise words.wrong()
    words.at += 1
    return quote_text(text_of(token)) if token.kind == "string" else token.text


def table_options(words: Reader) -> str:
    """COMMENT and WITH of CREATE TABLE."""
    comment = f" COMMENT {quote_text(text_of(words.one('string')))}" if words.take("COMMENT") else ""
    if not words.take("WITH"):
        return f" USING iceberg{comment}"
    made, kept = "", []
    for name, value in properties(words).items():
        if name == "partitioning":
            made += f" PARTITIONED BY ({', '.join(partition(words, each) for each in value.split(chr(10)))})" if value else ""
        elif name == "location":
            made += f" LOCATION {value}"
        elif name == "format":
            kept.append(f"'write.format.default' = {value.lower()}")
        elif name == "format_version":
            kept.append(f"'format-version' = '{value}'")
        elif name in ("compression_codec",):
            kept.append(f"'write.parquet.compression-codec' = {value.lower()}")
        else:
            raise refuse(
                words,
                f"The table property {name}",
                "partitioning, format, format_version, compression_codec and location are there",
            )
    options = f" TBLPROPERTIES ({', '.join(kept)})" if kept else ""
    return f" USING iceberg{made}{comment}{options}"


def partition(words: Reader, text: str) -> str:
    """`month(d)`, `bucket(c, 4)`, `truncate(c, 3)` or a column."""
    match = re.fullmatch(r'\s*(\w+)\s*\(\s*("?[^",]+"?)\s*(?:,\s*(\d+)\s*)?\)\s*', text)
    if match is None:
        return quote_name(text.strip().strip('"').lower())
    function, name, number = match[1].lower(), quote_name(match[2].strip('"').lower()), match[3]
    if function in _TRANSFORMS and number is None:
        return f"{_TRANSFORMS[function]}({name})"
    if function in ("bucket", "truncate") and number is not None:
        return f"{function}({number}, {name})"
    if function == "void":
        raise refuse(words, "The transform void")
    raise refuse(words, f"The partitioning {text[:60]}")


def alter_table(words: Reader) -> str:
    """What follows ALTER TABLE, but for EXECUTE, which SQE has for every dialect."""
    exists = words.take("IF", "EXISTS")
    name = name_of(words)
    head = f"ALTER TABLE {quoted(name)}"
    if exists:
        raise refuse(words, "ALTER TABLE IF EXISTS")
    if words.take("RENAME", "TO"):
        made = f"{head} RENAME TO {_renamed(words, name)}"
    elif words.take("ADD", "COLUMN"):
        if words.take(*_IF_NOT_EXISTS):
            raise refuse(words, "ADD COLUMN IF NOT EXISTS")
        added = column(words)
        if words.take("FIRST"):
            added += " FIRST"
        elif words.take("AFTER"):
            added += f" AFTER {quote_name(words.identifier().lower())}"
        else:
            words.take("LAST")
        made = f"{head} ADD COLUMN {added}"
    elif words.take("DROP", "COLUMN"):
        condition = "IF EXISTS " if words.take("IF", "EXISTS") else ""
        made = f"{head} DROP COLUMN {condition}{quoted(name_of(words))}"
    elif words.take("RENAME", "COLUMN"):
        if words.take("IF", "EXISTS"):
            raise refuse(words, "RENAME COLUMN IF EXISTS")
        old = name_of(words)
        words.expect("TO")
        made = f"{head} RENAME COLUMN {quoted(old)} TO {quote_name(words.identifier().lower())}"
    elif words.take("ALTER", "COLUMN"):
        made = f"{head} ALTER COLUMN {quoted(name_of(words))} {_altered(words)}"
    elif words.take("SET", "PROPERTIES"):
        made = f"{head} SET TBLPROPERTIES ({', '.join(_set_properties(words))})"
    else:
        raise refuse(words, "This ALTER TABLE")
    words.end()
    return made


def alter_view(words: Reader) -> str:
    """What follows ALTER VIEW."""
    name = name_of(words)
    if not words.take("RENAME", "TO"):
        raise refuse(words, "This ALTER VIEW")
    made = f"ALTER VIEW {quoted(name)} RENAME TO {_renamed(words, name)}"
    words.end()
    return made


def _renamed(words: Reader, name: list[str]) -> str:
    """The new name, without a catalog: Spark looks for it in the old one's. What it does not say is as it was."""
    target = name_of(words)
    catalog, _, _ = ([None, None, None, *name])[-3:]
    if len(target) == 3:
        if catalog is None:
            raise refuse(words, "RENAME TO another catalog", "name the catalog of the table, too")
        if target[0] != catalog:
            raise refuse(words, "RENAME TO another catalog")
        target = target[1:]
    return quoted([*name[-2:-1], *target] if len(target) == 1 else target)


def _altered(words: Reader) -> str:
    if words.take("SET", "DATA", "TYPE"):
        return f"TYPE {type_of(words).spark}"
    if words.take("DROP", "NOT", "NULL"):
        return "DROP NOT NULL"
    raise refuse(words, "This ALTER COLUMN")


def _set_properties(words: Reader) -> list[str]:
    known = {"format": "write.format.default", "format_version": "format-version"}
    made: list[str] = []
    while words.next is not None and not words.see(";"):
        if made:
            words.expect(",")
        name = words.identifier().lower()
        words.expect("=")
        value = _property(words)
        if name not in known:
            raise refuse(words, f"The table property {name}")
        made.append(f"'{known[name]}' = {value.lower() if value.startswith(chr(39)) else quote_text(value)}")
    return made
