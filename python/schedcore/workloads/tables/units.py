"""Units as names of columns, cells and users write them: of time, of memory, of a count, and of what an amount is for.

Memory counts in powers of 1024, with or without the ``i`` of MiB, as everywhere in schedcore.
"""

__all__ = [
    "BYTES",
    "DATE_ORDERS",
    "NAME_UNITS",
    "PARTS",
    "SECONDS",
    "SHARES",
    "per_second",
    "time_word",
]

#: Words for a unit of time -> seconds; those below a second as fractions of one.
SECONDS: dict[str, float] = {
    **dict.fromkeys(("ns", "nanos", "nanosecond", "nanoseconds"), 1e-9),
    **dict.fromkeys(("us", "µs", "micros", "microsecond", "microseconds"), 1e-6),
    **dict.fromkeys(("ms", "millis", "millisecond", "milliseconds"), 1e-3),
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), 1.0),
    **dict.fromkeys(("m", "min", "mins", "minute", "minutes"), 60.0),
    **dict.fromkeys(("h", "hr", "hrs", "hour", "hours"), 3600.0),
    **dict.fromkeys(("d", "day", "days"), 86_400.0),
    **dict.fromkeys(("w", "week", "weeks"), 604_800.0),
}

#: Words for a unit of memory -> bytes.
BYTES: dict[str, int] = {
    **dict.fromkeys(("b", "byte", "bytes"), 1),
    **dict.fromkeys(("k", "kb", "ki", "kib"), 2**10),
    **dict.fromkeys(("m", "mb", "mi", "mib"), 2**20),
    **dict.fromkeys(("g", "gb", "gi", "gib"), 2**30),
    **dict.fromkeys(("t", "tb", "ti", "tib"), 2**40),
}

#: Words for a part of one processor or GPU -> how many of them are one.
SHARES: dict[str, int] = {
    **dict.fromkeys(("milli", "millis", "millicpu", "millicores"), 1000),
    **dict.fromkeys(("percent", "pct"), 100),
}

#: In which order a date such as 03/04/2026 or 20260403 has day, month and year.
DATE_ORDERS = ("dmy", "mdy", "ymd")

#: What an amount may be given for, instead of the whole job.
PARTS = ("task", "node", "cpu")

_OF_ONE_LETTER_IN_NAMES = {"s", "h", "d", "b"}

#: Units with which the name of a column may end: of one letter only those that mean nothing else there.
NAME_UNITS = frozenset(
    word for word in (*SECONDS, *BYTES, *SHARES) if len(word) > 1 or word in _OF_ONE_LETTER_IN_NAMES
)

_NAMES = {1e-9: "nanoseconds", 1e-6: "microseconds", 1e-3: "milliseconds", 1.0: "seconds", 60.0: "minutes"}
_NAMES |= {3600.0: "hours", 86_400.0: "days", 604_800.0: "weeks"}


def time_word(unit: str) -> str:
    """Return a unit of time in full, as "milliseconds"."""
    return _NAMES[SECONDS[unit]]


def per_second(unit: str) -> int:
    """Return how many of a unit are a second; 0 for one that is longer."""
    return round(1 / SECONDS[unit]) if SECONDS[unit] <= 1 else 0
