"""An instance joins jobs and machines that have the same resources."""

import pytest

from schedcore import Instance, InvalidInstanceError, Jobs, Machines


def test_sizes_are_those_of_its_parts() -> None:
    instance = Instance(jobs=Jobs([1, 2], [[1, 1], [2, 2]]), machines=Machines.identical(3, [4, 5]))
    assert (instance.n_jobs, instance.n_machines, instance.n_resources) == (2, 3, 2)
    assert repr(instance) == "Instance(2 jobs, Machines(3 identical, resource_0: 4, resource_1: 5))"


def test_different_numbers_of_resources_are_refused() -> None:
    with pytest.raises(InvalidInstanceError, match="jobs have 1 resources, machines have 2"):
        Instance(Jobs([1], [[1]]), Machines([[1, 2]]))


def test_no_jobs_agree_with_any_machines() -> None:
    instance = Instance(Jobs([], []), Machines([[1, 2]]))
    assert instance.jobs.demand.shape == (0, 2)
    assert (instance.n_jobs, instance.n_resources) == (0, 2)


def test_a_demand_above_every_capacity_is_stored() -> None:
    assert Instance(Jobs([1], [[9]]), Machines([[1]])).jobs.demand.tolist() == [[9]]


def test_wrong_types_are_a_type_error() -> None:
    with pytest.raises(TypeError, match="jobs must be a Jobs"):
        Instance([[1]], Machines([[1]]))
    with pytest.raises(TypeError, match="machines must be a Machines"):
        Instance(Jobs([1], [[1]]), [[1]])


def test_jobs_are_taken_and_columns_replaced_beside_the_same_machines() -> None:
    machines = Machines([[5], [6]])
    inst = Instance(Jobs([1, 2, 3], [[1], [2], [3]], release_time=[0, 4, 5], id=[7, 8, 9]), machines)
    assert inst.release_time is inst.jobs.release_time
    assert inst.take_jobs([2, 0]) == Instance(inst.jobs[[2, 0]], machines)
    assert inst.take_jobs(slice(3)) == inst.replace() == inst
    later = inst.replace(release_time=[1, 1, 1], machines=Machines([[9]]))
    assert later == Instance(inst.jobs.replace(release_time=1), Machines([[9]]))
    assert later.replace(release_time=inst.release_time, machines=machines) == inst
