"""The packing picture is exact: every job has its area, none overlap, and the pile is as high as the amount in use."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure

import schedcore
from schedcore import metrics, plotting
from schedcore.plotting import packing, piling
from schedcore.plotting.piling import Pile, pile_up
from schedcore.plotting.shading import shades
from schedcore.plotting.style import SERIES
from strategies import instances

TICKS = plotting.TimeUnit("ticks", 1.0)


def pile_of(inst: schedcore.Instance, schedule: schedcore.Schedule, machine: int = 0, **options: Any) -> Pile:
    return pile_up(
        np.flatnonzero(schedule.machine == machine),
        schedule.start_time,
        metrics.completion_time(inst, schedule),
        inst.jobs.demand[:, 0],
        int(inst.machines.capacity[machine, 0]),
        **options,
    )


def crowded(seed: int, n_jobs: int = 120) -> tuple[schedcore.Instance, schedcore.Schedule]:
    """One resource that is nearly always full, so that jobs have to slide."""
    random = np.random.default_rng(seed)
    jobs = schedcore.Jobs(random.integers(1, 40, n_jobs), random.integers(1, 25, (n_jobs, 1)))
    inst = schedcore.Instance(jobs, schedcore.Machines([[60]]))
    return inst, schedcore.pq(inst, "wsvf").schedule


def area(block: Any) -> float:
    """Area of a polygon, by the shoelace formula."""
    x, y = block[:, 0], block[:, 1]
    return abs(float(x @ np.roll(y, -1) - y @ np.roll(x, -1))) / 2


def polygons(collection: Any) -> list[Any]:
    """Without the repeated first corner."""
    return [path.vertices[:-1] for path in collection.get_paths()]


def check_pile(pile: Pile, inst: schedcore.Instance, schedule: schedcore.Schedule, machine: int) -> None:
    end = metrics.completion_time(inst, schedule)
    np.testing.assert_array_equal(pile.high - pile.low, inst.jobs.demand[pile.job, 0])
    assert (pile.begin < pile.until).all()
    assert (np.diff(pile.begin) >= 0).all()
    for job in np.flatnonzero((schedule.machine == machine) & (inst.jobs.demand[:, 0] > 0)):
        mine = pile.job == job
        instants = np.append(pile.begin[mine], end[job])  # one rectangle after the other, without a break
        np.testing.assert_array_equal(instants[1:], pile.until[mine])
        assert instants[0] == schedule.start_time[job]
    usage = metrics.resource_usage(inst, schedule, machine)
    for now in usage.times.tolist():
        running = np.flatnonzero((pile.begin <= now) & (now < pile.until))
        running = running[np.argsort(pile.low[running])]
        low, high = pile.low[running], pile.high[running]
        assert (high[:-1] <= low[1:]).all()
        assert (low >= 0).all()
        assert (high <= inst.machines.capacity[machine, 0]).all()
        assert int((high - low).sum()) == usage.at([now])[0, 0]


@given(instances(max_resources=2, max_machines=3), st.booleans())
def test_jobs_keep_their_demand_without_overlap(inst: schedcore.Instance, keep_all: bool) -> None:
    schedule = schedcore.pq(inst).schedule
    for machine in range(inst.n_machines):
        pile = pile_of(inst, schedule, machine, keep=range(inst.n_jobs) if keep_all else ())
        check_pile(pile, inst, schedule, machine)


@pytest.mark.parametrize("seed", range(5))
def test_jobs_keep_their_demand_without_overlap_on_a_full_machine(seed: int) -> None:
    inst, schedule = crowded(seed)
    pile = pile_of(inst, schedule, keep=[3, 50])
    assert len(pile.job) > inst.n_jobs
    check_pile(pile, inst, schedule, 0)


def test_a_job_starts_at_the_lowest_heights_that_are_free() -> None:
    # Heights [0, 2) and [2, 5) are taken until 4 and 9; at 4 the third job fits in [5, 8) only, the fourth below.
    inst = schedcore.Instance(schedcore.Jobs([4, 9, 5, 5], [[2], [3], [3], [1]]), schedcore.Machines([[8]]))
    pile = pile_of(inst, schedcore.Schedule([0, 0, 4, 4], [0] * 4))
    assert list(zip(pile.job, pile.low, pile.high, strict=True)) == [
        (0, 0, 2),
        (1, 2, 5),
        (2, 5, 8),
        (3, 0, 1),
    ]


def test_jobs_slide_as_little_as_possible_and_kept_ones_only_if_nothing_else_helps() -> None:
    # At 2, [0, 2), [4, 6) and [8, 10) are free and a job of 4 starts: job 1 or job 3 slides by 2.
    start, end, demand = (
        np.array([0.0] * 5 + [2.0]),
        np.array([2.0, 9, 2, 9, 2, 9]),
        np.array([2, 2, 2, 2, 2, 4]),
    )

    def slid(keep: list[int]) -> dict[int, int]:
        pile = pile_up(np.arange(6), start, end, demand, 10, keep)
        later = pile.begin == 2.0
        return dict(zip(pile.job[later].tolist(), pile.low[later].tolist(), strict=True))

    assert slid([]) == {1: 4, 5: 0}
    assert slid([1]) == {3: 8, 5: 4}
    assert slid([1, 3]) == {1: 4, 5: 0}


@pytest.mark.parametrize("seed", range(5))
def test_a_job_starts_in_another_shade_than_those_right_below_and_above(seed: int) -> None:
    inst, schedule = crowded(seed)
    pile = pile_of(inst, schedule)
    shade = shades(pile, 60, 5)
    start = schedule.start_time
    first = {job: int(np.flatnonzero(pile.job == job)[0]) for job in np.unique(pile.job).tolist()}
    n_neighbours = 0
    for job, mine in first.items():
        running = np.flatnonzero((pile.begin <= start[job]) & (start[job] < pile.until))
        beside = running[(pile.high[running] == pile.low[mine]) | (pile.low[running] == pile.high[mine])]
        assert (shade[beside] != shade[mine]).all()
        n_neighbours += len(beside)
        assert (shade[pile.job == job] == shade[mine]).all()
    assert n_neighbours > inst.n_jobs / 2


@given(instances(max_resources=2, max_machines=3))
def test_areas_are_demand_times_processing_time(inst: schedcore.Instance) -> None:
    schedule = schedcore.pq(inst).schedule
    resource = inst.n_resources - 1
    ax = plotting.plot_packing(inst, schedule, resource=resource, unit=TICKS, ax=Figure().subplots())
    assert len(ax.collections) == 1 + (inst.n_machines > 1)  # the jobs, the lines between machines
    drawn = sorted(area(block) for block in polygons(ax.collections[0]))
    expected = inst.jobs.processing_time * inst.jobs.demand[:, resource]
    rounding = 1e-12 * ax.get_ylim()[1] * metrics.makespan(inst, schedule)  # of the coordinates, floats
    np.testing.assert_allclose(drawn, np.sort(expected[expected > 0]), rtol=1e-9, atol=rounding)


def test_highlighted_jobs_are_collections_of_their_own_with_fixed_looks(ax: Any) -> None:
    inst, schedule = crowded(1)
    plotting.plot_packing(inst, schedule, highlight=[7, 3], unit=TICKS, ax=ax)
    labelled = {c.get_label(): c for c in ax.collections if not c.get_label().startswith("_")}
    assert list(labelled) == ["job 7", "job 3"]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["job 7", "job 3"]
    for (label, collection), look in zip(labelled.items(), SERIES, strict=False):
        assert collection.get_hatch() == look.hatch
        row = int(label.split()[1])
        (block,) = polygons(collection)
        assert area(block) == inst.jobs.processing_time[row] * inst.jobs.demand[row, 0]
    grey = ax.collections[0]
    assert len(grey.get_paths()) == inst.n_jobs - 2
    assert (np.ptp(grey.get_facecolor()[:, :3], axis=1) == 0).all()


def test_a_highlighted_job_too_thin_for_a_hatch_is_still_seen(ax: Any) -> None:
    inst = schedcore.Instance(schedcore.Jobs([1, 10_000], [[1], [1]]), schedcore.Machines([[2]]))
    plotting.plot_packing(inst, schedcore.Schedule([0, 0], [0, 0]), highlight=[0], ax=ax)
    block = next(c for c in ax.collections[1:] if c.get_paths())
    assert block.get_linewidths()[0] >= 1.0
    np.testing.assert_array_equal(block.get_edgecolor(), block.get_facecolor())


def test_each_machine_has_a_band_as_high_as_its_capacity(ax: Any) -> None:
    inst = schedcore.Instance(
        schedcore.Jobs([1, 2, 3], [[4], [5], [6]]), schedcore.Machines([[4], [7], [10]], ["cpu"])
    )
    schedule = schedcore.Schedule([0, 0, 0], [0, 1, 2])
    plotting.plot_packing(inst, schedule, machines=[2, 0], unit=TICKS, ax=ax)
    assert ax.get_ylim() == (0, 14)
    bottoms = sorted(block[:, 1].min() for block in polygons(ax.collections[0]))
    assert bottoms == [0, 10]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["2", "0"]
    assert ax.get_yticks().tolist() == [5, 12]
    assert "cpu" in ax.get_ylabel()


def test_one_machine_has_percent_on_its_axis(ax: Any) -> None:
    inst, schedule = crowded(1)
    assert plotting.plot_packing(inst, schedule, ax=ax) is ax
    assert dict(zip(ax.get_yticks().tolist(), [t.get_text() for t in ax.get_yticklabels()], strict=True)) == {
        0: "0", 15: "25", 30: "50", 45: "75", 60: "100"
    }  # fmt: skip


def test_only_jobs_that_run_within_the_stretch_are_drawn(ax: Any) -> None:
    inst, schedule = crowded(2)
    plotting.plot_packing(inst, schedule, between=(20, 40), unit=TICKS, ax=ax)
    runs = (schedule.start_time < 40) & (metrics.completion_time(inst, schedule) > 20)
    assert len(ax.collections[0].get_paths()) == runs.sum()
    assert ax.get_xlim() == (20, 40)


def test_a_job_without_demand_for_the_resource_is_not_seen(ax: Any) -> None:
    inst = schedcore.Instance(schedcore.Jobs([1, 2], [[0, 1], [1, 1]]), schedcore.Machines([[2, 2]]))
    plotting.plot_packing(inst, schedcore.Schedule([0, 0], [0, 0]), highlight=[0], ax=ax)
    assert len(ax.collections[0].get_paths()) == 1
    assert ax.get_legend() is None


def test_the_patience_experiment_is_few_collections_and_no_patches() -> None:
    inst = schedcore.workloads.patience(1)
    ax = plotting.plot_packing(inst, schedcore.pq(inst, "wsvf").schedule, highlight=[0, 2480])
    assert len(ax.collections) <= 4
    assert not ax.patches
    assert sum(len(c.get_paths()) for c in ax.collections) >= 2490
    ax.figure.canvas.draw()


def test_more_jobs_than_a_drawing_can_show_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    inst, schedule = crowded(1)
    monkeypatch.setattr(packing, "MOST_JOBS", 100)
    with pytest.raises(
        schedcore.InvalidInstanceError, match=r"120 jobs are more than the 100 .*plot_utilisation"
    ):
        plotting.plot_packing(inst, schedule)
    plotting.plot_packing(inst, schedule, between=(0, 10))
    monkeypatch.setattr(piling, "MOST_PIECES", 130)
    with pytest.raises(schedcore.InvalidInstanceError, match=r"more than 130 rectangles.*plot_utilisation"):
        pile_of(inst, schedule)


def test_a_machine_that_holds_too_much_is_refused() -> None:
    inst = schedcore.Instance(schedcore.Jobs([2, 2], [[3], [2]]), schedcore.Machines([[4]]))
    with pytest.raises(
        schedcore.InvalidInstanceError, match=r"job 1 demands 2 units at time 1, where 1 are free"
    ):
        plotting.plot_packing(inst, schedcore.Schedule([0, 1], [0, 0]))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"resource": 1}, "resource 1"),
        ({"machines": [0, 1]}, "machine 1"),
        ({"machines": [0, 0]}, "once"),
        ({"highlight": [120]}, "job 120"),
        ({"highlight": [-1]}, "job -1"),
        ({"between": (2.0, 1.0)}, "ascending"),
    ],
)
def test_what_does_not_exist_is_refused(options: Any, message: str) -> None:
    inst, schedule = crowded(1)
    with pytest.raises(schedcore.InvalidInstanceError, match=message):
        plotting.plot_packing(inst, schedule, **options)
