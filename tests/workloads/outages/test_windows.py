"""Maintenance in words becomes one row a machine, or an error that quotes the text."""

import math

import pytest

from schedcore import InvalidInstanceError, Machines, Outages
from schedcore.workloads import parse_outage, parse_outages

MACHINES = Machines.identical(6, [1], names=["n1", "n2", "n3", "n4", "login", "a b"])
ORIGIN = "2026-12-01"


@pytest.mark.parametrize(
    ("text", "machine", "start", "end"),
    [
        ("n[1-4] 2026-12-01T08:00 8h", [0, 1, 2, 3], 28_800, 57_600),
        ("n[1-4] 3600 8h", [0, 1, 2, 3], 3600, 32_400),
        ("all 3600 inf", [0, 1, 2, 3, 4, 5], 3600, math.inf),
        ("login 2d 2d12h", [4], 172_800, 388_800),
        ("n1 2026-12-01T08:00 2026-12-01T16:00", [0], 28_800, 57_600),
        ("n4, n1\t0  1:30:00 ", [3, 0], 0, 5400),
        ("n1 2026-11-30T12:00 1d", [0], 0, 43_200),  # began before time 0
    ],
)
def test_texts_mean_what_they_say(text: str, machine: list[int], start: float, end: float) -> None:
    n = len(machine)
    assert parse_outage(text, MACHINES, ORIGIN) == Outages(machine, [start] * n, [end] * n)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "outage '' is not HOSTS START LENGTH, as in 'n[1-4] 2026-12-01T08:00 8h'"),
        ("n1", "is not HOSTS START LENGTH"),
        ("n1 3600", "is not HOSTS START LENGTH"),
        ("n9 0 8h", "outage 'n9 0 8h': no machine is called 'n9' (machines are called 'n1' to"),
        ("n[1-4 0 8h", "outage 'n[1-4 0 8h': 'n[1-4' is malformed"),
        ("n1 n2 0 8h", "'n1 n2' is malformed: at position 2"),
        ("n1 2026-12-01 08:00 8h", "'08:00' is not an instant such as 2026-12-01T08:00"),
        ("n1 soon 8h", "outage 'n1 soon 8h': 'soon' is not an instant"),
        ("n1 0 long", "'long' is not a duration such as"),
        ("n1 0 0s", "it does not end after its start"),
        ("n1 9007199254740990 1h", "it ends beyond 2**53 seconds"),
        ("n1 9007199254740991 0.1", "it does not end after its start"),  # the sum is rounded to the start
        ("n1 2026-12-02 2026-12-01", "it does not end after its start"),
        ("n1 2026-11-01 1d", "it is over before time 0"),
        ("n1 -5 8h", "'-5' is not an instant"),
        ("n" * 500 + " 0 8h", "no machine is called"),
    ],
)
def test_other_texts_are_refused_with_a_quotation(text: str, message: str) -> None:
    with pytest.raises(InvalidInstanceError) as error:
        parse_outage(text, MACHINES, ORIGIN)
    assert message in str(error.value)
    assert len(str(error.value)) < 400


def test_dates_need_the_date_of_time_0() -> None:
    with pytest.raises(InvalidInstanceError, match="nothing says the date of time 0"):
        parse_outage("n1 2026-12-01 8h", MACHINES)


def test_several_windows_are_one_table() -> None:
    both = parse_outages(["n[1-2] 0 10", "login 5 inf"], MACHINES)
    assert both == Outages([0, 1, 4], [0, 0, 5], [10, 10, math.inf])
    assert len(parse_outages([], MACHINES)) == 0


def test_one_text_is_not_several() -> None:
    with pytest.raises(TypeError, match="texts must be several texts"):
        parse_outages("n1 0 8h", MACHINES)
    with pytest.raises(TypeError, match="outage = 5 must be a str"):
        parse_outage(5, MACHINES)  # type: ignore[arg-type]
