"""One valid call of everything in the compiled modules: what the fuzzer starts from.

`CALLS` maps a name (``function``, ``Class``, ``Class.method``) to a function that returns the callable and its keyword
arguments, made anew each time. `test_core_arguments` checks that nothing of the modules is missing here.
"""

import copy
import inspect
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np

from policy_tables import capsule_of, table_of
from schedcore import _core, kernels

#: The compiled module and its submodules.
ROOMS = [_core, *(value for value in vars(_core).values() if inspect.ismodule(value))]

Call = tuple[Callable[..., Any], dict[str, Any]]
Maker = Callable[[], Call]


def floats(*values: float) -> Any:
    return np.array(values, dtype=np.float64)


def ints(*values: Any) -> Any:
    return np.array(values, dtype=np.int64)


TEN = 10**9  # a whole task in units of fractions


def _jobs() -> dict[str, Any]:
    return {
        "release_time": floats(0, 1, 1, 2),
        "processing_time": floats(2, 3, 1, 4),
        "weight": floats(1, 2, 1, 3),
        "demand": ints([1, 2], [2, 1], [3, 3], [1, 1]),
    }


def _machines() -> dict[str, Any]:
    return {"capacity": ints([4, 4], [4, 4])}


def _cluster_columns() -> dict[str, Any]:
    return {
        "n_tasks": ints(2, 1, 2, 1),
        "max_tasks": ints(0, 1, 1, 0),
        "exclusive": np.array([False, True, False, False]),
        "eligibility": ints(-1, 0, 1, -1),
        "allowed": np.array([[True, False], [True, True]]),
        "checkpoint_interval": floats(0, 1, 2, 0),
        "restart_cost": floats(0, 0, 1, 0),
    }


def _embedded_columns() -> dict[str, Any]:
    columns = _without(_cluster_columns(), "allowed")
    return {**columns, "constraints": ["gpu ssd & !", "gpu ssd |"]}


def _described_machines() -> dict[str, Any]:
    return {
        **_machines(),
        "weight": ints(0, 1),
        "label_set": ints(0, 1),
        "label_sets": [["gpu"], ["gpu", "ssd"]],
    }


def _site() -> dict[str, Any]:
    return {
        "partitions": [("batch", 2, 0.5)],
        "classes": [("low", 0, 0.0, True), ("high", 1, 2.5, False)],
        "limits": [("user", None, "jobs", 0, 2), ("account", "a", "resource", 1, 7)],
        "shares": [("a", 3.0), ("", 1.0)],
        "multifactor": (1.0, 2.0, 0.0, 1.0, 0.0, 0.0, 10.0, np.inf, 1.0),
        "preempt": "requeue",
    }


def _parties() -> dict[str, Any]:
    codes = ints(0, 1, -1, 0)
    return {
        "user": (codes, ["ann", "bob"]),
        "account": (ints(0, 0, 0, -1), ["a"]),
        "partition": (codes, ["batch", "other"]),
        "service_class": (codes, ["low", "high"]),
        "array": ints(0, 0, -1, 3),
        "priority": floats(0, -1, 2.5, 0),
        "awaited": (ints(0, 0, 1, 3, 3), ints(0, 0, 1), ints(0, 1, 2)),
    }


def _single_tasks() -> Any:
    columns = _without(_cluster_columns(), "n_tasks", "max_tasks", "exclusive")
    return _core.engine.ClusterJobs(4, 2, **columns)


_CYCLE: dict[str, Callable[[], dict[str, Any]]] = {
    "CycleMachines": lambda: {
        "processors": ints(4, 8),
        "memory": ints(100, 100),
        "weight": ints(1, 1),
        "is_up": np.array([True, True]),
    },
    "MachineSets": lambda: {"offset": ints(0, 1, 3), "machine": ints(1, 0, 1)},
    "CycleRuns": lambda: {
        "end": ints(1300, 900),
        "likely_end": ints(1300, 1001),
        "offset": ints(0, 2, 3),
        "machine": ints(0, 1, 1),
        "processors": ints(4, 2, 3),
        "memory": ints(50, 50, 10),
    },
    "CycleRequests": lambda: {
        "limit": ints(60, 3600),
        "min_machines": ints(1, 2),
        "max_machines": ints(2, 2),
        "n_tasks": ints(3, 2),
        "processors_per_task": ints(2, 1),
        "tasks_per_machine": ints(0, 1),
        "least_processors": ints(2, 1),
        "memory_kind": ints(1, 3),
        "memory": ints(20, 0),
        "is_exclusive": np.array([False, True]),
        "partition": ints(-1, 1),
        "eligible": ints(1, -1),
        "required": ints(-1, 0),
        "reservation": ints(-1, 0),
        "n_copies": ints(2, 1),
        "array": ints(3, -1),
        "may_wait": np.array([True, True]),
        "selection": ints(0, 4),
    },
    "CycleReservations": lambda: {
        "start": ints(900),
        "end": ints(5000),
        "machines": ints(1),
        "takes_all": np.array([False]),
        "is_maintenance": np.array([True]),
        "is_flexible": np.array([True]),
    },
}


def _without(columns: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: column for name, column in columns.items() if name not in names}


_MRIS = {
    "rule": "wsjf",
    "knapsack": "cadp",
    "epsilon": (1, 10),
    "memory_limit": 1 << 26,
    "placement": "scan",
    "gamma0": 1.0,
    "origin": 0.0,
    "opportunistic": True,
    "patience": 2.0,
    "replan": False,
    "record": True,
}
_NO_OUTAGES = (ints(), floats(), floats())
_BB = ("product", 1, 1, 0)
_LIMITS = {"queue_depth": 5, "window": 9.0, "resolution": 0.5, "interval": 1.0, "record": True}
_RULE = {"selection": ("bl", 2, 1, 0)}


