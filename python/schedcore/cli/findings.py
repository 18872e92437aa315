"""Policies on a workload: what problem they make of it, a bar for each, and what is wrong with them as exit code."""

from collections.abc import Sequence
from typing import Any

from schedcore.cli.help_by_problem import refuse_other_kind
from schedcore.cli.output import tell
from schedcore.cli.progress import progress_bars
from schedcore.cli.workload_choice import ReadWorkload, refuse_options
from schedcore.errors import UnsupportedError
from schedcore.model.choices import check_choice
from schedcore.problems import Problem, check_policies, problem_of
from schedcore.problems.able_policies import able_policies
from schedcore.problems.comparison import compare_policies, ignored_columns
from schedcore.problems.evaluation import Comparison, Evaluation
from schedcore.problems.job_classes import SUBMITTER_COLUMNS, job_classes
from schedcore.problems.policy_choice import PolicyChoice, parse_policies
from schedcore.workloads import DataReport

__all__ = ["agreed_problem", "run_policies", "tell_findings"]


def agreed_problem(
    workload: ReadWorkload,
    asked: Sequence[PolicyChoice],
    kind: type[Problem[Any]] | None = None,
    *,
    objective: str | None = None,
    **options: object,
) -> tuple[Problem[Any], Sequence[PolicyChoice]]:
    """The problem that policies make of a workload, and the policies: by default those that it is compared by.

    Those that do not heed what the workload uses are left out, and stderr says why.

    Raises
    ------
    UnsupportedError
        For a policy that is for another kind of workload than the others, for policies of which none heeds what the
        workload uses, for options that are given and mean nothing to the problem, and for classes of jobs beside
        incidents.
    """
    inst, report, incidents = workload
    options = {**options, "objective": objective}
    classes = options.get("classes")
    if incidents is not None and classes is not None and classes not in SUBMITTER_COLUMNS:
        raise UnsupportedError(
            f"--classes {classes}: not all jobs complete where machines fail or jobs are cancelled; "
            f"of jobs by {', '.join(SUBMITTER_COLUMNS)} figures tell so"
        )
    in_slots = kind is not None and kind.in_slots
    usual = problem_of(inst, in_slots=in_slots, incidents=incidents, objective=objective)
    refuse_options(usual, **options)
    if objective is not None:
        check_choice("objective", objective, usual.views)
    usual = usual.suited_to(report)
    choices = asked or parse_policies(usual.policies())
    check_policies(inst, choices)
    choices, left_out = able_policies(inst, choices, incidents)
    tell(left_out)
    first = next((choice.name for choice in choices if not choice.is_recorded), None)
    problem = problem_of(inst, first, incidents=incidents, objective=objective)
    refuse_other_kind(kind, problem)
    refuse_options(problem, **options)
    return problem.suited_to(report), choices


def run_policies(
    problem: Problem[Any],
    report: DataReport,
    choices: Sequence[PolicyChoice],
    tau: float,
    classes: str | None = None,
) -> Comparison:
    """Run policies and measure them; stderr says with what they decide, what they ignore, why nothing is proven."""
    tell(problem.notes(choices, report))
    chosen = None if classes is None else job_classes(classes, problem.inst, report)
    column = classes if classes in SUBMITTER_COLUMNS else None
    with progress_bars() as bars:
        comparison = compare_policies(
            problem, report, choices, bars.step, tau=tau, classes=chosen, column=column
        )
    tell(ignored_columns(problem, comparison.evaluations))
    tell(comparison.notes)
    return comparison


def tell_findings(evaluations: Sequence[Evaluation]) -> int:
    """Name every failed policy and invalid schedule on stderr; return the exit code, 1 if there is one."""
    findings = [found for found in evaluations if found.finding is not None]
    tell(f"{found.policy}: {found.verdict}: {found.finding}" for found in findings)
    return 1 if findings else 0
