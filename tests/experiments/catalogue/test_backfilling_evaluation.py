"""The evaluation of backfilling: every cell rounds to the reference value, on the page and when it is run."""

import dataclasses
import re
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from data_folder import data_folder
from docs_script import docs_script
from experiments.described import WHOLE_EVALUATIONS, run_here
from schedcore import experiments
from schedcore.experiments import Experiment, load
from schedcore.workloads import read_swf

pytest.importorskip("pyarrow")
pytest.importorskip("pandas")

PAGE = (Path(__file__).parents[3] / "docs" / "backfilling-evaluation.md").read_text(encoding="utf-8")
MARKS = docs_script("marked_tables")
POLICIES = {"FF-EASY", "BL-EASY", "BB-EASY", "FF-CONS", "BL!-EASY", "BB!-EASY", "FF"}
# "9.4 / 0.3 (9/0)", "0.863 (0.86)", "-1.6 (-2)", "64 of 81 (64)"
PAIR = re.compile(r"^(-?[\d.]+) / (-?[\d.]+) \((-?\d+)/(-?\d+)\)$")
SINGLE = re.compile(r"^(-?[\d.]+)(?: of 81)? \((-?[\d.]+)\)$")
LOGS = {
    "sandia": "Sandia-Ross-2001-1.1-cln.swf.gz",
    "lpc": "LPC-EGEE-2004-1.2-cln.swf.gz",
    "hpc2n": "HPC2N-2002-2.2-cln.swf.gz",
    "ricc": "RICC-2010-2.swf.gz",
}


@pytest.fixture(scope="module")
def tables() -> ModuleType:
    return docs_script("backfilling_tables")


def compared(table: str) -> int:
    """Assert that every measured number of a table rounds to the one in brackets; count them."""
    n_compared = 0
    for line in table.splitlines():
        for text in (cell.strip() for cell in line.strip("|").split("|")):
            pair, single = PAIR.match(text), SINGLE.match(text)
            values = [(pair[1], pair[3]), (pair[2], pair[4])] if pair else []
            values += [(single[1], single[2])] if single else []
            for measured, printed in values:
                decimals = len(printed.partition(".")[2])
                shown = len(measured.partition(".")[2])  # is itself rounded
                limit = 0.5 * 10**-decimals + 0.5 * 10**-shown
                assert float(measured) == pytest.approx(float(printed), abs=limit + 1e-9), line
                n_compared += 1
    return n_compared


def test_every_mark_of_the_page_names_a_sweep_or_figure_and_holds_a_table() -> None:
    marks = list(MARKS.MARKED.finditer(PAGE))
    assert len(marks) == PAGE.count(": begin -->") > 20
    for mark in marks:
        experiment = experiments.load(mark["experiments"])
        assert mark["part"] in (
            experiment.figures if mark["what"] in MARKS.OF_EXPERIMENTS else experiment.sweeps
        )
        assert mark[0].count("\n|") > 2, mark["begin"]


def test_every_number_of_the_page_rounds_to_its_reference() -> None:
    counts = {
        (mark["part"], mark["what"]): compared(mark[0])
        for mark in MARKS.MARKED.finditer(PAGE)
        if mark["what"] in ("cells", "means")
    }
    assert counts == {
        (model, what): n
        for model in ("feitelson", "lublin")
        for what, n in (("cells", 27 * 13), ("means", 6 * 13))
    }


def test_the_tables_of_a_steady_state_say_how_it_was_reached(tables: ModuleType, tmp_path: Path) -> None:
    whole = load("backfilling-steady")
    small = dataclasses.replace(
        cut(whole, "lublin", n_resources=[2], variance_per_mille=[10], average_queue=[32]),
        workloads={"lublin": dataclasses.replace(whole.workloads["lublin"], arguments={"n_jobs": 400})},
        job_sets=(1, 2),
    )
    frame = run_here(small, tmp_path / "results").sweep("lublin")
    header, _, row = tables.steady_cells_table(frame).splitlines()
    cells = dict(
        zip(*([cell.strip() for cell in line.strip("|").split("|")] for line in (header, row)), strict=True)
    )
    assert (cells["K"], cells["v"], cells["load"]) == ("2", "0.01", "32")
    baseline = frame[frame["policy"] == "FF-EASY"]
    assert float(cells["offered"]) == pytest.approx(baseline["offered_load"].mean(), abs=5e-4)
    assert float(cells["growth, FF-EASY"]) == pytest.approx(baseline["queue_growth"].mean(), abs=5e-3)
    first_fit = frame[frame["policy"] == "FF"].set_index("job_set")
    of_base = baseline.set_index("job_set")
    gained = [
        (100 * (1 - first_fit[metric] / of_base[metric])).mean()
        for metric in ("steady_avg_response", "steady_weighted_avg_response")
    ]
    assert [float(text) for text in cells["FF"].split(" / ")] == pytest.approx(gained, abs=0.051)
    means = tables.steady_means_table(frame).splitlines()
    of_ff = [cell.strip() for cell in means[-1].strip("|").split("|")]
    assert of_ff[0] == "FF"
    assert float(of_ff[1].split(" ± ")[0]) == pytest.approx(gained[0], abs=0.051)
    assert of_ff[-3:] == [str(int(gained[0] > 0)), str(int(gained[1] > 0)), str(int(min(gained) > 0))]


def cut(experiment: Experiment, sweep: str, **wanted: list[Any]) -> Experiment:
    """One sweep alone, where its parameters have the values wanted."""
    own = experiment.sweeps[sweep]
    parameters = {name: wanted.get(name, values) for name, values in own.parameters.items()}
    return dataclasses.replace(
        experiment, sweeps={sweep: dataclasses.replace(own, parameters=parameters)}, figures={}
    )


