"""The order of the queue: by arrival, by a column, by a key, by a formula, or by many factors with a fair share.

Tiers of partitions come before all of them. Smaller keys come first; ties go by (release time, id).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import exp2, expm1, floor, inf, log
from typing import Any

from reference.cluster_instance import ClusterJob, ClusterMachine
from reference.cluster_keys import priority_key
from reference.cluster_site import Multifactor, Site
from reference.queue_formulas import FORMULAS, demanded, formula_key


@dataclass(frozen=True)
class Use:
    """What an account has used until an instant, and what it uses per unit of time since then."""

    value: float
    rate: float
    instant: float

    def at(self, instant: float, half_life: float) -> "Use":
        """What was used longer ago counts less."""
        dt = instant - self.instant
        x = dt * log(2) / half_life
        # half_life / ln 2 * (1 - f), where that is neither infinite nor lost in rounding
        in_full = dt if x < 1e-20 else dt / x * -expm1(-x)
        value = self.value * exp2(-dt / half_life) + self.rate * in_full
        return replace(self, value=value, instant=instant)


class FairShare:
    """What the accounts have used up to T, the instant for which priorities are told. No shares: 1 for all."""

    def __init__(self, factors: Multifactor, shares: Mapping[str, float]) -> None:
        self.factors = factors
        self.shares = shares
        self.t = -inf
        self.uses: dict[str, Use] = {}
        self.used: dict[str, float] = {}  # up to T
        self.sizes: dict[str, dict[int, float]] = {}  # of the running jobs of an account

    def begin(self, now: float) -> None:
        """Before the events of this instant, all goes up to T if that is another one."""
        interval = self.factors.interval
        # a product may be rounded to something later, and of very short intervals there are infinitely many
        is_told = interval > 0 and now / interval < inf
        t = min(now, interval * floor(now / interval)) if is_told else now
        if t != self.t:
            self.t = t
            self.uses = {account: use.at(t, self.factors.half_life) for account, use in self.uses.items()}
            self.used = {account: use.value for account, use in self.uses.items()}

    def started(self, job: int, account: str, size: float, now: float) -> None:
        self.sizes.setdefault(account, {})[job] = size
        self._rate_changed(account, now)

    def ended(self, job: int, account: str, now: float) -> None:
        del self.sizes[account][job]
        self._rate_changed(account, now)

    def _rate_changed(self, account: str, now: float) -> None:
        use = self.uses.get(account, Use(0, 0, now)).at(now, self.factors.half_life)
        self.uses[account] = replace(use, rate=sum(self.sizes[account].values()))

    def factor(self, account: str) -> float:
        total = sum(self.used.values())
        used = self.used.get(account, 0) / total if total > 0 else 0
        share = self.shares[account] / sum(self.shares.values()) if self.shares else 1
        return exp2(-(used / share))


def size_of(job: ClusterJob, machines: Sequence[ClusterMachine]) -> float:
    """The largest part of all of one resource that the job takes."""
    totals = [sum(column) for column in zip(*(machine.capacity for machine in machines), strict=True)]
    parts = [job.n_tasks * d / total for d, total in zip(job.demand, totals, strict=True) if total > 0]
    return max(parts, default=0)


class QueueOrder:
    """Told what runs, for the fair share, and who comes to wait, for the first release."""

    def __init__(self, site: Site) -> None:
        self.site = site
        is_multifactor = isinstance(site.order, Multifactor)
        self.fair_share = FairShare(site.order, site.share_by_account()) if is_multifactor else None
        self.first_release: float | None = None  # of the first that came to wait
        self.now = -inf

    def waits(self, rows: Iterable[ClusterJob]) -> None:
        if self.first_release is None:
            self.first_release = min((row.release_time for row in rows), default=None)

    def begin(self, now: float) -> None:
        self.now = now
        if self.fair_share is not None:
            self.fair_share.begin(now)

    def started(self, job: int, row: ClusterJob, machines: Sequence[ClusterMachine], now: float) -> None:
        if self.fair_share is not None:
            self.fair_share.started(job, row.account or "", size_of(row, machines), now)

    def ended(self, job: int, row: ClusterJob, now: float) -> None:
        if self.fair_share is not None:
            self.fair_share.ended(job, row.account or "", now)

    def key(self, job: int, row: ClusterJob, machines: Sequence[ClusterMachine]) -> tuple[Any, ...]:
        tier = self.site.partition_of(row).tier
        return (-tier, self.own_key(job, row, machines), row.release_time, job)

    def own_key(self, job: int, row: ClusterJob, machines: Sequence[ClusterMachine]) -> Any:
        order = self.site.order
        if isinstance(order, str) and order == "arrival":
            return 0
        if isinstance(order, str) and order == "priority":
            return -row.priority
        if isinstance(order, Multifactor):
            return -self.priority(order, row, machines)
        if isinstance(order, str) and order in FORMULAS:
            assert self.first_release is not None
            totals = [sum(column) for column in zip(*(machine.capacity for machine in machines), strict=True)]
            n = demanded(row.demand, row.n_tasks, totals)
            return formula_key(
                order, row.estimated_processing_time, n, row.release_time, self.first_release, self.now
            )
        # a scheduler of a queue knows the estimate only; it does not shrink with the work that is saved
        return priority_key(order, job, row, machines, by_estimate=True)

    def priority(self, w: Multifactor, row: ClusterJob, machines: Sequence[ClusterMachine]) -> float:
        """Summed in the order in which the specification writes it."""
        assert self.fair_share is not None
        return (
            w.age * min(1, max(0, self.fair_share.t - row.release_time) / w.max_age)
            + w.fair_share * self.fair_share.factor(row.account or "")
            + w.size * size_of(row, machines)
            + w.partition * self.site.partition_of(row).factor
            + w.service_class * self.site.class_of(row).factor
            + w.job * row.priority
        )
