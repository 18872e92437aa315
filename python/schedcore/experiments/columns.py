"""The columns of a results data set: one row a cell, the same columns for every experiment.

A column that is added later is null in folders written before.

Columns are of two kinds. Those in `VOLATILE` tell when, where and how fast a cell ran; all others depend on the
description and the code alone, and are the same in every run.
"""

from typing import Any

from schedcore.model.extras import import_extra
from schedcore.problems import PROBLEMS
from schedcore.problems.kept_columns import KEEPS
from schedcore.problems.slot_figures import SIZE_CLASSES

__all__ = [
    "COLUMNS",
    "FIGURES",
    "KEPT",
    "METRICS",
    "NUMBERS",
    "SIZE_CLASSES",
    "SOUND",
    "VOLATILE",
    "arrow_schema",
]

#: Figures of merit -> type, of all kinds of problems: what a kind does not have is null.
FIGURES: dict[str, str] = {name: kind for problem in PROBLEMS for name, kind in problem.columns.items()}

#: What a figure can show of it -> its columns, lists of numbers. The first one says where the others lie.
KEPT: dict[str, tuple[str, ...]] = {keep.name: tuple(keep.columns) for keep in KEEPS if keep.is_curve}

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
    # unfinished (the schedule of a run that was cut short), left out (the policy does not take the workload)
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
    **{name: kind for keep in KEEPS for name, kind in keep.columns.items()},  # on demand
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

#: What a cell comes to that is no failure.
SOUND = ("ok", "left out")

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
