"""Jobs that run in one piece on one machine: the logs of clusters, under online and backfilling policies."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from schedcore import registry
from schedcore.bounds import LowerBound, lower_bound, lower_bound_methods
from schedcore.bounds.rounding import mean_up_to
from schedcore.errors import SchedcoreError
from schedcore.metrics import cluster_summary, completed_part, overtaking_summary, steady_state, summary
from schedcore.model import Instance, Result, Schedule, ValidationReport, features_of
from schedcore.model.real_numbers import finite_or_none
from schedcore.plotting import readable_time
from schedcore.plotting.readable import percent, rounded_count, significant
from schedcore.problems.drawings.jobs import DELAYS_DRAWING, USE_DRAWING, objective_drawing
from schedcore.problems.drawings.shares import SHARES_DRAWING
from schedcore.problems.evaluation import Bounds, Evaluation, gap_to
from schedcore.problems.job_logs import write_jobs
from schedcore.problems.kept_columns import DELAYS, DEMANDS, STARTS
from schedcore.problems.policy_choice import PolicyChoice
from schedcore.problems.presentation import Column, Row, Table
from schedcore.problems.problem import Objective, Problem
from schedcore.problems.schedules.job_starts import check_starts, read_starts, table_of_runs, table_of_starts
from schedcore.problems.time_units import time_columns, unit_of
from schedcore.workloads import DataReport, offered_load
from schedcore.workloads.reading.report_warnings import written_share

__all__ = ["JobsProblem"]

_AWCT = Objective("awct", "awct", "AWCT")
_RESPONSE = Objective("average_response_time", "avg_response", "mean\nresponse")
_MAKESPAN = Objective("makespan", "makespan", "make-\nspan")


_INCIDENT_COLUMNS = [
    Column("n_killed", "runs\nkilled", rounded_count),
    Column("n_left_out", "jobs not\ndone", rounded_count),
    Column("lost_share", "work\nlost", percent),
]


class JobsProblem(Problem[Instance]):
    """Jobs with demands in several resources."""

    title = "jobs"
    instance_type = Instance
    has_estimates = True
    noted_columns = frozenset({"estimated_processing_time"})
    objectives = (_AWCT, _RESPONSE, _MAKESPAN)
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
    default_policies = (
        "mris", "mris:opportunistic=true,replan=always", "pq", "tetris", "bf_exec", "ca_pq",
    )  # fmt: skip
    # Where a workload uses a cluster, these take its features; of the usual ones most do not.
    queue_policies = ("fcfs", "first_fit", "easy", "conservative")
    bounds_come_with_results = False
    accepts = frozenset({"against", "classes", "slots", "known_jobs_only"})
    drawings = (
        objective_drawing("awct.png", "average weighted completion time", _AWCT),
        objective_drawing("response.png", "mean response time", _RESPONSE),
        DELAYS_DRAWING,
        USE_DRAWING,
        SHARES_DRAWING,
    )

    def contents(self) -> str:
        return f"{self.inst.n_jobs:,} jobs"

    def policies(self) -> tuple[str, ...]:
        """On a cluster also those that are made for one."""
        if features_of(self.inst) or self.incidents is not None:
            return (*self.default_policies, *self.queue_policies)
        return self.default_policies

    def machines(self) -> str:
        # Without commas: titles of jobs never had them.
        return f"{self.inst.n_machines} machine{'s' * (self.inst.n_machines != 1)}"

    def notes(self, choices: Sequence[PolicyChoice], report: DataReport) -> list[str]:
        """Where the jobs have estimates, which policies decide with them: the others know more."""
        if not self.inst.jobs.has_estimates:
            return []
        decides_with = {choice.name: registry.get(choice.name).decides_with for choice in choices}
        told = [name for name, time in decides_with.items() if time == "estimated_processing_time"]
        others = len(told) < len(decides_with)
        believers, missing = ", ".join(told) or "no policy", report.estimates_missing
        if missing == 1 or np.array_equal(
            self.inst.jobs.estimated_processing_time, self.inst.processing_time
        ):
            others_are = (
                ""
                if missing == 1
                else "; all other estimates are exact"
                if missing
                else "all estimates are exact"
            )
            lack = f"{written_share(missing)} have no estimate" if missing else ""
            return [f"decided with the true run times of the jobs: all policies ({lack}{others_are})"]
        instead = f" (the true run time of the {written_share(missing)} that have none)" if missing else ""
        more = "; what other policies know of a job's length is the true one" if others else ""
        return [f"decided with the estimates of the jobs{instead}: {believers}{more}"]

    def figures(self, result: Any, tau: float) -> dict[str, Any]:
        if not self.is_disturbed:
            steady = steady_state(self.inst, result.schedule)
            return {
                **summary(self.inst, result.schedule, tau),
                "steady_avg_response": steady.avg_response,
                "steady_weighted_avg_response": steady.weighted_avg_response,
                "queue_growth": finite_or_none(steady.queue_growth),
                "offered_load": finite_or_none(float(offered_load(self.inst).max(initial=0.0))),
            }
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
        overtaking = overtaking_summary(inst, ran)
        job = overtaking.longest_wait_job
        names = self.inst.machines.resource_names
        per_resource = [name for name, values in figures.items() if isinstance(values, tuple)]
        return {
            **figures,
            **{name: dict(zip(names, figures[name], strict=True)) for name in per_resource},
            "max_wait_job": None if job is None else int(inst.jobs.id[job]),
            "overtaken_share": overtaking.overtaken_share,
            "avg_overtaken": overtaking.mean,
            "max_overtaken": overtaking.max,
            **{f"{objective.figure}_gap": None for objective in self.objectives},
        }

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
        for evaluation in filter(lambda found: found.figures, evaluations):
            is_whole = not evaluation.figures.get("n_left_out")  # the bounds are about all jobs
            if not is_whole:
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
        """An objective for all policies, beside its own bound, where one of them is made for it (makespan: always).

        Where that is the response time, so are the longest wait and who was overtaken.
        """

        def objective_columns(objective: Objective) -> list[Column]:
            if not any(row["objective"] == objective.name for row in rows):
                return []
            gap = [Column(f"{objective.figure}_gap", "above\nbound", percent)]
            value = time_columns(rows, report, {objective.figure: objective.heading})
            return [*value, *(gap if bounds[objective.name] else [])]

        is_about_queues = any(row["objective"] == _RESPONSE.name for row in rows)
        waits = {
            "avg_wait": "mean\nwait",
            "wait_p50": "wait\np50",
            "wait_p90": "wait\np90",
            "wait_p99": "wait\np99",
        }
        return [
            Column("policy", "policy", is_text=True),
            *objective_columns(_AWCT),
            *objective_columns(_RESPONSE),
            *time_columns(rows, report, waits),
            *(time_columns(rows, report, {"max_wait": "longest\nwait"}) if is_about_queues else []),
            Column("avg_bounded_slowdown", "bounded\nslow-\ndown", significant),
            *([Column("overtaken_share", "over-\ntaken", percent)] if is_about_queues else []),
            *time_columns(rows, report, {_MAKESPAN.figure: _MAKESPAN.heading}),
            *(_INCIDENT_COLUMNS if self.incidents is not None else []),
            Column("jobs_per_second", "jobs/s", rounded_count),
            Column("verdict", "check", is_text=True),
        ]

    def bound_questions(self) -> list[tuple[str, str]]:
        methods = lower_bound_methods(self.inst)
        asked = ("weighted_completion", _RESPONSE.name, _MAKESPAN.name)
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
    ) -> ValidationReport:
        """Also the processors that each job held, where the file names them."""
        unit = report.units.get(self.inst.machines.resource_names[0])
        return check_starts(path, self.inst, known_jobs_only, release, unit=unit)

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
