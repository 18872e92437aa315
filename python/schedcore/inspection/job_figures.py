"""Figures of the jobs of an instance: how many, when, how long, and how much of each resource they ask for."""

import datetime
from collections.abc import Mapping
from typing import Any

import numpy as np

from schedcore.model import Instance
from schedcore.model.arrays import FloatArray
from schedcore.workloads.reading.report import DataReport

__all__ = ["demand_figures", "figures_of_jobs"]

_QUANTILES = {"p50": 0.5, "p90": 0.9, "p99": 0.99}
_NAMES = ("user", "account", "partition")


def figures_of_jobs(inst: Instance, report: DataReport) -> dict[str, Any]:
    """Return counts, times and durations, by the names that `docs/cli.md` has."""
    jobs = inst.jobs
    release = jobs.release_time
    first, last = float(release.min(initial=0.0)), float(release.max(initial=0.0))
    figures: dict[str, Any] = {
        "n_jobs": inst.n_jobs,
        "n_machines": inst.n_machines,
        "first_release": _written(first, report),
        "last_release": _written(last, report),
        "span": last - first,
        "processing_time": quantiles(jobs.processing_time),
        "estimates_missing": report.estimates_missing,
        "several_tasks_share": float((jobs.n_tasks > 1).mean()) if inst.n_jobs else 0.0,
    }
    started = np.asarray(jobs.recorded_start_time, dtype=np.float64)
    if np.isfinite(started).any():
        figures["recorded_wait"] = quantiles((started - release)[np.isfinite(started)])
    for name in _NAMES:
        names = jobs.coded(name).names
        if names:
            figures[f"n_{name}s"] = len(names)
    return figures


def demand_figures(inst: Instance, report: DataReport) -> list[Mapping[str, Any]]:
    """Return a row a resource: what all tasks of a job demand, of the jobs that demand any."""
    rows: list[Mapping[str, Any]] = []
    for name, demand in zip(inst.machines.resource_names, inst.demand_of_all_tasks().T, strict=True):
        some = demand[demand > 0]
        rows.append(
            {
                "resource": name,
                "unit": report.units.get(name, ""),
                "capacity": report.capacity.get(name),
                "resource_load": report.load.get(name),
                "demanded_by": len(some) / inst.n_jobs if inst.n_jobs else 0.0,
                **{f"demand_{key}": value for key, value in quantiles(some).items()},
            }
        )
    return rows


def quantiles(values: FloatArray) -> dict[str, float | None]:
    """Return the least, the quantiles and the largest, each one of the values; None without any."""
    if not len(values):
        return dict.fromkeys(("min", *_QUANTILES, "max"))
    found = np.quantile(values, [0.0, *_QUANTILES.values(), 1.0], method="inverted_cdf")
    return dict(zip(("min", *_QUANTILES, "max"), map(float, found), strict=True))


def _written(time: float, report: DataReport) -> str | float:
    """Return a time as a date where the source has any, else as it is."""
    if report.origin is None or report.units.get("time", "s") != "s":
        return time
    origin = datetime.datetime.fromisoformat(report.origin)
    try:
        return (origin + datetime.timedelta(seconds=time)).isoformat()
    except OverflowError:
        return time
