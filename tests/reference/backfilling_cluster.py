"""What a pass of a backfilling policy sees and does: the queue, the running jobs, what is free, and starts.

Nothing is kept that can be counted: used and free amounts are sums over the running jobs, every time anew.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import inf
from typing import Any

from reference.backfilling_instance import BackfillInstance, planned_end
from reference.backfilling_scores import score
from reference.queue_formulas import FORMULAS, demanded, formula_key
from reference.run_predictions import Predictions
from reference.vector_fit import fits

Pair = tuple[int, int]  # job, machine
Place = tuple[float, int]  # start, machine
ShadowRow = tuple[float, int, float, int]  # time of the pass, head, shadow time, machine
PlaceRow = tuple[float, float, int]  # time of the decision, start, machine


@dataclass(frozen=True)
class Knobs:
    """What sites set beside the algorithm; None is absent."""

    resolution: float | None = None
    queue_depth: int | None = None
    window: float | None = None
    interval: float | None = None


@dataclass(frozen=True)
class Running:
    """A running job by its estimate."""

    machine: int
    start: float
    planned_end: float


class Cluster:
    """The state between events. ``queue`` is in order of (release time, index), or of keys before that."""

    def __init__(self, instance: BackfillInstance, resolution: float | None, order: str = "arrival") -> None:
        self.instance = instance
        self.resolution = resolution
        self.order = order
        self.queue: list[int] = []
        self.running: dict[int, Running] = {}
        self.started: dict[int, tuple[float, int]] = {}
        self.n_overruns = 0

    @property
    def machines(self) -> range:
        return range(self.instance.n_machines)

    def submit(self, job: int) -> None:
        self.queue.append(job)

    def put_in_order(self, now: float) -> None:
        """The keys of all that wait are those of this instant."""
        self.queue.sort(key=lambda j: (self.key(j, now), self.instance.release_time[j], j))

    def key(self, job: int, now: float) -> Any:
        instance = self.instance
        if self.order == "arrival":
            return 0
        release, estimate = instance.release_time[job], instance.estimated_processing_time[job]
        totals = [sum(column) for column in zip(*instance.capacity, strict=True)]
        if self.order in FORMULAS:
            n = demanded(instance.demand[job], 1, totals)
            return formula_key(self.order, estimate, n, release, min(instance.release_time), now)
        shares = [Fraction(d, c) for d, c in zip(instance.demand[job], totals, strict=True) if c > 0]
        p, u = Fraction(estimate), sum(shares, Fraction(0))
        return {"sjf": p, "svf": p * u, "sdf": u}[self.order]

    def used(self, machine: int) -> list[int]:
        here = [self.instance.demand[j] for j, run in self.running.items() if run.machine == machine]
        n_resources = len(self.instance.capacity[machine])
        return [sum(demand[k] for demand in here) for k in range(n_resources)]

    def free(self, machine: int) -> list[int]:
        return [c - u for c, u in zip(self.instance.capacity[machine], self.used(machine), strict=True)]

    def fits(self, job: int, machine: int) -> bool:
        return fits(self.instance.demand[job], self.free(machine))

    def end_if_started(self, job: int, start: float) -> float:
        """The planned end of a job that starts at ``start``."""
        return planned_end(start + self.instance.estimated_processing_time[job], self.resolution)

    def start(self, job: int, machine: int, now: float) -> None:
        assert self.fits(job, machine), f"job {job} exceeds machine {machine} at {now}"
        self.queue.remove(job)
        self.running[job] = Running(machine, now, self.end_if_started(job, now))
        self.started[job] = (now, machine)

    def complete(self, job: int, now: float) -> bool:
        """Whether an unused rectangle is given back."""
        return now < self.running.pop(job).planned_end

    def predicted_ends(self, predictions: Predictions) -> list[float]:
        """Those at which another prediction follows."""
        return [
            run.start + predictions.predicted[job]
            for job, run in self.running.items()
            if predictions.predicted[job] < predictions.estimate[job]
        ]

    def correct(self, predictions: Predictions, now: float) -> None:
        """Runs that outlive their predictions now are predicted anew."""
        for job, run in self.running.items():
            is_over = run.start + predictions.predicted[job] <= now
            if is_over and predictions.predicted[job] < predictions.estimate[job]:
                predictions.correct(job, now - run.start)
                self.running[job] = Running(run.machine, run.start, self.end_if_started(job, run.start))

    def extend_overrunning(self, now: float) -> None:
        """A running job whose planned end is over is expected to run its estimate once more, from now on."""
        for job, run in self.running.items():
            if run.planned_end <= now:
                self.running[job] = Running(run.machine, run.start, self.end_if_started(job, now))
                self.n_overruns += 1


class BackfillClock:
    """When the backfilling part of a pass runs: always, or once in an interval; a skipped run is made up for."""

    def __init__(self, interval: float | None) -> None:
        self.interval = interval
        self.last = -inf
        self.is_owed = False

    def runs(self, now: float) -> bool:
        self.is_owed = self.interval is not None and now < self.last + self.interval
        if not self.is_owed:
            self.last = now
        return not self.is_owed

    def wakeup(self, jobs_wait: bool) -> float:
        if self.interval is None or not self.is_owed or not jobs_wait:
            return inf
        return self.last + self.interval


def start_selected(
    cluster: Cluster,
    selection: str,
    candidates: list[Pair],
    is_legal: Callable[[int, int], bool],
    start: Callable[[int, int], None],
) -> None:
    """Let the selector choose among the legal pairs, start its choice, drop what is no longer legal, repeat."""
    legal = [pair for pair in candidates if is_legal(*pair)]
    while legal:
        job, machine = chosen_pair(cluster, selection, legal)
        start(job, machine)
        legal = [(j, m) for j, m in legal if j != job and is_legal(j, m)]


def chosen_pair(cluster: Cluster, selection: str, legal: list[Pair]) -> Pair:
    def key(pair: Pair) -> tuple[Fraction, int, int]:
        job, machine = pair
        value = score(
            cluster.instance.demand[job],
            cluster.used(machine),
            cluster.instance.capacity[machine],
            selection,
            cluster.instance.estimated_processing_time[job],
        )
        return value, cluster.queue.index(job), machine

    return min(legal, key=key)
