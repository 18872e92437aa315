"""The results of an experiment, opened: its outcomes, and the tables, drawings and page that tell of them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from schedcore.errors import InvalidInstanceError
from schedcore.experiments.description.experiment import Experiment
from schedcore.experiments.report.drawing import draw_figure, save_figures
from schedcore.experiments.report.page import write_report
from schedcore.experiments.report.tables import FigureTable, figure_table
from schedcore.experiments.results.folder import ResultsFolder
from schedcore.experiments.results.outcomes import Outcomes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Results", "open_results"]


class Results(Outcomes):
    """The rows of a results folder as they were when it was opened.

    Attributes
    ----------
    experiment : Experiment
        The description, by default the one in the folder.
    """

    def table(self, name: str, job_sets: Sequence[int] = ()) -> FigureTable:
        """Return the table behind a figure: means with their 95 % bands.

        A row a policy and a column a point; of a figure with panels a row a point and a column a policy. `job_sets`
        adds rows with the values of single job sets, three decimals.
        """
        data = self.figure_data(name)
        return figure_table(data, self.large_of(data.figure), job_sets)

    def plot(self, figure: str | None = None, *, ax: Axes | None = None) -> Axes:
        """Draw a figure; without a name the first one of the description.

        Parameters
        ----------
        figure : str, optional
        ax : matplotlib.axes.Axes, optional
            Where to draw; by default a new figure.
        """
        return draw_figure(self, figure or self._first_figure(), ax)

    def save_figures(
        self, folder: str | os.PathLike[str], figures: Sequence[str] | None = None
    ) -> list[Path]:
        """Write figures, by default all that have finished cells, as PNG and SVG into a folder; return the paths."""
        return save_figures(self, Path(folder), self.figures() if figures is None else figures)

    def report(self, path: str | os.PathLike[str]) -> Path:
        """Write one self-contained HTML page: figures, tables, expectations, provenance; return its path."""
        return write_report(self, Path(path))

    def _first_figure(self) -> str:
        if not self.experiment.figures:
            raise InvalidInstanceError(f"experiment {self.experiment.name!r} describes no figure")
        return next(iter(self.experiment.figures))

    def __repr__(self) -> str:
        done = len(self._outcomes)
        cells = f"{done} of {self.n_cells} cells, {len(self.failures)} failures"
        return f"Results({self.experiment.name}: {cells}, {self.path})"


def open_results(output: str | os.PathLike[str], experiment: Experiment | None = None) -> Results:
    """Open a results folder.

    Parameters
    ----------
    output : path-like
        Folder of a run, also of one that still goes on.
    experiment : Experiment, optional
        A description with other figures of the same cells; by default the one in the folder.

    Raises
    ------
    InvalidInstanceError
        If it is no results folder, or that of another experiment.
    """
    folder = ResultsFolder.open(Path(output))
    if experiment is not None and experiment.name != folder.experiment.name:
        raise InvalidInstanceError(
            f"{folder.path} holds results of the experiment {folder.experiment.name!r}, not of {experiment.name!r}"
        )
    return Results(folder, experiment)
