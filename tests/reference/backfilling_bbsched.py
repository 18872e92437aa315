"""BBSched: of the first waiting jobs the set that a rule prefers starts, then others may overtake as under EASY.

Every subset of the window is formed, as it is said: placed in queue order, compared with every other one, and judged by
the rule in fractions.
"""

from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import inf

from reference.backfilling_cluster import Cluster, Knobs
from reference.backfilling_easy import Easy
from reference.vector_fit import fits

Vector = tuple[int, ...]


@dataclass(frozen=True)
class JobSet:
    """Some jobs of the window that fit together; ``taken`` has one flag for each job of the window."""

    taken: tuple[bool, ...]
    use: Vector

    @property
    def order(self) -> tuple[bool, ...]:
        """The set with the earliest job in which two differ comes first."""
        return tuple(not each for each in self.taken)


class Bbsched(Easy):
    """The head is protected, or in its place a job that was passed over ``max_passes`` times.

    With ``is_cut`` every search ends with what it finds first.
    """

    def __init__(
        self,
        cluster: Cluster,
        window_size: int = 20,
        max_passes: int = 50,
        primary: int = 0,
        trade: float | Fraction = 2,
        is_cut: bool = False,
    ) -> None:
        super().__init__(cluster, "ff", Knobs())
        self.window_size = window_size
        self.max_passes = max_passes
        self.primary = primary
        self.trade = trade
        self.is_cut = is_cut
        self.passes: dict[int, int] = {}
        self.blocked: int | None = None

    def protected(self) -> int:
        return self.cluster.queue[0] if self.blocked is None else self.blocked

    def run_pass(self, now: float, gave_back: bool) -> None:
        self.start_first(now)
        if self.cluster.queue and self.clock.runs(now):
            self.backfill(now)

    def start_first(self, now: float) -> None:
        cluster, self.blocked = self.cluster, None
        window = cluster.queue[: self.window_size]
        for job in window:
            if self.passes.get(job, 0) < self.max_passes:
                continue
            machine = self.lowest(job, [cluster.free(m) for m in cluster.machines])
            if machine is None:
                self.blocked = job
                return
            cluster.start(job, machine, now)
        window = [job for job in window if job in cluster.queue]
        chosen = self.chosen(window)
        for job in window:
            if job in chosen:
                machine = self.lowest(job, [cluster.free(m) for m in cluster.machines])
                assert machine is not None, "a set fits as it was placed"
                cluster.start(job, machine, now)
            elif chosen:
                self.passes[job] = self.passes.get(job, 0) + 1
        self.start_heads(now)

    def lowest(self, job: int, free: list[list[int]]) -> int | None:
        return next(
            (m for m in self.cluster.machines if fits(self.cluster.instance.demand[job], free[m])), None
        )

    def chosen(self, window: list[int]) -> set[int]:
        sets = self.sets(window)
        if not any(any(each.taken) for each in sets):
            return set()
        if self.is_cut:
            best = min(sets, key=lambda each: each.order)
        else:
            totals = [sum(column) for column in zip(*self.cluster.instance.capacity, strict=True)]
            best = preferred(pareto_front(sets), totals, self.primary, self.trade)
        return {job for job, taken in zip(window, best.taken, strict=True) if taken}

    def sets(self, window: list[int]) -> list[JobSet]:
        """Those that fit, and of equal jobs hold the earliest."""
        cluster, demand = self.cluster, self.cluster.instance.demand
        found = []
        for taken in product([True, False], repeat=len(window)):
            jobs = [job for job, each in zip(window, taken, strict=True) if each]
            left = [job for job, each in zip(window, taken, strict=True) if not each]
            if any(demand[a] == demand[b] and window.index(a) < window.index(b) for a in left for b in jobs):
                continue
            free = [list(cluster.free(m)) for m in cluster.machines]
            for job in jobs:
                machine = self.lowest(job, free)
                if machine is None:
                    break
                free[machine] = [f - d for f, d in zip(free[machine], demand[job], strict=True)]
            else:
                n_resources = len(cluster.instance.capacity[0])
                found.append(
                    JobSet(taken, tuple(sum(demand[job][k] for job in jobs) for k in range(n_resources)))
                )
        return found


def pareto_front(sets: list[JobSet]) -> list[JobSet]:
    """Those that no other one dominates; of those with equal use the first."""
    first: dict[Vector, JobSet] = {}
    for each in sorted(sets, key=lambda each: each.order):
        first.setdefault(each.use, each)
    return [a for a in first.values() if not any(_dominates(b.use, a.use) for b in first.values())]


def _dominates(a: Vector, b: Vector) -> bool:
    return a != b and all(x >= y for x, y in zip(a, b, strict=True))


def preferred(front: list[JobSet], totals: list[int], primary: int, trade: float | Fraction) -> JobSet:
    """The one with the most use of the primary resource, or one that gains more than ``trade`` times what it loses."""

    def share(each: JobSet, k: int) -> Fraction:
        return Fraction(each.use[k], totals[k]) if totals[k] else Fraction(0)

    def others(each: JobSet) -> Fraction:
        return sum((share(each, k) for k in range(len(totals)) if k != primary), Fraction(0))

    best = min(front, key=lambda each: (-share(each, primary), -others(each), each.order))
    better = []
    for each in front:
        gain, loss = others(each) - others(best), share(best, primary) - share(each, primary)
        if (loss == 0 if trade == inf else gain > Fraction(trade) * loss) and gain > 0:
            better.append((-gain, loss, each.order, each))
    return min(better)[3] if better else best
