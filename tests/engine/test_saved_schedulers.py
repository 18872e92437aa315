"""Saved schedulers: they go on identically, say what they are, and are refused where they are not what was saved."""

import hashlib
import inspect
import json
import pickle
import random
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import schedcore
from engine.event_driver import drive
from engine.policy_cases import CASES, any_instances, named
from example_shares import examples
from schedcore import InvalidInstanceError, Jobs, Machines, OnlineScheduler, registry
from schedcore.engine.snapshots import FORMAT

Options = dict[str, Any]
MACHINES = schedcore.Machines([[8, 4], [8, 4]], resource_names=["cores", "memory"])
BACKFILLING: list[tuple[str, Options]] = [
    ("fcfs", {}),
    ("first_fit", {"selection": "bb", "queue_depth": 3}),
    ("easy", {"selection": "sb"}),
    ("easy", {"interval": 2.0, "queue_depth": 4}),
    ("conservative", {"interval": 3.0}),
    ("conservative", {"selection": "bb", "compression": "fixpoint"}),
    ("conservative", {"mode": "rebuild"}),
    ("conservative", {"mode": "rebuild", "reservations": "machines", "allocation": "consecutive"}),
    ("backfill", {"protected": 2, "selection": "bb!", "queue_depth": 5}),
    ("bbsched", {"window_size": 5, "max_passes": 2}),
    ("backfill", {"protected": 3, "window": 4.0, "resolution": 2.0}),
    ("plan_annealing", {"seed": 3, "exhaustive": 1}),
]


def shortest_last(jobs: schedcore.Jobs) -> Any:
    return -jobs.processing_time


def crowded_scheduler(policy: str = "pq", **options: Any) -> OnlineScheduler:
    """Two jobs run, one waits, one has arrived and a running one has ended, both not applied yet."""
    scheduler = OnlineScheduler(policy, MACHINES, **options)
    scheduler.submit(schedcore.Jobs([3.0, 2.0, 1.0], [[8, 4], [8, 1], [8, 1]]), 1.0, ids=[5, 6, 9])
    started = scheduler.advance(1.0).starts.id.tolist()
    scheduler.submit(schedcore.Jobs([1.0], [[1, 1]]), 2.0)
    scheduler.complete(started[:1], 2.0)
    return scheduler


def with_header(data: bytes, **changes: Any) -> bytes:
    """The same with other entries of the header and the checksum made right."""
    line = data.index(b"\n") + 1
    end = line + 8 + int.from_bytes(data[line : line + 8], "little")
    text = json.dumps(json.loads(data[line + 8 : end]) | changes).encode()
    body = data[:line] + len(text).to_bytes(8, "little") + text + data[end:-32]
    return body + hashlib.sha256(body).digest()


@pytest.mark.parametrize(("name", "options"), named(CASES + BACKFILLING))
@examples(15)
@given(instance=any_instances, durations=st.randoms(use_true_random=False))
def test_a_saved_scheduler_goes_on_identically(
    name: str, options: Options, instance: schedcore.Instance, durations: random.Random
) -> None:
    duration = [
        p * durations.choice([0.25, 0.5, 1, 1, 1.5, 4]) for p in instance.jobs.processing_time.tolist()
    ]
    heuristic = options.get("heuristic")

    def saved(scheduler: OnlineScheduler) -> OnlineScheduler:
        data = scheduler.save()
        loaded = OnlineScheduler.load(data, heuristic=heuristic if callable(heuristic) else None)
        assert loaded.save() == data
        return loaded

    straight = drive(name, instance, options, duration=duration)
    broken = drive(name, instance, options, duration=duration, between=saved)
    assert broken.decisions == straight.decisions


def test_records_that_were_not_applied_are_saved() -> None:
    scheduler = crowded_scheduler()
    loaded = OnlineScheduler.load(scheduler.save())
    assert loaded.advance(2.0) == scheduler.advance(2.0)
    assert loaded.save() == scheduler.save()


def test_a_plan_at_the_end_of_the_clock_is_saved() -> None:
    scheduler = OnlineScheduler("conservative", schedcore.Machines([[4]]), resolution=8e307)
    scheduler.submit(schedcore.Jobs([1e300, 1e300], [[4], [4]]), 0)
    # The second job is due at 8e307, and the first one ends at 1.65e308, from where no end can be rounded up.
    for now in (0, 8.5e307, 1.65e308):
        scheduler.advance(now)
        assert OnlineScheduler.load(scheduler.save()).save() == scheduler.save()
    scheduler.complete([0], 1.65e308)
    assert len(scheduler.advance(1.65e308).starts) == 1
    assert OnlineScheduler.load(scheduler.save()).save() == scheduler.save()


