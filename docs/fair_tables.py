"""The tables and drawings of docs/fair-sharing.md, from the results of its experiment.

Run as a script with the results folder, it rewrites what stands between the marks of the page, and the drawings that it
shows, in ``docs/images``::

    python docs/fair_tables.py results/fair-sharing

The text of a claim of this experiment is ``what is compared; family, load``.
"""

import sys
from pathlib import Path

from marked_tables import Tables, rewrite

from schedcore.experiments import Results
from schedcore.experiments.report.tables import FigureTable, markdown, written

PAGE = Path(__file__).parent / "fair-sharing.md"


def compared_table(results: Results, figure: str) -> str:
    """The claims of a figure: a row for each of what is compared, a column for each family."""
    rows: dict[str, dict[str, str]] = {}
    for outcome in results.claims(figure):
        what, _, where = outcome.claim.text.partition("; ")
        rows.setdefault(what, {})[where] = (
            outcome.remark if outcome.measured is None else written(outcome.measured)
        )
    places = dict.fromkeys(where for cells in rows.values() for where in cells)
    table = [[what, *(cells.get(where, "-") for where in places)] for what, cells in rows.items()]
    return markdown(FigureTable(["", *places], table))


TABLES: Tables = {"compared": compared_table}

if __name__ == "__main__":
    rewrite(PAGE, sys.argv[1:], TABLES)
