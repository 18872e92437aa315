"""In which unit times are shown: readable ones where the workload counts seconds, else its own."""

import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from schedcore.plotting import TimeUnit, readable_unit
from schedcore.plotting.readable import significant
from schedcore.problems.presentation import Column
from schedcore.workloads.reading.report import DataReport

__all__ = ["origin_of", "own_unit", "slot_unit", "time_columns", "unit_of", "usual_unit"]

#: Takes the report of a workload and the largest of some times.
UnitChoice = Callable[[DataReport, float], TimeUnit]


def unit_of(report: DataReport, largest: float) -> TimeUnit:
    """The unit to show times up to `largest` in: readable if the workload counts seconds, else its own."""
    return own_unit(report) or readable_unit(largest)


def own_unit(report: DataReport) -> TimeUnit | None:
    """The unit of a workload that does not count seconds."""
    own = report.units.get("time", "s")
    return None if own == "s" else TimeUnit(own, 1.0)


def origin_of(report: DataReport) -> str | None:
    """The date of time 0 of a workload that counts seconds."""
    return report.origin if report.units.get("time", "s") == "s" else None


def slot_unit(report: DataReport, largest: float = 0.0) -> TimeUnit:
    """The unit to show times in where they are whole slots: what the workload says a slot is, or just that."""
    return TimeUnit(report.units.get("time", "slot"), 1.0)


def usual_unit(rows: Sequence[Mapping[str, Any]], figures: Iterable[str]) -> UnitChoice:
    """The unit that suits the median of some figures of all rows: a few large ones do not hide the others."""
    known = [row[figure] for figure in figures for row in rows if row.get(figure)]

    def choose(report: DataReport, largest: float) -> TimeUnit:
        return unit_of(report, statistics.median(known) if known else largest)

    return choose


def time_columns(
    rows: Sequence[Mapping[str, Any]],
    report: DataReport,
    headings: Mapping[str, str],
    choose_unit: UnitChoice = unit_of,
) -> list[Column]:
    """Columns of times by key, with these headings, in the one unit that suits the largest of them."""
    unit = choose_unit(report, max((row.get(key) or 0.0 for row in rows for key in headings), default=0.0))
    return [
        Column(key, heading, lambda value: significant(value / unit.length), unit=unit.name)
        for key, heading in headings.items()
    ]
