"""What one kind of problem is to whoever runs policies on it, compares, records and draws them.

The command line and the experiments know the kinds by this class alone and loop over the table of the package, so that
a new kind, or something new about all of them, is said once. What is done with any kind (`measurement`, `comparison`)
stands in modules of its own.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from schedcore import registry
from schedcore.bounds import LowerBound
from schedcore.errors import UnsupportedError
from schedcore.model import AnyInstance, Incidents, Result, ValidationReport, validate
from schedcore.plotting.layout import LEAST_HEIGHT, LEAST_WIDTH
from schedcore.problems.evaluation import Bounds, Comparison, Evaluation
from schedcore.problems.kept_columns import Keep
from schedcore.problems.policy_choice import RECORDED, PolicyChoice
from schedcore.problems.presentation import Column, Row, Table, quantity
from schedcore.registry import Algorithm
from schedcore.workloads.reading.report import DataReport

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["ABOUT_WHOLE_JOBS", "Drawing", "Objective", "Problem"]

InstanceT = TypeVar("InstanceT", bound=AnyInstance)

#: What options of commands are about, for kinds whose jobs do not.
ABOUT_WHOLE_JOBS = "that is about jobs that run in one piece"


@dataclass(frozen=True)
class Objective:
    """What policies of a kind minimise.

    Attributes
    ----------
    name : str
        As algorithms call it (`Algorithm.objective`), and `schedcore.bounds.lower_bound`.
    figure : str
        Key of its value among the figures of a schedule.
    heading : str
        Of its column in tables; empty where those show other figures.
    """

    name: str
    figure: str
    heading: str = ""


@dataclass(frozen=True)
class Drawing:
    """A file that shows a comparison.

    Attributes
    ----------
    name : str
    draw : callable
        ``draw(comparison)``: the figure, or None where there is nothing to show.
    title : str
        What it shows.
    least : (float, float)
        Inches that each panel has at least.
    on_axes : callable or None
        ``on_axes(comparison, ax)`` draws the same into one panel of somebody's own, and says whether there was
        something to show; None for drawings of several panels.
    """

    name: str
    draw: Callable[[Comparison], Figure | None]
    title: str
    least: tuple[float, float] = (LEAST_WIDTH, LEAST_HEIGHT)
    on_axes: Callable[[Comparison, Axes], bool] | None = None

    @property
    def kind(self) -> str:
        """The name without its suffix."""
        return self.name.partition(".")[0]


@dataclass(frozen=True)
class Problem(ABC, Generic[InstanceT]):
    """An instance as a problem of one kind; subclasses are the kinds.

    Attributes
    ----------
    inst : instance
    incidents : Incidents or None
        What happens to the cluster unannounced while policies run.
    objective : str or None
        What a comparison is about, of those in `views`; None: what its policies are made for.
    name : str
        What `--problem` calls the kind.
    title : str
        What messages call what is in such an instance.
    instance_type : type
    distinction : str
        What only policies of this kind do, of all that solve such instances; empty for the usual kind.
    in_slots : bool
        Whether policies work in whole slots (`Algorithm.slotted`).
    has_estimates : bool
        Whether policies may decide with estimates of processing times.
    noted_columns : frozenset of str
        Columns of jobs of which `notes` say who reads them.
    objectives : tuple of Objective
        The one that most policies minimise first.
    sizes : tuple of str
        Properties of an instance with a column of their own in results.
    about : tuple of str
        Those that a document tells beside the report of the reader.
    columns : dict of str to str
        Figures with a column of their own in the results of experiments -> type of the column.
    keeps : tuple of Keep
        What a sweep may keep beyond figures.
    views : tuple of str
        What a comparison can be about, of kinds with a choice.
    default_policies : tuple of str
        What a comparison runs where nobody names any.
    default_policies_in_words : str
        The same for people, where it depends on the workload.
    counted : str
        "jobs" or "tasks": of what the speed of a policy is told.
    bounds_come_with_results : bool
        Whether each result is asked for its lower bound, rather than the instance once for all of them.
    bound_seconds : float or None
        Limit of each program where bounds are asked for.
    schedule_kinds : tuple of str
        Classes of schedules that `schedcore.validate` tells apart, the default first.
    accepts : frozenset of str
        Options of commands that mean something here, of those that do not everywhere.
    refused : dict of str to str
        Others -> the sentence that refuses them, where the usual one says too little.
    drawings : tuple of Drawing
        What shows a comparison.
    help_on_comparing, help_on_workloads : str
        What the command line says of comparing policies on such workloads, and of what these are.
    """

    inst: InstanceT
    incidents: Incidents | None = None
    objective: str | None = None

    name: ClassVar[str]
    title: ClassVar[str]
    instance_type: ClassVar[type[AnyInstance]]
    distinction: ClassVar[str] = ""
    in_slots: ClassVar[bool] = False
    has_estimates: ClassVar[bool] = False
    noted_columns: ClassVar[frozenset[str]] = frozenset()
    objectives: ClassVar[tuple[Objective, ...]]
    sizes: ClassVar[tuple[str, ...]] = ("n_jobs", "n_machines", "n_resources")
    about: ClassVar[tuple[str, ...]] = ()
    columns: ClassVar[Mapping[str, str]]
    keeps: ClassVar[tuple[Keep, ...]] = ()
    views: ClassVar[tuple[str, ...]] = ()
    default_policies: ClassVar[tuple[str, ...]] = ()
    default_policies_in_words: ClassVar[str] = ""
    counted: ClassVar[str] = "jobs"
    bounds_come_with_results: ClassVar[bool] = True
    bound_seconds: ClassVar[float | None] = None
    schedule_kinds: ClassVar[tuple[str, ...]] = ()
    accepts: ClassVar[frozenset[str]] = frozenset()
    refused: ClassVar[Mapping[str, str]] = {}
    drawings: ClassVar[tuple[Drawing, ...]] = ()
    help_on_comparing: ClassVar[str]
    help_on_workloads: ClassVar[str]

    @property
    def is_disturbed(self) -> bool:
        """Whether machines are down at times, or jobs may not run to their end at the first attempt."""
        return self.incidents is not None or getattr(self.inst, "outages", None) is not None

    def disturbances(self) -> dict[str, Any]:
        """How much disturbs the workload, for documents; nothing where nothing does."""
        outages = getattr(self.inst, "outages", None)
        counts = {} if outages is None else {"n_outages": len(outages)}
        if self.incidents is None:
            return counts
        failures = self.incidents.failures
        return {
            **counts,
            "n_failures": 0 if failures is None else len(failures),
            "n_cancellations": len(self.incidents.cancellations),
            "killed": self.incidents.killed,
        }

    @classmethod
    def takes(cls, algorithm: Algorithm) -> bool:
        """Whether an algorithm is one for this kind of problem."""
        return algorithm.solves(cls.instance_type) and algorithm.slotted == cls.in_slots

    # What is in an instance

    def size(self) -> dict[str, int | None]:
        """The `sizes` of an instance."""
        return {name: getattr(self.inst, name) for name in self.sizes}

    @abstractmethod
    def contents(self) -> str:
        """What a title says is in an instance, such as "12 jobs of 34 tasks"."""

    def machines(self) -> str:
        """How many machines a title says there are."""
        return quantity(self.inst.n_machines, "machine")

    # Running policies

    def policies(self) -> tuple[str, ...]:
        """What a comparison runs on this instance where nobody names policies."""
        return self.default_policies

    def policies_for(self, other: InstanceT, incidents: Incidents | None) -> tuple[str, ...]:
        """The same where they also run on another instance of the same jobs."""
        return self.policies()

    def suited_to(self, report: DataReport) -> Problem[InstanceT]:
        """The same with the `objective` that suits the workload, where nobody says another."""
        return self

    def recorded(self, tau: float) -> Evaluation:
        """What really happened, as far as the workload tells it, measured like the schedule of a policy.

        Raises
        ------
        UnsupportedError
            If it tells nothing of it.
        """
        raise UnsupportedError(f"{RECORDED}: of {self.title} nothing is recorded")

    def notes(self, choices: Sequence[PolicyChoice], report: DataReport) -> Iterable[str]:
        """What to tell before policies run, such as with what they decide."""
        return ()

    def read_options(self, options: Mapping[str, Any]) -> Mapping[str, Any]:
        """The options of a policy as `solve` takes them."""
        return options

    @abstractmethod
    def figures(self, result: Any, tau: float) -> dict[str, Any]:
        """Figures of merit by name: those of `columns`, and others."""

    def shortfall(self, result: Result) -> str | None:
        """Why a run has no schedule, or what is missing from it; None where all is there."""
        return "no schedule" if result.schedule is None else None

    def schedule_kind(self, policy: str, result: Result) -> str | None:
        """The class of schedules that a policy promises, as `schedcore.validate` takes it."""
        return registry.get(policy).schedule_class

    # Recording

    @classmethod
    def check_keep(cls, keep: Collection[str]) -> None:
        """Raise an `UnsupportedError` if a sweep keeps what results of this kind do not have."""
        known = [known.name for known in cls.keeps]
        for name in keep:
            if name not in known:
                has = ", ".join(known) or "nothing"
                raise UnsupportedError(f"{cls.title} have no {name} to keep (what they have: {has})")

    def kept(self, result: Result, keep: Collection[str]) -> dict[str, Any]:
        """The columns that a sweep keeps."""
        chosen = [known for known in self.keeps if known.name in keep]
        return {name: entry for known in chosen for name, entry in known.record(self.inst, result).items()}

    # Comparing

    def told(self, result: Result, figures: dict[str, Any]) -> dict[str, Any]:
        """The figures of a row of a comparison, the value of the first objective before all others."""
        return {self.objectives[0].figure: None if result.schedule is None else result.value, **figures}

    @abstractmethod
    def certify(
        self, choices: Sequence[PolicyChoice], evaluations: Sequence[Evaluation]
    ) -> tuple[Bounds, tuple[str, ...]]:
        """Measure evaluations against the best bounds that are known for them.

        Return what is proven of each objective, and why nothing is.
        """

    @abstractmethod
    def comparison_columns(self, report: DataReport, rows: Sequence[Row], bounds: Bounds) -> list[Column]:
        """The columns of the table of a comparison."""

    def note(self, report: DataReport, bounds: Bounds) -> str:
        """What stands below the table of a comparison."""
        return report.loss

    def remarks(self, evaluations: Sequence[Evaluation], report: DataReport) -> tuple[str, ...]:
        """What a table of these evaluations cannot show."""
        return ()

    # Bounds

    @abstractmethod
    def bound_questions(self) -> list[tuple[str, str]]:
        """Objectives and methods of `schedcore.bounds.lower_bound` that are worth a row of their own."""

    def about_bound(self, bound: LowerBound) -> dict[str, Any]:
        """What a row says of a bound beyond its value."""
        return {}

    def bound_table(self, rows: Sequence[Row], report: DataReport) -> Table:
        """The table of bounds."""
        columns = [
            Column("bound", "bound", is_text=True),
            Column("objective", "objective", is_text=True),
            Column("value", "value", lambda value: f"{value:,.6g}"),
        ]
        return Table(rows, [*columns, *self.bound_columns(rows, report)], note=report.loss)

    def bound_columns(self, rows: Sequence[Row], report: DataReport) -> list[Column]:
        """The columns of `about_bound`."""
        return []

    # Schedules as files

    @abstractmethod
    def schedule_table(self, schedule: Any) -> Any:
        """A schedule as ``pyarrow.Table``: what a file holds."""

    def table_of(self, evaluation: Evaluation) -> Any:
        """What a file holds of an evaluation that has a schedule."""
        return self.schedule_table(evaluation.schedule)

    @abstractmethod
    def read_schedule(self, path: Path) -> Any:
        """Read what holds a `schedule_table`; an `InvalidInstanceError` that names the file for anything else."""

    def convert(
        self,
        output: Path,
        report: DataReport,
        *,
        schedule: Path | None = None,
        known_jobs_only: bool = False,
        release: str | None = None,
        overwrite: bool = False,
        tell: Callable[[str], object] = lambda note: None,
    ) -> None:
        """Write an instance, and a schedule of it, in the format that the name of a file says; notes go to `tell`."""
        raise UnsupportedError(f"convert needs jobs, and the workload has {self.title}: {self.inst!r}")

    @staticmethod
    def recognises(path: Path) -> bool:
        """Whether a file holds such a schedule, and not one of another kind for the same type of instance."""
        return True

    def check_file(
        self,
        path: Path,
        report: DataReport,
        *,
        kind: str | None = None,
        known_jobs_only: bool = False,
        release: str | None = None,
    ) -> tuple[ValidationReport, Any]:
        """Read a schedule and check it exactly; return what was found, and the schedule.

        `kind` is that of `schedcore.validate`. Rows of jobs that the workload does not have are left out with
        `known_jobs_only`; `release` is that of `schedcore.workloads.recorded_schedule`.
        """
        schedule = self.read_schedule(path)
        return validate(self.inst, schedule, kind=kind), schedule

    def figures_of_file(
        self, schedule: Any, report: DataReport, name: str, verdict: str
    ) -> tuple[Row, tuple[Table | str, ...]]:
        """What a schedule from a file is worth, feasible or not: for programs, and as a table called by its `name`."""
        return {}, ()
