"""A workload through a compiled policy, and the `Result` around it: what event-driven policies share."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schedcore import _core, metrics
from schedcore.bounds import lower_bound
from schedcore.model import Instance, Result, Schedule
from schedcore.parameters import Parameters

__all__ = ["run_policy"]


def run_policy(
    algorithm: str,
    instance: Instance,
    policy: _core.engine.Policy,
    parameters: Parameters,
    *,
    custom_key: NDArray[np.float64] | None = None,
    uses_estimates: bool = False,
    objective: str = "awct",
    guarantee: float | None = None,
    options: Mapping[str, Any] | None = None,
) -> Result:
    """Simulate `policy` on the whole instance and wrap the schedule; the bound is computed when first asked for.

    With `uses_estimates` the policy is told the estimated processing times, where the jobs have any. The result records
    the `options`, or the parameters as they were given.
    """
    jobs = instance.jobs
    start_time, machine, stats = _core.engine.simulate(
        policy=policy,
        release_time=jobs.release_time,
        processing_time=jobs.processing_time,
        weight=jobs.weight,
        demand=jobs.demand,
        capacity=instance.machines.capacity,
        custom_key=custom_key,
        progress=parameters.progress,
        estimated_processing_time=jobs.estimated_processing_time
        if uses_estimates and jobs.has_estimates
        else None,
    )
    schedule = Schedule(start_time, machine)
    return Result(
        schedule,
        objective,
        metrics.OBJECTIVES[objective](instance, schedule),
        stats=stats,
        guarantee=guarantee,
        lower_bound=lambda: lower_bound(instance, objective).value,
        algorithm=algorithm,
        options=parameters.recorded() if options is None else options,
        instance=instance,
    )
