"""SynchPack-1: its objective, its guarantee, its options and what it refuses."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import schedcore
from algorithms.fraction_instances import UNIT, Drawn, drawn_fractions, instance_of
from example_shares import examples
from schedcore import synchpack1

EXAMPLE_D = instance_of(
    [(1, [([6], {0: 2, 1: 4})]), (2, [([6], {0: 2})]), (1, [([8], {0: 4})]), (1, [([4], {0: 4})])],
    [[10], [10]],
)
FRACTIONS_D = [
    (0, 0, 0, 1, UNIT // 2), (0, 0, 1, 2, UNIT // 2), (1, 0, 0, 1, UNIT),
    (2, 0, 0, 2, UNIT // 4), (2, 0, 0, 3, 3 * UNIT // 4), (3, 0, 0, 3, UNIT),
]  # fmt: skip


@pytest.mark.parametrize(("lam", "value"), [(1, 24), (0.75, 64 / 3), (0.25, 34), (0.5, 24)])
def test_the_objective_of_every_lambda(lam: float, value: float) -> None:
    result = synchpack1(EXAMPLE_D, lp_solution=FRACTIONS_D, lam=lam, shift=False)
    assert result.value == pytest.approx(value)


def pieces_of(result: schedcore.ParallelTaskResult) -> list[tuple[int, int, float, float]]:
    plan = result.schedule
    assert isinstance(plan, schedcore.PreemptiveSchedule)
    columns = (plan.job, plan.machine, plan.start_time, plan.end_time)
    return list(zip(*(column.tolist() for column in columns), strict=True))


def test_the_cap_of_the_paper_goes_on_after_the_job_should_be_complete() -> None:
    # Example B: 0.6 on machine 0 in interval 1 and 0.4 on machine 1 in interval 3, lambda 1/2; S1 is [0, 3) and [3, 7).
    inst = instance_of([(1, [([5], {0: 5, 1: 10})])], [[10], [10]])
    rows = [(0, 0, 0, 1, 600_000_000), (0, 0, 1, 3, 400_000_000)]
    by_task = synchpack1(inst, lp_solution=rows, lam=0.5, shift=False)
    literal = synchpack1(inst, lp_solution=rows, lam=0.5, shift=False, cap="machine")
    assert pieces_of(by_task) == [(0, 0, 0, 5)]
    assert pieces_of(literal) == [(0, 0, 0, 3), (0, 1, 6, 10)]
    assert schedcore.validate(inst, literal.schedule, kind="migrate").ok


@examples(40)
@given(drawn_fractions(), st.sampled_from([1.0, 0.5, 0.1]))
def test_the_objective_is_within_the_guarantee_of_the_proven_bound(case: Drawn, epsilon: float) -> None:
    result = synchpack1(case.instance, epsilon=epsilon)
    factor = Fraction(4 if case.instance.single_machine else 6) * (1 + Fraction(repr(epsilon)))
    assert result.guarantee == pytest.approx(float(factor), rel=1e-15)
    assert result.guarantee is not None
    assert Fraction(result.guarantee) >= factor
    ratio = result.ratio()
    assert ratio is not None
    assert 1 <= ratio <= result.guarantee
    assert result.stats["lp_status"] == "optimal"


def test_a_random_lambda_is_a_function_of_the_seed() -> None:
    result = schedcore.solve("synchpack1", EXAMPLE_D, lam="random", seed=1)
    again = schedcore.solve("synchpack1", EXAMPLE_D, lam="random", seed=1)
    # The first number of SplitMix64 with seed 1 is 10451216379200822465.
    assert result.stats["lambda"] == math.sqrt((10451216379200822465 >> 11) * 2.0**-53)
    assert result.value == again.value
    assert result.guarantee is None


@pytest.mark.parametrize("shift", [False, True])
def test_the_slowest_motion_still_processes_every_task_whole(shift: bool) -> None:
    result = synchpack1(EXAMPLE_D, lp_solution=FRACTIONS_D, lam=1e-9, shift=shift)
    assert schedcore.validate(EXAMPLE_D, result.schedule, kind="migrate").ok
