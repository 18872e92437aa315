"""What `help` and an IDE show of a signature can be read: names of types, not what they are made of."""

import inspect
import typing
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import schedcore

#: About half a line of a terminal; the longest is a choice of two words.
LONGEST_ANNOTATION = 60
#: `Jobs` has 24 parameters.
LONGEST_SIGNATURE = 1000
COMPILED = {"ResourceTimeline", "build_config"}  # signatures of pybind11 are in their docstrings


def public() -> Iterator[tuple[str, Callable[..., Any]]]:
    """What is called at the top level, and the public methods of its classes."""
    for name in schedcore.__all__:
        what = getattr(schedcore, name)
        if not callable(what) or name in COMPILED or (inspect.isclass(what) and issubclass(what, Exception)):
            continue
        yield name, what
        if inspect.isclass(what):
            for method, value in inspect.getmembers(what, callable):
                if not method.startswith("_"):
                    yield f"{name}.{method}", value


CASES = dict(public())


@pytest.mark.parametrize("name", CASES)
def test_annotations_are_names_that_people_can_read(name: str) -> None:
    try:
        signature = inspect.signature(CASES[name])
    except ValueError:  # methods of tuples
        assert issubclass(getattr(schedcore, name.partition(".")[0]), tuple)
        return
    for parameter in signature.parameters.values():
        of_it = parameter.annotation
        shown = of_it if isinstance(of_it, str) else inspect.formatannotation(of_it)
        assert len(shown) <= LONGEST_ANNOTATION, f"{name}({parameter})"
    assert len(str(signature)) <= LONGEST_SIGNATURE


@pytest.mark.parametrize("name", [name for name in CASES if "." not in name])
def test_what_annotations_name_is_there_for_who_looks_it_up(name: str) -> None:
    what = CASES[name]
    function = what.__init__ if isinstance(what, type) else what  # type: ignore[misc]
    if inspect.isfunction(function):
        assert set(typing.get_type_hints(function)) >= set(function.__annotations__)


def test_jobs_name_the_types_of_all_their_columns() -> None:
    parameters = inspect.signature(schedcore.Jobs).parameters
    shown = {
        name: parameters[name].annotation for name in ("demand", "n_tasks", "user", "after_ok", "priority")
    }
    assert shown == {
        "demand": "ArrayLike", "n_tasks": "ArrayLike", "user": "Texts", "after_ok": "IdLists",
        "priority": "ArrayLike | None",
    }  # fmt: skip
