"""What random programs do with advance reservations."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

import schedcore
from reference.cluster_inside import Booking
from reference.cluster_instance import allowed_machines, preference_order
from reference.cluster_placement import amounts, can_ever_run, room

if TYPE_CHECKING:
    from differential.cluster_programs import Program


def make_reservation(program: Program) -> None:
    """Of one task or several, now or later; refused where a machine has less beside the others."""
    reference, draw, now = program.reference, program.draw, program.now
    there = [m for m in program.machines if m not in reference.removed and m not in program.resized]
    if not there:
        return
    start = now + draw.choice([0, 0, 1, 3, 6])
    end = start + draw.choice([1, 3, 6, 12])
    rows = []
    for _ in range(draw.choice([1, 1, 2, 3])):
        capacity = reference.state.machines[draw.choice(there)].capacity
        rows.append([draw.randint(0, amount) for amount in capacity])
    rows = [row if any(row) else [1, *row[1:]] for row in rows]
    machines: list[int] | None = [draw.choice(there) for _ in rows]
    given = machines
    if not reference.pending and not program.resized and draw.random() < 0.5:
        given, machines = None, chosen(program, rows, start, end)
    is_refused = machines is None or any(lack(program, rows, machines, start, end))
    if is_refused:
        with pytest.raises(schedcore.InfeasibleError):
            program.library.reserve(rows, start, end, now, machines=given)
        return
    assert machines is not None
    shares = {m: [sum(column) for column in zip(*rows_on(m, rows, machines), strict=True)] for m in machines}
    number = reference.reserve(Booking(start, end, shares), now)
    assert program.library.reserve(rows, start, end, now, machines=given) == number


def rows_on(machine: int, rows: list[list[int]], machines: list[int]) -> list[list[int]]:
    return [row for row, at in zip(rows, machines, strict=True) if at == machine]


def left(program: Program, machine: int, start: float, end: float) -> list[int]:
    """What the others leave of the machine all the time."""
    known = program.reference.known_reservations(program.now).values()
    here = [
        booking
        for booking in known
        if machine in booking.shares and booking.begin < end and start < booking.end
    ]
    capacity = program.reference.state.machines[machine].capacity
    instants = [start, *(booking.begin for booking in here if booking.begin > start)]
    return [
        whole - max(sum(b.shares[machine][k] for b in here if b.begin <= x < b.end) for x in instants)
        for k, whole in enumerate(capacity)
    ]


def lack(
    program: Program, rows: list[list[int]], machines: list[int], start: float, end: float
) -> list[bool]:
    """Whether a machine has less than it is to give."""
    return [
        any(
            sum(row[k] for row, at in zip(rows, machines, strict=True) if at == machine) > amount
            for k, amount in enumerate(left(program, machine, start, end))
        )
        for machine in machines
    ]


def chosen(program: Program, rows: list[list[int]], start: float, end: float) -> list[int] | None:
    """The first machine with room for each row, in order of preference; without pending records."""
    state = program.reference.state
    out = {o.machine for o in state.outages if o.start < end and start < o.end}
    free = {}
    for machine in program.machines:
        is_there = machine not in state.down() | out
        free[machine] = left(program, machine, start, end) if is_there else [-1] * len(rows[0])
    for job, run in state.running.items():
        if program.reference.expected[job][2] <= start:
            continue
        for machine, held in amounts(state.jobs[job], run.allocation, state.machines).items():
            free[machine] = [f - h for f, h in zip(free[machine], held, strict=True)]
    machines = []
    for row in rows:
        fitting = [m for m in preference_order(state.machines) if all(map(int.__le__, row, free[m]))]
        if not fitting:
            return None
        machines.append(fitting[0])
        free[fitting[0]] = [f - r for f, r in zip(free[fitting[0]], row, strict=True)]
    return machines


def submit_inside(program: Program, number: int, booking: Booking) -> None:
    """The next job, if it fits the reservation; else it is refused and stays to come."""
    reference, now = program.reference, program.now
    job = program.to_come[0]
    row = program.jobs[job]
    if row.after_ok or row.after_any or row.after_not_ok:
        return  # it waits for others
    if not reference.may_wait(row) or not can_ever_run(row, reference.largest):
        return
    if reference.removed & set(booking.shares) or program.resized & set(booking.shares):
        return
    told = row.processing_time if reference.state.knows_lengths else row.estimated_processing_time
    machines = reference.state.machines
    allowed = set(allowed_machines(machines, row)) & set(booking.shares)
    n_tasks = sum(room(row, machines[m], booking.shares[m]) for m in allowed)
    if max(now, booking.begin) + told > booking.end or n_tasks < row.n_tasks:
        with pytest.raises(schedcore.InfeasibleError):
            program.library.submit(program.model.jobs[np.array([job])], now, ids=[job], reservation=number)
        return
    del program.to_come[0]
    program.submitted.add(job)
    reference.submit({job: row}, now, reservation=number)
    program.library.submit(program.model.jobs[np.array([job])], now, ids=[job], reservation=number)
