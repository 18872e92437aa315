"""Machines that join an embedded scheduler, are removed, and have more or less than before."""

import copy
from typing import Any

import numpy as np
import pytest

import schedcore
from engine.policy_cases import CLUSTER_POLICIES
from schedcore import InfeasibleError, InvalidInstanceError, Jobs, Machines, OnlineScheduler, UnsupportedError

SIMPLE = [case for case in CLUSTER_POLICIES if case[0] not in ("mris", "ca_pq")]


def started(decision: schedcore.engine.Decision) -> list[tuple[int, int, float]]:
    return [tuple(each) for each in decision.starts]


def planned(decision: schedcore.engine.Decision) -> list[tuple[int, int, float]]:
    return [tuple(each) for each in decision.plan]


def full(policy: str = "first_fit", n_machines: int = 1, **options: Any) -> OnlineScheduler:
    """Machines of 4, each taken by one job until 10."""
    scheduler = OnlineScheduler(policy, Machines.identical(n_machines, [4]), **options)
    scheduler.submit(Jobs([10.0] * n_machines, [[4]] * n_machines), 0)
    assert len(scheduler.advance(0).starts) == n_machines
    return scheduler


@pytest.mark.parametrize(("policy", "options"), SIMPLE)
def test_jobs_start_on_machines_that_join(policy: str, options: dict[str, Any]) -> None:
    scheduler = full(policy, **options)
    scheduler.submit(Jobs([1.0, 1.0], [[4], [4]]), 1)
    assert started(scheduler.advance(1)) == []
    assert scheduler.add_machines(Machines.identical(2, [4]), 2).tolist() == [1, 2]
    assert started(scheduler.advance(2)) == [(1, 1, 2.0), (2, 2, 2.0)]


def test_mris_plans_on_machines_that_joined() -> None:
    scheduler = OnlineScheduler("mris", Machines.identical(1, [4]), gamma0=2.0, origin=0.0)
    scheduler.submit(Jobs([2.0, 2.0], [[4], [4]]), 3)
    scheduler.add_machines(Machines.identical(1, [4]), 3)
    assert started(scheduler.advance(4)) == [(0, 0, 4.0), (1, 1, 4.0)]


def test_a_machine_can_be_named_as_soon_as_it_is_recorded() -> None:
    scheduler = full()
    (machine,) = scheduler.add_machines(Machines.identical(1, [4]), 5)
    scheduler.announce_outage(machine, 6, 9, 5)
    scheduler.submit(Jobs([2.0], [[4]]), 5)
    scheduler.adopt(Jobs([3.0], [[3]]), [machine], [4.0], 5)
    assert started(scheduler.advance(5)) == []
    assert scheduler.machine_state().used.tolist() == [[4], [3]]
    scheduler.complete([2], 9)
    assert started(scheduler.advance(9)) == [(1, 1, 9.0)]


def test_records_of_later_instants_do_not_show_yet() -> None:
    scheduler = full()
    scheduler.submit(Jobs([1.0], [[4]]), 1)
    scheduler.add_machines(Machines.identical(1, [4]), 7)
    assert started(scheduler.advance(3)) == []
    state = scheduler.machine_state()
    assert (len(state.machine), state.capacity.tolist()) == (1, [[4]])
    assert started(scheduler.advance(8)) == [(1, 1, 7.0)]


def test_lighter_machines_are_preferred_wherever_they_join() -> None:
    scheduler = OnlineScheduler("fcfs", Machines([[2], [2]], weight=[5, 10]))
    assert scheduler.add_machines(Machines([[2], [2], [2]], weight=[7, 1, 20]), 0).tolist() == [2, 3, 4]
    scheduler.submit(Jobs([1.0] * 5, [[2]] * 5), 0)
    assert [machine for _, machine, _ in started(scheduler.advance(0))] == [3, 0, 2, 1, 4]


def test_constraints_of_waiting_jobs_hold_for_machines_that_join() -> None:
    scheduler = OnlineScheduler("easy", Machines([[4], [4]], labels=[["gpu"], ["cpu"]]))
    scheduler.submit(
        Jobs([10.0, 10.0, 1.0, 1.0, 1.0], [[4]] * 5, constraint=[None, None, "gpu", "!gpu", "gpu"]), 0
    )
    assert len(scheduler.advance(0).starts) == 2
    joining = Machines([[4], [4], [4]], labels=[["new"], ["gpu", "new"], ["gpu"]])
    scheduler.add_machines(joining, 1)
    assert started(scheduler.advance(1)) == [(2, 3, 1.0), (3, 2, 1.0), (4, 4, 1.0)]


