"""A table of results looks, converts and draws as the command says; in a notebook nothing of a label is markup."""

import csv
import io
import json
import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import schedcore
from example_shares import examples
from schedcore.comparisons.html_table import in_html
from schedcore.errors import InvalidInstanceError, UnsupportedError
from schedcore.problems.presentation import Column, Presentation, Table

JOBS = "azure_like:n_jobs=200,n_machines=2"
SPEED = re.compile(r"  +\S+(?=   (check|valid))")  # jobs a second, measured anew each time


@pytest.fixture(scope="module")
def table() -> schedcore.ComparisonTable:
    return schedcore.compare(JOBS, ["pq", "easy:order=lxf", "fcfs"])


class Page(HTMLParser):
    """Texts of cells, which of them are bold, and whether every tag is closed where it should be."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.rows: list[list[str]] = []
        self.bold: list[str] = []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tags.add(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")
        if tag != "br":
            self.open.append(tag)
        elif "td" in self.open:
            self.rows[-1][-1] += "\n"

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "td" in self.open or "th" in self.open:
            self.rows[-1][-1] += data
        if "b" in self.open:
            self.bold.append(data)


def test_it_prints_as_the_command_does(cli: Callable[..., Any], table: schedcore.ComparisonTable) -> None:
    printed = cli("compare", JOBS, "-p", "pq", "-p", "easy:order=lxf", "-p", "fcfs").stdout
    assert SPEED.sub("", f"{table!r}\n") == SPEED.sub("", printed)
    assert str(table) == repr(table)


def test_rows_are_found_by_label_and_by_column(table: schedcore.ComparisonTable) -> None:
    assert len(table) == 3
    assert [row["policy"] for row in table] == list(table.evaluations) == ["pq", "easy:order=lxf", "fcfs"]
    assert "fcfs" in table
    assert "recorded" not in table
    assert table["pq"].figures["awct"] == table.rows[0]["awct"] == table.results["pq"].value
    assert table.bounds["awct"] == table.rows[0]["lower_bound"]
    with pytest.raises(KeyError, match="there are: pq, easy:order=lxf, fcfs"):
        table["sjf"]


def test_programs_get_the_same_columns_however_they_ask(
    table: schedcore.ComparisonTable, tmp_path: Path
) -> None:
    read = list(csv.DictReader(io.StringIO(table.to_csv(tmp_path / "t.csv"))))
    assert (tmp_path / "t.csv").read_text() == table.to_csv()
    assert json.loads(table.to_json(tmp_path / "t.json")) == json.loads((tmp_path / "t.json").read_text())
    assert table.columns == list(read[0])
    assert any(column.startswith("utilisation_") for column in table.columns)
    waits = [row["avg_wait"] for row in table.rows]
    assert [float(row["avg_wait"]) for row in read] == waits
    frame = pytest.importorskip("pandas") and table.to_pandas()
    assert list(frame.columns) == table.columns
    assert frame["avg_wait"].tolist() == waits
    pytest.importorskip("pyarrow")
    assert table.to_arrow().column_names == table.columns
    assert table.to_arrow()["avg_wait"].to_pylist() == waits
    pytest.importorskip("polars")
    assert table.to_polars().columns == table.columns
    assert table.to_polars()["avg_wait"].to_list() == waits


def test_tables_with_failures_convert_too() -> None:
    inst = schedcore.Instance(schedcore.Jobs([4.0, 1.0], [[3], [1]]), schedcore.Machines([[2], [4]]))
    table = schedcore.compare(inst, ["easy", "pq", "mris"])
    assert {row["verdict"] for row in table} >= {"valid"}
    for frame in (table.to_pandas(), table.to_polars(), table.to_arrow()):
        assert len(frame) == len(table)


def test_a_notebook_shows_the_table_with_the_best_of_each_column_in_bold(
    table: schedcore.ComparisonTable,
) -> None:
    page = Page(table._repr_html_())
    assert [row[0] for row in page.rows] == ["policy", "pq", "easy:order=lxf", "fcfs"]
    best = min(table.rows, key=lambda row: row["awct"])["policy"]
    (winner,) = (row for row in page.rows if row[0] == best)
    assert winner[1] in page.bold
    assert page.tags <= {
        "div",
        "table",
        "caption",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
        "b",
        "br",
        "p",
        "span",
    }


def test_of_classes_there_is_a_second_table_without_a_best() -> None:
    table = schedcore.compare(JOBS, ["pq", "fcfs"], classes="size")
    html = table._repr_html_()
    assert Page(html).rows
    assert html.count("<table>") == 2
    assert "<b>" not in html.split("<table>")[2]
    assert "class" in table.to_csv().splitlines()[0]
    assert table.columns[0] == "policy"


def test_labels_are_no_markup() -> None:
    label = "<script>alert('&')</script>"
    table = schedcore.compare(JOBS, {label: "pq", 'a"b': "fcfs"})
    page = Page(table._repr_html_())
    assert [row[0] for row in page.rows[1:]] == [label, 'a"b']
    assert "script" not in page.tags


ROWS = st.lists(
    st.fixed_dictionaries(
        {
            "policy": st.text(st.sampled_from("ab<>&\"'\n"), max_size=6) | st.just("recorded"),
            "avg_wait": st.none() | st.integers(0, 3) | st.floats(),
            "zero_wait_share": st.integers(0, 3),
            "problem": st.none() | st.just("job 1 starts early"),
        }
    ),
    max_size=5,
)


@examples(100)
@given(ROWS)
def test_bold_is_the_best_of_those_that_are_valid(rows: list[dict[str, Any]]) -> None:
    """What really happened does not compete."""
    wait, share = Column("avg_wait", "mean\nwait"), Column("zero_wait_share", "at once")
    table = Table(rows, [Column("policy", "policy", is_text=True), wait, share], "a <title>", "a & note")
    page = Page(in_html(Presentation(rows, rows, (table, "text"))))
    assert [row[0] for row in page.rows[1:]] == [row["policy"] for row in rows]
    valid = [row for row in rows if row["problem"] is None and row["policy"] != "recorded"]
    known = [row["avg_wait"] for row in valid if row["avg_wait"] is not None]
    waits = [value for value in known if abs(value) < float("inf")]
    shares = [row["zero_wait_share"] for row in valid]
    expected = [value for value in waits if value == min(waits) < max(waits)]
    expected += [value for value in shares if value == max(shares) > min(shares)]
    assert sorted(page.bold) == sorted(map(str, expected))


def test_a_report_is_the_page_of_the_command(cli: Callable[..., Any], site: Path, tmp_path: Path) -> None:
    for package in ("jinja2", "matplotlib"):
        pytest.importorskip(package)
    table = schedcore.compare(site, ["easy", "fcfs", "recorded"], n_resources=1)
    path = table.report(tmp_path / "python.html")
    assert path == tmp_path / "python.html"
    words = ("-p", "easy", "-p", "fcfs", "-p", "recorded", "--read", "n_resources=1")
    assert cli("compare", site, *words, "--report", tmp_path / "command.html").exit_code == 0
    pages = [(tmp_path / f"{name}.html").read_text(encoding="utf-8") for name in ("python", "command")]
    call = f"schedcore.compare(&#39;{site}&#39;, [&#39;easy&#39;, &#39;fcfs&#39;, &#39;recorded&#39;], n_resources=1)"
    assert call in pages[0]
    repeated = re.compile("<pre>.*?</pre>", re.DOTALL)
    assert repeated.sub("", pages[0]) == repeated.sub("", pages[1])
    with pytest.raises(FileExistsError, match="overwrite=True"):
        table.report(path)
    assert table.report(path, overwrite=True).read_text(encoding="utf-8") == pages[0]
    with pytest.raises(FileNotFoundError):
        table.report(tmp_path / "none" / "out.html")
    swept = schedcore.sweep(site, "easy", machines=[8, 12], n_resources=1)
    assert "machines=[8, 12]" in swept.report(tmp_path / "swept.html").read_text(encoding="utf-8")


def test_drawings_are_those_of_the_command(table: schedcore.ComparisonTable, site: Path) -> None:
    figures = pytest.importorskip("matplotlib.figure")
    (waits,) = table.plot().axes
    assert waits.get_xlabel() == table.plot("queuing_delay").axes[0].get_xlabel()
    assert len(waits.lines) >= len(table)
    assert len(table.plot("utilisation").axes) > 1
    assert "average weighted completion time" in table.plot("awct").axes[0].get_xlabel()
    ax = figures.Figure().subplots()
    assert table.plot("awct", ax=ax) is ax.figure
    assert ax.get_xlabel() == table.plot("awct").axes[0].get_xlabel()
    with pytest.raises(InvalidInstanceError, match="did you mean 'utilisation'"):
        table.plot("utilization")
    with pytest.raises(UnsupportedError, match="utilisation has several panels"):
        table.plot("utilisation", ax=ax)
    swept = schedcore.sweep(site, "easy", machines=[8, 12], n_resources=1)
    drawn, alone = swept.plot(), figures.Figure().subplots()
    assert swept.plot(ax=alone) is alone.figure
    (line, *_), (same, *_) = drawn.axes[0].lines, alone.lines
    assert line.get_xydata().tolist() == same.get_xydata().tolist()
    assert line.get_xdata().tolist() == [8.0, 12.0]


def test_what_failed_is_not_drawn() -> None:
    pytest.importorskip("matplotlib")
    inst = schedcore.Instance(schedcore.Jobs([1.0], [[3]]), schedcore.Machines([[2]]))
    with pytest.raises(UnsupportedError, match="no policy has what a drawing shows"):
        schedcore.compare(inst, "pq").plot()


def test_notes_say_what_figures_cannot(table: schedcore.ComparisonTable) -> None:
    assert table.notes == ("easy:order=lxf, fcfs ignore: weight",)
    assert table.data_report.source == "azure_like:seed=1,n_jobs=200,n_machines=2"


def test_of_variants_bounds_are_told_one_by_one(site: Path) -> None:
    table = schedcore.compare(site, "easy", machines="+50%", n_resources=1)
    assert set(table.bounds) == {"machines recorded", "machines +50%"}
    assert table.columns[:3] == ["policy", "machines", "cluster_size"]
    assert Page(table._repr_html_()).rows[2][:2] == ["easy", "+50%"]
