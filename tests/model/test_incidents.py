"""Failures and cancellations are values, checked alone and against an instance."""

import math
import pickle
from typing import Any

import pytest

from schedcore import Incidents, Instance, InvalidInstanceError, Jobs, Machines, Outages

FAILURES = Outages([1], [3], [math.inf])


def test_they_are_read_back() -> None:
    some = Incidents(FAILURES, {7: 2.5, 3: 0}, "drop")
    assert some.failures is FAILURES
    assert dict(some.cancellations) == {3: 0.0, 7: 2.5}
    assert some.killed == "drop"
    ids, times = some.cancellation_columns()
    assert (ids.tolist(), times.tolist()) == ([3, 7], [0.0, 2.5])
    assert repr(some) == "Incidents(1 failures, 2 cancellations, killed='drop')"
    assert repr(Incidents()) == "Incidents(0 failures, 0 cancellations, killed='requeue')"


def test_they_cannot_be_changed_and_compare_by_value() -> None:
    given = {7: 2.5, 3: 0}
    some = Incidents(FAILURES, given)
    given[8] = 1
    assert list(some.cancellations) == [3, 7]
    with pytest.raises(TypeError):
        some.cancellations[8] = 1.0  # type: ignore[index]
    assert some == Incidents(FAILURES, {3: 0.0, 7: 2.5}, "requeue")
    assert pickle.loads(pickle.dumps(some)) == some
    digests = {
        each.content_hash()
        for each in (
            some,
            Incidents(FAILURES),
            Incidents(None, {3: 0, 7: 2.5}),
            Incidents(FAILURES, {3: 0, 7: 2.5}, "drop"),
        )
    }
    assert len(digests) == 4


def test_no_failures_are_none() -> None:
    assert Incidents(Outages([], [], []), {}) == Incidents()
    assert Incidents().failures is None


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"killed": "requeu"}, InvalidInstanceError, "unknown killed 'requeu'; did you mean 'requeue'"),
        ({"killed": None}, InvalidInstanceError, "unknown killed None"),
        ({"failures": [(0, 1, 2)]}, TypeError, "failures must be an Outages, not list"),
        ({"cancellations": [(0, 1)]}, TypeError, "cancellations must map ids of jobs to times, not be a list"),
        ({"cancellations": {"a": 1}}, TypeError, "cancellations: id must be an integer, not 'a'"),
        ({"cancellations": {True: 1}}, TypeError, "cancellations: id must be an integer, not True"),
        ({"cancellations": {0.5: 1}}, TypeError, "cancellations: id must be an integer, not 0.5"),
        ({"cancellations": {-1: 1}}, InvalidInstanceError, "cancellations: id = -1 must be at least 0"),
        ({"cancellations": {0: -1}}, InvalidInstanceError, r"cancellations\[0\] = -1 must be finite and at least 0"),
        ({"cancellations": {0: math.inf}}, InvalidInstanceError, r"cancellations\[0\] = inf must be finite"),
        ({"cancellations": {0: math.nan}}, InvalidInstanceError, r"cancellations\[0\] = nan must be finite"),
        ({"cancellations": {0: "now"}}, TypeError, r"cancellations\[0\] must be a number, not 'now'"),
    ],
)  # fmt: skip
def test_bad_incidents_are_refused_by_name(arguments: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        Incidents(**arguments)


def test_machines_and_jobs_are_those_of_an_instance() -> None:
    instance = Instance(Jobs([1, 1], [[1], [1]], id=[5, 6]), Machines.identical(2, [1]))
    Incidents(FAILURES, {6: 1}).check_for(instance)
    Incidents().check_for(instance)
    with pytest.raises(InvalidInstanceError, match="cancellations name id 1, which no job has"):
        Incidents(None, {5: 1, 1: 1}).check_for(instance)
    with pytest.raises(
        InvalidInstanceError, match=r"machine\[0\] = 1 \(outage 0\) must be at least 0 and below 1"
    ):
        Incidents(FAILURES).check_for(instance.replace(machines=Machines([[1]])))
