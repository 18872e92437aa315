"""Worked example of the knapsack subroutines: w = 6 5 4 3 2, v = 50 45 31 30 9, capacity 100."""

import pytest

import schedcore

WEIGHT = [6, 5, 4, 3, 2]
SIZE = [50, 45, 31, 30, 9]
CAPACITY = 100


@pytest.mark.parametrize("number", [int, float])
@pytest.mark.parametrize(
    ("method", "epsilon", "chosen", "weight", "size"),
    [
        ("exact", 0.1, [0, 2, 4], 12, 90),
        # K = 2, scaled sizes 25 22 15 15 4, C = 50
        ("cadp", 0.1, [0, 2, 4], 12, 90),
        # K = 10, scaled sizes 5 4 3 3 0, C = 10
        ("cadp", 0.5, [1, 2, 3, 4], 14, 115),
        # K = 18, scaled sizes 2 2 1 1 0, C = 5
        ("cadp", (9, 10), [0, 1, 2, 4], 17, 135),
        ("greedy_prefix", 0.1, [0, 2, 4], 12, 90),
        ("greedy", 0.1, [0, 1, 2, 3, 4], 20, 165),
        ("greedy_union", 0.1, [0, 1, 2, 4], 17, 135),
    ],
)
def test_knapsack_of_five_items(
    number: type, method: str, epsilon: float, chosen: list[int], weight: int, size: int
) -> None:
    items = schedcore.knapsack(WEIGHT, [number(v) for v in SIZE], number(CAPACITY), method, epsilon)
    assert items.tolist() == chosen
    assert sum(WEIGHT[i] for i in items) == weight
    assert sum(SIZE[i] for i in items) == size
