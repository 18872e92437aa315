"""What a schedule in slots is worth: powers of flow times, fractional flow times, interruptions, moves, waiting times.

Slot t is the interval [t - 1, t). All functions take an `Instance` or a `MapReduceInstance` and a `PreemptiveSchedule`
whose amounts are cores, and read from these alone when a job is done: at the end of the slot in which the last of its
core-slots (processing time times cores) is worked off. A job that is not done by then is unfinished, its flow time
infinite. What they say means something for feasible schedules, complete or partial (`schedcore.validate`). The figures
are those of [Xu2021]_.

.. [Xu2021] H. Xu, Y. Liu, W. C. Lau, "Optimal job scheduling with resource packing for heterogeneous servers",
   IEEE/ACM Transactions on Networking 29(4), 2021.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from schedcore import _core
from schedcore.model import Instance, MapReduceInstance, PreemptiveSchedule
from schedcore.model.integers import checked_integer
from schedcore.model.preemptive_result import power_sum
from schedcore.model.preemptive_schedule import cores_of_pieces
from schedcore.model.slot_validation import slot_tasks

__all__ = [
    "PreemptionCounts",
    "SlotFacts",
    "WaitingBySize",
    "flow_norm",
    "flow_power_sum",
    "fractional_flow_time",
    "preemption_counts",
    "slot_facts",
    "waiting_by_size",
]

SlottedInstance = Instance | MapReduceInstance
Column = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int64]

MOST_POWER = 64


class SlotFacts(NamedTuple):
    """All that pieces in slots say about each job, as (n_jobs,) columns.

    `completion_time` is infinite for unfinished jobs; the others are explained at `fractional_flow_time` and
    `preemption_counts`.
    """

    completion_time: Column
    fractional: Column
    preemptions: Counts
    migrations: Counts
    live_migrations: Counts
    max_gap: Counts


class PreemptionCounts(NamedTuple):
    """How often each job was interrupted and moved, and its longest wait in one go; (n_jobs,) int64 columns."""

    preemptions: Counts
    migrations: Counts
    live_migrations: Counts
    max_gap: Counts


@dataclass(frozen=True, slots=True)
class WaitingBySize:
    """Waiting times of the jobs of each size, as columns with a row a size, ascending."""

    size: Counts
    min: Column
    max: Column
    mean: Column
    count: Counts


def slot_facts(
    inst: SlottedInstance, schedule: PreemptiveSchedule, k: int = 2, *, end_of_run: int = 0
) -> SlotFacts:
    """Return completion times, fractional flow times, interruptions, moves and gaps in one pass.

    Parameters
    ----------
    inst, schedule : Instance or MapReduceInstance, PreemptiveSchedule
        Pieces of jobs, or of map and reduce tasks, with whole times and amounts that are cores.
    k : int
        The power of the fractional flow time, 1 to 64.
    end_of_run : int
        The last slot that a run looked at which was cut short. Without it, what is unfinished is followed up to the
        end of the last piece.

    Raises
    ------
    InvalidInstanceError
        For a `k` outside 1 to 64, an instance with times that are no whole slots, and pieces that cannot be measured:
        of unknown jobs, tasks or machines, before the release, without length or cores, or with times that are no whole
        numbers; names the piece.
    TypeError
        For a schedule without amounts.

    Notes
    -----
    O(n_pieces k) expected, without the GIL, however long the pieces are: 0.1 microseconds a piece with k = 2. With
    estimates of demands, O(n_pieces (k + log c)) for c pieces at a time.
    """
    power = _checked_power(k)
    cut = checked_integer("end_of_run", end_of_run, 0, 2**53)
    return SlotFacts(*_core.metrics.slot_facts(slot_tasks(inst), *piece_columns(schedule), power, cut))


def flow_power_sum(inst: SlottedInstance, schedule: PreemptiveSchedule, k: int = 2) -> float:
    """Sum over the jobs of (completion time - release time)^k; infinite if a job is unfinished.

    See `slot_facts` for what is refused and what it costs.
    """
    return power_sum(slot_flow_time(inst, schedule), _checked_power(k))


def flow_norm(inst: SlottedInstance, schedule: PreemptiveSchedule, k: int = 2) -> float:
    """The l_k norm of the flow times, the k-th root of `flow_power_sum`."""
    return float(flow_power_sum(inst, schedule, k) ** (1.0 / k))


def fractional_flow_time(inst: SlottedInstance, schedule: PreemptiveSchedule, k: int = 2) -> Column:
    """(n_jobs,) Fractional flow time: each slot's part of a job, weighted by when it is.

    The sum over the slots t of w(t) times the rate, where the rate is the core-slots worked off in t over the cores d
    of the job and w(t) = (t - a)^k / p + p^(k - 1), a its release and p its processing time. With f the flow time,
    f^k / 2 <= F and F <= f^k + p^k hold for jobs that are done; an unfinished job counts what it got. A task of a
    map or reduce phase of n tasks that take p slots has w(t) = (2 (t - a)^k + P^k) / (2 n p), where P is the time of
    both phases.

    Within some 1e-14 of the value, however long pieces are; infinite beyond the doubles. See `slot_facts` for what is
    refused and what it costs.
    """
    return slot_facts(inst, schedule, k).fractional


def preemption_counts(
    inst: SlottedInstance, schedule: PreemptiveSchedule, *, end_of_run: int = 0
) -> PreemptionCounts:
    """Interruptions, moves and the longest gap of each job.

    A job runs in a slot if it holds cores there. It is preempted in slot t if it ran in t - 1, is not done, and does
    not run in t (fewer cores are no preemption). It migrates in slot t if it runs there, ran before, last in s, and
    uses a machine in t that it did not use in s; the migration is live if s = t - 1. There is one of each a slot at
    most. Tasks of MapReduce jobs are counted one by one, and summed by job. The gap is the longest run of slots, from
    its release until it is done, in which a job holds no core; what is unfinished is followed up to `end_of_run` or the
    end of the last piece, whichever is later.

    See `slot_facts` for what is refused and what it costs.
    """
    facts = slot_facts(inst, schedule, 1, end_of_run=end_of_run)
    return PreemptionCounts(facts.preemptions, facts.migrations, facts.live_migrations, facts.max_gap)


def waiting_by_size(inst: SlottedInstance, schedule: PreemptiveSchedule) -> WaitingBySize:
    """Smallest, largest and mean waiting time, flow time - processing time, of the jobs of each processing time.

    The size of a MapReduce job is the time of both its phases. Unfinished jobs wait without end. O(n_jobs log n_jobs)
    beside `slot_facts`.
    """
    time = inst.processing_time
    wait = slot_flow_time(inst, schedule) - time
    order = np.argsort(time, kind="stable")
    size, first, count = np.unique(time[order], return_index=True, return_counts=True)
    if len(size) == 0:
        none = np.empty(0)
        return WaitingBySize(size.astype(np.int64), none, none, none, count.astype(np.int64))
    waits = wait[order]
    return WaitingBySize(
        size.astype(np.int64),
        np.minimum.reduceat(waits, first),
        np.maximum.reduceat(waits, first),
        np.add.reduceat(waits, first) / count,
        count.astype(np.int64),
    )


def slot_flow_time(inst: SlottedInstance, schedule: PreemptiveSchedule) -> Column:
    """(n_jobs,) Completion time - release time, infinite for unfinished jobs."""
    flow: Column = slot_facts(inst, schedule, 1).completion_time - inst.release_time
    return flow


def piece_columns(
    schedule: PreemptiveSchedule,
) -> tuple[Counts, Counts, Counts, Column, Column, Counts]:
    """The columns of a schedule in the order in which the kernels take them."""
    cores = cores_of_pieces(schedule)
    return (
        schedule.job,
        schedule.task,
        schedule.machine,
        schedule.start_time,
        schedule.end_time,
        cores,
    )


def _checked_power(k: int) -> int:
    return checked_integer("k", k, 1, MOST_POWER)
