"""Why jobs of a simulation waited: an embedded scheduler that hears of the same events is asked at each of them."""

from typing import Any

from schedcore import registry
from schedcore.errors import InvalidInstanceError, UnsupportedError
from schedcore.metrics.waiting_reasons import set_waiting_reasons_source
from schedcore.model import Incidents, Result

from .decision import Decision
from .online import OnlineScheduler
from .own_policy import Policy, check_is_policy
from .replay import known_in_advance, replayed_starts, reports_of, simulated_starts

__all__ = ["waiting_rows"]


def waiting_rows(result: Result, policy: Any) -> list[tuple[int, str, float, float]]:
    """Return jobs, reasons, and from when until when, in no order; stretches of one reason are one row."""
    if policy is not None:
        check_is_policy(policy)
    chosen: str | Policy = result.algorithm if policy is None else policy
    options: dict[str, Any] = {}
    if isinstance(chosen, str):
        algorithm = _of_the_library(chosen)
        if not algorithm.embeddable:
            raise UnsupportedError(f"{chosen!r} has no embedded form, so nobody can ask why jobs waited")
        known = {each.name for each in (*algorithm.options, *algorithm.embedded_options)}
        options = {name: value for name, value in result.options.items() if name in known}
    incidents = result.incidents or Incidents()
    # None stands for what is read from all jobs.
    given = {name: value for name, value in options.items() if value is not None}
    told = {**options, **known_in_advance(str(chosen), result.instance, result), **given}
    scheduler = OnlineScheduler(chosen, result.instance.machines, killed=incidents.killed, **told)
    history = _History()
    reports = reports_of(result.instance, incidents, result)
    if replayed_starts(scheduler, result.instance, reports, history.note) != simulated_starts(result):
        raise InvalidInstanceError(f"asked again, {scheduler.policy!r} starts other jobs than in this result")
    history.end(max(reports, default=0.0))
    return history.rows


def _of_the_library(name: str) -> registry.Algorithm:
    try:
        return registry.get(name)
    except InvalidInstanceError:
        raise InvalidInstanceError(
            f"the result is of {name!r}, which is no policy of the library: "
            "give the policy of your own, waiting_reasons(result, policy=...)"
        ) from None


class _History:
    """Rows so far, and the reasons for which jobs wait now, with the instants since when."""

    def __init__(self) -> None:
        self.rows: list[tuple[int, str, float, float]] = []
        self.open: dict[int, tuple[str, float]] = {}

    def note(self, scheduler: OnlineScheduler, _: float) -> tuple[OnlineScheduler, list[Decision]]:
        now = {each.id: each.reason for each in scheduler.explain()} if scheduler.n_waiting else {}
        for job, (reason, since) in list(self.open.items()):
            if now.get(job) != reason:
                self.close(job, reason, since, scheduler.now)
        for job, reason in now.items():
            self.open.setdefault(job, (reason, scheduler.now))
        return scheduler, []

    def close(self, job: int, reason: str, since: float, now: float) -> None:
        del self.open[job]
        if since < now:
            self.rows.append((job, reason, since, now))

    def end(self, now: float) -> None:
        for job, (reason, since) in list(self.open.items()):
            self.close(job, reason, since, now)


set_waiting_reasons_source(waiting_rows)
