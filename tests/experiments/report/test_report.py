"""The report is one page that needs nothing else, says what is missing, and repeats nothing that could run."""

import dataclasses
import html
import itertools
import math
import re
import xml.etree.ElementTree as ElementTree
from base64 import b64decode
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from html_pages import Elements, refers_to_nothing_outside
from schedcore import registry
from schedcore.engine import solve
from schedcore.experiments import Claim, Experiment, Figure, Results, Sweep, Workload, open_results, run
from schedcore.experiments.description.document import from_document, to_document
from schedcore.experiments.description.toml_text import parse_toml
from schedcore.model import Instance, Result, Schedule

pytest.importorskip("jinja2")
pytest.importorskip("matplotlib")
pytest.importorskip("scipy")

HOSTILE = '</td><script>alert("x")</script><img src=x onerror=alert(1)>'


def small(name: str = "small", **changes: Any) -> Experiment:
    """An experiment with a figure of every kind, and one claim of every verdict."""
    experiment = Experiment(
        name=name,
        title="A small experiment",
        about="First paragraph.\n\nSecond paragraph.",
        job_sets=(1, 2, 3),
        workloads={"azure": Workload("azure_like"), "patience": Workload("patience", {"n_jobs": 40})},
        policies={"PQ": "pq", "MRIS": "mris:knapsack=greedy", "TETRIS": "tetris"},
        sweeps={
            "load": Sweep(
                ["azure"], ["PQ", "MRIS"], {"n_jobs": [30, 60], "n_machines": [2]}, keep=["delay_quantiles"]
            ),
            "packing": Sweep(["patience"], ["PQ", "TETRIS"], keep=["schedule"], job_sets=[1]),
        },
        figures={
            "load": Figure(
                "load",
                x="n_jobs",
                unit="days",
                lower_bound=True,
                title="Load",
                published_x=[60],
                published={"PQ": [12.5]},
                outcome="PQ is the better one.",
                claims=[
                    Claim("always so", "ratio", ("MRIS", "PQ"), (60, 60), (0.0, math.inf)),
                    Claim("never so", "ratio", ("MRIS", "PQ"), (60, 60), (1e6, math.inf)),
                    Claim("whatever it is", "value", ("PQ",), (30,)),
                ],
            ),
            "bars": Figure("load", kind="bars", where={"n_jobs": 60}, title="Bars"),
            "delays": Figure("load", kind="delays", where={"n_jobs": 60}, unit="days", title="Delays"),
            "packing": Figure("packing", kind="packing", title="Packing"),
        },
    )
    return dataclasses.replace(experiment, **changes)


def finished(experiment: Experiment, folder: Path, figures: list[str] | None = None) -> Results:
    with ThreadPoolExecutor(1) as executor:
        return run(experiment, folder, executor=executor, figures=figures)


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    return finished(small(), tmp_path_factory.mktemp("report") / "r")


@pytest.fixture(scope="module")
def page(results: Results, tmp_path_factory: pytest.TempPathFactory) -> str:
    return results.report(tmp_path_factory.mktemp("page") / "report.html").read_text(encoding="utf-8")


def test_the_page_refers_to_nothing_outside_itself(page: str) -> None:
    elements = refers_to_nothing_outside(page)
    assert not elements.of("script")
    (policy,) = (tag["content"] for tag in elements.of("meta") if "http-equiv" in tag)
    assert policy == "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