def test_the_header_names_format_version_policy_options_and_machines() -> None:
    options = {"gamma0": np.float64(0.1), "epsilon": Fraction(1, 3), "replan": "always", "patience": 1}
    data = crowded_scheduler("mris", **options).save()
    assert data.startswith(b"schedcore snapshot 8\n")
    line = data.index(b"\n") + 1
    header = json.loads(data[line + 8 : line + 8 + int.from_bytes(data[line : line + 8], "little")])
    assert header["library"] == schedcore.__version__
    assert header["policy"] == "mris"
    assert header["options"] == {
        "gamma0": 0.1,
        "epsilon": {"fraction": [1, 3]},
        "replan": "always",
        "patience": 1,
    }
    assert header["capacity"] == [[8, 4], [8, 4]]
    loaded = OnlineScheduler.load(data)
    assert (loaded.policy, loaded.machines, loaded._options) == ("mris", MACHINES, options)


def test_the_same_state_has_the_same_bytes() -> None:
    assert crowded_scheduler("easy").save() == crowded_scheduler("easy").save()


def test_a_saved_scheduler_is_no_larger_for_what_it_has_forgotten() -> None:
    scheduler = OnlineScheduler("conservative", MACHINES)

    def rounds(first: int, n: int) -> int:
        for now in range(first, first + n):
            ids = scheduler.submit(schedcore.Jobs([0.5, 0.5], [[8, 4], [8, 4]]), now)
            scheduler.advance(now)
            scheduler.complete(ids, now + 0.5)
            scheduler.advance(now + 0.5)
        return len(scheduler.save())

    assert rounds(0, 500) == rounds(500, 20)


@pytest.mark.parametrize("name", ["pq", "easy", "mris"])
def test_a_callable_is_not_stored_and_taken_again(name: str) -> None:
    if name == "easy":
        with pytest.raises(InvalidInstanceError, match="no callable"):
            OnlineScheduler.load(crowded_scheduler(name).save(), heuristic=shortest_last)
        return
    options = {"gamma0": 1.0} if name == "mris" else {}
    scheduler = crowded_scheduler(name, heuristic=shortest_last, **options)
    data = scheduler.save()
    assert b"shortest_last" not in data
    with pytest.raises(InvalidInstanceError, match=r"callable heuristic, .* load\(data, heuristic=...\)"):
        OnlineScheduler.load(data)
    loaded = OnlineScheduler.load(data, heuristic=shortest_last)
    assert loaded.advance(2.0) == scheduler.advance(2.0)
    jobs = schedcore.Jobs([4.0, 5.0], [[8, 4], [8, 4]])
    for each in (loaded, scheduler):
        each.submit(jobs, 3.0)
    assert loaded.advance(3.0) == scheduler.advance(3.0)


def test_a_callable_where_none_was_used_is_refused() -> None:
    with pytest.raises(InvalidInstanceError, match="the saved scheduler had no callable"):
        OnlineScheduler.load(crowded_scheduler().save(), heuristic=shortest_last)


def test_a_pickle_holds_the_same_bytes_and_the_callable() -> None:
    scheduler = crowded_scheduler(heuristic=shortest_last)
    pickled = pickle.dumps(scheduler)
    assert scheduler.save() in pickled
    assert pickle.loads(pickled).save() == scheduler.save()


@pytest.mark.parametrize("number", [1, 2, 3, 4, 5, 99])
def test_another_format_is_refused_by_name(number: int) -> None:
    data = crowded_scheduler().save().replace(b"snapshot 8\n", b"snapshot %d\n" % number, 1)
    with pytest.raises(InvalidInstanceError, match=rf"^snapshot format {number}, this build reads format 8$"):
        OnlineScheduler.load(data)


def test_a_pickle_of_the_first_format_is_refused_by_name() -> None:
    blank = object.__new__(OnlineScheduler)
    state = {"policy": "pq", "machines": MACHINES, "options": {}, "snapshot": b"\0" * 100}
    with pytest.raises(InvalidInstanceError, match=r"^snapshot format 1, this build reads format 8$"):
        blank.__setstate__(state)


def test_every_truncation_and_every_flipped_bit_is_refused() -> None:
    data = crowded_scheduler("conservative").save()
    for length in range(len(data)):
        with pytest.raises(InvalidInstanceError):
            OnlineScheduler.load(data[:length])
    for bit in range(8 * len(data)):
        changed = bytearray(data)
        changed[bit // 8] ^= 1 << bit % 8
        with pytest.raises(InvalidInstanceError):
            OnlineScheduler.load(bytes(changed))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"policy": "no such policy"}, "the snapshot is damaged: .*no such policy"),
        ({"policy": "offline_pq"}, "the snapshot is damaged: .*no embedded form"),
        ({"options": {"heuristics": "erf"}}, "the snapshot is damaged: .*heuristics"),
        ({"options": {"heuristic": ["erf"]}}, r"the snapshot is damaged: its header: \['erf'\] is no option"),
        ({"capacity": [[8, 4]]}, "the snapshot is damaged: "),
        ({"capacity": [[4, 4], [4, 4]]}, r"the snapshot is damaged: demand\[5, 0\] = 8 exceeds capacity = 4"),
        ({"capacity": [[8.5, 4], [8, 4]]}, "the snapshot is damaged: its header: "),
        ({"byte_order": "middle"}, "saved on a middle-endian machine"),
        ({"resource_names": ["cores", "cores"]}, "the snapshot is damaged: its header: "),
    ],
)
def test_a_header_that_does_not_fit_is_refused(changes: Options, message: str) -> None:
    with pytest.raises(InvalidInstanceError, match=message):
        OnlineScheduler.load(with_header(crowded_scheduler().save(), **changes))


