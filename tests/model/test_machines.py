"""Machines hold an exact capacity matrix with named resources."""

import numpy as np
import pytest

from schedcore import InvalidInstanceError, Machines


def test_identical_machines_equal_the_matrix_of_equal_rows() -> None:
    m = Machines.identical(3, [10, 20])
    assert m == Machines([[10, 20]] * 3)
    assert (m.n_machines, m.n_resources, len(m), m.are_identical) == (3, 2, 3, True)
    assert m.resource_names == ("resource_0", "resource_1")
    assert not Machines([[1], [2]]).are_identical


def test_names_and_resolution_reach_the_matrix() -> None:
    m = Machines.identical(2, [1.0, 0.5], ["cpu", "memory"], resolution=100)
    assert m.capacity.tolist() == [[100, 50]] * 2
    assert m.resource_names == ("cpu", "memory")
    assert repr(m) == "Machines(2 identical, cpu: 100, memory: 50)"
    assert repr(Machines([[1, 3], [2, 3]])) == "Machines(2, resource_0: 1..2, resource_1: 3)"


def test_capacity_is_read_only_and_not_shared_with_a_writable_input() -> None:
    given = np.array([[1, 2]])
    m = Machines(given)
    given[:] = 9
    assert m.capacity.tolist() == [[1, 2]]
    with pytest.raises(ValueError, match="read-only"):
        m.capacity[0, 0] = 3
    with pytest.raises(AttributeError, match="immutable"):
        m.capacity = given


def test_a_capacity_may_be_zero() -> None:
    assert Machines([[0, 1]]).capacity.tolist() == [[0, 1]]


@pytest.mark.parametrize("capacity", [[], [[]], np.empty((0, 3), dtype=np.int64)])
def test_there_is_at_least_one_machine_and_one_resource(capacity: object) -> None:
    with pytest.raises(InvalidInstanceError, match="capacity"):
        Machines(capacity)


def test_wrong_shapes_are_refused() -> None:
    with pytest.raises(InvalidInstanceError, match=r"shape \(n_machines, n_resources\), not \(2,\)"):
        Machines([1, 2])
    with pytest.raises(InvalidInstanceError, match=r"shape \(n_resources,\), not \(1, 2\)"):
        Machines.identical(2, [[1, 2]])
    with pytest.raises(InvalidInstanceError, match=r"capacity is ragged: capacity\[1\]"):
        Machines([[1, 2], [3]])


@pytest.mark.parametrize("number", [0, -3])
def test_the_number_of_machines_is_positive(number: int) -> None:
    with pytest.raises(InvalidInstanceError, match=f"n_machines = {number} must be at least 1"):
        Machines.identical(number, [1])


def test_the_number_of_machines_is_an_integer() -> None:
    with pytest.raises(TypeError):
        Machines.identical(2.0, [1])


@pytest.mark.parametrize(
    ("names", "error"),
    [
        (["cpu"], InvalidInstanceError),
        (["cpu", "cpu"], InvalidInstanceError),
        (["cpu", ""], TypeError),
        (["cpu", 3], TypeError),
        ("ab", InvalidInstanceError),
    ],
)
def test_bad_resource_names_are_refused(names: object, error: type[Exception]) -> None:
    with pytest.raises(error, match="resource_names"):
        Machines([[1, 2]], names)
