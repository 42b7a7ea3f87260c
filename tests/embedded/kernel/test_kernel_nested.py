"""Structs, arrays, maps and JSON in the native kernel: Spark's own answers, or left to it (docs/native.md)."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from sides import Sides

from sqe.errors import SqeError

Explain = Callable[[str], str]

# NULL, nothing, NULLs inside, one and many, in each column.
NESTED = [
    """CREATE TABLE nested (k INT, s STRUCT<a: INT, b: STRUCT<c: STRING, D_d: DECIMAL(10,2)>>, l ARRAY<INT>, t ARRAY<STRING>,
    m MAP<STRING, INT>, r ARRAY<STRUCT<x: INT, y: STRING>>, q MAP<INT, STRUCT<v: DOUBLE, w: ARRAY<STRING>>>,
    n ARRAY<ARRAY<BIGINT>>, x ARRAY<DOUBLE>, e MAP<DOUBLE, INT>, at ARRAY<TIMESTAMP>, i INT, j STRING)""",
    """INSERT INTO nested VALUES
    (1, named_struct('a', 1, 'b', named_struct('c', 'ä', 'D_d', 1.50)), array(3, 1, NULL, 3), array('b', NULL, 'a', 'ß🙂', ''),
        map('x', 1, 'y', NULL), array(named_struct('x', 1, 'y', 'p'), NULL, named_struct('x', NULL, 'y', NULL)),
        map(1, named_struct('v', 1.5D, 'w', array('z'))), array(array(1L, NULL), NULL, array()),
        array(0.0D, -0.0D, CAST('NaN' AS DOUBLE), NULL), map(0.0D, 1), array(TIMESTAMP '2024-02-29 12:00:00.5', NULL), 2,
        '{"a": "x", "b": {"c": 12, "d": "é\\\\n"}, "z": [1, 2]}'),
    (2, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1, NULL),
    (3, named_struct('a', NULL, 'b', NULL), array(), array(), map(), array(), map(), array(), array(), map(), array(), NULL, ''),
    (4, named_struct('a', NULL, 'b', named_struct('c', NULL, 'D_d', NULL)), array(NULL), array(NULL, NULL), map('', 0),
        array(NULL), map(2, NULL, 1, named_struct('v', NULL, 'w', NULL)), array(NULL), array(NULL), map(-1.5D, 2), array(NULL), 1,
        '{"a": null, "b": {"c": true}, "big": 12345678901234567890}'),
    (5, named_struct('a', -2147483648, 'b', named_struct('c', '', 'D_d', -99999999.99)), array(2147483647, -2147483648, 0),
        array('x', 'y', 'x'), map('a', 2147483647, 'X', 5), array(named_struct('x', 7, 'y', '')), NULL, array(array(9L, 8L)),
        array(1.5D, CAST('-Infinity' AS DOUBLE)), NULL, array(TIMESTAMP '0001-01-01 00:00:00'), 3, '{"b": {"c": -7, "x": 8}}')""",
    "INSERT INTO nested SELECT k + 10, s, l, t, m, r, q, n, x, e, at, i, j FROM nested WHERE k > 2",
]

NATIVE = [
    # As they are, through every operator.
    "SELECT * FROM nested ORDER BY k",
    "SELECT k, s, l, m, r, q, n, x, at FROM nested ORDER BY k DESC LIMIT 3",
    "SELECT a.k, b.s, b.r, b.q FROM nested a LEFT JOIN nested b ON a.k + 1 = b.k ORDER BY a.k",
    "SELECT a.s, b.m FROM nested a JOIN nested b ON a.s.a = b.i ORDER BY a.k, b.k",
    "SELECT s, l FROM nested UNION ALL SELECT s, n[0] FROM (SELECT s, array(l) AS n FROM nested)",
    "SELECT count(s), count(l), count(m), count(DISTINCT s.a) FROM nested",
    "SELECT k, s IS NULL, s.b IS NULL, l IS NULL, m IS NOT NULL FROM nested ORDER BY k",
    "SELECT k, CASE WHEN k > 2 THEN s END AS s, coalesce(l, array(7)) AS l, if(k = 1, m, NULL) AS m FROM nested ORDER BY k",
    "SELECT k, lag(l) OVER (ORDER BY k) AS before, lead(s) OVER (ORDER BY k) AS after FROM nested ORDER BY k",
    # Fields, elements, values.
    "SELECT k, s.a, s.b.c, s.b.D_d, s.b, r.y, r.x, q[1].v, q[1].w[0] FROM nested WHERE k <> 4 AND k <> 14 ORDER BY k",
    "SELECT s.b.c, sum(s.a), count(s.b.D_d), max(s.b.D_d) FROM nested WHERE s.a IS NULL OR s.a > 0 GROUP BY s.b.c",
    "SELECT k, try_element_at(l, 1), try_element_at(l, -1), try_element_at(l, 9), try_element_at(l, i) FROM nested ORDER BY k",
    "SELECT k, get(l, 0), get(l, -1), get(l, i), get(t, 99) FROM nested ORDER BY k",
    "SELECT k, l[0], l[2], element_at(l, -3), element_at(l, i) FROM nested WHERE k IN (1, 2, 5) ORDER BY k",
    "SELECT k, m['x'], m['X'], m[''], m['none'], element_at(m, 'y'), m[s.b.c], q[i] FROM nested ORDER BY k",
    "SELECT k, map_keys(m), map_values(m), map_keys(q), map_values(q), map_entries(m) FROM nested ORDER BY k",
    "SELECT k, size(l), cardinality(t), size(m), size(q), array_size(n), size(e) FROM nested ORDER BY k",
    "SELECT k, map_contains_key(m, 'x'), map_contains_key(m, s.b.c) FROM nested ORDER BY k",
    # Searching and ordering.
    "SELECT k, array_contains(l, 3), array_contains(l, 9), array_contains(l, i), array_contains(t, 'a'), array_contains(t, '') "
    "FROM nested ORDER BY k",
    "SELECT k, array_contains(x, 0.0D), array_contains(x, CAST('NaN' AS DOUBLE)), array_contains(array(1, 2), i) FROM nested "
    "ORDER BY k",
    "SELECT k, array_position(l, 3), array_position(t, 'x'), array_position(l, i), array_position(x, -0.0D) "
    "FROM nested ORDER BY k",
    "SELECT k, arrays_overlap(l, array(1, 2)), arrays_overlap(l, array(NULL)), arrays_overlap(t, array('x', NULL)), "
    "arrays_overlap(l, array()) FROM nested ORDER BY k",
    "SELECT k, array_min(l), array_max(l), array_min(t), array_max(t), array_max(at) FROM nested ORDER BY k",
    "SELECT k, sort_array(l), sort_array(l, false), sort_array(t), sort_array(t, false), sort_array(at) FROM nested ORDER BY k",
    "SELECT k, array_distinct(l), array_distinct(t) FROM nested ORDER BY k",
    "SELECT k, array_join(t, '-'), array_join(t, ', ', 'ß'), array_join(t, '') FROM nested ORDER BY k",
    "SELECT k, concat(l, array(1, NULL)), concat(t, t, array('z')), l || l FROM nested ORDER BY k",
    "SELECT k, slice(l, 2, 2), slice(l, 9, 1), slice(t, 1, 0), reverse(l), reverse(r) FROM nested ORDER BY k",
    # Made here.
    "SELECT k, array(i, k), array(s, NULL), struct(k, s.a AS z), named_struct('o o', l, 'p', i) FROM nested ORDER BY k",
    "SELECT k, s, s.`it's` FROM (SELECT k, if(k > 2, named_struct('a\"; --', i, 'it''s', k), NULL) AS s FROM nested) ORDER BY k",
    "SELECT k, map('a', i, 'b', k), map(k, s), struct(k, l).l FROM nested ORDER BY k",
    "SELECT k, transform(l, v -> v IS NULL), filter(l, v -> v > 0), filter(t, v -> v IS NOT NULL), exists(l, v -> v > 2) "
    "FROM nested ORDER BY k",
    "SELECT k, filter(r, v -> v.x > 0), transform(r, v -> v.y), exists(t, v -> v LIKE 'x%') FROM nested ORDER BY k",
    "SELECT i, sort_array(collect_list(s.b.c)), sort_array(collect_set(k), false), size(collect_set(s.b.c)), "
    "sort_array(collect_list(k) FILTER (WHERE k > 3)) FROM nested GROUP BY i",
    # One row an element.
    "SELECT k, v FROM nested LATERAL VIEW explode(l) AS v ORDER BY k, v",
    "SELECT k, v FROM nested LATERAL VIEW OUTER explode(l) AS v ORDER BY k, v",
    "SELECT k, p, v FROM nested LATERAL VIEW posexplode(t) AS p, v ORDER BY k, p",
    "SELECT k, p, v FROM nested LATERAL VIEW OUTER posexplode(t) AS p, v ORDER BY k, p",
    "SELECT k, a, b FROM nested LATERAL VIEW explode(m) AS a, b ORDER BY k, a",
    "SELECT k, a, b.w FROM nested LATERAL VIEW OUTER explode(q) AS a, b ORDER BY k, a",
    "SELECT k, p, a, b FROM nested LATERAL VIEW OUTER posexplode(m) AS p, a, b ORDER BY k, p",
    "SELECT k, x1, y1 FROM nested LATERAL VIEW inline(r) AS x1, y1 ORDER BY k, x1, y1",
    "SELECT k, x1, y1 FROM nested LATERAL VIEW OUTER inline(r) AS x1, y1 ORDER BY k, x1, y1",
    "SELECT v, count(*), sum(k) FROM nested LATERAL VIEW explode(t) AS v GROUP BY v",
    "SELECT k, v.y, count(*) FROM nested LATERAL VIEW explode(r) AS v WHERE v.x > 0 GROUP BY k, v.y",
    "SELECT sum(w) FROM nested LATERAL VIEW explode(n) AS v LATERAL VIEW explode(v) AS w",
    "SELECT k, v FROM nested, LATERAL explode(l) AS g(v) WHERE v > k ORDER BY k, v",
    # JSON.
    "SELECT k, get_json_object(j, '$.a'), get_json_object(j, '$.b.c'), get_json_object(j, '$.none'), "
    "get_json_object(j, '$.big'), get_json_object(j, '$.b.d') FROM nested ORDER BY k",
]

REFUSED = {
    "SELECT s, count(*) FROM nested GROUP BY s": "comparing nested values",
    "SELECT count(DISTINCT l) FROM nested": "comparing nested values",
    "SELECT count(*) FROM nested a JOIN nested b ON a.l = b.l": "comparing nested values",
    "SELECT k FROM nested WHERE l IN (array(1), array(2)) ORDER BY k": "comparing nested values",
    "SELECT k FROM nested WHERE s = named_struct('a', 1, 'b', NULL) ORDER BY k": "comparing nested values",
    "SELECT k FROM nested ORDER BY l, k": "comparing nested values",
    "SELECT k, rank() OVER (PARTITION BY l ORDER BY k) FROM nested ORDER BY k": "comparing nested values",
    "SELECT count(*) FROM nested WHERE array_contains(n, array(1L))": "comparing nested values",
    "SELECT l FROM nested EXCEPT SELECT l FROM nested WHERE k > 2": "comparing nested values",
    "SELECT s FROM nested UNION ALL SELECT struct(k AS b, s.b AS a) FROM nested ORDER BY s.a": "nested values of other names",
    "SELECT k, array() FROM nested ORDER BY k": "type void",
    "SELECT k, named_struct('a', i, 'A', k) FROM nested ORDER BY k": "type struct",
    "SELECT CAST(l AS ARRAY<BIGINT>), k FROM nested ORDER BY k": "cast from array to array",
    "SELECT array_min(x), k FROM nested ORDER BY k": "function array_min",
    "SELECT e[0.0D], k FROM nested ORDER BY k": "map of unusual keys",
    "SELECT transform(l, v -> v + 1), k FROM nested ORDER BY k": "function transform",
    "SELECT transform(l, (v, p) -> p), k FROM nested ORDER BY k": "function transform",
    "SELECT i, collect_list(i) FROM nested GROUP BY i": "aggregate collect_list of type integer",
    "SELECT i, size(collect_list(k)) FROM nested GROUP BY i": "list of rows in any order",
    "SELECT k, first(l) FROM nested GROUP BY k": "aggregate first of type array",
    "SELECT max(s) FROM nested": "aggregate max of type struct",
    "SELECT k, get_json_object(j, '$.z[0]') FROM nested ORDER BY k": "JSON path of more than names",
    "SELECT k, get_json_object(j, '$[*]') FROM nested ORDER BY k": "JSON path of more than names",
    "SELECT k, from_json(j, 'a STRING').a FROM nested ORDER BY k": "function from_json",
    "SELECT k, to_json(s) FROM nested ORDER BY k": "function invoke",
    "SELECT k, to_json(try_parse_json(j)) FROM nested ORDER BY k": "function invoke",
    "SELECT k, v FROM nested LATERAL VIEW stack(2, k, i) AS v ORDER BY k, v": "function stack",
}

FAILING = [
    "SELECT k, l[0] FROM nested ORDER BY k",
    "SELECT max(l[3]) FROM nested WHERE k IN (1, 5)",
    "SELECT max(l[-1]) FROM nested WHERE k = 1",
    "SELECT k, element_at(l, 4) FROM nested WHERE k = 1 OR k = 5 ORDER BY k",
    "SELECT k, element_at(l, -4) FROM nested WHERE k = 1 OR k = 5 ORDER BY k",
    "SELECT k, element_at(l, k - 1) FROM nested WHERE k = 1 ORDER BY k",
    "SELECT k, try_element_at(l, k - 1) FROM nested WHERE k = 1 ORDER BY k",
    "SELECT count(*) FROM nested WHERE l[i] > 0",
    "SELECT k, map(i, 1, 1, 2) FROM nested WHERE k = 4 ORDER BY k",
    "SELECT k, map(i, 1) FROM nested ORDER BY k",
    "SELECT max(v) FROM nested LATERAL VIEW explode(array(l[0])) AS v",
]

# Each is answered by Spark in the end: the kernel is not sure that it would say the same.
UNSURE = [
    "SELECT k, get_json_object(j, '$.b') FROM nested ORDER BY k",
    "SELECT k, get_json_object(j, '$.z') FROM nested ORDER BY k",
]

JSONS = [
    '{"a": 1.50}',
    '{"a": 1e3}',
    '{"a": -0}',
    '{"a": 0}',
    '{"a": -12}',
    '{"a": 123456789012345678901234567890}',
    '{"a": NaN}',
    '{"a": 1, "b": NaN}',
    '{"a": 1, "b": -Infinity}',
    '{"a": 1,}',
    '{"a": [1,]}',
    '{"a": null, "a": 2}',
    '{"a": 1, "a": 2}',
    '{"a": {"b": 1}, "a": 3}',
    "{''a'': 1}",
    '{"a": 1} x',
    '{"a": 1',
    "nope",
    "null",
    "1",
    "[1]",
    ' {"a" : "x" } ',
    '{"a.b": 1}',
    '{"A": 1}',
    '{"a": 007}',
    '{"a": ""}',
    '{"a": "\\\\u00e9\\\\u0000"}',
    '{"a": "\\\\ud83d\\\\ude42"}',
    '{"a": "\\\\ud800"}',
    '{"a": "x\ny"}',
    '{"a": true, "b": false}',
    '\ufeff{"a": 1}',
    '{"a": "[1, nan ]"}',
    '/* c */ {"a": 1}',
    '{"a": tRue}',
    '{"a": "\\\\x"}',
    '{"a": +1}',
    '{"a": .5}',
    '{"": 1, "a": 2}',
    '{"a": 18446744073709551616}',
]


@pytest.fixture(scope="module")
def made() -> set[str]:
    return set()


@pytest.fixture
def nested(sides: Sides, made: set[str]) -> Sides:
    if "nested" not in made:
        for statement in NESTED:
            sides.run(statement)
        made.add("nested")
    return sides


@pytest.mark.parametrize("query", NATIVE)
def test_a_native_answer_is_sparks(nested: Sides, query: str) -> None:
    before = nested.fallbacks()
    nested.same_natively(query, ordered="ORDER BY" in query)
    assert nested.fallbacks() == before, "it ran on Spark in the end"


@pytest.mark.parametrize(("query", "reason"), REFUSED.items(), ids=list(REFUSED))
def test_what_might_differ_is_left_to_spark(nested: Sides, explain: Explain, query: str, reason: str) -> None:
    assert nested.difference(query) is None
    assert f": {reason}" in explain(query).split("== Native ==")[1]


@pytest.mark.parametrize("query", FAILING)
def test_an_error_is_sparks_own(nested: Sides, query: str) -> None:
    before = nested.fallbacks()
    said = []
    for mode in ("off", "auto"):
        nested.native(mode)
        with pytest.raises(SqeError) as error:
            nested.run(query)
        said.append((error.value.code, error.value.message))
    assert said[0] == said[1]
    assert nested.fallbacks() == before + 1, "the kernel did not even try"


@pytest.mark.parametrize("query", UNSURE)
def test_what_the_kernel_is_not_sure_of_is_answered_by_spark(nested: Sides, query: str) -> None:
    before = nested.fallbacks()
    assert nested.difference(query) is None
    assert nested.fallbacks() == before + 1


@pytest.mark.long
def test_each_odd_json_gives_sparks_answer(sides: Sides) -> None:
    """One document a query: the kernel gives back what it is not sure of, and nothing else may differ."""
    rows = ", ".join(f"({k}, '{text}')" for k, text in enumerate(JSONS))
    sides.run(f"CREATE TABLE jsons AS SELECT * FROM VALUES {rows} AS t(k, j)")
    before = sides.fallbacks()
    for k in range(len(JSONS)):
        query = f"SELECT k, get_json_object(j, '$.a') AS a, get_json_object(j, '$.a.b') AS b FROM jsons WHERE k = {k} ORDER BY k"
        assert sides.difference(query) is None, JSONS[k]
    assert sides.fallbacks() - before < len(JSONS), "the kernel answered none"


CHANGES = (
    "CREATE TABLE changed (k INT, s STRUCT<a: INT, b: STRING, c: INT>, l ARRAY<STRUCT<x: INT, y: INT, w: INT>>, "
    "m MAP<STRING, INT>, n MAP<INT, STRUCT<f: STRING>>, o STRUCT<v: INT>)",
    "INSERT INTO changed VALUES (1, struct(1, 'x', 5), array(struct(1, 2, 3), NULL), map('a', 1), map(1, struct('f')), NULL)",
    "ALTER TABLE changed RENAME COLUMN s.a TO was_a",
    "ALTER TABLE changed DROP COLUMN s.c",
    "ALTER TABLE changed ADD COLUMN s.c STRING",
    "ALTER TABLE changed ADD COLUMN l.element.z STRING FIRST",
    "ALTER TABLE changed DROP COLUMN l.element.x",
    "ALTER TABLE changed ALTER COLUMN l.element.w TYPE BIGINT",
    "ALTER TABLE changed ALTER COLUMN m.value TYPE BIGINT",
    "ALTER TABLE changed ADD COLUMN n.value.g STRUCT<h: INT> FIRST",
    "ALTER TABLE changed RENAME COLUMN o TO p",
    "INSERT INTO changed VALUES (2, struct(2, 'y', 'new'), array(struct('q', 4, 3000000000)), map('b', 3000000000), "
    "map(2, struct(struct(7), 'g')), struct(7))",
    "ALTER TABLE changed ADD COLUMN p.u STRUCT<t: INT> FIRST",
    "INSERT INTO changed VALUES (3, NULL, NULL, map(), map(3, NULL), struct(struct(8), 9))",
)


def test_what_is_in_a_nested_column_may_have_changed(sides: Sides, explain: Explain) -> None:
    """Fields that were added, dropped, moved or widened are found; where a name means two, the column is Spark's."""
    for statement in CHANGES:
        sides.run(statement)
    for column in ("s", "s.was_a", "s.c"):
        query = f"SELECT k, {column} FROM changed ORDER BY k"
        assert sides.difference(query, ordered=True) is None
        assert "nested column of which something has changed its name" in explain(query), column
    before = sides.fallbacks()
    sides.same_natively("SELECT k, l, m, n, p FROM changed ORDER BY k", ordered=True)
    sides.same_natively(
        "SELECT k, l.y, l.z, l.w, get(l, 0).z, m['a'], n[1].g.h, n[2].f, p.v, p.u.t FROM changed ORDER BY k", ordered=True
    )
    for column in ("get(l, 0).w", "l.y", "p.u", "p.v", "p.u.t", "n[2].g", "map_values(n).f"):
        sides.same_natively(f"SELECT k, {column} AS v FROM changed ORDER BY k", ordered=True)
    for condition in ("p.v = 7", "p.u.t = 8", "get(l, 0).y = 4", "exists(l, e -> e.w > 5)", "p.u IS NULL", "n[2].g.h = 7"):
        assert sides.same_natively(f"SELECT k FROM changed WHERE {condition} ORDER BY k", ordered=True).num_rows > 0, condition
    sides.same_natively("SELECT v.y, v.z, count(*) FROM changed LATERAL VIEW OUTER explode(l) AS v GROUP BY v.y, v.z")
    assert sides.fallbacks() == before


