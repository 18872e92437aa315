"""Arguments of workloads: which there are, and the instances that they make for each job set.

Those of generators and readers are known by name; `SHARED_ARGUMENTS` are taken by every workload.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from schedcore.errors import InvalidInstanceError
from schedcore.experiments.description.plain_values import (
    check_count,
    check_flag,
    check_known,
    check_number,
    check_scalar,
)
from schedcore.workloads import GENERATORS, downsampling_offset, reader_options

if TYPE_CHECKING:
    from schedcore.experiments.description.experiment import Workload

__all__ = ["arguments_of_source", "check_argument", "check_arguments", "has_job_set", "instances"]

#: See `Workload`.
SHARED_ARGUMENTS = (
    "factor", "full_jobs", "machines", "total_resources", "first_jobs", "exact_estimates",
    "poisson_average_queue", "poisson_mean_gap", "at_time_zero", "traffic_intensity", "first_resources",
    "misestimate_variance",
)  # fmt: skip
_FLAGS = ("exact_estimates", "at_time_zero")
_COUNTS = ("factor", "full_jobs", "total_resources", "first_jobs", "first_resources")
_POISSON = ("poisson_average_queue", "poisson_mean_gap")
_NUMBERS = (*_POISSON, "misestimate_variance")
#: Of readers that draw an instance from what a file holds, or a part of one: job set s is then its ``seed=s``.
_DRAWN_FROM_A_FILE = ("cls", "n_types", "n_tasks", "placement", "n_remote", "weights")
#: Applied to the instance after its source has been read, so that all job sets share the full list.
_APPLIED_LATER = (
    "factor", "offset", "total_resources", "resource_seed", "first_jobs", "exact_estimates", *_POISSON, "arrival_seed",
    "at_time_zero", "traffic_intensity", "first_resources", "misestimate_variance", "misestimate_seed",
)  # fmt: skip


def check_argument(place: str, workload: Workload, argument: str, value: Any) -> None:
    """Refuse an argument that the workload does not have, and a value of the wrong kind."""
    if workload.is_generator:
        own = [*GENERATORS[workload.source].parameters]
        shared = [name for name in SHARED_ARGUMENTS if name != "full_jobs"]
        check_known(place, f"argument of {workload.source}", argument, [*own, *shared])
    else:
        known = [name for name in dict.fromkeys([*reader_options(), *SHARED_ARGUMENTS]) if name != "offset"]
        check_known(place, "argument of a file", argument, known)
    check_scalar(place, argument, value)
    if argument in _COUNTS:
        check_count(place, argument, value)
    elif argument in _FLAGS:
        check_flag(place, argument, value)
    elif argument in _NUMBERS:
        check_number(place, argument, value)
    elif argument == "traffic_intensity":
        check_number(place, argument, value)
        if value == 0:
            raise InvalidInstanceError(f"{place}: traffic_intensity = {value!r} must be above 0")
    elif workload.is_generator and argument != "machines":
        try:
            GENERATORS[workload.source].check_argument(argument, value)
        except InvalidInstanceError as error:
            raise InvalidInstanceError(f"{place}: {error}") from None


def check_arguments(place: str, workload: Workload, parameters: Mapping[str, Any]) -> None:
    """Refuse checked arguments that make no instance together."""
    arguments = {**workload.arguments, **parameters}
    if "full_jobs" in arguments:
        if "factor" in arguments:
            raise InvalidInstanceError(f"{place}: full_jobs and factor exclude each other")
        check_count(place, "n_jobs", arguments.get("n_jobs", 1))
        if arguments.get("n_jobs", 1) > arguments["full_jobs"]:
            raise InvalidInstanceError(
                f"{place}: n_jobs = {arguments['n_jobs']} is more than full_jobs = {arguments['full_jobs']}"
            )
    if all(name in arguments for name in _POISSON):
        raise InvalidInstanceError(f"{place}: {' and '.join(_POISSON)} exclude each other")
    factor = _with_factor(arguments).get("factor", 1)
    if workload.is_generator:
        given = arguments if factor > 1 else {"seed", *arguments}
        missing = [name for name in GENERATORS[workload.source].required if name not in given]
        if missing:
            raise InvalidInstanceError(f"{place}: {workload.source} needs {', '.join(missing)}")


def has_job_set(workload: Workload, parameters: Mapping[str, Any], job_sets: Sequence[int]) -> bool:
    """Whether there is any of these job sets: a factor f makes 1..f."""
    factor = _with_factor({**workload.arguments, **parameters}).get("factor")
    return factor is None or any(1 <= job_set <= factor for job_set in job_sets)


def instances(
    workload: Workload, parameters: Mapping[str, Any], job_sets: Sequence[int]
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Return each job set with its arguments, defaults of generators filled in."""
    arguments = {**workload.arguments, **parameters}
    draws_seed = False
    if workload.is_generator:
        defaults = GENERATORS[workload.source].parameters
        arguments = {**{name: value for name, value in defaults.items() if value is not None}, **arguments}
        draws_seed = "seed" in defaults and "seed" not in arguments
    elif any(name in arguments for name in _DRAWN_FROM_A_FILE):
        draws_seed = "seed" not in arguments
    arguments = _with_factor(arguments)
    factor = arguments.get("factor", 1)
    if factor > 1:
        for job_set in job_sets:
            if 1 <= job_set <= factor:
                offset = downsampling_offset(factor, job_set)
                yield job_set, _with_draws({**arguments, "offset": offset}, job_set)
    elif draws_seed:
        for job_set in job_sets:
            yield job_set, _with_draws({**arguments, "seed": job_set}, job_set)
    elif _with_draws(arguments, 1) != arguments:
        for job_set in job_sets:
            yield job_set, _with_draws(arguments, job_set)
    else:
        yield 1, arguments


def arguments_of_source(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return those of the arguments of an instance that the generator or reader takes."""
    return {name: value for name, value in arguments.items() if name not in _APPLIED_LATER}


def _with_factor(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments with `full_jobs` as a factor, and without a factor of 1."""
    completed = dict(arguments)
    full_jobs = completed.pop("full_jobs", None)
    if full_jobs is not None and "n_jobs" in completed:
        completed["factor"] = full_jobs // completed.pop("n_jobs")
    if completed.get("factor") == 1:
        del completed["factor"]
    return completed


def _with_draws(arguments: dict[str, Any], job_set: int) -> dict[str, Any]:
    """`arguments`, with the seeds of the resources, arrivals and estimates that are drawn if there are any."""
    drawn = dict(arguments)
    if "total_resources" in arguments:
        drawn["resource_seed"] = job_set
    if any(name in arguments for name in _POISSON):
        drawn["arrival_seed"] = job_set
    if "misestimate_variance" in arguments:
        drawn["misestimate_seed"] = job_set
    return drawn
