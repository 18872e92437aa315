"""Plan-based scheduling: the order of the waiting jobs is searched whose plan has the least sum of starts.

A plan is made job by job on the availability profile, from the running jobs on. Scores are fractions, logarithms have
fifty digits, and draws are SplitMix64 as it was published.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import permutations
from math import inf

from reference.backfilling import ReferenceBackfill, run_calendar
from reference.backfilling_cluster import Cluster, Place
from reference.backfilling_instance import BackfillInstance
from reference.backfilling_profile import Profile, Rectangle

_WORD = 2**64


class SplitMix:
    def __init__(self, seed: int) -> None:
        self.state = seed

    def word(self) -> int:
        self.state = (self.state + 0x9E3779B97F4A7C15) % _WORD
        z = self.state
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % _WORD
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB % _WORD
        return z ^ (z >> 31)


class WorkIsDone(Exception):
    pass


class PlanAnnealing:
    """``held`` are the places of jobs that wait, by the plan that is followed, or that of the queue where none fits."""

    def __init__(
        self,
        cluster: Cluster,
        *,
        work_limit: int = 100_000,
        seed: int = 0,
        cooling: float = 0.9,
        steps: int = 30,
        swaps: int = 6,
        exhaustive: int = 5,
    ) -> None:
        self.cluster = cluster
        self.work_limit, self.cooling, self.steps, self.swaps = work_limit, cooling, steps, swaps
        self.exhaustive = exhaustive
        self.random = SplitMix(seed)
        self.held: dict[int, Place] = {}
        self.is_followed = False
        self.searches = self.placements = self.searches_cut = 0
        self.found: list[
            tuple[float, list[int], list[int]]
        ] = []  # instant, queue, the order that was followed

    def wakeup(self, now: float) -> float:
        if not self.is_followed:
            return inf
        ends_on_time = [
            (run.planned_end, run.machine)
            for job, run in self.cluster.running.items()
            if run.planned_end == self.cluster.end_if_started(job, run.start)
        ]
        return min([place[0] for place in self.held.values() if place in ends_on_time], default=inf)

    def run_pass(self, now: float, gave_back: bool) -> None:
        self.held.clear()
        queue = list(self.cluster.queue)
        self.is_followed = any(
            self.cluster.fits(job, machine) for job in queue for machine in self.cluster.machines
        )
        order = self.search(queue, now) if self.is_followed else queue
        if self.is_followed:
            self.found.append((now, queue, order))
        for job, place in zip(order, self.places(order, now), strict=True):
            if place[0] == now:
                self.cluster.start(job, place[1], now)
            else:
                self.held[job] = place

    def plan(self, now: float) -> list[tuple[int, int, float]]:
        """(job, machine, start) of those that wait, in order of start."""
        waiting = sorted(self.cluster.queue, key=lambda job: self.held[job][0])
        return [(job, machine, start) for job in waiting for start, machine in [self.held[job]]]

    def places(self, order: Sequence[int], now: float) -> list[Place]:
        instance = self.cluster.instance
        profile = Profile(
            instance.capacity,
            [
                Rectangle(run.machine, run.start, run.planned_end, instance.demand[job])
                for job, run in self.cluster.running.items()
            ],
        )
        places = []
        for job in order:
            start, machine = profile.earliest(
                instance.demand[job], lambda s, j=job: self.cluster.end_if_started(j, s), now
            )
            end = self.cluster.end_if_started(job, start)
            profile.rectangles.append(Rectangle(machine, start, end, instance.demand[job]))
            places.append((start, machine))
        return places

    def score(self, order: Sequence[int], now: float) -> Fraction:
        return sum((Fraction(start) for start, _ in self.places(order, now)), Fraction(0))

    def search(self, queue: list[int], now: float) -> list[int]:
        self.searches += 1
        self.left = self.work_limit - len(queue)
        self.placements += len(queue)
        self.best, self.best_score = queue, self.score(queue, now)
        try:
            if len(queue) <= self.exhaustive:
                self.try_all(queue, now)
            else:
                self.anneal(self.try_sorted(queue, now), now)
        except WorkIsDone:
            self.searches_cut += 1
        return self.best

    def spend(self, n_placements: int) -> None:
        if n_placements > self.left:
            raise WorkIsDone
        self.left -= n_placements
        self.placements += n_placements

    def note(self, order: list[int], score: Fraction) -> None:
        if score < self.best_score:
            self.best, self.best_score = order, score

    def try_all(self, queue: list[int], now: float) -> None:
        before = tuple(range(len(queue)))
        for positions in list(permutations(range(len(queue))))[1:]:
            common = next(i for i in range(len(queue)) if positions[i] != before[i])
            self.spend(len(queue) - common)
            order = [queue[i] for i in positions]
            self.note(order, self.score(order, now))
            before = positions

    def try_sorted(self, queue: list[int], now: float) -> float:
        """The temperature to begin with."""
        worst = self.best_score
        for key in (self.estimate, self.size, lambda job: self.estimate(job) * self.size(job)):
            for descends in (False, True):
                self.spend(len(queue))
                order = sorted(queue, key=key, reverse=descends)
                score = self.score(order, now)
                self.note(order, score)
                worst = max(worst, score)
        return float(worst - self.best_score)

    def estimate(self, job: int) -> Fraction:
        return Fraction(self.cluster.instance.estimated_processing_time[job])

    def size(self, job: int) -> Fraction:
        instance = self.cluster.instance
        totals = [sum(column) for column in zip(*instance.capacity, strict=True)]
        return sum(
            (Fraction(d, c) for d, c in zip(instance.demand[job], totals, strict=True) if c > 0), Fraction(0)
        )

    def anneal(self, temperature: float, now: float) -> None:
        if temperature == 0:
            return
        order, score = list(self.best), self.best_score
        for _ in range(self.steps):
            for _ in range(self.swaps):
                a = self.random.word() % len(order)
                b = self.random.word() % (len(order) - 1)
                b += b >= a
                u = 1 - Fraction(self.random.word() >> 11, 2**53)
                self.spend(len(order) - min(a, b))
                other = list(order)
                other[a], other[b] = other[b], other[a]
                other_score = self.score(other, now)
                if is_taken(other_score - score, temperature, u):
                    order, score = other, other_score
                    self.note(order, score)
            temperature *= self.cooling


def is_taken(worse: Fraction, temperature: float, u: Fraction) -> bool:
    """Whether exp(-worse / temperature) > u, or the order is no worse."""
    if worse <= 0:
        return True
    with localcontext(prec=50):
        x = Decimal(u.numerator) / Decimal(u.denominator)
        return Decimal(worse.numerator) / Decimal(worse.denominator) < Decimal(temperature) * -x.ln()


def simulate_plans(instance: BackfillInstance, **options: float) -> tuple[ReferenceBackfill, PlanAnnealing]:
    """What comes of a workload, and the policy after it."""
    return replay_plans(instance, instance.processing_time, with_overruns=False, **options)


def replay_plans(
    instance: BackfillInstance, duration: list[float], *, with_overruns: bool = True, **options: float
) -> tuple[ReferenceBackfill, PlanAnnealing]:
    """The same where job j really runs for ``duration[j]``."""
    cluster = Cluster(instance, None)
    policy = PlanAnnealing(cluster, **options)  # type: ignore[arg-type]
    return run_calendar(cluster, policy, duration, with_overruns=with_overruns), policy
