"""Marks and lines of waits are those of the jobs of each name or hour, and who has no jobs leaves a gap."""

from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure

import schedcore
from schedcore import InvalidInstanceError, metrics, plotting

MONDAY_9 = "2026-11-30T09:00:00"  # a Monday


def instance(user: list[str | None], release: list[float] | None = None) -> schedcore.Instance:
    n = len(user)
    jobs = schedcore.Jobs(np.ones(n), [[1]] * n, release if release is not None else np.zeros(n), user=user)
    return schedcore.Instance(jobs, schedcore.Machines([[n]]))


def waited(inst: schedcore.Instance, waits: list[float]) -> schedcore.Schedule:
    return schedcore.Schedule(inst.release_time + np.array(waits), np.zeros(inst.n_jobs, dtype=int))


def rows(ax: Any) -> list[str]:
    return [label.get_text() for label in ax.get_yticklabels()]


def marks(ax: Any) -> dict[str, list[float]]:
    """The waits at the marks by policy, in the order of the rows."""
    named = {line.get_label(): np.asarray(line.get_xdata()).tolist() for line in ax.lines}
    return {label: places for label, places in named.items() if not label.startswith("_")}


def ends(ax: Any) -> list[list[float]]:
    """The other ends of the lines, a list a policy."""
    return [np.asarray(line.get_xdata()).tolist() for line in ax.lines if line.get_marker() == "|"]


def test_those_with_most_jobs_come_first_and_the_rest_together(ax: Any) -> None:
    inst = instance(["a", "b", "b", "b", "c", "c", None, "d"])
    plan = waited(inst, [1, 10, 20, 60, 5, 7, 3, 9])
    seconds = plotting.TimeUnit("s", 1.0)
    assert plotting.plot_waits_by(inst, {"plan": plan}, "user", most=2, unit=seconds, ax=ax) is ax
    assert rows(ax) == ["b", "c", "3 others"]
    assert marks(ax) == {"plan": [30, 6, pytest.approx(13 / 3)]}
    assert ends(ax) == [[60, 7, 9]]
    assert ax.yaxis_inverted()


def test_one_more_than_asked_for_has_its_own_row(ax: Any) -> None:
    inst = instance(["a", "b", "b", None])
    plotting.plot_waits_by(inst, {"plan": waited(inst, [1, 2, 3, 4])}, "user", most=2, ax=ax)
    assert rows(ax) == ["b", "a", "(none)"]


def test_marks_are_the_figures_by_class_of_each_policy(ax: Any) -> None:
    rng = np.random.default_rng(3)
    inst = instance(
        [f"u{index}" for index in rng.integers(0, 5, 200)], np.sort(rng.random(200) * 9e5).tolist()
    )
    plans = {
        name: waited(inst, (rng.random(200) * 10 ** (3 + place)).tolist()) for place, name in enumerate("xy")
    }
    plotting.plot_waits_by(inst, plans, "user", ax=ax)
    classes = metrics.submitter_classes(inst)
    order = [classes.names.index(name) for name in rows(ax)]
    for (name, plan), shown in zip(plans.items(), ends(ax), strict=True):
        figures = metrics.fairness_by_class(inst, plan, classes)
        np.testing.assert_allclose(marks(ax)[name], figures.mean_wait[order])
        np.testing.assert_allclose(shown, figures.wait_p95[order])
    counts = np.bincount(classes.of_job)[order]
    assert (np.diff(counts) <= 0).all()


def test_hours_of_the_week_begin_on_monday_and_leave_gaps(ax: Any) -> None:
    hour = 3600.0
    # Monday 9:00 and 9:59:59, Tuesday 9:00, and again Monday 9:00 one week later.
    inst = instance(["a"] * 4, [0, hour - 1, 24 * hour, 168 * hour])
    plan = waited(inst, [10, 20, 40, 60])
    plotting.plot_waits_by(inst, {"plan": plan}, "hour_of_week", origin=MONDAY_9, ax=ax)
    values, edges, _ = ax.patches[0].get_data()
    assert len(edges) == 169
    assert np.flatnonzero(np.isfinite(values)).tolist() == [9, 33]
    assert values[[9, 33]].tolist() == [30, 40]
    assert [label.get_text() for label in ax.get_xticklabels(minor=True)][:2] == ["Mon", "Tue"]


@pytest.mark.parametrize(("origin", "first"), [("2026-12-06T23:30:00+02:00", 6 * 24 + 23), ("2026-12-07", 0)])
def test_hours_are_those_of_the_clock_of_the_origin(ax: Any, origin: str, first: int) -> None:
    inst = instance(["a"], [0.0])
    plotting.plot_waits_by(inst, {"plan": waited(inst, [10])}, "hour_of_week", origin=origin, ax=ax)
    assert np.flatnonzero(np.isfinite(ax.patches[0].get_data().values)).tolist() == [first]
    assert ax.get_xlabel().endswith("UTC+02:00") == ("+" in origin)


def test_what_cannot_be_drawn_is_refused() -> None:
    inst = instance(["a", "b"])
    plans = {"plan": waited(inst, [1, 2])}
    for by, options, message in (
        ("users", {}, "unknown by 'users'"),
        ("account", {}, "the jobs have no account; they have user"),
        ("hour_of_week", {}, "need the date of time 0"),
        ("hour_of_week", {"origin": "now"}, "origin = 'now'"),
        ("user", {"most": 0}, "most"),
    ):
        with pytest.raises(InvalidInstanceError, match=message):
            plotting.plot_waits_by(inst, plans, by, **options)


def test_no_jobs_and_no_policies_still_draw(ax: Any) -> None:
    inst, empty = instance(["a", "b"]), schedcore.Instance(schedcore.Jobs([], []), schedcore.Machines([[1]]))
    nothing = {"plan": schedcore.Schedule([], [])}
    for drawn, plans in ((inst, {}), (empty, nothing), (empty, {})):
        for by in ("user", "hour_of_week"):
            figure = Figure()
            plotting.plot_waits_by(drawn, plans, by, origin=MONDAY_9, ax=figure.subplots())
            figure.draw_without_rendering()
