"""What belongs to a kind of problem stands in `schedcore.problems`: whoever loops over the kinds names none."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from schedcore import model
from schedcore.problems import PROBLEMS

SOURCES = Path(__file__).resolve().parents[2] / "python" / "schedcore"
LOOPING = sorted(path for layer in ("cli", "experiments") for path in (SOURCES / layer).rglob("*.py"))
#: What belongs to one kind: its instance, and the module that says what it is.
INSTANCES = {kind.instance_type.__name__ for kind in PROBLEMS}
MODULES = {kind.__module__ for kind in PROBLEMS}


def names_of_kinds(module: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Name | ast.Attribute):
            name = node.id if isinstance(node, ast.Name) else node.attr
            if name in INSTANCES:
                yield name
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, "imports are absolute here"
            whole = {f"{node.module}.{alias.name}" for alias in node.names} | {str(node.module)}
            yield from whole & MODULES
            yield from {alias.name for alias in node.names} & INSTANCES
        elif isinstance(node, ast.Import):
            yield from {alias.name for alias in node.names} & MODULES


def test_the_kinds_are_those_of_the_model() -> None:
    assert set(model.__all__) >= INSTANCES
    assert all(name.startswith("schedcore.problems.") for name in MODULES)


@pytest.mark.parametrize("module", LOOPING, ids=lambda path: path.relative_to(SOURCES).as_posix())
def test_whoever_loops_over_the_kinds_names_none(module: Path) -> None:
    assert list(names_of_kinds(module)) == []
