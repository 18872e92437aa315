"""The numbers behind a figure: for every policy and x the values of the job sets, and their mean and band.

A figure with a baseline shows gains: each value is compared with that of the baseline on the same instance. A figure
of boxes has one point a policy and panel, with the values of all combinations of parameters and job sets. Figures of
kept columns take them from `large`, the columns that results read on demand: curves have one point a line and panel,
with the values at their ends, and figures by size one a class of sizes.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from schedcore.experiments.description.experiment import Experiment
from schedcore.experiments.description.figure import Figure
from schedcore.experiments.description.figure_kinds import PLACE_OF, STEPPED
from schedcore.experiments.results.averages import averaged, by_combination
from schedcore.experiments.results.curves import Curve
from schedcore.experiments.results.statistics import Estimate, estimate
from schedcore.experiments.running.cells import Cell, SweepCell, cells_of_sweep

__all__ = ["FigureData", "Point", "figure_data", "gains"]

#: Columns that differ from the objective "weighted_completion_time" by a factor and a constant of the instance.
_AVERAGES = ("weighted_average_completion_time", "weighted_average_delay")
#: Columns that no schedule can make smaller, whatever the objective: values over a proven bound, and above it.
_OVER_BOUND = {"ratio": 1.0, "l2_ratio": 1.0, "gap": 0.0}
#: Column -> the objective that it is.
_OBJECTIVE_OF = {"avg_response": "average_response_time"}

Rows = Mapping[Hashable, Mapping[str, Any]]  # by what tells the values of a point apart


@dataclass(frozen=True)
class Point:
    """One policy at one x of one panel.

    Attributes
    ----------
    panel : object
        Value of the figure's `panels`; None without them.
    x : object
        Value of the figure's parameter; None without one.
    place : float or None
        Where it stands on the x axis.
    values, bounds : dict of hashable to float
        Job set -> `y` in the unit of the figure, or its gain in percent, and what no schedule can do better where that
        is proven: a lower bound on `y`, or the largest gain. Of boxes, the key is the combination of parameters with
        the job set: equal keys of two policies are the same instance.
    parts : dict of hashable to dict of hashable to float
        Of a figure that averages over parameters: combination of them -> job set -> the value there.
    curves : dict of hashable to Curve
        Job set -> the whole curve; of other kinds none.
    cells : tuple of Cell
        All of them; some may have no row yet.
    """

    panel: Any
    x: Any
    place: float | None
    values: Mapping[Hashable, float]
    bounds: Mapping[Hashable, float]
    cells: tuple[Cell, ...]
    curves: Mapping[Hashable, Curve] = field(default_factory=dict)
    parts: Mapping[Hashable, Mapping[Hashable, float]] = field(default_factory=dict)

    @property
    def estimate(self) -> Estimate:
        return estimate(list(self.values.values()))


@dataclass(frozen=True)
class FigureData:
    """The points of every policy that a figure shows, in the order of the panels and within them of x.

    Attributes
    ----------
    name : str
    figure : Figure
    series : dict of str to list of Point
    missing : int
        Cells without an outcome: not run yet, or failed, as is one whose baseline has.
    """

    name: str
    figure: Figure
    series: Mapping[str, Sequence[Point]]
    missing: int

    @property
    def y_label(self) -> str:
        """Name of what is shown, with its unit."""
        name = "AWCT" if self.figure.y == "awct" else self.figure.y.replace("_", " ")
        name = name.removeprefix("curve ").removeprefix("size ")
        if self.figure.baseline is not None:
            name = f"gain over {self.figure.baseline} in {name} (%)"
        return self.figure.y_label or (f"{name} ({self.figure.unit})" if self.figure.unit else name)

    @property
    def panels(self) -> list[Any]:
        """The values that tell the panels apart; [None] without panels."""
        return list(dict.fromkeys(point.panel for point in next(iter(self.series.values()))))

    def point(self, policy: str, x: Any, panel: Any = None) -> Point:
        return next(point for point in self.series[policy] if point.x == x and point.panel == panel)

    def is_empty(self, panel: Any, x: Any) -> bool:
        """Whether no line has a value there, as in classes of sizes that no job has."""
        return not any(self.point(line, x, panel).values for line in self.series)

    def of_panel(self, panel: Any) -> FigureData:
        """What one panel shows."""
        series = {
            policy: [point for point in points if point.panel == panel]
            for policy, points in self.series.items()
        }
        return replace(self, series=series)

    def delay_quantiles(self, policy: str, large: Mapping[str, Mapping[str, Any]]) -> dict[int, Any]:
        """Job set -> the delay quantiles of a policy, from the rows' large columns by cell key."""
        cells = self.series[policy][0].cells
        known = {cell.job_set: large[cell.key]["delay_quantiles"] for cell in cells if cell.key in large}
        return {job_set: delays for job_set, delays in known.items() if delays is not None and len(delays)}

    def lower_bound(self) -> list[tuple[Point, Estimate]]:
        """The proven lower bound, where the figure shows it, at every x where a row has one."""
        if not self.figure.lower_bound:
            return []
        points = next(iter(self.series.values()))
        bounds = ((point, self.bounds_at(point.x, point.panel)) for point in points)
        return [(point, estimate(list(best.values()))) for point, best in bounds if best]

    def bounds_at(self, x: Any, panel: Any = None) -> dict[Hashable, float]:
        """Job set -> what no schedule can do better: the best bound that was proven with any policy there."""
        best_of = min if self.figure.baseline is not None else max
        best: dict[Hashable, float] = {}
        for policy in self.series:
            for job_set, bound in self.point(policy, x, panel).bounds.items():
                best[job_set] = best_of(bound, best.get(job_set, bound))
        return best


