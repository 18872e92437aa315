"""The validator and the measures of schedules in slots equal their reference implementations, slot by slot."""

from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import schedcore
from example_shares import examples
from reference.slot_facts import plain_curves, plain_facts
from reference.slot_rows import rows_of
from reference.slot_validator import first_slot_violation
from schedcore import PreemptiveSchedule, metrics, validate
from slotted_cases import map_reduce_instances, slotted_instances

COLUMNS = ("job", "task", "machine", "start_time", "end_time", "amount")
FIELDS = ("kind", "job", "task", "machine", "instant", "resource", "excess")

small: dict[str, Any] = {"max_jobs": 4, "max_machines": 2, "longest": 4, "latest": 4}
instances = (
    slotted_instances(resources=(1, 2, 3), gaps=False, **small)
    | slotted_instances(resources=(1, 2), estimates=True, gaps=False, **small)
    | map_reduce_instances(max_jobs=3, max_machines=2, longest=3, latest=3)
)


@st.composite
def slotted_schedules(draw: st.DrawFn, instance: Any) -> PreemptiveSchedule:
    """Cores given at random, slot by slot and within the rules, as pieces; some jobs may be left unfinished."""
    random = Random(draw(st.integers(0, 2**32)))
    laziness = draw(st.sampled_from([0.0, 0.2, 0.6]))
    last = draw(st.sampled_from([0, 3, 15, 40]))
    rows = rows_of(instance)
    left = {key: row.work for key, row in rows.items()}
    pieces: list[tuple[int, int, int, int, int, int]] = []
    for slot in range(1, last + 1):
        free = instance.machines.capacity.tolist()
        open_maps = {job for (job, _), rest in left.items() if rest and not rows[job, _].is_reduce}
        for key, row in rows.items():
            if (
                slot <= row.release_time
                or (row.is_reduce and key[0] in open_maps)
                or random.random() < laziness
            ):
                continue
            cores = _spread(random, free, row.believed, row.limit(left[key]))
            pieces += [(*key, machine, slot - 1, slot, amount) for machine, amount in cores]
            left[key] -= row.progress(left[key], sum(amount for _, amount in cores))
    columns = zip(*pieces, strict=True) if pieces else [[]] * 6
    table = dict(zip(COLUMNS, columns, strict=True))
    return PreemptiveSchedule.merging(**table) if draw(st.booleans()) else PreemptiveSchedule(**table)


def _spread(random: Random, free: list[list[int]], demand: list[int], limit: int) -> list[tuple[int, int]]:
    given_cores = []
    for machine in random.sample(range(len(free)), len(free)):
        room = free[machine]
        most = min(limit, room[0])
        if most == 0 or any(need > have for need, have in zip(demand[1:], room[1:], strict=True)):
            continue
        amount = most if random.random() < 0.6 else random.randint(1, most)
        given_cores.append((machine, amount))
        room[:] = [have - need for have, need in zip(room, [amount, *demand[1:]], strict=True)]
        limit -= amount
    return given_cores


@st.composite
def mutated(draw: st.DrawFn, schedule: PreemptiveSchedule) -> PreemptiveSchedule:
    """A few entries changed, or a piece dropped or doubled."""
    table = {name: getattr(schedule, name).copy() for name in COLUMNS}
    for _ in range(draw(st.integers(0, 2))):
        n_pieces = len(table["job"])
        if n_pieces == 0:
            break
        row = draw(st.integers(0, n_pieces - 1))
        what = draw(st.sampled_from([*COLUMNS, "drop", "double", "half"]))
        if what == "drop":
            table = {name: np.delete(column, row) for name, column in table.items()}
        elif what == "double":
            table = {name: np.append(column, column[row]) for name, column in table.items()}
        elif what == "half":
            table["end_time"][row] += 0.5
        else:
            table[what][row] += draw(st.sampled_from([-2, -1, 1, 2]))
    return PreemptiveSchedule(**table)


