"""Multi-resource cluster scheduling: exact, fast, with a certificate beside every schedule.

Types, `solve`, `compare`, `sweep`, `validate`, `OnlineScheduler`, `partition`, `knapsack` and the errors are here. What
belongs to one family of problems is in `schedcore.online`, `.backfilling`, `.parallel_tasks`, `.preemptive` and
`.colocation`.
"""

from importlib import import_module as _import_module
from importlib.util import find_spec as _find_spec
from logging import NullHandler as _NullHandler
from logging import getLogger as _get_logger
from typing import TYPE_CHECKING

from . import algorithms, bounds, engine, metrics, model, registry
from ._core import build_config
from .algorithms import knapsack, partition
from .engine import (
    BrokenPromises,
    CompiledPolicy,
    Decision,
    Explanation,
    Forecast,
    JobStates,
    MachineStates,
    OnlineScheduler,
    Placement,
    Placements,
    Policy,
    ResourceTimeline,
    solve,
)
from .errors import InfeasibleError, InvalidInstanceError, PolicyError, SchedcoreError, UnsupportedError
from .model import (
    Allocation,
    Assignment,
    ColocationInstance,
    ColocationResult,
    Incidents,
    Instance,
    Jobs,
    Limit,
    Machines,
    MapReduceInstance,
    Multifactor,
    Outages,
    ParallelTaskInstance,
    ParallelTaskResult,
    Partition,
    PreemptiveResult,
    PreemptiveSchedule,
    Result,
    RunAllocation,
    Runs,
    Schedule,
    ServiceClass,
    Site,
    TaskPartition,
    ValidationReport,
    validate,
)
from .model.result import set_result_panel as _set_result_panel
from .versions import show_versions

__all__ = [
    "Allocation",
    "Assignment",
    "BrokenPromises",
    "ColocationInstance",
    "ColocationResult",
    "ComparisonTable",
    "CompiledPolicy",
    "Decision",
    "Explanation",
    "Forecast",
    "Incidents",
    "InfeasibleError",
    "Instance",
    "InvalidInstanceError",
    "JobStates",
    "Jobs",
    "Limit",
    "MachineStates",
    "Machines",
    "MapReduceInstance",
    "Multifactor",
    "OnlineScheduler",
    "Outages",
    "ParallelTaskInstance",
    "ParallelTaskResult",
    "Partition",
    "Placement",
    "Placements",
    "Policy",
    "PolicyError",
    "PreemptiveResult",
    "PreemptiveSchedule",
    "ResourceTimeline",
    "Result",
    "RunAllocation",
    "Runs",
    "SchedcoreError",
    "Schedule",
    "ServiceClass",
    "Site",
    "TaskPartition",
    "UnsupportedError",
    "ValidationReport",
    "__version__",
    "backfilling",
    "bounds",
    "build_config",
    "colocation",
    "compare",
    "engine",
    "get_cmake_dir",
    "get_include",
    "knapsack",
    "metrics",
    "model",
    "online",
    "parallel_tasks",
    "partition",
    "plotting",
    "preemptive",
    "registry",
    "show_versions",
    "slurm",
    "solve",
    "sweep",
    "validate",
    "workloads",
]

# A library prints nothing: whoever wants its messages adds a handler.
_get_logger("schedcore").addHandler(_NullHandler())

# Few programs draw.
_set_result_panel(
    lambda result, /, *, ax=None: _import_module("schedcore.plotting").plot_result(result, ax=ax)
)

__version__: str = build_config()["version"]


def get_include() -> str:
    """Return the folder of the C++ headers: compile with ``-I`` and include ``"schedcore/<room>/<concept>.hpp"``."""
    return _folder("include")


def get_cmake_dir() -> str:
    """Return the folder for ``CMAKE_PREFIX_PATH``, where ``find_package(schedcore CONFIG)`` finds the core."""
    return _folder("cmake")


def _folder(name: str) -> str:
    # Not for every program that imports schedcore.
    from importlib.resources import files

    return str(files("schedcore").joinpath(name))


def __dir__() -> list[str]:
    return [*__all__, "experiments"] if _find_spec("pydantic") else [*__all__]


if TYPE_CHECKING:
    from . import backfilling as backfilling
    from . import colocation as colocation
    from . import experiments as experiments
    from . import online as online
    from . import parallel_tasks as parallel_tasks
    from . import plotting as plotting
    from . import preemptive as preemptive
    from . import slurm as slurm
    from . import workloads as workloads
    from .algorithms import *  # noqa: F403
    from .bounds import *  # noqa: F403
    from .comparisons import ComparisonTable as ComparisonTable
    from .comparisons import compare as compare
    from .comparisons import sweep as sweep
else:
    _MODULES_ON_DEMAND = (
        "backfilling", "colocation", "online", "parallel_tasks", "plotting", "preemptive", "slurm", "workloads"
    )  # fmt: skip

    def __getattr__(name: str) -> object:
        """Load `experiments` when it is first used, as it needs more packages than other programs do.

        So are `compare` and `sweep`, as they need all kinds of problems, and the modules that not all programs need.
        Algorithms and bounds also go by the names that they had here before the families got modules of their own.
        """
        if name == "experiments":
            try:
                return _import_module("schedcore.experiments")
            except ImportError as error:  # what asks for attributes, such as help(), expects this one
                raise AttributeError(str(error)) from error
        if name in _MODULES_ON_DEMAND:
            return _import_module(f"schedcore.{name}")
        if name in ("ComparisonTable", "compare", "sweep"):
            globals()[name] = value = getattr(_import_module("schedcore.comparisons"), name)
            return value
        for home in (algorithms, bounds):
            if name in home.__all__:
                globals()[name] = value = getattr(home, name)
                return value
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
