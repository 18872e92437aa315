"""The workload generators, job by job in Python integers: the definition that the columns must equal.

Every function returns rows ``(p, w, r, d_0, d_1, ...)`` in job order.
"""

import itertools
import math
from collections.abc import Callable
from statistics import NormalDist

Row = tuple[int, ...]
Table = list[tuple[int, int]]

MASK = 2**64 - 1


class SplitMix64:
    """The 64-bit generator with its state, one number at a time."""

    def __init__(self, seed: int) -> None:
        self.state = seed

    def next(self) -> int:
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        return z ^ (z >> 31)

    def below(self, n: int) -> int:
        return self.next() % n

    def u53(self) -> int:
        return self.next() >> 11

    def pick(self, table: Table) -> int:
        x = self.below(sum(share for share, _ in table))
        for share, value in table:
            if x < share:
                return value
            x -= share
        raise AssertionError("the shares add up")


def _demand(draws: list[int]) -> list[int]:
    return draws if any(draws) else [1, *draws[1:]]


def uniform(
    seed: int, n_jobs: int, n_resources: int, pmax: int, wmax: int, rmax: int, dmax: int
) -> list[Row]:
    random = SplitMix64(seed)
    rows = []
    for _ in range(n_jobs):
        p = 1 + random.below(pmax)
        w = 1 + random.below(wmax)
        r = random.below(rmax + 1)
        d = _demand([random.below(dmax + 1) for _ in range(n_resources)])
        rows.append((p, w, r, *d))
    return rows


def lemma41(n_jobs: int, n_resources: int, scale: int, p: int) -> list[Row]:
    first = (p * scale, 1, 0, *[n_jobs - 1] * n_resources)
    return [first] + [(scale, 1, 1, *[1] * n_resources) for _ in range(1, n_jobs)]


def lemma64(n_jobs: int, n_resources: int, p: int, capacity: int) -> list[Row]:
    return [(p, 1, 0, capacity // 2 + 1, *[0] * (n_resources - 1)) for _ in range(n_jobs)]


def half_plus(n_jobs: int, capacity: int, p: int) -> list[Row]:
    return [(p, 1, 0, capacity // 2 + 1) for _ in range(n_jobs)]


def list_gap(n: int, length: int, capacity: int) -> list[Row]:
    x = (length + 2 * n) ** 3
    rows: list[Row] = []
    for i in range(n):
        rows.append((length + 2 * i, x, 0, 1))
        rows.append((1, x // (length + 2 * i + 1), length, capacity))
    return rows


def patience(seed: int, n_jobs: int, n_resources: int) -> list[Row]:
    random = SplitMix64(seed)
    rows: list[Row] = [(14 * 10**6, 1, 10**4, *[990_000] * n_resources)]
    for i in range(1, n_jobs):
        band = 10 * i // n_jobs
        p = 1 + random.u53() * 2**band * 10**4 // 2**53
        d = _demand([random.below(100_000) for _ in range(n_resources)])
        rows.append((p, 1, 10**5, *d))
    return rows


LIFETIME = [
    (0, 5), (20, 120), (80, 300), (200, 900), (350, 2700), (500, 9000), (620, 21600), (720, 43200),
    (820, 75600), (900, 108000), (950, 172800), (980, 259200), (993, 518400), (998, 1296000), (1000, 7776000),
]  # fmt: skip
CORE = [
    (27, 3000), (18, 8000), (10, 30000), (11, 60000), (11, 125000), (10, 250000), (8, 400000), (5, 640000),
]  # fmt: skip
HOST = [(5, 4), (3, 3), (2, 5)]
MEM = [(35, 2), (35, 4), (20, 5), (8, 7), (2, 10)]
STORE = [(40, 0), (30, 2), (20, 4), (10, 6)]
NIC = [(50, 1), (35, 2), (15, 4)]
DAY = [8, 7, 7, 7, 7, 8, 9, 11, 12, 13, 13, 13, 13, 13, 13, 13, 12, 12, 11, 10, 9, 9, 8, 8]

HEAVY_MEDIAN, HEAVY_SIGMA, HEAVY_SHARE, HEAVY_LEAST = 5400, 1.75, 0.0175, 4 * 86400
HEAVY_BODY = 1 - HEAVY_SHARE


def lifetime(random: SplitMix64) -> int:
    x = random.u53() * 1000
    for (q0, s0), (q1, s1) in itertools.pairwise(LIFETIME):
        if x < q1 * 2**53:
            return s0 + (x - q0 * 2**53) * (s1 - s0) // (q1 - q0) // 2**53
    raise AssertionError("x is below 1000 * 2**53")


def heavy_lifetime(random: SplitMix64) -> int:
    place = (2 * (random.next() >> 12) + 1) / 2**53
    if place < HEAVY_BODY:
        seconds = HEAVY_MEDIAN * math.exp(HEAVY_SIGMA * NormalDist().inv_cdf(place / HEAVY_BODY))
    else:
        seconds = HEAVY_LEAST * (7776000 / HEAVY_LEAST) ** ((place - HEAVY_BODY) / HEAVY_SHARE)
    return math.floor(min(max(seconds, 5), 7776000))


def azure_like(seed: int, n_jobs: int, n_resources: int) -> list[Row]:
    return _azure(seed, n_jobs, n_resources, lifetime)


def azure_heavy(seed: int, n_jobs: int, n_resources: int) -> list[Row]:
    return _azure(seed, n_jobs, n_resources, heavy_lifetime)


def _azure(seed: int, n_jobs: int, n_resources: int, draw: Callable[[SplitMix64], int]) -> list[Row]:
    random = SplitMix64(seed)
    capacity = 10**6
    hours = [(DAY[h % 24], h) for h in range(300)]
    rows = []
    for _ in range(n_jobs):
        p = draw(random)
        core = min(capacity, random.pick(CORE) * random.pick(HOST) // 4)
        others = [min(capacity, core * random.pick(table) // 4) for table in (MEM, STORE, NIC)]
        w = 2 if random.below(100) < 2 else 1
        r = 3600 * random.pick(hours)
        r += random.below(3600)
        rows.append([p, w, r, core, *others])
    rows.sort(key=lambda row: row[2])
    core = [row[3] for row in rows]
    for _ in range(4, n_resources):
        for row in rows:
            row.append(core[random.below(n_jobs)])
    return [tuple(row[: 3 + n_resources]) for row in rows]
