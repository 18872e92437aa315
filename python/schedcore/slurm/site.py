"""A site as its configuration describes it: machines, rules, policy, and what of it cannot be modelled.

`read_site` reads ``slurm.conf`` and, where they are saved, ``sacctmgr dump`` and ``sacctmgr -P show qos``.
"""

import dataclasses
import functools
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from schedcore.model import Jobs, Machines, Site

from .accounting import Association
from .backfill_settings import policy_of_site
from .cluster_machines import Resources, machines_of_nodes, resources_of_nodes
from .configuration import Configuration
from .limit_rules import limit_rules, limits_are_enforced
from .nodes import SlurmNode
from .not_modelled import EVERYBODY, NotModelled, merged
from .partition_rules import partition_rules
from .partitions import SlurmPartition
from .parts_of_site import SiteParts
from .preemption_rules import preemption_rule, service_classes
from .priority_rules import queue_order, shares_of_accounts
from .saved_files import SavedFiles

__all__ = ["SlurmSite", "read_site", "site_of_parts"]


@dataclasses.dataclass(frozen=True)
class SlurmSite:
    """What the configuration of a cluster says.

    Parameters
    ----------
    machines : Machines
        The nodes by name. Resources: ``cpu``, ``memory`` in MB where the scheduler hands it out, and generic ones such
        as ``gpu``. Labels: features, ``partition=NAME``, and the types of generic resources. Weights as Slurm's.
    site : Site
        Partitions, service classes (QOS), limits, shares, the order of the queue, preemption.
    policy : str
        Name of the policy that is nearest to the scheduler of the site.
    options : mapping of str
        Its options.
    interval : float or None
        Seconds between two plans (``bf_interval``); None: at every event.
    not_modelled : tuple of NotModelled
        What cannot be modelled, without numbers of jobs; `touched_by` counts them.
    parts : SiteParts
        What all of this was made of.
    resources : Resources
    exclusive : bool
        Whether jobs always have nodes for themselves (``select/linear``).
    default_memory : tuple of (float or None, float or None)
        MB per processor and per node of jobs that do not say.
    whole_cores : int
        Processors that are given together: threads of a core, where cores are handed out and all nodes have alike ones.
    classes_are_partitions : bool
        Whether the service class of a job is its partition, because the tiers of partitions decide who preempts.

    Examples
    --------
    ``sc.solve(site.policy, instance, site=site.site, **site.options)`` runs a workload under these rules.
    """

    machines: Machines
    site: Site
    policy: str
    options: Mapping[str, Any]
    interval: float | None
    not_modelled: tuple[NotModelled, ...]
    parts: SiteParts
    resources: Resources
    exclusive: bool = False
    default_memory: tuple[float | None, float | None] = (None, None)
    whole_cores: int = 1
    classes_are_partitions: bool = False

    def touched_by(self, jobs: Jobs) -> tuple[NotModelled, ...]:
        """Return `not_modelled` with the number of these jobs that each may touch; O(n_jobs)."""
        counts = {
            f"{column}={name}": number
            for column in ("partition", "account", "service_class", "user")
            for name, number in Counter(getattr(jobs, column).tolist()).items()
            if name
        }
        kept_out = self._kept_out(jobs)
        return tuple(
            dataclasses.replace(
                finding,
                n_jobs=kept_out[finding.setting, finding.scope]
                if (finding.setting, finding.scope) in kept_out
                else jobs.n_jobs
                if finding.scope == EVERYBODY
                else counts.get(finding.scope, 0),
            )
            for finding in self.not_modelled
        )

    def _kept_out(self, jobs: Jobs) -> dict[tuple[str, str], int]:
        """How many jobs are in partitions that do not take their account, or their QOS."""
        members = Counter(
            zip(jobs.partition.tolist(), jobs.account.tolist(), jobs.service_class.tolist(), strict=True)
        )
        counts: dict[tuple[str, str], int] = {}
        for each in self.partitions:
            scope = f"partition={each.name}"
            for setting, restricts in (
                ("AllowAccounts", each.allow_accounts),
                ("DenyAccounts", each.deny_accounts),
                ("AllowQos", each.allow_qos),
                ("DenyQos", each.deny_qos),
            ):
                if restricts:
                    counts[f"partition: {setting}", scope] = sum(
                        number
                        for (partition, account, qos), number in members.items()
                        if partition == each.name
                        and not (
                            each.takes_account(account) if "Accounts" in setting else each.takes_qos(qos)
                        )
                    )
        return counts

    def partition(self, name: str) -> SlurmPartition | None:
        """Return a partition by name; None if there is none."""
        return self._partition_of.get(name)

    @functools.cached_property
    def _partition_of(self) -> dict[str, SlurmPartition]:
        return {each.name: each for each in reversed(self.partitions)}

    def default_memory_in(self, partition: SlurmPartition | None) -> tuple[float | None, float | None]:
        """Return MB per processor and per node of jobs in a partition that do not say."""
        if partition is not None and (partition.default_memory_per_cpu or partition.default_memory_per_node):
            return partition.default_memory_per_cpu, partition.default_memory_per_node
        return self.default_memory

    @property
    def nodes(self) -> tuple[SlurmNode, ...]:
        """The nodes, in the order of `machines`."""
        return self.parts.nodes

    @property
    def partitions(self) -> tuple[SlurmPartition, ...]:
        """The partitions in Slurm's own words."""
        return self.parts.partitions

    @property
    def unknown_settings(self) -> tuple[tuple[str, str], ...]:
        """Keys of ``slurm.conf`` that Slurm does not know, and where they stand."""
        return self.parts.configuration.unknown

    @property
    def default_partition(self) -> SlurmPartition | None:
        """Where jobs go that name none."""
        return next((each for each in self.partitions if each.is_default), None)


