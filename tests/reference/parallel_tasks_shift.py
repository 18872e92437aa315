"""Shift left: every piece, in order of its start, moves as a whole to the earliest start that is feasible."""

from collections.abc import Iterable

from reference.parallel_tasks_instance import Piece, PlainTasks, Time, merged


def shift_left(instance: PlainTasks, pieces: Iterable[Piece]) -> list[Piece]:
    placed: list[Piece] = []
    for piece in merged(pieces):
        length = piece.end - piece.start
        release = instance.release_of(piece.task)
        starts = {release, piece.start}
        starts |= {q.end for q in placed if q.machine == piece.machine or q.task == piece.task}
        earliest = min(
            start
            for start in starts
            if release <= start <= piece.start and has_room(instance, placed, piece, start, start + length)
        )
        placed.append(piece._replace(start=earliest, end=earliest + length))
    return merged(placed)


def has_room(instance: PlainTasks, placed: list[Piece], piece: Piece, start: Time, end: Time) -> bool:
    """Whether the task of `piece` may run on its machine during [start, end) beside the placed pieces."""
    beside = [q for q in placed if q.start < end and start < q.end]
    if any(q.task == piece.task for q in beside):
        return False
    on_machine = [q for q in beside if q.machine == piece.machine]
    instants = {start} | {q.start for q in on_machine if q.start > start}
    return all(
        instance.fits(piece.machine, [piece.task, *(q.task for q in on_machine if q.start <= t < q.end)])
        for t in instants
    )
