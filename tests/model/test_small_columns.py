"""Few plain numbers take a short way to a column; it leads to the same jobs, or to the same message."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from schedcore import Jobs
from schedcore.model import small_columns

numbers = st.one_of(
    st.integers(-2, 5),
    st.floats(-1, 5),
    st.sampled_from(
        [-0.0, 0.0, float("inf"), float("nan"), 2**53, 2**53 + 1, 2**64, -(2**63), True, None, "1", np.int64(3),
         np.float32(0.1), 1e308, 5e-324]
    ),
)  # fmt: skip
few = st.lists(numbers, max_size=3)
floats = st.lists(st.sampled_from([1.0, 2.5, 0.0, -0.0, -1.0, float("nan"), float("inf")]), max_size=3)
columns = st.one_of(few, few.map(tuple), numbers, floats.map(np.array))
matrices = st.one_of(
    st.lists(st.lists(numbers, max_size=2), max_size=3),
    st.lists(st.tuples(st.integers(0, 3)), max_size=3).map(tuple),
    st.lists(st.lists(st.integers(-1, 3), min_size=2, max_size=2), min_size=1, max_size=3).map(np.array),
)


@contextmanager
def only_the_ordinary_way() -> Iterator[None]:
    few_then = small_columns._FEW
    small_columns._FEW = -1
    try:
        yield
    finally:
        small_columns._FEW = few_then


def outcome(arguments: dict[str, Any]) -> tuple[Any, ...]:
    """The columns bit by bit, or the message."""
    try:
        jobs = Jobs(**arguments)
    except Exception as error:  # whatever it is, it has to be the same
        return type(error), str(error)
    arrays = [getattr(jobs, name) for name in jobs._fields if not name.startswith("has_")]
    return tuple((a.dtype, a.shape, a.tobytes(), a.flags.writeable) for a in arrays)


@given(
    processing_time=columns,
    demand=matrices,
    release_time=columns,
    weight=columns,
    estimate=st.none() | columns,
    ids=st.none() | few | st.lists(st.sampled_from([0, 1, 7, 2**63 - 1, 2**63]), max_size=3),
    resolution=st.sampled_from([None, None, 10]),
)
@example([1.0], [[1]], 0, 1, None, None, None)
@example([1.0, 2], ((1, 2), (3, 4)), [0.0, -0.0], [1, 0], [2.0, 0.5], [9, 3], None)
@example(np.array([1.0]), np.array([[1]]), np.array([-0.0]), 0, None, [2**63 - 1], None)
def test_the_short_way_and_the_ordinary_way_agree(
    processing_time: Any,
    demand: Any,
    release_time: Any,
    weight: Any,
    estimate: Any,
    ids: Any,
    resolution: Any,
) -> None:
    arguments = {
        "processing_time": processing_time,
        "demand": demand,
        "release_time": release_time,
        "weight": weight,
        "estimated_processing_time": estimate,
        "id": ids,
        "resolution": resolution,
    }
    short = outcome(arguments)
    with only_the_ordinary_way():
        assert outcome(arguments) == short


@pytest.mark.parametrize("n_jobs", [1, 2, 16, 17, 100])
def test_the_number_of_jobs_makes_no_difference(n_jobs: int) -> None:
    jobs = Jobs([1.5] * n_jobs, [[3, 2]] * n_jobs, 0, 2, id=list(range(n_jobs)))
    assert jobs[:1] == Jobs([1.5], [[3, 2]], weight=2)
    assert jobs.n_jobs == n_jobs


def test_a_short_read_only_column_is_kept_and_a_writable_one_copied() -> None:
    column, matrix = np.array([1.0]), np.array([[1]])
    jobs = Jobs(column, matrix)
    column[0], matrix[0, 0] = 5.0, 5
    assert (jobs.processing_time.tolist(), jobs.demand.tolist()) == ([1.0], [[1]])
    column.setflags(write=False)
    assert np.shares_memory(Jobs(column, matrix).processing_time, column)
