"""What it means that a result of the slotted engine is the run of the plain reference implementation."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import schedcore
from reference.slotted_facts import facts_of
from reference.slotted_instance import Placement, SlottedJobs
from reference.slotted_keys import weight
from reference.slotted_memory import Choice, MemoryItems, best_jobs
from reference.slotted_run import DUAL_POLICIES, PlainRun, Settings, run
from reference.slotted_switching import slot_value
from slotted_cases import completions, pieces


def assert_equals_reference(name: str, instance: schedcore.Instance, options: dict[str, Any]) -> PlainRun:
    """Solve with the record of the multipliers and compare everything with the reference implementation."""
    result = schedcore.solve(name, instance, **options, record=True)
    jobs = SlottedJobs.from_instance(instance, whole=options.get("service", "shared") != "shared")
    reference = run(jobs, name, Settings(**options), choice=checked_choices(result))
    compare(result, reference)
    assert pieces(result) == reference.pieces()
    schedcore.validate(
        instance,
        result.schedule,
        kind="complete" if reference.status == "finished" else "partial",
        raise_on_error=True,
    )
    return reference


def checked_choices(result: Any) -> Callable[[int], Choice] | None:
    """With several memories, the sets that the engine admits: each must fit and be worth the most."""
    if result.instance.n_resources <= 2:
        return None
    refused = set(rows_of(result.stats["refused"], "slot", "job", "machine"))

    def choice(slot: int) -> Choice:
        def checked(items: MemoryItems) -> list[int]:
            admitted = [job for job in items.jobs if (slot, job, items.machine) not in refused]
            worth = dict(zip(items.jobs, items.profits, strict=True))
            needs = dict(zip(items.jobs, items.weights, strict=True))
            for memory, capacity in enumerate(items.capacity):
                assert sum(needs[job][memory] for job in admitted) <= capacity
            best = sum(worth[job] for job in best_jobs(items))
            assert sum(worth[job] for job in admitted) == pytest.approx(best, rel=1e-12)
            return admitted

        return checked

    return choice


def compare(result: Any, reference: PlainRun) -> None:
    """Completion times, value, multipliers, refusals and facts."""
    stats, k = result.stats, reference.settings.k
    assert completions(result) == reference.completion
    assert stats["status"] == reference.status
    assert stats["n_unfinished"] == reference.completion.count(None)
    assert stats["makespan"] == max((slot.number for slot in reference.slots if slot.placed), default=0)
    if reference.status == "finished":
        assert result.value == pytest.approx(sum(flow**k for flow in reference.flows), rel=1e-12)
    assert result.lower_bound == pytest.approx(sum(p**k for p in reference.jobs.processing_time), rel=1e-12)
    if result.algorithm in DUAL_POLICIES:
        assert stats["gamma"] == reference.gamma
        assert rows_of(stats["multipliers"], "slot", "job", "value") == [
            (slot.number, job, value) for slot in reference.slots for job, value in slot.multiplier.items()
        ]
    else:
        assert stats["gamma"] is None
    refused = [(slot.number, *pair) for slot in reference.slots for pair in slot.refused]
    assert rows_of(stats["refused"], "slot", "job", "machine") == refused
    assert stats["refusals"] == len(refused)
    facts = facts_of(reference, k)
    assert stats["fractional"] == pytest.approx(sum(facts.fractional), rel=1e-9, abs=1e-12)
    for name in ("preemptions", "migrations", "live_migrations"):
        assert stats[name] == sum(getattr(facts, name))
    assert stats["max_gap"].tolist() == facts.max_gap


def rows_of(columns: Any, *names: str) -> list[tuple[Any, ...]]:
    return list(zip(*(np.asarray(columns[name]).tolist() for name in names), strict=True))


def slot_values(reference: PlainRun, other: dict[int, Placement]) -> dict[int, tuple[Fraction, Fraction]]:
    """Objective (32) of every slot of a run of OCORP+, and what it would be with the other placements."""
    jobs, k, alpha = reference.jobs, reference.settings.k, reference.settings.alpha
    values = {}
    before: Placement = {}
    for slot in reference.slots:
        before = {pair: cores for pair, cores in before.items() if pair[0] in slot.remaining}
        cost = {
            job: weight(slot.number, jobs.release_time[job], jobs.processing_time[job], k) - multiplier
            for job, multiplier in slot.multiplier.items()
        }
        first = {job: slot.number == jobs.release_time[job] + 1 for job in cost}
        demand = {job: jobs.believed[job][0] for job in cost}
        actual, best = (
            slot_value(placement, cost, demand, before, first, len(jobs.capacity), alpha)
            for placement in (slot.placed, other[slot.number])
        )
        values[slot.number] = actual, best
        before = slot.placed
    return values


def placements_of(result: Any) -> dict[int, Placement]:
    """Slot -> who has how many cores where."""
    placements: dict[int, Placement] = {}
    for start, job, machine, end, cores in pieces(result):
        for slot in range(start + 1, end + 1):
            placements.setdefault(slot, {})[job, machine] = cores
    return placements
