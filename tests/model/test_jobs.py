"""Jobs hold exactly what they were given, in whatever form it came, or say which value they refuse."""

import copy
import pickle
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from schedcore import InvalidInstanceError, Jobs

BOUND = 2**53


def jobs(**changes: object) -> Jobs:
    arguments = {"processing_time": [4, 1, 2], "demand": [[10, 2], [5, 5], [4, 6]]}
    return Jobs(**{**arguments, **changes})


def test_defaults_are_filled_in() -> None:
    j = jobs()
    assert (j.n_jobs, j.n_resources, len(j)) == (3, 2, 3)
    assert j.release_time.tolist() == [0.0] * 3
    assert j.weight.tolist() == [1.0] * 3
    assert j.id.tolist() == [0, 1, 2]
    assert j.estimated_processing_time is j.processing_time
    assert not j.has_estimates
    assert (j.demand.dtype, j.id.dtype, j.weight.dtype) == (np.int64, np.int64, np.float64)


@pytest.mark.parametrize(
    "convert", [list, tuple, np.array, pd.Series, pl.Series, pa.array, lambda x: np.array(x, dtype=np.uint8)]
)
def test_every_form_of_column_gives_the_same_jobs(convert) -> None:
    given = jobs(
        processing_time=convert([4, 1, 2]),
        release_time=convert([0, 1, 1]),
        weight=convert([1, 3, 2]),
        id=convert([7, 8, 9]),
        estimated_processing_time=convert([5, 5, 5]),
    )
    assert given == jobs(
        release_time=[0, 1, 1], weight=[1, 3, 2], id=[7, 8, 9], estimated_processing_time=[5, 5, 5]
    )


@pytest.mark.parametrize("convert", [np.array, np.asfortranarray, pd.DataFrame, pl.DataFrame])
def test_every_form_of_demand_matrix_gives_the_same_jobs(convert) -> None:
    rows = [[10, 2], [5, 5], [4, 6]]
    frame = convert(rows) if convert is not pl.DataFrame else pl.DataFrame(rows, orient="row")
    assert jobs(demand=frame) == jobs()
    assert jobs(demand=np.array(rows, dtype=object)) == jobs()


def test_columns_are_read_only() -> None:
    j = jobs()
    for name in ("processing_time", "demand", "release_time", "weight", "estimated_processing_time", "id"):
        column = getattr(j, name)
        assert column.flags.c_contiguous
        with pytest.raises(ValueError, match="read-only"):
            column[0] = 1
    with pytest.raises(AttributeError, match="immutable"):
        j.weight = j.release_time
    with pytest.raises(AttributeError, match="immutable"):
        del j.weight


def test_a_later_write_to_the_callers_arrays_does_not_reach_the_jobs() -> None:
    times, demand = np.array([1.0, 2.0]), np.array([[1], [2]])
    j = Jobs(times, demand)
    times[:], demand[:] = 9, 9
    assert j.processing_time.tolist() == [1.0, 2.0]
    assert j.demand.tolist() == [[1], [2]]


def test_read_only_arrays_of_the_right_type_are_not_copied() -> None:
    times, demand = np.array([1.0, 2.0]), np.array([[1], [2]])
    times.setflags(write=False)
    demand.setflags(write=False)
    arrow = pa.array([3, 4], type=pa.int64())
    j = Jobs(times, demand, id=arrow)
    assert np.shares_memory(j.processing_time, times)
    assert np.shares_memory(j.demand, demand)
    assert np.shares_memory(j.id, arrow.to_numpy())


def test_negative_zero_becomes_zero() -> None:
    assert not np.signbit(jobs(release_time=-0.0).release_time).any()
    assert jobs(release_time=[-0.0, 0.0, 1.0]) == jobs(release_time=[0, 0, 1])


def test_integer_times_up_to_two_to_the_53_are_exact() -> None:
    j = jobs(processing_time=[BOUND, 1, 2], release_time=[BOUND - 1, 0, 0])
    assert [int(p) for p in j.processing_time] == [BOUND, 1, 2]
    assert int(j.release_time[0]) == BOUND - 1


def test_float_times_above_two_to_the_53_are_what_they_are() -> None:
    assert jobs(processing_time=[1e300, 1.0, 2.0]).processing_time[0] == 1e300


