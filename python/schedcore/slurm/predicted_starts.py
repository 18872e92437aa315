"""When the jobs start that wait now, by Slurm's plan and as expected, why each of them waits, and for whom."""

import dataclasses
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from schedcore.engine.explanations import Explanation
from schedcore.engine.online import OnlineScheduler
from schedcore.model import Jobs
from schedcore.model.arrays import FloatArray, IntArray

from .asked_jobs import AskedJobs, columns_of_rows, rows_of_jobs
from .outlook import (
    Outlook,
    above_limits,
    begins_later,
    depends_otherwise,
    forecast_policy,
    inside_reservations,
)
from .state import SlurmState

__all__ = ["PredictedStarts", "when"]


@dataclasses.dataclass(frozen=True, eq=False, kw_only=True)
class PredictedStarts(AskedJobs):
    """When waiting jobs start, a row for each.

    Parameters
    ----------
    now, id, called, user, partition
        As of `AskedJobs`.
    policy : str
        The policy that was played.
    planned : (n,) float64
        The start that the present plan of Slurm's backfilling has, as `SlurmState.planned_starts` tells; nan for none.
    expected : (n,) float64
        The start if every run takes its limit, and nobody comes or goes; inf for a job that does not start so.
    q50, q90, q95 : (n,) float64 or None
        By when it has started in half, in 90 and in 95 per cent of the samples of a history; None without one.
    n_samples : int
    reason : tuple of str
        Why it waits: a reason of `OnlineScheduler.explain`; "begin" for a job that is to begin later, "reservation" for
        one that names a reservation, "fits" for one that could start at once, "never" for one that asks for more than
        there is, or than its partition allows.
    waits_for : tuple of tuple of str
        Whom it waits for: jobs that hold what it needs, that come first or have to end, nodes that are down or out of
        service, the limit that holds it.
    told : tuple of str
        The reason that Slurm tells.
    """

    policy: str
    planned: FloatArray
    expected: FloatArray
    q50: FloatArray | None
    q90: FloatArray | None
    q95: FloatArray | None
    n_samples: int
    reason: tuple[str, ...]
    waits_for: tuple[tuple[str, ...], ...]
    told: tuple[str, ...]

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield the jobs as rows of plain values, by name; instants that never come are None."""
        quantiles = {
            name: column for name in ("q50", "q90", "q95") if (column := getattr(self, name)) is not None
        }
        for row in range(len(self)):
            yield {
                **self.row(row),
                "planned": _known(self.planned[row]),
                "expected": _known(self.expected[row]),
                **{name: _known(column[row]) for name, column in quantiles.items()},
                "reason": self.reason[row],
                "waits_for": list(self.waits_for[row]),
                "told": self.told[row],
            }


def when(
    state: SlurmState,
    jobs: Iterable[str | int] | None = None,
    *,
    policy: str | None = None,
    options: Mapping[str, Any] | None = None,
    history: Jobs | None = None,
    n_samples: int = 1000,
    seed: int = 0,
    arrivals: bool = False,
) -> PredictedStarts:
    """Return when jobs start that wait now, and why they wait.

    Parameters
    ----------
    state : SlurmState
    jobs : iterable of str or int, optional
        As Slurm writes them: ``17``, of an array all its tasks that wait; ``17_3``, ``17_[1-5]``. Default: all of them.
    policy : str, optional
        The policy that is played, in the order and under the rules of the site. Default: ``easy`` with the depth, the
        window and the resolution of the site, or ``fcfs`` for a site that does not backfill.
    options : mapping of str, optional
        Options of that policy.
    history : Jobs, optional
        Jobs of the past with `estimated_processing_time`, best with `user`, such as `read_log` reads. With it come
        quantiles, from how runs of the past kept to their limits.
    n_samples, seed, arrivals
        As of `OnlineScheduler.forecast`, for these.

    Returns
    -------
    PredictedStarts
        In the order of `jobs`, or of the waiting jobs of the state.

    Raises
    ------
    InvalidInstanceError
        For a job that does not wait; says what becomes of it.
    UnsupportedError
        For a policy that takes no such cluster, or options without a policy.

    Notes
    -----
    Costs what the policy decides until all of these have started, and as much for each sample. Nothing is asked of the
    cluster, and nothing changed.
    """
    waiting = state.waiting
    rows = np.arange(waiting.jobs.n_jobs) if jobs is None else rows_of_jobs(state, jobs)
    if history is not None and not isinstance(history, Jobs):
        raise TypeError(f"history must be schedcore.Jobs, not {type(history).__name__}")
    chosen = forecast_policy(state, policy, options)
    outlook, ids = Outlook(state, chosen), waiting.jobs.id[rows]
    reasons = _reasons(state, outlook, rows)
    expected = outlook.expected(ids)
    forecast = None if history is None else outlook.forecast(ids, history, n_samples, seed, arrivals=arrivals)
    return PredictedStarts(
        **columns_of_rows(state, rows),
        policy=chosen.called,
        planned=state.planned_starts().start_time[rows],
        expected=expected,
        q50=None if forecast is None else forecast.q50,
        q90=None if forecast is None else forecast.q90,
        q95=None if forecast is None else forecast.q95,
        n_samples=0 if forecast is None else forecast.n_samples,
        reason=tuple(reason for reason, _ in reasons),
        waits_for=tuple(whom for _, whom in reasons),
        told=tuple(waiting.reason[row] for row in rows),
    )


def _reasons(state: SlurmState, outlook: Outlook, rows: IntArray) -> list[tuple[str, tuple[str, ...]]]:
    """Return why each job waits, and for whom."""
    waiting, told = state.waiting, _Told(state, outlook.scheduler)
    later, inside, above = begins_later(state), inside_reservations(state), above_limits(state)
    depends = depends_otherwise(state)
    stays = outlook.stays(waiting.jobs.id[rows])
    explanations = iter(outlook.scheduler.explain(waiting.jobs.id[rows[stays]]))
    found: list[tuple[str, tuple[str, ...]]] = []
    for row, stay in zip(rows.tolist(), stays.tolist(), strict=True):
        if not stay:
            found.append(("fits", ()))
            continue
        each = next(explanations)
        if (each.reason == "down" and not each.machines) or (above[row] and not waiting.held[row]):
            found.append(("never", ()))
        elif each.reason != "held" or waiting.held[row]:
            found.append((each.reason, told.of(each)))
        elif depends[row]:
            found.append(("dependency", ()))
        elif inside[row]:
            found.append(("reservation", (waiting.reservation[row],)))
        else:
            assert later[row]
            found.append(("begin", ()))
    return found


class _Told:
    """Explanations in the words of the site."""

    def __init__(self, state: SlurmState, scheduler: OnlineScheduler) -> None:
        self._nodes = state.machines.names
        self._limits = state.rules.limits
        self._called = dict(zip(state.waiting.jobs.id.tolist(), state.waiting.called, strict=True))
        self._called |= dict(zip(state.occupancy.jobs.id.tolist(), state.occupancy.called, strict=True))
        self._on: dict[int, list[str]] = {}
        places = scheduler.jobs("running").allocation
        for job, machine in zip(places.id.tolist(), places.machine.tolist(), strict=True):
            self._on.setdefault(machine, []).append(self._called[job])

    def of(self, each: Explanation) -> tuple[str, ...]:
        if each.limit is not None:
            limit = self._limits[each.limit]
            return (f"{limit.who.replace('=', ' ')}: at most {limit.most:,} {limit.what}",)
        if each.reason == "resources":
            return tuple(dict.fromkeys(job for machine in each.machines for job in self._on.get(machine, ())))
        if each.jobs:
            return tuple(dict.fromkeys(self._called[job] for job in each.jobs))
        return tuple(self._nodes[machine] for machine in each.machines)


def _known(instant: float) -> float | None:
    return float(instant) if np.isfinite(instant) else None
