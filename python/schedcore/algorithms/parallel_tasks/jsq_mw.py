"""JSQ-MW: tasks join the shortest queue of their local machines, machines serve local and remote tasks by MaxWeight.

Source: W. Wang, K. Zhu, L. Ying, J. Tan, L. Zhang, "MapTask scheduling in MapReduce with data locality: throughput and
heavy-traffic optimality", IEEE/ACM Transactions on Networking 24(1), 2016, with the packing that Shafiee and Ghaderi
add. ``src/cpp/parallel_tasks/join_shortest_queue`` decides, in the engine that embedded policies run in as well.
"""

from schedcore import _core
from schedcore.model import Machines, ParallelTaskInstance, ParallelTaskResult
from schedcore.registry import OnlinePolicy, registered

from .family import PARALLEL_TASKS
from .task_simulation import RemotePenalty, run_task_policy

__all__ = ["jsq_mw"]


def _embedded(_machines: Machines, parameters: RemotePenalty) -> OnlinePolicy:
    penalty = parameters.checked("remote_penalty")
    return OnlinePolicy(_core.parallel_tasks.JoinShortestQueuePolicy(remote_penalty=penalty))


@registered(
    RemotePenalty,
    "JSQ-MW: shortest queue, MaxWeight between local and remote tasks",
    PARALLEL_TASKS,
    source="Wang et al., IEEE/ACM Transactions on Networking 2016",
    reads=frozenset(),
    schedule_class="nonpreempt",
    embed=_embedded,
)
def jsq_mw(instance: ParallelTaskInstance, parameters: RemotePenalty) -> ParallelTaskResult:
    """Schedule without preemption from one queue a machine and one for remote tasks, first come first served.

    An arriving task joins the shortest of the queues of its local machines and, if it may run elsewhere, the remote
    queue. At every event, machine by machine, the queue of machine i goes first if remote penalty x its length is at
    least the length of the remote queue, else that one; the first task that may run there and fits starts, from the
    other queue if there is none. Weights are ignored.

    Parameters
    ----------
    instance : ParallelTaskInstance
        Release times are allowed.
    progress : callable, optional
        ``progress(tasks started, n_tasks)``.

    Returns
    -------
    ParallelTaskResult
        Without a guarantee. `lower_bound` is computed when asked for.

    Raises
    ------
    InfeasibleError
        If a task fits none of its machines.

    Notes
    -----
    Tasks of an instant are queued before any of them starts, in the order of their rows. Ties go to local queues, then
    to the lower machine. All comparisons are exact. A task is queued in O(its machines); a start costs a search of the
    waiting tasks by distinct demand vectors.
    """
    policy = _core.parallel_tasks.JoinShortestQueuePolicy(remote_penalty=instance.remote_penalty)
    return run_task_policy("jsq_mw", instance, policy, parameters)
