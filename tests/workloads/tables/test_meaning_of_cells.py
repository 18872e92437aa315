"""Dates, lengths of time and amounts are read as people write them, and what can be read in two ways is refused."""

import math
from typing import Any

import pytest

pa = pytest.importorskip("pyarrow")

from schedcore.workloads.tables.amounts import read_bytes, read_counts  # noqa: E402
from schedcore.workloads.tables.cells import Cells  # noqa: E402
from schedcore.workloads.tables.dates import Ambiguous, read_instants  # noqa: E402
from schedcore.workloads.tables.durations import read_durations  # noqa: E402

MAY_FIRST = 1_777_593_600  # 2026-05-01T00:00:00 in UTC
GB = 2**30


def cells(*values: Any, **options: bool) -> Cells:
    return Cells.of("x", pa.array(list(values)), **options)


@pytest.mark.parametrize(
    ("texts", "clock", "words"),
    [
        (("2026-05-01", "2026-05-01T01:00"), "local", "ISO dates without a time zone"),
        (("2026-05-01 00:00:00", "2026-05-01 01:00:00"), "local", "ISO dates without a time zone"),
        (("2026/5/1 0:00", "2026/5/1 1:00:00"), "local", "ISO dates without a time zone"),
        (("2026-05-01T02:00:00+02:00", "2026-05-01T01:00:00Z"), "utc", "ISO dates with a time zone"),
        (("2026-05-01T00:00:00.000Z", "2026-05-01 01:00:00 UTC"), "utc", "ISO dates with a time zone"),
        (("2026-05-01T00:00:00Z", "2026-05-01T01:00:00"), "utc", "or without one and then in UTC"),
        (("01.05.2026 00:00", "01.05.2026 01:00"), "local", "the day first (as there are points between)"),
        ((str(MAY_FIRST), str(MAY_FIRST + 3600)), "utc", "seconds since 1970 (Unix time), by their size"),
        ((f"{MAY_FIRST}000", f"{MAY_FIRST + 3600}000"), "utc", "milliseconds since 1970"),
        ((f"{MAY_FIRST}000000", f"{MAY_FIRST + 3600}000000"), "utc", "microseconds since 1970"),
        ((f"{MAY_FIRST}{'0' * 9}", f"{MAY_FIRST + 3600}{'0' * 9}"), "utc", "nanoseconds since 1970"),
    ],
)
def test_dates_and_epochs_are_the_same_instants(texts: tuple[str, ...], clock: str, words: str) -> None:
    read = read_instants(cells(*texts, "", "never"), "")
    assert read.instants.as_floats()[:2].tolist() == [MAY_FIRST, MAY_FIRST + 3600]
    assert read.bad.tolist() == [False, False, False, True]
    assert read.missing.tolist() == [False, False, True, False]
    assert read.clock == clock
    assert words in read.words


def test_one_day_above_twelve_tells_the_order_of_all_dates() -> None:
    assert read_instants(cells("13/04/2026", "03/04/2026"), "").words.startswith("dates with the day first")
    assert read_instants(cells("04/13/2026", "03/04/2026"), "").words.startswith("dates with the month first")
    april, march = (read_instants(cells("03/04/2026"), unit) for unit in ("dmy", "mdy"))
    assert april.instants.since(march.instants).tolist() == [30 * 86_400]


@pytest.mark.parametrize(
    ("texts", "units"),
    [
        (("03/04/2026", "05/06/2026"), ("dmy", "mdy")),
        (("20260403", "20260504"), ("ymd", "s")),
        (("5", f"{MAY_FIRST}000"), ("s", "ms", "us", "ns")),
    ],
)
def test_what_can_be_read_in_two_ways_is_refused(texts: tuple[str, ...], units: tuple[str, ...]) -> None:
    with pytest.raises(Ambiguous) as refused:
        read_instants(cells(*texts), "")
    assert refused.value.units == units
    for unit in units:
        assert not read_instants(cells(*texts), unit).bad.any()


def test_a_difference_of_dates_is_exact() -> None:
    # As float64, both dates are off by some 1e-7 s, and their difference could be above an hour.
    ends = read_instants(cells("2026-05-01T01:00:00.123456789"), "")
    starts = read_instants(cells("2026-05-01T00:00:00.123456789"), "")
    assert ends.instants.since(starts.instants).tolist() == [3600.0]
    assert starts.instants.after(ends.instants.since(starts.instants)).since(ends.instants).tolist() == [0.0]


