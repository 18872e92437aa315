"""The tables and drawings of docs/synchpack-evaluation.md, from the results of its experiments.

Run as a script with the results folders, it rewrites what stands between the marks of the page, and draws the figures
that it embeds::

    python docs/synchpack_tables.py results/synchpack-evaluation results/synchpack-google
"""

import sys
from pathlib import Path

from marked_tables import Tables, rewrite

from schedcore.experiments import Results
from schedcore.experiments.report.tables import claims_table, markdown

PAGE = Path(__file__).parent / "synchpack-evaluation.md"


def growth(results: Results, _: str = "") -> str:
    """The claims of the figures over traffic that show gains over one policy each."""
    figures = results.experiment.figures
    outcomes = [
        outcome for name, figure in figures.items() if figure.baseline for outcome in results.claims(name)
    ]
    return markdown(claims_table(outcomes))


TABLES: Tables = {"growth": growth}

if __name__ == "__main__":
    rewrite(PAGE, sys.argv[1:], TABLES)
