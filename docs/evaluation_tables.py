"""The tables of docs/mris-evaluation.md, from the results of its experiments.

Run as a script with the results folders, it rewrites what stands between the marks of the page::

    python docs/evaluation_tables.py results/mris-figures results/mris-heavy results/mris-azure-v1
"""

import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from marked_tables import Tables, rewrite

from schedcore.experiments import ClaimOutcome, Results
from schedcore.experiments.report.tables import FigureTable, claims_table, markdown, written
from schedcore.experiments.results.claims import VERDICTS
from schedcore.experiments.results.statistics import estimate

PAGE = Path(__file__).parent / "mris-evaluation.md"
#: What the columns of an experiment are called.
CALLED = {"mris-figures": "`azure_like`", "mris-heavy": "`azure_heavy`", "mris-azure-v1": "trace of 2017"}
# What `azure_heavy` was fitted to: AWCT of these policies in this figure, on these job sets.
FITTED_FIGURE, FITTED_POLICIES, FITTED_JOB_SETS = "figure-3", ("MRIS", "PQ"), (1, 2, 3)

#: Figures on a workload of their own, which another experiment has, too.
ELSEWHERE = {("mris-heavy", "figure-7")}
#: Figure -> the claims that the page opens with.
HEADLINE = {
    "figure-1": ["SDF over WSJF with 64,000 jobs", "ERF over WSJF with 64,000 jobs"],
    "figure-2": ["Greedy over exact with 64,000 jobs"],
    "figure-3": [
        "TETRIS over PQ with 64,000 jobs",
        "BF-EXEC over PQ with 64,000 jobs",
        "MRIS over PQ with 8,000 jobs",
        "MRIS overtakes PQ at so many jobs",
        "PQ over MRIS with 256,000 jobs",
        "CA-PQ over PQ with 256,000 jobs",
    ],
    "figure-4": ["MRIS over TETRIS on 5 machines", "PQ over MRIS on 40 machines"],
    "figure-5": ["PQ: share without delay", "MRIS: share within 1 day", "MRIS: share within 20 days"],
    "figure-6": [
        "Growth of MRIS from 4 to 20 resources",
        "Growth of TETRIS from 4 to 20 resources",
        "MRIS over PQ with 20 resources",
    ],
    "figure-7": ["MRIS over PQ: nearly a third"],
}


def claims(several: Sequence[Results], figure: str) -> str:
    """A row a claim, by its text; a column an experiment, with the verdict before the number."""
    own = [{outcome.claim.text: outcome for outcome in stated(results, figure)} for results in several]
    rows = []
    for text in dict.fromkeys(text for outcomes in own for text in outcomes):
        expected = next(claims_table([outcomes[text]]).rows[0][1] for outcomes in own if text in outcomes)
        cells = (verdict(outcomes[text]) if text in outcomes else "-" for outcomes in own)
        rows.append([text, expected.removeprefix("direction: "), *cells])
    return markdown(FigureTable(["claim", "published", *map(called, several)], rows))


def headline(several: Sequence[Results]) -> str:
    """The claims that say what the paper is about."""
    tables = [claims(several, figure).splitlines() for figure in HEADLINE]
    wanted = [f"| {text} |" for texts in HEADLINE.values() for text in texts]
    chosen = [line for table in tables for line in table[2:] if line.startswith(tuple(wanted))]
    return "\n".join([*tables[0][:2], *chosen])


def stated(results: Results, figure: str) -> list[ClaimOutcome]:
    """The outcomes of the claims of a figure without its published values, which have tables; none without it."""
    if not has(results, figure):
        return []
    return results.claims(figure)[: len(results.experiment.figures[figure].claims)]


def has(results: Results, figure: str) -> bool:
    return figure in results.experiment.figures and (results.experiment.name, figure) not in ELSEWHERE


def verdict(outcome: ClaimOutcome) -> str:
    """``differs: 1.376 ± 0.041``."""
    measured = claims_table([outcome]).rows[0][2]
    return f"{outcome.verdict}: {measured}" if outcome.verdict else measured


def called(results: Results) -> str:
    return CALLED[results.experiment.name]


def values(results: Results, figure: str) -> str:
    """The table of a figure; published values with their verdicts."""
    table = results.table(figure)
    description = results.experiment.figures[figure]
    found = {
        (f"{outcome.claim.policies[0]} (published)", description.x_heading(outcome.claim.at[0])): outcome
        for outcome in results.claims(figure)[len(description.claims) :]
    }

    def cell(row: Sequence[str], column: int) -> str:
        outcome = found.get((row[0], table.header[column]))
        return row[column] if outcome is None else f"{row[column]}: {outcome.verdict}"

    rows = [[row[0], *(cell(row, column) for column in range(1, len(row)))] for row in table.rows]
    return markdown(FigureTable(table.header, rows))


