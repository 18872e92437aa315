"""OCORP and OCORP+M: jobs may be interrupted, split and slowed down; who waits earns a multiplier that brings its turn.

Source: H. Xu, Y. Liu and W. C. Lau, "Optimal job scheduling with resource packing for heterogeneous servers",
IEEE/ACM Transactions on Networking, 2021. Each slot solves a fractional knapsack over all cores (Lemma 1),
packs the cores given onto servers, and, where there is memory, a knapsack on each server. The slots run in
``src/cpp/preemptive/slotted_simulation``.
"""

from schedcore.model import Instance, PreemptiveResult
from schedcore.model.slots import SlotColumns
from schedcore.registry import registered

from .family import (
    PREEMPTIVE,
    FlowPower,
    Memory,
    Multipliers,
    SlotPacking,
    SlotRun,
    strict_slots,
)
from .jobs_with_room import columns_with_room
from .slotted_simulation import horizon_27, run_in_slots

__all__ = ["OcorpParameters", "ocorp", "ocorp_m", "run_dual"]


class OcorpParameters(SlotRun, Memory, SlotPacking, Multipliers, FlowPower, kw_only=True):
    """The options of OCORP."""


def run_dual(
    algorithm: str,
    instance: Instance,
    columns: SlotColumns,
    parameters: OcorpParameters,
    policy: str = "ocorp",
) -> PreemptiveResult:
    """Run OCORP, or OCORP+ with a switching cost."""
    horizon = horizon_27(columns)
    max_slots = parameters.checked("max_slots")
    if not parameters.work_conserving and max_slots is None:
        max_slots = strict_slots(horizon)
    return run_in_slots(
        algorithm,
        instance,
        columns,
        parameters,
        policy=policy,
        k=parameters.k,
        gamma=horizon if parameters.gamma is None else parameters.checked("gamma"),
        max_slots=max_slots,
    )


@registered(OcorpParameters, "OCORP: online convex optimisation of flow times, slot by slot", PREEMPTIVE)
def ocorp(instance: Instance, parameters: OcorpParameters) -> PreemptiveResult:
    """Schedule in slots so that the sum of the k-th powers of flow times is small; jobs share all servers' cores.

    In slot t, the interval [t - 1, t), jobs released before it are served in ascending order of
    ``omega = (w - lambda) / cores``: w grows with the time since release, the multiplier lambda with every slot in
    which the job gets less than the rate ``processing_time / (gamma - release_time)``, and it falls with what it
    gets. Each gets what it can use until all cores are given. Cores are packed onto servers, largest first; with
    further resources, such as memory, each server then admits the most profitable jobs that fit, and the rest of the
    cores idle or go to others. Demands are believed as `Jobs.estimated_demand` says.

    Parameters
    ----------
    instance : Instance
        Times in whole slots. The first resource is cores, of which a job may get any number up to its demand,
        on several machines; all others are held in full on every machine where it runs. With one resource this
        is OCORP, with more OCORP+M.

    Returns
    -------
    PreemptiveResult
        `value` is the sum of flow_time^k, `lower_bound` that of processing_time^k. `stats`: "fractional" flow time,
        "preemptions", "migrations", "live_migrations", "max_gap" (of each job, its longest wait between slots of
        work), "refusals" (pieces refused their memory, before any backfill), "gamma", "makespan", "status"
        ("finished", or "max_slots": what was done by then is in the schedule, `completion_time` is infinite for the
        rest), "n_unfinished"; with `record` "multipliers" (columns slot, job, value: what the order of that slot
        was made with) and "refused" (slot, job, machine).

    Raises
    ------
    InfeasibleError
        If a job asks for more cores than all machines have, or for more of another resource than the first machine in
        packing order (most cores, ties by index) has.
    InvalidInstanceError
        For times that are no integers, a job without cores or of 2**53 core-slots, and values outside of their ranges.
    TypeError
        For options of the wrong type.
    UnsupportedError
        If multipliers leave the range of a double (large k, late slots), or slots exceed 2**53.

    Notes
    -----
    A slot costs O(active jobs), and packing O((jobs + machines) log jobs); with memory a sort of the active jobs and
    a knapsack on each machine where memory is short. Stretches in which everybody gets all it can use are decided
    once; the multipliers are iterated through them. Keys are doubles evaluated in a documented order; ties go to the
    job with the lower index. Work-conserving runs end, in every memory mode: each slot does some work.
    """
    return run_dual("ocorp", instance, columns_with_room(instance), parameters)


@registered(OcorpParameters, "OCORP+M: OCORP with memory", PREEMPTIVE)
def ocorp_m(instance: Instance, parameters: OcorpParameters) -> PreemptiveResult:
    """Schedule cores and memory by OCORP+M: the same call as `ocorp`, which is OCORP+M where there is memory.

    Parameters
    ----------
    instance : Instance
        As in `ocorp`.

    Returns
    -------
    PreemptiveResult
        As of `ocorp`.

    Raises
    ------
    InfeasibleError, InvalidInstanceError, TypeError, UnsupportedError
        As `ocorp`.

    See Also
    --------
    ocorp : how a slot goes.
    """
    return run_dual("ocorp_m", instance, columns_with_room(instance), parameters)
