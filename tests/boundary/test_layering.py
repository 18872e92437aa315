"""Imports point downwards, and only the layers that compose kernels touch the compiled modules.

import-linter checks the Python layers by the contract in ``pyproject.toml``. It sees no compiled module, so who
imports those, and what is taken from the root of the package, is read from the syntax trees here.
"""

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "python"
COMPILED = {"_core", "kernels"}
TOUCHING_COMPILED = {"algorithms", "engine", "bounds", "metrics", "workloads", "model", "versions"}
LAYERS = {path.stem for path in (SOURCES / "schedcore").iterdir() if path.suffix in {"", ".py"}}
MODULES = sorted((SOURCES / "schedcore").rglob("*.py"))


def layer_of(module: Path) -> str:
    """``errors``, ``model``, ... or ``__init__`` for the root of the package."""
    return module.relative_to(SOURCES / "schedcore").parts[0].removesuffix(".py")


def executed(node: ast.AST) -> Iterator[ast.AST]:
    """All nodes but those that only a type checker reads."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and ast.unparse(child.test).endswith("TYPE_CHECKING"):
            continue
        yield child
        yield from executed(child)


def imported_names(module: Path) -> Iterator[str]:
    """Every imported thing in full: ``from ..model import Jobs`` gives ``schedcore.model.Jobs``."""
    package = module.relative_to(SOURCES).parent.parts
    for node in executed(ast.parse(module.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            outer = package[: len(package) + 1 - node.level] if node.level else ()
            base = ".".join([*outer, *([node.module] if node.module else [])])
            yield from (f"{base}.{alias.name}" for alias in node.names)


def taken_from_the_root(module: Path) -> set[str]:
    """``x`` for every import of ``schedcore.x`` or deeper; the empty string for the root itself."""
    names = (name.split(".") for name in imported_names(module))
    return {name[1] if len(name) > 1 else "" for name in names if name[0] == "schedcore"}


def test_imports_point_downwards() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "from importlinter.cli import lint_imports_command; lint_imports_command()",
         "--config", str(ROOT / "pyproject.toml"), "--no-cache", "--no-logo"],
        capture_output=True, text=True, check=False, timeout=120,
        env={**os.environ, "PYTHONPATH": str(SOURCES)},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert "5 kept, 0 broken" in done.stdout


@pytest.mark.parametrize("module", MODULES, ids=lambda path: path.relative_to(SOURCES).as_posix())
def test_only_the_layers_that_compose_kernels_touch_the_compiled_modules(module: Path) -> None:
    touched = taken_from_the_root(module) & COMPILED
    if layer_of(module) == "__init__":
        compiled = {
            name for name in imported_names(module) if name.split(".")[1:2] and name.split(".")[1] in COMPILED
        }
        assert compiled <= {"schedcore._core.build_config"}
    elif layer_of(module) not in TOUCHING_COMPILED:
        assert not touched


@pytest.mark.parametrize("module", MODULES, ids=lambda path: path.relative_to(SOURCES).as_posix())
def test_below_the_command_line_nothing_comes_through_the_root(module: Path) -> None:
    if layer_of(module) not in {"cli", "__init__", "__main__"}:
        assert taken_from_the_root(module) <= LAYERS | COMPILED
