"""One policy on one instance: solved, timed, validated and measured."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from schedcore import registry
from schedcore.engine import solve
from schedcore.experiments.instance_kinds import kind_of_run
from schedcore.model import AnyInstance, PreemptiveResult, Result, ValidationReport, validate

__all__ = ["Measurement", "measure"]


@dataclass(frozen=True)
class Measurement:
    """What came of a policy.

    Attributes
    ----------
    result : Result
    report : ValidationReport or None
        Of the exact validator, for the class of schedules that the policy promises; None without a schedule.
    figures : dict
        What is told of instances of this kind: of job logs what `schedcore.metrics.summary` does.
    solve_seconds : float
        Wall time of the policy alone.
    """

    result: Result
    report: ValidationReport | None
    figures: dict[str, Any]
    solve_seconds: float

    @property
    def problem(self) -> str | None:
        """Why there is no schedule, the first violation of the one there is, or how much it lacks; else None."""
        if self.report is None:
            return f"no schedule: the linear program ended with the status {self.result.stats.get('lp_status')!r}"
        if not self.report.ok:
            return self.report.message
        if self.is_cut_short:
            n_unfinished = self.result.stats["n_unfinished"]
            return f"{n_unfinished} jobs are not complete after the slots that the run may have (max_slots)"
        return None

    @property
    def is_cut_short(self) -> bool:
        """Whether `max_slots` ended the run before all jobs were complete, and what there is is feasible."""
        return _lacks_jobs(self.result) and self.report is not None and self.report.ok


def measure(
    inst: AnyInstance,
    policy: str,
    options: Mapping[str, Any],
    *,
    tau: float,
    progress: Callable[[int, int], object] | None = None,
) -> Measurement:
    """Run a policy, validate its schedule, and measure it; what the policy raises passes through."""
    kind = kind_of_run(inst, policy)
    read = kind.read_options(inst, options)
    began = time.perf_counter()
    result = solve(policy, inst, progress=progress, **read)
    seconds = time.perf_counter() - began
    measured = Measurement(result, None, kind.figures(inst, result, tau), seconds)
    if result.schedule is None:
        return measured
    promised = "partial" if _lacks_jobs(result) else registry.get(policy).schedule_class
    return replace(measured, report=validate(inst, result.schedule, kind=promised))


def _lacks_jobs(result: Result) -> bool:
    return isinstance(result, PreemptiveResult) and result.stats.get("status") == "max_slots"
