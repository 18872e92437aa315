"""What sites set about backfilling: how deep, how far ahead, how finely and how often it looks.

The names are those of the literature; ``docs/backfilling.md`` maps the settings of Slurm, Flux and PBS to them. To
kernels, None stands for no limit.
"""

import math
import operator
from numbers import Real
from typing import Any

import numpy as np

from schedcore.errors import InvalidInstanceError
from schedcore.parameters import option

from .family import BackfillingParameters

__all__ = ["PassInterval", "PlanLimits", "QueueDepth", "positive_integer"]


def positive_integer(name: str, value: Any) -> int | None:
    """Return an integer from 1 on, or None."""
    if value is None:
        return None
    try:
        number = operator.index(value)
    except TypeError:
        number = 0
    if isinstance(value, bool) or not 1 <= number < 2**63:
        raise InvalidInstanceError(f"{name} = {value!r} must be an integer from 1 to 2**63 - 1")
    return number


def _number(name: str, value: Any, meaning: str) -> float:
    try:
        is_number = isinstance(value, Real) and not isinstance(value, (bool, np.bool_))
        number = float(value) if is_number else math.nan
    except OverflowError:
        number = math.inf if value > 0 else -math.inf
    if math.isnan(number):
        raise InvalidInstanceError(f"{name} = {value!r} must be {meaning}")
    return number


def _non_negative(name: str, value: Any) -> float | None:
    if value is None:
        return None
    number = _number(name, value, "a number of at least 0")
    if number < 0:
        raise InvalidInstanceError(f"{name} = {value!r} must be at least 0")
    return number


def _above_zero(name: str, value: Any) -> float | None:
    if value is None:
        return None
    number = _number(name, value, "a number above 0")
    if not 0 < number < math.inf:
        raise InvalidInstanceError(f"{name} = {value!r} must be above 0 and finite")
    return number


class QueueDepth(BackfillingParameters):
    """How deep backfilling looks."""

    queue_depth: int | None = option(
        "how many waiting jobs a run of backfilling looks at; None: all",
        "They are the first in the queue, its head included; others neither overtake nor get reservations.",
        default=None,
        check=positive_integer,
        early=True,
    )

    @property
    def has_standing_order(self) -> bool:
        return super().has_standing_order and (self.queue_depth is None or self.is_in_order_of_arrival)


class _Planning(BackfillingParameters):
    window: float | None = option(
        "how far ahead a start may be planned; None: without limit",
        "A job whose earliest start is further ahead is not protected, and looked at again in every later pass.",
        default=None,
        check=_non_negative,
        early=True,
    )
    resolution: float | None = option(
        "planned ends are rounded up to multiples of it; None: they are not",
        default=None,
        check=_above_zero,
        early=True,
    )


class PassInterval(BackfillingParameters):
    """How often backfilling looks."""

    interval: float | None = option(
        "least time between two runs of backfilling; None: it runs at every event",
        "In between nobody overtakes, and reservations are neither made nor moved; those that are due start, and so"
        " does the head of the queue.",
        default=None,
        check=_above_zero,
        early=True,
    )


class PlanLimits(PassInterval, _Planning, QueueDepth):
    """All of them, for policies that plan."""
