"""The committed stubs describe the compiled modules as they are.

``mypy.stubtest`` compares the names, and the whole signatures of the Cython module. Functions of pybind11 have no
signature that it could read, but the first line of their docstring is one: the parameter names and defaults of the
stub are compared with that.
"""

import ast
import importlib
import inspect
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from schedcore import _core

PACKAGE = Path(__file__).resolve().parents[2] / "python" / "schedcore"
PATHS = sorted((PACKAGE / "_core").iterdir())
ROOMS = [path.stem for path in PATHS if path.stem != "__init__"]
# The body of every stub by what its names begin with.
STUBS = {
    f"{path.stem}.".removeprefix("__init__."): ast.parse(path.read_text(encoding="utf-8")).body
    for path in PATHS
}
CLASSES = [
    room + node.name for room, body in STUBS.items() for node in body if isinstance(node, ast.ClassDef)
]

# What no stub can say: Cython's tables, the metaclass of pybind11, and the constructor that an abstract class lacks.
ALLOWED = [
    r"schedcore\.kernels\.__pyx_capi__",
    r"schedcore\.kernels\.__test__",
    r"schedcore\._core\.engine\.Policy(Event|Turn)?\.__init__",
    *(rf"schedcore\._core\.{name}" for name in CLASSES),
]


def functions(body: list[ast.stmt], owner: str) -> Iterator[tuple[str, ast.FunctionDef]]:
    """Functions and methods of a stub by their dotted name."""
    for node in body:
        if isinstance(node, ast.ClassDef):
            yield from functions(node.body, f"{owner}{node.name}.")
        elif isinstance(node, ast.FunctionDef):
            yield owner + node.name, node


FUNCTIONS = {name: node for room, body in STUBS.items() for name, node in functions(body, room)}
PROPERTIES = [
    name
    for name, node in FUNCTIONS.items()
    if "property" in [ast.unparse(mark) for mark in node.decorator_list]
]
CALLABLES = sorted(set(FUNCTIONS) - set(PROPERTIES))


def compiled(name: str) -> object:
    found: object = _core
    for part in name.split("."):
        found = getattr(found, part)
    return found


def parameters(function: ast.FunctionDef) -> list[tuple[str, str | None]]:
    """Name and default of every parameter."""
    arguments = function.args
    by_position = [*arguments.posonlyargs, *arguments.args]
    defaults = (
        [None] * (len(by_position) - len(arguments.defaults)) + arguments.defaults + arguments.kw_defaults
    )
    names = [argument.arg for argument in (*by_position, *arguments.kwonlyargs)]
    values = [None if default is None else ast.unparse(default) for default in defaults]
    return list(zip(names, values, strict=True))


def documented_signature(name: str) -> ast.FunctionDef:
    """``name(self: X, time: float) -> int``, the first line of the docstring, as a definition."""
    first_line = (compiled(name).__doc__ or "").splitlines()[0]
    (definition,) = ast.parse(f"def {first_line}: ...").body
    assert isinstance(definition, ast.FunctionDef)
    return definition


def test_stubtest_finds_no_difference(tmp_path: Path) -> None:
    # The stubs import nothing of the package. Beside an empty one they are read in a quarter of the time.
    stubs = tmp_path / "stubs" / "schedcore"
    shutil.copytree(PACKAGE / "_core", stubs / "_core")
    shutil.copy(PACKAGE / "kernels.pyi", stubs)
    (stubs / "__init__.py").touch()
    (tmp_path / "mypy.ini").write_text(f"[mypy]\nstrict = True\nmypy_path = {stubs.parent}\n")
    allowlist = tmp_path / "allowlist"
    allowlist.write_text("\n".join(ALLOWED))
    done = subprocess.run(
        [sys.executable, "-m", "mypy.stubtest", "schedcore._core", "schedcore.kernels", "--allowlist", str(allowlist),
         "--mypy-config-file", str(tmp_path / "mypy.ini")],
        cwd=tmp_path, env={**os.environ, "MYPY_CACHE_DIR": str(tmp_path / "cache")},
        capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_room_has_a_stub() -> None:
    assert {name for name, value in vars(_core).items() if inspect.ismodule(value)} == set(ROOMS)


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_can_be_imported(room: str) -> None:
    assert importlib.import_module(f"schedcore._core.{room}") is compiled(room)


@pytest.mark.parametrize("name", CLASSES)
def test_every_class_of_the_stub_is_compiled_and_says_where_it_is(name: str) -> None:
    found = compiled(name)
    assert isinstance(found, type)
    assert f"{found.__module__}.{found.__qualname__}" == f"schedcore._core.{name}"


@pytest.mark.parametrize("name", CALLABLES)
def test_parameters_of_the_stub_are_those_of_the_binding(name: str) -> None:
    assert parameters(FUNCTIONS[name]) == parameters(documented_signature(name))


@pytest.mark.parametrize("name", PROPERTIES)
def test_properties_of_the_stub_are_properties(name: str) -> None:
    assert isinstance(compiled(name), property)
