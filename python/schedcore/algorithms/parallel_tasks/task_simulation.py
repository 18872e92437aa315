"""Policies of the engine that run a whole instance of parallel tasks, and their embedded form.

What one policy does is in its compiled prototype; every task is a job of the engine here.
"""

from typing import Any

from schedcore import _core
from schedcore.bounds.parallel_tasks import relaxation_bound
from schedcore.model import ParallelTaskInstance, ParallelTaskResult, usable
from schedcore.model.kernel_columns import kernel_columns
from schedcore.model.parallel_task_columns import checked_penalty
from schedcore.parameters import Parameters, embedded_option

from .task_result import task_result

__all__ = ["RemotePenalty", "run_task_policy"]


class RemotePenalty(Parameters):
    """What an instance says, and an embedded policy has to be told."""

    remote_penalty: float = embedded_option(
        "by how much machines that are not local count for less; that of the submitted tasks",
        why="it weighs local machines against others by that number, at least 1",
        check=lambda _name, value: checked_penalty(value),
    )


def run_task_policy(
    name: str, instance: ParallelTaskInstance, policy: _core.engine.Policy, parameters: Parameters
) -> ParallelTaskResult:
    """Schedule the tasks by a policy that interrupts none."""
    inst = usable(instance)
    options: dict[str, Any] = parameters.recorded()
    pieces = _core.parallel_tasks.simulate_tasks(policy, kernel_columns(inst), progress=parameters.progress)
    return task_result(name, instance, pieces, lower_bound=lambda: relaxation_bound(inst), options=options)
