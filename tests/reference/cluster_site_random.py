"""Small random sites with jobs whose columns meet their rules: a function of the seed.

Few users, accounts, partitions, classes and arrays are shared by many jobs; limits are tight; priorities of jobs differ
by more than rounding where sums of factors order them.
"""

from dataclasses import dataclass, replace
from functools import lru_cache
from math import inf
from random import Random
from typing import Any

from reference.cluster_instance import KILLED, ClusterInstance, ClusterJob
from reference.cluster_random import CONSTRAINTS, Features, random_cluster
from reference.cluster_site import COLUMNS, Limit, Multifactor, Partition, ServiceClass, Site
from reference.queue_formulas import FORMULAS

EVERYTHING = Features()
KEYS = ("sjf", "wsjf", "wsvf", "svf", "wsdf", "sdf", "erf")
NAMES = {
    "user": ("ann", "bob", "cem"),
    "account": ("physics", "art"),
    "partition": ("batch", "fast", "wide"),
    "service_class": ("urgent", "normal", "scavenger"),
}


@dataclass(frozen=True)
class RuleFeatures:
    """What may occur. ``forward``: jobs may wait for such that are released later."""

    order: bool = True
    partitions: bool = True
    limits: bool = True
    dependencies: bool = True
    forward: bool = True
    preemption: bool = True


@lru_cache(maxsize=2_000)  # every policy is tried on the same
def random_site(
    seed: int,
    rules: RuleFeatures = RuleFeatures(),
    features: Features = EVERYTHING,
    *,
    max_jobs: int = 16,
) -> tuple[ClusterInstance, Site]:
    """The instance is ``random_cluster`` of the seed with columns for the site."""
    return _Draws(seed, rules).site_of(random_cluster(seed, features, max_jobs=max_jobs))


