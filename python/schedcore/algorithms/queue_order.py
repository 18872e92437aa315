"""In what order a queue is, as the core takes it: a key, numbers, or priorities that a site computes."""

from typing import Any

from schedcore.errors import InvalidInstanceError
from schedcore.model import Site

from .priority_key import PriorityKey

__all__ = ["order_of"]

_BY_ARRIVAL = PriorityKey("erf")


def order_of(site: Site | None, *, embedded: bool = False) -> PriorityKey:
    """Return what `Site.order` says: a rule of the core, and for numbers how to get them.

    Raises
    ------
    UnsupportedError
        When embedded, for an array, which cannot know the jobs to come.
    """
    if site is None:
        return _BY_ARRIVAL
    if site.multifactor is not None:
        return PriorityKey("multifactor")
    order: Any = site.order
    if isinstance(order, str) and order == "arrival":
        return _BY_ARRIVAL
    if isinstance(order, str) and order == "priority":
        return PriorityKey("priority")
    return PriorityKey.embedded(order) if embedded else PriorityKey.of(order, InvalidInstanceError)
