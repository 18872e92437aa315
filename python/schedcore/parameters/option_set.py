"""Options together: a frozen class with a constructor, and what is read from it."""

import difflib
import inspect
import sys
from collections.abc import Callable, Mapping
from dataclasses import FrozenInstanceError, replace
from typing import Any, ClassVar, Self, TypeVar, dataclass_transform, get_origin

import numpy as np

from schedcore.errors import InvalidInstanceError, OptionTypeError, UnsupportedError

from .fields import (
    AS_USUAL,
    Again,
    Check,
    Field,
    NeededEmbedded,
    Option,
    RefusedEmbedded,
    argument,
    embedded_option,
    option,
    same_option,
)

__all__ = ["OptionSet", "Parameters", "Progress"]

OptionSetT = TypeVar("OptionSetT", bound="OptionSet")

#: Called as ``progress(done, total)``; an exception that it raises ends the run.
Progress = Callable[[int, int], object] | None


@dataclass_transform(frozen_default=True, field_specifiers=(option, embedded_option, same_option, argument))
class OptionSet:
    """A frozen set of options, checked as it is made.

    Raises
    ------
    TypeError
        For a name that is no option, with the close matches, and too many options by position.
    OptionTypeError, InvalidInstanceError, UnsupportedError
        What checks say; their `TypeError` as the first of these.

    Notes
    -----
    Values are kept as they were given, scalars of NumPy as those of Python. Only what is given is checked: defaults
    were when the class was made.
    """

    _own: ClassVar[Mapping[str, Field]] = {}
    _fields: ClassVar[Mapping[str, Field]] = {}
    _by_position: ClassVar[tuple[str, ...]] = ()
    _checks: ClassVar[Mapping[str, Check | None]] = {}
    _embedded_checks: ClassVar[Mapping[str, Check | None]] = {}
    _embedded: ClassVar[Mapping[str, Any]] = {}
    _forms: Mapping[str, object] = {}
    __signature__: ClassVar[inspect.Signature]

    def __init_subclass__(cls, *, kw_only: bool = False) -> None:
        super().__init_subclass__()
        inherited: dict[str, Field] = {}
        for base in reversed(cls.__mro__[1:]):
            inherited |= vars(base).get("_own", {})
        own: dict[str, Field] = {}
        around = sys._getframe(1)  # the class statement: annotations that are text name what is known there
        annotations = inspect.get_annotations(
            cls, globals=around.f_globals, locals=around.f_locals, eval_str=True
        )
        declared = {name: value for name, value in vars(cls).items() if isinstance(value, (Field, Again))}
        for name in annotations | declared:
            where, value, annotation = f"{cls.__name__}.{name}", declared.get(name), annotations.get(name)
            if hasattr(OptionSet, name):
                raise TypeError(f"{where}: no option can have the name of a method")
            if value is None:
                if not _is_class_variable(annotation):
                    raise TypeError(f"{where} must be declared by option(...)")
                continue
            if name not in annotations:
                raise TypeError(f"{where} needs an annotation: what the option takes")
            if isinstance(value, Again):
                if name not in inherited or inherited[name].annotation != annotation:
                    raise TypeError(f"{where} is no option of a base class, of the same type")
                own[name] = replace(inherited[name], **value.changes)
            else:
                own[name] = value.of_class(name, annotation, kw_only)
            if type(own[name].default).__hash__ is None:
                raise TypeError(
                    f"{where}: all would share the default {own[name].default!r}, which can be changed"
                )
        for name, field in own.items():
            setattr(cls, name, field.default)
        fields = sorted((inherited | own).values(), key=lambda field: (field.kw_only, not field.is_option))
        cls._own = own
        cls._fields = {field.name: field for field in fields}
        cls._by_position = tuple(field.name for field in fields if field.init and not field.kw_only)
        cls._checks = {field.name: field.check for field in fields if field.init}
        cls._embedded_checks = {field.name: field.check for field in fields}
        cls._embedded = {field.name: field.embedded for field in fields if field.embedded is not AS_USUAL}
        cls._forms = {field.name: field.checked(field.default) for field in fields if field.init}
        cls.__signature__ = inspect.Signature(cls.arguments())

    def __init__(self, *args: Any, **given: Any) -> None:
        self._give(type(self).__name__, args, given)

    @classmethod
    def of_call(cls, function: str, args: tuple[Any, ...], given: dict[str, Any]) -> Self:
        """Return the options that a function is called with; errors name it."""
        chosen = object.__new__(cls)
        chosen._give(function, args, given)
        return chosen

    def _give(self, function: str, args: tuple[Any, ...], given: dict[str, Any]) -> None:
        if len(args) > len(self._by_position):
            most = len(self._by_position)
            raise TypeError(
                f"{function}() takes {most or 'no'} option{'s' * (most != 1)} by position, and {len(args)} "
                f"{'is' if len(args) == 1 else 'are'} given"
            )
        for name, value in zip(self._by_position, args, strict=False):
            if name in given:
                raise TypeError(f"{function}() is given the option {name!r} twice, by position and by name")
            given[name] = value
        if not given.keys() <= self._checks.keys():
            raise TypeError(f"{function}(): {self._unexpected(given)}")
        if given:
            self._take(given, self._checks)

    def _take(self, given: dict[str, Any], checks: Mapping[str, Check | None]) -> None:
        forms = dict(self._forms)
        try:
            for name, value in given.items():
                if isinstance(value, np.generic):
                    given[name] = value = value.item()
                check = checks[name]
                forms[name] = value if check is None else check(name, value)
            self.__dict__.update(given, _forms=forms)
            self.check()
        except TypeError as error:
            raise OptionTypeError(*error.args) from error

    @classmethod
    def _unexpected(cls, given: Mapping[str, Any]) -> str:
        known = [each.name for each in cls.arguments()]
        name = next(name for name in given if name not in known)
        close = difflib.get_close_matches(name, known)
        hint = f"; did you mean {' or '.join(map(repr, close))}?" if close else ""
        return f"unexpected option {name!r}{hint} (options: {', '.join(known) or 'none'})"

    @classmethod
    def embedded(cls, algorithm: str, options: Mapping[str, Any]) -> Self:
        """Return the options of the embedded form; their names are known to be right.

        Raises
        ------
        InvalidInstanceError
            For an option that is missing, which names the algorithm, and what checks say.
        UnsupportedError
            For an option that is for whole workloads alone.
        """
        given = dict(options)
        for name, form in cls._embedded.items():
            if isinstance(form, NeededEmbedded):
                if given.get(name) is None:
                    raise InvalidInstanceError(f"{algorithm} needs {name} when embedded: {form.why}")
            elif isinstance(form, RefusedEmbedded):
                if given.get(name, cls._fields[name].default) != cls._fields[name].default:
                    raise UnsupportedError(form.why)
            else:
                given.setdefault(name, form)
        chosen = object.__new__(cls)
        if given:
            chosen._take(given, cls._embedded_checks)
        return chosen

    def part(self, kind: type[OptionSetT]) -> OptionSetT:
        """Return the options of a base class alone."""
        chosen = object.__new__(kind)
        names = [name for name, field in kind._fields.items() if field.init]
        forms = {name: self._forms[name] for name in names}
        chosen.__dict__.update({name: getattr(self, name) for name in names}, _forms=forms)
        return chosen

    def check(self) -> None:
        """Raise what is wrong with options together; each alone is right already."""

    def checked(self, name: str) -> Any:
        """Return what the check of an option made of it: the form that kernels take."""
        return self._forms[name]

    def for_kernel(self, **others: Any) -> dict[str, Any]:
        """Return the options by name in the form that kernels take; `others` replace them and add to them."""
        forms = self._forms
        return {name: forms[name] for name, field in self._fields.items() if field.for_kernel} | others

    def recorded(self, **others: Any) -> dict[str, Any]:
        """Return the options for `Result.options`, as they were given; `others` replace them and add to them."""
        return {name: getattr(self, name) for name, field in self._fields.items() if field.recorded} | others

    @classmethod
    def options(cls) -> tuple[Option, ...]:
        """The options as the registry lists them."""
        return tuple(field.option() for field in cls._fields.values() if field.is_option and field.init)

    @classmethod
    def embedded_options(cls) -> tuple[Option, ...]:
        """The options that the embedded form has beyond these."""
        return tuple(field.option() for field in cls._fields.values() if not field.init)

    @classmethod
    def arguments(cls) -> list[inspect.Parameter]:
        """The arguments of the constructor."""
        return [field.argument() for field in cls._fields.values() if field.init]

    @classmethod
    def embedded_arguments(cls) -> list[inspect.Parameter]:
        """The options of the embedded form."""
        return [field.embedded_argument() for field in cls._fields.values() if field.is_option]

    @classmethod
    def documentation(cls) -> list[str]:
        """The options as lines of the list of parameters in a docstring."""
        fields = [field for field in cls._fields.values() if field.is_option and field.init]
        return [line for field in fields for line in field.documentation()]

    def __setattr__(self, name: str, value: object) -> None:
        raise FrozenInstanceError(f"cannot assign to {name!r}: options are frozen")

    def __delattr__(self, name: str) -> None:
        raise FrozenInstanceError(f"cannot delete {name!r}: options are frozen")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, OptionSet) or type(self) is not type(other):
            return NotImplemented
        return all(_alike(getattr(self, name), getattr(other, name)) for name in self._fields)

    def __hash__(self) -> int:
        return hash((type(self), *(getattr(self, name) for name in self._fields)))

    def __repr__(self) -> str:
        given = (f"{name}={value!r}" for name, value in vars(self).items() if name in self._fields)
        return f"{type(self).__name__}({', '.join(given)})"


class Parameters(OptionSet):
    """The arguments of an algorithm beside its instance: options in a subclass, and `progress`."""

    progress: Progress = argument(default=None, kw_only=True)

    def columns_read(self) -> frozenset[str]:
        """Return the columns of jobs, beside times and demands, that these options make the algorithm read."""
        return frozenset()


def _alike(value: Any, other: Any) -> bool:
    if isinstance(value, np.ndarray) or isinstance(other, np.ndarray):
        return type(value) is type(other) and np.array_equal(value, other)
    return bool(value == other)


def _is_class_variable(annotation: Any) -> bool:
    origin: Any = get_origin(annotation)
    return origin is ClassVar
