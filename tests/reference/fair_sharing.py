"""Fair sharing as its definitions say: shares by fractions or nested root finding, whole cores by largest remainder.

Dominant resource fairness is progressive filling in fractions. Proportional fairness looks for the price of each
resource in turn, from the last to the first: given the prices before, what is asked of a resource falls with its price
(the dual is convex), so there is one price at which it is just used up. No step of the library's solver is in it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from scipy.optimize import brentq

UNITS = 2**20  # of a core: what shares are rounded to


@dataclass(frozen=True)
class Pool:
    """Jobs with what they ask for, the most cores that they can use, their weights, and what there is of everything."""

    demand: Mapping[int, Sequence[int]]
    limit: Mapping[int, int]
    weight: Mapping[int, float]
    capacity: Sequence[int]

    def part(self, job: int, resource: int) -> Fraction:
        """What the job takes of all of a resource at rate 1."""
        demand = self.demand[job][resource]
        return Fraction(demand, self.capacity[resource]) if demand else Fraction(0)

    def most(self, job: int) -> Fraction:
        """The largest rate of the job."""
        return Fraction(self.limit[job], self.demand[job][0])


def fair_shares(rule: str, pool: Pool) -> dict[int, Fraction]:
    """Cores of every job; those of far smaller weights share what the others leave over, those of weight 0 at last."""
    rates = {"drf": _dominant_shares, "proportional_fairness": _proportional_rates}[rule]
    left = [Fraction(1)] * len(pool.capacity)
    shares: dict[int, Fraction] = {}
    while len(shares) < len(pool.demand):
        others = [job for job in pool.demand if job not in shares]
        heaviest = max(pool.weight[job] for job in others)
        jobs = [job for job in others if heaviest == 0 or pool.weight[job] > heaviest * 2.0**-40]
        weight = {job: Fraction(pool.weight[job]) if heaviest else Fraction(1) for job in jobs}
        blocked = [
            job for job in jobs if any(pool.part(job, r) and room < 1e-9 for r, room in enumerate(left))
        ]
        found = dict.fromkeys(blocked, Fraction(0))
        found |= rates(pool, {job: w for job, w in weight.items() if job not in blocked}, left)
        for job, rate in found.items():
            shares[job] = rate * pool.demand[job][0]
            left = [room - rate * pool.part(job, r) for r, room in enumerate(left)]
    return shares


def _dominant_shares(
    pool: Pool, weight: Mapping[int, Fraction], left: Sequence[Fraction]
) -> dict[int, Fraction]:
    """Progressive filling: dominant shares over weights grow together until a job or a resource is full."""
    resources = range(len(left))
    speed = {job: w / max(pool.part(job, r) for r in resources) for job, w in weight.items()}
    rate = dict.fromkeys(weight, Fraction(0))
    growing = set(weight)
    level = Fraction(0)
    while growing:
        used = [sum((rate[job] * pool.part(job, r) for job in rate), Fraction(0)) for r in resources]
        speeds = [sum((speed[job] * pool.part(job, r) for job in growing), Fraction(0)) for r in resources]
        steps = [(left[r] - used[r]) / speeds[r] for r in resources if speeds[r]]
        steps += [pool.most(job) / speed[job] - level for job in growing]
        step = min(steps)
        level += step
        for job in growing:
            rate[job] += step * speed[job]
        full = [r for r in resources if speeds[r] and used[r] + step * speeds[r] == left[r]]
        growing -= {
            job for job in growing if rate[job] == pool.most(job) or any(pool.part(job, r) for r in full)
        }
    return rate


def _proportional_rates(
    pool: Pool, weight: Mapping[int, Fraction], left: Sequence[Fraction]
) -> dict[int, Fraction]:
    """The rates at prices at which nothing is overfull, and whatever has a price is used up."""
    jobs = list(weight)
    use = {
        job: [float(pool.part(job, r) / left[r]) if left[r] else 0.0 for r in range(len(left))]
        for job in jobs
    }
    most = {job: float(pool.most(job)) for job in jobs}
    heaviest = max(weight.values(), default=Fraction(1))
    light = {job: float(w / heaviest) for job, w in weight.items()}
    total = sum(light.values())

    def rate(job: int, prices: Sequence[float]) -> float:
        cost = sum(price * part for price, part in zip(prices, use[job], strict=True))
        return most[job] if light[job] >= cost * most[job] else light[job] / cost

    def excess(resource: int, prices: Sequence[float]) -> float:
        return sum(use[job][resource] * rate(job, prices) for job in jobs) - 1.0

    def settled(prices: list[float]) -> list[float]:
        """The prices so far, and those of the other resources that belong to them."""
        resource = len(prices)
        if resource == len(left):
            return prices
        cheapest = settled([*prices, 0.0])
        if excess(resource, cheapest) <= 1e-13:
            return cheapest
        # All prices together come to what all jobs pay, which is at most their weights.
        price = brentq(
            lambda price: excess(resource, settled([*prices, price])), 0.0, 2 * total, xtol=1e-300, rtol=1e-15
        )
        return settled([*prices, price])

    prices = settled([])
    return {
        job: pool.most(job) if rate(job, prices) >= most[job] else Fraction(rate(job, prices)) for job in jobs
    }


def in_units(cores: Fraction) -> int:
    """The nearest number of units; halves go up."""
    return int(cores * UNITS + Fraction(1, 2))


def whole_cores(share: Mapping[int, int], owed: Mapping[int, int], total: int) -> dict[int, int]:
    """Whole cores of every job, by largest remainder plus what it is owed; shares in units."""
    cores = {job: units // UNITS for job, units in share.items()}
    remainder = {job: units % UNITS for job, units in share.items() if units % UNITS}
    further = min(
        (sum(remainder.values()) + len(share)) // UNITS, total - sum(cores.values()), len(remainder)
    )
    claims = sorted(remainder, key=lambda job: (-(remainder[job] + owed.get(job, 0)), job))
    for job in claims[:further]:
        cores[job] += 1
    return cores


@dataclass
class FairState:
    """What is owed to the jobs of a run, in units, and what their shares are in this slot."""

    rule: str
    remainders: str
    owed: dict[int, int] = field(default_factory=dict)
    share: dict[int, int] = field(default_factory=dict)
    _known: dict[object, dict[int, Fraction]] = field(default_factory=dict)

    def decide(self, pool: Pool) -> tuple[list[int], dict[int, int]]:
        """The order in which memory is granted, and the cores of every job."""
        problem = tuple((job, pool.limit[job]) for job in sorted(pool.demand))
        if problem not in self._known:
            self._known[problem] = fair_shares(self.rule, pool)
        self.share = {job: in_units(cores) for job, cores in self._known[problem].items()}
        lag = {
            job: -self.owed.get(job, 0) / units if units else float("inf")
            for job, units in self.share.items()
        }
        return sorted(self.share, key=lambda job: (lag[job], job)), whole_cores(
            self.share, self.owed, pool.capacity[0]
        )

    def served(self, cores: Mapping[int, int]) -> None:
        """What the jobs really got."""
        if self.remainders == "carried":
            for job, units in self.share.items():
                self.owed[job] = self.owed.get(job, 0) + units - cores.get(job, 0) * UNITS