class _Draws:
    def __init__(self, seed: int, rules: RuleFeatures) -> None:
        self.random = Random(f"rules {seed}")
        self.rules = rules

    def site_of(self, instance: ClusterInstance) -> tuple[ClusterInstance, Site]:
        draw, rules = self.random, self.rules
        if draw.random() < 0.7:
            instance = crowded(instance)
        order = self.order(len(instance.jobs)) if rules.order else "arrival"
        has_shares = isinstance(order, Multifactor) and draw.random() < 0.5
        jobs = [self.job(row, isinstance(order, Multifactor), has_shares) for row in instance.jobs]
        if rules.dependencies:
            jobs = self.with_dependencies(jobs)
        site = Site(
            order=order,
            partitions=self.partitions() if rules.partitions and draw.random() < 0.7 else (),
            service_classes=self.classes() if rules.preemption or draw.random() < 0.7 else (),
            limits=tuple(self.limit(jobs) for _ in range(draw.randint(0, 3))) if rules.limits else (),
            shares={name: draw.choice([0.5, 1, 3]) for name in NAMES["account"]} if has_shares else None,
            preempt=draw.choice(KILLED) if rules.preemption else None,
        )
        return replace(instance, jobs=tuple(jobs)), site

    def order(self, n_jobs: int) -> Any:
        draw = self.random
        kind = draw.choice(["arrival", "priority", "key", "numbers", "multifactor", "multifactor", "formula"])
        if kind == "key":
            return draw.choice(KEYS)
        if kind == "formula":
            return draw.choice(FORMULAS)
        if kind == "numbers":
            return tuple(draw.randint(0, 4) for _ in range(n_jobs))
        if kind != "multifactor":
            return kind
        return Multifactor(
            age=self.weight(),
            fair_share=self.weight(),
            size=self.weight(),
            partition=self.weight(),
            service_class=self.weight(),
            job=draw.uniform(0.1, 3),
            max_age=draw.choice([2, 5, 20, inf]),
            half_life=draw.choice([1, 4, 10, inf]),
            interval=draw.choice([0, 0, 1, 3, 10]),
        )

    def weight(self) -> float:
        return self.random.choice([0, self.random.uniform(-1, 2), self.random.uniform(1, 5)])

    def job(self, row: ClusterJob, is_fine: bool, has_account: bool) -> ClusterJob:
        draw = self.random

        def one_of(names: tuple[str, ...], none: float) -> str | None:
            return None if draw.random() < none else draw.choice(names)

        return replace(
            row,
            priority=draw.random() if is_fine else draw.randint(0, 2),
            user=one_of(NAMES["user"], 0.2),
            account=one_of(NAMES["account"], 0 if has_account else 0.3),
            partition=one_of(NAMES["partition"], 0.2),
            service_class=one_of(NAMES["service_class"], 0.1),
            array=draw.choice([-1, -1, 0, 1]),
        )

    def with_dependencies(self, jobs: list[ClusterJob]) -> list[ClusterJob]:
        """No circles: everybody names such that come before in one order of all."""
        draw = self.random
        order = list(range(len(jobs)))
        draw.shuffle(order)
        if not self.rules.forward:
            order.sort(key=lambda j: jobs[j].release_time)
        result = list(jobs)
        for place, job in enumerate(order):
            named: dict[str, Any] = {"after_ok": [], "after_any": [], "after_not_ok": []}
            for _ in range(draw.choice([0, 0, 0, 0, 0, 1, 1, 2]) if place > 0 else 0):
                column = draw.choice(
                    ["after_ok", "after_ok", "after_any", "after_any", "after_any", "after_not_ok"]
                )
                named[column].append(order[draw.randrange(place)])
            result[job] = replace(
                jobs[job], **{column: tuple(sorted(set(them))) for column, them in named.items()}
            )
        return result

    def partitions(self) -> tuple[Partition, ...]:
        draw = self.random
        return tuple(
            Partition(
                name,
                constraint=draw.choice(["", "", "", "", "", draw.choice(CONSTRAINTS)]),
                max_time=draw.choice([None, None, None, None, 5, 9]),
                max_tasks=draw.choice([None, None, None, None, 2, 3]),
                tier=draw.choice([0, 0, 1, -1]),
                factor=draw.uniform(0, 1),
            )
            for name in NAMES["partition"]
        )

    def classes(self) -> tuple[ServiceClass, ...]:
        draw = self.random
        return tuple(
            ServiceClass(
                name,
                level=draw.choice([level, level, draw.randint(-1, 3)]),
                factor=draw.uniform(0, 1),
                preemptible=draw.random() < share,
            )
            for name, level, share in (("urgent", 2, 0.3), ("normal", 1, 0.5), ("scavenger", 0, 0.9))
        )

    def limit(self, jobs: list[ClusterJob]) -> Limit:
        """As tight as one of the jobs, or a little less so; few jobs are above it by themselves."""
        draw = self.random
        who = draw.choice(COLUMNS)
        if draw.random() < 0.4:
            who += "=" + (str(draw.randint(0, 1)) if who == "array" else draw.choice(NAMES[who]))
        what: Any = draw.choice(["jobs", "jobs", "tasks", draw.randrange(len(jobs[0].demand))])
        any_two = [Limit(who, what, 0).amount(draw.choice(jobs)) for _ in range(2)]
        return Limit(who, what, draw.choice([1, 1, 2]) if what == "jobs" else max(1, *any_two))


def crowded(instance: ClusterInstance) -> ClusterInstance:
    """All arrive early, so that more of them wait."""
    rows = tuple(replace(row, release_time=row.release_time // 4) for row in instance.jobs)
    return replace(instance, jobs=rows)


def without_absent(instance: ClusterInstance, site: Site) -> ClusterInstance:
    """Nobody waits for jobs that never arrive, of which an embedded scheduler is not told."""
    absent = {
        j
        for j, row in enumerate(instance.jobs)
        if not site.lets_run(site.seen(row), instance.machines)
        or instance.cancellations.get(j, inf) <= row.release_time
    }

    def there(jobs: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(j for j in jobs if j not in absent)

    rows = tuple(
        replace(
            row,
            after_ok=there(row.after_ok),
            after_any=there(row.after_any),
            after_not_ok=there(row.after_not_ok),
        )
        for row in instance.jobs
    )
    return replace(instance, jobs=rows)
