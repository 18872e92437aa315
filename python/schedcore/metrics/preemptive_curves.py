"""How a schedule in slots goes on over time: work left, flow times so far, fit and regret, and all figures together.

Values at time t are those after slot t, the interval [t - 1, t). As in `preemptive`, instances are an `Instance` or a
`MapReduceInstance`, and amounts are cores.
"""

import math
from typing import NamedTuple, overload

import numpy as np
import numpy.typing as npt

from schedcore import _core
from schedcore.errors import InvalidInstanceError, UnsupportedError
from schedcore.metrics.exact_sums import exact_dot, exact_mean, exact_sum
from schedcore.metrics.preemptive import (
    MOST_POWER,
    Column,
    SlottedInstance,
    fractional_flow_time,
    piece_columns,
    slot_facts,
)
from schedcore.model import MapReduceInstance, PreemptiveSchedule
from schedcore.model.columns import integer_column
from schedcore.model.integers import checked_integer
from schedcore.model.preemptive_result import power_sum
from schedcore.model.real_numbers import finite_number
from schedcore.model.slot_validation import slot_tasks

__all__ = ["WorkOverTime", "dynamic_fit", "dynamic_regret", "slot_summary", "work_over_time"]

_MOST_SLOTS = 5_000_000


class WorkOverTime(NamedTuple):
    """Work and flow times after each of some slots, as columns with a row a time.

    Attributes
    ----------
    time : int64
        The slots t.
    offered_volume : float64
        Core-slots of all jobs released before t.
    unfinished_volume : float64
        Core-slots of these jobs that are not worked off.
    unfinished_time : float64
        The same with each job's share divided by its cores: remaining processing time (for tasks, summed over tasks).
    flow_power : float64
        Sum of f^k over the jobs that are done by t.
    fractional : float64
        Sum of the terms of the fractional flow times of all slots up to t.
    """

    time: npt.NDArray[np.int64]
    offered_volume: Column
    unfinished_volume: Column
    unfinished_time: Column
    flow_power: Column
    fractional: Column


def work_over_time(
    inst: SlottedInstance, schedule: PreemptiveSchedule, k: int = 2, times: npt.ArrayLike | None = None
) -> WorkOverTime:
    """Return offered and unfinished work, and the cost so far, after each slot or after some.

    Parameters
    ----------
    inst, schedule : Instance or MapReduceInstance, PreemptiveSchedule
        Pieces with whole times and amounts that are cores.
    k : int
        The power, 1 to 64.
    times : (n_times,) array_like of int, optional
        Slots t of at least 0, ascending strictly; by default 1, 2, ... to the end of the last piece.

    Raises
    ------
    InvalidInstanceError
        For times that do not ascend, more than 5,000,000 slots without `times`, and what `slot_facts` refuses.
    TypeError
        For times that are no integers, and a schedule without amounts.

    Notes
    -----
    O(n_pieces k log n_times + n_times k^2), without the GIL, however long pieces are. Volumes are exact integers and
    unfinished times fractions in 128 bits, both rounded once.
    """
    power = checked_integer("k", k, 1, MOST_POWER)
    columns = slot_tasks(inst), *piece_columns(schedule)
    if times is None:
        slots = _slots_up_to(_last_end(schedule))
    else:
        slots = integer_column(times, "times", row="time")
        broken = np.diff(slots, prepend=-1) <= 0
        if broken.any():
            row = int(np.argmax(broken))
            raise InvalidInstanceError(
                f"times[{row}] = {slots[row]} must be at least 0 and above the time before it"
            )
    return WorkOverTime(slots, *_core.metrics.work_curves(*columns, power, slots))


@overload
def dynamic_fit(
    inst: SlottedInstance,
    schedule: PreemptiveSchedule,
    gamma: float,
    horizon: None = None,
    *,
    capped: bool = True,
) -> Column: ...
@overload
def dynamic_fit(
    inst: SlottedInstance, schedule: PreemptiveSchedule, gamma: float, horizon: int, *, capped: bool = True
) -> float: ...
def dynamic_fit(
    inst: SlottedInstance,
    schedule: PreemptiveSchedule,
    gamma: float,
    horizon: int | None = None,
    *,
    capped: bool = True,
) -> Column | float:
    """How far service lags behind the rates that would finish every job at `gamma`: eq. (26) of the source of OCORP.

    Fit_T is the sum over the jobs with release a < T of (T - a) r minus the rate received in the slots up to T. A job
    counts on after it is done, so that others cannot hide behind it.

    Parameters
    ----------
    inst, schedule : Instance, PreemptiveSchedule
        Jobs without tasks.
    gamma : float
        The slot by which all jobs should be done, above 0.
    horizon : int, optional
        T. By default every T from 1 to `gamma` or the end of the last piece, whichever is later.
    capped : bool
        With r = p / max(gamma - a, p), as the algorithms have it, or with the paper's r = p / (gamma - a). In the
        latter case Fit at T = `gamma` is the remaining processing time of the jobs released before, and no job that is
        released at `gamma` or later may count.

    Returns
    -------
    float or (n_slots,) float64
        Fit_T, or with ``horizon=None`` Fit_T at index T - 1; rounded, within some 1e-13 of the summed processing times.

    Raises
    ------
    InvalidInstanceError
        For a `gamma` that is not finite and above 0, a negative `horizon`, more than 5,000,000 slots without
        `horizon`, and, not `capped`, jobs that are released from `gamma` on and before T.
    UnsupportedError
        For a `MapReduceInstance`, for which the paper defines none.
    """
    if isinstance(inst, MapReduceInstance):
        raise UnsupportedError("the dynamic fit is defined for jobs without tasks")
    gamma = finite_number("gamma", gamma, above_0=True)
    if horizon is None:
        slots = _slots_up_to(max(_last_end(schedule), math.floor(gamma)))
    else:
        slots = np.array([checked_integer("horizon", horizon, 0, 2**53)], dtype=np.int64)
    release, time = inst.release_time, inst.processing_time
    counts = release < slots.max(initial=0)
    if not capped and (counts & (release >= gamma)).any():
        job = int(np.argmax(counts & (release >= gamma)))
        raise InvalidInstanceError(
            f"job {job} is released at {release[job]:g}, and gamma = {gamma!r} must be later unless rates are capped"
        )
    order = np.flatnonzero(counts)
    order = order[np.argsort(release[order], kind="stable")]
    released, needed = release[order], time[order]
    rate = needed / (np.maximum(gamma - released, needed) if capped else gamma - released)
    before = np.searchsorted(released, slots, side="left")
    wanted = slots * _sums(rate)[before] - _sums(rate * released)[before]
    left = work_over_time(inst, schedule, 1, slots).unfinished_time
    fit: Column = wanted - (_sums(needed)[before] - left)
    return fit if horizon is None else float(fit[0])


