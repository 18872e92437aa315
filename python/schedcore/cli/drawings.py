"""The PNG files that ``schedcore compare --plot`` writes."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from schedcore.cli.evaluation import Evaluation
from schedcore.cli.workload_choice import unit_of
from schedcore.metrics import completion_time, horizon
from schedcore.model import Instance, Schedule
from schedcore.model.extras import import_extra
from schedcore.plotting import plot_awct_bars, plot_queuing_delay_cdf, plot_utilisation
from schedcore.workloads import DataReport

DRAWINGS = ("awct.png", "queuing_delay.png", "utilisation.png")

_DPI = 160
_MOST_RESOURCES = 4  # more lines in one panel cannot be told apart


def check_drawing_is_possible() -> None:
    """Raise an ImportError that names the extra if matplotlib is missing."""
    import_extra("matplotlib.figure", "plot")


def write_drawings(
    folder: Path, inst: Instance, report: DataReport, bound: float | None, evaluations: list[Evaluation]
) -> None:
    """Write `DRAWINGS` of the policies that did not fail into `folder`; nothing if all failed."""
    schedules = {e.policy: e.schedule for e in evaluations if e.schedule is not None}
    if not schedules:
        return
    figure_class = import_extra("matplotlib.figure", "plot").Figure
    awct = {e.policy: e.figures["awct"] for e in evaluations if e.policy in schedules}
    longest_wait = max(e.figures["max_wait"] for e in evaluations if e.policy in schedules)

    figure = figure_class(figsize=(6.6, 1.25 + 0.42 * len(awct)), layout="constrained")
    plot_awct_bars(awct, bound or None, unit=unit_of(report, max(awct.values())), ax=figure.subplots())
    figure.savefig(folder / DRAWINGS[0], dpi=_DPI)

    figure = figure_class(figsize=(6.6, 3.9), layout="constrained")
    plot_queuing_delay_cdf(inst, schedules, unit=unit_of(report, longest_wait), ax=figure.subplots())
    figure.savefig(folder / DRAWINGS[1], dpi=_DPI)

    between = _bulk(inst, schedules)
    figure = figure_class(figsize=(6.6, 0.7 + 1.45 * len(schedules)), layout="constrained")
    panels = figure.subplots(len(schedules), 1, sharex=True, sharey=True, squeeze=False)[:, 0]
    for panel, (policy, schedule) in zip(panels, schedules.items(), strict=True):
        plot_utilisation(
            inst, schedule, resources=_most_demanded(inst), between=between,
            unit=unit_of(report, between[1]), ax=panel,
        )  # fmt: skip
        panel.set_title(policy, loc="right", fontsize="medium")
        if panel is not panels[0]:
            panel.get_legend().remove()
        if panel is not panels[-1]:
            panel.set_xlabel("")
        panel.set_ylabel("")
    figure.supylabel("capacity in use (%)", fontsize="medium")
    figure.savefig(folder / DRAWINGS[2], dpi=_DPI)


def _most_demanded(inst: Instance) -> list[int]:
    """The resources with the highest total demand relative to capacity, in their own order."""
    capacity = inst.machines.capacity.sum(axis=0, dtype=np.float64)
    demand = inst.jobs.processing_time @ inst.jobs.demand
    share = np.divide(demand, capacity, out=np.zeros_like(capacity), where=capacity > 0)
    return sorted(np.argsort(-share, kind="stable")[:_MOST_RESOURCES].tolist())


def _bulk(inst: Instance, schedules: dict[str, Schedule]) -> tuple[float, float]:
    """From the first release until the last policy has completed 99 % of the jobs: no long idle tail."""
    ends = [float(np.quantile(completion_time(inst, s), 0.99)) for s in schedules.values() if inst.n_jobs]
    return (horizon(inst, next(iter(schedules.values())))[0], max(ends)) if ends else (0.0, 0.0)
