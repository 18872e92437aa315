"""The transient scheme: all jobs are there at time 0, the smallest volume is served first.

Source: H. Xu, Y. Liu and W. C. Lau, "Optimal job scheduling with resource packing for heterogeneous servers", IEEE/ACM
Transactions on Networking, 2021. Corollary 2: the sum of flow times is at most 3/2 times the least
possible. (Theorem 6, from which the paper derives it, does not hold: see ``docs/papers.md``.)
"""

from schedcore.errors import UnsupportedError
from schedcore.model import Instance, PreemptiveResult
from schedcore.model.arrays import first_index
from schedcore.model.slots import slot_columns
from schedcore.registry import Algorithm, register

from .family import (
    BASELINE_MEM_MODE,
    FAMILY,
    MAX_SLOTS,
    OBJECTIVE,
    PACKING,
    PAPER,
    POWER,
    RECORD,
    Progress,
    run_rules,
)
from .slot_run import run_baseline

__all__ = ["svf_transient"]

_NAME = "svf_transient"
_GUARANTEE = 1.5


def svf_transient(
    instance: Instance,
    *,
    k: int = 2,
    packing: str = "ffd",
    mem_mode: str = "backfill",
    max_slots: int | None = None,
    record: bool = False,
    progress: Progress = None,
) -> PreemptiveResult:
    """Serve jobs in ascending order of cores x processing time, each with all it can use, until all cores are given.

    Parameters
    ----------
    instance : Instance
        Times in whole slots, all release times 0; resources as in `ocorp`.
    k : int
        Power of the flow times in `value`, `lower_bound` and "fractional"; no decision depends on it.
    packing : {"ffd", "sticky"}
        As in `ocorp`.
    mem_mode : {"backfill", "once"}
        Whether cores of jobs that get no memory are offered to others.
    max_slots, record, progress
        As in `ocorp`; there are no multipliers to record.

    Returns
    -------
    PreemptiveResult
        `guarantee` is 1.5 for k = 1, cores alone, demands that are not estimated, and a run that is not cut
        short. `stats` as of `ocorp`, "gamma" None.

    Raises
    ------
    InfeasibleError, InvalidInstanceError, TypeError
        As `ocorp`.
    UnsupportedError
        For a release time above 0.

    Notes
    -----
    O((active jobs + machines) log) for each slot in which a job completes or can use less than before; slots in between
    are passed over.
    """
    late = slot_columns(instance).release_time > 0
    if late.any():
        job = first_index(late)[0]
        raise UnsupportedError(
            f"{_NAME} takes all jobs at time 0: job {job} has the release time "
            f"{float(instance.jobs.release_time[job])!r}; use svf"
        )
    rules = run_rules(k, packing, max_slots, record)
    proven = rules.k == 1 and instance.n_resources == 1 and not instance.jobs.has_demand_estimates
    guarantee = _GUARANTEE if proven else None
    return run_baseline(_NAME, "svf", instance, rules, mem_mode, progress, guarantee)


register(
    Algorithm(
        _NAME,
        "Smallest volume first, all jobs at time 0",
        FAMILY,
        PAPER,
        svf_transient,
        (POWER, PACKING, BASELINE_MEM_MODE, MAX_SLOTS, RECORD),
        OBJECTIVE,
        needs_zero_releases=True,
        slotted=True,
        machines_may_differ=True,
        guarantee=True,
    )
)
