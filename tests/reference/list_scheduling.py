"""LPT and MULTIFIT on machines of any speeds, and the optimum: Fractions, scans, every assignment."""

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction


def decreasing(size: Sequence[int]) -> list[int]:
    """Return the tasks, the largest first, equal sizes by index."""
    return sorted(range(len(size)), key=lambda j: (-size[j], j))


def makespan(size: Sequence[int], speed: Sequence[int], machine: Sequence[int]) -> Fraction:
    """When the last machine is done."""
    load = [0] * len(speed)
    for j, k in enumerate(machine):
        load[k] += size[j]
    return max(Fraction(load[k], speed[k]) for k in range(len(speed)))


def longest_first(size: Sequence[int], speed: Sequence[int]) -> list[int]:
    """The longest task next, to the machine that completes it first; ties to the lowest machine."""
    load = [0] * len(speed)
    machine = [0] * len(size)
    for j in decreasing(size):
        k = min(range(len(speed)), key=lambda k: (Fraction(load[k] + size[j], speed[k]), k))
        machine[j] = k
        load[k] += size[j]
    return machine


def first_fit(size: Sequence[int], speed: Sequence[int], capacity: int) -> list[int] | None:
    """Longest first into the machines, the slowest first; `capacity` is that of the fastest machine."""
    order = sorted(range(len(speed)), key=lambda k: (speed[k], k))
    room = {k: capacity * speed[k] // max(speed) for k in order}
    machine = [0] * len(size)
    for j in decreasing(size):
        k = next((k for k in order if size[j] <= room[k]), None)
        if k is None:
            return None
        machine[j] = k
        room[k] -= size[j]
    return machine


def multifit(size: Sequence[int], speed: Sequence[int]) -> list[int]:
    """First fit at the capacity that this very search finds."""
    if not size:
        return []
    share = Fraction(sum(size) * max(speed), sum(speed))
    low = max(math.ceil(share), *size)
    high = max(math.ceil(2 * share), *size)
    while (kept := first_fit(size, speed, high)) is None:
        low, high = high + 1, min(2 * high, sum(size))
    while low < high:
        middle = (low + high) // 2
        trial = first_fit(size, speed, middle)
        if trial is None:
            low = middle + 1
        else:
            kept, high = trial, middle
    return kept


def optimum(size: Sequence[int], speed: Sequence[int]) -> Fraction:
    """Return the smallest makespan of all assignments."""
    return min(
        makespan(size, speed, machine) for machine in itertools.product(range(len(speed)), repeat=len(size))
    )
