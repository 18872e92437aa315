"""The jobs of a workload for people and programs: their figures, demands, and load over time."""

import datetime
from collections.abc import Mapping
from typing import Any

from schedcore.inspection.job_figures import demand_figures, figures_of_jobs
from schedcore.inspection.load_over_time import LoadOverTime, load_over_time, sparkline
from schedcore.model import Instance
from schedcore.problems.presentation import Column, Row, Table, quantity
from schedcore.workloads.reading.report import DataReport
from schedcore.workloads.reading.report_warnings import written_load, written_share

__all__ = ["document_of_jobs", "parts_of_jobs", "rows_of_jobs"]

_DEMANDS = (
    Column("resource", "resource", is_text=True),
    Column("unit", "unit", is_text=True),
    Column("capacity", "capacity", "{:,}".format),
    Column("resource_load", "offered\nload", written_load),
    Column("demanded_by", "jobs that\nask for it", written_share),
    *(
        Column(f"demand_{key}", f"asked\n{key}", "{:,.0f}".format)
        for key in ("min", "p50", "p90", "p99", "max")
    ),
)

_LOADS = (
    Column("resource", "resource", is_text=True),
    Column("least", "from", written_load),
    Column("most", "to", written_load),
    Column("over_time", "over time", is_text=True),
)


def document_of_jobs(inst: Instance, report: DataReport) -> dict[str, Any]:
    """Return all figures as JSON has them."""
    over_time = load_over_time(inst)
    return {
        "jobs": figures_of_jobs(inst, report),
        "resources": demand_figures(inst, report),
        "load_over_time": None if over_time is None else _document(inst, over_time),
    }


def rows_of_jobs(inst: Instance, report: DataReport) -> list[Row]:
    """Return a row a resource, and a row for each stretch of time."""
    rows: list[Row] = [{"part": "resource", **row} for row in demand_figures(inst, report)]
    over_time = load_over_time(inst)
    if over_time is not None:
        names = inst.machines.resource_names
        for place, loads in enumerate(over_time.load.tolist()):
            begin = over_time.start + place * over_time.seconds
            rows.append({"part": "load", "time": begin, "load": dict(zip(names, loads, strict=True))})
    return rows


def parts_of_jobs(inst: Instance, report: DataReport) -> list[Table | str]:
    """Return all figures for people."""
    figures = figures_of_jobs(inst, report)
    unit = report.units.get("time", "s")
    lines = [
        f"{quantity(inst.n_jobs, 'job')} on {quantity(inst.n_machines, 'machine')}, released from "
        f"{_shown(figures['first_release'])} to {_shown(figures['last_release'])} ({_length(figures['span'], unit)})",
        f"run times: {_quantiles(figures['processing_time'], unit)}",
    ]
    if figures["estimates_missing"] < 1:
        lines.append(f"estimates: {written_share(1 - figures['estimates_missing'])} of the jobs have one")
    if "recorded_wait" in figures:
        lines.append(f"waits on record: {_quantiles(figures['recorded_wait'], unit)}")
    submitters = [
        quantity(figures[key], key[2:-1])
        for key in ("n_users", "n_accounts", "n_partitions")
        if key in figures
    ]
    if submitters:
        lines.append(f"of {', '.join(submitters)}")
    parts: list[Table | str] = ["\n".join(lines), "", Table(demand_figures(inst, report), _DEMANDS)]
    over_time = load_over_time(inst)
    if over_time is not None:
        parts += ["", _over_time(inst, over_time)]
    return parts


def _over_time(inst: Instance, over_time: LoadOverTime) -> Table:
    """Return a line of blocks a resource, with the range of its load."""
    rows = [
        {"resource": name, "least": load.min(), "most": load.max(), "over_time": sparkline(load)}
        for name, load in zip(inst.machines.resource_names, over_time.load.T, strict=True)
    ]
    return Table(rows, _LOADS, f"offered load by {over_time.word} of release:")


def _document(inst: Instance, over_time: LoadOverTime) -> Mapping[str, Any]:
    names = inst.machines.resource_names
    return {
        "stretch": over_time.seconds,
        "start": over_time.start,
        "load": {name: load.tolist() for name, load in zip(names, over_time.load.T, strict=True)},
    }


def _quantiles(found: Mapping[str, float | None], unit: str) -> str:
    middle, high, most = (found[key] or 0.0 for key in ("p50", "p90", "max"))
    written = [_length(value, unit) for value in (middle, high, most)]
    if unit == "s" and most >= 60:  # all of them alike, for comparison
        written = [_on_a_clock(value) for value in (middle, high, most)]
    return f"half up to {written[0]}, nine tenths up to {written[1]}, the longest {written[2]}"


def _length(time: float, unit: str) -> str:
    """Return a length of time as people say it, in its own unit where that is not the second."""
    if unit != "s":
        return f"{time:,.6g} {unit}"
    if time >= 2 * 86_400:
        return f"{time / 86_400:,.1f} days"
    return f"{time:g} s" if time < 60 else str(datetime.timedelta(seconds=round(time)))


def _on_a_clock(seconds: float) -> str:
    """Return hours, minutes and seconds, of whatever length."""
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02}:{rest:02}"


def _shown(time: str | float) -> str:
    return time.replace("T", " ") if isinstance(time, str) else f"time {time:,.15g}"
