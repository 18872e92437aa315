"""Bounds on clusters: never above a schedule, and above those that forget labels, tasks, outages and machines."""

import itertools
from typing import Any

import numpy as np
import pytest

import schedcore as sc
from differential.cluster_cases import GANG_SETTINGS, SINGLE_SETTINGS, Setting, instances_for, name_of
from differential.cluster_model import model_incidents, model_instance
from example_shares import n_or_more
from schedcore import metrics
from schedcore.bounds import lower_bound

OBJECTIVES = {
    "awct": metrics.awct,
    "average_response_time": metrics.average_response_time,
    "makespan": metrics.makespan,
}
#: Whose options the library takes as they are.
SETTINGS = [
    setting for setting in GANG_SETTINGS + SINGLE_SETTINGS if not any(map(callable, setting[1].values()))
]


@pytest.mark.parametrize("setting", SETTINGS, ids=name_of)
def test_no_bound_is_above_what_a_policy_reaches(setting: Setting) -> None:
    policy, options = setting
    n_bounds = 0
    for case in instances_for(setting, n_or_more(36), first=500):
        inst = model_instance(case)
        for incidents in (model_incidents(case), None):
            result = sc.solve(policy, inst, incidents=incidents, infeasible="drop", **options)
            assert result.runs is not None
            assert result.outcome is not None
            completed = result.outcome == "completed"
            assert (result.lower_bound is None) == (not completed.any())
            if result.lower_bound is None:
                continue
            n_bounds += 1
            assert result.lower_bound <= result.value
            if incidents is None and completed.all():
                for objective, metric in OBJECTIVES.items():
                    assert lower_bound(inst, objective).value <= metric(inst, result.runs)
    assert n_bounds > 60


@pytest.mark.parametrize("seed", range(20))
def test_rounding_of_times_that_are_no_integers_is_not_below_a_bound(seed: int) -> None:
    draw = np.random.default_rng(seed)
    release = 1e6 + draw.random(40) * 30
    jobs = sc.Jobs(
        0.1 + draw.random(40), np.ones((40, 1), dtype=int), release, n_tasks=draw.integers(1, 3, 40)
    )
    inst = sc.Instance(jobs, sc.Machines([[1]] * 90, labels=[["a"]] + [[]] * 89))
    result = sc.solve("first_fit", inst, incidents=sc.Incidents(failures=sc.Outages([89], [0.5], [0.75])))
    assert result.lower_bound is not None
    # Nobody waits: nothing is above the bound but what times lose by rounding.
    assert result.lower_bound <= result.value
    assert result.value == pytest.approx(result.lower_bound)


def optimum(inst: sc.Instance, horizon: int) -> float:
    """The least sum of completion times of single tasks on machines, by trying every start on every machine."""
    places = [
        itertools.product(range(int(release), horizon), range(inst.n_machines))
        for release in inst.jobs.release_time
    ]
    chosen = np.array(list(itertools.product(*places)), dtype=float)
    start, machine = chosen[:, :, 0], chosen[:, :, 1].astype(int)
    totals = ((start + inst.processing_time) * inst.jobs.weight).sum(axis=1)
    # From the least on, so that the first one that is valid is the best.
    for row in np.argsort(totals, kind="stable"):
        if sc.validate(inst, sc.Schedule(start[row], machine[row])).ok:
            return float(totals[row])
    return np.inf


@pytest.mark.parametrize("seed", [seed for seed in range(13) if seed != 4])  # of 4, a job fits nowhere
def test_no_bound_is_above_the_optimum(seed: int) -> None:
    draw = np.random.default_rng(seed)
    machines = sc.Machines([[2, 0], [2, 1]], labels=[["a"], ["b"]])
    jobs = sc.Jobs(
        draw.integers(1, 4, 3).astype(float),
        np.column_stack([draw.integers(1, 3, 3), draw.integers(0, 2, 3)]),
        draw.integers(0, 2, 3).astype(float),
        weight=draw.integers(1, 4, 3).astype(float),
        constraint=draw.choice(["", "b", "!a"], 3).astype(object),
    )
    begin = draw.integers(0, 3, 2).astype(float)
    inst = sc.Instance(jobs, machines, sc.Outages([0, 1], begin, begin + draw.integers(1, 3, 2)))
    assert lower_bound(inst, "weighted_completion").value <= optimum(inst, 9) < np.inf


