"""SynchPack-2 and -3 in epochs, given what the linear program of every active epoch says.

The solutions come from a function, because how many epochs there are and what they ask for depends on what was decided
before.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import exp, floor

from reference.parallel_tasks_fractions import Share
from reference.parallel_tasks_instance import Piece, PlainTasks, merged
from reference.parallel_tasks_shift import has_room
from reference.parallel_tasks_synchpack2 import synchpack2
from reference.parallel_tasks_synchpack3 import job_order, list_schedule


@dataclass(frozen=True)
class ReferenceEpoch:
    start: int
    end: int
    jobs: list[int]
    order: list[int] | None = None
    n_started: int | None = None


def epochs(tau0: float, gamma: float, beta: float) -> Iterator[tuple[int, int]]:
    """Starts and ends: lengths grow towards tau0."""
    start, x = 0, 0
    while True:
        end = start + max(1, floor(tau0 / (1 + gamma * exp(-beta * x)) + 0.5))
        yield start, end
        start, x = end, x + 1


def synchpack3_online(
    instance: PlainTasks,
    solution: Callable[[list[int], dict[int, int]], list[float]],
    tau0: float,
    gamma: float = 50.0,
    beta: float = 3.0,
) -> tuple[list[Piece], list[ReferenceEpoch]]:
    """``solution(active jobs, remaining times by task) -> C_j of all jobs``."""
    left = {t: min(task.time.values()) for t, task in enumerate(instance.tasks)}
    pieces: list[Piece] = []
    records = []
    for start, end in epochs(tau0, gamma, beta):
        if not left:
            break
        remaining = {t: time for t, time in left.items() if instance.release_of(t) <= start}
        jobs = sorted({instance.tasks[t].job for t in remaining})
        if not jobs:
            continue
        order = job_order(solution(jobs, remaining), jobs)
        for piece in list_schedule(instance, order, remaining, start, end):
            pieces.append(piece)
            left[piece.task] -= int(piece.end - piece.start)
        left = {t: time for t, time in left.items() if time}
        records.append(ReferenceEpoch(start, end, jobs, order=order))
    return merged(pieces), records


def synchpack2_online(
    instance: PlainTasks,
    solution: Callable[[list[int], list[int]], list[Share]],
    tau0: float,
    gamma: float = 50.0,
    beta: float = 3.0,
) -> tuple[list[Piece], list[ReferenceEpoch]]:
    """``solution(active jobs, their unstarted tasks) -> shares of these tasks``."""
    waiting = set(range(len(instance.tasks)))
    started: list[Piece] = []
    records = []
    for start, end in epochs(tau0, gamma, beta):
        if not waiting:
            break
        tasks = sorted(t for t in waiting if instance.release_of(t) <= start)
        jobs = sorted({instance.tasks[t].job for t in tasks})
        if not jobs:
            continue
        plan = synchpack2(instance, solution(jobs, tasks), lam="derand", shift=False).pieces
        placed = [piece for piece in started if piece.end > start]
        n_started = 0
        for planned in sorted(plan):
            length = planned.end - planned.start
            at = min(
                time
                for time in {start, *(q.end for q in placed if q.machine == planned.machine)}
                if has_room(instance, placed, planned, time, time + length)
            )
            piece = planned._replace(start=Fraction(at), end=Fraction(at + length))
            placed.append(piece)
            if at < end:
                started.append(piece)
                waiting.remove(piece.task)
                n_started += 1
        records.append(ReferenceEpoch(start, end, jobs, n_started=n_started))
    return merged(started), records
