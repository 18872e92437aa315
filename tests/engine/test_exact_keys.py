"""Priority keys are compared as the fractions that the doubles are, not as rounded quotients.

The order is observed on one machine that every job fills: with all jobs released at 0, PQ runs them one after the other
in key order.
"""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import schedcore

KEYS = {
    "wsjf": lambda p, w, u: p / w,
    "wsvf": lambda p, w, u: p * u / w,
    "wsdf": lambda p, w, u: u / w,
    "sjf": lambda p, w, u: p,
    "svf": lambda p, w, u: p * u,
    "sdf": lambda p, w, u: u,
}
LARGEST = 2**53


def order(name: str, processing_time: list[float], weight: list[float], demand: list[int]) -> list[int]:
    """Job indices in the order of their starts; the first resource lets one job run at a time."""
    rows = [[LARGEST, amount] for amount in demand]
    machines = schedcore.Machines.identical(1, [LARGEST, LARGEST])
    instance = schedcore.Instance(schedcore.Jobs(processing_time, rows, weight=weight), machines)
    result = schedcore.solve("pq", instance, heuristic=name)
    return np.argsort(result.schedule.start_time, kind="stable").tolist()


def exact_order(name: str, processing_time: list[float], weight: list[float], demand: list[int]) -> list[int]:
    keys = [
        KEYS[name](Fraction(p), Fraction(w), Fraction(LARGEST + d))
        for p, w, d in zip(processing_time, weight, demand, strict=True)
    ]
    return sorted(range(len(keys)), key=keys.__getitem__)


# Times stay within a factor 2^40 of each other, so that every job can start behind all others.
near_the_largest = st.integers(LARGEST - 40, LARGEST).map(float)
amounts = st.integers(LARGEST - 40, LARGEST) | st.integers(0, 40) | st.integers(0, LARGEST)


@pytest.mark.parametrize("name", KEYS)
@given(rows=st.lists(st.tuples(near_the_largest, near_the_largest, amounts), min_size=2, max_size=8))
def test_large_integers_are_ordered_exactly(name: str, rows: list[tuple[float, float, int]]) -> None:
    p, w, d = (list(column) for column in zip(*rows, strict=True))
    assert order(name, p, w, d) == exact_order(name, p, w, d)


@pytest.mark.parametrize("name", KEYS)
@given(
    rows=st.lists(
        st.tuples(
            st.sampled_from([0.1, 0.2, 0.3, 0.7]) | st.floats(0.01, 100.0), st.floats(1e-300, 1e300), amounts
        ),
        min_size=2,
        max_size=8,
    )
)
def test_doubles_count_as_the_fractions_they_are(name: str, rows: list[tuple[float, float, int]]) -> None:
    p, w, d = (list(column) for column in zip(*rows, strict=True))
    assert order(name, p, w, d) == exact_order(name, p, w, d)


@given(
    rows=st.lists(
        st.tuples(st.integers(1, 12), st.integers(1, 12), st.integers(1, 2**40)), min_size=2, max_size=8
    )
)
def test_equal_quotients_are_ties_that_the_index_breaks(rows: list[tuple[int, int, int]]) -> None:
    # scaling time and weight of a job together leaves p / w as it is, in any double
    p = [float(a * scale) for a, _, scale in rows]
    w = [float(b * scale) for _, b, scale in rows]
    assert order("wsjf", p, w, [0] * len(rows)) == exact_order("wsjf", p, w, [0] * len(rows))


def test_quotients_that_one_double_cannot_separate() -> None:
    # (2^53 - 1) / (2^53 - 2) and (2^53 - 2) / (2^53 - 3) differ by 2^-106; both round to 1 + 2^-52 in float64
    a, b, c = float(LARGEST - 1), float(LARGEST - 2), float(LARGEST - 3)
    assert a / b == b / c
    assert order("wsjf", [b, a], [c, b], [0, 0]) == [1, 0]
    assert order("wsjf", [a, b], [b, c], [0, 0]) == [0, 1]


def test_volumes_per_weight_that_117_bits_cannot_separate() -> None:
    # p u / w: p1 u1 w2 and p2 u2 w1 are integers of 160 bits that differ by little; sum of demands u = 2^53 + d
    p = [float(LARGEST - 1), float(LARGEST - 3)]
    w = [float(LARGEST - 5), float(LARGEST - 7)]
    for d in range(0, 12):
        assert order("wsvf", p, w, [3, d]) == exact_order("wsvf", p, w, [3, d])
        assert order("wsvf", p[::-1], w[::-1], [d, 3]) == exact_order("wsvf", p[::-1], w[::-1], [d, 3])


def test_a_tenth_and_two_tenths_are_not_three_tenths() -> None:
    # 0.1 + 0.2 > 0.3 in float64
    assert order("sjf", [0.1 + 0.2, 0.3], [1.0, 1.0], [0, 0]) == [1, 0]
    # 0.3 / 3 < 0.1, since the double 0.3 lies below and the double 0.1 above the decimal
    assert order("wsjf", [0.1, 0.3], [1.0, 3.0], [0, 0]) == [1, 0]
