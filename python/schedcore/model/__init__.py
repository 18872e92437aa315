"""Instances, schedules, results, and the exact validator.

Everything here is immutable, compares and hashes by content, and pickles. Amounts of resources are exact
int64 units, times are float64, and a job occupies the half-open interval [start, start + processing_time).
"""

from .allocation import Allocation, RunAllocation
from .any_instance import AnyInstance
from .assignment import Assignment
from .coded_texts import CodedTexts
from .colocation import ColocationInstance
from .colocation_result import ColocationResult
from .constraints import AllowedMachines, allowed_machines, machines_that_satisfy
from .features import FEATURES, features_of, features_of_incidents, features_of_site
from .identity import content_hash
from .incidents import Incidents
from .instance import Instance
from .integer_lists import IntegerLists
from .jobs import Jobs
from .kernel_columns import kernel_columns
from .machines import Machines
from .map_reduce import MapReduceInstance
from .outages import Outages
from .parallel_task_result import ParallelTaskResult
from .parallel_tasks import ParallelTaskInstance
from .preemptive_result import PreemptiveResult
from .preemptive_schedule import PreemptiveSchedule
from .result import Result
from .runs import Runs
from .schedule import Schedule
from .site import Site
from .site_parts import Limit, Multifactor, Partition, ServiceClass
from .task_partition import TaskPartition
from .usable_placements import usable
from .validation import validate
from .validation_report import ValidationReport

__all__ = [
    "FEATURES",
    "Allocation",
    "AllowedMachines",
    "AnyInstance",
    "Assignment",
    "CodedTexts",
    "ColocationInstance",
    "ColocationResult",
    "Incidents",
    "Instance",
    "IntegerLists",
    "Jobs",
    "Limit",
    "Machines",
    "MapReduceInstance",
    "Multifactor",
    "Outages",
    "ParallelTaskInstance",
    "ParallelTaskResult",
    "Partition",
    "PreemptiveResult",
    "PreemptiveSchedule",
    "Result",
    "RunAllocation",
    "Runs",
    "Schedule",
    "ServiceClass",
    "Site",
    "TaskPartition",
    "ValidationReport",
    "allowed_machines",
    "content_hash",
    "features_of",
    "features_of_incidents",
    "features_of_site",
    "kernel_columns",
    "machines_that_satisfy",
    "usable",
    "validate",
]
