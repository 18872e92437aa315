"""Pods of Alibaba's GPU cluster of 2023 ("openb") as jobs on its nodes, which differ in processors, memory and GPUs.

A pod runs on one node, with some processors and memory, and no GPU, a part of one, or several whole ones [Weng2023]_.
The GPUs of a node are counted together: whether one of them has room for a part is not asked.

.. [Weng2023] Q. Weng et al., "Beware of Fragmentation: Scheduling GPU-Sharing Workloads with Fragmentation Gradient
   Descent", USENIX ATC 2023; cluster-trace-gpu-v2023.
"""

import os
from pathlib import Path
from typing import Literal

import numpy as np

from schedcore.errors import InvalidInstanceError
from schedcore.model import Instance, Jobs, Machines
from schedcore.model.arrays import EXACT_BOUND, FloatArray, IntArray
from schedcore.workloads.file_kind import kind_of_file
from schedcore.workloads.gpu_traces.openb_nodes import MILLI, OPENB_RESOURCES, read_openb_nodes
from schedcore.workloads.gpu_traces.trace_rows import TraceRows
from schedcore.workloads.logs.site_columns import readable_constraints, text_names
from schedcore.workloads.reading.annotated_arguments import checks_choices
from schedcore.workloads.reading.cluster_room import fits_empty_cluster
from schedcore.workloads.reading.machines_spec import MachineChoice, choose_machines
from schedcore.workloads.reading.option_spelling import spelled
from schedcore.workloads.reading.report import DataReport, make_report
from schedcore.workloads.reading.source_file import FilePath

__all__ = ["read_openb"]

_AMOUNTS = ("cpu_milli", "memory_mib", "num_gpu", "gpu_milli")
_TIMES = ("creation_time", "deletion_time", "scheduled_time")
_NODE_LISTS = ("openb_node_list_all_node.csv", "openb_node_list_all_node.csv.gz")


