"""Policies on several variants of one workload, side by side; they run at the same time, as many as there are cores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from schedcore.errors import InvalidInstanceError
from schedcore.plotting.layout import save
from schedcore.problems.comparison import Steps
from schedcore.problems.drawings.variants import variants_figure
from schedcore.problems.evaluation import Comparison, Evaluation
from schedcore.problems.parallel_runs import Run, evaluate_all
from schedcore.problems.policy_choice import PolicyChoice
from schedcore.problems.presentation import Column, Presentation, Row, Table, quantity
from schedcore.problems.problem import Problem
from schedcore.problems.variants import CommonJobs, Variant
from schedcore.workloads.reading.report import DataReport
from schedcore.workloads.reading.report_warnings import written_share

if TYPE_CHECKING:
    from pathlib import Path

__all__ = [
    "VariantComparison",
    "called",
    "compare_variants",
    "draw_variants",
    "left_out_in_words",
    "presented_variants",
]


@dataclass(frozen=True)
class VariantComparison:
    """Comparisons of the same policies, one a variant.

    Attributes
    ----------
    policies : list of str
        In the order in which they were named.
    variants : list of Variant
    comparisons : list of Comparison
        In the same order. What really happened is part of the recorded one alone.
    common : CommonJobs
        What was left out so that all have the same jobs.
    """

    policies: Sequence[str]
    variants: Sequence[Variant]
    comparisons: Sequence[Comparison]
    common: CommonJobs

    @property
    def evaluations(self) -> list[Evaluation]:
        """All of them, each called by its policy and its variant."""
        return [
            replace(found, policy=called(found, variant))
            for variant, comparison in zip(self.variants, self.comparisons, strict=True)
            for found in comparison.evaluations
        ]

    def by_policy(self) -> list[tuple[Variant, Evaluation]]:
        """What came of each policy and variant: the variants of a policy together, in their order."""
        found = [
            (variant, evaluation)
            for variant, comparison in zip(self.variants, self.comparisons, strict=True)
            for evaluation in comparison.evaluations
        ]
        return [each for policy in self.policies for each in found if each[1].policy == policy]

    def rows(self) -> list[dict[str, Any]]:
        """A row a policy and variant, in that order."""
        return [
            {"policy": evaluation.policy, **variant.labels, **_size(variant), **evaluation.row()}
            for variant, evaluation in self.by_policy()
        ]


def called(found: Evaluation, variant: Variant) -> str:
    """The name of a policy on a variant."""
    return f"{found.policy} ({variant.words})"


def compare_variants(
    problems: Sequence[Problem[Any]],
    common: CommonJobs,
    report: DataReport,
    choices: Sequence[PolicyChoice],
    step: Steps,
    *,
    tau: float = 10.0,
    workers: int = 1,
) -> VariantComparison:
    """Run policies on all variants, and measure each against what is proven for its variant.

    Parameters
    ----------
    problems : sequence of Problem
        What the policies make of each variant.
    common : CommonJobs
        The variants.
    choices : sequence of PolicyChoice
        What really happened is measured on the recorded variant alone.
    workers : int
        How many policies run at the same time.
    """
    asked = [
        (number, choice)
        for number, variant in enumerate(common.variants)
        for choice in choices
        if (variant.is_recorded if choice.is_recorded else not variant.is_only_recorded)
    ]
    if not asked:
        raise InvalidInstanceError(
            "what really happened is not known of any of these variants; name a policy"
        )
    runs = [Run(problems[number], choice) for number, choice in asked]
    found = evaluate_all(runs, step, tau=tau, workers=workers)
    comparisons = []
    for number, variant in enumerate(common.variants):
        own = [each for (of, _), each in zip(asked, found, strict=True) if of == number]
        chosen = [choice for of, choice in asked if of == number]
        bounds, notes = problems[number].certify(chosen, own)
        comparisons.append(Comparison(variant.inst, report, own, bounds, notes, tau))
    policies = [choice.label for choice in choices]
    return VariantComparison(policies, common.variants, comparisons, common)


def presented_variants(problem: Problem[Any], found: VariantComparison) -> Presentation:
    """All variants in one table, each row called by its policy and its variant."""
    report, rows = found.comparisons[0].report, found.rows()
    labels = list(found.variants[0].labels)
    bounds = {
        name: any(each.bounds[name] for each in found.comparisons) for name in found.comparisons[0].bounds
    }
    columns = problem.comparison_columns(report, rows, bounds)
    columns[1:1] = [Column(name, name, is_text=True) for name in labels]
    about = report.to_dict() | {"n_jobs": found.variants[0].inst.n_jobs}
    document = {
        "workload": about,
        "left_out": {"n_jobs": found.common.n_left_out, "work": found.common.work_left_out},
        "variants": [
            {"labels": dict(variant.labels), **_size(variant), "lower_bounds": comparison.bounds}
            for variant, comparison in zip(found.variants, found.comparisons, strict=True)
        ],
        "policies": rows,
    }
    n_jobs = quantity(found.variants[0].inst.n_jobs, "job")
    title = f"{report.source}: {n_jobs} on {_sizes_in_words(found.variants)}"
    note = "\n".join(filter(None, (left_out_in_words(found.common), report.loss)))
    everything = [each for comparison in found.comparisons for each in comparison.evaluations]
    remarks = problem.remarks(everything, report)
    return Presentation(rows, document, (Table(rows, columns, title, note),), remarks)


def draw_variants(found: VariantComparison, path: Path) -> None:
    """Write the drawing of all variants, if there is something to show."""
    figure = variants_figure(found.variants, found.comparisons)
    if figure is not None:
        save(figure, path)


def left_out_in_words(common: CommonJobs) -> str:
    """The sentence on jobs that fit some variants only; empty if there are none."""
    if not common.n_left_out:
        return ""
    shares = ", ".join(f"{written_share(share)} of {name}" for name, share in common.work_left_out.items())
    more = f", without the work of {common.n_unmeasured:,} of them" if common.n_unmeasured else ""
    return f"{quantity(common.n_left_out, 'job')} left out of all variants, as they do not fit some ({shares}{more})"


def _size(variant: Variant) -> Row:
    return {"cluster_size": variant.size[0]}


def _sizes_in_words(variants: Sequence[Variant]) -> str:
    """The sizes of all clusters; of a sweep the first and the last."""
    points = [variant for variant in variants if variant.point is not None]
    if points and "machines" in points[0].labels:
        (first, counted), (last, _) = (points[end].size for end in (0, -1))
        return f"{first:,} to {last:,} {counted}"
    return ", ".join(dict.fromkeys(map(_size_in_words, variants)))


def _size_in_words(variant: Variant) -> str:
    size, counted = variant.size
    label = variant.labels.get("machines")
    written = f"{size:,} {counted}"
    return written if label in (None, str(size)) else f"{written} ({label})"
