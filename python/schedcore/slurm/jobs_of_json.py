"""Jobs from ``squeue --json``, from 22.05 on, or ``scontrol show job --json``."""

from collections.abc import Iterable

from schedcore.errors import InvalidInstanceError
from schedcore.workloads.logs.sacct_fields import state as full_state
from schedcore.workloads.reading.hostlists import expand_hostlist

from .array_tasks import array_tasks
from .jobs import NodeShare, SlurmJob
from .jobs_of_scontrol import gres_list, without_id
from .json_output import JsonObject
from .values import tres_amounts

__all__ = ["jobs_of_json"]

# Words of JSON for sharing, those of 22.05 and of later versions -> those of OverSubscribe.
_SHARING = {"SHARED": "YES", "OVERSUBSCRIBE": "YES", "USER": "USER", "MCS": "MCS", "TOPO": "TOPO"}
_NICE_OF_0 = 0x80000000  # Slurm stores nice values so far above 0


def jobs_of_json(objects: Iterable[JsonObject]) -> list[SlurmJob]:
    """Return the jobs of an output, in its order."""
    return [_job(job) for job in objects]


def _job(job: JsonObject) -> SlurmJob:
    try:
        return _read(job)
    except InvalidInstanceError as error:
        if str(error).startswith(job.place):
            raise
        raise InvalidInstanceError(f"{job.place}: {error}") from None


def _read(job: JsonObject) -> SlurmJob:
    job_id = job.count("job_id")
    if job_id is None:
        raise InvalidInstanceError("job_id is missing")
    states = [full_state(word) for word in job.words("job_state")] or [full_state(job.needed("job_state"))]
    is_waiting = "PENDING" in states
    array, task = job.count("array_job_id") or None, job.count("array_task_id")
    tasks, throttle = array_tasks(text) if (text := job.text("array_task_string")) else ((), None)
    if array is not None and task is not None and not tasks:
        tasks = (task,)
    limit = job.number("time_limit")
    nodes = job.count("node_count")
    max_nodes = job.count("max_nodes") or None
    shared = {word.upper() for word in (*job.words("shared"), *job.words("exclusive"))}
    if job.text("shared") is None and _says_none(job):
        shared.add("NONE")
    tres = ("tres_req_str",) if is_waiting else ("tres_alloc_str", "tres_req_str")
    return SlurmJob(
        job_id=job_id,
        state="COMPLETING" if "COMPLETING" in states else states[0],
        array_job_id=array,
        array_tasks=tasks if array is not None else (),
        array_throttle=job.count("array_max_tasks") or throttle,
        het_job_id=job.count("het_job_id") or None,
        het_offset=job.count("het_job_offset") if job.count("het_job_id") else None,
        name=job.text("name") or "",
        user=without_id(job.text("user_name", "user_id")),
        account=job.text("account") or "",
        partition=job.text("partition") or "",
        qos=job.text("qos") or "",
        # squeue and scontrol show the description, where there is one; scontrol with _ for spaces.
        reason=(job.text("state_description", "state_reason") or "").replace(" ", "_"),
        dependency=job.text("dependency") or "",
        features=job.text("features") or "",
        reservation=job.text("resv_name") or "",
        licenses=job.text("licenses") or "",
        submit_time=job.instant("submit_time"),
        eligible_time=job.instant("eligible_time"),
        start_time=job.instant("start_time"),
        end_time=job.instant("end_time"),
        considered_time=job.instant("last_sched_evaluation"),
        time_limit=None if limit is None else limit * 60,
        priority=job.number("priority"),
        nice=_nice(job),
        # Of a waiting job 22.05 tells an estimate of the number of nodes that may be above what was asked for.
        min_nodes=min(nodes, max_nodes) if is_waiting and nodes and max_nodes else nodes,
        max_nodes=max_nodes,
        n_tasks=job.count("tasks"),
        tasks_per_node=job.count("tasks_per_node") or None,
        cpus_per_task=job.count("cpus_per_task"),
        cpus=job.count("cpus"),
        least_cpus=job.count("minimum_cpus_per_node"),
        memory_per_node=0.0 if _asks_for_all_memory(job) else job.number("memory_per_node"),
        memory_per_cpu=job.number("memory_per_cpu"),
        gres_per_node=gres_list(job.text("tres_per_node"), job.place),
        gres_per_task=gres_list(job.text("tres_per_task"), job.place),
        gres_per_job=gres_list(job.text("tres_per_job"), job.place),
        tres=tuple(tres_amounts(job.text(*tres) or "").items()),
        exclusive=not shared.isdisjoint({"NONE", "TRUE", "EXCLUSIVE"}),
        shares_nodes=next((_SHARING[word] for word in _SHARING if word in shared), ""),
        required_nodes=_hosts(job.text("required_nodes")),
        excluded_nodes=_hosts(job.text("excluded_nodes")),
        nodes=_hosts(job.text("nodes")),
        allocation=_allocation(job),
        requeue=not job.has("requeue") or job.is_true("requeue"),
        restarts=job.count("restart_cnt") or 0,
        place=job.place,
    )


def _says_none(job: JsonObject) -> bool:
    """Whether a job shares nothing: ``"none"``, a word that elsewhere says nothing at all."""
    return job.raw("shared") in ("none", ["none"])


def _asks_for_all_memory(job: JsonObject) -> bool:
    """Whether it takes all memory of its nodes: 22.05 has null instead of 0 then. Defaults are told as if asked for."""
    return job.is_null("memory_per_node") and job.is_null("memory_per_cpu")


def _nice(job: JsonObject) -> int:
    value = job.number("nice")
    return 0 if value is None else int(value) - (_NICE_OF_0 if value >= _NICE_OF_0 // 2 else 0)


def _hosts(text: str | None) -> tuple[str, ...]:
    return expand_hostlist(text or "")


def _allocation(job: JsonObject) -> tuple[NodeShare, ...]:
    """Return what it holds: a list of nodes until 23.11, from 24.05 on deeper down."""
    held = job.inner("job_resources")
    newer = held.inner("nodes").objects("allocation")
    if newer:
        return tuple(
            NodeShare(
                node.needed("name"),
                node.count("cpus.count") or _cores(node),
                node.count("memory.allocated") or 0,
            )
            for node in newer
        )
    return tuple(
        NodeShare(
            node.needed("nodename"),
            _cores(node) or node.count("cpus_used") or 0,
            node.count("memory_allocated") or 0,
        )
        for node in held.objects("allocated_nodes")
    )


def _cores(node: JsonObject) -> int:
    """Return how many cores are allocated, as sockets tell them: an object or a list in different versions."""
    sockets = node.raw("sockets")
    parts = sockets.values() if isinstance(sockets, dict) else sockets if isinstance(sockets, list) else ()
    number = 0
    for socket in parts:
        cores = socket.get("cores") if isinstance(socket, dict) else None
        states = cores.values() if isinstance(cores, dict) else cores if isinstance(cores, list) else ()
        for core in states:
            status = core.get("status") if isinstance(core, dict) else core
            number += "ALLOCATED" in str(status).upper() and "UNALLOCATED" not in str(status).upper()
    return number
