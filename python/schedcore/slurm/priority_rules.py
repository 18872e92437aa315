"""Slurm's order of the queue: the weights of ``PriorityType=priority/multifactor``, and the shares of accounts."""

import math
from collections.abc import Mapping, Sequence

from schedcore.model import Multifactor

from .accounting import Association
from .configuration import Configuration
from .not_modelled import NotModelled

__all__ = ["queue_order", "shares_of_accounts", "uses_fair_tree"]

_WEEK = 7 * 86400.0
_ALMOST_NONE = 1e-9  # the share of jobs without an account, and of root
_HARMLESS_FLAGS = frozenset({"NO_FAIR_TREE", "FAIR_TREE", ""})
_WEIGHTS = {
    "age": "PriorityWeightAge",
    "fair_share": "PriorityWeightFairshare",
    "size": "PriorityWeightJobSize",
    "partition": "PriorityWeightPartition",
    "service_class": "PriorityWeightQOS",
}


def queue_order(configuration: Configuration) -> tuple[str | Multifactor, list[NotModelled]]:
    """Return the order of a `Site`, and what of Slurm's cannot be modelled.

    ``priority/basic``, the default until there is another setting, is the order of arrival.
    """
    kind = (configuration.text("PriorityType") or "priority/basic").lower()
    if not kind.endswith("multifactor"):
        if kind.endswith("basic"):
            return "arrival", []
        return "arrival", [NotModelled("PriorityType", kind, "jobs are in order of arrival")]
    record, findings = configuration.record, list[NotModelled]()
    weights = {name: float(record.count(key) or 0) for name, key in _WEIGHTS.items()}
    half_life = record.seconds("PriorityDecayHalfLife")
    half_life = _WEEK if half_life is None else half_life or math.inf
    interval = record.seconds("PriorityCalcPeriod")
    order = Multifactor(
        **weights,
        max_age=record.seconds("PriorityMaxAge") or _WEEK,
        half_life=half_life,
        interval=300.0 if interval is None else interval,
    )
    for key in ("PriorityWeightAssoc", "PriorityWeightTRES", "PrioritySiteFactorPlugin"):
        value = configuration.text(key)
        if value not in (None, "0"):
            findings.append(NotModelled(key, str(value), "this factor is left out of the priorities"))
    if order.size:
        findings.append(
            NotModelled(
                "PriorityWeightJobSize",
                f"{order.size:g}",
                "the size of a job is its largest share of a resource; Slurm's is the mean of its shares of nodes and"
                " processors"
                + (
                    ""
                    if not _says_yes(configuration, "PriorityFavorSmall")
                    else ", and small jobs come first"
                ),
            )
        )
    flags = {flag.strip().upper() for flag in (configuration.text("PriorityFlags") or "").split(",")}
    findings += [
        NotModelled("PriorityFlags", flag, "priorities are computed without this flag")
        for flag in sorted(flags - _HARMLESS_FLAGS)
    ]
    if order.fair_share and uses_fair_tree(configuration):
        findings.append(
            NotModelled(
                "PriorityFlags",
                ",".join(sorted(flags - {""})) or "FAIR_TREE",
                "Fair Tree is not modelled; the fair share is 2 ** -(use / share) of accounts, as with NO_FAIR_TREE",
            )
        )
    reset = configuration.text("PriorityUsageResetPeriod")
    if order.fair_share and reset is not None:
        findings.append(NotModelled("PriorityUsageResetPeriod", reset, "use is never set back to 0"))
    return order, findings


def uses_fair_tree(configuration: Configuration) -> bool:
    """Whether the fair share is Fair Tree: the default since 19.05, unless PriorityFlags has NO_FAIR_TREE."""
    return "NO_FAIR_TREE" not in (configuration.text("PriorityFlags") or "").upper()


def shares_of_accounts(
    associations: Sequence[Association],
) -> tuple[Mapping[str | None, float], list[NotModelled]]:
    """Return the share of every account among those at the same level, and what of them cannot be modelled.

    The share of an account that lies in another one is its part of the other one's share. Jobs without an account, and
    those of root, have next to none.
    """
    accounts = {each.name: each for each in associations if each.kind == "account"}
    raw, findings = dict[str, float](), list[NotModelled]()
    for name, account in accounts.items():
        text = (account.record.text("Fairshare") or "1").lower()
        if text == "parent":
            findings.append(
                NotModelled("sacctmgr: Fairshare", "parent", "counts as a share of 1", f"account={name}")
            )
        raw[name] = 1.0 if text in ("parent", "2147483647") else float(account.record.count("Fairshare") or 0)
        if raw[name] == 0:
            findings.append(
                NotModelled("sacctmgr: Fairshare", "0", "counts as a very small share", f"account={name}")
            )
    children: dict[str, list[str]] = {}
    for name, account in accounts.items():
        if name != account.parent:
            children.setdefault(account.parent, []).append(name)
    shares: dict[str | None, float] = {None: _ALMOST_NONE, "root": _ALMOST_NONE}
    level = [("root", 1.0)]
    while level:
        parent, whole = level.pop()
        own = [name for name in children.get(parent, ()) if name not in shares]
        total = sum(raw[name] for name in own) or 1.0
        for name in own:
            shares[name] = whole * (raw[name] / total) or _ALMOST_NONE
            level.append((name, shares[name]))
        if parent != "root" and own:
            findings.append(
                NotModelled(
                    "sacctmgr: nested accounts",
                    parent,
                    "accounts share as if they all stood side by side; use of one in another does not count for both",
                    f"account={parent}",
                )
            )
            findings += [
                NotModelled(
                    "sacctmgr: nested accounts", parent, "as above, for the account within", f"account={name}"
                )
                for name in own
            ]
    users = [each for each in associations if each.kind == "user"]
    unequal = (each.parent for each in users if (each.record.text("Fairshare") or "1") not in ("1", "parent"))
    findings += [
        NotModelled(
            "sacctmgr: Fairshare of users",
            "",
            "only accounts have shares; users of one account share alike by order of arrival",
            f"account={name}",
        )
        for name in dict.fromkeys(unequal)
    ]
    return shares, findings


def _says_yes(configuration: Configuration, key: str) -> bool:
    return (configuration.text(key) or "").upper() in ("YES", "1", "TRUE")
