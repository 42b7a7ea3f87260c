"""No secret of a statement gets into the audit log, however it is written; what is no secret stays readable."""

from __future__ import annotations

import time

import pytest

from sqe.observe.audit.redaction import LONGEST_READ, LONGEST_SQL, redacted

S = "hunter2"
JWT = "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhbGljZSJ9.c2lnbmF0dXJl"
AWS = "AKIAIOSFODNN7EXAMPLE"
AWS_LONG = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"

HIDDEN = [
    (f"CREATE SECRET s (TYPE bearer, TOKEN '{S}')", S),
    (f"CREATE OR REPLACE SECRET s (TYPE basic, USER 'x', PASSWORD '{S}')", S),
    (f"CREATE SECRET s (TYPE oauth2, CLIENT_SECRET {S})", S),
    (f"/* harmless */ create /**/ secret s (type aws, key_id 'x', SECRET => '{S}')", S),
    (f"ATTACH 'https://u:{S}@host/c' AS c (TYPE rest)", S),
    (f"ATTACH 'uri' AS c (TYPE rest, WAREHOUSE 'w', ANYTHING '{S}')", S),
    (f"CREATE TABLE t (a INT) TBLPROPERTIES ('s3.secret-access-key' = '{S}')", S),
    (f'ALTER TABLE t SET TBLPROPERTIES ("s3.secret-access-key" = "{S}")', S),
    (f"CREATE TABLE t (a INT) OPTIONS (`my-api-key` '{S}')", S),
    (f"SELECT * FROM t OPTIONS ('fs.azure.account.key.x' = '{S}')", S),
    (f"SET s3.secret-access-key = {S}", S),
    (f"SET password = {S} and more {S}", S),
    (f"SELECT * FROM users WHERE password = '{S}'", S),
    (f"SELECT * FROM users WHERE '{S}' = password", S),
    (f"SELECT * FROM users WHERE password IN ('a', '{S}')", S),
    (f"INSERT INTO users (name, password) VALUES ('alice', '{S}')", S),
    (f"UPDATE users SET pwd = '{S}' WHERE id = 1", S),
    (f"SELECT map('token', '{S}')", S),
    (f"SELECT named_struct('a', 1, 'client_secret', '{S}')", S),
    (f"CALL lake.system.f(password => '{S}', pin => 4711)", S),
    ("CALL lake.system.f(password => 'x', pin => 4711)", "4711"),
    # Escapes, Unicode, pieces.
    (rf"SELECT map('pass\u0077ord', '{S}')", S),
    (rf"SELECT map('pass\167ord', '{S}')", S),
    (f"SELECT map('ｐａｓｓｗｏｒｄ', '{S}')", S),
    (f"SELECT map('pass\u200bword', '{S}')", S),
    (f"SELECT map('pásswórd', '{S}')", S),
    (f"SELECT map('pass' 'word', '{S}')", S),
    (f"SELECT map('pass' || 'word', '{S}')", S),
    (f"SELECT map(r'password', r'{S}')", S),
    (f"SELECT map('PaSsWoRd', X'{S}')", S),
    (f"SELECT * FROM users WHERE password = 'it''s {S}'", S),
    (rf"SELECT * FROM users WHERE password = 'it\'s {S}'", S),
    (f"SELECT * FROM users WHERE password = '{S}", S),
    # Where a literal begins and ends.
    (f"SELECT /* /* */ ' */ '{S}' AS password", S),
    (f"SELECT /*+ hint('*/') */ '{S}' AS password", S),
    (f"SELECT a--it's\n, '{S}' AS password", S),
    (f"SELECT `it's`, '{S}' AS password", S),
    (f"SELECT \"it's\", '{S}' AS password", S),
    (rf"SELECT 1r'a\' , '{S}' AS password", S),
    (rf"SELECT 'a\' AS x, '{S}' AS password", S),
    (f"SELECT -- the password is {S}\n1", S),
    (f"SELECT 1 /* token: {S} */", S),
    # Secrets that show themselves.
    (f"SELECT '{JWT}'", JWT[:20]),
    (f"SELECT 1 -- {JWT}", JWT[:20]),
    (f"SELECT `{JWT}` FROM t", JWT[:20]),
    (rf"SELECT 'ey\u004a{JWT[3:]}'", JWT[10:30]),
    (f"SELECT '{JWT[:10]}' || '{JWT[10:]}'", JWT[10:30]),
    ("SELECT 'Authorization: Bearer abc.def-123'", "abc.def-123"),
    (f"SELECT '{AWS}'", AWS),
    (f"SELECT '{AWS[:4]}' || '{AWS[4:]}'", AWS[4:]),
    (f"SELECT '{AWS_LONG}'", AWS_LONG),
    ("SELECT 'https://h/x?X-Amz-Signature=abcdef&y=1'", "abcdef"),
    ("SELECT '-----BEGIN RSA PRIVATE KEY-----\nMIIabc'", "MIIabc"),
]

