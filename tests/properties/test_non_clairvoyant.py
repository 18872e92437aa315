"""What holds for policies that know no processing times: they cannot know them, and what each promises of its order."""

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import schedcore
from example_shares import examples
from reference.gittins import expected_completion_times, least_expected_completion_times
from reference.slotted_instance import SlottedJobs
from schedcore import solve
from schedcore.preemptive import gittins_index
from slotted_cases import NON_CLAIRVOYANT, pieces, slotted, slotted_instances

Instance = schedcore.Instance

every_policy = pytest.mark.parametrize("name", NON_CLAIRVOYANT)


def work_by_slot(result: Any) -> list[dict[int, int]]:
    """Slot 1, 2, ... -> job -> core-slots; without estimates."""
    rows = pieces(result)
    work: list[dict[int, int]] = [{} for _ in range(max((end for _, _, _, end, _ in rows), default=0))]
    for start, job, _, end, cores in rows:
        for slot in range(start, end):
            work[slot][job] = work[slot].get(job, 0) + cores
    return work


def slots_before_the_last(result: Any, job: int) -> int:
    """How many slots go by before the job is offered fewer cores than it asks for, as little is left of it."""
    jobs = SlottedJobs.from_instance(result.instance)
    left = jobs.volume(job)
    for slot, work in enumerate(work_by_slot(result)):
        if left < jobs.demand[job][0]:
            return slot
        left -= work.get(job, 0)
    return slot


@every_policy
@examples(60)
@given(
    instance=slotted_instances(resources=(1, 1, 2), min_jobs=2, longest=12, gaps=False),
    data=st.data(),
    packing=st.sampled_from(["ffd", "sticky"]),
    mem_mode=st.sampled_from(["backfill", "once"]),
)
def test_nobody_can_tell_a_longer_job_before_the_shorter_one_ends(
    name: str, instance: Instance, data: st.DataObject, packing: str, mem_mode: str
) -> None:
    job = data.draw(st.integers(0, instance.n_jobs - 1))
    time = instance.jobs.processing_time.copy()
    time[job] += data.draw(st.integers(1, 20))
    longer = instance.replace(processing_time=time)
    options: dict[str, Any] = {"packing": packing, "mem_mode": mem_mode}
    shared = slots_before_the_last(solve(name, instance, **options), job)
    assume(shared > 0)
    first, second = (solve(name, each, **options, max_slots=shared) for each in (instance, longer))
    assert pieces(first) == pieces(second)


# Least attained service first


@examples(60)
@given(instance=slotted_instances(longest=12))
def test_nobody_runs_while_somebody_who_has_got_less_could_use_its_cores(instance: Instance) -> None:
    jobs = SlottedJobs.from_instance(instance)
    got = dict.fromkeys(range(jobs.n_jobs), 0)
    for slot, work in enumerate(work_by_slot(solve("las", instance)), start=1):
        for job in got:
            limit = jobs.limit(job, jobs.volume(job) - got[job]) if got[job] < jobs.volume(job) else 0
            if jobs.release_time[job] < slot and work.get(job, 0) < limit:
                assert all((got[other], other) < (got[job], job) for other in work if other != job)
        for job, cores in work.items():
            got[job] += cores


def test_on_one_core_no_two_unfinished_jobs_are_more_than_a_slot_apart() -> None:
    draw = np.random.default_rng(8)
    for _ in range(20):
        time = draw.integers(1, 30, 6).tolist()
        got = [0] * 6
        for work in work_by_slot(solve("las", slotted([(0, 1, p) for p in time], [1]))):
            for job in work:
                got[job] += 1
            unfinished = [g for g, p in zip(got, time, strict=True) if g < p]
            assert not unfinished or max(unfinished) - min(unfinished) <= 1


# The Gittins index


@examples(60)
@given(sizes=st.lists(st.integers(1, 9), min_size=1, max_size=5), n_jobs=st.integers(2, 3))
def test_no_order_on_one_core_is_better_than_that_of_the_index(sizes: list[int], n_jobs: int) -> None:
    index = gittins_index(np.arange(max(sizes)), sizes)
    assert expected_completion_times(sizes, n_jobs, index.__getitem__) == least_expected_completion_times(
        sizes, n_jobs
    )


def test_of_sizes_that_all_differ_least_attained_service_is_not_the_order_of_the_index() -> None:
    # Nearly equal sizes: taking turns is the worst, running one to its end the best.
    sizes = [8, 9]
    best = least_expected_completion_times(sizes, 2)
    assert expected_completion_times(sizes, 2, lambda got: -got) > best + 3


@examples(60)
@given(
    instance=slotted_instances(min_jobs=1, resources=(1, 2), longest=12, estimates=True),
    weight=st.sampled_from([0.5, 2.0, 1024.0]),
)
def test_weights_that_are_all_alike_change_nothing(instance: Instance, weight: float) -> None:
    alike = instance.replace(weight=np.full(instance.n_jobs, weight))
    assert pieces(solve("gittins", alike)) == pieces(solve("gittins", instance))