def test_timestamps_of_arrow_are_read_as_they_are() -> None:
    for unit in ("s", "ms", "us", "ns"):
        local = cells(pa.scalar(MAY_FIRST, pa.int64()).cast(pa.timestamp("s")).cast(pa.timestamp(unit)))
        read = read_instants(local, "")
        assert (read.clock, read.instants.as_floats().tolist()) == ("local", [MAY_FIRST])
    nanoseconds = read_instants(
        cells(MAY_FIRST * 10**9 + 1), ""
    )  # which float64 could not tell from the second
    assert (nanoseconds.instants.seconds.tolist(), nanoseconds.instants.nanoseconds.tolist()) == (
        [MAY_FIRST],
        [1],
    )
    with_zone = Cells.of("x", pa.array([MAY_FIRST], pa.timestamp("s", tz="Europe/Berlin")))
    assert read_instants(with_zone, "").clock == "utc"
    day = Cells.of("x", pa.array([MAY_FIRST // 86_400], pa.date32()))
    assert read_instants(day, "").instants.as_floats().tolist() == [MAY_FIRST]


@pytest.mark.parametrize(
    ("text", "unit", "seconds"),
    [
        ("90", "", 90),
        ("90", "min", 5400),
        ("1.1", "h", 3960),  # 1.1 * 3600 is above 3960 in doubles
        ("250", "ms", 0.25),
        ("90m", "", 5400),
        ("1h30m", "", 5400),
        ("1.5 hours", "", 5400),
        ("2 days", "", 172_800),
        ("01:30:00", "", 5400),
        ("1-02:03:04", "", 93_784),
        ("1 day, 2:03:04", "", 93_784),
        ("0 days 00:00:05.5", "", 5.5),
        ("PT2H", "", 7200),
        ("P1DT2H3M4S", "", 93_784),
        ("20ms", "", 0.02),
    ],
)
def test_lengths_of_time(text: str, unit: str, seconds: float) -> None:
    numbers, _ = read_durations(cells(text), unit)
    assert numbers.values.tolist() == [seconds]
    assert not numbers.bad.any()


@pytest.mark.parametrize("text", ["1:30", "fast", "PT", "P", "h", "1h 90", "--1", "1m1h", "12:60:00"])
def test_what_is_no_length_of_time(text: str) -> None:
    numbers, _ = read_durations(cells(text, "5"), "")
    assert numbers.bad.tolist() == [True, False]


@pytest.mark.parametrize(
    ("text", "unit", "size"),
    [
        ("16GB", "", 16 * GB),
        ("16 GiB", "mb", 16 * GB),
        ("512M", "", 512 * 2**20),
        ("512Mi", "", 512 * 2**20),
        ("1.5tb", "", 1536 * GB),
        ("100", "mb", 100 * 2**20),
        ("64000", "", 64_000 * 2**20),
        ("16", "", 16 * GB),
        ("1024", "", GB),
        ("2000000", "", 2_000_000 * 1024),
        ("68719476736", "", 64 * GB),
        ("67108864", "", 64 * GB),
    ],
)
def test_memory(text: str, unit: str, size: int) -> None:
    numbers, _ = read_bytes(cells(text), unit)
    assert numbers.values.tolist() == [size]


def test_parts_of_processors() -> None:
    assert read_counts(cells("500m", "2"), "")[0].values.tolist() == [0.5, 2]
    assert read_counts(cells("150"), "percent")[0].values.tolist() == [1.5]
    assert read_counts(cells("1500"), "milli")[0].values.tolist() == [1.5]
    assert read_counts(cells("1,5", decimal_comma=True), "")[0].values.tolist() == [1.5]


@pytest.mark.parametrize("text", ["", " ", "NA", "n/a", "NaN", "null", "None", "-", "Unknown", "-1"])
def test_what_says_nothing(text: str) -> None:
    for numbers in (read_counts(cells(text, "3"), "")[0], read_durations(cells(text, "3"), "")[0]):
        assert numbers.missing.tolist() == [True, False]
        assert math.isnan(numbers.values[0])
        assert not numbers.bad.any()
    assert read_instants(cells(text, "3"), "").missing.tolist() == [True, False]
