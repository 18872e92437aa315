"""An epsilon is the fraction that a person would write."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedcore import InvalidInstanceError
from schedcore.model.epsilon import decimal_fraction


@pytest.mark.parametrize(
    ("epsilon", "fraction"),
    [
        (0.1, Fraction(1, 10)),
        (1 / 3, Fraction(1, 3)),
        (np.float64(0.3), Fraction(3, 10)),
        (np.float32(0.5), Fraction(1, 2)),
        (Fraction(2, 7), Fraction(2, 7)),
        ((2, 20), Fraction(1, 10)),
        ((np.int64(9), 10), Fraction(9, 10)),
    ],
)
def test_epsilon_becomes_the_fraction_it_stands_for(epsilon: Any, fraction: Fraction) -> None:
    assert decimal_fraction(epsilon) == fraction


@given(st.fractions(Fraction(1, 1000), Fraction(999, 1000), max_denominator=1000))
def test_short_fractions_survive_the_way_through_float(fraction: Fraction) -> None:
    assert decimal_fraction(float(fraction)) == fraction


@pytest.mark.parametrize("epsilon", [0.0, 1.0, -0.1, 1e-9, float("nan"), float("inf"), 0, 1, (1, 0), (3, 2)])
def test_epsilon_outside_zero_and_one_is_refused(epsilon: Any) -> None:
    with pytest.raises(InvalidInstanceError, match="epsilon"):
        decimal_fraction(epsilon)


def test_denominators_beyond_the_exact_range_are_refused() -> None:
    with pytest.raises(InvalidInstanceError, match=r"above 2\*\*30"):
        decimal_fraction(Fraction(1, 2**30 + 1))


@pytest.mark.parametrize("epsilon", ["0.1", None, True, (0.1, 1), (1, 2, 3)])
def test_other_types_are_type_errors(epsilon: Any) -> None:
    with pytest.raises(TypeError, match="epsilon"):
        decimal_fraction(epsilon)
