"""Running algorithms: a whole workload at once, or embedded in another program event by event."""

from schedcore import registry
from schedcore._core import build_config

from .compiled_policy import CompiledPolicy, turn_functions
from .decision import BrokenPromises, Decision, Placement, Placements
from .explanations import Explanation
from .forecasts import Forecast
from .installed_policies import register_installed
from .online import OnlineScheduler
from .own_policy import Event, Policy, RunningJobs, Turn, TurnMachines
from .policy_checks import PolicyReport, check_policy
from .scheduler_views import JobStates, MachineStates
from .solving import solve
from .timeline import ResourceTimeline
from .waiting_history import waiting_rows as _waiting_rows  # noqa: F401  # what metrics.waiting_reasons asks

__all__ = [
    "BrokenPromises",
    "CompiledPolicy",
    "Decision",
    "Event",
    "Explanation",
    "Forecast",
    "JobStates",
    "MachineStates",
    "OnlineScheduler",
    "Placement",
    "Placements",
    "Policy",
    "PolicyReport",
    "ResourceTimeline",
    "RunningJobs",
    "Turn",
    "TurnMachines",
    "build_config",
    "check_policy",
    "solve",
    "turn_functions",
]

registry.look_for_more(register_installed)
