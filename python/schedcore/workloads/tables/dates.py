"""Cells as points in time: dates as people and programs write them, and numbers since 1970 or since a time 0.

A number without a unit is told by its size: seconds since 1970 have nine digits or more from 1973 on, milliseconds
twelve, and so on. What has fewer counts seconds from some time 0 of the table. A date such as 03/04/2026, which is one
in April or one in March, is refused until somebody says which.
"""

import dataclasses
from typing import Any

import numpy as np

from schedcore.errors import InvalidInstanceError
from schedcore.model.arrays import BoolArray, FloatArray, IntArray
from schedcore.model.extras import import_extra
from schedcore.workloads.reading.csv_table import are_integers
from schedcore.workloads.tables.cells import Cells
from schedcore.workloads.tables.instants import Instants
from schedcore.workloads.tables.units import DATE_ORDERS, SECONDS, per_second, time_word

__all__ = ["Ambiguous", "InstantCells", "read_instants"]

_SAMPLE = 1000  # cells
_EPOCH_SECONDS = 1e8  # from 1973-03-03 on; fewer seconds are none since 1970
_LONGEST_TABLE = 6e8  # seconds, 19 years
_EPOCH_UNITS = ((1e17, "ns"), (1e14, "us"), (1e11, "ms"), (_EPOCH_SECONDS, "s"))
_YEARS = (1678, 2261)  # the whole ones that nanoseconds in 64 bits reach
_CLOCK = r"(?:[T ]+\d{1,2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)?"
_ZONE = r"\s*(?:Z|UTC|[+-]\d{2}(?::?\d{2})?)"
_ISO = rf"^\d{{4}}[-/]\d{{1,2}}[-/]\d{{1,2}}{_CLOCK}(?:{_ZONE})?$"
_WITH_ZONE = rf":\d{{2}}(?:\.\d+)?{_ZONE}$"
_DAY_OR_MONTH_FIRST = (
    rf"^(?P<a>\d{{1,2}})(?P<sign>[./-])(?P<b>\d{{1,2}})[./-](?P<y>\d{{4}})(?P<rest>{_CLOCK})$"
)
_COMPACT = r"^(?P<y>(?:19|20)\d{2})(?P<m>0[1-9]|1[0-2])(?P<d>0[1-9]|[12]\d|3[01])$"


class Ambiguous(InvalidInstanceError):
    """Cells that can be read in two ways; `units` are the words that would tell which."""

    def __init__(self, sentence: str, units: tuple[str, ...]) -> None:
        super().__init__(sentence)
        self.units = units


@dataclasses.dataclass(frozen=True, eq=False)
class InstantCells:
    """The distinct cells of a column as points in time.

    Parameters
    ----------
    instants : Instants
        Seconds since 1970, or since the time 0 of the table.
    bad, missing : (n_distinct,) bool
    clock : str
        "utc", "local" (dates without a time zone) or "relative"; empty where nothing stands.
    words : str
        How they were read.
    """

    instants: Instants
    bad: BoolArray
    missing: BoolArray
    clock: str
    words: str


def read_instants(cells: Cells, unit: str) -> InstantCells:
    """Read the distinct cells of a column.

    Raises
    ------
    Ambiguous
        If they can be read in two ways and nobody says which.
    """
    types = import_extra("pyarrow", "traces").types
    missing, of_type = cells.missing, cells.distinct.type
    if types.is_timestamp(of_type) or types.is_date(of_type):
        return _timestamps(cells.distinct, missing)
    if cells.is_number and unit not in DATE_ORDERS:
        return _numbers(cells, missing, unit)
    if not (cells.is_number or cells.is_text) or missing.all():
        return _nothing(missing, ~missing)
    compute = import_extra("pyarrow.compute", "traces")
    texts = cells.texts()
    numbers = cells.numbers
    is_number = ~numbers.bad & ~missing
    if unit in DATE_ORDERS or np.count_nonzero(is_number) * 2 <= np.count_nonzero(~missing):
        if unit == "ymd" or _are_all(texts, _COMPACT, missing):
            texts = compute.replace_substring_regex(texts, _named_out(_COMPACT), r"\1-\2-\3")
        return _dates(texts, missing, unit)
    return _numbers(cells, missing, unit)


def _nothing(missing: BoolArray, bad: BoolArray) -> InstantCells:
    unknown = np.full(len(missing), np.nan)
    return InstantCells(Instants(unknown, np.zeros(len(missing))), bad, missing, "", "nothing stands in it")


