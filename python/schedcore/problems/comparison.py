"""Policies on one workload, side by side, whatever kind of problem it is; and the lower bounds on it."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from schedcore import registry
from schedcore.bounds import lower_bound
from schedcore.errors import SchedcoreError
from schedcore.metrics import JobClasses
from schedcore.model import Result, Schedule
from schedcore.plotting.layout import save
from schedcore.problems.drawings.jobs import DELAYS_DRAWING
from schedcore.problems.evaluation import Comparison, Evaluation
from schedcore.problems.job_classes import with_classes
from schedcore.problems.measurement import measure
from schedcore.problems.policy_choice import PolicyChoice
from schedcore.problems.presentation import Presentation, Table
from schedcore.problems.problem import Problem
from schedcore.workloads.reading.report import DataReport

__all__ = [
    "Steps",
    "bounds_of",
    "compare_policies",
    "comparison_of",
    "draw",
    "draw_waits",
    "evaluate",
    "ignored_columns",
    "presented",
]

#: ``step(title, total)``: the context of one step, which yields what is told its progress as ``(done, total)``.
Steps = Callable[[str, int], AbstractContextManager[Callable[[int, int], None]]]


def compare_policies(
    problem: Problem[Any],
    report: DataReport,
    choices: Sequence[PolicyChoice],
    step: Steps,
    *,
    tau: float = 10.0,
    classes: JobClasses | None = None,
    column: str | None = None,
) -> Comparison:
    """Run policies, one after the other, and measure their schedules against what is proven.

    Parameters
    ----------
    problem : Problem
        What the policies make of the workload.
    report : DataReport
        Of the reader of the workload.
    choices : sequence of PolicyChoice
    step : callable
        Shows how far each policy is.
    tau : float
        Threshold of the bounded slowdown.
    classes : JobClasses, optional
        Classes of the jobs to tell apart.
    column : str, optional
        Where they are the names of those who submitted the jobs, in which column.

    Notes
    -----
    A policy that raises is a finding, not an error. So is one that found no schedule in the time it was given, or was
    cut short.
    """
    evaluations = [evaluate(problem, choice, step, tau) for choice in choices]
    return comparison_of(problem, report, choices, evaluations, tau=tau, classes=classes, column=column)


def comparison_of(
    problem: Problem[Any],
    report: DataReport,
    choices: Sequence[PolicyChoice],
    evaluations: Sequence[Evaluation],
    *,
    tau: float,
    classes: JobClasses | None = None,
    column: str | None = None,
) -> Comparison:
    """Measure what came of policies, in their order, against what is proven; see `compare_policies`."""
    bounds, notes = problem.certify(choices, evaluations)
    return Comparison(
        problem.inst, report, evaluations, bounds, notes, tau, classes, column, problem.incidents
    )


def evaluate(problem: Problem[Any], choice: PolicyChoice, step: Steps, tau: float) -> Evaluation:
    """Run one policy and measure its schedule, with its own lower bound where bounds come with results."""
    objective = "" if choice.is_recorded else registry.get(choice.name).objective
    size = problem.size()
    try:
        if choice.is_recorded:
            return problem.recorded(tau)
        with step(choice.label, size["n_jobs"] or 0) as progress:
            measured = measure(problem, choice.name, choice.options, tau=tau, progress=progress)
        bound = None
        if problem.bounds_come_with_results:
            with step(f"{choice.label}: lower bound", 1):
                bound = measured.result.lower_bound
    except (SchedcoreError, MemoryError) as error:
        return Evaluation(choice.label, objective, None, str(error) or type(error).__name__)
    result = measured.result
    n_counted = size.get(f"n_{problem.counted}", size["n_jobs"]) or 0
    figures = {
        **problem.told(result, measured.figures),
        "lower_bound": bound,
        "gap": None,
        "guarantee": result.guarantee,
        "seconds": measured.solve_seconds,
        f"{problem.counted}_per_second": n_counted / measured.solve_seconds,
    }
    runs = result.runs if problem.is_disturbed else None
    return Evaluation(
        choice.label,
        objective,
        result.schedule,
        measured.finding,
        figures,
        measured.is_cut_short,
        runs,
        _with_instance(result, problem),
        result.stats.get("ignored", ()),
    )


def _with_instance(result: Any, problem: Problem[Any]) -> Result | None:
    """The result of jobs that run in one piece; policies of others need not say of which instance it is."""
    if not isinstance(result, Result) or not isinstance(result.schedule, Schedule):
        return None
    if result.instance is not None:
        return result
    return Result(
        result.schedule,
        result.objective,
        result.value,
        instance=problem.inst,
        runs=result.runs,
        outcome=result.outcome,
        incidents=problem.incidents,
        site=result.site,
    )


def ignored_columns(problem: Problem[Any], evaluations: Sequence[Evaluation]) -> list[str]:
    """Return one sentence on which policies ignore which columns of the jobs, or none where they read all."""
    policies: dict[tuple[str, ...], dict[str, None]] = {}
    for evaluation in evaluations:
        columns = tuple(column for column in evaluation.ignored if column not in problem.noted_columns)
        if columns:
            policies.setdefault(columns, {})[evaluation.policy] = None
    parts = [
        f"{', '.join(who)} ignore{'s' * (len(who) == 1)}: {', '.join(columns)}"
        for columns, who in policies.items()
    ]
    return ["; ".join(parts)] if parts else []


def presented(problem: Problem[Any], comparison: Comparison) -> Presentation:
    """A comparison as rows, a document and a table; in classes of jobs too, where there are any."""
    report, bounds = comparison.report, comparison.bounds
    title = f"{report.source}: {problem.contents()} on {problem.machines()}"
    rows = [evaluation.row() for evaluation in comparison.evaluations]
    about = report.to_dict() | {name: getattr(problem.inst, name) for name in problem.about}
    about |= problem.disturbances()
    columns = problem.comparison_columns(report, rows, bounds)
    table = Table(rows, columns, title, problem.note(report, bounds))
    document = {"workload": about, "lower_bounds": bounds, "policies": rows}
    remarks = problem.remarks(comparison.evaluations, report)
    return with_classes(Presentation(rows, document, (table,), remarks), comparison)


def draw(problem: Problem[Any], comparison: Comparison, folder: Path) -> None:
    """Write the drawings of a comparison that have something to show into `folder`."""
    for drawing in problem.drawings:
        figure = drawing.draw(comparison)
        if figure is not None:
            save(figure, folder / drawing.name, least=drawing.least)


def draw_waits(comparison: Comparison, path: Path) -> None:
    """Write the distribution of the waits of jobs into a file, if there is something to show."""
    figure = DELAYS_DRAWING.draw(comparison)
    if figure is not None:
        save(figure, path, least=DELAYS_DRAWING.least)


def bounds_of(problem: Problem[Any], report: DataReport) -> Presentation:
    """What no schedule of an instance can beat, a row a bound."""
    rows = []
    for objective, method in problem.bound_questions():
        bound = lower_bound(problem.inst, objective, method, time_limit=problem.bound_seconds)
        row = {"bound": bound.method, "objective": bound.objective, "value": bound.value}
        rows.append(row | problem.about_bound(bound))
    return Presentation(rows, rows, (problem.bound_table(rows, report),))
