"""One door to the cluster policies, with the names and options of ``schedcore.solve``."""

from dataclasses import dataclass
from math import inf
from typing import Any, Protocol

from reference.backfilling_cluster import Knobs
from reference.cluster_baselines import BestFitExecution, Tetris
from reference.cluster_mris import Mris, MrisOptions
from reference.cluster_mris_dynamic import DynamicMris
from reference.cluster_pq import CollectAll, PriorityQueue
from reference.cluster_queue_policies import IN_ORDER, Easy, Fcfs, FirstFit
from reference.cluster_reservations import Rebuilding, Reserving, SelectingConservative
from reference.cluster_state import ClusterState, PlannedStart

QUEUE_POLICIES = ("fcfs", "first_fit", "easy", "backfill", "conservative")
WITH_RULES = (*QUEUE_POLICIES, "pq")  # take a site and dependencies
PREEMPTING = ("fcfs", "first_fit", "easy", "pq")
PLANS_WITH_LENGTHS = ("pq", "offline_pq", "ca_pq", "tetris", "bf_exec", "mris")


class Policy(Protocol):
    """What decides; ``wakeup`` is an instant at which it wants a pass though nothing happens."""

    def run_pass(self) -> None: ...

    def wakeup(self) -> float: ...

    def plan(self) -> list[PlannedStart]: ...


@dataclass(frozen=True)
class KnownAhead:
    """What a scheduler knows of jobs that are still to come."""

    last_release_time: float = 0
    shortest_processing_time: float = 1


def policy_of(name: str, state: ClusterState, known: KnownAhead, **options: Any) -> Policy:
    """The policy; CA-PQ is told the last release, MRIS the shortest length where it is not given ``gamma0``."""
    assert name in WITH_RULES or not state.site.has_rules(), f"{name} takes no site"
    if state.site.preempt is not None:
        assert name in PREEMPTING, f"{name} cannot preempt"
        assert options.get("selection", "ff") in IN_ORDER, "who preempts is found in order of the queue"
    if name == "pq":
        assert isinstance(state.site.order, str), "pq has an order of its own"
        assert state.site.order == "arrival", "pq has an order of its own"
    if name in QUEUE_POLICIES:
        return queue_policy(name, state, **options)
    if name == "tetris":
        return Tetris(state, **options)
    if name == "bf_exec":
        return BestFitExecution(state)
    if name == "mris":
        return mris_policy(state, known, **options)
    if name == "pq":
        return PriorityQueue(state, **options)
    if name == "offline_pq":
        return CollectAll(state, last_release_time=0, **options)
    assert name == "ca_pq", f"no reference of {name!r}"
    return CollectAll(state, last_release_time=known.last_release_time, **options)


def mris_policy(
    state: ClusterState,
    known: KnownAhead,
    *,
    gamma0: float | None = None,
    opportunistic: bool = False,
    patience: float = 2,
    replan: bool | str = False,
    **options: Any,
) -> Policy:
    """``replan="always"`` is the form that plans nothing."""
    first = known.shortest_processing_time if gamma0 is None else gamma0
    settings = MrisOptions(first, patience=patience if opportunistic else 0, replan=replan is True, **options)
    return DynamicMris(state, settings) if replan == "always" else Mris(state, settings)


def queue_policy(
    name: str,
    state: ClusterState,
    *,
    selection: str = "ff",
    protected: int | None = 1,
    mode: str = "compress",
    compression: str = "pass",
    reservations: str = "tasks",
    allocation: str = "first",
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
        return Rebuilding(state, selection, settings, reservations, allocation)
    if selection in IN_ORDER:
        return Reserving(state, "ff", settings, inf, compression)
    return SelectingConservative(state, selection, settings, inf, compression)
