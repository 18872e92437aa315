"""From the nodes of a cluster to `Machines`: names, capacities, labels, weights."""

import dataclasses
from collections.abc import Mapping, Sequence

import numpy as np

from schedcore.errors import InvalidInstanceError
from schedcore.model import Machines
from schedcore.model.arrays import IntArray

from .feature_requests import label
from .nodes import SlurmNode
from .not_modelled import NotModelled
from .partitions import SlurmPartition

__all__ = ["Resources", "machines_of_nodes", "partition_label", "resources_of_nodes"]


@dataclasses.dataclass(frozen=True)
class Resources:
    """Which resources the scheduler of the site hands out.

    Parameters
    ----------
    memory : bool
        Whether memory is one of them (``CR_*_Memory``).
    gres : tuple of str
        The generic ones, such as "gpu".
    """

    memory: bool
    gres: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """``cpu``, perhaps ``memory``, and the generic ones."""
        return ("cpu", *(("memory",) if self.memory else ()), *self.gres)

    def vector(self, cpus: int, memory: int, gres: Mapping[str, int]) -> tuple[int, ...]:
        """Return amounts in the order of `names`."""
        return (cpus, *((memory,) if self.memory else ()), *(gres.get(name, 0) for name in self.gres))


def resources_of_nodes(nodes: Sequence[SlurmNode], *, memory: bool) -> Resources:
    """Return what these nodes have; generic resources in order of first appearance."""
    return Resources(memory, tuple(dict.fromkeys(name for node in nodes for name, _, _ in node.gres)))


def partition_label(name: str) -> str:
    """Return the label of the machines of a partition, as ``partition=batch``."""
    return f"partition={label(name)}"


def machines_of_nodes(
    nodes: Sequence[SlurmNode],
    partitions: Sequence[SlurmPartition],
    resources: Resources,
    named: Sequence[str] = (),
) -> tuple[Machines, list[NotModelled]]:
    """Return the machines, and what of them cannot be modelled.

    Parameters
    ----------
    named : sequence of str
        Nodes that jobs name one by one; they carry a label ``node=NAME``.

    Notes
    -----
    Labels are the features, ``partition=NAME`` for every partition, and the types of generic resources (``a100``).
    """
    if not nodes:
        raise InvalidInstanceError(
            "no node is known: save scontrol -o show node, or give slurm.conf with its nodes"
        )
    in_partitions: dict[str, list[str]] = {}
    for partition in partitions:
        for host in partition.nodes:
            in_partitions.setdefault(host, []).append(partition_label(partition.name))
    by_name, findings = frozenset(named), list[NotModelled]()
    labels = []
    for node in nodes:
        own = {label(feature) for feature in node.features} | {
            label(kind) for _, kind, _ in node.gres if kind
        }
        own.update(in_partitions.get(node.name, ()))
        if node.name in by_name:
            own.add(f"node={label(node.name)}")
        labels.append(sorted(own))
        for name in {name for name, _, _ in node.gres}:
            types = [kind for other, kind, _ in node.gres if other == name]
            if len(types) > 1:
                findings.append(
                    NotModelled(
                        f"node: Gres {name}",
                        ",".join(types),
                        "a node with several types of one resource counts them together",
                    )
                )
    capacity: IntArray = np.array(
        [
            resources.vector(node.cpus, node.memory, {name: node.of_gres(name) for name in resources.gres})
            for node in nodes
        ],
        dtype=np.int64,
    )
    machines = Machines(
        capacity,
        resources.names,
        names=[node.name for node in nodes],
        labels=labels,
        weight=[node.weight for node in nodes],
    )
    return machines, findings
