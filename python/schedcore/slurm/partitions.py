"""The partitions of a cluster: as ``slurm.conf`` has them, or ``scontrol show partition`` as text or JSON."""

import dataclasses
from collections.abc import Iterable, Mapping, Sequence

from schedcore.errors import InvalidInstanceError
from schedcore.model.real_numbers import shown
from schedcore.workloads.reading.hostlists import expand_hostlist

from .json_output import JsonObject
from .nodes import SlurmNode
from .records import Record

__all__ = ["SlurmPartition", "partitions_of_json", "partitions_of_nodes", "partitions_of_records"]


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class SlurmPartition:
    """A partition.

    Parameters
    ----------
    name : str
    nodes : tuple of str
        Their names.
    is_default : bool
        Whether jobs that name no partition go there.
    max_time, default_time : float or None
        Seconds; infinite without a limit, None where nothing is said.
    max_nodes, min_nodes : int or None
    tier, job_factor : int
        PriorityTier and PriorityJobFactor.
    allow_accounts, deny_accounts, allow_qos, deny_qos : tuple of str
        Empty: all, or none.
    oversubscribe : str
        NO, YES, FORCE or EXCLUSIVE, perhaps with a number as ``FORCE:4``.
    preempt_mode : str
        As written; empty where nothing is said.
    state : str
        UP, DOWN, DRAIN or INACTIVE.
    default_memory_per_cpu, default_memory_per_node : float or None
        MB.
    qos : str
        The QOS whose limits hold for the partition.
    others : tuple of (str, str)
        What else it restricts, as (setting, value).
    place : str
    """

    name: str
    nodes: tuple[str, ...] = ()
    is_default: bool = False
    max_time: float | None = None
    default_time: float | None = None
    max_nodes: int | None = None
    min_nodes: int | None = None
    tier: int = 1
    job_factor: int = 1
    allow_accounts: tuple[str, ...] = ()
    deny_accounts: tuple[str, ...] = ()
    allow_qos: tuple[str, ...] = ()
    deny_qos: tuple[str, ...] = ()
    oversubscribe: str = "NO"
    preempt_mode: str = ""
    state: str = "UP"
    default_memory_per_cpu: float | None = None
    default_memory_per_node: float | None = None
    qos: str = ""
    others: tuple[tuple[str, str], ...] = ()
    place: str = ""

    @property
    def starts_jobs(self) -> bool:
        """Whether jobs that wait in it may start."""
        return self.state in ("UP", "DRAIN")

    @property
    def shares_processors(self) -> bool:
        """Whether its jobs may hold the same processors."""
        return self.oversubscribe.startswith(("YES", "FORCE"))

    def takes_account(self, account: str | None) -> bool:
        """Whether jobs of an account may be in it."""
        if self.allow_accounts:
            return account in self.allow_accounts
        return account not in self.deny_accounts

    def takes_qos(self, qos: str | None) -> bool:
        """Whether jobs of a QOS may be in it."""
        return qos in self.allow_qos if self.allow_qos else qos not in self.deny_qos


# Settings that restrict jobs and are not modelled, and the value that does nothing.
_RESTRICTING = {
    "AllowGroups": "ALL",
    "AllocNodes": "ALL",
    "Exclusive": "NO",
    "ExclusiveUser": "NO",
    "ExclusiveTopo": "NO",
    "GraceTime": "0",
    "LLN": "NO",
    "MaxCPUsPerNode": "UNLIMITED",
    "MaxCPUsPerSocket": "UNLIMITED",
    "MaxMemPerCPU": "UNLIMITED",
    "MaxMemPerNode": "UNLIMITED",
    "OverTimeLimit": "NONE",
    "ReqResv": "NO",
    "RootOnly": "NO",
    "SuspendTime": "",
    "Topology": "",
}
_NOTHING = ("", "0", "NONE", "N/A", "(NULL)", "NO", "UNLIMITED", "ALL")


def partitions_of_records(
    records: Iterable[Record], known_nodes: Sequence[str], node_sets: Mapping[str, Sequence[str]]
) -> list[SlurmPartition]:
    """Return the partitions of ``slurm.conf`` or ``scontrol show partition``.

    Parameters
    ----------
    known_nodes : sequence of str
        What ``Nodes=ALL`` means.
    node_sets : mapping of str to sequence of str
        Name -> nodes, which ``Nodes`` may name.
    """
    return _unique(
        [
            SlurmPartition(
                name=record.needed("PartitionName"),
                nodes=_nodes(record.text("Nodes"), known_nodes, node_sets, record.place),
                is_default=record.is_yes("Default"),
                max_time=record.seconds("MaxTime"),
                default_time=record.seconds("DefaultTime"),
                max_nodes=record.count("MaxNodes"),
                min_nodes=record.count("MinNodes"),
                tier=_number(record, "PriorityTier", "Priority"),
                job_factor=_number(record, "PriorityJobFactor", "Priority"),
                allow_accounts=_names(record.text("AllowAccounts")),
                deny_accounts=_names(record.text("DenyAccounts")),
                allow_qos=_names(record.text("AllowQos")),
                deny_qos=_names(record.text("DenyQos")),
                oversubscribe=(record.text("OverSubscribe", "Shared") or "NO").upper(),
                preempt_mode=(record.text("PreemptMode") or "").upper(),
                state=(record.text("State") or "UP").upper(),
                default_memory_per_cpu=record.megabytes("DefMemPerCPU"),
                default_memory_per_node=record.megabytes("DefMemPerNode"),
                qos=record.text("QoS") or "",
                others=tuple(
                    (setting, text)
                    for setting, harmless in _RESTRICTING.items()
                    if (text := record.text(setting)) is not None
                    and text.upper() not in (harmless, *_NOTHING)
                ),
                place=record.place,
            )
            for record in records
        ]
    )


