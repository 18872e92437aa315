"""SynchPack-1 after its linear program: the greedy schedule of fractions, slow motion, the choice of lambda.

Times of the greedy schedule are integers in units of 1e-9; all else is a Fraction.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from reference.parallel_tasks_fractions import UNIT, Share
from reference.parallel_tasks_instance import Piece, PlainTasks, merged
from reference.parallel_tasks_shift import shift_left


@dataclass(frozen=True)
class ReferenceSynchPack1:
    pieces: list[Piece]
    lam: Fraction
    tau: list[Fraction]


@dataclass(frozen=True)
class Run:
    """A share on its machine during [start, end), in units of 1e-9."""

    start: int
    share: Share
    end: int


def greedy_runs(instance: PlainTasks, shares: Iterable[Share]) -> list[Run]:
    """S1: work-conserving; a waiting share of an early interval stops those of later intervals."""
    order = sorted(shares)
    left = {share: share.units * instance.tasks[share.task].time[share.machine] for share in order}
    running: list[Share] = []
    runs, now = [], 0
    while any(left.values()):
        waiting = [share.interval for share in order if left[share] and share not in running]
        if waiting:
            running = [share for share in running if share.interval <= min(waiting)]
        for share in order:
            beside = [other.task for other in running if other.machine == share.machine]
            if (
                left[share]
                and share.task not in [other.task for other in running]
                and instance.fits(share.machine, [share.task, *beside])
            ):
                running.append(share)
        step = min(left[share] for share in running)
        for share in running:
            runs.append(Run(now, share, now + step))
            left[share] -= step
        now += step
        running = [share for share in running if left[share]]
    return runs


def interval_completions(runs: list[Run], n_intervals: int) -> list[int]:
    """tau_l: when all shares of intervals up to l are complete."""
    return [
        max((run.end for run in runs if run.share.interval <= interval), default=0)
        for interval in range(n_intervals)
    ]


def done_at(instance: PlainTasks, runs: list[Run], task: int, time: int) -> Fraction:
    """The fraction of a task that the greedy schedule has done by a time."""
    own = [run for run in runs if run.share.task == task and run.start < time]
    return sum(
        (
            Fraction(min(run.end, time) - run.start, instance.tasks[task].time[run.share.machine] * UNIT)
            for run in own
        ),
        Fraction(0),
    )


def time_of(instance: PlainTasks, runs: list[Run], task: int, lam: Fraction) -> Fraction:
    """When the greedy schedule has done the fraction `lam` of a task."""
    missing = lam
    for run in sorted((run for run in runs if run.share.task == task), key=lambda run: run.start):
        time = instance.tasks[task].time[run.share.machine] * UNIT
        if missing * time <= run.end - run.start:
            return run.start + missing * time
        missing -= Fraction(run.end - run.start, time)
    raise AssertionError(f"task {task} is never done to {lam}")


def completion_at(instance: PlainTasks, runs: list[Run], job: int, lam: Fraction) -> Fraction:
    """C_j(lambda), in units of 1e-9."""
    return max(time_of(instance, runs, task, lam) for task in instance.tasks_of(job))


def objective_at(instance: PlainTasks, runs: list[Run], lam: Fraction) -> Fraction:
    """G(lambda), in units of 1e-9."""
    return sum(
        (
            weight * completion_at(instance, runs, job, lam) / lam
            for job, weight in enumerate(instance.weight)
        ),
        Fraction(0),
    )


def lambda_candidates(instance: PlainTasks, runs: list[Run], n_intervals: int) -> list[Fraction]:
    """1 and every alpha_jl above 0, descending."""
    candidates = {Fraction(1)}
    for tau in interval_completions(runs, n_intervals):
        for job in range(instance.n_jobs):
            candidates.add(min(done_at(instance, runs, task, tau) for task in instance.tasks_of(job)))
    return sorted(candidates - {Fraction(0)}, reverse=True)


def slow_motion(instance: PlainTasks, runs: list[Run], lam: Fraction, cap: str) -> list[Piece]:
    """S2: the greedy schedule stretched by 1/lambda; a task stops when it is done.

    Done is the whole task (cap "task"), or what the program gave to the machine (cap "machine").
    """
    room: dict[tuple[int, ...], Fraction] = {}
    for run in runs:
        at = (run.share.task,) if cap == "task" else (run.share.task, run.share.machine)
        time = instance.tasks[run.share.task].time[run.share.machine] * UNIT
        room[at] = room.get(at, Fraction(0)) + Fraction(run.end - run.start, time)
    pieces = []
    for run in sorted(runs, key=lambda run: run.start):
        share = run.share
        at = (share.task,) if cap == "task" else (share.task, share.machine)
        time = instance.tasks[share.task].time[share.machine]
        start = Fraction(run.start, UNIT) / lam
        length = min(Fraction(run.end - run.start, UNIT) / lam, room[at] * time)
        if length:
            pieces.append(Piece(start, share.task, share.machine, start + length))
            room[at] -= length / time
    return merged(pieces)


def synchpack1(
    instance: PlainTasks,
    shares: Iterable[Share],
    n_intervals: int,
    lam: Fraction | str = "derand",
    cap: str = "task",
    shift: bool = True,
) -> ReferenceSynchPack1:
    runs = greedy_runs(instance, shares)
    if isinstance(lam, str):
        # min keeps the first of equals, and the candidates descend: ties go to the largest lambda
        chosen = min(
            lambda_candidates(instance, runs, n_intervals), key=lambda x: objective_at(instance, runs, x)
        )
    else:
        chosen = lam
    pieces = slow_motion(instance, runs, chosen, cap)
    return ReferenceSynchPack1(
        pieces=shift_left(instance, pieces) if shift else pieces,
        lam=chosen,
        tau=[Fraction(tau, UNIT) for tau in interval_completions(runs, n_intervals)],
    )
