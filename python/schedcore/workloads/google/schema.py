"""The tables of Google's cluster trace of 2011, version 2.1: columns in the order of the files [Reiss2011]_.

Times are microseconds since 600 s before the trace; 0 is before it, 2**63 - 1 after its end. CPU, memory and disk are
fractions of the largest machine.

.. [Reiss2011] C. Reiss, J. Wilkes, J. L. Hellerstein, "Google cluster-usage traces: format + schema", 2011
   (clusterdata-2011-2, CC-BY 4.0).
"""

import dataclasses
import enum
from typing import Literal

__all__ = ["GOOGLE_TABLES", "GoogleColumn", "MachineEvent", "TaskEvent"]


# Times the largest machine. What one task asks for, or one machine has, is at most 1; a million is no number of it.
_LARGEST_SHARE = 1_000_000


class TaskEvent(enum.IntEnum):
    """What happened to a job or task: `event_type` of job_events and task_events."""

    SUBMIT = 0
    SCHEDULE = 1
    EVICT = 2
    FAIL = 3
    FINISH = 4
    KILL = 5
    LOST = 6
    UPDATE_PENDING = 7
    UPDATE_RUNNING = 8


class MachineEvent(enum.IntEnum):
    """What happened to a machine: `event_type` of machine_events."""

    ADD = 0
    REMOVE = 1
    UPDATE = 2


@dataclasses.dataclass(frozen=True)
class GoogleColumn:
    """A column of a table; numbers are at least 0.

    Parameters
    ----------
    name : str
    kind : {"integer", "number", "text"}
        int64, float64, or a word such as the hash of a name.
    is_needed : bool
        Whether every row has a value; otherwise an empty field is a missing one.
    most : int, optional
        Largest possible value.
    """

    name: str
    kind: Literal["integer", "number", "text"]
    is_needed: bool = False
    most: int | None = None


def _needed(name: str, most: int | None = None) -> GoogleColumn:
    return GoogleColumn(name, "integer", is_needed=True, most=most)


def _integer(name: str, most: int | None = None) -> GoogleColumn:
    return GoogleColumn(name, "integer", most=most)


def _number(name: str) -> GoogleColumn:
    return GoogleColumn(name, "number")


def _share(name: str) -> GoogleColumn:
    return GoogleColumn(name, "number", most=_LARGEST_SHARE)


def _text(name: str, is_needed: bool = False) -> GoogleColumn:
    return GoogleColumn(name, "text", is_needed)


#: Table -> its columns.
GOOGLE_TABLES: dict[str, tuple[GoogleColumn, ...]] = {
    "job_events": (
        _needed("time"),
        _integer("missing_info", 2),
        _needed("job_id"),
        _needed("event_type", max(TaskEvent)),
        _text("user"),
        _integer("scheduling_class", 3),
        _text("job_name"),
        _text("logical_job_name"),
    ),
    "task_events": (
        _needed("time"),
        _integer("missing_info", 2),
        _needed("job_id"),
        _needed("task_index"),
        _integer("machine_id"),
        _needed("event_type", max(TaskEvent)),
        _text("user"),
        _integer("scheduling_class", 3),
        _needed("priority", 11),
        _share("cpu_request"),
        _share("memory_request"),
        _share("disk_space_request"),
        _integer("different_machines", 1),
    ),
    "machine_events": (
        _needed("time"),
        _needed("machine_id"),
        _needed("event_type", max(MachineEvent)),
        _text("platform"),
        _share("cpu"),
        _share("memory"),
    ),
    "machine_attributes": (
        _needed("time"),
        _needed("machine_id"),
        _text("attribute_name", is_needed=True),
        _text("attribute_value"),
        _needed("attribute_deleted", 1),
    ),
    "task_constraints": (
        _needed("time"),
        _needed("job_id"),
        _needed("task_index"),
        _needed("comparison_operator", 3),
        _text("attribute_name", is_needed=True),
        _text("attribute_value"),
    ),
    "task_usage": (
        _needed("start_time"),
        _needed("end_time"),
        _needed("job_id"),
        _needed("task_index"),
        _needed("machine_id"),
        _number("cpu_rate"),
        _number("canonical_memory_usage"),
        _number("assigned_memory_usage"),
        _number("unmapped_page_cache"),
        _number("total_page_cache"),
        _number("maximum_memory_usage"),
        _number("disk_io_time"),
        _number("local_disk_space_usage"),
        _number("maximum_cpu_rate"),
        _number("maximum_disk_io_time"),
        _number("cycles_per_instruction"),
        _number("memory_accesses_per_instruction"),
        _number("sample_portion"),
        _integer("aggregation_type", 1),
        _number("sampled_cpu_usage"),
    ),
}
