"""Every embeddable policy with the option sets that make it behave differently."""

from typing import Any

import pytest
from hypothesis import strategies as st

import schedcore
from strategies import instances

Case = tuple[str, dict[str, Any]]

WORK_CONSERVING: list[Case] = [
    *[("pq", {"heuristic": key}) for key in ("wsjf", "wsvf", "wsdf", "sjf", "svf", "sdf", "erf")],
    ("pq", {"heuristic": lambda jobs: -jobs.processing_time}),
    *[("ca_pq", {"heuristic": key}) for key in ("wsjf", "erf")],
    *[("tetris", {"mode": mode}) for mode in ("inverse", "minus", "plus")],
    ("bf_exec", {}),
]
# They write each job into a plan once and never move it.
PLANNING_ONCE: list[Case] = [
    *[("mris", {"knapsack": knapsack}) for knapsack in ("exact", "cadp", "greedy", "greedy_union")],
    *[("mris", {"placement": placement, "heuristic": "svf"}) for placement in ("list", "nobackfill")],
    ("mris", {"gamma0": 0.01, "epsilon": (1, 2)}),
    ("mris", {"opportunistic": True}),
    ("mris", {"opportunistic": True, "placement": "nobackfill", "patience": 0.5}),
    ("mris", {"origin": "busy"}),
    ("mris", {"origin": "busy", "opportunistic": True, "placement": "nobackfill"}),
    ("mris", {"origin": 2.5}),
]
REPLANNING: list[Case] = [
    ("mris", {"replan": True}),
    ("mris", {"replan": True, "opportunistic": True, "knapsack": "greedy"}),
    ("mris", {"replan": True, "opportunistic": True, "origin": "busy"}),
]
# Batches without a plan.
PLANLESS: list[Case] = [
    ("mris", {"replan": "always"}),
    ("mris", {"replan": "always", "opportunistic": True}),
    ("mris", {"replan": "always", "opportunistic": True, "origin": "busy"}),
    ("mris", {"replan": "always", "opportunistic": True, "knapsack": "exact", "heuristic": "erf"}),
]
CASES = WORK_CONSERVING + PLANNING_ONCE + REPLANNING + PLANLESS


def named(cases: list[Case]) -> list[Any]:
    """The cases as pytest parameters with readable ids."""

    def text(name: str, options: dict[str, Any]) -> str:
        return "-".join([name, *(f"{key}={'callable' if callable(v) else v}" for key, v in options.items())])

    return [pytest.param(name, options, id=text(name, options)) for name, options in cases]


@st.composite
def crowded(draw: st.DrawFn, max_jobs: int = 14) -> schedcore.Instance:
    """Few distinct times, so that many arrivals and completions share their instants, and machines that fill up."""
    n_machines, n_resources = draw(st.integers(1, 3)), draw(st.integers(1, 2))
    n = draw(st.integers(1, max_jobs))

    def column(low: int, high: int) -> list[int]:
        return draw(st.lists(st.integers(low, high), min_size=n, max_size=n))

    demand = [
        [a if k == 0 else b for k in range(n_resources)]
        for a, b in zip(column(1, 6), column(0, 6), strict=True)
    ]
    jobs = schedcore.Jobs(column(1, 5), demand, release_time=column(0, 6), weight=column(1, 3))
    return schedcore.Instance(jobs, schedcore.Machines.identical(n_machines, [6] * n_resources))


any_instances = crowded() | instances(max_jobs=8, max_resources=4)

#: Policies that decide on clusters, with what they must know in advance.
CLUSTER_POLICIES: list[tuple[str, dict[str, Any]]] = [
    ("fcfs", {}),
    ("first_fit", {}),
    ("easy", {}),
    ("conservative", {}),
    ("backfill", {"protected": 2}),
    ("pq", {}),
    ("ca_pq", {"last_release_time": 9.0}),
    ("tetris", {}),
    ("bf_exec", {}),
    ("mris", {"gamma0": 1.0}),
    ("mris", {"gamma0": 1.0, "replan": "always"}),
]
