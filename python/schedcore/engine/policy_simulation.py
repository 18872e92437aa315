"""A workload through a compiled policy, and the `Result` around it: what event-driven policies share."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schedcore import _core, metrics
from schedcore.bounds import lower_bound
from schedcore.errors import InfeasibleError
from schedcore.model import Instance, Result, Schedule, features_of
from schedcore.model.cluster_workload import ClusterWorkload, tasks_with_room
from schedcore.parameters import Circumstances, Parameters

from .cluster_simulation import (
    cluster_result,
    never_stats,
    of_rows,
    on_machines,
    refuse_infeasible,
)
from .queue_features import NATIVE_FEATURES

__all__ = ["run_policy"]


def run_policy(
    algorithm: str,
    instance: Instance,
    policy: _core.engine.Policy,
    parameters: Parameters,
    *,
    cluster_policy: Callable[[], _core.engine.Policy] | None = None,
    custom_key: NDArray[np.float64] | None = None,
    uses_estimates: bool = False,
    predicted_by: NDArray[np.int64] | None = None,
    objective: str = "awct",
    guarantee: float | None = None,
    options: Mapping[str, Any] | None = None,
) -> Result:
    """Simulate `policy` on the whole instance and wrap the schedule; the bound is computed when first asked for.

    With `uses_estimates` the policy is told the estimated processing times, where the jobs have any. The result records
    the `options`, or the parameters as they were given. `cluster_policy` makes the policy that takes its place where
    the instance uses features of a cluster that `policy` does not take, or there are incidents, or it is told
    predictions: `predicted_by` has the numbers of the users from whose runs they are made, -1 for nobody.
    """
    recorded = parameters.recorded() if options is None else options
    if not isinstance(parameters, Circumstances):
        parameters_of_cluster, used = None, {}
    else:
        parameters_of_cluster, used = parameters, features_of(instance) | parameters.features()
    needs_calendar = predicted_by is not None or not used.keys() <= _native_features(policy)
    if parameters_of_cluster is not None and cluster_policy and needs_calendar:
        return cluster_result(
            algorithm,
            instance,
            cluster_policy(),
            parameters_of_cluster.incidents,
            parameters_of_cluster.infeasible,
            parameters_of_cluster.site,
            progress=parameters.progress,
            custom_key=custom_key,
            uses_estimates=uses_estimates,
            predicted_by=predicted_by,
            objective=objective,
            options=recorded,
        )
    never = np.zeros(instance.n_jobs, dtype=np.bool_)
    drops = parameters_of_cluster is not None and parameters_of_cluster.infeasible == "drop"
    if drops:
        never = tasks_with_room(instance, ClusterWorkload.of(instance)) == 0
    if never.any():
        return _without_infeasible(
            algorithm, instance, policy, parameters, never, custom_key, uses_estimates, objective, recorded
        )
    start_time, machine, stats = _simulated(instance, policy, parameters, custom_key, uses_estimates)
    if drops or used:
        stats |= never_stats(instance, never)
    schedule = Schedule(start_time, machine)
    return Result(
        schedule,
        objective,
        metrics.OBJECTIVES[objective](instance, schedule),
        stats=stats,
        guarantee=None if used else guarantee,
        lower_bound=lambda: lower_bound(instance, objective).value,
        algorithm=algorithm,
        options=recorded,
        instance=instance,
    )


def _native_features(policy: _core.engine.Policy) -> frozenset[str]:
    """Return what a policy for single tasks takes of a cluster: that machines are told apart changes its table only."""
    return NATIVE_FEATURES if policy.heeds_eligibility else NATIVE_FEATURES - {"constraints"}


def _simulated(
    instance: Instance,
    policy: _core.engine.Policy,
    parameters: Parameters,
    custom_key: NDArray[np.float64] | None,
    uses_estimates: bool,
) -> tuple[Any, Any, dict[str, Any]]:
    jobs = instance.jobs
    workload = ClusterWorkload.of(instance) if features_of(instance) else None
    try:
        start_time, machine, stats = _core.engine.simulate(
            policy=policy,
            release_time=jobs.release_time,
            processing_time=jobs.processing_time,
            weight=jobs.weight,
            demand=jobs.demand,
            capacity=instance.machines.capacity if workload is None else workload.capacity,
            custom_key=custom_key,
            progress=parameters.progress,
            estimated_processing_time=jobs.estimated_processing_time
            if uses_estimates and jobs.has_estimates
            else None,
            cluster_jobs=None if workload is None else workload.jobs,
            machine_number=None if workload is None else workload.machine_number,
            machine_weight=None if workload is None else workload.weight,
        )
    except InfeasibleError:
        if workload is not None:
            refuse_infeasible(instance, tasks_with_room(instance, workload))  # says more of why
        raise
    if workload is None:
        return start_time, machine, stats
    return start_time, workload.order[machine], on_machines(stats, workload.order)


def _without_infeasible(
    algorithm: str,
    instance: Instance,
    policy: _core.engine.Policy,
    parameters: Parameters,
    never: NDArray[np.bool_],
    custom_key: NDArray[np.float64] | None,
    uses_estimates: bool,
    objective: str,
    options: Mapping[str, Any],
) -> Result:
    """The same for the jobs that can run; value and bound are theirs."""
    runs = ~never
    others = instance.take_jobs(runs)
    key = None if custom_key is None else np.ascontiguousarray(custom_key[runs])
    start_time, machine, stats = _simulated(others, policy, parameters, key, uses_estimates)
    start = np.full(instance.n_jobs, np.nan)
    where = np.full(instance.n_jobs, -1, dtype=np.int64)
    start[runs], where[runs] = start_time, machine
    outcome = np.where(runs, "completed", "never").astype(object)
    stats = of_rows(stats, np.flatnonzero(runs))
    return Result(
        Schedule(start, where),
        objective,
        metrics.OBJECTIVES[objective](others, Schedule(start_time, machine)),
        stats={**stats, **never_stats(instance, never)},
        lower_bound=lambda: lower_bound(others, objective).value,
        algorithm=algorithm,
        options=options,
        instance=instance,
        outcome=outcome,
    )
