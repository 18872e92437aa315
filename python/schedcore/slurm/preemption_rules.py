"""Who may preempt whom: PreemptType and PreemptMode, the Preempt lists of QOS, as levels of service classes."""

from collections.abc import Mapping, Sequence

from schedcore.model import ServiceClass

from .accounting import QosRow
from .configuration import Configuration
from .not_modelled import NotModelled
from .partitions import SlurmPartition

__all__ = ["preemption_rule", "service_classes"]

_RULES = {"REQUEUE": "requeue", "CANCEL": "drop", "CHECKPOINT": "checkpoint"}


def preemption_rule(configuration: Configuration) -> tuple[str, str | None, list[NotModelled]]:
    """Return what decides who preempts ("none", "qos" or "partition_prio"), what becomes of the jobs, and findings."""
    kind = (configuration.text("PreemptType") or "preempt/none").lower().removeprefix("preempt/")
    if kind in ("none", "off"):
        return "none", None, []
    modes = [word.strip().upper() for word in (configuration.text("PreemptMode") or "OFF").split(",")]
    findings = []
    if kind not in ("qos", "partition_prio"):
        return "none", None, [NotModelled("PreemptType", kind, "nobody preempts")]
    if "GANG" in modes:
        findings.append(NotModelled("PreemptMode", "GANG", "jobs do not take turns"))
    rule = next((_RULES[mode] for mode in modes if mode in _RULES), None)
    if rule is None:
        mode = ",".join(modes)
        if modes != ["OFF"]:
            findings.append(NotModelled("PreemptMode", mode, "jobs are not suspended; nobody preempts"))
        return "none", None, findings
    for key in ("PreemptExemptTime",):
        value = configuration.record.seconds(key) if configuration.text(key) != "-1" else None
        if value:
            findings.append(
                NotModelled(key, f"{value:g} s", "a job may be preempted as soon as it has started")
            )
    return kind, rule, findings


def service_classes(
    rows: Sequence[QosRow], partitions: Sequence[SlurmPartition], decides: str
) -> tuple[list[ServiceClass], list[NotModelled]]:
    """Return the classes of jobs: QOS, or the partitions where their tiers decide who preempts.

    The factor of a QOS is its Priority in shares of the greatest one. Its level is above that of all it preempts.
    """
    if decides == "partition_prio":
        classes = [
            ServiceClass(each.name, each.tier, 0, each.preempt_mode not in ("OFF", "")) for each in partitions
        ]
        if all(each.preempt_mode == "" for each in partitions):  # then PreemptMode of the whole cluster holds
            classes = [ServiceClass(each.name, each.tier, 0, True) for each in partitions]
        found = [
            NotModelled(
                "sacctmgr: QOS",
                row.name,
                "service classes are the partitions, whose tiers decide who preempts",
            )
            for row in rows
            if row.record.count("Priority")
        ]
        return classes, found
    priorities = {row.name: row.record.count("Priority") or 0 for row in rows}
    greatest = max(priorities.values(), default=0)
    preempts = {row.name: [name for name in row.preempts if name in priorities] for row in rows}
    victims = {name for names in preempts.values() for name in names} if decides == "qos" else set()
    levels, findings = _levels(preempts) if decides == "qos" else ({}, [])
    classes = [
        ServiceClass(name, levels.get(name, 0), priority / greatest if greatest else 0.0, name in victims)
        for name, priority in priorities.items()
    ]
    for name, own in preempts.items():
        if decides != "qos":
            break
        beyond = [
            other
            for other in sorted(victims)
            if levels.get(other, 0) < levels.get(name, 0) and other not in own
        ]
        if beyond:
            findings.append(
                NotModelled(
                    "sacctmgr: Preempt",
                    f"{name} does not preempt {', '.join(beyond)}",
                    "a class preempts all preemptible ones of lower levels",
                    f"service_class={name}",
                )
            )
    for row in rows:
        mode, grace = row.record.text("PreemptMode"), row.record.seconds("GraceTime")
        if decides == "qos" and mode is not None and mode.lower() != "cluster":
            findings.append(
                NotModelled(
                    "sacctmgr: PreemptMode",
                    mode,
                    "all classes are preempted alike",
                    f"service_class={row.name}",
                )
            )
        if decides == "qos" and grace:
            findings.append(
                NotModelled(
                    "sacctmgr: GraceTime", f"{grace:g} s", "jobs end at once", f"service_class={row.name}"
                )
            )
    return classes, findings


def _levels(preempts: Mapping[str, Sequence[str]]) -> tuple[dict[str, int], list[NotModelled]]:
    """Return a level for each class above those that it preempts: the longest chain below it."""
    levels = dict.fromkeys(preempts, 0)
    for _ in range(len(levels)):
        before = dict(levels)
        for name, own in preempts.items():
            levels[name] = max([0, *(levels[other] + 1 for other in own if other != name)])
        if levels == before:
            return levels, []
    names = ", ".join(sorted(name for name, own in preempts.items() if own))
    return dict.fromkeys(preempts, 0), [
        NotModelled(
            "sacctmgr: Preempt", names, "these QOS preempt each other; no class has a level above another"
        )
    ]
