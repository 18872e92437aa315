"""Running a cell: a row of results, whatever happens.

A cell is pure: its row depends on the cell and the code alone, but for the columns in `columns.VOLATILE`. Every
schedule is validated here, beside the policy that made it. An exception becomes a row with its traceback.
"""

import time
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from schedcore.errors import SchedcoreError
from schedcore.experiments.columns import COLUMNS
from schedcore.experiments.description.modules import import_modules
from schedcore.experiments.description.workload_arguments import arguments_of_transforms
from schedcore.experiments.running.cells import Cell, canonical_json
from schedcore.experiments.running.instances import InstanceCache, WorkloadRefusedError
from schedcore.experiments.running.peak_memory import PeakMemory
from schedcore.experiments.running.provenance import code_identity, worker_name
from schedcore.problems import Problem, problem_of
from schedcore.problems.able_policies import reason_to_leave_out
from schedcore.problems.measurement import Measurement, measure
from schedcore.workloads.transforms.incidents import incidents_of

__all__ = ["Row", "Surroundings", "failed_row", "refusal_of_workload", "run_cell", "run_slice"]

Row = dict[str, Any]

_instances = InstanceCache()  # of this worker


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What cells need beside themselves: modules to import, by content, and the paths of sources that are files."""

    modules: Mapping[str, str]
    folder: Path | None
    files: Mapping[str, str]


def refusal_of_workload(cell: Cell, files: Mapping[str, str]) -> str:
    """Why no run should begin on the workload of a cell; empty if nothing stops it.

    This is what workers execute before the cells. Whatever else is wrong with the workload, its cells will tell.
    """
    try:
        _instances.read(cell, files)
    except WorkloadRefusedError as error:
        return str(error)
    except Exception:
        return ""
    return ""


def run_slice(cells: Sequence[Cell], surroundings: Surroundings, seconds: float) -> list[Row]:
    """Run the first cell, and more until `seconds` have passed; return their rows.

    This is what workers execute. Whoever called hands in the rest of the cells again.
    """
    began = time.monotonic()
    rows = [run_cell(cells[0], surroundings)]
    for cell in cells[1:]:
        if time.monotonic() - began >= seconds:
            break
        rows.append(run_cell(cell, surroundings))
    return rows


def run_cell(cell: Cell, surroundings: Surroundings) -> Row:
    """Run one cell; an exception makes a row of status "failed", a policy that cannot take the workload "left out"."""
    try:
        if import_modules(tuple(surroundings.modules), surroundings.folder) != surroundings.modules:
            names = ", ".join(surroundings.modules)
            raise SchedcoreError(f"this worker has other contents of the experiment's modules: {names}")
        inst = _instances.get(cell, surroundings.files)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # one that calls sys.exit, too, ends its cell and not the worker
        return failed_row(cell, _sentence(error), _traceback(), datetime.now(UTC))
    started_at = datetime.now(UTC)
    began = time.perf_counter()
    row = _row_of(cell, started_at) | {"workload_hash": inst.content_hash()}
    with PeakMemory() as memory:
        try:
            incidents = incidents_of(inst, arguments_of_transforms(cell.arguments))
            reason = reason_to_leave_out(cell.policy, inst, incidents)
            if reason is not None:
                return row | {"status": "left out", "error": reason, "finished_at": datetime.now(UTC)}
            problem = problem_of(inst, cell.policy, incidents=incidents)
            row |= problem.size()
            problem.check_keep(cell.keep)
            measured = measure(problem, cell.policy, cell.options, tau=cell.tau)
            row |= _outcome(problem, cell, measured)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            row |= {"status": "failed", "error": _sentence(error), "traceback": _traceback()}
    return row | {
        "wall_seconds": time.perf_counter() - began,
        "peak_memory_bytes": memory.bytes,
        "finished_at": datetime.now(UTC),
    }


def failed_row(cell: Cell, error: str, trace: str, started_at: datetime) -> Row:
    """The row of a cell that has no outcome."""
    return _row_of(cell, started_at) | {
        "status": "failed",
        "error": error,
        "traceback": trace,
        "finished_at": datetime.now(UTC),
    }


def _row_of(cell: Cell, started_at: datetime) -> Row:
    host, worker = worker_name()
    return dict.fromkeys(COLUMNS) | {
        "cell": cell.key,
        "experiment": cell.experiment,
        "workload": cell.source,
        "workload_arguments": canonical_json(cell.arguments),
        "policy": cell.policy,
        "policy_options": canonical_json(cell.all_options()),
        "job_set": cell.job_set,
        "derived_seed": cell.derived_seed,
        "host": host,
        "worker": worker,
        "started_at": started_at,
        **code_identity(),
    }


def _outcome(problem: Problem[Any], cell: Cell, measured: Measurement) -> Row:
    result, report = measured.result, measured.report
    told = {
        "objective": result.objective,
        "lower_bound": result.lower_bound,
        "guarantee": result.guarantee,
        "solve_seconds": measured.solve_seconds,
        **{name: measured.figures[name] for name in problem.columns if name in measured.figures},
    }
    if report is None:
        return told | {"status": "unsolved", "error": measured.finding}
    if measured.is_cut_short:
        return told | {"status": "unfinished", "verdict": "valid", "error": measured.finding}
    return told | {
        "status": "ok" if report.ok else "invalid",
        "verdict": "valid" if report.ok else report.message,
        "error": None if report.ok else f"invalid schedule: {report.message}",
        "value": result.value,
        "ratio": result.ratio(),
        "gap": result.gap(),
        **problem.kept(result, cell.keep),
    }


def _sentence(error: BaseException) -> str:
    return _storable(f"{type(error).__name__}: {error}")


def _traceback() -> str:
    return _storable(traceback.format_exc())


def _storable(text: str) -> str:
    """File names that are no UTF-8 come with lone surrogates, which no Parquet file takes."""
    return text.encode(errors="backslashreplace").decode()
