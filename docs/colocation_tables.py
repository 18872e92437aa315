"""The tables of docs/colocation-evaluation.md, from the results of its experiments.

Run as a script with the results folders, it rewrites what stands between the marks of the page::

    python docs/colocation_tables.py results/colocation-grid results/colocation-requests

A mark names the experiment and the table: ``<!-- colocation-grid means-small: begin -->`` up to ``<!-- end -->``.
Published means are those of section 7.2 of Pascual and Rzadca, TPDS 2019; they and the reference means, which another
implementation found, stand in the claims of the figures.
"""

import math
import statistics
import sys
from collections.abc import Iterator
from pathlib import Path

from marked_tables import Tables, rewrite, verdicts

from schedcore.experiments import Claim, Estimate, Results
from schedcore.experiments.report.tables import FigureTable, markdown, written
from schedcore.experiments.results.claims import measure_claim

PAGE = Path(__file__).parent / "colocation-evaluation.md"
CLASSES = ("compatible", "mixed", "incompatible", "clashing")
#: Index of a class in the parameter ``cls``.
NUMBER = {"compatible": 0, "incompatible": 1, "clashing": 2, "mixed": 3}
MORE_MACHINES = "-more-machines"


def means_table(results: Results, size: str) -> FigureTable:
    """Published and measured means of every policy and class; of small instances also those with m > T."""
    populations = ["all", "m > T"] if size == "small" else ["all"]
    rows = []
    for figure, cls in figures(size):
        columns = [_estimates(results, figure + suffix) for suffix in ("", MORE_MACHINES)[: len(populations)]]
        printed = {
            claim.policies[0]: claim.published
            for claim in results.experiment.figures[figure].claims
            if claim.quantity == "value"
        }
        for policy in columns[0]:
            published = printed.get(policy)
            measured = (f"{written(column[policy])} ({column[policy].n:,})" for column in columns)
            rows.append([cls, policy, "-" if published is None else f"{published:.2f}", *measured])
    return FigureTable(["class", "policy", "published", *populations], rows)


def reference_table(results: Results) -> FigureTable:
    """Measured means of the first repetitions, and the printed ones in brackets."""
    rows = []
    for cls in CLASSES:
        names = [
            f"reference-small-{cls}", f"reference-small-{cls}{MORE_MACHINES}", f"reference-large-{cls}"
        ]  # fmt: skip
        columns = [_estimates(results, name) for name in names]
        printed = [
            {
                claim.policies[0]: claim.text.rpartition(": ")[2]
                for claim in results.experiment.figures[name].claims
            }
            for name in names
        ]
        for policy in columns[0]:
            cells = (
                f"{column[policy].mean:.3f} ({texts.get(policy, '-')})"
                for column, texts in zip(columns, printed, strict=True)
            )
            rows.append([cls, policy, *cells])
    return FigureTable(["class", "policy", "small", "small, m > T", "large"], rows)


def tests_table(results: Results) -> FigureTable:
    """The paired t-tests of every figure: mean difference and p-value, of small instances also with m > T."""
    rows = []
    for size in ("small", "large"):
        for figure, cls in figures(size):
            for claim in results.experiment.figures[figure].claims:
                if claim.quantity != "p_value":
                    continue
                cells = [
                    cell for suffix in ("", MORE_MACHINES) for cell in _test(results, figure + suffix, claim)
                ]
                rows.append([size, cls, " - ".join(claim.policies), *cells])
    return FigureTable(
        ["size", "class", "policies", "difference", "p", "difference, m > T", "p, m > T"], rows
    )


def beyond_table(results: Results) -> FigureTable:
    """What is not in the paper: mean, 95th percentile and largest value of every class."""
    rows = []
    policies = _policies(results, "beyond-small")
    for size in ("small", "large"):
        data = results.figure_data(f"beyond-{size}")
        for cls in CLASSES:
            points = (data.point(policy, None, NUMBER[cls]) for policy in policies)
            rows.append([size, cls, *(_spread(list(point.values.values())) for point in points)])
    return FigureTable(["size", "class", *policies], rows)


def _spread(values: list[float]) -> str:
    if not values:
        return "-"
    high = statistics.quantiles(values, n=20, method="inclusive")[-1]
    return f"{statistics.fmean(values):.4f} ({high:.4f}, {max(values):.4f}) of {len(values):,}"


def figures(size: str) -> Iterator[tuple[str, str]]:
    """Name and class of the panels of figure 1."""
    letters = "abcd" if size == "small" else "efgh"
    return ((f"figure-1{letter}", cls) for letter, cls in zip(letters, CLASSES, strict=True))


def _policies(results: Results, figure: str) -> list[str]:
    return list(results.figure_data(figure).series)


def _estimates(results: Results, figure: str) -> dict[str, Estimate]:
    return {policy: point.estimate for policy, (point,) in results.figure_data(figure).series.items()}


def _test(results: Results, figure: str, claim: Claim) -> tuple[str, str]:
    """Mean difference and p-value of the policies of a claim in a figure; dashes where there is no such figure."""
    if figure not in results.experiment.figures:
        return "-", "-"
    data = results.figure_data(figure)
    difference, test = (
        measure_claim(Claim("", quantity, claim.policies), data, {}).measured
        for quantity in ("difference", "p_value")
    )
    if difference is None or test is None:
        return "-", "-"
    return written(difference), _probability(test.mean)


def _probability(p: float) -> str:
    if math.isnan(p):
        return "-"
    return "< 0.0001" if p < 1e-4 else f"{p:.4f}"


def panels(results: Results) -> list[str]:
    """Figure 1, without what is not in the paper."""
    return [
        figure + suffix
        for size in ("small", "large")
        for figure, _ in figures(size)
        for suffix in ("", MORE_MACHINES)
        if figure + suffix in results.experiment.figures
    ]


TABLES: Tables = {
    "verdicts": lambda results, _: markdown(verdicts(results, panels(results))),
    "means-small": lambda results, _: markdown(means_table(results, "small")),
    "means-large": lambda results, _: markdown(means_table(results, "large")),
    "reference": lambda results, _: markdown(reference_table(results)),
    "tests": lambda results, _: markdown(tests_table(results)),
    "beyond": lambda results, _: markdown(beyond_table(results)),
}

if __name__ == "__main__":
    rewrite(PAGE, sys.argv[1:], TABLES)
