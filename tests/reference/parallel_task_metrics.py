"""What becomes of parallel tasks, by definition: one piece after another, in exact arithmetic."""

from fractions import Fraction
from typing import Any

import schedcore


def completion_times(
    inst: schedcore.ParallelTaskInstance, schedule: schedcore.PreemptiveSchedule
) -> dict[tuple[int, int], Fraction]:
    """(job, task) -> when its last piece ends."""
    ends: dict[tuple[int, int], Fraction] = {}
    for job, task, end in zip(
        schedule.job.tolist(), schedule.task.tolist(), schedule.end_time.tolist(), strict=True
    ):
        ends[job, task] = max(Fraction(end), ends.get((job, task), Fraction(end)))
    return ends


def task_summary(
    inst: schedcore.ParallelTaskInstance, schedule: schedcore.PreemptiveSchedule
) -> dict[str, Any]:
    """All figures of `schedcore.metrics.task_summary`."""
    ends = completion_times(inst, schedule)
    jobs = range(inst.n_jobs)
    of_job = [[end for (job, _), end in ends.items() if job == j] for j in jobs]
    completion = [max(each) for each in of_job]
    delay = [completion[j] - Fraction(inst.release_time[j]) for j in jobs]
    weight = [Fraction(w) for w in inst.weight.tolist()]
    weighted = sum(w * c for w, c in zip(weight, completion, strict=True))
    weighted_delay = sum(w * d for w, d in zip(weight, delay, strict=True))
    waits = [sum(completion[j] - end for end in of_job[j]) / len(of_job[j]) for j in jobs]
    held = [Fraction(0)] * inst.n_resources
    remote = total = Fraction(0)
    interrupted = moved = 0
    last: dict[tuple[int, int], tuple[int, float]] = {}
    pieces = zip(
        schedule.job.tolist(), schedule.task.tolist(), schedule.machine.tolist(), schedule.start_time.tolist(),
        schedule.end_time.tolist(), strict=True,
    )  # fmt: skip
    for job, task, machine, start, end in sorted(pieces, key=lambda piece: piece[3]):
        row = int(inst.task_start[job]) + task
        length = Fraction(end) - Fraction(start)
        total += length
        held = [h + length * int(demand) for h, demand in zip(held, inst.demand[row], strict=True)]
        for placement in range(inst.placement_start[row], inst.placement_start[row + 1]):
            if inst.placement_machine[placement] == machine and not inst.placement_local[placement]:
                remote += length
        if (job, task) in last:
            before, ended = last[job, task]
            moved += before != machine
            interrupted += before != machine or ended != start
        last[job, task] = machine, end
    span = max(completion) - min(Fraction(r) for r in inst.release_time.tolist())
    capacity = [sum(map(int, column)) for column in inst.machines.capacity.T]
    return {
        "n_jobs": inst.n_jobs,
        "n_tasks": inst.n_tasks,
        "weighted_completion_time": weighted,
        "weighted_average_completion_time": weighted / sum(weight),
        "weighted_delay": weighted_delay,
        "weighted_average_delay": weighted_delay / sum(weight),
        "awct": weighted / inst.n_jobs,
        "avg_response": sum(delay) / inst.n_jobs,
        "makespan": max(completion),
        "avg_synchronisation_delay": sum(waits) / inst.n_jobs,
        "n_preemptions": interrupted,
        "n_migrations": moved,
        "remote_share": remote / total,
        "utilisation": tuple(h / (c * span) if c * span else 0 for h, c in zip(held, capacity, strict=True)),
    }
