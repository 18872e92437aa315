"""What a page says first of a workload: how much of what, on which machines, and from when to when."""

from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

from schedcore.model import Instance
from schedcore.plotting.readable import readable_time
from schedcore.problems.evaluation import Comparison
from schedcore.problems.policy_choice import RECORDED
from schedcore.problems.problem import Problem
from schedcore.problems.time_units import unit_of
from schedcore.reporting.clock_dates import clock_date, clock_zone
from schedcore.workloads.reading.offered_load import offered_load
from schedcore.workloads.reading.report import DataReport
from schedcore.workloads.reading.report_warnings import written_load

__all__ = ["facts_about", "source_name"]


def facts_about(problem: Problem[Any], comparison: Comparison) -> list[tuple[str, str]]:
    """Pairs of a term and what it is."""
    report, inst = comparison.report, comparison.inst
    facts = [("workload", problem.contents()), ("cluster", problem.machines())]
    for name, load in _loads(comparison).items():
        amount = f"{_amount(comparison, name)}, " if inst.machines.n_machines == 1 else ""
        facts.append((name, f"{amount}offered load {written_load(load)}"))
    if isinstance(inst, Instance) and inst.n_jobs:
        first, last = float(inst.release_time.min()), float(inst.release_time.max())
        dates = [clock_date(report, time) for time in (first, last)]
        if all(dates):
            zone = f" {clock_zone(report)}".rstrip()
            words = (f"{date:%Y-%m-%d %H:%M}{zone}" for date in dates)
            facts += zip(("jobs came from", "to"), words, strict=True)
        else:
            facts.append(("jobs came within", readable_time(last - first, unit_of(report, last - first))))
    if any(found.recorded is not None for found in comparison.evaluations):
        facts.append((RECORDED, "what really happened, as the log tells it"))
    return facts


def _loads(comparison: Comparison) -> Mapping[str, float]:
    """The offered loads of the jobs that ran, which may be fewer than the reader read."""
    inst = comparison.inst
    if not isinstance(inst, Instance):
        return comparison.report.load
    return dict(zip(inst.machines.resource_names, map(float, offered_load(inst)), strict=True))


def _amount(comparison: Comparison, name: str) -> str:
    """What the one machine has, which in a variant is not what the reader saw."""
    machines, unit = comparison.inst.machines, comparison.report.units.get(name, name)
    amount = int(machines.capacity[0, machines.resource_names.index(name)])
    return f"{amount:,}" if unit == name else f"{amount:,} {unit}"


def source_name(report: DataReport) -> str:
    """A file without its folders; of a generator what it was called with."""
    return PurePath(report.source).name if "/" in report.source else report.source
