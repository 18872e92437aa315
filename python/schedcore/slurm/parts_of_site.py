"""All that files and commands say of a site, before anything is made of it."""

import dataclasses
from collections.abc import Sequence

from .accounting import Association, QosRow, read_associations, read_qos
from .configuration import Configuration
from .nodes import SlurmNode, nodes_of_configuration
from .partitions import SlurmPartition, partitions_of_nodes, partitions_of_records
from .saved_files import SavedFiles

__all__ = ["SiteParts"]


@dataclasses.dataclass(frozen=True)
class SiteParts:
    """What the files and commands of a site say, before anything is made of it.

    Parameters
    ----------
    configuration : Configuration
    nodes : tuple of SlurmNode
    partitions : tuple of SlurmPartition
    associations : tuple of Association
    qos : tuple of QosRow
    """

    configuration: Configuration
    nodes: tuple[SlurmNode, ...]
    partitions: tuple[SlurmPartition, ...]
    associations: tuple[Association, ...] = ()
    qos: tuple[QosRow, ...] = ()

    @classmethod
    def of_files(cls, files: SavedFiles, configuration: Configuration) -> "SiteParts":
        """Return what saved output says; nodes and partitions that no command told are those of ``slurm.conf``."""
        nodes = files.nodes() or nodes_of_configuration(configuration.nodes)
        return cls(
            configuration,
            tuple(nodes),
            tuple(
                files.partitions(nodes) or _partitions_of(configuration, nodes) or partitions_of_nodes(nodes)
            ),
            tuple(read_associations(*files.text("associations"))) if files.has("associations") else (),
            tuple(read_qos(*files.text("qos"))) if files.has("qos") else (),
        )


def _partitions_of(configuration: Configuration, nodes: Sequence[SlurmNode]) -> list[SlurmPartition]:
    known = [node.name for node in nodes]
    sets: dict[str, list[str]] = {}
    for record in configuration.node_sets:
        feature = record.text("Feature")
        named = partitions_of_records(
            [record.with_defaults({"partitionname": record.needed("NodeSet")})], known, {}
        )[0].nodes
        sets.setdefault(record.needed("NodeSet"), []).extend(
            named or [node.name for node in nodes if feature in node.features]
        )
    return partitions_of_records(configuration.partitions, known, sets)