def test_machines_with_other_labels_than_were_named_are_told_apart() -> None:
    scheduler = OnlineScheduler("fcfs", Machines.identical(1, [1]), infeasible="wait")
    for n in range(30):
        scheduler.add_machines(Machines([[1]], labels=[["odd" if n % 2 else "even", f"rack{n}"]]), 0)
    scheduler.submit(Jobs([1.0] * 3, [[1]] * 3, constraint=["odd", "rack7|rack9", "even&!rack0"]), 0)
    assert [machine for _, machine, _ in started(scheduler.advance(0))] == [2, 8, 3]
    scheduler.add_machines(Machines([[1]], labels=[["rack99"]]), 1)
    scheduler.submit(Jobs([1.0], [[1]], constraint="rack99"), 1)
    assert [machine for _, machine, _ in started(scheduler.advance(1))] == [31]


def test_numbers_of_removed_machines_are_not_used_again() -> None:
    scheduler = OnlineScheduler("first_fit", Machines.identical(2, [4]))
    for n in range(100):
        assert scheduler.add_machines(Machines.identical(1, [4]), n).tolist() == [n + 2]
        scheduler.remove_machines([n + 1], n)
        scheduler.advance(n)
    with pytest.raises(InvalidInstanceError, match="machine 100 was removed"):
        scheduler.open([100], 100)
    with pytest.raises(InvalidInstanceError, match="machine 102 is not there"):
        scheduler.close([102], 100)
    scheduler.submit(Jobs([1.0] * 2, [[4]] * 2), 100)
    assert [machine for _, machine, _ in started(scheduler.advance(100))] == [0, 101]


def test_the_state_does_not_grow_as_machines_come_and_go() -> None:
    scheduler = OnlineScheduler("conservative", Machines.identical(4, [4]))
    sizes = []
    for n in range(1000):
        last = scheduler.add_machines(Machines([[4]], labels=[[f"host{n}"]]), n)
        ids = scheduler.submit(Jobs([0.5] * 5, [[4]] * 5), n)
        scheduler.remove_machines([last[0] - 1], n, "requeue")
        assert len(scheduler.advance(n).starts) >= 1
        scheduler.complete(scheduler.jobs("running").id, n + 0.5)
        scheduler.advance(n + 0.5)
        scheduler.complete(scheduler.jobs("running").id, n + 0.75)
        scheduler.advance(n + 0.75)
        assert ids[0] >= 0
        sizes.append(len(scheduler.save()))
    assert max(sizes[500:]) <= max(sizes[:100]) + 100


def test_a_job_finishes_on_a_removed_machine_that_others_replace() -> None:
    scheduler = full(n_machines=2)
    scheduler.remove_machines([0], 1)
    scheduler.advance(1)
    for n in range(20):
        scheduler.add_machines(Machines([[1]], weight=[-n - 1]), 2)
    scheduler.advance(2)
    running = scheduler.jobs("running")
    assert dict(zip(running.id.tolist(), running.machine.tolist(), strict=True)) == {0: 0, 1: 1}
    scheduler.complete([0], 3)
    scheduler.advance(3)
    scheduler.submit(Jobs([1.0], [[4]]), 3)
    assert started(scheduler.advance(3)) == []
    scheduler.complete([1], 4)
    assert started(scheduler.advance(4)) == [(2, 1, 4.0)]


@pytest.mark.parametrize(("policy", "options"), SIMPLE)
def test_nothing_new_starts_until_what_runs_fits_again(policy: str, options: dict[str, Any]) -> None:
    scheduler = OnlineScheduler(policy, Machines.identical(1, [8, 8]), **options)
    scheduler.submit(Jobs([10.0, 20.0], [[4, 1], [2, 1]]), 0)
    assert len(scheduler.advance(0).starts) == 2
    scheduler.set_capacity(0, [3, 8], 1)
    scheduler.submit(Jobs([1.0], [[0, 1]]), 1)
    assert started(scheduler.advance(1)) == []
    state = scheduler.machine_state()
    assert (state.capacity.tolist(), state.used.tolist()) == ([[3, 8]], [[6, 2]])
    scheduler.complete([0], 10)
    assert started(scheduler.advance(10)) == [(2, 0, 10.0)]


