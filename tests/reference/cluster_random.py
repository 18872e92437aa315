"""Small random clusters on which everything collides: a function of the seed.

Times are small integers, so that arrivals, ends, outages, failures and cancellations meet at equal instants; demands
come from few vectors; some jobs can never run.
"""

from dataclasses import dataclass
from functools import lru_cache
from math import inf
from random import Random

from reference.cluster_instance import KILLED, ClusterInstance, ClusterJob, ClusterMachine, Down
from reference.cluster_placement import can_ever_run

LABELS = ("a", "b", "rack=1")
CONSTRAINTS = ("a", "b|rack=1", "!a", "!(a&b)", "a & !rack=1 | b", "rack=1")


@dataclass(frozen=True)
class Features:
    """What may occur; without all of them, jobs with estimates on machines that may differ."""

    tasks: bool = True  # several tasks, spread, exclusive
    labels: bool = True
    weights: bool = True
    outages: bool = True
    incidents: bool = True  # failures and cancellations
    estimates: bool = True
    zero_release: bool = False


@lru_cache(maxsize=2_000)  # every policy is tried on the same
def random_cluster(seed: int, features: Features = Features(), *, max_jobs: int = 11) -> ClusterInstance:
    """Three runs of one seed are the same instance."""
    return _Draws(seed, features).instance(max_jobs)


class _Draws:
    def __init__(self, seed: int, features: Features) -> None:
        self.random = Random(seed)
        self.features = features
        self.n_resources = self.random.randint(1, 3)

    def instance(self, max_jobs: int) -> ClusterInstance:
        draw = self.random
        kinds = [self.capacity() for _ in range(draw.randint(1, 3))]
        machines = tuple(self.machine(draw.choice(kinds)) for _ in range(draw.randint(1, 4)))
        vectors = [self.demand(draw.choice(machines).capacity) for _ in range(draw.randint(1, 4))]
        latest = 0 if self.features.zero_release else draw.choice([0, 2, 8, 15])
        n_jobs = draw.randint(1, max_jobs)
        jobs = tuple(self.job(draw.choice(vectors), draw.randint(0, latest), machines) for _ in range(n_jobs))
        incidents = self.features.incidents
        return ClusterInstance(
            machines,
            jobs,
            outages=self.downs(len(machines)) if self.features.outages else (),
            failures=self.downs(len(machines)) if incidents else (),
            cancellations=self.cancellations(jobs) if incidents else {},
            killed=draw.choice(KILLED) if incidents else "requeue",
        )

    def capacity(self) -> tuple[int, ...]:
        amounts = [self.random.choice([0, 1, 2, 3, 4, 4, 8]) for _ in range(self.n_resources)]
        if not any(amounts):
            amounts[self.random.randrange(self.n_resources)] = 2
        return tuple(amounts)

    def machine(self, capacity: tuple[int, ...]) -> ClusterMachine:
        draw = self.random
        weight = draw.choice([0, 0, -1, 1, 2]) if self.features.weights else 0
        labels = [x for x in LABELS if draw.random() < 0.5] if self.features.labels else []
        return ClusterMachine(capacity, weight, frozenset(labels))

    def demand(self, capacity: tuple[int, ...]) -> tuple[int, ...]:
        """Fits an empty machine of that capacity, of some resources often nothing."""
        draw = self.random
        vector = [draw.choice([0, 1, bound // 2, bound, draw.randint(0, bound)]) for bound in capacity]
        vector = [min(amount, bound) for amount, bound in zip(vector, capacity, strict=True)]
        if not any(vector):
            vector[capacity.index(max(capacity))] = 1
        return tuple(vector)

    def job(
        self, demand: tuple[int, ...], release_time: int, machines: tuple[ClusterMachine, ...]
    ) -> ClusterJob:
        """Most can run: the draw is repeated a few times."""
        for _ in range(3):
            job = self.any_job(demand, release_time)
            if can_ever_run(job, machines):
                return job
        return self.any_job(demand, release_time)

    def any_job(self, demand: tuple[int, ...], release_time: int) -> ClusterJob:
        draw = self.random
        length = draw.randint(1, 6)
        too_long_by = draw.choice([0, 0, 0, 1, 2, 5, 12]) if self.features.estimates else 0
        tasks = self.features.tasks
        interval = draw.choice([0, 1, 2, 3])
        return ClusterJob(
            release_time=release_time,
            processing_time=length,
            demand=demand,
            estimated_processing_time=length + too_long_by,
            weight=draw.randint(1, 4),
            n_tasks=draw.choice([1, 1, 2, 2, 3, 5]) if tasks else 1,
            spread=draw.choice([0, 0, 0, 1, 2]) if tasks else 0,
            exclusive=tasks and draw.random() < 0.15,
            constraint=draw.choice(CONSTRAINTS) if self.features.labels and draw.random() < 0.3 else "",
            checkpoint_interval=interval if self.features.incidents else 0,
            restart_cost=draw.choice([0, 1, 2]) if self.features.incidents and interval > 0 else 0,
        )

    def downs(self, n_machines: int) -> tuple[Down, ...]:
        """Some overlap, some touch, few have no end."""
        draw = self.random
        result = []
        for _ in range(draw.choice([0, 1, 2, 3])):
            start = draw.randint(0, 14)
            end = inf if draw.random() < 0.1 else start + draw.randint(1, 6)
            result.append(Down(draw.randrange(n_machines), start, end))
        return tuple(result)

    def cancellations(self, jobs: tuple[ClusterJob, ...]) -> dict[int, float]:
        draw = self.random
        return {
            j: max(0, job.release_time + draw.randint(-1, 12))
            for j, job in enumerate(jobs)
            if draw.random() < 0.15
        }