def test_a_part_of_a_struct_is_that_part(sides: Sides) -> None:
    """The kernel took the first field for any, where a column's name had changed and only a part of it was asked for."""
    sides.run(
        "CREATE TABLE parts (k INT, s STRUCT<a: INT, b: STRING, c: STRUCT<d: INT, e: INT>>, l ARRAY<STRUCT<x: INT, y: INT>>)"
    )
    sides.run("INSERT INTO parts VALUES (1, struct(1, 'x', struct(2, 3)), array(struct(4, 5)))")
    for _ in range(2):
        found = sides.same_natively(
            "SELECT k, s.b, s.c.e, l.y, v.y AS z FROM parts LATERAL VIEW explode(l) AS v ORDER BY k", ordered=True
        )
        assert found.to_pylist()[0] == {"k": 1, "b": "x", "e": 3, "y": [5], "z": 5}
        sides.same_natively("SELECT max(s.c.e), count(*) FROM parts WHERE s.b = 'x' AND s.c.d = 2 GROUP BY s.b")
        sides.run("ALTER TABLE parts RENAME COLUMN k TO was_k")
        sides.run("ALTER TABLE parts ADD COLUMN k INT FIRST")
        sides.run("INSERT INTO parts SELECT 1, 2, s, l FROM parts")
        sides.run("DELETE FROM parts WHERE k IS NULL")
        sides.run("ALTER TABLE parts DROP COLUMN was_k")


