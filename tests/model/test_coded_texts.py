"""Columns of texts are codes into distinct names, in whatever form they came."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedcore import InvalidInstanceError
from schedcore.model import CodedTexts

texts = st.lists(st.none() | st.sampled_from(["ann", "bob", "cem", "", "ü"]), max_size=12)


@given(texts, st.data())
def test_codes_and_names_give_the_texts_back(values: list[str | None], data: st.DataObject) -> None:
    coded = CodedTexts.of(values, "user", len(values))
    assert coded.texts().tolist() == [value or None for value in values]
    assert coded.codes.dtype == np.int32
    assert list(coded.names) == list(dict.fromkeys(value for value in values if value))
    assert pickle.loads(pickle.dumps(coded)) == coded
    rows = data.draw(st.lists(st.integers(0, max(0, len(values) - 1)), max_size=8) if values else st.just([]))
    some = coded.take(np.array(rows, dtype=np.intp))
    assert some == CodedTexts.of([values[row] for row in rows], "user", len(rows))
    assert CodedTexts(coded.codes, coded.names) == coded


@pytest.mark.parametrize(
    "convert",
    [
        list,
        tuple,
        lambda v: np.array(v, dtype=object),
        pd.Series,
        lambda v: pd.Series(v, dtype="string"),
        lambda v: pd.Series(v).astype("category"),
        pl.Series,
        pa.array,
        lambda v: pa.array(v).dictionary_encode(),
        lambda v: pa.chunked_array([v[:1], v[1:]]),
    ],
)
def test_every_form_of_column_gives_the_same_texts(convert) -> None:
    values = ["bob", None, "ann", "bob"]
    assert CodedTexts.of(convert(values), "user", 4) == CodedTexts.of(values, "user", 4)


def test_texts_of_numpy_become_str() -> None:
    coded = CodedTexts.of(np.array(["b", "", "b"]), "user", 3)
    assert (coded.codes.tolist(), coded.names) == ([0, -1, 0], ("b",))
    assert {type(name) for name in CodedTexts.of([np.str_("b")], "user", 1).names} == {str}


def test_one_text_is_repeated() -> None:
    assert CodedTexts.of("ann", "user", 3).texts().tolist() == ["ann"] * 3
    assert CodedTexts.of(None, "user", 2).codes.tolist() == [-1, -1]


def test_missing_texts_read_as_asked_for() -> None:
    coded = CodedTexts.of([None, "a"], "constraint", 2)
    assert coded.texts("").tolist() == ["", "a"]
    assert coded.texts().tolist() == [None, "a"]
    assert coded.texts() is coded.texts()
    assert not coded.texts().flags.writeable


@pytest.mark.parametrize(
    ("values", "error", "message"),
    [
        (["a", 3], TypeError, r"user\[1\] = 3 \(job 1\) must be a str or None"),
        (["a", b"b"], TypeError, r"user\[1\] = b'b' \(job 1\)"),
        (["a", ["b"]], TypeError, r"user\[1\] = \['b'\] \(job 1\)"),
        ([True, "a"], TypeError, r"user\[0\] = True \(job 0\)"),
        ([1.5, "a"], TypeError, r"user\[0\] = 1.5 \(job 0\)"),
        (["a"], InvalidInstanceError, "user has 1 entries for 2 jobs"),
        (np.array([["a", "b"]]), InvalidInstanceError, r"user must have one dimension, not shape \(1, 2\)"),
        ({"a": 1, "b": 2}, TypeError, "user must be a column such as a list or an array, not dict"),
        ({"a", "b"}, TypeError, "not set"),
        (7, TypeError, "not int"),
        (["a", "\ud800"], InvalidInstanceError, "no Unicode text"),
    ],
)
def test_what_is_no_column_of_texts_is_refused(values, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        CodedTexts.of(values, "user", 2)


def test_masked_texts_are_refused() -> None:
    masked = np.ma.array(["a", "b"], mask=[False, True])
    with pytest.raises(InvalidInstanceError, match=r"user\[1\] is masked"):
        CodedTexts.of(masked, "user", 2)


@pytest.mark.parametrize(
    ("codes", "names", "error"),
    [
        ([0, 2], ["a", "b"], InvalidInstanceError),
        ([-2], ["a"], InvalidInstanceError),
        ([0], ["a", "a"], InvalidInstanceError),
        ([0], [""], InvalidInstanceError),
        ([0], [3], TypeError),
        ([0.5], ["a"], TypeError),
    ],
)
def test_bad_codes_are_refused(codes: list, names: list, error: type[Exception]) -> None:
    with pytest.raises(error):
        CodedTexts(codes, names)


def test_names_that_no_row_has_do_not_count() -> None:
    assert CodedTexts([2, 0, 2], ["a", "b", "c"]) == CodedTexts.of(["c", "a", "c"], "user")
    assert CodedTexts.of(["c", "a", "b"], "user").mapped({"a": "", "b": "c"}) == CodedTexts.of(
        ["c", None, "c"], "user"
    )
