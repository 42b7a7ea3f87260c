"""Statements that are no queries. Short ones by their words, those with expressions by sqlglot's tree."""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from sqe import errors
from sqe.sql.dialect import Relations, ResultColumn, Translation
from sqe.sql.dialect.trino import shows, tables
from sqe.sql.dialect.trino.compiler import Compiler
from sqe.sql.dialect.trino.lexer import reader, text_of
from sqe.sql.dialect.trino.queries import Queries, Query
from sqe.sql.dialect.trino.relations import Relations as FromClause
from sqe.sql.dialect.trino.relations import allow
from sqe.sql.dialect.trino.scope import Field, Scope
from sqe.sql.dialect.trino.tables import refuse
from sqe.sql.dialect.trino.values import mismatch, refused, wrong
from sqe.sql.reading import Reader, quoted
from sqe.sql.tokens import Token, quote_name, quote_text

Translate = Callable[[str], Translation]  # a query's text


def by_words(sql: str, relations: Relations | None, query: Translate) -> Translation | None:
    """The statement if it is one that needs no tree; None for the others."""
    words = reader(sql)
    first = words.next
    if first is None or first.kind != "word":
        return None
    handler = _BY_FIRST_WORD.get(first.text.upper())
    return handler(words, relations, query) if handler else None


def _explain(words: Reader, relations: Relations | None, query: Translate) -> Translation:
    words.expect("EXPLAIN")
    if words.see("("):
        raise refuse(words, "EXPLAIN with options")
    return Translation(f"EXPLAIN {query(words.rest()).sql}", (ResultColumn("Query Plan", "varchar"),))


def _show(words: Reader, relations: Relations | None, query: Translate) -> Translation:
    words.expect("SHOW")
    return shows.show(words, relations)


def _describe(words: Reader, relations: Relations | None, query: Translate) -> Translation:
    words.at += 1
    return shows.describe(words, relations)


def _create(words: Reader, relations: Relations | None, query: Translate) -> Translation | None:
    words.expect("CREATE")
    replace = words.take("OR", "REPLACE")
    if words.take("SCHEMA") and not replace:
        return Translation(tables.create_schema(words))
    if words.take("TABLE"):
        return _create_table(words, "CREATE OR REPLACE TABLE" if replace else "CREATE TABLE", query)
    if words.take("VIEW"):
        return _create_view(words, "CREATE OR REPLACE VIEW" if replace else "CREATE VIEW", query)
    if words.see("BRANCH") or words.see("TAG"):
        return Translation(respelled(words.sql))
    raise refuse(words, "This CREATE")


def _create_table(words: Reader, head: str, query: Translate) -> Translation:
    if words.take("IF", "NOT", "EXISTS"):
        head += " IF NOT EXISTS"
    name = quoted(tables.name_of(words))
    columns: list[str] = []
    named: list[str] = []
    if words.take("("):
        while not words.take(")"):
            if columns or named:
                words.expect(",")
            if words.see("LIKE"):
                raise refuse(words, "LIKE in CREATE TABLE")
            ahead = words.left
            if len(ahead) > 1 and ahead[1].says(",", ")"):
                named.append(words.identifier().lower())
            else:
                columns.append(tables.column(words))
    options = tables.table_options(words)
    if not words.take("AS"):
        words.end()
        if not columns:
            raise words.wrong()
        return Translation(f"{head} {name} ({', '.join(columns)}){options}")
    text, empty = _without_data(words)
    found = query(text)
    names = [each.name for each in found.columns or ()]
    wanted = named or [each.lower() for each in names]
    if len(wanted) != len(names):
        raise mismatch(None, f"The table has {len(wanted)} columns and the query {len(names)}")
    cells = ", ".join(quote_name(each) for each in wanted)
    where = " WHERE false" if empty else ""
    return Translation(f"{head} {name}{options} AS SELECT * FROM ({found.sql}) AS q({cells}){where}")


def _without_data(words: Reader) -> tuple[str, bool]:
    """The query of CREATE TABLE AS, and whether WITH NO DATA follows it."""
    left = [token for token in words.left if not token.says(";")]
    texts = [token.text.upper() for token in left]
    start = left[0].start if left else 0
    if texts[-3:] == ["WITH", "NO", "DATA"]:
        return words.sql[start : left[-3].start], True
    if texts[-2:] == ["WITH", "DATA"]:
        return words.sql[start : left[-2].start], False
    return words.rest().rstrip("; \n"), False


