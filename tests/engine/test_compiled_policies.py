"""Policies in machine code: one in C, which is an example, one that Numba compiles, and tables that are no policies."""

import copy
import ctypes
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import schedcore
from differential.cluster_programs import Program
from policies_in_c import policy_in_c
from policy_tables import DECIDE, capsule_of, table_of
from schedcore import (
    CompiledPolicy,
    Incidents,
    Instance,
    InvalidInstanceError,
    Jobs,
    Machines,
    OnlineScheduler,
    Outages,
    PolicyError,
    UnsupportedError,
)

SOURCE = Path(__file__).parents[2] / "examples" / "policy_in_c.c"
N_PROGRAMS = 60


TURN = schedcore.engine.turn_functions()


@pytest.fixture(scope="module")
def in_c(tmp_path_factory: pytest.TempPathFactory) -> CompiledPolicy:
    return policy_in_c(SOURCE, tmp_path_factory.mktemp("policy"), "shortest_job_first")


def in_python(decide: Callable[[int], int], **options: Any) -> CompiledPolicy:
    """A function of `ctypes` that is called with the address of the turn."""
    return CompiledPolicy(DECIDE(lambda state, turn: decide(turn)), **options)


def ids(turn: int, listed: int) -> list[int]:
    return TURN.ids(turn, listed)[: TURN.n_ids(turn, listed)]  # type: ignore[no-any-return]


def test_in_c_it_decides_like_the_policy_of_the_library(in_c: CompiledPolicy) -> None:
    instance = schedcore.workloads.azure_like(3, 3000, 5)
    own, expected = schedcore.solve(in_c, instance), schedcore.solve("pq", instance, heuristic="sjf")
    assert own.algorithm == "shortest job first in C"
    assert np.array_equal(own.schedule.start_time, expected.schedule.start_time)
    assert np.array_equal(own.schedule.machine, expected.schedule.machine)


