"""The sample of tasks and the instances of the colocation grid, one draw at a time: the definition that the kernels
must equal.
"""

import math
from collections.abc import Sequence

from reference.generators import SplitMix64
from reference.workload_models import Random

CLASSES = ("compatible", "incompatible", "clashing", "mixed")


def usage_records(seed: int, n_records: int) -> tuple[list[float], list[float]]:
    random = Random(seed)
    cpu, memory = [], []
    for _ in range(n_records):
        cpu_heavy = random.uniform() < 0.5
        big = 10 ** (-4.18 * random.uniform())
        sigma = 0.538 if cpu_heavy else 0.515
        small = big * 10 ** (-abs(sigma * random.normal()))
        cpu.append(big if cpu_heavy else small)
        memory.append(small if cpu_heavy else big)
    return cpu, memory


def tasks_of_records(cpu: Sequence[float], memory: Sequence[float]) -> tuple[list[int], list[float]]:
    size, ratio = [], []
    largest_cpu, largest_memory = max(cpu), max(memory)
    for c, m in zip(cpu, memory, strict=True):
        c, m = c / largest_cpu, m / largest_memory
        if c < 0.005 and m < 0.005:
            continue
        size.append(math.floor(100 * max(c, m) + 0.5))
        ratio.append(c / m if m > 0 else math.inf)
    return size, ratio


def task_type(rho: float, n_types: int) -> int:
    high = 10**0.66
    if n_types == 2:
        return 0 if rho <= 1 else 1
    if rho <= 1 / high:
        return 0
    if rho > high:
        return n_types - 1
    return 1 if n_types == 3 or rho <= 1 else 2


def seed_of(*values: int) -> int:
    s = 20190401
    for v in values:
        s = SplitMix64(s ^ v).next()
    return s


def shuffled(random: SplitMix64, population: int, n: int) -> list[int]:
    order = list(range(population))
    for i in range(n):
        j = i + random.below(population - i)
        order[i], order[j] = order[j], order[i]
    return order


def grid_instance(
    size: Sequence[int], ratio: Sequence[float], cls: str, n_types: int, n_tasks: int, n_machines: int,
    repetition: int, independent: bool = False,
) -> tuple[list[int], list[int], list[list[int]]]:  # fmt: skip
    """Return sizes, types and coefficients (in thousandths)."""
    random = Random(seed_of(CLASSES.index(cls), n_types, n_tasks, n_machines, repetition))
    kind = [task_type(rho, n_types) for rho in ratio]
    order = shuffled(random, len(size), n_tasks)
    chosen, others = order[:n_tasks], order[n_tasks:]
    while True:
        count = [sum(kind[j] == t for j in chosen) for t in range(n_types)]
        if min(count) > 0:
            break
        common, missing = count.index(max(count)), count.index(0)
        candidates = [j for j in others if kind[j] == missing]
        last = max(place for place, j in enumerate(chosen) if kind[j] == common)
        chosen[last] = candidates[random.below(len(candidates))]
    alpha = [[1000] * n_types for _ in range(n_types)]
    groups = {3: [0, 0, 1], 4: [0, 0, 1, 1]}.get(n_types, [])
    for s in range(n_types):
        for d in range(0 if independent else s + 1, n_types):
            if s == d:
                continue
            u = random.uniform()
            if cls == "compatible" or (cls == "mixed" and groups[s] == groups[d]):
                value = math.floor(1000 * u)
            elif cls == "clashing":
                value = 1001 + math.floor(2999 * u)
            else:
                value = 1001 + math.floor(999 * u)
            alpha[s][d] = value
            if not independent:
                alpha[d][s] = value
    return [size[j] for j in chosen], [kind[j] for j in chosen], alpha
