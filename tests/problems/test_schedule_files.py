"""Schedules as files: what is written is read back, whatever the kind of problem and the kind of file."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import schedcore
from problems.small_problems import a_schedule_of, small
from schedcore import InvalidInstanceError
from schedcore.problems import PROBLEMS, Problem, problem_of_schedule
from schedcore.problems.schedules.table_file import SCHEDULE_SUFFIXES, read_table, write_table

FILES = [(kind, suffix) for kind in PROBLEMS for suffix in SCHEDULE_SUFFIXES]


@pytest.mark.parametrize(("kind", "suffix"), FILES)
def test_reader_and_writer_are_inverse(kind: type[Problem[Any]], suffix: str, tmp_path: Path) -> None:
    problem = small(kind)
    schedule = a_schedule_of(problem)
    path = tmp_path / f"plan{suffix}"
    write_table(path, problem.schedule_table(schedule))
    assert problem.read_schedule(path) == schedule


@pytest.mark.parametrize(("kind", "suffix"), FILES)
def test_a_file_says_of_which_kind_its_schedule_is(
    kind: type[Problem[Any]], suffix: str, tmp_path: Path
) -> None:
    problem = small(kind)
    path = tmp_path / f"plan{suffix}"
    write_table(path, problem.schedule_table(a_schedule_of(problem)))
    assert problem_of_schedule(problem.inst, path) == problem


def test_times_of_a_schedule_survive_csv_bit_for_bit(tmp_path: Path) -> None:
    inst = schedcore.Instance(schedcore.Jobs([1.0, 1.0], [[1], [1]], id=[5, 3]), schedcore.Machines([[1]]))
    problem = PROBLEMS[0](inst)
    plan = schedcore.Schedule(np.array([0.1 + 0.2, 1e15 / 3]), [0, 0])
    write_table(tmp_path / "plan.csv", problem.schedule_table(plan))
    assert problem.read_schedule(tmp_path / "plan.csv") == plan


@pytest.mark.parametrize("suffix", SCHEDULE_SUFFIXES)
def test_columns_that_are_missing_or_hold_something_else_are_named(suffix: str, tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    path = tmp_path / f"table{suffix}"
    write_table(path, pyarrow.table({"job": [1, 2], "share": [0.5, 1.0]}))
    assert read_table(path, {"job": int, "share": float, "task": int}, ["task"]).keys() == {"job", "share"}
    with pytest.raises(InvalidInstanceError, match=r"has no column task \(it has: job, share\)"):
        read_table(path, {"task": int})
    with pytest.raises(InvalidInstanceError, match=r"share (must hold integers|'0.5' is not an integer)"):
        read_table(path, {"share": int})


def test_other_files_are_told_with_what_can_be_read(tmp_path: Path) -> None:
    (tmp_path / "plan.swf").write_text("; MaxProcs: 4\n")
    with pytest.raises(
        InvalidInstanceError, match=r"not a known kind of plan; known are \.parquet, \.csv, maps$"
    ):
        read_table(tmp_path / "plan.swf", {"job": int}, what="plan", others="maps")
