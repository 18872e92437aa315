"""Jobs that run in one piece on one machine: the logs of clusters, under online and backfilling policies."""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from schedcore import registry
from schedcore.bounds import LowerBound, lower_bound, lower_bound_methods
from schedcore.bounds.rounding import mean_up_to
from schedcore.errors import SchedcoreError, UnsupportedError
from schedcore.metrics import (
    cluster_summary,
    completed_part,
    overtaking_summary,
    recorded_run,
    steady_state,
    summary,
)
from schedcore.metrics.exact_sums import exact_mean
from schedcore.model import (
    Incidents,
    Instance,
    Result,
    Schedule,
    ValidationReport,
    features_of,
    features_of_incidents,
)
from schedcore.model.real_numbers import finite_or_none
from schedcore.plotting import readable_time
from schedcore.problems.drawings.jobs import DELAYS_DRAWING, USE_DRAWING, objective_drawing
from schedcore.problems.drawings.queue import QUEUE_DRAWING
from schedcore.problems.drawings.shares import SHARES_DRAWING
from schedcore.problems.drawings.waits import WAITS_BY_HOUR_DRAWING, WAITS_BY_USER_DRAWING
from schedcore.problems.estimate_notes import notes_on_estimates
from schedcore.problems.evaluation import Bounds, Evaluation, gap_to
from schedcore.problems.job_logs import write_jobs
from schedcore.problems.job_views import (
    AWCT,
    BATCH_POLICIES,
    BEST_OF_OTHERS,
    MAKESPAN,
    RESPONSE,
    VIEWS,
    WAIT,
    columns_of_view,
)
from schedcore.problems.kept_columns import DELAYS, DEMANDS, STARTS
from schedcore.problems.policy_choice import RECORDED, PolicyChoice
from schedcore.problems.presentation import Column, Row, Table
from schedcore.problems.problem import Problem
from schedcore.problems.recorded_words import told_of_recorded
from schedcore.problems.schedules.job_starts import check_starts, read_starts, table_of_runs, table_of_starts
from schedcore.problems.time_units import unit_of
from schedcore.workloads.reading.offered_load import offered_load
from schedcore.workloads.reading.report import DataReport

__all__ = ["JobsProblem"]


_TAU = 10.0  # of the bounded slowdown, in seconds