READABLE = [
    "SELECT 1",
    "SELECT region, sum(amount) FROM lake.sales.orders WHERE region = 'EU' AND day > DATE '2026-01-01' GROUP BY 1 -- monthly",
    "INSERT INTO t VALUES (1, 'it''s fine', NULL), (2, 'näher', 2.5)",
    "SELECT \"a b\", `c d` FROM t WHERE x LIKE '%basic research%'",
    "SELECT * FROM t VERSION AS OF 'old' /* why not */",
    "ALTER TABLE t SET TBLPROPERTIES ('write.format.default' = 'parquet')",
    "SELECT uuid() = '0b4f3c1e-7a52-4f0e-9d2c-2f9d3c1e7a52'",
    "SELECT key, value FROM kv WHERE key = 'colour'",
    "not SQL at all ' ` \" /* --",
    "",
]


@pytest.mark.parametrize(("sql", "secret"), HIDDEN, ids=range(len(HIDDEN)))
def test_a_secret_is_hidden(sql: str, secret: str) -> None:
    assert secret in sql or "\\u" in sql
    assert secret not in redacted(sql).text


@pytest.mark.parametrize("sql", READABLE)
def test_what_is_no_secret_stays(sql: str) -> None:
    assert redacted(sql).text == sql
    assert not redacted(sql).cut


def test_names_and_structure_stay() -> None:
    text = "CREATE TABLE lake.s.t (a INT) TBLPROPERTIES ('s3.secret-access-key' = 'hunter2')"
    assert redacted(text).text == text.replace("hunter2", "***")


def test_the_hash_tells_nothing_about_the_secret() -> None:
    first, second = (redacted(f"CREATE SECRET s (TYPE bearer, TOKEN '{word}')") for word in ("hunter1", "hunter2"))
    assert first.sha256 == second.sha256
    assert redacted("SELECT 1").sha256 != redacted("SELECT 2").sha256


def test_a_long_statement_is_cut_and_its_hash_is_of_all_of_it() -> None:
    long = "SELECT " + ", ".join(str(number) for number in range(20_000))
    found, other = redacted(long), redacted(long + " ")
    assert found.cut
    assert len(found.text) == LONGEST_SQL + 1
    assert (found.text, found.sha256 != other.sha256) == (other.text, True)
    longest = "SELECT 'x" + " " * LONGEST_READ + "'"
    assert redacted(longest).sha256 != redacted(longest + "y").sha256
    assert "hunter2" not in redacted(f"SELECT 'hunter2' = {' ' * LONGEST_READ} password").text


HEAVY = [
    "/*" * 500_000,
    "'" * 1_000_001,
    "'" + "eyJ" * 300_000,
    "\\" * 1_000_000,
    "a" + "-a" * 500_000,
    "CREATE SECRET s (" + "token a," * 50_000,
    "SELECT password " + "= " * 400_000,
    "://a:" * 200_000,
    "basic " * 150_000,
    "SELECT 'basic" + " " * 900_000,
]


@pytest.mark.parametrize("sql", HEAVY, ids=range(len(HEAVY)))
def test_no_statement_takes_long(sql: str) -> None:
    started = time.perf_counter()
    redacted(sql)
    assert time.perf_counter() - started < 10
