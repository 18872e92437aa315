"""When the jobs start that wait now, by Slurm's plan and as expected, why each of them waits, and for whom."""

import dataclasses
import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from schedcore.engine.explanations import Explanation
from schedcore.engine.online import OnlineScheduler
from schedcore.model import Jobs
from schedcore.model.arrays import FloatArray, IntArray

from .asked_jobs import AskedJobs, columns_of_rows, rows_of_jobs
from .outlook import Outlook, above_limits, begins_later, forecast_policy, inside_reservations
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
        there is, or than a limit lets a single job have.
    waits_for : tuple of tuple of str
        Whom it waits for: jobs whose ends let it start, that come first or have to end, nodes that are down or out of
        service, the limit that holds it. A job that could start at once, and holds what it needs from then on, has a
        question mark: ``15?``.
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
        Options of that policy. Depth, window and resolution are those of the site where it takes them and they are
        not given.
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
    later, inside, never = begins_later(state), inside_reservations(state), above_limits(state)
    stays = outlook.stays(waiting.jobs.id[rows])
    explanations = iter(outlook.scheduler.explain(waiting.jobs.id[rows[stays]]))
    found: list[tuple[str, tuple[str, ...]]] = []
    for row, stay in zip(rows.tolist(), stays.tolist(), strict=True):
        if not stay:
            found.append(("fits", ()))
            continue
        each = next(explanations)
        kept_back = waiting.kept_back[row]
        if never[row] or (each.reason == "down" and not each.machines):
            found.append(("never", ()))
        elif kept_back is not None and (kept_back[0] == "never" or not waiting.held[row]):
            found.append(kept_back)
        elif each.reason != "held" or waiting.held[row]:
            found.append((each.reason, told.of(each, row)))
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
        self._waiting = state.waiting.jobs
        waits = zip(self._waiting.id.tolist(), state.waiting.called, strict=True)
        self._called = dict(waits)
        held = state.occupancy
        # Jobs that could start at once do so here; Slurm has not started them, and perhaps sees it otherwise.
        begun = {job: f"{called}?" for job, called in self._called.items()}
        named = begun | dict(zip(held.jobs.id.tolist(), held.called, strict=True))
        self._called |= dict(zip(held.jobs.id.tolist(), held.called, strict=True))
        ends = dict(
            zip(self._waiting.id.tolist(), state.now + self._waiting.estimated_processing_time, strict=True)
        )
        ends |= dict(
            zip(held.jobs.id.tolist(), held.start_time + held.jobs.estimated_processing_time, strict=True)
        )
        demands = dict(zip(self._waiting.id.tolist(), self._waiting.demand.tolist(), strict=True))
        demands |= dict(zip(held.jobs.id.tolist(), held.jobs.demand.tolist(), strict=True))
        self._on: dict[int, list[_Holder]] = {}
        places = scheduler.jobs("running").allocation
        for job, machine in zip(places.id.tolist(), places.machine.tolist(), strict=True):
            self._on.setdefault(machine, []).append(_Holder(named[job], ends[job], demands[job]))

    def of(self, each: Explanation, row: int) -> tuple[str, ...]:
        if each.limit is not None:
            return (self._limit(each.limit, row),)
        if each.reason == "resources":
            return self._holders(each)
        if each.jobs:
            return tuple(dict.fromkeys(self._called[job] for job in each.jobs))
        return tuple(self._nodes[machine] for machine in each.machines)

    def _holders(self, each: Explanation) -> tuple[str, ...]:
        """Return the jobs whose ends let a job start: on its machines, by its time, holding what is short."""
        there = [holder for machine in each.machines for holder in self._on.get(machine, ())]
        short = [resource for resource, amount in enumerate(each.shortage) if amount > 0]
        last = math.inf if each.time is None else each.time
        decisive = [
            holder
            for holder in there
            if holder.end <= last and (not short or any(holder.demand[resource] for resource in short))
        ]
        # Where all are past their ends, as the policy sees it, any of them may be the one.
        return tuple(dict.fromkeys(holder.called for holder in decisive or there))

    def _limit(self, index: int, row: int) -> str:
        limit = self._limits[index]
        value = limit.value if limit.value is not None else getattr(self._waiting, limit.party)[row]
        what = "at once" if limit.party == "array" and limit.what == "jobs" else limit.what
        party = "QOS" if limit.party == "service_class" else limit.party
        return f"{party} {value}: {limit.most:,} {what}"


class _Holder(NamedTuple):
    """A job that runs: how it is called, when it ends, and what a task of it holds."""

    called: str
    end: float
    demand: list[int]


def _known(instant: float) -> float | None:
    return float(instant) if np.isfinite(instant) else None
