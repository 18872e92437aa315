"""SynchPack-2 after its linear program: slow motion on the fractions, mapping, matching, batches.

All of it works on the tasks that occur in the shares, so that an epoch can ask for some tasks of an instance.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import NamedTuple

from reference.parallel_tasks_fractions import UNIT, Share, jobs_in, lp_completion, progress
from reference.parallel_tasks_instance import Piece, PlainTasks, Time, merged
from reference.parallel_tasks_shift import shift_left

Slowed = dict[tuple[int, int, int], Fraction]  # zbar by (task, machine, interval)


class Copy(NamedTuple):
    """A copy of a machine-interval; copies sort in the order in which the matching looks at them."""

    interval: int
    machine: int
    number: int


@dataclass(frozen=True)
class ReferenceSynchPack2:
    pieces: list[Piece]
    lam: Fraction
    proxy: Fraction
    machine_of: dict[int, int]
    interval_of: dict[int, int]


def slow_motion(shares: Iterable[Share], lam: Fraction, cap: str = "task") -> Slowed:
    """zbar: the shares divided by lambda, in order of their intervals, until the task (or its machine) is full."""
    ordered = sorted(shares, key=lambda s: (s.task, s.interval, s.machine))
    room: dict[tuple[int, ...], Fraction] = {}
    for share in ordered:
        at = (share.task,) if cap == "task" else (share.task, share.machine)
        room[at] = room.get(at, Fraction(0)) + Fraction(share.units, UNIT)
    slowed: Slowed = {}
    for share in ordered:
        at = (share.task,) if cap == "task" else (share.task, share.machine)
        part = min(Fraction(share.units, UNIT) / lam, room[at])
        room[at] -= part
        if part:
            slowed[share.task, share.machine, share.interval] = part
    return slowed


def interval_of_job(instance: PlainTasks, shares: list[Share], job: int, lam: Fraction) -> int:
    """l_j(lambda): the first interval by which every task of the job has at least lambda."""
    interval = 1
    while progress(instance, shares, job, interval) < lam * UNIT:
        interval += 1
    return interval


def proxy(instance: PlainTasks, shares: list[Share], lam: Fraction) -> Fraction:
    """The weighted starts of the intervals in which jobs complete, by lambda; intervals end at powers of 2."""
    return sum(
        (
            instance.weight[job] * 2 ** (interval_of_job(instance, shares, job, lam) - 1) / lam
            for job in jobs_in(instance, shares)
        ),
        Fraction(0),
    )


def best_lambda(instance: PlainTasks, shares: list[Share]) -> Fraction:
    last = max((share.interval for share in shares), default=0)
    candidates = {Fraction(1)} | {
        Fraction(progress(instance, shares, job, interval), UNIT)
        for job in jobs_in(instance, shares)
        for interval in range(1, last + 1)
    }
    return min(candidates - {Fraction(0)}, key=lambda lam: (proxy(instance, shares, lam), -lam))


def mapping(instance: PlainTasks, slowed: Slowed) -> dict[tuple[int, Copy], Fraction]:
    """Edges (task, copy) with their weights: tasks by falling volume fill the copies one after the other."""
    edges: dict[tuple[int, Copy], Fraction] = {}
    for machine in range(instance.n_machines):
        here = {(t, interval): part for (t, i, interval), part in slowed.items() if i == machine}
        intervals = sorted({interval for _, interval in here})
        n_copies = {
            interval: ceil(sum(part for (_, q), part in here.items() if q == interval))
            for interval in intervals
        }
        filled = {
            Copy(interval, machine, c): Fraction(0)
            for interval in intervals
            for c in range(n_copies[interval])
        }
        tasks = sorted({t for t, _ in here}, key=lambda t: (-instance.volume(t, machine), t))
        for task in tasks:
            for interval in intervals:
                rest = here.get((task, interval), Fraction(0))
                while rest > 0:
                    copy = min(c for c in filled if c.interval == interval and filled[c] < 1)
                    weight = min(rest, 1 - filled[copy])
                    edges[task, copy] = weight
                    filled[copy] += weight
                    rest -= weight
    return edges


def matching(edges: Iterable[tuple[int, Copy]]) -> dict[int, Copy]:
    """Kuhn's augmenting paths: a free neighbour first, else displace the task of one not yet seen."""
    neighbours: dict[int, list[Copy]] = {}
    for task, copy in sorted(edges):
        neighbours.setdefault(task, []).append(copy)
    task_at: dict[Copy, int] = {}

    def augment(task: int, seen: set[Copy]) -> bool:
        for copy in neighbours[task]:
            if copy not in task_at:
                task_at[copy] = task
                return True
        for copy in neighbours[task]:
            if copy not in seen:
                seen.add(copy)
                if augment(task_at[copy], seen):
                    task_at[copy] = task
                    return True
        return False

    for task in sorted(neighbours):
        assert augment(task, set()), f"task {task} has no copy"
    return {task: copy for copy, task in task_at.items()}


def list_schedule(instance: PlainTasks, machine: int, tasks: list[int], start: Time) -> list[Piece]:
    """Tasks in list order, each as soon as it fits, looked at when something ends."""
    waiting, now = list(tasks), start
    pieces: list[Piece] = []
    while waiting:
        for task in list(waiting):
            running = [piece.task for piece in pieces if piece.end > now]
            if instance.fits(machine, [task, *running]):
                pieces.append(Piece(now, task, machine, now + instance.tasks[task].time[machine]))
                waiting.remove(task)
        if waiting:
            now = min(piece.end for piece in pieces if piece.end > now)
    return pieces


def batches(
    instance: PlainTasks, machine_of: dict[int, int], interval_of: dict[int, int], order: list[int]
) -> list[Piece]:
    """On each machine the intervals one after the other, each a list schedule; times from 0."""
    pieces: list[Piece] = []
    for machine in range(instance.n_machines):
        start: Time = 0
        for interval in sorted(set(interval_of.values())):
            batch = [t for t in order if machine_of[t] == machine and interval_of[t] == interval]
            done = list_schedule(instance, machine, batch, start)
            start = max((piece.end for piece in done), default=start)
            pieces += done
    return pieces


def synchpack2(
    instance: PlainTasks,
    shares: Iterable[Share],
    lam: Fraction | str = "derand",
    cap: str = "task",
    shift: bool = True,
    order: str = "index",
) -> ReferenceSynchPack2:
    given = sorted(shares)
    chosen = best_lambda(instance, given) if isinstance(lam, str) else lam
    copy_of = matching(mapping(instance, slow_motion(given, chosen, cap)))
    machine_of = {task: copy.machine for task, copy in copy_of.items()}
    interval_of = {task: copy.interval for task, copy in copy_of.items()}
    tasks = sorted(copy_of)
    if order == "lp":
        ends = [Fraction(2**q) for q in range(max((share.interval for share in given), default=0) + 2)]
        completion = lp_completion(instance, given, ends)
        tasks.sort(key=lambda t: (completion[instance.tasks[t].job], t))
    pieces = batches(instance, machine_of, interval_of, tasks)
    return ReferenceSynchPack2(
        pieces=shift_left(instance, pieces) if shift else merged(pieces),
        lam=chosen,
        proxy=proxy(instance, given, chosen),
        machine_of=machine_of,
        interval_of=interval_of,
    )
