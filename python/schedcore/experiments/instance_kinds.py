"""What an experiment records of each kind of instance: its size, figures of merit, and the schedule on demand.

A family of problems with an instance type of its own is one more entry of `_KINDS`; its columns stand in `schema`.
Jobs are of two kinds: where a policy works in slots, its runs are measured as those of map and reduce jobs are.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

from schedcore import registry
from schedcore.errors import InvalidInstanceError, UnsupportedError
from schedcore.experiments.epoch_options import with_epoch_lengths
from schedcore.experiments.slotted_runs import curves, demands, figures_of_slots, sizes
from schedcore.metrics import delay_quantiles, summary, task_summary
from schedcore.model import (
    AnyInstance,
    ColocationInstance,
    ColocationResult,
    Instance,
    MapReduceInstance,
    ParallelTaskInstance,
    ParallelTaskResult,
    Result,
)

__all__ = ["InstanceKind", "kind_of", "kind_of_run", "title_of", "works_in_slots"]

_N_DELAY_QUANTILES = 1000


@dataclass(frozen=True, slots=True)
class InstanceKind:
    """How to describe instances of one type and what came of them.

    Attributes
    ----------
    title : str
        What messages call what is in such an instance.
    size : callable
        ``size(instance)``: the columns n_jobs, n_tasks, n_machines and n_resources.
    figures : callable
        ``figures(instance, result, tau)``: figures of merit by name, those of the rows and others.
    keepable : mapping of str to callable
        What a sweep may keep -> ``(instance, result)`` to the columns that it fills.
    read_options : callable
        ``read_options(instance, options)``: the options as `solve` takes them; by default as they are.
    """

    title: str
    size: Callable[[Any], dict[str, int | None]]
    figures: Callable[[Any, Any, float], dict[str, Any]]
    keepable: Mapping[str, Callable[[Any, Any], dict[str, Any]]]
    read_options: Callable[[Any, Mapping[str, Any]], Mapping[str, Any]] = lambda _, options: options

    def check_keep(self, keep: Collection[str]) -> None:
        """Raise an `UnsupportedError` if a sweep keeps what results of this kind do not have."""
        for column in keep:
            if column not in self.keepable:
                known = ", ".join(self.keepable) or "nothing"
                raise UnsupportedError(f"{self.title} have no {column} to keep (what they have: {known})")

    def kept(self, inst: AnyInstance, result: Result, keep: Collection[str]) -> dict[str, Any]:
        """The columns that a sweep keeps."""
        return {name: entry for column in keep for name, entry in self.keepable[column](inst, result).items()}


def kind_of(inst: AnyInstance) -> InstanceKind:
    """The kind of an instance."""
    return next(kind for instance_type, kind in _KINDS.items() if isinstance(inst, instance_type))


def kind_of_run(inst: AnyInstance, policy: str) -> InstanceKind:
    """The kind of what a policy makes of an instance."""
    return _JOBS_IN_SLOTS if works_in_slots(inst, policy) else kind_of(inst)


def works_in_slots(inst: AnyInstance, policy: str) -> bool:
    """Whether a policy cuts the jobs of an instance into slots; jobs of map and reduce tasks always are."""
    return isinstance(inst, MapReduceInstance) or (
        isinstance(inst, Instance) and registry.get(policy).slotted
    )


def title_of(instance_type: type[AnyInstance]) -> str:
    """What is in instances of a type, such as "jobs"."""
    return _KINDS[instance_type].title


def _size_of_log(inst: Instance) -> dict[str, int | None]:
    return {"n_jobs": inst.n_jobs, "n_machines": inst.n_machines, "n_resources": inst.n_resources}


def _figures_of_log(inst: Instance, result: Result, tau: float) -> dict[str, Any]:
    return dict(summary(inst, result.schedule, tau))


def _delays(inst: Instance, result: Result) -> dict[str, Any]:
    return {"delay_quantiles": delay_quantiles(inst, result.schedule, _N_DELAY_QUANTILES)}


def _starts(inst: Instance, result: Result) -> dict[str, Any]:
    return {"start_time": result.schedule.start_time, "machine": result.schedule.machine}


def _size_of_tasks(inst: ColocationInstance) -> dict[str, int | None]:
    return {"n_jobs": inst.n_tasks, "n_machines": inst.n_machines, "n_resources": None}


def _figures_of_tasks(inst: ColocationInstance, result: ColocationResult, tau: float) -> dict[str, Any]:
    return {"sum_cost": result.sum_numerator / inst.alpha_denominator}


def _size_of_parallel_tasks(inst: ParallelTaskInstance) -> dict[str, int | None]:
    return {
        "n_jobs": inst.n_jobs,
        "n_tasks": inst.n_tasks,
        "n_machines": inst.n_machines,
        "n_resources": inst.n_resources,
    }


def _figures_of_parallel_tasks(
    inst: ParallelTaskInstance, result: ParallelTaskResult, tau: float
) -> dict[str, Any]:
    """What the algorithm tells, and what its schedule is worth, if there is one of just the tasks of the instance."""
    epochs = result.stats.get("epochs")
    told = {
        "lp_status": result.stats.get("lp_status"),
        "lam": result.stats.get("lambda"),
        "tau0": None if epochs is None else result.options.get("tau0"),
        "n_epochs": None if epochs is None else len(epochs),
    }
    if result.schedule is None:
        return told
    try:
        return told | dict(task_summary(inst, result.schedule))
    except InvalidInstanceError:  # pieces that belong nowhere, or too few of them: the validator names one
        return told


def _size_of_map_reduce(inst: MapReduceInstance) -> dict[str, int | None]:
    return {
        "n_jobs": inst.n_jobs,
        "n_tasks": inst.n_tasks,
        "n_machines": inst.n_machines,
        "n_resources": inst.n_resources,
    }


def _machines(inst: ColocationInstance, result: ColocationResult) -> dict[str, Any]:
    return {"machine": result.assignment.machine}


_KINDS: dict[type[AnyInstance], InstanceKind] = {
    Instance: InstanceKind(
        "jobs",
        _size_of_log,
        _figures_of_log,
        {"delay_quantiles": _delays, "schedule": _starts, "demands": demands},
    ),
    ColocationInstance: InstanceKind(
        "tasks to colocate", _size_of_tasks, _figures_of_tasks, {"schedule": _machines}
    ),
    ParallelTaskInstance: InstanceKind(
        "jobs of parallel tasks", _size_of_parallel_tasks, _figures_of_parallel_tasks, {}, with_epoch_lengths
    ),
    MapReduceInstance: InstanceKind(
        "jobs of map and reduce tasks",
        _size_of_map_reduce,
        figures_of_slots,
        {"curves": curves, "by_size": sizes},
    ),
}
_JOBS_IN_SLOTS = InstanceKind(
    "jobs in slots",
    _size_of_log,
    figures_of_slots,
    {"curves": curves, "by_size": sizes, "demands": demands},
)