@examples(600)
@given(data=st.data(), instance=instances, kind=st.sampled_from(["complete", "partial"]))
def test_the_validator_finds_what_the_reference_finds(data: st.DataObject, instance: Any, kind: str) -> None:
    schedule = data.draw(mutated(data.draw(slotted_schedules(instance))))
    report = validate(instance, schedule, kind=kind)
    expected = first_slot_violation(instance, schedule, kind)
    assert report.ok == (expected is None), (report, expected)
    if expected is not None:
        assert tuple(getattr(report, name) for name in FIELDS) == expected, report.message


@given(data=st.data(), instance=instances)
def test_what_keeps_to_the_rules_is_feasible(data: st.DataObject, instance: Any) -> None:
    schedule = data.draw(slotted_schedules(instance))
    assert validate(instance, schedule, kind="partial"), validate(instance, schedule, kind="partial").message


@examples(150)
@given(
    data=st.data(), instance=instances, k=st.sampled_from([1, 2, 3, 9]), more=st.sampled_from([0, 0, 1, 50])
)
def test_the_facts_of_jobs_equal_their_definitions(
    data: st.DataObject, instance: Any, k: int, more: int
) -> None:
    schedule = data.draw(slotted_schedules(instance))
    facts = metrics.slot_facts(instance, schedule, k, end_of_run=more)
    expected = plain_facts(instance, schedule, k, more)
    assert facts.completion_time.tolist() == expected.completion_time
    for name in ("preemptions", "migrations", "live_migrations", "max_gap"):
        assert getattr(facts, name).tolist() == getattr(expected, name), name
    np.testing.assert_allclose(facts.fractional, [float(f) for f in expected.fractional], rtol=1e-13)


@examples(60)
@given(data=st.data(), instance=instances, k=st.sampled_from([1, 2, 5]))
def test_the_curves_equal_their_definitions(data: st.DataObject, instance: Any, k: int) -> None:
    schedule = data.draw(slotted_schedules(instance))
    times = data.draw(st.none() | st.sets(st.integers(1, 60), max_size=12).map(sorted))
    found = metrics.work_over_time(instance, schedule, k, times)
    last = int(found.time.max(initial=0))
    expected = plain_curves(instance, schedule, k, last)
    at = found.time - 1
    assert times is None or found.time.tolist() == times
    for name in ("offered_volume", "unfinished_volume", "flow_power"):
        assert getattr(found, name).tolist() == [getattr(expected, name)[i] for i in at], name
    for name in ("unfinished_time", "fractional"):
        values = [float(getattr(expected, name)[i]) for i in at]
        np.testing.assert_allclose(getattr(found, name), values, rtol=1e-13, err_msg=name)


@pytest.mark.parametrize("gap", [3, 10**9])
@given(data=st.data(), instance=slotted_instances(gaps=False, **small))
def test_long_pieces_mean_what_their_slots_mean(data: st.DataObject, instance: Any, gap: int) -> None:
    """Every time stretched: the same finding, and volumes and counts that grow in proportion."""
    schedule = data.draw(slotted_schedules(instance))
    jobs = instance.jobs.replace(
        processing_time=instance.jobs.processing_time * gap, release_time=instance.jobs.release_time * gap
    )
    longer = schedcore.Instance(jobs, instance.machines)
    stretched = PreemptiveSchedule(
        **{name: getattr(schedule, name) * (gap if name.endswith("_time") else 1) for name in COLUMNS}
    )
    here, there = validate(instance, schedule), validate(longer, stretched)
    assert (here.kind, here.job) == (there.kind, there.job)
    before, after = metrics.slot_facts(instance, schedule), metrics.slot_facts(longer, stretched)
    assert (after.completion_time == before.completion_time * gap).all()
    assert (after.max_gap == before.max_gap * gap).all()
    for name in ("preemptions", "migrations", "live_migrations"):
        assert (getattr(after, name) == getattr(before, name)).all()
