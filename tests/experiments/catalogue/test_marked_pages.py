"""Pages take tables of claims and drawings from results: one row a statement, small files, nothing else changed."""

import dataclasses
from pathlib import Path

import pytest

from docs_script import docs_script
from experiments.described import described, run_here
from schedcore.experiments import Claim, Results

pytest.importorskip("pyarrow")

MARKS = docs_script("marked_tables")
DRAWINGS = docs_script("embedded_drawings")
X = (20, 40, 80)


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    experiment = described("lines", "bars")
    claims = [
        *(Claim(f"MRIS is best, {x}", "ratio", ("PQ", "MRIS"), (x, x), more_than=1) for x in X[:2]),
        Claim("MRIS is best, 80", "ratio", ("PQ", "MRIS"), (80, 80), more_than=1, why="More wait."),
        Claim("PQ is there, 20", "value", ("PQ",), (20,)),
    ]
    figures = dict(experiment.figures)
    figures["lines"] = dataclasses.replace(figures["lines"], claims=claims, published={}, published_x=())
    experiment = dataclasses.replace(experiment, figures=figures)
    return run_here(experiment, tmp_path_factory.mktemp("marked") / "results")


def test_claims_that_differ_in_x_alone_share_a_row(results: Results) -> None:
    table = MARKS.table_of_claims(results.claims("lines"))
    assert table.header == ["claim", "expected", "20", "40", "80", "why"]
    (best, *ratios, why), (there, *value, no_reason) = table.rows
    assert (best, there) == ("MRIS is best", "PQ is there")
    assert (why, no_reason) == ("More wait.", "")
    assert ratios[0] == "direction: above 1"
    for cell, outcome in zip(ratios[1:], results.claims("lines"), strict=False):
        assert outcome.measured is not None
        assert cell == f"{outcome.measured.mean:.3f} ± {outcome.measured.half_width:.3f}: {outcome.verdict}"
    assert value[0] == "-"
    assert value[2:] == ["-", "-"]
    assert ":" not in value[1]  # nothing is expected


def test_verdicts_are_counted_by_figure(results: Results) -> None:
    table = MARKS.verdicts(results, results.experiment.figures)
    lines, total = table.rows
    assert lines[0] == "lines"
    assert sum(map(int, lines[2:])) == 3
    assert total == ["all", "", *lines[2:]]
    outcomes = [outcome.verdict for outcome in results.claims("lines")]
    assert [outcomes.count(verdict) for verdict in table.header[2:]] == [int(cell) for cell in lines[2:]]


def test_a_page_is_written_anew_and_its_figures_drawn(results: Results, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    page = (
        "![lines](images/small-lines.png)\n![again](images/small-lines.png)\n![other](images/big-bars.png)\n"
        "<!-- small lines claims-by-x: begin -->\nwas here\n<!-- end -->\n"
        "<!-- big verdicts: begin -->\nas it was\n<!-- end -->\n"
    )
    text = MARKS.page_with_tables(page, {"small": results}, {})
    assert "was here" not in text
    assert "| MRIS is best |" in text
    assert "\nas it was\n" in text
    paths = DRAWINGS.draw_embedded(text, {"small": results}, tmp_path)
    assert [path.name for path in paths] == ["small-lines.png"]
    assert 2_000 < paths[0].stat().st_size < 60_000
