"""A workload through a compiled policy, and the `Result` around it: what every algorithm of this family shares."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schedcore import _core, metrics
from schedcore.bounds import lower_bounds, makespan_lower_bound
from schedcore.model import Instance, Result, Schedule

__all__ = ["FAMILY", "PAPER", "Progress", "run_policy"]

Progress = Callable[[int, int], object] | None

FAMILY = "online"
PAPER = "Fan and Liang, ICPP 2024"


def run_policy(
    algorithm: str,
    instance: Instance,
    policy: _core.Policy,
    *,
    custom_key: NDArray[np.float64] | None = None,
    objective: str = "awct",
    guarantee: float | None = None,
    options: Mapping[str, Any] | None = None,
    progress: Progress = None,
) -> Result:
    """Simulate `policy` on the whole instance and wrap the schedule; the bound is computed when first asked for."""
    jobs = instance.jobs
    start_time, machine, stats = _core.simulate(
        policy,
        jobs.release_time,
        jobs.processing_time,
        jobs.weight,
        jobs.demand,
        instance.machines.capacity,
        custom_key,
        progress,
    )
    schedule = Schedule(start_time, machine)
    if objective == "makespan":
        value = metrics.makespan(instance, schedule)
        bound: Callable[[], float] = lambda: makespan_lower_bound(instance)  # noqa: E731
    else:
        value = metrics.awct(instance, schedule)
        bound = lambda: lower_bounds(instance)["best"] / max(instance.n_jobs, 1)  # noqa: E731
    return Result(
        schedule,
        objective,
        value,
        stats=stats,
        guarantee=guarantee,
        lower_bound=bound,
        algorithm=algorithm,
        options=options,
        instance=instance,
    )
