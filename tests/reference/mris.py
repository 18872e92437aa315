"""MRIS: batches by geometrically growing intervals, each chosen by a knapsack and placed by priority.

Volumes, capacities and densities are exact fractions of the doubles given. The loop visits
every k, also the empty ones.
"""

from dataclasses import dataclass
from fractions import Fraction

from reference.mris_knapsack import choose
from reference.mris_placement import Committed, place
from reference.plain_instance import PlainInstance, PlainSchedule, scored_demand
from reference.priority_keys import priority_keys, priority_order


@dataclass(frozen=True)
class Iteration:
    """The record of one non-empty iteration."""

    k: int
    gamma: float
    n_candidates: int
    chosen: list[int]
    makespan: float


@dataclass(frozen=True)
class Batches:
    """What chooses a batch: fixed through one run."""

    instance: PlainInstance
    knapsack: str
    epsilon: Fraction

    def candidates(self, unplaced: list[int], gamma: float) -> list[int]:
        p, r = self.instance.processing_time, self.instance.release_time
        return [j for j in unplaced if p[j] <= gamma and r[j] <= gamma]

    def knapsack_capacity(self, gamma: float) -> Fraction:
        """zeta_k = R M gamma_k Q, without M where Q is that of all machines together."""
        scored = scored_demand(self.instance)
        return len(scored.resources) * scored.n_capacities * Fraction(gamma) * scored.capacity

    def choose(self, candidates: list[int], gamma: float) -> list[int]:
        """B_k, ascending."""
        volume = volumes(self.instance)
        positions = choose(
            [Fraction(self.instance.weight[j]) for j in candidates],
            [volume[j] for j in candidates],
            self.knapsack_capacity(gamma),
            self.knapsack,
            self.epsilon,
        )
        return [candidates[i] for i in positions]


def volumes(instance: PlainInstance) -> list[Fraction]:
    """v_j = p_j u_j in units of the common capacity."""
    total = scored_demand(instance).total
    return [Fraction(p) * u for p, u in zip(instance.processing_time, total, strict=True)]


def mris(
    instance: PlainInstance,
    heuristic: str = "wsjf",
    knapsack: str = "cadp",
    epsilon: Fraction = Fraction(1, 10),
    placement: str = "scan",
    gamma0: float | None = None,
) -> tuple[PlainSchedule, list[Iteration]]:
    batches = Batches(instance, knapsack, epsilon)
    rank = {j: position for position, j in enumerate(priority_order(priority_keys(instance, heuristic)))}
    committed = Committed(instance)
    iterations: list[Iteration] = []
    unplaced = list(range(instance.n_jobs))
    gamma = first_gamma(instance, gamma0)
    k = 0
    while unplaced:
        candidates = batches.candidates(unplaced, gamma)
        if candidates:
            chosen = batches.choose(candidates, gamma)
            place(committed, sorted(chosen, key=rank.__getitem__), gamma, placement)
            unplaced = [j for j in unplaced if j not in set(chosen)]
            iterations.append(Iteration(k, gamma, len(candidates), chosen, committed.makespan()))
        k += 1
        gamma *= 2
    return committed_schedule(committed), iterations


def first_gamma(instance: PlainInstance, gamma0: float | None) -> float:
    return min(instance.processing_time, default=1.0) if gamma0 is None else gamma0


def committed_schedule(committed: Committed) -> PlainSchedule:
    where = committed.start_and_machine()
    jobs = range(committed.instance.n_jobs)
    return PlainSchedule([where[j][0] for j in jobs], [where[j][1] for j in jobs])
