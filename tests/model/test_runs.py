"""Every run of every job, and what became of the jobs; of plain results they are derived."""

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import schedcore
from round_trips import check_round_trips
from schedcore import (
    Allocation,
    Assignment,
    Instance,
    InvalidInstanceError,
    Jobs,
    Machines,
    Result,
    RunAllocation,
    Runs,
    Schedule,
)
from strategies import instances

# Job 0 runs on both machines, is killed at 7, and runs again from 9 to 19; job 1 is cancelled.
SOME = Runs(
    [0, 1, 0], [0, 0, 1], [0, 2.5, 9], [7, 4, 19], ["killed", "cancelled", "completed"],
    RunAllocation([0, 0, 1, 2], [1, 0, 0, 1], [1, 1, 3, 2]),
)  # fmt: skip


def test_columns_are_read_back() -> None:
    assert (SOME.n_runs, len(SOME)) == (3, 3)
    assert SOME.attempt.tolist() == [0, 0, 1]
    assert SOME.outcome.tolist() == ["killed", "cancelled", "completed"]
    assert not SOME.outcome.flags.writeable
    assert SOME.allocation.of(0) == [(1, 1), (0, 1)]
    assert repr(SOME) == "Runs(3 runs: 1 killed, 1 cancelled, 1 completed)"
    assert repr(Runs([], [], [], [], [], RunAllocation([], [], []))) == "Runs(0 runs)"
    assert repr(SOME.allocation) == "RunAllocation(4 rows, 3 runs)"


def test_runs_are_put_in_order_and_their_allocation_with_them() -> None:
    shuffled = Runs(
        [0, 0, 1], [1, 0, 0], [9, 0, 2.5], [19, 7, 4], ["completed", "killed", "cancelled"],
        RunAllocation([1, 0, 2, 1], [1, 1, 0, 0], [1, 2, 3, 1]),
    )  # fmt: skip
    assert shuffled == SOME
    tied = Runs([1, 0], [0, 0], [0, 0], [1, 2], "completed", RunAllocation([0, 1], [5, 6], [1, 1]))
    assert tied.job.tolist() == [0, 1]
    assert tied.allocation.machine.tolist() == [6, 5]


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"job": [-1]}, InvalidInstanceError, r"job\[0\] = -1 \(run 0\) must be at least 0"),
        ({"attempt": [-1]}, InvalidInstanceError, r"attempt\[0\] = -1 \(run 0\) must be at least 0"),
        ({"attempt": [0, 0]}, InvalidInstanceError, "attempt has 2 entries for 1 runs"),
        ({"start_time": ["x"]}, TypeError, "start_time must hold"),
        ({"outcome": ["done"]}, InvalidInstanceError, "unknown outcome 'done' of run 0 .*choices: completed, killed"),
        ({"outcome": ["waiting"]}, InvalidInstanceError, "unknown outcome 'waiting' of run 0"),
        ({"outcome": ["complete"]}, InvalidInstanceError, "did you mean 'completed'"),
        ({"outcome": [None]}, InvalidInstanceError, "run 0 has no outcome"),
        ({"outcome": [3]}, TypeError, r"outcome\[0\] = 3 \(run 0\) must be a str"),
        ({"allocation": RunAllocation([1], [0], [1])}, InvalidInstanceError, "the allocation names run 1 of 1"),
        ({"allocation": Allocation([0], [0], [1])}, TypeError, "allocation must be a RunAllocation"),
        ({"allocation": None}, TypeError, "allocation must be a RunAllocation, not NoneType"),
    ],
)  # fmt: skip
def test_bad_runs_are_refused_by_name(changes: dict[str, Any], error: type[Exception], message: str) -> None:
    columns: dict[str, Any] = {
        "job": [0], "attempt": [0], "start_time": [0], "end_time": [1], "outcome": ["completed"],
        "allocation": RunAllocation([0], [0], [1]),
    }  # fmt: skip
    with pytest.raises(error, match=message):
        Runs(**columns | changes)


@st.composite
def some_runs(draw: st.DrawFn) -> Runs:
    n = draw(st.integers(0, 6))

    def column(strategy: st.SearchStrategy[Any]) -> list[Any]:
        return draw(st.lists(strategy, min_size=n, max_size=n))

    places = st.tuples(st.integers(0, max(0, n - 1)), st.integers(0, 3), st.integers(1, 9))
    rows = draw(st.lists(places, max_size=9 if n else 0))
    return Runs(
        column(st.integers(0, 3)), column(st.integers(0, 3)), column(st.floats(0, 9)), column(st.floats(0, 9)),
        column(st.sampled_from(["completed", "killed", "cancelled"])),
        RunAllocation(*np.array(rows, dtype=np.int64).reshape(-1, 3).T),
    )  # fmt: skip


@given(some_runs())
def test_runs_survive_pickles_and_tables(runs: Runs) -> None:
    check_round_trips(runs)


def test_parquet_keeps_them(tmp_path: Path) -> None:
    SOME.to_parquet(tmp_path / "runs.parquet")
    assert Runs.from_parquet(tmp_path / "runs.parquet") == SOME
    with pytest.raises(InvalidInstanceError, match="a table of runs has the columns"):
        Runs.from_arrow(pa.table({"job": [0]}))


