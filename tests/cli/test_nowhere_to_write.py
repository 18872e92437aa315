"""A disk that is full, a folder that takes no files, no screen: one sentence, exit code 2, nothing half-written."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cli.processes import run_schedcore

JOBS = "azure_like:n_jobs=2000,n_machines=2"

WRITERS = {
    "drawings": (("compare", JOBS, "-p", "pq", "--plot"), "drawings"),
    "page": (("compare", JOBS, "-p", "pq", "--report"), "page.html"),
    "schedule": (("run", "pq", JOBS, "--output"), "schedule.csv"),
    "workload": (("generate", JOBS, "--output"), "jobs.parquet"),
}


def with_a_small_disk(words: tuple[object, ...]) -> subprocess.CompletedProcess[str]:
    """Run a command that may write files of at most 2,000 bytes."""
    program = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000)); "
        f"sys.argv = {['schedcore', *map(str, words)]!r}; from schedcore.__main__ import main; main()"
    )
    return subprocess.run(
        [sys.executable, "-B", "-c", program], capture_output=True, text=True, timeout=300, check=False
    )


@pytest.mark.parametrize("kind", WRITERS)
def test_a_disk_that_fills_while_writing_leaves_nothing_behind(kind: str, tmp_path: Path) -> None:
    words, name = WRITERS[kind]
    target = tmp_path / name
    ended = with_a_small_disk((*words, target))
    assert ended.returncode == 2, ended.stderr
    (sentence,) = [line for line in ended.stderr.splitlines() if line.startswith("schedcore: ")]
    assert "File too large" in sentence
    assert name in sentence
    assert "Traceback" not in ended.stderr
    left = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert left == []


def test_what_stood_there_stays_where_the_disk_is_full(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text("mine", encoding="utf-8")
    ended = with_a_small_disk((*WRITERS["page"][0], page, "--force"))
    assert ended.returncode == 2
    assert page.read_text(encoding="utf-8") == "mine"
    assert list(tmp_path.iterdir()) == [page]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no device that is always full")
def test_results_that_find_no_room_on_stdout_are_an_error() -> None:
    with open("/dev/full", "w") as full:
        ended = subprocess.run(
            [sys.executable, "-m", "schedcore", "policies"],
            stdout=full, stderr=subprocess.PIPE, text=True, timeout=120, check=False,
        )  # fmt: skip
    assert ended.returncode == 2
    assert ended.stderr.splitlines()[-1] == "schedcore: No space left on device"


@pytest.mark.parametrize("kind", WRITERS)
def test_a_folder_that_takes_no_files_is_told_before_anything_runs(
    kind: str, cli: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever runs the tests may write everywhere, so the question is answered for them."""
    words, name = WRITERS[kind]
    target = tmp_path / name
    closed = target if kind == "drawings" else tmp_path
    allowed = os.access

    def access(path: Any, mode: int, **options: Any) -> bool:
        return allowed(path, mode, **options) and not (Path(path) == closed and mode & os.W_OK)

    monkeypatch.setattr(os, "access", access)
    outcome = cli(*words, target)
    assert outcome.exit_code == 2
    assert outcome.stderr == (
        f"schedcore: the folder {closed} takes no files: there is no permission to write there\n"
    )


def test_drawings_need_no_screen(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    ended = run_schedcore(
        "compare", JOBS, "-p", "pq", "--plot", tmp_path / "d", "--report", tmp_path / "p.html",
        MPLBACKEND="TkAgg", DISPLAY="", WAYLAND_DISPLAY="",
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr
    assert (tmp_path / "d" / "awct.png").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "p.html").exists()
