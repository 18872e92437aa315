"""What is found out about a file: columns, figures of jobs, load over time, choices and the commands for them."""

import io
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from data_folder import data_folder
from schedcore import Instance, InvalidInstanceError, Jobs, Machines
from schedcore.inspection import inspect_workload
from schedcore.inspection.load_over_time import load_over_time, sparkline
from schedcore.problems.presentation import Table

pytest.importorskip("pyarrow")

HOUR, DAY, WEEK = 3600, 86_400, 604_800


def typed(name: str, *value: object) -> str:
    return " ".join([f"--{name}", *map(str, value)])


def inspected(source: object, **options: Any) -> Any:
    return inspect_workload(str(source), options, typed)


def text_of(shown: Any) -> str:
    return "\n".join(part for part in shown.parts if isinstance(part, str))


def write(folder: Path, text: str, name: str = "jobs.csv") -> Path:
    path = folder / name
    path.write_text(text)
    return path


def test_columns_are_described(tmp_path: Path) -> None:
    rows = [
        "2026-05-01T00:00,60,16GB,ann,1.5,,01:00:00,x",
        "2026-05-03T12:00,90,512MB,bob,2,,2h,x",
        ",oops,,ann,0.5,,30m,",
    ]
    shown = inspected(
        write(tmp_path, "\n".join(["when_submitted,secs,mem,owner,load,void,walltime,tag", *rows]))
    )
    columns = {row["column"]: row for row in shown.document["columns"]}
    assert shown.document["rows"] == 3
    assert (columns["secs"]["kind"], columns["secs"]["role"], columns["secs"]["unit"]) == (
        "texts",
        "runtime",
        "secs",
    )
    when = columns["when_submitted"]
    assert (when["kind"], when["least"], when["most"], when["missing"]) == (
        "dates", "2026-05-01T00:00:00", "2026-05-03T12:00:00", 1,
    )  # fmt: skip
    assert (columns["mem"]["kind"], columns["mem"]["least"], columns["mem"]["most"]) == (
        "amounts",
        "512MB",
        "16GB",
    )
    assert (columns["walltime"]["kind"], columns["walltime"]["least"]) == ("lengths of time", "0:30:00")
    assert (columns["load"]["kind"], columns["load"]["least"], columns["load"]["role"]) == (
        "numbers",
        "0.5",
        None,
    )
    assert (columns["void"]["kind"], columns["void"]["missing"], columns["void"]["examples"]) == (
        "nothing",
        3,
        (),
    )
    assert (columns["owner"]["distinct"], columns["owner"]["examples"]) == (2, ("ann", "bob"))


def test_a_table_that_needs_no_choice_ends_in_a_command_that_works(tmp_path: Path) -> None:
    path = write(tmp_path, "submit,runtime,cpus\n0,100,4\n50,100,2\n")
    shown = inspected(path)
    assert shown.document["needs"] is None
    assert shown.document["commands"] == [f"schedcore compare {path} --machines 1x6"]
    assert inspected(path, machines="2x4").document["commands"] == [
        f"schedcore compare {path} --machines 2x4"
    ]
    assert isinstance(shown.parts[0], Table)
    assert "2 jobs on 1 machine, released from time 0 to time 50 (50 s)" in text_of(shown)


@pytest.mark.parametrize(
    ("text", "needs", "commands"),
    [
        ("submit,duration,elapsed,cpus\n0,1,2,1\n1,1,2,1\n", "could be column",
         ["runtime=duration --machines 1x1", "runtime=elapsed --machines 1x2"]),
        ("submit,runtime,cpus\n03/04/2026,1,1\n", "the day or the month first",
         ["submit=submit:dmy --machines 1x1", "submit=submit:mdy --machines 1x1"]),
        ("submit,duration,elapsed,cpus\n03/04/2026,1,2,1\n", "Then: ",
         [f"runtime={took},submit=submit:{order} --machines 1x1"
          for took in ("duration", "elapsed") for order in ("dmy", "mdy")]),
        ("a,b\n1,2\n", "how long jobs ran", ["runtime=COLUMN"]),
        ("submit,runtime\n1,2\n", "what jobs demand", ["cpus=COLUMN"]),
    ],
)  # fmt: skip
def test_a_choice_is_told_with_a_command_for_each(
    tmp_path: Path, text: str, needs: str, commands: list[str]
) -> None:
    path = write(tmp_path, text)
    shown = inspected(path)
    assert needs in shown.document["needs"]
    assert shown.document["commands"] == [f"schedcore compare {path} --columns {words}" for words in commands]


