"""Durations and instants are exact seconds, or refused; nothing has two meanings."""

import math
from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedcore import InvalidInstanceError
from schedcore.workloads import parse_duration, parse_instant

ORIGIN = datetime(2026, 12, 1)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("0", 0),
        ("5400", 5400),
        ("0.1", 0.1),
        (" 90m ", 5400),
        ("90min", 5400),
        ("90s", 90),
        ("8h", 28_800),
        ("1.5h", 5400),
        ("1h30m", 5400),
        ("2d", 172_800),
        ("1w2d3h4m5s", 788_645),
        ("2D", 172_800),
        ("1:30:00", 5400),
        ("100:00:00", 360_000),
        ("0:00:01.5", 1.5),
        ("1-12:00:00", 129_600),
        ("inf", math.inf),
        ("9007199254740992", 2**53),
    ],
)
def test_durations_are_seconds(text: str, seconds: float) -> None:
    assert parse_duration(text) == seconds


@pytest.mark.parametrize(
    "text",
    ["", " ", "h", "8 h", "8hours", "30m1h", "1h1h", "-5", "+5", "1e3", "nan", "1:60:00", "1:00:60", "1::00", "²",
     "1_000", ".5", "5.", "0x10", "1-1-1:00:00", "infinity", "9" * 5000, "1:" * 3000],
)  # fmt: skip
def test_other_texts_are_no_durations(text: str) -> None:
    with pytest.raises(InvalidInstanceError, match="is not a duration such as 8h") as error:
        parse_duration(text)
    assert len(str(error.value)) < 200


def test_a_clock_of_two_parts_is_refused_because_it_has_two_meanings() -> None:
    with pytest.raises(InvalidInstanceError, match=r"'1:30' is not .*; write hours, minutes and seconds"):
        parse_duration("1:30")


@pytest.mark.parametrize("text", ["9007199254740993", "99999999999999w", "3000000000000h"])
def test_more_seconds_than_doubles_tell_apart_are_refused(text: str) -> None:
    with pytest.raises(InvalidInstanceError, match=r"more than 2\*\*53 seconds"):
        parse_duration(text)


@given(st.integers(0, 10**9))
def test_a_duration_in_words_is_the_sum_of_its_parts(seconds: int) -> None:
    minutes, second = divmod(seconds, 60)
    hours, minute = divmod(minutes, 60)
    days, hour = divmod(hours, 24)
    assert parse_duration(f"{days}d{hour}h{minute}m{second}s") == seconds
    if days < 10**6:
        assert parse_duration(f"{days}-{hour}:{minute:02}:{second:02}") == seconds


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("3600", 3600),
        ("1.5", 1.5),
        ("8h", 28_800),
        ("2026-12-01", 0),
        ("2026-12-01T08:00", 28_800),
        ("2026-12-02T00:00:00.5", 86_400.5),
        ("2026-11-30", -86_400),
    ],
)
def test_instants_count_from_time_0(text: str, seconds: float) -> None:
    assert parse_instant(text, ORIGIN) == seconds
    assert parse_instant(text, "2026-12-01T00:00") == seconds


@pytest.mark.parametrize(
    ("text", "origin", "message"),
    [
        ("2026-12-01", None, "is a date, but nothing says the date of time 0"),
        (
            "2026-12-01T08:00Z",
            ORIGIN,
            "has a time zone, but the date of time 0, 2026-12-01T00:00:00, has none",
        ),
        ("2026-13-01", ORIGIN, "is no date: "),
        ("2026-12-01T25:00", ORIGIN, "is no date: "),
        ("2026-12-01T" + "9" * 5000, ORIGIN, "is no date: "),
        ("2026-12-01 08:00", ORIGIN, "is not an instant such as"),
        ("08:00", ORIGIN, "is not an instant such as"),
        ("1:30:00", ORIGIN, "is not an instant such as"),
        ("tomorrow", ORIGIN, "is not an instant such as"),
        ("-1", ORIGIN, "is not an instant such as"),
        ("inf", ORIGIN, "is not an instant such as"),
        ("", ORIGIN, "is not an instant such as"),
        ("0001-01-01T00:00+23:00", ORIGIN.replace(tzinfo=UTC), "is outside the calendar"),
        ("2026-12-01", "yesterday", "'yesterday' is no date"),
    ],
)
def test_other_texts_are_no_instants(text: str, origin: datetime | str | None, message: str) -> None:
    with pytest.raises(InvalidInstanceError) as error:
        parse_instant(text, origin)
    assert message in str(error.value)
    assert len(str(error.value)) < 300


def test_dates_without_a_zone_are_in_that_of_the_origin() -> None:
    origin = ORIGIN.replace(tzinfo=timezone(timedelta(hours=1)))
    assert parse_instant("2026-12-01T08:00", origin) == 8 * 3600
    assert parse_instant("2026-12-01T08:00Z", origin) == 9 * 3600
    assert parse_instant("2026-12-01T08:00+01:00", origin) == 8 * 3600


def test_seconds_pass_when_clocks_are_changed() -> None:
    summer = datetime(2026, 3, 28, 12, tzinfo=ZoneInfo("Europe/Berlin"))  # the next night has an hour less
    assert parse_instant("2026-03-29T12:00", summer) == 23 * 3600


def test_other_kinds_of_arguments_are_refused() -> None:
    with pytest.raises(TypeError, match="duration = 5 must be a str"):
        parse_duration(5)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="origin must be a datetime or its text, not 5"):
        parse_instant("2026-12-01", 5)  # type: ignore[arg-type]
