"""A schedule stores any starts and machines exactly; feasibility is for the validator."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from schedcore import InvalidInstanceError, Schedule


def test_columns_are_exact_and_read_only() -> None:
    s = Schedule([0, 2**53, 0.5], [0, 1, 2])
    assert s.start_time.tolist() == [0.0, 2.0**53, 0.5]
    assert (s.start_time.dtype, s.machine.dtype, len(s), s.n_jobs) == (np.float64, np.int64, 3, 3)
    for column in (s.start_time, s.machine):
        with pytest.raises(ValueError, match="read-only"):
            column[0] = 1
    assert repr(s) == "Schedule(3 jobs, start_time 0..9.0072e+15)"
    assert repr(Schedule([], [])) == "Schedule(0 jobs)"


def test_infeasible_values_are_stored_for_the_validator_to_find() -> None:
    s = Schedule([float("nan"), -1.0, float("inf")], [-1, 99, 0])
    assert np.isnan(s.start_time[0])
    assert s == Schedule(s.start_time, s.machine)


@pytest.mark.parametrize(
    ("start_time", "machine", "message"),
    [
        ([1, 2], [0], "machine has 1 entries for 2 jobs"),
        ([[1], [2]], [0, 0], r"start_time must have shape \(n_jobs,\)"),
        ([1, 2**53 + 1], [0, 0], r"start_time\[1\] = 9007199254740993 is an integer beyond 2\*\*53"),
        ([1, 2], [0, 2**63], r"machine\[1\] = 9223372036854775808 \(job 1\) does not fit into int64"),
    ],
)
def test_what_cannot_be_stored_is_refused(start_time: list, machine: list, message: str) -> None:
    with pytest.raises(InvalidInstanceError, match=message):
        Schedule(start_time, machine)


def test_machines_are_integers() -> None:
    with pytest.raises(TypeError, match="machine must hold integers"):
        Schedule([1.0], [0.5])


def test_frames_have_a_row_a_job() -> None:
    s = Schedule([0, 3], [1, 0])
    pd.testing.assert_frame_equal(s.to_pandas(), pd.DataFrame({"start_time": [0.0, 3.0], "machine": [1, 0]}))
    assert s.to_polars().equals(pl.DataFrame({"start_time": [0.0, 3.0], "machine": [1, 0]}))


def test_a_start_that_is_missing_in_a_frame_is_none() -> None:
    schedule = Schedule([0, np.nan], [1, -1])
    assert Schedule.from_arrow(schedule.to_pandas()) == schedule
    with pytest.raises(InvalidInstanceError, match=r"start_time\[1\] is null"):
        Schedule.from_arrow(pa.table({"start_time": pa.array([2**53 + 1, None]), "machine": [0, 0]}))
    with pytest.raises(InvalidInstanceError, match=r"machine\[1\] is null"):
        Schedule.from_arrow(pa.table({"start_time": [0.0, 1.0], "machine": pa.array([0, None])}))
