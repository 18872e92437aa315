"""The portable functions are those of exact arithmetic, up to the last digits of a double."""

import statistics
from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedcore.workloads.draws.portable_functions import exponential, logarithm, normal_quantile


@given(st.lists(st.floats(1e-300, 1e300), min_size=1, max_size=20))
def test_logarithms_are_those_of_exact_arithmetic(values: list[float]) -> None:
    with localcontext() as context:
        context.prec = 40
        for x, found in zip(values, logarithm(np.array(values)), strict=True):
            exact = Decimal(x).ln()
            assert abs(Decimal(float(found)) - exact) <= Decimal("1e-15") * abs(exact)


@given(st.lists(st.floats(-600, 600), min_size=1, max_size=20))
def test_exponentials_are_those_of_exact_arithmetic(values: list[float]) -> None:
    with localcontext() as context:
        context.prec = 40
        for x, found in zip(values, exponential(np.array(values)), strict=True):
            exact = Decimal(x).exp()
            assert abs(Decimal(float(found)) - exact) <= Decimal("1e-15") * exact


@given(st.lists(st.floats(2.0**-53, 1 - 2.0**-53), min_size=1, max_size=20))
def test_normal_quantiles_are_those_of_the_standard_library(values: list[float]) -> None:
    expected = [statistics.NormalDist().inv_cdf(p) for p in values]
    assert normal_quantile(np.array(values)).tolist() == pytest.approx(expected, rel=1e-14, abs=1e-15)
