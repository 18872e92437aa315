"""What holds for the slotted preemptive algorithms: work, cost, prices on changes, estimates, exact optima."""

from collections import defaultdict
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import schedcore
from example_shares import examples
from reference.slotted_instance import SlottedJobs
from reference.slotted_optimum import least_flow_power_sum
from schedcore import metrics, registry, solve
from slotted_cases import (
    NON_CLAIRVOYANT,
    Piece,
    believing_the_truth,
    completions,
    dual_options,
    pieces,
    slotted,
    slotted_instances,
    tiny_instances,
)

Instance = schedcore.Instance

BASELINES = ["srpt", "srvf", "svf", "srf", "fifo"]
NAMES = ["ocorp", "ocorp_plus", "ocorp_m", *BASELINES, *NON_CLAIRVOYANT]
SLOTTED = [a.name for a in registry.algorithms(Instance) if a.slotted]
ROUNDING = 1e-9

every_algorithm = pytest.mark.parametrize("name", NAMES)


def test_all_slotted_algorithms_are_looked_at_here() -> None:
    assert sorted(SLOTTED) == sorted([*NAMES, "svf_transient"])


def work_by_slot(rows: list[Piece]) -> dict[int, dict[int, int]]:
    """Slot -> job -> core-slots, of a schedule without estimates."""
    work: dict[int, dict[int, int]] = defaultdict(lambda: defaultdict(int))
    for start, job, _, end, cores in rows:
        for slot in range(start + 1, end + 1):
            work[slot][job] += cores
    return work


# Work


@every_algorithm
@examples(25)
@given(instance=slotted_instances(resources=(1, 2, 3)), packing=st.sampled_from(["ffd", "sticky"]))
def test_jobs_get_exactly_their_volume_and_never_more_cores_than_they_ask_for(
    name: str, instance: Instance, packing: str
) -> None:
    result = solve(name, instance, packing=packing)
    jobs = SlottedJobs.from_instance(instance)
    work = work_by_slot(pieces(result))
    for job in range(jobs.n_jobs):
        given_cores = [cores[job] for cores in work.values() if job in cores]
        assert sum(given_cores) == jobs.volume(job)
        assert max(given_cores) <= jobs.demand[job][0]
    flow = result.completion_time - instance.jobs.release_time
    assert (flow >= instance.jobs.processing_time).all()


@every_algorithm
@examples(25)
@given(instance=slotted_instances())
def test_no_core_idles_while_a_job_could_use_it(name: str, instance: Instance) -> None:
    jobs = SlottedJobs.from_instance(instance)
    work = work_by_slot(pieces(solve(name, instance)))
    remaining = {job: jobs.volume(job) for job in range(jobs.n_jobs)}
    for slot in range(1, max(work, default=0) + 1):
        wanted = sum(
            jobs.limit(job, left) for job, left in remaining.items() if jobs.release_time[job] < slot
        )
        assert sum(work[slot].values()) == min(jobs.total_cores, wanted)
        for job, cores in work[slot].items():
            remaining[job] -= cores
    assert not any(remaining.values())


# Cost


@every_algorithm
@examples(25)
@given(instance=slotted_instances(resources=(1, 2)), k=st.integers(1, 4))
def test_the_fractional_cost_is_between_the_flow_times_and_twice_the_flow_times(
    name: str, instance: Instance, k: int
) -> None:
    result = solve(name, instance, k=k)
    power = metrics.flow_power_sum(instance, result.schedule, k)
    assert power == result.value
    assert result.lower_bound == pytest.approx(float((instance.jobs.processing_time**k).sum()), rel=ROUNDING)
    fractional = result.stats["fractional"]
    assert fractional <= (power + result.lower_bound) * (1 + ROUNDING)
    assert power + result.lower_bound <= 2 * power * (1 + ROUNDING)


@every_algorithm
@examples(25)
@given(instance=tiny_instances(), k=st.sampled_from([1, 2]))
def test_no_schedule_is_better_than_the_optimum(name: str, instance: Instance, k: int) -> None:
    best = least_flow_power_sum(SlottedJobs.from_instance(instance), k)
    result = solve(name, instance, k=k)
    assert result.lower_bound <= best <= result.value


def all_released_at_once() -> list[Instance]:
    """Few jobs on up to five cores; in some three of a hundred SVF is not optimal, in the first by a fifth."""
    draw = np.random.default_rng(39)
    instances = [slotted([(0, 2, 2), (0, 3, 1), (0, 3, 1)], [5])]
    while len(instances) < 150:
        cores = int(draw.integers(2, 6))
        rows = [
            (0, int(draw.integers(1, cores + 1)), int(draw.integers(1, 5)))
            for _ in range(draw.integers(2, 5))
        ]
        if sum(d * p for _, d, p in rows) <= 20:
            instances.append(slotted(rows, [cores]))
    return instances