@pytest.mark.parametrize("kind", ["STRUCT<`a b`: INT>", "STRUCT<a: STRUCT<`ä`: INT>>", "MAP<INT, STRUCT<`1`: INT>>"])
def test_names_that_are_others_in_files_are_left_to_spark(sides: Sides, explain: Explain, kind: str) -> None:
    """Iceberg writes `a b` as `a_x20b`."""
    table = f"unusual_{len(kind)}"
    sides.run(f"CREATE TABLE {table} (k INT, s {kind})")
    sides.run(f"INSERT INTO {table} VALUES (1, NULL)")
    query = f"SELECT k, s FROM {table} ORDER BY k"
    assert sides.difference(query, ordered=True) is None
    assert "nested column with unusual names" in explain(query)


def test_a_nested_column_of_deleted_rows(sides: Sides) -> None:
    sides.run(
        "CREATE TABLE nested_deleted TBLPROPERTIES ('format-version' = '3', 'write.delete.mode' = 'merge-on-read') AS "
        "SELECT id, array(id, NULL) AS l, named_struct('a', id, 'b', map(id, 'x')) AS s FROM range(1000)"
    )
    sides.run("DELETE FROM nested_deleted WHERE id % 3 = 1")
    sides.same_natively("SELECT id, l, s FROM nested_deleted ORDER BY id", ordered=True)
    sides.same_natively("SELECT sum(s.a), count(v) FROM nested_deleted LATERAL VIEW explode(l) AS v")


def test_many_nested_rows_stream(sides: Sides) -> None:
    """More than one batch: places in a list are counted from the batch's start."""
    sides.run(
        "CREATE TABLE nested_many AS SELECT id, sequence(0, id % 5) AS l, "
        "if(id % 7 = 0, NULL, named_struct('a', id, 't', concat('t', id))) AS s, "
        "map(concat('k', id), array(id), 'z', NULL) AS m FROM range(40000)"
    )
    sides.same_natively("SELECT id, l, s, m FROM nested_many ORDER BY id", ordered=True)
    found = sides.same_natively("SELECT v, count(*), max(s.t) FROM nested_many LATERAL VIEW explode(l) AS v GROUP BY v")
    assert found.num_rows == 5


def test_spark_goes_on_with_nested_columns_of_the_kernel(nested: Sides, explain: Explain) -> None:
    query = (
        "SELECT to_json(s), to_json(m), to_json(r) FROM (SELECT s, m, r, k FROM nested ORDER BY k LIMIT 3) WHERE k > rand(1) - 1"
    )
    assert "1 part" in explain(query)
    assert nested.difference(query) is None
