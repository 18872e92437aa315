"""Jobs of parallel tasks on the command line: algorithms side by side, with proven bounds."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from schedcore import registry
from schedcore.bounds.parallel_tasks import (
    IntervalSolution,
    OrderSolution,
    solve_interval_program,
    solve_order_program,
)
from schedcore.bounds.parallel_tasks.interval_rules import least_cost
from schedcore.cli.evaluation import Evaluation, evaluate_certified, known_bounds, measure_against
from schedcore.cli.output import Column, Format, print_csv, print_json, print_table
from schedcore.cli.progress import ProgressBars
from schedcore.cli.workload_choice import unit_of
from schedcore.experiments.policy_choice import PolicyChoice
from schedcore.model import ParallelTaskInstance, usable
from schedcore.plotting.readable import percent, rounded_count, significant
from schedcore.workloads import DataReport

_BOUND_SECONDS = 60.0  # for each linear program; reached, the best proven bound is told


def default_algorithms(inst: ParallelTaskInstance) -> tuple[str, ...]:
    """What `compare` runs without --policy: what takes the instance, Tetris in both scales."""
    online = ":online=true" if inst.release_time.any() else ""
    if inst.single_machine:
        return (f"synchpack3{online}", "psrs", "tetris_p", "tetris_p:scale=1")
    return (f"synchpack2{online}", "tetris_np", "tetris_np:scale=1", "jsq_mw")


def bound_rows(inst: ParallelTaskInstance) -> list[dict[str, Any]]:
    """The bounds on the sum of weight x completion time: every job alone, and a row a linear program that applies.

    What holds for schedules in which tasks move between machines ("migrate") holds for all.
    """
    kept = usable(inst)
    alone = least_cost(kept)
    solved: dict[str, IntervalSolution | OrderSolution] = {
        "lp1": solve_interval_program(kept, time_limit=_BOUND_SECONDS),
        "lp2": solve_interval_program(kept, doubling=True, time_limit=_BOUND_SECONDS),
    }
    if kept.single_machine:
        solved["lp3"] = solve_order_program(kept, time_limit=_BOUND_SECONDS)
    total = float(inst.weight.sum())
    return [
        {
            "bound": name,
            "objective": "weighted_completion_time",
            "value": bound,
            "weighted_average": bound / total if total else 0.0,
            "holds_for": "migrate" if name in ("alone", "lp1") or kept.single_machine else "preempt",
            "status": status,
        }
        for name, bound, status in (
            ("alone", alone, None),
            *((name, found.bound, found.status) for name, found in solved.items()),
        )
    ]


def print_bounds(output_format: Format, inst: ParallelTaskInstance, report: DataReport) -> None:
    """Print the bounds; each is proven, whether or not its linear program was solved to the end."""
    rows = bound_rows(inst)
    unit = unit_of(report, max(row["weighted_average"] for row in rows))
    columns = [
        Column("bound", "bound", is_text=True),
        Column("objective", "objective", is_text=True),
        Column("value", "value", lambda value: f"{value:,.6g}"),
        Column(
            "weighted_average",
            f"weighted\naverage\n{unit.name}",
            lambda value: significant(value / unit.length),
        ),
        Column("holds_for", "holds\nfor", is_text=True),
        Column("status", "linear\nprogram", is_text=True),
    ]
    if output_format is Format.csv:
        print_csv(rows)
    elif output_format is Format.json:
        print_json(rows)
    else:
        print_table(rows, columns, note=report.loss)


def evaluate_parallel_tasks(
    inst: ParallelTaskInstance, choices: Sequence[PolicyChoice], bars: ProgressBars
) -> list[Evaluation]:
    """Run policies and measure their schedules against the best bound that is known for them.

    Where tasks have several machines, schedules in which they move are measured against bounds on those alone; what
    bounds them bounds the others, too. A policy that raises is a finding, not an error, and so is one that found no
    schedule in the time it was given.
    """
    value = "weighted_completion_time"
    evaluations = [
        evaluate_certified(inst, choice, bars, value=value, n_steps=inst.n_jobs, n_counted=inst.n_tasks)
        for choice in choices
    ]
    moving = [
        evaluation
        for evaluation, choice in zip(evaluations, choices, strict=True)
        if registry.get(choice.name).schedule_class == "migrate" and not inst.single_machine
    ]
    staying = [evaluation for evaluation in evaluations if evaluation not in moving]
    of_all, of_moving = known_bounds(evaluations), known_bounds(moving)
    measure_against(staying, value, max(of_all, default=0.0) or None)
    measure_against(moving, value, max(of_moving, default=0.0) or None)
    return evaluations


def print_comparison(
    output_format: Format, inst: ParallelTaskInstance, report: DataReport, evaluations: Sequence[Evaluation]
) -> None:
    """Print a row a policy: completion times, of jobs that arrive over time also delays."""
    rows = [evaluation.row() for evaluation in evaluations]
    bounds = {e.figures["lower_bound"] for e in evaluations if e.figures and e.figures["lower_bound"]}
    if output_format is Format.csv:
        print_csv(rows)
        return
    if output_format is Format.json:
        about = {**report.to_dict(), "n_tasks": inst.n_tasks, "n_machines": inst.n_machines}
        found = {"weighted_completion_time": max(bounds, default=None)}
        print_json({"workload": about, "lower_bounds": found, "policies": rows})
        return
    machines = f"{inst.n_machines:,} machine{'s' * (inst.n_machines != 1)}"
    title = f"{report.source}: {inst.n_jobs:,} jobs of {inst.n_tasks:,} tasks on {machines}"
    headings = {"weighted_average_completion_time": "weighted average\ncompletion"}
    if inst.release_time.any():
        headings["weighted_average_delay"] = "weighted average\ndelay"
    columns = [
        Column("policy", "policy", is_text=True),
        *_time_columns(rows, report, headings),
        Column("gap", "above\nbound", percent),
        *_time_columns(rows, report, {"makespan": "make-\nspan"}),
        Column("n_preemptions", "preemp-\ntions", rounded_count),
        Column("tasks_per_second", "tasks/s", rounded_count),
        Column("verdict", "check", is_text=True),
    ]
    print_table(rows, columns, title, report.loss)


def _time_columns(
    rows: Sequence[dict[str, Any]], report: DataReport, headings: dict[str, str]
) -> list[Column]:
    """Times in the unit that suits the largest of them."""
    unit = unit_of(report, max((row.get(key) or 0.0 for row in rows for key in headings), default=0.0))
    return [
        Column(key, f"{heading}\n{unit.name}", lambda value: significant(value / unit.length))
        for key, heading in headings.items()
    ]


def tell_the_bound(evaluations: Sequence[Evaluation]) -> None:
    """Say on stderr what is proven where a policy found no schedule."""
    for evaluation in evaluations:
        if evaluation.schedule is None and evaluation.figures:
            print(f"{evaluation.policy}: lower bound {evaluation.figures['lower_bound']!r}", file=sys.stderr)
