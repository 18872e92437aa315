"""What single words of Slurm mean: limits of time, memory, counts, trackable resources, instants.

============ ======================================================================================
time limit   minutes, ``MM:SS``, ``HH:MM:SS``, ``D-HH``, ``D-HH:MM:SS``, UNLIMITED, INFINITE
memory       a number of MB, or one with a unit, as ``4000M``, ``62.50G``
resources    ``cpu=8,mem=4000M,node=1,gres/gpu:a100=2``
gres         ``gpu:a100:4(S:0-1),shard:8``, ``gres/gpu:2``, ``gres:gpu:2``
instant      seconds since 1970, or a date on the clock of the cluster, as ``2026-11-28T14:38:30``
============ ======================================================================================

Every function refuses what it cannot read with an `InvalidInstanceError` that quotes the text; `Record` and others
put the file and the line in front. Durations and memory themselves are read by `workloads.logs.sacct_fields`.
"""

import datetime
import math
import re
import zoneinfo

from schedcore.errors import InvalidInstanceError
from schedcore.model.real_numbers import shown
from schedcore.workloads.logs import sacct_fields

__all__ = [
    "NOTHING",
    "Zone",
    "checked_instant",
    "clock_zone",
    "count",
    "gres_amounts",
    "instant",
    "megabytes",
    "said",
    "seconds",
    "tres_amounts",
]

Zone = datetime.tzinfo | None

#: Words for "nothing is said", in lower case.
NOTHING = frozenset({"", "(null)", "none", "n/a", "unknown", "not_set", "not set", "null", "n/s"})
_WITHOUT_LIMIT = frozenset({"unlimited", "infinite", "infinity", "inf", "-1"})
_WITH_UNIT = re.compile(r"(\S+) (?:sec|min|usec|nodes/min|percent)")
_COUNT = re.compile(r"([0-9]{1,15})(?:\.0+)?([KMGT]?)", re.ASCII)
_THOUSANDS = {"": 1, "K": 1024, "M": 1024**2, "G": 1024**3, "T": 1024**4}
_LAST_INSTANT = 16_725_225_600.0  # the beginning of the year 2500
_GRES = re.compile(
    r"(?:gres[:/])?([A-Za-z_][\w.-]*)(?::([A-Za-z_][\w.-]*|[\w.-]*[A-Za-z_][\w.-]*))?(?:[:=]([0-9.]+[KMGT]?))?"
)


def said(text: str | None) -> str | None:
    """Return the text, or None where it is one of the words for nothing."""
    return None if text is None or text.strip().lower() in NOTHING else text.strip()


def seconds(text: str) -> float | None:
    """Return a time limit in seconds: infinite for none, None where nothing is said."""
    word = said(text)
    if word is None or word.upper() == "PARTITION_LIMIT":
        return None
    if word.lower() in _WITHOUT_LIMIT:
        return math.inf
    limit = sacct_fields.time_limit(word)
    if math.isnan(limit) or limit < 0:
        raise InvalidInstanceError(
            f"{shown(repr(text))} is no time of Slurm, such as 90, 1:30:00 or 2-12:00:00"
        )
    return limit


def megabytes(text: str) -> float | None:
    """Return memory in MB: infinite for no limit, None where nothing is said."""
    word = said(text)
    if word is None:
        return None
    if word.lower() in _WITHOUT_LIMIT:
        return math.inf
    kilobytes = sacct_fields.memory(word.removesuffix("B") if word[-2:-1] in "KMGTP" else word)
    if math.isnan(kilobytes) or kilobytes < 0:
        raise InvalidInstanceError(
            f"{shown(repr(text))} is no amount of memory, such as 4000 (MB), 4000M or 62.5G"
        )
    return kilobytes / 1024


def count(text: str) -> int | None:
    """Return a whole number, also as ``2K``; None where nothing is said, or there is no limit."""
    word = said(text)
    if word is None or word.lower() in _WITHOUT_LIMIT or word == "*":
        return None
    match = _COUNT.fullmatch(word)
    if match is None:
        raise InvalidInstanceError(f"{shown(repr(text))} is no whole number")
    return int(match[1]) * _THOUSANDS[match[2]]


def tres_amounts(text: str) -> dict[str, int]:
    """Return trackable resources by name, but those without a limit; memory, called ``mem``, in MB, rounded up."""
    amounts = {}
    for part in filter(None, (said(text) or "").split(",")):
        name, equals, amount = part.partition("=")
        if not equals or not name.strip():
            raise InvalidInstanceError(f"{shown(repr(part))} of {shown(repr(text))} is not RESOURCE=AMOUNT")
        name = name.strip().lower()
        if name == "energy":
            continue
        number = megabytes(amount) if name == "mem" else count(amount)
        if number is not None and number != math.inf:
            amounts[name] = math.ceil(number)
    return amounts


def gres_amounts(text: str) -> dict[tuple[str, str], int]:
    """Return generic resources by (name, type), the type empty where none is said; one without a number is 1."""
    amounts: dict[tuple[str, str], int] = {}
    without_places = re.sub(r"\([^)]*\)", "", said(text) or "")
    for part in filter(None, (word.strip() for word in without_places.split(","))):
        match = _GRES.fullmatch(part)
        if match is None:
            raise InvalidInstanceError(f"{shown(repr(part))} of {shown(repr(text))} is not NAME:TYPE:NUMBER")
        key = (match[1], match[2] or "")
        amounts[key] = amounts.get(key, 0) + (count(match[3]) or 0 if match[3] else 1)
    return amounts


def instant(text: str, zone: Zone) -> float | None:
    """Return seconds since 1970, of a date on the clock of `zone` (None: of this machine); None where none is said."""
    word = said(text)
    if word is None or word == "0":
        return None
    try:
        if word.isascii() and word.isdecimal() and len(word) <= 15:
            return checked_instant(float(word))
        date = datetime.datetime.fromisoformat(word)
        return checked_instant((date if date.tzinfo else date.replace(tzinfo=zone)).timestamp())
    except InvalidInstanceError:
        raise
    except (ValueError, OverflowError, OSError):
        raise InvalidInstanceError(
            f"{shown(repr(text))} is no date such as 2026-11-28T14:38:30, nor seconds since 1970"
        ) from None


def checked_instant(seconds_since_1970: float) -> float:
    """Return the instant; an error for one outside the years 1970 to 2499, such as one in milliseconds."""
    if not 0 <= seconds_since_1970 < _LAST_INSTANT:
        raise InvalidInstanceError(
            f"{seconds_since_1970:.0f} is outside the years 1970 to 2499, in seconds since 1970"
        )
    return seconds_since_1970


def clock_zone(timezone: str | datetime.tzinfo | None) -> Zone:
    """Return the time zone of the dates of a cluster: a zone, its name such as ``Europe/Berlin``, or None."""
    if timezone is None or isinstance(timezone, datetime.tzinfo):
        return timezone
    if not isinstance(timezone, str):
        raise TypeError(f"timezone must be the name of a zone or a tzinfo, not {timezone!r}")
    try:
        return zoneinfo.ZoneInfo(timezone)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        raise InvalidInstanceError(
            f"timezone = {shown(repr(timezone))} is not known, as Europe/Berlin would be"
        ) from None
