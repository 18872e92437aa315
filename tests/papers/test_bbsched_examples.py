"""BBSched on paper: room that EASY leaves idle, the trade of one resource for others, a job that is passed over, work
that ends early, and sets that are Pareto-optimal.

Jobs are rows ``(submit, demand, runtime)``, for the reference implementation and for the library.
"""

import itertools
import logging
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import schedcore
from properties.backfilling_instances import backfill_instances, crowd
from reference.backfilling import simulate
from reference.backfilling_instance import BackfillInstance
from schedcore import Instance, InvalidInstanceError, Jobs, Machines, OnlineScheduler, UnsupportedError

Row = tuple[float, tuple[int, int], float]


def starts(rows: list[Row], policy: str = "bbsched", **options: Any) -> list[float]:
    """On one machine with 10 nodes and 10 units of burst buffer; the reference says the same."""
    instance = Instance(
        Jobs([row[2] for row in rows], [row[1] for row in rows], release_time=[row[0] for row in rows]),
        Machines([[10, 10]]),
    )
    found: list[float] = schedcore.solve(policy, instance, **options).schedule.start_time.tolist()
    if policy == "bbsched":
        assert simulate(BackfillInstance.from_instance(instance), policy, sets=options).start_time == found
    return found


def test_a_set_fills_what_easy_leaves_idle() -> None:
    # EASY starts job 0, with (4, 8) left. Job 1 has its shadow at 10, with (4, 4) beside it, so job 2, which would run
    # until 20, may not start. At 10 job 1 starts, with (4, 4) left, and job 2 has to wait until 20.
    rows: list[Row] = [(0, (6, 2), 10), (0, (6, 6), 10), (0, (4, 8), 20)]
    assert starts(rows, "easy") == [0, 10, 20]
    # Jobs 0 and 2 use all of both resources, which no other set does. At 10 there is (6, 2) free for job 1.
    assert starts(rows) == [0, 20, 0]


# Each of these jobs is a set, no two fit together. The first uses the most nodes. The second loses 1/10 of the nodes
# and gains 5/10 of the burst buffer, the third loses 2/10 and gains 8/10.
ALTERNATIVES: list[Row] = [(0, (8, 1), 1), (0, (7, 6), 1), (0, (6, 9), 1)]


@pytest.mark.parametrize(
    ("trade", "expected"),
    [
        # 8/10 > 2 * 2/10 is the greatest gain; then 5/10 > 2 * 1/10.
        (2, [2, 1, 0]),
        # 8/10 is not more than 4 * 2/10; 5/10 > 4 * 1/10. Then again 8/10 is not more than 4 * 2/10.
        (4, [1, 0, 2]),
        # 5/10 is not more than 5 * 1/10; of the others 3/10 is not more than 5 * 1/10.
        (5, [0, 1, 2]),
        (Fraction(399, 100), [2, 1, 0]),
        (math.inf, [0, 1, 2]),
        (0, [2, 1, 0]),
    ],
)
def test_another_set_starts_where_it_gains_more_than_the_factor_times_the_loss(
    trade: Any, expected: list[float]
) -> None:
    assert starts(ALTERNATIVES, trade=trade) == expected


def test_the_other_resource_may_be_the_primary_one() -> None:
    # (6, 9) has the most burst buffer; (7, 6) loses 3/10 for 1/10, (8, 1) loses 8/10 for 2/10. Then the same of two.
    assert starts(ALTERNATIVES, primary=1) == [2, 1, 0]
    # With 1/10 > 0.25 * 3/10 and 2/10 not more than 0.25 * 8/10 job 1 is first, then 2/10 - not more than 0.25 * 8/10.
    assert starts(ALTERNATIVES, primary=1, trade=0.25) == [2, 0, 1]


# Whenever the stream of (5, 5) loses 3/10 of the nodes of job 0, it gains 4/10 of the burst buffer.
STREAM: list[Row] = [(0, (8, 1), 1), *((float(k), (5, 5), 2.0) for k in range(4))]


def test_a_job_that_was_passed_over_too_often_holds_others_back() -> None:
    # At 0 job 1 starts in place of job 0, at 1 job 2 beside it. At 2 job 1 ends. Job 0 was passed over twice and does
    # not fit: it is protected from 3 on, when job 2 ends, with (2, 9) beside it. Job 3 would run until 4 and has to
    # wait. At 3 job 0 starts, and at 4 jobs 3 and 4.
    assert starts(STREAM, trade=1, max_passes=2) == [3, 0, 1, 4, 4]
    # Without a bound the stream goes on: two of it run at any time until 5, when the last but one has ended.
    assert starts(STREAM, trade=1) == [5, 0, 1, 2, 3]
    assert starts(STREAM, trade=1, max_passes=0) == starts(STREAM, "easy") == [0, 1, 1, 3, 3]


@given(instance=backfill_instances(), data=st.data())
def test_without_passes_or_with_a_window_of_one_it_is_easy(instance: Instance, data: st.DataObject) -> None:
    options = data.draw(
        st.sampled_from([{"max_passes": 0}, {"window_size": 1}, {"max_passes": 0, "window_size": 3}])
    )
    assert (
        schedcore.solve("bbsched", instance, **options).schedule == schedcore.solve("easy", instance).schedule
    )


