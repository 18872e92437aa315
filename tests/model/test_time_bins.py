"""Coarse functions of time: what falls into each part, and what is held there on average."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedcore.metrics import binned_utilisation
from schedcore.model import Instance, Schedule
from schedcore.model.time_bins import mean_in_bins, sums_in_bins
from strategies import instances

any_instants = st.lists(st.floats(), max_size=12)


def test_sums_by_hand() -> None:
    instants = np.array([0.0, 1.0, 2.5, 5.0, 10.0, -1.0, 11.0, math.nan, math.inf])
    assert sums_in_bins(instants, None, 0, 10, 4).tolist() == [2, 1, 1, 1]  # 10, the end, is in the last part
    assert sums_in_bins(instants, np.arange(9.0), 0, 10, 4).tolist() == [1, 2, 3, 4]
    assert sums_in_bins(np.array([3.0, 3.0]), None, 3, 3, 4).tolist() == [0, 0, 0, 0]


def test_means_by_hand() -> None:
    # 2 units on [1, 6), 1 unit on [4, 12): parts of 4 hold 6 + 0, 4 + 4 and 0 + 4 units of area
    means = mean_in_bins(np.array([1.0, 4.0]), np.array([6.0, 12.0]), np.array([2.0, 1.0]), 0, 12, 3)
    assert means.tolist() == [1.5, 2.0, 1.0]


@given(any_instants, any_instants)
def test_no_instants_are_an_error(start: list[float], end: list[float]) -> None:
    n = min(len(start), len(end))
    columns = np.array(start[:n]), np.array(end[:n])
    finite = columns[0][np.isfinite(columns[0])]
    first, last = (float(finite.min()), float(finite.max())) if len(finite) else (0.0, 0.0)
    assert sums_in_bins(columns[0], None, first, last).sum() == (len(finite) if first < last else 0)
    assert np.isfinite(mean_in_bins(*columns, np.ones(n), first, last)).all()


@given(instances(min_jobs=1, max_resources=4), st.data())
def test_means_are_those_of_the_exact_function_of_time(inst: Instance, data: st.DataObject) -> None:
    waits = data.draw(st.lists(st.integers(0, 50), min_size=inst.n_jobs, max_size=inst.n_jobs))
    schedule = Schedule(inst.release_time + np.array(waits), [0] * inst.n_jobs)
    _, share = binned_utilisation(inst, schedule, 60)
    end = schedule.start_time + inst.processing_time
    capacity = inst.machines.capacity.sum(axis=0, dtype=np.float64)
    for resource in np.flatnonzero(capacity):
        amounts = inst.demand[:, resource].astype(np.float64)
        first, last = float(inst.release_time.min()), float(end.max())
        used = mean_in_bins(schedule.start_time, end, amounts, first, last, 60)
        rounded = (
            60 * np.spacing(last) / (last - first)
        )  # of the edges of the reference, in parts of its bins
        assert used / capacity[resource] == pytest.approx(share[:, resource], abs=1e-9 + 8 * rounded)
