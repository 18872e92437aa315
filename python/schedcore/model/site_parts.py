"""What the rules of a site are made of: partitions, service classes, limits, and weights of factors of priority."""

import math
from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from schedcore.errors import InvalidInstanceError, one_line

from .choices import check_choice, checked_flag
from .constraints import parsed
from .identity import Record
from .integers import INT64_MAX, checked_integer
from .real_numbers import any_number, finite_number

__all__ = [
    "HIGHEST_PRIORITY",
    "PARTIES",
    "Limit",
    "Multifactor",
    "Partition",
    "ServiceClass",
    "check_priority",
    "named",
]

#: What the parts of a priority may add up to; leaves room for jobs that demand many times what there is.
HIGHEST_PRIORITY = 1e250
#: Whose running jobs a limit counts: the columns of jobs that say to whom they belong.
PARTIES = ("user", "account", "partition", "service_class", "array")
_HIGHEST = 2**53  # tier or level
_MOST_DIGITS = 1000  # of the number of an array, zeros in front included


class Partition(Record):
    """A named set of machines, with what its jobs may ask for.

    Parameters
    ----------
    name : str
        What the column ``partition`` of jobs says.
    constraint : str, default ""
        Over the labels of machines, in addition to that of the job; "": all machines.
    max_time : float, optional
        A job whose estimate is above it can never run.
    max_tasks : int, optional
        A job with more tasks can never run.
    tier : int, default 0
        Jobs of higher tiers come first, whatever else orders the queue.
    factor : float, default 0
        What `Multifactor.partition` multiplies.

    Raises
    ------
    InvalidInstanceError
        For a value out of range, and a malformed constraint.
    TypeError
        For a value of another type.
    """

    __slots__ = ("constraint", "factor", "max_tasks", "max_time", "name", "tier")
    _fields: ClassVar[tuple[str, ...]] = ("name", "constraint", "max_time", "max_tasks", "tier", "factor")

    name: str
    constraint: str
    max_time: float | None
    max_tasks: int | None
    tier: int
    factor: float

    def __init__(
        self,
        name: str,
        constraint: str = "",
        max_time: float | None = None,
        max_tasks: int | None = None,
        tier: int = 0,
        factor: float = 0,
    ) -> None:
        what = f"partition {named(_checked_name('name of a partition', name))}"
        if not isinstance(constraint, str):
            raise TypeError(f"constraint of {what} must be a str, not {type(constraint).__name__}")
        try:
            parsed(constraint)
        except InvalidInstanceError as error:
            raise InvalidInstanceError(f"constraint of {what}: {error}") from None
        self._assign(
            name=str(name),
            constraint=str(constraint),
            max_time=None
            if max_time is None
            else finite_number(f"max_time of {what}", max_time, above_0=True),
            max_tasks=None if max_tasks is None else checked_integer(f"max_tasks of {what}", max_tasks, 1),
            tier=checked_integer(f"tier of {what}", tier, -_HIGHEST, _HIGHEST),
            factor=any_number(f"factor of {what}", factor),
        )

    def __repr__(self) -> str:
        return _shown(self, Partition("-"))


class ServiceClass(Record):
    """A class of service, such as a QOS: who may preempt whom, and a factor of priority.

    Parameters
    ----------
    name : str
        What the column ``service_class`` of jobs says.
    level : int, default 0
        Its jobs may preempt those of preemptible classes of lower levels. Jobs without a class are of level 0.
    factor : float, default 0
        What `Multifactor.service_class` multiplies.
    preemptible : bool, default False
        Whether its running jobs may be preempted.

    Raises
    ------
    InvalidInstanceError, TypeError
        For a value out of range, or of another type.
    """

    __slots__ = ("factor", "level", "name", "preemptible")
    _fields: ClassVar[tuple[str, ...]] = ("name", "level", "factor", "preemptible")

    name: str
    level: int
    factor: float
    preemptible: bool

    def __init__(self, name: str, level: int = 0, factor: float = 0, preemptible: bool = False) -> None:
        what = f"service class {named(_checked_name('name of a service class', name))}"
        self._assign(
            name=str(name),
            level=checked_integer(f"level of {what}", level, -_HIGHEST, _HIGHEST),
            factor=any_number(f"factor of {what}", factor),
            preemptible=checked_flag(f"preemptible of {what}", preemptible),
        )

    def __repr__(self) -> str:
        return _shown(self, ServiceClass("-"))


