"""Who includes whom among the rooms of the C++ core: what ``src/cpp/CMakeLists.txt`` says, and nothing else.

A room is a folder of ``src/cpp`` with its headers in ``include/schedcore/<room>``. Rooms are declared lowest first, and
one may name only those declared before it, so there are no circles.

Many files are compiled as one, so what a file has in its unnamed namespace must not hide, or overload, a name that
another file means.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from boundary.cpp_declarations import declared_names, unnamed_parts

ROOT = Path(__file__).resolve().parents[2]
CORE = ROOT / "src" / "cpp"
HEADERS = CORE / "include" / "schedcore"
BRIDGE = ROOT / "src" / "schedcore"
# What every room may read: numbers, errors, and the columns of instances and schedules. No algorithm is among them.
NO_ALGORITHMS = {"base", "exact", "model"}

Rooms = dict[str, set[str]]


def declared_rooms(cmake: str) -> Rooms:
    """Every room with those that it may include, lowest first."""
    calls = re.findall(r"^schedcore_room\((\w+)(?:\s+INCLUDES\s+([\w\s]+))?\)", cmake, re.MULTILINE)
    return {room: set(included.split()) for room, included in calls}


def arrows_upwards(rooms: Rooms) -> list[str]:
    """What a room names without it being declared before."""
    order = list(rooms)
    return [
        f"{room} -> {included}"
        for room, named in rooms.items()
        for included in sorted(named)
        if included not in order[: order.index(room)]
    ]


def files_of(room: str) -> list[Path]:
    return [path for folder in (CORE / room, HEADERS / room) for path in sorted(folder.glob("*.[hc]pp"))]


def rooms_included(source: str) -> Iterator[tuple[str, str]]:
    """The room and the line of every include of the core; the empty string for a header of no room."""
    for line in re.findall(r'^\s*#\s*include\s*(?:<schedcore/|"schedcore/).*$', source, re.MULTILINE):
        if line.endswith('"schedcore/policy.h"'):  # for C, and of no room: it includes nothing of the core
            continue
        inside = re.search(r"schedcore/(\w+)/", line)
        yield (inside[1] if inside else ""), line


def forbidden_includes(room: str, source: str, rooms: Rooms) -> list[str]:
    """Lines that reach into a room that is not named, or past the public headers of any room."""
    lines = [line for target, line in rooms_included(source) if target not in rooms[room] | {room}]
    return lines + re.findall(r'^\s*#\s*include\s*"(?!schedcore/)[^"]*/.*$', source, re.MULTILINE)


def ambiguous_names(headers: dict[str, str], sources: dict[str, str]) -> dict[str, list[str]]:
    """Names in unnamed namespaces, with the files, that stand in a header or in another unnamed namespace too."""
    found: dict[str, list[str]] = {}
    for path, source in sources.items():
        for name in declared_names(unnamed_parts(source)):
            found.setdefault(name, []).append(path)
    for path, header in headers.items():
        for name in declared_names(header) & found.keys():
            found[name].append(path)
    return {name: paths for name, paths in found.items() if len(paths) > 1}


def sources_below(folder: Path, pattern: str) -> dict[str, str]:
    return {
        path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in folder.rglob(pattern)
    }


ROOMS = declared_rooms((CORE / "CMakeLists.txt").read_text(encoding="utf-8"))


def test_every_folder_is_a_declared_room() -> None:
    folders = {path.name for path in CORE.iterdir() if path.is_dir()} - {"include"}
    assert folders == set(ROOMS)
    assert {path.name for path in HEADERS.iterdir() if path.is_dir()} == set(ROOMS)
    assert not list(CORE.glob("*.[hc]pp"))


def test_rooms_name_only_rooms_below_them() -> None:
    assert arrows_upwards(ROOMS) == []


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_includes_only_what_it_names(room: str) -> None:
    found = {
        path.relative_to(CORE).as_posix(): lines
        for path in files_of(room)
        if (lines := forbidden_includes(room, path.read_text(encoding="utf-8"), ROOMS))
    }
    assert found == {}


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_names_only_what_it_includes(room: str) -> None:
    used = {
        target for path in files_of(room) for target, _ in rooms_included(path.read_text(encoding="utf-8"))
    }
    assert ROOMS[room] <= used


def test_the_validators_share_nothing_with_the_algorithms() -> None:
    assert {path.stem for path in HEADERS.joinpath("validation").glob("*.hpp")} == {
        "validator", "run_validator", "task_validator", "slot_validator",
    }  # fmt: skip
    assert ROOMS["validation"] <= NO_ALGORITHMS
    assert set().union(*(ROOMS[room] for room in NO_ALGORITHMS)) <= NO_ALGORITHMS
    assert not [room for room, named in ROOMS.items() if "validation" in named]


def test_folders_of_the_bridge_are_named_like_rooms() -> None:
    assert {path.name for path in BRIDGE.iterdir() if path.is_dir()} - {"__pycache__"} <= set(ROOMS)


@pytest.mark.parametrize("folder", [CORE, BRIDGE], ids=["core", "bridge"])
def test_names_of_unnamed_namespaces_are_told_apart(folder: Path) -> None:
    headers = sources_below(CORE, "*.hpp") | sources_below(folder, "*.hpp")
    assert ambiguous_names(headers, sources_below(folder, "*.cpp")) == {}


def test_names_that_hide_others_are_found() -> None:
    own = "namespace {\n\nconstexpr int kMost = 3;\n\nint half(int x) { return x / 2; }\n\n}  // namespace\n"
    assert ambiguous_names({"a.hpp": "[[nodiscard]] double half(double x);\n"}, {"b.cpp": own}) == {
        "half": ["b.cpp", "a.hpp"]
    }
    assert ambiguous_names({}, {"b.cpp": own, "c.cpp": own}) == {
        "kMost": ["b.cpp", "c.cpp"],
        "half": ["b.cpp", "c.cpp"],
    }


def test_headers_outside_the_rooms_only_forward() -> None:
    for path in HEADERS.glob("*.hpp"):
        lines = [
            line
            for line in path.read_text(encoding="utf-8").splitlines()
            if line and not line.startswith("//")
        ]
        assert len(lines) == 2, path
        assert re.search(rf'"schedcore/\w+/{path.name}"', lines[1]), path


def test_circles_and_forbidden_includes_are_found() -> None:
    rooms = declared_rooms(
        "schedcore_room(low INCLUDES high)\nschedcore_room(high INCLUDES\n  low)\nschedcore_room(x)"
    )
    assert rooms == {"low": {"high"}, "high": {"low"}, "x": set()}
    assert arrows_upwards(rooms) == ["low -> high"]
    assert forbidden_includes("x", '#include "schedcore/low/a.hpp"\n', rooms)
    assert forbidden_includes("x", "  # include <schedcore/low/a.hpp>\n", rooms)
    assert forbidden_includes("x", '#include "schedcore/a.hpp"\n', rooms)
    assert forbidden_includes("x", '#include "../low/a.hpp"\n', rooms)
    assert not forbidden_includes(
        "high", '#include "schedcore/low/a.hpp"\n#include "b.hpp"\n#include <map>\n', rooms
    )
