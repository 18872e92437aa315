"""Snapshots with a right checksum whose advance reservations nobody can have made: each is refused, and says why."""

import struct

import pytest

import schedcore
from boundary.saved_states import parts
from schedcore import InvalidInstanceError, OnlineScheduler

MACHINES = schedcore.Machines([[10], [10]])
BEGIN, END = 1234.5, 2345.25
NUMBER, AT_END, N_SHARES, MACHINE, AMOUNT = -8, 8, 16, 24, 36  # bytes from the begin of a reservation

# One that is recorded has a record of its number and its begin beside it.
WRONG_NUMBER = "a reservation is there twice|a reservation has two numbers"
NO_TIME = "a reservation is over, or begins at no time"


def scheduler_with_reservations(is_decided: bool) -> OnlineScheduler:
    """Reservation 0 of 3 units on machine 0, later reservation 1 of 4 units there and 2 on machine 1."""
    scheduler = OnlineScheduler("easy", MACHINES)
    scheduler.reserve([3], 600.0, 700.0, 1.0, machines=[0])
    scheduler.reserve([[4], [2]], BEGIN, END, 1.0, machines=[0, 1])
    if is_decided:
        scheduler.advance(1.0)
    return scheduler


def refuse(scheduler: OnlineScheduler, changes: dict[int, bytes], message: str) -> None:
    """These bytes at these distances from the begin of reservation 1 are refused, and those there are not."""
    saved = parts(scheduler.save())
    reservation = struct.pack("<qdd", 1, BEGIN, END)
    assert saved.engine.count(reservation) == 1
    place = saved.engine.index(reservation) - NUMBER
    engine = bytearray(saved.engine)
    for distance, changed in changes.items():
        engine[place + distance : place + distance + len(changed)] = changed
    assert engine != saved.engine
    assert OnlineScheduler.load(saved.joined()).save() == saved.joined()
    with pytest.raises(InvalidInstanceError, match=message):
        OnlineScheduler.load(saved._replace(engine=bytes(engine)).joined())


def number(value: int) -> bytes:
    return struct.pack("<q", value)


def instant(value: float) -> bytes:
    return struct.pack("<d", value)


@pytest.mark.parametrize("is_decided", [False, True])
@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({NUMBER: number(-1)}, "a number of a reservation is negative"),
        ({NUMBER: number(0)}, WRONG_NUMBER),
        ({NUMBER: number(2)}, WRONG_NUMBER),
        ({0: instant(END)}, NO_TIME),
        ({0: instant(-1.0)}, NO_TIME),
        ({0: instant(float("nan"))}, "a number is NaN"),
        ({AT_END: instant(float("inf"))}, NO_TIME),
        ({AT_END: instant(float("nan"))}, "a number is NaN"),
        ({0: instant(0.25), AT_END: instant(0.5)}, NO_TIME + "|a record is of .* that it cannot be of"),
        ({N_SHARES: struct.pack("<Q", 2**60)}, "it ends too early"),
        ({MACHINE: struct.pack("<I", 2)}, "a reservation is on a machine that is not there"),
        ({MACHINE: struct.pack("<I", 1)}, "the machines of a reservation are out of order"),
        ({AMOUNT: number(-4)}, "a reservation is of impossible amounts"),
        ({AMOUNT: number(2**63 - 1)}, "a reservation is of impossible amounts"),
    ],
)
def test_what_no_reservation_can_be_is_refused(
    is_decided: bool, changes: dict[int, bytes], message: str
) -> None:
    refuse(scheduler_with_reservations(is_decided), changes, message)
