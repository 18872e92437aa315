"""Names resolved to algorithms: what `solve`, the command line, the docs table and the property tests run over.

An algorithm registers once, with its options and what it promises; everything that lists or tests algorithms reads
the registry, so that a new family is covered by registering it. The registry knows no algorithm itself.
"""

import functools
import inspect
import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Concatenate, Literal, ParamSpec, TypedDict, TypeVar, Unpack, cast

import numpy as np
from numpy.typing import NDArray

from .errors import InvalidInstanceError, UnsupportedError
from .model import (
    FEATURES,
    AnyInstance,
    Instance,
    Jobs,
    Machines,
    Result,
    Site,
    features_of,
    features_of_site,
)
from .model.any_instance import check_kind
from .model.choices import check_choice
from .model.features import features_of_machines
from .model.telling_columns import telling_columns
from .parameters import Circumstances, Option, Parameters, Progress, option

if TYPE_CHECKING:
    from ._core.engine import Policy

__all__ = [
    "Algorithm",
    "Family",
    "OnlinePolicy",
    "Option",
    "Parameters",
    "algorithms",
    "get",
    "names",
    "option",
    "register",
    "registered",
]

Arguments = ParamSpec("Arguments")
ParametersT = TypeVar("ParametersT", bound=Parameters)
InstanceT = TypeVar("InstanceT")
ResultT = TypeVar("ResultT")


