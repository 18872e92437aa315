"""One policy on one workload: solved, timed, validated and measured."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from typing import Any

from schedcore.bounds import lower_bounds
from schedcore.cli.progress import ProgressBars
from schedcore.errors import SchedcoreError
from schedcore.experiments.evaluation import measure
from schedcore.experiments.policy_choice import PolicyChoice
from schedcore.model import Instance, Schedule


@dataclass(frozen=True)
class Evaluation:
    """What came of a policy.

    Attributes
    ----------
    policy : str
        Label of the choice.
    schedule : Schedule or None
        None if the policy failed.
    problem : str or None
        Why the policy failed, or the first violation of its schedule; None if all is well.
    figures : dict
        Summary figures, gap, guarantee, seconds and jobs per second; empty if the policy failed.
    """

    policy: str
    schedule: Schedule | None
    problem: str | None
    figures: dict[str, Any] = field(default_factory=dict)

    @property
    def verdict(self) -> str:
        """ "valid", "INVALID" or "FAILED"."""
        if self.schedule is None:
            return "FAILED"
        return "valid" if self.problem is None else "INVALID"

    def row(self) -> dict[str, Any]:
        """Everything but the schedule, flat."""
        return {"policy": self.policy, "verdict": self.verdict, "problem": self.problem, **self.figures}


def evaluate(
    inst: Instance, choice: PolicyChoice, bars: ProgressBars, tau: float, awct_bound: float | None
) -> Evaluation:
    """Run a policy and measure its schedule; a policy that raises is a finding, not an error."""
    try:
        with bars.step(choice.label, inst.n_jobs) as progress:
            measured = measure(inst, choice.name, choice.options, tau=tau, progress=progress)
    except (SchedcoreError, MemoryError) as error:
        return Evaluation(choice.label, None, str(error) or type(error).__name__)
    result, report, figures = measured.result, measured.report, measured.figures
    figures["utilisation"] = dict(zip(inst.machines.resource_names, figures["utilisation"], strict=True))
    figures |= {
        "lower_bound": awct_bound,
        "gap": figures["awct"] / awct_bound - 1 if awct_bound else None,
        "guarantee": result.guarantee,
        "seconds": measured.solve_seconds,
        "jobs_per_second": inst.n_jobs / measured.solve_seconds,
    }
    return Evaluation(choice.label, result.schedule, None if report.ok else report.message, figures)


def average_lower_bound(inst: Instance) -> float | None:
    """The best proven lower bound on the AWCT; None if there is none, which stderr explains."""
    if inst.n_jobs == 0:
        return 0.0
    try:
        return float(lower_bounds(inst)["best"]) / inst.n_jobs
    except SchedcoreError as error:
        print(f"no lower bound: {error}", file=sys.stderr)
        return None


def print_problems(evaluations: list[Evaluation]) -> int:
    """Name every failed policy and invalid schedule on stderr; return the exit code, 1 if there is one."""
    findings = [evaluation for evaluation in evaluations if evaluation.problem is not None]
    for finding in findings:
        print(f"{finding.policy}: {finding.verdict}: {finding.problem}", file=sys.stderr)
    return 1 if findings else 0
