"""The transient scheme: all jobs are there at time 0, the smallest volume is served first.

Source: H. Xu, Y. Liu and W. C. Lau, "Optimal job scheduling with resource packing for heterogeneous servers", IEEE/ACM
Transactions on Networking, 2021. Corollary 2: the sum of flow times is at most 3/2 times the least
possible. (Theorem 6, from which the paper derives it, does not hold: see ``docs/papers.md``.)
"""

from schedcore.errors import UnsupportedError
from schedcore.model import Instance, PreemptiveResult
from schedcore.model.arrays import first_index
from schedcore.registry import registered

from .family import PREEMPTIVE, OrderedRun
from .jobs_with_room import columns_with_room
from .slotted_simulation import run_in_slots

__all__ = ["svf_transient"]

_GUARANTEE = 1.5


@registered(
    OrderedRun,
    "Smallest volume first, all jobs at time 0",
    PREEMPTIVE,
    needs_zero_releases=True,
    guarantee=True,
)
def svf_transient(instance: Instance, parameters: OrderedRun) -> PreemptiveResult:
    """Serve jobs in ascending order of cores x processing time, each with all it can use, until all cores are given.

    No decision depends on k. There are no multipliers to record.

    Parameters
    ----------
    instance : Instance
        Times in whole slots, all release times 0; resources as in `ocorp`.

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
    columns = columns_with_room(instance)
    late = columns.release_time > 0
    if late.any():
        job = first_index(late)[0]
        raise UnsupportedError(
            f"svf_transient takes all jobs at time 0: job {job} has the release time "
            f"{float(instance.jobs.release_time[job])!r}; use svf"
        )
    proven = parameters.k == 1 and instance.n_resources == 1 and not instance.jobs.has_demand_estimates
    guarantee = _GUARANTEE if proven else None
    return run_in_slots("svf_transient", instance, columns, parameters, guarantee, policy="svf")
