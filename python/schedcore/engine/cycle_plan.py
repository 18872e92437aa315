"""One planning pass of a scheduler that plans over whole machines: when jobs that wait are to start, and where.

Jobs that run share machines by processors and memory; a job that is planned holds its machines whole for its limit.
Ends of running jobs are looked at in groups that widen with the look ahead, and only ends of plans at which a machine
becomes free are tried as instants. ``docs/slurm-plan.md`` says the rule, and on whose scheduler it was checked. The
pass itself is in ``src/cpp/whole_machines``; nothing is remembered between two of them.
"""

import dataclasses
from collections.abc import Sequence

import numpy as np

from schedcore import _core
from schedcore.model.arrays import BoolArray, IntArray

__all__ = [
    "MEMORY_KINDS",
    "OUTCOMES",
    "SELECTIONS",
    "CycleMachines",
    "CyclePlan",
    "CycleRequests",
    "CycleReservations",
    "CycleRuns",
    "CycleSettings",
    "MachineSets",
    "plan_cycle",
]

#: How a job asks for memory: not at all, of every machine, for every processor, or for all of its machines.
MEMORY_KINDS = ("none", "machine", "processor", "whole")
#: Which machines a job takes among those that suffice: the fewest free processors of neighbours that do, the first,
#: the last, those in use now, or those of which the largest share is free; machines of less weight before all others.
SELECTIONS = ("consecutive", "first", "last", "busy", "spread")
#: What became of a request; the first two have a start.
OUTCOMES = (
    "planned",
    "after window",
    "never fits",
    "window",
    "dead end",
    "reservation",
    "now only",
    "array",
    "limit",
)


@dataclasses.dataclass(frozen=True)
class CycleMachines:
    """The machines, in the order in which they are neighbours.

    Parameters
    ----------
    processors, memory, weight : (n_machines,) int64
    is_up : (n_machines,) bool
        Whether jobs may start there.
    """

    processors: IntArray
    memory: IntArray
    weight: IntArray
    is_up: BoolArray


@dataclasses.dataclass(frozen=True)
class MachineSets:
    """Sets of machines, which requests and reservations name by number.

    Parameters
    ----------
    offset : (n_sets + 1,) int64
    machine : (offset[-1],) int64
        Set ``i`` is ``machine[offset[i]:offset[i + 1]]``.
    """

    offset: IntArray
    machine: IntArray

    @classmethod
    def of(cls, sets: Sequence[Sequence[int]]) -> "MachineSets":
        """Return these sets."""
        offset = np.cumsum([0, *map(len, sets)], dtype=np.int64)
        return cls(offset, np.array([machine for each in sets for machine in each], dtype=np.int64))


@dataclasses.dataclass(frozen=True)
class CycleRuns:
    """The jobs that run.

    Parameters
    ----------
    end : (n_runs,) int64
        Seconds; as announced, which says in what order and in what groups they are looked at.
    likely_end : (n_runs,) int64
        Seconds; when what a run holds is taken to be free.
    offset : (n_runs + 1,) int64
    machine, processors, memory : (offset[-1],) int64
        Run ``i`` holds these from ``offset[i]`` up to ``offset[i + 1]``; a machine stands once in a run.
    """

    end: IntArray
    likely_end: IntArray
    offset: IntArray
    machine: IntArray
    processors: IntArray
    memory: IntArray


