"""Arguments of a wrong kind: the error names the argument and its value."""

import re
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from engine.refused_calls import MACHINES, ONE, changes_nothing, pq_with_two_running_and_one_waiting
from schedcore import InvalidInstanceError, OnlineScheduler


@pytest.mark.parametrize("wrong", ["3", True, None, [1], 1j, Decimal("sNaN"), np.array([1.0]), np.array("3")])
def test_whoever_names_no_instant_is_told_of_which_argument(wrong: Any) -> None:
    scheduler = pq_with_two_running_and_one_waiting()
    calls: list[tuple[str, Any]] = [
        ("now", lambda: scheduler.advance(wrong)),
        ("now", lambda: scheduler.event(wrong)),
        ("now", lambda: scheduler.submit(ONE, wrong)),
        ("now", lambda: scheduler.submit_one(1.0, [1, 1], wrong)),
        ("now", lambda: scheduler.adopt(ONE, [0], 0, wrong)),
        ("now", lambda: scheduler.complete([0], wrong)),
        ("now", lambda: scheduler.cancel([0], wrong)),
        ("now", lambda: scheduler.hold([2], wrong)),
        ("now", lambda: scheduler.release([2], wrong)),
        ("now", lambda: scheduler.requeue([0], wrong)),
        ("now", lambda: scheduler.update([0], wrong, remaining_time=1)),
        ("now", lambda: scheduler.fail_machines([0], wrong)),
        ("now", lambda: scheduler.repair_machines([0], wrong)),
        ("now", lambda: scheduler.close([0], wrong)),
        ("now", lambda: scheduler.open([0], wrong)),
        ("now", lambda: scheduler.remove_machines([0], wrong)),
        ("now", lambda: scheduler.add_machines(MACHINES, wrong)),
        ("now", lambda: scheduler.set_capacity(0, [4, 4], wrong)),
        ("now", lambda: scheduler.announce_outage(0, 5, 6, wrong)),
        ("start", lambda: scheduler.announce_outage(0, wrong, 6, 2)),
        ("end", lambda: scheduler.announce_outage(0, 5, wrong, 2)),
        ("now", lambda: scheduler.reserve([1, 1], 5, 6, wrong)),
        ("start", lambda: scheduler.reserve([1, 1], wrong, 6, 2)),
        ("end", lambda: scheduler.reserve([1, 1], 5, wrong, 2)),
        ("now", lambda: scheduler.cancel_reservation(0, wrong)),
    ]
    for name, call in calls:
        with changes_nothing(
            scheduler, TypeError, f"^{name} must be a number, not {re.escape(repr(wrong))}$"
        ):
            call()


@pytest.mark.parametrize("wrong", ["x", 1.5, None, True, [0]])
def test_a_reservation_is_named_by_its_number(wrong: Any) -> None:
    scheduler = pq_with_two_running_and_one_waiting()
    message = f"^reservation must be an integer, not {re.escape(repr(wrong))}$"
    with changes_nothing(scheduler, TypeError, message):
        scheduler.cancel_reservation(wrong, 2)
    if wrong is not None:  # which is none
        with changes_nothing(scheduler, TypeError, message):
            scheduler.submit(ONE, 2, reservation=wrong)


@pytest.mark.parametrize("wrong", [1.5, None, "x", [1], True, np.True_, np.array([1]), np.ma.masked])
def test_a_machine_is_named_by_its_index(wrong: Any) -> None:
    scheduler = pq_with_two_running_and_one_waiting()
    message = f"^machine must be an integer, not {re.escape(repr(wrong))}$"
    with changes_nothing(scheduler, InvalidInstanceError, message):
        scheduler.set_capacity(wrong, [4, 4], 2)
    with changes_nothing(scheduler, InvalidInstanceError, message):
        scheduler.announce_outage(wrong, 5, 6, 2)


@pytest.mark.parametrize("number", [-1, 2, 2**63, 2**64, -(2**70)])
def test_a_machine_that_cannot_be_there_is_named(number: int) -> None:
    scheduler = pq_with_two_running_and_one_waiting()
    with changes_nothing(scheduler, InvalidInstanceError, f"^machine {number} is not there"):
        scheduler.set_capacity(number, [4, 4], 2)
    with changes_nothing(scheduler, InvalidInstanceError, f"^machine {number} is not there"):
        scheduler.announce_outage(number, 5, 6, 2)


@pytest.mark.parametrize("wrong", [None, "x", 5, [1]])
def test_what_is_loaded_is_bytes(wrong: Any) -> None:
    with pytest.raises(TypeError, match=f"^data must be bytes, not {re.escape(repr(wrong))}$"):
        OnlineScheduler.load(wrong)
