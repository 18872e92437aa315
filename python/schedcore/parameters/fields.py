"""One option: what is said of it, and how it looks in the registry, in a signature and in a docstring."""

import inspect
import textwrap
import types
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal, TypeVar, Union, cast, get_args, get_origin

from schedcore.model.choices import check_choice, checked_flag

__all__ = [
    "AS_USUAL",
    "Again",
    "Check",
    "Field",
    "NeededEmbedded",
    "Option",
    "RefusedEmbedded",
    "argument",
    "embedded_option",
    "option",
    "optional",
    "same_option",
]

#: Of a name and a value: raises what is wrong with it, or returns the value in the form that kernels take.
Check = Callable[[str, Any], object]

T = TypeVar("T")

#: For `Field.embedded`: the default is that of whole workloads.
AS_USUAL: Any = object()

_WIDTH = 110  # of documentation
_INDENT = "    "


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
class NeededEmbedded:
    """For `option`: an embedded policy must be told, and why."""

    why: str


@dataclass(frozen=True, slots=True)
class RefusedEmbedded:
    """For `option`: an embedded policy takes nothing but the default, and why."""

    why: str


@dataclass(frozen=True, slots=True)
class Field:
    """What `option` was told, and from its class the name and the annotation."""

    description: str = ""
    details: str = ""
    default: Any = None
    check: Check | None = None
    choices: tuple[str, ...] | None = None
    examples: tuple[str, ...] = ()
    takes: str | None = None
    later: bool = False
    early: bool = False
    kw_only: bool = False
    recorded: bool = False
    for_kernel: bool = False
    embedded: Any = AS_USUAL
    init: bool = True
    is_option: bool = True
    name: str = ""
    annotation: Any = None

    def of_class(self, name: str, annotation: Any, kw_only: bool) -> "Field":
        """Take what stands in the class: words of a `Literal` are the choices, and flags are on or off."""
        choices, check = self.choices, self.check
        if get_origin(annotation) is Literal:
            choices = get_args(annotation)
            check = check or partial(_checked_choice, choices)
        elif annotation is bool:
            check = check or checked_flag
        kw_only = kw_only or self.kw_only
        return replace(self, name=name, annotation=annotation, choices=choices, check=check, kw_only=kw_only)

    def checked(self, value: Any) -> object:
        """Return the form that kernels take, or raise."""
        return value if self.check is None else self.check(self.name, value)

    def option(self) -> Option:
        """The entry in the registry."""
        check = partial(self.check, self.name) if self.check is not None and self.early else None
        return Option(
            self.name, self.default, self.description, self.choices, self.examples, check, self.later
        )

    def argument(self) -> inspect.Parameter:
        """The argument of the function."""
        kind = inspect.Parameter.KEYWORD_ONLY if self.kw_only else inspect.Parameter.POSITIONAL_OR_KEYWORD
        return inspect.Parameter(self.name, kind, default=self.default, annotation=self.annotation)

    def embedded_argument(self) -> inspect.Parameter:
        """The argument of the embedded form, by name; without a default where it is needed."""
        default = self.default if self.embedded is AS_USUAL else self.embedded
        if isinstance(default, NeededEmbedded):
            default = inspect.Parameter.empty
        elif isinstance(default, RefusedEmbedded):
            default = self.default
        kind = inspect.Parameter.KEYWORD_ONLY
        return inspect.Parameter(self.name, kind, default=default, annotation=self.annotation)

    def documentation(self) -> list[str]:
        """The entry in the list of parameters of a docstring, as numpydoc has it."""
        text = f"{self.description[0].upper()}{self.description[1:]}. {self.details}"
        lines = textwrap.wrap(
            text, _WIDTH, initial_indent=_INDENT, subsequent_indent=_INDENT, break_on_hyphens=False
        )
        return [f"{self.name} : {self.takes or _type_text(self.annotation)}", *lines]


def option(
    description: str,
    details: str = "",
    *,
    default: T,
    check: Check | None = None,
    choices: Collection[str] | None = None,
    examples: Collection[str] = (),
    takes: str | None = None,
    later: bool = False,
    early: bool = False,
    kw_only: bool = False,
    recorded: bool = True,
    for_kernel: bool = True,
    embedded: T | NeededEmbedded | RefusedEmbedded = AS_USUAL,
) -> T:
    """Declare a field of an `OptionSet`.

    Parameters
    ----------
    description : str
        One line for the registry, with which the documentation begins; without a full stop.
    details : str
        Sentences that only the documentation has.
    default
        What the option is where it is not given.
    check : callable, optional
        ``check(name, value)`` raises an error that names both, or returns the value in the form that kernels take.
        Where the annotation is a `Literal` or bool, other values are refused without one.
    choices, examples : collection of str
        All words that are taken (a `Literal` gives its own), and some of those that follow a pattern.
    takes : str, optional
        The type in the documentation, where the annotation does not tell it.
    later : bool
        As for `Option`.
    early : bool
        Whether `check` refuses a value where a policy is named, such as on the command line, before there is an
        instance. Otherwise a run does. Words that are none of the `choices` are always refused early.
    kw_only : bool
        Given by name alone; for all fields of a class: ``class ...(..., kw_only=True)``.
    recorded, for_kernel : bool
        Whether the methods of these names have it.
    embedded
        Another default of the embedded form, `NeededEmbedded` or `RefusedEmbedded`.
    """
    words = None if choices is None else tuple(choices)
    field = Field(
        description,
        details,
        default,
        check,
        words,
        tuple(examples),
        takes,
        later,
        early,
        kw_only,
        recorded,
        for_kernel,
        embedded,
    )
    return cast(T, field)


def embedded_option(
    description: str, *, why: str, check: Check | None = None, init: Literal[False] = False
) -> Any:
    """Declare an option that the embedded form takes alone, and needs: `why`."""
    return Field(description, check=check, embedded=NeededEmbedded(why), init=init)


def argument(*, default: T, kw_only: bool) -> T:
    """Declare an argument that is no option."""
    return cast(T, Field(default=default, kw_only=kw_only, is_option=False))


@dataclass(frozen=True, slots=True)
class Again:
    """What `same_option` was told."""

    changes: Mapping[str, Any]


def same_option(*, default: T, kw_only: bool = False, **texts: str) -> T:
    """Declare an option of a base class again, with another default or other `description` and `details`."""
    return cast(T, Again({"default": default, **texts}))


def optional(check: Check) -> Check:
    """Return a check that lets None through."""
    return partial(_checked_if_given, check)


def _checked_if_given(check: Check, name: str, value: object) -> object:
    return None if value is None else check(name, value)


def _checked_choice(choices: tuple[str, ...], name: str, value: object) -> object:
    check_choice(name, value, choices)
    return value


def _type_text(annotation: Any) -> str:
    """The type as numpydoc writes it: ``float, optional``, ``{"scan", "list"}``, ``float or "busy"``."""
    if get_origin(annotation) is Literal:
        words = [f'"{word}"' for word in get_args(annotation)]
        return words[0] if len(words) == 1 else f"{{{', '.join(words)}}}"
    if get_origin(annotation) in (Union, types.UnionType):
        members = [member for member in get_args(annotation) if member is not type(None)]
        text = " or ".join(map(_type_text, members))
        return text if len(members) == len(get_args(annotation)) else f"{text}, optional"
    return annotation.__name__ if isinstance(annotation, type) else str(annotation).replace("typing.", "")
