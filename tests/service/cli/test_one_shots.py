"""`sqe -e`, `--file` and the standard input: what comes out, where, and with which exit status."""

from __future__ import annotations

import io
import json
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from cli_home import Cli

pytestmark = pytest.mark.service


def test_a_statement_prints_a_table(cli: Cli) -> None:
    done = cli.run("-e", "SELECT 1 AS one")
    assert (done.returncode, done.stdout, done.stderr) == (0, " one\n-----\n   1\n(1 row)\n", "")


def test_ddl_says_ok_and_dml_says_how_many_rows(cli: Cli) -> None:
    script = "CREATE TABLE says (id INT); INSERT INTO says VALUES (1), (2), (3); DELETE FROM says WHERE id = 2; DROP TABLE says"
    assert cli.run("-e", script).stdout == "OK\nINSERT: 3 rows\nDELETE: 1 row\nOK\n"


def test_machine_formats_keep_such_sentences_out_of_the_rows(cli: Cli) -> None:
    done = cli.run("-f", "csv", "-e", "CREATE TABLE quiet (id INT); SELECT 1 AS one; DROP TABLE quiet")
    assert done.stdout == "one\n1\n"
    assert done.stderr == "OK\nOK\n"


def test_statements_come_from_a_file_or_the_standard_input(cli: Cli) -> None:
    (cli.folder / "script.sql").write_text("-- two\nSELECT 'a;b' AS x;\nSELECT 2 AS y;\n")
    assert cli.run("-f", "csv", "--file", "script.sql").stdout == "x\na;b\ny\n2\n"
    assert cli.run("-f", "csv", input="SELECT 1 AS x; SELECT 2 AS y").stdout == "x\n1\ny\n2\n"
    assert cli.run(input="").returncode == 0


def test_json_keeps_types(cli: Cli) -> None:
    sql = (
        "SELECT 1 AS i, 1.5D AS d, CAST(12345678901234567890.12 AS DECIMAL(38,2)) AS x, true AS b, NULL AS n, 'ü\"' AS s, "
        "DATE '2026-01-02' AS day, TIMESTAMP '2026-01-02 03:04:05.5' AS at, array(1, 2) AS a, map('k', 1) AS m, "
        "named_struct('f', array('x')) AS r, X'00FF' AS raw"
    )
    (row,) = json.loads(cli.run("-f", "json", "-e", sql).stdout, parse_float=Decimal)
    assert row == {
        "i": 1,
        "d": Decimal("1.5"),
        "x": Decimal("12345678901234567890.12"),
        "b": True,
        "n": None,
        "s": 'ü"',
        "day": "2026-01-02",
        "at": "2026-01-02T03:04:05.5Z",
        "a": [1, 2],
        "m": {"k": 1},
        "r": {"f": ["x"]},
        "raw": "00FF",
    }


def test_every_type_that_spark_returns_has_a_text(cli: Cli) -> None:
    sql = (
        "SELECT CAST(1 AS TINYINT) AS t, CAST(2 AS SMALLINT) AS s, 3L AS l, CAST(1.5 AS FLOAT) AS f, "
        "TIMESTAMP_NTZ '2026-01-02 03:04:05' AS ntz, array(INTERVAL '-3' MONTH, NULL) AS yms, make_interval(0, 0, 0, 1) AS i, "
        "INTERVAL '1 02:03:04' DAY TO SECOND AS dt, INTERVAL '1-2' YEAR TO MONTH AS ym, parse_json('{\"a\": 1}') AS v"
    )
    (row,) = [json.loads(line) for line in cli.run("-f", "jsonl", "-e", sql).stdout.splitlines()]
    assert row["ntz"] == "2026-01-02T03:04:05"
    assert (row["dt"], row["ym"], row["yms"], row["i"]) == ("1 02:03:04", "1-2", ["-0-3", None], "1 days")
    assert row["v"] == {"a": 1}


@pytest.mark.parametrize("format", ["arrow", "parquet"])
def test_binary_formats_go_to_a_file_or_a_pipe(cli: Cli, format: str) -> None:
    target = cli.folder / f"rows.{format}"
    done = cli.run("-f", format, "-o", str(target), "-e", "SELECT id, id * 2 AS twice FROM range(100000)")
    assert (done.returncode, done.stdout) == (0, "")
    data = target.read_bytes()
    table = pa.ipc.open_stream(data).read_all() if format == "arrow" else pq.read_table(io.BytesIO(data))
    assert table.num_rows == 100_000
    assert pc.sum(table["twice"]).as_py() == 9_999_900_000


def test_a_binary_format_holds_one_result(cli: Cli) -> None:
    done = cli.run("-f", "arrow", "-o", "two.arrow", "-e", "SELECT 1; SELECT 2")
    assert done.returncode == 1
    assert done.stderr == "NOT_SUPPORTED: The format arrow holds one result and there was one already\n"


def test_a_large_result_arrives_whole_and_in_order(cli: Cli) -> None:
    lines = cli.rows("SELECT id FROM range(300000)").splitlines()
    assert lines[1:] == [str(number) for number in range(300_000)]


WRONG = [
    ("SELEC 1", "SYNTAX_ERROR"),
    ("SELECT * FROM nothing_here", "TABLE_NOT_FOUND"),
    ("SELECT nothing FROM range(1)", "COLUMN_NOT_FOUND"),
    ("SELECT 1 / 0", "DIVISION_BY_ZERO"),
    ("SELECT CAST('x' AS INT)", "INVALID_CAST_ARGUMENT"),
    ("SELECT '" + "x" * 2_000_000 + "'", "QUERY_TEXT_TOO_LARGE"),
]


