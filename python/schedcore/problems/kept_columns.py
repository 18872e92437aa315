"""What a sweep may keep beyond figures, one declaration each: the columns of a row, and how they are filled."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from schedcore.metrics import completed_part, delay_quantiles
from schedcore.model import Assignment, Instance, Result, Schedule
from schedcore.problems.slot_figures import curves_of, waits_by_size

__all__ = ["BY_SIZE", "CURVES", "DELAYS", "DEMANDS", "KEEPS", "MACHINES", "STARTS", "Keep"]

_N_DELAY_QUANTILES = 1000
_MOST_AMOUNTS = 1000
_NUMBERS = "list<float64>"


@dataclass(frozen=True, eq=False)
class Keep:
    """Columns that a row has on demand.

    Attributes
    ----------
    name : str
        What a sweep says to keep them.
    columns : dict of str to str
        Name -> type of each.
    record : callable
        ``record(instance, result)``: the columns.
    is_curve : bool
        The first column says where the values of the others lie, so that a figure can show them.
    """

    name: str
    columns: Mapping[str, str]
    record: Callable[[Any, Any], dict[str, Any]]
    is_curve: bool = False


def _delays(inst: Instance, result: Result) -> dict[str, Any]:
    if result.incidents is None:
        return {"delay_quantiles": delay_quantiles(inst, result.schedule, _N_DELAY_QUANTILES)}
    part = completed_part(inst, result.runs, result.outcome)  # type: ignore[arg-type]
    return {"delay_quantiles": delay_quantiles(part.inst, part.runs, _N_DELAY_QUANTILES)}


def _starts(inst: Instance, result: Result) -> dict[str, Any]:
    schedule: Schedule = result.schedule
    return {"start_time": schedule.start_time, "machine": schedule.machine}


def _machines(inst: Any, result: Result) -> dict[str, Any]:
    assignment: Assignment = result.schedule
    return {"machine": assignment.machine}


def _demands(inst: Instance, result: Result) -> dict[str, Any]:
    """The share of jobs that ask for at most so much of the first resource, at up to a thousand different amounts."""
    ascending = np.sort(inst.demand[:, 0])
    amounts = np.unique(ascending)
    if len(amounts) > _MOST_AMOUNTS:
        amounts = amounts[np.unique(np.linspace(0, len(amounts) - 1, _MOST_AMOUNTS).astype(np.int64))]
    share = np.searchsorted(ascending, amounts, side="right") / max(inst.n_jobs, 1)
    return {"demand_amount": amounts.astype(np.float64), "demand_share": share}


DELAYS = Keep("delay_quantiles", {"delay_quantiles": _NUMBERS}, _delays)
STARTS = Keep("schedule", {"start_time": _NUMBERS, "machine": "list<int64>"}, _starts)
MACHINES = Keep("schedule", {"machine": "list<int64>"}, _machines)
CURVES = Keep(
    "curves",
    dict.fromkeys(
        (
            "curve_time",
            "curve_offered_volume",
            "curve_unfinished_volume",
            "curve_unfinished_time",
            "curve_l2_norm",  # of the jobs that are complete by then
            "curve_l2_fractional",
            "curve_l2_least",  # curve_l2_norm if no job ever waited
        ),
        _NUMBERS,
    ),
    lambda inst, result: curves_of(inst, result.schedule),
    is_curve=True,
)
DEMANDS = Keep(  # of the first resource; share of jobs with at most so much
    "demands", dict.fromkeys(("demand_amount", "demand_share"), _NUMBERS), _demands, is_curve=True
)
BY_SIZE = Keep(
    "by_size",
    dict.fromkeys(
        (
            "size_from",  # lower end of a class of processing times
            "size_n_jobs",
            "size_mean_wait",
            "size_min_wait",
            "size_max_wait",
            "size_preemptions",  # per job, as migrations
            "size_migrations",
            "size_live_migrations",
        ),
        _NUMBERS,
    ),
    waits_by_size,
    is_curve=True,
)
#: All of them, in the order of their columns in results.
KEEPS = (DELAYS, STARTS, MACHINES, CURVES, DEMANDS, BY_SIZE)
