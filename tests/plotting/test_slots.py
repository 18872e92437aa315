"""Runs in slots are drawn as blocks of the cores that jobs got, or as the share of cores and memory in use."""

from typing import Any

import numpy as np
import pytest

import schedcore
from schedcore import PreemptiveSchedule, plotting
from schedcore.plotting import panel


@pytest.fixture
def inst() -> schedcore.Instance:
    """Servers of 4 and 2 cores; a job of 5 cores is split, one of 2 is interrupted."""
    jobs = schedcore.Jobs([2, 3, 1], [[2, 3], [1, 1], [5, 2]], release_time=[0, 0, 1])
    return schedcore.Instance(jobs, schedcore.Machines([[4, 8], [2, 4]], ["cores", "memory"]))


def areas(ax: Any) -> dict[str, float]:
    """Core-slots of the blocks of each job."""
    found = {}
    for collection in ax.collections:
        if not collection.get_label().startswith("job"):
            continue  # the lines between servers
        total = 0.0
        for path in collection.get_paths():
            x, y = path.vertices[:-1].T
            total += 0.5 * abs(np.dot(x, np.roll(y, 1)) - np.dot(y, np.roll(x, 1)))
        found[collection.get_label()] = round(total, 9)
    return found


def test_blocks_have_the_area_of_the_work(ax: Any, inst: schedcore.Instance) -> None:
    result = schedcore.solve("srpt", inst)
    result.plot(ax=ax)
    assert areas(ax) == {"job 0": 4.0, "job 1": 3.0, "job 2": 5.0}
    assert ax.get_xlabel() == "time (slots)"
    assert "cores" in ax.get_ylabel()


def test_memory_is_held_in_full_on_every_server(ax: Any, inst: schedcore.Instance) -> None:
    pieces = PreemptiveSchedule([0, 2, 2], [-1, -1, -1], [0, 0, 1], [0, 2, 2], [2, 3, 3], [2, 3, 2])
    plotting.plot_pieces(inst, pieces, resource=1, ax=ax)
    assert areas(ax) == {"job 0": 6.0, "job 2": 4.0}


def test_memory_is_drawn_as_it_is_believed(ax: Any, inst: schedcore.Instance) -> None:
    believed = schedcore.Instance(inst.jobs.replace(estimated_demand=[[2, 2], [1, 1], [5, 1]]), inst.machines)
    pieces = PreemptiveSchedule([0, 2, 2], [-1, -1, -1], [0, 0, 1], [0, 2, 2], [2, 3, 3], [2, 3, 2])
    plotting.plot_pieces(believed, pieces, resource=1, ax=ax)
    assert areas(ax) == {"job 0": 4.0, "job 2": 2.0}


def test_many_servers_are_drawn_as_shares_in_use(
    ax: Any, inst: schedcore.Instance, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(panel, "FEW_MACHINES", 0)
    schedcore.solve("srpt", inst).plot(ax=ax)
    assert [stairs.get_label() for stairs in ax.patches] == ["cores", "memory"]
    assert ax.get_xlabel() == "time (slots)"


def test_map_and_reduce_tasks_have_the_colour_of_their_job(ax: Any) -> None:
    inst = schedcore.MapReduceInstance(
        release_time=[0, 0], map_tasks=[2, 1], map_cores=[1, 1], map_time=[2, 1], reduce_tasks=[1, 1],
        reduce_cores=[2, 1], reduce_time=[1, 2], machines=schedcore.Machines([[2]]),
    )  # fmt: skip
    schedcore.solve("srvf", inst).plot(ax=ax)
    assert areas(ax) == {"job 0": 6.0, "job 1": 3.0}


def test_an_unfinished_run_shows_what_was_done(ax: Any, inst: schedcore.Instance) -> None:
    result = schedcore.solve("srpt", inst, max_slots=1)
    result.plot(ax=ax)
    assert sum(areas(ax).values()) == 3.0
