"""The nodes of a cluster from ``sinfo``: as text with ``|`` between its fields, and as JSON from 23.02 on."""

import dataclasses
from collections.abc import Iterable

from schedcore.errors import InvalidInstanceError

from .json_output import JsonObject
from .nodes import SlurmNode, read_features, read_gres, read_hosts, read_states, whole
from .records import Record

__all__ = ["SINFO_FORMAT", "nodes_of_sinfo", "nodes_of_sinfo_text"]

#: What `sinfo -N -o` is asked for; every version knows these.
SINFO_FORMAT = "%N|%P|%T|%c|%m|%w|%f|%G"

_NEEDED = ("NODELIST", "STATE", "CPUS", "MEMORY")


def nodes_of_sinfo_text(text: str, source: str) -> list[SlurmNode]:
    """Return the nodes of ``sinfo -N -o`` with ``|`` between its fields, a line for each node of each partition.

    Raises
    ------
    InvalidInstanceError
        For an output without the needed fields, a line of another number of fields, and amounts such as ``8+``, which
        sinfo writes where several nodes differ; names the file and the line.
    """
    lines = [(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    columns = [name.strip().upper() for name in lines[0][1].split("|")] if lines else []
    absent = [name for name in _NEEDED if name not in columns]
    if absent:
        raise InvalidInstanceError(
            f"{source}: no {', '.join(absent)} among names with | between them; save scontrol -o show node, "
            f"or sinfo -N -o '{SINFO_FORMAT}'"
        )
    told = []
    for number, line in lines[1:]:
        place, fields = f"{source}: line {number}", [field.strip() for field in line.split("|")]
        if len(fields) != len(columns):
            raise InvalidInstanceError(
                f"{place}: {len(fields)} fields, but the first line names {len(columns)}"
            )
        record = Record(dict(zip(columns, fields, strict=True)), place)
        described = SlurmNode(
            name="",
            cpus=record.count("CPUS") or 0,
            memory=whole(record.megabytes("MEMORY"), 1),
            gres=read_gres(record.text("GRES"), place),
            features=read_features(record.text("AVAIL_FEATURES", "ACTIVE_FEATURES", "FEATURES")),
            partitions=read_features((record.text("PARTITION") or "").rstrip("*")),
            weight=record.count("WEIGHT") or 1,
            state=read_states(record.needed("STATE")),
            place=place,
        )
        told += [
            dataclasses.replace(described, name=host) for host in read_hosts(record.needed("NODELIST"), place)
        ]
    return _in_all_partitions(told)


def nodes_of_sinfo(objects: Iterable[JsonObject]) -> list[SlurmNode]:
    """Return the nodes of ``sinfo --json`` from 23.02 on, which groups alike ones, a group for each partition.

    Raises
    ------
    InvalidInstanceError
        For a group of nodes that differ in processors or memory: what each one has is not told.
    """
    told = []
    for group in objects:
        for least, most in (("cpus.minimum", "cpus.maximum"), ("memory.minimum", "memory.maximum")):
            if group.number(least) != group.number(most):
                raise InvalidInstanceError(
                    f"{group.place}: {least} = {group.number(least):g}, but {most} = {group.number(most):g}: what each "
                    "of these nodes has is not told; save scontrol -o show node as well"
                )
        names = group.words("nodes.nodes") or group.words("nodes.hostnames")
        for host in (host for name in names for host in read_hosts(name, group.place)):
            node = SlurmNode(
                name=host,
                cpus=group.count("cpus.maximum") or 0,
                memory=whole(group.number("memory.maximum"), 1),
                gres=read_gres(group.text("gres.total"), group.place),
                features=group.words("features.active") or group.words("features.total"),
                partitions=group.words("partition.name"),
                weight=group.count("weight.maximum") or 1,
                threads_per_core=group.count("threads.maximum") or 1,
                state=read_states("+".join(group.words("node.state"))),
                place=group.place,
            )
            told.append(node)
    return _in_all_partitions(told)


def _in_all_partitions(told: Iterable[SlurmNode]) -> list[SlurmNode]:
    """Return each node once, in all the partitions that it was told of."""
    first: dict[str, SlurmNode] = {}
    partitions: dict[str, list[str]] = {}
    for node in told:
        first.setdefault(node.name, node)
        partitions.setdefault(node.name, []).extend(node.partitions)
    return [
        dataclasses.replace(node, partitions=tuple(dict.fromkeys(partitions[name])))
        for name, node in first.items()
    ]
