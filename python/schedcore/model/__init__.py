"""Instances, schedules, results, and the exact validator.

Everything here is immutable, compares and hashes by content, and pickles. Amounts of resources are exact
int64 units, times are float64, and a job occupies the half-open interval [start, start + processing_time).
"""

from .assignment import Assignment
from .colocation import ColocationInstance
from .colocation_result import ColocationResult
from .identity import content_hash
from .instance import Instance
from .jobs import Jobs
from .machines import Machines
from .partition import Partition
from .result import Result
from .schedule import Schedule
from .validation import ValidationReport, validate

__all__ = [
    "Assignment",
    "ColocationInstance",
    "ColocationResult",
    "Instance",
    "Jobs",
    "Machines",
    "Partition",
    "Result",
    "Schedule",
    "ValidationReport",
    "content_hash",
    "validate",
]
