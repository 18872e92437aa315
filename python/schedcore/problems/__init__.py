"""The kinds of problems that policies solve, one entry of a table each.

Whoever runs, compares, records or draws policies asks this table and names no kind: see `Problem` for what is said of
each, and ``ARCHITECTURE.md`` for how to add one.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from schedcore import registry
from schedcore.errors import UnsupportedError
from schedcore.model import AnyInstance, Incidents
from schedcore.model.choices import check_choice
from schedcore.problems.colocation import ColocationProblem
from schedcore.problems.jobs import JobsProblem
from schedcore.problems.map_reduce import MapReduceProblem
from schedcore.problems.parallel_tasks import ParallelTasksProblem
from schedcore.problems.policy_choice import RECORDED, PolicyChoice
from schedcore.problems.problem import Problem
from schedcore.problems.slotted_jobs import JobsInSlotsProblem

__all__ = [
    "PROBLEMS",
    "Problem",
    "check_policies",
    "kind_named",
    "kinds_of",
    "problem_of",
    "problem_of_schedule",
    "refusal",
]

_ABOUT_JOBS = "that is about jobs over time, these are {title}"

#: In the order of their columns in results; of several for one type of instance the usual one first.
PROBLEMS: tuple[type[Problem[Any]], ...] = (
    JobsProblem,
    ColocationProblem,
    ParallelTasksProblem,
    JobsInSlotsProblem,
    MapReduceProblem,
)


def kinds_of(instance_type: type[AnyInstance]) -> list[type[Problem[Any]]]:
    """Return the kinds of problems that instances of a type can be, the usual one first."""
    return [kind for kind in PROBLEMS if issubclass(instance_type, kind.instance_type)]


def kind_named(name: str | None) -> type[Problem[Any]] | None:
    """Return the kind of problem of that name; an `InvalidInstanceError` with close matches if there is none."""
    if name is None:
        return None
    kinds = {kind.name: kind for kind in PROBLEMS}
    check_choice("problem", name, kinds)
    return kinds[name]


def problem_of(
    inst: AnyInstance,
    policy: str | None = None,
    *,
    in_slots: bool = False,
    incidents: Incidents | None = None,
    objective: str | None = None,
) -> Problem[Any]:
    """Return the problem that a policy makes of an instance, or one in slots; by default the usual one."""
    known = kinds_of(type(inst))
    if policy is not None and policy != RECORDED:
        algorithm = registry.get(policy)
        asked = [kind for kind in known if kind.takes(algorithm)]
    else:
        asked = [kind for kind in known if kind.in_slots == in_slots]
    return next(iter(asked), known[0])(inst, incidents, objective)


def problem_of_schedule(inst: AnyInstance, path: Path, schedule_kind: str | None = None) -> Problem[Any]:
    """Return the problem whose schedules a file holds, if they can be of a class that `schedcore.validate` knows."""
    usual, *others = kinds_of(type(inst))
    for kind in others:
        if (schedule_kind is None or schedule_kind in kind.schedule_kinds) and kind.recognises(path):
            return kind(inst)
    return usual(inst)


def check_policies(inst: AnyInstance, choices: Sequence[PolicyChoice]) -> None:
    """Raise an `UnsupportedError` that names the first policy which is for another kind of workload than the others."""
    choices = [choice for choice in choices if not choice.is_recorded]
    for choice in choices:
        algorithm = registry.get(choice.name)
        if not algorithm.solves(type(inst)):
            solved = " and ".join(map(_title, (algorithm.instance_kind, *algorithm.also_solves)))
            raise UnsupportedError(
                f"{choice.label} is for {solved}, and the workload has {_title(type(inst))}"
            )
    first = {type(problem_of(inst, choice.name)): choice.label for choice in reversed(choices)}
    if len(first) > 1:
        usual, *_, other = sorted(first, key=PROBLEMS.index)
        raise UnsupportedError(
            f"{first[other]} {other.distinction}, and {first[usual]} does not: their figures are not the same, so "
            f"compare them apart"
        )


def refusal(kind: type[Problem[Any]], option: str) -> str | None:
    """Return why an option of commands means nothing to a kind of problem; None if it takes the option."""
    if option in kind.accepts or (option == "kind" and kind.schedule_kinds):
        return None
    usual = _about_schedule_kinds() if option == "kind" else _ABOUT_JOBS
    return kind.refused.get(option, usual).format(title=kind.title)


def _about_schedule_kinds() -> str:
    told = [f"{kind.title} ({', '.join(kind.schedule_kinds)})" for kind in PROBLEMS if kind.schedule_kinds]
    return f"that is about {', '.join(told)}"


def _title(instance_type: type[AnyInstance]) -> str:
    return kinds_of(instance_type)[0].title
