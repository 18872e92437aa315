"""What schedulers keep of policies of somebody's own: copies, bytes, and decisions that are undone."""

import pickle
import threading
from typing import Any

import pytest

import schedcore
from own_policies import OwnFirstFit, OwnRemembering, Told, small, start_all, started
from schedcore import (
    InvalidInstanceError,
    Jobs,
    Machines,
    OnlineScheduler,
    Policy,
    PolicyError,
    UnsupportedError,
)


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
    with pytest.raises(PolicyError, match="raised ValueError: now"):
        scheduler.advance(9)
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


def test_the_policy_that_is_loaded_is_the_one_that_was_saved() -> None:
    data = OnlineScheduler(OwnFirstFit(), Machines.identical(1, [2])).save()
    with pytest.raises(InvalidInstanceError, match="had the policy 'OwnFirstFit', not 'OwnRemembering'"):
        OnlineScheduler.load(data, policy=OwnRemembering())
    with pytest.raises(TypeError, match=r"derived from schedcore.Policy, not 'OwnFirstFit'"):
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


def test_a_policy_that_cannot_decide_is_mended_and_goes_on_from_what_is_saved() -> None:
    class Picky(OwnFirstFit):
        def decide(self, event: schedcore.engine.Event, turn: schedcore.engine.Turn) -> None:
            if 0 in turn.waiting:
                raise ValueError("job 0")
            super().decide(event, turn)

    class Mended(OwnFirstFit):
        pass

    Mended.__name__ = Picky.__name__
    scheduler = OnlineScheduler(Picky(), Machines([[4]]))
    for now in (1, 2):
        scheduler.submit(Jobs([1.0], [[1]]), now)
    for _ in range(2):
        with pytest.raises(PolicyError, match="asked at 1, raised ValueError: job 0"):
            scheduler.advance(2)
    mended = OnlineScheduler.load(scheduler.save(), policy=Mended())
    assert [tuple(each) for each in mended.advance(2).starts] == [(0, 0, 1.0), (1, 0, 2.0)]
