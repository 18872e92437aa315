"""What came of one policy on a workload, and of several side by side: what tables and drawings are made of."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from schedcore.metrics import JobClasses, RecordedRun, completed_part
from schedcore.model import Incidents, Runs
from schedcore.model.certificate import ratio_to_bound
from schedcore.workloads.reading.report import DataReport

__all__ = ["Bounds", "Comparison", "Evaluation", "gap_to", "known_bounds"]

#: Objective -> no schedule has a smaller value; None where nothing is proven.
Bounds = Mapping[str, float | None]


@dataclass(frozen=True)
class Evaluation:
    """What came of a policy.

    Attributes
    ----------
    policy : str
        Label of the choice.
    objective : str
        What the policy is made to minimise.
    schedule : Schedule, Assignment, PreemptiveSchedule or None
        None if the policy failed, or found none in the time that it was given.
    finding : str or None
        Why the policy failed, or the first violation of its schedule; None if all is well.
    figures : dict
        Figures of its kind of problem, lower bound, gap, guarantee, seconds, and how many jobs or tasks a second;
        empty if the policy failed.
    ignored : tuple of str
        The columns of the jobs that tell them apart and that the policy does not read.
    runs : Runs or None
        Every run of every job, where machines are down at times or jobs may be killed or cancelled.
    result : Result or None
        Of jobs that run in one piece, all that is known of them.
    is_cut_short : bool
        The schedule is feasible and lacks some jobs, because the run was limited.
    recorded : RecordedRun or None
        No policy, but what really happened; its schedule is of the jobs of which that is known, on one machine.
    """

    policy: str
    objective: str
    schedule: Any
    finding: str | None
    figures: dict[str, Any] = field(default_factory=dict)
    is_cut_short: bool = False
    runs: Runs | None = None
    result: Any = None
    ignored: tuple[str, ...] = ()
    recorded: RecordedRun | None = None

    def whole(self, inst: Any) -> tuple[Any, Any]:
        """The jobs as an instance, and the schedule or all runs of them."""
        if self.recorded is not None:
            return self.recorded.inst, self.schedule
        return inst, self.schedule if self.runs is None else self.runs

    def completed(self, inst: Any) -> tuple[Any, Any]:
        """The jobs that completed as an instance, and the schedule or the runs of them."""
        if self.recorded is not None:
            return self.whole(inst)
        if self.runs is None:
            return inst, self.schedule
        part = completed_part(inst, self.runs)
        return part.inst, part.runs

    @property
    def verdict(self) -> str:
        """ "valid", "INVALID", "UNFINISHED", "NO SCHEDULE" or "FAILED"; "recorded" of what really happened."""
        if self.recorded is not None:
            return "recorded"
        if self.schedule is None:
            return "NO SCHEDULE" if self.figures else "FAILED"
        if self.is_cut_short:
            return "UNFINISHED"
        return "valid" if self.finding is None else "INVALID"

    @property
    def is_drawn(self) -> bool:
        """Whether its schedule is one that a drawing can show: feasible, if not complete."""
        return self.schedule is not None and (self.finding is None or self.is_cut_short)

    def row(self) -> dict[str, Any]:
        """Everything but the schedule, flat."""
        return {
            "policy": self.policy,
            "objective": self.objective,
            "verdict": self.verdict,
            "problem": self.finding,
            **self.figures,
        }

    def measure_against(self, figure: str, bound: float | None) -> None:
        """Take `bound` for the lower bound of a figure, and note how far the figure is above it."""
        if self.figures:
            self.figures["lower_bound"] = bound
            self.figures["gap"] = gap_to(self.figures[figure], bound)


@dataclass(frozen=True)
class Comparison:
    """Policies on one workload, side by side.

    Attributes
    ----------
    inst : instance
    report : DataReport
        Of its reader.
    evaluations : sequence of Evaluation
        In the order of the policies.
    bounds : mapping
        What is proven for all of them.
    notes : tuple of str
        Why nothing is proven, where that is so.
    tau : float
        Threshold of the bounded slowdown.
    classes : JobClasses or None
        Classes of jobs to tell apart.
    column : str or None
        Whose names the classes are, of those who submitted the jobs.
    incidents : Incidents or None
        What happened unannounced.
    """

    inst: Any
    report: DataReport
    evaluations: Sequence[Evaluation]
    bounds: Bounds
    notes: tuple[str, ...] = ()
    tau: float = 0.0
    classes: JobClasses | None = None
    column: str | None = None
    incidents: Incidents | None = None

    @property
    def drawn(self) -> dict[str, Any]:
        """The policies whose schedules drawings can show -> their schedules."""
        return {e.policy: e.schedule for e in self.evaluations if e.is_drawn}

    @property
    def completed(self) -> dict[str, tuple[Any, Any]]:
        """The policies that did not fail, infeasible schedules too -> the jobs that completed, and their schedule or
        runs. The place among these is the look of a policy in every drawing."""
        return {e.policy: e.completed(self.inst) for e in self.evaluations if e.schedule is not None}


def known_bounds(evaluations: Sequence[Evaluation]) -> list[float]:
    """The lower bounds that came with the schedules; the largest is one for all of them."""
    bounds = [evaluation.figures["lower_bound"] for evaluation in evaluations if evaluation.figures]
    return [bound for bound in bounds if bound is not None]


def gap_to(value: float | None, bound: float | None) -> float | None:
    """How far a value is above its bound, as a share of the bound; None without either."""
    return ratio_to_bound(value, bound) - 1 if bound and value is not None else None
