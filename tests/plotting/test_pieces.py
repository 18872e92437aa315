"""Drawings of parallel tasks: blocks of the pieces of each job, or how much of the machines is in use."""

import itertools
from typing import Any

import numpy as np
import pytest

from schedcore import (
    InvalidInstanceError,
    Machines,
    ParallelTaskInstance,
    ParallelTaskResult,
    PreemptiveSchedule,
    plotting,
    solve,
)
from schedcore.plotting import panel
from schedcore.plotting.pieces import painted_jobs
from schedcore.plotting.style import SERIES
from schedcore.workloads import azure_like


def tasks(n_jobs: int = 3, n_machines: int = 2) -> ParallelTaskInstance:
    """Two tasks of size 4 a job, 6 long, on machine 0 and the last one."""
    n_tasks = 2 * n_jobs
    return ParallelTaskInstance(
        weight=[1.0] * n_jobs,
        release_time=[0.0] * n_jobs,
        task_job=np.repeat(np.arange(n_jobs), 2),
        demand=[[4]] * n_tasks,
        placement_start=np.arange(n_tasks + 1),
        placement_machine=[0, n_machines - 1] * n_jobs,
        placement_time=[6] * n_tasks,
        machines=Machines.identical(n_machines, [10], ["memory"]),
    )


def one_after_the_other(inst: ParallelTaskInstance) -> PreemptiveSchedule:
    job = inst.task_job
    return PreemptiveSchedule(job, inst.task_number, inst.placement_machine, 6 * job, 6 * job + 6)


def areas(ax: Any) -> dict[str, float]:
    """Job -> the area of its blocks, rectangles in the coordinates of the axes."""
    found = {}
    for blocks in ax.collections:
        if str(blocks.get_label()).startswith("job "):
            sides = [np.ptp(path.vertices, axis=0) for path in blocks.get_paths()]
            found[blocks.get_label()] = float(sum(width * height for width, height in sides))
    return found


def test_the_blocks_of_a_job_have_the_area_of_its_tasks(ax: Any) -> None:
    inst = tasks()
    assert plotting.plot_pieces(inst, one_after_the_other(inst), ax=ax) is ax
    assert areas(ax) == pytest.approx({f"job {j}": 2 * 4 * 6 for j in range(3)}, rel=1e-6)
    assert [text.get_text() for text in ax.get_yticklabels()] == ["0", "1"]
    assert "memory" in ax.get_ylabel()


def test_a_task_that_is_interrupted_is_two_blocks_of_one_look(ax: Any) -> None:
    inst = tasks(1)
    schedule = PreemptiveSchedule([0, 0, 0], [0, 0, 1], [0, 0, 1], [0, 9, 0], [4, 11, 6])
    plotting.plot_pieces(inst, schedule, ax=ax)
    (blocks,) = (c for c in ax.collections if c.get_label() == "job 0")
    assert len(blocks.get_paths()) == 3
    assert len(blocks.get_facecolors()) == 1


def test_blocks_stay_within_the_band_of_their_machine(ax: Any) -> None:
    inst = tasks(2)
    together = PreemptiveSchedule(inst.task_job, inst.task_number, inst.placement_machine, [0] * 4, [6] * 4)
    plotting.plot_pieces(inst, together, ax=ax)
    low_high = [
        (path.vertices[:, 1].min(), path.vertices[:, 1].max())
        for blocks in ax.collections
        if str(blocks.get_label()).startswith("job ")
        for path in blocks.get_paths()
    ]
    assert sorted(low_high) == [(0, 4), (4, 8), (10, 14), (14, 18)]


def test_large_blocks_have_the_number_of_their_job(ax: Any) -> None:
    inst = tasks(2)
    plotting.plot_pieces(inst, one_after_the_other(inst), ax=ax)
    assert sorted(text.get_text() for text in ax.texts) == ["0", "0", "1", "1"]


def test_hatches_and_a_legend_tell_as_many_jobs_apart_as_there_are_looks(ax: Any) -> None:
    inst = tasks(len(SERIES))
    plotting.plot_pieces(inst, one_after_the_other(inst), ax=ax)
    assert len(ax.get_legend().get_texts()) == len(SERIES)
    ax.clear()
    inst = tasks(len(SERIES) + 1)
    plotting.plot_pieces(inst, one_after_the_other(inst), ax=ax)
    assert ax.get_legend() is None


