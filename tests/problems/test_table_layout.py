"""Tables fit the width that there is: texts go on in new lines, numbers never; what finds no room is named."""

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from schedcore.problems.presentation import Column, Table
from schedcore.problems.table_layout import laid_out, wrapped

ROWS = [
    {"policy": "easy", "wait": 1.5, "use": 71.25, "check": "valid"},
    {"policy": "easy:selection=bb!,queue_depth=100", "wait": 12.0, "use": None, "check": "INVALID"},
]
COLUMNS = [
    Column("policy", "policy", is_text=True),
    Column("wait", "mean\nwait", lambda value: f"{value:.2f}", unit="h"),
    Column("use", "utili-\nsation", lambda value: f"{value:.1f} %"),
    Column("check", "check", is_text=True),
]


def lines(table: Table, width: int) -> list[str]:
    layout = laid_out(table, width)
    return [*layout.title, *layout.header, *layout.body, *layout.note]


def test_where_there_is_room_a_row_is_a_line_without_borders() -> None:
    assert lines(Table(ROWS, COLUMNS, "a log: 2 jobs", "2 % left out"), 80) == [
        "a log: 2 jobs",
        "                                      mean",
        "                                      wait   utili-",
        "policy                                   h   sation   check",
        "easy                                  1.50   71.2 %   valid",
        "easy:selection=bb!,queue_depth=100   12.00        -   INVALID",
        "2 % left out",
    ]


def test_a_policy_goes_on_in_a_new_line_behind_its_options() -> None:
    assert lines(Table(ROWS, COLUMNS), 48) == [
        "                           mean",
        "                           wait  utili-",
        "policy                        h  sation  check",
        "easy                       1.50  71.2 %  valid",
        "easy:selection=bb!,       12.00       -  INVALID",
        "  queue_depth=100",
    ]


def test_columns_that_find_no_room_are_named_with_the_width_that_they_need() -> None:
    last = ["easy:             12.00      - INVALID", "  selection=bb!,", "  queue_depth=100"]
    assert lines(Table(ROWS, COLUMNS), 38)[-3:] == last
    assert lines(Table(ROWS, COLUMNS), 37)[-5:] == [
        "easy                    1.50  valid",
        "easy:selection=bb!,    12.00  INVALID",
        "  queue_depth=100",
        "no room for: utilisation (COLUMNS=38",
        "  shows them)",
    ]


def test_texts_of_a_page_are_broken_and_stay_indented() -> None:
    assert list(wrapped("short", 10)) == ["short"]
    assert list(wrapped("  some more words", 12)) == ["  some more", "    words"]
    assert list(wrapped("abcdefghijkl\n\nx", 5)) == ["abcde", "  fgh", "  ijk", "  l", "", "x"]


WORDS = st.text(st.sampled_from("abc =:,-_%字"), max_size=24)


@given(
    st.lists(
        st.fixed_dictionaries({"one": WORDS, "two": WORDS, "number": st.integers(-(10**6), 10**6)}),
        max_size=4,
    ),
    st.integers(10, 90),
)
def test_no_line_is_wider_than_there_is_room(rows: list[dict[str, Any]], width: int) -> None:
    columns = [Column("one", "one", is_text=True), Column("number", "n"), Column("two", "two", is_text=True)]
    layout = laid_out(Table(rows, columns, "so many rows", "and no more than these"), width)
    for line in (*layout.title, *layout.header, *layout.body, *layout.note):
        assert cell_len(line) <= width


@given(st.lists(WORDS, max_size=5), st.integers(6, 40))
def test_texts_lose_nothing_however_they_are_broken(texts: list[str], width: int) -> None:
    table = Table([{"a": text} for text in texts], [Column("a", "text", is_text=True)])
    body = "".join(laid_out(table, width).body)
    assert re.sub(r"\s", "", body) == re.sub(r"\s", "", "".join(texts))


@pytest.mark.parametrize("width", [1, 5, 20])
def test_however_narrow_nothing_is_lost_silently(width: int) -> None:
    shown = lines(Table(ROWS, COLUMNS), width)
    text = "".join(line.replace(" ", "") for line in shown)
    assert "noroomfor:" in text
