"""One run of jobs of map and reduce tasks: what OCORP's extension and its baselines share.

Section V of [Xu2021]_; the loop is in ``src/cpp/preemptive/mapreduce_simulation``, this module checks what an
instance and its options must be and wraps the result.

.. [Xu2021] H. Xu, Y. Liu, W. C. Lau, "Optimal job scheduling with resource packing for heterogeneous servers",
   IEEE/ACM Transactions on Networking 29(4), 2021.
"""

from typing import Any

import numpy as np

from schedcore import _core
from schedcore.errors import InfeasibleError, InvalidInstanceError, UnsupportedError
from schedcore.model import MapReduceInstance, PreemptiveResult
from schedcore.model.amounts import exact_total
from schedcore.model.arrays import EXACT_BOUND, FloatArray, frozen, numeric_array

from .family import PhaseRun
from .slotted_simulation import slotted_result

__all__ = ["default_gamma", "run_mapreduce"]


def run_mapreduce(
    algorithm: str, instance: MapReduceInstance, parameters: PhaseRun, **told: Any
) -> PreemptiveResult:
    """Schedule by an order of the kernel, which is `told` that and more than the parameters say.

    Raises
    ------
    InfeasibleError
        If a task asks for more cores than all machines have; names the job.
    InvalidInstanceError, UnsupportedError
        For latencies that are wrong, not asked for, or missing.
    """
    latency = _checked_latency(instance, parameters)
    _check_room(instance)
    arguments = parameters.for_kernel(latency=latency, **told)
    completion, map_completion, pieces, slot, job, value = _core.preemptive.run_mapreduce(
        release_time=instance.release_time,
        map_tasks=instance.map_tasks,
        map_cores=instance.map_cores,
        map_time=instance.map_time,
        reduce_tasks=instance.reduce_tasks,
        reduce_cores=instance.reduce_cores,
        reduce_time=instance.reduce_time,
        capacity=instance.machines.capacity[:, 0],
        **arguments,
        progress=parameters.progress,
    )
    stats = {"refusals": 0, "gamma": arguments.get("gamma"), "map_completion_time": map_completion}
    if parameters.record:
        stats["multipliers"] = {"slot": slot, "job": job, "value": value}
        stats["refused"] = {name: np.empty(0, dtype=np.int64) for name in ("slot", "job", "machine")}
    return slotted_result(algorithm, instance, completion, pieces, parameters, arguments["max_slots"], stats)


def default_gamma(instance: MapReduceInstance) -> float:
    """Return the Gamma of section V, max(a + 2 P, 2 a, 4 work / cores) over all jobs; 0 without jobs."""
    if instance.n_jobs == 0:
        return 0.0
    release, processing = instance.release_time, instance.processing_time
    longest = max(int((release + 2 * processing).max()), 2 * int(release.max()))
    return max(
        float(longest), 4 * exact_total(instance.volume) / exact_total(instance.machines.capacity[:, 0])
    )


def _checked_latency(instance: MapReduceInstance, parameters: PhaseRun) -> FloatArray | None:
    """Return the latencies as float64 where they place tasks, None where tasks are packed."""
    latency = parameters.latency
    if parameters.placement == "pack":
        if latency is not None:
            raise UnsupportedError('latency is used with placement = "latency" alone')
        return None
    if latency is None:
        raise UnsupportedError('placement = "latency" needs latency, an array (n_tasks, n_machines)')
    column: FloatArray = frozen(numeric_array(latency, "latency"), np.float64)
    shape = (instance.n_tasks, instance.n_machines)
    if column.shape != shape:
        raise InvalidInstanceError(
            f"latency has shape {column.shape}; it must be (n_tasks, n_machines) = {shape}"
        )
    wrong = ~(np.isfinite(column) & (column >= 0))
    if wrong.any():
        task, machine = (int(i) for i in np.argwhere(wrong)[0])
        raise InvalidInstanceError(
            f"latency[{task}, {machine}] = {column[task, machine]} must be finite and at least 0"
        )
    return column


def _check_room(instance: MapReduceInstance) -> None:
    cores = exact_total(instance.machines.capacity[:, 0])
    if cores >= EXACT_BOUND:
        raise UnsupportedError(f"all machines together have {cores} cores; it must be less than 2**53")
    for name in ("map", "reduce"):
        wanted = np.where(getattr(instance, f"{name}_tasks") > 0, getattr(instance, f"{name}_cores"), 0)
        wide = wanted > cores
        if wide.any():
            job = int(np.argmax(wide))
            raise InfeasibleError(
                f"{name}_cores[{job}] = {wanted[job]} exceeds the {cores} cores of all machines; no {name} task of "
                f"job {job} can use them"
            )
