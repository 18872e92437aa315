"""OCORP for jobs of map and reduce tasks: the phase a job is in competes with a multiplier of its own.

Section V of [Xu2021]_, with the gaps filled that are listed in the documentation. The loop is in
``src/cpp/preemptive/mapreduce_simulation``.

.. [Xu2021] H. Xu, Y. Liu, W. C. Lau, "Optimal job scheduling with resource packing for heterogeneous servers",
   IEEE/ACM Transactions on Networking 29(4), 2021.
"""

import dataclasses
from typing import Literal

from numpy.typing import ArrayLike

from schedcore.model import MapReduceInstance, PreemptiveResult
from schedcore.model.choices import checked_flag
from schedcore.model.real_numbers import finite_number
from schedcore.registry import Algorithm, register

from .family import (
    FAMILY,
    GAMMA,
    LAMBDA0,
    LATENCY,
    MAX_SLOTS,
    MU,
    OBJECTIVE,
    PACKING,
    PAPER,
    PLACEMENT,
    POWER,
    RECORD,
    WORK_CONSERVING,
    Lambda0,
    Progress,
    dual_rules,
    run_rules,
    strict_slots,
)
from .mapreduce_run import checked_latency, default_gamma, refuse_other_instances, run_mapreduce

__all__ = ["ocorp_mapreduce"]

_NAME = "ocorp_mapreduce"


def ocorp_mapreduce(
    instance: MapReduceInstance,
    *,
    k: int = 2,
    gamma: float | None = None,
    mu: float | Literal["sim"] = "sim",
    lambda0: Lambda0 = "zero",
    work_conserving: bool = True,
    packing: Literal["ffd", "sticky"] = "ffd",
    placement: Literal["pack", "latency"] = "pack",
    latency: ArrayLike | None = None,
    max_slots: int | None = None,
    record: bool = False,
    progress: Progress = None,
) -> PreemptiveResult:
    """Schedule map and reduce tasks by weight minus multiplier, per core, smallest first.

    In every slot the active phases of all jobs (map until its work is done, reduce from the slot after) are walked by
    (W - lambda) / cores, W = (2 (t - a)^k + P^k) / (2 n p) for a phase of n tasks that take p slots each, a the release
    and P the time of both phases. The tasks of a phase get cores in the order of their numbers, each as many as it can
    use. The multiplier of a phase then grows by mu (r - x / n), x tasks having run, and is never below 0; r is the rate
    at which all tasks of the job would be done at Gamma.

    Parameters
    ----------
    instance : MapReduceInstance
    k : int
        Power of the flow times, 1 to 64.
    gamma : float, optional
        Slots after which all work ought to be done, above 0; max(a + 2 P, 2 a, 4 work / cores) unless given.
    mu : float or "sim"
        Step of the multipliers, at least 0; "sim" is t^(k + 1/2).
    lambda0 : "big", "zero", ("mu", c) or ("const", v)
        Multiplier of a phase in its first slot t: Gamma^(k + 3/2), 0, c mu(t) or v. On the command line "mu:c" and
        "const:v".
    work_conserving : bool
        Serve what has a key of 0 or more with the cores that are left; otherwise leave them idle.
    packing : {"ffd", "sticky"}
        Pack every slot anew, or keep tasks where they were in the slot before, as far as they fit.
    placement : {"pack", "latency"}
        Pack tasks, largest first, on the machines with most cores; or place them at least latency. It changes no
        completion time.
    latency : (n_tasks, n_machines) array_like, optional
        With placement = "latency": what a task pays on a machine, finite and at least 0; the sum over all cores of
        latency / cores of the task is least in every slot. Tasks as in `MapReduceInstance.task_start`.
    max_slots : int, optional
        The run ends with this slot, finished or not. A run that is not work conserving may never end: it stops after
        max(1000, 64 Gamma) slots unless told otherwise, with Gamma as computed where it is not given.
    record : bool
        Keep the multipliers of every slot; as other runs have, there is a table "refused", without rows.
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
    refuse_other_instances(_NAME, instance)
    least = default_gamma(instance)
    chosen = least if gamma is None else finite_number("gamma", gamma, above_0=True)
    rules = run_rules(k, packing, max_slots, record)
    is_strict = not checked_flag("work_conserving", work_conserving)
    if is_strict and rules.max_slots is None:
        rules = rules._replace(max_slots=strict_slots(least))
    return run_mapreduce(
        _NAME,
        instance,
        "ocorp",
        rules,
        dual=dual_rules(k, chosen, mu, lambda0),
        work_conserving=not is_strict,
        latency=checked_latency(instance, placement, latency),
        options={
            "k": k,
            "gamma": gamma,
            "mu": mu,
            "lambda0": lambda0,
            "work_conserving": work_conserving,
            "packing": packing,
            "placement": placement,
            "max_slots": max_slots,
            "record": record,
        },
        progress=progress,
    )


register(
    Algorithm(
        _NAME,
        "OCORP for MapReduce: map and reduce phases with multipliers of their own",
        FAMILY,
        PAPER,
        ocorp_mapreduce,
        (
            POWER,
            GAMMA,
            MU,
            dataclasses.replace(LAMBDA0, default="zero"),
            WORK_CONSERVING,
            PACKING,
            PLACEMENT,
            LATENCY,
            MAX_SLOTS,
            RECORD,
        ),
        OBJECTIVE,
        instance_kind=MapReduceInstance,
        slotted=True,
        machines_may_differ=True,
    )
)
