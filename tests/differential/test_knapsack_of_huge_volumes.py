"""MRIS chooses its batches by exact volumes, however large its integers are.

Times and demands near 2^53 make volumes of 106 bits and more, of which doubles keep the first 53. The
candidates here differ in the others.
"""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from differential.against_reference import KNAPSACKS, assert_equals_reference
from schedcore import Instance, Jobs, Machines, solve

LARGEST = 2**53
EPSILONS = st.sampled_from([Fraction(1, 10), Fraction(1, 2), Fraction(1, 7)])


@st.composite
def crowds(draw: st.DrawFn) -> tuple[Instance, float]:
    """Some 46 to 90 candidates of the first knapsack, which has room for a part of them; and gamma_0."""
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    n_jobs = draw(st.integers(46, 90))
    n_resources = draw(st.sampled_from([1, 2, 5]))
    n_machines = draw(st.integers(1, 40))
    below = draw(st.sampled_from([2, 1000, 2**30, LARGEST - 1]))
    gamma0 = draw(st.sampled_from([float(LARGEST), 2.0**53 - 1, 2.0**40 + 1 / 3, 3.1]))
    longest = int(gamma0)
    processing_time = longest - random.integers(0, min(below, longest - 1), n_jobs)
    demand = LARGEST - random.integers(0, below, (n_jobs, n_resources))
    weight = random.integers(1, draw(st.sampled_from([2, 4, 30])), n_jobs)
    jobs = Jobs(processing_time.astype(np.float64), demand, weight=weight.astype(np.float64))
    return Instance(jobs, Machines.identical(n_machines, [LARGEST] * n_resources)), gamma0


@pytest.mark.parametrize("knapsack", KNAPSACKS)
@given(case=crowds(), epsilon=EPSILONS)
def test_batches_of_huge_volumes_equal_the_reference(
    knapsack: str, case: tuple[Instance, float], epsilon: Fraction
) -> None:
    instance, gamma0 = case
    assert_equals_reference(
        "mris", instance, knapsack=knapsack, placement="nobackfill", epsilon=epsilon, gamma0=gamma0
    )


@pytest.mark.parametrize(("knapsack", "overflowing"), [("exact", []), ("greedy_union", [1])])
def test_a_difference_below_the_last_digit_of_a_double_decides(knapsack: str, overflowing: list[int]) -> None:
    # 64 jobs as large as a machine, 32 machines for a batch. The even jobs are smaller by one unit of demand, 2^53
    # in a volume of 2^106: of equal weights they are the better choice.
    even = np.arange(64) % 2 == 0
    demand = np.where(even, LARGEST - 1, LARGEST)[:, None]
    instance = Instance(Jobs(np.full(64, float(LARGEST)), demand), Machines.identical(32, [LARGEST]))
    result = solve("mris", instance, knapsack=knapsack, gamma0=float(LARGEST))
    chosen = result.stats["iterations"][0]["chosen"]
    assert list(chosen) == sorted([*range(0, 64, 2), *overflowing])
