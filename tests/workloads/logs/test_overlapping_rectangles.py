"""Two rectangles overlap exactly if comparing every pair finds two that do."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedcore.workloads.logs.overlapping_rectangles import overlapping_pair

Rectangle = tuple[int, int, int, int]  # first number, last number, start, end


def pair_of(rectangles: list[Rectangle]) -> tuple[int, int] | None:
    first, last, start, end = np.array(rectangles, dtype=np.int64).reshape(-1, 4).T
    return overlapping_pair(first, last, start.astype(np.float64), end.astype(np.float64))


def overlap(one: Rectangle, other: Rectangle) -> bool:
    return one[0] <= other[1] and other[0] <= one[1] and one[2] < other[3] and other[2] < one[3]


@st.composite
def rectangle(draw: st.DrawFn, largest: int) -> Rectangle:
    first, start = draw(st.integers(0, largest)), draw(st.integers(0, 12))
    return first, first + draw(st.integers(0, largest)), start, start + draw(st.integers(1, 6))


@given(st.lists(rectangle(5) | rectangle(40) | rectangle(10**6), max_size=8))
def test_a_pair_is_found_exactly_if_one_of_all_pairs_overlaps(rectangles: list[Rectangle]) -> None:
    found = pair_of(rectangles)
    pairs = [(i, j) for i in range(len(rectangles)) for j in range(i)]
    assert (found is not None) == any(overlap(rectangles[i], rectangles[j]) for i, j in pairs)
    if found is not None:
        i, j = found
        assert i != j
        assert overlap(rectangles[i], rectangles[j])
        assert rectangles[i][2] <= rectangles[j][2]


@pytest.mark.parametrize("width", [1, 7, 64, 100])
def test_rectangles_that_tile_the_plane_only_touch(width: int) -> None:
    # Bands of numbers, cut at different instants, so that all neighbours touch and none overlaps.
    tiles = [
        (width * band, width * band + width - 1, 10 * k + band % 3, 10 * (k + 1) + band % 3)
        for band in range(20)
        for k in range(20)
    ]
    assert pair_of(tiles) is None
    wider = [*tiles[:210], (tiles[210][0], tiles[210][1] + 1, *tiles[210][2:]), *tiles[211:]]
    assert pair_of(wider) is not None
    longer = [*tiles[:210], (*tiles[210][:3], tiles[210][3] + 1), *tiles[211:]]
    assert pair_of(longer) == (210, 211)


def test_without_rectangles_there_is_no_pair() -> None:
    assert pair_of([]) is None
