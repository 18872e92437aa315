"""What the analysis of OCORP says of whole schedules: programs, lower bounds, the dynamic fit and the longest gaps.

Lemma 1 and Theorem 2, which are about single slots, are in ``test_slot_kernels``; Corollary 2 is in
``test_preemptive``.
"""

from collections import defaultdict
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

import schedcore
from example_shares import examples
from reference.slotted_instance import SlottedJobs
from schedcore import metrics, registry, solve
from schedcore.bounds import flow_power_lower_bound, fractional_lower_bound
from schedcore.workloads import slotted_standin
from slotted_cases import (
    LAMBDAS,
    WIDE_AND_THIN,
    dual_options,
    map_reduce_instances,
    pieces,
    slotted,
    slotted_instances,
)

ROUNDING = 1e-9

Instance = schedcore.Instance

SLOTTED = [a.name for a in registry.algorithms(Instance) if a.slotted]
MAP_REDUCE = [a.name for a in registry.algorithms(schedcore.MapReduceInstance)]


@examples(40)
@given(instance=slotted_instances(min_jobs=1, latest=0, gaps=False))
def test_lemma_2_the_transient_scheme_maximises_relative_progress_in_every_slot(instance: Instance) -> None:
    jobs = SlottedJobs.from_instance(instance)
    work: dict[int, dict[int, int]] = defaultdict(lambda: defaultdict(int))
    for start, job, _, end, cores in pieces(solve("svf_transient", instance)):
        for slot in range(start + 1, end + 1):
            work[slot][job] += cores
    demand = np.array([d for (d,) in jobs.demand], dtype=float)
    density = 1 / np.array(jobs.processing_time)
    remaining = np.array([jobs.volume(j) for j in range(jobs.n_jobs)], dtype=float)
    for slot in sorted(work):
        cores = np.array([work[slot][j] for j in range(jobs.n_jobs)], dtype=float)
        most = np.minimum(1, remaining / demand)
        best = linprog(-density, demand[None], [jobs.total_cores], bounds=np.column_stack([0 * most, most]))
        assert density @ (cores / demand) == pytest.approx(-best.fun, rel=ROUNDING)
        remaining -= cores
    assert not remaining.any()


def test_theorem_6_svf_does_not_minimise_the_fractional_flow_time() -> None:
    # sum t y / p is 2.5 + 9.5 = 12 under SVF; 5.5 + 4.5 = 10 is the optimum; sum p = 14 goes on top of both.
    result = solve("svf_transient", WIDE_AND_THIN, k=1)
    assert result.stats["fractional"] == pytest.approx(12 + 14)
    assert fractional_lower_bound(WIDE_AND_THIN, 1) == pytest.approx(10 + 14)
    assert result.value == 18.0


@pytest.mark.parametrize("name", SLOTTED)
@examples(25)
@given(data=st.data(), k=st.integers(1, 3))
def test_no_schedule_is_below_the_lower_bounds(name: str, data: st.DataObject, k: int) -> None:
    latest = 0 if name == "svf_transient" else 6
    instance = data.draw(slotted_instances(resources=(1, 2), latest=latest, gaps=False, estimates=True))
    result = solve(name, instance, k=k)
    bound = fractional_lower_bound(instance, k)
    assert bound <= result.stats["fractional"] * (1 + ROUNDING)
    assert bound <= result.value + result.lower_bound
    assert result.lower_bound <= flow_power_lower_bound(instance, k) * (1 + ROUNDING)
    assert flow_power_lower_bound(instance, k) <= result.value


@pytest.mark.parametrize("name", MAP_REDUCE)
@examples(25)
@given(instance=map_reduce_instances(), k=st.integers(1, 3))
def test_no_schedule_of_two_phases_is_below_the_lower_bound(
    name: str, instance: schedcore.MapReduceInstance, k: int
) -> None:
    result = solve(name, instance, k=k)
    assert result.lower_bound == pytest.approx(flow_power_lower_bound(instance, k), rel=ROUNDING)
    assert flow_power_lower_bound(instance, k) <= result.value


@examples(100)
@given(instance=slotted_instances(min_jobs=1), k=st.integers(1, 3))
def test_theorem_3_whoever_uses_all_cores_is_never_behind_the_rates_of_gamma(
    instance: Instance, k: int
) -> None:
    result = solve("ocorp", instance, k=k, lambda0="zero")
    gamma = result.stats["gamma"]
    fit = metrics.dynamic_fit(instance, result.schedule, gamma)
    assert (fit[: int(gamma)] <= ROUNDING).all()
    assert result.stats["makespan"] <= gamma


@examples(60)
@given(instance=slotted_instances(min_jobs=1), options=dual_options(gamma=None, max_slots=None))
def test_the_fit_at_gamma_is_the_work_that_is_left(instance: Instance, options: dict[str, Any]) -> None:
    options = {**options, "work_conserving": True}
    result = solve("ocorp", instance, **options)
    gamma = int(np.ceil(result.stats["gamma"]))
    left = metrics.work_over_time(instance, result.schedule, times=[gamma]).unfinished_time[0]
    fit = metrics.dynamic_fit(instance, result.schedule, float(gamma), gamma, capped=False)
    assert fit == pytest.approx(left, abs=ROUNDING)


def test_corollary_1_small_multipliers_at_the_start_leave_no_job_waiting_for_long() -> None:
    """A newcomer that starts far behind others may wait as long as under SRPT; one that starts at 0 does not."""
    gaps: dict[str, int] = {}
    inst = slotted_standin(1500, 1, window=900, load=0.9)
    for label, name, options in (
        ("srpt", "srpt", {}),
        ("svf", "svf", {}),
        *((str(lambda0), "ocorp", {"lambda0": lambda0}) for lambda0 in LAMBDAS[:3]),
    ):
        gaps[label] = int(solve(name, inst, **options).stats["max_gap"].max())
    assert 10 * max(gaps["zero"], gaps["('mu', 10.0)"]) < min(gaps["srpt"], gaps["svf"], gaps["big"])


@pytest.mark.parametrize("k", [1, 2])
def test_jobs_of_one_slot_that_come_at_once_are_proven_to_be_scheduled_optimally(k: int) -> None:
    instance = slotted([(0, 1, 1)] * 60, [2])
    least = 2 * sum(t**k for t in range(1, 31))  # two jobs a slot
    assert flow_power_lower_bound(instance, k) == pytest.approx(least, rel=1e-6)
    assert solve("ocorp", instance, k=k).value == least


def test_at_full_load_ocorp_has_nearly_the_least_fractional_flow_time_where_long_jobs_are_thin() -> None:
    instance = slotted_standin(1000, 1, window=600, load=0.95)
    bound = fractional_lower_bound(instance)
    ratio = {name: solve(name, instance).stats["fractional"] / bound for name in ("ocorp", "srvf", "srpt")}
    assert 1 <= ratio["ocorp"] < 1.06
    assert ratio["ocorp"] < ratio["srvf"] < ratio["srpt"]
