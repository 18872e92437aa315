"""The figures of an experiment, drawn from its results by the functions of `schedcore.plotting`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from schedcore.experiments.report.figure_texts import label, time_unit, wrapped
from schedcore.experiments.report.packing_panels import draw_packing
from schedcore.experiments.results.curves import mean_curve
from schedcore.experiments.results.figure_data import FigureData, Point
from schedcore.experiments.results.outcomes import Outcomes
from schedcore.experiments.results.statistics import Estimate, mean_quantiles
from schedcore.model.whole_file import write_whole
from schedcore.plotting import (
    MeanSeries,
    TimeUnit,
    plot_awct_bars,
    plot_boxes,
    plot_curves,
    plot_delay_quantiles,
    plot_groups,
    plot_means,
)
from schedcore.plotting.layout import name_panel, new_figure
from schedcore.plotting.style import axes_or_new, legend_above
from schedcore.reporting.pictures import encoded

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as MatplotlibFigure

__all__ = ["FORMATS", "LEAST", "draw_figure", "drawn_figure", "save_figures"]

FORMATS = ("png", "svg")
LEAST = (1.4, 0.8)  # inches, of a panel
_LETTERS_AN_INCH = 11.0  # of a title
_LETTERS_OF_AN_AXIS = 36
_LEAST_OF = {"ratio": 1.0, "gap": 0.0}  # columns that say how far a value is above its proven bound


def draw_figure(outcomes: Outcomes, name: str, ax: Axes | None = None) -> Axes:
    """Draw the figure `name` into `ax`, by default a new one with the figure's title."""
    data = outcomes.figure_data(name)
    if ax is None:
        ax = axes_or_new(None, *_figure_size(data))
        _set_title(ax.figure, data)
    draw = {
        "lines": lambda: _draw_panels(data, ax, _draw_means),
        "groups": lambda: _draw_panels(data, ax, _draw_groups),
        "bars": lambda: _draw_bars(data, ax),
        "boxes": lambda: _draw_panels(data, ax, _draw_boxes),
        "delays": lambda: _draw_delays(outcomes, data, ax),
        "packing": lambda: draw_packing(outcomes, data, ax),
        "curves": lambda: _draw_panels(data, ax, _draw_curves),
        "by_size": lambda: _draw_panels(data, ax, _draw_sizes),
    }
    draw[data.figure.kind]()
    return ax


def _figure_size(data: FigureData) -> tuple[float, float]:
    """Width and height in inches that suit a figure."""
    n_series = len(data.series)
    heights = {
        "lines": 4.4, "groups": 4.4, "bars": 1.25 + 0.42 * n_series, "boxes": 4.2, "delays": 4.2,
        "packing": 0.6 + 1.75 * n_series, "curves": 4.4, "by_size": 4.4,
    }  # fmt: skip
    width_of_panel = 4.2 if data.figure.kind == "by_size" else 2.9
    width = 6.6 if data.figure.panels is None else 0.6 + width_of_panel * len(data.panels)
    return width, heights[data.figure.kind]


def _set_title(drawing: Any, data: FigureData) -> None:
    title = label(data.figure.title or data.name)
    letters = int(_LETTERS_AN_INCH * drawing.get_figwidth())
    drawing.suptitle(wrapped(title, letters), x=0.01, ha="left", fontsize="medium", fontweight="bold")


def drawn_figure(outcomes: Outcomes, name: str, *, titled: bool) -> MatplotlibFigure:
    """Draw a figure; a page that has the title in a heading wants none in the drawing."""
    data = outcomes.figure_data(name)
    figure = new_figure(*_figure_size(data))
    if titled:
        _set_title(figure, data)
    draw_figure(outcomes, name, figure.subplots())
    return figure


