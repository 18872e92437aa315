"""Jobs of map and reduce tasks against their reference: cores slot by slot, multipliers and placements, bit for bit.

The reference decides every slot anew. The kernel jumps where it knows that nothing can change; what it returns may not
show that.
"""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import schedcore
from example_shares import examples
from reference import mapreduce as reference
from reference.slot_rows import Held, held_in, pieces_of
from reference.slotted_packing import pack
from slotted_cases import dual_options, map_reduce, map_reduce_instances

MapReduceInstance = schedcore.MapReduceInstance

BASELINES = ("srpt", "srvf", "svf", "srf")


def plain_jobs(instance: MapReduceInstance) -> list[reference.MapReduceJob]:
    columns = (
        getattr(instance, f"{phase}_{what}").tolist()
        for phase in ("map", "reduce")
        for what in ("tasks", "cores", "time")
    )
    return [
        reference.MapReduceJob(release_time, reference.Phase(*row[:3]), reference.Phase(*row[3:]))
        for release_time, *row in zip(instance.release_time.tolist(), *columns, strict=True)
    ]


def placements(schedule: schedcore.PreemptiveSchedule) -> Held:
    pieces = pieces_of(schedule)
    slots = held_in(pieces)
    assert sum(map(len, slots.values())) == sum(len(piece.slots) for piece in pieces), "pieces overlap"
    return slots


def assert_equals_reference(name: str, instance: MapReduceInstance, options: dict[str, Any]) -> None:
    dual = {key: options[key] for key in ("gamma", "lambda0", "work_conserving") if key in options}
    mu = options.get("mu", "sim")
    rule = reference.Rule(
        "ocorp" if name == "ocorp_mapreduce" else name,
        options.get("k", 2),
        mu=None if mu == "sim" else mu,
        max_slots=options.get("max_slots"),
        **dual,
    )
    total = int(instance.machines.capacity.sum())
    expected = reference.schedule(plain_jobs(instance), total, rule)
    record = {"record": True} if name == "ocorp_mapreduce" else {}
    result = schedcore.solve(name, instance, **options, **record)
    assert result.completion_time.tolist() == expected.completion
    assert result.stats["map_completion_time"].tolist() == expected.map_completion
    slots = placements(result.schedule)
    cores = {
        (slot, job, task): sum(amount for (j, t, _), amount in placed.items() if (j, t) == (job, task))
        for slot, placed in slots.items()
        for job, task, _ in placed
    }
    assert cores == expected.cores
    if record:
        kept = result.stats["multipliers"]
        rows = list(zip(kept["slot"].tolist(), kept["job"].tolist(), kept["value"].tolist(), strict=True))
        assert rows == sorted(expected.multipliers)
    if options.get("placement", "pack") == "pack":
        assert_packed(instance, slots, expected, options.get("packing", "ffd") == "sticky")


def assert_packed(
    instance: MapReduceInstance, slots: Held, expected: reference.Outcome, sticky: bool
) -> None:
    """Every slot is packed as jobs are, a task being one."""
    capacity = instance.machines.capacity[:, 0].tolist()
    number = {(j, t): instance.task_start[j] + t for _, j, t in expected.cores}
    for slot, placed in slots.items():
        cores = {number[j, t]: amount for (s, j, t), amount in expected.cores.items() if s == slot}
        cut = number[expected.cut[slot]] if slot in expected.cut else None
        before = {(number[j, t], m): amount for (j, t, m), amount in slots.get(slot - 1, {}).items()}
        packed = pack(cores, cut, capacity, before if sticky else None)
        assert {(number[j, t], m): amount for (j, t, m), amount in placed.items()} == packed


@examples(80)
@given(instance=map_reduce_instances(), options=dual_options())
def test_ocorp_equals_the_reference(instance: MapReduceInstance, options: dict[str, Any]) -> None:
    assert_equals_reference("ocorp_mapreduce", instance, options)


@pytest.mark.parametrize("name", BASELINES)
@examples(40)
@given(
    instance=map_reduce_instances() | map_reduce_instances(longest=40, latest=60),
    packing=st.sampled_from(["ffd", "sticky"]),
    max_slots=st.none() | st.integers(1, 12),
)
def test_baselines_equal_the_reference(
    name: str, instance: MapReduceInstance, packing: str, max_slots: int | None
) -> None:
    assert_equals_reference(name, instance, {"packing": packing, "max_slots": max_slots})


@examples(25)
@given(instance=map_reduce_instances(longest=60, latest=90, max_jobs=3), options=dual_options(max_slots=None))
def test_long_stretches_equal_the_reference(instance: MapReduceInstance, options: dict[str, Any]) -> None:
    assert_equals_reference("ocorp_mapreduce", instance, {**options, "work_conserving": True})


@examples(40)
@given(instance=map_reduce_instances(min_jobs=1, most_tasks=4), data=st.data())
def test_where_tasks_run_changes_no_completion_time(instance: MapReduceInstance, data: st.DataObject) -> None:
    shape = (instance.n_tasks, instance.n_machines)
    latency = np.array(
        data.draw(
            st.lists(st.sampled_from([0, 1, 3]), min_size=shape[0] * shape[1], max_size=shape[0] * shape[1])
        )
    ).reshape(shape)
    options = {"placement": "latency", "latency": latency}
    assert_equals_reference("ocorp_mapreduce", instance, options)
    assert_equals_reference("srvf", instance, options)


def test_multipliers_of_many_slots_at_once_equal_the_reference() -> None:
    """Two tasks of three run while the third waits, then one alone: lambda rises, falls and stays at 0."""
    instance = map_reduce([(0, (3, 2, 90), (1, 1, 200)), (300, (1, 1, 40), (0, 0, 0))], [3, 1])
    for lambda0 in ("zero", "big", ("mu", 3.0)):
        for k in (1, 2, 5):
            assert_equals_reference("ocorp_mapreduce", instance, {"k": k, "lambda0": lambda0})


@pytest.mark.parametrize("name", [*BASELINES, "fifo"])
def test_a_job_that_overtakes_another_between_events_equals_the_reference(name: str) -> None:
    """By remaining work job 0 goes first, with one core; job 1 has two of its three and overtakes it in slot 11."""
    instance = map_reduce([(0, (1, 1, 20), (0, 0, 0)), (0, (1, 3, 10), (0, 0, 0))], [3])
    assert_equals_reference(name, instance, {})