def test_pieces_that_touch_but_for_rounding_are_drawn(ax: Any) -> None:
    inst = tasks(3)
    start = [0.0, 0.0, 6.0, 6.0, 6.0 - 1e-10, 6.0]
    schedule = PreemptiveSchedule(
        [0, 0, 1, 1, 2, 2], [0, 1, 0, 1, 0, 1], [0, 1, 0, 1, 0, 1], start, np.add(start, 6)
    )
    plotting.plot_pieces(inst, schedule, ax=ax)
    assert len(areas(ax)) == 3


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"resource": 1}, "resource 1 must lie in"),
        ({"machines": [2]}, "machine 2 must lie in"),
        ({"machines": [0, 0]}, "must name each machine once"),
    ],
)
def test_what_is_not_there_is_not_drawn(ax: Any, options: dict[str, Any], message: str) -> None:
    inst = tasks()
    with pytest.raises(InvalidInstanceError, match=message):
        plotting.plot_pieces(inst, one_after_the_other(inst), **options, ax=ax)


def test_a_schedule_of_another_type_is_refused(ax: Any) -> None:
    inst = azure_like(n_jobs=3, n_machines=1, seed=1)
    with pytest.raises(TypeError, match="must be a PreemptiveSchedule, not Schedule"):
        plotting.plot_pieces(inst, solve("pq", inst).schedule, ax=ax)


def test_an_infeasible_schedule_is_refused_in_the_words_of_the_validator(ax: Any) -> None:
    inst = tasks(3)
    together = PreemptiveSchedule(inst.task_job, inst.task_number, inst.placement_machine, [0] * 6, [6] * 6)
    with pytest.raises(InvalidInstanceError, match="memory"):
        plotting.plot_pieces(inst, together, ax=ax)


def test_usage_is_the_share_of_all_capacity_over_time(ax: Any) -> None:
    inst = tasks(2)
    plotting.plot_task_usage(inst, one_after_the_other(inst), n_bins=4, until=24.0, ax=ax)
    (stairs,) = ax.patches
    values, edges, _ = stairs.get_data()
    np.testing.assert_allclose(values, [40.0, 40.0, 0.0, 0.0], atol=1e-9)
    assert edges[-1] == 24.0


def test_the_capacity_of_many_large_machines_does_not_wrap(ax: Any) -> None:
    machines = Machines.identical(1200, [2**53], ["memory"])
    inst = tasks(1, 1200).replace(machines=machines, demand=[[2**53]] * 2)
    schedule = one_after_the_other(inst)
    plotting.plot_task_usage(inst, schedule, n_bins=1, until=6.0, ax=ax)
    (stairs,) = ax.patches
    np.testing.assert_allclose(stairs.get_data()[0], [100 * 2 / 1200])
    assert painted_jobs(inst, schedule, 6.0, (4, 4))[:, 0].tolist() == [0, -1, -1, 0]


def test_usage_agrees_with_adding_up_the_pieces(ax: Any) -> None:
    draws = np.random.default_rng(1)
    inst = tasks(30, 5)
    start = draws.uniform(0, 100, inst.n_tasks)
    end = start + draws.uniform(0, 30, inst.n_tasks)
    schedule = PreemptiveSchedule(inst.task_job, inst.task_number, inst.placement_machine, start, end)
    plotting.plot_task_usage(inst, schedule, n_bins=7, unit=plotting.TimeUnit("s", 1.0), ax=ax)
    values, edges, _ = ax.patches[0].get_data()
    held = [
        sum(4 * max(0.0, min(e, high) - max(s, low)) for s, e in zip(start, end, strict=True))
        for low, high in itertools.pairwise(edges)
    ]
    np.testing.assert_allclose(values, 100 * np.divide(held, np.diff(edges) * 50), rtol=1e-9)


@pytest.mark.parametrize(("few_jobs", "few_machines"), [(3, 8), (2500, 1)])
def test_many_pieces_or_machines_are_drawn_as_usage(
    ax: Any, monkeypatch: pytest.MonkeyPatch, few_jobs: int, few_machines: int
) -> None:
    inst = tasks(2)
    result = ParallelTaskResult(one_after_the_other(inst), inst)
    assert result.plot(ax=ax) is ax
    assert areas(ax)
    ax.clear()
    monkeypatch.setattr(panel, "FEW_JOBS", few_jobs)
    monkeypatch.setattr(panel, "FEW_MACHINES", few_machines)
    result.plot(ax=ax)
    assert not areas(ax)
    assert [stairs.get_label() for stairs in ax.patches] == ["memory"]


def test_no_schedule_and_no_jobs_are_notes(ax: Any) -> None:
    ParallelTaskResult(None, tasks(), lower_bound=3.0).plot(ax=ax)
    assert [text.get_text() for text in ax.texts] == ["no schedule"]
    ax.clear()
    nothing = PreemptiveSchedule([], [], [], [], [])
    ParallelTaskResult(nothing, tasks(0)).plot(ax=ax)
    assert [text.get_text() for text in ax.texts] == ["no jobs"]
    ax.figure.draw_without_rendering()
