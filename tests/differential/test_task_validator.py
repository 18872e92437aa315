"""The validator of parallel tasks finds a violation exactly where the definition is broken."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import schedcore
from properties.parallel_task_instances import parallel_task_instances, plain
from reference.parallel_tasks_instance import Piece, PlainTasks, merged
from reference.parallel_tasks_jsq_mw import jsq_mw
from reference.parallel_tasks_synchpack3 import synchpack3
from reference.parallel_tasks_validity import CLASSES, violations

Instance = schedcore.ParallelTaskInstance


@st.composite
def any_pieces(draw: st.DrawFn, instance: PlainTasks) -> list[Piece]:
    """A schedule with whole times, or nearly one: some piece longer, elsewhere, on another machine, or missing."""
    pieces = synchpack3_pieces(instance) if draw(st.booleans()) else jsq_mw(instance)[0]
    changed = []
    for piece in pieces:
        length = piece.end - piece.start
        kind = draw(st.sampled_from(["as it is"] * 6 + ["earlier", "longer", "elsewhere", "cut", "without"]))
        if kind == "earlier":
            start = max(0, piece.start - draw(st.integers(1, 3)))
            changed.append(piece._replace(start=start, end=start + length))
        elif kind == "longer":
            changed.append(piece._replace(end=piece.end + 1))
        elif kind == "elsewhere":
            changed.append(piece._replace(machine=draw(st.integers(0, instance.n_machines - 1))))
        elif kind == "cut" and length > 1:
            middle = piece.start + draw(st.integers(1, int(length) - 1))
            later = draw(st.integers(0, 2))
            changed.append(piece._replace(end=middle))
            changed.append(piece._replace(start=middle + later, end=piece.end + later))
        elif kind != "without":
            changed.append(piece)
    return merged(changed)


def synchpack3_pieces(instance: PlainTasks) -> list[Piece]:
    """Each task on one of its machines, preempted by earlier jobs."""
    one_machine = [
        type(task)(task.job, task.demand, dict([min(task.time.items())]), task.local)
        for task in instance.tasks
    ]
    alone = PlainTasks(instance.weight, instance.release_time, one_machine, instance.capacity)
    return synchpack3(alone, [0.0] * instance.n_jobs)[1]


@pytest.mark.parametrize("kind", CLASSES)
@given(
    data=st.data(), instance=parallel_task_instances(max_resources=2, releases=("zero", "whole", "quarters"))
)
def test_the_validator_equals_the_definition(kind: str, data: st.DataObject, instance: Instance) -> None:
    jobs = plain(instance)
    pieces = data.draw(any_pieces(jobs))
    schedule = schedcore.PreemptiveSchedule(
        instance.task_job[[p.task for p in pieces]] if pieces else [],
        instance.task_number[[p.task for p in pieces]] if pieces else [],
        [p.machine for p in pieces],
        [float(p.start) for p in pieces],
        [float(p.end) for p in pieces],
    )
    report = schedcore.validate(instance, schedule, kind=kind)
    assert bool(report) == (violations(jobs, pieces, kind) == []), (report, violations(jobs, pieces, kind))
