"""The stand-in for jobs of parallel tasks has the distributions that it promises, and varies only what it must."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from example_shares import examples
from parallel_task_cases import same_jobs
from schedcore import InvalidInstanceError, ParallelTaskInstance
from schedcore.workloads import (
    at_time_zero,
    draw_placements,
    first_jobs,
    generate,
    generate_from_text,
    load,
    offered_load,
    parallel_task_standin,
    restrict_machines,
)

SEEDS = st.integers(0, 2**64 - 1)


@pytest.fixture(scope="module")
def large() -> ParallelTaskInstance:
    return parallel_task_standin(100_000, 200, 1)


def shares(column: np.ndarray, *values: float) -> list[float]:
    return [float(np.mean(column <= value)) for value in values]


def test_numbers_of_tasks_are_bounded_pareto_with_a_mean_of_about_ten(large: ParallelTaskInstance) -> None:
    count = np.diff(large.task_start)
    assert count.min() >= 2
    assert count.max() == 200
    assert count.mean() == pytest.approx(10, rel=0.1)
    # P(N <= k) = P(X < k + 1) = (1 - (2 / (k + 1))^0.92) / (1 - (2 / 201)^0.92)
    expected = [(1 - (2 / (k + 1)) ** 0.92) / (1 - (2 / 201) ** 0.92) for k in (2, 5, 20, 100)]
    assert shares(count, 2, 5, 20, 100) == pytest.approx(expected, abs=0.005)


def test_sizes_are_lognormal_within_bounds_and_mostly_shared(large: ParallelTaskInstance) -> None:
    size, first = large.demand[:, 0], large.task_start[:-1]
    assert size.min() >= 1000
    assert size.max() == 900_000
    # Sizes relative to the median 0.1: quantiles of exp(z).
    assert np.median(size[first]) == pytest.approx(100_000, rel=0.02)
    assert np.quantile(size[first], 0.1587) == pytest.approx(100_000 / math.e, rel=0.03)
    assert np.quantile(size[first], 0.8413) == pytest.approx(100_000 * math.e, rel=0.03)
    least, most = np.minimum.reduceat(size, first), np.maximum.reduceat(size, first)
    assert np.mean(least == most) == pytest.approx(0.8, abs=0.02)  # and a few that were clipped
    assert (most <= np.ceil(least * (1.25 / 0.8))).all()


def test_durations_are_lognormal_around_that_of_the_job(large: ParallelTaskInstance) -> None:
    time, first = large.placement_time, large.task_start[:-1]
    assert time.min() >= 1
    assert time.max() == 36_000
    spread = math.hypot(1.2, 0.3)
    assert np.median(time[first]) == pytest.approx(300, rel=0.03)
    assert np.quantile(time[first], 0.8413) == pytest.approx(300 * math.exp(spread), rel=0.03)
    ratio = np.log(time[first] / time[first + 1])  # of the first two tasks: normal with sigma 0.3 sqrt(2)
    assert ratio[time[first] > 100].std() == pytest.approx(0.3 * math.sqrt(2), rel=0.05)


def test_machines_are_uniform_and_priorities_have_their_shares(large: ParallelTaskInstance) -> None:
    assert large.single_machine
    assert large.placement_local.all()
    per_machine = np.bincount(large.placement_machine, minlength=200)
    assert per_machine.min() > 0.9 * per_machine.mean()
    assert per_machine.max() < 1.1 * per_machine.mean()
    weight = parallel_task_standin(100_000, 200, 1, weights="priority").weight
    percent = np.array([10, 8, 10, 5, 25, 4, 6, 5, 8, 15, 3, 1])
    assert np.bincount(weight.astype(int) - 1) / 1000 == pytest.approx(percent, abs=0.5)


def test_random_weights_are_uniform(large: ParallelTaskInstance) -> None:
    weight = parallel_task_standin(100_000, 200, 1, weights="random").weight
    assert weight.min() > 0
    assert weight.max() < 1
    assert np.quantile(weight, [0.1, 0.5, 0.9]) == pytest.approx([0.1, 0.5, 0.9], abs=0.01)
    assert (large.weight == 1).all()


@pytest.mark.parametrize("share", [0.3, 0.8, 1.2])
def test_the_offered_load_is_the_load_that_was_asked_for(share: float) -> None:
    inst = parallel_task_standin(20_000, 20, 3, load=share)
    assert offered_load(inst)[0] == pytest.approx(share, rel=0.02)
    gaps = np.diff(inst.release_time)
    assert inst.release_time[0] == 0
    assert (gaps >= 0).all()
    assert gaps.std() == pytest.approx(gaps.mean(), rel=0.05)  # as of an exponential variable


@given(SEEDS)
@examples(20)
def test_whatever_is_varied_the_jobs_stay(seed: int) -> None:
    inst = parallel_task_standin(12, 5, seed)
    others = [
        parallel_task_standin(12, 5, seed, weights="random"),
        parallel_task_standin(12, 5, seed, weights="priority"),
        parallel_task_standin(12, 5, seed, load=None),
        parallel_task_standin(12, 5, seed, load=2),
        parallel_task_standin(12, 9, seed),
        *(
            parallel_task_standin(12, 5, seed, placement="local_remote", n_local=n, remote_penalty=alpha)
            for n, alpha in ((1, 1.25), (3, 2), (5, 4))
        ),
    ]
    assert all(same_jobs(inst, other) for other in others)
    np.testing.assert_array_equal(others[0].release_time, inst.release_time)
    np.testing.assert_array_equal(others[-1].release_time, inst.release_time)
    assert not others[2].release_time.any()
    np.testing.assert_array_equal(others[0].placement_machine, inst.placement_machine)
    longer = parallel_task_standin(20, 5, seed)
    assert same_jobs(at_time_zero(first_jobs(longer, 12)), inst)


def test_the_same_seed_gives_the_same_bits_on_every_platform() -> None:
    inst = parallel_task_standin(
        50, 8, 7, placement="local_remote", remote_penalty=1.5, weights="random", median_size=0.2
    )
    assert inst.content_hash() == "572ded6a2dce2b382654004f80d83964406ec667d4e49655854e39eeb611906b"


def test_a_text_says_integers_numbers_words_and_none() -> None:
    expected = parallel_task_standin(
        9, 4, 2, placement="local_remote", n_local=2, remote_penalty=1.25, load=None, weights="priority"
    )
    text = (
        "parallel_task_standin: n_jobs=9, n_machines=4, seed=2, placement=local_remote, n_local=2,"
        "remote_penalty=1.25, load=none, weights=priority"
    )
    assert generate_from_text(text) == expected
    instance, report = load(text)
    assert instance == expected
    assert report.units == {"time": "s", "memory": "1/1,000,000 machine"}
    assert report.n_jobs == 9
    assert report.capacity == {"memory": 4_000_000}
    arguments = {"n_jobs": 9, "n_machines": 4, "seed": 2}
    assert generate("parallel_task_standin", **arguments, load="none").release_time.sum() == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("load=much", "'load=much' is not parameter=number"),
        ("n_local=2.5", "'n_local=2.5' is not parameter=integer"),
        ("load=0", "load = 0.0 must be finite and above 0"),
        ("weights=heavy", "heavy"),
        ("placement=anywhere", "anywhere"),
        ("placement=local_remote,n_local=5", "n_local = 5 must be at least 1 and at most 4"),
        ("placement=local_remote,remote_penalty=0.5", r"remote_penalty = 0.5 is outside \[1, 1,000,000\]"),
        ("median_size=1.5", "median_size = 1.5 is outside"),
        ("capacity=10", "capacity = 10 must be at least 1000"),
    ],
)
def test_an_argument_out_of_range_is_named(arguments: str, words: str) -> None:
    with pytest.raises(InvalidInstanceError, match=words):
        generate_from_text(f"parallel_task_standin:n_jobs=9,n_machines=4,seed=2,{arguments}")


def test_no_jobs_make_an_empty_instance() -> None:
    for placement in ("single", "local_remote"):
        inst = parallel_task_standin(0, 4, 1, placement=placement)  # type: ignore[arg-type]
        assert inst.n_jobs == inst.n_tasks == 0
        assert restrict_machines(inst, 1).n_tasks == 0
        assert draw_placements(inst, 1).n_tasks == 0
