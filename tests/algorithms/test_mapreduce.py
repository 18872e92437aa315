"""OCORP and its baselines on jobs of map and reduce tasks: the worked example, what options do, and what is refused."""

from typing import Any

import numpy as np
import pytest

import schedcore
from schedcore.workloads import mapreduce_standin
from slotted_cases import map_reduce

#: Two cores. Job 0: two map tasks of one core and 2 slots, a reduce task of 2 cores and 1 slot. Job 1: a map task of 1
#: slot and a reduce task of 2 slots, one core each.
EXAMPLE = map_reduce([(0, (2, 1, 2), (1, 2, 1)), (0, (1, 1, 1), (1, 1, 2))], [2])

BASELINES = ("srpt", "srvf", "svf", "srf")

Piece = tuple[int, ...]


def pieces(result: schedcore.Result) -> list[Piece]:
    """Job, task, machine, start, end and cores of every piece."""
    s = result.schedule
    columns = (s.job, s.task, s.machine, s.start_time, s.end_time, s.amount)
    return list(zip(*(column.astype(int).tolist() for column in columns), strict=True))


def test_the_example_serves_the_larger_job_first() -> None:
    """Slots 1 and 2 both map tasks of job 0, 3 its reduce task, 4 the map task of job 1, 5 and 6 its reduce task."""
    result = schedcore.solve("ocorp_mapreduce", EXAMPLE, k=1)
    assert result.completion_time.tolist() == [3, 6]
    assert pieces(result) == [
        (0, 0, 0, 0, 2, 1),
        (0, 1, 0, 0, 2, 1),
        (0, 2, 0, 2, 3, 2),
        (1, 0, 0, 3, 4, 1),
        (1, 1, 0, 4, 6, 1),
    ]
    assert result.value == 9
    assert result.lower_bound == 6  # P is 3 for both
    assert result.objective == "flow_power_sum"
    stats = result.stats
    assert stats["gamma"] == 18  # 4 * (4 + 2 + 1 + 2) / 2
    assert stats["map_completion_time"].tolist() == [2, 4]
    assert stats["max_gap"].tolist() == [0, 3]
    assert not any(stats[name] for name in ("preemptions", "migrations", "live_migrations", "refusals"))
    assert (stats["status"], stats["n_unfinished"], stats["makespan"]) == ("finished", 0, 6)
    # k = 1: W = (2 t + 3) / (2 n p). Job 0: rate 2 in slots 1 and 2 with W = 5/8 and 7/8, rate 1 in slot 3 with 9/2;
    # job 1: W = 11/2 in slot 4, 13/4 and 15/4 in slots 5 and 6.
    assert stats["fractional"] == 2 * (5 / 8 + 7 / 8) + 9 / 2 + 11 / 2 + 13 / 4 + 15 / 4
    assert schedcore.validate(EXAMPLE, result.schedule)


def test_multipliers_of_the_example_are_those_computed_by_hand() -> None:
    stats = schedcore.solve("ocorp_mapreduce", EXAMPLE, k=1, record=True).stats
    kept = stats["multipliers"]
    assert {name: len(column) for name, column in stats["refused"].items()} == {
        "slot": 0,
        "job": 0,
        "machine": 0,
    }
    assert kept["slot"].tolist() == [1, 1, 2, 2, 3, 3, 4, 5, 6]
    assert kept["job"].tolist() == [0, 1, 0, 1, 0, 1, 1, 1, 1]
    value = kept["value"].tolist()
    # Job 0 runs at its whole rate and stays at 0. Job 1 waits: lambda grows by t^(3/2) r, r = (1 + 2) / 18.
    assert [value[i] for i in (0, 2, 4)] == [0, 0, 0]
    assert value[1] == 0
    assert value[3] == pytest.approx(1 / 6)
    assert value[5] == pytest.approx((1 + 2**1.5) / 6)
    assert value[6] == pytest.approx((1 + 2**1.5 + 3**1.5) / 6)
    assert value[7] == 0  # the reduce phase begins with a multiplier of its own


