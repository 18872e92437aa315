"""Dates of a workload as its own clock showed them, as far as the calendar goes."""

from datetime import datetime, timedelta

from schedcore.workloads.reading.report import DataReport

__all__ = ["clock_date", "clock_zone"]


def clock_date(report: DataReport, time: float) -> datetime | None:
    """The date of a time, without a time zone; None where the source has no dates or the calendar ends before."""
    if report.origin is None or report.units.get("time", "s") != "s":
        return None
    try:
        return datetime.fromisoformat(report.origin).replace(tzinfo=None) + timedelta(seconds=time)
    except OverflowError:
        return None


def clock_zone(report: DataReport) -> str:
    """The time zone of the dates, where the source says which."""
    return "" if report.origin is None else datetime.fromisoformat(report.origin).tzname() or ""
