"""The nodes of a cluster as ``slurm.conf``, ``scontrol show node``, or ``sinfo --json`` of 22.05 tells of them."""

import dataclasses
import math
import re
from collections.abc import Iterable

from schedcore.errors import InvalidInstanceError
from schedcore.workloads.reading.hostlists import expand_hostlist

from .json_output import JsonObject
from .records import Record
from .values import gres_amounts

__all__ = [
    "SlurmNode",
    "nodes_of_configuration",
    "nodes_of_json",
    "nodes_of_records",
    "read_features",
    "read_gres",
    "read_hosts",
    "read_states",
    "unique_nodes",
    "whole",
]

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
        "BLOCKED",
    }
)
_SYMBOLS = {
    "*": "NO_RESPOND",
    "@": "REBOOT_REQUESTED",
    "^": "REBOOT_ISSUED",
    "%": "POWERING_DOWN",
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
    cpus_allocated : int or None
        How many processors jobs hold; None where that is not told.
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
    cpus_allocated: int | None = None
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
        hosts = read_hosts(record.needed("NodeName"), record.place)
        described = SlurmNode(
            name="",
            cpus=record.count("CPUs", "Procs") or math.prod(cores) * sockets,
            memory=_memory(record),
            gres=read_gres(record.text("Gres"), record.place),
            features=read_features(record.text("Features", "Feature")),
            weight=record.count("Weight") or 1,
            threads_per_core=cores[2],
            state=read_states(record.text("State"), of_configuration=True),
            place=record.place,
        )
        nodes += [dataclasses.replace(described, name=host) for host in hosts]
    return unique_nodes(nodes)


def nodes_of_records(records: Iterable[Record]) -> list[SlurmNode]:
    """Return the nodes of ``scontrol show node``."""
    return unique_nodes(
        [
            SlurmNode(
                name=record.needed("NodeName"),
                cpus=record.count("CPUEfctv", "CPUTot") or 0,
                memory=_memory(record),
                gres=read_gres(record.text("Gres"), record.place),
                features=read_features(record.text("ActiveFeatures", "AvailableFeatures", "Features")),
                partitions=read_features(record.text("Partitions")),
                weight=record.count("Weight") or 1,
                threads_per_core=record.count("ThreadsPerCore") or 1,
                cpus_allocated=record.count("CPUAlloc"),
                state=read_states(record.needed("State")),
                place=record.place,
            )
            for record in records
        ]
    )


def nodes_of_json(objects: Iterable[JsonObject]) -> list[SlurmNode]:
    """Return the nodes of ``sinfo --json`` of 22.05, or of ``scontrol show node --json``."""
    return unique_nodes(
        [
            SlurmNode(
                name=node.needed("name", "hostname"),
                cpus=node.count("effective_cpus") or node.count("cpus") or 0,
                memory=max(1, whole(node.number("real_memory"), 1) - (node.count("specialized_memory") or 0)),
                gres=read_gres(node.text("gres"), node.place),
                features=node.words("active_features") or node.words("features"),
                partitions=node.words("partitions"),
                weight=node.count("weight") or 1,
                threads_per_core=node.count("threads") or 1,
                cpus_allocated=node.count("alloc_cpus"),
                state=read_states("+".join((*node.words("state"), *node.words("state_flags")))),
                place=node.place,
            )
            for node in objects
        ]
    )


def _memory(record: Record) -> int:
    """Return MB that jobs may have: all but what is kept for the system."""
    return max(1, whole(record.megabytes("RealMemory"), 1) - whole(record.megabytes("MemSpecLimit"), 0))


def read_hosts(hostlist: str, place: str) -> tuple[str, ...]:
    """Return the names that a hostlist at a place stands for."""
    try:
        return expand_hostlist(hostlist)
    except InvalidInstanceError as error:
        raise InvalidInstanceError(f"{place}: {error}") from None


def unique_nodes(nodes: list[SlurmNode]) -> list[SlurmNode]:
    """Return the nodes; an error that names the one that is there twice."""
    first: dict[str, SlurmNode] = {}
    for node in nodes:
        earlier = first.setdefault(node.name, node)
        if earlier is not node:
            raise InvalidInstanceError(f"{node.place}: node {node.name} stands at {earlier.place} already")
    return nodes


def read_states(text: str | None, *, of_configuration: bool = False) -> tuple[str, ...]:
    """Return a state and its flags, as ``IDLE+DRAIN`` or ``down*``. UNKNOWN in a configuration is no state."""
    states: list[str] = []
    for word in re.split(r"[+,]", (text or "").upper()):
        bare = word.rstrip("*~#!%$@^-")
        states += [bare, *(_SYMBOLS[symbol] for symbol in word[len(bare) :] if symbol in _SYMBOLS)]
    if of_configuration and states[0] in ("UNKNOWN", "CLOUD"):
        return ()
    return tuple(filter(None, states))


def read_gres(text: str | None, place: str) -> tuple[tuple[str, str, int], ...]:
    """Return generic resources as (name, type, number)."""
    try:
        return tuple(
            (name, kind, number) for (name, kind), number in gres_amounts(text or "").items() if number
        )
    except InvalidInstanceError as error:
        raise InvalidInstanceError(f"{place}: Gres: {error}") from None


def read_features(text: str | None) -> tuple[str, ...]:
    """Return names between commas."""
    return tuple(filter(None, (word.strip() for word in (text or "").split(","))))


def whole(amount: float | None, least: int) -> int:
    """Return an amount as a whole number, `least` where none is said."""
    return least if amount is None or amount == math.inf else math.floor(amount)
