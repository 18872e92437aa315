"""One policy on one instance: solved, timed, validated and measured."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from schedcore import registry
from schedcore.engine import solve
from schedcore.experiments.instance_kinds import kind_of
from schedcore.model import AnyInstance, Result, ValidationReport, validate

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
        """Why there is no schedule, or the first violation of the one there is; None if all is well."""
        if self.report is None:
            return f"no schedule: the linear program ended with the status {self.result.stats.get('lp_status')!r}"
        return None if self.report.ok else self.report.message


def measure(
    inst: AnyInstance,
    policy: str,
    options: Mapping[str, Any],
    *,
    tau: float,
    progress: Callable[[int, int], object] | None = None,
) -> Measurement:
    """Run a policy, validate its schedule, and measure it; what the policy raises passes through."""
    kind = kind_of(inst)
    read = kind.read_options(inst, options)
    began = time.perf_counter()
    result = solve(policy, inst, progress=progress, **read)
    seconds = time.perf_counter() - began
    promised = registry.get(policy).schedule_class
    report = None if result.schedule is None else validate(inst, result.schedule, kind=promised)
    return Measurement(result, report, kind.figures(inst, result, tau), seconds)