def figure_data(
    experiment: Experiment,
    name: str,
    rows: Mapping[str, Mapping[str, Any]],
    large: Mapping[str, Mapping[str, Any]] | None = None,
    left_out: Collection[str] = (),
) -> FigureData:
    """Gather what a figure shows from rows, and of kept columns from `large`, both by cell key.

    Cells that are left out are not missing, and a line of nothing else is not shown.
    """
    figure = experiment.figures[name]
    sweep = experiment.sweeps[figure.sweep]
    panels = figure.panel_values(sweep)
    cells: dict[tuple[str, Any, Any], dict[Hashable, Cell]] = {}
    for member in cells_of_sweep(experiment, figure.shown_part(sweep)):
        panel = figure.panel_of(member.workload, member.point)
        x = figure.x_of(member.workload, member.point)
        here = cells.setdefault((member.policy, panel, x), {})
        if member.cell.key not in left_out:
            here[_replicate(figure, member)] = member.cell
    shown = {policy for (policy, _, _), here in cells.items() if here}
    series: dict[str, list[Point]] = {}
    missing = 0
    for line, (policy, column) in figure.lines(sweep).items():
        if shown and policy not in shown:
            continue
        series[line] = []
        for panel, x in itertools.product(panels, figure.x_values(sweep)):
            x_of_cells = None if figure.kind == "by_size" else x
            here = cells.get((policy, panel, x_of_cells), {})
            base = cells.get((figure.baseline or "", panel, x_of_cells), {})
            known = _rows_of(here, rows)
            if figure.baseline is not None:
                known = {key: row for key, row in known.items() if key in base and base[key].key in rows}
            place = _place(figure, x, known)
            if figure.kind in ("curves", "by_size"):
                point = _kept_point(figure, column, panel, x, here, large or {})
            else:
                values, bounds = _column(known, figure.y, figure), _bounds(known, figure)
                if figure.baseline is not None:
                    base_values = _column(_rows_of(base, rows), figure.y, figure)
                    values, bounds = gains(values, base_values), gains(bounds, base_values)
                parts = by_combination(values) if figure.average_over else {}
                if figure.average_over:
                    values, bounds = averaged(values, here), averaged(bounds, here)
                point = Point(panel, x, place, values, bounds, tuple(here.values()), parts=parts)
            missing += len(here) - len(known) if line == policy else 0
            series[line].append(point)
    if figure.kind == "by_size":  # each cell was counted in every class
        missing //= len(figure.x_values(sweep))
    return FigureData(name, figure, series, missing)


def _rows_of(cells: Mapping[Hashable, Cell], rows: Mapping[str, Mapping[str, Any]]) -> Rows:
    return {replicate: rows[cell.key] for replicate, cell in cells.items() if cell.key in rows}


def _kept_point(
    figure: Figure,
    column: str,
    panel: Any,
    x: Any,
    cells: Mapping[Hashable, Cell],
    large: Mapping[str, Mapping[str, Any]],
) -> Point:
    """The curve of each job set with the value at its end, or the value of the class of sizes that begins at `x`."""
    curves = {}
    for replicate, cell in cells.items():
        kept = large.get(cell.key, {}).get(column)
        if kept is not None and len(kept):
            places = large[cell.key][PLACE_OF[column]]
            curves[replicate] = Curve(places, kept, column in STEPPED)
    if figure.kind == "curves":
        values = {replicate: float(curve.y[-1]) for replicate, curve in curves.items()}
        return Point(panel, x, None, values, {}, tuple(cells.values()), curves)
    values = {
        replicate: float(curve.y[index])
        for replicate, curve in curves.items()
        for index in np.flatnonzero(curve.x == x)
    }
    return Point(panel, x, float(x), values, {}, tuple(cells.values()))


def _replicate(figure: Figure, member: SweepCell) -> Hashable:
    """What tells the values of a point apart."""
    job_set = member.cell.job_set
    if figure.kind == "boxes":
        return (*member.point.values(), job_set)
    averaged = tuple(member.point[name] for name in figure.average_over)
    return (averaged, job_set) if figure.average_over else job_set


def gains(values: Mapping[Hashable, float], baseline: Mapping[Hashable, float]) -> dict[Hashable, float]:
    """By how many percent of the baseline's value each value is smaller."""
    return {
        replicate: 100 * (baseline[replicate] - value) / baseline[replicate]
        for replicate, value in values.items()
        if baseline.get(replicate)
    }


def _place(figure: Figure, x: Any, rows: Rows) -> float | None:
    if figure.x_column is None:
        return float(x) if isinstance(x, (int, float)) else None
    places = [float(row[figure.x_column]) for row in rows.values() if row[figure.x_column] is not None]
    return estimate(places).mean if places else None


def _column(rows: Rows, name: str, figure: Figure) -> dict[Hashable, float]:
    return {
        replicate: float(row[name]) / figure.scale for replicate, row in rows.items() if row[name] is not None
    }


def _bounds(rows: Rows, figure: Figure) -> dict[Hashable, float]:
    found = {replicate: _bound(row, figure.y) for replicate, row in rows.items()}
    return {replicate: bound / figure.scale for replicate, bound in found.items() if bound is not None}


def _bound(row: Mapping[str, Any], y: str) -> float | None:
    """The proven lower bound on `y`, where `y` is the objective or changes as it does; else None."""
    if y in _OVER_BOUND:
        return _OVER_BOUND[y]
    bound = row["lower_bound"]
    if bound is None or row["objective"] == _OBJECTIVE_OF.get(y, y):
        return None if bound is None else float(bound)
    average = row.get("weighted_average_completion_time")
    if y not in _AVERAGES or average is None or row[y] is None or not row["value"]:
        return None
    return float(bound * (average / row["value"]) - (average - row[y]))