@pytest.mark.parametrize("model", ["feitelson", "lublin"])
def test_a_cell_that_is_run_has_the_reference_values(
    tables: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model: str
) -> None:
    small = cut(
        load("backfilling-evaluation"), model, n_resources=[2], variance_per_mille=[10], average_queue=[32]
    )
    results = run_here(small, tmp_path / "results")
    assert len(results.rows) == 3 * len(POLICIES)
    assert not results.failures
    whole = tables.reference

    def one_cell(kind: str, of_model: str) -> Any:
        table = whole(kind, of_model)
        return table[
            (table["n_resources"] == 2) & (table["variance"] == 0.01) & (table["average_queue"] == 32)
        ]

    monkeypatch.setattr(tables, "reference", one_cell)
    assert compared(tables.cells_table(results.sweep(model))) == 13


def test_logs_that_are_run_give_the_rows_of_the_page(tables: ModuleType, tmp_path: Path) -> None:
    paths = {name: data_folder("pwa-swf", file) for name, file in LOGS.items()}
    whole = load("backfilling-logs")
    one_cell = {"first_jobs": [4000], "poisson_average_queue": [64]}
    sweeps = {name: dataclasses.replace(own, parameters=one_cell) for name, own in whole.sweeps.items()}
    small = dataclasses.replace(whole, sweeps=sweeps, figures={})
    results = run_here(small, tmp_path / "results", inputs=paths)
    assert len(results.rows) == (4 + 3) * 3 * len(POLICIES)
    assert not results.failures
    assert set(results.to_pandas()["n_jobs"]) == {4000}
    written = MARKS.page_with_tables(PAGE, {"backfilling-logs": results}, tables.TABLES)
    of_logs = [mark[0] for mark in MARKS.MARKED.finditer(written) if mark["what"] == "logs"]
    rows = [line for table in of_logs for line in table.splitlines() if "| 4,000 | 64 |" in line]
    assert len(rows) == 4 + 3
    assert all(row in PAGE for row in rows)


@pytest.mark.slow
@pytest.mark.skipif(not WHOLE_EVALUATIONS, reason="set SCHEDCORE_WHOLE_EVALUATIONS=1 to run all cells")
@pytest.mark.parametrize("model", ["feitelson", "lublin"])
def test_all_cells_that_are_run_have_the_reference_values_and_are_on_the_page(
    tables: ModuleType, tmp_path: Path, model: str
) -> None:
    results = experiments.run(cut(load("backfilling-evaluation"), model), tmp_path / "results", workers=1)
    assert len(results.rows) == 27 * 3 * len(POLICIES)
    assert not results.failures
    frame = results.sweep(model)
    for table, n_numbers in ((tables.cells_table(frame), 27 * 13), (tables.means_table(frame), 6 * 13)):
        assert compared(table) == n_numbers
        assert table in PAGE


def test_what_the_logs_leave_open_is_what_the_page_says() -> None:
    whole = load("backfilling-logs")
    capacity = {name: own.arguments.get("memory_capacity") for name, own in whole.workloads.items()}
    gigabyte = 1024 * 1024
    assert capacity == {
        "Sandia": 146_558_400,
        "LPC": 70 * 4_132_376,
        "HPC2N": 120 * gigabyte,
        "RICC": 1024 * 12 * gigabyte,
        "Sandia, 256 MB a node": 1524 * gigabyte // 4,
        "Sandia, 1.4 GB a node": 1524 * 1_465_584,
        "LPC, 3.9 GB in all": 4_132_376,
    }
    assert whole.workloads["RICC"].arguments["processors"] == 1024 * 8
    assert list(whole.sweeps["logs"].workloads) == ["Sandia", "LPC", "HPC2N", "RICC"]


@pytest.mark.parametrize(
    ("log", "options", "most"),
    [("lpc", {}, 4_132_376), ("sandia", {"status_rule": "ignore"}, 1524 * 96_167)],
)
def test_the_largest_job_of_a_log_uses_what_the_page_says(
    log: str, options: dict[str, Any], most: int
) -> None:
    instance, _ = read_swf(data_folder("pwa-swf", LOGS[log]), "used", **options)
    assert instance.machines.capacity[0, 1] == pytest.approx(most, rel=1e-5)


def test_the_experiments_have_the_cells_of_the_paper() -> None:
    whole = load("backfilling-evaluation")
    for model in ("feitelson", "lublin"):
        sweep = whole.sweeps[model]
        assert set(sweep.policies) == POLICIES
        assert {name: list(values) for name, values in sweep.parameters.items()} == {
            "n_resources": [2, 4, 8],
            "variance_per_mille": [10, 100, 1000],
            "average_queue": [32, 64, 128],
        }
    assert {f"figure-{n}" for n in range(8, 14)} <= set(whole.figures)
    assert {"figure-14", "figure-15"} <= set(load("backfilling-logs").figures)
    assert tuple(whole.job_sets) == (1, 2, 3)


def test_the_figures_of_the_workloads_are_drawn(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    figures = docs_script("backfilling_figures")
    figures.MANY_JOBS = 2000
    taken = figures.shares(data_folder("pwa-swf", LOGS["hpc2n"]))
    assert taken.shape == (figures.JOBS_OF_A_LOG, 2)
    assert 0 <= taken.min() <= taken.max() <= 1
    paths = figures.draw(tmp_path / "drawn", {"HPC2N": taken})
    assert [path.name for path in paths[::2]] == [f"figure-{n}.png" for n in range(1, 8)]
    assert all(path.stat().st_size > 1000 for path in paths)
