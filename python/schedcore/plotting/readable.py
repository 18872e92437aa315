"""Words for people, where drawings and tables look for them; they are said in `schedcore.model.readable`."""

from schedcore.model.readable import (
    DAYS,
    HOURS,
    MINUTES,
    SECONDS,
    SLOTS,
    TimeUnit,
    percent,
    readable_time,
    readable_unit,
    rounded_count,
    significant,
    wrapped_to,
)

__all__ = [
    "DAYS",
    "HOURS",
    "MINUTES",
    "SECONDS",
    "SLOTS",
    "TimeUnit",
    "percent",
    "readable_time",
    "readable_unit",
    "rounded_count",
    "significant",
    "wrapped_to",
]
