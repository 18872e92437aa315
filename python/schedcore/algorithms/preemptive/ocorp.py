"""OCORP and OCORP+M: jobs may be interrupted, split and slowed down; who waits earns a multiplier that brings its turn.

Source: H. Xu, Y. Liu and W. C. Lau, "Optimal job scheduling with resource packing for heterogeneous servers",
IEEE/ACM Transactions on Networking, 2021. Each slot solves a fractional knapsack over all cores (Lemma 1),
packs the cores given onto servers, and, where there is memory, a knapsack on each server. The slots run in
``src/cpp/preemptive/slotted_simulation``.
"""

from schedcore.model import Instance, PreemptiveResult
from schedcore.registry import Algorithm, register

from .family import (
    FAMILY,
    GAMMA,
    LAMBDA0,
    MAX_SLOTS,
    MEM_MODE,
    MU,
    OBJECTIVE,
    PACKING,
    PAPER,
    POWER,
    RECORD,
    WORK_CONSERVING,
    Lambda0,
    Progress,
    run_rules,
)
from .slot_run import DualOptions, run_dual

__all__ = ["ocorp", "ocorp_m"]


def ocorp(
    instance: Instance,
    *,
    k: int = 2,
    gamma: float | None = None,
    mu: str | float = "sim",
    lambda0: Lambda0 = "big",
    work_conserving: bool = True,
    packing: str = "ffd",
    mem_mode: str = "backfill",
    max_slots: int | None = None,
    record: bool = False,
    progress: Progress = None,
) -> PreemptiveResult:
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
    k : int
        Power of the flow times, 1 to 64.
    gamma : float, optional
        Number of slots by which all work ought to be done, above 0; equation (27), which looks at the whole instance,
        where it is not given.
    mu : "sim" or float
        Step of the multipliers: t^(k + 1/2), or a constant of at least 0.
    lambda0 : {"big", "zero"}, ("mu", c) or ("const", v)
        Multiplier in a job's first slot: gamma^(k + 1/2) gamma, which the recursion does not use up; 0; c steps; or v.
        "mu:c" and "const:v" say the same in one word.
    work_conserving : bool
        Serve jobs with omega >= 0 as well while cores are left. False is the paper's literal text.
    packing : {"ffd", "sticky"}
        Pack each slot anew, or leave jobs first where they ran in the slot before.
    mem_mode : {"backfill", "once", "twice"}
        Cores of refused jobs: offered to all jobs in order, idle, or shared anew among the admitted ones.
        Without a second resource nobody is refused.
    max_slots : int, optional
        End the run after this slot. None: no end, but for strict runs (``work_conserving=False``), of which some never
        end: 1000 slots or 64 times equation (27), whichever is more.
    record : bool
        Keep multipliers and refusals of every slot in `stats`; it takes memory for each slot and active job.
    progress : callable, optional
        ``progress(jobs completed, n_jobs)``.

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
    return run_dual(
        "ocorp",
        instance,
        run_rules(k, packing, max_slots, record),
        DualOptions(gamma, mu, lambda0, work_conserving, mem_mode),
        progress,
    )


def ocorp_m(
    instance: Instance,
    *,
    k: int = 2,
    gamma: float | None = None,
    mu: str | float = "sim",
    lambda0: Lambda0 = "big",
    work_conserving: bool = True,
    packing: str = "ffd",
    mem_mode: str = "backfill",
    max_slots: int | None = None,
    record: bool = False,
    progress: Progress = None,
) -> PreemptiveResult:
    """Schedule cores and memory by OCORP+M: the same call as `ocorp`, which is OCORP+M where there is memory.

    Parameters
    ----------
    instance, k, gamma, mu, lambda0, work_conserving, packing, mem_mode, max_slots, record, progress
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
    ocorp : what each option means.
    """
    return run_dual(
        "ocorp_m",
        instance,
        run_rules(k, packing, max_slots, record),
        DualOptions(gamma, mu, lambda0, work_conserving, mem_mode),
        progress,
    )


for _name, _title, _run in (
    ("ocorp", "OCORP: online convex optimisation of flow times, slot by slot", ocorp),
    ("ocorp_m", "OCORP+M: OCORP with memory", ocorp_m),
):
    register(
        Algorithm(
            _name,
            _title,
            FAMILY,
            PAPER,
            _run,
            (POWER, GAMMA, MU, LAMBDA0, WORK_CONSERVING, PACKING, MEM_MODE, MAX_SLOTS, RECORD),
            OBJECTIVE,
            slotted=True,
            machines_may_differ=True,
        )
    )
