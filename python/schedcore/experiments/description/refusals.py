"""Why a description is refused: sentences that name the place, the key, the value and the close matches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from schedcore.errors import InvalidInstanceError

if TYPE_CHECKING:
    from pydantic import ValidationError

__all__ = ["placed", "refusal", "refuse_if", "written"]

#: Kind of an error of pydantic -> what it says of a value.
_COMPLAINTS: Mapping[str, str] = {
    "string_type": "must be a text",
    "string_unicode": "must be a text",
    "bool_type": "must be true or false",
    "int_type": "must be an integer",
    "dict_type": "must be a table",
    "dataclass_exact_type": "must be a {class_name}",
    "is_instance_of": "must be a {class}",
    "greater_than_equal": "must be at least {ge}",
    "less_than": "must be below 2**63",
    "too_short": "is empty",
}
_LONGEST = 200  # letters of a value


class _Placed(str):
    """A sentence that says what is wrong, and where: the outermost place first."""

    __slots__ = ("places", "problem")

    problem: str
    places: tuple[str, ...]

    def __new__(cls, problem: str, *places: str) -> _Placed:
        sentence = super().__new__(cls, ": ".join(filter(None, (", ".join(places), problem))))
        sentence.problem, sentence.places = problem, places
        return sentence

    def __getnewargs__(self) -> tuple[str, ...]:  # type: ignore[override]  # of __new__, so that errors can be pickled
        return self.problem, *self.places


@contextmanager
def placed(place: str) -> Iterator[None]:
    """Put the place before whatever is refused while the body runs: ``experiment 'e', sweep 's': no policy``.

    A part does not know the name that it has in an experiment, and says ``sweep`` alone; ``sweep 's'`` takes its stead.
    """
    try:
        yield
    except InvalidInstanceError as error:
        sentence = error.args[0] if error.args else ""
        problem, places = (
            (sentence.problem, sentence.places) if isinstance(sentence, _Placed) else (sentence, ())
        )
        if places and place.startswith(f"{places[0]} "):
            places = places[1:]
        raise InvalidInstanceError(_Placed(problem, place, *places)) from error.__cause__


def refuse_if(is_wrong: bool, sentence: str) -> None:
    if is_wrong:
        raise InvalidInstanceError(sentence)


def refusal(error: ValidationError, *keys: str) -> InvalidInstanceError:
    """The first thing that pydantic found wrong below the keys; a check that raised a whole sentence has said it."""
    first = error.errors(include_url=False)[0]
    context = first.get("ctx", {})
    raised = context.get("error")
    if isinstance(raised, InvalidInstanceError):
        return raised
    known = _COMPLAINTS.get(first["type"], f"is refused: {first['msg']}")
    complaint = known.format_map(context) if raised is None else str(raised)
    where, given = [*keys, *first["loc"]], written(first["input"])
    # Pydantic puts "[key]" after a key that is wrong. Without a key before it, a user has called one so.
    if where[-1] == "[key]" and len(where) > 2:
        return InvalidInstanceError(f"{_spelled(where[:-2])}: the name {given} {complaint}")
    return InvalidInstanceError(f"{_spelled(where)} = {given} {complaint}")


def written(value: object) -> str:
    """A value as Python writes it, cut where it is long."""
    try:
        text = repr(value)
    except (ValueError, RecursionError):  # an integer of thousands of digits, lists within lists without end
        return f"({type(value).__name__}, too large to show)"
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."


def _spelled(where: Sequence[str | int]) -> str:
    """``published 'PQ'[1]``."""
    inner = (f"[{part}]" if isinstance(part, int) else f" {written(part)}" for part in where[1:])
    return f"{where[0]}{''.join(inner)}"
