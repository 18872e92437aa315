"""Lists of ids, a list a row, whatever they are handed over as."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedcore import InvalidInstanceError
from schedcore.model import IntegerLists

WHAT = "ids of jobs"


def lists(rows: object, n_rows: int) -> IntegerLists:
    return IntegerLists.of(rows, "after_ok", n_rows, what=WHAT)


@given(st.lists(st.none() | st.lists(st.integers(0, 2**63 - 1), max_size=3), max_size=6), st.data())
def test_rows_are_given_back(rows: list[list[int] | None], data: st.DataObject) -> None:
    made = lists(rows, len(rows))
    assert made.rows == tuple(tuple(row or ()) for row in rows)
    assert made.row_of_value.tolist() == [index for index, row in enumerate(rows) for _ in row or ()]
    assert pickle.loads(pickle.dumps(made)) == made
    assert lists(made.cells(), len(rows)) == made
    assert lists(made, len(rows)) == made
    chosen = data.draw(st.lists(st.sampled_from(range(len(rows))), max_size=4) if rows else st.just([]))
    assert made.take(np.array(chosen, dtype=np.intp)).rows == tuple(made.rows[row] for row in chosen)


@pytest.mark.parametrize(
    "convert",
    [
        list,
        tuple,
        pd.Series,
        pl.Series,
        pa.array,
        lambda rows: [None if row is None else np.array(row, dtype=np.uint8) for row in rows],
        lambda rows: [None if row is None else set(row) for row in rows],
        lambda rows: [None if row is None else [np.int64(entry) for entry in row] for row in rows],
        lambda rows: [None if row is None else iter(row) for row in rows],
        lambda rows: [None if row is None else pa.array(row, pa.int64()) for row in rows],
    ],
)
def test_every_form_of_rows_gives_the_same_lists(convert) -> None:
    rows = [[1, 2], None, [], [7]]
    assert lists(convert(rows), 4).rows == ((1, 2), (), (), (7,))
    assert lists(np.array([[1, 2], [3, 4]]), 2).rows == ((1, 2), (3, 4))


def test_sets_are_sorted() -> None:
    assert lists([{9, 1, 5}, frozenset([3, 2])], 2).rows == ((1, 5, 9), (2, 3))


@pytest.mark.parametrize(
    ("rows", "error", "message"),
    [
        ([[0], 1], TypeError, r"after_ok\[1\] = 1 \(job 1\) must be None or hold ids of jobs"),
        ([[0], "12"], TypeError, r"after_ok\[1\] = '12' \(job 1\)"),
        ([[0], {1: 2}], TypeError, r"after_ok\[1\] = \{1: 2\} \(job 1\)"),
        ([[0], [1.0]], TypeError, r"after_ok\[1\] \(job 1\) names 1\.0; ids of jobs are integers"),
        ([[0], [True]], TypeError, r"names True; ids of jobs are integers"),
        ([[0], {"a", 1}], TypeError, "names 'a'"),
        ([[0], [None]], TypeError, "names None"),
        ([[0], [-1]], InvalidInstanceError, r"after_ok\[1\] \(job 1\) names -1; ids of jobs are at least 0"),
        ([[0], [2**63]], InvalidInstanceError, rf"names {2**63}; ids of jobs"),
        ([[0]], InvalidInstanceError, "after_ok has 1 entries for 2 jobs"),
        ([0, 1], TypeError, r"after_ok\[0\] = 0 \(job 0\)"),
        (3, TypeError, "after_ok must be a column"),
        ("ab", TypeError, "after_ok must be a column"),
        ({0: [1]}, TypeError, "after_ok must be a column"),
    ],
)
def test_what_are_no_lists_of_ids_is_refused(rows: object, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        lists(rows, 2)


@pytest.mark.parametrize(
    ("offsets", "values"), [([], []), ([1, 2], [0, 1]), ([0, 1], [0, 1]), ([0, 2, 1, 2], [0, 1])]
)
def test_offsets_say_where_lists_begin(offsets: list[int], values: list[int]) -> None:
    with pytest.raises(InvalidInstanceError, match="offsets must go from 0"):
        IntegerLists(offsets, values)
