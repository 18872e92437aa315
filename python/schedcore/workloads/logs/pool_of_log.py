"""The machines that a log ran on: those the caller describes, else one pool of what the header or the caller says.

Where nobody says how much of a resource there was, the largest job has to tell. That is a guess, and often a bad one:
the report warns of it, the command line refuses it, and both name how much was in use at the same time.
"""

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from schedcore.errors import InvalidInstanceError
from schedcore.model import Instance, Machines
from schedcore.model.arrays import EXACT_BOUND, FloatArray
from schedcore.model.coded_texts import CodedTexts
from schedcore.model.integers import checked_integer
from schedcore.workloads.logs.job_tasks import JobShapes, Tasks, tasks_on
from schedcore.workloads.logs.log_rows import LogRows
from schedcore.workloads.logs.rows_by_node import columns_of_tasks, drop_too_wide, drop_without_place
from schedcore.workloads.reading.machines_spec import (
    MachineChoice,
    ResourceUnit,
    choose_machines,
    one_machine,
)
from schedcore.workloads.reading.option_spelling import spelled
from schedcore.workloads.reading.report_warnings import Finding

__all__ = ["LogInstance", "PooledResource", "check_capacities", "instance_of_rows", "peak_use"]

_USUAL_SHARE = 0.9


@dataclasses.dataclass(frozen=True)
class PooledResource:
    """A resource of the pool that a log ran on.

    Parameters
    ----------
    unit : ResourceUnit
        Its name, and how machines are written.
    counted : str
        What a capacity counts, as "processors" or "KB of memory".
    given : int, optional
        Its capacity, in what `counted` says; default: the largest demand of a job that fits the resources before
        it.
    origin : str
        Who said `given`.
    """

    unit: ResourceUnit
    counted: str
    given: int | None = None
    origin: str = "the caller"