def test_the_example_under_the_baselines() -> None:
    completion = {name: schedcore.solve(name, EXAMPLE, k=1).completion_time.tolist() for name in BASELINES}
    # Remaining work 6 and 3: both phases of job 1 run on one core, job 0 has one core in slots 1 to 3, two in slot 4.
    assert completion["srvf"] == completion["svf"] == [5, 3]
    # Remaining times 3 and 3, ties by job; all tasks of job 0 before job 1.
    assert completion["srpt"] == [3, 6]
    # The maps of job 0 come first by index; then its reduce task wants 2 cores and gets what job 1 leaves.
    assert completion["srf"] == [4, 5]


@pytest.mark.parametrize("name", ["ocorp_mapreduce", *BASELINES, "fifo"])
def test_every_algorithm_returns_a_feasible_schedule_with_the_same_facts(name: str) -> None:
    inst = mapreduce_standin(60, 4, window=250, load=1.0)
    result = schedcore.solve(name, inst)
    assert schedcore.validate(inst, result.schedule)
    assert (result.completion_time - inst.release_time >= inst.processing_time).all()
    assert result.lower_bound == (inst.processing_time**2).sum() <= result.value
    assert result.value == ((result.completion_time - inst.release_time) ** 2).sum()
    assert (result.stats["gamma"] is None) == (name != "ocorp_mapreduce")
    assert result.algorithm == name


def test_jobs_without_reduce_tasks_end_with_their_maps() -> None:
    inst = map_reduce([(1, (3, 2, 2), (0, 0, 0))], [4])
    result = schedcore.solve("ocorp_mapreduce", inst)
    assert result.completion_time.tolist() == result.stats["map_completion_time"].tolist() == [5]
    assert inst.processing_time.tolist() == [2]


def test_a_task_wider_than_every_machine_is_split() -> None:
    result = schedcore.solve("ocorp_mapreduce", map_reduce([(0, (1, 5, 2), (0, 0, 0))], [3, 4]))
    assert pieces(result) == [(0, 0, 0, 0, 2, 1), (0, 0, 1, 0, 2, 4)]


def test_a_strict_run_leaves_cores_idle_and_a_limit_returns_what_was_done() -> None:
    strict = schedcore.solve("ocorp_mapreduce", EXAMPLE, k=1, work_conserving=False)
    assert (strict.completion_time > 6).any()
    assert schedcore.validate(EXAMPLE, strict.schedule)
    never = schedcore.solve("ocorp_mapreduce", EXAMPLE, k=1, work_conserving=False, mu=0)
    assert never.stats["status"] == "max_slots"
    assert never.stats["n_unfinished"] == 2
    assert len(never.schedule) == 0
    assert never.value == np.inf
    assert never.stats["max_gap"].tolist() == [1152, 1152]  # 64 times 18: all slots of the run
    cut = schedcore.solve("ocorp_mapreduce", EXAMPLE, k=1, max_slots=4)
    assert cut.completion_time.tolist() == [3, np.inf]
    assert cut.stats["map_completion_time"].tolist() == [2, 4]
    assert cut.stats["n_unfinished"] == 1
    assert schedcore.validate(EXAMPLE, cut.schedule, kind="partial")
    assert not schedcore.validate(EXAMPLE, cut.schedule)


def test_gamma_covers_the_longest_job_and_the_latest_release() -> None:
    longest = (0, (1, 1, 2), (1, 1, 3))  # P = 5
    for rows, gamma in (([longest], 10), ([longest, (7, (1, 1, 1), (0, 0, 0))], 14)):
        assert schedcore.solve("ocorp_mapreduce", map_reduce(rows, [100])).stats["gamma"] == gamma


def test_options_of_the_multipliers_change_the_order() -> None:
    big = schedcore.solve("ocorp_mapreduce", EXAMPLE, k=1, lambda0="big")
    assert big.completion_time.tolist() != [3, 6]
    words = [
        schedcore.solve("ocorp_mapreduce", EXAMPLE, lambda0=lambda0).schedule
        for lambda0 in (("mu", 10), "mu:10", ("const", 3.5), "const:3.5")
    ]
    assert words[0] == words[1]
    assert words[2] == words[3]
    assert schedcore.solve("ocorp_mapreduce", EXAMPLE, gamma=4000).stats["gamma"] == 4000
    assert schedcore.solve("ocorp_mapreduce", EXAMPLE, mu=1.5, k=3).k == 3


