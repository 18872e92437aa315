"""Shares and whole cores of one slot: examples, and what is refused by name."""

from typing import Any

import numpy as np
import pytest

from schedcore import InvalidInstanceError
from schedcore.preemptive import fair_shares, whole_cores

SLOT: dict[str, Any] = {"demand": [[9, 36], [18, 6]], "limit": [9, 18], "capacity": [18, 36]}


def test_dominant_shares_of_the_paper() -> None:
    # Tasks of (1 processor, 4 GB) and (3, 1) on (9, 18): three and two. Here on twice that, as many tasks as fit alone.
    np.testing.assert_allclose(fair_shares(**SLOT, rule="drf"), [6, 12], rtol=1e-15)


def test_proportional_fairness_fills_both_resources() -> None:
    # x_0 + 6 x_1 = 6 and 2 x_0 + 6 x_1 ... 9 x_0 + 18 x_1 = 18 and 36 x_0 + 6 x_1 = 36: x_0 = 10/11, x_1 = 6/11
    np.testing.assert_allclose(fair_shares(**SLOT), [90 / 11, 108 / 11], rtol=1e-12)


def test_one_column_and_one_weight_stand_for_cores_and_equal_weights() -> None:
    assert fair_shares([2, 6, 6], [2, 6, 6], [10], weight=3).tolist() == [2, 4, 4]
    assert fair_shares([], [], [10]).tolist() == []
    assert fair_shares([], [], [10, 4], rule="drf").tolist() == []


def test_equal_jobs_have_equal_shares_to_the_last_bit() -> None:
    shares = fair_shares([[3, 2]] * 7 + [[1, 5]] * 4, [3] * 7 + [1] * 4, [10, 11])
    assert len(set(shares[:7].tolist())) == len(set(shares[7:].tolist())) == 1


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"rule": "max_min"}, "rule.*max_min"),
        ({"demand": [[9, 36], [19, 6]]}, r"demand\[1, 0\] = 19 \(job 1\) is above capacity = \[18, 36\]"),
        ({"limit": [10, 18]}, r"demand\[0, 0\] = 9 \(job 0\) is below limit"),
        ({"limit": [0, 18]}, r"limit\[0\] = 0 \(job 0\) must be at least 1"),
        ({"demand": [[9.5, 36], [18, 6]]}, "whole units"),
        ({"capacity": [18]}, "demand has 2 columns, capacity 1"),
        ({"weight": [1, -1]}, r"weight\[1\] = -1.0 \(job 1\) must be finite and at least 0"),
        ({"weight": [1, 2, 3]}, "weight"),
        ({"limit": [9]}, "demand must have shape"),
    ],
)
def test_what_is_no_slot_is_refused_by_name(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInstanceError, match=message):
        fair_shares(**{**SLOT, **changes})


def test_whole_cores_go_to_the_largest_remainders() -> None:
    assert whole_cores([1.5, 1.5, 2.25, 0.75], 6).tolist() == [2, 1, 2, 1]
    assert whole_cores([1.5, 1.5, 2.25, 0.75], 6, [-0.5, 0.5, 1, 0]).tolist() == [1, 2, 3, 0]
    assert whole_cores([1 / 3] * 3, 1).tolist() == [1, 0, 0]
    assert whole_cores([], 1).tolist() == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([1.0, -0.5], 3), r"share\[1\] = -0.5 \(job 1\) must be at least 0 and at most 2\*\*53"),
        (([float("nan")], 3), r"share\[0\] = nan"),
        (([1.0], -1), "total = -1"),
        (([1.0], 3, [float("inf")]), r"owed\[0\] = inf"),
        (([1.0], 3, [0.0, 1.0]), "owed"),
    ],
)
def test_what_are_no_shares_is_refused_by_name(arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(InvalidInstanceError, match=message):
        whole_cores(*arguments)
