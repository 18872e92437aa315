"""Limits of accounts, users and QOS (GrpTRES, GrpJobs, MaxJobs) as limits of a `Site`."""

from collections import Counter
from collections.abc import Iterable, Sequence

from schedcore.model import Limit

from .accounting import Association, QosRow
from .cluster_machines import Resources
from .configuration import Configuration
from .not_modelled import NotModelled
from .records import Record

__all__ = ["limit_rules", "limits_are_enforced"]

_ENFORCING = frozenset({"limits", "safe", "all", "1"})
# They hold a job back, or refuse it, in a way that limits over running jobs cannot express.
_OTHERS = (
    *("GrpTRESMins", "GrpTRESRunMins", "GrpWall", "GrpCPUMins", "GrpCPURunMins", "MaxTRES", "MaxTRESPerJob"),
    *("MaxTRESPerNode", "MaxTRESMins", "MaxTRESMinsPerJob", "MaxWall", "MaxWallDurationPerJob", "MaxCPUs"),
    *(
        "MaxCPUsPerJob",
        "MaxNodes",
        "MaxNodesPerJob",
        "MaxTRESPU",
        "MaxTRESPerUser",
        "MaxJobsPU",
        "MaxJobsPerUser",
    ),
    *("MaxTRESPA", "MaxTRESPerAccount", "MaxJobsPA", "MaxJobsPerAccount", "MinTRES", "MinTRESPerJob"),
    *("MaxCPUsPU", "MaxCPUsPerUser", "MaxNodesPU", "MaxNodesPerUser"),
)
_OLD_NAMES = {"GrpCPUs": "cpu", "GrpMemory": "memory"}


def limits_are_enforced(configuration: Configuration) -> bool:
    """Whether AccountingStorageEnforce makes limits hold."""
    words = {
        word.strip().lower() for word in (configuration.text("AccountingStorageEnforce") or "").split(",")
    }
    return not _ENFORCING.isdisjoint(words)


def limit_rules(
    associations: Sequence[Association], rows: Sequence[QosRow], resources: Resources
) -> tuple[list[Limit], list[NotModelled]]:
    """Return the limits, and those that cannot be modelled.

    An account's limits count the jobs of that account alone, a user's all jobs of the user; where accounts are nested,
    or a user has several, that is not what Slurm counts, and it is said.
    """
    limits, findings = list[Limit](), list[NotModelled]()
    inner = {each.parent for each in associations if each.kind == "account"}
    n_accounts = Counter(each.name for each in associations if each.kind == "user")
    for each in associations:
        if each.kind == "cluster":
            findings += _unlimited(each.record, "the whole cluster", "all", _groups(each.record))
            continue
        who = f"{each.kind}={each.name}"
        if each.kind == "account":
            scope, own = who, _group_limits(each.record, who, resources, findings)
            of_user = each.record.count("MaxJobs")
            if of_user is not None:
                findings.append(
                    NotModelled(
                        "sacctmgr: MaxJobs of an account",
                        str(of_user),
                        "no limit for each user of one account",
                        scope,
                    )
                )
            if own and each.name in inner:
                findings.append(
                    NotModelled(
                        "sacctmgr: limits of nested accounts",
                        each.name,
                        "jobs of the accounts within it are not counted",
                        scope,
                    )
                )
            limits += own
        else:
            scope = f"user={each.name}"
            own = _group_limits(each.record, who, resources, findings)
            most = each.record.count("MaxJobs")
            if most is not None:
                own.append(Limit(who, "jobs", most))
            if own and n_accounts[each.name] > 1:
                findings.append(
                    NotModelled(
                        "sacctmgr: limits of a user in one account",
                        f"{each.name} in {each.parent}",
                        "no limit, because the user has several accounts",
                        scope,
                    )
                )
                own = []
            limits += own
        findings += _unlimited(each.record, each.name, scope, _OTHERS)
    for row in rows:
        who = f"service_class={row.name}"
        limits += _group_limits(row.record, who, resources, findings)
        findings += _unlimited(row.record, row.name, who, _OTHERS)
    return list(dict.fromkeys(limits)), findings


def _groups(record: Record) -> tuple[str, ...]:
    return tuple(
        name for name in (*_OTHERS, "GrpTRES", "GrpJobs", "GrpCPUs", "GrpNodes", "MaxJobs") if name in record
    )


def _group_limits(record: Record, who: str, resources: Resources, findings: list[NotModelled]) -> list[Limit]:
    limits = []
    jobs = record.count("GrpJobs")
    if jobs is not None:
        limits.append(Limit(who, "jobs", jobs))
    wanted = {"memory" if name == "mem" else name: most for name, most in record.tres("GrpTRES").items()}
    for old, name in _OLD_NAMES.items():
        number = record.count(old)
        if number is not None:
            wanted.setdefault(name, number)
    for name, most in wanted.items():
        own = name.removeprefix("gres/")
        if own in resources.names:
            limits.append(Limit(who, own, most))
        else:
            findings.append(
                NotModelled("sacctmgr: GrpTRES", f"{name}={most}", "no limit; it is no resource here", who)
            )
    return limits


def _unlimited(record: Record, called: str, scope: str, names: Iterable[str]) -> list[NotModelled]:
    return [
        NotModelled(f"sacctmgr: {name}", f"{value} ({called})", "this limit is not modelled", scope)
        for name in names
        if (value := record.text(name)) is not None
    ]
