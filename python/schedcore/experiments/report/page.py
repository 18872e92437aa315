"""The report of an experiment: one HTML page with figures, tables, expectations and provenance.

The page loads nothing: its style is part of it and its drawings are embedded, which a content security policy in the
page makes browsers enforce. The same results give the same bytes.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any

from schedcore.errors import InvalidInstanceError, SchedcoreError
from schedcore.experiments.description.document import to_document
from schedcore.experiments.description.figure import Figure
from schedcore.experiments.description.toml_text import to_toml
from schedcore.experiments.report.drawing import LEAST, drawn_figure
from schedcore.experiments.report.origin import policy_groups, run_facts, workload_groups
from schedcore.experiments.report.tables import FigureTable, claims_table, figure_table
from schedcore.experiments.results.claims import ClaimOutcome, measure_claim
from schedcore.experiments.results.figure_data import FigureData
from schedcore.experiments.results.outcomes import Outcomes
from schedcore.experiments.running.cells import cells_of_sweep
from schedcore.reporting.page_frame import render_page, write_page
from schedcore.reporting.pictures import as_data_uri

__all__ = ["write_report"]

_TEMPLATE = "page.html.jinja"
_MOST_FAILURES = 100  # rows of failed cells that are told one by one
NOT_RUN, REPORTED = "not run", "nothing expected"


@dataclass(frozen=True)
class ClaimLine:
    """A claim as a line of a table; `verdict` is one of VERDICTS, NOT_RUN or REPORTED."""

    text: str
    expected: str
    measured: str
    has_number: bool
    verdict: str


@dataclass(frozen=True)
class FigureSection:
    """What the page shows of a figure.

    `drawing` is a data URI, or empty with the reason in `note`. Rows of `table` from `first_reference` on are not
    measured values of policies: the lower bound and what was published.
    """

    anchor: str
    name: str
    figure: Figure
    drawing: str = ""
    alt: str = ""
    note: str = ""
    unfinished: str = ""
    job_sets: str = ""
    table: FigureTable | None = None
    first_reference: int = 0
    claims: Sequence[ClaimLine] = ()

    @property
    def title(self) -> str:
        return self.figure.title or self.name

    @property
    def heading(self) -> str:
        return f"{self.name}: {self.figure.title}" if self.figure.title else self.name


def write_report(outcomes: Outcomes, path: Path) -> Path:
    """Write the report and return its path; a page that stands there already is replaced in one step.

    Parameters
    ----------
    outcomes : Outcomes
        Also of a run that is not complete: what has not run is said to be missing.
    path : Path
        The HTML file; its folder is made if need be.

    Raises
    ------
    OSError
        If it cannot be written; an earlier page then stays as it was.
    ImportError
        Without jinja2, matplotlib or scipy (``schedcore[experiments]``).
    """
    page = _render(outcomes)
    path.parent.mkdir(parents=True, exist_ok=True)
    return write_page(path, page)


def _render(outcomes: Outcomes) -> str:
    experiment, rows, failures = outcomes.experiment, outcomes.rows, outcomes.failures
    figures = [
        _section(outcomes, name, f"figure-at-{number}") for number, name in enumerate(experiment.figures, 1)
    ]
    return render_page(
        "schedcore.experiments.report",
        _TEMPLATE,
        experiment=experiment,
        done=outcomes.n_cells - outcomes.n_missing,
        total=outcomes.n_cells,
        statuses=Counter(row["status"] for row in rows),
        facts=run_facts(rows),
        figures=figures,
        verdicts=Counter(claim.verdict for section in figures for claim in section.claims),
        failures=failures[:_MOST_FAILURES],
        n_failures=len(failures),
        left_out=outcomes.left_out,
        workloads=workload_groups(rows),
        policies=policy_groups(experiment, rows),
        sweeps=_sweeps(outcomes),
        files=[
            (source, PurePath(path).name, outcomes.file_hashes[source])
            for source, path in sorted(outcomes.files.items())
        ],
        description=to_toml(to_document(experiment)),
    )


def _section(outcomes: Outcomes, name: str, anchor: str) -> FigureSection:
    figure = outcomes.experiment.figures[name]
    try:
        data = outcomes.figure_data(name)
    except InvalidInstanceError as error:  # nothing to show yet
        claims = [ClaimOutcome(claim, None, None, "not run yet") for claim in figure.judged]
        return FigureSection(anchor, name, figure, note=f"{error}.", claims=_claim_lines(claims))
    large = outcomes.large_of(figure)
    table = figure_table(data, large)
    try:
        drawing, note = _svg(outcomes, data), ""
    except (SchedcoreError, OSError) as error:  # such as a workload file that has gone
        drawing, note = "", f"The figure cannot be drawn: {error}."
    return FigureSection(
        anchor,
        name,
        figure,
        drawing,
        _alternative_text(data),
        note,
        unfinished=_unfinished(data),
        job_sets=_job_sets_of_points(data),
        table=table,
        first_reference=len(data.series) if figure.panels is None else len(table.rows),
        claims=_claim_lines([measure_claim(claim, data, large) for claim in figure.judged]),
    )


def _svg(outcomes: Outcomes, data: FigureData) -> str:
    """Draw a figure and return it as a data URI."""
    return as_data_uri(drawn_figure(outcomes, data.name, titled=False), outcomes.experiment.name, LEAST)


def _alternative_text(data: FigureData) -> str:
    figure = data.figure
    what = figure.y_label or figure.y
    shown = {
        "lines": f"Lines of the mean {what} against {figure.x_label or figure.x}",
        "groups": f"Groups of bars of the mean {what}, for each {figure.x_label or figure.x}",
        "bars": f"Bars of the mean {what}",
        "boxes": f"Boxes that show how {what} is distributed over the instances",
        "delays": "Distribution of the queuing delays of jobs",
        "packing": "Usage of the first resource over time, one panel below another",
        "curves": f"Curves of the mean {what} over {'time' if figure.y.startswith('curve') else 'the amount'}",
        "by_size": f"Lines of the mean {what} against the processing times of jobs",
    }[figure.kind]
    return f"{shown}, for {', '.join(data.series)}. The table below has the numbers."


def _unfinished(data: FigureData) -> str:
    total = sum(len(point.cells) for points in data.series.values() for point in points)
    return f"{data.missing:,} of the {total:,} cells of this figure have no outcome." if data.missing else ""


def _job_sets_of_points(data: FigureData) -> str:
    sizes = {len(point.values) for points in data.series.values() for point in points if point.values}
    return f"{min(sizes)} to {max(sizes)}" if len(sizes) > 1 else str(max(sizes))


def _claim_lines(outcomes: Sequence[ClaimOutcome]) -> list[ClaimLine]:
    lines = []
    for outcome, (text, expected, measured, _) in zip(outcomes, claims_table(outcomes).rows, strict=True):
        verdict = outcome.verdict or (NOT_RUN if outcome.claim.expects else REPORTED)
        lines.append(ClaimLine(text, expected, measured, outcome.measured is not None, verdict))
    return lines


def _sweeps(outcomes: Outcomes) -> list[Mapping[str, Any]]:
    experiment = outcomes.experiment
    return [
        {
            "name": name,
            "workloads": sweep.workloads,
            "policies": sweep.policies,
            "parameters": sweep.parameters,
            "job_sets": _numbers(experiment.job_sets_of(sweep)),
            "cells": len({member.cell.key for member in cells_of_sweep(experiment, sweep)}),
        }
        for name, sweep in experiment.sweeps.items()
    ]


def _numbers(numbers: Sequence[int]) -> str:
    """``1 to 10`` where they are consecutive, else a list."""
    is_run = len(numbers) > 2 and list(numbers) == list(range(numbers[0], numbers[-1] + 1))
    return f"{numbers[0]} to {numbers[-1]}" if is_run else ", ".join(map(str, numbers))
