"""What a page about a comparison says, gathered from its results: question, answer, tables, pictures, single jobs."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from schedcore.problems.comparison import presented
from schedcore.problems.difference import presented_difference
from schedcore.problems.drawings.variants import variants_figure
from schedcore.problems.evaluation import Comparison
from schedcore.problems.presentation import Presentation, Table
from schedcore.problems.problem import Problem
from schedcore.problems.variant_comparison import VariantComparison, presented_variants
from schedcore.reporting.answers import answers_of, answers_of_difference, best_policy, listed
from schedcore.reporting.class_tables import class_tables
from schedcore.reporting.explorer import Explorer
from schedcore.reporting.facts import facts_about, source_name
from schedcore.reporting.page_tables import PageTable, page_table
from schedcore.reporting.pictures import as_data_uri
from schedcore.reporting.plans import plans_of, run_in_one_piece
from schedcore.workloads.reading.report import DataReport

__all__ = ["PageContent", "Picture", "of_comparison", "of_difference", "of_variants"]


@dataclass(frozen=True)
class Picture:
    """A drawing inside the page."""

    title: str
    uri: str
    alt: str


@dataclass(frozen=True)
class PageContent:
    """What the template shows.

    Attributes
    ----------
    question : str
    answers : sequence of str
    facts : sequence of (str, str)
    parts : sequence of PageTable or str
        What the command prints.
    tables : sequence of PageTable
        Waits by class and by user.
    pictures : sequence of Picture
    explorer : Explorer or None
        Single jobs, where the comparison is about such that run in one piece.
    report : DataReport
    remarks : sequence of str
        What was assumed, and what the figures cannot tell.
    has_schedules : bool
        Whether some policy made a schedule.
    """

    question: str
    answers: Sequence[str]
    facts: Sequence[tuple[str, str]]
    parts: Sequence[PageTable | str]
    tables: Sequence[PageTable]
    pictures: Sequence[Picture]
    explorer: Explorer | None
    report: DataReport
    remarks: Sequence[str]
    has_schedules: bool = True


def of_comparison(problem: Problem[Any], comparison: Comparison, told: Sequence[str]) -> PageContent:
    """Gather the page about policies on one workload."""
    shown = presented(problem, replace(comparison, classes=None, column=None))
    source = source_name(comparison.report)
    is_about_waits = problem.objective == "wait"
    question = (
        f"How long do the jobs wait in {source}?" if is_about_waits else f"Which policy suits {source} best?"
    )
    return _content(question, problem, comparison, told, shown)


def of_difference(problem: Problem[Any], comparison: Comparison, told: Sequence[str]) -> PageContent:
    """Gather the page about two option sets of one policy."""
    first, second = comparison.evaluations
    shown = presented_difference(replace(comparison, classes=None, column=None))
    question = f"What changes from {first.policy} to {second.policy} on {source_name(comparison.report)}?"
    found = _content(question, problem, comparison, told, shown)
    tables = [part for part in found.parts if not isinstance(part, str)]
    return replace(found, answers=answers_of_difference(problem, comparison), parts=tables)


def of_variants(problem: Problem[Any], found: VariantComparison, told: Sequence[str]) -> PageContent:
    """Gather the page about policies on variants of one workload."""
    shown = presented_variants(problem, found)
    varied = listed(list(found.variants[0].labels))
    report = found.comparisons[0].report
    pairs = zip(found.variants, found.comparisons, strict=True)
    base = next((each for variant, each in pairs if variant.is_recorded), found.comparisons[0])
    figure = variants_figure(found.variants, found.comparisons)
    pictures = (
        []
        if figure is None
        else [Picture("Waits from variant to variant", as_data_uri(figure, report.source), _ALT)]
    )
    return PageContent(
        question=f"What would other {varied} do to the jobs of {source_name(report)}?",
        answers=answers_of(shown),
        facts=facts_about(replace(problem, inst=base.inst), base),
        parts=_parts(shown, report),
        tables=[],
        pictures=pictures,
        explorer=None,
        report=report,
        remarks=_unique([*told, *shown.remarks]),
    )


_ALT = "The numbers are in the table above."


def _content(
    question: str,
    problem: Problem[Any],
    comparison: Comparison,
    told: Sequence[str],
    shown: Presentation,
) -> PageContent:
    report = comparison.report
    drawn = [(drawing, drawing.draw(comparison)) for drawing in problem.drawings]
    pictures = [
        Picture(drawing.title, as_data_uri(figure, report.source, drawing.least), _ALT)
        for drawing, figure in drawn
        if figure is not None
    ]
    explorer, tables = None, []
    if run_in_one_piece(comparison):
        explorer = Explorer.of(comparison.inst, plans_of(comparison), best_policy(shown))
        tables = class_tables(comparison)
    return PageContent(
        question=question,
        answers=answers_of(shown),
        facts=facts_about(problem, comparison),
        parts=_parts(shown, report),
        tables=[page_table(table, is_marked=False) for table in tables],
        pictures=pictures,
        explorer=explorer,
        report=report,
        remarks=_unique(
            [
                *told,
                *shown.remarks,
                *(
                    f"{found.policy}: {found.verdict}: {found.finding}"
                    for found in comparison.evaluations
                    if found.finding is not None
                ),
            ]
        ),
        has_schedules=any(
            found.schedule is not None and found.recorded is None for found in comparison.evaluations
        ),
    )


def _parts(shown: Presentation, report: DataReport) -> list[PageTable | str]:
    """What the command prints, without the notes that are among the answers already."""
    return [
        page_table(replace(part, title=_short(part.title, report), note=""))
        if isinstance(part, Table)
        else str(part)
        for part in shown.parts
        if part
    ]


def _short(title: str | None, report: DataReport) -> str | None:
    """A title that names the workload without its folders."""
    return None if title is None else title.replace(report.source, source_name(report))


def _unique(sentences: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(sentences))