def _timestamps(values: Any, missing: BoolArray) -> InstantCells:
    pyarrow = import_extra("pyarrow", "traces")
    types = pyarrow.types
    has_zone = types.is_timestamp(values.type) and values.type.tz is not None
    in_a_second = {"s": 1, "ms": 1000, "us": 10**6, "ns": 10**9}.get(getattr(values.type, "unit", "s"), 1)
    if types.is_date(values.type):
        values, in_a_second = values.cast(pyarrow.timestamp("s")), 1
    counts = values.cast(pyarrow.int64()).fill_null(0).to_numpy(zero_copy_only=False)
    words = "dates with a time zone" if has_zone else "dates without a time zone"
    instants = Instants.of_integers(counts, in_a_second, ~missing)
    return InstantCells(instants, np.zeros_like(missing), missing, "utc" if has_zone else "local", words)


def _numbers(cells: Cells, missing: BoolArray, unit: str) -> InstantCells:
    """Numbers, of a unit that somebody said or that their size tells."""
    numbers = cells.numbers
    known = ~missing & ~numbers.bad & (numbers.values != -1)  # which stands for unknown in logs
    values = numbers.values
    said = bool(unit)
    if not known.any():
        return _nothing(missing | (values == -1), numbers.bad)
    if not said:
        unit = _unit_by_size(cells, values, known)
    size = np.abs(values) * SECONDS[unit]
    others = size[known & (values != 0)]
    relative = not len(others) or bool(np.median(others) < _EPOCH_SECONDS)
    since = "from a time 0 of the table" if relative else "since 1970 (Unix time)"
    how = "" if said else (", as nothing says otherwise" if relative else ", by their size")
    if not relative and (known & (values == 0)).any():  # no job is of 1970
        known, how = known & (values != 0), f"{how}; 0 says nothing"
    instants = _in_seconds(cells, values, known, unit)
    clock = "relative" if relative else "utc"
    return InstantCells(
        instants, numbers.bad, ~known & ~numbers.bad, clock, f"{time_word(unit)} {since}{how}"
    )


def _unit_by_size(cells: Cells, values: FloatArray, known: BoolArray) -> str:
    if _are_all(cells.texts(), _COMPACT, ~known):
        example = cells.example(known)
        raise Ambiguous(f"{example} is a day written as YYYYMMDD, or a number of seconds", ("ymd", "s"))
    size = np.abs(values[known & (values != 0)])
    if not len(size):
        return "s"
    units = [
        next((unit for least, unit in _EPOCH_UNITS if bound >= least), "")
        for bound in (size.max(), size.min())
    ]
    # Without a 0, all of them from 1973 on are times since 1970; with one, so are those within a few decades.
    from_0 = bool((values[known] == 0).any()) and size.max() - size.min() > _LONGEST_TABLE and units[0] == "s"
    if units[0] != units[1] or from_0:
        raise Ambiguous(
            f"{cells.example(known)} and others, from {np.abs(values[known]).min():.15g} to {size.max():.15g}, are no "
            f"times since 1970 in one unit, and nothing says which other they have",
            ("s", "ms", "us", "ns"),
        )
    return units[0] or "s"


def _in_seconds(cells: Cells, values: FloatArray, known: BoolArray, unit: str) -> Instants:
    pyarrow, compute = import_extra("pyarrow", "traces"), import_extra("pyarrow.compute", "traces")
    in_a_second = per_second(unit)
    texts = cells.texts()
    whole = are_integers(texts)
    if in_a_second and (whole.to_numpy(zero_copy_only=False) | ~known).all():
        counts = compute.if_else(pyarrow.array(known), texts, "0").cast(pyarrow.int64())
        return Instants.of_integers(counts.to_numpy(zero_copy_only=False), in_a_second, known)
    seconds = values / in_a_second if in_a_second else values * SECONDS[unit]
    return Instants.of_floats(np.where(known, seconds, np.nan))


def _dates(texts: Any, missing: BoolArray, unit: str) -> InstantCells:
    """Dates as texts: the year first, or with the order that somebody said or that they allow."""
    compute = import_extra("pyarrow.compute", "traces")
    words = "ISO dates"
    if _most_are(texts, _named_out(_DAY_OR_MONTH_FIRST), missing):
        order, words = _order_of_dates(texts, unit)
        place = r"\4-\3-\1\5" if order == "dmy" else r"\4-\1-\3\5"
        texts = compute.replace_substring_regex(texts, _named_out(_DAY_OR_MONTH_FIRST), place)
    zoned = compute.match_substring_regex(texts, _WITH_ZONE).to_numpy(zero_copy_only=False) & ~missing
    nanoseconds, known = _parsed(texts, missing, zoned)
    zones = "with a time zone" if zoned.any() else "without a time zone"
    if zoned.any() and not zoned[known].all():
        zones = "with a time zone, or without one and then in UTC"
    return InstantCells(
        Instants.of_integers(nanoseconds, 10**9, known),
        ~known & ~missing,
        missing,
        "utc" if zoned.any() else "local",
        f"{words} {zones}",
    )


