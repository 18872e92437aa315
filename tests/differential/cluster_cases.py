"""What the cluster references are tried on: policies with options, and random instances that each of them takes."""

from collections.abc import Iterator
from typing import Any

from reference.cluster_instance import ClusterInstance
from reference.cluster_policy_names import PREEMPTING, WITH_RULES
from reference.cluster_queue_policies import IN_ORDER
from reference.cluster_random import Features, random_cluster
from reference.cluster_site import Site
from reference.cluster_site_random import RuleFeatures, random_site

Setting = tuple[str, dict[str, Any]]

#: Take jobs of several tasks, exclusive ones and a bound of tasks on one machine.
GANG_SETTINGS: list[Setting] = [
    ("fcfs", {}),
    ("first_fit", {}),
    ("easy", {}),
    ("backfill", {"protected": 1}),
    ("backfill", {"protected": 2}),
    ("backfill", {"protected": 3, "compression": "fixpoint"}),
    ("backfill", {"protected": None}),
    ("conservative", {}),
    ("conservative", {"compression": "fixpoint"}),
    ("conservative", {"compression": "none"}),
    ("conservative", {"mode": "rebuild"}),
    ("conservative", {"mode": "rebuild", "reservations": "machines"}),
    ("conservative", {"mode": "rebuild", "allocation": "consecutive"}),
    ("conservative", {"mode": "rebuild", "reservations": "machines", "allocation": "consecutive"}),
    ("pq", {}),
    ("pq", {"heuristic": "wsvf"}),
    ("pq", {"heuristic": "erf"}),
    ("pq", {"heuristic": lambda job: -job}),
]
KNOBBED_SETTINGS: list[Setting] = [
    ("first_fit", {"queue_depth": 2, "interval": 3}),
    ("easy", {"queue_depth": 2}),
    ("easy", {"window": 3}),
    ("easy", {"resolution": 3, "interval": 2}),
    ("backfill", {"protected": 2, "queue_depth": 3, "window": 5}),
    ("backfill", {"protected": 2, "resolution": 2, "interval": 3}),
    ("conservative", {"queue_depth": 2}),
    ("conservative", {"window": 4, "resolution": 3}),
    ("conservative", {"interval": 4, "compression": "fixpoint"}),
    ("conservative", {"mode": "rebuild", "queue_depth": 2, "window": 6, "resolution": 2}),
]
SELECTING_SETTINGS: list[Setting] = [
    (name, {**options, "selection": selection})
    for name, options in [
        ("first_fit", {}),
        ("easy", {}),
        ("backfill", {"protected": 2}),
        ("conservative", {}),
        ("conservative", {"compression": "none"}),
    ]
    for selection in ("bb", "bl", "bl(2)!", "sb")
] + [
    ("first_fit", {"selection": "bb!", "queue_depth": 2, "interval": 3}),
    ("easy", {"selection": "bb!", "queue_depth": 2}),
    ("easy", {"selection": "sb(3)", "window": 3, "resolution": 2}),
    ("easy", {"selection": "bl!", "queue_depth": 3, "interval": 2}),
    ("backfill", {"selection": "sb(3)", "protected": 2, "queue_depth": 4, "window": 5}),
    (
        "backfill",
        {"selection": "bb!", "protected": 3, "compression": "fixpoint", "resolution": 2, "interval": 3},
    ),
    ("conservative", {"selection": "bb!", "compression": "fixpoint"}),
    ("conservative", {"selection": "sb(3)", "queue_depth": 2, "window": 4, "resolution": 3}),
    ("conservative", {"selection": "bl(0)", "interval": 4}),
]
#: Take single tasks only.
SINGLE_SETTINGS: list[Setting] = [
    ("tetris", {}),
    ("tetris", {"mode": "minus"}),
    ("tetris", {"mode": "plus"}),
    ("bf_exec", {}),
    ("ca_pq", {}),
    ("ca_pq", {"heuristic": "svf"}),
    ("mris", {}),
    ("mris", {"placement": "list", "knapsack": "exact"}),
    ("mris", {"placement": "nobackfill", "knapsack": "greedy"}),
    ("mris", {"opportunistic": True}),
    ("mris", {"opportunistic": True, "patience": 0.5, "heuristic": "wsvf"}),
    ("mris", {"replan": True}),
    ("mris", {"replan": True, "opportunistic": True, "knapsack": "greedy_union"}),
]
DYNAMIC_SETTINGS: list[Setting] = [
    ("mris", {"replan": "always"}),
    ("mris", {"replan": "always", "opportunistic": True, "patience": 1.0, "knapsack": "exact"}),
]
#: Intervals that begin elsewhere than at 0.
ORIGIN_SETTINGS: list[Setting] = [
    ("mris", {"origin": "busy"}),
    ("mris", {"origin": 2.5, "opportunistic": True, "placement": "nobackfill"}),
    ("mris", {"origin": "busy", "opportunistic": True, "replan": True}),
    ("mris", {"origin": "busy", "replan": "always"}),
    ("mris", {"origin": "busy", "replan": "always", "opportunistic": True, "heuristic": "svf"}),
]
#: Take the rules of a site.
RULED_SETTINGS = GANG_SETTINGS + KNOBBED_SETTINGS + SELECTING_SETTINGS
MRIS_SETTINGS = [each for each in SINGLE_SETTINGS if each[0] == "mris"] + DYNAMIC_SETTINGS + ORIGIN_SETTINGS
ALL_SETTINGS = (
    GANG_SETTINGS
    + KNOBBED_SETTINGS
    + SELECTING_SETTINGS
    + SINGLE_SETTINGS
    + DYNAMIC_SETTINGS
    + ORIGIN_SETTINGS
)


def name_of(setting: Setting) -> str:
    policy, options = setting
    return "-".join([policy, *(f"{k}={'f' if callable(v) else v}" for k, v in options.items())])


def takes_tasks(setting: Setting) -> bool:
    return setting in GANG_SETTINGS + KNOBBED_SETTINGS


def can_preempt(setting: Setting) -> bool:
    policy, options = setting
    return policy in PREEMPTING and options.get("selection", "ff") in IN_ORDER


def sites_for(
    setting: Setting, n: int, *, first: int = 0, max_jobs: int = 16, **rules: bool
) -> Iterator[tuple[ClusterInstance, Site]]:
    """Random instances with sites, all that the policy takes, up to the rules that are switched off."""
    assert setting[0] in WITH_RULES
    can_order = setting[0] != "pq"
    for seed in range(first, first + n):
        features = RuleFeatures(
            **{
                **rules,
                "order": can_order and rules.get("order", True),
                "preemption": can_preempt(setting) and rules.get("preemption", True),
            }
        )
        yield random_site(seed, features, Features(tasks=takes_tasks(setting)), max_jobs=max_jobs)


def instances_for(
    setting: Setting, n: int, *, first: int = 0, max_jobs: int = 11, **features: bool
) -> Iterator[ClusterInstance]:
    """Random instances with all that the policy takes, up to what is switched off."""
    tasks = takes_tasks(setting) and features.pop("tasks", True)
    features.pop("tasks", None)
    for seed in range(first, first + n):
        yield random_cluster(seed, Features(tasks=tasks, **features), max_jobs=max_jobs)