class JobsProblem(Problem[Instance]):
    """Jobs with demands in several resources."""

    name = "jobs"
    title = "jobs"
    instance_type = Instance
    has_estimates = True
    noted_columns = frozenset({"estimated_processing_time"})
    objectives = (AWCT, RESPONSE, MAKESPAN)
    columns: ClassVar = {
        **dict.fromkeys(
            (
                "awct",
                "weighted_completion",
                "makespan",
                "avg_response",
                "weighted_avg_response",
                "avg_wait",
                "max_wait",
                "zero_wait_share",
                "wait_p50",
                "wait_p90",
                "wait_p95",
                "wait_p99",
                "avg_slowdown",
                "avg_bounded_slowdown",
                "avg_queue_all",
                "avg_queue_arrivals",
                "max_queue",
                # Without the first tenth of the jobs, see `schedcore.metrics.steady_state`:
                "steady_avg_response",
                "steady_weighted_avg_response",
                "queue_growth",
                "offered_load",  # of the most demanded resource
            ),
            "float64",
        ),
        "utilisation": "list<float64>",  # per resource
        # Where machines are down or fail, or jobs are cancelled:
        "n_left_out": "int64",
        "n_killed": "int64",
        "lost_share": "float64",
        "goodput": "list<float64>",
        "utilisation_of_up": "list<float64>",
    }
    keeps = (DELAYS, STARTS, DEMANDS)
    views = tuple(VIEWS)
    default_policies = (
        "mris", "mris:opportunistic=true,replan=always", "pq", "tetris", "bf_exec", "ca_pq",
    )  # fmt: skip
    default_policies_in_words = (
        f"logs of batch systems: {' '.join(BATCH_POLICIES)}; others: {' '.join(default_policies)}"
    )
    # Where a workload uses a cluster, these take its features; of the usual ones most do not.
    queue_policies = ("fcfs", "first_fit", "easy", "conservative")
    bounds_come_with_results = False
    accepts = frozenset(
        {
            "against", "against_machines", "allow_loss", "cancellations", "censored", "classes", "estimates",
            "failures", "killed", "known_jobs_only", "load", "machines", "memory_capacity", "missing_memory",
            "objective", "outage", "slots", "sweep", "tasks", "tau",
        }
    )  # fmt: skip
    drawings = (
        objective_drawing("awct.png", "average weighted completion time", AWCT),
        objective_drawing("response.png", "mean response time", RESPONSE),
        DELAYS_DRAWING,
        USE_DRAWING,
        QUEUE_DRAWING,
        WAITS_BY_USER_DRAWING,
        WAITS_BY_HOUR_DRAWING,
        SHARES_DRAWING,
    )

    help_on_comparing = """Compare policies on the jobs of a workload: a table of results, and drawings with --plot.

    A log of a batch system is compared by waits, with recorded, what really happened, as one of the rows. VM traces and
    generators are compared by the average weighted completion time and its lower bound; --objective asks for another
    comparison. Every schedule is validated; exit code 1 tells that one is invalid or that a policy failed.

    With --against it is one policy under two sets of options, such as -p easy --against "selection=bb!": what changes,
    in each figure and for the jobs.

    Without a workload the built-in azure_like is used (16000 jobs on 20 machines). Other kinds of problems have help
    of their own: --problem colocation --help, and likewise parallel-tasks, slots, map-reduce.
    """
    help_on_workloads = (
        "A log (.swf, .swf.gz, the output of sacct -X -P as .sacct, the Azure VM table or packing trace, pods or GPU "
        "jobs as CSV, a folder of Google's trace), any table of jobs (.csv, .tsv, Parquet), an instance as Parquet, - "
        "for what is piped in, or a generator such as azure_like:n_jobs=64000,n_machines=20."
    )

    def contents(self) -> str:
        return f"{self.inst.n_jobs:,} jobs"

    def suited_to(self, report: DataReport) -> "JobsProblem":
        """A log of a batch system, or whatever tells when its jobs started, is about waits."""
        if self.objective is None and (report.is_batch_log or self.inst.jobs.uses("recorded_start_time")):
            return replace(self, objective=WAIT)
        return self

    def policies(self) -> tuple[str, ...]:
        """Where waits count, how batch systems work and what really happened; else also what is made for clusters."""
        return self.policies_for(self.inst, self.incidents)

    def policies_for(self, other: Instance, incidents: Incidents | None) -> tuple[str, ...]:
        """The same where they also run on another instance of the same jobs."""
        features = {**features_of(other), **features_of_incidents(incidents)}
        if self.objective in (WAIT, "response"):
            *usual, best = BATCH_POLICIES
            if not self.inst.jobs.uses("recorded_start_time"):
                usual.remove(RECORDED)
            return (*usual, best if features.keys() <= registry.get(best).takes else BEST_OF_OTHERS)
        return (*self.default_policies, *(self.queue_policies if features else ()))

    def machines(self) -> str:
        # Without commas: titles of jobs never had them.
        return f"{self.inst.n_machines} machine{'s' * (self.inst.n_machines != 1)}"

    def notes(self, choices: Sequence[PolicyChoice], report: DataReport) -> list[str]:
        return notes_on_estimates(self.inst, choices, report)

    def figures(self, result: Any, tau: float) -> dict[str, Any]:
        if not self.is_disturbed:
            return _figures(self.inst, result.schedule, tau)
        figures = dict(cluster_summary(self.inst, result.runs, result.outcome, self.incidents, tau))
        used, lost = (np.array(figures[name]) for name in ("used", "lost"))
        shares = np.divide(lost, used, out=np.zeros_like(used), where=used > 0)
        return {
            **figures,
            "n_killed": int((result.runs.outcome == "killed").sum()),
            "lost_share": float(shares.max(initial=0.0)),
        }

    def told(self, result: Result, figures: dict[str, Any]) -> dict[str, Any]:
        """The summary, who was overtaken and waited longest, and room for the gap of every objective to its bound."""
        inst, ran = self.inst, result.schedule
        if self.is_disturbed:
            part = completed_part(inst, result.runs, result.outcome)  # type: ignore[arg-type]
            inst, ran = part.inst, part.runs
        return self._told_of(inst, ran, figures)

    def _told_of(self, inst: Instance, ran: Any, figures: dict[str, Any]) -> dict[str, Any]:
        overtaking = overtaking_summary(inst, ran)
        job = overtaking.longest_wait_job
        names = self.inst.machines.resource_names
        per_resource = [name for name, values in figures.items() if isinstance(values, tuple)]
        return {
            **figures,
            **{name: dict(zip(names, figures[name], strict=True)) for name in per_resource},
            "max_wait_job": None if job is None else inst.jobs.called(job),
            "overtaken_share": overtaking.overtaken_share,
            "avg_overtaken": overtaking.mean,
            "max_overtaken": overtaking.max,
            **{f"{objective.figure}_gap": None for objective in self.objectives},
        }

    def recorded(self, tau: float) -> Evaluation:
        run = recorded_run(self.inst)
        if run is None:
            raise UnsupportedError(f"{RECORDED}: the workload does not say when its jobs started")
        told = self._told_of(run.inst, run.schedule, _figures(run.inst, run.schedule, tau))
        unknown = dict.fromkeys(("lower_bound", "gap", "guarantee", "seconds", "jobs_per_second"))
        result = Result(run.schedule, RESPONSE.name, told[RESPONSE.figure], instance=run.inst)
        return Evaluation(RECORDED, "", run.schedule, None, {**told, **unknown}, result=result, recorded=run)

    def certify(
        self, choices: Sequence[PolicyChoice], evaluations: Sequence[Evaluation]
    ) -> tuple[Bounds, tuple[str, ...]]:
        """Measure every objective of every policy against its bound, and a policy against that of its own."""
        bounds: dict[str, float | None] = {}
        complaints: dict[str, None] = {}
        inst = self.inst
        if self.incidents is not None and self.incidents.failures is not None:
            # With checkpoints no run needs to be as long as its job, and bounds build on that around outages.
            inst = inst.replace(outages=None)
        for objective in self.objectives:
            bounds[objective.name] = None
            try:
                bounds[objective.name] = lower_bound(inst, objective.name).value
            except SchedcoreError as error:
                complaints[f"no lower bound: {error}"] = None
        bounds["average_wait"] = _bound_on_waits(inst, bounds[RESPONSE.name])
        for evaluation in evaluations:
            if not evaluation.figures or evaluation.recorded is not None:
                continue
            is_whole = not evaluation.figures.get("n_left_out")  # the bounds are about all jobs
            if not is_whole:
                bounds["average_wait"] = None  # no sentence beside waits that are of some jobs
                complaints[
                    "not measured against the bounds, which are about all jobs: policies that leave some out"
                ] = None
            for objective in self.objectives:
                bound = bounds[objective.name] if is_whole else None
                gap = gap_to(evaluation.figures[objective.figure], bound)
                evaluation.figures[f"{objective.figure}_gap"] = gap
                if evaluation.objective == objective.name:
                    evaluation.figures.update(lower_bound=bound, gap=gap)
        return bounds, tuple(complaints)

    def comparison_columns(self, report: DataReport, rows: Sequence[Row], bounds: Bounds) -> list[Column]:
        return columns_of_view(
            self.objective, self.inst, report, rows, bounds, with_incidents=self.incidents is not None
        )

    def note(self, report: DataReport, bounds: Bounds) -> str:
        """Where waits count, also how short they can be at best."""
        bound = bounds.get("average_wait")
        if self.objective != WAIT or not bound:
            return report.loss
        best = (
            f"no schedule of these jobs has a mean wait below {readable_time(bound, unit_of(report, bound))}"
        )
        return "\n".join(filter(None, (best, report.loss)))

    def remarks(self, evaluations: Sequence[Evaluation], report: DataReport) -> tuple[str, ...]:
        """What the log says that cannot have been so, and of which jobs it says nothing."""
        runs = [found.recorded for found in evaluations if found.recorded is not None]
        return tuple(sentence for run in runs for sentence in told_of_recorded(run, report))

    def bound_questions(self) -> list[tuple[str, str]]:
        methods = lower_bound_methods(self.inst)
        asked = ("weighted_completion", RESPONSE.name, MAKESPAN.name)
        return [(objective, method) for objective in asked for method in methods[objective]]

    def about_bound(self, bound: LowerBound) -> dict[str, Any]:
        if bound.objective != "weighted_completion":
            return {}
        return {"value_per_job": mean_up_to(bound.value, self.inst.n_jobs)}

    def bound_table(self, rows: Sequence[Row], report: DataReport) -> Table:
        """With a column in which all are times."""
        times = [row.get("value_per_job", row["value"]) for row in rows]
        readable = [readable_time(time, unit_of(report, time)) for time in times]
        return super().bound_table(
            [{**row, "readable": time} for row, time in zip(rows, readable, strict=True)], report
        )

    def bound_columns(self, rows: Sequence[Row], report: DataReport) -> list[Column]:
        return [Column("readable", "per job (AWCT),\nresponse or\nmakespan")]

    def schedule_table(self, schedule: Schedule) -> Any:
        return table_of_starts(self.inst, schedule)

    def table_of(self, evaluation: Evaluation) -> Any:
        """Every run, where jobs may have several or none."""
        if self.incidents is None or evaluation.runs is None:
            return super().table_of(evaluation)
        return table_of_runs(self.inst, evaluation.runs)

    def read_schedule(self, path: Path) -> Schedule:
        return read_starts(path, self.inst)

    def check_file(
        self,
        path: Path,
        report: DataReport,
        *,
        kind: str | None = None,
        known_jobs_only: bool = False,
        release: str | None = None,
    ) -> tuple[ValidationReport, Schedule]:
        """Also the processors that each job held, where the file names them."""
        unit = report.units.get(self.inst.machines.resource_names[0])
        return check_starts(path, self.inst, known_jobs_only, release, unit=unit)

    def figures_of_file(
        self, schedule: Schedule, report: DataReport, name: str, verdict: str
    ) -> tuple[Row, tuple[Table | str, ...]]:
        """Waits, use and makespan; and where more is in use than there is, how much and for how long."""
        recorded = np.where(np.isfinite(schedule.start_time), schedule.start_time, np.nan)
        run = recorded_run(self.inst.replace(recorded_start_time=recorded))
        if run is None:
            return {}, ()
        figures = self._told_of(run.inst, run.schedule, _figures(run.inst, run.schedule, _TAU))
        row = {"policy": name, "verdict": verdict, **figures}
        columns = columns_of_view(WAIT, self.inst, report, [row], {}, with_incidents=False)
        named = [replace(columns[0], heading="schedule"), *columns[1:]]
        above = [vars(excess) for excess in run.excess()]
        told = told_of_recorded(run, report, name)
        return {**figures, "above_capacity": above}, ("", Table([row], named), *told)

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
        plan = None if schedule is None else read_starts(schedule, self.inst, known_jobs_only, release)
        write_jobs(output, self.inst, report, plan, overwrite=overwrite, tell=tell)


def _figures(inst: Instance, schedule: Schedule, tau: float) -> dict[str, Any]:
    steady = steady_state(inst, schedule)
    return {
        **summary(inst, schedule, tau),
        "steady_avg_response": steady.avg_response,
        "steady_weighted_avg_response": steady.weighted_avg_response,
        "queue_growth": finite_or_none(steady.queue_growth),
        "offered_load": finite_or_none(float(offered_load(inst).max(initial=0.0))),
    }


def _bound_on_waits(inst: Instance, bound_on_response: float | None) -> float | None:
    """No schedule has a smaller mean wait: the mean response less the mean processing time, rounded down."""
    if bound_on_response is None:
        return None
    mean = math.nextafter(exact_mean(inst.processing_time), math.inf)
    return max(0.0, math.nextafter(bound_on_response - mean, -math.inf))