@pytest.mark.parametrize("name", ["processing_time", "release_time", "weight", "estimated_processing_time"])
@pytest.mark.parametrize(
    ("value", "message"),
    [
        (float("nan"), "nan"),
        (float("inf"), "inf"),
        (-1, r"-1\.0"),
        (-1e-9, "-1e-09"),
        (BOUND + 1, str(BOUND + 1)),
        (2**64 - 1, str(2**64 - 1)),
        (2**70, str(2**70)),
    ],
)
def test_bad_times_and_weights_are_refused_by_name(name: str, value: float, message: str) -> None:
    with pytest.raises(InvalidInstanceError, match=rf"{name}\[1\] = {message}"):
        jobs(**{name: [1, value, 1]})


def test_a_big_integer_among_floats_is_refused_and_not_rounded() -> None:
    with pytest.raises(InvalidInstanceError, match=rf"release_time\[1\] = {BOUND + 1}"):
        jobs(release_time=[0.5, BOUND + 1, 1])
    assert jobs(release_time=[0.5, BOUND, 1e300]).release_time[2] == 1e300


@pytest.mark.parametrize("name", ["processing_time", "estimated_processing_time"])
def test_durations_are_positive(name: str) -> None:
    with pytest.raises(
        InvalidInstanceError, match=rf"{name}\[2\] = 0\.0 \(job 2\) must be finite and above 0"
    ):
        jobs(**{name: [1, 1, 0]})


def test_zero_weights_and_jobs_without_demand_are_stored() -> None:
    j = jobs(weight=[0, 1, 0], demand=[[0, 0], [1, 0], [0, 0]])
    assert j.weight.tolist() == [0.0, 1.0, 0.0]
    assert not j.demand[0].any()


def test_estimates_may_lie_below_the_processing_time() -> None:
    j = jobs(estimated_processing_time=[1, 1, 1])
    assert j.has_estimates
    assert j.estimated_processing_time.tolist() == [1.0, 1.0, 1.0]


@pytest.mark.parametrize("name", ["processing_time", "release_time", "weight", "id", "demand"])
@pytest.mark.parametrize("value", [["a", "b", "c"], [None, None, None], [1j, 1j, 1j], [Fraction(1, 3)] * 3])
def test_what_is_no_number_is_a_type_error(name: str, value: list) -> None:
    with pytest.raises(TypeError, match=f"{name} must hold integers or floats"):
        jobs(**{name: [[v] for v in value] if name == "demand" else value})


@pytest.mark.parametrize("name", ["processing_time", "release_time", "weight", "id", "demand"])
def test_booleans_are_refused(name: str) -> None:
    with pytest.raises(InvalidInstanceError, match=f"{name} holds booleans"):
        jobs(**{name: [[True]] * 3 if name == "demand" else [True, False, True]})


@pytest.mark.parametrize("name", ["release_time", "weight", "estimated_processing_time", "id"])
def test_wrong_lengths_are_refused(name: str) -> None:
    with pytest.raises(InvalidInstanceError, match=f"{name} has 2 entries for 3 jobs"):
        jobs(**{name: [1, 2]})
    with pytest.raises(InvalidInstanceError, match=rf"{name} must have shape \(n_jobs,\), not \(3, 1\)"):
        jobs(**{name: [[1], [2], [3]]})


def test_processing_time_is_a_column() -> None:
    with pytest.raises(InvalidInstanceError, match=r"processing_time must have shape \(n_jobs,\), not \(\)"):
        jobs(processing_time=3)


@pytest.mark.parametrize(
    ("demand", "message"),
    [
        ([[1, 2], [3], [4, 5]], r"demand is ragged: demand\[1\] has 1 entries, demand\[0\] has 2 entries"),
        ([[1, 2], 3, [4, 5]], r"demand is ragged: demand\[1\] has no list of entries"),
        ([[1], [2]], "demand has 2 rows for 3 jobs"),
        ([1, 2, 3], r"demand must have shape \(n_jobs, n_resources\), not \(3,\)"),
        ([[], [], []], "demand has no columns"),
    ],
)
def test_demands_of_the_wrong_shape_are_refused(demand: list, message: str) -> None:
    with pytest.raises(InvalidInstanceError, match=message):
        jobs(demand=demand)


def test_ragged_times_are_refused() -> None:
    with pytest.raises(InvalidInstanceError, match=r"processing_time is ragged: processing_time\[1\]"):
        jobs(processing_time=[1, [2, 3], 4])


