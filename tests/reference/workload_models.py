"""The workload models and the calibration of their load, one draw and one job at a time: the definition that
the kernels must equal.
"""

import math
from collections.abc import Callable, Sequence

from reference.generators import SplitMix64

N = 128


class Random(SplitMix64):
    def uniform(self) -> float:
        return (self.next() >> 11) * 2.0**-53

    def exponential(self) -> float:
        return -math.log(1 - self.uniform())

    def normal(self) -> float:
        u1 = self.uniform()
        u2 = self.uniform()
        return math.sqrt(-2 * math.log(1 - u1)) * math.cos(2 * math.pi * u2)

    def gamma(self, a: float) -> float:
        big_d = a - 1 / 3
        c = 1 / math.sqrt(9 * big_d)
        while True:
            x = self.normal()
            v = (1 + c * x) * (1 + c * x) * (1 + c * x)
            if v <= 0:
                continue
            u = self.uniform()
            if math.log(1 - u) < x * x / 2 + big_d - big_d * v + big_d * math.log(v):
                return big_d * v

    def table(self, weights: Sequence[float]) -> int:
        total = 0.0
        for weight in weights:
            total += weight
        x = self.uniform() * total
        running = 0.0
        for index, weight in enumerate(weights):
            running += weight
            if running > x:
                return index
        raise AssertionError("x is below the sum of the weights")


def size_weight(n: int) -> float:
    if n in (1, 2, 4, 8, 16, 32, 64, 128):
        return n**-0.75
    if n in (9, 25, 36, 49, 81, 100, 121):
        return 3 * n**-1.5
    return n**-1.5


def feitelson(
    n: int,
    seed: int,
    repeats: bool = False,
    weights: Sequence[float] | None = None,
    means: tuple[float, float] = (1, 7),
    probability: tuple[float, float] = (0.95, 0.20),
) -> list[tuple[int, int]]:
    random = Random(seed)
    if weights is None:
        weights = [size_weight(size) for size in range(1, N + 1)]
    jobs: list[tuple[int, int]] = []
    while len(jobs) < n:
        size = random.table(weights) + 1
        q = probability[0] - probability[1] * size / len(weights)
        mean = means[0] if random.uniform() < q else means[1]
        p = max(1, math.ceil(600 * mean * random.exponential()))
        times = random.table([r**-2.5 for r in range(1, 1001)]) + 1 if repeats else 1
        jobs += [(size, p)] * times
    return jobs[:n]


def lublin(n: int, seed: int) -> list[tuple[int, int]]:
    random = Random(seed)
    uhi = math.log2(N)
    umed = uhi - 2.5
    jobs = []
    for _ in range(n):
        u = random.uniform()
        if u <= 0.244:
            size = 1
        else:
            a = random.uniform()
            x = random.uniform()
            par = 0.8 + x * (umed - 0.8) if a <= 0.86 else umed + x * (uhi - umed)
            if u <= 0.244 + 0.576:
                par = math.floor(par + 0.5)
            size = min(math.floor(math.exp2(par) + 0.5), N)
        q = min(1.0, max(0.0, -0.0054 * size + 0.78))
        while True:
            h = 0.94 * random.gamma(4.2) if random.uniform() <= q else 0.03 * random.gamma(312)
            if h <= 12:
                break
        jobs.append((size, max(1, math.floor(math.exp(h)))))
    return jobs


def k_resource_demand(
    size: Sequence[int], n_resources: int, variance: float, seed: int, factor: float = 1, largest: int = N
) -> list[list[int]]:
    random = Random(seed ^ 0xD1B54A32D192ED03)
    demand = []
    for s in size:
        row = []
        for _ in range(n_resources):
            z = 0.0
            while not 0 < z <= 1:
                z = 0.5 + math.sqrt(variance) * random.normal()
            row.append(max(1, math.floor(10**6 * min(1.0, factor * (s / largest) * z) + 0.5)))
        demand.append(row)
    return demand


def unit_arrivals(n: int, seed: int) -> list[float]:
    random = Random(seed ^ 0xAEF17502108EF2D9)
    arrivals = [0.0]
    while len(arrivals) < n:
        arrivals.append(arrivals[-1] + random.exponential())
    return arrivals[:n]


def estimates(processing_time: Sequence[float], factor: float, seed: int) -> list[float]:
    random = Random(seed ^ 0x8CB92BA72F3D8DD7)
    if factor == 1:
        return list(processing_time)
    return [max(p, math.ceil(p * (1 + (factor - 1) * random.uniform()))) for p in processing_time]


def average_queue(submit: Sequence[int], start: Sequence[int]) -> float:
    """Integral of the queue length over the arrival window, step by step."""
    first, last = min(submit), max(submit)
    if first == last:
        return 0.0
    integral = sum(
        sum(1 for s, b in zip(submit, start, strict=True) if s <= t < b) for t in range(first, last)
    )
    return integral / (last - first)


def calibrate_gap(queue: Callable[[float], float], g0: float, target: float) -> tuple[float, float, int]:
    known: list[tuple[float, float]] = []

    def q(g: float) -> float:
        for gap, value in known:
            if gap == g:
                return value
        known.append((g, queue(g)))
        return known[-1][1]

    lo = hi = g0
    while q(lo) < target:
        lo = lo / 1.5
    while q(hi) > target:
        hi = 1.5 * hi
    for _ in range(40):
        if any(abs(value - target) <= 0.02 * target for _, value in known) or hi / lo < 1.0001:
            break
        mid = math.sqrt(lo * hi)
        if q(mid) > target:
            lo = mid
        else:
            hi = mid
    best = min(abs(value - target) for _, value in known)
    for g, value in known:
        if abs(value - target) == best:
            return g, value, len(known)
    raise AssertionError("some gap is the best")
