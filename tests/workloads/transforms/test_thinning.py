"""Thinning out divides a list among job sets; further resources get demands of jobs of the list."""

from math import ceil

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from data_folder import data_folder
from reference.generators import SplitMix64
from schedcore import Instance, InvalidInstanceError, Jobs, Machines
from schedcore.workloads import (
    azure_like,
    downsample,
    downsampling_offset,
    draw_more_resources,
    read_azure_v1,
)
from strategies import instances

factors = st.integers(1, 12)
seeds = st.integers(0, 2**64 - 1)


def three_jobs() -> Instance:
    jobs = Jobs(
        processing_time=[3, 1, 2], demand=[[0, 4], [2, 1], [3, 0]], estimated_processing_time=[4, 4, 4], id=[7, 5, 9]
    )  # fmt: skip
    return Instance(jobs, Machines([[10, 20], [11, 30]], ["cpu", "extra_1"]))


# Downsampling ----------------------------------------------------------------------------------------------


@given(inst=instances(max_jobs=30, min_jobs=12), factor=factors)
def test_the_job_sets_of_a_factor_divide_the_list(inst: Instance, factor: int) -> None:
    parts = [downsample(inst, factor, offset) for offset in range(factor)]
    assert [part.n_jobs for part in parts] == [
        ceil((inst.n_jobs - offset) / factor) for offset in range(factor)
    ]
    assert sorted(np.concatenate([part.jobs.id for part in parts])) == sorted(inst.jobs.id)
    for offset, part in enumerate(parts):
        assert part.jobs == inst.jobs[list(range(offset, inst.n_jobs, factor))]
        assert part.machines == inst.machines


@given(inst=instances())
def test_factor_one_keeps_everything(inst: Instance) -> None:
    assert downsample(inst, 1) == inst


def test_identifiers_and_estimates_are_kept() -> None:
    jobs = downsample(three_jobs(), 2).jobs
    assert jobs.id.tolist() == [7, 9]
    assert jobs.has_estimates
    assert jobs.estimated_processing_time.tolist() == [4, 4]
    assert not downsample(azure_like(1, 8), 2).jobs.has_estimates


def test_job_sets_of_the_recorded_virtual_machines_have_the_stated_sizes() -> None:
    full, _ = read_azure_v1(data_folder("azure-v1-vms", "azure_v1_dev_vms.csv.gz"))
    assert full.n_jobs == 259_159
    for factor in (4, 8, 16, 32, 64):
        for job_set in range(1, min(factor, 10) + 1):
            offset = downsampling_offset(factor, job_set)
            assert downsample(full, factor, offset).n_jobs == ceil((259_159 - offset) / factor)


@pytest.mark.parametrize(
    ("factor", "offset", "message"),
    [
        (0, 0, r"factor = 0 must be at least 1"),
        (-2, 0, r"factor = -2 must be at least 1"),
        (2, 2, r"offset = 2 is outside \[0, factor = 2\)"),
        (2, -1, r"offset = -1 is outside \[0, factor = 2\)"),
        (9, 3, r"offset = 3 leaves no job of 3 \(factor = 9\)"),
    ],
)
def test_a_slice_that_takes_nothing_or_makes_no_sense_is_refused(
    factor: int, offset: int, message: str
) -> None:
    with pytest.raises(InvalidInstanceError, match=message):
        downsample(three_jobs(), factor, offset)


def test_no_jobs_are_thinned_out_to_no_jobs() -> None:
    empty = azure_like(1, 0)
    assert downsample(empty, 5, 4) == empty


# Offsets ---------------------------------------------------------------------------------------------------


@given(factor=st.integers(1, 60), seed=seeds)
def test_all_job_sets_of_a_factor_have_all_offsets(factor: int, seed: int) -> None:
    offsets = [downsampling_offset(factor, job_set, seed) for job_set in range(1, factor + 1)]
    assert sorted(offsets) == list(range(factor))


