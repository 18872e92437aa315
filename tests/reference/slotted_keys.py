"""Weights, multipliers and keys of the slotted family as doubles, operation by operation in the documented order.

The order of the operations is the definition: a library that evaluates them otherwise decides ties otherwise.
"""

import math
from dataclasses import dataclass

from .slotted_instance import SlottedJobs

Lambda0 = str | tuple[str, float]


def ipow(base: float, exponent: int) -> float:
    """``base ** exponent`` by repeated multiplication from the left."""
    power = 1.0
    for _ in range(exponent):
        power = power * base
    return power


def weight(slot: int, release: int, processing: int, k: int) -> float:
    """w_j(t): what a unit of rate costs in slot t."""
    return ipow(float(slot - release), k) / processing + ipow(float(processing), k - 1)


def dual_step(slot: float, k: int) -> float:
    """mu(t) = t ** (k + 1/2)."""
    return ipow(slot, k) * math.sqrt(slot)


def gamma_of(jobs: SlottedJobs) -> float:
    """Equation (27): by when everything should be finished."""
    pairs = zip(jobs.release_time, jobs.processing_time, strict=True)
    latest = max((max(a + 2 * p, 2 * a) for a, p in pairs), default=0)
    volume = sum(p * believed[0] for p, believed in zip(jobs.processing_time, jobs.believed, strict=True))
    return max(float(latest), 4.0 * volume / jobs.total_cores)


@dataclass(frozen=True)
class Multipliers:
    """The dual recursion of OCORP: where lambda starts and how a slot changes it."""

    k: int
    gamma: float
    mu: str | float
    lambda0: Lambda0

    def step(self, slot: int) -> float:
        return dual_step(float(slot), self.k) if self.mu == "sim" else float(self.mu)

    def first(self, release: int) -> float:
        """Lambda of a job in its first slot, release + 1."""
        match self.lambda0:
            case "big":
                return self.gamma * dual_step(self.gamma, self.k)
            case "zero":
                return 0.0
            case ("mu", factor):
                return float(factor) * self.step(release + 1)
            case ("const", value):
                return float(value)
        raise ValueError(self.lambda0)

    def target_rate(self, release: int, processing: int) -> float:
        """r_j: the rate at which a job is done exactly at Gamma, 1 at most."""
        return processing / max(self.gamma - release, float(processing))

    def after(self, value: float, slot: int, target: float, rate: float) -> float:
        """Lambda after a slot in which the job was served at `rate`."""
        return max(0.0, value + self.step(slot) * (target - rate))


def baseline_key(policy: str, jobs: SlottedJobs, job: int, remaining: int) -> float:
    """What the baselines sort by, smallest first."""
    true, believed = float(jobs.demand[job][0]), float(jobs.believed[job][0])
    match policy:
        case "srpt":
            return remaining / true
        case "srvf":
            return remaining * believed / true if believed != true else float(remaining)
        case "svf" | "svf_transient":
            return jobs.processing_time[job] * believed
        case "srf":
            return believed
        case "fifo":
            return float(jobs.release_time[job])
        case "las":
            return float(jobs.volume(job) - remaining)
    raise ValueError(policy)
