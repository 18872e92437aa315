"""Misestimated demands: normal errors, rounded up, within what a job can get."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import schedcore
from schedcore import Instance, InvalidInstanceError, Jobs, Machines
from schedcore.workloads import misestimate, slotted_standin
from slotted_cases import slotted_instances

SEEDS = st.integers(0, 2**64 - 1)


@pytest.fixture(scope="module")
def wide() -> Instance:
    """Many jobs of 1000 cores and 500 GB, on machines that cut no estimate."""
    demand = np.tile([1000, 500], (50_000, 1))
    return Instance(Jobs(processing_time=np.ones(50_000), demand=demand), Machines([[10**6, 10**6]]))


@pytest.mark.parametrize("variance", [0.2, 0.6, 1.0])
def test_errors_are_normal_with_the_variance_and_independent(wide: Instance, variance: float) -> None:
    estimate = misestimate(wide, variance, 4).jobs.estimated_demand
    error = estimate / wide.jobs.demand - 1
    for column in error.T:  # quantiles above the clamp at one unit
        for z in (-0.5, 0.0, 1.0, 2.0):
            share = (1 + math.erf(z / math.sqrt(2))) / 2
            assert np.mean(column <= z * math.sqrt(variance)) == pytest.approx(share, abs=0.01)
    assert np.mean(estimate == 1, axis=0) == pytest.approx(
        [(1 - math.erf(1 / math.sqrt(2 * variance))) / 2] * 2, abs=0.01
    )
    assert abs(np.corrcoef(error.T)[0, 1]) < 0.02


@given(inst=slotted_instances(resources=(1, 2, 3)), seed=SEEDS)
def test_estimates_without_variance_are_exact(inst: Instance, seed: int) -> None:
    exact = misestimate(inst, 0, seed)
    assert (exact.jobs.estimated_demand == inst.jobs.demand).all()
    assert exact.jobs.has_demand_estimates


@given(inst=slotted_instances(resources=(1, 2, 3)), seed=SEEDS, variance=st.sampled_from([0.2, 1.0, 50.0]))
def test_only_estimates_change_and_they_are_what_a_job_can_get(
    inst: Instance, seed: int, variance: float
) -> None:
    changed = misestimate(inst, variance, seed)
    estimate, capacity = changed.jobs.estimated_demand, inst.machines.capacity
    assert Instance(changed.jobs.replace(estimated_demand=None), inst.machines) == inst
    first = int(np.argmax(capacity[:, 0]))  # the first of the machines with most cores
    assert (estimate[:, 0] >= 1).all()
    assert (estimate[:, 0] <= capacity[:, 0].sum()).all()
    assert (estimate[:, 1:] <= capacity[first, 1:]).all()
    assert (estimate[:, 1:] >= np.minimum(1, capacity[first, 1:])).all()
    assert misestimate(changed, variance, seed) == changed


def test_estimates_are_rounded_up_and_larger_variances_stretch_the_same_errors(wide: Instance) -> None:
    error = [misestimate(wide, s * s, 9).jobs.estimated_demand / wide.jobs.demand - 1 for s in (0.1, 0.2)]
    inside = np.abs(error[0]) < 0.4
    assert np.max(np.abs(error[1] - 2 * error[0])[inside]) <= 2 / 500 + 1e-12  # each one is rounded
    assert (error[1] - 2 * error[0])[inside].min() >= -2 / 500 - 1e-12


def test_cores_are_estimated_alike_with_and_without_memory() -> None:
    one, two = (
        misestimate(slotted_standin(500, 3, resources=resources), 0.5, 8).jobs.estimated_demand
        for resources in ("cores", "cores_memory")
    )
    assert (one[:, 0] == two[:, 0]).all()
    assert (one[:, 0] != slotted_standin(500, 3).jobs.demand[:, 0]).any()


def test_arguments_out_of_range_are_named() -> None:
    inst = slotted_standin(5, 1)
    for arguments in ({"variance": -0.1}, {"variance": math.nan}, {"variance": 0.2, "seed": -1}):
        with pytest.raises(InvalidInstanceError, match=next(reversed(arguments))):
            misestimate(inst, **arguments)
    with pytest.raises(TypeError, match="Instance"):
        misestimate(inst.jobs, 0.2)  # type: ignore[arg-type]
    empty = schedcore.Instance(
        Jobs(processing_time=[], demand=np.zeros((0, 1), dtype=np.int64)), inst.machines
    )
    assert misestimate(empty, 0.5).n_jobs == 0
