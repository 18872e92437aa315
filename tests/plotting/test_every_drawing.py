"""Every drawing takes the Axes that it is given and returns it, and what its legend tells apart differs in grey."""

import inspect
import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from matplotlib.colors import to_rgb, to_rgba, to_rgba_array
from matplotlib.container import Container
from matplotlib.figure import Figure

import schedcore
from schedcore import metrics, plotting

TWO = (1.0, 2.0)
NAN = np.full(2, np.nan)
JOBS = schedcore.Jobs(
    [7200, 3600, 3600, 3600, 1800, 900], [[5, 1], [5, 2], [10, 4], [1, 1], [9, 3], [4, 4]],
    [0, 0, 60, 3600, 3600, 4000], user=[f"u{index % 3}" for index in range(6)],
)  # fmt: skip
INST = schedcore.Instance(JOBS, schedcore.Machines([[10, 4]], ["cpu", "memory"]))
RESULT = schedcore.solve("fcfs", INST)
PLAN = RESULT.schedule
POLICIES = [f"policy {index}" for index in range(12)]
PLANS = dict.fromkeys(POLICIES, PLAN)
PARALLEL = schedcore.workloads.parallel_task_standin(4, 2, seed=1)
PIECES = schedcore.solve("tetris_np", PARALLEL).schedule
TASKS = schedcore.ColocationInstance(
    [4, 3, 2, 2], [0, 1, 2, 1], [[1, 2, 2], [2, 1, 2], [2, 2, 1]], 1, n_machines=2
)
MEANS = dict.fromkeys(POLICIES, plotting.MeanSeries([1, 2], [2.0, 3.0], NAN, NAN))

#: Each with as many series as it may have side by side.
DRAWINGS: dict[str, Callable[..., Any]] = {
    "plot_assignment": lambda ax: plotting.plot_assignment(TASKS, schedcore.Assignment([0, 1, 0, 1]), ax=ax),
    "plot_awct_bars": lambda ax: plotting.plot_awct_bars(dict.fromkeys(POLICIES, 2.0), 1.0, ax=ax),
    "plot_boxes": lambda ax: plotting.plot_boxes(dict.fromkeys(POLICIES, TWO), y_label="", ax=ax),
    "plot_curves": lambda ax: plotting.plot_curves(
        dict.fromkeys(POLICIES, (TWO, TWO)), x_label="", y_label="", ax=ax
    ),
    "plot_delay_quantiles": lambda ax: plotting.plot_delay_quantiles(dict.fromkeys(POLICIES, TWO), ax=ax),
    "plot_groups": lambda ax: plotting.plot_groups("ab", dict.fromkeys(POLICIES, TWO), y_label="", ax=ax),
    "plot_means": lambda ax: plotting.plot_means(MEANS, x_label="", y_label="", ax=ax),
    "plot_packing": lambda ax: plotting.plot_packing(INST, PLAN, highlight=range(6), ax=ax),
    "plot_pieces": lambda ax: plotting.plot_pieces(PARALLEL, PIECES, ax=ax),
    "plot_predicted_starts": lambda ax: plotting.plot_predicted_starts([1, 2], [2, 2], ax=ax),
    "plot_queue": lambda ax: plotting.plot_queue(INST, PLANS, ax=ax),
    "plot_queuing_delay_cdf": lambda ax: plotting.plot_queuing_delay_cdf(INST, PLANS, ax=ax),
    "plot_result": lambda ax: plotting.plot_result(RESULT, ax=ax),
    "plot_runs": lambda ax: plotting.plot_runs(INST, RESULT.runs, ax=ax),
    "plot_shares_over_time": lambda ax: plotting.plot_shares_over_time(
        metrics.shares_over_time(RESULT, [3600, 7200, 9000], "user", 1e9), ax=ax
    ),
    "plot_task_usage": lambda ax: plotting.plot_task_usage(PARALLEL, PIECES, ax=ax),
    "plot_utilisation": lambda ax: plotting.plot_utilisation(INST, PLAN, ax=ax),
    "plot_waiting_reasons": lambda ax: plotting.plot_waiting_reasons(
        INST, metrics.waiting_reasons(schedcore.solve("easy", INST)), ax=ax
    ),
    "plot_waits_by": lambda ax: plotting.plot_waits_by(INST, PLANS, "user", ax=ax),
    "plot_waits_by, hours": lambda ax: plotting.plot_waits_by(
        INST, PLANS, "hour_of_week", origin="2026-12-01", ax=ax
    ),
}  # fmt: skip


def test_no_drawing_is_left_out() -> None:
    drawn = {name.split(",")[0] for name in DRAWINGS}
    assert drawn == {name for name in plotting.__all__ if name.startswith("plot_")}
    for name in drawn:
        assert (
            inspect.signature(getattr(plotting, name)).parameters["ax"].kind is inspect.Parameter.KEYWORD_ONLY
        )


def look(handle: Any) -> tuple[float, tuple[str, ...]]:
    """The brightness from 0 to 1 of what a legend shows, and its style."""
    artist = handle[0] if isinstance(handle, Container) else handle
    if hasattr(artist, "get_color"):
        colour = to_rgba(artist.get_color())
    else:  # an area, or the edge of what is not filled
        faces = to_rgba_array(artist.get_facecolor())
        colour = faces[0] if faces[0][3] else to_rgba_array(artist.get_edgecolor())[0]
    red, green, blue = (colour[3] * part + 1 - colour[3] for part in colour[:3])
    told = ("get_marker", "get_hatch", "get_linewidth")
    style = (str(getattr(artist, name)()) for name in told if hasattr(artist, name))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue, (*style, str(getattr(artist, "_dash_pattern", "")))


@pytest.mark.parametrize("name", DRAWINGS)
def test_it_returns_its_axes_and_its_series_differ_in_grey(ax: Any, name: str) -> None:
    assert DRAWINGS[name](ax) is ax
    handles, labels = ax.get_legend_handles_labels()
    looks = dict(zip(labels, map(look, handles), strict=True))
    for (one, (brightness, style)), (other, (other_brightness, other_style)) in itertools.combinations(
        looks.items(), 2
    ):
        assert style != other_style or abs(brightness - other_brightness) > 0.1, (one, other)
    if name in (
        "plot_queue",
        "plot_waits_by",
        "plot_waits_by, hours",
        "plot_curves",
        "plot_queuing_delay_cdf",
    ):
        assert labels == POLICIES


def test_a_policy_has_one_colour_in_all_drawings_of_a_comparison() -> None:
    colours: dict[str, set[str]] = {policy: set() for policy in POLICIES}
    for name in ("plot_queue", "plot_waits_by", "plot_waits_by, hours", "plot_queuing_delay_cdf"):
        ax = Figure().subplots()
        DRAWINGS[name](ax)
        for handle, label in zip(*ax.get_legend_handles_labels(), strict=True):
            found = handle.get_color() if hasattr(handle, "get_color") else handle.get_edgecolor()
            colours[label].add(str(tuple(to_rgb(found))))
    assert all(len(found) == 1 for found in colours.values())
    assert len(set.union(*colours.values())) == 12
