"""`schedcore.knapsack` at its boundary: what it refuses, how it is watched and interrupted."""

import signal
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import schedcore
from schedcore import InvalidInstanceError, UnsupportedError

NAN, INF = float("nan"), float("inf")


def proportional(n_items: int) -> tuple[Any, Any, int]:
    """Weights equal to large even sizes, an odd capacity: no set fills it, no bound decides an item."""
    size = 2 * np.random.default_rng(1).integers(10**9, 2 * 10**9, n_items)
    return size.astype(np.float64), size, int(size.sum() // 2) | 1


@pytest.mark.parametrize(
    ("weight", "size", "capacity", "message"),
    [
        ([1, 0], [1, 1], 1, r"weight\[1\] = 0 must be positive and finite"),
        ([1.0, NAN], [1, 1], 1, r"weight\[1\] = nan must be positive and finite"),
        ([1, 1], [1, -2], 1, r"size\[1\] = -2 must be positive and finite"),
        ([1, 1], [1.0, INF], 1, r"size\[1\] = inf must be positive and finite"),
        ([1], [1, 2], 1, r"weight has 1 entries, size has 2"),
        ([[1]], [1], 1, r"weight has shape \(1, 1\)"),
        ([1], [2**63], 1, r"size\[0\] = 9223372036854775808 exceeds 2\*\*63 - 1"),
        ([2**53 + 1], [1], 1, r"weight\[0\] = 9007199254740993 exceeds 2\*\*53"),
        ([1], [2**60], 1.5, r"size\[0\] = 1152921504606846976 exceeds 2\*\*53 and needs an integer capacity"),
        ([1], [1], -1, r"capacity = -1 must not be negative"),
        ([1], [1], -0.5, r"capacity = -0.5 must not be negative"),
        ([1], [1], NAN, r"capacity = nan must be finite"),
        ([1], [1], 2**63, r"capacity = 9223372036854775808 exceeds 2\*\*63 - 1"),
    ],
)
def test_bad_items_are_named_with_value_and_bound(
    weight: Any, size: Any, capacity: Any, message: str
) -> None:
    with pytest.raises(InvalidInstanceError, match=message):
        schedcore.knapsack(weight, size, capacity)


def test_unknown_method_is_refused_with_the_close_matches() -> None:
    with pytest.raises(InvalidInstanceError, match=r"'exat'; did you mean 'exact'"):
        schedcore.knapsack([1], [1], 1, method="exat")


@pytest.mark.parametrize("method", ["exact", "cadp", "greedy", "greedy_union", "greedy_prefix"])
def test_epsilon_is_checked_with_every_method(method: str) -> None:
    with pytest.raises(InvalidInstanceError, match=r"epsilon = 1\.5 must lie strictly between 0 and 1"):
        schedcore.knapsack([1], [1], 1, method, epsilon=1.5)
    assert schedcore.knapsack([1], [1], 1, method, epsilon=(1, 3)).tolist() == [0]


@pytest.mark.parametrize("method", ["exact", "cadp", "greedy", "greedy_union", "greedy_prefix"])
def test_no_items_give_an_empty_int64_array(method: str) -> None:
    chosen = schedcore.knapsack([], [], 5, method)
    assert chosen.dtype == np.int64
    assert chosen.shape == (0,)


def test_memory_limit_is_an_error_that_names_items_bytes_and_alternatives() -> None:
    figures = (
        r"knapsack of 600 items: .* at least \d+ bytes, memory_limit is 1000000; use .*greedy_union.*epsilon"
    )
    with pytest.raises(UnsupportedError, match=figures):
        schedcore.knapsack(*proportional(600), memory_limit=1_000_000)


@pytest.mark.parametrize("n_items", [20_000, 64_000])
@pytest.mark.parametrize("relation", ["equal", "noisy", "rounded", "real"])
def test_hopeless_weights_are_refused_early(n_items: int, relation: str) -> None:
    random = np.random.default_rng(n_items)
    size = random.integers(2**44, 2**45, n_items)
    weight = {
        "equal": size,
        "noisy": size + random.integers(1, 30, n_items),
        "rounded": np.rint(size * 0.37),
        "real": size * 0.731,
    }[relation]
    decided = 0

    def watch(done: int, total: int) -> None:
        nonlocal decided
        decided = max(decided, done)

    figures = rf"knapsack of {n_items} items: .* \d+ bytes, memory_limit is 1073741824; use .*greedy_union"
    with pytest.raises(UnsupportedError, match=figures):
        schedcore.knapsack(weight, size, int(size.sum() // 2), progress=watch)
    assert decided < 1000


def test_interrupt_ends_a_running_knapsack_within_a_second() -> None:
    items = proportional(600)

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    previous = signal.signal(signal.SIGPROF, interrupt)
    try:
        began = time.process_time()
        signal.setitimer(signal.ITIMER_PROF, 0.3)  # of the processor's time, whoever else uses it
        with pytest.raises(KeyboardInterrupt):
            schedcore.knapsack(*items, memory_limit=1 << 33)
        assert time.process_time() - began < 1.3
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, previous)


def test_exception_of_the_progress_callback_ends_the_knapsack() -> None:
    def stop(done: int, total: int) -> None:
        assert 0 <= done <= total
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        schedcore.knapsack(*proportional(600), progress=stop)


def test_threads_may_share_the_same_items() -> None:
    random = np.random.default_rng(2)
    weight, size = random.integers(1, 100, 2000), random.integers(1, 10**9, 2000)
    alone = schedcore.knapsack(weight, size, 10**11).tolist()
    with ThreadPoolExecutor(4) as threads:
        runs = threads.map(lambda _: schedcore.knapsack(weight, size, 10**11).tolist(), range(8))
    assert all(chosen == alone for chosen in runs)