@pytest.mark.parametrize(
    ("ids", "message"),
    [
        ([1, 2, 1], r"id\[2\] = 1 repeats id\[0\]"),
        ([1, -2, 3], r"id\[1\] = -2 \(job 1\) is negative"),
        ([1, 2**63, 3], rf"id\[1\] = {2**63} \(job 1\) does not fit into int64"),
    ],
)
def test_bad_identifiers_are_refused(ids: list[int], message: str) -> None:
    with pytest.raises(InvalidInstanceError, match=message):
        jobs(id=ids)


def test_float_identifiers_are_a_type_error() -> None:
    with pytest.raises(TypeError, match="id must hold integers"):
        jobs(id=[0.0, 1.0, 2.0])


@pytest.mark.parametrize("demand", [[], np.empty((0, 5), dtype=np.int64), np.empty((0, 2))])
def test_there_may_be_no_jobs(demand: object) -> None:
    j = Jobs([], demand)
    assert (j.n_jobs, len(j.demand), repr(j)) == (0, 0, "Jobs(0 jobs)")
    assert pickle.loads(pickle.dumps(j)) == j


def test_selection_keeps_identifiers_and_order() -> None:
    j = jobs(id=[10, 20, 30], estimated_processing_time=[9, 8, 7])
    assert j[1:].id.tolist() == [20, 30]
    assert j[[2, 0]].id.tolist() == [30, 10]
    assert j[[2, 0]].demand.tolist() == [[4, 6], [10, 2]]
    assert j[np.array([True, False, True])].estimated_processing_time.tolist() == [9.0, 7.0]
    assert j[[-1]].processing_time.tolist() == [2.0]
    assert len(j[[]]) == 0
    assert j[:] == j
    assert jobs()[:2].estimated_processing_time.tolist() == [4.0, 1.0]


def test_selection_refuses_what_is_no_set_of_jobs() -> None:
    with pytest.raises(InvalidInstanceError, match=r"id\[1\] = 0 repeats id\[0\]"):
        jobs()[[0, 0]]
    with pytest.raises(IndexError):
        jobs()[[3]]
    with pytest.raises(IndexError):
        jobs()[[True, False]]
    with pytest.raises(TypeError, match="select jobs with"):
        jobs()[1]
    with pytest.raises(TypeError, match="not iterable"):
        iter(jobs())


def test_replace_changes_only_what_is_named() -> None:
    j = jobs(id=[10, 20, 30], release_time=[1, 2, 3])
    changed = j.replace(weight=[5, 6, 7])
    assert changed.weight.tolist() == [5.0, 6.0, 7.0]
    assert changed.replace(weight=1) == j
    assert np.shares_memory(changed.demand, j.demand)
    assert j.replace(demand=[[0.5, 0.25]] * 3, resolution=100).demand.tolist() == [[50, 25]] * 3
    with pytest.raises(TypeError):
        j.replace(colour=1)


def test_replaced_processing_times_take_the_default_estimates_along() -> None:
    assert jobs().replace(processing_time=[9, 9, 9]).estimated_processing_time.tolist() == [9.0] * 3
    estimated = jobs(estimated_processing_time=[5, 5, 5]).replace(processing_time=[9, 9, 9])
    assert estimated.estimated_processing_time.tolist() == [5.0] * 3
    assert not estimated.replace(estimated_processing_time=None).has_estimates


def test_repr_is_short() -> None:
    assert repr(jobs()) == "Jobs(3 jobs, 2 resources, release_time 0..0, processing_time 1..4)"


def test_given_identifiers_are_remembered_by_whatever_is_made_of_the_jobs() -> None:
    for given in (True, False):
        j = jobs(id=[10, 20, 30] if given else None)
        references = [
            j,
            j[1:],
            j[[2, 0]],
            j[j.id > 0],
            j.replace(weight=3),
            pickle.loads(pickle.dumps(j)),
            copy.copy(j),
        ]
        assert [reference.has_ids for reference in references] == [given] * len(references)
        assert not j.replace(id=None).has_ids
        assert j.replace(id=[1, 2, 3]).has_ids


def test_equality_asks_what_the_identifiers_are_and_not_who_chose_them() -> None:
    given, default = jobs(id=[0, 1, 2]), jobs()
    assert (given.has_ids, default.has_ids) == (True, False)
    assert given == default
    assert hash(given) == hash(default)
    assert given.content_hash() == default.content_hash()