@dataclass(frozen=True, slots=True)
class OnlinePolicy:
    """A policy ready to be embedded: the compiled prototype, and the key of user-ordered jobs where there is one.

    `for_clusters` goes on in place of the prototype once something happens that the prototype does not heed.
    ``custom_key(jobs, ids)`` returns a number for each of the jobs, which are known by `ids`; errors call them so.
    ``check_features(used)`` raises for features of jobs that the options cannot take.
    """

    prototype: "Policy"
    custom_key: Callable[[Jobs, Sequence[int] | NDArray[np.int64]], NDArray[np.float64]] | None = None
    for_clusters: "Policy | None" = None
    check_features: Callable[[Mapping[str, str]], None] | None = None


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
    reads : frozenset of str, optional
        Which of the columns "weight" and "priority" of jobs it reads whatever its options are; by default that is not
        known, so it is not said to ignore anything.
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
    takes : frozenset of str
        The features of a cluster that it heeds, of `schedcore.model.FEATURES`; instances that use others are refused.
    takes_embedded : frozenset of str
        Those that its embedded form heeds.
    heeds_circumstances : bool
        Whether `run` takes incidents, a site, and what becomes of jobs that can never run.
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
    reads: frozenset[str] | None = None
    non_idling: bool = False
    needs_zero_releases: bool = False
    slotted: bool = False
    also_solves: tuple[type[AnyInstance], ...] = ()
    machines_may_differ: bool = False
    guarantee: bool = False
    schedule_class: Literal["migrate", "preempt", "nonpreempt"] | None = None
    takes: frozenset[str] = frozenset()
    takes_embedded: frozenset[str] = frozenset()
    heeds_circumstances: bool = False
    embed: Callable[..., OnlinePolicy] | None = None
    embedded_options: tuple[Option, ...] = field(default=())

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle by name; the function comes along, as its module may be what registers the algorithm."""
        if _algorithms.get(self.name) is self:
            return _unpickled, (self.name, self.run)
        return Algorithm, tuple(getattr(self, each.name) for each in fields(self))

    @property
    def embeddable(self) -> bool:
        """Whether `OnlineScheduler` can run it."""
        return self.embed is not None

    def solves(self, instance_kind: type[AnyInstance]) -> bool:
        """Whether it takes instances of this kind."""
        return instance_kind in (self.instance_kind, *self.also_solves)

    def check_options(self, options: Mapping[str, Any], *, embedded: bool = False) -> None:
        """Raise an `InvalidInstanceError` with the close matches for a name that is no option of this algorithm."""
        if not options:
            return
        known = [each.name for each in self.options]
        if embedded:
            known += [each.name for each in self.embedded_options if each.name not in known]
        for name in options:
            if name not in known and not known:
                raise InvalidInstanceError(f"unknown option {name!r}: {self.name!r} has no options")
            check_choice(f"option of {self.name!r}", name, known)

    def check_instance(self, instance: object) -> None:
        """Raise an error for anything but an instance of a kind that it solves, with features that it heeds."""
        check_kind(self.name, instance, (self.instance_kind, *self.also_solves))
        self.check_features(features_of(cast(AnyInstance, instance)))

    def check_features(self, used: Mapping[str, str], *, embedded: bool = False) -> None:
        """Raise an `UnsupportedError` that names the first feature it does not heed, where, and who heeds it.

        `used` is what `features_of` returns.
        """
        form = " when embedded" if embedded else ""
        for feature, where in used.items():
            if feature not in (self.takes_embedded if embedded else self.takes):
                all_ = _algorithms.values()
                others = [a.name for a in all_ if feature in (a.takes_embedded if embedded else a.takes)]
                who = f"{', '.join(others)} can" if others else "no registered policy can"
                raise UnsupportedError(
                    f"{self.name!r} does not take {FEATURES[feature]}{form} ({where}); {who}"
                )

    def solve(
        self,
        instance: AnyInstance,
        progress: Progress,
        options: Mapping[str, Any],
        circumstances: Mapping[str, Any] = MappingProxyType({}),
    ) -> Result:
        """Run with checked option names on the kind of instance that it solves.

        `circumstances` are the arguments of `schedcore.parameters.Circumstances` that differ from their defaults.
        """
        self.check_options(options)
        self.check_instance(instance)
        if circumstances and not self.heeds_circumstances:
            names = " and ".join(f"{name}=" for name in circumstances)
            raise UnsupportedError(f"{self.name!r} does not take {names}: it is no policy for clusters")
        told = {**options, **circumstances}
        return self.run(instance, **(told if progress is None else {**told, "progress": progress}))

    def ignored(self, instance: AnyInstance, parameters: Parameters) -> tuple[str, ...]:
        """Return the columns of jobs that tell them apart and that it does not read, with these options and this site.

        Those are "weight", "priority" and "estimated_processing_time", and what the rules of the site name. O(n_jobs).
        Nothing where it is not known what it reads.
        """
        if self.reads is None:
            return ()
        site = parameters.site if isinstance(parameters, Circumstances) else None
        read = self.reads | {self.decides_with} | parameters.columns_read()
        return tuple(column for column in telling_columns(instance, site) if column not in read)

    def embedded(
        self, machines: Machines, options: Mapping[str, Any], site: Site | None = None
    ) -> OnlinePolicy | None:
        """Build the embedded policy with checked option names; None where there is no embedded form."""
        if self.embed is None:
            return None
        self.check_features(features_of_machines(machines) | features_of_site(site), embedded=True)
        self.check_options(options, embedded=True)
        told = dict(options) if site is None or not self.heeds_circumstances else {**options, "site": site}
        return self.embed(machines, **told)


class Facts(TypedDict, total=False):
    """What `Algorithm` is told beside names, functions and options."""

    source: str
    objective: str
    instance_kind: type[AnyInstance]
    decides_with: Literal["processing_time", "estimated_processing_time"]
    reads: frozenset[str]
    non_idling: bool
    needs_zero_releases: bool
    slotted: bool
    also_solves: tuple[type[AnyInstance], ...]
    machines_may_differ: bool
    guarantee: bool
    schedule_class: Literal["migrate", "preempt", "nonpreempt"]
    takes: frozenset[str]
    takes_embedded: frozenset[str]


@dataclass(frozen=True, slots=True)
class Family:
    """A group of problems by its name, with what holds for its algorithms unless they say otherwise.

    Parameters
    ----------
    name : str
    facts : mapping
        What `Algorithm` is told of each.
    progress : str
        When and with what numbers `progress` is called, for docstrings that do not say it.
    """

    name: str
    facts: Facts
    progress: str = ""


_logger = logging.getLogger("schedcore")
_algorithms: dict[str, Algorithm] = {}


def register(algorithm: Algorithm) -> Algorithm:
    """Add an algorithm; a name can be taken once."""
    if algorithm.name in _algorithms:
        raise InvalidInstanceError(f"an algorithm named {algorithm.name!r} is registered already")
    for feature in algorithm.takes:
        check_choice(f"feature for {algorithm.name!r}", feature, FEATURES)
    _algorithms[algorithm.name] = algorithm
    return algorithm


def registered(
    parameters: Callable[Arguments, ParametersT],
    title: str,
    family: Family,
    *,
    name: str | None = None,
    embed: Callable[[Machines, ParametersT], OnlinePolicy] | None = None,
    **facts: Unpack[Facts],
) -> Callable[
    [Callable[[InstanceT, ParametersT], ResultT]], Callable[Concatenate[InstanceT, Arguments], ResultT]
]:
    """Register the function below under its name, and make it one that takes the options as arguments.

    Parameters
    ----------
    parameters : type
        A subclass of `Parameters`, which declares the options.
    title : str
        As in `Algorithm`.
    family : Family
    name : str, optional
        The name in `solve`, where it is not that of the function.
    embed : callable, optional
        ``embed(machines, parameters) -> OnlinePolicy``, of the options of an embedded policy.
    **facts
        What else `Algorithm` is told, in place of what the family says.

    Returns
    -------
    callable
        Of ``run(instance, parameters) -> Result`` it makes ``run(instance, options..., progress=None)``, with the
        signature for people and type checkers, and each option in the list of parameters behind the instance.

    Raises
    ------
    TypeError, UnsupportedError
        From the function: for what is no instance, and other kinds than it solves.
    """
    options = cast(type[ParametersT], parameters)
    defaults = options()

    def decorate(
        run: Callable[[InstanceT, ParametersT], ResultT],
    ) -> Callable[Concatenate[InstanceT, Arguments], ResultT]:
        @functools.wraps(run)
        def solved(instance: InstanceT, *args: Arguments.args, **kwargs: Arguments.kwargs) -> ResultT:
            algorithm.check_instance(instance)
            chosen = options.of_call(solved.__name__, args, kwargs) if args or kwargs else defaults
            if isinstance(chosen, Circumstances):
                algorithm.check_features(chosen.features())
            result = run(instance, chosen)
            cast(Result, result).stats["ignored"] = algorithm.ignored(cast(AnyInstance, instance), chosen)
            return result

        solved.__name__ = solved.__qualname__ = name or run.__name__
        solved.__doc__ = _with_options(run.__doc__, options, family.progress)
        own = inspect.signature(run)
        instance, *_ = own.parameters.values()
        arguments = [instance, *options.arguments()]
        vars(solved)["__signature__"] = own.replace(parameters=arguments)
        solved.__annotations__ = {argument.name: argument.annotation for argument in arguments}
        solved.__annotations__["return"] = own.return_annotation
        told: Facts = {**family.facts, **facts}
        algorithm = register(
            Algorithm(
                solved.__name__,
                title,
                family.name,
                run=cast(Callable[..., Result], solved),
                options=options.options(),
                embed=None if embed is None else _embedding(solved.__name__, options, embed),
                embedded_options=options.embedded_options(),
                heeds_circumstances=issubclass(options, Circumstances),
                **told,
            )
        )
        return cast(Callable[Concatenate[InstanceT, Arguments], ResultT], solved)

    return decorate


def _embedding(
    name: str, options: type[ParametersT], embed: Callable[[Machines, ParametersT], OnlinePolicy]
) -> Callable[..., OnlinePolicy]:
    embedded = functools.partial(_embedded, name, options, embed)
    own = inspect.signature(embedded)
    arguments = [own.parameters["machines"], *options.embedded_arguments()]
    vars(embedded)["__signature__"] = own.replace(parameters=arguments)
    return embedded


def _embedded(
    name: str,
    options: type[ParametersT],
    embed: Callable[[Machines, ParametersT], OnlinePolicy],
    machines: Machines,
    **given: Any,
) -> OnlinePolicy:
    return embed(machines, options.embedded(name, given))


_CIRCUMSTANCES = [
    "incidents : Incidents, optional",
    "    Failures of machines and cancellations of jobs, each known at its time.",
    "site : Site, optional",
    "    The rules of the site.",
    'infeasible : {"refuse", "drop"}',
    "    What becomes of a job that does not fit the empty cluster: it is refused by name, or never arrives.",
]


def _unpickled(name: str, run: Callable[..., Result]) -> Algorithm:
    return get(name)


def _with_options(docstring: str | None, options: type[Parameters], progress: str) -> str | None:
    """The docstring with the options behind the first of its parameters, the instance, and `progress` at the end."""
    if docstring is None:
        return None
    lines = inspect.cleandoc(docstring).split("\n")
    if "Parameters" not in lines:
        lines += ["", "Parameters", "----------", "instance"]
    entry = lines.index("Parameters") + 2
    after = (i for i in range(entry + 1, len(lines)) if not lines[i].startswith(" "))
    behind = next(after, len(lines))
    told = any(line.startswith("progress :") for line in lines)
    last = [] if told or not progress else ["progress : callable, optional", f"    {progress}"]
    told_of_cluster = _CIRCUMSTANCES if issubclass(options, Circumstances) else []
    lines[behind:behind] = [*options.documentation(), *last, *told_of_cluster]
    return "\n".join(lines)


#: Where algorithms are looked for that are not registered: by one name, or all of them for None.
_sources: list[Callable[[str | None], Iterable[Algorithm]]] = []
_listed: list[Callable[[str | None], Iterable[Algorithm]]] = []  # those that were asked for all


def look_for_more(source: Callable[[str | None], Iterable[Algorithm]]) -> None:
    """Ask `source` for an algorithm whose name nobody has registered, and once for all when all are listed."""
    _sources.append(source)


def _look_for(name: str | None) -> None:
    for source in _sources:
        if name is None:
            if source in _listed:
                continue
            _listed.append(source)
        for algorithm in source(name):
            if algorithm.name not in _algorithms:
                register(algorithm)
            elif _algorithms[algorithm.name].source != algorithm.source:
                _logger.warning(
                    "%r of %s is left out: there is a policy of that name", algorithm.name, algorithm.source
                )


def get(name: str) -> Algorithm:
    """Return the algorithm of that name; an unknown name is an `InvalidInstanceError` with the close matches."""
    if isinstance(name, str) and name not in _algorithms:
        _look_for(name)
    if not isinstance(name, str) or name not in _algorithms:
        _look_for(None)  # to offer them
    check_choice("algorithm", name, _algorithms)
    return _algorithms[name]


def names() -> tuple[str, ...]:
    """Return the registered names in the order of registration, those of installed packages last."""
    _look_for(None)
    return tuple(_algorithms)


def algorithms(
    instance_kind: type[AnyInstance] | None = None,
) -> tuple[Algorithm, ...]:
    """Return the registered algorithms, of one kind of instance if it is given, in the order of registration."""
    _look_for(None)
    everything = _algorithms.values()
    return tuple(a for a in everything if instance_kind is None or a.solves(instance_kind))
