"""A comparison to look at: rows for programs, a table for people, drawings, and what came of each policy."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from schedcore.comparisons.html_table import in_html
from schedcore.errors import InvalidInstanceError, PolicyError, UnsupportedError
from schedcore.model.choices import check_choice
from schedcore.model.extras import import_extra
from schedcore.plotting.layout import fit
from schedcore.problems import Problem
from schedcore.problems.comparison import presented
from schedcore.problems.drawings.jobs import DELAYS_DRAWING
from schedcore.problems.drawings.variants import draw_variants_into, variants_figure
from schedcore.problems.evaluation import Bounds, Comparison, Evaluation
from schedcore.problems.presentation import Presentation
from schedcore.problems.problem import Drawing
from schedcore.problems.program_formats import flat_columns, flattened, in_csv, in_json
from schedcore.problems.table_layout import screen_width, text_of
from schedcore.problems.variant_comparison import VariantComparison, called, presented_variants
from schedcore.reporting.comparison_page import Repetition, write_comparison_page
from schedcore.reporting.content import PageContent, of_comparison, of_variants
from schedcore.workloads.reading.report import DataReport

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["ComparisonTable"]


@dataclass(frozen=True, eq=False, repr=False)
class ComparisonTable:
    """Policies side by side, a row each; of variants a row a policy and variant.

    `schedcore.compare` and `schedcore.sweep` make it. It prints as the table of ``schedcore compare``, and a notebook
    shows it with the best value of each column in bold. ``table["easy"]`` is what came of a policy,
    ``table["easy (machines +10%)"]`` on a variant: its `schedule`, `result`, `figures`, `verdict` and `finding`.

    Attributes
    ----------
    evaluations : dict of str to Evaluation
        What came of each policy, in the order of the rows.
    bounds : dict
        Objective -> no schedule has a smaller value, None where nothing is proven; of variants one such dict a variant.
    data_report : DataReport
        The account of the reader of the workload.
    notes : tuple of str
        What figures cannot tell: who was left out and why, what policies ignore, why nothing is proven.
    """

    evaluations: Mapping[str, Evaluation]
    bounds: Bounds | Mapping[str, Bounds]
    data_report: DataReport
    notes: tuple[str, ...]
    _presented: Presentation
    _drawings: Mapping[str, Drawing]
    _shown: Any
    _page: Callable[[], PageContent]
    _repetition: Callable[[], Repetition]

    @classmethod
    def of(
        cls,
        problem: Problem[Any],
        found: Comparison,
        notes: Sequence[str],
        repetition: Callable[[], Repetition],
    ) -> Self:
        """The table of policies on one workload."""
        made = presented(problem, found)
        return cls(
            {each.policy: each for each in found.evaluations}, found.bounds, found.report, (*notes, *made.remarks),
            made, {drawing.kind: drawing for drawing in problem.drawings}, found,
            lambda: of_comparison(problem, found, notes), repetition,
        )  # fmt: skip

    @classmethod
    def of_variants(
        cls,
        problem: Problem[Any],
        found: VariantComparison,
        notes: Sequence[str],
        repetition: Callable[[], Repetition],
    ) -> Self:
        """The table of policies on variants of a workload."""
        made = presented_variants(problem, found)
        bounds = {
            variant.words: comparison.bounds
            for variant, comparison in zip(found.variants, found.comparisons, strict=True)
        }
        drawing = Drawing(
            "variants.png",
            lambda _: variants_figure(found.variants, found.comparisons),
            "Waits from variant to variant",
            on_axes=lambda _, ax: draw_variants_into(found.variants, found.comparisons, [ax]),
        )
        return cls(
            {called(each, variant): each for variant, each in found.by_policy()}, bounds,
            found.comparisons[0].report, (*notes, *made.remarks), made, {"variants": drawing}, found,
            lambda: of_variants(problem, found, notes), repetition,
        )  # fmt: skip

    @property
    def rows(self) -> list[dict[str, Any]]:
        """A dict a row, as ``--json`` has it under "policies"; times in the unit of the workload."""
        return [dict(row) for row in self._presented.document["policies"]]

    @property
    def columns(self) -> list[str]:
        """The columns of `to_pandas` and its like: keys of the rows, with one a resource where a figure has several."""
        return flat_columns(self._flat())

    @property
    def results(self) -> dict[str, Any]:
        """Policy -> its `Result`, of jobs that run in one piece; who failed has none."""
        return {name: each.result for name, each in self.evaluations.items() if each.result is not None}

    @property
    def findings(self) -> dict[str, str]:
        """Policy -> why it failed, or the first violation of its schedule; empty if all is well."""
        return {
            name: f"{each.verdict}: {each.finding}"
            for name, each in self.evaluations.items()
            if each.finding is not None
        }

    def raise_for_findings(self) -> Self:
        """Return the table if all is well; else raise a `PolicyError` that names all findings."""
        if self.findings:
            raise PolicyError("; ".join(f"{name}: {finding}" for name, finding in self.findings.items()))
        return self

    def to_pandas(self) -> Any:
        """The rows as ``pandas.DataFrame``."""
        return import_extra("pandas", "traces").DataFrame(self._by_column())

    def to_polars(self) -> Any:
        """The rows as ``polars.DataFrame``."""
        return import_extra("polars", "traces").DataFrame(self._by_column(), strict=False)

    def to_arrow(self) -> Any:
        """The rows as ``pyarrow.Table``."""
        return import_extra("pyarrow", "traces").table(self._by_column())

    def to_json(self, path: str | Path | None = None) -> str:
        """Everything as strict JSON, as ``schedcore compare --json`` prints it; also written into a file if named."""
        return _written(in_json(self._presented.document) + "\n", path)

    def to_csv(self, path: str | Path | None = None) -> str:
        """The rows as CSV, as ``schedcore compare --csv`` prints them: of classes, where there are any."""
        return _written(in_csv(self._presented.rows), path)

    def plot(self, kind: str | None = None, *, ax: Axes | None = None) -> Figure:
        """Draw the comparison; needs ``schedcore[plot]``.

        Parameters
        ----------
        kind : str, optional
            One of the drawings of ``schedcore compare --plot``, such as "queuing_delay", "utilisation" or "awct". By
            default the distribution of the waits, of variants their curve, of other kinds of problems the first one
            that has something to show.
        ax : matplotlib.axes.Axes, optional
            Where to draw, for drawings of one panel; of variants the mean waits alone.

        Returns
        -------
        matplotlib.figure.Figure

        Raises
        ------
        InvalidInstanceError
            If there is no such drawing.
        UnsupportedError
            If no policy has what it shows, or it has several panels and `ax` is given.
        """
        if kind is not None:
            check_choice("kind", kind, self._drawings)
            asked = [self._drawings[kind]]
        else:
            asked = sorted(self._drawings.values(), key=lambda each: each.name != DELAYS_DRAWING.name)
        drawn = filter(None, (_drawn(drawing, self._shown, ax) for drawing in asked))
        figure = next(drawn, None)
        if figure is None:
            raise UnsupportedError(f"no policy has what {kind or 'a drawing'} shows")
        return figure

    def report(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> Path:
        """Write the page of ``schedcore compare --report``: one HTML file that loads nothing; return its path.

        Parameters
        ----------
        path : path-like
            Its folder must exist.
        overwrite : bool
            Whether a file that exists gives way.

        Raises
        ------
        InvalidInstanceError
            If the name does not end in ``.html``.
        FileExistsError
            If there is such a file, unless it may be overwritten.
        ImportError
            Without matplotlib and jinja2 (``schedcore[experiments]``).
        OSError
            If it cannot be written; a page that stood there before stays as it was.
        """
        target = Path(path)
        if target.suffix != ".html":
            raise InvalidInstanceError(f"{target} must end in .html")
        if target.exists() and not overwrite:
            raise FileExistsError(errno.EEXIST, "a file that exists; overwrite=True replaces it", str(target))
        return write_comparison_page(target, self._page(), self._repetition())

    def __len__(self) -> int:
        return len(self.evaluations)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.rows)

    def __contains__(self, policy: object) -> bool:
        return policy in self.evaluations

    def __getitem__(self, policy: str) -> Evaluation:
        if policy not in self.evaluations:
            raise KeyError(f"no row is called {policy!r}; there are: {', '.join(self.evaluations)}")
        return self.evaluations[policy]

    def __repr__(self) -> str:
        return text_of(self._presented, screen_width())

    def _repr_html_(self) -> str:
        return in_html(self._presented)

    def _flat(self) -> list[dict[str, Any]]:
        return [flattened(row) for row in self.rows]

    def _by_column(self) -> dict[str, list[Any]]:
        flat = self._flat()
        return {column: [row.get(column) for row in flat] for column in flat_columns(flat)}


def _drawn(drawing: Drawing, found: Any, ax: Axes | None) -> Figure | None:
    if ax is None:
        figure = drawing.draw(found)
        if figure is not None:
            fit(figure, drawing.least)
        return figure
    if drawing.on_axes is None:
        raise UnsupportedError(f"{drawing.kind} has several panels, so it takes no ax")
    return ax.figure if drawing.on_axes(found, ax) else None  # type: ignore[return-value]


def _written(text: str, path: str | Path | None) -> str:
    if path is not None:
        Path(path).write_text(text, encoding="utf-8")
    return text
