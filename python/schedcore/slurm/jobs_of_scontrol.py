"""Jobs from ``scontrol -o show job``, with ``-d`` also what each holds on each of its nodes."""

import re
from collections.abc import Sequence

from schedcore.errors import InvalidInstanceError
from schedcore.model.real_numbers import shown
from schedcore.workloads.logs.sacct_fields import state as full_state
from schedcore.workloads.reading.hostlists import expand_hostlist

from .array_tasks import array_tasks
from .jobs import HOLDING, NodeShare, SlurmJob
from .records import Record
from .values import gres_amounts

__all__ = ["gres_list", "jobs_of_records", "without_id"]

#: Fields that every version tells of every job.
_ALWAYS = ("NumNodes", "NumCPUs", "TimeLimit", "Partition", "Licenses")
#: One near the end of a record, which those leave out who tell nobody where their files are.
_NEAR_THE_END = "WorkDir"
_NO_GRES = re.compile(r"(?:cpu|mem|node|billing|license)\b|(?!gres\b)[^:]*(?:=|$)", re.IGNORECASE)
_SHARE = re.compile(r"\sNodes=(\S+) CPU_IDs=(\S*) Mem=(\d{1,15})(?: GRES(?:_IDX)?=(\S*))?")
_RANGE_OF_NUMBERS = re.compile(r"(\d{1,15})(?:-(\d{1,15}))?", re.ASCII)
_TASKS_PER_NODE = re.compile(r"(\d{1,9}|\*):", re.ASCII)


def jobs_of_records(records: Sequence[Record]) -> list[SlurmJob]:
    """Return the jobs of ``scontrol show job``, in the order of the output; an error for one that is cut."""
    needed = (*_ALWAYS, *([_NEAR_THE_END] if any(_NEAR_THE_END in record for record in records) else []))
    for record in records:
        absent = [name for name in needed if name not in record]
        if absent:
            raise InvalidInstanceError(
                f"{record.place}: job {record.text('JobId')} has no {', '.join(absent)}; the file may be cut"
            )
    return [_job(record) for record in records]


def _job(record: Record) -> SlurmJob:
    tasks, throttle = _array(record.text("ArrayTaskId"), record.place)
    min_nodes, max_nodes = _numbers_of_nodes(record)
    shared = (record.text("OverSubscribe", "Shared") or "OK").upper()
    per_node = _TASKS_PER_NODE.match(record.text("NtasksPerN:B:S:C") or "")
    state = full_state(record.needed("JobState"))
    tres = ("AllocTRES", "TRES", "ReqTRES") if state in HOLDING else ("ReqTRES", "TRES")
    return SlurmJob(
        job_id=_needed_count(record, "JobId"),
        state=state,
        array_job_id=record.count("ArrayJobId"),
        array_tasks=tasks,
        array_throttle=record.count("ArrayTaskThrottle") or throttle,
        het_job_id=record.count("HetJobId", "PackJobId") or None,
        het_offset=record.count("HetJobOffset", "PackJobOffset"),
        name=record.text("JobName") or "",
        user=without_id(record.text("UserId")),
        account=record.text("Account") or "",
        partition=record.text("Partition") or "",
        qos=record.text("QOS") or "",
        reason=record.text("Reason") or "",
        dependency=record.text("Dependency") or "",
        features=record.text("Features") or "",
        reservation=record.text("Reservation") or "",
        licenses=record.text("Licenses") or "",
        submit_time=record.instant("SubmitTime"),
        eligible_time=record.instant("EligibleTime"),
        start_time=record.instant("StartTime"),
        end_time=record.instant("EndTime"),
        considered_time=record.instant("LastSchedEval"),
        time_limit=record.seconds("TimeLimit"),
        priority=record.count("Priority"),
        nice=_signed(record, "Nice"),
        min_nodes=min_nodes,
        max_nodes=max_nodes,
        n_tasks=record.count("NumTasks"),
        tasks_per_node=int(per_node[1]) or None if per_node and per_node[1] != "*" else None,
        cpus_per_task=record.count("CPUs/Task"),
        cpus=record.count("NumCPUs"),
        least_cpus=record.count("MinCPUsNode"),
        memory_per_node=record.megabytes("MinMemoryNode"),
        memory_per_cpu=record.megabytes("MinMemoryCPU"),
        gres_per_node=gres_list(record.text("TresPerNode", "Gres"), record.place),
        gres_per_task=gres_list(record.text("TresPerTask"), record.place),
        gres_per_job=gres_list(record.text("TresPerJob"), record.place),
        tres=tuple(record.tres(*tres).items()),
        exclusive=shared in ("NO", "EXCLUSIVE", "0"),
        shares_nodes=shared if shared in ("YES", "USER", "MCS", "TOPO") else "",
        required_nodes=_hosts(record, "ReqNodeList"),
        excluded_nodes=_hosts(record, "ExcNodeList"),
        nodes=_hosts(record, "NodeList"),
        allocation=_allocation(record),
        requeue=record.text("Requeue") != "0",
        restarts=record.count("Restarts") or 0,
        place=record.place,
    )


