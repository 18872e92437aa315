"""How norms of flow times and unfinished work go on over time, side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

from schedcore.plotting import plot_curves
from schedcore.plotting.layout import new_figure
from schedcore.problems.evaluation import Comparison
from schedcore.problems.problem import Drawing
from schedcore.problems.slot_figures import curves_of
from schedcore.problems.time_units import slot_unit

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["CURVES_DRAWING"]

# Of each panel: what it shows, its axis, what no policy can beat, and what that is called.
_PANELS = (
    ("curve_l2_norm", "l2 norm of the flow times of complete jobs", "curve_l2_least", "no waiting"),
    ("curve_unfinished_volume", "work (core-slots)", "curve_offered_volume", "offered"),
)


def _draw_curves(comparison: Comparison) -> Figure | None:
    inst, drawn = comparison.inst, comparison.drawn
    if not drawn or not inst.n_jobs:
        return None
    kept = {policy: curves_of(inst, schedule) for policy, schedule in drawn.items()}
    first = next(iter(kept.values()))
    figure = new_figure(11.0, 4.4)
    time = f"time ({slot_unit(comparison.report).name})"
    for panel, (column, label, reference, name) in zip(figure.subplots(1, 2), _PANELS, strict=True):
        plot_curves(
            {policy: (curves["curve_time"], curves[column]) for policy, curves in kept.items()},
            also={name: (first["curve_time"], first[reference])}, x_label=time, y_label=label, ax=panel,
        )  # fmt: skip
    return figure


CURVES_DRAWING = Drawing(
    "curves.png", _draw_curves, "Flow times and work that is left, over time", least=(3.6, 2.6)
)
