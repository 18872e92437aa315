"""The nodes of a cluster: as ``slurm.conf`` names them, ``scontrol show node`` prints them, or ``sinfo --json``."""

import dataclasses
import math
import re
from collections.abc import Iterable, Mapping

from schedcore.errors import InvalidInstanceError
from schedcore.workloads.reading.hostlists import expand_hostlist

from .json_output import JsonObject
from .records import Record
from .values import gres_amounts

__all__ = ["SlurmNode", "nodes_of_configuration", "nodes_of_json", "nodes_of_records", "nodes_of_sinfo"]

# States, and flags of states, in which a node takes no job; symbols are those that sinfo appends to a state.
_DOWN = frozenset(
    {
        "DOWN",
        "FAIL",
        "FAILED",
        "FAILING",
        "ERROR",
        "FUTURE",
        "UNKNOWN",
    }
) | {"INVALID", "INVALID_REG", "INVAL", "POWERING_DOWN", "POWER_DRAIN"}
_CLOSED = frozenset(
    {
        "NO_RESPOND",
        "NOT_RESPONDING",
        "DRAIN",
        "DRAINED",
        "DRAINING",
        "DRNG",
        "REBOOT",
        "REBOOT_REQUESTED",
        "REBOOT_ISSUED",
        "MAINT",
        "BLOCKED",
    }
)
_SYMBOLS = {
    "*": "NO_RESPOND",
    "@": "REBOOT_REQUESTED",
    "^": "REBOOT_ISSUED",
    "%": "POWERING_DOWN",
    "$": "MAINT",
}


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class SlurmNode:
    """A node.

    Parameters
    ----------
    name : str
    cpus : int
    memory : int
        MB.
    gres : tuple of (str, str, int)
        Name, type (empty where none is said) and number of generic resources.
    features : tuple of str
        The active ones.
    partitions : tuple of str
        Where the node itself tells them.
    weight : int
    threads_per_core : int
    state : tuple of str
        The state and its flags in capitals; none from a configuration.
    place : str
        Where it is written.
    """

    name: str
    cpus: int
    memory: int
    gres: tuple[tuple[str, str, int], ...] = ()
    features: tuple[str, ...] = ()
    partitions: tuple[str, ...] = ()
    weight: int = 1
    threads_per_core: int = 1
    state: tuple[str, ...] = ()
    place: str = ""

    @property
    def is_down(self) -> bool:
        """Whether it is not there at all: nothing can run on it."""
        return not _DOWN.isdisjoint(self.state)

    @property
    def is_closed(self) -> bool:
        """Whether it takes no more jobs, those on it run on; also if it is down."""
        return self.is_down or not _CLOSED.isdisjoint(self.state)

    def of_gres(self, name: str) -> int:
        """Return how many of a generic resource it has, of all types."""
        return sum(number for kind, _, number in self.gres if kind == name)


def nodes_of_configuration(records: Iterable[Record]) -> list[SlurmNode]:
    """Return the nodes of the lines ``NodeName=`` of ``slurm.conf``."""
    nodes = []
    for record in records:
        cores = [record.count(name) or 1 for name in ("Boards", "CoresPerSocket", "ThreadsPerCore")]
        sockets = record.count("SocketsPerBoard", "Sockets") or 1
        hosts = _hosts(record.needed("NodeName"), record.place)
        described = SlurmNode(
            name="",
            cpus=record.count("CPUs", "Procs") or math.prod(cores) * sockets,
            memory=_whole(record.megabytes("RealMemory"), 1),
            gres=_gres(record.text("Gres"), record.place),
            features=_features(record.text("Features", "Feature")),
            weight=record.count("Weight") or 1,
            threads_per_core=cores[2],
            state=_states(record.text("State"), of_configuration=True),
            place=record.place,
        )
        nodes += [dataclasses.replace(described, name=host) for host in hosts]
    return _unique(nodes)


def nodes_of_records(records: Iterable[Record]) -> list[SlurmNode]:
    """Return the nodes of ``scontrol show node``."""
    return _unique(
        [
            SlurmNode(
                name=record.needed("NodeName"),
                cpus=record.count("CPUEfctv", "CPUTot") or 0,
                memory=_whole(record.megabytes("RealMemory"), 1),
                gres=_gres(record.text("Gres"), record.place),
                features=_features(record.text("ActiveFeatures", "AvailableFeatures", "Features")),
                partitions=_features(record.text("Partitions")),
                weight=record.count("Weight") or 1,
                threads_per_core=record.count("ThreadsPerCore") or 1,
                state=_states(record.needed("State")),
                place=record.place,
            )
            for record in records
        ]
    )


