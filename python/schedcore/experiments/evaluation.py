"""One policy on one instance: solved, timed, validated and measured."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

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
    report : ValidationReport
        Of the exact validator.
    figures : dict
        What is told of instances of this kind: of job logs what `schedcore.metrics.summary` does.
    solve_seconds : float
        Wall time of the policy alone.
    """

    result: Result
    report: ValidationReport
    figures: dict[str, Any]
    solve_seconds: float


def measure(
    inst: AnyInstance,
    policy: str,
    options: Mapping[str, Any],
    *,
    tau: float,
    progress: Callable[[int, int], object] | None = None,
) -> Measurement:
    """Run a policy, validate its schedule, and measure it; what the policy raises passes through."""
    began = time.perf_counter()
    result = solve(policy, inst, progress=progress, **options)
    seconds = time.perf_counter() - began
    report = validate(inst, result.schedule)
    return Measurement(result, report, kind_of(inst).figures(inst, result, tau), seconds)
