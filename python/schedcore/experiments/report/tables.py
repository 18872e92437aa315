"""The table behind a figure: means, 95 % bands and what a paper shows.

A row a policy and a column a point; of a figure with panels, which has many points, a row a point, a column a policy;
of boxes a row a box; of curves a row a line, a column a place.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schedcore.experiments.description.claim import Claim
from schedcore.experiments.results.claims import ClaimOutcome
from schedcore.experiments.results.figure_data import FigureData, Point
from schedcore.experiments.results.statistics import Estimate, estimate, share_within
from schedcore.model.real_numbers import finite_or_none
from schedcore.plotting import Box

__all__ = ["FigureTable", "claims_table", "figure_table", "long_rows", "markdown", "written"]

#: Delays, in the unit of the figure, of which a table of delays shows the share of jobs.
_DELAYS = (0, 1, 3, 10, 30)
_DECIMALS_OF_GAINS = 1
_SPREAD = {"p5": "5 %", "p25": "25 %", "p50": "median", "p75": "75 %", "p95": "95 %", "max": "largest"}
_MOST_PLACES = 12
_SMALLEST_P = 0.001  # smaller ones are written with an exponent


@dataclass(frozen=True, slots=True)
class FigureTable:
    """Texts: the heading of the first column and of the others, and the rows."""

    header: Sequence[str]
    rows: Sequence[Sequence[str]]


def figure_table(
    data: FigureData, large: Mapping[str, Mapping[str, Any]], job_sets: Sequence[int] = ()
) -> FigureTable:
    """Return the table of a figure; `large` holds the columns by cell key that it shows and that are kept on demand.

    `job_sets` adds rows with the values of single job sets.
    """
    if data.figure.kind == "delays":
        return _delay_table(data, large, job_sets)
    if data.figure.kind == "boxes":
        return _box_table(data)
    if data.figure.kind == "curves":
        return _curve_table(data, job_sets)
    if data.figure.panels is not None:
        return _panel_table(data, job_sets)
    points = _shown(data, next(iter(data.series.values())))
    header = ["policy", *(_heading(data, point) for point in points)]
    decimals = _decimals(data)
    rows = []
    for policy, every in data.series.items():
        series = _shown(data, every)
        rows.append([policy, *(written(point.estimate, decimals) for point in series)])
        for job_set in job_sets:
            own = (_single(point, job_set) for point in series)
            rows.append([f"{policy}, job set {job_set}", *own])
    bound = {(point.panel, point.x): bound for point, bound in data.lower_bound()}
    if bound:
        at_points = (bound.get((point.panel, point.x)) for point in points)
        rows.append(["lower bound", *("-" if value is None else written(value) for value in at_points)])
    for policy, values in data.figure.published.items():
        at = dict(zip(data.figure.published_x, values, strict=True))
        rows.append([f"{policy} (published)", *(f"{at[p.x]:g}" if p.x in at else "-" for p in points)])
    return FigureTable(header, rows)


def _panel_table(data: FigureData, job_sets: Sequence[int]) -> FigureTable:
    bound = {(point.panel, point.x): bound for point, bound in data.lower_bound()}
    reference = ["lower bound"] if bound else []
    rows = []
    for points in zip(*(_shown(data, series) for series in data.series.values()), strict=True):
        panel, x = str(points[0].panel), _value(points[0].x)
        best = bound.get((points[0].panel, points[0].x))
        means = (written(point.estimate, _decimals(data)) for point in points)
        rows.append([panel, x, *means, *("-" if best is None else written(best) for _ in reference)])
        for job_set in job_sets:
            own = (_single(point, job_set) for point in points)
            rows.append([panel, f"{x}, job set {job_set}", *own, *("-" for _ in reference)])
    return FigureTable([data.figure.panel_name, str(data.figure.x_name), *data.series, *reference], rows)


def _box_table(data: FigureData) -> FigureTable:
    """A row a box; single job sets have none."""
    rows = []
    for panel in data.panels:
        for policy, (point,) in data.of_panel(panel).series.items():
            label = policy if data.figure.panels is None else f"{data.figure.panel_heading(panel)}: {policy}"
            numbers = map(_number, _spread(point).values()) if point.values else ["-" for _ in _SPREAD]
            rows.append([label, f"{len(point.values):,}", written(point.estimate), *numbers])
    return FigureTable(["policy", "instances", f"mean {data.y_label}", *_SPREAD.values()], rows)


def _shown(data: FigureData, points: Sequence[Point]) -> list[Point]:
    """All points, by size those of classes that have jobs."""
    is_by_size = data.figure.kind == "by_size"
    return [point for point in points if not (is_by_size and data.is_empty(point.panel, point.x))]


def _curve_table(data: FigureData, job_sets: Sequence[int]) -> FigureTable:
    """A row a line, a column a place; the places are round numbers, and the last one where all lines have ended."""
    ends = [curve.x[-1] for line in data.series.values() for p in line for curve in p.curves.values()]
    places = _round_places(max(ends, default=0.0))
    rows = []
    for panel in data.panels:
        for line, (point,) in data.of_panel(panel).series.items():
            label = line if data.figure.panels is None else f"{data.figure.panel_heading(panel)}: {line}"
            numbers = np.array([curve.at(places) for curve in point.curves.values()]).reshape(-1, len(places))
            rows.append([label, *(written(estimate(column)) for column in numbers.T.tolist())])
            for job_set in job_sets:
                curve = point.curves.get(job_set)
                own = ["-" for _ in places] if curve is None else map(_number, curve.at(places).tolist())
                rows.append([f"{label}, job set {job_set}", *own])
    return FigureTable([data.y_label, *(f"at {place:,.6g}" for place in places)], rows)


def _round_places(end: float) -> NDArray[np.float64]:
    """Multiples of 1, 2 or 5 times a power of ten, at most twelve of them, and the end."""
    size = 10.0 ** math.floor(math.log10(max(end, 1.0)))
    step = next(step for step in (size / 5, size / 2, size) if end / step <= _MOST_PLACES)
    return np.unique([*np.arange(step, end, step), end])


def _spread(point: Point) -> dict[str, float]:
    """What a box shows beside the mean, in the order of `_SPREAD`."""
    box = Box.of(list(point.values.values()))
    (first, third), (low, high) = box.quartiles, box.whiskers
    return dict(zip(_SPREAD, (low, first, box.median, third, high, box.largest), strict=True))


def claims_table(outcomes: Sequence[ClaimOutcome]) -> FigureTable:
    """Return what was expected beside what was measured."""
    rows = []
    for outcome in outcomes:
        number = "" if outcome.measured is None else _measured(outcome.claim, outcome.measured)
        measured = f"{number} ({outcome.remark})" if number and outcome.remark else number or outcome.remark
        rows.append([outcome.claim.text, _expected(outcome.claim), measured, outcome.verdict or "-"])
    return FigureTable(["claim", "expected", "measured", "verdict"], rows)


def _expected(claim: Claim) -> str:
    if claim.published is not None:
        return _bound(claim.published)
    if claim.more_than is not None:
        return f"direction: above {_bound(claim.more_than)}"
    if claim.less_than is not None:
        return f"direction: below {_bound(claim.less_than)}"
    return "-" if claim.between is None else _range(*claim.between)


def _measured(claim: Claim, value: Estimate) -> str:
    is_tiny = claim.quantity == "p_value" and value.mean < _SMALLEST_P
    return f"{value.mean:.1e}" if is_tiny else written(value)


def long_rows(data: FigureData) -> list[dict[str, Any]]:
    """Return one row for every policy, panel and x: numbers, for programs."""
    bounds = {(point.panel, point.x): bound.mean for point, bound in data.lower_bound()}
    published = {
        (policy, x): value
        for policy, values in data.figure.published.items()
        for x, value in zip(data.figure.published_x, values, strict=True)
    }
    rows = []
    for policy, points in data.series.items():
        for point in _shown(data, points):
            row = {
                "figure": data.name,
                "policy": policy,
                "baseline": data.figure.baseline,
                "panel": point.panel,
                "parameter": data.figure.x_name,
                "x": point.x,
                "place": point.place,
            }
            value = point.estimate
            unit = data.figure.unit if data.figure.baseline is None else "%"
            row |= {"metric": data.figure.y, "unit": unit, "mean": finite_or_none(value.mean)}
            row |= {
                "half_width": finite_or_none(value.half_width),
                "job_sets": value.n,
                "lower_bound": bounds.get((point.panel, point.x)),
            }
            if data.figure.kind == "boxes" and point.values:
                row |= _spread(point)
            rows.append(row | {"published": published.get((policy, point.x))})
    return rows


def markdown(table: FigureTable) -> str:
    """Write a table in Markdown; bars and line ends within a cell do not break it."""
    lines = [table.header, ["---", *("---:" for _ in table.header[1:])], *table.rows]
    cells = ([" ".join(cell.split()).replace("|", "\\|") for cell in line] for line in lines)
    return "\n".join(f"| {' | '.join(line)} |" for line in cells)


def written(value: Estimate, decimals: int | None = None) -> str:
    """A mean with its band, by default with as many decimals as make sense: ``20.50 ± 0.31``; a dash without values."""
    if value.n == 0:
        return "-"
    if decimals is None:
        decimals = _sensible_decimals(value.mean)
    text = f"{value.mean:,.{decimals}f}"
    return text if math.isnan(value.half_width) else f"{text} ± {value.half_width:,.{decimals}f}"


def _number(value: float) -> str:
    return f"{value:,.{_sensible_decimals(value)}f}"


def _sensible_decimals(value: float) -> int:
    size = abs(value)
    return 0 if size >= 10_000 else 1 if size >= 1000 else 2 if size >= 10 else 3


def _delay_table(
    data: FigureData, large: Mapping[str, Mapping[str, Any]], job_sets: Sequence[int]
) -> FigureTable:
    unit = f" ({data.figure.unit})" if data.figure.unit else ""
    header = [
        f"share of jobs by delay{unit}",
        *("0" if limit == 0 else f"at most {limit}" for limit in _DELAYS),
    ]
    rows = []
    for policy in data.series:
        quantiles = data.delay_quantiles(policy, large)
        chosen = {f"{policy}, job set {s}": [quantiles[s]] for s in job_sets if s in quantiles}
        for label, delays in {policy: list(quantiles.values()), **chosen}.items():
            shares = (share_within(delays, limit * data.figure.scale) for limit in _DELAYS)
            rows.append([label, *(written(share) for share in shares)])
    return FigureTable(header, rows)


def _heading(data: FigureData, point: Point) -> str:
    return data.y_label if data.figure.x_name is None else data.figure.x_heading(point.x)


def _value(x: Any) -> str:
    return f"{x:,}" if isinstance(x, int) else str(x)


def _single(point: Point, job_set: int) -> str:
    value = point.values.get(job_set)
    return "-" if value is None else f"{value:,.3f}"


def _decimals(data: FigureData) -> int | None:
    return None if data.figure.baseline is None else _DECIMALS_OF_GAINS


def _range(low: float, high: float) -> str:
    if low == high:
        return _bound(low)
    if math.isinf(high):
        return "any" if math.isinf(low) else f"at least {_bound(low)}"
    return f"at most {_bound(high)}" if math.isinf(low) else f"{_bound(low)} to {_bound(high)}"


def _bound(end: float) -> str:
    return f"{end:,g}" if abs(end) < 10_000 else f"{end:,.0f}"
