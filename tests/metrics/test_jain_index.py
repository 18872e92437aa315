"""Jain's index of fairness: examples by hand, and what it does not depend on."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedcore import InvalidInstanceError
from schedcore.metrics import jain_index

SHARES = st.lists(st.floats(0, 1e300), min_size=1, max_size=20)


def test_examples_by_hand() -> None:
    assert jain_index([3, 3, 3]) == 1
    assert jain_index([0, 5, 0, 0]) == 0.25
    assert jain_index([1, 2]) == pytest.approx(9 / 10)  # (1 + 2)^2 / (2 (1 + 4))
    assert jain_index([0, 0]) == jain_index([]) == 1


@given(shares=SHARES, exponent=st.integers(-1000, 20))
def test_it_lies_between_one_part_and_one_whatever_the_unit(shares: list[float], exponent: int) -> None:
    index = jain_index(shares)
    assert (1 - 1e-12) / len(shares) <= index <= 1
    scaled = [math.ldexp(share, exponent) for share in shares]
    if all(share == 0 or each >= 1e-200 for share, each in zip(shares, scaled, strict=True)):
        assert jain_index(scaled) == pytest.approx(index, rel=1e-12)


@given(shares=SHARES)
def test_it_does_not_depend_on_the_order(shares: list[float]) -> None:
    assert jain_index(shares[::-1]) == jain_index(shares)


@pytest.mark.parametrize("wrong", [-1.0, math.nan, math.inf])
def test_what_is_no_share_is_refused_by_name(wrong: float) -> None:
    with pytest.raises(InvalidInstanceError, match=r"shares\[1\]"):
        jain_index([1.0, wrong])