def _create_view(words: Reader, head: str, query: Translate) -> Translation:
    name = quoted(tables.name_of(words))
    comment = f" COMMENT {quote_text(text_of(words.one('string')))}" if words.take("COMMENT") else ""
    definer = words.take("SECURITY") and not words.take("INVOKER")
    if definer:
        words.expect("DEFINER")
    words.expect("AS")
    found = query(words.rest().rstrip("; \n"))
    made = f"{head} {name}{comment} AS {found.sql}"
    if not definer:
        return Translation(made)
    # Without a policy there are no rights of ours that a definer could lend: the view reads what its reader may, never more.
    return Translation(f"{head} {name}{comment} SECURITY DEFINER AS {found.sql}", without_policy=made)


def _drop(words: Reader, relations: Relations | None, query: Translate) -> Translation:
    words.expect("DROP")
    if words.see("BRANCH") or words.see("TAG"):
        return Translation(respelled(words.sql))
    kind = next((each for each in ("TABLE", "VIEW", "SCHEMA") if words.take(each)), None)
    if kind is None:
        raise refuse(words, "This DROP")
    condition = "IF EXISTS " if words.take("IF", "EXISTS") else ""
    name = quoted(tables.name_of(words))
    rest = " CASCADE" if words.take("CASCADE") else " RESTRICT" if words.take("RESTRICT") else ""
    words.end()
    return Translation(f"DROP {kind} {condition}{name}{rest}")


def _alter(words: Reader, relations: Relations | None, query: Translate) -> Translation:
    words.expect("ALTER")
    if words.take("VIEW"):
        return Translation(tables.alter_view(words))
    if not words.take("TABLE"):
        raise refuse(words, "This ALTER")
    if any(token.says("EXECUTE") for token in words.left[:8]):
        return Translation(respelled(words.sql))
    return Translation(tables.alter_table(words))


def _as_it_is(words: Reader, relations: Relations | None, query: Translate) -> Translation:
    """Statements that SQE has in the same words for every dialect."""
    return Translation(respelled(words.sql))


def respelled(sql: str) -> str:
    """The text with its strings and quoted names in Spark's spelling."""
    made, done = [], 0
    for token in reader(sql).left:
        made += [sql[done : token.start], _spelled(token)]
        done = token.end
    return "".join(made)


def _spelled(token: Token) -> str:
    if token.kind == "string":
        return quote_text(text_of(token))
    return quote_name(token.name) if token.kind == "quoted" else token.text


Handler = Callable[[Reader, "Relations | None", Translate], "Translation | None"]

_BY_FIRST_WORD: dict[str, Handler] = {
    "EXPLAIN": _explain,
    "SHOW": _show,
    "DESCRIBE": _describe,
    "DESC": _describe,
    "CREATE": _create,
    "DROP": _drop,
    "ALTER": _alter,
    "USE": _as_it_is,
    "CALL": _as_it_is,
    "COMMENT": _as_it_is,
    "GRANT": _as_it_is,
    "REVOKE": _as_it_is,
    "DENY": _as_it_is,
}


# INSERT, DELETE, UPDATE, MERGE, TRUNCATE.


def by_tree(node: exp.Expr, queries: Queries) -> Translation:
    if isinstance(node, exp.Insert):
        return _insert(node, queries)
    if isinstance(node, exp.Delete):
        return _delete(node, queries)
    if isinstance(node, exp.Update):
        return _update(node, queries)
    if isinstance(node, exp.Merge):
        return _merge(node, queries)
    if isinstance(node, exp.TruncateTable):
        (table,) = node.expressions
        return Translation(f"TRUNCATE TABLE {_name(table)}")
    if isinstance(node, exp.Alias | exp.Condition):  # `slect 1` is an expression with an alias to sqlglot
        raise wrong(node, errors.SYNTAX_ERROR, "No statement begins like this")
    raise refused(node, "This statement")


def _name(node: exp.Expr) -> str:
    if not isinstance(node, exp.Table):
        raise refused(node, "This target")
    allow(node, "this", "db", "catalog", "alias")
    return quoted([part.name for part in node.parts])


