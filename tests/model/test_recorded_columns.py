"""What a log recorded of jobs: carried along with them, and no part of the problem."""

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from schedcore import Instance, InvalidInstanceError, Jobs, Machines
from schedcore.model.job_columns import PAST

NAN = float("nan")


def jobs(recorded: Any = (5.0, NAN, 7.5)) -> Jobs:
    return Jobs([4, 1, 2], [[10], [5], [4]], release_time=[0, 1, 2], recorded_start_time=recorded)


def starts(of: Jobs) -> list[Any]:
    return [None if np.isnan(start) else start for start in of.recorded_start_time.tolist()]


def test_a_start_is_stored_where_some_log_tells_it() -> None:
    assert starts(jobs()) == [5.0, None, 7.5]
    assert jobs().uses("recorded_start_time")
    for nothing in (None, [NAN, NAN, NAN]):
        assert not jobs(nothing).uses("recorded_start_time")
        assert starts(jobs(nothing)) == [None] * 3
    assert not jobs().recorded_start_time.flags.writeable


def test_jobs_are_the_same_problem_whenever_they_started() -> None:
    assert {"recorded_start_time"} == PAST
    machines = Machines([[10]])
    for other in (None, [6.0, NAN, 7.5]):
        assert jobs() == jobs(other)
        assert hash(jobs()) == hash(jobs(other))
        assert Instance(jobs(), machines).content_hash() == Instance(jobs(other), machines).content_hash()


def test_selections_tables_and_pickles_keep_it(tmp_path: Path) -> None:
    assert starts(jobs()[[2, 1]]) == [7.5, None]
    assert not jobs()[[1]].uses("recorded_start_time")
    assert starts(pickle.loads(pickle.dumps(jobs()))) == [5.0, None, 7.5]
    for table in (jobs().to_arrow(), jobs().to_pandas(), jobs().to_polars()):
        assert starts(Jobs.from_arrow(table)) == [5.0, None, 7.5]
    instance = Instance(jobs(), Machines([[10]]))
    instance.to_parquet(tmp_path / "jobs.parquet")
    assert starts(Instance.from_parquet(tmp_path / "jobs.parquet").jobs) == [5.0, None, 7.5]


@pytest.mark.parametrize(
    "change",
    [
        {"release_time": [0, 1, 3]},
        {"processing_time": [4, 1, 3]},
        {"demand": [[1], [1], [1]]},
        {"n_tasks": 2},
    ],
)
def test_other_jobs_have_no_past(change: dict[str, Any]) -> None:
    assert not jobs().replace(**change).uses("recorded_start_time")
    assert starts(jobs().replace(**change, recorded_start_time=[1, 2, 3])) == [1.0, 2.0, 3.0]


def test_what_does_not_make_other_jobs_of_them_leaves_it() -> None:
    changed = jobs().replace(weight=2, estimated_processing_time=[9, 9, 9], user="ann", id=[7, 8, 9])
    assert starts(changed) == [5.0, None, 7.5]
    assert not jobs().replace(recorded_start_time=None).uses("recorded_start_time")


def test_bad_starts_are_refused_by_name() -> None:
    with pytest.raises(
        InvalidInstanceError, match=r"recorded_start_time\[1\] = inf \(job 1\) must be finite"
    ):
        jobs([1.0, float("inf"), 2.0])
    with pytest.raises(InvalidInstanceError, match="recorded_start_time has 2 entries for 3 jobs"):
        jobs([1.0, 2.0])
    with pytest.raises(TypeError, match="recorded_start_time must hold"):
        jobs(["soon", "later", "never"])