@pytest.mark.parametrize("seed", range(10))
def test_in_c_it_does_so_on_clusters(in_c: CompiledPolicy, seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = 60
    instance = Instance(
        Jobs(
            rng.integers(1, 20, n),
            rng.integers(1, 5, (n, 2)),
            release_time=rng.integers(0, 60, n),
            constraint=rng.choice([None, "gpu", "!gpu"], n, p=[0.6, 0.2, 0.2]).tolist(),
        ),
        Machines(rng.integers(4, 9, (5, 2)), labels=[["gpu"]] * 3 + [[]] * 2, weight=[3, 1, 2, 1, 2]),
        outages=Outages([0, 3], [10, 30], [20, 50]),
    )
    incidents = Incidents(failures=Outages([1, 2], [15, 40], [35, 45]), cancellations={3: 12.0, 7: 33.0})
    own = schedcore.solve(in_c, instance, incidents=incidents)
    assert own.runs == schedcore.solve("pq", instance, heuristic="sjf", incidents=incidents).runs


def test_in_c_it_does_so_in_random_programs(in_c: CompiledPolicy) -> None:
    for seed in range(N_PROGRAMS):
        program = Program(seed, ("pq", {"heuristic": "sjf"}), n_plain_steps=seed % 3 * 6, own=in_c)
        # A job that has saved work is as long as what is left of it to one, and as all of it to the other.
        if program.instance.killed != "checkpoint":
            program.run(40)


def test_in_numba_it_decides_like_the_policy_of_the_library() -> None:
    numba = pytest.importorskip("numba")
    n_ids, waiting_ids, first_fit, start = TURN.n_ids, TURN.ids, TURN.first_fit, TURN.start

    @numba.cfunc(numba.types.int32(numba.types.voidptr, numba.types.voidptr))
    def in_numba(state: Any, turn: Any) -> int:
        n = n_ids(turn, 0)
        waiting = numba.carray(waiting_ids(turn, 0), n)
        for k in range(n):
            machine = first_fit(turn, waiting[k])
            if machine >= 0 and start(turn, waiting[k], machine) != 0:
                return -1
        return 0

    policy = CompiledPolicy(in_numba)
    of_floats = numba.cfunc(numba.types.float64(numba.types.voidptr, numba.types.voidptr))(
        lambda state, turn: 0.0
    )
    with pytest.raises(TypeError, match="an int32 of numba"):
        CompiledPolicy(of_floats)
    instance = schedcore.workloads.azure_like(4, 1000, 3)
    own, expected = schedcore.solve(policy, instance), schedcore.solve("first_fit", instance)
    assert own.algorithm == "in_numba"
    assert np.array_equal(own.schedule.start_time, expected.schedule.start_time)


def test_every_function_tells_what_python_is_told() -> None:
    seen: list[Any] = []

    def decide(turn: int) -> int:
        job = TURN.job(turn, 1)
        doubles = ctypes.cast(job, ctypes.POINTER(ctypes.c_double))
        seen.append(
            {
                "now": TURN.now(turn),
                "lists": [ids(turn, listed) for listed in range(12)],
                "job": [job[0], *doubles[1:4], *job[5:8]],
                "demand": TURN.demand(turn, 1)[:2],
                "free": TURN.free(turn)[:4],
                "capacity": TURN.capacity(turn)[:4],
                "fits": [TURN.first_fit(turn, 1), TURN.fits(turn, 1)[: TURN.n_fits(turn, 1)]],
                "room": TURN.room(turn, 1)[:2],
                "waits": TURN.is_waiting(turn, 1),
            }
        )
        places = (ctypes.c_int64 * 4)(0, 2, 1, 1)
        assert TURN.start_tasks(turn, 1, places, 2) == 0
        assert TURN.wake(turn, 5.0) == 0
        runs = TURN.runs(turn)
        doubles = ctypes.cast(runs, ctypes.POINTER(ctypes.c_double))
        seen.append(
            ([*runs[:2], *doubles[2:4]], runs[4], TURN.free(turn)[:4], ids(turn, 0), TURN.is_waiting(turn, 1))
        )
        return 0

    policy = in_python(decide, takes_gangs=True, name="tells", decides_with="estimated_processing_time")
    scheduler = OnlineScheduler(policy, Machines.identical(2, [4, 9]))
    jobs = Jobs([7.0], [[1, 2]], weight=3, n_tasks=3, max_tasks_per_machine=2, estimated_processing_time=8.0)
    scheduler.submit(jobs, 2, ids=[1])
    decision = scheduler.advance(2)
    assert decision.next_wakeup == np.inf  # nobody waits
    assert decision.starts.allocation.of(1) == [(0, 2), (1, 1)]
    assert seen[0] == {
        "now": 2.0,
        "lists": [[1], [], [0, 1], [1], [], [], [], [], [], [], [], []],
        "job": [1, 2.0, 8.0, 3.0, 3, 2, 0],
        "demand": [1, 2],
        "free": [4, 9, 4, 9],
        "capacity": [4, 9, 4, 9],
        "fits": [0, [0, 1]],
        "room": [2, 2],
        "waits": 1,
    }
    # behind the last run there is one of nobody
    assert seen[1] == ([1, 0, 2.0, 10.0], -1, [2, 5, 3, 7], [1], 0)


@pytest.mark.parametrize(
    ("decide", "message"),
    [
        (lambda turn: 7, "policy wrong, asked at 0, failed: decide returned 7"),
        (lambda turn: TURN.fail(turn, b"for no reason"), "failed: for no reason"),
        (lambda turn: TURN.start(turn, 9, 0), "failed: job 9 neither waits nor runs"),
        (
            lambda turn: TURN.start(turn, 0, 5),
            "failed: job 0 was started at 0 on machine 5, which is not there",
        ),
        (lambda turn: TURN.start_tasks(turn, 0, None, 3), "failed: job 0 was started on 3 machines"),
        (lambda turn: TURN.start_tasks(turn, 0, (ctypes.c_int64 * 2)(0, 1), -1), "on -1 machines"),
        (lambda turn: TURN.n_ids(turn, 99) or -1, "failed: there is no list 99"),
        (lambda turn: bool(TURN.job(turn, 77)) or -1, "failed: job 77 neither waits nor runs"),
        (lambda turn: TURN.wake(turn, float("nan")), "no finite instant to come"),
    ],
)
def test_mistakes_are_named(decide: Callable[[int], int], message: str) -> None:
    scheduler = OnlineScheduler(in_python(decide, name="wrong"), Machines.identical(1, [1]))
    scheduler.submit(Jobs([1.0], [[1]]), 0)
    with pytest.raises(PolicyError, match=message):
        scheduler.advance(0)
    assert scheduler.n_waiting == 0


def test_what_it_remembers_is_copied_and_saved(in_c: CompiledPolicy) -> None:
    scheduler = OnlineScheduler(in_c, Machines.identical(1, [4]))
    scheduler.submit(Jobs([9.0, 5.0, 2.0], [[4], [4], [4]]), 0)
    assert scheduler.advance(0).starts.id.tolist() == [2]
    data = scheduler.save()
    others = [OnlineScheduler.load(data, policy=in_c), copy.deepcopy(scheduler)]
    scheduler.complete([2], 2)
    assert scheduler.advance(2).starts.id.tolist() == [1]
    for other in others:
        assert other.save() == data
        other.cancel([1], 2)
        other.complete([2], 2)
        assert other.advance(2).starts.id.tolist() == [0]
    assert scheduler.estimate_start().tolist() == [7.0]
    with pytest.raises(TypeError, match="machine code"):
        pickle.dumps(scheduler)


def test_a_function_remembers_nothing_and_can_be_saved() -> None:
    def decide(turn: int) -> int:
        return TURN.start(turn, 0, 0) if ids(turn, 3) else 0  # type: ignore[no-any-return]

    policy = in_python(decide)
    scheduler = OnlineScheduler(policy, Machines.identical(1, [4]))
    loaded = OnlineScheduler.load(scheduler.save(), policy=policy)
    loaded.submit(Jobs([1.0], [[4]]), 0)
    assert len(loaded.advance(0).starts) == 1


def test_what_is_no_policy_is_refused() -> None:
    def at(**fields: Any) -> CompiledPolicy:
        return CompiledPolicy.at(ctypes.addressof(table_of(**fields)))

    function = table_of().decide
    assert at().label == CompiledPolicy(capsule_of(table_of())).label == "mine"
    with pytest.raises(
        InvalidInstanceError, match=r"of version 7 of schedcore/policy.h; this build takes version 1"
    ):
        at(version=7)
    with pytest.raises(InvalidInstanceError, match="has no name"):
        at(name=None)
    with pytest.raises(InvalidInstanceError, match="mine has no decide"):
        at(decide=None)
    with pytest.raises(InvalidInstanceError, match="some of create, copy and destroy"):
        at(create=function)
    with pytest.raises(InvalidInstanceError, match="some of create, save and load"):
        at(save=function)
    for address in (0, -1, -8, 2**64, 12345):
        with pytest.raises(ValueError, match=f"{address} is not the address of a policy; is the restype"):
            CompiledPolicy.at(address)
    with pytest.raises(TypeError, match="a 32-bit integer"):
        CompiledPolicy(ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_void_p, ctypes.c_void_p)(lambda *_: 0.0))
    with pytest.raises(TypeError, match="and the turn, not 1 arguments"):
        CompiledPolicy(ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)(lambda *_: 0))
    with pytest.raises(TypeError, match="not int"):
        CompiledPolicy(5)
    with pytest.raises(TypeError, match="not str"):
        CompiledPolicy.at("x")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="itself"):
        CompiledPolicy(capsule_of(table_of()), name="other")
    number: Any = 3
    with pytest.raises(TypeError, match="name must be a str, not 3"):
        CompiledPolicy(ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)(print), name=number)
    word: Any = "no"
    with pytest.raises(InvalidInstanceError, match="takes_gangs = 'no' must be True or False"):
        CompiledPolicy(ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)(print), takes_gangs=word)
    with pytest.raises(TypeError, match="c_int"):
        CompiledPolicy(ctypes.CFUNCTYPE(None, ctypes.c_void_p)(print))
    with pytest.raises(TypeError, match="capsule named"):
        CompiledPolicy(capsule_of(table_of(), b"something"))
    with pytest.raises(UnsupportedError, match="several tasks"):
        schedcore.solve(
            in_python(lambda turn: 0), Instance(Jobs([1.0], [[1]], n_tasks=2), Machines.identical(2, [1]))
        )
    gangs = CompiledPolicy(capsule_of(table_of(flags=3)))
    assert ("gangs" in gangs.takes, gangs.decides_with) == (True, "estimated_processing_time")