def test_links_lead_to_places_on_the_page(page: str) -> None:
    elements = Elements(page)
    ids = [attributes["id"] for _, attributes in elements.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    assert {f"#{name}" for name in ids} >= {str(tag["href"]) for tag in elements.of("a")}


def test_every_figure_is_embedded_as_svg_with_a_text_for_those_who_do_not_see_it(page: str) -> None:
    images = Elements(page).of("img")
    assert len(images) == 4
    for image in images:
        drawing = b64decode(str(image["src"]).partition(",")[2])
        assert ElementTree.fromstring(drawing).tag == "{http://www.w3.org/2000/svg}svg"
        assert b"<script" not in drawing
        assert "PQ" in str(image["alt"])


def test_headings_are_in_order_and_tables_have_captions_and_scopes(page: str) -> None:
    elements = Elements(page)
    levels = [int(tag[1]) for tag, _ in elements.tags if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in itertools.pairwise(levels))
    assert len(elements.of("caption")) == len(elements.of("table")) > 5
    assert all(tag.get("scope") in ("col", "row", "rowgroup") for tag in elements.of("th"))
    assert all(box["tabindex"] == "0" and box["aria-label"] for box in elements.of("div") if "role" in box)


def test_numbers_of_the_tables_and_claims_are_on_the_page(results: Results, page: str) -> None:
    text = Elements(page).text
    for name, figure in results.experiment.figures.items():
        assert figure.title in text
        for row in results.table(name).rows:
            assert all(cell in text for cell in row)
    assert "PQ is the better one." in text
    assert "PQ (published)" in text
    assert "Of 3 expectations\n1 agree, 1 differ,\n1 cannot hold on the workload and 0 have not run." in text
    assert re.search(r"always so\s*at least 0\s*[\d.]+ ± [\d.]+\s*agrees", text)
    assert re.search(r"never so\s*at least 1e\+06|never so\s*at least 1,000,000", text)
    assert re.search(r"whatever it is\s*-\s*[\d.]+ ± [\d.]+\s*nothing expected", text)
    assert "First paragraph." in text
    assert "Second paragraph." in text


def test_provenance_names_code_workloads_policies_and_cost(results: Results, page: str) -> None:
    text = Elements(page).text
    row = results.rows[0]
    assert f"schedcore {row['schedcore_version']}" in text
    assert row["schedcore_commit"][:12] in text
    assert row["host"] in text
    assert row["python_version"] in text
    assert row["numpy_version"] in text
    assert all(row["workload_hash"][:16] in text for row in results.rows)
    assert len(re.findall(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", text)) == 2
    for policy in ("pq", "mris", "tetris"):
        assert all(f"{option.name} = " in text for option in registry.get(policy).options)
    assert "knapsack = greedy" in text
    assert "MiB" in text


def test_instances_that_differ_in_their_draws_alone_share_a_line(results: Results, page: str) -> None:
    table = page.partition("Workloads of the finished cells")[2].partition("</table>")[0]
    body = table.partition("<tbody>")[2]
    assert body.count("<tr>") == 3  # 30 and 60 jobs of azure_like, and patience
    assert body.count("seed 3: ") == 2


def test_the_same_results_give_the_same_bytes(results: Results, page: str, tmp_path: Path) -> None:
    again = open_results(results.path).report(tmp_path / "again.html")
    assert again.read_text(encoding="utf-8") == page


def test_the_description_on_the_page_is_the_experiment(results: Results, page: str) -> None:
    (text,) = re.findall(r"runs it again</summary>\s*<pre>(.*?)</pre>", page, flags=re.DOTALL)
    read = from_document(parse_toml(html.unescape(text).encode()))
    assert to_document(read) == to_document(results.experiment)


def test_a_partial_run_gives_a_page_that_says_what_is_missing(tmp_path: Path) -> None:
    partial = finished(small(), tmp_path / "r", figures=["packing"])
    text = Elements(partial.report(tmp_path / "report.html").read_text(encoding="utf-8")).text
    assert "2 of 14" in text
    assert text.count("no cell has finished yet") == 3
    assert "Of 3 expectations\n0 agree, 0 differ,\n0 cannot hold on the workload and 3 have not run." in text
    assert (
        text.count("not run yet") == 3 + 4
    )  # the expectations, and with the one without a range in their figure


def test_a_run_without_any_row_and_an_experiment_without_figures_give_pages(tmp_path: Path) -> None:
    finished(small(figures={}), tmp_path / "r")
    for part in (tmp_path / "r" / "rows").iterdir():
        part.unlink()
    page = open_results(tmp_path / "r").report(tmp_path / "report.html").read_text(encoding="utf-8")
    text = Elements(page).text
    assert "0 of 14" in text
    assert "The description expects nothing in particular." in text


@pytest.fixture
def bad_policies(monkeypatch: pytest.MonkeyPatch) -> None:
    """CA-PQ raises, and TETRIS starts all jobs at once."""

    def badly(policy: str, inst: Instance, **options: Any) -> Result:
        if policy == "ca_pq":
            raise RuntimeError(HOSTILE)
        schedule = solve(policy, inst, **options).schedule
        if policy == "tetris":
            schedule = Schedule(np.full(inst.n_jobs, 1e9), np.zeros(inst.n_jobs, dtype=np.int64))
        return Result(schedule, "awct", 1.0, lower_bound=0.5)

    monkeypatch.setattr("schedcore.problems.measurement.solve", badly)


@pytest.mark.usefixtures("bad_policies")
def test_failed_and_invalid_cells_are_told_and_nothing_of_them_runs(tmp_path: Path) -> None:
    experiment = Experiment(
        name="bad",
        title=HOSTILE,
        about=HOSTILE,
        workloads={"azure": Workload("azure_like", {"n_jobs": 30, "n_machines": 2})},
        policies={HOSTILE: "pq", "F": "ca_pq", "L": "tetris"},
        sweeps={HOSTILE: Sweep(["azure"], [HOSTILE, "F", "L"])},
        figures={
            "bars": Figure(
                HOSTILE, kind="bars", title=HOSTILE, outcome=HOSTILE,
                claims=[Claim(HOSTILE, "value", (HOSTILE,), between=(0, 1))],
            )
        },
    )  # fmt: skip
    results = finished(experiment, tmp_path / "r")
    page = results.report(tmp_path / "report.html").read_text(encoding="utf-8")
    elements = Elements(page)
    assert not elements.of("script")
    assert all("onerror" not in attributes for _, attributes in elements.tags)
    assert len(elements.of("img")) == 1
    assert elements.text.count(HOSTILE) > 8
    assert "2 cells failed or have an invalid schedule." in elements.text
    assert "Traceback (most recent call last)" in elements.text
    assert "invalid schedule: " in elements.text


def test_an_unwritable_page_leaves_the_one_that_was_there(results: Results, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError, match="folder"):
        results.report(tmp_path / "folder")
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


def test_a_page_that_cannot_be_made_leaves_the_one_that_was_there(
    results: Results, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "report.html").write_text("before")

    def fail(*_: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr("os.replace", fail)
    with pytest.raises(OSError, match="disk full"):
        results.report(tmp_path / "report.html")
    assert (tmp_path / "report.html").read_text() == "before"
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]


def test_a_figure_that_cannot_be_drawn_any_more_says_why(
    results: Results, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(*_: object, titled: bool) -> None:
        raise FileNotFoundError("jobs.parquet: no such file")

    monkeypatch.setattr("schedcore.experiments.report.page.drawn_figure", gone)
    elements = Elements(results.report(tmp_path / "report.html").read_text(encoding="utf-8"))
    assert elements.text.count("The figure cannot be drawn: jobs.parquet: no such file.") == 4
    assert not elements.of("img")
