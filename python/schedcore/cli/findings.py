"""Policies on a workload: what problem they make of it, a bar for each, and what is wrong with them as exit code."""

from collections.abc import Sequence
from typing import Any

from schedcore.cli.output import tell
from schedcore.cli.workload_choice import as_typed
from schedcore.comparisons import agreement
from schedcore.comparisons.agreement import ReadWorkload, Tell
from schedcore.comparisons.progress import progress_bars
from schedcore.problems import Problem
from schedcore.problems.evaluation import Comparison, Evaluation
from schedcore.problems.policy_choice import PolicyChoice
from schedcore.workloads.reading.option_spelling import spelling_options
from schedcore.workloads.reading.report import DataReport

__all__ = ["agreed_problem", "run_policies", "tell_findings"]


def agreed_problem(
    workload: ReadWorkload,
    asked: Sequence[PolicyChoice],
    kind: type[Problem[Any]] | None = None,
    told: Tell = tell,
    **options: Any,
) -> tuple[Problem[Any], Sequence[PolicyChoice]]:
    """As `agreement.agreed_problem`, with options as the command line writes them; stderr says who is left out."""
    with spelling_options(as_typed):
        return agreement.agreed_problem(workload, asked, kind, told, **options)


def run_policies(
    problem: Problem[Any],
    report: DataReport,
    choices: Sequence[PolicyChoice],
    tau: float,
    classes: str | None = None,
    told: Tell = tell,
) -> Comparison:
    """Run policies one after the other, as `agreement.run_policies` does, with a bar for each; stderr says the rest."""
    return agreement.run_policies(problem, report, choices, progress_bars, told, tau=tau, classes=classes)


def tell_findings(evaluations: Sequence[Evaluation]) -> int:
    """Name every failed policy and invalid schedule on stderr; return the exit code, 1 if there is one."""
    findings = [found for found in evaluations if found.finding is not None]
    tell(f"{found.policy}: {found.verdict}: {found.finding}" for found in findings)
    return 1 if findings else 0
