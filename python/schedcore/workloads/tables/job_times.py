"""When were the jobs of a table submitted and started, and how long did they run: by whichever columns say it."""

import dataclasses

import numpy as np

from schedcore.errors import InvalidInstanceError
from schedcore.model.arrays import FloatArray
from schedcore.workloads.reading.csv_table import shown_names
from schedcore.workloads.reading.needed_choice import ChoiceNeededError
from schedcore.workloads.reading.option_spelling import spelled
from schedcore.workloads.reading.report_warnings import Finding
from schedcore.workloads.tables.instants import Instants
from schedcore.workloads.tables.role_values import RoleValues
from schedcore.workloads.tables.time_checks import check_duration, check_estimate

__all__ = ["JobTimes", "read_times"]


@dataclasses.dataclass(frozen=True, eq=False)
class JobTimes:
    """The times of all rows.

    Parameters
    ----------
    submit : (n_rows,) float64
        Seconds, on the clock of the table; NaN where unknown.
    start : (n_rows,) float64
        On the same clock; NaN where unknown.
    run_time, estimate : (n_rows,) float64
        Seconds; NaN where unknown.
    clock : str
        "utc", "local" or "relative", see `schedcore.workloads.tables.dates`.
    has_starts : bool
        Whether the table says when jobs started.
    has_submissions : bool
        Whether it says when they were submitted.
    sentences : tuple of str
        What was assumed.
    findings : tuple of Finding
        Columns that contradict each other.
    """

    submit: FloatArray
    start: FloatArray
    run_time: FloatArray
    estimate: FloatArray
    clock: str
    has_starts: bool
    has_submissions: bool
    sentences: tuple[str, ...]
    findings: tuple[Finding, ...] = ()


def read_times(values: RoleValues) -> JobTimes:
    """Read all columns of times.

    Raises
    ------
    InvalidInstanceError
        Where nothing says how long jobs ran, for dates beside numbers that are none, and for lengths of time that seem
        to have another unit.
    """
    submit, start, end = (values.instants(role) for role in ("submit", "start", "end"))
    run_time, wait, estimate = (values.durations(role) for role in ("runtime", "wait", "estimate"))
    clock, sentences = _clock(values)
    said: list[str] = list(sentences)
    findings: list[Finding] = []
    if run_time is not None and start is not None and end is not None:
        findings += check_duration(values, "runtime", run_time, ("start", start), ("end", end))
    if wait is not None and submit is not None and start is not None:
        findings += check_duration(values, "wait", wait, ("submit", submit), ("start", start))
    if start is None and submit is not None and wait is not None:
        start = submit.after(wait)
        said.append("start is submit and wait together")
    if submit is None and start is not None and wait is not None:
        submit = start.after(-wait)
        said.append("submit is start without wait")
    has_submissions = submit is not None
    if submit is None and start is not None:
        submit = start
        said.append("nothing says when jobs were submitted; each is released when it started")
    if run_time is None and end is not None and start is not None:
        run_time = end.since(start)
        said.append("runtime is the time from start to end")
    elif run_time is not None and end is not None and start is not None:
        run_time = np.where(np.isnan(run_time), end.since(start), run_time)
    if run_time is None:
        have = ", without start or wait" if end is not None else ""
        choice = values.choice.choice("runtime", "COLUMN")
        raise ChoiceNeededError(
            f"{values.choice.source}: no column says how long jobs ran{have} (columns: "
            f"{shown_names(values.choice.names)}); name it, as with {spelled(*choice)}{values.told_left_out()}",
            (choice,),
        )
    if start is None and end is not None:
        start = end.after(-run_time)
        said.append("start is end without runtime")
        if submit is None:
            submit = start
            said.append("nothing says when jobs were submitted; each is released when it started")
    if estimate is not None:
        check_estimate(values, estimate, run_time)
    unknown = np.full(values.n_rows, np.nan)
    if submit is None:
        submit = Instants(np.zeros(values.n_rows), np.zeros(values.n_rows))
        said.append("nothing says when jobs were submitted; all are released at time 0")
    return JobTimes(
        submit.as_floats(),
        unknown if start is None else start.as_floats(),
        run_time,
        unknown if estimate is None else estimate,
        clock,
        start is not None,
        has_submissions,
        tuple(said),
        tuple(findings),
    )


def _clock(values: RoleValues) -> tuple[str, tuple[str, ...]]:
    """Return the clock that all points in time are on, and what was assumed of it."""
    clocks = values.clocks
    kinds = set(clocks.values())
    if "relative" in kinds and len(kinds) > 1:
        relative = next(role for role, clock in clocks.items() if clock == "relative")
        dated = next(role for role, clock in clocks.items() if clock != "relative")
        raise InvalidInstanceError(
            f"{values.choice.source}: {dated} (column {values.column(dated).column}) has dates, but {relative} (column "
            f"{values.column(relative).column}) numbers that are none; name another column, as with "
            f"{values.choice.saying(relative, 'COLUMN')}, or leave it out with {values.choice.saying(relative, '')}"
        )
    if kinds == {"utc", "local"}:
        local = ", ".join(role for role, clock in clocks.items() if clock == "local")
        return "utc", (f"dates of {local} have no time zone and count as UTC",)
    return next(iter(kinds), "relative"), ()
