"""Running algorithms: a whole workload at once, or embedded in another program event by event."""

from schedcore._core import build_config

from .decision import BrokenPromises, Decision, Placement, Placements
from .explanations import Explanation
from .forecasts import Forecast
from .online import OnlineScheduler
from .scheduler_views import JobStates, MachineStates
from .solving import solve
from .timeline import ResourceTimeline

__all__ = [
    "BrokenPromises",
    "Decision",
    "Explanation",
    "Forecast",
    "JobStates",
    "MachineStates",
    "OnlineScheduler",
    "Placement",
    "Placements",
    "ResourceTimeline",
    "build_config",
    "solve",
]