def test_corollary_2_svf_loses_at_most_half_the_processing_times() -> None:
    ratios = []
    for instance in all_released_at_once():
        result = solve("svf_transient", instance, k=1)
        best = least_flow_power_sum(SlottedJobs.from_instance(instance), 1)
        assert 2 * result.value <= 2 * best + instance.jobs.processing_time.sum()
        ratios.append(result.value / best)
    assert ratios[0] == 1.2
    assert max(ratios) <= 1.5
    assert sum(ratio > 1 for ratio in ratios) >= 3


@given(instance=slotted_instances(latest=0, gaps=False))
def test_the_transient_scheme_is_svf(instance: Instance) -> None:
    assert pieces(solve("svf_transient", instance)) == pieces(solve("svf", instance))


# OCORP, OCORP+ and OCORP+M


@given(instance=slotted_instances(), options=dual_options(), solver=st.sampled_from(["joblevel", "greedy"]))
def test_free_changes_give_the_completion_times_of_ocorp(
    instance: Instance, options: dict[str, Any], solver: str
) -> None:
    free = solve("ocorp_plus", instance, **options, alpha=0.0, solver=solver)
    plain = solve("ocorp", instance, **options)
    assert completions(free) == completions(plain)
    if solver == "joblevel":
        assert pieces(free) == pieces(plain)


@given(instance=slotted_instances(resources=(1, 2, 3)), options=dual_options())
def test_ocorp_m_is_ocorp_with_more_resources(instance: Instance, options: dict[str, Any]) -> None:
    assert pieces(solve("ocorp", instance, **options)) == pieces(solve("ocorp_m", instance, **options))


@examples(100)
@given(
    instance=slotted_instances(resources=(1, 2)),
    k=st.integers(1, 3),
    packing=st.sampled_from(["ffd", "sticky"]),
)
def test_under_big_multipliers_every_job_is_wanted_until_gamma(
    instance: Instance, k: int, packing: str
) -> None:
    eager = solve("ocorp", instance, k=k, packing=packing)
    assume(eager.stats["makespan"] <= eager.stats["gamma"])
    strict = solve("ocorp", instance, k=k, packing=packing, work_conserving=False)
    assert pieces(strict) == pieces(eager)


def crowded_instances() -> list[Instance]:
    """Some forty jobs of up to 40 slots on a few cores."""
    draw = np.random.default_rng(20210329)
    return [
        slotted(
            list(
                zip(
                    np.sort(draw.integers(0, 60, 40)).tolist(),
                    draw.choice([1, 2, 4], 40).tolist(),
                    np.ceil(draw.lognormal(1.5, 1, 40)).astype(int).tolist(),
                    strict=True,
                )
            ),
            [4, 2, 2, 1],
        )
        for _ in range(8)
    ]


def test_the_dearer_changes_are_the_fewer_jobs_are_interrupted() -> None:
    counts = [
        sum(
            solve(
                "ocorp_plus", instance, k=1, lambda0="zero", alpha=alpha, solver="joblevel", packing="sticky"
            ).stats["preemptions"]
            for instance in crowded_instances()
        )
        for alpha in (0.0, 1.0, 10.0, 100.0, 1000.0)
    ]
    assert counts == sorted(counts, reverse=True)
    assert counts[-1] < counts[0] / 2


# Estimates


@pytest.mark.parametrize("name", SLOTTED)
@examples(20)
@given(data=st.data(), packing=st.sampled_from(["ffd", "sticky"]))
def test_estimates_that_are_right_change_nothing(name: str, data: st.DataObject, packing: str) -> None:
    latest = 0 if name == "svf_transient" else 6
    instance = data.draw(slotted_instances(resources=(1, 2), latest=latest, gaps=latest > 0))
    exact = solve(name, believing_the_truth(instance), packing=packing)
    assert pieces(exact) == pieces(solve(name, instance, packing=packing))


@every_algorithm
@examples(25)
@given(instance=slotted_instances(resources=(1, 2), estimates=True))
def test_wrong_estimates_still_serve_every_job(name: str, instance: Instance) -> None:
    result = solve(name, instance)
    assert result.stats["status"] == "finished"
    schedcore.validate(instance, result.schedule, raise_on_error=True)
    assert (result.completion_time - instance.jobs.release_time >= instance.jobs.processing_time).all()


# Runs that are cut short


@pytest.mark.parametrize("name", ["ocorp", "ocorp_plus", "srpt", "fifo", *NON_CLAIRVOYANT])
@examples(25)
@given(instance=slotted_instances(resources=(1, 2)), horizon=st.integers(1, 20))
def test_a_horizon_keeps_the_first_slots_of_the_whole_run(
    name: str, instance: Instance, horizon: int
) -> None:
    whole, part = solve(name, instance), solve(name, instance, max_slots=horizon)
    kept = [(s, j, i, min(e, horizon), u) for s, j, i, e, u in pieces(whole) if s < horizon]
    assert pieces(part) == kept
    done = np.where(whole.completion_time <= horizon, whole.completion_time, np.inf)
    np.testing.assert_array_equal(part.completion_time, done)
    assert part.stats["n_unfinished"] == np.isinf(done).sum()
    assert part.stats["status"] == ("max_slots" if np.isinf(done).any() else "finished")
    schedcore.validate(instance, part.schedule, kind="partial", raise_on_error=True)