def job_set_1(results: Results, figure: str) -> str:
    """The table of a figure with the values of the first job set alone."""
    table = results.table(figure, job_sets=(1,))
    own = ", job set 1"
    rows = [[row[0].removesuffix(own), *row[1:]] for row in table.rows if row[0].endswith(own)]
    return markdown(FigureTable(table.header, rows))


def verdicts(several: Sequence[Results]) -> str:
    """How many numbers agree, differ and cannot hold: a row a figure, a column an experiment."""
    shown = [name for name in several[0].experiment.figures if name.startswith("figure-")]
    header = ["numbers of the paper that agree / differ / cannot hold", *map(called, several)]
    rows, totals = [], [Counter[str]() for _ in several]
    for name in shown:
        row = [name.replace("-", " ")]
        for results, total in zip(several, totals, strict=True):
            counts = counted(results, name, was_fitted=False)
            total += counts
            row.append(written_counts(counts))
        rows.append(row)
    rows.append(["all", *map(written_counts, totals)])
    of_fit = (
        sum((counted(results, name, was_fitted=True) for name in shown), Counter()) for results in several
    )
    rows.append(["beside these, what the fit has seen", *map(written_counts, of_fit)])
    return markdown(FigureTable(header, rows))


def counted(results: Results, figure: str, *, was_fitted: bool) -> Counter[str]:
    """Verdict -> number of claims, of those that the fit has seen or of the others."""
    if not has(results, figure):
        return Counter()
    return Counter(
        outcome.verdict
        for outcome in results.claims(figure)
        if outcome.verdict and is_fitted(results, figure, outcome) == was_fitted
    )


def is_fitted(results: Results, figure: str, outcome: ClaimOutcome) -> bool:
    """Whether a claim is of AWCT alone that `azure_heavy` was fitted to, in whatever figure it stands."""
    claim = outcome.claim
    if results.experiment.name != "mris-heavy" or claim.quantity == "share":
        return False
    fitted = results.figure_data(FITTED_FIGURE)
    known = {
        cell.key for policy in FITTED_POLICIES for point in fitted.series[policy] for cell in point.cells
    }
    data = results.figure_data(figure)
    x_values = claim.at or [point.x for point in data.series[claim.policies[0]]]
    pairs = (
        zip(claim.policies, x_values, strict=True)
        if claim.at
        else ((policy, x) for policy in claim.policies for x in x_values)
    )
    return all(cell.key in known for policy, x in pairs for cell in data.point(policy, x, None).cells)


def written_counts(counts: Mapping[str, int]) -> str:
    """``12 / 3 / 1``, and a dash for nothing."""
    return " / ".join(str(counts.get(one, 0)) for one in VERDICTS) if sum(counts.values()) else "-"


def fit(results: Results, figure: str) -> str:
    """What `azure_heavy` was fitted to: published, on the job sets of the fit, and on the others."""
    data = results.figure_data(figure)
    header = [
        "policy, jobs",
        "published",
        "job sets 1 to 3",
        "of published",
        "job sets 4 to 10",
        "of published",
    ]
    rows = []
    for policy in FITTED_POLICIES:
        for x, published in zip(data.figure.published_x, data.figure.published[policy], strict=True):
            point = data.point(policy, x, None)
            parts = [
                [value for job_set, value in point.values.items() if (job_set in FITTED_JOB_SETS) == is_seen]
                for is_seen in (True, False)
            ]
            cells = ((written(estimate(part)), f"{estimate(part).mean / published:.3f}") for part in parts)
            rows.append([f"{policy}, {x:,}", f"{published:g}", *(cell for pair in cells for cell in pair)])
    return markdown(FigureTable(header, rows))


def cost(results: Results, sweep: str) -> str:
    """Time and memory of the cells of a sweep, a row a cell."""
    header = ["policy", "machines", "AWCT (days)", "above bound", "wall time of the policy", "peak memory"]
    rows = []
    for row in results.sweep(sweep).to_dict("records"):
        days, gap = row["awct"] / 86_400, 100 * row["gap"]
        time, memory = row["solve_seconds"], row["peak_memory_bytes"] / 1e9
        measured = [f"{days:,.2f}", f"{gap:.1f} %", f"{time:.1f} s", f"{memory:.2f} GB"]
        rows.append([row["policy"], f"{row['n_machines']:,}", *measured])
    return markdown(FigureTable(header, rows))


TABLES: Tables = {
    "claims": lambda *several_and_figure: claims(several_and_figure[:-1], several_and_figure[-1]),
    "headline": lambda *several_and_part: headline(several_and_part[:-1]),
    "verdicts": lambda *several_and_part: verdicts(several_and_part[:-1]),
    "table": values,
    "job-set-1": job_set_1,
    "fit": fit,
    "cost": cost,
}

if __name__ == "__main__":
    rewrite(PAGE, sys.argv[1:], TABLES)
