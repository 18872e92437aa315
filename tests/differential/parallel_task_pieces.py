"""Schedules of parallel tasks as rows to compare: the library's and the reference implementation's."""

from collections.abc import Iterable
from typing import Any

import numpy as np

import schedcore
from reference.parallel_tasks_instance import Piece

Rows = list[tuple[int, int, float, float]]  # task row, machine, start, end


def drawn(pieces: Iterable[Piece]) -> Rows:
    """What a reference implementation drew."""
    return sorted((p.task, p.machine, float(p.start), float(p.end)) for p in pieces)


def rows_of(result: Any) -> Rows:
    """What the library drew."""
    schedule, instance = result.schedule, result.instance
    row = instance.task_start[schedule.job] + schedule.task
    columns = (row, schedule.machine, schedule.start_time, schedule.end_time)
    return sorted(zip(*(column.tolist() for column in columns), strict=True))


def solved(name: str, instance: schedcore.ParallelTaskInstance, kind: str, **options: Any) -> Any:
    """The result of an algorithm, whose schedule is valid in its class."""
    result = schedcore.solve(name, instance, **options)
    schedcore.validate(instance, result.schedule, kind=kind, raise_on_error=True)
    return result


def assert_close(result: Any, pieces: Iterable[Piece]) -> None:
    """The same pieces, whose ends are the same but for rounding."""
    got, wanted = rows_of(result), drawn(pieces)
    assert [row[:2] for row in got] == [row[:2] for row in wanted], (got, wanted)
    times = np.array([row[2:] for row in wanted])
    error = np.abs(np.array([row[2:] for row in got]) - times)
    assert error.max(initial=0) <= 1e-9 * (1 + times.max(initial=0)), (got, wanted)
