"""What belongs to a kind of problem stands in `schedcore.problems`: whoever loops over the kinds names none."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from schedcore import model
from schedcore.problems import PROBLEMS, Problem

SOURCES = Path(__file__).resolve().parents[2] / "python" / "schedcore"
LOOPING = sorted(path for layer in ("cli", "experiments") for path in (SOURCES / layer).rglob("*.py"))
#: What belongs to one kind, or some: its instance and result, its classes, and the modules that say what it is.
INSTANCES = {kind.instance_type.__name__ for kind in PROBLEMS}
RESULTS = {name for name in model.__all__ if name.endswith("Result")} - {"Result"}
CLASSES = {
    base for kind in PROBLEMS for base in kind.__mro__ if issubclass(base, Problem) and base is not Problem
}
NAMES = INSTANCES | RESULTS | {base.__name__ for base in CLASSES}
MODULES = {base.__module__ for base in CLASSES}


def names_of_kinds(source: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Name | ast.Attribute):
            name = node.id if isinstance(node, ast.Name) else node.attr
            if name in NAMES:
                yield name
        elif isinstance(node, ast.Subscript):
            if isinstance(node.value, ast.Name) and node.value.id == "PROBLEMS":
                yield ast.unparse(node)  # a kind by its place
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, "imports are absolute here"
            whole = {f"{node.module}.{alias.name}" for alias in node.names} | {str(node.module)}
            yield from whole & MODULES
            yield from {alias.name for alias in node.names} & NAMES
        elif isinstance(node, ast.Import):
            yield from {alias.name for alias in node.names} & MODULES


def test_the_kinds_are_those_of_the_model() -> None:
    assert set(model.__all__) >= INSTANCES
    assert all(name.startswith("schedcore.problems.") for name in MODULES)


@pytest.mark.parametrize("module", LOOPING, ids=lambda path: path.relative_to(SOURCES).as_posix())
def test_whoever_loops_over_the_kinds_names_none(module: Path) -> None:
    assert list(names_of_kinds(module.read_text(encoding="utf-8"))) == []


@pytest.mark.parametrize(
    "source",
    [
        "from schedcore.model import Instance",
        "import schedcore\nisinstance(inst, schedcore.MapReduceInstance)",
        "from schedcore.problems import JobsProblem",
        "from schedcore.problems.slots import ProblemInSlots as Slots",
        "import schedcore.problems as problems\nproblems.JobsProblem",
        "isinstance(result, PreemptiveResult)",
        "PROBLEMS[0].default_policies",
    ],
)
def test_names_of_kinds_are_found(source: str) -> None:
    assert list(names_of_kinds(source))