def without_id(user: str | None) -> str:
    """Return ``ann`` of ``ann(1001)``."""
    return re.sub(r"\(\d+\)$", "", user or "")


def gres_list(text: str | None, place: str) -> tuple[tuple[str, str, int], ...]:
    """Return generic resources; what else stands there, such as ``cpu=4``, is no part of it."""
    parts = [part for part in (text or "").split(",") if not _NO_GRES.match(part.strip())]
    try:
        return tuple((name, kind, number) for (name, kind), number in gres_amounts(",".join(parts)).items())
    except InvalidInstanceError as error:
        raise InvalidInstanceError(f"{place}: {error}") from None


def _array(text: str | None, place: str) -> tuple[tuple[int, ...], int | None]:
    if text is None:
        return (), None
    try:
        return array_tasks(text)
    except InvalidInstanceError as error:
        raise InvalidInstanceError(f"{place}: ArrayTaskId: {error}") from None


def _numbers_of_nodes(record: Record) -> tuple[int | None, int | None]:
    """Return the least and the greatest number of nodes, of ``3``, ``3-3`` or ``1-4``."""
    text = record.text("NumNodes")
    if text is None:
        return None, None
    match = _RANGE_OF_NUMBERS.fullmatch(text)
    if match is None:
        raise InvalidInstanceError(f"{record.place}: NumNodes = {shown(repr(text))} is no number of nodes")
    return int(match[1]), None if match[2] is None else int(match[2])


def _needed_count(record: Record, name: str) -> int:
    number = record.count(name)
    if number is None:
        raise InvalidInstanceError(f"{record.place}: {name} is missing")
    return number


def _signed(record: Record, name: str) -> int:
    text = record.text(name) or "0"
    try:
        return int(text)
    except ValueError:
        raise InvalidInstanceError(
            f"{record.place}: {name} = {shown(repr(text))} is no whole number"
        ) from None


def _hosts(record: Record, name: str) -> tuple[str, ...]:
    try:
        return expand_hostlist(record.text(name) or "")
    except InvalidInstanceError as error:
        raise InvalidInstanceError(f"{record.place}: {name}: {error}") from None


def _allocation(record: Record) -> tuple[NodeShare, ...]:
    shares = []
    for nodes, cpus, memory, gres in _SHARE.findall(record.line):
        held = gres_list(re.sub(r"\(IDX:[^)]*\)", "", gres), record.place)
        try:
            number = sum(map(_length, filter(None, cpus.split(","))))
            shares += [NodeShare(host, number, int(memory), held) for host in expand_hostlist(nodes)]
        except InvalidInstanceError as error:
            raise InvalidInstanceError(f"{record.place}: Nodes={nodes}: {error}") from None
    return tuple(shares)


def _length(part: str) -> int:
    """Return how many processors ``3`` or ``0-7`` are."""
    match = _RANGE_OF_NUMBERS.fullmatch(part)
    if match is None or int(match[2] or match[1]) < int(match[1]):
        raise InvalidInstanceError(f"CPU_IDs: {shown(repr(part))} is no range of processors")
    return int(match[2] or match[1]) - int(match[1]) + 1
