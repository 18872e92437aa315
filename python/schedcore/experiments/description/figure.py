"""What a figure shows: one sweep or a part of it, drawn in one of several kinds.

What a paper says that it shows are its claims, so that a report can put what was expected beside what was measured.
"""

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any

from pydantic import PlainValidator

from schedcore.experiments.columns import NUMBERS, SIZE_CLASSES
from schedcore.experiments.description.claim import Claim
from schedcore.experiments.description.conditions import Conditions, alternatives, values_of
from schedcore.experiments.description.declared import (
    Index,
    JobSets,
    Names,
    Number,
    Scalar,
    is_list,
    listed,
    one_of,
    settle,
    two_numbers,
)
from schedcore.experiments.description.figure_kinds import KINDS, UNITS, WORKLOAD
from schedcore.experiments.description.refusals import placed
from schedcore.experiments.description.sweep import Sweep

__all__ = ["Figure"]


def _line(line: Any) -> Any:
    if not is_list(line) or len(line) != 2 or not all(isinstance(entry, str) for entry in line):
        raise ValueError("must be a policy and a column")
    return tuple(line)


def _range_of_axis(ends: Any) -> Any:
    if is_list(ends) and not ends:
        return ()
    low, high = two_numbers(ends)
    if low == high:
        raise ValueError("is empty")
    return low, high


