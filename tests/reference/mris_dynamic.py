"""MRIS that plans nothing: at every event, the jobs of all batches are tried like in PQ, as far as the bound allows.

An instant-by-instant loop over interval ends gamma_k, arrivals and completions, with the rule written out:

* S_i sums, over the batches 0..i with unstarted jobs, max(2 pmax, 2 V / M) + pmax of the unstarted jobs of a batch
  (V their volume in machines times time; without the last term on one machine);
* a job of the lowest unfinished batch may start wherever it fits;
* any other job j may start at t if t + max(longest remaining time, p_j) + S_i <= 2c gamma_i for all those i;
* a job of no batch may do so only if p_j <= patience * gamma_k and its weight per volume exceeds that of every job
  which the last knapsack left behind.

Jobs may end before their processing times (`duration`). From the first such end on, patience and density no longer
count: a job of no batch may start if it keeps the bound and p_j <= (2c - 2) gamma_k. Without early starts, and while
nothing runs at all, jobs of no batch are then started like in PQ.

Machines are served in index order, each with the first job in key order that may start there, until it has none; rounds
over the machines are repeated while one of them starts something. Sums are fractions; the library promises a hair less
than the bound (`SAFETY`, `FACTOR_LOSS`), so that equality counts as too late here as well.
"""

from dataclasses import dataclass, field
from fractions import Fraction

from reference.mris import Batches, first_gamma, volumes
from reference.mris_opportunistic import makespan_factor
from reference.plain_instance import PlainInstance, PlainSchedule, scored_demand
from reference.priority_keys import priority_keys, priority_order

SAFETY = 1 + Fraction(1, 10**12)
FACTOR_LOSS = 1 - Fraction(1, 2**50)


@dataclass
class DynamicRun:
    """The answer, and how often the bound and the density rule held back a job that fitted a machine."""

    schedule: PlainSchedule
    batches: list[tuple[int, float, int, list[int]]] = field(
        default_factory=list
    )  # k, gamma, n_candidates, chosen
    held_by_bound: int = 0
    held_by_density: int = 0


def mris_dynamic(
    instance: PlainInstance,
    heuristic: str = "wsjf",
    knapsack: str = "cadp",
    epsilon: Fraction = Fraction(1, 10),
    gamma0: float | None = None,
    opportunistic: bool = False,
    patience: float = 2.0,
    duration: list[float] | None = None,
) -> DynamicRun:
    return _Simulation(
        instance, heuristic, knapsack, epsilon, patience if opportunistic else 0.0, duration
    ).run(first_gamma(instance, gamma0))


