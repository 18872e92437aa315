"""Readers keep further columns of logs and tables that they are told to, as notes of the jobs."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import schedcore
from cli.conftest import cli as cli
from schedcore import InvalidInstanceError, workloads

SWF = (
    "; MaxProcs: 8\n1 0 0 50 2 -1 -1 2 60 -1 1 4 2 7 1 3 -1 -1\n2 9 0 50 2 -1 -1 2 60 -1 1 4 2 -1 2 3 -1 -1\n"
)
SACCT = (
    "JobIDRaw|JobName|Submit|Start|End|Elapsed|AllocCPUS|State\n"
    "1|cfd|2026-05-01T00:00:00|2026-05-01T00:00:30|2026-05-01T00:10:30|00:10:00|4|COMPLETED\n"
    "2||2026-05-01T00:00:00|2026-05-01T00:00:30|2026-05-01T00:10:30|00:10:00|4|COMPLETED\n"
)
TABLE = "id,submit,runtime,cpus,Application Name\n1,0,60,1,cfd\n2,0,60,1,\n3,5,10,1,md\n"


def written(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def notes_of(path: Path, keep: Any) -> dict[str, list[Any]]:
    inst, _ = workloads.load(path, keep=keep)
    return {name: column.tolist() for name, column in inst.jobs.notes.items()}  # type: ignore[union-attr]


def test_a_log_in_swf_keeps_numbers_as_texts(tmp_path: Path) -> None:
    path = written(tmp_path, "log.swf", SWF)
    assert notes_of(path, "executable,queue") == {"executable": ["7", None], "queue": ["1", "2"]}
    assert notes_of(path, ()) == {}
    with pytest.raises(InvalidInstanceError, match="did you mean 'executable'"):
        workloads.read_swf(path, keep=["executables"])


def test_sacct_keeps_any_column_of_its_file(tmp_path: Path) -> None:
    path = written(tmp_path, "log.sacct", SACCT)
    assert notes_of(path, ["JobName"]) == {"JobName": ["cfd", None]}
    with pytest.raises(InvalidInstanceError, match="JobName"):
        workloads.read_sacct(path, keep="Jobname")


def test_a_table_keeps_any_column_and_does_not_call_it_unused(tmp_path: Path) -> None:
    path = written(tmp_path, "jobs.csv", TABLE)
    inst, report = workloads.read_table(path, keep="Application Name")
    assert inst.jobs.notes["Application Name"].tolist() == ["cfd", None, "md"]
    assert not any("not used" in sentence for sentence in report.assumptions)
    assert any(
        "not used: Application Name" in sentence for sentence in workloads.read_table(path)[1].assumptions
    )
    with pytest.raises(InvalidInstanceError, match="Application Name"):
        workloads.read_table(path, keep="application name")


def test_waits_by_a_kept_column(cli: Callable[..., Any], tmp_path: Path) -> None:
    path = written(tmp_path, "jobs.csv", TABLE)
    words = ("compare", path, "-m", "1x4", "-p", "easy", "--classes", "Application Name")
    outcome = cli(*words, "--read", "keep=Application Name", "--csv")
    assert outcome.exit_code == 0, outcome.stderr
    assert [(row["class"], row["n_jobs"]) for row in outcome.rows] == [
        ("cfd", "1"),
        ("md", "1"),
        ("(none)", "1"),
    ]
    missing = cli(*words)
    assert missing.exit_code == 2
    assert "Application Name" in missing.stderr
    name = "Application Name"
    table = schedcore.compare(path, ["easy", "fcfs"], machines="1x4", keep=name, classes=name)
    assert len(table.to_csv().splitlines()) == 1 + 2 * 3


def test_kept_columns_are_classes_whatever_they_are_called(cli: Callable[..., Any], tmp_path: Path) -> None:
    path = written(
        tmp_path, "jobs.csv", "id,submit,runtime,cpus,job:name,empty\n1,0,60,1,cfd,\n2,0,60,1,md,\n"
    )
    words = (
        "compare",
        path,
        "-m",
        "1x4",
        "-p",
        "easy",
        "--read",
        "keep=job:name,empty",
        "--csv",
        "--classes",
    )
    outcome = cli(*words, "job:name")
    assert [row["class"] for row in outcome.rows] == ["cfd", "md"], outcome.stderr
    assert "no job has a text in empty" in outcome.stderr
    assert cli(*words, "empty").exit_code == 2


@pytest.mark.parametrize("keep", [3, None, b"queue", {"queue": 1}])
def test_what_are_no_names_is_refused(tmp_path: Path, keep: Any) -> None:
    with pytest.raises(InvalidInstanceError, match="must be names of columns"):
        workloads.read_swf(written(tmp_path, "log.swf", SWF), keep=keep)


def test_an_empty_name_is_no_column(tmp_path: Path) -> None:
    with pytest.raises(InvalidInstanceError, match="without a name"):
        workloads.read_swf(written(tmp_path, "log.swf", SWF), keep="queue,")