def read_site(paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]]) -> SlurmSite:
    """Read the configuration of a Slurm cluster.

    Parameters
    ----------
    paths : path-like, or iterable of path-like
        A folder with ``slurm.conf``, and perhaps ``sacctmgr.txt`` (``sacctmgr dump CLUSTER file=...``) and
        ``sacctmgr_qos.txt`` (``sacctmgr -P show qos``); or these files by name, of which the contents say what they
        are. Instead of ``slurm.conf`` with nodes, a folder may have ``scontrol_config.txt``, ``scontrol_node.txt`` and
        ``scontrol_partition.txt``.

    Returns
    -------
    SlurmSite

    Raises
    ------
    InvalidInstanceError
        For a line that cannot be read (names file and line), nodes or partitions that stand there twice, a partition of
        nodes that there are not, and a folder without a configuration.
    FileNotFoundError
        If a file is missing.

    Notes
    -----
    Settings that Slurm does not know are listed in `unknown_settings`; what cannot be modelled, in `not_modelled`.
    """
    files = SavedFiles.of(paths)
    return site_of_parts(SiteParts.of_files(files, files.configuration()))


def site_of_parts(parts: SiteParts) -> SlurmSite:
    """Return the site that the parts describe."""
    configuration, nodes, partitions = parts.configuration, parts.nodes, parts.partitions
    associations, qos = parts.associations, parts.qos
    select = (configuration.text("SelectType") or "select/cons_tres").lower().removeprefix("select/")
    consumable = {
        word.strip().upper() for word in (configuration.text("SelectTypeParameters") or "").split(",")
    }
    resources = resources_of_nodes(nodes, memory=any("MEMORY" in word for word in consumable))
    machines, of_machines = machines_of_nodes(nodes, partitions, resources)
    order, of_order = queue_order(configuration)
    rules, of_partitions = partition_rules(partitions)
    decides, preempt, of_preemption = preemption_rule(configuration)
    classes, of_classes = service_classes(qos, partitions, decides)
    enforced = limits_are_enforced(configuration)
    limits, of_limits = limit_rules(associations, qos, resources) if enforced else ([], [])
    shares, of_shares = (
        shares_of_accounts(associations)
        if associations and not isinstance(order, str) and order.fair_share
        else (None, [])
    )
    policy, options, interval, of_policy = policy_of_site(
        configuration, n_partitions=len(partitions), preempts=preempt is not None
    )
    threads = {node.threads_per_core for node in nodes}
    by_core = any(word.startswith(("CR_CORE", "CR_SOCKET")) for word in consumable)
    found = [
        *of_machines,
        *of_partitions,
        *of_order,
        *of_shares,
        *of_preemption,
        *of_classes,
        *of_limits,
        *of_policy,
    ]
    if shares is None and not isinstance(order, str) and order.fair_share:
        why = "no sacctmgr dump is there; all accounts have equal shares"
        found.append(NotModelled("PriorityWeightFairshare", f"{order.fair_share:g}", why))
    found += _other_findings(configuration, consumable, associations, enforced=enforced)
    record = configuration.record
    return SlurmSite(
        machines=machines,
        site=Site(order, rules, classes, limits, shares, preempt),
        policy=policy,
        options=options,
        interval=interval,
        not_modelled=merged(found),
        parts=parts,
        resources=resources,
        exclusive=select == "linear",
        default_memory=(record.megabytes("DefMemPerCPU"), record.megabytes("DefMemPerNode")),
        whole_cores=threads.pop() if by_core and len(threads) == 1 else 1,
        classes_are_partitions=decides == "partition_prio",
    )


def _other_findings(
    configuration: Configuration,
    consumable: set[str],
    associations: Sequence[Association],
    *,
    enforced: bool,
) -> list[NotModelled]:
    found = []
    if not configuration.is_there:
        why = "no configuration is there: memory is not counted, no limits hold, and jobs are in order of priority"
        found.append(NotModelled("slurm.conf", "", why))
    if enforced and not associations:
        found.append(
            NotModelled(
                "AccountingStorageEnforce",
                configuration.text("AccountingStorageEnforce") or "",
                "no sacctmgr dump is there; limits of accounts and users are not known, and hold nobody",
            )
        )
    if associations and not enforced:
        found.append(
            NotModelled(
                "AccountingStorageEnforce",
                configuration.text("AccountingStorageEnforce") or "none",
                "limits do not hold, here as there",
            )
        )
    if any(word.startswith("CR_SOCKET") for word in consumable):
        found.append(NotModelled("SelectTypeParameters", "CR_Socket", "sockets are not given whole"))
    for word in ("CR_LLN", "CR_PACK_NODES", "CR_ONE_TASK_PER_CORE"):
        if word in consumable:
            found.append(
                NotModelled("SelectTypeParameters", word, "machines are filled in order of weight and name")
            )
    topology = configuration.text("TopologyPlugin")
    if topology is not None and topology.lower() not in (
        "topology/none",
        "topology/default",
        "topology/flat",
    ):
        found.append(NotModelled("TopologyPlugin", topology, "all machines are equally near"))
    if configuration.text("Licenses") is not None:
        found.append(
            NotModelled("Licenses", configuration.text("Licenses") or "", "licenses are not modelled")
        )
    over = configuration.record.seconds("OverTimeLimit")
    if over:
        found.append(NotModelled("OverTimeLimit", f"{over:g} s", "jobs end at their limit"))
    return found
