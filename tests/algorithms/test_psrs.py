"""PSRS: arrivals, wide tasks, and its ratio on one machine against the optimum."""

from collections.abc import Sequence
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import schedcore
from example_shares import examples
from parallel_task_cases import FOUR_TASKS, pieces, single_tasks
from schedcore.algorithms.parallel_tasks.psrs import psrs


def test_v_is_its_decimal_value() -> None:
    instance = single_tasks(FOUR_TASKS, [[10]])
    assert pieces(psrs(instance, v=Fraction(209, 250))) == pieces(psrs(instance))
    # 6 >= 2 / v first holds for v = 1/3; then the interruption comes just when J2 would fit anyway.
    assert pieces(psrs(instance, v=Fraction(1, 3)))[2] == (2, 0, 0, 10.0, 12.0)
    assert pieces(psrs(instance, v=0.33))[2] == (2, 0, 0, 10.0, 12.0)
    assert pieces(psrs(instance, v=4))[2] == (2, 0, 0, 4.5, 6.5)


@pytest.mark.parametrize("v", [0, -0.5, float("nan"), float("inf"), 1e-9, Fraction(1, 2**40)])
def test_v_outside_its_range_is_refused(v: float | Fraction) -> None:
    with pytest.raises(schedcore.InvalidInstanceError, match="v = "):
        psrs(single_tasks(FOUR_TASKS, [[10]]), v=v)


def test_v_must_be_a_number() -> None:
    for v in ("0.836", True):
        with pytest.raises(TypeError, match="v must be a number"):
            psrs(single_tasks(FOUR_TASKS, [[10]]), v=v)  # type: ignore[arg-type]


def test_an_arrival_makes_the_plan_anew_with_what_remains() -> None:
    # Both need the whole machine. At 1 the ratio of the new one, 1/2, is larger than that of what remains, 1/9; at 8.5
    # it is smaller than 1/1.5, and the first goes on in one piece.
    early = single_tasks([(1.0, 0.0, 0, [2], 10), (1.0, 1.0, 0, [2], 2)], [[2]])
    late = single_tasks([(1.0, 0.0, 0, [2], 10), (1.0, 8.5, 0, [2], 2)], [[2]])
    assert pieces(psrs(early)) == [(0, 0, 0, 0.0, 1.0), (1, 0, 0, 1.0, 3.0), (0, 0, 0, 3.0, 12.0)]
    assert pieces(psrs(late)) == [(0, 0, 0, 0.0, 10.0), (1, 0, 0, 10.0, 12.0)]
    assert psrs(early).guarantee is None


def test_a_wait_begins_anew_with_every_plan() -> None:
    # The wide J2 would interrupt J0 at 4 + 500/209; the arrival at 5 on this machine postpones that to 5 + 500/209,
    # one on another machine does not.
    for machine, start in ((0, 1545 / 209), (1, 1336 / 209)):
        instance = single_tasks([*FOUR_TASKS[:3], (1e-3, 5.0, machine, [1], 1)], [[10], [10]])
        assert [s for job, _, _, s, _ in pieces(psrs(instance)) if job == 2] == [start]


def test_wide_is_more_than_half_of_any_resource() -> None:
    # J1 holds 6 of 10 of the second resource. Half of both is free at 0, room for J1 is there at 9 only.
    rows = [(20.0, 0.0, 0, [1, 5], 9), (1.0, 0.0, 0, [1, 6], 3)]
    result = psrs(single_tasks(rows, [[10, 10]]), v=1.0)
    assert pieces(result) == [(0, 0, 0, 0.0, 3.0), (1, 0, 0, 3.0, 6.0), (0, 0, 0, 6.0, 12.0)]
    assert result.guarantee is None
    # With 6 of 12 it is not wide, and it fits.
    fitting = psrs(single_tasks(rows, [[12, 12]]), v=1.0)
    assert pieces(fitting) == [(0, 0, 0, 0.0, 9.0), (1, 0, 0, 0.0, 3.0)]


def test_release_times_with_too_many_digits_are_refused() -> None:
    with pytest.raises(schedcore.UnsupportedError, match="1e-40"):
        psrs(single_tasks([(1.0, 1e-40, 0, [2], 10)], [[2]]))


@st.composite
def instances(draw: st.DrawFn) -> schedcore.ParallelTaskInstance:
    n_resources, n_machines = draw(st.integers(1, 3)), draw(st.integers(1, 2))
    release = draw(st.sampled_from([st.just(0.0), st.integers(0, 80).map(lambda q: q / 4)]))
    rows = [
        (
            draw(st.sampled_from([1.0, 2.0, 1 / 3, 7.0])),
            draw(release),
            draw(st.integers(0, n_machines - 1)),
            draw(st.lists(st.integers(1, 8), min_size=n_resources, max_size=n_resources)),
            draw(st.integers(1, 12)),
        )
        for _ in range(draw(st.integers(0, 12)))
    ]
    return single_tasks(rows, [[8] * n_resources] * n_machines)


@given(instances())
def test_every_schedule_is_valid(instance: schedcore.ParallelTaskInstance) -> None:
    result = psrs(instance)
    schedcore.validate(instance, result.schedule, kind="preempt", raise_on_error=True)
    if not instance.release_time.any():
        assert result.stats["n_rounded_waits"] == 0
        again = instance.replace(release_time=np.full(instance.n_jobs, 16.0))
        shifted = [(*where, start + 16, end + 16) for *where, start, end in pieces(result)]
        assert np.allclose(np.array(pieces(psrs(again))), np.array(shifted), rtol=0, atol=1e-9)


def preemptive_optimum(jobs: Sequence[tuple[int, int, int]], capacity: int) -> int:
    """The least sum of w C of (weight, demand, processing time) on one machine, slot by slot."""

    @cache
    def cost(left: tuple[int, ...]) -> int:
        unfinished = [i for i, slots in enumerate(left) if slots]
        if not unfinished:
            return 0
        following = []
        for chosen in range(1, 1 << len(unfinished)):
            running = [i for bit, i in enumerate(unfinished) if chosen >> bit & 1]
            if sum(jobs[i][1] for i in running) <= capacity:
                following.append(cost(tuple(slots - (i in running) for i, slots in enumerate(left))))
        return sum(jobs[i][0] for i in unfinished) + min(following)

    return cost(tuple(time for _, _, time in jobs))


@examples(60)
@given(st.lists(st.tuples(st.integers(1, 9), st.integers(1, 10), st.integers(1, 4)), min_size=1, max_size=4))
def test_one_machine_is_within_2_37_of_the_optimum(jobs: list[tuple[int, int, int]]) -> None:
    instance = single_tasks([(float(w), 0.0, 0, [a], p) for w, a, p in jobs], [[10]])
    result = psrs(instance)
    optimum = preemptive_optimum(jobs, 10)
    assert optimum * (1 - 1e-12) <= result.value <= 2.37 * optimum
    assert result.lower_bound is not None
    assert result.lower_bound <= optimum * (1 + 1e-9)
