"""Policies of somebody's own: what they are told, what they may do, and what becomes of their mistakes."""

import copy
import pickle
import re
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import schedcore
from own_policies import OwnFirstFit, OwnRemembering
from schedcore import (
    Incidents,
    Instance,
    InvalidInstanceError,
    Jobs,
    Machines,
    OnlineScheduler,
    Outages,
    Policy,
    PolicyError,
    UnsupportedError,
)

Decide = Callable[[schedcore.engine.Event, schedcore.engine.Turn], object]


class Told(Policy):
    """Does what it is told; functions are not copied, so all copies share what these collect."""

    def __init__(self, decide: Decide) -> None:
        self.told = decide

    def decide(self, event: schedcore.engine.Event, turn: schedcore.engine.Turn) -> None:
        return self.told(event, turn)  # type: ignore[return-value]


class Gangs(Told):
    takes = OwnFirstFit.takes


def start_all(event: schedcore.engine.Event, turn: schedcore.engine.Turn) -> None:
    for job in turn.waiting:
        machines = turn.fits(job)
        if len(machines):
            turn.start(job, machines[0])


def small(n_machines: int = 2, **columns: Any) -> Instance:
    return Instance(
        Jobs([4.0, 3.0, 2.0, 1.0], [[2], [1], [2], [1]], release_time=[0, 0, 1, 2], **columns),
        Machines.identical(n_machines, [2]),
    )


def started(decision: schedcore.engine.Decision) -> list[tuple[int, int, float]]:
    return [tuple(each) for each in decision.starts]


def error_of(decide: Decide, policy: type[Told] = Told) -> str:
    """What becomes of a decision about two jobs of which the first runs; the scheduler is as it was before."""
    scheduler = OnlineScheduler(
        policy(lambda event, turn: decide(event, turn) if event.now else turn.start(0, 0)),
        Machines([[2], [2], [9]], labels=[["a"], ["b"], ["c"]]),
    )
    scheduler.submit(Jobs([5.0], [[2]]), 0)
    scheduler.advance(0)
    scheduler.announce_outage(1, 5, 6, 3)
    if policy is Gangs:
        scheduler.submit(Jobs([3.0], [[2]], n_tasks=3, max_tasks_per_machine=2), 3)
    else:
        scheduler.submit(Jobs([3.0], [[2]], constraint="b|c"), 3)
    with pytest.raises(PolicyError) as caught:
        scheduler.advance(3)
    assert (scheduler.now, scheduler.n_waiting, scheduler.n_running) == (0, 0, 1)
    return str(caught.value)


def test_a_policy_solves_an_instance() -> None:
    result = schedcore.solve(Told(start_all), small())
    expected = schedcore.solve("first_fit", small())
    assert result.algorithm == "Told"
    assert np.array_equal(result.schedule.start_time, expected.schedule.start_time)
    assert np.array_equal(result.schedule.machine, expected.schedule.machine)
    assert schedcore.validate(small(), result.schedule).ok
    assert result.lower_bound is not None
    assert result.value >= result.lower_bound


def test_what_a_turn_tells() -> None:
    seen: list[Any] = []

    def decide(event: schedcore.engine.Event, turn: schedcore.engine.Turn) -> None:
        free = turn.free
        before = free.tolist()
        waiting = turn.waiting.tolist()
        start_all(event, turn)
        running = turn.running
        seen.append(
            (event.now, event.arrived.tolist(), event.completed.tolist(), waiting, before, free.tolist())
        )
        assert turn.waiting.tolist() == waiting
        assert running.id.tolist() == sorted(
            running.id.tolist(),
            key=lambda j: (dict(zip(running.id, running.estimated_end, strict=True))[j], j),
        )
        assert [len(turn.fits(job)) for job in running.id] == [0] * len(running)

    schedcore.solve(Told(decide), small())
    assert seen == [
        (0.0, [0, 1], [], [0, 1], [[2], [2]], [[0], [1]]),
        (1.0, [2], [], [2], [[0], [1]], [[0], [1]]),
        (2.0, [3], [], [2, 3], [[0], [1]], [[0], [0]]),
        (3.0, [], [1, 3], [2], [[0], [2]], [[0], [0]]),
        (4.0, [], [0], [], [[2], [0]], [[2], [0]]),
        (5.0, [], [2], [], [[2], [2]], [[2], [2]]),
    ]


