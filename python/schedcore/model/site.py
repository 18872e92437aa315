"""The rules of a site: in what order jobs wait, what partitions and classes there are, and what limits hold jobs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any, ClassVar, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from schedcore.errors import InvalidInstanceError, one_line

from .arrays import unmasked
from .choices import check_choice
from .identity import Record
from .incidents import KILLED
from .queue_keys import QUEUE_FORMULAS, QUEUE_KEYS
from .real_numbers import finite_number
from .site_parts import Limit, Multifactor, Partition, ServiceClass, check_priority, named

__all__ = ["ORDERS", "QueueOrder", "Site", "in_words"]

#: The named orders of a queue.
ORDERS = ("arrival", "priority", *QUEUE_KEYS, *QUEUE_FORMULAS)
QueueOrder = str | Callable[..., ArrayLike] | ArrayLike | Multifactor


class Site(Record):
    """The rules of a site; immutable. Rules that name nobody change nothing.

    Parameters
    ----------
    order : str, callable, array_like or Multifactor, default "arrival"
        In what order jobs wait: "arrival" (by release time, then by index), "priority" (the column of jobs, higher
        first), a key such as "sjf" (see `schedcore.online.pq`; of the estimate), a formula of the field ("saf", "f1" to
        "f4", "lxf", "wfp3", "unicef"; those of the last three are computed anew at every event), numbers, or a callable
        that is given the `Jobs` and returns numbers, smaller first; or weights of factors. Equal ones are in order of
        arrival.
    partitions : iterable of Partition
        Where there are some, every partition that a job names must be one of them.
    service_classes : iterable of ServiceClass
        Likewise.
    limits : iterable of Limit
    shares : mapping of str to float, optional
        What every account that occurs was promised, above 0; None names the jobs without one. Without shares all
        accounts count alike, each with a share of 1.
    preempt : {"requeue", "drop", "checkpoint"}, optional
        Jobs of higher levels end running jobs of preemptible classes, and this is what becomes of these.

    Raises
    ------
    InvalidInstanceError
        For an unknown order or rule (with the close matches), a name that two partitions or classes have, a limit of
        a partition or class that is none of those given, an account that has two shares, and factors or shares out of
        range.
    TypeError
        For other kinds of objects.

    Notes
    -----
    Whether the partitions, classes, accounts and resources are those of the jobs depends on the instance: policies
    refuse it otherwise, and name the job.

    In formulas r is the estimate and wait the time since the release. n is the amount that a job demands, with all of
    its tasks, of the resource of which it demands the largest share of all machines together, the first of equals. s
    is 1 plus the time between the first release and that of the job, at least 1. "unicef" puts jobs of n = 1 first.
    """

    __slots__ = ("limits", "order", "partitions", "preempt", "service_classes", "shares")
    _fields: ClassVar[tuple[str, ...]] = (
        "order",
        "partitions",
        "service_classes",
        "limits",
        "shares",
        "preempt",
    )

    order: Any
    partitions: tuple[Partition, ...]
    service_classes: tuple[ServiceClass, ...]
    limits: tuple[Limit, ...]
    shares: Mapping[str | None, float] | None
    preempt: str | None

    def __init__(
        self,
        order: QueueOrder = "arrival",
        partitions: Iterable[Partition] = (),
        service_classes: Iterable[ServiceClass] = (),
        limits: Iterable[Limit] = (),
        shares: Mapping[str | None, float] | None = None,
        preempt: str | None = None,
    ) -> None:
        if preempt is not None:
            check_choice("preempt", preempt, KILLED)
        self._assign(
            order=_checked_order(order),
            partitions=_named("partitions", partitions, Partition),
            service_classes=_named("service_classes", service_classes, ServiceClass),
            limits=_parts("limits", limits, Limit),
            shares=_checked_shares(shares),
            preempt=preempt,
        )
        self._check_limited()
        if self.multifactor is not None:
            self._check_factors(self.multifactor)

    @property
    def multifactor(self) -> Multifactor | None:
        """The weights of factors that order the queue; None if something else does."""
        return self.order if isinstance(self.order, Multifactor) else None

    @property
    def changes_nothing(self) -> bool:
        """Whether it holds no rule: the order is "arrival", and nothing else is given.

        Partitions, classes and shares are rules even if they say no more than their names: jobs may name no others.
        """
        by_arrival = isinstance(self.order, str) and self.order == "arrival"
        parts = (self.partitions, self.service_classes, self.limits, self.shares, self.preempt)
        return by_arrival and not any(parts)

    def _check_limited(self) -> None:
        """Raise an `InvalidInstanceError` for a limit of a partition or class that no job may name."""
        names = {
            "partition": [part.name for part in self.partitions],
            "service_class": [part.name for part in self.service_classes],
        }
        for index, limit in enumerate(self.limits):
            known = names.get(limit.party)
            if known and limit.value is not None and limit.value not in known:
                raise InvalidInstanceError(
                    f"limits[{index}] = {limit!r} is of no {limit.party}: {in_words(known)}"
                )

    def _check_factors(self, weights: Multifactor) -> None:
        largest = {
            "partition": max((abs(part.factor) for part in self.partitions), default=0),
            "service_class": max((abs(part.factor) for part in self.service_classes), default=0),
            "job": 0,  # of which jobs say the factor
        }
        names = ("age", "fair_share", "size", *largest)
        check_priority(
            "the weights times the largest factors",
            [getattr(weights, name) * largest.get(name, 1) for name in names],
        )

    def __repr__(self) -> str:
        shown = (
            [] if isinstance(self.order, str) and self.order == "arrival" else [f"order={_word(self.order)}"]
        )
        shown += [
            f"{len(part)} {name}"
            for name in ("partitions", "service_classes", "limits", "shares")
            if (part := getattr(self, name))
        ]
        if self.preempt:
            shown.append(f"preempt={self.preempt!r}")
        return f"Site({', '.join(shown)})"

    def _contents(self) -> dict[str, object]:
        shares = None if self.shares is None else list(self.shares.items())
        return {**super()._contents(), "shares": shares}

    @classmethod
    def _restore(cls, values: dict[str, Any]) -> Self:
        shares = values["shares"]
        return super()._restore(
            {**values, "shares": None if shares is None else MappingProxyType(dict(shares))}
        )


_PartT = TypeVar("_PartT", bound=Record)


def _parts(name: str, given: Iterable[_PartT], kind: type[_PartT]) -> tuple[_PartT, ...]:
    if isinstance(given, (str, Record)) or not isinstance(given, Iterable):
        raise TypeError(f"{name} must be an iterable of {kind.__name__}, not {type(given).__name__}")
    parts = tuple(given)
    for index, part in enumerate(parts):
        if not isinstance(part, kind):
            raise TypeError(f"{name}[{index}] must be a {kind.__name__}, not {type(part).__name__}")
    return parts


def _named(name: str, given: Iterable[_PartT], kind: type[_PartT]) -> tuple[_PartT, ...]:
    parts = _parts(name, given, kind)
    first: dict[str, int] = {}
    for index, part in enumerate(parts):
        own = part.name  # type: ignore[attr-defined]
        if own in first:
            raise InvalidInstanceError(f"{name}[{index}] has the name {named(own)} of {name}[{first[own]}]")
        first[own] = index
    return parts


def _checked_order(order: object) -> object:
    if isinstance(order, str):
        check_choice("order of the queue", order.lower(), ORDERS)
        return order.lower()
    if isinstance(order, Multifactor) or callable(order):
        return order
    try:
        numbers = np.array(unmasked(order, "the order of the queue"), dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidInstanceError(
            f"order must be a name, a callable, an array of numbers or a Multifactor: {error}"
        ) from error
    if numbers.ndim != 1:
        raise InvalidInstanceError(
            f"order has shape {numbers.shape}, not (n_jobs,): one number for every job"
        )
    return numbers


def _checked_shares(shares: object) -> Mapping[str | None, float] | None:
    if shares is None:
        return None
    if not isinstance(shares, Mapping):
        raise TypeError(f"shares must map accounts to numbers, not be a {type(shares).__name__}")
    checked: dict[str | None, float] = {}
    for account, share in shares.items():
        if account is not None and not isinstance(account, str):
            raise TypeError(f"an account of shares must be a str, not {account!r}")
        if (account or None) in checked:
            raise InvalidInstanceError("shares has both None and '', which are the jobs without an account")
        checked[account or None] = finite_number(f"shares[{_word(account)}]", share, above_0=True)
    if not checked:
        return None
    together, least = sum(checked.values()), min(checked.values())
    if not math.isfinite(together) or least / together == 0:
        raise InvalidInstanceError(
            f"the shares add up to {together:g}, of which the least, {least:g}, is no part"
        )
    return MappingProxyType(
        dict(sorted(checked.items(), key=lambda each: (each[0] is not None, each[0] or "")))
    )


def in_words(known: Iterable[str]) -> str:
    """Return what names a site has, as messages say it."""
    return f"the site has {', '.join(map(named, known))}"


def _word(given: object) -> str:
    return f"{len(given)} numbers" if isinstance(given, np.ndarray) else one_line(repr(given))
