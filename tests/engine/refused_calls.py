"""Calls of an embedded scheduler that are refused: each changes nothing, as its snapshots say."""

import pickle
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from schedcore import Jobs, Machines, OnlineScheduler

MACHINES = Machines.identical(2, [4, 4])
ONE = Jobs([2.0], [[1, 1]])
THREE = Jobs([2.0, 3.0, 4.0], [[4, 1], [4, 1], [4, 1]])


@contextmanager
def changes_nothing(scheduler: OnlineScheduler, error: type[Exception], match: str) -> Iterator[None]:
    before = pickle.dumps(scheduler)
    with pytest.raises(error, match=match):
        yield
    assert pickle.dumps(scheduler) == before


def pq_with_two_running_and_one_waiting(**options: Any) -> OnlineScheduler:
    scheduler = OnlineScheduler("pq", MACHINES, **options)
    scheduler.submit(THREE, 1)
    assert [start.id for start in scheduler.advance(1).starts] == [0, 1]
    return scheduler
