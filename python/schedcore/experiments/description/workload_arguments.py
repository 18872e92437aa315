"""Arguments of workloads: which there are, and the instances that they make for each job set.

Those of generators and readers are known by name. Every workload takes the ``machines`` that it runs on, and what asks
for a transform (`schedcore.workloads.transforms.table`).
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from schedcore.experiments.description.declared import Count, Scalar, check
from schedcore.experiments.description.refusals import refuse_if
from schedcore.experiments.description.workload import Workload
from schedcore.model.choices import check_choice
from schedcore.workloads.generators import GENERATORS
from schedcore.workloads.loading import reader_options
from schedcore.workloads.transforms.table import TRANSFORM_OF, TRANSFORMS

__all__ = [
    "arguments_of_source",
    "arguments_of_transforms",
    "check_argument",
    "check_arguments",
    "has_job_set",
    "instances",
]

_OF_EVERY_WORKLOAD = ("machines", *(name for transform in TRANSFORMS for name in transform.arguments))
_DRAWN = {transform.draws for transform in TRANSFORMS}
#: Of readers that draw an instance from what a file holds, or a part of one: job set s is then its ``seed=s``.
_DRAWN_FROM_A_FILE = ("cls", "n_types", "n_tasks", "placement", "n_remote", "weights")


def check_argument(workload: Workload, argument: str, value: Any) -> None:
    """Refuse an argument that the workload does not have, and a value of the wrong kind."""
    if workload.is_generator:
        own = GENERATORS[workload.source].parameters
        check_choice(f"argument of {workload.source}", argument, [*own, *_OF_EVERY_WORKLOAD])
    else:
        known = dict.fromkeys([*reader_options(), "full_jobs", *_OF_EVERY_WORKLOAD])
        check_choice("argument of a file", argument, [name for name in known if name not in _DRAWN])
    check(Count if argument == "full_jobs" else Scalar, argument, value)
    if argument in TRANSFORM_OF:
        TRANSFORM_OF[argument].arguments[argument](argument, value)
    elif workload.is_generator and argument != "machines":
        GENERATORS[workload.source].check_argument(argument, value)


def check_arguments(workload: Workload, parameters: Mapping[str, Any]) -> None:
    """Refuse checked arguments that make no instance together."""
    arguments = {**workload.arguments, **parameters}
    if "full_jobs" in arguments:
        refuse_if("factor" in arguments, "full_jobs and factor exclude each other")
        n_jobs, full_jobs = arguments.get("n_jobs", 1), arguments["full_jobs"]
        check(Count, "n_jobs", n_jobs)
        refuse_if(n_jobs > full_jobs, f"n_jobs = {n_jobs} is more than full_jobs = {full_jobs}")
    for transform in TRANSFORMS:
        n_given = sum(name in arguments for name in transform.arguments)
        refuse_if(n_given > 1, f"{' and '.join(transform.arguments)} exclude each other")
    if workload.is_generator:
        draws_seed = _n_job_sets(_with_factor(arguments)) is None
        missing = [
            name
            for name in GENERATORS[workload.source].required
            if name not in arguments and not (name == "seed" and draws_seed)
        ]
        refuse_if(bool(missing), f"{workload.source} needs {', '.join(missing)}")


def has_job_set(workload: Workload, parameters: Mapping[str, Any], job_sets: Sequence[int]) -> bool:
    """Whether there is any of these job sets."""
    most = _n_job_sets(_with_factor({**workload.arguments, **parameters}))
    return most is None or any(1 <= job_set <= most for job_set in job_sets)


def instances(
    workload: Workload, parameters: Mapping[str, Any], job_sets: Sequence[int]
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Return each job set with its arguments, defaults of generators filled in."""
    arguments = {**workload.arguments, **parameters}
    has_seed = any(name in arguments for name in _DRAWN_FROM_A_FILE)
    if workload.is_generator:
        defaults = GENERATORS[workload.source].parameters
        arguments = {**{name: value for name, value in defaults.items() if value is not None}, **arguments}
        has_seed = "seed" in defaults
    arguments = _with_factor(arguments)
    most = _n_job_sets(arguments)
    draws_seed = most is None and has_seed and "seed" not in arguments
    drawing = [transform for transform in TRANSFORMS if transform.draws and transform.is_asked_by(arguments)]
    if not drawing and not draws_seed:
        yield 1, arguments
        return
    for job_set in job_sets:
        if most is None or 1 <= job_set <= most:
            drawn = {"seed": job_set} if draws_seed else {}
            drawn |= {str(transform.draws): transform.draw(arguments, job_set) for transform in drawing}
            yield job_set, {**arguments, **drawn}


def arguments_of_source(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return those of the arguments of an instance that the generator or reader takes."""
    return {name: value for name, value in arguments.items() if name not in TRANSFORM_OF}


def arguments_of_transforms(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the others, which are applied to what the source holds."""
    return {name: value for name, value in arguments.items() if name in TRANSFORM_OF}


def _with_factor(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments with `full_jobs` as a factor, and without a factor of 1."""
    completed = dict(arguments)
    full_jobs = completed.pop("full_jobs", None)
    if full_jobs is not None and "n_jobs" in completed:
        completed["factor"] = full_jobs // completed.pop("n_jobs")
    if completed.get("factor") == 1:
        del completed["factor"]
    return completed


def _n_job_sets(arguments: Mapping[str, Any]) -> int | None:
    """How many job sets there are, from 1 on; None if there is one of every number."""
    limits = [
        transform.n_job_sets(arguments)
        for transform in TRANSFORMS
        if transform.n_job_sets and transform.is_asked_by(arguments)
    ]
    return min(limits, default=None)
