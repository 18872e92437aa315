"""The experiments that come with the library, each a TOML file that users can copy and change."""

import importlib.resources
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from schedcore.errors import InvalidInstanceError
from schedcore.experiments.description.declared import Names, check
from schedcore.experiments.description.document import from_document
from schedcore.experiments.description.experiment import Experiment
from schedcore.experiments.description.refusals import placed, refuse_if, written
from schedcore.experiments.description.toml_text import parse_toml
from schedcore.model.choices import check_choice

__all__ = ["load", "names", "source"]


def names() -> list[str]:
    """Names of the experiments that come with the library, in alphabetical order."""
    files = importlib.resources.files(__name__).iterdir()
    return sorted(file.name.removesuffix(".toml") for file in files if file.name.endswith(".toml"))


def source(name: str) -> str:
    """The TOML text of an experiment that comes with the library, to copy and change."""
    check_choice("experiment", name, names())
    return (importlib.resources.files(__name__) / f"{name}.toml").read_text(encoding="utf-8")


def load(name_or_file: str | os.PathLike[str]) -> Experiment:
    """Return the experiment of a TOML file, or the one of that name that comes with the library.

    File names and modules in a file are relative to its folder. A description may take tables over from one that comes
    with the library: ``takes = { mris-figures = ["policies"] }``; its own entries go before those.

    Raises
    ------
    InvalidInstanceError
        For a name that is neither (with the close matches), a file that is no TOML, and all that a description can be
        refused for.
    """
    text = os.fspath(name_or_file)
    path = Path(text)
    if path.suffix == ".toml" or os.path.isfile(text):
        if not os.path.isfile(text):
            raise InvalidInstanceError(f"{path}: no such file")
        with placed(text):
            document = _with_parts_of_others(parse_toml(path.read_bytes()))
        return from_document(document, path.resolve().parent)
    return from_document(_builtin(text))


def _builtin(name: str) -> dict[str, Any]:
    return _with_parts_of_others(parse_toml(source(name).encode()))


def _with_parts_of_others(document: Mapping[str, Any]) -> dict[str, Any]:
    completed = dict(document)
    takes = completed.pop("takes", {})
    example = "{ mris-figures = ['policies'] }"
    is_table = isinstance(takes, Mapping)
    refuse_if(not is_table, f"takes = {written(takes)} must be a table such as {example}")
    check(Mapping[str, Names], "takes", takes)
    for other, parts in takes.items():
        theirs = _builtin(other)
        for part in parts:
            check_choice(f"part of {other!r}", part, theirs)
            own = completed.get(part)
            if own is None:
                completed[part] = theirs[part]
            elif isinstance(own, Mapping) and isinstance(theirs[part], Mapping):
                completed[part] = {**theirs[part], **own}
    return completed
