"""``Result.plot`` picks the drawing by the size of the result."""

import pickle
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import schedcore
from schedcore import metrics, plotting
from schedcore.plotting import panel


@pytest.fixture
def result() -> schedcore.Result:
    """Three jobs; memory is the more demanded resource."""
    jobs = schedcore.Jobs([4, 1, 2], [[1, 10], [1, 5], [1, 5]])
    inst = schedcore.Instance(jobs, schedcore.Machines.identical(1, [10, 10], ["cpu", "memory"]))
    return schedcore.solve("pq", inst)


def shows_packing(ax: Any) -> bool:
    return bool(ax.collections) and not ax.patches


def test_few_jobs_on_few_machines_are_drawn_as_blocks_of_the_most_demanded_resource(
    ax: Any, result: schedcore.Result
) -> None:
    assert result.plot(ax=ax) is ax
    assert shows_packing(ax)
    assert len(ax.collections[0].get_paths()) == 3
    assert "memory" in ax.get_ylabel()


@pytest.mark.parametrize(("few_jobs", "few_machines"), [(2, 8), (2500, 0)])
def test_more_are_drawn_as_utilisation_of_the_most_demanded_resources(
    ax: Any, result: schedcore.Result, monkeypatch: pytest.MonkeyPatch, few_jobs: int, few_machines: int
) -> None:
    monkeypatch.setattr(panel, "FEW_JOBS", few_jobs)
    monkeypatch.setattr(panel, "FEW_MACHINES", few_machines)
    result.plot(ax=ax)
    assert not shows_packing(ax)
    assert [stairs.get_label() for stairs in ax.patches] == ["cpu", "memory"]


def test_many_machines_are_drawn_as_utilisation(ax: Any) -> None:
    inst = schedcore.workloads.azure_like(1, 40, n_machines=9)
    schedcore.pq(inst).plot(ax=ax)
    assert len(ax.patches) == 4


def test_no_jobs_are_a_note(ax: Any) -> None:
    empty = schedcore.Instance(schedcore.Jobs([], []), schedcore.Machines([[1]]))
    assert schedcore.solve("pq", empty).plot(ax=ax) is ax
    assert [text.get_text() for text in ax.texts] == ["no jobs"]
    ax.figure.draw_without_rendering()


def test_a_pickled_result_draws_the_same(ax: Any, result: schedcore.Result) -> None:
    copy = pickle.loads(pickle.dumps(result))
    result.plot(ax=ax)
    other = copy.plot()
    assert other is not ax
    for one, two in zip(ax.collections[0].get_paths(), other.collections[0].get_paths(), strict=True):
        np.testing.assert_array_equal(one.vertices, two.vertices)


def test_a_result_without_its_instance_cannot_be_drawn(result: schedcore.Result) -> None:
    bare = schedcore.Result(result.schedule, "awct", result.value)
    with pytest.raises(schedcore.UnsupportedError, match="does not know its instance"):
        bare.plot()


def names_for(kind: type) -> list[str]:
    return [algorithm.name for algorithm in schedcore.registry.algorithms(kind)]


@pytest.mark.parametrize("name", names_for(schedcore.ColocationInstance))
def test_results_of_every_colocation_can_be_drawn(ax: Any, name: str) -> None:
    inst = schedcore.ColocationInstance(
        [4, 3, 2], [0, 1, 2], [[1, 2, 2], [2, 1, 2], [2, 2, 1]], 1, n_machines=3
    )
    if name == "greedy_for_2_types":
        inst = schedcore.ColocationInstance([4, 3], [0, 1], [[1, 2], [2, 1]], 1, n_machines=3)
    result = schedcore.solve(name, inst)
    result.plot(ax=ax)
    heights = np.sort([bar.get_height() for bar in ax.patches])
    np.testing.assert_array_equal(heights[heights > 0], np.sort(inst.size))
    costs = [y for line in ax.lines[:-1] for y in line.get_ydata()]
    assert max(costs) == result.value
    assert ax.lines[-1].get_ydata()[0] == result.lower_bound


def test_loads_are_stacked_and_marked_with_what_they_cost_each_other(ax: Any) -> None:
    inst = schedcore.ColocationInstance([4, 3], [0, 1], [[1, 2], [5, 1]], 1, n_machines=1)
    plotting.plot_assignment(inst, schedcore.Assignment([0, 0]), ax=ax)
    assert [(bar.get_y(), bar.get_height()) for bar in ax.patches] == [(0, 4), (4, 3)]
    costs = [line.get_ydata().tolist() for line in ax.lines]
    assert costs == [[4 + 5 * 3], [2 * 4 + 3]]


def test_no_load_or_cost_lies_on_the_upper_edge_of_the_drawing(ax: Any) -> None:
    inst = schedcore.ColocationInstance([4, 3, 4], [0, 1, 0], [[1, 1], [1, 1]], 1, n_machines=2)
    schedcore.solve("sched_mixed", inst).plot(ax=ax)
    assert ax.get_ylim()[0] == 0
    assert ax.get_ylim()[1] > 1.02 * max(bar.get_y() + bar.get_height() for bar in ax.patches)


def test_nothing_to_colocate_is_said(ax: Any) -> None:
    nothing: list[int] = []
    inst = schedcore.ColocationInstance(nothing, nothing, [[1]], 1, n_machines=2)
    schedcore.solve("best_schedule", inst).plot(ax=ax)
    assert [text.get_text() for text in ax.texts] == ["no tasks"]


@pytest.mark.parametrize("name", names_for(schedcore.Instance))
def test_results_of_every_algorithm_can_be_drawn(ax: Any, name: str) -> None:
    inst = schedcore.Instance(schedcore.Jobs([4, 1, 2], [[10], [5], [5]]), schedcore.Machines([[10]]))
    result = schedcore.solve(name, inst)
    assert result.instance == inst
    assert shows_packing(result.plot(ax=ax))


def test_matplotlib_is_imported_by_the_first_drawing_only() -> None:
    program = "import schedcore, sys; schedcore.plotting; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False, timeout=60).returncode == 0


def test_the_most_demanded_resources_have_the_highest_load_for_their_capacity() -> None:
    jobs = schedcore.Jobs([1, 10], [[9, 0, 1, 5], [0, 1, 1, 0]])
    inst = schedcore.Instance(jobs, schedcore.Machines([[10, 10, 5, 0], [10, 10, 5, 5]]))
    # loads: 9 / 20, 10 / 20, 11 / 10, 5 / 5
    assert plotting.most_demanded(inst) == [0, 1, 2, 3]
    assert plotting.most_demanded(inst, 2) == [2, 3]
    assert plotting.most_demanded(inst, 1) == [2]


def test_the_stretch_ends_when_every_schedule_has_completed_99_percent() -> None:
    inst = schedcore.workloads.azure_like(1, 300)
    results = [schedcore.pq(inst), schedcore.mris(inst)]
    first, last = plotting.until_most_are_done(inst, [r.schedule for r in results])
    assert first == inst.jobs.release_time.min()
    done = [(metrics.completion_time(inst, r.schedule) <= last).mean() for r in results]
    assert min(done) >= 0.99
    assert last < max(metrics.makespan(inst, r.schedule) for r in results)
    assert plotting.until_most_are_done(inst, []) == (0.0, 0.0)
