"""The types that the entries of a description are declared with, checked by pydantic when one is made.

Descriptions come from files and from programs; both are checked here, so that both are refused in the same words. The
types are strict: true is no number and a text no list, integers have 64 bits, numbers are finite.
"""

import functools
import math
from collections.abc import Iterable, Sequence
from dataclasses import fields
from typing import Annotated, Any, get_type_hints

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainValidator,
    TypeAdapter,
    ValidationError,
    create_model,
)

from schedcore.experiments.description.refusals import refusal
from schedcore.model.choices import check_choice

__all__ = [
    "DISTINCT",
    "INTEGER_BITS",
    "Count",
    "Finite",
    "Index",
    "JobSets",
    "Name",
    "Names",
    "Number",
    "Range",
    "Scalar",
    "check",
    "is_list",
    "is_number",
    "listed",
    "one_of",
    "settle",
    "two_numbers",
]

_STRICT = ConfigDict(strict=True)
INTEGER_BITS = 64


def settle(record: object) -> None:
    """Check the fields of a frozen dataclass as they are declared; lists become tuples.

    Raises
    ------
    InvalidInstanceError
        Names the first entry that is of another type.
    """
    kind: Any = type(record)
    model = _model(kind)
    try:
        settled = model.model_validate({name: getattr(record, name) for name in model.model_fields})
    except ValidationError as error:
        raise refusal(error) from None
    for name, value in settled:
        object.__setattr__(record, name, value)


def check(declared: Any, key: str, value: object) -> None:
    """Raise an `InvalidInstanceError` that names the key, unless the value is of the declared type."""
    try:
        _adapter(declared).validate_python(value)
    except ValidationError as error:
        raise refusal(error, key) from None


@functools.cache
def _model(kind: type) -> type[BaseModel]:
    hints = get_type_hints(kind, include_extras=True)
    declared: Any = {field.name: (hints[field.name], ...) for field in fields(kind) if field.init}
    return create_model(kind.__name__, __config__=_STRICT, **declared)


@functools.cache
def _adapter(declared: Any) -> TypeAdapter[Any]:
    return TypeAdapter(declared, config=_STRICT)


def is_number(value: object) -> bool:
    """Whether `value` is an integer of 64 bits or a float; true and false are no numbers."""
    return isinstance(value, float) or (
        isinstance(value, int) and not isinstance(value, bool) and value.bit_length() <= INTEGER_BITS
    )


def is_list(value: object) -> bool:
    """Whether `value` is a list, a tuple or a range, say; a text is not."""
    return isinstance(value, Sequence) and not isinstance(value, (str, bytes))


def listed(of: str) -> BeforeValidator:
    """A list of what `of` says in messages; kept as a tuple."""

    def as_tuple(values: Any) -> tuple[Any, ...]:
        if not is_list(values):
            raise ValueError(f"must be a list of {of}")
        return tuple(values)

    return BeforeValidator(as_tuple)


def one_of(kind: str, known: Iterable[str]) -> AfterValidator:
    """One of the texts that are known, else the message tells the close matches."""

    def known_one(value: str) -> str:
        check_choice(kind, value, known)
        return value

    return AfterValidator(known_one)


def _different(values: Sequence[Any]) -> Sequence[Any]:
    seen: dict[Any, str] = {}
    for value in values:
        first, text = seen.setdefault(value, ""), repr(value)
        if first:
            raise ValueError(
                f"lists {text} twice" if first == text else f"lists {first} and {text}, which are equal"
            )
        seen[value] = text
    return values


def _name(name: object) -> object:
    if not isinstance(name, str) or not name or not all(sign.isalnum() or sign in "-_" for sign in name):
        raise ValueError("must consist of letters, digits, - and _")
    return name


def _number(value: Any) -> Any:
    if not is_number(value) or not math.isfinite(value) or value < 0:
        raise ValueError("must be a number of at least 0")
    return value


def _finite(value: Any) -> Any:
    if not is_number(value) or not math.isfinite(value):
        raise ValueError("must be a finite number")
    return value


def _scalar(value: Any) -> Any:
    if not isinstance(value, (bool, str)) and not (is_number(value) and math.isfinite(value)):
        raise ValueError("must be a text, true, false or a number (finite, integers of 64 bits)")
    return value


def two_numbers(value: Any) -> tuple[float, float]:
    """Both ends of a range, which may be infinite; a `ValueError` for anything else."""
    if not is_list(value) or len(value) != 2 or not all(map(is_number, value)):
        raise ValueError("must be two numbers")
    low, high = value
    if not low <= high:
        raise ValueError("is empty")
    return low, high


#: 1, 1.0 and true are equal.
DISTINCT = AfterValidator(_different)
Count = Annotated[int, Field(ge=1, lt=1 << 63)]
Index = Annotated[int, Field(ge=0, lt=1 << 63)]
JobSets = Annotated[
    Sequence[Index],
    listed("numbers, or in a document a number from 1 to 100,000"),
    Field(min_length=1),
    DISTINCT,
]
#: What becomes the name of a file.
Name = Annotated[str, PlainValidator(_name)]
Names = Annotated[Sequence[str], listed("names"), DISTINCT]
Number = Annotated[float, PlainValidator(_number)]
Finite = Annotated[float, PlainValidator(_finite)]
Range = Annotated[tuple[float, float], PlainValidator(two_numbers)]
Scalar = Annotated[bool | str | float, PlainValidator(_scalar)]
