"""The tables of docs/mris-evaluation.md, from the results of its experiments.

Run as a script with the results folders, it rewrites what stands between the marks of the page::

    python docs/evaluation_tables.py results/mris-figures results/mris-azure-v1 results/mris-undownsampled
"""

import re
import sys
from collections.abc import Mapping
from pathlib import Path

from schedcore.experiments import Results, open_results
from schedcore.experiments.report.tables import claims_table, markdown

PAGE = Path(__file__).parent / "mris-evaluation.md"
MARKED = re.compile(
    r"(?P<begin><!-- (?P<experiment>[\w-]+) (?P<figure>[\w-]+) (?P<what>table|job-set-1|claims|cost): begin -->\n)"
    r".*?(?P<end><!-- end -->)",
    re.DOTALL,
)


def page_with_tables(page: str, results: Mapping[str, Results]) -> str:
    """The page with what stands between marks of these experiments replaced."""

    def table(mark: re.Match[str]) -> str:
        if mark["experiment"] not in results:
            return mark[0]
        return f"{mark['begin']}{_content(results[mark['experiment']], mark['figure'], mark['what'])}\n{mark['end']}"

    return MARKED.sub(table, page)


def _content(results: Results, figure: str, what: str) -> str:
    if what == "claims":
        return markdown(claims_table(results.claims(figure)))
    if what == "cost":
        return _cost(results, figure)
    return markdown(results.table(figure, job_sets=(1,) if what == "job-set-1" else ()))


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


if __name__ == "__main__":
    opened = [open_results(folder) for folder in sys.argv[1:]]
    by_name = {result.experiment.name: result for result in opened}
    PAGE.write_text(page_with_tables(PAGE.read_text(encoding="utf-8"), by_name), encoding="utf-8")
