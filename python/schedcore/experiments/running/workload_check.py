"""Before a run: no workload may have lost so much of its work, or so guessed a machine, that a command would stop.

Cells refuse such workloads themselves (`InstanceCache`), one by one. Here each log is read once, by the workers and
before anything is written or hours have passed, so that whoever runs the experiment can change the description.
"""

import concurrent.futures
from collections.abc import Collection, Mapping

from schedcore.errors import InvalidInstanceError, SchedcoreError
from schedcore.experiments.description.experiment import Experiment
from schedcore.experiments.running.cell_row import refusal_of_workload
from schedcore.experiments.running.cells import Cell, cells_of_sweep
from schedcore.experiments.running.interrupts import noted_interrupts
from schedcore.experiments.running.local_processes import NoWorkerStartsError
from schedcore.experiments.running.workforce import Workforce
from schedcore.workloads.file_kind import kind_of_file

__all__ = ["refuse_workloads"]

_PATIENCE_SECONDS = 0.5  # until Ctrl-C is obeyed


def refuse_workloads(
    experiment: Experiment, cells: Collection[str], files: Mapping[str, str], workforce: Workforce
) -> None:
    """Raise an `InvalidInstanceError` that names the workloads that these cells should not run on, and says what to do.

    A log that cannot be read, or kills its worker, is left to its cells.
    """
    logs = {source for source, path in files.items() if _is_log(path)}
    if not logs or not cells:
        return
    read: dict[tuple[str, bool], tuple[str, Cell]] = {}
    for sweep in experiment.sweeps.values():
        if any(experiment.workloads[name].source in logs for name in sweep.workloads):
            for member in cells_of_sweep(experiment, sweep):
                cell = member.cell
                if cell.source in logs and cell.key in cells:
                    read.setdefault((cell.source_key, cell.allow_loss), (member.workload, cell))
    refused: dict[str, str] = {}
    for (name, _), refusal in zip(
        read.values(), _refusals([cell for _, cell in read.values()], files, workforce), strict=True
    ):
        if refusal:
            refused.setdefault(name, f"workload {name!r}: {refusal}")
    if refused:
        raise InvalidInstanceError(f"experiment {experiment.name!r}, {'. Also, '.join(refused.values())}")


def _is_log(path: str) -> bool:
    """Whether its reader may lose work: what is in a Parquet file has been through a reader before."""
    try:
        return kind_of_file(path) != "parquet"
    except (InvalidInstanceError, OSError):
        return False


def _refusals(cells: list[Cell], files: Mapping[str, str], workforce: Workforce) -> list[str]:
    """Why not to run on the workload of each cell, empty where nothing stops that or its worker did not answer."""
    with noted_interrupts() as obey_interrupt:
        try:
            futures = [workforce.executor.submit(refusal_of_workload, cell, files) for cell in cells]
        except RuntimeError:  # whoever takes no cells says so when there are cells to run
            return [""] * len(cells)
        waiting = set(futures)
        while waiting:
            obey_interrupt()
            waiting = concurrent.futures.wait(waiting, timeout=_PATIENCE_SECONDS).not_done
    errors = [None if future.cancelled() else future.exception() for future in futures]
    for error in errors:
        if isinstance(error, NoWorkerStartsError):
            raise SchedcoreError(str(error)) from None
    return [
        "" if error is not None or future.cancelled() else future.result()
        for future, error in zip(futures, errors, strict=True)
    ]