def test_an_option_that_is_no_data_cannot_be_saved() -> None:
    scheduler = crowded_scheduler()
    scheduler._options["heuristic"] = {"a": 1}
    with pytest.raises(TypeError, match=r"heuristic = .* cannot be saved"):
        scheduler.save()


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"schedcore snapshot ",
        b"\x80\x04.",
        b"schedcore snapshot 8",
        b"schedcore snapshot 02\n",
        b"x" * 999,
    ],
)
def test_other_bytes_are_refused(data: bytes) -> None:
    with pytest.raises(InvalidInstanceError, match="these bytes are not a saved scheduler"):
        OnlineScheduler.load(data)


def test_bytes_like_objects_are_taken_and_text_is_not() -> None:
    data = crowded_scheduler().save()
    assert OnlineScheduler.load(bytearray(data)).save() == data
    assert OnlineScheduler.load(memoryview(data)).save() == data
    with pytest.raises(TypeError):
        OnlineScheduler.load(data.decode("latin-1"))  # type: ignore[arg-type]


def test_a_subclass_loads_as_itself() -> None:
    class Mine(OnlineScheduler):
        pass

    assert type(Mine.load(crowded_scheduler().save())) is Mine


def test_a_default_that_changes_takes_a_format_of_its_own() -> None:
    # Bytes hold the options that were given; the others are what their defaults were when the bytes were written.
    assert FORMAT == 8
    found = {}
    for algorithm in map(registry.get, registry.names()):
        if getattr(algorithm, "embed", None) is None:
            continue
        options = {
            option.name: option.default for option in (*algorithm.options, *algorithm.embedded_options)
        }
        parameters = inspect.signature(algorithm.embed).parameters.values()
        options |= {each.name: each.default for each in parameters if each.default is not each.empty}
        found[algorithm.name] = {
            name: default for name, default in options.items() if default not in (None, False)
        }
    mris = {"heuristic": "wsjf", "knapsack": "cadp", "epsilon": 0.1, "placement": "scan", "origin": "busy"}
    queue = {"order": "arrival", "predictions": "none"}
    assert found == {
        "pq": {"heuristic": "wsjf"},
        "ca_pq": {"heuristic": "wsjf"},
        "tetris": {"mode": "inverse"},
        "bf_exec": {},
        "mris": mris | {"patience": 2.0, "memory_limit": 1 << 30},
        "fcfs": queue,
        "first_fit": queue | {"selection": "ff"},
        "easy": queue | {"selection": "ff", "reservation_depth": 1},
        "conservative": queue
        | {
            "selection": "ff",
            "mode": "compress",
            "reservations": "tasks",
            "allocation": "first",
            "compression": "pass",
        },
        "backfill": queue | {"selection": "ff", "protected": 1, "compression": "pass"},
        "plan_annealing": {
            "work_limit": 100_000,
            "cooling": 0.9,
            "steps": 30,
            "swaps": 6,
            "exhaustive": 5,
        },
        "bbsched": {"window_size": 20, "max_passes": 50, "trade": 2.0, "work_limit": 100_000},
        "tetris_np": {"scale": "balanced", "remote": "divide"},
        "jsq_mw": {},
    }


@pytest.mark.parametrize(
    "change",
    [
        lambda each: each.submit(Jobs([5.0], [[8]]), 1),
        lambda each: each.submit(Jobs([5.0], [[2]], n_tasks=[4]), 1),
        lambda each: each.submit(Jobs([5.0], [[1]], constraint=["large"]), 1),
        lambda each: (each.submit(Jobs([5.0], [[1]]), 1), each.update([0], 1, constraint="large")),
        lambda each: each.adopt(Jobs([5.0], [[8]]), [1], 0, 1),
        lambda each: (each.set_capacity(1, [16], 1), each.submit(Jobs([5.0], [[16]]), 1)),
        lambda each: (each.reserve([8], 5, 50, 1), each.submit(Jobs([3.0], [[8]]), 1, reservation=0)),
    ],
)
def test_records_of_jobs_whose_only_machine_is_removed_later_are_read(
    change: Callable[[OnlineScheduler], object],
) -> None:
    scheduler = OnlineScheduler("easy", Machines([[4], [8]], labels=[{"small"}, {"large"}]))
    change(scheduler)
    scheduler.remove_machines([1], 2)
    loaded = OnlineScheduler.load(scheduler.save())
    assert loaded.save() == scheduler.save()
    decisions = [each.advance(3) for each in (scheduler, loaded)]
    assert decisions[0].starts.id.tolist() == decisions[1].starts.id.tolist()
    assert loaded.save() == scheduler.save()
