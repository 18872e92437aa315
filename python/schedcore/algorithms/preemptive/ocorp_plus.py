"""OCORP+: OCORP with a price on every change of a job's rate, so that jobs are interrupted less often.

Source: H. Xu, Y. Liu and W. C. Lau, "Optimal job scheduling with resource packing for heterogeneous servers",
IEEE/ACM Transactions on Networking, 2021. Each slot is solved exactly in whole cores, over the
total rates of jobs ("joblevel") or over their rates on each machine ("flow"; "greedy" comes close). The kernel
is ``src/cpp/preemptive/switching_slot``.
"""

from schedcore.model import Instance, PreemptiveResult
from schedcore.registry import Algorithm, register

from .family import (
    ALPHA,
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
    SOLVER,
    WORK_CONSERVING,
    Lambda0,
    Progress,
    run_rules,
)
from .slot_run import DualOptions, SwitchingOptions, run_dual

__all__ = ["ocorp_plus"]

_NAME = "ocorp_plus"


def ocorp_plus(
    instance: Instance,
    *,
    alpha: float = 10.0,
    solver: str = "joblevel",
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
    """Schedule as `ocorp` does, but charge ``alpha (x(t) - x(t - 1))^2`` for every change of a rate x = cores / demand.

    A slot minimises the sum over jobs of ``(w - lambda) x`` plus that charge; a job's first slot is free of it.

    Parameters
    ----------
    instance : Instance
        As in `ocorp`.
    alpha : float
        Price of a change, at least 0; with 0 this is OCORP. What counts as large grows with the multipliers,
        which are of the size of slot^(k + 1/2): the figures of the paper need k = 1 and lambda0 = "zero" to
        show an effect.
    solver : {"joblevel", "greedy", "flow"}
        "joblevel": exact for the sum over jobs of the squared changes of their total rates; cores are packed afterwards
        (packing = "sticky" is meant for that). "greedy" and "flow" charge the changes on each machine, and place the
        cores themselves: core by core to the smallest marginal cost, or exactly, by shortest paths; without memory
        alone. A sum of squares over machines is less for a job spread over many, so that they split jobs.
    k, gamma, mu, lambda0, work_conserving, packing, mem_mode, max_slots, record, progress
        As in `ocorp`; while cores are wanted, a work-conserving slot gives all of them.

    Returns
    -------
    PreemptiveResult
        As of `ocorp`.

    Raises
    ------
    InfeasibleError, InvalidInstanceError, TypeError, UnsupportedError
        As `ocorp`; also `InvalidInstanceError` for a negative `alpha`, and `UnsupportedError` for "greedy" and
        "flow" with more than one resource, or where all machines have and all jobs together ask for more than
        10**7 cores.

    See Also
    --------
    ocorp : what the other options mean.

    Notes
    -----
    A slot with n active jobs takes expected O(n log n) by "joblevel", however many cores there are, O(cores log
    cores) by "greedy", and at least n times the number of machines for every core by "flow": for small clusters.
    """
    return run_dual(
        _NAME,
        instance,
        run_rules(k, packing, max_slots, record),
        DualOptions(gamma, mu, lambda0, work_conserving, mem_mode),
        progress,
        SwitchingOptions(alpha, solver),
    )


register(
    Algorithm(
        _NAME,
        "OCORP+: OCORP with a switching cost",
        FAMILY,
        PAPER,
        ocorp_plus,
        (ALPHA, SOLVER, POWER, GAMMA, MU, LAMBDA0, WORK_CONSERVING, PACKING, MEM_MODE, MAX_SLOTS, RECORD),
        OBJECTIVE,
        slotted=True,
        machines_may_differ=True,
    )
)
