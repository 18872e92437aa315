"""Amounts are exact int64 units; real amounts are converted once and by one rule."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedcore import InvalidInstanceError, Jobs, Machines

BOUND = 2**53


def units(values: object, resolution: object = None) -> np.ndarray:
    return Jobs(np.ones(len(values)), values, resolution=resolution).demand


def test_ten_tenths_fill_one() -> None:
    tenths = units([[0.1]] * 10, 1_000_000)
    assert tenths.sum() == Machines([[1.0]], resolution=1_000_000).capacity[0, 0] == 1_000_000


def test_the_last_bits_of_a_sum_are_forgiven_and_a_whole_unit_is_not() -> None:
    assert units([[0.1 + 0.2]], 10).tolist() == [[3]]
    assert units([[0.3 - 2**-54]], 10).tolist() == [[3]]
    assert units([[0.2999]], 10).tolist() == [[2]]
    assert units([[1.0 + 2**-52]], 1_000_000).tolist() == [[1_000_000]]


def test_a_tiny_demand_is_one_unit_and_zero_is_zero() -> None:
    assert units([[1e-300, 0.0, 5e-324]], 1_000_000).tolist() == [[1, 0, 1]]


@given(st.floats(0.0, 1.0), st.integers(1, BOUND))
def test_a_demand_equal_to_the_capacity_fits(amount: float, resolution: int) -> None:
    demand = units([[amount]], resolution)
    capacity = Machines([[amount]], resolution=resolution).capacity
    assert demand.tolist() == capacity.tolist()


@given(st.floats(0.0, 1.0), st.integers(1, 10**9))
def test_units_follow_the_rule(amount: float, resolution: int) -> None:
    value = units([[amount]], resolution)[0, 0]
    assert 0 <= value <= resolution
    assert (value > 0) == (amount > 0)
    if value > 1:  # rounded down, up to the allowance and one rounding of the product
        exact = Fraction(amount) * resolution
        assert -Fraction(1, 10**5) <= exact - int(value) < 1


@given(st.integers(1, 1000), st.sampled_from([1000, 10**6, 10**9]))
def test_k_demands_of_one_kth_fit_together(k: int, resolution: int) -> None:
    assert units([[1.0 / k]] * k, resolution).sum() <= resolution


def test_integers_are_used_as_they_are() -> None:
    for dtype in (np.int8, np.int32, np.int64, np.uint16, np.uint64):
        assert units(np.array([[1, 100]], dtype=dtype)).tolist() == [[1, 100]]
    assert units([[1, 2]], 1000).tolist() == [[1, 2]]
    assert units([[BOUND]]).tolist() == [[BOUND]]


@pytest.mark.parametrize("value", [-1, BOUND + 1, 2**63, 2**64 - 1, 2**64, -(2**63), -(2**70)])
def test_integers_outside_the_bounds_are_refused_by_name(value: int) -> None:
    with pytest.raises(
        InvalidInstanceError, match=rf"demand\[1, 0\] = {value} \(job 1, resource 0\) is outside \[0, 2\*\*53"
    ):
        units([[1, 1], [value, 1]])
    with pytest.raises(InvalidInstanceError, match=rf"capacity\[1, 0\] = {value} \(machine 1, resource 0\)"):
        Machines([[1, 1], [value, 1]])


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -0.25])
def test_real_amounts_outside_the_bounds_are_refused_by_name(value: float) -> None:
    for resolution in (None, 1000):
        with pytest.raises(
            InvalidInstanceError, match=rf"demand\[0, 1\] = {value} \(job 0, resource 1\) must be"
        ):
            units([[0.5, value]], resolution)


@pytest.mark.parametrize("value", [1e300, 2.0**60])
def test_real_amounts_of_too_many_units_are_refused(value: float) -> None:
    with pytest.raises(
        InvalidInstanceError, match=r"demand\[0, 0\] = .* times resolution 1000 exceeds 2\*\*53"
    ):
        units([[value]], 1000)
    with pytest.raises(InvalidInstanceError, match="exceeds"):
        units([[1e308]], BOUND)


def test_real_amounts_need_a_resolution() -> None:
    with pytest.raises(
        InvalidInstanceError, match=r"demand\[0, 0\] = 0\.5 .* is a float; .* resolution=1_000_000"
    ):
        units([[0.5]])
    with pytest.raises(InvalidInstanceError, match=r"capacity\[0, 0\] = 1\.0 .* is a float"):
        Machines([[1.0]])


@pytest.mark.parametrize("resolution", [0, -1, BOUND + 1])
def test_resolutions_outside_the_bounds_are_refused(resolution: int) -> None:
    with pytest.raises(InvalidInstanceError, match=f"resolution = {resolution} is outside"):
        units([[0.5]], resolution)


@pytest.mark.parametrize("resolution", [True, 1e6, "1000"])
def test_a_resolution_is_an_integer(resolution: object) -> None:
    with pytest.raises(TypeError):
        units([[0.5]], resolution)


def test_float32_amounts_are_converted_exactly() -> None:
    assert units(np.array([[0.5, 0.25]], dtype=np.float32), 1000).tolist() == [[500, 250]]


def test_long_doubles_are_a_type_error() -> None:
    if np.dtype(np.longdouble) == np.float64:
        pytest.skip("long double is double here")
    with pytest.raises(TypeError, match="demand must hold"):
        units(np.array([[0.5]], dtype=np.longdouble), 1000)
