"""What an algorithm returns: a schedule, its value, and how far from the optimum it can be."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from schedcore.errors import UnsupportedError

from .any_instance import AnyInstance
from .assignment import Assignment
from .certificate import ratio_to_bound
from .coded_texts import CodedTexts
from .html_of_runs import run_facts
from .html_of_starts import picture_of_starts
from .html_text import clipped, facts, panel
from .identity import Record
from .incidents import Incidents
from .instance import Instance
from .preemptive_schedule import PreemptiveSchedule
from .process_lock import ProcessLock
from .readable import percent
from .runs import JOB_OUTCOMES, Runs, check_runs, checked_outcome, outcome_of, runs_of
from .schedule import Schedule
from .site import Site

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["CERTIFICATE", "Result", "set_result_panel"]

#: What belongs to every kind of result, in the order of the constructors.
CERTIFICATE = ("stats", "guarantee", "lower_bound", "algorithm", "options")


class ResultPanel(Protocol):
    """A function that draws a result."""

    def __call__(self, result: Result, /, *, ax: Axes | None = None) -> Axes: ...


_panel: ResultPanel | None = None


def set_result_panel(panel: ResultPanel) -> None:
    """Make `panel` what `Result.plot` calls: the root of the package does, because the model knows no drawings."""
    global _panel
    _panel = panel


class Result(Record):
    """A schedule with its objective value and the certificate that belongs to it; immutable.

    Parameters
    ----------
    schedule : Schedule, Assignment or PreemptiveSchedule
        Of the kind that belongs to the instance.
    objective : str
        What `value` and `lower_bound` measure: "awct", "makespan", "max_cost", ...
    value : float
        Objective value of the schedule.
    stats : mapping, optional
        What the algorithm recorded on its way. Of the library's, "ignored" is a tuple of the columns of jobs that tell
        them apart and that it does not read, such as "weight".
    guarantee : float, optional
        Proven bound on value / optimum for this algorithm with these options on this instance.
    lower_bound : float or callable, optional
        Proven lower bound on the optimum, or a function without arguments that computes it. The function runs
        once, when the bound is first asked for (`lower_bound`, `ratio`, `gap`, comparison, pickling), also
        with several threads.
    algorithm : str
        Name of the algorithm.
    options : mapping, optional
        The options it ran with.
    instance : Instance, ColocationInstance, ParallelTaskInstance or MapReduceInstance, optional
        What was scheduled; `plot` needs it.
    runs : Runs, optional
        Every run of every job. Default: see `runs`.
    outcome : (n_jobs,) array_like of str, optional
        "completed", "killed", "cancelled", "never" or "waiting". Default: see `outcome`.
    incidents : Incidents, optional
        What happened unannounced; `plot` shows it.
    site : Site, optional
        The rules that it obeys.

    Raises
    ------
    InvalidInstanceError
        For an outcome that there is not, another number of them than of jobs, and runs of a job that there is not.
    TypeError
        For runs, incidents or a site that are none, and for runs or outcomes of what is no `Schedule`.
    """

    __slots__ = (
        "_bound",
        "_compute_bound",
        "_derived",
        "_lock",
        "_outcome",
        "_runs",
        "algorithm",
        "guarantee",
        "incidents",
        "instance",
        "objective",
        "options",
        "schedule",
        "site",
        "stats",
        "value",
    )
    _fields: ClassVar[tuple[str, ...]] = ("schedule", "objective", "value", *CERTIFICATE, "instance")

    schedule: Any
    objective: str
    value: float
    stats: dict[str, Any]
    guarantee: float | None
    algorithm: str
    options: Mapping[str, Any]
    instance: Any
    incidents: Incidents | None
    site: Site | None
    _bound: float | None
    _compute_bound: Callable[[], float | None] | None
    _lock: ProcessLock
    _runs: Runs | None
    _derived: Runs | None
    _outcome: CodedTexts | None

    def __init__(
        self,
        schedule: Schedule | Assignment | PreemptiveSchedule | None,
        objective: str,
        value: float,
        stats: Mapping[str, Any] | None = None,
        guarantee: float | None = None,
        lower_bound: float | Callable[[], float | None] | None = None,
        algorithm: str = "",
        options: Mapping[str, Any] | None = None,
        instance: AnyInstance | None = None,
        runs: Runs | None = None,
        outcome: Any = None,
        incidents: Incidents | None = None,
        site: Site | None = None,
    ) -> None:
        if incidents is not None and not isinstance(incidents, Incidents):
            raise TypeError(f"incidents must be Incidents, not {type(incidents).__name__}")
        if site is not None and not isinstance(site, Site):
            raise TypeError(f"site must be a Site, not {type(site).__name__}")
        ended = None
        if runs is not None or outcome is not None:
            if not isinstance(schedule, Schedule):
                raise TypeError(f"a {type(schedule).__name__} has neither runs nor outcomes")
            if runs is not None:
                check_runs(runs, schedule.n_jobs)
            if outcome is not None:
                ended = checked_outcome(outcome, schedule.n_jobs, JOB_OUTCOMES, row="job")
        self._assign(
            schedule=schedule,
            objective=objective,
            value=float(value),
            stats=dict(stats or {}),
            guarantee=None if guarantee is None else float(guarantee),
            algorithm=algorithm,
            options=MappingProxyType(dict(options or {})),
            instance=instance,
            incidents=incidents,
            site=site,
            _bound=None if lower_bound is None or callable(lower_bound) else float(lower_bound),
            _compute_bound=lower_bound if callable(lower_bound) else None,
            _lock=ProcessLock(),
            _runs=runs,
            _derived=None,
            _outcome=ended,
        )

    @property
    def lower_bound(self) -> float | None:
        """Proven lower bound on the optimum of the objective; None if none is known."""
        with self._lock:
            if self._compute_bound is not None:
                bound = self._compute_bound()
                object.__setattr__(self, "_bound", None if bound is None else float(bound))
                object.__setattr__(self, "_compute_bound", None)
            return self._bound

    @property
    def runs(self) -> Runs | None:
        """Every run of every job, by start time.

        Where none were given, each job with a finite start ran once, for its processing time, where the schedule has
        it. They are made when first asked for: O(n_jobs * log n_jobs). None for schedules with pieces or without times,
        and where the result does not know its instance.
        """
        if self._runs is None and isinstance(self.schedule, Schedule) and isinstance(self.instance, Instance):
            if self._derived is None:
                object.__setattr__(self, "_derived", runs_of(self.schedule, self.instance.processing_time))
            return self._derived
        return self._runs

    @property
    def outcome(self) -> NDArray[Any] | None:
        """(n_jobs,) What became of each job: "completed", "killed", "cancelled", "never" or "waiting".

        Where it was not given, jobs with a finite start completed, and others wait. None for schedules with pieces or
        without times.
        """
        if self._outcome is not None:
            return self._outcome.texts()
        return outcome_of(self.schedule).texts() if isinstance(self.schedule, Schedule) else None

    def ratio(self) -> float | None:
        """Return value / lower_bound: no schedule can be better by more than this factor.

        1.0 where both are zero (no jobs) or differ by no more than their rounding, 2**-51 of themselves; infinity where
        only the bound is zero, None without a bound.
        """
        bound = self.lower_bound
        return None if bound is None else ratio_to_bound(self.value, bound)

    def gap(self) -> float | None:
        """Return ratio - 1: 0.05 says that the value is at most 5 % above optimal; None without a bound."""
        ratio = self.ratio()
        return None if ratio is None else ratio - 1.0

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """Draw the schedule in the way that suits its size; needs ``schedcore[plot]``.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; by default a new figure.

        Returns
        -------
        matplotlib.axes.Axes
            At most 2500 jobs on at most 8 machines: every job as a block, as high as its demand in the most
            demanded resource. Otherwise: utilisation over time. ``schedcore.plotting.plot_result`` says more.

        Raises
        ------
        UnsupportedError
            If the result does not know its instance.
        """
        if _panel is None:
            raise UnsupportedError("nothing draws results yet; import schedcore.plotting")
        return _panel(self, ax=ax)

    def content_hash(self) -> str:
        """Return the SHA-256 hex digest of the contents, computed anew as `stats` is a plain dict."""
        object.__setattr__(self, "_digest", None)
        return super().content_hash()

    def _size(self) -> str:
        return f"{len(self.schedule)} jobs"

    @classmethod
    def _restore(cls, values: dict[str, Any]) -> Self:
        return cls(**values)

    def _contents(self) -> dict[str, object]:
        """Runs, outcomes, incidents and rules only where they were given: the hash is else what it was without them."""
        given = {"runs": self._runs, "outcome": self._outcome, "incidents": self.incidents, "site": self.site}
        kept = {name: value for name, value in given.items() if value is not None}
        return {**super()._contents(), "options": dict(self.options), **kept}

    def _repr_html_(self) -> str:
        """What a notebook shows: value and certificate, makespan and mean wait, and the use over time; O(size).

        A lower bound that nobody has asked for is not computed.
        """
        bound, gap = "computed when asked for", None
        if self._compute_bound is None:
            bound, gap = "" if self._bound is None else f"{self._bound:.6g}", self.gap()
        of_run, picture = run_facts(self.instance, self.schedule, self._runs)
        if not picture and isinstance(self.schedule, Schedule):
            picture = picture_of_starts(self.schedule.start_time)
        options = [(name, value) for name, value in self.options.items() if value is not None]
        pairs: list[tuple[str, object]] = [
            (self.objective, f"{self.value:.6g}"),
            ("lower bound", bound),
            ("gap", "" if gap is None else f"at most {percent(gap)}"),
            ("guarantee", "" if self.guarantee is None else f"{self.guarantee:.6g} times the optimum"),
            *of_run,
            ("outcomes", "" if self._outcome is None else _counted(self._outcome)),
            ("runs", "" if self._runs is None else len(self._runs)),
            ("options", ", ".join(clipped(f"{name}={value!r}") for name, value in options)),
        ]
        name = f"Result of {self.algorithm}" if self.algorithm else "Result"
        return panel(f"{name}: {self._size()}", facts(pairs), picture)

    def __repr__(self) -> str:
        parts = [f"{self.objective} {self.value:.6g}"]
        if self._compute_bound is not None:
            parts.append("lower bound computed when asked for")
        elif self._bound is not None:
            parts.append(f"lower bound {self._bound:.6g} (gap {100 * (self.gap() or 0.0):.2f} %)")
        if self.guarantee is not None:
            parts.append(f"guarantee {self.guarantee:.6g}")
        parts.append(self._size())
        return f"Result({self.algorithm + ': ' if self.algorithm else ''}{', '.join(parts)})"


def _counted(outcome: CodedTexts) -> str:
    """How many jobs ended in which way."""
    counts = np.bincount(outcome.codes, minlength=len(outcome.names)).tolist()
    return ", ".join(f"{count:,} {name}" for name, count in zip(outcome.names, counts, strict=True) if count)
