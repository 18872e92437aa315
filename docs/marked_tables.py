"""Pages whose tables and drawings are made by commands: what stands between two marks is written anew from results.

A mark names the experiment, a part of it (a figure or a sweep; some tables need none) and the kind of table::

    <!-- mris-figures figure-3 claims: begin -->
    <!-- end -->

Where a table sets experiments side by side, all are named: ``mris-figures+mris-heavy``.

Every page has a script beside it that says which kinds it knows, such as ``evaluation_tables.py``. All know those of
`OF_EXPERIMENTS`. A script is run with the folders of results; tables of other experiments stay as they are. Figures and
claims are those that the experiments have today. Figures that the page embeds are drawn by `embedded_drawings`.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from embedded_drawings import draw_embedded

from schedcore.experiments import ClaimOutcome, Results, load, open_results
from schedcore.experiments.report.tables import FigureTable, claims_table, markdown
from schedcore.experiments.results.claims import VERDICTS

__all__ = [
    "MARKED",
    "OF_EXPERIMENTS",
    "Tables",
    "opened",
    "page_with_tables",
    "rewrite",
    "table_of_claims",
    "verdicts",
]

MARKED = re.compile(
    r"(?P<begin><!-- (?P<experiments>[\w+-]+) (?:(?P<part>[\w-]+) )?(?P<what>[\w-]+): begin -->\n)"
    r".*?(?P<end><!-- end -->)",
    re.DOTALL,
)
#: Kind of a table -> what writes it from the results of each experiment and the part that the mark names.
Tables = Mapping[str, Callable[..., str]]


def verdicts(results: Results, figures: Iterable[str]) -> FigureTable:
    """How many claims of each figure agree, differ or cannot hold; figures without an expectation are left out."""
    rows = []
    for name in figures:
        counts = Counter(outcome.verdict for outcome in results.claims(name) if outcome.claim.expects)
        if counts:
            title = results.experiment.figures[name].title
            rows.append([name, title, *(str(counts[verdict]) for verdict in VERDICTS)])
    total = (str(sum(int(row[column]) for row in rows)) for column in range(2, 2 + len(VERDICTS)))
    rows.append(["all", "", *total])
    return FigureTable(["figure", "shows", *VERDICTS], rows)


def table_of_claims(outcomes: Sequence[ClaimOutcome]) -> FigureTable:
    """The claims of a figure, those that say the same of several x in one row; and why, where a claim tells.

    A claim that is repeated ends with a comma and its x, which heads a column here.
    """
    places = list(dict.fromkeys(x for outcome in outcomes for x in outcome.claim.at))
    cells: dict[tuple[str, str], dict[object, str]] = {}
    reasons: dict[tuple[str, str], list[str]] = {}
    for outcome, (text, expected, measured, verdict) in zip(
        outcomes, claims_table(outcomes).rows, strict=True
    ):
        key = text.rpartition(", ")[0], expected
        number = measured.partition(" (by the lower bound")[0]
        cell = number if verdict == "-" else f"{number}: {verdict}"
        cells.setdefault(key, {})[outcome.claim.at[-1]] = cell
        reasons.setdefault(key, [])
        if outcome.claim.why and outcome.claim.why not in reasons[key]:
            reasons[key].append(outcome.claim.why)
    header = ["claim", "expected", *map(str, places)]
    rows = [[*key, *(own.get(x, "-") for x in places)] for key, own in cells.items()]
    if any(reasons.values()):
        header = [*header, "why"]
        rows = [[*row, " ".join(reasons[row[0], row[1]])] for row in rows]
    return FigureTable(header, rows)


OF_EXPERIMENTS: Tables = {
    "table": lambda results, figure: markdown(results.table(figure)),
    "claims": lambda results, figure: markdown(claims_table(results.claims(figure))),
    "claims-by-x": lambda results, figure: markdown(table_of_claims(results.claims(figure))),
    "verdicts": lambda results, _: markdown(verdicts(results, results.experiment.figures)),
}


def page_with_tables(page: str, results: Mapping[str, Any], tables: Tables) -> str:
    """Return the page with what stands between marks of these experiments replaced.

    Raises
    ------
    KeyError
        For a kind of table that is not known.
    """
    known = {**OF_EXPERIMENTS, **tables}

    def table(mark: re.Match[str]) -> str:
        names = mark["experiments"].split("+")
        if not results.keys() >= set(names):
            return mark[0]
        text = known[mark["what"]](*(results[name] for name in names), mark["part"] or "")
        return f"{mark['begin']}{text}\n{mark['end']}"

    return MARKED.sub(table, page)


def opened(folder: str) -> Results:
    """Open the results of an experiment that comes with the library, with the figures that it has today."""
    return open_results(folder, load(open_results(folder).experiment.name))


def rewrite(page: Path, folders: Sequence[str], tables: Tables) -> None:
    """Write the tables of a page from results folders, and draw the figures that it embeds."""
    by_name = {results.experiment.name: results for results in map(opened, folders)}
    text = page_with_tables(page.read_text(encoding="utf-8"), by_name, tables)
    page.write_text(text, encoding="utf-8")
    draw_embedded(text, by_name)
