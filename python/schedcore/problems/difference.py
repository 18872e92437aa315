"""Two option sets of one policy on one workload: what the second changes, figure by figure and job by job."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from schedcore.errors import InvalidInstanceError
from schedcore.model import Instance, Schedule
from schedcore.plotting.readable import significant
from schedcore.problems.evaluation import Comparison, Evaluation
from schedcore.problems.job_classes import with_classes
from schedcore.problems.policy_choice import PolicyChoice, parse_policy
from schedcore.problems.presentation import Column, Presentation, Table
from schedcore.problems.time_units import unit_of
from schedcore.workloads.reading.report import DataReport

__all__ = [
    "DEFAULTS",
    "JobChanges",
    "better_direction",
    "difference_rows",
    "job_changes",
    "parse_option_sets",
    "presented_difference",
]

#: Stands for no options.
DEFAULTS = "defaults"

_LOWER_IS_BETTER = "lower"
_HIGHER_IS_BETTER = "higher"

#: Figure -> heading, whether it is a time, and which direction is better; None where that is a matter of taste.
_FIGURES: dict[str, tuple[str, bool, str | None]] = {
    "awct": ("AWCT", True, _LOWER_IS_BETTER),
    "avg_response": ("mean response", True, _LOWER_IS_BETTER),
    "weighted_avg_response": ("mean response by volume", True, _LOWER_IS_BETTER),
    "avg_wait": ("mean wait", True, _LOWER_IS_BETTER),
    "wait_p50": ("wait p50", True, _LOWER_IS_BETTER),
    "wait_p90": ("wait p90", True, _LOWER_IS_BETTER),
    "wait_p95": ("wait p95", True, _LOWER_IS_BETTER),
    "wait_p99": ("wait p99", True, _LOWER_IS_BETTER),
    "max_wait": ("longest wait", True, _LOWER_IS_BETTER),
    "zero_wait_share": ("share without wait", False, _HIGHER_IS_BETTER),
    "avg_slowdown": ("mean slowdown", False, _LOWER_IS_BETTER),
    "avg_bounded_slowdown": ("mean bounded slowdown", False, _LOWER_IS_BETTER),
    "avg_queue_all": ("mean queue", False, _LOWER_IS_BETTER),
    "avg_queue_arrivals": ("mean queue while jobs arrive", False, _LOWER_IS_BETTER),
    "max_queue": ("longest queue", False, _LOWER_IS_BETTER),
    "makespan": ("makespan", True, _LOWER_IS_BETTER),
    "overtaken_share": ("share overtaken", False, None),
    "avg_overtaken": ("mean times overtaken", False, None),
    "max_overtaken": ("most times overtaken", False, None),
}


def better_direction(figure: str) -> str | None:
    """Return "lower" or "higher", which values of a figure are better; None where neither is, or nobody says."""
    return _FIGURES[figure][2] if figure in _FIGURES else None


def parse_option_sets(words: list[str] | None, against: str) -> list[PolicyChoice]:
    """The policy with its options, and the same policy with the options of `against` instead.

    Raises
    ------
    InvalidInstanceError
        Unless `words` is one policy, and both option sets are known options, different from each other.
    """
    if words is None or len(words) != 1:
        raise InvalidInstanceError("--against compares two option sets of one policy: name one with --policy")
    first = parse_policy(words[0])
    options = against.strip()
    second = parse_policy(first.name if options == DEFAULTS else f"{first.name}:{options}")
    if first.options == second.options:
        raise InvalidInstanceError(f"--policy {words[0]!r} and --against {against!r} are the same options")
    return [first, second]


@dataclass(frozen=True)
class JobChanges:
    """How the start times of the second schedule differ from those of the first.

    Attributes
    ----------
    n_earlier, n_later, n_same : int
        Jobs that start earlier, later, and at the same time in the second.
    n_moved : int
        Jobs on another machine.
    most_earlier, most_later : dict or None
        ``id`` of the job, its name where it has one, whose start moved most in that direction, and ``by`` how much;
        None if none did.
    """

    n_earlier: int
    n_later: int
    n_same: int
    n_moved: int
    most_earlier: dict[str, Any] | None
    most_later: dict[str, Any] | None

    @property
    def identical(self) -> bool:
        """Whether both schedules are the same."""
        return self.n_earlier == self.n_later == self.n_moved == 0


def job_changes(inst: Instance, first: Evaluation, second: Evaluation) -> JobChanges | None:
    """Compare two schedules job by job; None if a policy failed."""
    if first.schedule is None or second.schedule is None:
        return None
    later_by = second.schedule.start_time - first.schedule.start_time
    in_both = np.isfinite(later_by)  # the others never ran under one of them
    later_by = np.where(in_both, later_by, 0.0)

    def most(by: Any) -> dict[str, Any] | None:
        if by.max(initial=0.0) <= 0:
            return None
        job = int(np.argmax(by))
        return {"id": inst.jobs.called(job), "by": float(by[job])}

    return JobChanges(
        n_earlier=int(np.count_nonzero(later_by < 0)),
        n_later=int(np.count_nonzero(later_by > 0)),
        n_same=int(np.count_nonzero(later_by[in_both] == 0)),
        n_moved=_moved(inst.n_jobs, first.schedule, second.schedule),
        most_earlier=most(-later_by),
        most_later=most(later_by),
    )


def _moved(n_jobs: int, first: Schedule, second: Schedule) -> int:
    """How many jobs run on other machines, or with another number of tasks on one."""
    if not (first.has_allocation or second.has_allocation):
        return int(np.count_nonzero(second.machine != first.machine))
    places = (schedule.allocation.as_lists(n_jobs) for schedule in (first, second))
    before, after = (list(zip(machine.rows, n_tasks.rows, strict=True)) for machine, n_tasks in places)
    return sum(one != other for one, other in zip(before, after, strict=True))


def difference_rows(first: Evaluation, second: Evaluation) -> list[dict[str, Any]]:
    """One row a figure: both values, second minus first, the same in percent of the first, and which is better.

    ``better`` is "first", "second", "equal", or None where neither direction is better. Empty if a policy failed.
    """
    if first.schedule is None or second.schedule is None:
        return []
    rows = [
        _row(key, heading, is_time, better, first.figures[key], second.figures[key])
        for key, (heading, is_time, better) in _FIGURES.items()
    ]
    for resource, share in first.figures["utilisation"].items():
        other = second.figures["utilisation"][resource]
        rows.append(
            _row(f"utilisation_{resource}", f"use of {resource}", False, _HIGHER_IS_BETTER, share, other)
        )
    seconds = (first.figures["seconds"], second.figures["seconds"])
    rows.append(_row("seconds", "time to schedule (s)", False, None, *seconds))  # one measurement: no verdict
    return rows


def _row(
    key: str, heading: str, is_time: bool, better: str | None, first: float, second: float
) -> dict[str, Any]:
    change = second - first
    gain = change if better == _HIGHER_IS_BETTER else -change
    return {
        "figure": key,
        "heading": heading,
        "is_time": is_time,
        "first": first,
        "second": second,
        "difference": change,
        "percent": 100 * change / first if first else (0.0 if change == 0 else None),
        "better": None if better is None else "equal" if gain == 0 else "second" if gain > 0 else "first",
    }


def presented_difference(comparison: Comparison) -> Presentation:
    """The figures of two evaluations side by side with their differences, then what changed for the jobs."""
    inst, report = comparison.inst, comparison.report
    first, second = comparison.evaluations
    rows, changes = difference_rows(first, second), job_changes(inst, first, second)
    for_programs = [
        {key: value for key, value in row.items() if key not in ("heading", "is_time")} for row in rows
    ]
    document = {
        "workload": report.to_dict(),
        "first": first.row(),
        "second": second.row(),
        "difference": for_programs,
        "jobs": None if changes is None else {"identical": changes.identical, **vars(changes)},
    }
    title = f"{report.source}: {inst.n_jobs:,} jobs\nfirst:  {first.policy}\nsecond: {second.policy}\n"
    parts: tuple[Table | str, ...] = (title,)
    if changes is not None:
        table = Table([_readable(row, report) for row in rows], _COLUMNS, note=report.loss)
        parts = (title, table, f"\n{_sentence(changes, report)}")
    return with_classes(Presentation(for_programs, document, parts), comparison)


_COLUMNS = [
    Column("heading", "figure", is_text=True),
    Column("first", "first"),
    Column("second", "second"),
    Column("difference", "difference"),
    Column("percent", "change", lambda value: f"{value:+.2f} %"),
    Column("better", "better", is_text=True),
]


def _readable(row: dict[str, Any], report: DataReport) -> dict[str, Any]:
    values = {key: row[key] for key in ("first", "second", "difference")}
    heading, length = row["heading"], 1.0
    if row["is_time"]:
        unit = unit_of(report, max(map(abs, values.values())))
        heading, length = f"{heading} ({unit.name})", unit.length
    written = {
        key: f"{value:,}" if isinstance(value, int) else significant(value / length)
        for key, value in values.items()
    }
    if row["difference"] > 0:
        written["difference"] = f"+{written['difference']}"
    return {**row, **written, "heading": heading}


def _sentence(changes: JobChanges, report: DataReport) -> str:
    if changes.identical:
        return "Both schedules are identical."
    sentences = [
        f"In the second {changes.n_earlier:,} jobs start earlier, {changes.n_later:,} later, {changes.n_same:,} at "
        f"the same time" + (f"; {changes.n_moved:,} run on another machine." if changes.n_moved else ".")
    ]
    for most, direction in ((changes.most_earlier, "earlier"), (changes.most_later, "later")):
        if most is not None:
            unit = unit_of(report, most["by"])
            by = f"{significant(most['by'] / unit.length)} {unit.name}"
            sentences.append(f"Job {most['id']} starts {by} {direction}, the most of all.")
    return "\n".join(sentences)
