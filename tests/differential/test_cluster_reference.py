"""The cluster reference against the older references, against definitions by every unit of time, and embedded."""

from dataclasses import replace
from math import inf
from random import Random
from typing import Any

import pytest

from differential.cluster_cases import (
    ALL_SETTINGS,
    DYNAMIC_SETTINGS,
    GANG_SETTINGS,
    KNOBBED_SETTINGS,
    SELECTING_SETTINGS,
    SINGLE_SETTINGS,
    Setting,
    instances_for,
    name_of,
)
from differential.cluster_replay import Replay
from example_shares import n_cases, n_or_more
from reference import backfilling
from reference.backfilling_instance import BackfillInstance
from reference.cluster_instance import ClusterInstance
from reference.cluster_placement import place
from reference.cluster_profile import Place
from reference.cluster_simulation import ClusterRun, run
from reference.cluster_state import ClusterState
from reference.cluster_validation import violations
from reference.mris_dynamic import mris_dynamic
from reference.plain_instance import PlainInstance
from reference.solving import solve_with_reference

BACKFILLING = [
    s
    for s in GANG_SETTINGS + KNOBBED_SETTINGS + SELECTING_SETTINGS
    if s[0] != "pq" and not {"reservations", "allocation"} & s[1].keys()
]


def every(settings: list[Setting]) -> Any:
    return pytest.mark.parametrize("setting", settings, ids=name_of)


@every(ALL_SETTINGS)
def test_runs_of_mixed_instances_are_feasible(setting: Setting) -> None:
    policy, options = setting
    for instance in instances_for(setting, n_cases(45)):
        result = run(instance, policy, infeasible="drop", **options)
        assert violations(instance, result.runs) == []
        for job, outcome in enumerate(result.outcome):
            last = result.last_run(job)
            if outcome in ("never", "waiting"):
                assert last is None or (outcome, last.outcome) == ("waiting", "killed")
            elif outcome == "cancelled":
                assert last is None or last.outcome in ("killed", "cancelled")
            else:
                assert last is not None
                assert last.outcome == outcome
            cancelled = instance.cancellations.get(job, inf)
            assert all(r.start < cancelled and r.end <= cancelled for r in result.runs if r.job == job)


# Without any new column


def plain(instance: ClusterInstance) -> PlainInstance:
    jobs = instance.jobs
    return PlainInstance(
        processing_time=[float(j.processing_time) for j in jobs],
        weight=[float(j.weight) for j in jobs],
        release_time=[float(j.release_time) for j in jobs],
        demand=[list(j.demand) for j in jobs],
        capacities=[list(m.capacity) for m in instance.machines],
    )


def single_machine_instances(setting: Setting, n: int) -> list[ClusterInstance]:
    """All jobs fit some machine: demands are drawn from the capacities."""
    off = {"tasks": False, "labels": False, "weights": False, "outages": False, "incidents": False}
    return list(instances_for(setting, n, first=1000, **off))


def assert_equals(result: ClusterRun, starts: list[float], machines: list[int]) -> None:
    assert result.starts() == starts
    assert result.first_machines() == machines
    assert all(len(r.allocation) == 1 and r.outcome == "completed" for r in result.runs)


@every(BACKFILLING)
def test_without_new_columns_decisions_are_those_of_the_backfilling_reference(setting: Setting) -> None:
    policy, options = setting
    for instance in single_machine_instances(setting, 50):
        result = run(instance, policy, **options)
        old = BackfillInstance(
            [float(j.release_time) for j in instance.jobs],
            [list(j.demand) for j in instance.jobs],
            [float(j.processing_time) for j in instance.jobs],
            [float(j.estimated_processing_time) for j in instance.jobs],
            [list(m.capacity) for m in instance.machines],
        )
        name = "easy" if options.get("protected") == 1 else policy
        expected = backfilling.simulate(
            old, name, **{k: v for k, v in options.items() if (k, v) != ("protected", 1)}
        )
        assert_equals(result, expected.start_time, expected.machine)
        assert result.shadow == expected.shadow
        assert result.reservations == expected.reservations
        plans = [(p.time, [(j, a[0][0], s) for j, s, a in p.plan]) for p in result.passes]
        assert plans == expected.plans


@every([s for s in GANG_SETTINGS if s[0] == "pq" and not callable(s[1].get("heuristic"))] + SINGLE_SETTINGS)
def test_without_new_columns_decisions_are_those_of_the_other_references(setting: Setting) -> None:
    policy, options = setting
    for instance in single_machine_instances(setting, 50):
        result = run(instance, policy, **options)
        given = {"patience": 2.0, **options} if options.get("opportunistic") else options
        expected = solve_with_reference(policy, plain(instance), **given)
        assert_equals(result, expected.schedule.start_time, expected.schedule.machine)
        assert result.iterations == expected.iterations


