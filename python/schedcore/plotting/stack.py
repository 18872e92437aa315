"""Panels of several policies below each other, on one horizontal axis; those that look alike share a panel.

A panel is named by its policies: ``pq = tetris`` are the same in every column of the drawing, ``easy ≈ fcfs`` differ
too little to be told apart (`schedcore.plotting.alike`). What does differ is drawn in a strip below, magnified.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from schedcore.plotting.alike import Alike, plot_differences
from schedcore.plotting.layout import name_panel, new_figure
from schedcore.plotting.style import legend_of_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_STRIP = 1.0  # inches
_LABELS = 0.9


@dataclass(frozen=True, eq=False)
class Difference:
    """How the panel of a policy differs from the one that is shown.

    Attributes
    ----------
    of : str
        What is compared, such as the resource that differs most; empty if there is but one thing.
    line : (n_columns,) float64
        The policy minus the one that is shown.
    """

    of: str
    line: NDArray[np.float64]


def stack_panels(
    groups: Sequence[Alike],
    draw: Callable[[Axes, str], None],
    difference: Callable[[str, str], Difference],
    *,
    edges: NDArray[np.float64],
    difference_label: str,
    size: tuple[float, float],
) -> Figure:
    """Make a figure with a panel for each group and strips with differences.

    Parameters
    ----------
    groups : sequence of Alike
        From `group_alike`; at least one.
    draw : callable
        Draws the panel of a policy with its labels; a legend of it is moved above all panels.
    difference : callable
        What a policy (the second) has otherwise than the one that is shown (the first).
    edges : (n_columns + 1,) float64
        Of the columns of differences, on the horizontal axis as it is drawn.
    difference_label : str
        Label of the vertical axis of strips.
    size : (float, float)
        Width of the figure and height of a panel, in inches.

    Returns
    -------
    matplotlib.figure.Figure
        All panels have the same vertical axis, if `draw` gives them the same.
    """
    strips = [_strip(group, difference) for group in groups]
    heights = []
    for strip in strips:
        heights += [size[1], *([_STRIP] if strip else [])]
    figure = new_figure(size[0], _LABELS + sum(heights))
    rows = figure.subplots(
        len(heights), 1, sharex=True, squeeze=False, gridspec_kw={"height_ratios": heights}
    )[:, 0]
    left = iter(rows)
    panels = []
    for group, strip in zip(groups, strips, strict=True):
        panel = next(left)
        draw(panel, group.shown)
        name_panel(panel, _title(group, strip))
        panels.append(panel)
        x_label = panel.get_xlabel()
        if strip:
            named = {
                f"{policy} \N{MINUS SIGN} {group.shown}{f' ({d.of})' if d.of else ''}": d.line
                for policy, d in strip.items()
            }
            plot_differences(named, edges, y_label=difference_label, ax=next(left))
    for row in rows:
        row.set_xlabel("")
    rows[-1].set_xlabel(x_label)
    legend_of_figure(figure, panels)
    return figure


def _strip(group: Alike, difference: Callable[[str, str], Difference]) -> dict[str, Difference]:
    """The members of a group that differ at all."""
    found = {policy: difference(group.shown, policy) for policy in group.others}
    return {policy: found[policy] for policy in group.others if found[policy].line.any()}


def _title(group: Alike, strip: dict[str, Difference]) -> str:
    same = [group.shown, *(policy for policy in group.others if policy not in strip)]
    return " \N{ALMOST EQUAL TO} ".join([" = ".join(same), *strip])
