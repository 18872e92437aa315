"""The compiled LPT and MULTIFIT put every task where their references put it, on machines of any speeds."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import schedcore
from reference import list_scheduling as reference

sizes = st.lists(st.integers(0, 3) | st.integers(0, 50) | st.integers(0, 2**55), max_size=40)
speeds = st.lists(st.integers(1, 3) | st.integers(1, 1000) | st.just(2**57 + 1), min_size=1, max_size=8)
equal_speeds = st.integers(1, 12).map(lambda k: [1] * k)


@given(sizes, equal_speeds | speeds)
def test_lpt_equals_its_reference(size: list[int], speed: list[int]) -> None:
    found = schedcore.partition(size, len(speed), speed, method="lpt")
    assert found.machine.tolist() == reference.longest_first(size, speed)


@given(sizes, equal_speeds | speeds)
def test_multifit_equals_its_reference(size: list[int], speed: list[int]) -> None:
    found = schedcore.partition(size, len(speed), speed, method="multifit")
    assert found.machine.tolist() == reference.multifit(size, speed)


@given(sizes, equal_speeds | speeds)
def test_figures_are_those_of_the_assignment_computed_in_fractions(size: list[int], speed: list[int]) -> None:
    found = schedcore.partition(size, len(speed), speed, work_limit=2000)
    machine = found.machine.tolist()
    assert found.makespan == float(reference.makespan(size, speed, machine))
    load = [sum(size[j] for j in range(len(size)) if machine[j] == k) for k in range(len(speed))]
    assert found.load.tolist() == [float(one) for one in load]
    assert found.completion_time.max() == found.makespan
    for k, group in enumerate(found.groups()):
        assert group.tolist() == found.tasks_of(k).tolist() == np.flatnonzero(found.machine == k).tolist()


@given(st.lists(st.integers(0, 12), max_size=7), st.lists(st.integers(1, 4), min_size=1, max_size=3))
def test_best_is_optimal_on_small_instances(size: list[int], speed: list[int]) -> None:
    found = schedcore.partition(size, len(speed), speed, work_limit=50_000)
    assert found.makespan == float(reference.optimum(size, speed))
    if len(set(speed)) == 1:
        assert found.is_optimal
