"""What a figure shows, and what a paper says that it shows.

A figure looks at one sweep. `Claim` states a number that the figure should show and the range in which it counts as
agreement, so that a report can put what was expected beside what was measured.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from schedcore.errors import InvalidInstanceError
from schedcore.experiments.plain_values import (
    check_count,
    check_flag,
    check_known,
    check_list,
    check_number,
    check_table,
    check_text,
    check_texts,
    is_number,
)
from schedcore.experiments.schema import METRICS, NUMBERS

if TYPE_CHECKING:
    from schedcore.experiments.description import Sweep

__all__ = ["KINDS", "QUANTITIES", "UNITS", "Claim", "Figure"]

KINDS = ("lines", "bars", "delays", "packing")
#: Lengths in seconds of the units that a figure may show times in.
UNITS = {"s": 1.0, "min": 60.0, "hours": 3_600.0, "days": 86_400.0}
QUANTITIES = ("ratio", "value", "crossing", "share")
_TEXTS = ("sweep", "kind", "y", "title", "x_label", "y_label", "outcome")
_OPTIONAL_TEXTS = ("x", "x_column", "workload", "unit", "baseline", "panels", "panel_label")
#: In place of a parameter: a panel for each workload of the sweep.
_WORKLOAD = "workload"


@dataclass(frozen=True, slots=True)
class Claim:
    """One number that a figure shows.

    Parameters
    ----------
    text : str
        What the source says, or what is asked.
    quantity : {"ratio", "value", "crossing", "share"}
        The value of the first policy over that of the second; the value of a policy; the first x at which the first
        policy overtakes the second, its value falling below (interpolated between the points on logarithmic axes); the
        share of jobs whose queuing delay is at most `within`.
    policies : (str,) or (str, str)
    at : sequence
        x of each policy; empty for a crossing and where the figure has no x.
    between : (float, float), optional
        Where the number must lie to agree; without it the number is only reported.
    within : float
        Delay of a share, in the unit of the figure.
    panel : object, optional
        Of a figure with panels, the one that shows the number.
    """

    text: str
    quantity: str
    policies: tuple[str, ...]
    at: tuple[Any, ...] = ()
    between: tuple[float, float] | None = None
    within: float = 0.0
    panel: Any = None

    def check(
        self,
        place: str,
        figure: Figure,
        shown: Sequence[str],
        x_values: Sequence[Any],
        panel_values: Sequence[Any],
    ) -> None:
        """Raise an `InvalidInstanceError` that says what is wrong at `place`."""
        check_text(place, "text of a claim", self.text)
        place = f"{place}, claim {self.text!r}"
        check_known(place, "quantity", self.quantity, QUANTITIES)
        check_list(place, self.quantity, self.policies, "policies")
        check_list(place, "at", self.at)
        check_number(place, "within", self.within)
        wanted = 2 if self.quantity in ("ratio", "crossing") else 1
        if len(self.policies) != wanted:
            raise InvalidInstanceError(
                f"{place}: {self.quantity} needs {wanted} policies, not {len(self.policies)}"
            )
        for policy in self.policies:
            check_known(place, "policy", policy, shown)
        if (self.quantity == "share") != (figure.kind == "delays"):
            raise InvalidInstanceError(
                f"{place}: share belongs to figures of kind 'delays', and nothing else does"
            )
        if self.within and self.quantity != "share":
            raise InvalidInstanceError(f"{place}: within = {self.within} belongs to a share")
        if self.quantity == "crossing" and figure.x is None:
            raise InvalidInstanceError(f"{place}: a figure without x has no crossing")
        if figure.baseline is not None and self.quantity != "value":
            raise InvalidInstanceError(f"{place}: a figure with a baseline has values, no {self.quantity}")
        if self.panel not in panel_values:
            what = (
                f"is not among {list(panel_values)}" if figure.panels else "belongs to a figure with panels"
            )
            raise InvalidInstanceError(f"{place}: panel = {self.panel!r} {what}")
        needed = 0 if figure.x is None or self.quantity == "crossing" else wanted
        if len(self.at) != needed:
            what = f"needs {needed} values of {figure.x}" if needed else "says nothing here"
            raise InvalidInstanceError(f"{place}: at = {list(self.at)} {what}")
        _check_shown(place, figure, self.at, x_values)
        self._check_between(place)

    def _check_between(self, place: str) -> None:
        if self.between is None:
            return
        check_list(place, "between", self.between, "two numbers")
        if len(self.between) != 2 or not all(is_number(end) for end in self.between):
            raise InvalidInstanceError(f"{place}: between = {list(self.between)} must be two numbers")
        if not self.between[0] <= self.between[1]:
            raise InvalidInstanceError(f"{place}: between = {list(self.between)} is empty")


@dataclass(frozen=True, slots=True)
class Figure:
    """A drawing of one sweep, and the table behind it.

    Parameters
    ----------
    sweep : str
    kind : {"lines", "bars", "delays", "packing"}
        Mean and 95 % band of `y` over `x`, a line a policy; the same without x; distribution of the queuing delay,
        averaged over the job sets quantile by quantile; usage of resource 0 over time, a rectangle a job.
    x, y : str
        A parameter of the sweep, and a column of the results.
    baseline : str, optional
        A policy of the sweep: a figure of lines then shows the gain over it, by how many percent of its value `y` is
        smaller (positive: better), job set by job set. The baseline itself is the zero line.
    panels : str, optional
        A parameter of the sweep, or "workload": a figure of lines then has a panel for each of its values.
    panel_label : str, optional
        What panels are called in place of the name of the parameter: "K" heads one "K = 2", "" just "2".
    x_column : str, optional
        Column that gives the place on the x axis (mean over the rows), where that is not the parameter itself.
    where : mapping
        Parameter to value: shows only this part of the sweep. Parameters other than `x` with several values need it.
    workload : str, optional
        Of a sweep over several workloads, the one shown.
    policies : sequence of str, optional
        Of the sweep's policies, those shown; default all.
    unit : str, optional
        Unit in which times are shown: "s", "min", "hours" or "days" of a workload that counts seconds, or any name
        with a `unit_length`. Without it numbers are shown as they are.
    unit_length : float, optional
        Length of `unit` in the unit of the workload.
    lower_bound : bool
        Draw the proven lower bound, too.
    log_x : bool
    y_range : (float, float), optional
        What the vertical axis shows of the lines; by default all, and 0. A mean beyond it is told at the edge.
    highlight : sequence of int
        Jobs that a packing picture shows in colours.
    title, x_label, y_label : str
    published_x, published : sequence, mapping of str to sequence
        Values of `x`, and per policy what a paper shows there.
    outcome : str
        What a paper concludes.
    claims : sequence of Claim
    """

    sweep: str
    kind: str = "lines"
    x: str | None = None
    y: str = "awct"
    baseline: str | None = None
    panels: str | None = None
    panel_label: str | None = None
    x_column: str | None = None
    where: Mapping[str, Any] = field(default_factory=dict)
    workload: str | None = None
    policies: Sequence[str] | None = None
    unit: str | None = None
    unit_length: float | None = None
    lower_bound: bool = False
    log_x: bool = True
    y_range: Sequence[float] = ()
    highlight: Sequence[int] = ()
    title: str = ""
    x_label: str = ""
    y_label: str = ""
    published_x: Sequence[Any] = ()
    published: Mapping[str, Sequence[float]] = field(default_factory=dict)
    outcome: str = ""
    claims: Sequence[Claim] = ()

    @property
    def scale(self) -> float:
        """What numbers are divided by to be shown in `unit`."""
        if self.unit_length is not None:
            return self.unit_length
        return UNITS[self.unit] if self.unit else 1.0

    def shown_policies(self, sweep: Sweep) -> tuple[str, ...]:
        """Those with a line of their own."""
        if self.policies is not None:
            return tuple(self.policies)
        return tuple(policy for policy in sweep.policies if policy != self.baseline)

    def shown_workloads(self, sweep: Sweep) -> tuple[str, ...]:
        """One, or one a panel."""
        if self.workload is not None:
            return (self.workload,)
        return tuple(sweep.workloads) if self.panels == _WORKLOAD else (sweep.workloads[0],)

    def points(self, sweep: Sweep) -> list[dict[str, Any]]:
        """The combinations of parameters that are shown, in the order of the sweep."""
        return [
            point
            for point in sweep.points()
            if all(point[name] == value for name, value in self.where.items())
        ]

    def panel_values(self, sweep: Sweep) -> list[Any]:
        """What tells the panels apart, in the order of the sweep; a figure without panels has one, None."""
        if self.panels is None:
            return [None]
        if self.panels == _WORKLOAD:
            return list(self.shown_workloads(sweep))
        return list(dict.fromkeys(point[self.panels] for point in self.points(sweep)))

    def panel_of(self, workload: str, point: Mapping[str, Any]) -> Any:
        """The value of `panel_values` that a workload and a combination of parameters belong to."""
        if self.panels is None:
            return None
        return workload if self.panels == _WORKLOAD else point[self.panels]

    @property
    def panel_name(self) -> str:
        """What the values of `panels` are called."""
        return self.panel_label or self.panels or ""

    def panel_heading(self, value: Any) -> str:
        """What a panel is called: ``K = 2``, or with an empty label the value alone."""
        return str(value) if self.panel_label == "" else f"{self.panel_name} = {value}"

    def check(self, place: str, sweep: Sweep) -> None:
        """Raise an `InvalidInstanceError` that says what cannot be drawn at `place`."""
        self._check_types(place)
        check_known(place, "kind", self.kind, KINDS)
        check_known(place, "y", self.y, METRICS if self.kind in ("lines", "bars") else ("awct",))
        if self.unit is not None and self.unit_length is None:
            check_known(place, "unit", self.unit, UNITS)
        if self.unit_length is not None and not (self.unit and self.unit_length > 0):
            raise InvalidInstanceError(
                f"{place}: unit_length = {self.unit_length!r} must be positive, with a unit"
            )
        if self.x_column is not None:
            check_known(place, "x_column", self.x_column, NUMBERS)
        if (self.kind == "lines") != (self.x is not None):
            raise InvalidInstanceError(
                f"{place}: a figure of kind {self.kind!r} has {'an' if self.x is None else 'no'} x"
            )
        for name in (*self.where, *(() if self.x is None else (self.x,))):
            check_known(place, "parameter", name, sweep.parameters)
        self._check_lines(place, sweep)
        if self.workload is not None:
            check_known(place, "workload", self.workload, sweep.workloads)
        elif len(sweep.workloads) > 1 and self.panels != _WORKLOAD:
            raise InvalidInstanceError(f"{place}: which workload of {list(sweep.workloads)} is shown?")
        for name in (*self.shown_policies(sweep), *self.published):
            check_known(place, "policy", name, sweep.policies)
        x_values = self._checked_x_values(place, sweep)
        needed = {"delays": "delay_quantiles", "packing": "schedule"}.get(self.kind)
        if needed is not None and needed not in sweep.keep:
            raise InvalidInstanceError(
                f"{place}: kind {self.kind!r} needs keep = [{needed!r}] in the sweep {self.sweep!r}"
            )
        _check_shown(f"{place}, published_x", self, self.published_x, x_values)
        for label, values in self.published.items():
            if len(values) != len(self.published_x):
                raise InvalidInstanceError(
                    f"{place}: {len(values)} published values of {label!r} at {len(self.published_x)} values of x"
                )
        for claim in self.claims:
            claim.check(place, self, self.shown_policies(sweep), x_values, self.panel_values(sweep))

    def _check_lines(self, place: str, sweep: Sweep) -> None:
        """What only figures of lines have: a baseline, panels, a range of the vertical axis."""
        for key in ("baseline", "panels", "y_range"):
            if getattr(self, key) not in (None, ()) and self.kind != "lines":
                raise InvalidInstanceError(f"{place}: {key} belongs to figures of kind 'lines'")
        if self.baseline is not None:
            check_known(place, "policy", self.baseline, sweep.policies)
            if self.baseline in self.shown_policies(sweep):
                raise InvalidInstanceError(
                    f"{place}: {self.baseline!r} is the baseline and among the policies"
                )
            if self.unit is not None or self.lower_bound:
                raise InvalidInstanceError(
                    f"{place}: a gain over a baseline has neither unit nor lower_bound"
                )
        if self.panel_label is not None and self.panels is None:
            raise InvalidInstanceError(f"{place}: panel_label belongs to a figure with panels")
        if self.panels is not None:
            check_known(place, "parameter", self.panels, [*sweep.parameters, _WORKLOAD])
            if self.panels == self.x:
                raise InvalidInstanceError(f"{place}: panels and x are both {self.x!r}")
            if self.published:
                raise InvalidInstanceError(f"{place}: published values belong to a figure without panels")
        if self.y_range and not self.y_range[0] < self.y_range[1]:
            raise InvalidInstanceError(f"{place}: y_range = {list(self.y_range)} is empty")

    def _check_types(self, place: str) -> None:
        for key in _TEXTS:
            check_text(place, key, getattr(self, key))
        for key in _OPTIONAL_TEXTS:
            if getattr(self, key) is not None:
                check_text(place, key, getattr(self, key))
        check_flag(place, "lower_bound", self.lower_bound)
        check_flag(place, "log_x", self.log_x)
        if self.unit_length is not None:
            check_number(place, "unit_length", self.unit_length)
        check_table(place, "where", self.where)
        if self.policies is not None:
            check_texts(place, "policies", self.policies)
            if not self.policies:
                raise InvalidInstanceError(f"{place} shows no policy")
        check_list(place, "y_range", self.y_range, "two numbers")
        if self.y_range and not (len(self.y_range) == 2 and all(is_number(end) for end in self.y_range)):
            raise InvalidInstanceError(f"{place}: y_range = {list(self.y_range)} must be two numbers")
        check_list(place, "published_x", self.published_x)
        check_table(place, "published", self.published)
        for label, values in self.published.items():
            check_list(place, f"published {label!r}", values, "numbers")
            for value in values:
                check_number(place, f"published {label!r}", value)
        check_list(place, "highlight", self.highlight, "jobs")
        for job in self.highlight:
            check_count(place, "job to highlight", job, 0)
        check_list(place, "claims", self.claims)
        for claim in self.claims:
            if not isinstance(claim, Claim):
                raise InvalidInstanceError(f"{place}: {claim!r} is no claim")

    def _checked_x_values(self, place: str, sweep: Sweep) -> list[Any]:
        """The values of `x` that are shown; each has one point in every panel."""
        points = self.points(sweep)
        if not points:
            raise InvalidInstanceError(
                f"{place}: no point of the sweep {self.sweep!r} has {dict(self.where)}"
            )
        for name in sweep.parameters:
            values = {repr(point[name]) for point in points}
            if name not in (self.x, self.panels) and len(values) > 1:
                raise InvalidInstanceError(
                    f"{place}: {name} has the values {', '.join(sorted(values))}; say which one under where"
                )
        x_values = [] if self.x is None else list(dict.fromkeys(point[self.x] for point in points))
        for value in x_values:
            if self.x_column is None and not is_number(value):
                raise InvalidInstanceError(
                    f"{place}: {self.x} = {value!r} has no place on an axis; a number is needed, or an x_column"
                )
        return x_values


def _check_shown(place: str, figure: Figure, values: Sequence[Any], x_values: Sequence[Any]) -> None:
    for x in values:
        if x not in x_values:
            raise InvalidInstanceError(f"{place}: {figure.x} = {x!r} is not among {list(x_values)}")
