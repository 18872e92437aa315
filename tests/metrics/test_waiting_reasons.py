"""Why jobs of a simulation waited."""

from typing import Any

import numpy as np
import pytest

import schedcore
from own_policies import OwnFirstFit
from schedcore import Incidents, Instance, Jobs, Machines, Outages, UnsupportedError
from schedcore.metrics import waiting_reasons
from schedcore.metrics.waiting_reasons import REASONS

ROW = tuple[int, str, float, float]


def rows(result: schedcore.Result, **given: Any) -> list[ROW]:
    found = waiting_reasons(result, **given)
    columns = (found.job, found.reason, found.start_time, found.end_time)
    return list(zip(*(column.tolist() for column in columns), strict=True))


def test_every_stretch_has_its_reason() -> None:
    # job 1 wants all of it; job 2 would fit beside job 0, and would delay job 1
    instance = Instance(
        Jobs([4.0, 2.0, 9.0], [[1], [2], [1]], release_time=[0, 1, 2]), Machines.identical(1, [2])
    )
    result = schedcore.solve("easy", instance)
    assert rows(result) == [(1, "resources", 1.0, 4.0), (2, "reserved", 2.0, 4.0), (2, "resources", 4.0, 6.0)]
    found = waiting_reasons(result)
    assert found.total_time() == {"resources": 5.0, "reserved": 2.0}
    assert found.time_of_jobs().sum(axis=1).tolist() == [0.0, 3.0, 4.0]
    work = found.waiting_work(instance)
    assert work["reserved"].at([1.9, 2, 3.9, 4]).tolist() == [0, 9, 9, 0]
    assert work["resources"].at([0.9, 1, 4, 6]).tolist() == [0, 4, 9, 0]


def test_failures_and_outages_are_told_apart() -> None:
    instance = Instance(
        Jobs([4.0, 3.0], [[2], [2]], release_time=[0, 5]),
        Machines.identical(1, [2]),
        outages=Outages([0], [10], [12]),
    )
    incidents = Incidents(failures=Outages([0], [1], [3]))
    result = schedcore.solve("fcfs", instance, incidents=incidents)
    assert result.runs is not None
    assert result.runs.start_time.tolist() == [0.0, 3.0, 7.0]
    assert rows(result) == [(0, "down", 1.0, 3.0), (1, "resources", 5.0, 7.0)]
    late = schedcore.solve("fcfs", instance.replace(processing_time=[4.0, 6.0]), incidents=incidents)
    assert rows(late)[-2:] == [(1, "resources", 5.0, 7.0), (1, "outage", 7.0, 12.0)]


@pytest.mark.parametrize(
    ("policy", "options"),
    [
        ("fcfs", {}),
        ("easy", {}),
        ("conservative", {}),
        ("backfill", {"protected": 2}),
        ("pq", {"heuristic": "svf"}),
        ("ca_pq", {}),
        ("tetris", {}),
        ("bf_exec", {}),
        ("mris", {}),
        ("mris", {"replan": "always", "gamma0": 0.5}),
    ],
)
def test_reasons_add_up_to_all_waiting(policy: str, options: dict[str, Any]) -> None:
    rng = np.random.default_rng(5)
    n = 120
    jobs = Jobs(rng.integers(1, 30, n), rng.integers(1, 5, (n, 2)), release_time=rng.integers(0, 150, n))
    instance = Instance(jobs, Machines.identical(2, [6, 6]))
    result = schedcore.solve(policy, instance, **options)
    found = waiting_reasons(result)
    waited = result.schedule.start_time - instance.release_time
    assert found.time_of_jobs().sum(axis=1).tolist() == waited.tolist()
    assert set(found.reason.tolist()) <= set(REASONS)
    assert len(found) > 0


def test_own_policies_are_given_again() -> None:
    instance = Instance(Jobs([4.0, 2.0], [[2], [2]]), Machines.identical(1, [2]))
    result = schedcore.solve(OwnFirstFit(), instance)
    assert rows(result, policy=OwnFirstFit()) == [(1, "resources", 0.0, 4.0)]
    with pytest.raises(
        schedcore.InvalidInstanceError,
        match=r"of 'OwnFirstFit', which is no policy of the library: give .* waiting_reasons\(result, policy=",
    ):
        waiting_reasons(result)
    other = schedcore.solve("pq", instance, heuristic="sjf")
    with pytest.raises(
        schedcore.InvalidInstanceError, match=r"starts other jobs|has not started|does not run"
    ):
        waiting_reasons(other, policy=OwnFirstFit())


@pytest.mark.parametrize("wrong", [3, "easy", OwnFirstFit])
def test_what_is_no_policy_is_refused_where_it_is_not_needed(wrong: Any) -> None:
    instance = Instance(Jobs([4.0, 2.0], [[2], [2]]), Machines.identical(1, [2]))
    for policy in ("easy", OwnFirstFit()):
        with pytest.raises(
            TypeError, match=r"^policy must be an object of a class derived from schedcore\.Policy"
        ):
            waiting_reasons(schedcore.solve(policy, instance), policy=wrong)


