"""The tables of docs/mris-evaluation.md, from the results of its experiments.

Run as a script with the results folders, it rewrites what stands between the marks of the page::

    python docs/evaluation_tables.py results/mris-figures results/mris-azure-v1 results/mris-undownsampled
"""

import sys
from pathlib import Path

from marked_tables import Tables, rewrite

from schedcore.experiments import Results
from schedcore.experiments.report.tables import markdown

PAGE = Path(__file__).parent / "mris-evaluation.md"


def _cost(results: Results, sweep: str) -> str:
    """Time and memory of the cells of a sweep, a row a cell."""
    lines = ["| policy | machines | AWCT (days) | above bound | wall time of the policy | peak memory |"]
    lines.append("| --- | ---: | ---: | ---: | ---: | ---: |")
    for row in results.sweep(sweep).to_dict("records"):
        days, gap = row["awct"] / 86_400, 100 * row["gap"]
        time, memory = row["solve_seconds"], row["peak_memory_bytes"] / 1e9
        lines.append(
            f"| {row['policy']} | {row['n_machines']:,} | {days:,.2f} | {gap:.1f} % | {time:.1f} s | {memory:.2f} GB |"
        )
    return "\n".join(lines)


TABLES: Tables = {
    "job-set-1": lambda results, figure: markdown(results.table(figure, job_sets=(1,))),
    "cost": _cost,
}

if __name__ == "__main__":
    rewrite(PAGE, sys.argv[1:], TABLES)