def _insert(node: exp.Insert, queries: Queries) -> Translation:
    allow(node, "this", "expression", "with_")
    target, columns = node.this, ""
    if isinstance(target, exp.Schema):
        columns = f" ({', '.join(quote_name(each.name) for each in target.expressions)})"
        target = target.this
    query = node.expression
    if query is None:
        raise wrong(node, errors.SYNTAX_ERROR, "INSERT needs a query")
    found = queries.query(query, Scope())
    wanted = len(node.this.expressions) if columns else None
    if wanted is not None and wanted != len(found.fields):
        raise mismatch(node, f"Insert query has {len(found.fields)} columns but {wanted} are named")
    return Translation(f"INSERT INTO {_name(target)}{columns} {found.sql}")


def _target(node: exp.Table, queries: Queries) -> tuple[str, Compiler, list[Field]]:
    found = FromClause(queries, Scope()).read(node, [])
    return found.sql, queries.compiler(Scope(found.fields)), found.fields


def _delete(node: exp.Delete, queries: Queries) -> Translation:
    allow(node, "this", "where")
    sql, c, _ = _target(node.this, queries)
    where = node.args.get("where")
    return Translation(f"DELETE FROM {sql}" + (f" WHERE {c.filter(where.this)}" if where is not None else ""))


def _update(node: exp.Update, queries: Queries) -> Translation:
    allow(node, "this", "expressions", "where")
    sql, c, fields = _target(node.this, queries)
    where = node.args.get("where")
    tail = f" WHERE {c.filter(where.this)}" if where is not None else ""
    return Translation(f"UPDATE {sql} SET {', '.join(_assigned(c, each, fields) for each in node.expressions)}{tail}")


def _assigned(c: Compiler, node: exp.Expr, fields: list[Field]) -> str:
    if not isinstance(node, exp.EQ) or not isinstance(node.this, exp.Column):
        raise refused(node, "This assignment")
    name = node.this.name
    kind = next((each.type for each in fields if (each.name or "").lower() == name.lower()), None)
    if kind is None:
        raise wrong(node, errors.COLUMN_NOT_FOUND, f"The column '{name}' cannot be resolved")
    value = c.value(node.expression)
    from sqe.sql.dialect.trino import moments
    from sqe.sql.dialect.trino.types import coerces

    if value.type.is_instant and kind.base == "timestamp":
        return f"{quote_name(name)} = {moments.cast(c, node, value, kind).sql}"
    if not (coerces(value.type, kind) or (value.type.is_number and kind.is_number)):
        raise mismatch(node, f"UPDATE table column types don't match SET expressions: {kind} and {value.type}")
    return f"{quote_name(name)} = {c.cast(value, kind).sql}"


def _merge(node: exp.Merge, queries: Queries) -> Translation:
    allow(node, "this", "using", "on", "whens")
    clause = FromClause(queries, Scope())
    target_sql, target = clause._relation(node.this, lateral=False)
    source_sql, source = clause._relation(node.args["using"], lateral=False)
    if not isinstance(node.args["using"], exp.Table) and source:  # Spark has no names for columns there
        source_sql = f"(SELECT * FROM {source_sql}) AS {source[0].sql.rpartition('.')[0]}"
    c = queries.compiler(Scope([*target, *source]))
    whens = " ".join(_when(c, each, target) for each in node.args["whens"].expressions)
    return Translation(f"MERGE INTO {target_sql} USING {source_sql} ON {c.condition(node.args['on'])} {whens}")


def _when(c: Compiler, node: exp.When, target: list[Field]) -> str:
    allow(node, "matched", "condition", "then", "source")
    condition = node.args.get("condition")
    test = f" AND {c.condition(condition)}" if condition is not None else ""
    head = f"WHEN {'MATCHED' if node.args.get('matched') else 'NOT MATCHED'}{test} THEN"
    then = node.args["then"]
    if isinstance(then, exp.Update):
        return f"{head} UPDATE SET {', '.join(_assigned(c, each, target) for each in then.expressions)}"
    if isinstance(then, exp.Insert):
        names = [each.name for each in then.this.expressions] if then.this is not None else []
        columns = (
            f" ({', '.join(map(quote_name, names))})"
            if names
            else " (" + ", ".join(quote_name(f.name or "") for f in target) + ")"
        )
        values = then.expression.expressions if isinstance(then.expression, exp.Tuple) else []
        return f"{head} INSERT{columns} VALUES ({', '.join(c.value(each).sql for each in values)})"
    if str(getattr(then, "name", then)).upper() == "DELETE":
        return f"{head} DELETE"
    raise refused(node, "This action of MERGE")


__all__ = ["Query", "by_tree", "by_words", "respelled"]
