"""What becomes of the mistakes of policies of somebody's own."""

import re
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import schedcore
from own_policies import Decide, Gangs, OwnFirstFit, Told, small, start_all
from policies_in_c import polling
from schedcore import (
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
        (
            lambda event, turn: turn.start("1", 2),
            "job '1' was started on machine 2; ids of jobs are integers",
        ),
        (
            lambda event, turn: turn.start(1.0, 2),
            r"job 1\.0 was started on machine 2; ids of jobs are integers",
        ),
        (
            lambda event, turn: turn.start(True, 2),
            "job True was started on machine 2; ids of jobs are integers",
        ),
        (lambda event, turn: turn.start(2**64, 2), "^job 18446744073709551616 neither waits nor runs$"),
        (
            lambda event, turn: turn.start(1, 2**64),
            "^job 1 was started on machine 18446744073709551616, which is not there$",
        ),
        (
            lambda event, turn: turn.start(1, 1.5),
            r"^job 1 was started on machine 1\.5; that must be an integer, or",
        ),
        (
            lambda event, turn: turn.start(1, None),
            "^job 1 was started on machine None; that must be an integer",
        ),
        (
            lambda event, turn: turn.start(1, True),
            "^job 1 was started on machine True; that must be an integer",
        ),
        (
            lambda event, turn: turn.start(1, "x"),
            "^job 1 was started on machine 'x'; that must be an integer",
        ),
        (
            lambda event, turn: turn.start(1, np.array([2])),
            r"^job 1 was started on machine array\(\[2\]\); that",
        ),
        (
            lambda event, turn: turn.start(1, [5]),
            r"^job 1 was started on machine \[5\]; that must be an integer",
        ),
        (
            lambda event, turn: turn.start(1, [(2, 1.5)]),
            r"^job 1 was started on machine \[\(2, 1\.5\)\]; that",
        ),
        (
            lambda event, turn: turn.start(1, [(2**64, 1)]),
            "^job 1 was started on machine 18446744073709551616, which is not there$",
        ),
        (
            lambda event, turn: turn.start(1, [(2, 2**64)]),
            "^job 1 was started on machine 2 with 18446744073709551616 tasks; numbers of tasks are at most",
        ),
        (lambda event, turn: turn.fits(2**70), "^job 1180591620717411303424 neither waits nor runs$"),
        (
            lambda event, turn: turn.fits("x"),
            "^machines that fit job 'x' were asked for; ids of jobs are integers",
        ),
        (lambda event, turn: turn.wake("x"), "raised TypeError: at must be a number, not 'x'"),
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


def test_integers_of_any_kind_name_jobs_and_machines() -> None:
    def decide(event: schedcore.engine.Event, turn: schedcore.engine.Turn) -> None:
        for row, job in enumerate(turn.waiting):
            machine = turn.fits(job)[0]
            places: list[Any] = [machine, np.array(machine), [(machine, 1)], np.array([[machine, 1]])]
            turn.start(job, places[row])

    scheduler = OnlineScheduler(Told(decide), Machines.identical(1, [4]))
    scheduler.submit(Jobs([1.0] * 4, [[1]] * 4), 0)
    assert scheduler.advance(0).starts.id.tolist() == [0, 1, 2, 3]


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


def test_features_that_it_does_not_take_are_refused() -> None:
    with pytest.raises(UnsupportedError, match="'Told' does not take jobs of several tasks"):
        schedcore.solve(Told(start_all), small(n_tasks=2))
    scheduler = OnlineScheduler(Told(start_all), Machines.identical(2, [2]))
    with pytest.raises(UnsupportedError, match="several tasks"):
        scheduler.submit(Jobs([1.0], [[1]], n_tasks=2), 0)
    with pytest.raises(InvalidInstanceError, match="has no options"):
        schedcore.solve(Told(start_all), small(), heuristic="wsjf")
    with pytest.raises(UnsupportedError, match="rules of a site"):
        schedcore.solve(Told(start_all), small(), site=schedcore.Site("sjf"))
    with pytest.raises(TypeError, match="site must be a Site, not int"):
        schedcore.solve(Told(start_all), small(), site=5)  # type: ignore[arg-type]
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
    needed = "must be the name of an algorithm, or an object of a class derived from schedcore.Policy, not"
    others: list[tuple[Any, str]] = [
        (OwnFirstFit, r"the class OwnFirstFit itself; OwnFirstFit\(...\) makes an object"),
        (Jobs, "the class Jobs$"),
        (None, "None$"),
        (5, "5$"),
    ]
    for other, kind in others:
        with pytest.raises(InvalidInstanceError, match=f"^name {needed} {kind}"):
            schedcore.solve(other, small())
        with pytest.raises(InvalidInstanceError, match=f"^policy {needed} {kind}"):
            OnlineScheduler(other, Machines.identical(1, [1]))


def test_features_that_no_policy_of_somebodys_own_heeds_are_refused() -> None:
    class Depending(OwnFirstFit):
        takes = frozenset({"dependencies"})

    with pytest.raises(UnsupportedError, match="'Depending' takes 'dependencies'"):
        schedcore.solve(Depending(), small())
    with pytest.raises(UnsupportedError, match="'Depending' takes 'dependencies'"):
        OnlineScheduler(Depending(), Machines.identical(1, [1]))


def test_what_it_raises_in_an_estimate_or_a_forecast_is_told() -> None:
    def failing_later(event: schedcore.engine.Event, turn: schedcore.engine.Turn) -> None:
        if event.now > 3:
            raise ValueError("no more today")
        start_all(event, turn)

    scheduler = OnlineScheduler(Told(failing_later), Machines.identical(1, [2]))
    scheduler.submit(Jobs([5.0] * 3, [[2]] * 3), 0)
    scheduler.advance(0)
    history = Jobs([5.0] * 9, [[1]] * 9, estimated_processing_time=5.0)
    with pytest.raises(PolicyError, match="no more today"):
        scheduler.estimate_start()
    with pytest.raises(PolicyError, match="no more today"):
        scheduler.forecast(None, history, 50, 1)
    assert (scheduler.now, scheduler.n_waiting, scheduler.n_running) == (0, 2, 1)


def woken_a_million_times() -> Any:
    return pytest.raises(
        PolicyError, match=r"woken 1000000 times in a row until .*, and nothing has happened"
    )


@pytest.mark.slow
def test_a_policy_that_is_woken_in_vain_is_stopped() -> None:
    with woken_a_million_times():
        schedcore.solve(Told(lambda event, turn: turn.wake(event.now + 1)), small())


@pytest.mark.parametrize("outages", [None, Outages([0], [100], [101])])
def test_a_policy_in_c_that_is_woken_in_vain_is_stopped_everywhere(
    outages: Outages | None, tmp_path: Path
) -> None:
    """In machine code, as a million calls of Python take seconds each time."""
    never = polling(0, tmp_path)
    with woken_a_million_times():
        schedcore.solve(never, small().replace(outages=outages))
    scheduler = OnlineScheduler(never, Machines.identical(1, [1]))
    if outages is not None:
        scheduler.announce_outage(0, 100, 101, now=0)
    scheduler.submit(Jobs([1.0], [[1]]), 0)
    scheduler.advance(0)
    assert scheduler.estimate_start().tolist() == [inf]
    history = Jobs([1.0] * 9, [[1]] * 9, estimated_processing_time=1.0)
    with woken_a_million_times():  # nothing else is to come then
        scheduler.forecast(None, history, 1000, 1)


def test_what_starts_only_when_a_job_ends_is_no_start_in_vain(tmp_path: Path) -> None:
    policy = polling(100, tmp_path)

    def of(length: float) -> OnlineScheduler:
        scheduler = OnlineScheduler(policy, Machines.identical(1, [1]))
        scheduler.submit(Jobs([length, 1.0], [[1], [1]]), 0)
        scheduler.advance(0)
        return scheduler

    assert of(100.0).estimate_start().tolist() == [100.0]
    waits = of(100.0)
    waits.complete([0], 0)
    waits.announce_outage(0, 0, 6e5, now=0)
    waits.announce_outage(0, 6e5 + 0.5, 12e5, now=0)
    waits.advance(0)
    assert waits.estimate_start().tolist() == [12e5]
    with woken_a_million_times():
        of(2e6).estimate_start()


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