def test_jobs_that_arrive_are_told_in_columns() -> None:
    seen: list[Jobs] = []

    def decide(event: schedcore.engine.Event, turn: schedcore.engine.Turn) -> None:
        seen.append(turn.jobs(event.arrived[::-1]))
        start_all(event, turn)

    instance = small(weight=[1, 2, 3, 4], estimated_processing_time=[5, 6, 7, 8])
    schedcore.solve(Told(decide), instance)
    assert seen[0] == instance.jobs[np.array([1, 0])].replace(estimated_processing_time=None)
    assert len(seen[-1]) == 0
    with pytest.raises(ValueError, match="read-only"):
        seen[0].weight[0] = 3


class Estimating(Policy):
    decides_with = "estimated_processing_time"
    name = "by estimates"
    objective = "makespan"

    def decide(self, event: schedcore.engine.Event, turn: schedcore.engine.Turn) -> None:
        start_all(event, turn)
        assert set((turn.running.estimated_end - turn.running.start_time).tolist()) <= {9.0}


def test_a_policy_that_asks_for_estimates_is_told_these() -> None:
    result = schedcore.solve(Estimating(), small(estimated_processing_time=9.0))
    assert (result.algorithm, result.objective, result.value) == ("by estimates", "makespan", 5.0)


@pytest.mark.parametrize("seed", range(20))
def test_on_clusters_it_decides_like_the_policy_of_the_library(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = 40
    instance = Instance(
        Jobs(
            rng.integers(1, 20, n),
            rng.integers(1, 5, (n, 2)),
            release_time=rng.integers(0, 60, n),
            n_tasks=rng.integers(1, 4, n),
            exclusive=rng.random(n) < 0.2,
            constraint=rng.choice([None, "gpu", "!gpu"], n, p=[0.6, 0.2, 0.2]).tolist(),
        ),
        Machines(rng.integers(4, 9, (5, 2)), labels=[["gpu"]] * 3 + [[]] * 2, weight=[3, 1, 2, 1, 2]),
        outages=Outages([0, 3], [10, 30], [20, 50]),
    )
    incidents = Incidents(
        failures=Outages([1, 2], [15, 40], [35, 45]), cancellations={3: 12.0, 7: 33.0}, killed="requeue"
    )
    own = schedcore.solve(OwnFirstFit(), instance, incidents=incidents, infeasible="drop")
    remembering = schedcore.solve(OwnRemembering(), instance, incidents=incidents, infeasible="drop")
    expected = schedcore.solve("first_fit", instance, incidents=incidents, infeasible="drop")
    assert own.runs == expected.runs
    assert remembering.runs == expected.runs
    assert own.outcome.tolist() == expected.outcome.tolist()


@pytest.mark.parametrize(
    ("decide", "message"),
    [
        (lambda event, turn: turn.start(7, 0), "job 7 neither waits nor runs"),
        (lambda event, turn: turn.start(0, 2), "job 0 was started at 3, but it does not wait"),
        (lambda event, turn: turn.start(1, 0), "job 1 was started at 3 on machine 0, which it may not use"),
        (lambda event, turn: turn.start(1, 3), "job 1 was started at 3 on machine 3, which is not there"),
        (lambda event, turn: turn.start(1, -1), "job 1 was started at 3 on machine -1, which is not there"),
        (lambda event, turn: turn.start(1, 1), "machine 1, where it would run into the outage at 5"),
        (lambda event, turn: turn.start(1, []), "job 1 was started at 3 with 0 of its 1 tasks"),
        (lambda event, turn: turn.start(1, [(2, 2)]), "with 2 tasks; it has 1 in all"),
        (
            lambda event, turn: [turn.start(1, 2), turn.start(1, 2)],
            "job 1 was started at 3, but it does not wait",
        ),
        (lambda event, turn: turn.jobs([9]), "job 9 neither waits nor runs"),
        (lambda event, turn: turn.jobs([1, 1]), "job 1 is asked for twice"),
        (lambda event, turn: turn.wake(3), r"wake\(3\) at 3: no finite instant to come"),
        (lambda event, turn: 5, "policy Told answered 5 at 3; decide returns nothing"),
        (lambda event, turn: {}["x"], "policy Told, asked at 3, raised KeyError: 'x'"),
        (lambda event, turn: turn.start("1", 2), "raised .*Error"),
        (lambda event, turn: turn.start(1, [5]), "raised TypeError"),
        (lambda event, turn: turn.fits(2**70), "raised .*Error"),
    ],
)
def test_mistakes_are_named_and_nothing_has_happened(decide: Decide, message: str) -> None:
    assert re.search(message, error_of(decide))


@pytest.mark.parametrize(
    ("places", "message"),
    [
        ([(2, 3)], "machine 2 with 3 tasks; it has 3 in all"),
        ([(2, 2)], "job 1 was started at 3 with 2 of its 3 tasks"),
        ([(2, 2), (2, 1)], "machine 2, which is named twice"),
        ([(0, 1), (2, 2)], "machine 0, where it does not fit"),
        ([(2, 0), (2, 2)], "machine 2 with 0 tasks"),
        (2, "job 1 was started at 3 with 1 of its 3 tasks"),
    ],
)
def test_mistakes_with_several_tasks_are_named(places: Any, message: str) -> None:
    assert message in error_of(lambda event, turn: turn.start(1, places), Gangs)


def test_a_mistake_that_is_caught_leaves_nothing_behind() -> None:
    def decide(event: schedcore.engine.Event, turn: schedcore.engine.Turn) -> None:
        for job in turn.waiting:
            before = turn.free.tolist()
            with pytest.raises(PolicyError):
                turn.start(job, 9)
            assert turn.free.tolist() == before
        start_all(event, turn)

    assert schedcore.solve(Told(decide), small()).value == schedcore.solve(Told(start_all), small()).value


def test_what_it_raises_is_the_cause() -> None:
    def decide(event: schedcore.engine.Event, turn: schedcore.engine.Turn) -> None:
        raise ZeroDivisionError("by nothing")

    with pytest.raises(PolicyError, match="ZeroDivisionError: by nothing") as caught:
        schedcore.solve(Told(decide), small())
    assert isinstance(caught.value.__cause__, ZeroDivisionError)

    def interrupt(event: schedcore.engine.Event, turn: schedcore.engine.Turn) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        schedcore.solve(Told(interrupt), small())


def test_turns_and_events_are_over_when_decide_returns() -> None:
    kept: list[Any] = []
    schedcore.solve(
        Told(lambda event, turn: [kept.append((event, turn)), start_all(event, turn)][2:] or None), small()
    )
    event, turn = kept[0]
    assert event.now == 0
    for use in (lambda: event.arrived, lambda: turn.free, lambda: turn.start(0, 0), lambda: turn.wake(9)):
        with pytest.raises(PolicyError, match="over"):
            use()


def test_what_it_shows_cannot_be_written() -> None:
    def decide(event: schedcore.engine.Event, turn: schedcore.engine.Turn) -> None:
        for array in (turn.free, turn.waiting, event.arrived, turn.fits(int(turn.waiting[0]))):
            with pytest.raises(ValueError, match="read-only"):
                array[...] = 7
        with pytest.raises(ValueError, match="WRITEABLE"):
            turn.free.flags.writeable = True
        start_all(event, turn)

    instance = Instance(Jobs([1.0], [[1]]), Machines.identical(1, [1]))
    schedcore.solve(Told(lambda event, turn: decide(event, turn) if len(turn.waiting) else None), instance)


def test_it_is_woken_when_it_asks_for_it() -> None:
    asked: list[float] = []

    def decide(event: schedcore.engine.Event, turn: schedcore.engine.Turn) -> None:
        asked.append(event.now)
        if event.now == 0:
            turn.wake(7)
            turn.wake(2.5)
        if event.now >= 7:
            start_all(event, turn)

    instance = Instance(Jobs([4.0, 1.0], [[2], [2]], release_time=[0, 5]), Machines.identical(2, [2]))
    assert schedcore.solve(Told(decide), instance).schedule.start_time.tolist() == [7.0, 7.0]
    assert asked == [0, 2.5, 5, 7, 8, 11]
    scheduler = OnlineScheduler(Told(decide), instance.machines)
    scheduler.submit(instance.jobs[:1], 0)
    assert scheduler.advance(0).next_wakeup == 2.5
    assert copy.copy(scheduler).advance(3).next_wakeup == 7


def test_while_jobs_wait_it_is_asked_when_an_outage_ends() -> None:
    instance = Instance(Jobs([4.0], [[2]]), Machines.identical(1, [2]), outages=Outages([0], [1], [9]))
    assert schedcore.solve(Told(start_all), instance).schedule.start_time.tolist() == [9.0]


def test_machines_have_the_numbers_of_the_caller() -> None:
    seen: list[Any] = []

    def decide(event: schedcore.engine.Event, turn: schedcore.engine.Turn) -> None:
        machines = turn.machines
        seen.append((machines.machine.tolist(), machines.capacity.tolist(), turn.free.tolist()))
        for job in turn.waiting:
            seen.append(turn.fits(job).tolist())
            turn.start(job, turn.fits(job)[-1])

    machines = Machines([[1], [2], [3]], weight=[5, 9, 1])
    result = schedcore.solve(Told(decide), Instance(Jobs([1.0], [[1]]), machines))
    assert seen[:2] == [([0, 1, 2], [[1], [2], [3]], [[1], [2], [3]]), [2, 0, 1]]
    assert result.schedule.machine.tolist() == [1]

    scheduler = OnlineScheduler(Told(decide), machines)
    scheduler.remove_machines([2], 0)
    scheduler.add_machines(Machines([[7]], weight=[0]), 0)
    scheduler.submit(Jobs([1.0], [[1]]), 0)
    seen.clear()
    assert started(scheduler.advance(0)) == [(0, 1, 0.0)]
    assert seen[:2] == [([0, 1, 3], [[1], [2], [7]], [[1], [2], [7]]), [3, 0, 1]]


def test_nothing_is_free_on_machines_that_are_down() -> None:
    seen: list[Any] = []

    def decide(event: schedcore.engine.Event, turn: schedcore.engine.Turn) -> None:
        seen.append((turn.free.tolist(), turn.machines.up.tolist(), event.machines_changed.tolist()))

    scheduler = OnlineScheduler(Told(decide), Machines.identical(3, [4]))
    scheduler.advance(0)
    scheduler.fail_machines([1], 1)
    scheduler.announce_outage(2, 2, 3, 1)
    scheduler.advance(1)
    scheduler.set_capacity(0, [5], 2)
    scheduler.repair_machines([1], 2)
    scheduler.advance(2)
    assert seen == [
        ([[4], [4], [4]], [True] * 3, []),
        ([[4], [0], [4]], [True, False, True], [1, 2]),
        ([[5], [4], [0]], [True, True, False], [0, 1, 2]),
    ]


def test_the_object_of_the_caller_is_not_touched() -> None:
    policy = OwnRemembering()
    schedcore.solve(policy, small())
    assert policy.queue == []
    scheduler = OnlineScheduler(policy, Machines.identical(1, [2]))
    scheduler.submit(Jobs([1.0, 1.0], [[2], [2]]), 0)
    scheduler.advance(0)
    assert policy.queue == []
    what_if = scheduler.copy()
    what_if.complete([0], 1)
    assert started(what_if.advance(1)) == [(1, 0, 1.0)]
    assert started(scheduler.advance(1)) == []
    scheduler.complete([0], 2)
    assert started(scheduler.advance(2)) == [(1, 0, 2.0)]


def test_what_it_remembers_is_saved_as_bytes() -> None:
    scheduler = OnlineScheduler(OwnRemembering(), Machines.identical(1, [2]))
    scheduler.submit(Jobs([1.0, 1.0], [[2], [2]]), 0)
    scheduler.advance(0)
    data = scheduler.save()
    loaded = OnlineScheduler.load(data, policy=OwnRemembering())
    pickled = pickle.loads(pickle.dumps(scheduler))
    for each in (scheduler, loaded, pickled):
        assert each.save() == data
        each.complete([0], 1)
        assert started(each.advance(1)) == [(1, 0, 1.0)]
    with pytest.raises(InvalidInstanceError, match=r"give it again, load\(data, policy=...\)"):
        OnlineScheduler.load(data)
    with pytest.raises(InvalidInstanceError, match="'pq' of the library"):
        OnlineScheduler.load(OnlineScheduler("pq", Machines.identical(1, [2])).save(), policy=OwnFirstFit())


def test_what_cannot_be_said_as_bytes_cannot_be_saved() -> None:
    scheduler = OnlineScheduler(Told(start_all), Machines.identical(1, [2]))
    with pytest.raises(UnsupportedError, match="policy Told cannot be saved: give it a __getstate__"):
        scheduler.save()
    # but machines may join
    scheduler.add_machines(Machines.identical(3, [2]), 0)
    scheduler.submit(Jobs([1.0] * 4, [[2]] * 4), 0)
    assert len(scheduler.advance(0).starts) == 4
    assert OnlineScheduler.load(
        OnlineScheduler(OwnFirstFit(), Machines.identical(1, [2])).save(), policy=OwnFirstFit()
    )


def test_questions_to_a_live_engine_are_answered() -> None:
    scheduler = OnlineScheduler(OwnRemembering(), Machines.identical(1, [2]))
    scheduler.submit(Jobs([5.0, 2.0, 2.0], [[2], [2], [1]]), 0)
    scheduler.advance(0)
    assert [each.reason for each in scheduler.explain()] == ["resources", "resources"]
    assert scheduler.estimate_start().tolist() == [5.0, 7.0]
    history = Jobs([5.0] * 30, [[1]] * 30, estimated_processing_time=10.0)
    assert scheduler.forecast(None, history, 50, 1).q50.tolist() == [2.5, 3.5]


def test_features_that_it_does_not_take_are_refused() -> None:
    with pytest.raises(UnsupportedError, match="'Told' does not take jobs of several tasks"):
        schedcore.solve(Told(start_all), small(n_tasks=2))
    scheduler = OnlineScheduler(Told(start_all), Machines.identical(2, [2]))
    with pytest.raises(UnsupportedError, match="several tasks"):
        scheduler.submit(Jobs([1.0], [[1]], n_tasks=2), 0)
    with pytest.raises(InvalidInstanceError, match="has no options"):
        schedcore.solve(Told(start_all), small(), heuristic="wsjf")
    with pytest.raises(UnsupportedError, match="site"):
        schedcore.solve(Told(start_all), small(), site=object())
    with pytest.raises(TypeError, match="Incidents"):
        schedcore.solve(Told(start_all), small(), incidents=5)  # type: ignore[arg-type]


def test_a_policy_without_decide_says_so() -> None:
    with pytest.raises(PolicyError, match="NotImplementedError: Policy has no decide"):
        schedcore.solve(Policy(), small())

    class Odd(Policy):
        takes = frozenset({"gangz"})

    with pytest.raises(InvalidInstanceError, match="gangz"):
        schedcore.solve(Odd(), small())


def test_a_class_is_no_policy() -> None:
    with pytest.raises((TypeError, InvalidInstanceError), match="OwnFirstFit"):
        schedcore.solve(OwnFirstFit, small())  # type: ignore[arg-type]
    with pytest.raises((TypeError, InvalidInstanceError), match="OwnFirstFit"):
        OnlineScheduler(OwnFirstFit, Machines.identical(1, [1]))  # type: ignore[arg-type]


class Forgetful(Policy):
    """Decides otherwise every other time, because what it counts in is not copied."""

    def __init__(self, wrong_at: float) -> None:
        self.wrong_at = wrong_at
        self.calls = Told(lambda event, turn: None).told  # a function, which is not copied
        vars(self.calls).setdefault("count", 0)

    def decide(self, event: schedcore.engine.Event, turn: schedcore.engine.Turn) -> None:
        vars(self.calls)["count"] += 1
        if event.now == self.wrong_at:
            raise ValueError("now")
        waiting = turn.waiting.tolist()
        for job in waiting if vars(self.calls)["count"] < 4 else waiting[::-1]:
            if len(turn.fits(job)):
                turn.start(job, turn.fits(job)[0])


def test_a_policy_that_decides_otherwise_when_asked_again_is_found_out() -> None:
    scheduler = OnlineScheduler(Forgetful(9.0), Machines.identical(1, [2]))
    scheduler.submit(Jobs([5.0, 5.0], [[2], [2]]), 0)
    assert scheduler.advance(0).starts.id.tolist() == [0]
    scheduler.submit(Jobs([5.0, 5.0], [[2], [2]]), 1)
    scheduler.advance(1)
    scheduler.complete([0], 5)
    assert scheduler.advance(5).starts.id.tolist() == [1]
    with pytest.raises(PolicyError, match="asked again about 5, the policy decides otherwise than it did"):
        scheduler.advance(9)
    for use in (lambda: scheduler.advance(10), scheduler.save, scheduler.copy, lambda: scheduler.n_waiting):
        with pytest.raises((PolicyError, UnsupportedError)):
            use()


def test_what_cannot_be_copied_is_found_out_soon() -> None:
    def keep_a_lock(event: schedcore.engine.Event, turn: schedcore.engine.Turn) -> None:
        pass

    class Locking(Told):
        def decide(self, event: schedcore.engine.Event, turn: schedcore.engine.Turn) -> None:
            self.lock = threading.Lock()

    scheduler = OnlineScheduler(Locking(keep_a_lock), Machines.identical(1, [2]))
    scheduler.advance(0)
    with pytest.raises(PolicyError, match="policy Locking, copied, raised TypeError: cannot pickle"):
        scheduler.advance(1)


def test_features_that_no_policy_of_somebodys_own_heeds_are_refused() -> None:
    class Depending(OwnFirstFit):
        takes = frozenset({"dependencies"})

    with pytest.raises(UnsupportedError, match="'Depending' takes 'dependencies'"):
        schedcore.solve(Depending(), small())
    with pytest.raises(UnsupportedError, match="'Depending' takes 'dependencies'"):
        OnlineScheduler(Depending(), Machines.identical(1, [1]))


def test_a_policy_that_always_wants_to_be_woken_comes_to_an_end() -> None:
    def poll(event: schedcore.engine.Event, turn: schedcore.engine.Turn) -> None:
        turn.wake(event.now + 1)
        start_all(event, turn)

    expected = schedcore.solve(Told(start_all), small()).schedule.start_time
    assert np.array_equal(schedcore.solve(Told(poll), small()).schedule.start_time, expected)
    later = small().replace(outages=Outages([0], [100], [101]))
    assert np.array_equal(schedcore.solve(Told(poll), later).schedule.start_time, expected)


@pytest.mark.slow
@pytest.mark.parametrize("outages", [None, Outages([0], [100], [101])])
def test_a_policy_that_is_woken_in_vain_is_stopped(outages: Outages | None) -> None:
    def poll(event: schedcore.engine.Event, turn: schedcore.engine.Turn) -> None:
        turn.wake(event.now + 1)

    with pytest.raises(PolicyError, match=r"woken 1000000 times in a row until .*, and nothing has happened"):
        schedcore.solve(Told(poll), small().replace(outages=outages))


def test_what_says_nothing_of_itself_is_named_by_its_type() -> None:
    class Mute(Exception):
        def __str__(self) -> str:
            raise RuntimeError("no")

        __repr__ = __str__

    def raising(event: schedcore.engine.Event, turn: schedcore.engine.Turn) -> None:
        raise Mute

    assert "raised Mute: <Mute>" in error_of(raising)
    assert "answered <Mute>" in error_of(lambda event, turn: Mute())


def test_its_scheduler_cannot_be_called_while_it_decides() -> None:
    schedulers: list[OnlineScheduler] = []

    def decide(event: schedcore.engine.Event, turn: schedcore.engine.Turn) -> None:
        schedulers[0].submit(Jobs([1.0], [[1]]), event.now)

    schedulers.append(OnlineScheduler(Told(decide), Machines.identical(1, [2])))
    with pytest.raises(UnsupportedError, match="neither its policy nor a signal handler can call it"):
        schedulers[0].advance(0)


def test_the_policy_that_is_loaded_is_the_one_that_was_saved() -> None:
    data = OnlineScheduler(OwnFirstFit(), Machines.identical(1, [2])).save()
    with pytest.raises(InvalidInstanceError, match="had the policy 'OwnFirstFit', not 'OwnRemembering'"):
        OnlineScheduler.load(data, policy=OwnRemembering())
    with pytest.raises(TypeError, match=r"must be a schedcore.Policy, not str"):
        OnlineScheduler.load(data, policy="OwnFirstFit")  # type: ignore[arg-type]
    scheduler = OnlineScheduler(Loaded(), Machines.identical(1, [2]))
    with pytest.raises(PolicyError, match="policy Loaded, loaded, raised KeyError: 'queue'"):
        OnlineScheduler.load(scheduler.save(), policy=Loaded())


class Loaded(OwnFirstFit):
    def __getstate__(self) -> bytes:
        return b"{}"

    def __setstate__(self, state: bytes) -> None:
        raise KeyError("queue")

    def __deepcopy__(self, memo: dict[int, Any]) -> "Loaded":
        return Loaded()


def test_several_tasks_may_come_as_an_array() -> None:
    def decide(event: schedcore.engine.Event, turn: schedcore.engine.Turn) -> None:
        turn.start(0, np.array([[0, 2], [1, 1]]))

    instance = Instance(Jobs([1.0], [[1]], n_tasks=3), Machines.identical(2, [2]))
    result = schedcore.solve(
        Gangs(lambda event, turn: decide(event, turn) if len(turn.waiting) else None), instance
    )
    assert result.runs is not None
    assert result.runs.allocation.of(0) == [(0, 2), (1, 1)]
