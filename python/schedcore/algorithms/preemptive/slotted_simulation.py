"""One run in whole slots: an instance's columns go to the engine, its pieces come back as a result with its facts.

The engine is ``src/cpp/preemptive/slotted_simulation``; what a schedule is worth is computed from the schedule alone,
by `schedcore.metrics`.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schedcore import _core
from schedcore.bounds.preemptive.processing_powers import processing_bound
from schedcore.metrics.exact_sums import exact_sum as rounded_sum
from schedcore.metrics.preemptive import slot_facts
from schedcore.model import Instance, MapReduceInstance, PreemptiveResult, PreemptiveSchedule
from schedcore.model.amounts import exact_total
from schedcore.model.arrays import FloatArray, IntArray
from schedcore.model.slots import SlotColumns

from .family import SlotRun

__all__ = ["believed_cores", "horizon_27", "run_in_slots", "slotted_result"]


def run_in_slots(
    algorithm: str,
    instance: Instance,
    columns: SlotColumns,
    parameters: SlotRun,
    guarantee: float | None = None,
    **told: Any,
) -> PreemptiveResult:
    """Run a policy of the kernel, which is `told` more than the parameters say; a `guarantee` holds if it finishes.

    The `columns` are those of `jobs_with_room`.
    """
    arguments = parameters.for_kernel(**told)
    completion, pieces, refusals, multipliers, refused = _core.preemptive.run_slots(
        **columns._asdict(), **arguments, progress=parameters.progress
    )
    stats = {"refusals": refusals, "gamma": arguments.get("gamma")}
    if parameters.record:
        stats["refused"] = dict(zip(("slot", "job", "machine"), refused, strict=True))
        stats["multipliers"] = dict(zip(("slot", "job", "value"), multipliers, strict=True))
    return slotted_result(
        algorithm, instance, completion, pieces, parameters, arguments["max_slots"], stats, guarantee
    )


def slotted_result(
    algorithm: str,
    instance: Instance | MapReduceInstance,
    completion_time: FloatArray,
    pieces: Sequence[NDArray[Any]],
    parameters: SlotRun,
    max_slots: int | None,
    stats: Mapping[str, Any],
    guarantee: float | None = None,
) -> PreemptiveResult:
    """Return the result around the pieces of a run that ended at `max_slots`, with facts beside the given `stats`."""
    for column in pieces:
        column.flags.writeable = False  # so that the schedule keeps it without a copy
    schedule = PreemptiveSchedule(*pieces)
    facts = schedule_facts(instance, schedule, completion_time, parameters.k, max_slots)
    return PreemptiveResult(
        schedule,
        instance,
        completion_time,
        parameters.k,
        stats={**facts, **stats},
        guarantee=guarantee if facts["status"] == "finished" else None,
        lower_bound=processing_bound(instance.processing_time, parameters.k),
        algorithm=algorithm,
        options=parameters.recorded(),
    )


def horizon_27(columns: SlotColumns) -> float:
    """Return Gamma of equation (27), by which all work can be done: as demands are estimated, 0 without jobs."""
    if len(columns.release_time) == 0:
        return 0.0
    release, processing = columns.release_time, columns.processing_time
    latest = int(np.maximum(release + 2 * processing, 2 * release).max())
    volume = exact_total(processing * believed_cores(columns))
    return max(float(latest), 4.0 * volume / exact_total(columns.capacity[:, 0]))


def believed_cores(columns: SlotColumns) -> IntArray:
    """(n_jobs,) The cores that jobs are taken to ask for."""
    return (columns.demand if columns.estimated_demand is None else columns.estimated_demand)[:, 0]


def schedule_facts(
    instance: Instance | MapReduceInstance,
    schedule: PreemptiveSchedule,
    completion_time: FloatArray,
    k: int,
    max_slots: int | None = None,
) -> dict[str, Any]:
    """Return the statistics that every result of this family has; what is unfinished is followed to `max_slots`."""
    n_unfinished = int(np.isinf(completion_time).sum())
    facts = slot_facts(instance, schedule, k, end_of_run=(n_unfinished and max_slots) or 0)
    return {
        "fractional": rounded_sum(facts.fractional),
        "preemptions": int(facts.preemptions.sum()),
        "migrations": int(facts.migrations.sum()),
        "live_migrations": int(facts.live_migrations.sum()),
        "max_gap": facts.max_gap,
        "makespan": int(schedule.end_time.max()) if len(schedule) else 0,
        "status": "max_slots" if n_unfinished else "finished",
        "n_unfinished": n_unfinished,
    }
