"""Names resolved to algorithms: what `solve`, the command line, the docs table and the property tests run over.

An algorithm registers once, with its options and what it promises; everything that lists or tests algorithms reads
the registry, so that a new family is covered by registering it. The registry knows no algorithm itself.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from .errors import InvalidInstanceError, UnsupportedError
from .model import AnyInstance, Instance, Jobs, Machines, Result
from .model.choices import check_choice

if TYPE_CHECKING:
    from ._core import Policy

__all__ = ["Algorithm", "OnlinePolicy", "Option", "algorithms", "get", "names", "register"]


@dataclass(frozen=True, slots=True)
class Option:
    """One keyword of an algorithm: its default, its meaning, and its choices where they are fixed.

    Where the words follow a pattern, `examples` are some of them and `check` refuses what is none of them. An option
    that came later than results of the algorithm is `later`: its default is how those were computed.
    """

    name: str
    default: Any
    description: str
    choices: tuple[str, ...] | None = None
    examples: tuple[str, ...] = ()
    check: Callable[[Any], object] | None = None
    later: bool = False


@dataclass(frozen=True, slots=True)
class OnlinePolicy:
    """A policy ready to be embedded: the compiled prototype, and the key of user-ordered jobs where there is one.

    ``custom_key(jobs, ids)`` returns a number for each of the jobs, which are known by `ids`; errors call them so.
    """

    prototype: "Policy"
    custom_key: Callable[[Jobs, Sequence[int] | NDArray[np.int64]], NDArray[np.float64]] | None = None


@dataclass(frozen=True, slots=True)
class Algorithm:
    """What the library knows of one algorithm.

    Parameters
    ----------
    name, title, family, source : str
        Name in `solve`, name in prose, group of problems, and the paper.
    run : callable
        ``run(instance, *, progress=None, **options) -> Result``.
    options : tuple of Option
    objective : str
        What `Result.value` measures.
    instance_kind : type
        What it solves: `Instance`, `ColocationInstance`, `ParallelTaskInstance` or `MapReduceInstance`.
    decides_with : {"processing_time", "estimated_processing_time"}
        Which of the two it reads when it decides.
    non_idling : bool
        With its default options no released job ever waits while it fits on some machine.
    schedule_class : {"migrate", "preempt", "nonpreempt"}, optional
        Of parallel tasks, the class that every schedule is in, as in `validate`; None for what knows no such classes.
    needs_zero_releases : bool
        Refuses instances with release times above 0.
    slotted : bool
        Works in slots: times are whole numbers, jobs may be interrupted, split and run on fewer cores than they ask
        for, and the schedule of an `Instance` is a `PreemptiveSchedule`.
    also_solves : tuple of type
        Other kinds of instances that it takes under the same name.
    machines_may_differ : bool
        Takes machines with different capacities.
    guarantee : bool
        Whether `Result.guarantee` can be a number.
    embed : callable, optional
        ``embed(machines, **options) -> OnlinePolicy`` for `OnlineScheduler`; None where there is no embedded form.
    embedded_options : tuple of Option
        What an embedded policy must be told beyond `options`, or takes in their place.
    """

    name: str
    title: str
    family: str
    source: str
    run: Callable[..., Result]
    options: tuple[Option, ...]
    objective: str
    instance_kind: type[AnyInstance] = Instance
    decides_with: Literal["processing_time", "estimated_processing_time"] = "processing_time"
    non_idling: bool = False
    needs_zero_releases: bool = False
    slotted: bool = False
    also_solves: tuple[type[AnyInstance], ...] = ()
    machines_may_differ: bool = False
    guarantee: bool = False
    schedule_class: Literal["migrate", "preempt", "nonpreempt"] | None = None
    embed: Callable[..., OnlinePolicy] | None = None
    embedded_options: tuple[Option, ...] = field(default=())

    @property
    def embeddable(self) -> bool:
        """Whether `OnlineScheduler` can run it."""
        return self.embed is not None

    def solves(self, instance_kind: type[AnyInstance]) -> bool:
        """Whether it takes instances of this kind."""
        return instance_kind in (self.instance_kind, *self.also_solves)

    def check_options(self, options: Mapping[str, Any], *, embedded: bool = False) -> None:
        """Raise an `InvalidInstanceError` with the close matches for a name that is no option of this algorithm."""
        known = [option.name for option in self.options]
        if embedded:
            known += [option.name for option in self.embedded_options if option.name not in known]
        for name in options:
            if name not in known and not known:
                raise InvalidInstanceError(f"unknown option {name!r}: {self.name!r} has no options")
            check_choice(f"option of {self.name!r}", name, known)

    def solve(
        self,
        instance: AnyInstance,
        progress: Callable[[int, int], object] | None,
        options: Mapping[str, Any],
    ) -> Result:
        """Run with checked option names on the kind of instance that it solves."""
        self.check_options(options)
        solved = (self.instance_kind, *self.also_solves)
        if not isinstance(instance, solved):
            kinds = " and ".join(kind.__name__ for kind in solved)
            raise UnsupportedError(f"{self.name!r} solves {kinds}, not {type(instance).__name__}")
        return self.run(instance, progress=progress, **options)

    def embedded(self, machines: Machines, options: Mapping[str, Any]) -> OnlinePolicy | None:
        """Build the embedded policy with checked option names; None where there is no embedded form."""
        if self.embed is None:
            return None
        self.check_options(options, embedded=True)
        return self.embed(machines, **options)


_algorithms: dict[str, Algorithm] = {}


def register(algorithm: Algorithm) -> Algorithm:
    """Add an algorithm; a name can be taken once."""
    if algorithm.name in _algorithms:
        raise InvalidInstanceError(f"an algorithm named {algorithm.name!r} is registered already")
    _algorithms[algorithm.name] = algorithm
    return algorithm


def get(name: str) -> Algorithm:
    """Return the algorithm of that name; an unknown name is an `InvalidInstanceError` with the close matches."""
    check_choice("algorithm", name, _algorithms)
    return _algorithms[name]


def names() -> tuple[str, ...]:
    """Return the registered names in the order of registration."""
    return tuple(_algorithms)


def algorithms(
    instance_kind: type[AnyInstance] | None = None,
) -> tuple[Algorithm, ...]:
    """Return the registered algorithms, of one kind of instance if it is given, in the order of registration."""
    everything = _algorithms.values()
    return tuple(a for a in everything if instance_kind is None or a.solves(instance_kind))
