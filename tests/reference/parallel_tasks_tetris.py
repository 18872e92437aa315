"""Tetris for tasks: at every arrival and completion the machines take, one after the other, tasks by falling score.

Scores are Fractions. A library that computes them in floating point may order two tasks otherwise whose scores are the
same number from different terms, or almost the same; `ReferenceTetris.close_scores` says whether that could matter.
"""

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from reference.parallel_tasks_instance import Piece, PlainTasks, merged

CLOSE = Fraction(1, 10**10)


@dataclass(frozen=True)
class ReferenceTetris:
    pieces: list[Piece]
    close_scores: bool


class Tetris:
    """The state of a run: what remains of every task, where it has been, what runs."""

    def __init__(self, instance: PlainTasks, preemptive: bool, scale: str | Fraction, remote: str) -> None:
        self.instance = instance
        self.preemptive = preemptive
        self.scale = scale
        self.remote = remote
        self.remaining: dict[int, Fraction] = {
            t: Fraction(min(task.time.values())) for t, task in enumerate(instance.tasks)
        }
        self.home: dict[int, int] = {}
        self.running: list[int] = []
        self.pieces: list[Piece] = []
        self.close_scores = False
        self.first_scores: list[Fraction] | None = None  # by task, of the first machine that was asked
        n_resources = len(instance.capacity[0]) if instance.capacity else 0
        self.largest = [max(row[r] for row in instance.capacity) for r in range(n_resources)]

    def share_of_largest(self, task: int) -> Fraction:
        demand = self.instance.tasks[task].demand
        return sum((Fraction(d, c) for d, c in zip(demand, self.largest, strict=True) if d), Fraction(0))

    def arrived(self, now: Fraction) -> list[int]:
        return [t for t in self.remaining if self.instance.release_of(t) <= now]

    def schedule(self) -> ReferenceTetris:
        now = Fraction(0)
        while self.remaining:
            self.decide(now)
            arrivals = [self.instance.release_of(t) for t in self.remaining]
            instants = [now + self.remaining[t] for t in self.running] + [r for r in arrivals if r > now]
            now = self.advance(now, min(instants))
        return ReferenceTetris(merged(self.pieces), self.close_scores)

    def advance(self, now: Fraction, then: Fraction) -> Fraction:
        for task in self.running:
            self.pieces.append(Piece(now, task, self.home[task], then))
            self.remaining[task] -= then - now
        self.running = [task for task in self.running if self.remaining[task]]
        self.remaining = {task: left for task, left in self.remaining.items() if left}
        return then

    def decide(self, now: Fraction) -> None:
        present = self.arrived(now)
        if not present:
            return
        jobs = sorted({self.instance.tasks[t].job for t in present})
        volume = {
            job: sum(
                (
                    self.share_of_largest(t) * self.remaining[t]
                    for t in present
                    if self.instance.tasks[t].job == job
                ),
                Fraction(0),
            )
            for job in jobs
        }
        if isinstance(self.scale, Fraction):
            one_by_e = 1 / self.scale
        else:
            mean_share = sum((self.share_of_largest(t) for t in present), Fraction(0)) / len(present)
            one_by_e = mean_share * sum(volume.values(), Fraction(0)) / len(jobs)
        if self.preemptive:
            self.running = []
        for machine in range(self.instance.n_machines):
            candidates = [
                t
                for t in present
                if t not in self.running
                and machine in self.instance.tasks[t].time
                and self.home.get(t, machine) == machine
            ]
            self.fill(machine, candidates, volume, one_by_e)

    def fill(
        self, machine: int, candidates: list[int], volume: dict[int, Fraction], one_by_e: Fraction
    ) -> None:
        score, terms = {}, {}
        for task in candidates:
            plain = self.instance.tasks[task]
            weight, is_local = self.instance.weight[plain.job], machine in plain.local
            score[task] = weight * (self.instance.share(task, machine) + one_by_e / volume[plain.job])
            if not is_local:
                alpha = self.instance.remote_penalty
                score[task] = (
                    score[task] / alpha if self.remote == "divide" else score[task] * Fraction(9, 10)
                )
            terms[task] = (weight, plain.demand, volume[plain.job], is_local)
        if self.first_scores is None:
            self.first_scores = [score[t] for t in candidates]
        ordered = sorted(candidates, key=lambda t: (-score[t], t))
        for task, after in pairwise(ordered):
            if terms[task] != terms[after] and score[task] - score[after] <= CLOSE * score[task]:
                self.close_scores = True
        for task in ordered:
            on_machine = [t for t in self.running if self.home[t] == machine]
            if self.instance.fits(machine, [task, *on_machine]):
                if task not in self.home:
                    self.home[task] = machine
                    self.remaining[task] = Fraction(self.instance.tasks[task].time[machine])
                self.running.append(task)


def tetris_p(
    instance: PlainTasks, scale: str | Fraction = "balanced", remote: str = "divide"
) -> ReferenceTetris:
    return Tetris(instance, True, scale, remote).schedule()


def tetris_np(
    instance: PlainTasks, scale: str | Fraction = "balanced", remote: str = "divide"
) -> ReferenceTetris:
    return Tetris(instance, False, scale, remote).schedule()