@given(instance=backfill_instances(max_machines=1), trade=st.sampled_from([0, 1, 2.0, math.inf]))
def test_what_starts_of_the_first_window_is_pareto_optimal(instance: Instance, trade: float) -> None:
    jobs = instance.jobs.replace(release_time=np.zeros(instance.n_jobs))
    schedule = schedcore.solve("bbsched", Instance(jobs, instance.machines), trade=trade).schedule
    demand, capacity = jobs.demand.tolist(), instance.machines.capacity.tolist()[0]
    chosen = [demand[job] for job in np.flatnonzero(schedule.start_time == 0)]
    use = [sum(column) for column in zip(*chosen, strict=True)]
    for others in itertools.chain.from_iterable(
        itertools.combinations(demand, n) for n in range(1, len(demand) + 1)
    ):
        other = [sum(column) for column in zip(*others, strict=True)]
        if all(amount <= bound for amount, bound in zip(other, capacity, strict=True)):
            dominates = all(a >= b for a, b in zip(other, use, strict=True)) and other != use
            assert not dominates


def test_work_that_ends_early_is_counted_and_said(caplog: pytest.LogCaptureFixture) -> None:
    instance = crowd(5, n_jobs=60, n_resources=3)
    with caplog.at_level(logging.WARNING, logger="schedcore"):
        whole = schedcore.solve("bbsched", instance)
        assert whole.stats["window_searches_cut"] == 0
        assert not caplog.records
        cut = schedcore.solve("bbsched", instance, work_limit=1)
    assert 0 < cut.stats["window_searches_cut"] <= cut.stats["window_choices"]
    assert "work_limit = 1 ended" in caplog.text
    assert schedcore.validate(instance, cut.schedule).ok
    # A limit counts looks and no time, so the decisions are the same every time.
    assert schedcore.solve("bbsched", instance, work_limit=1).schedule == cut.schedule


def test_an_embedded_decision_says_that_its_search_ended_early() -> None:
    scheduler = OnlineScheduler("bbsched", Machines([[10, 10]]), work_limit=1)
    scheduler.submit(Jobs([1, 1, 1], [[8, 1], [7, 6], [6, 9]]), 0)
    decision = scheduler.advance(0)
    assert decision.shortened == ("window: 3 jobs, not all of their sets",)
    assert decision.starts.id.tolist() == [0]


def test_equal_jobs_do_not_multiply_the_search() -> None:
    # Of 64 jobs of two kinds about 20 fit together: sets of single jobs would be more than 10^16.
    jobs = Jobs(np.ones(64), [[3, 5] if job % 2 else [4, 4] for job in range(64)])
    result = schedcore.solve("bbsched", Instance(jobs, Machines([[85, 86]])), window_size=64)
    assert result.stats["window_searches_cut"] == 0


def test_sets_are_placed_on_several_machines_and_heed_where_jobs_may_run() -> None:
    # Job 0 may run on the second machine alone, which job 2 needs as well; jobs 1 and 2 use 18 of 20 nodes together,
    # jobs 0 and 1 use 13.
    machines = Machines([[10], [10]], labels=[[], ["big"]])
    jobs = Jobs([1, 1, 1], [[4], [9], [9]], constraint=["big", None, "big"])
    result = schedcore.solve("bbsched", Instance(jobs, machines))
    assert result.schedule.start_time.tolist() == [1, 0, 0]
    assert result.schedule.machine.tolist() == [1, 0, 1]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"window_size": 0}, "window_size = 0 must be at least 1 and at most 64"),
        ({"window_size": 65}, "window_size = 65 must be at least 1 and at most 64"),
        ({"max_passes": -1}, "max_passes = -1 must be at least 0"),
        ({"primary": 2}, "primary = 2 is no resource of these machines: they have 2"),
        ({"trade": -0.5}, "trade = -0.5 must be finite and at least 0"),
        ({"trade": math.nan}, "trade = nan must be finite and at least 0"),
        ({"trade": 1e-9}, "a float: at least 1e-6"),
        ({"trade": 6e-7}, "trade = 6e-07 must be 0, infinite, or a fraction"),
        ({"trade": 10**5000}, "trade = a number of thousands of digits must be finite"),
        ({"trade": Fraction(1, 2**63)}, "parts up to 2\\*\\*62"),
        ({"work_limit": 0}, "work_limit = 0 must be at least 1"),
    ],
)
def test_options_out_of_bounds_are_refused_by_name(options: dict[str, Any], message: str) -> None:
    instance = Instance(Jobs([1], [[1, 1]]), Machines([[10, 10]]))
    with pytest.raises(InvalidInstanceError, match=message):
        schedcore.solve("bbsched", instance, **options)
    with pytest.raises(InvalidInstanceError, match=message):
        OnlineScheduler("bbsched", instance.machines, **options)


def test_what_it_does_not_heed_is_refused_by_name() -> None:
    with pytest.raises(UnsupportedError, match="'bbsched' does not take jobs of several tasks"):
        schedcore.solve("bbsched", Instance(Jobs([1], [[1]], n_tasks=[2]), Machines([[10]])))
    with pytest.raises(TypeError, match="trade must be a number, not 'much'"):
        schedcore.solve("bbsched", Instance(Jobs([1], [[1]]), Machines([[10]])), trade="much")
