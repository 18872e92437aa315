"""Pieces in slots and what they work off, slot by slot, in plain Python: what two references read."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import schedcore

Key = tuple[int, int]  # job, task; task -1 for jobs without tasks
Held = dict[int, dict[tuple[int, int, int], int]]  # slot -> (job, task, machine) -> cores


class Piece(NamedTuple):
    start: float
    job: int
    task: int
    machine: int
    end: float
    cores: int

    @property
    def slots(self) -> range:
        return range(int(self.start) + 1, int(self.end) + 1)


class Row(NamedTuple):
    """A job, or a map or reduce task of one."""

    release_time: int
    processing_time: int
    demand: list[int]
    believed: list[int]
    is_reduce: bool = False

    @property
    def work(self) -> int:
        return self.processing_time * self.demand[0]

    def limit(self, left: int) -> int:
        """The most cores that the scheduler may give where so much is left."""
        return min(self.believed[0], -(-left * self.believed[0] // self.demand[0]))

    def progress(self, left: int, cores: int) -> int:
        return min(cores, self.demand[0], left)


def rows_of(instance: Any) -> dict[Key, Row]:
    """What there is to do, by job and task."""
    if isinstance(instance, schedcore.Instance):
        jobs = instance.jobs
        columns = (jobs.release_time, jobs.processing_time, jobs.demand, jobs.estimated_demand)
        values = zip(*(column.tolist() for column in columns), strict=True)
        return {(j, -1): Row(int(a), int(p), d, believed) for j, (a, p, d, believed) in enumerate(values)}
    rows = {}
    for job in range(instance.n_jobs):
        release = int(instance.release_time[job])
        task = 0
        for phase in ("map", "reduce"):
            tasks, cores, time = (
                int(getattr(instance, f"{phase}_{what}")[job]) for what in ("tasks", "cores", "time")
            )
            for _ in range(tasks):
                rows[job, task] = Row(release, time, [cores], [cores], phase == "reduce")
                task += 1
    return rows


def pieces_of(schedule: Any) -> list[Piece]:
    """The pieces in the order of the schedule."""
    columns = ("start_time", "job", "task", "machine", "end_time", "amount")
    return [Piece(*row) for row in zip(*(getattr(schedule, name).tolist() for name in columns), strict=True)]


def held_in(pieces: list[Piece]) -> Held:
    """Who holds how many cores, slot by slot."""
    held: Held = {}
    for piece in pieces:
        hold(held, piece)
    return held


def hold(held: Held, piece: Piece) -> None:
    """Enter a piece."""
    for slot in piece.slots:
        cores = held.setdefault(slot, {})
        key = (piece.job, piece.task, piece.machine)
        cores[key] = cores.get(key, 0) + piece.cores


def cores_of(held: Held, slot: int, key: Key) -> int:
    """Cores of a task on all machines."""
    return sum(cores for (job, task, _), cores in held.get(slot, {}).items() if (job, task) == key)


def progress_of(rows: dict[Key, Row], held: Held, last: int) -> Iterator[tuple[int, Key, int, int]]:
    """Slot, task, its work in the slot and what is left of it afterwards, for all slots up to `last`."""
    left = {key: row.work for key, row in rows.items()}
    for slot in range(1, last + 1):
        for key, row in rows.items():
            work = row.progress(left[key], cores_of(held, slot, key))
            left[key] -= work
            yield slot, key, work, left[key]
