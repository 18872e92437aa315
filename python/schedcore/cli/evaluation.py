"""One policy on one workload: solved, timed, validated and measured."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from schedcore import registry
from schedcore.bounds import average_response_time_lower_bound, awct_lower_bound, makespan_lower_bound
from schedcore.cli.progress import ProgressBars
from schedcore.errors import SchedcoreError
from schedcore.experiments.evaluation import measure
from schedcore.experiments.policy_choice import PolicyChoice
from schedcore.metrics import overtaking_summary
from schedcore.model import AnyInstance, Instance, Schedule
from schedcore.model.certificate import ratio_to_bound
from schedcore.workloads import DataReport
from schedcore.workloads.reading.report_warnings import written_share

#: Objective -> the figure that holds its value.
FIGURE_OF = {"awct": "awct", "average_response_time": "avg_response", "makespan": "makespan"}

Bounds = Mapping[
    str, float | None
]  # objective -> no schedule has a smaller value; None where nothing is proven


@dataclass(frozen=True)
class Evaluation:
    """What came of a policy.

    Attributes
    ----------
    policy : str
        Label of the choice.
    objective : str
        What the policy is made to minimise: a key of `FIGURE_OF`.
    schedule : Schedule, Assignment, PreemptiveSchedule or None
        None if the policy failed, or found none in the time that it was given.
    problem : str or None
        Why the policy failed, or the first violation of its schedule; None if all is well.
    figures : dict
        Summary figures, who was overtaken and waited longest, for each objective the gap to its bound (and as
        "gap" that of the policy's own), guarantee, seconds and jobs per second; empty if the policy failed.
    is_cut_short : bool
        The schedule is feasible and lacks some jobs, because the run was limited.
    """

    policy: str
    objective: str
    schedule: Any
    problem: str | None
    figures: dict[str, Any] = field(default_factory=dict)
    is_cut_short: bool = False

    @property
    def verdict(self) -> str:
        """ "valid", "INVALID", "UNFINISHED", "NO SCHEDULE" or "FAILED"."""
        if self.schedule is None:
            return "NO SCHEDULE" if self.figures else "FAILED"
        if self.is_cut_short:
            return "UNFINISHED"
        return "valid" if self.problem is None else "INVALID"

    def row(self) -> dict[str, Any]:
        """Everything but the schedule, flat."""
        return {
            "policy": self.policy,
            "objective": self.objective,
            "verdict": self.verdict,
            "problem": self.problem,
            **self.figures,
        }


def evaluate(
    inst: Instance, choice: PolicyChoice, bars: ProgressBars, tau: float, bounds: Bounds
) -> Evaluation:
    """Run a policy and measure its schedule; a policy that raises is a finding, not an error."""
    objective = registry.get(choice.name).objective
    try:
        with bars.step(choice.label, inst.n_jobs) as progress:
            measured = measure(inst, choice.name, choice.options, tau=tau, progress=progress)
    except (SchedcoreError, MemoryError) as error:
        return Evaluation(choice.label, objective, None, str(error) or type(error).__name__)
    result, figures = measured.result, measured.figures
    figures["utilisation"] = dict(zip(inst.machines.resource_names, figures["utilisation"], strict=True))
    gaps = {name: _gap(figures[figure], bounds[name]) for name, figure in FIGURE_OF.items()}
    figures |= {
        **_overtaking(inst, result.schedule),
        **{f"{FIGURE_OF[name]}_gap": gap for name, gap in gaps.items()},
        "lower_bound": bounds.get(objective),
        "gap": gaps.get(objective),
        "guarantee": result.guarantee,
        "seconds": measured.solve_seconds,
        "jobs_per_second": inst.n_jobs / measured.solve_seconds,
    }
    return Evaluation(choice.label, objective, result.schedule, measured.problem, figures)


def evaluate_certified(
    inst: AnyInstance,
    choice: PolicyChoice,
    bars: ProgressBars,
    *,
    value: str,
    n_steps: int,
    counted: str = "tasks",
    n_counted: int,
) -> Evaluation:
    """Run a policy whose result has a lower bound; a policy that raises is a finding, not an error.

    So is one that found no schedule in the time it was given, or was cut short. `value` is the name of the figure that
    the policy minimises, `n_steps` what its progress counts, and `n_counted` of what is `counted` tell how fast it is.
    The gap is left to `measure_against`.
    """
    objective = registry.get(choice.name).objective
    try:
        with bars.step(choice.label, n_steps) as progress:
            measured = measure(inst, choice.name, choice.options, tau=0.0, progress=progress)
        with bars.step(f"{choice.label}: lower bound", 1):
            lower_bound = measured.result.lower_bound
    except (SchedcoreError, MemoryError) as error:
        return Evaluation(choice.label, objective, None, str(error) or type(error).__name__)
    result = measured.result
    figures = {
        value: None if result.schedule is None else result.value,
        **measured.figures,
        "lower_bound": lower_bound,
        "gap": None,
        "guarantee": result.guarantee,
        "seconds": measured.solve_seconds,
        f"{counted}_per_second": n_counted / measured.solve_seconds,
    }
    return Evaluation(
        choice.label, objective, result.schedule, measured.problem, figures, measured.is_cut_short
    )


def known_bounds(evaluations: Sequence[Evaluation]) -> list[float]:
    """The lower bounds that came with the schedules; the largest is one for all of them."""
    bounds = [evaluation.figures["lower_bound"] for evaluation in evaluations if evaluation.figures]
    return [bound for bound in bounds if bound is not None]


def measure_against(evaluations: Sequence[Evaluation], value: str, bound: float | None) -> None:
    """Give every evaluation the same lower bound, and the gap between its figure `value` and that."""
    for evaluation in evaluations:
        if evaluation.figures:
            found = evaluation.figures[value]
            evaluation.figures["lower_bound"] = bound
            evaluation.figures["gap"] = None if found is None else _gap(found, bound)


def tell_who_uses_estimates(inst: Instance, choices: Sequence[PolicyChoice], report: DataReport) -> None:
    """Say on stderr, where the jobs have estimates, which policies decide with them: the others know more."""
    if not inst.jobs.has_estimates:
        return
    decides_with = {choice.name: registry.get(choice.name).decides_with for choice in choices}
    told = [name for name, time in decides_with.items() if time == "estimated_processing_time"]
    others = len(told) < len(decides_with)
    believers, missing = ", ".join(told) or "no policy", report.estimates_missing
    if missing == 1 or np.array_equal(inst.jobs.estimated_processing_time, inst.jobs.processing_time):
        others_are = (
            ""
            if missing == 1
            else "; all other estimates are exact"
            if missing
            else "all estimates are exact"
        )
        lack = f"{written_share(missing)} have no estimate" if missing else ""
        print(
            f"decided with the true run times of the jobs: all policies ({lack}{others_are})", file=sys.stderr
        )
        return
    instead = f" (the true run time of the {written_share(missing)} that have none)" if missing else ""
    print(
        f"decided with the estimates of the jobs{instead}: {believers}"
        + ("; what other policies know of a job's length is the true one" if others else ""),
        file=sys.stderr,
    )


def proven_bounds(inst: Instance) -> Bounds:
    """The best proven lower bound on each objective; None if there is none, which stderr explains."""

    def bound(compute: Callable[[Instance], float]) -> float | None:
        try:
            return compute(inst)
        except SchedcoreError as error:
            problems.append(str(error))
            return None

    problems: list[str] = []
    bounds = {
        "awct": bound(awct_lower_bound),
        "average_response_time": bound(average_response_time_lower_bound),
        "makespan": bound(makespan_lower_bound),
    }
    for problem in dict.fromkeys(problems):
        print(f"no lower bound: {problem}", file=sys.stderr)
    return bounds


def _gap(value: float, bound: float | None) -> float | None:
    return ratio_to_bound(value, bound) - 1 if bound else None


def _overtaking(inst: Instance, schedule: Schedule) -> dict[str, Any]:
    overtaking = overtaking_summary(inst, schedule)
    job = overtaking.longest_wait_job
    return {
        "max_wait_job": None if job is None else int(inst.jobs.id[job]),
        "overtaken_share": overtaking.overtaken_share,
        "avg_overtaken": overtaking.mean,
        "max_overtaken": overtaking.max,
    }


def print_problems(evaluations: list[Evaluation]) -> int:
    """Name every failed policy and invalid schedule on stderr; return the exit code, 1 if there is one."""
    findings = [evaluation for evaluation in evaluations if evaluation.problem is not None]
    for finding in findings:
        print(f"{finding.policy}: {finding.verdict}: {finding.problem}", file=sys.stderr)
    return 1 if findings else 0
