"""The reference implementation of the backfilling family: one calendar, and one door to all its algorithms.

``simulate`` is the specification as it stands: at every submit time, completion and start of a reservation, release
what ended, queue what arrived, run the pass of the algorithm. ``replay`` is the same for a world in which jobs run as
long as the caller says, also longer than their estimates.
"""

from dataclasses import dataclass, field, replace
from math import inf
from typing import Any, Protocol

from reference.backfilling_bbsched import Bbsched
from reference.backfilling_cluster import Cluster, Knobs, PlaceRow, ShadowRow
from reference.backfilling_easy import Easy, Fcfs, FirstFit
from reference.backfilling_instance import BackfillInstance
from reference.backfilling_overruns import (
    OverrunReserving,
    OverrunSelectingConservative,
)
from reference.backfilling_reservations import Rebuilding, Reserving, SelectingConservative
from reference.run_predictions import Predictions


@dataclass(frozen=True)
class ReferenceBackfill:
    """Starts and machines, the shadows of EASY, the reservations of the others, how often a job overran, and the plan
    after every pass: (job, machine, start)."""

    start_time: list[float]
    machine: list[int]
    shadow: list[ShadowRow]
    reservations: dict[int, list[PlaceRow]]
    n_overruns: int = 0
    plans: list[tuple[float, list[tuple[int, int, float]]]] = field(default_factory=list)


class _Policy(Protocol):
    def run_pass(self, now: float, gave_back: bool) -> None: ...

    def wakeup(self, now: float) -> float: ...


def simulate(
    instance: BackfillInstance,
    algorithm: str,
    *,
    selection: str = "ff",
    protected: int | None = None,
    mode: str = "compress",
    compression: str = "pass",
    resolution: float | None = None,
    queue_depth: int | None = None,
    window: float | None = None,
    interval: float | None = None,
    order: str = "arrival",
    users: list[str | None] | None = None,
    sets: dict[str, Any] | None = None,
) -> ReferenceBackfill:
    """``backfill`` keeps reservations for any ``protected``, None being all: 1 and None must turn out as EASY and FF
    conservative. With ``users`` runs are predicted by those of their users. ``sets`` are the options of ``bbsched``."""
    knobs = Knobs(resolution, queue_depth, window, interval)
    predictions = None if users is None else Predictions(users, instance.estimated_processing_time)
    if predictions is not None:
        instance = replace(instance, estimated_processing_time=predictions.predicted)
    cluster = Cluster(instance, resolution, order)
    reserving: tuple[type[Reserving], type[Reserving]] = (Reserving, SelectingConservative)
    if predictions is not None:
        reserving = (OverrunReserving, OverrunSelectingConservative)
    policy = _policy(cluster, algorithm, selection, protected, mode, compression, knobs, reserving, sets)
    return run_calendar(
        cluster, policy, instance.processing_time, with_overruns=False, predictions=predictions
    )


def replay(
    instance: BackfillInstance,
    algorithm: str,
    duration: list[float],
    *,
    selection: str = "ff",
    protected: int | None = None,
    mode: str = "compress",
    compression: str = "pass",
    resolution: float | None = None,
    queue_depth: int | None = None,
    window: float | None = None,
    interval: float | None = None,
    order: str = "arrival",
    sets: dict[str, Any] | None = None,
) -> ReferenceBackfill:
    """Job j really runs for ``duration[j]``."""
    knobs = Knobs(resolution, queue_depth, window, interval)
    cluster = Cluster(instance, resolution, order)
    reserving = (OverrunReserving, OverrunSelectingConservative)
    policy = _policy(cluster, algorithm, selection, protected, mode, compression, knobs, reserving, sets)
    return run_calendar(cluster, policy, duration, with_overruns=True)


def _policy(
    cluster: Cluster,
    algorithm: str,
    selection: str,
    protected: int | None,
    mode: str,
    compression: str,
    knobs: Knobs,
    reserving: tuple[type[Reserving], type[Reserving]],
    sets: dict[str, Any] | None,
) -> _Policy:
    prefix, selecting = reserving
    if algorithm == "bbsched":
        return Bbsched(cluster, **(sets or {}))
    if algorithm == "fcfs":
        return Fcfs(cluster)
    if algorithm == "first_fit":
        return FirstFit(cluster, selection, knobs)
    if algorithm == "easy":
        return Easy(cluster, selection, knobs)
    if algorithm == "backfill":
        return prefix(cluster, selection, knobs, inf if protected is None else protected, compression)
    assert algorithm == "conservative", f"no reference of {algorithm!r}"
    if mode == "rebuild":
        assert selection == "ff"
        assert knobs.interval is None
        return Rebuilding(cluster, "ff", knobs, inf)
    if selection in ("ff", "bl(0)!"):  # two names of one selection
        return prefix(cluster, "ff", knobs, inf, compression)
    return selecting(cluster, selection, knobs, inf, compression)


def run_calendar(
    cluster: Cluster,
    policy: _Policy,
    duration: list[float],
    *,
    with_overruns: bool,
    predictions: Predictions | None = None,
) -> ReferenceBackfill:
    instance = cluster.instance
    to_come = set(range(instance.n_jobs))
    ends: dict[int, float] = {}
    wakeup = inf
    plans = []
    outlived: list[float] = []
    while (
        now := min([wakeup, *ends.values(), *(instance.release_time[j] for j in to_come), *outlived])
    ) < inf:
        ended = [j for j, end in ends.items() if end == now]
        gave_back = [cluster.complete(j, now) for j in ended]
        for j in sorted(ended) if predictions is not None else []:
            predictions.note(j, now - cluster.started[j][0])
        arrived = sorted(j for j in to_come if instance.release_time[j] == now)
        for j in arrived:
            cluster.submit(j)
            if predictions is not None:
                predictions.predict(j)
        to_come -= set(arrived)
        if predictions is not None:
            cluster.correct(predictions, now)
        cluster.put_in_order(now)
        if with_overruns:
            cluster.extend_overrunning(now)
        policy.run_pass(now, any(gave_back))
        plans.append((now, policy.plan(now) if hasattr(policy, "plan") else []))
        ends = {j: cluster.started[j][0] + duration[j] for j in cluster.running}
        outlived = [] if predictions is None else cluster.predicted_ends(predictions)
        wakeup = policy.wakeup(now)
        assert wakeup > now
    assert not cluster.queue, "a job never started"
    jobs = range(instance.n_jobs)
    return ReferenceBackfill(
        start_time=[cluster.started[j][0] for j in jobs],
        machine=[cluster.started[j][1] for j in jobs],
        shadow=policy.shadows if isinstance(policy, Easy) else [],
        reservations=policy.log if isinstance(policy, Reserving) else {},
        n_overruns=cluster.n_overruns,
        plans=plans,
    )
