"""Reference of the validator of schedules in slots: what a feasible schedule is, slot by slot, in plain Python."""

from typing import Any, NamedTuple

import schedcore

from .slot_rows import Held, Key, Piece, Row, cores_of, held_in, hold, pieces_of, rows_of


class SlotFinding(NamedTuple):
    kind: str
    job: int
    task: int | None
    machine: int | None = None
    instant: float | None = None
    resource: int | None = None
    excess: int | None = None


def first_slot_violation(instance: Any, schedule: Any, kind: str) -> SlotFinding | None:
    """The first piece that breaks a rule, then the first slot that gives too much, then a task that lacks work."""
    finding = _first(instance, pieces_of(schedule), kind)
    if finding is None or isinstance(instance, schedcore.MapReduceInstance) or finding.task != -1:
        return finding
    return finding._replace(task=None)


def _first(instance: Any, pieces: list[Piece], kind: str) -> SlotFinding | None:
    for piece in pieces:
        if not (piece.start.is_integer() and piece.end.is_integer()):
            return _found(piece, "time_not_integer")
    rows = rows_of(instance)
    held: Held = {}
    for piece in pieces:
        finding = _of_piece(instance, rows, held, piece)
        if finding is not None:
            return finding
        hold(held, piece)
    return _of_work(rows, held_in(pieces), kind)


def _found(piece: Piece, kind: str, resource: int | None = None, excess: int | None = None) -> SlotFinding:
    return SlotFinding(kind, piece.job, piece.task, piece.machine, piece.start, resource, excess)


def _of_piece(instance: Any, rows: dict[Key, Row], held: Held, piece: Piece) -> SlotFinding | None:
    key = (piece.job, piece.task)
    if not 0 <= piece.job < instance.n_jobs:
        return _found(piece, "unknown_job")
    if key not in rows:
        return _found(piece, "unknown_task")
    if not 0 <= piece.machine < instance.n_machines:
        return _found(piece, "unknown_machine")
    if piece.end <= piece.start:
        return _found(piece, "no_progress")
    if piece.cores < 1:
        return _found(piece, "no_cores")
    row = rows[key]
    if piece.start < row.release_time:
        return _found(piece, "start_before_release", excess=row.release_time - int(piece.start))
    now = held.get(int(piece.start) + 1, {})
    if row.is_reduce:
        maps = [k for k, r in rows.items() if k[0] == piece.job and not r.is_reduce]
        for k in maps:
            done = sum(cores_of(held, slot, k) for slot in range(1, int(piece.start) + 1))
            if done < rows[k].work or any((job, task) == k for job, task, _ in now):
                return _found(piece, "reduce_before_map")
    overlap = sum((*key, piece.machine) in held.get(slot, {}) for slot in piece.slots)
    if overlap:
        return _found(piece, "piece_overlaps", excess=overlap)
    cores = piece.cores + sum(c for (job, task, _), c in now.items() if (job, task) == key)
    if cores > row.believed[0]:
        return _found(piece, "demand_exceeded", excess=cores - row.believed[0])
    there = {k[:2]: c for k, c in now.items() if k[2] == piece.machine} | {key: piece.cores}
    for resource, capacity in enumerate(instance.machines.capacity[piece.machine].tolist()):
        used = sum(there.values()) if resource == 0 else sum(rows[k].believed[resource] for k in there)
        if used > capacity:
            return _found(piece, "capacity_exceeded", resource, used - capacity)
    return None


def _of_work(rows: dict[Key, Row], held: Held, kind: str) -> SlotFinding | None:
    left = {key: row.work for key, row in rows.items()}
    for slot in sorted(held):
        for key, row in rows.items():
            cores = cores_of(held, slot, key)
            if cores > row.limit(left[key]):
                excess = cores - row.limit(left[key])
                return SlotFinding("work_exceeded", key[0], key[1], None, float(slot - 1), None, excess)
            left[key] -= row.progress(left[key], cores)
    for key, rest in left.items():
        if rest and kind == "complete":
            return SlotFinding("work_missing", key[0], key[1], excess=rest)
    return None
