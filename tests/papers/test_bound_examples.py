"""The lower bounds and optima of the worked examples."""

import pytest

from reference.optimum import optimum
from schedcore import Instance, Jobs, Machines
from schedcore.bounds import lower_bounds, makespan_lower_bound, mean_busy_times


def instance(rows: list[tuple[int, ...]], n_machines: int, capacity: list[int]) -> Instance:
    """Jobs as rows (p, w, r, d_0, ...)."""
    jobs = Jobs(
        processing_time=[row[0] for row in rows],
        weight=[row[1] for row in rows],
        release_time=[row[2] for row in rows],
        demand=[row[3:] for row in rows],
    )
    return Instance(jobs, Machines.identical(n_machines, capacity))


# Example 14.1
FOUR_JOBS = instance([(4, 1, 0, 10, 2), (1, 3, 1, 5, 5), (2, 2, 1, 4, 6), (1, 1, 2, 6, 1)], 1, [10, 10])
# Example 14.2, lemma41(4): the long job is 4 x 100, the others 100
LEMMA_41 = instance([(400, 1, 0, 3), (100, 1, 1, 1), (100, 1, 1, 1), (100, 1, 1, 1)], 1, [3])


def test_bounds_of_the_four_jobs() -> None:
    bounds = lower_bounds(FOUR_JOBS)
    assert bounds["trivial"] == 19
    assert bounds["mean_busy_0"] == pytest.approx(19.575, abs=1e-9)
    assert bounds["mean_busy_1"] == pytest.approx(991 / 60, abs=1e-9)
    assert bounds["mean_busy_sum"] == pytest.approx(4453 / 240, abs=1e-9)
    assert 25 >= bounds["best"] >= bounds["mean_busy_0"]


def test_mean_busy_times_of_the_four_jobs() -> None:
    # loads p d / Q = 4, 0.5, 0.8, 0.6: J0 runs in [0, 1) and [2.9, 5.9), the others in turn
    load = FOUR_JOBS.jobs.processing_time * FOUR_JOBS.jobs.demand[:, 0] / 10
    bound, busy = mean_busy_times(FOUR_JOBS, load)
    assert bound == pytest.approx(783 / 40, abs=1e-9)
    assert busy == pytest.approx([3.425, 1.25, 1.9, 2.6], abs=1e-12)


def test_optimum_of_the_four_jobs() -> None:
    best = optimum(FOUR_JOBS)
    assert (best.sum_weighted_completion, best.makespan) == (25, 7)
    assert makespan_lower_bound(FOUR_JOBS) <= 7
    # resource 0 needs (40 + 5 + 8 + 6) / 10 = 5.9 units of time from 0 on
    assert makespan_lower_bound(FOUR_JOBS) == pytest.approx(5.9, abs=1e-12)


def test_bounds_and_optimum_of_lemma_41() -> None:
    bounds = lower_bounds(LEMMA_41)
    assert bounds["trivial"] == 703
    assert bounds["mean_busy_0"] == pytest.approx(802.75, abs=1e-9)
    best = optimum(LEMMA_41)
    assert best.sum_weighted_completion == 804
    assert bounds["best"] <= 804


@pytest.mark.parametrize(
    ("rows", "n_machines", "capacity", "sum_weighted_completion", "makespan"),
    [
        # 14.3 half_plus(5, 2)
        ([(1, 1, 0, 51)] * 5, 2, [100], 9, 3),
        # 14.5
        ([(3, 1, 0, 6), (3, 1, 0, 6), (5, 5, 0, 1), (1, 1, 5, 10), (7, 1, 0, 1)], 1, [10], 49, None),
        # 14.6
        ([(3, 1, 0, 6), (2, 4, 0, 5), (2, 1, 1, 5), (4, 2, 2, 10), (1, 1, 2, 4)], 2, [10], 31, 6),
    ],
    ids=["half_plus", "placement", "two_machines"],
)
def test_optimum_of_the_examples(
    rows: list[tuple[int, ...]],
    n_machines: int,
    capacity: list[int],
    sum_weighted_completion: int,
    makespan: int | None,
) -> None:
    case = instance(rows, n_machines, capacity)
    best = optimum(case)
    assert best.sum_weighted_completion == sum_weighted_completion
    assert makespan is None or best.makespan == makespan
    assert lower_bounds(case)["best"] <= sum_weighted_completion
    assert makespan_lower_bound(case) <= best.makespan
