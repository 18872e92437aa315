"""OCORP for jobs of map and reduce tasks: the phase a job is in competes with a multiplier of its own.

Section V of [Xu2021]_, with the gaps filled that are listed in the documentation. The loop is in
``src/cpp/preemptive/mapreduce_simulation``.

.. [Xu2021] H. Xu, Y. Liu, W. C. Lau, "Optimal job scheduling with resource packing for heterogeneous servers",
   IEEE/ACM Transactions on Networking 29(4), 2021.
"""

from schedcore.model import MapReduceInstance, PreemptiveResult
from schedcore.parameters import same_option
from schedcore.registry import registered

from .family import (
    PREEMPTIVE,
    FlowPower,
    Lambda0,
    Multipliers,
    PhasePlacement,
    PhaseRun,
    SlotPacking,
    strict_slots,
)
from .mapreduce_simulation import default_gamma, run_mapreduce

__all__ = ["ocorp_mapreduce"]


class OcorpMapReduceParameters(PhaseRun, PhasePlacement, SlotPacking, Multipliers, FlowPower, kw_only=True):
    """The options of OCORP, where phases have multipliers that begin with 0."""

    lambda0: Lambda0 = same_option(default="zero", kw_only=True)


@registered(
    OcorpMapReduceParameters,
    "OCORP for MapReduce: map and reduce phases with multipliers of their own",
    PREEMPTIVE,
    instance_kind=MapReduceInstance,
)
def ocorp_mapreduce(instance: MapReduceInstance, parameters: OcorpMapReduceParameters) -> PreemptiveResult:
    """Schedule map and reduce tasks by weight minus multiplier, per core, smallest first.

    In every slot the active phases of all jobs (map until its work is done, reduce from the slot after) are walked by
    (W - lambda) / cores, W = (2 (t - a)^k + P^k) / (2 n p) for a phase of n tasks that take p slots each, a the release
    and P the time of both phases. The tasks of a phase get cores in the order of their numbers, each as many as it can
    use. The multiplier of a phase then grows by mu (r - x / n), x tasks having run, and is never below 0; r is the rate
    at which all tasks of the job would be done at Gamma, which is max(a + 2 P, 2 a, 4 work / cores) unless given.
    `lambda0` is the multiplier of a phase in its first slot t, and c steps are c mu(t).

    Parameters
    ----------
    instance : MapReduceInstance
    progress : callable, optional
        ``progress(jobs finished, n_jobs)``.

    Returns
    -------
    PreemptiveResult
        Tasks are numbered within the job, map tasks first. `lower_bound` is the sum of P^k. `stats` has "fractional",
        "preemptions", "migrations", "live_migrations" (of tasks, in total), "max_gap" (per job), "refusals" (0),
        "gamma", "makespan", "status" ("finished" or "max_slots"), "n_unfinished", "map_completion_time" (per job,
        infinite where it is not done), and with `record` "multipliers": columns slot, job and value, which is the
        multiplier of the active phase that the key of the slot was made with.

    Raises
    ------
    InfeasibleError
        If a task asks for more cores than all machines have; names the job.
    InvalidInstanceError
        For options out of range, and latencies of another shape or below 0.
    UnsupportedError
        For latencies without placement = "latency" or the other way round, other kinds of instances, and powers beyond
        the doubles.

    Notes
    -----
    O(active phases + tasks that run) a slot, and packing where these change; stretches in which every task has all it
    can use cost only the recursion. 2500 jobs of 17,000 tasks in 3600 slots take some 30 ms.
    """
    least = default_gamma(instance)
    max_slots = parameters.checked("max_slots")
    if not parameters.work_conserving and max_slots is None:
        max_slots = strict_slots(least)
    return run_mapreduce(
        "ocorp_mapreduce",
        instance,
        parameters,
        order="ocorp",
        k=parameters.k,
        gamma=least if parameters.gamma is None else parameters.checked("gamma"),
        max_slots=max_slots,
    )
