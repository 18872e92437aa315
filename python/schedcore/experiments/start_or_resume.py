"""Beginning an experiment, and going on with one that was interrupted."""

import concurrent.futures
import os
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path

from schedcore.errors import InvalidInstanceError
from schedcore.experiments.description.experiment import Experiment
from schedcore.experiments.opened import Results
from schedcore.experiments.results.folder import ResultsFolder
from schedcore.experiments.running.cell_row import Surroundings
from schedcore.experiments.running.cells import Cell, cells_of_sweep, unique_cells
from schedcore.experiments.running.dispatch import Progress, run_cells
from schedcore.experiments.running.local_processes import LocalProcesses
from schedcore.experiments.running.workforce import DaskCluster, GivenExecutor, Workforce
from schedcore.experiments.running.workload_check import refuse_workloads
from schedcore.model.choices import check_choice

__all__ = ["resume", "run"]

FilePath = str | os.PathLike[str]


def run(
    experiment: Experiment,
    output: FilePath,
    *,
    inputs: Mapping[str, FilePath] | None = None,
    figures: Sequence[str] | None = None,
    workers: int | None = None,
    scheduler: str | None = None,
    executor: concurrent.futures.Executor | None = None,
    progress: Callable[[Progress], object] | None = None,
) -> Results:
    """Run an experiment into a new folder.

    Parameters
    ----------
    experiment : Experiment
    output : path-like
        A folder that does not exist or is empty.
    inputs : mapping of str to path-like, optional
        The files of the experiment's inputs.
    figures : sequence of str, optional
        Run only what these figures show; `resume` runs the rest.
    workers : int, optional
        Number of processes on this machine, or of slices in flight on an `executor`; by default as many as processors.
    scheduler : str, optional
        Address of a Dask scheduler, such as ``"tcp://host:8786"``, to run there instead. The workers need the same
        schedcore, and the input files under the same paths.
    executor : concurrent.futures.Executor, optional
        Any other executor to run on; it stays open.
    progress : callable, optional
        Called with a `Progress` after every few cells.

    Returns
    -------
    Results
        Also where cells failed: see `Results.failures`.

    Raises
    ------
    InvalidInstanceError
        If the folder is taken, an input is missing or unknown, or `workers` is no positive number; if the reader of a
        workload leaves out more than 10 % of the work of a resource and the workload has no `allow_loss`, or if nothing
        tells how large its machine was. Nothing has been written then.
    SchedcoreError
        If the Dask scheduler cannot be reached, or the executor broke.
    OSError
        If the folder cannot be written. What was written stays.

    Notes
    -----
    The same rows come out whatever runs them, in all columns but `schedcore.experiments.VOLATILE`. Every process
    that is killed, this one too, leaves a folder that `resume` can go on with. The processes import the main module
    of the program, so a script needs ``if __name__ == "__main__":`` around what it runs.
    """
    workforce = _workforce(workers, scheduler, executor)
    cells = _cells(experiment, figures)
    files = _files(experiment, inputs or {})
    ResultsFolder.check_free(Path(output))
    with workforce:  # first: no folder is begun for a cluster that does not answer
        refuse_workloads(experiment, cells, files, workforce)
        folder = ResultsFolder.create(Path(output), experiment, files)
        with folder.writing():
            return _run(folder, cells, workforce, progress)


def resume(
    output: FilePath,
    experiment: Experiment | None = None,
    *,
    inputs: Mapping[str, FilePath] | None = None,
    figures: Sequence[str] | None = None,
    workers: int | None = None,
    scheduler: str | None = None,
    executor: concurrent.futures.Executor | None = None,
    progress: Callable[[Progress], object] | None = None,
) -> Results:
    """Run the cells of a results folder that have not finished; failed cells are tried again.

    Parameters
    ----------
    output : path-like
        Folder of an earlier `run`.
    experiment : Experiment, optional
        A description that has grown: it must have all cells of the one in the folder, which it replaces.
    inputs : mapping of str to path-like, optional
        Where files have moved to.
    figures, workers, scheduler, executor, progress
        As for `run`.

    Raises
    ------
    InvalidInstanceError
        If the folder belongs to another experiment, another version of schedcore or other input files, or another
        process is writing it; otherwise as for `run`. A workload may have another `allow_loss` than in the folder.
    """
    workforce = _workforce(workers, scheduler, executor)
    folder = ResultsFolder.open(Path(output))
    described = folder.experiment if experiment is None else experiment
    cells = _cells(described, figures)
    files = _files(described, inputs or {}, known=folder.files)
    with workforce, folder.writing():
        # Before the description in the folder is replaced, so that it can still be changed.
        finished = {key for key, status in folder.statuses().items() if status != "failed"}
        refuse_workloads(described, cells.keys() - finished, folder.files | files, workforce)
        folder.continue_with(experiment, files)
        return _run(folder, cells, workforce, progress)


