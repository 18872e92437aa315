"""Which problem do a workload and policies make together, and which policies are worth a row?

Options are spelled as the user of this moment writes them (`spelling_options`).
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from schedcore.comparisons.progress import Bars
from schedcore.errors import UnsupportedError
from schedcore.model import AnyInstance, Incidents
from schedcore.model.choices import check_choice
from schedcore.problems import Problem, check_policies, problem_of, refusal
from schedcore.problems.able_policies import able_policies
from schedcore.problems.comparison import comparison_of, evaluate, ignored_columns
from schedcore.problems.evaluation import Comparison
from schedcore.problems.job_classes import SUBMITTER_COLUMNS, check_classes, is_about_names, job_classes
from schedcore.problems.parallel_runs import Run, evaluate_all
from schedcore.problems.policy_choice import PolicyChoice, parse_policies
from schedcore.workloads.reading.option_spelling import spelled
from schedcore.workloads.reading.report import DataReport

__all__ = ["ReadWorkload", "Tell", "agreed_problem", "refuse_options", "run_policies"]

#: Takes sentences that figures cannot tell.
Tell = Callable[[Iterable[str]], object]


class ReadWorkload(NamedTuple):
    """A workload with the account of its reader, and what happens to it unannounced."""

    inst: AnyInstance
    report: DataReport
    incidents: Incidents | None = None


def agreed_problem(
    workload: ReadWorkload,
    asked: Sequence[PolicyChoice],
    kind: type[Problem[Any]] | None,
    tell: Tell,
    *,
    objective: str | None = None,
    **options: object,
) -> tuple[Problem[Any], Sequence[PolicyChoice]]:
    """The problem that policies make of a workload, and the policies: by default those that it is compared by.

    Those that do not heed what the workload uses are left out, and `tell` is told why.

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
    if incidents is not None and isinstance(classes, str) and not is_about_names(classes):
        raise UnsupportedError(
            f"{spelled('classes')} {classes}: not all jobs complete where machines fail or jobs are cancelled; "
            f"of jobs by {', '.join(SUBMITTER_COLUMNS)} figures tell so"
        )
    in_slots = kind is not None and kind.in_slots
    usual = problem_of(inst, in_slots=in_slots, incidents=incidents, objective=objective)
    refuse_options(usual, **options)
    if objective is not None:
        check_choice("objective", objective, usual.views)
    if isinstance(classes, str):
        check_classes(classes, inst)
    usual = usual.suited_to(report)
    choices = asked or parse_policies(usual.policies())
    check_policies(inst, choices)
    choices, left_out = able_policies(inst, choices, incidents)
    tell(left_out)
    first = next((choice.name for choice in choices if not choice.is_recorded), None)
    problem = problem_of(inst, first, incidents=incidents, objective=objective)
    if kind is not None and not isinstance(problem, kind):
        option = spelled("problem")
        raise UnsupportedError(
            f"{option} {kind.name}: this is about {problem.title} ({option} {problem.name})"
        )
    refuse_options(problem, **options)
    return problem.suited_to(report), choices


def refuse_options(problem: Problem[Any], **options: object) -> None:
    """Raise an `UnsupportedError` that names the options which are given and mean nothing to a problem."""
    given = {
        name: refusal(type(problem), name) for name, value in options.items() if value not in (None, False)
    }
    sentence = next(filter(None, given.values()), None)
    if sentence is not None:
        names = [spelled(name) for name, why in given.items() if why == sentence]
        raise UnsupportedError(f"{', '.join(names)}: {sentence}")


def run_policies(
    problem: Problem[Any],
    report: DataReport,
    choices: Sequence[PolicyChoice],
    bars: Bars,
    tell: Tell,
    *,
    tau: float,
    classes: str | None = None,
    workers: int = 1,
) -> Comparison:
    """Run policies and measure them; `tell` is told with what they decide, what they ignore, why nothing is proven.

    One worker runs one after the other, so that each is timed alone.
    """
    tell(problem.notes(choices, report))
    chosen = None if classes is None else job_classes(classes, problem.inst, report)
    column = classes if classes is not None and is_about_names(classes) else None
    with bars() as step:
        if workers == 1:
            found = [evaluate(problem, choice, step, tau) for choice in choices]
        else:
            runs = [Run(problem, choice) for choice in choices]
            found = evaluate_all(runs, step, tau=tau, workers=workers)
        comparison = comparison_of(problem, report, choices, found, tau=tau, classes=chosen, column=column)
    tell(ignored_columns(problem, comparison.evaluations))
    tell(comparison.notes)
    return comparison
