"""Reference of the validator of parallel-task schedules: what a feasible schedule is, piece by piece, in plain Python.

Python integers for amounts, fractions for processed shares, Python floats for times. Quadratic in the number of pieces.
"""

from fractions import Fraction
from math import isfinite
from typing import Any, NamedTuple


class TaskFinding(NamedTuple):
    kind: str
    job: int
    task: int
    machine: int | None = None
    instant: float | None = None
    resource: int | None = None
    excess: float | None = None


class Piece(NamedTuple):
    start: float
    job: int
    task: int
    machine: int
    row: int
    end: float


def first_task_violation(instance: Any, schedule: Any, kind: str) -> TaskFinding | None:
    """The first piece, by (start, job, task, machine), that breaks a rule; then the first task that lacks something."""
    columns = (schedule.start_time, schedule.job, schedule.task, schedule.machine)
    rows = zip(*(column.tolist() for column in columns), strict=True)
    pieces = [
        Piece(*row, number, end)
        for number, (row, end) in enumerate(zip(rows, schedule.end_time.tolist(), strict=True))
    ]
    for piece in pieces:
        if not (isfinite(piece.start) and isfinite(piece.end)):
            return TaskFinding("time_not_finite", piece.job, piece.task, piece.machine, piece.start)
    times = [t for piece in pieces for t in (piece.start, piece.end)] + instance.release_time.tolist()
    exact = all(t == int(t) and abs(t) <= 2**53 for t in times)
    check = _Check(instance, 0.0 if exact else 1e-9, kind)
    visited: list[Piece] = []
    for piece in sorted(pieces):
        visited.append(piece)
        finding = check.of_piece(piece, visited)
        if finding is not None:
            return finding
    return check.of_tasks(visited)


class _Check:
    def __init__(self, instance: Any, tolerance: float, kind: str) -> None:
        self.instance = instance
        self.tolerance = tolerance
        self.kind = kind
        self.rows: dict[tuple[int, int], int] = {}
        for row, (job, number) in enumerate(
            zip(instance.task_job.tolist(), instance.task_number.tolist(), strict=True)
        ):
            self.rows[job, number] = row

    def holds_from(self, piece: Piece) -> float:
        return piece.start + self.tolerance * (1 + piece.start)

    def processing_times(self, row: int) -> dict[int, int]:
        placements = slice(*self.instance.placement_start[row : row + 2].tolist())
        return dict(
            zip(
                self.instance.placement_machine[placements].tolist(),
                self.instance.placement_time[placements].tolist(),
                strict=True,
            )
        )

    def of_piece(self, piece: Piece, visited: list[Piece]) -> TaskFinding | None:
        def found(kind: str, resource: int | None = None, excess: float | None = None) -> TaskFinding:
            return TaskFinding(kind, piece.job, piece.task, piece.machine, piece.start, resource, excess)

        if not 0 <= piece.job < self.instance.n_jobs:
            return found("unknown_job")
        row = self.rows.get((piece.job, piece.task))
        if row is None:
            return found("unknown_task")
        if not 0 <= piece.machine < self.instance.n_machines:
            return found("unknown_machine")
        if piece.machine not in self.processing_times(row):
            return found("machine_not_allowed")
        if piece.end <= piece.start:
            return found("no_progress")
        release = float(self.instance.release_time[piece.job])
        now = self.holds_from(piece)
        if now < release:
            return found("start_before_release", excess=release - piece.start)
        holding = [p for p in visited if p.end > now]
        own = [p for p in visited[:-1] if (p.job, p.task) == (piece.job, piece.task)]
        overlapped = [p.end for p in own if p in holding]
        if overlapped and piece in holding:
            return found("task_overlaps_itself", excess=min(max(overlapped), piece.end) - piece.start)
        if own and self.kind != "migrate" and own[0].machine != piece.machine:
            return found("task_migrated")
        if own and self.kind == "nonpreempt":
            return found("task_interrupted")
        if piece not in holding:
            return None
        capacity = self.instance.machines.capacity[piece.machine].tolist()
        demands = [
            self.instance.demand[self.rows[p.job, p.task]].tolist()
            for p in holding
            if p.machine == piece.machine
        ]
        for resource, bound in enumerate(capacity):
            usage = sum(demand[resource] for demand in demands)
            if usage > bound:
                return found("capacity_exceeded", resource, usage - bound)
        return None

    def of_tasks(self, pieces: list[Piece]) -> TaskFinding | None:
        for (job, number), row in self.rows.items():
            own = [p for p in pieces if (p.job, p.task) == (job, number)]
            if not own:
                return TaskFinding("task_missing", job, number)
            times = self.processing_times(row)
            share = sum((Fraction(p.end) - Fraction(p.start)) / times[p.machine] for p in own)
            last = max(own, key=lambda p: p.end)
            allowed = self.tolerance * (1 + last.end) / min(times[p.machine] for p in own)
            if abs(share - 1) > allowed:
                return TaskFinding(
                    "wrong_processing", job, number, last.machine, last.end, None, float(share - 1)
                )
        return None
