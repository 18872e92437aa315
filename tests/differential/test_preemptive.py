"""The slotted engine against its plain reference: pieces slot by slot, multipliers and facts, bit for bit.

The reference decides every slot anew. The engine jumps where it knows that nothing can change; what it returns may not
show that. Where the best slot is not unique (the flow solver; the second x-step of OCORP+M; the jobs that get several
memories) the reference implementation follows the engine and checks that each choice is a best one.
"""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import schedcore
from differential.against_slotted_reference import (
    assert_equals_reference,
    checked_choices,
    compare,
    placements_of,
    slot_values,
)
from example_shares import examples
from reference.slotted_instance import Placement, SlottedJobs, totals
from reference.slotted_run import BASELINES, Settings, run
from slotted_cases import (
    baseline_options,
    completions,
    dual_options,
    long_instances,
    pieces,
    slotted,
    slotted_instances,
)

Instance = schedcore.Instance


# One dimension


@examples(150)
@given(instance=slotted_instances(), options=dual_options())
def test_ocorp_equals_the_reference(instance: Instance, options: dict[str, Any]) -> None:
    assert_equals_reference("ocorp", instance, options)


@pytest.mark.parametrize("name", BASELINES)
@given(instance=slotted_instances(resources=(1, 1, 2)), options=baseline_options())
def test_baselines_equal_the_reference(name: str, instance: Instance, options: dict[str, Any]) -> None:
    assert_equals_reference(name, instance, options)


@given(instance=slotted_instances(resources=(1, 2), latest=0, gaps=False), options=baseline_options())
def test_the_transient_scheme_equals_the_reference(instance: Instance, options: dict[str, Any]) -> None:
    assert_equals_reference("svf_transient", instance, options)


# Memory


@examples(120)
@given(
    instance=slotted_instances(resources=(2, 2, 3, 4)),
    options=dual_options(),
    mem_mode=st.sampled_from(["backfill", "once"]),
    name=st.sampled_from(["ocorp", "ocorp_m"]),
)
def test_ocorp_m_equals_the_reference(
    instance: Instance, options: dict[str, Any], mem_mode: str, name: str
) -> None:
    assert_equals_reference(name, instance, {**options, "mem_mode": mem_mode})


@given(instance=slotted_instances(resources=(2, 3), max_machines=4, longest=4), options=dual_options())
def test_the_second_x_step_gives_every_job_as_many_cores_as_the_reference(
    instance: Instance, options: dict[str, Any]
) -> None:
    options = {**options, "mem_mode": "twice"}
    result = schedcore.solve("ocorp_m", instance, **options, record=True)
    placements = placements_of(result)

    def follow(slot: int, decided: Placement) -> Placement:
        actual = placements.get(slot, {})
        assert totals(actual) == totals(decided)
        return actual

    jobs = SlottedJobs.from_instance(instance)
    reference = run(jobs, "ocorp_m", Settings(**options), follow, checked_choices(result))
    compare(result, reference)


# Switching


@examples(100)
@given(
    instance=slotted_instances(resources=(1, 1, 2)),
    options=dual_options(),
    alpha=st.sampled_from([0.0, 0.5, 1.0, 10.0, 100.0, 1e6]),
    mem_mode=st.sampled_from(["backfill", "once"]),
)
def test_joblevel_equals_the_reference(
    instance: Instance, options: dict[str, Any], alpha: float, mem_mode: str
) -> None:
    assert_equals_reference("ocorp_plus", instance, {**options, "alpha": alpha, "mem_mode": mem_mode})


@given(
    instance=slotted_instances(),
    options=dual_options(),
    alpha=st.sampled_from([0.0, 0.5, 1.0, 10.0, 100.0]),
)
def test_greedy_equals_the_reference(instance: Instance, options: dict[str, Any], alpha: float) -> None:
    assert_equals_reference("ocorp_plus", instance, {**options, "alpha": alpha, "solver": "greedy"})