def _run(
    folder: ResultsFolder,
    cells: Mapping[str, Cell],
    workforce: Workforce,
    progress: Callable[[Progress], object] | None,
) -> Results:
    folder.take_back_failures(cells)
    finished = folder.statuses()
    missing = [cell for key, cell in cells.items() if key not in finished]
    experiment = folder.experiment
    surroundings = Surroundings(dict(experiment.module_hashes), experiment.folder, folder.files)
    n_done = len(cells) - len(missing)
    run_cells(missing, surroundings, workforce, folder.append, already_done=n_done, progress=progress)
    return Results(folder)


def _cells(experiment: Experiment, figures: Sequence[str] | None) -> dict[str, Cell]:
    if not isinstance(experiment, Experiment):
        raise TypeError(
            f"experiment must be an Experiment, not {type(experiment).__name__}; see experiments.load"
        )
    if isinstance(figures, str):
        raise TypeError(f"figures must be a list of names, not the text {figures!r}")
    cells = unique_cells(experiment)
    if figures is None:
        return cells
    wanted = set()
    for name in figures:
        check_choice(f"figure of {experiment.name!r}", name, experiment.figures)
        figure = experiment.figures[name]
        shown = figure.shown_part(experiment.sweeps[figure.sweep])
        wanted |= {member.cell.key for member in cells_of_sweep(experiment, shown)}
    return {key: cell for key, cell in cells.items() if key in wanted}


def _workforce(
    workers: int | None, scheduler: str | None, executor: concurrent.futures.Executor | None
) -> Workforce:
    if workers is not None and (isinstance(workers, bool) or not isinstance(workers, int) or workers < 1):
        raise InvalidInstanceError(f"workers = {workers!r} must be an integer of at least 1")
    if executor is not None and not isinstance(executor, concurrent.futures.Executor):
        raise TypeError(f"executor must be a concurrent.futures.Executor, not {type(executor).__name__}")
    if scheduler is not None and executor is not None:
        raise InvalidInstanceError("scheduler and executor are both given; name one of them")
    if scheduler is not None:
        if workers is not None:
            raise InvalidInstanceError(f"workers = {workers}: the scheduler {scheduler} has its own workers")
        return DaskCluster(scheduler)
    return LocalProcesses(workers) if executor is None else GivenExecutor(executor, workers)


def _files(
    experiment: Experiment, inputs: Mapping[str, FilePath], *, known: Collection[str] = ()
) -> dict[str, str]:
    """Source -> absolute path of every source that is a file; inputs that are `known` need not be given again."""
    for name in inputs:
        check_choice(f"input of {experiment.name!r}", name, experiment.inputs)
    files: dict[str, str] = {}
    for workload in experiment.workloads.values():
        wanted = workload.input_name
        if workload.is_generator or (
            wanted is not None and wanted not in inputs and workload.source in known
        ):
            continue
        if wanted is None:
            path = (experiment.folder or Path.cwd()) / workload.source
        elif wanted in inputs:
            path = Path(inputs[wanted])
        else:
            raise InvalidInstanceError(
                f"experiment {experiment.name!r} needs the input {wanted!r}: {experiment.inputs[wanted]}"
            )
        if not path.is_file():
            raise InvalidInstanceError(f"{workload.source}: {path} is no file")
        files[workload.source] = str(path.resolve())
    return files
