"""What a figure shows: one sweep or a part of it, drawn in one of several kinds.

What a paper says that it shows are its claims, so that a report can put what was expected beside what was measured.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from schedcore.errors import InvalidInstanceError
from schedcore.experiments.claim_description import Claim, check_shown
from schedcore.experiments.conditions import Conditions, alternatives, check_conditions, values_of
from schedcore.experiments.figure_types import check_types
from schedcore.experiments.plain_values import (
    check_count,
    check_known,
    is_number,
)
from schedcore.experiments.schema import METRICS, NUMBERS

if TYPE_CHECKING:
    from schedcore.experiments.description import Sweep

__all__ = ["KINDS", "UNITS", "Figure"]

KINDS = ("lines", "groups", "bars", "boxes", "delays", "packing")
#: Kinds that show a column of numbers, those that may have panels, and those with an x.
_OF_NUMBERS = ("lines", "groups", "bars", "boxes")
_WITH_PANELS = ("lines", "groups", "boxes")
_OVER_X = ("lines", "groups")
#: Lengths in seconds of the units that a figure may show times in.
UNITS = {"s": 1.0, "min": 60.0, "hours": 3_600.0, "days": 86_400.0}
#: In place of a parameter: a panel, or a group, for each workload of the sweep.
_WORKLOAD = "workload"


@dataclass(frozen=True, slots=True)
class Figure:
    """A drawing of one sweep, and the table behind it.

    Parameters
    ----------
    sweep : str
    kind : {"lines", "groups", "bars", "boxes", "delays", "packing"}
        Mean and 95 % band of `y` over `x`, a line a policy; the same as a group of bars for each x, which may be a
        name; the same without x; distribution of `y` over all points and job sets that are shown, a box a policy;
        distribution of the queuing delay, averaged over the job sets quantile by quantile; usage of resource 0 over
        time, a rectangle a job.
    x, y : str
        A parameter of the sweep (of groups, also "workload"), and a column of the results.
    baseline : str, optional
        A policy of the sweep: a figure of lines then shows the gain over it, by how many percent of its value `y` is
        smaller (positive: better), job set by job set. The baseline itself is the zero line.
    panels : str, optional
        A parameter of the sweep, or "workload": a figure of lines, groups or boxes then has a panel for each of its
        values.
    panel_label : str, optional
        What panels are called in place of the name of the parameter: "K" heads one "K = 2", "" just "2".
    x_column : str, optional
        Column that gives the place on the x axis (mean over the rows), where that is not the parameter itself.
    where : mapping
        Parameter to value, or list of values: shows only this part of the sweep. Parameters other than `x` with
        several values need it, but for boxes.
    without : condition or sequence of conditions
        Combinations of parameters that are not shown, as in `Sweep`.
    job_sets : sequence of int, optional
        Of those of the sweep, the ones shown; default all.
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
    without: Conditions = ()
    job_sets: Sequence[int] | None = None
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
        return tuple(sweep.workloads) if _WORKLOAD in (self.panels, self.x) else (sweep.workloads[0],)

    def shown_part(self, sweep: Sweep) -> Sweep:
        """The sweep without all that is not shown; the baseline is."""
        shown = (*self.shown_policies(sweep), self.baseline)
        return dataclasses.replace(
            sweep,
            workloads=self.shown_workloads(sweep),
            policies=[policy for policy in sweep.policies if policy in shown],
            parameters={
                name: [value for value in values if value in values_of(self.where.get(name, values))]
                for name, values in sweep.parameters.items()
            },
            job_sets=sweep.job_sets if self.job_sets is None else self.job_sets,
            without=(*alternatives(sweep.without), *alternatives(self.without)),
        )

    def points(self, sweep: Sweep) -> list[dict[str, Any]]:
        """The combinations of parameters that are shown, in the order of the sweep."""
        return list(self.shown_part(sweep).points())

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

    def x_values(self, sweep: Sweep) -> list[Any]:
        """The values of `x` that are shown, in the order of the sweep; a figure without x has one, None."""
        if self.x == _WORKLOAD:
            return list(self.shown_workloads(sweep))
        return list(dict.fromkeys(self.x_of("", point) for point in self.points(sweep)))

    def x_of(self, workload: str, point: Mapping[str, Any]) -> Any:
        """The value of `x_values` that a workload and a combination of parameters belong to."""
        if self.x is None:
            return None
        return workload if self.x == _WORKLOAD else point[self.x]

    @property
    def panel_name(self) -> str:
        """What the values of `panels` are called."""
        return self.panel_label or self.panels or ""

    def panel_heading(self, value: Any) -> str:
        """What a panel is called: ``K = 2``, or with an empty label the value alone."""
        return str(value) if self.panel_label == "" else f"{self.panel_name} = {value}"

    def check(self, place: str, sweep: Sweep, job_sets: Sequence[int]) -> None:
        """Raise an `InvalidInstanceError` that says what cannot be drawn at `place`; the sweep has these job sets."""
        check_types(place, self)
        check_known(place, "kind", self.kind, KINDS)
        check_known(place, "y", self.y, METRICS if self.kind in _OF_NUMBERS else ("awct",))
        if self.unit is not None and self.unit_length is None:
            check_known(place, "unit", self.unit, UNITS)
        if self.unit_length is not None and not (self.unit and self.unit_length > 0):
            raise InvalidInstanceError(
                f"{place}: unit_length = {self.unit_length!r} must be positive, with a unit"
            )
        if self.x_column is not None:
            check_known(place, "x_column", self.x_column, NUMBERS)
        if (self.kind in _OVER_X) != (self.x is not None):
            raise InvalidInstanceError(
                f"{place}: a figure of kind {self.kind!r} has {'an' if self.x is None else 'no'} x"
            )
        for name in self.where:
            check_known(place, "parameter", name, sweep.parameters)
        if self.x is not None:
            known = [*sweep.parameters, *([_WORKLOAD] if self.kind == "groups" else [])]
            check_known(place, "parameter", self.x, known)
        check_conditions(place, "without", self.without, sweep.parameters)
        for job_set in () if self.job_sets is None else self.job_sets:
            check_count(place, "job set", job_set, 0)
            if job_set not in job_sets:
                raise InvalidInstanceError(f"{place}: job set {job_set} is not among those of the sweep")
        self._check_lines(place, sweep)
        self._check_panels(place, sweep)
        if self.workload is not None:
            check_known(place, "workload", self.workload, sweep.workloads)
        elif len(sweep.workloads) > 1 and _WORKLOAD not in (self.panels, self.x):
            raise InvalidInstanceError(f"{place}: which workload of {list(sweep.workloads)} is shown?")
        for name in (*self.shown_policies(sweep), *self.published):
            check_known(place, "policy", name, sweep.policies)
        x_values = self._checked_x_values(place, sweep)
        needed = {"delays": "delay_quantiles", "packing": "schedule"}.get(self.kind)
        if needed is not None and needed not in sweep.keep:
            raise InvalidInstanceError(
                f"{place}: kind {self.kind!r} needs keep = [{needed!r}] in the sweep {self.sweep!r}"
            )
        check_shown(f"{place}, published_x", self, self.published_x, x_values)
        for label, values in self.published.items():
            if len(values) != len(self.published_x):
                raise InvalidInstanceError(
                    f"{place}: {len(values)} published values of {label!r} at {len(self.published_x)} values of x"
                )
        for claim in self.claims:
            claim.check(place, self, self.shown_policies(sweep), x_values, self.panel_values(sweep))

    def _check_lines(self, place: str, sweep: Sweep) -> None:
        """What only figures of lines have: a baseline, a range of the vertical axis."""
        for key in ("baseline", "y_range"):
            if getattr(self, key) not in (None, ()) and self.kind != "lines":
                raise InvalidInstanceError(f"{place}: {key} belongs to figures of kind 'lines'")
        if self.lower_bound and self.kind == "boxes":
            raise InvalidInstanceError(
                f"{place}: boxes have no lower_bound; y = 'ratio' shows values over theirs"
            )
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
        if self.y_range and not self.y_range[0] < self.y_range[1]:
            raise InvalidInstanceError(f"{place}: y_range = {list(self.y_range)} is empty")

    def _check_panels(self, place: str, sweep: Sweep) -> None:
        if self.panel_label is not None and self.panels is None:
            raise InvalidInstanceError(f"{place}: panel_label belongs to a figure with panels")
        if self.panels is not None:
            if self.kind not in _WITH_PANELS:
                raise InvalidInstanceError(
                    f"{place}: panels belongs to figures of kind {' and '.join(map(repr, _WITH_PANELS))}"
                )
            check_known(place, "parameter", self.panels, [*sweep.parameters, _WORKLOAD])
            if self.panels == self.x:
                raise InvalidInstanceError(f"{place}: panels and x are both {self.x!r}")
            if self.published:
                raise InvalidInstanceError(f"{place}: published values belong to a figure without panels")

    def _checked_x_values(self, place: str, sweep: Sweep) -> list[Any]:
        """The values of `x` that are shown; each has one point in every panel."""
        part = self.shown_part(sweep)
        points = list(part.points())
        if not points:
            left_out = " and is not left out" if self.without else ""
            raise InvalidInstanceError(
                f"{place}: no point of the sweep {self.sweep!r} has {dict(self.where)}{left_out}"
            )
        idle = [policy for policy in part.policies if not any(policy in part.policies_at(p) for p in points)]
        if idle:
            raise InvalidInstanceError(f"{place}: policy {idle[0]!r} runs at no point that is shown")
        for name in sweep.parameters:
            values = {repr(point[name]) for point in points}
            if name not in (self.x, self.panels) and len(values) > 1 and self.kind != "boxes":
                raise InvalidInstanceError(
                    f"{place}: {name} has the values {', '.join(sorted(values))}; say which one under where"
                )
        x_values = [] if self.x is None else self.x_values(sweep)
        for value in x_values:
            if self.kind == "lines" and self.x_column is None and not is_number(value):
                raise InvalidInstanceError(
                    f"{place}: {self.x} = {value!r} has no place on an axis; a number is needed, or an x_column"
                )
        return x_values