def check_capacities(
    machines: MachineChoice | None, capacities: Mapping[str, int | None], units_per_processor: int = 1
) -> None:
    """Check the options that describe the pool, name -> value; `machines` excludes them.

    Raises
    ------
    InvalidInstanceError
        For a capacity out of range, and for one beside `machines`.
    TypeError
        For a capacity that is no integer.
    """
    given = {name: value for name, value in capacities.items() if value is not None}
    for name, value in given.items():
        least, units = (1, units_per_processor) if name == "processors" else (0, 1)
        checked_integer(spelled(name), value, least, EXACT_BOUND // units)
    if machines is not None and given:
        raise InvalidInstanceError(
            f"{spelled('machines')} excludes {_listed(spelled(name) for name in capacities)}"
        )


NO_NOTES: Mapping[str, CodedTexts] = MappingProxyType({})


class LogInstance(NamedTuple):
    """What became of the rows of a log.

    Attributes
    ----------
    instance : Instance
    demand : (n_rows, n_resources) float64
        What the tasks of each job demand together, of dropped rows too.
    assumptions : tuple of str
    findings : tuple of Finding
    """

    instance: Instance
    demand: FloatArray
    assumptions: tuple[str, ...]
    findings: tuple[Finding, ...]


def instance_of_rows(
    rows: LogRows,
    demand: FloatArray,
    resources: Sequence[PooledResource],
    machines: MachineChoice | None,
    missing_estimate: str,
    shapes: JobShapes,
    *,
    tasks: Tasks | None = None,
    columns: bool | None = None,
    keep: Mapping[str, CodedTexts] = NO_NOTES,
) -> LogInstance:
    """Return the instance of the rows that are left.

    Parameters
    ----------
    demand : (n_rows, n_resources) float64
        Of all rows, as `resources`.
    machines : Machines or str, optional
        Default: one pool of `resources`.
    shapes : JobShapes
    tasks : str, optional
        As `tasks_on` takes it.
    columns : bool, optional
        Whether jobs keep what the log says of users, partitions and the like. Default: who submitted them, and where,
        and on several machines the rest.
    keep : mapping of str to CodedTexts
        Further columns of the log, with all rows, that become notes of the jobs.
    """
    units = [resource.unit for resource in resources]
    if machines is None:
        if tasks not in (None, "whole"):
            raise InvalidInstanceError(
                f"{spelled('tasks', tasks)} needs the nodes, as in {spelled('machines', '120x16')}"
            )
        chosen, assumed, findings = _pool(rows, demand, resources)
    else:
        chosen, assumed, findings = choose_machines(machines, units), (), ()
    split = tasks_on(chosen, tasks, shapes, demand, units, rows.ledger.kept)
    site = {} if columns is False else rows.submitter_columns()
    if columns or (columns is None and chosen.n_machines > 1):
        site |= rows.site_columns(chosen)
    if split.are_whole:
        rows.drop_too_big(demand, chosen, units)
    else:
        drop_too_wide(rows, split, chosen, units)
    drop_without_place(rows, split, chosen, site.get("constraint"))
    rows.note_what_is_not_modelled()
    jobs, assumed_jobs = rows.jobs(split.demand, missing_estimate, {**site, **columns_of_tasks(split)})
    if keep:
        kept = rows.ledger.kept
        jobs = jobs.replace(notes={name: column.take(kept) for name, column in keep.items()})
        empty = [name for name in keep if name not in jobs.note_names]
        assumed_jobs = (*assumed_jobs, *(f"no job has a text in {name}, so it is not kept" for name in empty))
    said = (split.sentence,) if split.sentence else ()
    return LogInstance(Instance(jobs, chosen), split.total(), (*assumed, *said, *assumed_jobs), findings)


def _pool(
    rows: LogRows, demand: FloatArray, resources: Sequence[PooledResource]
) -> tuple[Machines, tuple[str, ...], tuple[Finding, ...]]:
    """One machine with what there was in all, or what the largest job demands where nobody says it."""
    kept = demand[rows.ledger.kept]
    capacity: list[int] = []
    sentences: list[str] = []
    for k, resource in enumerate(resources):
        number, origin, per_one = resource.given, resource.origin, resource.unit.units_per_one
        if number is None:
            fits = (kept[:, :k] <= np.array(capacity)).all(axis=1)
            number = -(-int(kept[fits, k].max(initial=0)) // per_one)
            origin = "the largest demand" if k == 0 else "the largest demand of a job that fits"
        capacity.append(number * per_one)
        sentences.append(f"{'' if k else 'one pool of '}{_counted(number, resource)} ({origin})")
    found = (
        (_guess(resources, capacity, rows, demand),)
        if len(kept) and any(resource.given is None for resource in resources)
        else ()
    )
    names = [resource.unit.name for resource in resources]
    return Machines.identical(1, capacity, names), tuple(sentences), found


def _guess(
    resources: Sequence[PooledResource], capacity: Sequence[int], rows: LogRows, demand: FloatArray
) -> Finding:
    """What to say of capacities that nobody gave: the guess, and what was in use at the same time."""
    kept = rows.ledger.kept
    start = rows.recorded_start()
    known = (start >= 0) & (start <= EXACT_BOUND)  # beyond, a job would end when it starts
    started = np.where(known, start, rows.submit_time)[kept]
    peak, usual = peak_use(started, rows.processing_time()[kept], demand[kept])
    guessed = [k for k, resource in enumerate(resources) if resource.given is None]

    def amounts(of: Sequence[float]) -> str:
        return _listed(
            _counted(-(-int(of[k]) // resources[k].unit.units_per_one), resources[k]) for k in guessed
        )

    likely = np.array(capacity, dtype=np.float64)
    likely[guessed] = peak[guessed]
    largest = demand[kept].max(axis=0)  # what was given may be too small, and is not to be suggested again
    shape = one_machine(np.maximum(likely, largest), [resource.unit for resource in resources])
    names = _listed(resources[k].unit.name for k in guessed)
    unknown = np.count_nonzero(~known[kept])
    submitted = f", jobs without a recorded start ({unknown:,}) from their submission on" if unknown else ""
    return Finding(
        f"nothing says how much there was of {names}: the largest job, with {amounts(capacity)}, is taken for the "
        f"whole system, but up to {amounts(peak.tolist())} were in use at the same time{submitted} (nine tenths "
        f"of the time no more than {amounts(usual.tolist())}); say what there is, such as {spelled('machines', shape)}",
        "capacity",
        ("machines", shape),
    )


def _counted(number: int, resource: PooledResource) -> str:
    """Return how much there is of a resource, as "1 core" and "2 cores"."""
    word, space, rest = resource.counted.partition(" ")
    return f"{number:,} {word.removesuffix('s') if number == 1 else word}{space}{rest}"


def _listed(words: Iterable[str]) -> str:
    *others, last = words
    return f"{', '.join(others)} and {last}" if others else last


def peak_use(
    start: FloatArray, processing_time: FloatArray, demand: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the most of each resource that was in use at the same time, and nine tenths of the time; O(n log n).

    Parameters
    ----------
    start, processing_time : (n_jobs,) float64
        At least one job; one that ends when another starts is not beside it.
    demand : (n_jobs, n_resources) float64

    Returns
    -------
    peak, usual : (n_resources,) float64
        The first is at least the largest demand; beyond 2**53 rounded. What exceeds the second lasted for at most a
        tenth of the time between the first start and the last end.
    """
    since_first = start - start.min()
    time = np.concatenate([since_first + processing_time, since_first])
    is_start = np.repeat([False, True], len(start))
    order = np.lexsort((is_start, time))
    in_use = np.cumsum(np.concatenate([-demand, demand])[order], axis=0)
    lasted = np.diff(time[order])
    by_use = np.argsort(in_use[:-1], axis=0)
    share = np.cumsum(lasted[by_use], axis=0) / lasted.sum()
    place = np.argmax(share >= _USUAL_SHARE, axis=0)
    resources = np.arange(demand.shape[1])
    usual: FloatArray = in_use[by_use[place, resources], resources]
    return np.maximum(in_use.max(axis=0), demand.max(axis=0)), usual
