"""What sites set about backfilling: how deep, how far ahead, how finely and how often it looks.

The names are those of the literature; ``docs/backfilling.md`` maps the settings of Slurm, Flux and PBS to them.
"""

import math
from dataclasses import dataclass

from schedcore.errors import InvalidInstanceError
from schedcore.registry import Option

__all__ = ["INTERVAL", "PLAN_LIMITS", "QUEUE_DEPTH", "RECORD", "SiteLimits", "positive_integer"]

QUEUE_DEPTH = Option("queue_depth", None, "how many waiting jobs a run of backfilling looks at; None: all")
INTERVAL = Option(
    "interval", None, "least time between two runs of backfilling; None: it runs at every event"
)
PLAN_LIMITS = (
    QUEUE_DEPTH,
    Option("window", None, "how far ahead a start may be planned; None: without limit"),
    Option("resolution", None, "planned ends are rounded up to multiples of it; None: they are not"),
    INTERVAL,
)
RECORD = Option("record", False, "keep shadow times and reservations in stats")


@dataclass(frozen=True, slots=True)
class SiteLimits:
    """The limits as the core takes them, checked.

    Raises
    ------
    InvalidInstanceError
        For `queue_depth` below 1, a negative `window`, and `resolution` or `interval` not above 0 or not finite.
    """

    queue_depth: int | None = None
    window: float | None = None
    resolution: float | None = None
    interval: float | None = None

    def __post_init__(self) -> None:
        positive_integer("queue_depth", self.queue_depth)
        if self.window is not None and not self.window >= 0:
            raise InvalidInstanceError(f"window = {self.window} must be at least 0")
        for name in ("resolution", "interval"):
            value = getattr(self, name)
            if value is not None and not 0 < value < math.inf:
                raise InvalidInstanceError(f"{name} = {value} must be above 0 and finite")

    def arguments(self) -> dict[str, float | None]:
        """Return the arguments of a compiled policy."""
        return {
            "queue_depth": self.queue_depth,
            "window": self.window,
            "resolution": self.resolution,
            "interval": self.interval,
        }


def positive_integer(name: str, value: object) -> None:
    """Raise an `InvalidInstanceError` unless `value` is None or an integer from 1 on."""
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value < 2**63:
        raise InvalidInstanceError(f"{name} = {value!r} must be an integer of at least 1")