@dataclasses.dataclass(frozen=True)
class CycleRequests:
    """The jobs that wait, in the order in which they are looked at; all columns have the shape (n_requests,).

    Parameters
    ----------
    limit : int64
        Seconds, at least 1.
    min_machines, max_machines : int64
        At least 1.
    n_tasks, processors_per_task : int64
        At least 1; their product is how many processors the job wants.
    tasks_per_machine : int64
        0 where nothing is said.
    least_processors : int64
        What every machine has to give.
    memory_kind : int64
        Index of `MEMORY_KINDS`.
    memory : int64
        Of a machine or a processor.
    is_exclusive : bool
        Whether it wants its machines for itself.
    partition, eligible, required : int64
        Sets of machines: all of its partition; those among them that suit it; those that it must have. -1: all that
        there are, the whole partition, none.
    reservation : int64
        The advance reservation that it runs in; -1: none.
    n_copies : int64
        How many tasks of an array are planned at most, one after the other.
    array : int64
        A request without a plan bars later ones of the same number; -1: nobody.
    may_wait : bool
        Whether it may be planned for later, rather than now or not at all.
    selection : int64
        Index of `SELECTIONS`.
    """

    limit: IntArray
    min_machines: IntArray
    max_machines: IntArray
    n_tasks: IntArray
    processors_per_task: IntArray
    tasks_per_machine: IntArray
    least_processors: IntArray
    memory_kind: IntArray
    memory: IntArray
    is_exclusive: BoolArray
    partition: IntArray
    eligible: IntArray
    required: IntArray
    reservation: IntArray
    n_copies: IntArray
    array: IntArray
    may_wait: BoolArray
    selection: IntArray


@dataclasses.dataclass(frozen=True)
class CycleReservations:
    """Advance reservations; all columns have the shape (n_reservations,).

    Parameters
    ----------
    start, end : int64
        Seconds; start < end.
    machines : int64
        A set of machines.
    takes_all : bool
        Whether it keeps every job from running, wherever.
    is_maintenance : bool
        Whether it does so to jobs of which it has the whole partition.
    is_flexible : bool
        Whether its own jobs may use any machine.
    """

    start: IntArray
    end: IntArray
    machines: IntArray
    takes_all: BoolArray
    is_maintenance: BoolArray
    is_flexible: BoolArray


@dataclasses.dataclass(frozen=True)
class CycleSettings:
    """How far and how finely the pass plans.

    Parameters
    ----------
    now : int
        Seconds, at least 0.
    window : int
        Seconds from `now` on, after which nothing is held.
    resolution : int
        Seconds, at least 1; plans hold machines from a multiple of it to a multiple of it.
    depth : int
        For how many jobs a place is looked for.
    most_intervals : int
        After so many insertions into the list of intervals nothing more is planned.
    growth : int
        Seconds by which the groups of ends widen, from 30 on; 0: they double.
    """

    now: int
    window: int = 86400
    resolution: int = 60
    depth: int = 500
    most_intervals: int = 2**53
    growth: int = 0


@dataclasses.dataclass(frozen=True)
class CyclePlan:
    """What the pass has planned.

    Parameters
    ----------
    start : (n_requests,) int64
        Seconds; -1 where nothing is planned. Of several copies it is that of the last.
    outcome : (n_requests,) int64
        Index of `OUTCOMES`.
    machines : MachineSets
        A set for each request, ascending; empty where no machine is held.
    n_tried, n_inserted : int
        For how many jobs a place was looked for; insertions into the list of intervals.
    """

    start: IntArray
    outcome: IntArray
    machines: MachineSets
    n_tried: int
    n_inserted: int


def plan_cycle(
    machines: CycleMachines,
    runs: CycleRuns,
    requests: CycleRequests,
    settings: CycleSettings,
    *,
    sets: MachineSets,
    reservations: CycleReservations,
) -> CyclePlan:
    """Plan one pass.

    Returns
    -------
    CyclePlan

    Raises
    ------
    InvalidInstanceError
        For columns of unequal lengths, amounts below 0, machines, sets and reservations that there are not, a run that
        holds more than a machine has; names the row, the value and the bound.

    Notes
    -----
    A job that starts now runs from then on, for the jobs behind it. The GIL is released.
    """
    core = _core.whole_machines
    start, outcome, offset, machine, n_tried, n_inserted = core.plan_cycle(
        core.CycleMachines(**vars(machines)),
        core.MachineSets(**vars(sets)),
        core.CycleRuns(**vars(runs)),
        core.CycleRequests(**vars(requests)),
        core.CycleReservations(**vars(reservations)),
        **vars(settings),
    )
    return CyclePlan(start, outcome, MachineSets(offset, machine), n_tried, n_inserted)