def _parsed(texts: Any, missing: BoolArray, zoned: BoolArray) -> tuple[IntArray, BoolArray]:
    """Return nanoseconds since 1970, 0 where a text is none of `_ISO`, and which texts are dates."""
    pyarrow, compute = import_extra("pyarrow", "traces"), import_extra("pyarrow.compute", "traces")
    is_date = compute.and_(compute.match_substring_regex(texts, _ISO), pyarrow.array(~missing))
    texts = compute.if_else(is_date, texts, None)
    try:  # Arrow is faster, and wants all of them alike
        dates = texts.cast(pyarrow.timestamp("ns", tz="UTC" if zoned.any() else None))
    except pyarrow.ArrowException:
        plain = compute.replace_substring_regex(texts, r"\s*UTC$", "Z")
        plain = _padded(compute.replace_substring(plain, "/", "-"))
        to_datetime = import_extra("pandas", "traces").to_datetime
        found = to_datetime(plain.to_pandas(), format="ISO8601", utc=True, errors="coerce")
        fits = found.dt.year.between(
            *_YEARS
        )  # such as 9999-12-31 for never: no 64 bits of nanoseconds hold it
        dates = pyarrow.array(found.where(fits).dt.as_unit("ns"))
    known = dates.is_valid().to_numpy(zero_copy_only=False)
    return dates.cast(pyarrow.int64()).fill_null(0).to_numpy(zero_copy_only=False), known


def _padded(texts: Any) -> Any:
    """Days, months and hours of two digits."""
    compute = import_extra("pyarrow.compute", "traces")
    padded = compute.replace_substring_regex(texts, r"^(\d{4})-(\d)-", r"\1-0\2-")
    padded = compute.replace_substring_regex(padded, r"^(\d{4}-\d{2})-(\d)(\D|$)", r"\1-0\2\3")
    return compute.replace_substring_regex(padded, r"^(\d{4}-\d{2}-\d{2})[T ]+(\d):", r"\1T0\2:")


def _order_of_dates(texts: Any, unit: str) -> tuple[str, str]:
    """Return which of day and month comes first, and the words for it."""
    compute = import_extra("pyarrow.compute", "traces")
    parts = compute.drop_null(compute.extract_regex(texts, _DAY_OR_MONTH_FIRST))
    first, second = (
        compute.struct_field(parts, name).cast("int64").to_numpy(zero_copy_only=False) for name in ("a", "b")
    )
    words = {"dmy": "dates with the day first", "mdy": "dates with the month first"}
    if unit in words:
        return unit, words[unit]
    day_first, month_first = bool((first > 12).any()), bool((second > 12).any())
    if day_first != month_first:
        order = "dmy" if day_first else "mdy"
        return order, words[order]
    if not day_first and set(compute.struct_field(parts, "sign").unique().to_pylist()) == {"."}:
        return "dmy", words["dmy"] + " (as there are points between)"
    example = compute.filter(texts, compute.match_substring_regex(texts, _named_out(_DAY_OR_MONTH_FIRST)))[
        0
    ].as_py()
    raise Ambiguous(f"{example} has the day or the month first, and nothing says which", ("dmy", "mdy"))


def _named_out(pattern: str) -> str:
    """The same pattern with numbered groups, as replacements have them."""
    for name in ("a", "sign", "b", "y", "rest", "m", "d"):
        pattern = pattern.replace(f"?P<{name}>", "")
    return pattern


def _are_all(texts: Any, pattern: str, apart_from: BoolArray) -> bool:
    """Whether all texts match a pattern, and there are any."""
    compute = import_extra("pyarrow.compute", "traces")
    for some in (slice(_SAMPLE), slice(None)):  # mostly the first few tell
        found = compute.match_substring_regex(texts[some], pattern).to_numpy(zero_copy_only=False)
        if not (found | apart_from[some]).all():
            return False
    return bool((found & ~apart_from).any())


def _most_are(texts: Any, pattern: str, apart_from: BoolArray) -> bool:
    """Whether more than half of the texts match a pattern; none where nothing in the first few does."""
    compute = import_extra("pyarrow.compute", "traces")
    count = 0
    for some in (slice(_SAMPLE), slice(None)):
        found = compute.match_substring_regex(texts[some], pattern).to_numpy(zero_copy_only=False)
        count = int(np.count_nonzero(found & ~apart_from[some]))
        if not count:
            return False
    return bool(2 * count > np.count_nonzero(~apart_from))