def test_bad_rows_are_a_choice_too(tmp_path: Path) -> None:
    shown = inspected(write(tmp_path, "submit,runtime,cpus\n0,1,1\n0,x,1\n0,1,1,1\n"))
    assert "line 4" in shown.document["needs"]
    assert shown.document["rows"] == 3
    assert "--on_bad_row skip" in shown.document["commands"][0]
    assert shown.document["report"]["n_jobs"] == 1


def test_dates_that_no_clock_reaches_are_shown_in_columns_without_a_role(tmp_path: Path) -> None:
    shown = inspected(
        write(tmp_path, "submit,runtime,cpus,until\n0,1,1,9999-12-31\n0,1,1,0001-01-01 00:00:00\n")
    )
    assert shown.document["columns"][3]["kind"] == "texts"
    assert shown.document["jobs"]["n_jobs"] == 2


def test_a_flag_is_shown_without_a_role(tmp_path: Path) -> None:
    shown = inspected(write(tmp_path, "submit,runtime,cpus,completed\n0,5,1,1\n0,5,1,0\n"))
    assert [row["role"] for row in shown.document["columns"]] == ["submit", "runtime", "cpus", None]


def test_a_choice_that_does_not_help_is_none(tmp_path: Path) -> None:
    shown = inspected(write(tmp_path, "submit,duration,elapsed,cpus\n0,fast,2,1\n1,slow,2,1\n"))
    (command,) = shown.document["commands"]
    assert "--columns runtime=elapsed --machines 1x" in command
    assert shown.document["jobs"]["n_jobs"] == 2
    broken = inspected(write(tmp_path, "submit,duration,elapsed,cpus\n0,fast,a,1\n1,slow,b,1\n"))
    assert not broken.document["commands"]
    assert "could be column" in broken.document["needs"]


def test_what_was_piped_in_is_to_be_piped_in_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"submit,runtime,cpus\n0,100,4\n")))
    shown = inspected("-")
    assert "To compare policies on it, pipe it in again:" in shown.parts
    assert shown.document["commands"] == ["schedcore compare - --machines 1x4"]


def test_lengths_of_time_on_a_line_are_written_alike(tmp_path: Path) -> None:
    shown = inspected(write(tmp_path, "submit,runtime,cpus\n0,5,4\n0,5,1\n0,360000,1\n"))
    assert "run times: half up to 0:00:05, nine tenths up to 100:00:00, the longest 100:00:00" in text_of(
        shown
    )


def test_a_table_that_is_none_of_jobs_is_described_and_others_are_refused(tmp_path: Path) -> None:
    shown = inspected(write(tmp_path, "submit,runtime,cpus\n-5,1,1\n"), columns="submit=subject")
    assert "no column 'subject'" in shown.document["needs"]
    assert "jobs" not in shown.document
    for name, content, message in (
        ("jobs.csv", "", "is empty"),
        ("notes.txt", "hello", "not a known kind"),
        ("log.swf", "", "no job is left"),
    ):
        with pytest.raises(InvalidInstanceError, match=message):
            inspected(write(tmp_path, content, name))