@pytest.mark.parametrize(("policy", "options"), SIMPLE)
def test_what_a_machine_gains_is_free_at_once(policy: str, options: dict[str, Any]) -> None:
    scheduler = full(policy, **options)
    scheduler.submit(Jobs([1.0], [[3]]), 1)
    assert started(scheduler.advance(1)) == []
    scheduler.set_capacity(0, [7], 2)
    assert started(scheduler.advance(2)) == [(1, 0, 2.0)]


def test_a_reservation_that_does_not_fit_any_more_is_broken() -> None:
    scheduler = OnlineScheduler("conservative", Machines.identical(2, [4]))
    scheduler.submit(Jobs([10.0, 30.0, 5.0], [[4], [4], [4]]), 0)
    assert planned(scheduler.advance(0)) == [(2, 0, 10.0)]
    scheduler.set_capacity(0, [3], 2)
    broken = scheduler.advance(2).broken
    assert (broken.id.tolist(), broken.promised.tolist(), broken.expected.tolist()) == ([2], [10.0], [30.0])
    assert broken.cause.tolist() == ["capacity"]


def test_an_earlier_start_is_found_where_there_is_more() -> None:
    scheduler = OnlineScheduler("conservative", Machines.identical(1, [4]))
    scheduler.submit(Jobs([10.0, 5.0, 5.0], [[4], [3], [3]]), 0)
    assert planned(scheduler.advance(0)) == [(1, 0, 10.0), (2, 0, 15.0)]
    scheduler.set_capacity(0, [6], 1)
    assert planned(scheduler.advance(1)) == [(1, 0, 10.0), (2, 0, 10.0)]
    scheduler.set_capacity(0, [7], 2)
    assert started(scheduler.advance(2)) == [(1, 0, 2.0)]


def test_a_job_that_is_alone_has_all_of_a_machine_however_much_that_is() -> None:
    scheduler = OnlineScheduler("fcfs", Machines.identical(1, [4]))
    scheduler.submit(Jobs([10.0], [[1]], exclusive=True), 0)
    scheduler.advance(0)
    scheduler.set_capacity(0, [8], 1)
    scheduler.submit(Jobs([1.0], [[1]]), 1)
    assert started(scheduler.advance(1)) == []
    scheduler.set_capacity(0, [2], 2)
    assert started(scheduler.advance(2)) == []
    assert scheduler.machine_state().free.tolist() == [[0]]
    scheduler.complete([0], 3)
    assert started(scheduler.advance(3)) == [(1, 0, 3.0)]
    assert scheduler.machine_state().free.tolist() == [[1]]


def test_can_never_run_is_judged_by_the_largest_capacity() -> None:
    scheduler = OnlineScheduler("fcfs", Machines.identical(1, [4]))
    scheduler.set_capacity(0, [2], 0)
    scheduler.submit(Jobs([1.0], [[4]]), 0)
    assert started(scheduler.advance(0)) == []
    assert scheduler.explain()[0].reason == "down"
    assert scheduler.estimate_start().tolist() == [np.inf]
    scheduler.set_capacity(0, [6], 1)
    assert started(scheduler.advance(1)) == [(0, 0, 1.0)]
    scheduler.set_capacity(0, [1], 2)
    scheduler.submit(Jobs([1.0], [[6]]), 2)
    with pytest.raises(InfeasibleError, match="job 2"):
        scheduler.submit(Jobs([1.0], [[7]]), 2)
    scheduler.add_machines(Machines.identical(1, [7]), 3)
    scheduler.submit(Jobs([1.0], [[7]]), 3)
    scheduler.remove_machines([1], 3)
    with pytest.raises(InfeasibleError, match="job 3"):
        scheduler.submit(Jobs([1.0], [[7]]), 3)


@pytest.mark.parametrize(("policy", "options"), SIMPLE)
def test_jobs_wait_for_machines_that_can_take_them(policy: str, options: dict[str, Any]) -> None:
    scheduler = OnlineScheduler(policy, Machines.identical(1, [4]), infeasible="wait", **options)
    scheduler.submit(Jobs([1.0, 2.0, 3.0], [[9], [1], [1]], constraint=[None, None, "gpu"]), 0)
    scheduler.advance(0)
    loaded = OnlineScheduler.load(scheduler.save(), **{k: v for k, v in options.items() if callable(v)})
    for each in (scheduler, loaded, copy.copy(scheduler)):
        assert {waiting.id: waiting.reason for waiting in each.explain()}[0] == "down"
        each.add_machines(Machines([[9], [4]], labels=[[], ["gpu"]]), 4)
        starts = {job: (machine, start) for job, machine, start in started(each.advance(4))}
        assert starts[0] == (1, 4.0)
        assert starts[2] == (2, 4.0)