@pytest.mark.parametrize("heuristic", ["wsjf", "wsdf", "sjf", "svf", "sdf", "erf"])
def test_offline_pq_without_new_columns_is_that_of_the_reference(heuristic: str) -> None:
    for instance in single_machine_instances(("offline_pq", {}), 50):
        at_zero = replace(instance, jobs=tuple(replace(j, release_time=0) for j in instance.jobs))
        result = run(at_zero, "offline_pq", heuristic=heuristic)
        expected = solve_with_reference("offline_pq", plain(at_zero), heuristic=heuristic).schedule
        assert_equals(result, expected.start_time, expected.machine)


@every(DYNAMIC_SETTINGS)
def test_without_new_columns_mris_without_a_plan_is_that_of_the_reference(setting: Setting) -> None:
    policy, options = setting
    for instance in single_machine_instances(setting, 50):
        result = run(instance, policy, **options)
        expected = mris_dynamic(plain(instance), **{k: v for k, v in options.items() if k != "replan"})
        assert_equals(result, expected.schedule.start_time, expected.schedule.machine)
        rows = [(i.k, i.gamma, i.n_candidates, i.chosen) for i in result.iterations]
        assert rows == expected.batches


# The search for the earliest instant


def earliest_by_every_unit(state: ClusterState, job: int) -> Place | None:
    """All times are integers: free amounts stand still within a unit, and nothing changes after the last end."""
    row = state.jobs[job]
    profile = state.profile(without=job)
    last = max([state.now, *(x for x in profile.changes() if x < inf)])
    for start in range(int(state.now), int(last) + 1):
        units = range(start, int(state.end_if_started(job, start)))
        rows = {m: [profile.free(m, x) for x in units] for m in range(len(state.machines))}
        free = {m: [min(column) for column in zip(*rows[m], strict=True)] for m in rows}
        allocation = place(row, state.machines, free)
        if allocation is not None:
            return start, allocation
    return None


@every(
    [s for s in GANG_SETTINGS if s[0] in ("easy", "backfill", "conservative") and "allocation" not in s[1]]
)
def test_earliest_agrees_with_a_search_of_every_unit(
    setting: Setting, monkeypatch: pytest.MonkeyPatch
) -> None:
    policy, options = setting
    plain_earliest = ClusterState.earliest
    found = []

    def checked(self: ClusterState, job: int) -> Place | None:
        result = plain_earliest(self, job)
        assert result == earliest_by_every_unit(self, job)
        found.append(result)
        return result

    monkeypatch.setattr(ClusterState, "earliest", checked)
    for instance in instances_for(setting, n_or_more(24), first=2000):
        run(instance, policy, infeasible="drop", **options)
    assert None in found
    assert any(result is not None and len(result[1]) > 1 for result in found)


# Embedded


@every([s for s in ALL_SETTINGS if s[0] != "offline_pq"])
def test_embedded_decisions_are_the_simulated_ones(setting: Setting) -> None:
    policy, options = setting
    for instance in instances_for(setting, n_cases(24), first=3000):
        simulated = run(instance, policy, infeasible="drop", **options)
        program = Replay(instance, setting)
        assert program.run() == simulated.runs
        assert all(program.plans.get(p.time, p.plan) == p.plan for p in simulated.passes)
        ended = {j: o for j, o in enumerate(simulated.outcome) if j in program.scheduler.state.jobs}
        assert {j: program.scheduler.state.outcome.get(j, "waiting") for j in ended} == ended


@every(BACKFILLING)
def test_embedded_jobs_that_outlive_their_estimates_are_planned_as_in_the_backfilling_reference(
    setting: Setting,
) -> None:
    policy, options = setting
    overruns = 0
    for seed, instance in enumerate(single_machine_instances(setting, 50)):
        random = Random(seed)
        duration = [float(j.processing_time * random.choice([1, 1, 2, 4])) for j in instance.jobs]
        old = BackfillInstance(
            [float(j.release_time) for j in instance.jobs],
            [list(j.demand) for j in instance.jobs],
            [float(j.processing_time) for j in instance.jobs],
            [float(j.estimated_processing_time) for j in instance.jobs],
            [list(m.capacity) for m in instance.machines],
        )
        name = "easy" if options.get("protected") == 1 else policy
        given = {k: v for k, v in options.items() if (k, v) != ("protected", 1)}
        expected = backfilling.replay(old, name, duration, **given)
        program = Replay(instance, setting, duration)
        runs = program.run()
        assert {r.job: (r.start, r.allocation[0][0]) for r in runs} == dict(
            enumerate(zip(expected.start_time, expected.machine, strict=True))
        )
        for time, plan in expected.plans:
            assert [(j, a[0][0], s) for j, s, a in program.plans[time]] == plan
        overruns += program.scheduler.state.n_overruns
    assert overruns > 0
