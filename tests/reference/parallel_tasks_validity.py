"""When a set of pieces is a schedule of parallel-task jobs, by the definition: all of it exact, no tolerance."""

from collections.abc import Iterable
from fractions import Fraction
from itertools import combinations

from reference.parallel_tasks_instance import Piece, PlainTasks, merged

CLASSES = ("migrate", "preempt", "nonpreempt")


def violations(instance: PlainTasks, pieces: Iterable[Piece], kind: str) -> list[str]:
    """Every rule of class `kind` that the pieces break, in words."""
    assert kind in CLASSES
    found = []
    all_pieces = merged(pieces)
    for piece in all_pieces:
        if piece.machine not in instance.tasks[piece.task].time:
            found.append(f"placement: {piece}")
            continue
        if piece.start < instance.release_of(piece.task):
            found.append(f"release: {piece}")
        beside = [q.task for q in all_pieces if q.machine == piece.machine and q.start <= piece.start < q.end]
        if not instance.fits(piece.machine, beside):
            found.append(f"packing: {beside} at {piece.start}")
    for t, task in enumerate(instance.tasks):
        own = [piece for piece in all_pieces if piece.task == t and piece.machine in task.time]
        found += [
            f"overlap: {a}, {b}" for a, b in combinations(own, 2) if a.start < b.end and b.start < a.end
        ]
        if sum((Fraction(q.end - q.start) / task.time[q.machine] for q in own), Fraction(0)) != 1:
            found.append(f"processing: task {t}")
        if kind != "migrate" and len({q.machine for q in own}) > 1:
            found.append(f"migration: task {t}")
        if kind == "nonpreempt" and len(own) > 1:
            found.append(f"preemption: task {t}")
    return found