def test_gangs_wait_for_enough_machines() -> None:
    scheduler = OnlineScheduler("easy", Machines.identical(2, [1]), infeasible="wait")
    scheduler.submit(Jobs([1.0], [[1]], n_tasks=4), 0)
    assert started(scheduler.advance(0)) == []
    scheduler.add_machines(Machines.identical(2, [1]), 1)
    decision = scheduler.advance(1)
    assert decision.starts.allocation.of(0) == [(0, 1), (1, 1), (2, 1), (3, 1)]


def test_copies_and_saved_states_go_on_with_machines_that_joined() -> None:
    scheduler = full("conservative", n_machines=2)
    scheduler.add_machines(Machines([[4], [2]], weight=[-1, 3], labels=[["fast"], []]), 1)
    scheduler.submit(Jobs([3.0, 3.0, 3.0], [[4], [2], [4]], constraint=["fast", None, "fast"]), 1)
    scheduler.set_capacity(1, [2], 2)  # pending
    others = [OnlineScheduler.load(scheduler.save()), copy.deepcopy(scheduler)]
    decision = scheduler.advance(3)
    scheduler.remove_machines([3], 4, "requeue")
    after = scheduler.advance(4)
    for other in others:
        assert (started(other.advance(3)), planned(other.last_decision)) == (
            started(decision),
            planned(decision),
        )
        other.remove_machines([3], 4, "requeue")
        assert planned(other.advance(4)) == planned(after)
        assert other.save() == scheduler.save()


def test_what_cannot_be_is_refused_and_changes_nothing() -> None:
    scheduler = OnlineScheduler("fcfs", Machines([[4, 8]], resource_names=["cpu", "mem"]))
    before = scheduler.save()
    with pytest.raises(InvalidInstanceError, match="mem"):
        scheduler.add_machines(Machines([[4, 8]], resource_names=["mem", "cpu"]), 0)
    with pytest.raises(InvalidInstanceError, match="resource_0"):
        scheduler.add_machines(Machines([[4]]), 0)
    with pytest.raises(TypeError, match="Machines"):
        scheduler.add_machines([[4, 8]], 0)  # type: ignore[arg-type]
    with pytest.raises(InvalidInstanceError, match=r"capacity\[1\].*-1"):
        scheduler.set_capacity(0, [4, -1], 0)
    with pytest.raises(InvalidInstanceError, match="has 3 resources"):
        scheduler.set_capacity(0, [4, 1, 1], 0)
    with pytest.raises(InvalidInstanceError, match="machine 1 is not there"):
        scheduler.set_capacity(1, [4, 1], 0)
    with pytest.raises(InvalidInstanceError, match="nan"):
        scheduler.set_capacity(0, [4, float("nan")], 0)
    with pytest.raises((ValueError, InvalidInstanceError), match="infeasible"):
        OnlineScheduler("fcfs", Machines.identical(1, [1]), infeasible="maybe")
    assert scheduler.save() == before
    scheduler.advance(3)
    with pytest.raises(InvalidInstanceError, match=r"past|before"):
        scheduler.add_machines(Machines.identical(1, [1, 1]), 2)


def test_policies_for_tasks_do_not_take_machines() -> None:
    scheduler = OnlineScheduler("jsq_mw", Machines.identical(1, [4]), remote_penalty=2.0)
    with pytest.raises(UnsupportedError):
        scheduler.add_machines(Machines.identical(1, [4]), 0)
    with pytest.raises(UnsupportedError):
        scheduler.set_capacity(0, [4], 0)


def test_machines_that_join_and_are_removed_at_one_instant_have_never_been() -> None:
    scheduler = OnlineScheduler("easy", Machines.identical(1, [1]))
    (machine,) = scheduler.add_machines(Machines.identical(1, [4]), 1)
    scheduler.remove_machines([machine], 1)
    scheduler.submit(Jobs([1.0, 1.0], [[1], [1]]), 1)
    assert started(scheduler.advance(1)) == [(0, 0, 1.0)]
    with pytest.raises(InvalidInstanceError, match="was removed"):
        scheduler.set_capacity(machine, [4], 1)
