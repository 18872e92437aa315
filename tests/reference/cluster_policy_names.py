"""One door to the cluster policies, with the names and options of ``schedcore.solve``."""

from math import inf
from typing import Any, Protocol

from reference.backfilling_cluster import Knobs
from reference.cluster_pq import CollectAll, PriorityQueue
from reference.cluster_queue_policies import IN_ORDER, Easy, Fcfs, FirstFit
from reference.cluster_reservations import Rebuilding, Reserving, SelectingConservative
from reference.cluster_state import ClusterState

QUEUE_POLICIES = ("fcfs", "first_fit", "easy", "backfill", "conservative")
PLANS_WITH_LENGTHS = ("pq", "offline_pq", "ca_pq", "tetris", "bf_exec", "mris")


class Policy(Protocol):
    """What decides; ``wakeup`` is an instant at which it wants a pass though nothing happens."""

    def run_pass(self) -> None: ...

    def wakeup(self) -> float: ...


def knobs_among(options: dict[str, Any]) -> Knobs:
    """The settings of sites among the options."""
    names = ("resolution", "queue_depth", "window", "interval")
    return Knobs(**{name: options.get(name) for name in names})


def policy_of(name: str, state: ClusterState, last_release_time: float, **options: Any) -> Policy:
    """The policy; CA-PQ is told the last release time."""
    if name in QUEUE_POLICIES:
        return queue_policy(name, state, **options)
    heuristic = options.get("heuristic", "wsjf")
    if name == "pq":
        return PriorityQueue(state, heuristic)
    if name == "offline_pq":
        return CollectAll(state, heuristic, 0)
    if name == "ca_pq":
        return CollectAll(state, heuristic, last_release_time)
    raise ValueError(name)


def queue_policy(
    name: str,
    state: ClusterState,
    *,
    selection: str = "ff",
    protected: int | None = 1,
    mode: str = "compress",
    compression: str = "pass",
    **knobs: Any,
) -> Policy:
    """``protected`` counts for "backfill": 1 is EASY, None conservative with "ff"."""
    settings = Knobs(**knobs)
    if name == "fcfs":
        return Fcfs(state)
    if name == "first_fit":
        return FirstFit(state, selection, settings)
    if name == "easy" or (name == "backfill" and protected == 1):
        return Easy(state, selection, settings)
    if name == "backfill":
        return Reserving(state, selection, settings, inf if protected is None else protected, compression)
    if mode == "rebuild":
        assert selection == "ff"
        return Rebuilding(state, selection, settings, inf)
    if selection in IN_ORDER:
        return Reserving(state, "ff", settings, inf, compression)
    return SelectingConservative(state, selection, settings, inf, compression)
