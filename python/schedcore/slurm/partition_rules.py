"""From the partitions of Slurm to those of a `Site`, and what of them has no counterpart."""

import math
from collections.abc import Sequence

from schedcore.model import Partition

from .cluster_machines import partition_label
from .not_modelled import NotModelled
from .partitions import SlurmPartition

__all__ = ["partition_rules"]


def partition_rules(partitions: Sequence[SlurmPartition]) -> tuple[list[Partition], list[NotModelled]]:
    """Return partitions as constraints over labels, with tiers, limits of time and factors.

    The factor is PriorityJobFactor in shares of the greatest one, as Slurm has it. MaxNodes bounds the number of
    tasks, which are nodes where a job says ``-N``; other jobs are shaped so that they keep to it.
    """
    greatest = max((partition.job_factor for partition in partitions), default=0)
    rules, findings = list[Partition](), list[NotModelled]()
    for partition in partitions:
        limited = partition.max_time is not None and 0 < partition.max_time < math.inf
        rules.append(
            Partition(
                partition.name,
                partition_label(partition.name),
                partition.max_time if limited else None,
                partition.max_nodes or None,
                partition.tier,
                partition.job_factor / greatest if greatest else 0.0,
            )
        )
        findings += _restrictions(partition)
    return rules, findings


def _restrictions(partition: SlurmPartition) -> list[NotModelled]:
    scope = f"partition={partition.name}"
    found: list[tuple[str, str, str]] = [
        (setting, value, "this is not modelled") for setting, value in partition.others
    ]
    for setting, names in (
        ("AllowAccounts", partition.allow_accounts),
        ("DenyAccounts", partition.deny_accounts),
        ("AllowQos", partition.allow_qos),
        ("DenyQos", partition.deny_qos),
    ):
        if names:
            found.append(
                (setting, ",".join(names), "jobs that it keeps out may start here; those are counted")
            )
    if partition.min_nodes is not None and partition.min_nodes > 1:
        found.append(("MinNodes", str(partition.min_nodes), "smaller jobs may start"))
    kind = partition.oversubscribe.partition(":")[0]
    if kind in ("YES", "FORCE") and partition.oversubscribe != "FORCE:1":
        found.append(("OverSubscribe", partition.oversubscribe, "jobs never share processors"))
    if not partition.starts_jobs:
        found.append(("State", partition.state, "its jobs are held"))
    if partition.qos:
        found.append(("QoS", partition.qos, "the limits of this QOS on the whole partition are not modelled"))
    return [NotModelled(f"partition: {setting}", value, why, scope) for setting, value, why in found]