@checks_choices
def read_openb(
    path: FilePath, machines: MachineChoice | None = None, *, on_bad_row: Literal["error", "skip"] = "error"
) -> tuple[Instance, DataReport]:
    """Read a list of pods, gzipped or not.

    Parameters
    ----------
    path : path-like
        CSV file with the columns name, cpu_milli, memory_mib, num_gpu, gpu_milli, creation_time, deletion_time and
        scheduled_time, and perhaps gpu_spec and qos.
    machines : Machines or str, optional
        The nodes: the path of a list of nodes of this trace or of a table of machines, or a text such as
        ``"100x96,768GB,8"``. Default: the list ``openb_node_list_all_node.csv`` beside the file.
    on_bad_row : {"error", "skip"}
        What happens to a row with another number of fields than the first line, with a number that is missing,
        negative, above 2**53 or, of amounts, no whole one, with more than 1,000 thousandths of a GPU, without any
        demand, or that ends before it starts.

    Returns
    -------
    instance : Instance
        Jobs in file order, released at creation_time, running from scheduled_time to deletion_time, of weight 1;
        resources ``cpu`` and ``gpu`` in thousandths and ``memory`` in MiB. gpu_spec is the `constraint`, over models
        of GPUs, which are the labels of nodes; qos is the `service_class`. Ids are the numbers of the names where
        each pod has one of its own.
    report : DataReport
        Reasons for dropping: ragged_row, garbled_row, impossible_value, no_demand, never_scheduled, too_big,
        constraint.

    Raises
    ------
    InvalidInstanceError
        For a damaged file, a list of pods without times, bad rows, nodes that nobody names, and a list of which no pod
        is left.
    ImportError
        If pyarrow is missing; names the extra.

    Notes
    -----
    O(file size). Pods that existed when the trace ended count with the lifetime seen so far.
    """
    rows = _rows(path, on_bad_row)
    chosen = _nodes(path, machines)
    ledger, source = rows.ledger, rows.source
    cpu, memory, n_gpus, share = (rows.numbers(name) for name in _AMOUNTS)
    created, deleted, scheduled = (rows.numbers(name) for name in _TIMES)
    never = rows.without_text("scheduled_time")
    scheduled, deleted = np.where(never, created, scheduled), np.where(never, created, deleted)
    rows.refuse_impossible((cpu, memory, n_gpus, share, created, deleted, scheduled), on_bad_row)
    # Who asks for several GPUs gets whole ones.
    gpu = np.where(n_gpus == 1, share, n_gpus * MILLI)
    demand = np.column_stack([cpu, memory, gpu])
    wrong = (demand != np.floor(demand)).any(axis=1) | (n_gpus != np.floor(n_gpus)) | (gpu > EXACT_BOUND)
    wrong |= (share > MILLI) | (deleted < scheduled)
    meaning = f"an amount is no whole number, above {MILLI} of a GPU, or the pod ends before it starts"
    rows.refuse("impossible_value", meaning, wrong, on_bad_row)
    rows.refuse("no_demand", "neither processors nor memory nor GPUs", (demand == 0).all(axis=1), on_bad_row)
    ledger.drop("never_scheduled", "no scheduled_time: it never ran", never, lost=False)

    run_time = np.maximum(np.ceil(deleted) - np.floor(scheduled), 1.0)
    ledger.repair("zero_runtime", "run time 0 counts as 1 s", deleted == scheduled)
    if ledger.kept.any():
        last = deleted[ledger.kept].max()
        ledger.repair(
            "censored", "existed when the trace ended; counts with the lifetime seen so far", deleted == last
        )
    fitting = ledger.kept & fits_empty_cluster(np.where(demand >= 0, demand, 0), np.ones(len(demand)), chosen)
    ledger.drop("too_big", "demand above the capacity of every node", ~fitting, remedy="larger nodes hold it")
    constraint, service_class = None, None
    if "gpu_spec" in rows.columns:
        asked = text_names(rows.columns["gpu_spec"])
        constraint, ignored = readable_constraints(asked, chosen)
        ledger.note("constraint_ignored", "asks for models of GPUs that the machines do not tell", ignored)
        fitting = fits_empty_cluster(
            np.where(demand >= 0, demand, 0), np.ones(len(demand)), chosen, constraint=constraint
        )
        ledger.drop("constraint", "no node with a GPU that it asks for would hold it", ~fitting)
    if "qos" in rows.columns:
        service_class = text_names(rows.columns["qos"])
    ledger.note(
        "gpu_fragmentation",
        "takes a part of a GPU; the GPUs of a node are one sum here, so that fragmentation within a node is ignored",
        (gpu > 0) & (gpu < MILLI),
    )
    ledger.repair("missing_estimate", "no estimate; it is the run time", ledger.kept.copy())
    ledger.refuse_empty(source)
    kept = ledger.kept
    origin = np.floor(created[kept]).min()
    jobs = Jobs(
        run_time[kept],
        demand[kept].astype(np.int64),
        release_time=np.floor(created[kept]) - origin,
        id=_identifiers(rows),
        constraint=None if constraint is None else constraint.take(kept),
        service_class=None if service_class is None else service_class.take(kept),
        recorded_start_time=np.floor(scheduled[kept]) - origin,
    )
    instance = Instance(jobs, chosen)
    work: FloatArray = np.where(never[:, np.newaxis], 0.0, demand * run_time[:, np.newaxis])
    report = make_report(
        source,
        instance,
        ledger=ledger,
        work=np.where((demand >= 0) & (run_time[:, np.newaxis] <= EXACT_BOUND), work, np.nan),
        units={"time": "s", "cpu": "1/1000 processor", "memory": "MiB", "gpu": "1/1000 GPU"},
        assumptions=(
            f"time 0 is second {origin:,.0f} of the trace",
            "a pod runs from scheduled_time to deletion_time, and is released at creation_time",
            "all weights are 1",
        ),
        is_batch_log=True,
    )
    return instance, report


def _rows(path: FilePath, on_bad_row: str) -> TraceRows:
    rows = TraceRows.read(path, ("name", *_AMOUNTS), (*_TIMES, "gpu_spec", "qos"), on_bad_row)
    missing = [name for name in _TIMES if name not in rows.columns]
    if missing:
        raise InvalidInstanceError(
            f"{rows.source}: a list of pods without {', '.join(missing)}; without times pods are no workload, take "
            f"another list, such as openb_pod_list_default.csv"
        )
    return rows


def _nodes(path: FilePath, machines: MachineChoice | None) -> Machines:
    """Return the nodes that somebody chose, or those of the list beside the pods."""
    if machines is None:
        beside = (Path(path).parent / name for name in _NODE_LISTS)
        found = next((node_list for node_list in beside if node_list.is_file()), None)
        if found is None:
            raise InvalidInstanceError(
                f"{os.fspath(path)}: there is no {_NODE_LISTS[0]} beside it; name the nodes, with "
                f"{spelled('machines', _NODE_LISTS[0])} or as in {spelled('machines', '100x96,768GB,8')}"
            )
        return read_openb_nodes(found)
    if isinstance(machines, str) and os.path.isfile(machines) and kind_of_file(machines) == "openb_nodes":
        return read_openb_nodes(machines)
    return choose_machines(machines, OPENB_RESOURCES)


def _identifiers(rows: TraceRows) -> IntArray | None:
    """Return the numbers at the ends of the names, if each kept pod has one of its own."""
    names = rows.columns["name"].filter(rows.ledger.kept).to_pylist()
    ends = [name[len(name.rstrip("0123456789")) :] for name in names]
    if not all(0 < len(end) <= 15 and end.isascii() for end in ends):
        return None
    numbers = np.array(list(map(int, ends)), dtype=np.int64)
    return numbers if len(np.unique(numbers)) == len(numbers) else None
