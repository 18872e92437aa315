"""What a notebook shows of the account of a source: warnings first, and nothing of it is markup."""

import dataclasses
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from html_pages import Elements
from schedcore import Instance, Jobs, Machines
from schedcore.workloads import DataReport
from schedcore.workloads.reading.report import make_report

REPORT = DataReport(
    source="log.swf",
    rows_read=1200,
    n_jobs=1000,
    dropped=Counter(no_time=200),
    repaired=Counter(missing_estimate=300),
    dropped_work={"no_time": {"cores": 0.25}},
    meaning={"no_time": "it never ran"},
    units={"time": "s", "cores": "cores"},
    capacity={"cores": 4096},
    load={"cores": 0.5},
    assumptions=("a line is a job",),
    warnings=("a quarter of the work is lost",),
    origin="2026-12-01T08:00:00",
)


def test_a_report_by_hand() -> None:
    text = Elements(REPORT._repr_html_()).text
    assert text.startswith(
        "log.swfWARNING: a quarter of the work is lostrows read1,200jobs1,000left out200 rows; 25"
    )
    assert "time ins" in text
    assert "time 02026-12-01T08:00:00" in text
    assert "cores4,096cores0.500" in text
    assert "dropped: no_time200it never ran" in text
    assert "repaired: missing_estimate300" in text
    assert text.endswith("assumeda line is a job")


def test_a_source_that_lost_nothing_is_short() -> None:
    instance = Instance(Jobs([1.0], [[1]]), Machines([[2]], ["cores"]))
    text = Elements(make_report("made", instance)._repr_html_()).text
    assert text == "maderows read1jobs1resourcecapacityunitoffered loadcores2-"


@given(st.text(), st.floats())
def test_no_text_and_no_number_of_a_report_is_markup(text: str, load: float) -> None:
    hostile = dataclasses.replace(
        REPORT,
        source=text, warnings=(text,), assumptions=(text,), meaning={"no_time": text}, origin=text,
        units={"time": text, "cores": text}, load={"cores": load}, job_word=text,
    )  # fmt: skip
    page = Elements(hostile._repr_html_())
    assert {tag for tag, _ in page.tags} <= {
        "div", "b", "ul", "li", "table", "thead", "tbody", "tr", "th", "td", "details", "summary",
    }  # fmt: skip