def test_columns_that_hold_lists_do_not_keep_others_from_being_seen(tmp_path: Path) -> None:
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "jobs.parquet"
    parquet.write_table(
        arrow.table({"submit": [0, 1], "runtime": [1, 2], "cpus": [1, 2], "x": [[1], [2]]}), path
    )
    shown = inspected(path)
    assert [row["kind"] for row in shown.document["columns"]] == ["whole numbers"] * 3 + ["lists or the like"]
    assert shown.document["jobs"]["n_jobs"] == 2


def test_a_log_with_missing_memory_shows_the_ways_out(tmp_path: Path) -> None:
    path = tmp_path / "log.swf"
    path.write_text(
        "; MaxProcs: 8\n1 0 0 10 1 -1 5 1 10 5 1 1 1 1 1 1 -1 -1\n2 9 0 10 1 -1 7 1 10 -1 1 1 1 1 1 1 -1 -1\n"
    )
    shown = inspected(path)
    assert "1 jobs without a memory request" in shown.document["needs"]
    used, skip, without = shown.document["commands"]
    assert used.startswith(f"schedcore compare {path} --missing_memory used --machines 1x8,")
    assert skip.startswith(
        f"schedcore compare {path} --missing_memory skip --allow_loss True --machines 1x8,"
    )
    assert without == f"schedcore compare {path} --n_resources 1"
    assert shown.document["jobs"]["n_jobs"] == 2
    assert "What follows is read with --missing_memory used." in text_of(shown)


def test_a_log_with_a_header_needs_nothing() -> None:
    shown = inspected(data_folder("pwa-swf", "KTH-SP2-1996-2.1-cln.swf.gz"))
    assert shown.document["needs"] is None
    assert shown.document["commands"] == [f"schedcore compare {shown.document['source']}"]
    assert shown.document["jobs"]["first_release"] == "1996-09-30T10:38:01+00:00"
    assert shown.document["load_over_time"]["stretch"] == WEEK


@pytest.mark.parametrize(
    ("span", "seconds", "word"),
    [
        (HOUR, HOUR, "hour"),
        (2 * DAY, HOUR, "hour"),
        (2 * DAY + 1, DAY, "day"),
        (50 * DAY, DAY, "day"),
        (51 * DAY, WEEK, "week"),
        (50 * WEEK, WEEK, "week"),
        (51 * WEEK, 2 * WEEK, "2 weeks"),
    ],
)
def test_the_load_comes_in_stretches_that_fit_on_a_line(span: int, seconds: int, word: str) -> None:
    instance = Instance(Jobs([1, 1], [[1], [1]], release_time=[0, span]), Machines([[1]]))
    over_time = load_over_time(instance)
    assert over_time is not None
    assert (over_time.seconds, over_time.word) == (seconds, word)
    assert len(over_time.load) <= 51


def test_the_load_of_a_stretch_is_its_work_over_what_can_be_done_in_it() -> None:
    # Hour 0: 2 * 1800 + 1 * 3600 of 4 * 3600; hour 2: two tasks of 1 for 3600.
    jobs = Jobs([1800, 3600, 3600], [[2], [1], [1]], release_time=[10, 3600, 7300], n_tasks=[1, 1, 2])
    over_time = load_over_time(Instance(jobs, Machines([[3], [1]])))
    assert over_time is not None
    assert over_time.start == 10
    assert over_time.load[:, 0].tolist() == [0.5, 0, 0.5]
    assert load_over_time(Instance(jobs[:1], Machines([[3]]))) is None


def test_a_line_of_blocks_needs_no_colour() -> None:
    assert sparkline(np.array([0, 0.001, 0.5, 1.0])) == ".▁▄█"
    assert sparkline(np.zeros(3)) == "..."


def test_jobs_that_are_not_over_time_are_told_in_short() -> None:
    shown = inspected("colocation_grid:seed=1,cls=3,n_types=4,n_tasks=20,n_machines=10")
    assert "ColocationInstance(20 tasks of 4 types, 10 machines)" in text_of(shown)
    assert shown.document["commands"] == [
        "schedcore compare colocation_grid:seed=1,cls=3,n_types=4,n_tasks=20,n_machines=10"
    ]