def nodes_of_json(objects: Iterable[JsonObject]) -> list[SlurmNode]:
    """Return the nodes of ``sinfo --json`` of 22.05, or of ``scontrol show node --json``."""
    return _unique(
        [
            SlurmNode(
                name=node.needed("name", "hostname"),
                cpus=node.count("effective_cpus") or node.count("cpus") or 0,
                memory=_whole(node.number("real_memory"), 1),
                gres=_gres(node.text("gres"), node.place),
                features=node.words("active_features") or node.words("features"),
                partitions=node.words("partitions"),
                weight=node.count("weight") or 1,
                threads_per_core=node.count("threads") or 1,
                state=_states("+".join((*node.words("state"), *node.words("state_flags")))),
                place=node.place,
            )
            for node in objects
        ]
    )


def nodes_of_sinfo(objects: Iterable[JsonObject]) -> list[SlurmNode]:
    """Return the nodes of ``sinfo --json`` from 23.02 on, which groups alike ones, a group for each partition.

    Raises
    ------
    InvalidInstanceError
        For a group of nodes that differ in processors or memory: what each one has is not told.
    """
    partitions: dict[str, list[str]] = {}
    first: dict[str, SlurmNode] = {}
    for group in objects:
        for least, most in (("cpus.minimum", "cpus.maximum"), ("memory.minimum", "memory.maximum")):
            if group.number(least) != group.number(most):
                raise InvalidInstanceError(
                    f"{group.place}: {least} = {group.number(least):g}, but {most} = {group.number(most):g}: what each "
                    "of these nodes has is not told; save scontrol -o show node as well"
                )
        names = group.words("nodes.nodes") or group.words("nodes.hostnames")
        for host in (host for name in names for host in _hosts(name, group.place)):
            node = SlurmNode(
                name=host,
                cpus=group.count("cpus.maximum") or 0,
                memory=_whole(group.number("memory.maximum"), 1),
                gres=_gres(group.text("gres.total"), group.place),
                features=group.words("features.active") or group.words("features.total"),
                weight=group.count("weight.maximum") or 1,
                threads_per_core=group.count("threads.maximum") or 1,
                state=_states("+".join(group.words("node.state"))),
                place=group.place,
            )
            first.setdefault(host, node)
            partitions.setdefault(host, []).extend(filter(None, [group.text("partition.name")]))
    return [
        dataclasses.replace(node, partitions=tuple(dict.fromkeys(partitions[node.name])))
        for node in first.values()
    ]


def _hosts(hostlist: str, place: str) -> tuple[str, ...]:
    try:
        return expand_hostlist(hostlist)
    except InvalidInstanceError as error:
        raise InvalidInstanceError(f"{place}: {error}") from None


def _unique(nodes: list[SlurmNode]) -> list[SlurmNode]:
    first: Mapping[str, SlurmNode] = {}
    for node in nodes:
        earlier = first.setdefault(node.name, node)  # type: ignore[attr-defined]
        if earlier is not node:
            raise InvalidInstanceError(f"{node.place}: node {node.name} stands at {earlier.place} already")
    return nodes


def _states(text: str | None, *, of_configuration: bool = False) -> tuple[str, ...]:
    """Return a state and its flags, as ``IDLE+DRAIN`` or ``down*``. UNKNOWN in a configuration is no state."""
    states: list[str] = []
    for word in re.split(r"[+,]", (text or "").upper()):
        bare = word.rstrip("*~#!%$@^-")
        states += [bare, *(_SYMBOLS[symbol] for symbol in word[len(bare) :] if symbol in _SYMBOLS)]
    if of_configuration and states[0] in ("UNKNOWN", "CLOUD"):
        return ()
    return tuple(filter(None, states))


def _gres(text: str | None, place: str) -> tuple[tuple[str, str, int], ...]:
    try:
        return tuple(
            (name, kind, number) for (name, kind), number in gres_amounts(text or "").items() if number
        )
    except InvalidInstanceError as error:
        raise InvalidInstanceError(f"{place}: Gres: {error}") from None


def _features(text: str | None) -> tuple[str, ...]:
    return tuple(filter(None, (word.strip() for word in (text or "").split(","))))


def _whole(amount: float | None, least: int) -> int:
    return least if amount is None or amount == math.inf else math.floor(amount)