@examples(40)
@given(
    instance=slotted_instances(max_jobs=4, longest=4, gaps=False, most_cores=4),
    options=dual_options(),
    alpha=st.sampled_from([0.0, 1.0, 10.0, 100.0]),
)
def test_every_slot_of_the_flow_solver_is_worth_the_optimum(
    instance: Instance, options: dict[str, Any], alpha: float
) -> None:
    options = {**options, "alpha": alpha, "solver": "flow"}
    result = schedcore.solve("ocorp_plus", instance, **options, record=True)
    jobs = SlottedJobs.from_instance(instance)
    placements = placements_of(result)
    decided: dict[int, Placement] = {}

    def follow(slot: int, best: Placement) -> Placement:
        decided[slot] = best
        return placements.get(slot, {})

    reference = run(jobs, "ocorp_plus", Settings(**options), follow)
    compare(result, reference)
    for slot, (actual, best) in slot_values(reference, decided).items():
        assert float(actual) == pytest.approx(float(best), rel=1e-9, abs=1e-9)
        if reference.settings.work_conserving:
            assert sum(placements.get(slot, {}).values()) == sum(decided[slot].values())


# Estimates


@examples(100)
@given(
    instance=slotted_instances(resources=(1, 1, 2), estimates=True),
    options=dual_options(),
    name=st.sampled_from(["ocorp", "ocorp_plus"]),
)
def test_believed_demands_decide_as_in_the_reference(
    instance: Instance, options: dict[str, Any], name: str
) -> None:
    assert_equals_reference(name, instance, options)


@given(
    instance=slotted_instances(resources=(1, 2), estimates=True),
    options=baseline_options(),
    name=st.sampled_from(BASELINES),
)
def test_baselines_believe_as_in_the_reference(
    instance: Instance, options: dict[str, Any], name: str
) -> None:
    assert_equals_reference(name, instance, options)


# Long stretches without events: the reference implementation steps, the engine may jump


@examples(30)
@given(
    instance=long_instances(resources=(1, 1, 2)),
    options=dual_options(max_slots=None, work_conserving=True),
    name=st.sampled_from(["ocorp", "ocorp", "ocorp_plus"]),
)
def test_long_jobs_equal_the_reference(instance: Instance, options: dict[str, Any], name: str) -> None:
    assert_equals_reference(name, instance, options)


@examples(20)
@given(
    instance=long_instances(longest=60, latest=40, max_jobs=2),
    options=dual_options(work_conserving=False, max_slots=400),
)
def test_long_strict_runs_equal_the_reference(instance: Instance, options: dict[str, Any]) -> None:
    assert_equals_reference("ocorp", instance, options)


@examples(40)
@given(
    instance=long_instances(resources=(1, 2), estimates=True),
    options=baseline_options(),
    max_slots=st.none() | st.integers(1, 400),
    name=st.sampled_from(BASELINES),
)
def test_long_jobs_of_baselines_equal_the_reference(
    instance: Instance, options: dict[str, Any], max_slots: int | None, name: str
) -> None:
    assert_equals_reference(name, instance, {**options, "max_slots": max_slots})


def test_a_thousand_slots_of_a_busy_cluster_equal_the_reference() -> None:
    draw = np.random.default_rng(7)
    rows = [
        (int(a), (int(d), int(m)), int(p))
        for a, d, m, p in zip(
            np.sort(draw.integers(0, 900, 150)),
            draw.choice([1, 2, 4, 8], 150),
            draw.integers(0, 6, 150),
            np.ceil(draw.lognormal(3, 1, 150)),
            strict=True,
        )
    ]
    instance = slotted(rows, [(8, 8), (4, 6), (8, 12)])
    for options in ({}, {"lambda0": "zero", "packing": "sticky"}):
        assert_equals_reference("ocorp", instance, options)
    assert_equals_reference("srpt", instance, {})


def test_jobs_of_a_trillion_slots_are_jumped_over_by_the_baselines() -> None:
    # 2^40 slots of both cores first, then of one, wherever the keys say so
    length = 2**40
    instance = slotted([(0, 2, length), (5, 1, length), (2 * length + 9, 1, 1)], [2])
    for name in ("srf", "srvf", "svf"):
        result = schedcore.solve(name, instance)
        assert completions(result)[2] == 2 * length + 10
    fifo = schedcore.solve("fifo", instance)
    assert pieces(fifo) == [
        (0, 0, 0, length, 2),
        (length, 1, 0, 2 * length, 1),
        (2 * length + 9, 2, 0, 2 * length + 10, 1),
    ]
    assert fifo.stats["makespan"] == 2 * length + 10
