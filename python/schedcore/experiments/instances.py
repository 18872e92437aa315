"""The instance of a cell, made once in every worker and kept while its cells run.

A recorded workload is read once and downsampled from memory. What was made last stays: cells come grouped by
instance, so a worker makes each instance at most once in a run, unless very many fit between two cells of one.
"""

from __future__ import annotations

import sys
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from schedcore.errors import InvalidInstanceError, UnsupportedError
from schedcore.experiments.cells import Cell
from schedcore.experiments.description import INPUT
from schedcore.experiments.instance_kinds import kind_of
from schedcore.experiments.workload_arguments import arguments_of_source
from schedcore.model import AnyInstance, Instance, Machines, ParallelTaskInstance
from schedcore.model.process_lock import ProcessLock
from schedcore.workloads import (
    GENERATORS,
    DataReport,
    at_time_zero,
    downsample,
    draw_more_resources,
    exact_estimates,
    first_jobs,
    generate,
    load,
    misestimate,
    poisson_arrivals,
    scale_release_times,
)
from schedcore.workloads.report_warnings import is_about_load

__all__ = ["InstanceCache"]

_Jobs = TypeVar("_Jobs", Instance, ParallelTaskInstance)
#: Arguments beyond those of the source that jobs of parallel tasks take, with the seed of what they draw.
_OF_PARALLEL_TASKS = (
    "first_jobs", "poisson_average_queue", "poisson_mean_gap", "arrival_seed", "at_time_zero", "traffic_intensity",
)  # fmt: skip


class InstanceCache:
    """Recently made instances by the key of their workload; safe with several threads.

    Threads that want the same instance wait for the first one to make it. At least one instance is kept for each
    thread that asks.
    """

    def __init__(self, max_instances: int = 3) -> None:
        self._max_instances = max_instances
        self._instances: OrderedDict[str, AnyInstance] = OrderedDict()
        self._sources: OrderedDict[str, AnyInstance] = OrderedDict()
        self._threads: set[int | None] = set()
        self._lock = ProcessLock()

    def get(self, cell: Cell, files: Mapping[str, str]) -> AnyInstance:
        """The instance of a cell; errors of the generator or reader pass through."""
        version = _version(files.get(cell.source))
        with self._lock:
            self._threads.add(threading.get_ident())
            self._threads &= {thread.ident for thread in threading.enumerate()}
            return self._remembered(
                self._instances,
                f"{cell.workload_key} {version}",
                max(self._max_instances, len(self._threads)),
                lambda: self._make(cell, files, version),
            )

    def _make(self, cell: Cell, files: Mapping[str, str], version: str) -> AnyInstance:
        first = arguments_of_source(cell.arguments)
        later = {name: value for name, value in cell.arguments.items() if name not in first}
        if not later:
            return _read(cell.source, first, files)
        # One source at a time: the full list of a recorded workload can be large.
        full = self._remembered(
            self._sources,
            f"{cell.source_key} {version}",
            1,
            lambda: _read(cell.source, first, files),
        )
        if isinstance(full, Instance):
            return _estimated(_released(_cut_out(full, later), later), later)
        known = _OF_PARALLEL_TASKS if isinstance(full, ParallelTaskInstance) else ()
        other = [name for name in later if name not in known]
        if other or not isinstance(full, ParallelTaskInstance):
            raise UnsupportedError(
                f"{cell.source}: {', '.join(other)} cannot be applied to {kind_of(full).title}, only to jobs"
            )
        return _released(_first(full, later), later)

    @staticmethod
    def _remembered(
        known: OrderedDict[str, AnyInstance], key: str, most: int, make: Callable[[], AnyInstance]
    ) -> AnyInstance:
        if key in known:
            known.move_to_end(key)
            return known[key]
        while len(known) >= most:  # before, so that the old and the new one need not fit together
            known.popitem(last=False)
        known[key] = make()
        return known[key]


def _version(path: str | None) -> str:
    """Tells files apart: a worker may outlive a run, and a source be another file in the next one."""
    if path is None or not Path(path).is_file():
        return ""
    status = Path(path).stat()
    return f"{path} {status.st_mtime_ns} {status.st_size}"


def _cut_out(full: Instance, arguments: Mapping[str, Any]) -> Instance:
    """The jobs and their demands as those arguments say that do not concern the source, from the full list of jobs."""
    inst = _first(downsample(full, arguments.get("factor", 1), arguments.get("offset", 0)), arguments)
    if "first_resources" in arguments:
        inst = _of_first_resources(inst, arguments["first_resources"])
    if "total_resources" in arguments:
        donors = full.jobs.demand[:, 0]
        inst = draw_more_resources(inst, arguments["total_resources"], arguments["resource_seed"], donors)
    if arguments.get("exact_estimates", False):
        inst = exact_estimates(inst)
    return inst


def _first(inst: _Jobs, arguments: Mapping[str, Any]) -> _Jobs:
    return first_jobs(inst, arguments["first_jobs"]) if "first_jobs" in arguments else inst


def _of_first_resources(inst: Instance, number: int) -> Instance:
    """The jobs with their demands for the first resources alone, on machines that have no others."""
    if number > inst.n_resources:
        raise InvalidInstanceError(f"first {number} resources: the workload has only {inst.n_resources}")
    jobs, machines = inst.jobs, inst.machines
    believed = jobs.estimated_demand[:, :number] if jobs.has_demand_estimates else None
    return Instance(
        jobs.replace(demand=jobs.demand[:, :number], estimated_demand=believed),
        Machines(machines.capacity[:, :number], machines.resource_names[:number]),
    )


def _estimated(inst: Instance, arguments: Mapping[str, Any]) -> Instance:
    """The jobs with the demands that policies are to believe, if those are not the true ones."""
    if "misestimate_variance" not in arguments:
        return inst
    return misestimate(inst, arguments["misestimate_variance"], arguments["misestimate_seed"])


def _released(inst: _Jobs, arguments: Mapping[str, Any]) -> _Jobs:
    """The jobs, released as the arguments say."""
    if "arrival_seed" in arguments:
        inst = poisson_arrivals(
            inst,
            arguments["arrival_seed"],
            average_queue=arguments.get("poisson_average_queue"),
            mean_gap=arguments.get("poisson_mean_gap"),
        )
    if "traffic_intensity" in arguments:
        inst = scale_release_times(inst, 1 / arguments["traffic_intensity"])
    return at_time_zero(inst) if arguments.get("at_time_zero", False) else inst


def _read(source: str, arguments: Mapping[str, Any], files: Mapping[str, str]) -> AnyInstance:
    options = dict(arguments)
    machines = options.pop("machines", None)
    if source in GENERATORS and machines is None:
        return generate(source, **options)
    if source in GENERATORS:
        text = f"{source}:{','.join(f'{name}={value}' for name, value in options.items())}"
        return _told(*load(text, machines))
    path = Path(files.get(source, source))
    if not path.is_file():
        raise FileNotFoundError(
            f"{path}: no such file" + (f" ({source})" if source.startswith(INPUT) else "")
        )
    return _told(*load(path, machines, **options))


_warned: set[str] = set()  # of this worker


def _told(inst: AnyInstance, report: DataReport) -> AnyInstance:
    """Print what the reader warns of to stderr, once a worker; loads are those of the whole log, not of a cell."""
    for sentence in report.warnings:
        text = f"WARNING: {report.source}: {sentence}"
        if text not in _warned and not is_about_load(sentence):
            _warned.add(text)
            print(text, file=sys.stderr, flush=True)
    return inst
