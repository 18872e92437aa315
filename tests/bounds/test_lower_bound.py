"""One question for every kind of instance: what `lower_bound` answers, and that the older names answer the same."""

import math
from typing import Any

import numpy as np
import pytest

import schedcore
from schedcore import Instance, InvalidInstanceError, UnsupportedError, bounds, metrics
from schedcore.bounds import LowerBound, lower_bound, lower_bound_methods
from schedcore.colocation import lower_bound as cost_bound
from schedcore.workloads import generate

UNIFORM = {
    "n_machines": 2, "n_resources": 2, "capacity": 20, "max_processing_time": 9, "max_weight": 5,
    "max_release_time": 30, "max_demand": 12,
}  # fmt: skip
JOBS = generate("uniform", n_jobs=12, seed=1, **UNIFORM)
SLOTTED = generate("slotted_standin", n_jobs=8, seed=1, window=40)
TASKS = generate("colocation_grid", cls=3, n_types=3, n_tasks=20, n_machines=4, seed=1)
PARALLEL = generate("parallel_task_standin", n_jobs=4, n_machines=3, seed=1)
SEVERAL = generate("parallel_task_standin", n_jobs=4, n_machines=3, seed=1, placement="local_remote")
MAP_REDUCE = generate("mapreduce_standin", n_jobs=6, seed=1, window=50)
KINDS = [JOBS, SLOTTED, TASKS, PARALLEL, SEVERAL, MAP_REDUCE]
QUESTIONS = [
    (index, objective, method)
    for index, inst in enumerate(KINDS)
    for objective, methods in lower_bound_methods(inst).items()
    for method in methods
    if not (inst is SEVERAL and method == "lp3")
]


@pytest.mark.parametrize(("index", "objective", "method"), QUESTIONS)
def test_every_method_that_is_listed_answers(index: int, objective: str, method: str) -> None:
    found = lower_bound(KINDS[index], objective, method)
    assert (found.objective, found.method) == (objective, method)
    assert float(found) == found.value >= 0
    assert found.is_exact == (found.status in (None, "optimal"))
    assert (found.holds_for is None) == (KINDS[index] not in (PARALLEL, SEVERAL))


@pytest.mark.parametrize(
    ("inst", "policy", "options"),
    [
        (JOBS, "pq", {}),
        (TASKS, "sched_mixed", {"bound": "qcp"}),
        (PARALLEL, "psrs", {}),
        (SEVERAL, "jsq_mw", {}),
        (MAP_REDUCE, "srpt", {}),
    ],
)
def test_the_default_is_what_results_are_compared_with(
    inst: Any, policy: str, options: dict[str, Any]
) -> None:
    if inst is PARALLEL or inst is SEVERAL:
        inst = inst.replace(release_time=0 * inst.release_time)
    result = schedcore.solve(policy, inst, **options)
    found = lower_bound(inst)
    assert found.objective == result.objective
    assert found.value == result.lower_bound <= result.value


def test_a_policy_in_slots_is_compared_with_jobs_that_never_wait() -> None:
    result = schedcore.solve("srpt", SLOTTED)
    assert lower_bound(SLOTTED, result.objective).value == result.lower_bound


@pytest.mark.parametrize("objective", ["awct", "weighted_completion", "average_response_time", "makespan"])
def test_no_method_beats_a_schedule(objective: str) -> None:
    worth = getattr(metrics, objective)(JOBS, schedcore.solve("pq", JOBS).schedule)
    for method in lower_bound_methods(JOBS)[objective]:
        assert lower_bound(JOBS, objective, method).value <= worth


def test_older_names_give_the_same_numbers() -> None:
    named = bounds.lower_bounds(JOBS)
    assert {name: lower_bound(JOBS, "weighted_completion", name).value for name in named} == named
    assert lower_bound(JOBS).value == bounds.awct_lower_bound(JOBS)
    assert lower_bound(JOBS, "makespan").value == bounds.makespan_lower_bound(JOBS)
    responses = bounds.average_response_time_lower_bound(JOBS)
    assert lower_bound(JOBS, "average_response_time").value == responses
    for k in (1, 2, 3):
        assert lower_bound(SLOTTED, "fractional_flow_time", k=k).value == bounds.fractional_lower_bound(
            SLOTTED, k
        )
        for inst, method in ((SLOTTED, "program"), (MAP_REDUCE, "alone")):
            assert lower_bound(inst, "flow_power_sum", method, k=k).value == bounds.flow_power_lower_bound(
                inst, k
            )
    for method in lower_bound_methods(TASKS)["max_cost"]:
        found = lower_bound(TASKS, method=method)
        assert (found.value, found.is_exact) == cost_bound(TASKS, method)
    for program in ("lp1", "lp2", "lp3"):
        both = [lower_bound(PARALLEL, method=method).value for method in ("alone", program)]
        assert max(both) == bounds.relaxation_bound(PARALLEL, program)
    assert lower_bound(PARALLEL).value == bounds.relaxation_bound(PARALLEL)


