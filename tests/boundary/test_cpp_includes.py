"""Every file of the core and of its tests includes what it uses, itself or by what it includes.

The C++ tests of the suite and the extension join sources before they compile them, which hides what is missing. So the
text of the files is read here, which takes seconds. ``SCHEDCORE_EACH_SOURCE=1`` compiles each source by itself, which
takes some minutes; the presets ``dev``, ``asan`` and ``tsan`` do so too, and with every header.
"""

import os
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from boundary.cpp_declarations import missing_includes

ROOT = Path(__file__).resolve().parents[2]
CORE = ROOT / "src" / "cpp"
ROOMS = sorted({source.relative_to(CORE).parts[0] for source in CORE.rglob("*.cpp")})


def files_below(folder: Path) -> dict[str, str]:
    """Texts of sources and headers, by the names under which they are included."""
    found = sorted(folder.rglob("*.[hc]pp"))
    return {path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8") for path in found}


def core_files() -> dict[str, str]:
    sources = {name: text for name, text in files_below(CORE).items() if not name.startswith("include/")}
    return files_below(CORE / "include") | sources


def test_there_are_rooms() -> None:
    assert "engine" in ROOMS


def test_each_file_of_the_core_includes_what_it_uses() -> None:
    files = core_files()
    assert len(files) > 400
    assert missing_includes(files, files) == {}


def test_each_test_includes_what_it_uses() -> None:
    tests = files_below(ROOT / "tests" / "cpp")
    assert len(tests) > 100
    # A test named like a source of the core is no less looked at.
    assert missing_includes(core_files() | tests, tests) == {}


def test_missing_includes_are_found() -> None:
    low = ["#include <vector>", "", "class Low {", "  std::vector<int> of_;", "};", "", "int half(int x);"]
    high = ['#include "a/low.hpp"', "", "struct High {", "  Low low;", "  int third(int x);", "};"]
    good = ['#include "a/high.hpp"', "int High::third(int x) { return half(x); }", "std::vector<Low> lows;"]
    local = [
        "struct Low {};",
        "int f(Low l) {",
        "  const auto half = [](int x) { return x; };",
        "  return half(l.half(1));",
        "}",
    ]
    bad = ["int f(Low low) {", "  assert(low.x);", "  return half(std::max(low.x, 1));  // High", "}"]
    files = {
        name: "\n".join([*lines, ""])
        for name, lines in {
            "a/low.hpp": low, "a/high.hpp": high, "a/good.cpp": good, "a/local.cpp": local, "a/bad.cpp": bad,
        }.items()
    }  # fmt: skip
    assert missing_includes(files, files) == {
        "a/bad.cpp": ["Low", "assert of <cassert>", "half", "max of <algorithm>"]
    }


def test_a_name_of_the_standard_library_without_a_known_header_is_told() -> None:
    files = {"a.cpp": "#include <vector>\n\nstd::vector<std::mystery> f();\n"}
    assert missing_includes(files, files) == {"a.cpp": ["mystery of no header that is known here"]}


def test_each_test_includes_googletest_which_is_compiled_before_it() -> None:
    tests = sorted((ROOT / "tests" / "cpp").rglob("*_test.cpp"))
    assert tests
    assert [test.name for test in tests if "#include <gtest/gtest.h>\n" not in test.read_text()] == []


@pytest.mark.slow
@pytest.mark.skipif(
    "SCHEDCORE_EACH_SOURCE" not in os.environ, reason="set SCHEDCORE_EACH_SOURCE=1 to compile each by itself"
)
@pytest.mark.parametrize("room", ROOMS)
def test_each_source_compiles_by_itself(room: str) -> None:
    compiler = shlex.split(os.environ.get("CXX", "c++"))
    if shutil.which(compiler[0]) is None:
        pytest.skip(f"{compiler[0]} is not installed")
    sources = sorted((CORE / room).rglob("*.cpp"))
    done = subprocess.run(
        [*compiler, "-std=c++20", "-fsyntax-only", "-I", CORE / "include", *sources],
        capture_output=True, text=True, check=False, timeout=1800,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