@given(factor=st.integers(1, 40), seed=seeds)
def test_offsets_are_those_of_a_shuffled_list(factor: int, seed: int) -> None:
    draws = SplitMix64(seed)
    for _ in range(factor * (factor - 1) // 2):  # of the smaller factors
        draws.next()
    entries = list(range(factor))
    for place in range(factor):
        other = place + draws.below(factor - place)
        entries[place], entries[other] = entries[other], entries[place]
    assert [downsampling_offset(factor, place + 1, seed) for place in range(factor)] == entries


def test_offsets_of_the_experiments_never_change() -> None:
    ten = {f: [downsampling_offset(f, job_set) for job_set in range(1, min(f, 10) + 1)] for f in (4, 8, 64)}
    assert ten == {
        4: [1, 0, 2, 3],
        8: [7, 1, 6, 5, 3, 0, 4, 2],
        64: [21, 34, 5, 47, 26, 8, 37, 32, 7, 31],
    }


def test_a_large_factor_costs_no_more_than_its_job_sets() -> None:
    offsets = {downsampling_offset(2**60, job_set) for job_set in range(1, 11)}
    assert len(offsets) == 10


def test_every_offset_is_equally_likely() -> None:
    # 6000 seeds: each of 6 offsets about 1000 times, standard deviation 29.
    for job_set in (1, 4):
        count = np.bincount([downsampling_offset(6, job_set, seed) for seed in range(6000)], minlength=6)
        assert np.abs(count - 1000).max() < 5 * 29


@pytest.mark.parametrize(
    ("factor", "job_set", "seed", "message"),
    [
        (0, 1, 1, r"factor = 0 is below 1"),
        (4, 0, 1, r"job_set = 0 is outside \[1, factor = 4\]"),
        (4, 5, 1, r"job_set = 5 is outside \[1, factor = 4\]"),
        (4, 1, -1, r"seed = -1"),
    ],
)
def test_job_sets_that_a_factor_does_not_have_are_refused(
    factor: int, job_set: int, seed: int, message: str
) -> None:
    with pytest.raises(InvalidInstanceError, match=message):
        downsampling_offset(factor, job_set, seed)


# More resources --------------------------------------------------------------------------------------------


@given(inst=instances(max_resources=4), extra=st.integers(1, 4), seed=seeds)
def test_new_resources_get_demands_of_resource_zero_job_by_job(inst: Instance, extra: int, seed: int) -> None:
    wider = draw_more_resources(inst, inst.n_resources + extra, seed)
    draws = SplitMix64(seed)
    first = inst.jobs.demand[:, 0].tolist()
    drawn = [[first[draws.below(inst.n_jobs)] for _ in range(inst.n_jobs)] for _ in range(extra)]
    assert wider.jobs.demand.T.tolist() == inst.jobs.demand.T.tolist() + drawn
    assert wider.machines.capacity.T.tolist() == [
        *inst.machines.capacity.T.tolist(),
        *[inst.machines.capacity[:, 0].tolist()] * extra,
    ]
    assert wider.jobs.replace(demand=inst.jobs.demand) == inst.jobs
    assert draw_more_resources(wider, inst.n_resources) == inst


def test_a_thinned_out_job_set_draws_from_the_full_list() -> None:
    full = azure_like(1, 4000)
    thin = downsample(full, 400, 3)
    wider = draw_more_resources(thin, 6, seed=2, donors=full.jobs.demand[:, 0])
    draws = SplitMix64(2)
    expected = [int(full.jobs.demand[draws.below(4000), 0]) for _ in range(2 * thin.n_jobs)]
    assert wider.jobs.demand[:, 4:].T.reshape(-1).tolist() == expected
    assert not np.isin(wider.jobs.demand[:, 4:], thin.jobs.demand[:, 0]).all()
    assert wider.machines.resource_names == ("core", "memory", "storage", "nic", "extra_0", "extra_1")


def test_names_in_use_are_passed_over() -> None:
    wider = draw_more_resources(three_jobs(), 5)
    assert wider.machines.resource_names == ("cpu", "extra_1", "extra_0", "extra_2", "extra_3")
    assert wider.machines.capacity[1].tolist() == [11, 30, 11, 11, 11]


def test_a_job_that_would_lose_its_last_demand_is_named() -> None:
    message = r"job 0 \(id 7\) has no demand in cpu, which are to be kept; 1 of 3 jobs would need nothing"
    with pytest.raises(InvalidInstanceError, match=message):
        draw_more_resources(three_jobs(), 1)


def test_a_job_that_needed_nothing_before_stays() -> None:
    inst = Instance(Jobs([1, 1], [[0, 0], [1, 0]]), Machines([[1, 1]]))
    assert draw_more_resources(inst, 1).jobs.demand.tolist() == [[0], [1]]
    assert draw_more_resources(inst, 2) == inst


def test_resources_and_donors_that_make_no_sense_are_refused() -> None:
    inst = three_jobs()
    with pytest.raises(InvalidInstanceError, match="n_resources = 0 is below 1"):
        draw_more_resources(inst, 0)
    with pytest.raises(InvalidInstanceError, match=r"donors has shape \(0,\); need one demand or more"):
        draw_more_resources(inst, 3, donors=np.empty(0, dtype=np.int64))
    with pytest.raises(InvalidInstanceError, match=r"donors has shape \(3, 2\)"):
        draw_more_resources(inst, 3, donors=inst.jobs.demand)
    with pytest.raises(InvalidInstanceError, match=r"demand\[0, 2\] .*-1"):
        draw_more_resources(inst, 3, donors=np.array([-1]))
    with pytest.raises(TypeError, match="integers, not float64"):
        draw_more_resources(inst, 3, donors=np.array([0.5]))  # type: ignore[arg-type]
