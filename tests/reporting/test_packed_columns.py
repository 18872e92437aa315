"""Columns inside a page: exact, in as few bytes as they need."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from reporting.packed import unpacked
from schedcore.reporting.packed_columns import PackedColumns

VALUES = st.one_of(
    st.just(float("nan")),
    st.integers(0, 2**33).map(float),
    st.sampled_from([0.0, 254.0, 255.0, 256.0, 65534.0, 65535.0, 2.0**32 - 2, 2.0**32 - 1, -1.0, 0.5]),
    st.floats(allow_infinity=False),
)


@given(st.lists(arrays(np.float64, st.integers(0, 20), elements=VALUES), max_size=5))
def test_columns_come_back_as_they_were(columns: list[NDArray[np.float64]]) -> None:
    packed = PackedColumns()
    places = [packed.add(column) for column in columns]
    found = unpacked(packed.packed())
    for place, column in zip(places, columns, strict=True):
        np.testing.assert_array_equal(found[place], column)


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([0, 255], "u1"), ([0, 255, np.nan], "u2"), ([256], "u2"), ([65535, np.nan], "u4"), ([2**32 - 2], "u4"),
        ([2**32], "f8"), ([0.5], "f8"), ([-1], "f8"), ([], "u1"), ([np.nan], "u1"),
    ],
)  # fmt: skip
def test_whole_numbers_take_the_fewest_bytes(values: list[float], kind: str) -> None:
    packed = PackedColumns()
    packed.add(np.array(values, dtype=np.float64))
    assert packed.packed()["columns"][0]["kind"] == kind


def test_equal_columns_are_kept_once() -> None:
    packed = PackedColumns()
    assert packed.add(np.array([1, 2])) == packed.add(np.array([1.0, 2.0])) == 0
    assert packed.add(np.array([1, 3])) == 1
    assert len(packed.packed()["columns"]) == 2
