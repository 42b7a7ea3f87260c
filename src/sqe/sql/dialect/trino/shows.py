"""SHOW, DESCRIBE and EXPLAIN with the columns that Trino gives."""

from __future__ import annotations

from sqe import errors
from sqe.errors import SqeError
from sqe.sql.dialect import Relations, ResultColumn, Translation
from sqe.sql.dialect.trino import types as T
from sqe.sql.dialect.trino.lexer import text_of
from sqe.sql.dialect.trino.tables import name_of, refuse
from sqe.sql.dialect.trino.values import literal
from sqe.sql.reading import Reader, quoted
from sqe.sql.tokens import quote_name


def _texts(*names: str) -> tuple[ResultColumn, ...]:
    return tuple(ResultColumn(name, "varchar") for name in names)


def show(words: Reader, relations: Relations | None) -> Translation:
    """After the word SHOW."""
    if words.take("CATALOGS"):
        return _catalogs(words)
    if words.take("SCHEMAS") or words.take("DATABASES"):
        home = name_of(words) if words.take("FROM") or words.take("IN") else []
        return _listed(words, home, "schemata", "schema_name", "Schema", "")
    if words.take("TABLES"):
        *home, schema = name_of(words) if words.take("FROM") or words.take("IN") else [""]
        return _listed(
            words, home, "tables", "table_name", "Table", f"table_schema = {literal(schema) if schema else 'current_schema()'}"
        )
    if words.take("COLUMNS"):
        if not words.take("FROM"):
            words.expect("IN")
        return describe(words, relations)
    if words.take("FUNCTIONS"):
        return _functions(words)
    if words.take("CREATE"):
        return _create(words)
    if words.take("STATS"):
        words.expect("FOR")
        name = name_of(words)
        words.end()
        return Translation(f"SHOW STATS FOR {quoted(name)}")
    if words.take("ROLES") or words.take("ROLE", "GRANTS") or words.take("CURRENT", "ROLES"):
        raise refuse(words, "SHOW ROLES of a catalog", "the server alone has roles")
    raise refuse(words, "This SHOW")


def _pattern(words: Reader, column: str) -> str:
    if not words.take("LIKE"):
        return ""
    text = text_of(words.one("string"))
    escape = text_of(words.one("string")) if words.take("ESCAPE") else None
    if escape is None:
        return f"{column} LIKE {literal(text.replace(chr(92), chr(92) * 2))}"
    return f"{column} LIKE {literal(text)} ESCAPE {literal(escape)}"


def _listed(words: Reader, home: list[str], table: str, column: str, shown: str, condition: str) -> Translation:
    like = _pattern(words, column)
    words.end()
    source = ".".join([*(quote_name(part) for part in home), "information_schema", table])
    tests = [test for test in (condition, like) if test]
    where = f" WHERE {' AND '.join(tests)}" if tests else ""
    return Translation(f"SELECT {column} AS {quote_name(shown)} FROM {source}{where} ORDER BY 1", _texts(shown))


def _catalogs(words: Reader) -> Translation:
    pattern = ""
    if words.take("LIKE"):
        text = text_of(words.one("string"))
        pattern = f" LIKE {literal(text.replace('%', '*').replace('_', '?'))}"
    words.end()
    return Translation(f"SHOW CATALOGS{pattern}", _texts("Catalog"))


def describe(words: Reader, relations: Relations | None) -> Translation:
    name = name_of(words)
    like = _pattern(words, "`Column`")
    words.end()
    if relations is None:
        raise SqeError(errors.NOT_SUPPORTED, "DESCRIBE needs a catalog")
    rows = [(each.name, _shown_type(each.type), _comment(each.metadata)) for each in relations(quoted(name))]
    columns = ("Column", "Type", "Extra", "Comment")
    values = ", ".join(f"({literal(column)}, {literal(kind)}, '', {literal(comment)})" for column, kind, comment in rows)
    where = f" WHERE {like}" if like else ""
    names = ", ".join(map(quote_name, columns))
    return Translation(f"SELECT * FROM VALUES {values} AS v({names}){where}", _texts(*columns))


def _shown_type(kind: object) -> str:
    return str(T.of_arrow(kind))


def _comment(metadata: dict[bytes, bytes] | None) -> str:
    return (metadata or {}).get(b"comment", b"").decode("utf-8", "replace")


def _functions(words: Reader) -> Translation:
    from sqe.sql.dialect.trino.calls import FUNCTIONS, SPECIAL
    from sqe.sql.dialect.trino.signatures import Pattern, signatures

    def text(pattern: Pattern) -> str:
        inner = f"({','.join(text(each) for each in pattern.arguments)})" if pattern.arguments else ""
        return pattern.base.replace(" ", f"{inner} ", 1) if " " in pattern.base and inner else pattern.base + inner

    in_schema = words.take("FROM") or words.take("IN")
    if in_schema:
        name_of(words)
    like = _pattern(words, "`Function`")
    words.end()
    rows = [
        f"({', '.join(map(literal, (name, text(each.result), ', '.join(map(text, each.arguments)), each.kind)))}, true, '')"
        for name, found in sorted(signatures().items())
        for each in found
        if name in FUNCTIONS or name in SPECIAL
    ]
    columns = ("Function", "Return Type", "Argument Types", "Function Type", "Deterministic", "Description")
    shown = (*_texts(*columns[:4]), ResultColumn(columns[4], "boolean"), ResultColumn(columns[5], "varchar"))
    tests = [test for test in (like, "false" if in_schema else "") if test]  # no schema has functions of its own
    where = f" WHERE {' AND '.join(tests)}" if tests else ""
    return Translation(f"SELECT * FROM VALUES {', '.join(rows)} AS v({', '.join(map(quote_name, columns))}){where}", shown)


def _create(words: Reader) -> Translation:
    for kind, shown in (("TABLE", "Create Table"), ("VIEW", "Create View")):
        if words.take(kind):
            name = name_of(words)
            words.end()
            return Translation(f"SHOW CREATE {kind} {quoted(name)}", _texts(shown))
    raise refuse(words, "This SHOW CREATE")
