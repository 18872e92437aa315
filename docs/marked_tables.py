"""Pages whose tables are made by commands: what stands between two marks is written anew from results.

A mark names the experiment, a part of it (a figure or a sweep; some tables need none) and the kind of table::

    <!-- mris-figures figure-3 claims: begin -->
    <!-- end -->

Every page has a script beside it that says which kinds it knows, such as ``evaluation_tables.py``. All know those of
`OF_FIGURES`. A script is run with the folders of results; tables of other experiments stay as they are.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from schedcore.experiments import Results, open_results
from schedcore.experiments.report.tables import claims_table, markdown

__all__ = ["MARKED", "OF_FIGURES", "Tables", "page_with_tables", "rewrite"]

MARKED = re.compile(
    r"(?P<begin><!-- (?P<experiment>[\w-]+) (?:(?P<part>[\w-]+) )?(?P<what>[\w-]+): begin -->\n)"
    r".*?(?P<end><!-- end -->)",
    re.DOTALL,
)
#: Kind of a table -> what writes it from results and the part that the mark names.
Tables = Mapping[str, Callable[[Results, str], str]]

OF_FIGURES: Tables = {
    "table": lambda results, figure: markdown(results.table(figure)),
    "claims": lambda results, figure: markdown(claims_table(results.claims(figure))),
}


def page_with_tables(page: str, results: Mapping[str, Results], tables: Tables) -> str:
    """Return the page with what stands between marks of these experiments replaced.

    Raises
    ------
    KeyError
        For a kind of table that is not known.
    """
    known = {**OF_FIGURES, **tables}

    def table(mark: re.Match[str]) -> str:
        if mark["experiment"] not in results:
            return mark[0]
        text = known[mark["what"]](results[mark["experiment"]], mark["part"] or "")
        return f"{mark['begin']}{text}\n{mark['end']}"

    return MARKED.sub(table, page)


def rewrite(page: Path, folders: Sequence[str], tables: Tables) -> None:
    """Write the tables of a page from results folders."""
    opened = [open_results(folder) for folder in folders]
    by_name = {results.experiment.name: results for results in opened}
    page.write_text(page_with_tables(page.read_text(encoding="utf-8"), by_name, tables), encoding="utf-8")
