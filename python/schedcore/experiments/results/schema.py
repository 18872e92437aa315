"""The columns of a results data set: one row a cell, the same columns for every experiment.

A column that is added later is null in folders written before.

Columns are of two kinds. Those in `VOLATILE` tell when, where and how fast a cell ran; all others depend on the
description and the code alone, and are the same in every run.
"""

from __future__ import annotations

from typing import Any

from schedcore.model.extras import import_extra

__all__ = [
    "COLUMNS",
    "FIGURES",
    "KEPT",
    "METRICS",
    "NUMBERS",
    "SIZE_CLASSES",
    "VOLATILE",
    "arrow_schema",
]

#: Numbers of `schedcore.metrics.summary` with a column of their own.
_SUMMARY = (
    "awct",
    "weighted_completion",
    "makespan",
    "avg_response",
    "weighted_avg_response",
    "avg_wait",
    "max_wait",
    "zero_wait_share",
    "wait_p50",
    "wait_p90",
    "wait_p95",
    "wait_p99",
    "avg_slowdown",
    "avg_bounded_slowdown",
    "avg_queue_all",
    "avg_queue_arrivals",
    "max_queue",
)
#: Figures of merit -> type: what the kind of an instance does not have is null.
FIGURES: dict[str, str] = {
    **dict.fromkeys(_SUMMARY, "float64"),
    "utilisation": "list<float64>",  # per resource
    "sum_cost": "float64",  # of tasks to colocate: the sum of all their costs
    # of jobs of parallel tasks
    "weighted_average_completion_time": "float64",
    "weighted_average_delay": "float64",  # from the release of the job on
    "avg_synchronisation_delay": "float64",
    "n_preemptions": "int64",
    "n_migrations": "int64",
    "remote_share": "float64",
    "lp_status": "string",  # how the linear program of the policy ended
    "lam": "float64",  # SynchPack-1, -2: the lambda that was chosen
    "tau0": "float64",  # online: the length that epochs grow to, and how many were active
    "n_epochs": "int64",
    # of runs in slots; n_preemptions and n_migrations, too
    "flow_norm": "float64",  # l_k norm of the flow times, with the k of the policy
    "l2_norm": "float64",  # with k = 2, and what it is over that of the processing times
    "l2_ratio": "float64",
    "l2_fractional": "float64",  # square root of the fractional flow time with k = 2
    "avg_flow_time": "float64",
    "n_live_migrations": "int64",
    "max_gap": "int64",  # longest time in slots that a job was not served
    "n_refusals": "int64",
    "n_unfinished": "int64",
    "run_status": "string",  # finished, or max_slots: cut short
    "gamma": "float64",
    "offered_load": "float64",  # of cores, until the last arrival
}

#: What a sweep may keep -> its columns, lists of numbers. The first one says where the others lie.
KEPT: dict[str, tuple[str, ...]] = {
    "curves": (
        "curve_time",
        "curve_offered_volume",
        "curve_unfinished_volume",
        "curve_unfinished_time",
        "curve_l2_norm",  # of the jobs that are complete by then
        "curve_l2_fractional",
        "curve_l2_least",  # curve_l2_norm if no job ever waited
    ),
    "demands": ("demand_amount", "demand_share"),  # of the first resource; share of jobs with at most so much
    "by_size": (
        "size_from",  # lower end of a class of processing times
        "size_n_jobs",
        "size_mean_wait",
        "size_min_wait",
        "size_max_wait",
        "size_preemptions",  # per job, as migrations
        "size_migrations",
        "size_live_migrations",
    ),
}
#: Lower ends of the classes of processing times: 1, 2, 5, 10, 20, 50, ...
SIZE_CLASSES = tuple(digit * 10**zeros for zeros in range(7) for digit in (1, 2, 5))

#: Column -> type; text is empty or null where there is nothing to say.
COLUMNS: dict[str, str] = {
    # what was run
    "cell": "string",  # key: SHA-256 of workload, arguments, policy and options
    "experiment": "string",
    "workload": "string",  # the source: generator, file or input
    "workload_arguments": "string",  # JSON, defaults filled in
    "policy": "string",
    "policy_options": "string",  # JSON, defaults filled in
    "job_set": "int64",
    "derived_seed": "uint64",  # of whatever the cell draws
    # what came of it
    "status": "string",  # ok, invalid (the schedule), failed, unsolved (a bound, but no schedule in the time given),
    # unfinished (the schedule of a run that was cut short)
    "verdict": "string",  # of the validator
    "error": "string",
    "traceback": "string",
    "n_jobs": "int64",  # or tasks to colocate
    "n_tasks": "int64",  # of all jobs of parallel tasks
    "n_machines": "int64",
    "n_resources": "int64",
    "workload_hash": "string",  # content hash of the instance
    "objective": "string",
    "value": "float64",
    "lower_bound": "float64",
    "ratio": "float64",  # value / lower_bound
    "gap": "float64",
    "guarantee": "float64",
    **FIGURES,
    "delay_quantiles": "list<float64>",  # kept on demand
    "start_time": "list<float64>",  # kept on demand, as machine
    "machine": "list<int64>",
    **{name: "list<float64>" for names in KEPT.values() for name in names},
    # which code
    "schedcore_version": "string",
    "schedcore_commit": "string",
    "python_version": "string",
    "numpy_version": "string",
    "platform": "string",
    # when, where, how fast
    "solve_seconds": "float64",
    "wall_seconds": "float64",  # the cell with validation, bound and metrics, without loading the workload
    "peak_memory_bytes": "int64",  # of the worker process while the cell ran
    "host": "string",
    "worker": "string",
    "started_at": "timestamp",
    "finished_at": "timestamp",
}

VOLATILE = (
    "solve_seconds",
    "wall_seconds",
    "peak_memory_bytes",
    "host",
    "worker",
    "started_at",
    "finished_at",
)

#: Columns of numbers, and those among them that a figure may show.
NUMBERS = tuple(name for name, kind in COLUMNS.items() if kind in ("int64", "float64"))
METRICS = tuple(name for name in NUMBERS if name != "job_set")


def arrow_schema() -> Any:
    """Return the ``pyarrow.Schema``."""
    pa = import_extra("pyarrow", "traces")
    types = {
        "string": pa.string(),
        "int64": pa.int64(),
        "uint64": pa.uint64(),
        "float64": pa.float64(),
        "timestamp": pa.timestamp("us", tz="UTC"),
        "list<float64>": pa.list_(pa.float64()),
        "list<int64>": pa.list_(pa.int64()),
    }
    return pa.schema([(name, types[kind]) for name, kind in COLUMNS.items()])
