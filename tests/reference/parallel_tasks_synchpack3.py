"""SynchPack-3 after its linear program: the order of the jobs, and preemptive list scheduling machine by machine."""

from collections.abc import Iterable
from math import floor

from reference.parallel_tasks_instance import Piece, PlainTasks, merged


def job_order(completion: list[float], jobs: Iterable[int]) -> list[int]:
    """Ascending C_j to six decimals, ties by index."""
    return sorted(jobs, key=lambda j: (floor(completion[j] * 1e6 + 0.5), j))


def list_schedule(
    instance: PlainTasks,
    order: list[int],
    remaining: dict[int, int],
    start: int = 0,
    end: int | None = None,
) -> list[Piece]:
    """Run tasks by (place of the job, number), each where it fits beside those before it; anew at every completion.

    `remaining` holds the times of the unfinished tasks, each of which has one machine. Stops at `end`.
    """
    pieces = []
    for machine in range(instance.n_machines):
        left = {
            t: remaining[t]
            for job in order
            for t in instance.tasks_of(job)
            if t in remaining and machine in instance.tasks[t].time
        }
        now = start
        while left and (end is None or now < end):
            chosen: list[int] = []
            for task in left:
                if instance.fits(machine, [*chosen, task]):
                    chosen.append(task)
            step = min(left[task] for task in chosen)
            if end is not None:
                step = min(step, end - now)
            for task in chosen:
                pieces.append(Piece(now, task, machine, now + step))
                left[task] -= step
            left = {task: time for task, time in left.items() if time}
            now += step
    return merged(pieces)


def synchpack3(instance: PlainTasks, completion: list[float]) -> tuple[list[int], list[Piece]]:
    order = job_order(completion, range(instance.n_jobs))
    remaining = {t: min(task.time.values()) for t, task in enumerate(instance.tasks)}
    return order, list_schedule(instance, order, remaining)
