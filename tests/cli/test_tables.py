"""Tables of jobs on the command line: from files and from standard input, wrong or right."""

import io
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from schedcore import InvalidInstanceError
from schedcore.workloads import load

pytest.importorskip("pyarrow")

TABLE = "created_at,secs,vcpu,mem_mb\n2026-05-01T00:00,3600,4,2048\n2026-05-01T00:10,60,2,1024\n"
SWF = (
    "; MaxProcs: 8\n1 0 0 10 1 -1 -1 1 10 -1 1 1 1 1 1 1 -1 -1\n2 5 0 10 1 -1 -1 1 10 -1 1 1 1 1 1 1 -1 -1\n"
)
SACCT = (
    "JobID|Submit|Eligible|Start|End|ElapsedRaw|State|ReqCPUS|AllocCPUS\n"
    "1|100|100|100|160|60|COMPLETED|2|2\n2|150|150|150|210|60|COMPLETED|2|2\n"
)


def piped(text: str | bytes, *words: str) -> subprocess.CompletedProcess[bytes]:
    """A command of a process of its own, with something on its standard input."""
    data = text.encode() if isinstance(text, str) else text
    return subprocess.run(
        [sys.executable, "-m", "schedcore", *words], input=data, capture_output=True, check=False, timeout=120
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (TABLE, ["--machines", "1x8,8GB"]),
        (TABLE.replace(",", "\t"), ["--machines", "1x8,8GB", "--columns", "cpus=vcpu"]),
        (SWF, []),
        (SACCT, ["--machines", "1x8"]),
    ],
)
def test_what_is_piped_in_is_read_whatever_it_is(text: str, words: list[str]) -> None:
    done = piped(text, "compare", "-", "-p", "fcfs", "-f", "json", *words)
    assert done.returncode == 0, done.stderr
    assert b"standard input: 2 rows read, 2 jobs" in done.stderr
    assert json.loads(done.stdout)


def test_what_is_piped_in_may_be_read_on_several_machines() -> None:
    done = piped(
        TABLE, "compare", "-", "-p", "fcfs", "--machines", "1x8,8GB", "--against-machines", "1x4,8GB"
    )
    assert done.returncode == 0, done.stderr


def test_a_parquet_file_may_be_piped_in(tmp_path: Path, cli: Callable[..., Any]) -> None:
    (tmp_path / "jobs.csv").write_text(TABLE)
    target = tmp_path / "jobs.parquet"
    assert cli("convert", tmp_path / "jobs.csv", "-o", target, "--machines", "1x8,8GB").exit_code == 0
    done = piped(target.read_bytes(), "compare", "-", "-p", "fcfs", "-f", "csv")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", b"standard input cannot be read: it is empty"),
        ("hello", b"standard input: no column says how long jobs ran (columns: hello)"),
        ("submit,runtime,cpus\n1,x,1\n2,3,4\n", b"standard input: 1 row (line 2): runtime cannot be read"),
        (b"\x1f\x8bnonsense", b"standard input: truncated or damaged gzip file"),
    ],
)
def test_nonsense_on_standard_input_is_one_sentence(text: str | bytes, message: bytes) -> None:
    done = piped(text, "compare", "-")
    assert done.returncode == 2
    assert done.stderr.startswith(b"schedcore: " + message)
    assert done.stderr.count(b"\n") == 1
    assert not done.stdout


def test_a_terminal_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr(sys, "stdin", Terminal())
    with pytest.raises(InvalidInstanceError, match="standard input is a terminal"):
        load("-")


def test_a_wrong_column_leaves_nothing_behind(tmp_path: Path, cli: Callable[..., Any]) -> None:
    path = tmp_path / "jobs.csv"
    path.write_text(TABLE)
    target = tmp_path / "jobs.parquet"
    for words in (
        ("--columns", "submit=nothing"),
        ("--columns", "memory=mem_mb:hours"),
        ("--columns", "cpus"),
        ("--columns", "cpus=vcpu", "--read", "columns=cpus=vcpu"),
        ("--machines", "1x2,1GB"),
    ):
        outcome = cli("convert", path, "-o", target, *words)
        assert outcome.exit_code == 2
        assert outcome.stderr.splitlines()[-1].startswith("schedcore: ")
        assert "Traceback" not in outcome.stderr
        assert not outcome.stdout
    assert [found.name for found in tmp_path.iterdir()] == ["jobs.csv"]


def test_columns_are_refused_where_the_kind_takes_none(tmp_path: Path, cli: Callable[..., Any]) -> None:
    (tmp_path / "log.swf").write_text(SWF)
    for source in (tmp_path / "log.swf", "azure_like:n_jobs=5"):
        outcome = cli("compare", source, "--columns", "submit=a b")
        assert outcome.exit_code == 2
        assert "--columns" in outcome.stderr
    assert cli("compare", tmp_path / "log.swf", "-p", "fcfs", "--read", "columns=true").exit_code == 0


def test_inspect_speaks_json_and_csv(tmp_path: Path, cli: Callable[..., Any]) -> None:
    path = tmp_path / "my jobs.csv"
    path.write_text(TABLE)
    found = json.loads(cli("inspect", path, "-f", "json").stdout)
    assert found["commands"] == [f"schedcore compare '{path}' --machines 1x6,3GB"]
    assert [row["part"] for row in cli("inspect", path, "-f", "csv").rows] == ["column"] * 4 + [
        "resource"
    ] * 2 + ["load"]
    outcome = cli("inspect", path, "--columns", 'submit="a b"')
    assert outcome.exit_code == 0
    assert "no column 'a b' for submit" in outcome.stdout