class Limit(Record):
    """At most so much of something at a time, over the running jobs of one party.

    Parameters
    ----------
    who : str
        "user", "account", "partition", "service_class" or "array": each of its values by itself. With a value, such as
        "user=ann", that one alone. Jobs without that value are not limited.
    what : str
        "jobs", "tasks", or the name of a resource, of which all tasks of a job count.
    most : int
        At least 0. A job that is above it by itself can never run.

    Raises
    ------
    InvalidInstanceError, TypeError
        For a value out of range, or of another type.

    Notes
    -----
    A limit holds a job at the moment at which the policy looks at it; limits are not planned ahead.
    """

    __slots__ = ("most", "what", "who")
    _fields: ClassVar[tuple[str, ...]] = ("who", "what", "most")

    who: str
    what: str
    most: int

    def __init__(self, who: str, what: str, most: int) -> None:
        party, equals, value = _checked_name("who of a limit", who).partition("=")
        check_choice("party of a limit", party, PARTIES)
        if equals and not value:
            raise InvalidInstanceError(f"who = {named(who)} of a limit names no value behind '='")
        if party == "array" and equals:
            _array_number(who, value)
        self._assign(
            who=str(who),
            what=str(_checked_name("what of a limit", what)),
            most=checked_integer(f"most of Limit({named(who)}, {named(what)})", most, 0),
        )

    @property
    def party(self) -> str:
        """The column that it is about, one of `PARTIES`."""
        return self.who.partition("=")[0]

    @property
    def value(self) -> str | None:
        """The one value that it is about; None for each by itself."""
        _, equals, value = self.who.partition("=")
        return value if equals else None

    @property
    def array(self) -> int | None:
        """The one array that it is about; None for each by itself, and where it is about another party."""
        return None if self.party != "array" or self.value is None else int(self.value)

    def __repr__(self) -> str:
        return f"Limit({named(self.who)}, {named(self.what)}, {self.most})"


class Multifactor(Record):
    """Priority as a weighted sum of factors; higher comes first, then by release time.

    Parameters
    ----------
    age : float, default 0
        Weight of the time since the release, in shares of `max_age`, at most 1.
    fair_share : float, default 0
        Weight of ``2 ** -(use / share)`` of the job's account, of which older use counts less.
    size : float, default 0
        Weight of the largest share of a resource of the whole cluster that the job demands.
    partition, service_class : float, default 0
        Weight of the ``factor`` of the job's partition, and of its service class; 0 without.
    job : float, default 0
        Weight of the column ``priority`` of jobs.
    max_age : float, default 604800
        Time until the age counts in full, above 0; may be infinite.
    half_life : float, default 604800
        Time in which past use comes to count half, above 0; may be infinite.
    interval : float, default 300
        Priorities stand still between multiples of it; 0: they never do.

    Raises
    ------
    InvalidInstanceError, TypeError
        For a value out of range, or of another type. Weights, each times the largest factor of the site, add up to at
        most 1e250, so that priorities are finite.

    Notes
    -----
    The model of Slurm's plugin priority/multifactor with ``PriorityFlags=NO_FAIR_TREE``.
    """

    __slots__ = (
        "age",
        "fair_share",
        "half_life",
        "interval",
        "job",
        "max_age",
        "partition",
        "service_class",
        "size",
    )
    _fields: ClassVar[tuple[str, ...]] = (
        "age",
        "fair_share",
        "size",
        "partition",
        "service_class",
        "job",
        "max_age",
        "half_life",
        "interval",
    )

    age: float
    fair_share: float
    size: float
    partition: float
    service_class: float
    job: float
    max_age: float
    half_life: float
    interval: float

    def __init__(
        self,
        age: float = 0,
        fair_share: float = 0,
        size: float = 0,
        partition: float = 0,
        service_class: float = 0,
        job: float = 0,
        max_age: float = 604800,
        half_life: float = 604800,
        interval: float = 300,
    ) -> None:
        weights = {
            "age": age,
            "fair_share": fair_share,
            "size": size,
            "partition": partition,
            "service_class": service_class,
            "job": job,
        }
        numbers = {name: any_number(f"weight {name}", value) for name, value in weights.items()}
        check_priority("the weights", list(numbers.values()))
        self._assign(
            **numbers,
            max_age=_span("max_age", max_age),
            half_life=_span("half_life", half_life),
            interval=finite_number("interval", interval, above_0=False),
        )

    def __repr__(self) -> str:
        return _shown(self, Multifactor())


def named(name: str) -> str:
    """Return a name as it stands in messages, cut short where it is long."""
    return one_line(repr(name))


def check_priority(what: str, parts: Sequence[float]) -> None:
    """Raise an `InvalidInstanceError` where a sum of such parts, whatever their signs, could be no priority."""
    most = sum(map(abs, parts))
    if not most <= HIGHEST_PRIORITY:
        raise InvalidInstanceError(
            f"{what} add up to priorities of {most:g}; they must be at most {HIGHEST_PRIORITY:g}"
        )


def _span(name: str, value: float) -> float:
    is_infinite = isinstance(value, (float, np.floating)) and value == math.inf
    return math.inf if is_infinite else finite_number(name, value, above_0=True)


def _array_number(who: str, text: str) -> None:
    """Raise an error unless the text is the number of an array; other alphabets have digits, too."""
    if not (text.isascii() and text.isdecimal() and len(text) <= _MOST_DIGITS and int(text) <= INT64_MAX):
        raise InvalidInstanceError(
            f"who = {named(who)} of a limit: array must be an integer from 0 to 2**63 - 1 in digits 0 to 9"
        )


def _checked_name(what: str, name: object) -> str:
    if not isinstance(name, str):
        raise TypeError(f"{what} must be a str, not {type(name).__name__}")
    if not name:
        raise InvalidInstanceError(f"{what} is empty")
    return name


def _shown(part: Record, plain: Record) -> str:
    """The call that makes it, without what is as in the plain one."""
    shown = [
        f"{name}={one_line(repr(getattr(part, name)))}"
        for name in part._fields
        if getattr(part, name) != getattr(plain, name)
    ]
    return f"{type(part).__name__}({', '.join(shown)})"
