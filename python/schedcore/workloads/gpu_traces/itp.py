"""Training jobs of Microsoft's GPU clusters of 2021 as jobs on nodes of 8 GPUs.

A job has a submission time, a duration and a number of GPUs [Gu2023]_. Up to 8 GPUs are one task, which runs inside a
node; more are tasks of 8 GPUs each. How many nodes there were, and how long jobs were thought to run, nobody says.

.. [Gu2023] D. Gu et al., "ElasticFlow: An Elastic Serverless Training Platform for Distributed Deep Learning", ASPLOS
   2023; microsoft/elasticflow-traces.
"""

import math
from typing import Literal

import numpy as np

from schedcore.errors import InvalidInstanceError
from schedcore.model import Instance, Jobs, Machines
from schedcore.model.arrays import EXACT_BOUND, FloatArray
from schedcore.model.machines import MOST_MACHINES
from schedcore.workloads.gpu_traces.trace_rows import TraceRows
from schedcore.workloads.logs.pool_of_log import peak_use
from schedcore.workloads.reading.annotated_arguments import checks_choices
from schedcore.workloads.reading.cluster_room import fits_empty_cluster
from schedcore.workloads.reading.machines_spec import MachineChoice, ResourceUnit, choose_machines
from schedcore.workloads.reading.option_spelling import spelled
from schedcore.workloads.reading.report import DataReport, make_report
from schedcore.workloads.reading.source_file import FilePath

__all__ = ["read_itp"]

_GPUS_OF_NODE = 8
_RESOURCES = (ResourceUnit("gpus"),)
_NEEDED = ("job_id", "submission_time", "duration", "num_gpu")


@checks_choices
def read_itp(
    path: FilePath, machines: MachineChoice | None = None, *, on_bad_row: Literal["error", "skip"] = "error"
) -> tuple[Instance, DataReport]:
    """Read the trace of one cluster, gzipped or not.

    Parameters
    ----------
    path : path-like
        CSV file with the columns job_id, submission_time, duration and num_gpu.
    machines : Machines, str or int, optional
        The nodes, as ``"40x8"``; a number means that many nodes of 8 GPUs. Default: the smallest number of those with
        which the offered load does not exceed 1 and the widest job fits.
    on_bad_row : {"error", "skip"}
        What happens to a row with another number of fields than the first line, with a number that is missing,
        negative or above 2**53, without a whole number of GPUs from 1 on, or with the job_id of an earlier row.

    Returns
    -------
    instance : Instance
        Jobs in file order, of weight 1, with ids 0, 1, 2, ...; resource ``gpus``. A job of n <= 8 GPUs is one task of
        n, another ceil(n / 8) tasks of 8.
    report : DataReport
        Reasons for dropping: ragged_row, garbled_row, impossible_value, no_gpus, repeated_job, too_big.

    Raises
    ------
    InvalidInstanceError
        For a damaged file, missing columns, bad rows, and a trace of which no job is left.
    ImportError
        If pyarrow is missing; names the extra.

    Notes
    -----
    O(n log n) for n rows.
    """
    chosen = None if machines is None else choose_machines(machines, _RESOURCES, (_GPUS_OF_NODE,))
    rows = TraceRows.read(path, _NEEDED, (), on_bad_row)
    ledger = rows.ledger
    submitted, duration, n_gpus = (rows.numbers(name) for name in _NEEDED[1:])
    rows.refuse_impossible((submitted, duration, n_gpus), on_bad_row)
    wrong = (n_gpus < 1) | (n_gpus != np.floor(n_gpus))
    rows.refuse("no_gpus", "no whole number of GPUs from 1 on", wrong, on_bad_row)
    codes = rows.columns["job_id"].dictionary_encode().indices.to_numpy()
    repeated = np.ones(len(codes), dtype=np.bool_)
    kept_rows = np.flatnonzero(ledger.kept)
    repeated[kept_rows[np.unique(codes[kept_rows], return_index=True)[1]]] = False
    rows.refuse("repeated_job", "the job_id of an earlier row", repeated, on_bad_row)

    n_tasks = np.where(n_gpus > _GPUS_OF_NODE, np.ceil(n_gpus / _GPUS_OF_NODE), 1.0)
    demand = np.minimum(n_gpus, _GPUS_OF_NODE)
    run_time = np.maximum(np.ceil(duration), 1.0)
    ledger.repair("zero_runtime", "duration 0 counts as 1 s", duration == 0)
    ledger.repair(
        "uneven_tasks",
        f"its GPUs are no multiple of {_GPUS_OF_NODE}; its last node is its own, too",
        n_tasks * demand > n_gpus,
    )
    ledger.refuse_empty(rows.source)
    assumed = _busy(ledger.kept, submitted, run_time, n_tasks * demand)
    if chosen is None:
        chosen, sentence = _fewest_nodes(
            rows.source,
            submitted[ledger.kept],
            (run_time * demand * n_tasks)[ledger.kept],
            n_tasks[ledger.kept],
        )
        assumed = f"{sentence}; {assumed}"
    fits = fits_empty_cluster(demand[:, np.newaxis], np.where(n_tasks >= 1, n_tasks, 1), chosen)
    ledger.drop("too_big", "demand above the capacity", ~fits, remedy="it takes more nodes, or larger ones")
    ledger.repair("missing_estimate", "no estimate; it is the run time", ledger.kept.copy())
    ledger.refuse_empty(rows.source)
    kept = ledger.kept
    origin = np.floor(submitted[kept]).min()
    jobs = Jobs(
        run_time[kept],
        demand[kept, np.newaxis].astype(np.int64),
        release_time=np.floor(submitted[kept]) - origin,
        n_tasks=n_tasks[kept].astype(np.int64),
    )
    instance = Instance(jobs, chosen)
    report = make_report(
        rows.source,
        instance,
        ledger=ledger,
        work=_work(demand * n_tasks, run_time),
        units={"time": "s", "gpus": "GPUs"},
        assumptions=(
            assumed,
            f"a job of more than {_GPUS_OF_NODE} GPUs is tasks of {_GPUS_OF_NODE}, each on a node of its own",
            f"time 0 is second {origin:,.0f} of the trace",
            "all weights are 1",
        ),
        is_batch_log=True,
    )
    return instance, report


