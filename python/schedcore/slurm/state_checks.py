"""Does a state contradict itself, and does it show all that runs? What runs must fit where it runs."""

from collections.abc import Mapping, Sequence

from schedcore.errors import InvalidInstanceError

from .awaited_jobs import dependencies_of
from .divided_shares import Held
from .jobs import ENDED, NodeShare, SlurmJob
from .nodes import SlurmNode
from .site import SlurmSite

__all__ = ["nodes_with_hidden_jobs", "refuse_contradictions"]

_MOST_WAITING = 1_000_000
_WHILE_ASKED = 60.0  # seconds before the jobs at which the nodes may have been asked for


def refuse_contradictions(
    site: SlurmSite,
    running: Sequence[tuple[SlurmJob, tuple[NodeShare, ...], bool]],
    jobs: Sequence[SlurmJob],
    now: float,
) -> None:
    """Raise an `InvalidInstanceError` that names the job, the node, the value and the bound.

    A job that is there twice; a dependency that is none, and more than a million tasks that wait; a job that runs and
    has no start, or starts in the future; jobs that hold more of a node than it has. Suspended jobs hold memory alone,
    and jobs of partitions that share processors may hold more of these together than there are.
    """
    first: dict[tuple[int, tuple[int, ...]], SlurmJob] = {}
    for job in jobs:
        earlier = first.setdefault((job.job_id, job.array_tasks), job)
        if earlier is not job:
            raise InvalidInstanceError(f"{job.place}: job {job.called} stands at {earlier.place} already")
    n_waiting = 0
    for job in jobs:
        if job.is_waiting:
            dependencies_of(job)
            n_waiting += job.n_jobs
            if n_waiting > _MOST_WAITING:
                raise InvalidInstanceError(
                    f"{job.place}: with job {job.called}, {n_waiting:,} jobs and tasks of arrays wait; at most "
                    f"{_MOST_WAITING:,} can be read"
                )
    for job, _, _ in running:
        if job.start_time is None:
            raise InvalidInstanceError(f"{job.place}: job {job.called} is {job.state}, but has no start")
        if job.start_time > now + 1:
            raise InvalidInstanceError(
                f"{job.place}: job {job.called} is {job.state} since {job.start_time:.0f}, which is after the "
                f"instant of the state, {now:.0f}"
            )
    nodes = {node.name: node for node in site.nodes}
    shared = {each.name for each in site.partitions if each.shares_processors}
    held: dict[str, dict[str, int]] = {}
    for job, shares, told in running:
        if not told:  # no division helps
            most, cpus = sum(nodes[share.node].cpus for share in shares), job.cpus or 0
            if cpus > most and job.partition not in shared:
                raise InvalidInstanceError(
                    f"{job.place}: job {job.called} holds {cpus:,} cpu, but its {len(shares):,} nodes have {most:,}"
                )
        for share in shares:
            of_node = held.setdefault(share.node, {})
            amounts = {name: number for name, _, number in share.gres}
            if job.state != "SUSPENDED" and job.partition not in shared and not job.shares_nodes:
                amounts["cpu"] = share.cpus
            if site.resources.memory:
                amounts["memory"] = share.memory
            for name, amount in amounts.items():
                of_node[name] = of_node.get(name, 0) + amount
                bound = _capacity(nodes, share.node, name)
                if of_node[name] > bound:
                    raise InvalidInstanceError(
                        f"{job.place}: with job {job.called}, jobs hold {of_node[name]:,} of {name} on node "
                        f"{share.node}, which has {bound:,}"
                    )


def _capacity(nodes: Mapping[str, SlurmNode], node: str, name: str) -> int:
    if name == "cpu":
        return nodes[node].cpus
    return nodes[node].memory if name == "memory" else nodes[node].of_gres(name)


def nodes_with_hidden_jobs(
    nodes: Sequence[SlurmNode], held: Sequence[Held], jobs: Sequence[SlurmJob], now: float
) -> list[str]:
    """Return the nodes of which more processors are allocated than the jobs that are shown hold.

    Nodes of which nobody tells what those jobs hold are left out: nodes of jobs whose shares are guessed; of
    suspended jobs, whose processors may be handed out or not; and of jobs that complete, have ended while the
    commands were called, or are in a state that nobody knows.
    """
    shown_to_hold = dict.fromkeys((node.name for node in nodes), 0)
    unsure = {host for job in jobs if _may_hold_some(job, now) for host in job.nodes}
    for job, shares, is_told in held:
        for share in shares:
            shown_to_hold[share.node] += share.cpus
            is_guessed = not is_told or (job.cpus is None and not job.allocation)
            if is_guessed or job.state == "SUSPENDED":
                unsure.add(share.node)
    return [
        node.name
        for node in nodes
        if (node.cpus_allocated or 0) > shown_to_hold[node.name] and node.name not in unsure
    ]


def _may_hold_some(job: SlurmJob, now: float) -> bool:
    if job.is_running:
        return False
    if job.state == "COMPLETING" or job.state not in ENDED:
        return True
    return job.end_time is None or job.end_time >= now - _WHILE_ASKED
