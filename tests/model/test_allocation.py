"""Where tasks are: rows by job or run, in the order of placement, in tables as lists."""

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from round_trips import check_round_trips
from schedcore import Allocation, InvalidInstanceError, RunAllocation, Schedule

rows = st.lists(st.tuples(st.integers(0, 4), st.integers(-1, 3), st.integers(0, 9)), max_size=10)


def allocation(entries: list[tuple[int, int, int]]) -> Allocation:
    return Allocation(*np.array(entries, dtype=np.int64).reshape(-1, 3).T)


def test_rows_are_put_in_order_of_the_job_and_keep_that_of_the_placement() -> None:
    made = Allocation([2, 0, 2, 0], [5, 1, 0, 7], [1, 2, 3, 4])
    assert made.job.tolist() == [0, 0, 2, 2]
    assert made.machine.tolist() == [1, 7, 5, 0]
    assert made.n_tasks.tolist() == [2, 4, 1, 3]
    assert [made.of(job) for job in range(4)] == [[(1, 2), (7, 4)], [], [(5, 1), (0, 3)], []]
    assert len(made) == 4
    assert repr(made) == "Allocation(4 rows, 2 jobs)"
    assert made.owner is made.job
    for column in (made.job, made.machine, made.n_tasks):
        assert (column.dtype, column.flags.writeable) == (np.int64, False)


@given(rows)
def test_allocations_survive_pickles_and_tables(entries: list[tuple[int, int, int]]) -> None:
    check_round_trips(allocation(entries))


@given(rows)
def test_schedules_carry_them(entries: list[tuple[int, int, int]]) -> None:
    check_round_trips(Schedule([0.0, 1.5, np.nan, 3.0, 4.0], [0, 1, -1, 3, 2], allocation(entries)))


def test_parquet_keeps_them(tmp_path: Path) -> None:
    schedule = Schedule([0, 1], [2, 0], Allocation([0, 0, 1], [2, 0, 0], [1, 3, 1]))
    schedule.to_parquet(tmp_path / "schedule.parquet")
    assert Schedule.from_parquet(tmp_path / "schedule.parquet") == schedule
    nobody = Schedule([np.nan], [0], Allocation([], [], []))
    nobody.to_parquet(tmp_path / "nobody.parquet")
    assert Schedule.from_parquet(tmp_path / "nobody.parquet") == nobody


def test_without_one_each_job_has_one_task_on_its_machine() -> None:
    schedule = Schedule([0, 1, np.nan], [2, 0, -1])
    assert schedule.allocation == Allocation([0, 1], [2, 0], [1, 1])
    assert schedule.allocation is schedule.allocation
    assert not schedule.has_allocation


def test_one_task_each_is_no_allocation() -> None:
    plain = Schedule([0, 1], [2, 0])
    same = Schedule([0, 1], [2, 0], Allocation([1, 0], [0, 2], [1, 1]))
    assert same == plain
    assert pickle.dumps(same) == pickle.dumps(plain)
    assert same.to_arrow().column_names == ["start_time", "machine"]
    for other in (
        Allocation([0, 1], [2, 0], [1, 2]),
        Allocation([0, 1], [2, 1], [1, 1]),
        Allocation([0], [2], [1]),
    ):
        changed = Schedule([0, 1], [2, 0], other)
        assert changed.has_allocation
        assert changed != plain
        assert changed.content_hash() != plain.content_hash()


@pytest.mark.parametrize("kind", [Allocation, RunAllocation])
@pytest.mark.parametrize(
    ("columns", "error", "message"),
    [
        (([-1], [0], [1]), InvalidInstanceError, r"\[0\] = -1 must be at least 0"),
        (([0], [0, 1], [1]), InvalidInstanceError, "machine has 2 entries for 1 rows"),
        (([0], [0], []), InvalidInstanceError, "n_tasks has 0 entries for 1 rows"),
        (([0], [0.5], [1]), TypeError, "machine must hold integers"),
        ((["a"], [0], [1]), TypeError, "must hold integers"),
    ],
)
def test_bad_columns_are_refused(kind: Any, columns: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        kind(*columns)


def test_a_schedule_takes_allocations_of_its_jobs_alone() -> None:
    with pytest.raises(InvalidInstanceError, match="the allocation names job 2 of 2"):
        Schedule([0, 1], [0, 0], Allocation([0, 2], [0, 0], [1, 1]))
    with pytest.raises(TypeError, match="allocation must be an Allocation, not RunAllocation"):
        Schedule([0], [0], RunAllocation([0], [0], [1]))  # type: ignore[arg-type]


def test_tables_that_are_no_schedules_are_refused() -> None:
    columns = {
        "start_time": [0.0],
        "machine": [0],
        "allocation_machine": [[0, 1]],
        "allocation_n_tasks": [[1]],
    }
    with pytest.raises(InvalidInstanceError, match=r"allocation_machine\[0\] and .* differ in length"):
        Schedule.from_arrow(pa.table(columns))
    del columns["allocation_n_tasks"]
    with pytest.raises(InvalidInstanceError, match="may have allocation_machine and allocation_n_tasks"):
        Schedule.from_arrow(pa.table(columns))
    with pytest.raises(InvalidInstanceError, match="a table of an allocation has the columns"):
        Allocation.from_arrow(pa.table({"job": [0]}))
