"""What the cells of an experiment came to: rows, the numbers behind figures, and what was expected beside them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from schedcore.errors import InvalidInstanceError
from schedcore.experiments.columns import COLUMNS, SOUND
from schedcore.experiments.description.experiment import Experiment
from schedcore.experiments.description.figure import Figure
from schedcore.experiments.results.claims import ClaimOutcome, measure_claim
from schedcore.experiments.results.figure_data import FigureData, figure_data
from schedcore.experiments.results.folder import ResultsFolder
from schedcore.experiments.running.cells import SweepCell, cells_of_sweep, n_cells, unique_cells
from schedcore.model.choices import check_choice
from schedcore.model.extras import import_extra
from schedcore.problems.kept_columns import KEEPS

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Outcomes"]

#: Columns that are read only where they are drawn.
_LARGE = {name for keep in KEEPS for name in keep.columns}


class Outcomes:
    """The rows of a results folder as they were when it was opened.

    Attributes
    ----------
    experiment : Experiment
        The description, by default the one in the folder.
    """

    def __init__(self, folder: ResultsFolder, experiment: Experiment | None = None) -> None:
        self._folder = folder
        self.experiment = folder.experiment if experiment is None else experiment
        columns = [name for name in COLUMNS if name not in _LARGE]
        self._rows: list[dict[str, Any]] = folder.table(columns).to_pylist()
        #: What counts: an infeasible schedule is a finding, its numbers mean nothing.
        self._outcomes = {row["cell"]: row for row in self._rows if row["status"] == "ok"}
        self._left_out = {row["cell"] for row in self._rows if row["status"] == "left out"}
        self._large: dict[tuple[str, ...], dict[str, dict[str, Any]]] = {}
        self._figure_data: dict[str, FigureData] = {}

    @property
    def path(self) -> Path:
        """The folder."""
        return self._folder.path

    @property
    def files(self) -> dict[str, str]:
        """Source -> path of the workloads that are files."""
        return dict(self._folder.files)

    @property
    def file_hashes(self) -> dict[str, str]:
        """Source -> SHA-256 of those files when the run began."""
        return self._folder.file_hashes

    @property
    def n_cells(self) -> int:
        """Cells of the description."""
        return n_cells(self.experiment)

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The rows sorted by cell key, without the columns kept on demand; see `schedcore.experiments.COLUMNS`."""
        return [dict(row) for row in self._rows]

    @property
    def failures(self) -> list[dict[str, Any]]:
        """The rows of cells that failed, or have an invalid schedule, an unfinished one or none."""
        return [dict(row) for row in self._rows if row["status"] not in SOUND]

    @property
    def left_out(self) -> list[str]:
        """A sentence for each policy that does not take a workload: its cells have not run, and do not count as failed.

        It tells of one such workload where there are several.
        """
        reasons: dict[tuple[str, str], list[str]] = {}
        for row in self._rows:
            if row["status"] == "left out":
                reasons.setdefault((row["policy"], row["workload"]), []).append(row["error"])
        return [
            f"left out: {policy} on {workload} ({len(told)} cell{'s' * (len(told) > 1)}): {told[0]}"
            for (policy, workload), told in reasons.items()
        ]

    @property
    def n_missing(self) -> int:
        """Cells of the description that have not finished; one whose schedule is invalid, cut short or none, has."""
        finished = {row["cell"] for row in self._rows if row["status"] != "failed"}
        return sum(key not in finished for key in unique_cells(self.experiment))

    def to_arrow(self) -> Any:
        """Return all columns of all rows as a ``pyarrow.Table``, sorted by cell key."""
        return self._folder.table()

    def to_pandas(self) -> pd.DataFrame:
        """Return all columns of all rows as a data frame."""
        frame: pd.DataFrame = self.to_arrow().to_pandas()
        return frame

    def sweep(self, name: str) -> pd.DataFrame:
        """Return the cells of a sweep that have a valid schedule, in long form.

        Returns
        -------
        DataFrame
            A row a cell: the names of workload and policy in the description, a column for each parameter, then the
            columns of the results.
        """
        check_choice(f"sweep of {self.experiment.name!r}", name, self.experiment.sweeps)
        pandas = import_extra("pandas", "traces")
        members = cells_of_sweep(self.experiment, self.experiment.sweeps[name])
        rows = [
            _long_row(member, self._outcomes[member.cell.key])
            for member in members
            if member.cell.key in self._outcomes
        ]
        frame: pd.DataFrame = pandas.DataFrame(rows)
        return frame

    def figure_data(self, name: str) -> FigureData:
        """Return the numbers behind a figure, by policy and x.

        Raises
        ------
        InvalidInstanceError
            If there is no such figure, or no cell of it has finished.
        """
        check_choice(f"figure of {self.experiment.name!r}", name, self.experiment.figures)
        data = self._data(name)
        if not _has_values(data):
            is_new = data.missing == sum(
                len(point.cells) for points in data.series.values() for point in points
            )
            what = "no cell has finished yet" if is_new else f"no finished cell has {data.figure.y}"
            raise InvalidInstanceError(f"figure {name!r} of {self.experiment.name!r}: {what}")
        return data

    def figures(self) -> list[str]:
        """Return the names of the figures of which at least one cell has finished."""
        return [name for name in self.experiment.figures if _has_values(self._data(name))]

    def claims(self, name: str) -> list[ClaimOutcome]:
        """Return what a figure claims, published values too, beside what was measured."""
        data = self.figure_data(name)
        large = self.large_of(data.figure)
        return [measure_claim(claim, data, large) for claim in data.figure.judged]

    def large_columns(self, *names: str) -> dict[str, dict[str, Any]]:
        """Cell key -> some of the columns that cells keep on demand; read when first asked for."""
        if names not in self._large:
            table = self._folder.table(("cell", *names))
            columns = [
                [
                    None if entry.values is None else entry.values.to_numpy(zero_copy_only=False)
                    for entry in table[name]
                ]
                for name in names
            ]
            self._large[names] = {
                key: dict(zip(names, entries, strict=True))
                for key, *entries in zip(table["cell"].to_pylist(), *columns, strict=True)
            }
        return self._large[names]

    def large_of(self, figure: Figure) -> dict[str, dict[str, Any]]:
        """Cell key -> the columns kept on demand that a figure shows, of cells that count; nothing for most figures."""
        names = figure.large_columns()
        large = self.large_columns(*names) if names else {}
        return {key: columns for key, columns in large.items() if key in self._outcomes}

    def _data(self, name: str) -> FigureData:
        if name not in self._figure_data:
            large = self.large_of(self.experiment.figures[name])
            self._figure_data[name] = figure_data(
                self.experiment, name, self._outcomes, large, self._left_out
            )
        return self._figure_data[name]


def _has_values(data: FigureData) -> bool:
    return any(point.values for points in data.series.values() for point in points)


def _long_row(member: SweepCell, row: Mapping[str, Any]) -> dict[str, Any]:
    own = {"workload": member.workload, "policy": member.policy, **member.point}
    return own | {name: value for name, value in row.items() if name not in own}
