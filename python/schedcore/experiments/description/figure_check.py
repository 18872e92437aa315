"""Whether a figure can be drawn: what belongs together, and what the sweep has for it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from schedcore.errors import InvalidInstanceError
from schedcore.experiments.description.claim import check_shown
from schedcore.experiments.description.conditions import check_conditions
from schedcore.experiments.description.figure_kinds import (
    KINDS,
    OVER_X,
    PLACE_OF,
    UNITS,
    WITH_PANELS,
    WORKLOAD,
    known_y,
    needed_keep,
)
from schedcore.experiments.description.figure_types import check_types
from schedcore.experiments.description.plain_values import check_count, check_known, is_number
from schedcore.experiments.results.schema import NUMBERS

if TYPE_CHECKING:
    from schedcore.experiments.description.experiment import Sweep
    from schedcore.experiments.description.figure import Figure

__all__ = ["check_figure"]


def check_figure(place: str, figure: Figure, sweep: Sweep, job_sets: Sequence[int]) -> None:
    """Raise an `InvalidInstanceError` that says what cannot be drawn at `place`; the sweep has these job sets."""
    check_types(place, figure)
    check_known(place, "kind", figure.kind, KINDS)
    check_known(place, "y", figure.y, known_y(figure.kind))
    if figure.unit is not None and figure.unit_length is None:
        check_known(place, "unit", figure.unit, UNITS)
    if figure.unit_length is not None and not (figure.unit and figure.unit_length > 0):
        raise InvalidInstanceError(
            f"{place}: unit_length = {figure.unit_length!r} must be positive, with a unit"
        )
    if figure.x_column is not None:
        check_known(place, "x_column", figure.x_column, NUMBERS)
    if (figure.kind in OVER_X) != (figure.x is not None):
        raise InvalidInstanceError(
            f"{place}: a figure of kind {figure.kind!r} has {'an' if figure.x is None else 'no'} x"
        )
    for name in figure.where:
        check_known(place, "parameter", name, sweep.parameters)
    if figure.x is not None:
        known = [*sweep.parameters, *([WORKLOAD] if figure.kind == "groups" else [])]
        check_known(place, "parameter", figure.x, known)
    check_conditions(place, "without", figure.without, sweep.parameters)
    for job_set in () if figure.job_sets is None else figure.job_sets:
        check_count(place, "job set", job_set, 0)
        if job_set not in job_sets:
            raise InvalidInstanceError(f"{place}: job set {job_set} is not among those of the sweep")
    _check_lines(place, figure, sweep)
    _check_kept(place, figure, sweep)
    _check_panels(place, figure, sweep)
    if figure.workload is not None:
        check_known(place, "workload", figure.workload, sweep.workloads)
    elif len(sweep.workloads) > 1 and WORKLOAD not in (figure.panels, figure.x):
        raise InvalidInstanceError(f"{place}: which workload of {list(sweep.workloads)} is shown?")
    for name in (*figure.shown_policies(sweep), *figure.published):
        check_known(place, "policy", name, sweep.policies)
    x_values = _checked_x_values(place, figure, sweep)
    check_shown(f"{place}, published_x", figure, figure.published_x, x_values)
    for label, values in figure.published.items():
        if len(values) != len(figure.published_x):
            raise InvalidInstanceError(
                f"{place}: {len(values)} published values of {label!r} at {len(figure.published_x)} values of x"
            )
    for claim in figure.claims:
        claim.check(place, figure, list(figure.lines(sweep)), x_values, figure.panel_values(sweep))


def _check_lines(place: str, figure: Figure, sweep: Sweep) -> None:
    """What only figures of lines have: a baseline, a range of the vertical axis."""
    for key in ("baseline", "y_range"):
        if getattr(figure, key) not in (None, ()) and figure.kind != "lines":
            raise InvalidInstanceError(f"{place}: {key} belongs to figures of kind 'lines'")
    if figure.lower_bound and figure.kind == "boxes":
        raise InvalidInstanceError(
            f"{place}: boxes have no lower_bound; y = 'ratio' shows values over theirs"
        )
    if figure.baseline is not None:
        check_known(place, "policy", figure.baseline, sweep.policies)
        if figure.baseline in figure.shown_policies(sweep):
            raise InvalidInstanceError(f"{place}: {figure.baseline!r} is the baseline and among the policies")
        if figure.unit is not None or figure.lower_bound:
            raise InvalidInstanceError(f"{place}: a gain over a baseline has neither unit nor lower_bound")
    if figure.y_range and not figure.y_range[0] < figure.y_range[1]:
        raise InvalidInstanceError(f"{place}: y_range = {list(figure.y_range)} is empty")


def _check_kept(place: str, figure: Figure, sweep: Sweep) -> None:
    """What figures of kept columns need: that the sweep keeps them, the places of further lines, no unit."""
    if figure.also and figure.kind != "curves":
        raise InvalidInstanceError(f"{place}: also belongs to figures of kind 'curves'")
    for label, (policy, column) in figure.also.items():
        check_known(f"{place}, also {label!r}", "policy", policy, sweep.policies)
        check_known(f"{place}, also {label!r}", "y", column, known_y(figure.kind))
        if label in figure.shown_policies(sweep):
            raise InvalidInstanceError(f"{place}: also {label!r} is one of the policies")
        own, other = PLACE_OF[figure.y], PLACE_OF[column]
        if own != other:
            raise InvalidInstanceError(
                f"{place}: also {label!r}: {column} is over {other}, and {figure.y} over {own}"
            )
    if figure.kind in ("curves", "by_size") and (figure.unit or figure.lower_bound or figure.published):
        raise InvalidInstanceError(
            f"{place}: a figure of kind {figure.kind!r} has neither unit, lower_bound nor published"
        )
    needed = needed_keep(figure.kind, figure.y)
    if needed is not None and needed not in sweep.keep:
        raise InvalidInstanceError(
            f"{place}: kind {figure.kind!r} needs keep = [{needed!r}] in the sweep {figure.sweep!r}"
        )


def _check_panels(place: str, figure: Figure, sweep: Sweep) -> None:
    if figure.panel_label is not None and figure.panels is None:
        raise InvalidInstanceError(f"{place}: panel_label belongs to a figure with panels")
    if figure.panels is not None:
        if figure.kind not in WITH_PANELS:
            raise InvalidInstanceError(
                f"{place}: panels belongs to figures of kind {' and '.join(map(repr, WITH_PANELS))}"
            )
        check_known(place, "parameter", figure.panels, [*sweep.parameters, WORKLOAD])
        if figure.panels == figure.x:
            raise InvalidInstanceError(f"{place}: panels and x are both {figure.x!r}")
        if figure.published:
            raise InvalidInstanceError(f"{place}: published values belong to a figure without panels")


def _checked_x_values(place: str, figure: Figure, sweep: Sweep) -> list[Any]:
    """The values of `x` that are shown; each has one point in every panel."""
    part = figure.shown_part(sweep)
    points = list(part.points())
    if not points:
        left_out = " and is not left out" if figure.without else ""
        raise InvalidInstanceError(
            f"{place}: no point of the sweep {figure.sweep!r} has {dict(figure.where)}{left_out}"
        )
    idle = [policy for policy in part.policies if not any(policy in part.policies_at(p) for p in points)]
    if idle:
        raise InvalidInstanceError(f"{place}: policy {idle[0]!r} runs at no point that is shown")
    for name in sweep.parameters:
        values = {repr(point[name]) for point in points}
        if name not in (figure.x, figure.panels) and len(values) > 1 and figure.kind != "boxes":
            raise InvalidInstanceError(
                f"{place}: {name} has the values {', '.join(sorted(values))}; say which one under where"
            )
    x_values = [] if figure.x_name is None else figure.x_values(sweep)
    for value in x_values:
        if figure.kind == "lines" and figure.x_column is None and not is_number(value):
            raise InvalidInstanceError(
                f"{place}: {figure.x} = {value!r} has no place on an axis; a number is needed, or an x_column"
            )
    return x_values