def test_jobs_that_fit_few_machines_are_bounded_on_these() -> None:
    # Four jobs of 4 that need a GPU, of which there is one, beside six machines without: 4 + 8 + 12 + 16, and 2.
    jobs = sc.Jobs([4.0, 4, 4, 4, 2], [[1, 1]] * 4 + [[1, 0]])
    machines = sc.Machines([[4, 0]] * 6 + [[4, 1]], ["cores", "gpus"], weight=[0] * 6 + [1])
    inst = sc.Instance(jobs, machines)
    assert lower_bound(inst).value == pytest.approx((4 + 8 + 12 + 16 + 2) / 5)
    assert lower_bound(inst, "makespan").value == pytest.approx(16)
    assert sc.solve("pq", inst).gap() == pytest.approx(0)
    # The same by a label: cores of the one machine, of which two jobs would be 6 of 4; work 4 * 3 * 4 on 4 cores.
    labelled = sc.Instance(
        sc.Jobs([4.0] * 4, [[3]] * 4, constraint="fast"), sc.Machines([[4]] * 7, labels=[["fast"]] + [[]] * 6)
    )
    anywhere = labelled.replace(constraint="")
    assert lower_bound(labelled, "makespan").value == pytest.approx(12)
    assert lower_bound(anywhere, "makespan").value == 4
    assert lower_bound(labelled).value > lower_bound(anywhere).value


def test_all_tasks_count_and_machines_that_are_kept_from_others() -> None:
    machines = sc.Machines([[4]] * 2)
    gangs = sc.Instance(sc.Jobs([3.0] * 4, [[1]] * 4, n_tasks=8), machines)
    assert lower_bound(gangs, "makespan").value == pytest.approx(12)
    assert lower_bound(gangs).value == pytest.approx((3 + 6 + 9 + 12) / 4)
    # Two machines each, whatever the tasks need.
    alone = sc.Instance(sc.Jobs([3.0] * 4, [[1]] * 4, n_tasks=5, exclusive=True), machines)
    assert lower_bound(alone, "makespan").value == pytest.approx(12)
    spread = sc.Instance(
        sc.Jobs([3.0] * 4, [[1]] * 4, n_tasks=2, exclusive=True, max_tasks_per_machine=1), machines
    )
    assert lower_bound(spread, "makespan").value == pytest.approx(12)


def test_outages_delay_jobs_and_take_capacity() -> None:
    jobs = sc.Jobs([4.0, 2.0], [[2], [2]], [0.0, 1.0])
    down = sc.Outages([0, 1], [3.0, 3.0], [10.0, 10.0])
    inst = sc.Instance(jobs, sc.Machines([[2], [2]]), down)
    # Job 0 does not end before 3, so it starts at 10; job 1 runs in [1, 3).
    assert lower_bound(inst, "makespan").value == pytest.approx(14)
    assert lower_bound(inst, "weighted_completion").value == 14 + 3
    # One machine of two is up in [3, 10): 40 units of work, 2 * 2 * 3 until then and 2 * 7 within, 14 left at rate 4.
    many = sc.Instance(
        sc.Jobs([1.0] * 20, [[2]] * 20), sc.Machines([[2], [2]]), sc.Outages([0], [3.0], [10.0])
    )
    assert lower_bound(many, "makespan").value == pytest.approx(10 + 14 / 4)
    endless = many.replace(outages=sc.Outages([0, 1], [3.0, 3.0], [np.inf, np.inf]))
    assert lower_bound(endless, "makespan").value >= 3


def test_a_result_is_bounded_by_the_jobs_that_completed() -> None:
    inst = sc.Instance(sc.Jobs([4.0, 5.0, 6.0], [[2]] * 3), sc.Machines([[2]]))
    result = sc.solve("fcfs", inst, incidents=sc.Incidents(sc.Outages([0], [2.0], [3.0]), {1: 1.0}))
    # Job 0 in [3, 7), job 2 in [7, 13); alone 4 and 10.
    assert (result.value, result.lower_bound) == (pytest.approx(10 - 0.0), pytest.approx(7.0))
    nothing = sc.solve("fcfs", inst, incidents=sc.Incidents(None, {0: 0.0, 1: 0.0, 2: 0.0}))
    assert nothing.lower_bound is None


@pytest.mark.parametrize("objective", ["flow_time", "l2_norm", "flow_power_sum", "fractional_flow_time"])
def test_what_is_not_proven_for_several_tasks_is_refused(objective: str) -> None:
    gangs = sc.Instance(sc.Jobs([3.0] * 2, [[1]] * 2, n_tasks=2), sc.Machines([[4]]))
    with pytest.raises(sc.UnsupportedError, match="jobs of several tasks"):
        lower_bound(gangs, objective)


def test_labels_that_nobody_asks_for_change_no_bound() -> None:
    def bounds_of(machines: Any) -> list[float]:
        inst = sc.Instance(sc.Jobs([4.0, 2.0, 3.0], [[2], [1], [2]], weight=[1, 3, 1]), machines)
        return [lower_bound(inst, objective).value for objective in OBJECTIVES]

    plain = bounds_of(sc.Machines([[2], [2]]))
    assert bounds_of(sc.Machines([[2], [2]], labels=[["a"], []], weight=[1, 0])) == plain