def save_figures(outcomes: Outcomes, folder: Path, names: Iterable[str]) -> list[Path]:
    """Write figures with their titles as PNG and SVG, each file whole; return the paths."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for name in names:
        figure = drawn_figure(outcomes, name, titled=True)
        for suffix, content in encoded(figure, FORMATS, outcomes.experiment.name, LEAST).items():
            paths.append(folder / f"{name}.{suffix}")
            write_whole(paths[-1], content)
    return paths


def _draw_panels(data: FigureData, ax: Axes, draw: Callable[[FigureData, Axes], None]) -> None:
    """One drawing, or one a panel side by side on the same vertical axis, with one legend."""
    if data.figure.panels is None:
        draw(data, ax)
        return
    ax.set_axis_off()
    share = 1 / len(data.panels)
    panels = [
        ax.inset_axes(((column + 0.06) * share, 0.0, 0.94 * share, 0.93))
        for column in range(len(data.panels))
    ]
    for panel, value in zip(panels, data.panels, strict=True):
        draw(data.of_panel(value), panel)
        name_panel(panel, label(data.figure.panel_heading(value)))
        legend = panel.get_legend()
        if legend is not None:
            legend.remove()
    ends = [panel.get_ylim() for panel in panels]
    for panel in panels:
        panel.set_ylim(min(bottom for bottom, _ in ends), max(top for _, top in ends))
        if panel is not panels[0]:
            panel.set_ylabel("")
            panel.tick_params(labelleft=False)
    legend_above(ax, panels)


def _draw_means(data: FigureData, ax: Axes) -> None:
    figure = data.figure
    series = {policy: _mean_series(data, points) for policy, points in data.series.items()}
    bound = _columns([(point.place, estimate) for point, estimate in data.lower_bound()])
    plot_means(
        {label(policy): means for policy, means in series.items() if len(means.x) or figure.panels},
        x_label=figure.x_label or figure.x_name or "", y_label=wrapped(data.y_label, _LETTERS_OF_AN_AXIS),
        log_x=figure.log_x, lower_bound=MeanSeries(*bound.T) if len(bound) else None,
        y_range=(figure.y_range[0], figure.y_range[1]) if figure.y_range else None,
        zero=None if figure.baseline is None else label(f"{figure.baseline} (baseline)"), ax=ax,
    )  # fmt: skip


def _draw_sizes(data: FigureData, ax: Axes) -> None:
    """Lines over the classes of sizes, of which there are many."""
    _draw_means(data, ax)
    ax.tick_params(axis="x", labelsize="small")


def _mean_series(data: FigureData, points: Sequence[Point]) -> MeanSeries:
    """The line of a policy; gains, and lines by size, show the single job sets, whose bands would cover each other."""
    shown = [point for point in points if point.values]
    x, mean, low, high = _columns([(point.place, point.estimate) for point in shown]).T
    if data.figure.baseline is None and data.figure.kind != "by_size":
        return MeanSeries(x, mean, low, high)
    single = np.full((len(shown), max((len(point.values) for point in shown), default=0)), np.nan)
    for row, point in zip(single, shown, strict=True):
        row[: len(point.values)] = list(point.values.values())
    return MeanSeries(x, mean, low, high, single)


def _columns(points: list[tuple[float | None, Estimate]]) -> NDArray[np.float64]:
    """A row a point: its place, the mean, and both ends of the band."""
    return np.array([(x, e.mean, e.low, e.high) for x, e in points], dtype=np.float64).reshape(-1, 4)


def _draw_curves(data: FigureData, ax: Axes) -> None:
    figure = data.figure
    shown = {line: list(points[0].curves.values()) for line, points in data.series.items()}
    means = {line: mean_curve(curves) for line, curves in shown.items() if curves}
    is_stepped = any(curve.is_stepped for curves in shown.values() for curve in curves)
    plot_curves(
        {label(line): mean for line, mean in means.items() if line not in figure.also},
        also={label(line): mean for line, mean in means.items() if line in figure.also},
        x_label=figure.x_label or ("amount" if is_stepped else "time"),
        y_label=wrapped(data.y_label, _LETTERS_OF_AN_AXIS), log_x=figure.log_x, is_stepped=is_stepped, ax=ax,
    )  # fmt: skip


def _draw_boxes(data: FigureData, ax: Axes) -> None:
    plot_boxes(
        {label(policy): list(points[0].values.values()) for policy, points in data.series.items()},
        y_label=wrapped(data.y_label, _LETTERS_OF_AN_AXIS),
        lower_bound=_LEAST_OF.get(data.figure.y),
        ax=ax,
    )


def _draw_groups(data: FigureData, ax: Axes) -> None:
    """A bar a policy for each x; policies that run nowhere in a panel leave no gap there."""
    figure = data.figure
    shown = {
        policy: points for policy, points in data.series.items() if any(point.values for point in points)
    }
    x_values = [point.x for point in next(iter(data.series.values()))]
    bound = {point.x: estimate.mean for point, estimate in data.lower_bound()}
    plot_groups(
        [label(str(x)) for x in x_values],
        {label(policy): [point.estimate.mean for point in points] for policy, points in shown.items()},
        half_width={
            label(policy): [point.estimate.half_width for point in points] for policy, points in shown.items()
        },
        lower_bound=[bound.get(x, np.nan) for x in x_values],
        looks=[index for index, policy in enumerate(data.series) if policy in shown],
        x_label=figure.x_label or figure.x or "", y_label=wrapped(data.y_label, _LETTERS_OF_AN_AXIS), ax=ax,
    )  # fmt: skip


def _draw_bars(data: FigureData, ax: Axes) -> None:
    estimates = {
        label(policy): points[0].estimate for policy, points in data.series.items() if points[0].values
    }
    bounds = data.lower_bound()
    plot_awct_bars(
        {policy: estimate.mean for policy, estimate in estimates.items()},
        bounds[0][1].mean if bounds else None,
        half_width={policy: estimate.half_width for policy, estimate in estimates.items()},
        unit=TimeUnit(data.figure.unit or "", 1.0), ax=ax,
    )  # fmt: skip
    ax.set_xlabel(data.y_label)


def _draw_delays(outcomes: Outcomes, data: FigureData, ax: Axes) -> None:
    large = outcomes.large_of(data.figure)
    quantiles = {}
    for policy in data.series:
        of_job_sets = list(data.delay_quantiles(policy, large).values())
        if of_job_sets:
            quantiles[label(policy)] = mean_quantiles(of_job_sets)
    plot_delay_quantiles(quantiles, unit=time_unit(data), ax=ax)