@pytest.mark.parametrize(("sql", "code"), WRONG, ids=[code for _, code in WRONG])
def test_a_wrong_statement_is_one_sentence_with_a_code(cli: Cli, sql: str, code: str) -> None:
    done = cli.run(input=sql)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(f"{code}: ")
    assert done.stderr.count("\n") == 1


def test_bytes_that_are_no_text_are_refused(cli: Cli) -> None:
    done = cli.run(input=b"SELECT '\xff'")
    assert (done.returncode, done.stderr) == (1, "INVALID_ARGUMENTS: The statement is not valid UTF-8\n")
    done = cli.run(input=b"SELECT '\0'")
    assert (done.returncode, done.stderr) == (1, "SYNTAX_ERROR: The statement contains a NUL character\n")


def test_a_script_goes_on_after_an_error_unless_told_to_stop(cli: Cli) -> None:
    script = "SELECT 1 AS a;\nSELECT boom;\nSELECT 2 AS b;"
    (cli.folder / "boom.sql").write_text(script)
    done = cli.run("-f", "csv", "--file", "boom.sql")
    assert (done.returncode, done.stdout) == (1, "a\n1\nb\n2\n")
    assert done.stderr.startswith("boom.sql:2: COLUMN_NOT_FOUND: ")
    assert cli.run("-f", "csv", "--stop-on-error", "--file", "boom.sql").stdout == "a\n1\n"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--nonsense"], "sqe: unknown option --nonsense; sqe --help lists them\n"),
        (["--file", "missing.sql"], "sqe: missing.sql cannot be read: No such file or directory\n"),
        (["-e", "SELECT 1", "-o", "missing/x"], "sqe: missing/x cannot be written: No such file or directory\n"),
    ],
)
def test_wrong_usage_ends_with_status_2(cli: Cli, arguments: list[str], sentence: str) -> None:
    done = cli.run(*arguments)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", sentence)


def test_catalogs_of_other_folders_can_be_mounted(cli: Cli) -> None:
    other = cli.folder / "other"
    create = "CREATE SCHEMA IF NOT EXISTS side.s; CREATE TABLE side.s.t AS SELECT 42 AS answer"
    assert cli.run("--catalog", f"side={other}", "-e", create).returncode == 0
    assert cli.rows("SELECT * FROM side.s.t", "--catalog", f"side={other}") == "answer\n42\n"
    assert cli.rows("SELECT * FROM lake.s.t", "--warehouse", str(other)) == "answer\n42\n"
    assert cli.rows("SHOW CATALOGS", "--catalog", f"side={other}") == "catalog\nlake\nside\n"


def test_a_throw_away_warehouse_is_gone_afterwards(cli: Cli) -> None:
    done = cli.run("--memory", "-f", "csv", "-e", "CREATE TABLE t AS SELECT 1 AS x; SELECT * FROM t")
    assert done.stdout == "x\n1\n"
    assert cli.run("--memory", "-e", "SELECT * FROM t").stderr.startswith("TABLE_NOT_FOUND: ")


def test_a_read_only_warehouse_is_one_sentence(cli: Cli) -> None:
    (cli.folder / "file").write_text("")
    done = cli.run("--warehouse", str(cli.folder / "file" / "inside"), "-e", "CREATE TABLE t (x INT)")
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1


def test_dot_commands_work_in_scripts(cli: Cli) -> None:
    create = "CREATE TABLE dots AS SELECT id, CAST(id AS STRING) AS name FROM range(10);"
    script = f"{create}\n.format csv\n.summarize dots\n.tables\n.quit\nSELECT 1;"
    lines = cli.run(input=script).stdout.splitlines()
    assert "column,type,min,max,distinct,avg,std,q25,q50,q75,rows,nulls" in lines
    assert any(line.startswith("id,bigint,0,9,10,4.5,") for line in lines)
    assert any("dots" in line for line in lines[4:])
    assert lines[-1] != "1"
    assert cli.run(input=".nonsense").stderr == "GENERIC_USER_ERROR: Unknown command .nonsense; .help lists them\n"


def test_files_can_be_read_and_one_that_reads_itself_comes_to_an_end(cli: Cli) -> None:
    (cli.folder / "inner.sql").write_text("SELECT 3 AS three;\n")
    assert cli.run("-f", "csv", input=".read inner.sql").stdout == "three\n3\n"
    (cli.folder / "itself.sql").write_text(".read itself.sql\n")
    done = cli.run(input=".read itself.sql")
    assert (done.returncode, done.stderr) == (
        1,
        "GENERIC_USER_ERROR: itself.sql is read by files that read each other, 16 deep\n",
    )


def test_a_full_disk_is_one_sentence(cli: Cli) -> None:
    done = cli.run("-e", "SELECT id FROM range(100000)", "-o", "/dev/full")
    assert (done.returncode, done.stderr) == (1, "OUT_OF_DISK_SPACE: The output cannot be written: No space left on device\n")


def test_a_reader_that_closes_the_pipe_ends_the_query(cli: Cli) -> None:
    process = cli.start("-f", "csv", "-e", "SELECT id FROM range(1000000000)")
    assert process.stdout is not None
    assert process.stdout.readline() == b"id\n"
    process.stdout.close()
    assert process.wait(60) == 1
    assert "running queries 0" in cli.run("daemon", "status").stdout


def test_a_long_run_folder_still_works(cli: Cli, tmp_path: Path) -> None:
    deep = tmp_path / ("d" * 100)
    done = cli.run("daemon", "status", env={"XDG_RUNTIME_DIR": str(deep)})
    assert (done.returncode, done.stdout) == (1, "no daemon is running\n")
