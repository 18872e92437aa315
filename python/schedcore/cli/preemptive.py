"""Runs in slots on the command line: preemptive policies side by side, by flow times and by interruptions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from schedcore.bounds import fractional_lower_bound
from schedcore.bounds.preemptive.processing_powers import processing_bound
from schedcore.cli.evaluation import Evaluation, evaluate_certified
from schedcore.cli.output import Column, Format, print_csv, print_json, print_table
from schedcore.cli.progress import ProgressBars
from schedcore.cli.workload_choice import slot_unit
from schedcore.errors import UnsupportedError
from schedcore.experiments.instance_kinds import works_in_slots
from schedcore.experiments.policy_choice import PolicyChoice
from schedcore.model import Instance, MapReduceInstance
from schedcore.plotting.readable import percent, rounded_count, significant
from schedcore.workloads import DataReport

#: What `compare` runs on jobs of map and reduce tasks without --policy.
DEFAULT_POLICIES = ("ocorp_mapreduce", "srpt", "srvf", "svf", "srf")

_PROGRAM_SECONDS = 60.0


def runs_in_slots(inst: Instance, choices: Sequence[PolicyChoice]) -> bool:
    """Whether the policies are those of jobs in slots; an `UnsupportedError` where some are and some are not."""
    in_slots = [choice for choice in choices if works_in_slots(inst, choice.name)]
    if in_slots and len(in_slots) < len(choices):
        other = next(choice for choice in choices if choice not in in_slots)
        raise UnsupportedError(
            f"{in_slots[0].label} interrupts and splits jobs, slot by slot, and {other.label} does not: their figures "
            f"are not the same, so compare them apart"
        )
    return bool(in_slots)


def evaluate_in_slots(
    inst: Instance | MapReduceInstance, choices: Sequence[PolicyChoice], bars: ProgressBars
) -> list[Evaluation]:
    """Run policies and measure their schedules; one that raises is a finding, and so are jobs left unfinished."""
    evaluations = [
        evaluate_certified(
            inst,
            choice,
            bars,
            value="flow_power_sum",
            n_steps=inst.n_jobs,
            counted="jobs",
            n_counted=inst.n_jobs,
        )
        for choice in choices
    ]
    for evaluation in evaluations:
        figures = evaluation.figures
        if figures:
            found, bound = figures["flow_power_sum"], figures["lower_bound"]
            if found is not None and not math.isfinite(found):
                figures["flow_power_sum"] = found = None
            figures["gap"] = found / bound - 1 if found is not None and bound else None
    return evaluations


def print_comparison(
    output_format: Format,
    inst: Instance | MapReduceInstance,
    report: DataReport,
    evaluations: Sequence[Evaluation],
) -> None:
    """Print a row a policy: the norm of the flow times and what it is above its bound, waiting times, interruptions."""
    rows = [evaluation.row() for evaluation in evaluations]
    if output_format is Format.csv:
        print_csv(rows)
        return
    if output_format is Format.json:
        print_json(
            {"workload": _about(inst, report), "lower_bounds": {"l2_norm": _least(inst)}, "policies": rows}
        )
        return
    for row in rows:
        ratio = row.get("l2_ratio")
        row["l2_gap"] = None if ratio is None else ratio - 1
    machines = f"{inst.n_machines:,} machine{'s' * (inst.n_machines != 1)}"
    tasks = f" of {inst.n_tasks:,} map and reduce tasks" if isinstance(inst, MapReduceInstance) else ""
    title = f"{report.source}: {inst.n_jobs:,} jobs{tasks} on {machines}"
    columns = [
        Column("policy", "policy", is_text=True),
        *_time_columns(report, {"avg_flow_time": "mean\nflow time"}),
        *_time_columns(report, {"l2_norm": "l2 norm of\nflow times"}),
        Column("l2_gap", "above\nbound", percent),
        *_time_columns(report, {"avg_wait": "mean\nwait", "max_wait": "longest\nwait"}),
        *_time_columns(report, {"max_gap": "longest\ngap"}),
        *_time_columns(report, {"makespan": "make-\nspan"}),
        Column("n_preemptions", "preemp-\ntions", rounded_count),
        Column("n_migrations", "migra-\ntions", rounded_count),
        Column("jobs_per_second", "jobs/s", rounded_count),
        Column("verdict", "check", is_text=True),
    ]
    print_table(rows, columns, title, report.loss)


def bound_rows(inst: Instance | MapReduceInstance) -> list[dict[str, Any]]:
    """The bounds on norms of flow times: every job takes at least as long as if it were alone; and a linear program."""
    program: list[dict[str, Any]] = []
    if isinstance(inst, Instance):  # first, because it refuses times that are no slots
        fractional = fractional_lower_bound(inst, 2, time_limit=_PROGRAM_SECONDS)
        program = [{"bound": "program", "objective": "fractional_flow_time", "value": fractional}]
    return [
        {"bound": "alone", "objective": "flow_time", "value": processing_bound(inst.processing_time, 1)},
        {"bound": "alone", "objective": "l2_norm", "value": _least(inst)},
        *program,
    ]


def print_bounds(output_format: Format, inst: Instance | MapReduceInstance, report: DataReport) -> None:
    """Print the bounds on the sum and on the l2 norm of flow times, and on the sum of fractional flow times, k = 2."""
    rows = bound_rows(inst)
    columns = [
        Column("bound", "bound", is_text=True),
        Column("objective", "objective", is_text=True),
        Column("value", "value", lambda value: f"{value:,.6g}"),
    ]
    if output_format is Format.csv:
        print_csv(rows)
    elif output_format is Format.json:
        print_json(rows)
    else:
        print_table(rows, columns, note=report.loss)


def _least(inst: Instance | MapReduceInstance) -> float:
    """The l2 norm of the processing times."""
    return math.sqrt(processing_bound(inst.processing_time, 2))


def _about(inst: Instance | MapReduceInstance, report: DataReport) -> dict[str, Any]:
    tasks = {"n_tasks": inst.n_tasks} if isinstance(inst, MapReduceInstance) else {}
    return {**report.to_dict(), **tasks, "n_machines": inst.n_machines}


def _time_columns(report: DataReport, headings: dict[str, str]) -> list[Column]:
    unit = slot_unit(report)
    return [Column(key, f"{heading}\n{unit.name}", significant) for key, heading in headings.items()]
