"""The rules of a site as plain lists, texts and numbers, and back."""

from typing import Any

from .site import Site
from .site_parts import Limit, Multifactor, Partition, ServiceClass

__all__ = ["CALLABLE", "has_callable_order", "site_as_json", "site_from_json"]

#: What stands for a callable, which is not there.
CALLABLE = {"callable": True}


def site_as_json(site: Site) -> dict[str, Any]:
    """Return all that a site says; of a callable order only that it is one, numbers for single jobs not at all."""
    order = site.order
    if isinstance(order, Multifactor):
        order = _fields(order) | {"half_life": _time(order.half_life), "max_age": _time(order.max_age)}
    elif callable(order):
        order = CALLABLE
    elif not isinstance(order, str):
        raise TypeError("an order by numbers is for jobs that are all known")
    return {
        "order": order,
        "partitions": [_fields(each) for each in site.partitions],
        "service_classes": [_fields(each) for each in site.service_classes],
        "limits": [_fields(each) for each in site.limits],
        "shares": None
        if site.shares is None
        else [[account, share] for account, share in site.shares.items()],
        "preempt": site.preempt,
    }


def has_callable_order(plain: dict[str, Any]) -> bool:
    """Whether the order was a callable, which is not there."""
    return bool(plain["order"] == CALLABLE)


def site_from_json(plain: dict[str, Any], order: Any = None) -> Site:
    """Return the site that `site_as_json` described, with `order` in place of a callable; errors are its own.

    Raises
    ------
    KeyError
        Where something is missing.
    """
    told = plain["order"]
    if has_callable_order(plain):
        told = order
    elif isinstance(told, dict):
        told = Multifactor(**{name: float(value) for name, value in told.items()})
    elif not isinstance(told, str):
        raise TypeError(f"{told!r} is no order")
    shares = plain["shares"]
    return Site(
        told,
        [Partition(**each) for each in plain["partitions"]],
        [ServiceClass(**each) for each in plain["service_classes"]],
        [Limit(**each) for each in plain["limits"]],
        None if shares is None else dict(shares),
        plain["preempt"],
    )


def _fields(part: Any) -> dict[str, Any]:
    return {name: getattr(part, name) for name in part._fields}


def _time(value: float) -> float | str:
    """JSON has no infinity."""
    return "inf" if value == float("inf") else value