def _policies() -> dict[str, Any]:
    return {
        "policy": _core.online.PriorityQueuePolicy("wsjf"),
        "machines": _core.engine.Machines(**_described_machines()),
        "for_clusters": _core.gangs.GangQueuePolicy("always", order="wsjf"),
        "killed": "requeue",
        "infeasible": "wait",
    }


def _scheduler() -> Any:
    """Jobs 0, 1 and 2 run, job 3 is held and job 60 waits; reservation 0 is to come."""
    scheduler = _core.engine.OnlineScheduler(**_policies())
    jobs = _jobs()
    scheduler.submit(jobs["processing_time"], jobs["weight"], jobs["demand"], None, None, 1.0)
    scheduler.submit_one(100.0, 1.0, [4, 4], None, 60, 1.0)
    scheduler.hold(ints(3), 1.0)
    scheduler.reserve(ints([1, 1]), None, 50.0, 60.0, 1.0)
    scheduler.advance(1.0)
    return scheduler


def _timeline() -> Any:
    timeline = _core.index.ResourceTimeline([4, 4], 0.0)
    timeline.reserve(1.0, 3.0, [2, 1])
    return timeline


def _index() -> Any:
    return _core.index.MachineIndex([[4, 4], [2, 3], [1, 5]])


_COLOCATION = {
    "size": ints(5, 3, 2, 4),
    "type": ints(0, 1, 1, 0),
    "alpha": ints([3, 1], [2, 5]),
    "n_machines": 2,
}
_OVER = {"alpha_denominator": 10}


def _colocated(*names: str) -> dict[str, Any]:
    return {**copy.deepcopy(_COLOCATION), **{name: _MORE[name] for name in names}}


_MORE: dict[str, Any] = {
    "alpha_denominator": 10,
    "label_of_type": ints(0, 1),
    "sort": True,
    "search": True,
    "rule": "best",
    "progress": None,
    "inner": "best_schedule",
    "mixing": "best_schedule",
    "base": "lpt",
    "machine": ints(0, 1, 0, 1),
    "start": ints(0, 1, 0, 1),
    "target": 5,
    "work_limit": 1000,
    "node_limit": 1000,
    "lower_bound": 0,
    "seed": 1,
    "k": 3,
}


def _parallel_columns() -> dict[str, Any]:
    return {
        "weight": floats(1, 2),
        "release_time": floats(0, 1),
        "task_job": ints(0, 0, 1),
        "demand": ints([1, 2], [2, 1], [3, 3]),
        "placement_start": ints(0, 2, 3, 5),
        "placement_machine": ints(0, 1, 1, 0, 1),
        "placement_time": ints(2, 3, 4, 1, 2),
        "placement_local": np.array([True, False, True, True, True]),
        "capacity": ints([4, 4], [4, 4]),
        "remote_penalty": 1.5,
    }


def _parallel() -> Any:
    return _core.model.ParallelTasks(**_parallel_columns())


def _one_placement() -> Any:
    columns = _parallel_columns()
    columns |= {
        "placement_start": ints(0, 1, 2, 3),
        "placement_machine": ints(0, 1, 0),
        "placement_time": ints(2, 4, 1),
        "placement_local": np.array([True, True, True]),
    }
    return _core.model.ParallelTasks(**columns)


