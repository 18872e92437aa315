"""What a function takes stands in its signature, and is refused there, in the words of whoever calls it."""

import inspect
from typing import Any, Literal

import numpy as np
import pytest

from schedcore import InvalidInstanceError
from schedcore.workloads.reading.annotated_arguments import check_reader_argument, checks_choices
from schedcore.workloads.reading.option_spelling import spelling_options


@checks_choices
def read(
    path: str,
    word: Literal["one", "two"] = "one",
    *,
    flag: bool | None = None,
    amount: Literal["all"] | float | None = None,
    number: Literal[1, 2] = 1,
    count: int = 0,
) -> tuple[object, ...]:
    """Return what it got."""
    return (path, word, flag, amount, number, count)


def test_a_checked_function_is_called_and_documented_as_it_is_written() -> None:
    assert read("file") == ("file", "one", None, None, 1, 0)
    assert read("file", "two", flag=np.True_, amount="all") == ("file", "two", True, "all", 1, 0)
    assert list(inspect.signature(read).parameters) == ["path", "word", "flag", "amount", "number", "count"]
    assert inspect.getdoc(read) == "Return what it got."


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"word": "tow"}, "unknown word 'tow'; did you mean 'two'? (choices: one, two)"),
        ({"word": 3}, "unknown word 3 (choices: one, two)"),
        ({"flag": 0}, "flag=0: choose flag=True or flag=False"),
        ({"amount": "al"}, "unknown amount 'al'; did you mean 'all'? (choices: all)"),
    ],
)
def test_a_word_or_flag_that_the_signature_does_not_list_is_refused(
    options: dict[str, Any], message: str
) -> None:
    with pytest.raises(InvalidInstanceError) as refusal:
        read("file", **options)
    assert str(refusal.value) == message


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (("file",), {"wrod": "two"}, "read() got an unexpected keyword argument 'wrod'"),
        ((), {"word": "two"}, "read() missing 1 required positional argument: 'path'"),
        (
            ("file", "two", True),
            {},
            "read() takes from 1 to 2 positional arguments but 3 were given",
        ),
    ],
)
def test_arguments_that_the_signature_does_not_have_are_refused_by_the_name_of_the_function(
    arguments: tuple[Any, ...], options: dict[str, Any], message: str
) -> None:
    with pytest.raises(TypeError) as refusal:
        read(*arguments, **options)
    assert str(refusal.value) == message


def test_numbers_are_left_to_the_function_unless_somebody_asks() -> None:
    assert read("file", amount=True, number=3, count="x")[3:] == (True, 3, "x")  # type: ignore[arg-type]
    for name, value, message in (
        ("amount", True, "amount=True must be a number or all"),
        ("number", 3, "number=3 must be 1 or 2"),
        ("count", 0.5, "count=0.5 must be an integer"),
    ):
        with pytest.raises(InvalidInstanceError) as refusal:
            check_reader_argument(read, name, value)
        assert str(refusal.value) == message
    for name, value in (("amount", 0.5), ("amount", None), ("number", 2), ("count", np.int64(3))):
        check_reader_argument(read, name, value)


def test_a_refusal_spells_options_as_its_user_does() -> None:
    with spelling_options(lambda name, *value: " ".join([f"--{name}", *map(str, value)])):
        with pytest.raises(InvalidInstanceError, match=r"^--flag 0: choose --flag True or --flag False$"):
            read("file", flag=0)  # type: ignore[arg-type]
        with pytest.raises(InvalidInstanceError, match=r"^unknown --word 'x'"):
            read("file", "x")  # type: ignore[arg-type]
