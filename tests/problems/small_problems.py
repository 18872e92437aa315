"""A small instance of every kind of problem, and policies for it."""

from typing import Any

import schedcore
from schedcore import registry
from schedcore.problems import Problem
from schedcore.problems.colocation import ColocationProblem
from schedcore.problems.jobs import JobsProblem
from schedcore.problems.map_reduce import MapReduceProblem
from schedcore.problems.parallel_tasks import ParallelTasksProblem
from schedcore.problems.slotted_jobs import JobsInSlotsProblem
from schedcore.workloads import generate

_GENERATORS: dict[type[Problem[Any]], tuple[str, dict[str, Any]]] = {
    JobsProblem: ("azure_like", {"n_jobs": 30, "n_machines": 2, "seed": 1}),
    ColocationProblem: (
        "colocation_grid",
        {"cls": 3, "n_types": 3, "n_tasks": 20, "n_machines": 4, "seed": 1},
    ),
    ParallelTasksProblem: ("parallel_task_standin", {"n_jobs": 5, "n_machines": 3, "seed": 1}),
    JobsInSlotsProblem: ("slotted_standin", {"n_jobs": 10, "window": 40, "seed": 1}),
    MapReduceProblem: ("mapreduce_standin", {"n_jobs": 6, "window": 50, "seed": 1}),
}


def small(kind: type[Problem[Any]]) -> Problem[Any]:
    """Another kind of problem needs a line here."""
    generator, arguments = _GENERATORS[kind]
    return kind(generate(generator, **arguments))


def policies_of(problem: Problem[Any]) -> list[str]:
    """The policies that are compared by default, with their options; of jobs in slots there are none."""
    return list(problem.policies()) or ["srpt", "ocorp"]


def a_result_of(problem: Problem[Any]) -> schedcore.Result:
    """What some policy makes of it."""
    name = next(a.name for a in registry.algorithms() if problem.takes(a) and not a.needs_zero_releases)
    return schedcore.solve(name, problem.inst)


def a_schedule_of(problem: Problem[Any]) -> Any:
    return a_result_of(problem).schedule
