"""The compiled steps of one slot do what their references do, core by core; several memories reach the same profit."""

from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference import memory_step as memory_reference
from reference import slot_packing as reference
from schedcore.errors import InvalidInstanceError
from schedcore.preemptive import memory_step, pack_slot, slot_rates


class Slotful(NamedTuple):
    """Jobs and machines of one slot."""

    cost: list[float]
    demand: list[int]
    limit: list[int]
    memory: list[list[int]]
    capacity: list[int]
    memory_capacity: list[list[int]]
    unit: int

    @property
    def order(self) -> list[int]:
        return sorted(range(len(self.cost)), key=lambda j: (self.cost[j] / self.demand[j], j))


@st.composite
def slotfuls(draw: st.DrawFn, n_memories: int = 1, most_jobs: int = 14) -> Slotful:
    """Few distinct amounts, so that ties and exact fits are frequent; a third of the memory, and more."""
    n_jobs, n_machines = draw(st.integers(0, most_jobs)), draw(st.integers(1, 5))
    unit = draw(st.sampled_from([1, 1, 2**20]))
    column = lambda values: draw(st.lists(values, min_size=n_jobs, max_size=n_jobs))  # noqa: E731
    demand = column(st.sampled_from([1, 2, 3, 4, 7, 11]))
    amounts = st.lists(st.integers(0, 9), min_size=n_memories, max_size=n_memories)
    machine = st.tuples(
        st.integers(1, 12), st.lists(st.integers(3, 14), min_size=n_memories, max_size=n_memories)
    )
    machines = draw(st.lists(machine, min_size=n_machines, max_size=n_machines))
    return Slotful(
        column(st.integers(-6, 2).map(float) | st.floats(-1e12, 1e3, allow_nan=False)),
        demand,
        [draw(st.sampled_from([d, d, d, d // 2, 0])) for d in demand],
        [[m * unit for m in row] for row in column(amounts)],
        [cores for cores, _ in machines],
        [[m * unit for m in row] for _, row in machines],
        unit,
    )


def placed_by(slot: Slotful, strict: bool) -> np.ndarray:
    limit = [0 if strict and c >= 0 else u for c, u in zip(slot.cost, slot.limit, strict=True)]
    cores, cut = slot_rates(slot.cost, slot.demand, limit, sum(slot.capacity))
    return pack_slot(cores, cut, slot.capacity)


@given(slotfuls())
def test_rates_equal_their_reference(slot: Slotful) -> None:
    total = sum(slot.capacity)
    cores, cut = slot_rates(slot.cost, slot.demand, slot.limit, total)
    assert (cores.tolist(), cut) == reference.slot_rates(slot.cost, slot.demand, slot.limit, total)


@given(slotfuls(), slotfuls(), st.booleans())
def test_packing_equals_its_reference_over_two_slots(slot: Slotful, before: Slotful, sticky: bool) -> None:
    n = len(slot.cost)
    cores, cut = slot_rates(before.cost, before.demand, before.limit, sum(slot.capacity))
    earlier = pack_slot(cores, cut, slot.capacity).tolist()
    previous = (earlier + [[0] * len(slot.capacity)] * n)[:n] if sticky else None
    cores, cut = slot_rates(slot.cost, slot.demand, slot.limit, sum(slot.capacity))
    found = pack_slot(cores, cut, slot.capacity, previous)
    assert found.tolist() == reference.pack_slot(cores.tolist(), cut, slot.capacity, previous)


def test_no_jobs_need_no_rows() -> None:
    assert pack_slot([], None, [3, 4], previous=[]).shape == (0, 2)
    assert pack_slot([], None, [3, 4], previous=np.zeros((0, 2), dtype=np.int64)).shape == (0, 2)
    with pytest.raises(InvalidInstanceError, match=r"previous must have shape \(0, 2\), not \(0, 3\)"):
        pack_slot([], None, [3, 4], previous=np.zeros((0, 3), dtype=np.int64))


@given(slotfuls(), st.booleans(), st.sampled_from(["once", "twice", "backfill"]))
def test_the_memory_step_equals_its_reference(slot: Slotful, strict: bool, mem_mode: str) -> None:
    placed = placed_by(slot, strict)
    order = [j for j in slot.order if not strict or slot.cost[j] < 0]
    small = [m[0] // slot.unit for m in slot.memory]
    rooms = [m[0] // slot.unit for m in slot.memory_capacity]
    profit = [-c for c in slot.cost]
    admitted = memory_reference.admit(placed.tolist(), profit, slot.demand, small, rooms, order)
    cores, refused = memory_step(placed, *slot[:6], mem_mode=mem_mode, work_conserving=not strict)
    assert refused.tolist() == ((placed > 0) & (np.array(admitted).reshape(placed.shape) == 0)).tolist()
    if mem_mode == "once":
        assert cores.tolist() == admitted
    elif mem_mode == "backfill":
        expected = memory_reference.backfill(
            admitted, slot.limit, slot.memory, slot.capacity, slot.memory_capacity, order
        )
        assert cores.tolist() == expected
    else:
        assert not cores[np.array(admitted).reshape(placed.shape) == 0].any()
        assert (cores.sum(axis=0) <= slot.capacity).all()
        totals = memory_reference.totals_of_twice(admitted, slot.limit, slot.capacity, order)
        assert cores.sum(axis=1).tolist() == totals


@given(slotfuls(), st.randoms(use_true_random=False), st.sampled_from(["once", "backfill"]))
def test_admission_in_an_order_equals_its_reference(
    slot: Slotful, random: st.DataObject, mem_mode: str
) -> None:
    placed = placed_by(slot, strict=False)
    order = list(range(len(slot.cost)))
    random.shuffle(order)
    memory, rooms = [m[0] for m in slot.memory], [m[0] for m in slot.memory_capacity]
    expected = memory_reference.admit(placed.tolist(), None, slot.demand, memory, rooms, order)
    if mem_mode == "backfill":
        expected = memory_reference.backfill(
            expected, slot.limit, slot.memory, slot.capacity, slot.memory_capacity, order
        )
    cores, _ = memory_step(placed, None, *slot[1:6], mem_mode=mem_mode, order=order)
    assert cores.tolist() == expected


@given(slotfuls(n_memories=3, most_jobs=9))
def test_several_memories_reach_the_greatest_profit(slot: Slotful) -> None:
    placed = placed_by(slot, strict=True)
    cores, _ = memory_step(placed, *slot[:6], mem_mode="once", work_conserving=False)
    for i, room in enumerate(slot.memory_capacity):
        here = np.flatnonzero(placed[:, i])
        worth = [-slot.cost[j] * placed[j, i] / slot.demand[j] for j in here]
        memory = [slot.memory[j] for j in here]
        admitted = np.flatnonzero(cores[:, i])
        assert memory_reference.fits([slot.memory[j] for j in admitted] or [[0] * 3], room)
        found = sum(p for p, j in zip(worth, here, strict=True) if cores[j, i] > 0)
        assert found >= memory_reference.greatest_profit(worth, memory, room) * (1 - 1e-12)


def test_packing_of_many_machines_equals_its_reference() -> None:
    random = np.random.default_rng(5)
    for sizes in ([1, 2, 4, 8, 16], [1, 3, 40, 90], np.arange(1, 65)):
        capacity = random.choice([64, 32, 16], 60)
        cores = random.choice(sizes, 800)
        cores[np.cumsum(cores) > capacity.sum()] = 0
        found = pack_slot(cores, 799, capacity)
        assert found.tolist() == reference.pack_slot(cores.tolist(), 799, capacity.tolist())
