"""Pieces of HTML for notebooks: all texts are escaped, all tags are closed, pictures have the colour of the text."""

import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from html_pages import Elements
from schedcore.model.html_text import counted, facts, folded, items, panel, share_bar, sparkline, table


@given(st.text(), st.lists(st.text(), min_size=1, max_size=4))
def test_texts_are_shown_and_never_markup(text: str, more: list[str]) -> None:
    parts = (
        facts([(text, each) for each in more]),
        table(more, [more]),
        items(more),
        folded(text, items(more)),
    )
    page = Elements(panel(text, *parts))
    known = {"div", "b", "table", "tbody", "thead", "tr", "th", "td", "ul", "li", "details", "summary"}
    assert {tag for tag, _ in page.tags} <= known
    assert all(set(attributes) <= {"style", "scope"} for _, attributes in page.tags)


def test_numbers_are_grouped_and_texts_stay() -> None:
    page = Elements(table(["what", "n"], [["<b>", 1234567], ["x", 0.25]], "a & b"))
    assert page.text == "a & bwhatn<b>1,234,567x0.25"
    assert [each["style"] for each in page.of("td")] == ["text-align:left", "text-align:right"] * 2
    assert facts([("left out", "")]) == ""
    assert facts([("kept", 0)]) != ""
    assert (counted(1, "job"), counted(0, "job"), counted(2000, "job")) == ("1 job", "0 jobs", "2,000 jobs")


def heights(picture: str) -> list[float]:
    """How high each step of a sparkline is, in parts of the whole."""
    path = str(Elements(picture).of("path")[0]["d"])
    return [round(1 - float(each) / 36, 2) for each in re.findall(r"V([\d.]+)h", path)]


def test_the_largest_value_is_as_high_as_the_picture() -> None:
    assert heights(sparkline([0, 1, 4, 2], "starts")) == [0, 0.25, 1, 0.5]
    assert heights(sparkline([0, 0.25, 0.5], "use", top=1.0)) == [0, 0.25, 0.5]
    assert heights(sparkline([0, 1, 2], "more than all", top=1.0)) == [0, 0.5, 1]
    assert heights(sparkline([math.nan, -1, math.inf, 3, 1.5], "odd")) == [0, 0, 1, 1, 0.5]
    assert sparkline([], "none") == sparkline([0.0, math.nan, -1], "none") == ""


@given(st.lists(st.floats(), max_size=70))
def test_any_values_make_a_picture_inside_its_frame(values: list[float]) -> None:
    picture = sparkline(values, "any")
    assert picture == "" or all(0 <= height <= 1 for height in heights(picture))
    bar = Elements(share_bar(values, "any"))
    *parts, frame = bar.of("rect")
    assert all(float(str(part["width"])) >= 0 for part in parts)
    assert sum(float(str(part["width"])) for part in parts) <= 300 + len(parts) * 0.05
    assert frame["stroke"] == "currentColor"


@pytest.mark.parametrize("picture", [sparkline([1, 2], "<two>"), share_bar([0.5], "<half>")])
def test_pictures_have_the_colour_of_the_text_and_say_what_they_mean(picture: str) -> None:
    (svg,) = Elements(picture).of("svg")
    assert svg["aria-label"] in ("<two>", "<half>")
    assert set(re.findall(r'(?:fill|stroke)="([^"]*)"', picture)) <= {"currentColor", "none"}
    assert "style=" not in picture