def test_a_bound_says_how_it_was_found() -> None:
    assert lower_bound(PARALLEL, method="lp1") == LowerBound(
        lower_bound(PARALLEL, method="lp1").value, "weighted_completion_time", "lp1", "optimal", "migrate"
    )
    assert lower_bound(PARALLEL, method="lp2").holds_for == "migrate"  # no task has another machine to go to
    assert lower_bound(SEVERAL, method="lp2").holds_for == "preempt"
    assert lower_bound(SEVERAL, method="lp2", time_limit=1e-9).status == "time_limit"
    assert lower_bound(SLOTTED, "fractional_flow_time").status == "optimal"
    hard = generate("slotted_standin", n_jobs=60, seed=1, window=100)
    assert lower_bound(hard, "fractional_flow_time", time_limit=1e-9).status == "time_limit"
    assert lower_bound(TASKS, method="simple").status is None


def test_unknown_objectives_and_methods_are_told_with_those_that_come_close() -> None:
    with pytest.raises(
        InvalidInstanceError, match="unknown objective 'makspan' of Instance; did you mean 'makespan'"
    ):
        lower_bound(JOBS, "makspan")
    with pytest.raises(
        InvalidInstanceError, match=r"unknown method 'split_7' for awct; did you mean .*split_1"
    ):
        lower_bound(JOBS, "awct", "split_7")
    with pytest.raises(InvalidInstanceError, match="unknown objective 'awct' of ColocationInstance"):
        lower_bound(TASKS, "awct")
    with pytest.raises(TypeError, match="there are bounds for instances, not for Jobs"):
        lower_bound(JOBS.jobs)
    with pytest.raises(InvalidInstanceError, match="k = 65"):
        lower_bound(SLOTTED, "flow_power_sum", k=65)
    for wrong in (np.array(["awct", "makespan"]), 3, ["awct"]):
        with pytest.raises(InvalidInstanceError, match="unknown objective"):
            lower_bound(JOBS, wrong)  # type: ignore[arg-type]
        with pytest.raises(InvalidInstanceError, match="unknown method"):
            lower_bound(JOBS, "awct", wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("index", range(len(KINDS)))
def test_a_limit_of_time_is_seconds_above_0_whatever_is_bounded(index: int) -> None:
    for wrong in ("2", True):
        with pytest.raises(TypeError, match="time_limit must be a number of seconds"):
            lower_bound(KINDS[index], time_limit=wrong)  # type: ignore[arg-type]
    for number in (10**400, 0, -1.0, np.inf, np.nan):
        with pytest.raises(InvalidInstanceError, match=r"time_limit = .* must be finite and above 0"):
            lower_bound(KINDS[index], time_limit=number)


@pytest.mark.parametrize(
    ("older", "kinds"),
    [
        (bounds.lower_bounds, Instance),
        (bounds.awct_lower_bound, Instance),
        (bounds.average_response_time_lower_bound, Instance),
        (bounds.makespan_lower_bound, Instance),
        (lambda inst: bounds.mean_busy_times(inst, []), Instance),
        (
            bounds.fractional_lower_bound,
            (Instance, schedcore.MapReduceInstance),
        ),  # the second in words of its own
        (bounds.flow_power_lower_bound, (Instance, schedcore.MapReduceInstance)),
        (bounds.relaxation_bound, schedcore.ParallelTaskInstance),
        (cost_bound, schedcore.ColocationInstance),
    ],
)
def test_older_names_say_what_they_are_for(older: Any, kinds: Any) -> None:
    for inst in KINDS:
        if not isinstance(inst, kinds):
            with pytest.raises(UnsupportedError, match=rf" bounds .*, not {type(inst).__name__}"):
                older(inst)
    with pytest.raises(TypeError, match=r": instance must be a schedcore\..*, not NoneType"):
        older(None)


def test_costs_are_bounded_by_the_one_question_too() -> None:
    assert "lower_bound" not in schedcore.colocation.__all__
    for limit in ("2", True):
        with pytest.raises(TypeError, match="time_limit must be a number of seconds"):
            cost_bound(TASKS, time_limit=limit)  # type: ignore[arg-type]
    with pytest.raises(InvalidInstanceError, match="must be finite and at least 0"):
        cost_bound(TASKS, time_limit=10**400)
    assert cost_bound(TASKS, time_limit=math.inf) == cost_bound(TASKS)


def test_flow_times_are_bounded_in_whole_slots_alone() -> None:
    broken = Instance(JOBS.jobs.replace(processing_time=JOBS.processing_time + 0.5), JOBS.machines)
    for objective in ("flow_power_sum", "flow_time", "l2_norm", "fractional_flow_time"):
        with pytest.raises(InvalidInstanceError, match="must be a whole number of slots"):
            lower_bound(broken, objective)