def dynamic_regret(
    inst: SlottedInstance, schedule: PreemptiveSchedule, k: int = 2, *, lower_bound: float
) -> float:
    """How far the sum of the fractional flow times is above that of the best schedule in hindsight.

    Parameters
    ----------
    inst, schedule, k
        As in `schedcore.metrics.fractional_flow_time`.
    lower_bound : float
        A lower bound on that sum for every schedule of the instance, such as
        ``schedcore.bounds.fractional_lower_bound(inst, k)``. Read literally, eq. (23) to (25) of the paper compare with
        doing nothing, that is with 0.
    """
    if not math.isfinite(lower_bound):
        raise InvalidInstanceError(f"lower_bound = {lower_bound!r} must be finite")
    return exact_sum(fractional_flow_time(inst, schedule, k)) - lower_bound


def slot_summary(inst: SlottedInstance, schedule: PreemptiveSchedule, k: int = 2) -> dict[str, float]:
    """All summary figures of a schedule in slots.

    Returns
    -------
    dict
        In this order, times in slots:

        ===================================  ==================================================================
        n_jobs, n_unfinished                 numbers of jobs
        flow_power_sum, flow_norm            sum of f^k over the flow times f, and its k-th root
        least_flow_norm                      the k-th root of the sum of p^k, which no schedule can go below
        fractional                           sum of the fractional flow times
        makespan                             end of the last piece
        mean_flow_time, max_flow_time        of the jobs
        mean_waiting, max_waiting            flow time - processing time
        preemptions, migrations              sums of `preemption_counts`
        live_migrations
        max_gap                              the longest of all jobs
        utilisation                          core-slots held / (cores of all machines * (makespan - first release))
        ===================================  ==================================================================

        Flow and waiting times are infinite if a job is unfinished. Everything is 0 without jobs.

    Raises
    ------
    InvalidInstanceError, TypeError
        As `slot_facts`, which is also what it costs.
    """
    power = checked_integer("k", k, 1, MOST_POWER)
    facts = slot_facts(inst, schedule, power)
    flow, time = facts.completion_time - inst.release_time, inst.processing_time
    total = power_sum(flow, power)
    makespan = _last_end(schedule)
    cores = exact_sum(inst.machines.capacity[:, 0])
    available = cores * max(makespan - float(inst.release_time.astype(np.float64).min(initial=math.inf)), 0.0)
    held = exact_dot(piece_columns(schedule)[-1], schedule.end_time - schedule.start_time)
    return {
        "n_jobs": inst.n_jobs,
        "n_unfinished": int(np.isinf(facts.completion_time).sum()),
        "flow_power_sum": total,
        "flow_norm": float(total ** (1.0 / power)),
        "least_flow_norm": float(power_sum(time, power) ** (1.0 / power)),
        "fractional": exact_sum(facts.fractional),
        "makespan": makespan,
        "mean_flow_time": exact_mean(flow),
        "max_flow_time": float(flow.max(initial=0.0)),
        "mean_waiting": exact_mean(flow - time),
        "max_waiting": float((flow - time).max(initial=0.0)),
        "preemptions": int(facts.preemptions.sum()),
        "migrations": int(facts.migrations.sum()),
        "live_migrations": int(facts.live_migrations.sum()),
        "max_gap": int(facts.max_gap.max(initial=0)),
        "utilisation": held / available if available > 0 else 0.0,
    }


def _last_end(schedule: PreemptiveSchedule) -> int:
    last = float(schedule.end_time.max(initial=0.0))
    if not math.isfinite(last):
        raise InvalidInstanceError(f"the last piece ends at {last!r}, which is no whole number of slots")
    return int(last)


def _slots_up_to(last: int) -> npt.NDArray[np.int64]:
    if last > _MOST_SLOTS:
        raise InvalidInstanceError(
            f"there are {last} slots; name the times to look at, {_MOST_SLOTS} are too many"
        )
    return np.arange(1, last + 1, dtype=np.int64)


def _sums(values: Column) -> Column:
    """Sums of the first 0, 1, ... values."""
    sums: Column = np.concatenate([[0.0], np.cumsum(values)])
    return sums
