"""One run in whole slots: an instance's columns go to the engine, its pieces come back as a result with its facts.

The engine is ``src/cpp/preemptive/slotted_simulation``; what a schedule is worth is computed from the schedule alone,
by `schedcore.metrics`.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from schedcore import _core
from schedcore.bounds.preemptive.processing_powers import processing_bound
from schedcore.errors import UnsupportedError
from schedcore.metrics.exact_sums import exact_sum as rounded_sum
from schedcore.metrics.preemptive import slot_facts
from schedcore.model import Instance, MapReduceInstance, PreemptiveResult, PreemptiveSchedule
from schedcore.model.amounts import exact_total
from schedcore.model.arrays import FloatArray, IntArray
from schedcore.model.choices import check_choice, checked_flag
from schedcore.model.real_numbers import finite_number
from schedcore.model.slots import SlotColumns, slot_columns

from .family import DualRules, Lambda0, Progress, RunRules, check_room, dual_rules, strict_slots
from .switching_slots import check_single_cores

__all__ = ["DualOptions", "SwitchingOptions", "horizon_27", "run_baseline", "run_dual", "schedule_facts"]

_NO_MULTIPLIERS = DualRules(1, 1.0, None, "zero", 0.0)


class DualOptions(NamedTuple):
    """The options of OCORP beyond `RunRules`, by their names."""

    gamma: float | None
    mu: str | float
    lambda0: Lambda0
    work_conserving: bool
    mem_mode: str


class SwitchingOptions(NamedTuple):
    """What OCORP+ has beyond OCORP."""

    alpha: float
    solver: str


class _Decisions(NamedTuple):
    """How slots are decided, in the words of the kernel."""

    work_conserving: bool
    mem_mode: str
    alpha: float = 0.0
    solver: str = "joblevel"


def run_dual(
    algorithm: str,
    instance: Instance,
    rules: RunRules,
    dual: DualOptions,
    progress: Progress,
    switching: SwitchingOptions | None = None,
) -> PreemptiveResult:
    """Run OCORP, or OCORP+ with a switching cost."""
    check_choice("mem_mode", dual.mem_mode, ("backfill", "once", "twice"))
    chosen = None if dual.gamma is None else finite_number("gamma", dual.gamma, above_0=True)
    decisions = _Decisions(checked_flag("work_conserving", dual.work_conserving), dual.mem_mode)
    columns = slot_columns(instance)
    options = rules._asdict() | dual._asdict()
    if switching is not None:
        decisions = _with_switching(decisions, switching, columns)
        options |= switching._asdict()
    check_room(columns, instance.jobs.id)
    horizon = horizon_27(columns)
    kernel_rules = dual_rules(rules.k, horizon if chosen is None else chosen, dual.mu, dual.lambda0)
    if not decisions.work_conserving and rules.max_slots is None:
        rules = rules._replace(max_slots=strict_slots(horizon))
    policy = "ocorp" if switching is None else "ocorp_plus"
    run = _run(columns, policy, rules, kernel_rules, decisions, progress)
    return _result(algorithm, instance, rules, run, options, gamma=kernel_rules.gamma)


def run_baseline(
    algorithm: str,
    policy: str,
    instance: Instance,
    rules: RunRules,
    mem_mode: str,
    progress: Progress,
    guarantee: float | None = None,
) -> PreemptiveResult:
    """Run a policy without multipliers; `guarantee` holds if the run finishes."""
    check_choice("mem_mode", mem_mode, ("backfill", "once"))
    columns = slot_columns(instance)
    check_room(columns, instance.jobs.id)
    run = _run(columns, policy, rules, _NO_MULTIPLIERS, _Decisions(True, mem_mode), progress)
    options = rules._asdict() | {"mem_mode": mem_mode}
    return _result(algorithm, instance, rules, run, options, guarantee=guarantee)


def horizon_27(columns: SlotColumns) -> float:
    """Return Gamma of equation (27), by which all work can be done: as demands are estimated, 0 without jobs."""
    if len(columns.release_time) == 0:
        return 0.0
    release, processing = columns.release_time, columns.processing_time
    latest = int(np.maximum(release + 2 * processing, 2 * release).max())
    volume = exact_total(processing * _believed_cores(columns))
    return max(float(latest), 4.0 * volume / exact_total(columns.capacity[:, 0]))


def _believed_cores(columns: SlotColumns) -> IntArray:
    """(n_jobs,) The cores that jobs are taken to ask for."""
    return (columns.demand if columns.estimated_demand is None else columns.estimated_demand)[:, 0]


def schedule_facts(
    instance: Instance | MapReduceInstance,
    schedule: PreemptiveSchedule,
    completion_time: FloatArray,
    k: int,
    max_slots: int | None = None,
) -> dict[str, Any]:
    """Return the statistics that every result of this family has; what is unfinished is followed to `max_slots`."""
    n_unfinished = int(np.isinf(completion_time).sum())
    facts = slot_facts(instance, schedule, k, end_of_run=(n_unfinished and max_slots) or 0)
    return {
        "fractional": rounded_sum(facts.fractional),
        "preemptions": int(facts.preemptions.sum()),
        "migrations": int(facts.migrations.sum()),
        "live_migrations": int(facts.live_migrations.sum()),
        "max_gap": facts.max_gap,
        "makespan": int(schedule.end_time.max()) if len(schedule) else 0,
        "status": "max_slots" if n_unfinished else "finished",
        "n_unfinished": n_unfinished,
    }


def _with_switching(decisions: _Decisions, switching: SwitchingOptions, columns: SlotColumns) -> _Decisions:
    check_choice("solver", switching.solver, ("joblevel", "greedy", "flow"))
    if switching.solver != "joblevel" and columns.demand.shape[1] > 1:
        raise UnsupportedError(
            f"ocorp_plus with solver = {switching.solver!r} shares cores alone; with memory use 'joblevel'"
        )
    check_single_cores(
        switching.solver, min(exact_total(columns.capacity[:, 0]), exact_total(_believed_cores(columns)))
    )
    alpha = finite_number("alpha", switching.alpha, above_0=False)
    return decisions._replace(alpha=alpha, solver=switching.solver)


class _Run(NamedTuple):
    completion_time: Any
    schedule: PreemptiveSchedule
    refusals: int
    multipliers: tuple[Any, Any, Any]
    refused: tuple[Any, Any, Any]


def _run(
    columns: SlotColumns,
    policy: str,
    rules: RunRules,
    dual: DualRules,
    decisions: _Decisions,
    progress: Progress,
) -> _Run:
    completion, pieces, refusals, multipliers, refused = _core.run_slots(
        *columns,
        policy,
        *dual,
        decisions.work_conserving,
        rules.sticky,
        decisions.mem_mode,
        decisions.alpha,
        decisions.solver,
        rules.max_slots,
        rules.record,
        progress,
    )
    for column in pieces:
        column.flags.writeable = False  # so that the schedule keeps it without a copy
    return _Run(completion, PreemptiveSchedule(*pieces), refusals, multipliers, refused)


def _result(
    algorithm: str,
    instance: Instance,
    rules: RunRules,
    run: _Run,
    options: Mapping[str, Any],
    gamma: float | None = None,
    guarantee: float | None = None,
) -> PreemptiveResult:
    stats = schedule_facts(instance, run.schedule, run.completion_time, rules.k, rules.max_slots)
    stats |= {"refusals": run.refusals, "gamma": gamma}
    if rules.record:
        stats["refused"] = dict(zip(("slot", "job", "machine"), run.refused, strict=True))
        stats["multipliers"] = dict(zip(("slot", "job", "value"), run.multipliers, strict=True))
    return PreemptiveResult(
        run.schedule,
        instance,
        run.completion_time,
        rules.k,
        stats=stats,
        guarantee=guarantee if stats["status"] == "finished" else None,
        lower_bound=processing_bound(instance.jobs.processing_time, rules.k),
        algorithm=algorithm,
        options=options,
    )
