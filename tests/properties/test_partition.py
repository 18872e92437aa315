"""What is proven of spreading tasks over machines, and what must not change when names, units or machines do."""

import copy
import math
import pickle
from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import schedcore
from reference import list_scheduling as reference

few_sizes = st.lists(st.integers(1, 8) | st.integers(1, 60), max_size=8)
few_machines = st.integers(1, 3)
speeds = st.lists(st.integers(1, 6), min_size=1, max_size=3)
sizes = st.lists(st.integers(0, 20) | st.integers(0, 10**6), max_size=50)
floats = st.lists(st.floats(0, 1000) | st.sampled_from([0.1, 0.2, 0.3, 5e-324, 1e300]), max_size=30)
METHODS = ("lpt", "multifit", "best")


def spread(
    size: list[int], machines: int, speed: list[int] | None = None, **options: object
) -> schedcore.TaskPartition:
    return schedcore.partition(size, machines, speed, **{"work_limit": 3000} | options)  # type: ignore[arg-type]


def value(size: list[int], found: schedcore.TaskPartition, speed: list[int]) -> Fraction:
    return reference.makespan(size, speed, found.machine.tolist())


@given(few_sizes, few_machines)
def test_lpt_is_within_four_thirds_of_the_optimum(size: list[int], m: int) -> None:
    found = value(size, spread(size, m, method="lpt"), [1] * m)
    assert found <= (Fraction(4, 3) - Fraction(1, 3 * m)) * reference.optimum(size, [1] * m)


@given(few_sizes, few_machines)
def test_multifit_is_within_thirteen_elevenths_of_the_optimum(size: list[int], m: int) -> None:
    found = value(size, spread(size, m, method="multifit"), [1] * m)
    assert found <= math.ceil(Fraction(13, 11) * reference.optimum(size, [1] * m))


@given(few_sizes, speeds)
def test_unequal_speeds_keep_their_ratios(size: list[int], speed: list[int]) -> None:
    best = reference.optimum(size, speed)
    m = len(speed)
    assert value(size, spread(size, m, speed, method="lpt"), speed) <= Fraction(2 * m, m + 1) * best
    multifit = value(size, spread(size, m, speed, method="multifit"), speed)
    assert multifit <= Fraction(7, 5) * best + Fraction(1, max(speed))


@given(few_sizes, speeds, st.sampled_from(METHODS))
def test_lower_bound_never_exceeds_the_optimum(size: list[int], speed: list[int], method: str) -> None:
    found = spread(size, len(speed), speed, method=method)
    best = reference.optimum(size, speed)
    assert found.lower_bound <= float(best) <= found.makespan
    assert not found.is_optimal or value(size, found, speed) == best


@given(sizes, st.integers(1, 12))
def test_another_machine_never_makes_lpt_longer(size: list[int], m: int) -> None:
    assert spread(size, m + 1, method="lpt").makespan <= spread(size, m, method="lpt").makespan


@given(sizes, st.integers(1, 10) | speeds, st.integers(0, 5000))
def test_best_is_no_worse_than_lpt_and_multifit(
    size: list[int], machines: int | list[int], work: int
) -> None:
    speed = [1] * machines if isinstance(machines, int) else machines
    found = spread(size, len(speed), speed, work_limit=work)
    for method in ("lpt", "multifit"):
        other = spread(size, len(speed), speed, method=method)
        assert value(size, found, speed) <= value(size, other, speed)
        assert other.work == 0


@given(sizes, speeds, st.sampled_from(METHODS))
def test_every_task_has_one_machine_and_the_bound_is_below_the_makespan(
    size: list[int], speed: list[int], method: str
) -> None:
    found = spread(size, len(speed), speed, method=method)
    assert found.machine.dtype == np.int64
    assert sorted(np.concatenate(found.groups()).tolist()) == list(range(len(size)))
    assert found.lower_bound <= found.makespan
    assert found.ratio() >= 1


@given(sizes, speeds, st.sampled_from(METHODS), st.integers(1, 1000), st.integers(1, 1000))
def test_scaling_times_or_speeds_keeps_the_assignment(
    size: list[int], speed: list[int], method: str, longer: int, faster: int
) -> None:
    found = spread(size, len(speed), speed, method=method)
    scaled = spread(size, len(speed), [faster * one for one in speed], method=method)
    assert scaled.machine.tolist() == found.machine.tolist()
    if method == "lpt":  # the search of MULTIFIT runs over whole units, so its grid would be another one
        scaled = spread([longer * one for one in size], len(speed), speed, method=method)
        assert scaled.machine.tolist() == found.machine.tolist()


@given(sizes, st.integers(1, 8), st.sampled_from(METHODS), st.randoms(use_true_random=False))
def test_order_of_the_tasks_does_not_change_the_loads(
    size: list[int], m: int, method: str, random: object
) -> None:
    found = spread(size, m, method=method)
    shuffled = list(size)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert spread(shuffled, m, method=method).load.tolist() == found.load.tolist()


@given(sizes, speeds, st.sampled_from(METHODS))
def test_floats_of_whole_values_are_spread_as_the_integers(
    size: list[int], speed: list[int], method: str
) -> None:
    reals = schedcore.partition(
        np.array(size, float), len(speed), np.array(speed, float), method, 3000, gap=0
    )
    assert reals == spread(size, len(speed), speed, method=method, gap=0)


@given(floats, st.integers(1, 6), st.sampled_from(METHODS))
def test_figures_of_floats_are_exact_sums_of_the_times_themselves(
    times: list[float], m: int, method: str
) -> None:
    found = schedcore.partition(times, m, method=method, work_limit=1000)
    sums = [math.fsum(times[j] for j in group) for group in found.groups()]
    assert found.load.tolist() == sums
    assert found.makespan == max(sums)
    assert max([*times, 0.0]) <= found.lower_bound or found.lower_bound < found.makespan
    assert found.lower_bound <= found.makespan
    if found.is_optimal:  # then they are equal as exact numbers, of which the bound is rounded down
        assert found.lower_bound >= math.nextafter(found.makespan, 0)
        assert found.gap() == 0


@given(sizes, speeds)
def test_partitions_compare_pickle_and_copy_by_content(size: list[int], speed: list[int]) -> None:
    found = spread(size, len(speed), speed)
    assert (
        pickle.loads(pickle.dumps(found)) == found == copy.deepcopy(found) == spread(size, len(speed), speed)
    )
    assert hash(found) == hash(spread(size, len(speed), speed))
