"""Every kind of figure is drawn where it is asked to be, from whatever cells have finished, and always alike."""

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from experiments.described import described, run_here
from schedcore import InvalidInstanceError
from schedcore.experiments import Experiment, Results, open_results
from schedcore.experiments.report.drawing import LEAST, drawn_figure
from schedcore.experiments.results.folder import ResultsFolder
from schedcore.experiments.running.cells import Cell, unique_cells
from schedcore.plotting.layout import texts
from schedcore.reporting.pictures import encoded

pytest.importorskip("pyarrow")
pytest.importorskip("scipy")
pytest.importorskip("matplotlib")

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure as Drawing
from matplotlib.text import Text

KINDS = ("lines", "bars", "delays", "packing")


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    return run_here(described(), tmp_path_factory.mktemp("figures") / "results")


@pytest.fixture(scope="module")
def saved(results: Results, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """All figures as files: to draw them takes longer than to run the experiment."""
    return results.save_figures(tmp_path_factory.mktemp("saved") / "deep" / "first")


@pytest.fixture
def ax() -> Any:
    return Drawing().subplots()


@pytest.fixture(scope="module")
def with_long_names(tmp_path_factory: pytest.TempPathFactory) -> Results:
    names = {
        policy: f"{policy} with a name that takes up much more room than there is"
        for policy in ("MRIS", "PQ")
    }
    return run_here(described(names=names), tmp_path_factory.mktemp("long") / "results")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("suffix", ["png", "svg"])
def test_nothing_written_in_a_figure_is_cut(
    with_long_names: Results, monkeypatch: pytest.MonkeyPatch, kind: str, suffix: str
) -> None:
    drawn = []
    monkeypatch.setattr(Drawing, "savefig", lambda figure, *_, **options: drawn.append((figure, options)))
    encoded(drawn_figure(with_long_names, kind, titled=True), [suffix], "", LEAST)
    ((figure, options),) = drawn
    figure.set_dpi(options["dpi"])
    figure.set_layout_engine("none")  # as it is written
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    pixels = np.asarray(canvas.buffer_rgba())[:, :, :3]
    for edge in (pixels[0], pixels[-1], pixels[:, 0], pixels[:, -1]):
        assert (edge == 255).all()
    written = texts(figure)
    names = {text.get_text().replace("\n", " ") for text in figure.findobj(Text) if text in written}
    n_policies = 1 if kind == "bars" else 2
    assert len([name for name in names if "takes up much more room" in name]) == n_policies


def part(results: Results, folder: Path, wanted: Any) -> Results:
    """Results with only the rows of the cells that `wanted` accepts."""
    experiment = results.experiment
    made = ResultsFolder.create(folder, experiment, {})
    cells = unique_cells(experiment)
    made.append([row for row in results.to_arrow().to_pylist() if wanted(cells[row["cell"]])])
    return open_results(folder)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_drawn_into_the_given_axes(results: Results, ax: Any, kind: str) -> None:
    assert results.plot(kind, ax=ax) is ax
    ax.figure.canvas.draw()
    panels = [ax, *ax.child_axes]
    assert any(panel.lines or panel.patches or panel.collections for panel in panels)
    assert any(panel.get_xlabel() for panel in panels)


def test_lines_show_means_and_bands_in_the_unit_of_the_figure(results: Results, ax: Any) -> None:
    results.plot("lines", ax=ax)
    frame = results.sweep("load")
    for policy, line in zip(("MRIS", "PQ"), ax.lines, strict=False):
        assert line.get_label() == policy
        of_policy = frame[(frame["policy"] == policy) & (frame["n_resources"] == 4)]
        means = of_policy.groupby("n_jobs")["awct"].mean() / 86400
        np.testing.assert_allclose(line.get_xdata(), means.index)
        np.testing.assert_allclose(line.get_ydata(), means)
    assert len(ax.lines) == 3  # with the lower bound
    assert ax.get_xscale() == "linear"
    assert ax.get_ylabel() == "AWCT (days)"


def test_the_lower_bound_is_a_column_of_a_table_with_panels(results: Results) -> None:
    whole = dataclasses.replace(
        results.experiment.figures["lines"],
        panels="n_resources",
        where={},
        published_x=(),
        published={},
        claims=(),
    )
    with_panels = dataclasses.replace(results.experiment, figures={"lines": whole})
    opened = open_results(results.path, with_panels)
    table = opened.table("lines", job_sets=(1,))
    assert table.header == ["n_resources", "n_jobs", "MRIS", "PQ", "lower bound"]
    assert all(len(row) == len(table.header) for row in table.rows)
    bounds = [bound.mean for _, bound in opened.figure_data("lines").lower_bound()]
    assert [float(row[-1].split()[0]) for row in table.rows[::2]] == pytest.approx(bounds, rel=1e-3)
    assert [row[-1] for row in table.rows[1::2]] == ["-"] * 6


def test_bars_show_means_and_whiskers(results: Results, ax: Any) -> None:
    results.plot("bars", ax=ax)
    frame = results.sweep("grid")
    shown = frame[(frame["workload"] == "azure") & (frame["n_jobs"] == 10)]
    shown = shown[shown["policy.heuristic"] == "erf"]
    assert len(shown) == 2
    assert [bar.get_width() for bar in ax.patches] == [pytest.approx(shown["makespan"].mean() / 3600)]
    assert ax.get_xlabel() == "makespan (hours)"


def test_delays_are_averaged_quantile_by_quantile(results: Results, ax: Any) -> None:
    results.plot("delays", ax=ax)
    assert [line.get_label() for line in ax.lines] == ["PQ", "MRIS"]
    frame = results.sweep("delays")
    columns = results.large_columns("delay_quantiles")
    for line in ax.lines:
        cells = frame[frame["policy"] == line.get_label()]["cell"]
        quantiles = np.array([columns[cell]["delay_quantiles"] for cell in cells])
        assert quantiles.shape == (3, 1000)
        x, share = line.get_data()
        for limit in x[:-1]:
            assert share[x == limit][0] == pytest.approx(np.mean(quantiles.mean(axis=0) / 100 <= limit))


def test_packings_have_a_panel_a_policy_over_one_axis_of_time(results: Results, ax: Any) -> None:
    results.plot("packing", ax=ax)
    assert [panel.get_title(loc="right") for panel in ax.child_axes] == ["MRIS", "PQ"]
    assert len({panel.get_xlim() for panel in ax.child_axes}) == 1


def test_without_a_name_the_first_figure_is_drawn_into_a_new_one(results: Results) -> None:
    drawn = results.plot()
    other = results.plot("bars")
    assert drawn.get_ylabel() == "AWCT (days)"
    assert other.figure is not drawn.figure


@pytest.mark.parametrize("time", ["first", "second"])
def test_a_drawing_stays_open_until_its_test_ends_and_files_open_none(
    results: Results, tmp_path: Path, time: str
) -> None:
    pyplot = pytest.importorskip("matplotlib.pyplot")
    results.save_figures(tmp_path, ["bars", "lines"])
    assert pyplot.get_fignums() == [], f"left open before the {time} time"
    results.plot()
    assert len(pyplot.get_fignums()) == 1


def test_saved_figures_are_the_same_bytes_every_time(
    results: Results, saved: list[Path], tmp_path: Path
) -> None:
    again = open_results(results.path).save_figures(tmp_path / "again")
    assert [path.name for path in saved] == [
        f"{kind}.{suffix}" for kind in KINDS for suffix in ("png", "svg")
    ]
    for one, other in zip(saved, again, strict=True):
        assert one.read_bytes() == other.read_bytes(), one.name
        assert one.read_bytes()[:5] in (b"\x89PNG\r", b"<?xml")


def test_saved_figures_say_what_they_are_and_drawings_of_a_report_do_not(
    results: Results, tmp_path: Path
) -> None:
    """matplotlib draws letters as curves and writes the text beside them as a comment."""
    title = "What US$ 3 and US$ 5 buy"
    named = {"lines": dataclasses.replace(results.experiment.figures["lines"], title=title)}
    titled = open_results(results.path, dataclasses.replace(results.experiment, figures=named))
    drawings = titled.save_figures(tmp_path) + results.save_figures(tmp_path / "untitled", ["bars"])
    texts = [path.read_text(encoding="utf-8") for path in drawings if path.suffix == ".svg"]
    assert f"<!-- {title} -->" in texts[0].replace("\\$", "$")
    assert "<!-- bars -->" in texts[1]
    assert titled.plot("lines").figure.get_suptitle().replace("\\$", "$") == title
    untitled = drawn_figure(titled, "lines", titled=False)
    assert title.encode() not in encoded(untitled, ["svg"], "", LEAST)["svg"]


def test_a_long_title_takes_several_lines_within_the_drawing(results: Results) -> None:
    title = " ".join(["a title that is longer than the drawing is wide"] * 4)
    named = {"bars": dataclasses.replace(results.experiment.figures["bars"], title=title)}
    titled = open_results(results.path, dataclasses.replace(results.experiment, figures=named))
    drawing = titled.plot("bars").figure
    drawing.draw_without_rendering()
    assert " ".join(drawing.get_suptitle().split()) == title
    assert drawing._suptitle.get_window_extent().x1 <= drawing.bbox.x1


def test_a_rerun_gives_the_same_bytes(saved: list[Path], tmp_path: Path) -> None:
    rerun = run_here(described(), tmp_path / "results")
    for one, other in zip(saved, rerun.save_figures(tmp_path / "two"), strict=True):
        assert one.read_bytes() == other.read_bytes(), one.name


def first_missing(cell: Cell) -> bool:
    return cell.job_set != 1 and (cell.policy, cell.job_set) != ("mris", 3)


def one_policy(cell: Cell) -> bool:
    return cell.policy == "pq"


def single_job_set(cell: Cell) -> bool:
    return cell.job_set == 2


@pytest.mark.parametrize("wanted", [first_missing, one_policy, single_job_set])
@pytest.mark.parametrize("kind", KINDS)
def test_partial_results_draw_what_is_there(
    results: Results, tmp_path: Path, ax: Any, wanted: Any, kind: str
) -> None:
    partial = part(results, tmp_path / "partial", wanted)
    assert partial.n_missing > 0
    partial.plot(kind, ax=ax)
    ax.figure.canvas.draw()
    table = partial.table(kind)
    assert table.rows
    if wanted is one_policy and kind == "lines":
        assert [row[1:] for row in table.rows if row[0] == "MRIS"] == [["-", "-", "-"]]
    assert [outcome.claim for outcome in partial.claims(kind)] == list(
        results.experiment.figures[kind].judged
    )
    assert partial.save_figures(tmp_path / "saved", [kind])


def test_a_figure_without_a_finished_cell_says_so(results: Results, tmp_path: Path, ax: Any) -> None:
    empty = part(results, tmp_path / "empty", lambda cell: cell.source == "patience" and cell.job_set > 2)
    for call in (empty.plot, empty.table, empty.claims, lambda name: empty.save_figures(tmp_path, [name])):
        with pytest.raises(InvalidInstanceError, match="figure 'packing' of 'small': no cell has finished"):
            call("packing")
    with pytest.raises(InvalidInstanceError, match=r"unknown figure 'line' of 'small'; did you mean 'lines'"):
        empty.plot("line")
    assert "packing" not in empty.figures()
    assert {path.stem for path in empty.save_figures(tmp_path / "others")} == set(empty.figures())


def test_an_experiment_without_figures_says_so(results: Results) -> None:
    without = dataclasses.replace(results.experiment, figures={})
    with pytest.raises(InvalidInstanceError, match="'small' describes no figure"):
        open_results(results.path, without).plot()


def test_a_packing_of_another_instance_is_refused(
    results: Results, tmp_path: Path, ax: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from schedcore.experiments.running.instances import InstanceCache
    from schedcore.workloads import patience

    monkeypatch.setattr(InstanceCache, "get", lambda *_: patience(99, 20))
    with pytest.raises(InvalidInstanceError, match="another instance now"):
        results.plot("packing", ax=ax)


def test_figures_may_be_described_after_the_run(results: Results, ax: Any) -> None:
    grown: Experiment = dataclasses.replace(
        results.experiment,
        figures={
            "by-n": dataclasses.replace(
                results.experiment.figures["lines"],
                x="n_resources",
                where={"n_jobs": 20},
                x_column="n_jobs",
                published_x=(),
                published={},
                claims=(),
                policies=["PQ"],
            )
        },
    )
    open_results(results.path, grown).plot(ax=ax)
    np.testing.assert_array_equal(ax.lines[0].get_xdata(), [20, 20])
