"""Waits of policies on several variants of a workload: a line a policy, over a sweep or from variant to variant."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from schedcore.plotting import MeanSeries, plot_means
from schedcore.plotting.layout import new_figure
from schedcore.problems.evaluation import Comparison
from schedcore.problems.time_units import unit_of
from schedcore.problems.variants import Variant

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["draw_variants_into", "variants_figure"]

_WIDTH, _HEIGHT = 6.6, 6.6  # inches
_PANELS = {"avg_wait": "mean wait", "wait_p95": "95 % of the jobs wait at most"}
_FAR = 4.0  # times the median: beyond that a mark at the edge tells a value, and the others can be read


def variants_figure(variants: Sequence[Variant], comparisons: Sequence[Comparison]) -> Figure | None:
    """Return the figure; None where no policy has a schedule."""
    figure = new_figure(_WIDTH, _HEIGHT)
    drawn = draw_variants_into(variants, comparisons, figure.subplots(2, 1))
    return figure if drawn else None


def draw_variants_into(
    variants: Sequence[Variant], comparisons: Sequence[Comparison], panels: Iterable[Axes]
) -> bool:
    """Draw mean waits into the first panel and late ones into the second, if there is one; False without a schedule."""
    values = {name: _values(comparisons, name) for name in _PANELS}
    if not any(values.values()):
        return False
    known = np.concatenate([column for columns in values.values() for column in columns.values()])
    waited = known[np.isfinite(known) & (known > 0)]
    unit = unit_of(comparisons[0].report, float(np.median(waited)) if len(waited) else 1.0)
    is_sweep = any(variant.point is not None for variant in variants)
    places = np.array(
        [_place(variant) for variant in variants] if is_sweep else range(len(variants)), dtype=np.float64
    )
    for panel, (name, words) in zip(panels, _PANELS.items(), strict=False):
        lines = {policy: _line(places, column / unit.length) for policy, column in values[name].items()}
        plot_means(
            lines, x_label=_x_label(variants) if is_sweep else "", y_label=f"{words} ({unit.name})", log_x=False,
            y_range=(0.0, _top(lines.values())), ax=panel,
        )  # fmt: skip
        if not is_sweep:
            panel.set_xticks(places, [_short(variant) for variant in variants])
    return True


def _values(comparisons: Sequence[Comparison], name: str) -> dict[str, NDArray[np.float64]]:
    """Policy -> its value in each variant, NaN where it has none."""
    found: dict[str, NDArray[np.float64]] = {}
    for place, comparison in enumerate(comparisons):
        for evaluation in comparison.evaluations:
            if evaluation.figures:
                column = found.setdefault(evaluation.policy, np.full(len(comparisons), np.nan))
                column[place] = evaluation.figures[name]
    return found


def _place(variant: Variant) -> float:
    """Where a variant stands in a sweep; what really happened stands at its machines, or at factor 1."""
    if variant.point is not None:
        return variant.point
    return float(variant.size[0]) if "machines" in variant.labels else 1.0


def _line(places: NDArray[np.float64], column: NDArray[np.float64]) -> MeanSeries:
    known = np.isfinite(column)
    nothing = np.full(int(known.sum()), np.nan)
    return MeanSeries(places[known], column[known], nothing, nothing)


def _top(lines: Iterable[MeanSeries]) -> float:
    """Where the vertical axis ends: a few values far beyond the others do not squeeze these."""
    known = np.concatenate([line.mean for line in lines])
    far = _FAR * float(np.median(known))
    near = known[known <= far] if far > 0 else known
    return 1.08 * float(near.max(initial=0.0)) or 1.0


def _x_label(variants: Sequence[Variant]) -> str:
    (name,) = variants[0].labels
    return variants[0].size[1] if name == "machines" else f"{name} (factor)"


def _short(variant: Variant) -> str:
    if variant.is_recorded:
        return "as recorded"
    return "\n".join(
        label if name == "machines" else f"{name} {label}" for name, label in variant.labels.items()
    )
