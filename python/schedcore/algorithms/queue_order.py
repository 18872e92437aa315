"""In what order a queue is, as the core takes it: a key, a formula, numbers, or priorities that a site computes."""

from typing import Any

from schedcore.errors import InvalidInstanceError
from schedcore.model import Site
from schedcore.model.choices import check_choice
from schedcore.model.queue_keys import QUEUE_FORMULAS, QUEUE_KEYS

from .priority_key import PriorityKey

__all__ = ["OPTION_ORDERS", "STANDING_ORDERS", "checked_order", "order_of"]

_BY_ARRIVAL = PriorityKey("erf")

#: The orders that a policy takes as an option, without a site: those that need nothing of one.
OPTION_ORDERS = ("arrival", *QUEUE_KEYS, *QUEUE_FORMULAS)
#: Of these, as the core calls them, those that stand still and whose keys the policies for single tasks take.
STANDING_ORDERS = frozenset({"erf", "sjf", "svf", "sdf", "saf", "f1", "f2", "f3", "f4"})


def checked_order(name: str, order: object) -> str:
    """Return how the core calls an order that is given as an option, in any case.

    Raises
    ------
    InvalidInstanceError
        For other orders, with the close matches; those that are no names are orders of a site.
    """
    if not isinstance(order, str):
        raise InvalidInstanceError(
            f"{name} = {order!r} must be a name; numbers, callables and factors are for Site(order=...)"
        )
    check_choice(name, order.lower(), OPTION_ORDERS)
    return _BY_ARRIVAL.rule if order.lower() == "arrival" else order.lower()


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
