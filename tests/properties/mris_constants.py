"""The quantities of the MRIS proofs, computed exactly and apart from the library.

c = 2R(1 + eps) on one machine and 2R(1 + eps) + 1 on several, where eps is the overshoot of
the knapsack: its parameter for "cadp", 1 for the greedy forms, 0 for "exact".
"""

from fractions import Fraction
from math import lcm

import schedcore

KEYS = ["wsjf", "wsvf", "wsdf", "sjf", "svf", "sdf", "erf"]
OVERSHOOT = {
    "exact": Fraction(0),
    "cadp": Fraction(1, 10),
    "greedy": Fraction(1),
    "greedy_union": Fraction(1),
}
KNAPSACKS = list(OVERSHOOT)
BACKFILLING = ["scan", "nobackfill"]  # the placements with a bounded ratio


def n_counted_resources(instance: schedcore.Instance) -> int:
    """R without the resources of capacity 0, which nobody can demand."""
    return sum(total > 0 for total in total_capacity(instance))


def has_exact_volumes(instance: schedcore.Instance) -> bool:
    """Whether the capacities have a common multiple up to 2^53; else the algorithms score rounded demands."""
    machines = instance.machines
    capacity = machines.capacity[0].tolist() if machines.are_identical else total_capacity(instance)
    return lcm(*(q for q in capacity if q > 0)) <= 2**53


def total_capacity(instance: schedcore.Instance) -> list[int]:
    """Of every resource, over all machines."""
    return [sum(column) for column in zip(*instance.machines.capacity.tolist(), strict=True)]


def batch_factor(instance: schedcore.Instance, knapsack: str) -> Fraction:
    """c: how far a batch can push the makespan, per unit of its gamma."""
    c = 2 * n_counted_resources(instance) * (1 + OVERSHOOT[knapsack])
    return c if instance.n_machines == 1 else c + 1


def volumes(instance: schedcore.Instance) -> list[Fraction]:
    """v_j / Q: processing time times the demands summed as fractions of what a machine has on average."""
    capacity, n_machines = total_capacity(instance), instance.n_machines
    return [
        Fraction(p) * sum(Fraction(d * n_machines, q) for d, q in zip(row, capacity, strict=True) if q > 0)
        for p, row in zip(instance.jobs.processing_time.tolist(), instance.jobs.demand.tolist(), strict=True)
    ]


def ends(instance: schedcore.Instance, result: schedcore.Result) -> list[Fraction]:
    """Completion times."""
    sums = result.schedule.start_time + instance.jobs.processing_time
    return [Fraction(end) for end in sums.tolist()]


def makespan(instance: schedcore.Instance, result: schedcore.Result) -> Fraction:
    return max(ends(instance, result), default=Fraction(0))


def sum_weighted_ends(instance: schedcore.Instance, result: schedcore.Result) -> Fraction:
    weights = [Fraction(w) for w in instance.jobs.weight.tolist()]
    return sum((w * c for w, c in zip(weights, ends(instance, result), strict=True)), Fraction(0))