@dataclass(frozen=True, slots=True)
class Figure:
    """A drawing of one sweep, and the table behind it.

    Parameters
    ----------
    sweep : str
    kind : {"lines", "groups", "bars", "boxes", "delays", "packing", "curves", "by_size"}
        Mean and 95 % band of `y` over `x`, a line a policy; the same as a group of bars for each x, which may be a
        name; the same without x; distribution of `y` over all points and job sets that are shown, a box a policy;
        distribution of the queuing delay, averaged over the job sets quantile by quantile; usage of resource 0 over
        time, a rectangle a job; a kept column over time (of demands: over the amount), the mean over the job sets; a
        kept column by classes of the processing times of jobs.
    x, y : str
        A parameter of the sweep (of groups, also "workload"), and a column of the results, of curves and by_size one
        that the sweep keeps.
    also : mapping of str to (str, str)
        Further lines of curves: what the legend calls one -> a policy and the column of it that is shown, such as the
        work that has arrived, the same for every policy.
    baseline : str, optional
        A policy of the sweep: a figure of lines then shows the gain over it, by how many percent of its value `y` is
        smaller (positive: better), job set by job set. The baseline itself is the zero line.
    average_over : sequence of str
        Parameters of the sweep over which a figure of lines or groups averages: a value, or a gain, is then the mean
        over all combinations of them that are shown, job set by job set.
    panels : str, optional
        A parameter of the sweep, or "workload": a figure of lines, groups or boxes then has a panel for each of its
        values.
    panel_label : str, optional
        What panels are called in place of the name of the parameter: "K" heads one "K = 2", "" just "2".
    x_column : str, optional
        Column that gives the place on the x axis (mean over the rows), where that is not the parameter itself.
    where : mapping
        Parameter to value, or list of values: shows only this part of the sweep. Parameters with several values that
        are neither `x` nor averaged over need it, but for boxes.
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
        Draw the proven lower bound, too. Boxes have none: with `y` "ratio" they show values over theirs.
    log_x : bool
    y_range : (float, float), optional
        What the vertical axis shows of the lines; by default all, and 0. A mean beyond it is told at the edge.
    highlight : sequence of int
        Jobs that a packing picture shows in colours.
    title, x_label, y_label : str
    published_x, published : sequence, mapping of str to sequence
        Values of `x`, and per policy what a paper shows there; each of these numbers is judged as a claim.
    outcome : str
        What a paper concludes.
    claims : sequence of Claim

    Raises
    ------
    InvalidInstanceError
        For an unknown kind or `x_column` (with the close matches) and an entry of the wrong kind. Whether the sweep has
        what is shown is checked when an `Experiment` is made.
    """

    sweep: str
    kind: Annotated[str, one_of("kind", KINDS)] = "lines"
    x: str | None = None
    y: str = "awct"
    also: Mapping[str, Annotated[Sequence[str], PlainValidator(_line)]] = field(default_factory=dict)
    baseline: str | None = None
    panels: str | None = None
    panel_label: str | None = None
    x_column: Annotated[str, one_of("x_column", NUMBERS)] | None = None
    where: Mapping[str, Any] = field(default_factory=dict)
    without: Conditions = ()
    job_sets: JobSets | None = None
    workload: str | None = None
    policies: Names | None = None
    unit: str | None = None
    unit_length: Number | None = None
    lower_bound: bool = False
    log_x: bool = True
    y_range: Annotated[Sequence[float], PlainValidator(_range_of_axis)] = ()
    highlight: Annotated[Sequence[Index], listed("jobs")] = ()
    title: str = ""
    x_label: str = ""
    y_label: str = ""
    published_x: Annotated[Sequence[Scalar], listed("values")] = ()
    published: Mapping[str, Annotated[Sequence[Number], listed("numbers")]] = field(default_factory=dict)
    outcome: str = ""
    claims: Annotated[Sequence[Claim], listed("claims")] = ()
    average_over: Names = ()

    def __post_init__(self) -> None:
        with placed("figure"):
            settle(self)

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

    @property
    def judged(self) -> tuple[Claim, ...]:
        """The claims, and as claims of their own the published values of the policies that are shown.

        A value of 0 is left out, because no number is within a tenth of it.
        """
        values = (
            Claim(f"{policy}, {self.x_heading(x)}", "value", (policy,), (x,), published=value)
            for policy, numbers in self.published.items()
            for x, value in zip(self.published_x, numbers, strict=True)
            if value and policy != self.baseline and policy in (self.policies or self.published)
        )
        return (*self.claims, *values)

    def lines(self, sweep: Sweep) -> dict[str, tuple[str, str]]:
        """What the legend names -> the policy and the column that are shown; other kinds show `y` of each policy."""
        own = {policy: (policy, self.y) for policy in self.shown_policies(sweep)}
        return own | {label: (policy, column) for label, (policy, column) in self.also.items()}

    def large_columns(self) -> tuple[str, ...]:
        """The columns kept on demand that it is drawn from, but for schedules."""
        return KINDS[self.kind].large_columns([self.y, *(column for _, column in self.also.values())])

    def shown_workloads(self, sweep: Sweep) -> tuple[str, ...]:
        """One, or one a panel."""
        if self.workload is not None:
            return (self.workload,)
        return tuple(sweep.workloads) if WORKLOAD in (self.panels, self.x) else (sweep.workloads[0],)

    def shown_part(self, sweep: Sweep) -> Sweep:
        """The sweep without all that is not shown; the baseline is."""
        shown = {self.baseline, *(policy for policy, _ in self.lines(sweep).values())}
        where = {name: frozenset(values_of(entry)) for name, entry in self.where.items()}
        return dataclasses.replace(
            sweep,
            workloads=self.shown_workloads(sweep),
            policies=[policy for policy in sweep.policies if policy in shown],
            parameters={
                name: [value for value in values if name not in where or value in where[name]]
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
        if self.panels == WORKLOAD:
            return list(self.shown_workloads(sweep))
        return list(dict.fromkeys(point[self.panels] for point in self.points(sweep)))

    def panel_of(self, workload: str, point: Mapping[str, Any]) -> Any:
        """The value of `panel_values` that a workload and a combination of parameters belong to."""
        if self.panels is None:
            return None
        return workload if self.panels == WORKLOAD else point[self.panels]

    def x_values(self, sweep: Sweep) -> list[Any]:
        """The values of `x` that are shown, in the order of the sweep; a figure without x has one, None.

        By size these are the lower ends of all classes.
        """
        if self.kind == "by_size":
            return list(SIZE_CLASSES)
        if self.x == WORKLOAD:
            return list(self.shown_workloads(sweep))
        return list(dict.fromkeys(self.x_of("", point) for point in self.points(sweep)))

    def x_of(self, workload: str, point: Mapping[str, Any]) -> Any:
        """The value of `x_values` that a workload and a combination of parameters belong to."""
        if self.x is None:
            return None
        return workload if self.x == WORKLOAD else point[self.x]

    @property
    def x_name(self) -> str | None:
        """What the values of x are called; None without x."""
        return "processing time" if self.kind == "by_size" else self.x

    def x_heading(self, x: Any) -> str:
        """What a value of x is called: ``n_jobs = 8,000``."""
        return f"{self.x_name} = {f'{x:,}' if isinstance(x, int) else x}"

    @property
    def panel_name(self) -> str:
        """What the values of `panels` are called."""
        return self.panel_label or self.panels or ""

    def panel_heading(self, value: Any) -> str:
        """What a panel is called: ``K = 2``, or with an empty label the value alone."""
        return str(value) if self.panel_label == "" else f"{self.panel_name} = {value}"