class _Simulation:
    def __init__(
        self,
        instance: PlainInstance,
        heuristic: str,
        knapsack: str,
        epsilon: Fraction,
        patience: float,
        duration: list[float] | None,
    ) -> None:
        n = instance.n_jobs
        self.instance = instance
        self.duration = instance.processing_time if duration is None else duration
        self.ended_early = False
        self.patience = patience
        self.choice = Batches(instance, knapsack, epsilon)
        self.factor = 2 * makespan_factor(instance, knapsack, epsilon) * FACTOR_LOSS
        self.order = priority_order(priority_keys(instance, heuristic))
        self.volume = [v / scored_demand(instance).capacity for v in volumes(instance)]
        self.batch_of: dict[int, float] = {}  # job -> gamma of the iteration that took it
        self.left_behind: list[int] = []
        self.start_time: dict[int, float] = {}
        self.machine: dict[int, int] = {}
        self.result = DynamicRun(PlainSchedule([0.0] * n, [0] * n))

    def run(self, gamma: float) -> DynamicRun:
        p, r = self.instance.processing_time, self.instance.release_time
        d = self.duration
        k, now, next_gamma = -1, gamma, gamma
        while len(self.start_time) < self.instance.n_jobs:
            if now == next_gamma:
                k, gamma, next_gamma = k + 1, now, 2 * now
                self.take_batch(k, gamma)
            self.ended_early |= any(s + d[j] <= now and d[j] < p[j] for j, s in self.start_time.items())
            self.start_jobs(now, gamma)
            arrivals = [t for t in r if t > now]
            ends = [s + d[j] for j, s in self.start_time.items() if s + d[j] > now]
            now = min([next_gamma, *arrivals, *ends])
        jobs = range(self.instance.n_jobs)
        self.result.schedule = PlainSchedule(
            [self.start_time[j] for j in jobs], [self.machine[j] for j in jobs]
        )
        return self.result

    def take_batch(self, k: int, gamma: float) -> None:
        untaken = [
            j for j in range(self.instance.n_jobs) if j not in self.batch_of and j not in self.start_time
        ]
        candidates = self.choice.candidates(untaken, gamma)
        chosen = self.choice.choose(candidates, gamma) if candidates else []
        self.left_behind = [j for j in candidates if j not in chosen]
        if chosen:
            self.result.batches.append((k, gamma, len(candidates), chosen))
        self.batch_of.update(dict.fromkeys(chosen, gamma))

    def start_jobs(self, now: float, gamma: float) -> None:
        progress = True
        while progress:
            progress = False
            for machine in range(self.instance.n_machines):
                while (job := self.first_job(machine, now, gamma)) is not None:
                    self.start_time[job], self.machine[job] = now, machine
                    progress = True
        if self.ended_early and self.patience == 0 and not self.running(now):
            for job in self.order:
                if job not in self.start_time and self.instance.release_time[job] <= now:
                    self.start_on_first_machine(job, now)

    def start_on_first_machine(self, job: int, now: float) -> None:
        for machine in range(self.instance.n_machines):
            if self.fits(machine, now, job):
                self.start_time[job], self.machine[job] = now, machine
                return

    def running(self, now: float) -> list[int]:
        return [j for j, s in self.start_time.items() if s <= now < s + self.duration[j]]

    def first_job(self, machine: int, now: float, gamma: float) -> int | None:
        for job in self.order:
            if (
                job in self.start_time
                or self.instance.release_time[job] > now
                or not self.fits(machine, now, job)
            ):
                continue
            if job not in self.batch_of and not self.may_start_early(job, gamma):
                continue
            if self.keeps_the_bound(now, job):
                return job
            self.result.held_by_bound += 1
        return None

    def fits(self, machine: int, now: float, job: int) -> bool:
        demand = self.instance.demand
        here = [j for j in self.running(now) if self.machine[j] == machine]
        return all(
            sum(demand[j][r] for j in here) + demand[job][r] <= self.instance.capacities[machine][r]
            for r in range(self.instance.n_resources)
        )

    def may_start_early(self, job: int, gamma: float) -> bool:
        if self.ended_early and self.patience > 0:
            return Fraction(self.instance.processing_time[job]) <= (self.factor - 2) * Fraction(gamma)
        if self.instance.processing_time[job] > self.patience * gamma:
            return False
        if any(self.density(job) <= self.density(j) for j in self.left_behind):
            self.result.held_by_density += 1
            return False
        return True

    def density(self, job: int) -> Fraction:
        return Fraction(self.instance.weight[job]) / self.volume[job]

    def keeps_the_bound(self, now: float, job: int) -> bool:
        unfinished = sorted({g for j, g in self.batch_of.items() if j not in self.start_time})
        if not unfinished or self.batch_of.get(job) == unfinished[0]:
            return True
        p = self.instance.processing_time
        ends = [Fraction(self.start_time[j]) + Fraction(p[j]) for j in self.running(now)]
        busy_until = max([Fraction(now) + Fraction(p[job]), *ends])
        total = Fraction(0)
        for gamma in unfinished:
            total += SAFETY * self.alone(gamma)
            if busy_until + total > self.factor * Fraction(gamma):
                return False
        return True

    def alone(self, gamma: float) -> Fraction:
        """The time that PQ needs for the unstarted jobs of one batch alone."""
        jobs = [j for j, g in self.batch_of.items() if g == gamma and j not in self.start_time]
        longest = max(Fraction(self.instance.processing_time[j]) for j in jobs)
        volume = sum((self.volume[j] for j in jobs), Fraction(0))
        by_volume = 2 * volume / scored_demand(self.instance).n_capacities
        return max(2 * longest, by_volume) + (longest if self.instance.n_machines > 1 else 0)
