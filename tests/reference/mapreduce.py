"""Jobs of map and reduce tasks, slot by slot, as plain Python: who gets how many cores, and when jobs end.

Keys and multipliers are floats, computed in the order that the algorithm prescribes, so that a library which keeps to
that order agrees bit for bit. Where tasks are placed is not this reference's business: it changes no completion time.
"""

import math
from dataclasses import dataclass, field

MAP, REDUCE = 0, 1


@dataclass(frozen=True)
class Phase:
    n_tasks: int
    cores: int
    time: int


@dataclass(frozen=True)
class MapReduceJob:
    release_time: int
    map: Phase
    reduce: Phase

    @property
    def phases(self) -> list[Phase]:
        return [phase for phase in (self.map, self.reduce) if phase.n_tasks > 0]

    @property
    def processing_time(self) -> int:
        return sum(phase.time for phase in self.phases)

    @property
    def task_time(self) -> int:
        return sum(phase.n_tasks * phase.time for phase in self.phases)

    @property
    def volume(self) -> int:
        return sum(phase.n_tasks * phase.time * phase.cores for phase in self.phases)


@dataclass(frozen=True)
class Rule:
    """What decides: an order by name, or OCORP with its parameters."""

    order: str = "ocorp"
    k: int = 2
    gamma: float | None = None
    mu: float | None = None  # None: t^(k + 1/2)
    lambda0: str | tuple[str, float] = "zero"
    work_conserving: bool = True
    max_slots: int | None = None


@dataclass
class Outcome:
    completion: list[float]
    map_completion: list[float]
    cores: dict[tuple[int, int, int], int] = field(default_factory=dict)  # (slot, job, task) -> cores
    cut: dict[int, tuple[int, int]] = field(
        default_factory=dict
    )  # slot -> the task that got less than it could use
    multipliers: list[tuple[int, int, float]] = field(default_factory=list)  # slot, job, value in that slot


def power(base: float, exponent: int) -> float:
    result = 1.0
    for _ in range(exponent):
        result = result * base
    return result


def default_gamma(jobs: list[MapReduceJob], total: int) -> float:
    longest = max((max(j.release_time + 2 * j.processing_time, 2 * j.release_time) for j in jobs), default=0)
    return max(float(longest), 4 * sum(j.volume for j in jobs) / total)


class Run:
    def __init__(self, jobs: list[MapReduceJob], total: int, rule: Rule) -> None:
        self.jobs = jobs
        self.total = total
        self.rule = rule
        self.gamma = default_gamma(jobs, total) if rule.gamma is None else rule.gamma
        self.remaining = [
            [[phase.cores * phase.time] * phase.n_tasks for phase in (job.map, job.reduce)] for job in jobs
        ]
        self.multiplier: dict[tuple[int, int], float] = {}
        never = [math.inf] * len(jobs)
        self.outcome = Outcome(never, list(never))

    def schedule(self) -> Outcome:
        slot = 0
        while math.inf in self.outcome.completion and slot != self.rule.max_slots:
            slot += 1
            self.run_slot(slot)
        return self.outcome

    def phase_of(self, j: int) -> int:
        return MAP if any(self.remaining[j][MAP]) else REDUCE

    def run_slot(self, slot: int) -> None:
        active = {
            j: self.phase_of(j)
            for j, job in enumerate(self.jobs)
            if job.release_time < slot and any(map(any, self.remaining[j]))
        }
        key = {j: self.key(slot, j, phase) for j, phase in active.items()}
        given = dict.fromkeys(active, 0)
        left = self.total
        for j in sorted(active, key=lambda j: (key[j], j)):
            if self.rule.order == "ocorp" and not self.rule.work_conserving and not key[j] < 0:
                continue
            cores = self.phase(j, active[j]).cores
            for number, remaining in enumerate(self.remaining[j][active[j]]):
                limit = min(cores, remaining)
                amount = min(limit, left)
                if amount > 0:
                    task = number + (self.jobs[j].map.n_tasks if active[j] == REDUCE else 0)
                    self.outcome.cores[slot, j, task] = amount
                    if amount < limit:
                        self.outcome.cut[slot] = (j, task)
                    self.remaining[j][active[j]][number] -= amount
                    given[j] += amount
                    left -= amount
        for j, phase in active.items():
            if self.rule.order == "ocorp":
                self.update(slot, j, phase, given[j])
            if phase == MAP and not any(self.remaining[j][MAP]):
                self.outcome.map_completion[j] = float(slot)
            if not any(map(any, self.remaining[j])):
                self.outcome.completion[j] = float(slot)

    def phase(self, j: int, phase: int) -> Phase:
        return self.jobs[j].map if phase == MAP else self.jobs[j].reduce

    def key(self, slot: int, j: int, phase: int) -> float:
        job, now = self.jobs[j], self.phase(j, phase)
        match self.rule.order:
            case "srpt":
                return sum(
                    max(self.remaining[j][z]) / self.phase(j, z).cores
                    for z in (MAP, REDUCE)
                    if self.phase(j, z).n_tasks > 0
                )
            case "srvf":
                return float(sum(map(sum, self.remaining[j])))
            case "svf":
                return float(job.volume)
            case "srf":
                return float(now.cores)
            case "fifo":
                return float(job.release_time)
        multiplier = self.multiplier.setdefault((j, phase), self.first_multiplier(slot))
        self.outcome.multipliers.append((slot, j, multiplier))
        weight = 2.0 * power(slot - job.release_time, self.rule.k) + power(job.processing_time, self.rule.k)
        weight = weight / (2.0 * now.n_tasks * now.time)
        return (weight - multiplier) / now.cores

    def step(self, slot: float) -> float:
        return power(slot, self.rule.k) * math.sqrt(slot) if self.rule.mu is None else self.rule.mu

    def first_multiplier(self, slot: int) -> float:
        match self.rule.lambda0:
            case "zero":
                return 0.0
            case "big":
                return self.gamma * (power(self.gamma, self.rule.k) * math.sqrt(self.gamma))
            case ("mu", factor):
                return float(factor) * self.step(slot)
            case ("const", value):
                return float(value)
        raise AssertionError(self.rule.lambda0)

    def update(self, slot: int, j: int, phase: int, given: int) -> None:
        job, now = self.jobs[j], self.phase(j, phase)
        rate = 1.0
        if self.gamma > job.release_time:
            rate = min(1.0, job.task_time / (now.n_tasks * (self.gamma - job.release_time)))
        done = given / now.cores / now.n_tasks
        self.multiplier[j, phase] = max(0.0, self.multiplier[j, phase] + self.step(slot) * (rate - done))


def schedule(jobs: list[MapReduceJob], total: int, rule: Rule) -> Outcome:
    """Run until every job is done, or through `rule.max_slots`."""
    return Run(jobs, total, rule).schedule()