def _fractions() -> dict[str, Any]:
    return {
        "task": ints(0, 0, 1, 2),
        "machine": ints(0, 1, 1, 0),
        "interval": ints(0, 1, 2, 1),
        "units": ints(TEN // 2, TEN // 2, TEN, TEN),
    }


def _fraction_schedule() -> Any:
    return _core.parallel_tasks.FractionSchedule(_parallel(), **_fractions(), n_intervals=4, progress=None)


def _pieces() -> dict[str, Any]:
    return {
        "task": ints(0, 1, 2),
        "machine": ints(0, 1, 0),
        "start": floats(0, 0, 2),
        "end": floats(2, 4, 3),
    }


def _columns_of(pieces: dict[str, Any]) -> tuple[Any, ...]:
    return pieces["task"], pieces["machine"], pieces["start"], pieces["end"]


def _slot_columns() -> dict[str, Any]:
    return {
        "release_time": ints(0, 1, 1),
        "processing_time": ints(2, 1, 3),
        "demand": ints([2, 3], [1, 1], [3, 2]),
        "estimated_demand": ints([2, 3], [1, 2], [3, 2]),
        "capacity": ints([3, 6], [2, 5]),
    }


def _slot_tasks() -> Any:
    return _core.model.SlotTasks(first_task=None, map_tasks=None, **_slot_columns())


def _slot_pieces() -> dict[str, Any]:
    return {
        "job": ints(0, 1, 2, 2),
        "task": ints(-1, -1, -1, -1),
        "machine": ints(0, 1, 0, 0),
        "start": floats(0, 1, 2, 4),
        "end": floats(2, 2, 4, 5),
        "cores": ints(2, 1, 3, 3),
    }


_DUAL = {
    "k": 2,
    "gamma": 0.5,
    "mu": None,
    "lambda0": ("big", 1.0),
    "work_conserving": True,
    "packing": "sticky",
}


def _history(arrivals: bool) -> dict[str, Any]:
    return {
        "share": floats(0.5, 0.75, 1, 0.5),
        "first": ints(0, 3, 4),
        "known": ints(0, 60),
        "group": ints(1, 0),
        "arrivals": (
            *list(_without(_jobs(), "release_time").values()),
            floats(1, 2, 3, 4),
            _core.engine.ClusterJobs(4, 0, **_embedded_columns()),
            floats(0, 2),
            ints(0, 1, 0, 1),
            ints(0, 1, 2, 3),
        )
        if arrivals
        else None,
    }


_METHODS: dict[str, Callable[[], tuple[Any, dict[str, dict[str, Any]]]]] = {
    "CompiledPolicy": lambda: (
        _core.engine.CompiledPolicy(capsule_of(table_of())),
        {
            "of_function": {
                "address": table_of().decide,
                "name": "mine",
                "takes_gangs": False,
                "owner": None,
            },
            "name": {},
            "takes_gangs": {},
            "uses_estimates": {},
        },
    ),
    "Continuation": lambda: (
        _core.engine.Continuation(_scheduler()),
        {
            "first_starts": {"ids": ints(3, 60)},
            "sample_starts": {
                "ids": ints(60),
                "history": _core.engine.History(**_history(arrivals=True)),
                "seed": 7,
                "first": 0,
                "last": 3,
            },
            "waiting": {},
            "stop": {},
        },
    ),
    "OnlineScheduler": lambda: (
        _scheduler(),
        {
            "submit": {
                **_without(_jobs(), "release_time"),
                "custom_key": floats(1, 2, 3, 4),
                "ids": ints(7, 8, 9, 11),
                "now": 1.0,
                "cluster_jobs": _core.engine.ClusterJobs(4, 0, **_embedded_columns()),
            },
            "submit_tasks": {"tasks": _parallel(), "ids": ints(7, 8, 9), "now": 1.0},
            "adopt": {
                "processing_time": floats(2),
                "weight": floats(1),
                "demand": np.array([[1, 1]]),
                "custom_key": floats(1),
                "ids": ints(7),
                "now": 2.0,
                "release_time": floats(0),
                "start_time": floats(1),
                "places": (ints(1), ints(1), ints(0, 1)),
                "cluster_jobs": _core.engine.ClusterJobs(1, 2, n_tasks=ints(1)),
            },
            "submit_one": {
                "processing_time": 1.0,
                "weight": 1.0,
                "demand": [1, 1],
                "custom_key": 1.0,
                "id": 77,
                "now": 1.0,
            },
            "reserve_ids": {"count": 3},
            "release_ids": {"first": 1, "count": 3},
            "complete": {"ids": ints(0), "now": 2.0},
            "cancel": {"ids": ints(0), "now": 2.0},
            "hold": {"ids": ints(60), "now": 2.0},
            "release": {"ids": ints(3), "now": 2.0},
            "requeue": {"ids": ints(0), "now": 2.0},
            "update": {
                "ids": ints(0, 60, 3, 1),
                "now": 2.0,
                "remaining_time": floats(1, 2, 3, 4),
                "weight": floats(4, 3, 2, 1),
                "machines": _core.engine.ClusterJobs(
                    4, 0, eligibility=ints(-1, -1, -1, 0), constraints=["gpu ssd & !"]
                ),
                "priority": floats(0, -1, 2.5, 7),
            },
            "partitions_of": {"ids": ints(0, 60, 99)},
            "are_running": {"ids": ints(0, 60, 99)},
            "fail_machines": {"machines": ints(1), "now": 2.0},
            "repair_machines": {"machines": ints(1), "now": 2.0},
            "close_machines": {"machines": ints(1), "running": "requeue", "now": 2.0},
            "remove_machines": {"machines": ints(1), "running": "drop", "now": 2.0},
            "open_machines": {"machines": ints(1), "now": 2.0},
            "add_machines": {"machines": _core.engine.Machines(**_described_machines()), "now": 2.0},
            "set_capacity": {"machine": 1, "capacity": ints(3, 0), "now": 2.0},
            "tasks_with_room": {
                "demand": _jobs()["demand"],
                "cluster_jobs": _core.engine.ClusterJobs(4, 0, **_embedded_columns()),
            },
            "event": {
                "completed": ints(0),
                "failed": ints(1),
                "repaired": ints(0),
                "cancelled": ints(60),
                "now": 2.0,
                "jobs": (
                    *list(_without(_jobs(), "release_time").values()),
                    floats(1, 2, 3, 4),
                    _core.engine.ClusterJobs(4, 0, **_embedded_columns()),
                ),
                "tasks": None,
                "ids": ints(7, 8, 9, 11),
                "work_limit": 5,
            },
            "jobs": {"state": "running"},
            "are_alive": {"ids": ints(0, 60, 99)},
            "machine_state": {},
            "reservations": {},
            "reserve": {"demand": ints([1, 1]), "machines": ints(1), "start": 3.0, "end": 4.0, "now": 2.0},
            "cancel_reservation": {"reservation": 0, "now": 2.0},
            "announce_outage": {"machine": 1, "start": 3.0, "end": 4.0, "now": 2.0},
            "advance": {"now": 2.0, "work_limit": 5},
            "copy": {},
            "snapshot": {},
            "load": {**_policies(), "snapshot": _scheduler().snapshot()},
            "check_invariants": _policies(),
            "recorded_instant": {},
            "last_decision": {},
            "n_advances": {},
            "n_overruns": {},
            "next_id": {},
            "now": {},
            "n_running": {},
            "n_waiting": {},
        },
    ),
    "ResourceTimeline": lambda: (
        _timeline(),
        {
            "reserve": {"start": 1.0, "end": 5.0, "demand": [1, 1]},
            "release": {"start": 1.0, "end": 5.0, "demand": [1, 1]},
            "free_at": {"t": 2.0},
            "range_min": {"start": 0.0, "end": 4.0},
            "first_shortage": {"not_before": 0.0, "demand": ints(3, 1)},
            "earliest_fit": {"not_before": 0.0, "duration": 2.0, "demand": ints(3, 1)},
            "forget_before": {"t": 2.0},
            "next_change": {"after": 0.0},
            "__deepcopy__": {"memo": {}},
            "__eq__": {"other": _timeline()},
            "breakpoints": {},
            "check_invariants": {},
            "__copy__": {},
            "n_resources": {},
            "n_breakpoints": {},
            "origin": {},
            "__setstate__": {"state": (floats(0, 1), ints([4, 4], [1, 1]))},
        },
    ),
    "MachineIndex": lambda: (
        _index(),
        {
            "free": {"machine": 1},
            "acquire": {"machine": 1, "demand": ints(1, 2)},
            "release": {"machine": 1, "demand": ints(1, 2)},
            "first_fit": {"demand": ints(1, 4), "from_machine": 1},
            "best_fit": {"demand": ints(1, 1), "scale": ints(1, 2)},
            "check_invariants": {},
            "n_machines": {},
            "n_resources": {},
        },
    ),
    "FractionSchedule": lambda: (
        _fraction_schedule(),
        {
            "tau": {},
            "pieces": {},
            "best_lambda": {},
            "slow_motion": {"lam": 0.5, "cap": "task", "shift": True},
        },
    ),
}

_FUNCTIONS: dict[str, Callable[[], dict[str, Any]]] = {
    "build_config": dict,
    "find_first_violation": lambda: {
        **_without(_jobs(), "weight"),
        **_machines(),
        "start_time": floats(0, 1, 2, 4),
        "machine": ints(0, 1, 0, 1),
    },
    "find_first_run_violation": lambda: {
        **_without(_jobs(), "weight"),
        **_machines(),
        "job": ints(0, 2, 1, 1, 3),
        "attempt": ints(0, 0, 0, 1, 0),
        "start_time": floats(0, 1, 2, 5, 8),
        "end_time": floats(2, 2, 4, 7, 12),
        "outcome": ints(0, 0, 1, 0, 0),
        "first_place": ints(0, 2, 3, 4, 5, 6),
        "machine": ints(0, 1, 1, 0, 0, 0),
        "place_n_tasks": ints(1, 1, 1, 1, 1, 1),
        "n_tasks": ints(2, 1, 1, 1),
        "max_tasks": ints(1, 0, 2, 1),
        "exclusive": np.array([False, True, False, False]),
        "machine_set": ints(-1, 0, 1, -1),
        "allowed": np.array([[True, False], [True, True]]),
        "checkpoint_interval": floats(0, 2, 0, 0),
        "restart_cost": floats(0, 1, 0, 0),
        "first_awaited": ints(0, 0, 1, 1, 3),
        "awaited_job": ints(0, 1, 2),
        "awaited": ints(0, 1, 0),
        "outages": (ints(1), floats(4), floats(6)),
        "failures": (ints(0, 1), floats(4, 9), floats(5, np.inf)),
        "cancellation": floats(9, 9, np.inf, 20),
        "killed": "checkpoint",
        "job_outcome": ints(0, 0, 0, 0),
        "forbidden": np.array([False, False, False, True]),
        "level": ints(0, 1, 0, 2),
        "preemptible": np.array([True, False, True, False]),
        "limits": [(ints(0, -1, 0, 1), -1, "tasks", 0, 3), (ints(0, 0, 1, 1), 1, "resource", 1, 4)],
        "preempt": "requeue",
    },
    "completion_time_bounds": lambda: {**_jobs(), **_machines()},
    "mean_busy_time_bound": lambda: {**_without(_jobs(), "demand"), "load": floats(1, 2, 3, 1)},
    "makespan_bound": lambda: {**_without(_jobs(), "weight"), **_machines()},
    "spread_tasks": lambda: {
        "size": ints(5, 3, 2, 4),
        "speed": ints(1, 2),
        "method": "best",
        "work_limit": 1000,
        "gap": 0.0,
    },
    "times_overtaken": lambda: {"release_time": floats(0, 1, 2), "start_time": floats(5, 4, 3)},
    "lowest_free_processors": lambda: {
        "start_time": floats(0, 1, 2),
        "processing_time": floats(2, 3, 1),
        "processors": ints(1, 2, 1),
        "machine": ints(0, 1, 0),
        "capacity": ints(4, 4),
    },
    "PythonPolicy": lambda: {"policy": object(), "takes_gangs": True},
    "CompiledPolicy": lambda: {"capsule": capsule_of(table_of())},
    "turn_function_addresses": dict,
    "PriorityQueuePolicy": lambda: {"rule": "wsjf", "last_release_time": 2.0},
    "TetrisPolicy": lambda: {"mode": "plus", "on_clusters": True},
    "BestFitExecutionPolicy": lambda: {"on_clusters": True},
    "MrisPolicy": lambda: dict(_MRIS),
    "MrisDynamicPolicy": lambda: dict(_MRIS),
    "ClusterMrisPolicy": lambda: dict(_MRIS),
    "ClusterMrisDynamicPolicy": lambda: dict(_MRIS),
    "BackfillPolicy": lambda: {"overtaking": "protected_head", **_RULE, **_LIMITS, "order": "erf"},
    "WindowBackfillPolicy": lambda: {
        "window_size": 5,
        "max_passes": 3,
        "primary": 1,
        "trade_numerator": 3,
        "trade_denominator": 2,
        "work_limit": 1000,
        "record": False,
    },
    "ReservationPolicy": lambda: {"protected_jobs": 2, "compression": "pass", **_RULE, **_LIMITS},
    "RebuildPolicy": lambda: _without(_LIMITS, "interval"),
    "PlanAnnealingPolicy": lambda: {
        "work_limit": 100,
        "seed": 1,
        "cooling": 0.9,
        "steps": 3,
        "swaps": 2,
        "exhaustive": 3,
    },
    "simulate": lambda: {
        "policy": _core.online.MrisPolicy(**{**_MRIS, "rule": "custom"}),
        **_jobs(),
        **_machines(),
        "custom_key": floats(1, 2, 3, 4),
        "progress": None,
        "estimated_processing_time": floats(2, 3, 1, 4),
    },
    "GangQueuePolicy": lambda: {
        "overtaking": "protected_head",
        "order": "svf",
        **_RULE,
        **_LIMITS,
        "last_release_time": 2.0,
        "ties_by_id": True,
    },
    "GangReservationPolicy": lambda: {
        "protected_jobs": 2,
        "compression": "pass",
        "rebuilt": ("tasks", "consecutive"),
        **_RULE,
        **_LIMITS,
        "order": "sjf",
    },
    "SiteRules": lambda: _site(),
    "Parties": lambda: {"n_jobs": 4, **_parties()},
    **_CYCLE,
    "plan_cycle": lambda: {
        "machines": _core.whole_machines.CycleMachines(**_CYCLE["CycleMachines"]()),
        "sets": _core.whole_machines.MachineSets(**_CYCLE["MachineSets"]()),
        "runs": _core.whole_machines.CycleRuns(**_CYCLE["CycleRuns"]()),
        "requests": _core.whole_machines.CycleRequests(**_CYCLE["CycleRequests"]()),
        "reservations": _core.whole_machines.CycleReservations(**_CYCLE["CycleReservations"]()),
        "now": 1000,
        "window": 86400,
        "resolution": 60,
        "depth": 10,
        "most_intervals": 20,
        "growth": 0,
    },
    "ClusterJobs": lambda: {
        "n_jobs": 4,
        "n_machines": 2,
        **_cluster_columns(),
        "constraints": [],
        "parties": _core.site.Parties(4, **_parties()),
    },
    "Machines": lambda: _described_machines(),
    "tasks_on_empty_cluster": lambda: {
        "demand": _jobs()["demand"],
        **_machines(),
        "cluster_jobs": _core.engine.ClusterJobs(4, 2, **_cluster_columns()),
    },
    "simulate_cluster": lambda: {
        "policy": _core.gangs.GangQueuePolicy("protected_head"),
        **_jobs(),
        **_machines(),
        "cluster_jobs": _core.engine.ClusterJobs(4, 2, **_cluster_columns()),
        "outages": (ints(0, 1, 1), floats(4, 6, 20), floats(5, 9, np.inf)),
        "failures": (ints(1, 0), floats(1, 3), floats(2, np.inf)),
        "cancellation": floats(np.inf, np.inf, 3, np.inf),
        "killed": "checkpoint",
        "arrives": np.array([True, True, True, False]),
        "custom_key": floats(1, 2, 3, 4),
        "progress": None,
        "estimated_processing_time": floats(2, 3, 1, 4),
        "site": _core.site.SiteRules(**_site()),
    },
    "explanations": lambda: {"scheduler": _scheduler(), "ids": ints(60, 3)},
    "OnlineScheduler": _policies,
    "Continuation": lambda: {"scheduler": _scheduler()},
    "History": lambda: _history(arrivals=True),
    "ResourceTimeline": lambda: {"capacity": ints(4, 4), "origin": 1.0},
    "MachineIndex": lambda: {"free": ints([4, 4], [2, 3])},
    "fits_many": lambda: {"demand": ints([1, 2], [5, 1]), "available": ints(4, 4)},
    "fits_many_columns": lambda: {"demand": ints([1, 2], [5, 1]), "available": ints(4, 4)},
    "first_fitting": lambda: {"demand": ints([1, 2], [5, 1]), "available": ints(4, 4)},
    "first_fitting_column": lambda: {"demand": ints([1, 2], [5, 1]), "available": ints(4, 4)},
    "feitelson_jobs": lambda: {
        "seed": 1,
        "n_jobs": 5,
        "size_weight": floats(0.5, 0.3, 0.2),
        "stage_mean": floats(1, 9),
        "stage_probability": floats(0.5, 0.1),
        "repetition_weight": floats(0.6, 0.4),
    },
    "lublin_jobs": lambda: {"seed": 1, "n_jobs": 5},
    "distinct_indices": lambda: {"seed": 1, "population": 9, "n_chosen": 4},
    "usage_records": lambda: {"seed": 1, "n_records": 5},
    "colocation_draw": lambda: {
        "seed": 1,
        "type": ints(0, 1, 1, 0, 2),
        "n_types": 3,
        "cls": "mixed",
        "n_tasks": 4,
        "symmetric": True,
    },
    "k_resource_demands": lambda: {
        "seed": 1,
        "size": ints(1, 2, 4),
        "n_resources": 3,
        "variance": 0.5,
        "factor": 1.0,
        "largest_size": 8,
    },
    "unit_arrivals": lambda: {"seed": 1, "n_jobs": 5},
    "estimated_times": lambda: {"seed": 1, "processing_time": floats(1, 2, 3), "factor": 5.0},
    "ParallelTasks": _parallel_columns,
    "FractionSchedule": lambda: {"tasks": _parallel(), **_fractions(), "n_intervals": 4, "progress": None},
    "shift_left": lambda: {"tasks": _parallel(), **_pieces()},
    "cap_fractions": lambda: {**_fractions(), "lambda_units": TEN // 2, "cap": "task"},
    "mapping_edges": lambda: {"tasks": _parallel(), **_fractions(), "whole": TEN},
    "map_tasks": lambda: {"tasks": _parallel(), **_fractions(), "whole": TEN},
    "lambda_of_smallest_proxy": lambda: {
        "progress": ints([0, TEN // 2, TEN], [0, 0, TEN]),
        "weight": floats(1, 2),
    },
    "completion_ranks": lambda: {"progress": ints([0, TEN // 2, TEN], [0, 0, TEN])},
    "pack_batches": lambda: {
        "tasks": _parallel(),
        "machine": ints(0, 1, 0),
        "interval": ints(0, 1, 2),
        "job_rank": ints(0, 1),
    },
    "place_plan": lambda: {
        "tasks": _parallel(),
        "running": tuple(column[:1] for column in _columns_of(_pieces())),
        "plan": tuple(column[1:] for column in _columns_of(_pieces())),
        "begin": 0.0,
    },
    "find_first_task_violation": lambda: {
        "tasks": _parallel(),
        "job": ints(0, 0, 1),
        **_pieces(),
        "kind": "nonpreempt",
    },
    "SlotTasks": lambda: {"first_task": None, "map_tasks": None, **_slot_columns()},
    "find_first_slot_violation": lambda: {"tasks": _slot_tasks(), **_slot_pieces(), "complete": True},
    "slot_facts": lambda: {"tasks": _slot_tasks(), **_slot_pieces(), "k": 2, "end_of_run": 9},
    "work_curves": lambda: {"tasks": _slot_tasks(), **_slot_pieces(), "k": 2, "times": ints(0, 1, 5)},
    "task_tetris_preemptive": lambda: {
        "tasks": _parallel(),
        "scale": 1.0,
        "remote": "divide",
        "progress": None,
    },
    "simulate_tasks": lambda: {
        "policy": _core.parallel_tasks.JoinShortestQueuePolicy(remote_penalty=1.5),
        "tasks": _parallel(),
        "progress": None,
    },
    "TaskTetrisPolicy": lambda: {"scale": 1.0, "remote": "divide", "remote_penalty": 1.5},
    "JoinShortestQueuePolicy": lambda: {"remote_penalty": 1.5},
    "preemptive_list_schedule": lambda: {
        "tasks": _one_placement(),
        "list": ints(0, 1, 2),
        "remaining": ints(2, 4, 1),
        "start": 0,
        "end": 9,
        "progress": None,
    },
    "psrs": lambda: {"tasks": _one_placement(), "v_numerator": 1, "v_denominator": 2, "progress": None},
    "colocation_cost": lambda: _colocated("machine"),
    "type_list_scheduling": lambda: _colocated("mixing", "base"),
    "fill_greedy": lambda: _colocated("label_of_type", "sort", "search"),
    "greedy_for_two_types": lambda: _colocated("alpha_denominator", "label_of_type", "sort", "search"),
    "fill_rebalance": lambda: _colocated("alpha_denominator", "label_of_type", "rule", "progress"),
    "greedy_dedicated": lambda: _colocated("label_of_type", "inner", "base", "progress"),
    "best_composition": lambda: {"cost": ints([9, 5, 3], [8, 4, 2]), "n_machines": 4},
    "type_clusters": lambda: {"alpha": ints([3, 1], [2, 5]), "alpha_denominator": 10, "method": "exact"},
    "improve_assignment": lambda: _colocated("start", "target", "work_limit", "seed", "progress"),
    "place_by_targets": lambda: {**_colocated(), "target": ints([5, 3], [4, 2])},
    "place_by_cost": lambda: _colocated("progress"),
    "exact_colocation": lambda: _colocated("start", "lower_bound", "node_limit", "progress"),
    "ptas_decision": lambda: {**_colocated("alpha_denominator", "k"), "target": 400},
    "ptas_assignment": lambda: _colocated("alpha_denominator", "start", "k", "work_limit", "progress"),
    "knapsack_of_integers": lambda: {
        "weight": floats(3, 2, 5),
        "size": ints(2, 3, 4),
        "capacity": 6,
        "method": "cadp",
        "epsilon": (1, 10),
        "memory_limit": 1 << 26,
        "progress": None,
    },
    "knapsack_of_reals": lambda: {
        "weight": floats(3, 2, 5),
        "size": floats(2, 3, 4),
        "capacity": 6.0,
        "method": "exact",
        "epsilon": (1, 10),
        "memory_limit": 1 << 26,
        "progress": None,
    },
    "run_slots": lambda: {
        **_slot_columns(),
        "policy": "ocorp_plus",
        **_DUAL,
        "mem_mode": "backfill",
        "alpha": 0.5,
        "solver": "joblevel",
        "max_slots": 50,
        "record": True,
        "progress": None,
    },
    "run_mapreduce": lambda: {
        "release_time": ints(0, 1),
        "map_tasks": ints(2, 1),
        "map_cores": ints(1, 2),
        "map_time": ints(2, 1),
        "reduce_tasks": ints(1, 1),
        "reduce_cores": ints(2, 1),
        "reduce_time": ints(1, 2),
        "capacity": ints(3, 2),
        "order": "ocorp",
        **_DUAL,
        "latency": np.ones((5, 2)),
        "max_slots": 50,
        "record": True,
        "progress": None,
    },
    "switching_slot": lambda: {
        "cost": floats(1, 2, 3),
        "demand": ints(2, 1, 3),
        "limit": ints(2, 1, 3),
        "capacity": ints(3, 2),
        "alpha": 0.5,
        "previous": ints([1, 0], [0, 1], [0, 0]),
        "first": np.array([0, 0, 1], dtype=np.uint8),
        "solver": "greedy",
        "work_conserving": True,
    },
    "place_by_latency": lambda: {
        "demand": ints(2, 1),
        "cores": ints(2, 1),
        "capacity": ints(2, 2),
        "latency": np.array([[1.0, 2.0], [2.0, 1.0]]),
    },
    "slot_rates": lambda: {"key": floats(1, 2, 3), "limit": ints(2, 1, 3), "total": 4},
    "fair_shares": lambda: {
        "demand": ints([2, 1], [3, 4], [1, 1]),
        "limit": ints(2, 1, 1),
        "capacity": ints([3, 2], [2, 2]),
        "weight": floats(1, 2, 0),
        "rule": "proportional_fairness",
    },
    "whole_cores": lambda: {"share": floats(0.5, 1.5, 2), "owed": floats(0, -1, 1), "total": 4},
    "gittins_index": lambda: {"attained": ints(0, 1, 9), "completed": ints(1, 10, 1)},
    "pack_slot": lambda: {
        "cores": ints(2, 1, 1),
        "cut": 2,
        "capacity": ints(3, 2),
        "previous": ints([1, 0], [0, 1], [0, 0]),
    },
    "memory_step": lambda: {
        "placed": ints([1, 0], [0, 1], [1, 1]),
        "profit": floats(1, 2, 3),
        "demand": ints(2, 1, 3),
        "limit": ints(2, 1, 3),
        "memory": ints([1], [2], [3]),
        "capacity": ints([3, 6], [2, 5]),
        "order": ints(0, 1, 2),
        "mem_mode": "backfill",
        "work_conserving": True,
    },
}

_KERNELS: dict[str, Callable[[], dict[str, Any]]] = {
    "vector_fits": lambda: {"demand": ints(1, 2), "available": ints(4, 4)},
    "vector_fits_many": lambda: {"demand": ints([1, 2], [5, 1]), "available": ints(4, 4)},
    "vector_first_fitting": lambda: {"demand": ints([1, 2], [5, 1]), "available": ints(4, 4)},
    "knapsack_items": lambda: {
        "weight": ints(3, 2, 5),
        "size": ints(2, 3, 4),
        "capacity": 6,
        "method": kernels.KnapsackMethod.CADP,
        "epsilon": (1, 10),
        "memory_limit": 1 << 26,
    },
}

#: Variants that reach other code of the same function: other words, None where an argument may be left out.
_VARIANTS: dict[str, list[dict[str, Any]]] = {
    "spread_tasks": [{"method": "lpt"}, {"method": "multifit"}],
    "simulate": [
        {"policy": policy, "custom_key": None}
        for policy in (
            _core.online.PriorityQueuePolicy("sjf"),
            _core.online.PriorityQueuePolicy("svf"),
            _core.online.TetrisPolicy("inverse"),
            _core.online.BestFitExecutionPolicy(),
            _core.online.MrisDynamicPolicy(**_MRIS),
            _core.gangs.GangQueuePolicy("protected_head", queue_depth=2),
            _core.backfilling.BackfillPolicy("never"),
            _core.backfilling.WindowBackfillPolicy(window_size=3, max_passes=1, work_limit=5),
            _core.backfilling.BackfillPolicy("protected_head", selection=_BB),
            _core.backfilling.ReservationPolicy(),
            _core.backfilling.ReservationPolicy(protected_jobs=1, compression="fixpoint"),
            _core.backfilling.RebuildPolicy(record=True),
            _core.backfilling.PlanAnnealingPolicy(exhaustive=1, steps=4),
            _core.online.MrisPolicy(**{**_MRIS, "knapsack": "exact", "replan": True}),
        )
    ],
    "simulate_cluster": [
        {"policy": _core.gangs.GangQueuePolicy("never"), "custom_key": None, "arrives": None},
        {"policy": _core.gangs.GangQueuePolicy("always", order="svf"), "cancellation": None},
        {"policy": _core.gangs.GangReservationPolicy(compression="fixpoint"), "killed": "requeue"},
        {"policy": _core.gangs.GangReservationPolicy(protected_jobs=2), "killed": "drop"},
        {"policy": _core.gangs.GangReservationPolicy(rebuilt=("tasks", "first"))},
        {"policy": _core.gangs.GangReservationPolicy(rebuilt=("machines", "consecutive"))},
        {
            "policy": _core.gangs.GangQueuePolicy("protected_head", selection=_BB),
            "cluster_jobs": _single_tasks(),
        },
        {
            "policy": _core.gangs.GangReservationPolicy(protected_jobs=2, selection=("product", 256, 0, 1)),
            "cluster_jobs": _single_tasks(),
        },
        {
            "policy": _core.gangs.GangQueuePolicy("protected_head"),
            "predicted_by": ints(0, -1, 0, 1),
            "outages": _NO_OUTAGES,
            "failures": _NO_OUTAGES,
        },
        {"policy": _core.online.ClusterMrisPolicy(**_MRIS), "cluster_jobs": _single_tasks()},
        {"policy": _core.online.ClusterMrisDynamicPolicy(**_MRIS), "cluster_jobs": _single_tasks()},
    ],
    "SlotTasks": [{"first_task": ints(0, 1, 2, 3), "map_tasks": ints(1, 0, 1), "estimated_demand": None}],
    "run_slots": [
        {"policy": policy, "estimated_demand": None, "solver": solver, "mem_mode": mode}
        for policy, solver, mode in (
            ("ocorp", "flow", "once"),
            ("srpt", "greedy", "twice"),
            ("fifo", "flow", "backfill"),
            ("las", "flow", "once"),
            ("gittins", "joblevel", "once"),
        )
    ]
    + [
        {"policy": policy, "weight": floats(1, 0, 2), "remainders": remainders}
        for policy, remainders in (("drf", "dropped"), ("proportional_fairness", "carried"))
    ]
    + [
        # These share cores alone.
        {
            "policy": "ocorp_plus",
            "solver": solver,
            "demand": ints([2], [1], [3]),
            "estimated_demand": None,
            "capacity": ints([3], [2]),
        }
        for solver in ("greedy", "flow")
    ]
    + [
        {"policy": policy, "service": service, "skip": skip}
        for policy, service, skip in (("srvf", "whole", True), ("srpt", "repacked", False))
    ],
    "run_mapreduce": [{"order": "srpt", "latency": None}, {"order": "fifo", "packing": "ffd"}],
    "switching_slot": [{"solver": "joblevel"}, {"solver": "flow"}],
    "memory_step": [{"profit": None, "mem_mode": "once"}, {"mem_mode": "twice", "work_conserving": False}],
    "pack_slot": [{"previous": None, "cut": -1}],
    "fair_shares": [{"rule": "drf", "weight": None}],
    "whole_cores": [{"owed": None}],
    "knapsack_of_integers": [
        {"method": name} for name in ("exact", "greedy", "greedy_union", "greedy_prefix")
    ],
    "knapsack_of_reals": [{"method": name} for name in ("cadp", "greedy", "greedy_union", "greedy_prefix")],
    "knapsack_items": [{"method": method} for method in kernels.KnapsackMethod],
    "type_list_scheduling": [{"mixing": "sched_mixed", "base": "multifit"}, {"mixing": "sched_juxtapose"}],
    "fill_greedy": [{"sort": False, "search": False, "n_machines": 3}, {"label_of_type": ints(0, 0)}],
    "fill_rebalance": [{"rule": "first"}, {"label_of_type": ints(0, 0)}],
    "greedy_dedicated": [{"inner": "sched_mixed", "base": "multifit"}],
    "type_clusters": [{"method": "first_fit"}],
    "cap_fractions": [{"cap": "machine"}],
    "task_tetris_preemptive": [{"scale": None, "remote": "ten_percent"}],
    "TaskTetrisPolicy": [{"scale": None, "remote": "ten_percent"}],
    "find_first_run_violation": [
        {"killed": "requeue", "job_outcome": None, "preempt": "drop", "forbidden": None},
        {"preempt": None, "limits": [(ints(2, 0, 0, 1), -1, "jobs", 0, 0)]},
        {"level": None, "preemptible": None, "limits": [], "preempt": "checkpoint"},
        {"killed": "drop", "first_awaited": None, "awaited_job": None, "awaited": None, "outages": None},
        {"failures": None, "cancellation": None, "n_tasks": None, "max_tasks": None, "exclusive": None},
        {"machine_set": None, "allowed": None, "checkpoint_interval": None, "restart_cost": None},
    ],
    "find_first_task_violation": [{"kind": "migrate"}, {"kind": "preempt"}],
}


def _same_or_copy(change: dict[str, Any]) -> dict[str, Any]:
    return {name: value.copy() if isinstance(value, np.ndarray) else value for name, value in change.items()}


def _makers(module: Any, name: str, make: Callable[[], dict[str, Any]]) -> list[Maker]:
    def maker(change: dict[str, Any]) -> Maker:
        return lambda: (getattr(module, name), {**make(), **_same_or_copy(change)})

    return [maker(change) for change in [{}, *_VARIANTS.get(name, [])]]


def _room_of(name: str) -> Any:
    (room,) = (room for room in ROOMS if name in vars(room))  # one room alone has it
    return room


def _method(owner: str, name: str) -> Maker:
    def make() -> Call:
        target, methods = _METHODS[owner]()
        if isinstance(getattr(type(target), name), property):
            return lambda: getattr(target, name), {}
        if name == "__setstate__":
            return lambda state: type(target).__new__(type(target)).__setstate__(state), methods[name]
        return getattr(target, name), methods[name]

    return make


class _Asking:
    """A policy that asks its event, or its turn, for one thing."""

    label = "asking"

    def __init__(self, ask: Callable[[Any, Any], Any]) -> None:
        self.ask = ask

    def _decide(self, event: Any, turn: Any) -> None:
        self.ask(event, turn)


def _while_deciding(ask: Callable[[Any, Any], Any]) -> None:
    policy = _core.engine.PythonPolicy(_Asking(ask), takes_gangs=True)
    scheduler = _core.engine.OnlineScheduler(policy, _core.engine.Machines(**_machines()))
    scheduler.submit(*_without(_jobs(), "release_time").values(), None, None, 0.0)
    scheduler.advance(0.0)


def _of_an_event(name: str) -> list[Maker]:
    return [lambda: (lambda: _while_deciding(lambda event, turn: getattr(event, name)), {})]


def _of_a_turn(name: str, arguments: dict[str, Any] | None) -> list[Maker]:
    if arguments is None:
        return [lambda: (lambda: _while_deciding(lambda event, turn: getattr(turn, name)), {})]
    called: dict[str, Any] = arguments
    return [
        lambda: (
            lambda **given: _while_deciding(lambda event, turn: getattr(turn, name)(**given)),
            dict(called),
        )
    ]


_OF_EVENTS = (
    *("now", "arrived", "completed", "killed", "cancelled"),
    *("held", "released", "updated", "adopted", "machines_changed"),
)
_OF_TURNS: dict[str, dict[str, Any] | None] = {
    "free": None,
    "waiting": None,
    "running": None,
    "machines": None,
    "jobs": {"ids": ints(0, 2)},
    "fits": {"id": 1},
    "room": {"id": 1},
    "start": {"id": 1, "machine": 0},
    "start_tasks": {"id": 1, "tasks": [(1, 1)]},
    "wake": {"at": 3.0},
}

CALLS: dict[str, list[Maker]] = {
    **{f"PolicyEvent.{name}": _of_an_event(name) for name in _OF_EVENTS},
    **{f"PolicyTurn.{name}": _of_a_turn(name, arguments) for name, arguments in _OF_TURNS.items()},
    "Policy.heeds_eligibility": [lambda: (lambda: _core.online.TetrisPolicy("plus").heeds_eligibility, {})],
    "Policy.heeds_placements": [lambda: (lambda: _core.online.TetrisPolicy("plus").heeds_placements, {})],
    "Policy.heeds_clusters": [lambda: (lambda: _core.online.TetrisPolicy("plus").heeds_clusters, {})],
    **{name: _makers(_room_of(name), name, make) for name, make in _FUNCTIONS.items()},
    **{f"kernels.{name}": _makers(kernels, name, make) for name, make in _KERNELS.items()},
    **{f"{owner}.{name}": [_method(owner, name)] for owner, make in _METHODS.items() for name in make()[1]},
    "ResourceTimeline.pickle": [lambda: (lambda: pickle.loads(pickle.dumps(_timeline())), {})],
}
