"""The date of time 0 of a log, by which dates of outages become times of the instance.

Texts in ISO 8601, or None where the log does not say it or the calendar ends before.
"""

import datetime
import re
from collections.abc import Mapping

from schedcore.workloads.logs.log_rows import LogRows

__all__ = ["iso_date", "sacct_origin", "swf_origin"]

_SECONDS = re.compile(r"\s*([0-9]{1,15})\b")


def swf_origin(rows: LogRows, header: Mapping[str, str]) -> str | None:
    """Return the date in UTC: UnixStartTime of the header, which 0 leaves open, and the first release."""
    start = _SECONDS.match(header.get("UnixStartTime", ""))
    return iso_date(int(start[1]) + rows.first_release()) if start and int(start[1]) else None


def sacct_origin(rows: LogRows) -> str | None:
    """Return the date on the clock of the cluster, the zone of which the file does not name."""
    date = iso_date(rows.first_release())
    return None if date is None else date.removesuffix("+00:00")


def iso_date(seconds: float) -> str | None:
    """Return the date in UTC that is so many seconds after 1970; None where the calendar has ended."""
    try:
        return datetime.datetime.fromtimestamp(seconds, datetime.UTC).isoformat()
    except (OverflowError, ValueError, OSError):
        return None