def _work(gpus: FloatArray, run_time: FloatArray) -> FloatArray:
    """(n_rows, 1) Return GPUs times run time, NaN where a row does not tell them."""
    with np.errstate(invalid="ignore", over="ignore"):  # of rows that were dropped
        known = (gpus >= 1) & (gpus <= EXACT_BOUND) & (run_time <= EXACT_BOUND)
        work: FloatArray = np.where(known, gpus * run_time, np.nan)[:, np.newaxis]
    return work


def _busy(
    kept: np.ndarray[tuple[int, ...], np.dtype[np.bool_]],
    submitted: FloatArray,
    run_time: FloatArray,
    gpus: FloatArray,
) -> str:
    peak, _ = peak_use(submitted[kept], run_time[kept], gpus[kept, np.newaxis])
    return f"up to {peak[0]:,.0f} GPUs are busy at the same time if no job waits"


def _fewest_nodes(
    source: str, submitted: FloatArray, work: FloatArray, n_tasks: FloatArray
) -> tuple[Machines, str]:
    horizon = float(submitted.max() - submitted.min())
    to_keep_up = math.ceil(float(work.sum()) / (horizon * _GPUS_OF_NODE)) if horizon else 1
    number = int(max(1, to_keep_up, n_tasks.max()))
    if number > MOST_MACHINES:
        raise InvalidInstanceError(
            f"{source}: it takes {number:.3g} nodes of {_GPUS_OF_NODE} GPUs to keep up with these jobs, more than "
            f"{MOST_MACHINES:,}, the most there can be; name the nodes, as with {spelled('machines', '40x8')}"
        )
    return choose_machines(number, _RESOURCES, (_GPUS_OF_NODE,)), (
        f"{number:,} nodes of {_GPUS_OF_NODE} GPUs, the fewest with which the offered load does not exceed 1 and the "
        f"widest job fits"
    )