def test_sticky_tasks_stay_where_they_are() -> None:
    """Job 1 comes at 1, is wider and packed first; the task of job 0 on machine 0 makes way unless it is sticky."""
    inst = map_reduce([(0, (1, 1, 4), (0, 0, 0)), (1, (1, 2, 1), (0, 0, 0))], [2, 2])
    moved = schedcore.solve("fifo", inst)
    assert moved.stats["live_migrations"] == 2
    stayed = schedcore.solve("fifo", inst, packing="sticky")
    assert stayed.stats["migrations"] == 0
    assert pieces(stayed) == [(0, 0, 0, 0, 4, 1), (1, 0, 1, 1, 2, 2)]


def test_latency_places_tasks_where_their_data_is() -> None:
    inst = map_reduce([(0, (2, 1, 2), (1, 1, 1))], [2, 2])
    latency = [[3, 0], [0, 1], [0, 3]]  # map tasks 0 and 1, reduce task
    for name in ("ocorp_mapreduce", "srpt"):
        result = schedcore.solve(name, inst, placement="latency", latency=latency)
        assert pieces(result) == [(0, 0, 1, 0, 2, 1), (0, 1, 0, 0, 2, 1), (0, 2, 0, 2, 3, 1)]


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"k": 0}, schedcore.InvalidInstanceError, "k = 0"),
        ({"k": 1.5}, TypeError, "k must be an integer"),
        ({"gamma": 0}, schedcore.InvalidInstanceError, "gamma = 0"),
        ({"gamma": float("nan")}, schedcore.InvalidInstanceError, "gamma = nan"),
        ({"mu": -1}, schedcore.InvalidInstanceError, "mu = -1"),
        ({"mu": "fast"}, schedcore.InvalidInstanceError, "unknown mu 'fast'"),
        ({"lambda0": "huge"}, schedcore.InvalidInstanceError, "unknown lambda0 'huge'"),
        ({"lambda0": ("mu", -1)}, schedcore.InvalidInstanceError, "lambda0"),
        ({"work_conserving": 2}, schedcore.InvalidInstanceError, "work_conserving = 2"),
        ({"packing": "loose"}, schedcore.InvalidInstanceError, "unknown packing 'loose'"),
        ({"placement": "near"}, schedcore.InvalidInstanceError, "unknown placement 'near'"),
        ({"placement": "latency"}, schedcore.UnsupportedError, "needs latency"),
        ({"latency": [[0]]}, schedcore.UnsupportedError, "with placement"),
        (
            {"placement": "latency", "latency": np.zeros((5, 2))},
            schedcore.InvalidInstanceError,
            r"shape \(5, 2\); it must be \(n_tasks, n_machines\) = \(5, 1\)",
        ),
        (
            {"placement": "latency", "latency": [[0], [0], [-1], [0], [0]]},
            schedcore.InvalidInstanceError,
            r"latency\[2, 0\] = -1",
        ),
        ({"max_slots": 0}, schedcore.InvalidInstanceError, "max_slots = 0"),
        ({"record": "yes"}, schedcore.InvalidInstanceError, "record = 'yes'"),
        ({"mem_mode": "once"}, schedcore.InvalidInstanceError, "unknown option"),
        ({"lambda0": "big", "gamma": 1e300}, schedcore.UnsupportedError, "use a smaller k, gamma or lambda0"),
    ],
)
def test_options_out_of_range_are_refused(
    options: dict[str, Any], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        schedcore.solve("ocorp_mapreduce", EXAMPLE, **options)


def test_progress_may_stop_a_run_that_would_never_end() -> None:
    def stop(done: int, total: int) -> None:
        raise InterruptedError(f"{done} of {total}")

    with pytest.raises(InterruptedError, match="0 of 2"):
        schedcore.solve(
            "ocorp_mapreduce", EXAMPLE, mu=0, work_conserving=False, max_slots=2**50, progress=stop
        )


def test_runs_are_reproducible() -> None:
    inst = mapreduce_standin(300, 1, window=400, load=1.0)
    first = schedcore.solve("ocorp_mapreduce", inst)
    assert schedcore.solve("ocorp_mapreduce", inst) == first
