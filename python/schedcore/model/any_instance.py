"""The kinds of instances that algorithms solve, as one type."""

from typing import TypeAlias

from .colocation import ColocationInstance
from .instance import Instance
from .map_reduce import MapReduceInstance
from .parallel_tasks import ParallelTaskInstance

__all__ = ["AnyInstance"]

AnyInstance: TypeAlias = Instance | ColocationInstance | ParallelTaskInstance | MapReduceInstance
