"""The sources are linted and formatted as ``pyproject.toml`` says, and pages have lines of one width."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE_WIDTH = 110


@pytest.mark.parametrize("check", [("check",), ("format", "--check")], ids=["lint", "format"])
def test_ruff_finds_nothing(check: tuple[str, ...]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "ruff", *check, "--no-cache"],
        cwd=ROOT, capture_output=True, text=True, check=False, timeout=600,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


def lines_too_long(page: str) -> Iterator[int]:
    """The numbers of lines wider than a page; rows of tables, marks and lines of code are as wide as need be."""
    in_code = False
    for number, line in enumerate(page.splitlines(), 1):
        text = line.lstrip()
        if text.startswith("```"):
            in_code = not in_code
        elif len(line) > PAGE_WIDTH and not in_code and not text.startswith(("|", "<!--")):
            yield number


def test_lines_of_pages_are_wrapped() -> None:
    pages = sorted(page for folder in (".", "docs", "bench") for page in (ROOT / folder).glob("*.md"))
    assert pages
    too_long = [
        f"{page.relative_to(ROOT)}:{number}"
        for page in pages
        for number in lines_too_long(page.read_text(encoding="utf-8"))
    ]
    assert not too_long, f"lines of more than {PAGE_WIDTH} characters: {', '.join(too_long)}"


def test_only_prose_has_to_be_wrapped() -> None:
    wide = "x" * (PAGE_WIDTH + 1)
    page = f"{wide[1:]}\n| {wide} |\n* {wide}\n```text\n{wide}\n```\n# {wide}\n"
    assert list(lines_too_long(page)) == [3, 7]
