"""Drawings of clusters: blocks of runs, outages, failures, and what ended runs before their time."""

from typing import Any

import numpy as np
import pytest

import schedcore as sc
from schedcore import plotting
from schedcore.plotting import runs as drawing

MACHINES = sc.Machines([[4]] * 3, ["cores"], names=["a", "b", "c"])


def cluster(outages: sc.Outages | None = None) -> sc.Instance:
    """Job 0: two tasks of 3 cores for 6; job 1: a machine for itself for 4; job 2: one core for 8."""
    jobs = sc.Jobs(
        [6.0, 4.0, 8.0], [[3], [1], [1]], [0.0, 0.0, 1.0], n_tasks=[2, 1, 1], exclusive=[False, True, False]
    )
    return sc.Instance(jobs, MACHINES, outages)


def blocks(ax: Any) -> dict[str, list[list[float]]]:
    """Label -> (left, right, low, high) of each of its polygons."""
    found = {}
    for collection in ax.collections:
        corners = [path.vertices for path in collection.get_paths()]
        found[str(collection.get_label())] = [
            [*map(float, (each[:, 0].min(), each[:, 0].max(), each[:, 1].min(), each[:, 1].max()))]
            for each in corners
        ]
    return found


def marks(ax: Any) -> dict[str, list[tuple[float, float]]]:
    """Marker -> where it stands."""
    return {
        str(line.get_marker()): list(zip(line.get_xdata(), line.get_ydata(), strict=True))
        for line in ax.lines
    }


UNIT = plotting.TimeUnit("s", 1.0)


def test_a_gang_has_one_colour_on_all_its_machines(ax: Any) -> None:
    inst = cluster()
    result = sc.solve("fcfs", inst)
    assert result.runs is not None
    plotting.plot_runs(inst, result.runs, unit=UNIT, ax=ax)
    found = blocks(ax)
    # Job 1 asks for one core and holds the whole machine.
    assert found["job 0"] == [[0, 6, 0, 3], [0, 6, 4, 7]]
    assert found["job 1"] == [[0, 4, 8, 12]]
    assert found["job 2"] == [[1, 9, 3, 4]]
    colours = {str(each.get_label()): each.get_facecolor() for each in ax.collections}
    assert len(colours["job 0"]) == 1
    assert [text.get_text() for text in ax.get_yticklabels()] == ["a", "b", "c"]


def test_outages_and_failures_are_hatched_and_killed_runs_marked(ax: Any) -> None:
    inst = cluster(sc.Outages([2], [5.0], [np.inf]))
    incidents = sc.Incidents(sc.Outages([1], [2.0], [5.0]), {2: 4.0})
    result = sc.solve("first_fit", inst, incidents=incidents)
    assert result.incidents == incidents
    assert result.runs is not None
    plotting.plot_runs(inst, result.runs, incidents=incidents, unit=UNIT, ax=ax)
    found = blocks(ax)
    last = float(result.runs.end_time.max())
    assert found["outage"] == [[5, last, 8, 12]]
    assert found["failure"] == [[2, 5, 4, 8]]
    assert all(each.get_hatch() for each in ax.collections if each.get_label() in ("outage", "failure"))
    # Job 0 is killed on a and b at 2, job 2 cancelled at 4.
    assert marks(ax)["x"] == [(2.0, 1.5), (2.0, 5.5)]
    assert [x for x, _ in marks(ax)["|"]] == [4.0]
    assert marks(ax)[">"] == [(2.0, 6.0)]
    legend = [text.get_text() for text in ax.get_legend().get_texts()]
    assert {"outage", "failure", "run killed", "run cancelled"} < set(legend)


def test_a_result_draws_what_suits_it(ax: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    inst = cluster(sc.Outages([2], [5.0], [7.0]))
    result = sc.solve("easy", inst)
    assert "outage" in blocks(result.plot(ax=ax))
    monkeypatch.setattr("schedcore.plotting.panel.FEW_MACHINES", 2)
    ax.clear()
    result.plot(ax=ax)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["cores", "down"]


def test_a_result_without_any_run_says_so(ax: Any) -> None:
    result = sc.solve("fcfs", cluster(), incidents=sc.Incidents(None, {0: 0.0, 1: 0.0, 2: 0.0}))
    assert [text.get_text() for text in result.plot(ax=ax).texts] == ["no runs"]


def test_one_machine_and_a_stretch(ax: Any) -> None:
    inst = cluster()
    result = sc.solve("fcfs", inst)
    assert result.runs is not None
    plotting.plot_runs(inst, result.runs, machines=[2], between=(1, 3), unit=UNIT, ax=ax)
    assert set(blocks(ax)) == {"job 1"}
    assert ax.get_xlim() == (1, 3)


def test_too_much_for_a_picture_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    inst = cluster()
    result = sc.solve("fcfs", inst)
    assert result.runs is not None
    monkeypatch.setattr(drawing, "MOST_BLOCKS", 3)
    with pytest.raises(sc.InvalidInstanceError, match="4 blocks are more than the 3"):
        plotting.plot_runs(inst, result.runs)
    with pytest.raises(sc.InvalidInstanceError, match="machine 3 must lie in"):
        plotting.plot_runs(inst, result.runs, machines=[3])
    with pytest.raises(sc.UnsupportedError, match="plot_runs draws them"):
        plotting.plot_packing(inst, result.schedule)