@given(instances(min_jobs=1, integer_times=False, identical_machines=True))
def test_a_plain_result_has_one_completed_run_of_each_job(instance: Instance) -> None:
    result = schedcore.solve("first_fit", instance)
    runs, schedule = result.runs, result.schedule
    assert runs is not None
    assert runs is result.runs
    assert sorted(runs.job.tolist()) == list(range(instance.n_jobs))
    assert runs.start_time.tolist() == schedule.start_time[runs.job].tolist()
    assert runs.end_time.tolist() == (schedule.start_time + instance.processing_time)[runs.job].tolist()
    assert runs.allocation.machine.tolist() == schedule.machine[runs.job].tolist()
    assert runs.allocation.run.tolist() == list(range(instance.n_jobs))
    order = list(zip(runs.start_time.tolist(), runs.job.tolist(), strict=True))
    assert order == sorted(order)
    assert set(runs.outcome) == set(result.outcome) == {"completed"}


def result(schedule: Any = None, **changes: Any) -> Result:
    instance = Instance(Jobs([4, 1, 2], [[1], [1], [1]]), Machines.identical(2, [1]))
    planned = Schedule([3, 0, np.nan], [0, 1, -1]) if schedule is None else schedule
    return Result(planned, "awct", 1.0, **{"instance": instance, **changes})


def test_a_job_without_a_start_waits() -> None:
    assert result().outcome.tolist() == ["completed", "completed", "waiting"]
    runs = result().runs
    assert runs.job.tolist() == [1, 0]
    assert runs.end_time.tolist() == [1.0, 7.0]
    assert runs.allocation == RunAllocation([0, 1], [1, 0], [1, 1])


def test_the_run_of_a_gang_is_where_its_tasks_are() -> None:
    gang = Schedule([3, 0, np.nan], [0, 1, -1], Allocation([0, 0, 1, 2], [0, 1, 1, 0], [2, 1, 4, 1]))
    assert result(gang).runs.allocation == RunAllocation([0, 1, 1], [1, 0, 1], [4, 2, 1])


def test_results_keep_what_they_are_given() -> None:
    given_runs = result(runs=SOME, outcome=["completed", "cancelled", "never"])
    assert given_runs.runs is SOME
    assert given_runs.outcome.tolist() == ["completed", "cancelled", "never"]
    assert given_runs != result()
    restored = pickle.loads(pickle.dumps(given_runs))
    assert restored == given_runs
    assert (restored.runs, restored.outcome.tolist()) == (SOME, given_runs.outcome.tolist())
    digests = {result(**more).content_hash() for more in ({}, {"runs": SOME}, {"outcome": "completed"})}
    assert len(digests) == 3


def test_asking_for_runs_changes_neither_hash_nor_pickle() -> None:
    asked, other = result(), result()
    assert asked.runs is not None
    assert asked.content_hash() == other.content_hash()
    assert pickle.dumps(asked) == pickle.dumps(other)


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"runs": [SOME]}, TypeError, "runs must be Runs, not list"),
        ({"outcome": ["completed"]}, InvalidInstanceError, "outcome has 1 entries for 3 jobs"),
        ({"outcome": ["completed", "lost", "waiting"]}, InvalidInstanceError, "unknown outcome 'lost' of job 1"),
        ({"outcome": ["completed", None, "waiting"]}, InvalidInstanceError, "job 1 has no outcome"),
        ({"schedule": Schedule([0], [0]), "runs": SOME}, InvalidInstanceError, r"job\[1\] = 1 \(run 1\) .* below 1"),
        ({"schedule": Assignment([0]), "runs": SOME}, TypeError, "a Assignment has neither runs nor outcomes"),
        ({"schedule": Assignment([0]), "outcome": ["completed"]}, TypeError, "neither runs nor outcomes"),
    ],
)  # fmt: skip
def test_runs_and_outcomes_that_do_not_belong_are_refused(
    changes: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        result(**changes)


def test_other_schedules_have_no_runs() -> None:
    other = result(Assignment([0, 0, 0]))
    assert (other.runs, other.outcome) == (None, None)
    assert result(instance=None).runs is None
    in_slots = schedcore.solve("srpt", Instance(Jobs([2], [[1]]), Machines([[1]])))
    assert (in_slots.runs, in_slots.outcome) == (None, None)


def test_a_schedule_of_another_instance_has_no_runs_there() -> None:
    with pytest.raises(InvalidInstanceError, match="the schedule has 1 jobs, the instance 3"):
        _ = result(Schedule([0], [0])).runs


def test_many_runs_are_derived_without_a_loop() -> None:
    n = 300_000
    instance = Instance(Jobs(np.ones(n), np.ones((n, 1), dtype=np.int64)), Machines([[1]]))
    many = Result(Schedule(np.arange(n)[::-1], np.zeros(n, dtype=np.int64)), "awct", 1.0, instance=instance)
    assert many.runs is not None
    assert many.runs.job.tolist() == list(range(n))[::-1]
