"""What sites set about backfilling: how deep, how far ahead, how finely and how often it looks.

The names are those of the literature; ``docs/backfilling.md`` maps the settings of Slurm, Flux and PBS to them.
"""

import math
import operator
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from schedcore.errors import InvalidInstanceError, UnsupportedError
from schedcore.model.choices import checked_flag
from schedcore.registry import Option

__all__ = [
    "INTERVAL",
    "PLAN_LIMITS",
    "QUEUE_DEPTH",
    "SiteLimits",
    "checked_record",
    "positive_integer",
    "record_option",
    "refuse_record",
]


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
        _non_negative("window", self.window)
        _above_zero("resolution", self.resolution)
        _above_zero("interval", self.interval)

    def arguments(self) -> dict[str, float | None]:
        """Return the arguments of a compiled policy."""
        return {
            "queue_depth": self.queue_depth,
            "window": self.window,
            "resolution": self.resolution,
            "interval": self.interval,
        }


def positive_integer(name: str, value: Any) -> None:
    """Raise an `InvalidInstanceError` unless `value` is None or an integer from 1 on."""
    if value is None:
        return
    try:
        number = operator.index(value)
    except TypeError:
        number = 0
    if isinstance(value, bool) or not 1 <= number < 2**63:
        raise InvalidInstanceError(f"{name} = {value!r} must be an integer from 1 to 2**63 - 1")


def _number(name: str, value: Any, meaning: str) -> float:
    try:
        is_number = isinstance(value, Real) and not isinstance(value, (bool, np.bool_))
        number = float(value) if is_number else math.nan
    except OverflowError:
        number = math.inf if value > 0 else -math.inf
    if math.isnan(number):
        raise InvalidInstanceError(f"{name} = {value!r} must be {meaning}")
    return number


def _non_negative(name: str, value: Any) -> None:
    if value is not None and _number(name, value, "a number of at least 0") < 0:
        raise InvalidInstanceError(f"{name} = {value!r} must be at least 0")


def _above_zero(name: str, value: Any) -> None:
    if value is not None and not 0 < _number(name, value, "a number above 0") < math.inf:
        raise InvalidInstanceError(f"{name} = {value!r} must be above 0 and finite")


QUEUE_DEPTH = Option(
    "queue_depth",
    None,
    "how many waiting jobs a run of backfilling looks at; None: all",
    check=lambda value: positive_integer("queue_depth", value),
)
INTERVAL = Option(
    "interval",
    None,
    "least time between two runs of backfilling; None: it runs at every event",
    check=lambda value: _above_zero("interval", value),
)
PLAN_LIMITS = (
    QUEUE_DEPTH,
    Option(
        "window",
        None,
        "how far ahead a start may be planned; None: without limit",
        check=lambda value: _non_negative("window", value),
    ),
    Option(
        "resolution",
        None,
        "planned ends are rounded up to multiples of it; None: they are not",
        check=lambda value: _above_zero("resolution", value),
    ),
    INTERVAL,
)


def checked_record(value: Any) -> bool:
    """Return `record` as a bool; an `InvalidInstanceError` unless it is True or False."""
    return checked_flag("record", value)


def record_option(description: str) -> Option:
    """The option `record` of a policy, which tells what the policy keeps."""
    return Option("record", False, description, check=checked_record)


def refuse_record(options: dict[str, Any]) -> None:
    """Take `record` out of the options of an embedded policy; `UnsupportedError` if it is set."""
    if options.pop("record", False):
        raise UnsupportedError(
            "record=True is for solve: an embedded scheduler returns its decisions, record those"
        )