def partitions_of_json(
    objects: Iterable[JsonObject], known_nodes: Sequence[str], node_sets: Mapping[str, Sequence[str]]
) -> list[SlurmPartition]:
    """Return the partitions of ``scontrol show partition --json``, from 23.02 on."""
    return _unique(
        [
            SlurmPartition(
                name=each.needed("name"),
                nodes=_nodes(each.text("nodes.configured"), known_nodes, node_sets, each.place),
                is_default="DEFAULT" in map(str.upper, each.words("flags")),
                max_time=_minutes(each.number("maximums.time")),
                default_time=_minutes(each.number("defaults.time")),
                max_nodes=each.count("maximums.nodes"),
                min_nodes=each.count("minimums.nodes"),
                tier=_or_1(each.count("priority.tier")),
                job_factor=_or_1(each.count("priority.job_factor")),
                allow_accounts=_names(each.text("accounts.allowed")),
                deny_accounts=_names(each.text("accounts.deny")),
                allow_qos=_names(each.text("qos.allowed")),
                deny_qos=_names(each.text("qos.deny")),
                oversubscribe=_oversubscribe(each),
                preempt_mode=(each.text("preempt_mode") or "").upper(),
                state=(each.text("partition.state") or "UP").upper(),
                default_memory_per_cpu=each.number(
                    "defaults.partition_memory_per_cpu", "defaults.memory_per_cpu"
                ),
                default_memory_per_node=each.number("defaults.partition_memory_per_node"),
                qos=each.text("qos.assigned") or "",
                place=each.place,
            )
            for each in objects
        ]
    )


def partitions_of_nodes(nodes: Iterable[SlurmNode]) -> list[SlurmPartition]:
    """Return the partitions that nodes say they are in, of which nothing else is known."""
    members: dict[str, list[str]] = {}
    for node in nodes:
        for name in node.partitions:
            members.setdefault(name, []).append(node.name)
    return [SlurmPartition(name=name, nodes=tuple(hosts)) for name, hosts in members.items()]


def _oversubscribe(each: JsonObject) -> str:
    jobs, flags = (
        each.count("maximums.oversubscribe.jobs"),
        set(map(str.upper, each.words("maximums.oversubscribe.flags"))),
    )
    if jobs == 0 or "EXCLUSIVE" in flags:
        return "EXCLUSIVE"
    if "FORCE" in flags:
        return f"FORCE:{jobs or 4}"
    return "NO" if jobs in (None, 1) else f"YES:{jobs}"


def _minutes(number: float | None) -> float | None:
    return None if number is None else number * 60


def _or_1(number: int | None) -> int:
    return 1 if number is None else number


def _number(record: Record, *names: str) -> int:
    return _or_1(record.count(*names))


def _names(text: str | None) -> tuple[str, ...]:
    names = tuple(filter(None, (name.strip() for name in (text or "").split(","))))
    return () if "ALL" in map(str.upper, names) else names


def _nodes(
    text: str | None, known: Sequence[str], node_sets: Mapping[str, Sequence[str]], place: str
) -> tuple[str, ...]:
    if text is None:
        return ()
    if text.upper() == "ALL":
        return tuple(known)
    try:
        names = expand_hostlist(text)
    except InvalidInstanceError as error:
        raise InvalidInstanceError(f"{place}: Nodes: {error}") from None
    hosts = [
        host for name in names for host in node_sets.get(name, known if name.upper() == "ALL" else (name,))
    ]
    present = set(known)
    for host in hosts:
        if host not in present:
            raise InvalidInstanceError(f"{place}: Nodes: there is no node {shown(repr(host))}")
    return tuple(dict.fromkeys(hosts))


def _unique(partitions: list[SlurmPartition]) -> list[SlurmPartition]:
    first: dict[str, SlurmPartition] = {}
    for partition in partitions:
        earlier = first.setdefault(partition.name, partition)
        if earlier is not partition:
            raise InvalidInstanceError(
                f"{partition.place}: partition {partition.name} stands at {earlier.place} already"
            )
    return partitions