def test_a_policy_of_the_library_waits_for_its_own_instants() -> None:
    # nothing runs and nobody is before it; it waits for the last release
    instance = Instance(Jobs([4.0, 2.0], [[1], [1]], release_time=[0, 3]), Machines.identical(1, [2]))
    assert rows(schedcore.solve("ca_pq", instance)) == [(0, "order", 0.0, 3.0)]


def test_what_cannot_be_asked_is_said() -> None:
    instance = Instance(Jobs([4.0], [[2]]), Machines.identical(1, [2]))
    others: list[Any] = [None, schedcore.solve("easy", instance).schedule]
    for other in others:
        with pytest.raises(
            TypeError, match=rf"^result must be a schedcore\.Result, not {type(other).__name__}"
        ):
            waiting_reasons(other)
    with pytest.raises(UnsupportedError, match="'offline_pq' has no embedded form"):
        waiting_reasons(schedcore.solve("offline_pq", instance))
    keyed = schedcore.solve("pq", instance, heuristic=lambda jobs: jobs.weight)
    assert len(waiting_reasons(keyed)) == 0
    with pytest.raises(UnsupportedError, match="array"):
        waiting_reasons(schedcore.solve("pq", instance, heuristic=np.array([1.0])))
    with pytest.raises(UnsupportedError, match="knows its instance"):
        waiting_reasons(schedcore.Result(None, "awct", 0.0))


def test_nobody_waits_where_nothing_is() -> None:
    empty = Instance(Jobs([], np.empty((0, 1), dtype=np.int64)), Machines.identical(1, [2]))
    found = waiting_reasons(schedcore.solve("easy", empty))
    assert (len(found), found.total_time(), found.time_of_jobs().shape) == (0, {}, (0, len(REASONS)))


def test_the_drawing_shows_every_reason() -> None:
    pytest.importorskip("matplotlib")
    instance = Instance(
        Jobs([4.0, 2.0, 9.0], [[1], [2], [1]], release_time=[0, 1, 2]), Machines.identical(1, [2])
    )
    axes = schedcore.plotting.plot_waiting_reasons(
        instance, waiting_reasons(schedcore.solve("easy", instance))
    )
    assert [patch.get_label() for patch in axes.patches] == ["resources", "reserved"]
    assert axes.get_ylabel() == "waiting work (s of all resource_0)"
    # at most 4 + 9 units wait for a machine of 2
    assert 6.5 <= axes.get_ylim()[1] < 7


def test_the_drawing_says_where_no_job_waits() -> None:
    pytest.importorskip("matplotlib")
    instance = Instance(Jobs([4.0], [[1]]), Machines.identical(1, [2]))
    axes = schedcore.plotting.plot_waiting_reasons(
        instance, waiting_reasons(schedcore.solve("easy", instance))
    )
    assert [text.get_text() for text in axes.texts] == ["no job waits"]


def test_the_drawing_finds_resources_by_index_or_name() -> None:
    pytest.importorskip("matplotlib")
    instance = Instance(
        Jobs([4.0, 2.0], [[1, 3], [2, 5]]), Machines.identical(1, [2, 5], resource_names=["cores", "memory"])
    )
    reasons = waiting_reasons(schedcore.solve("easy", instance))
    draw = schedcore.plotting.plot_waiting_reasons
    chosen: list[tuple[Any, str]] = [(1, "memory"), ("memory", "memory"), (np.int64(0), "cores")]
    for resource, name in chosen:
        assert draw(instance, reasons, resource=resource).get_ylabel().endswith(f"of all {name})")
    assert reasons.waiting_work(instance, "memory")["resources"].at([0]).tolist() == [10]
    with pytest.raises(schedcore.InvalidInstanceError, match=r"resource 3 must lie in \[0, 2\)"):
        draw(instance, reasons, resource=3)
    with pytest.raises(schedcore.InvalidInstanceError, match="did you mean 'memory'"):
        draw(instance, reasons, resource="memry")
    wrong: list[Any] = [1.0, None, True]
    for other in wrong:
        with pytest.raises(TypeError, match=f"resource must be an index or a name, not {other}"):
            draw(instance, reasons, resource=other)


@pytest.mark.parametrize("n_jobs", [0, 1, 3])
def test_reasons_are_of_the_jobs_of_the_instance(n_jobs: int) -> None:
    pytest.importorskip("matplotlib")
    instance = Instance(Jobs([4.0, 2.0, 1.0], [[1], [2], [1]]), Machines.identical(1, [2]))
    reasons = waiting_reasons(schedcore.solve("easy", instance.take_jobs(np.array([True, True, False]))))
    other = instance.take_jobs(np.arange(3) < n_jobs)
    message = f"the reasons are of 2 jobs, the instance has {n_jobs}"
    with pytest.raises(schedcore.InvalidInstanceError, match=message):
        reasons.waiting_work(other)
    with pytest.raises(schedcore.InvalidInstanceError, match=message):
        schedcore.plotting.plot_waiting_reasons(other, reasons)
