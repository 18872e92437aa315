"""One policy on one problem: solved, timed, validated and measured."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from schedcore.engine import solve
from schedcore.model import Result, ValidationReport, validate
from schedcore.problems.problem import Problem

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
        What is told of problems of this kind: of job logs what `schedcore.metrics.summary` does.
    solve_seconds : float
        Wall time of the policy alone.
    shortfall : str or None
        Why there is no schedule, or what is missing from it; None where all is there.
    """

    result: Result
    report: ValidationReport | None
    figures: dict[str, Any]
    solve_seconds: float
    shortfall: str | None

    @property
    def is_cut_short(self) -> bool:
        """Whether the run ended before all jobs were complete, and what there is is feasible."""
        return self.report is not None and self.report.ok and self.shortfall is not None

    @property
    def finding(self) -> str | None:
        """Why there is no schedule, the first violation of the one there is, or how much it lacks; else None."""
        if self.report is None or self.report.ok:
            return self.shortfall
        return self.report.message


def measure(
    problem: Problem[Any],
    policy: str,
    options: Mapping[str, Any],
    *,
    tau: float,
    progress: Callable[[int, int], object] | None = None,
) -> Measurement:
    """Run a policy, validate its schedule, and measure it; what the policy raises passes through."""
    read = problem.read_options(options)
    began = time.perf_counter()
    result = solve(policy, problem.inst, incidents=problem.incidents, progress=progress, **read)
    seconds = time.perf_counter() - began
    figures = problem.figures(result, tau)
    report = None
    if result.runs is not None and not (problem.incidents is None and result.site is None):
        report = validate(
            problem.inst,
            result.runs,
            incidents=problem.incidents,
            outcome=result.outcome,
            site=result.site,
        )
    elif result.schedule is not None:
        report = validate(problem.inst, result.schedule, kind=problem.schedule_kind(policy, result))
    return Measurement(result, report, figures, seconds, problem.shortfall(result))
