"""The command line in this process, and policies of which the outcome is known."""

import csv
import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import schedcore
from experiments.small_experiments import difficult_policies
from schedcore import metrics, registry
from schedcore.cli.app import app


@dataclass(frozen=True)
class Outcome:
    """How a command ended."""

    exit_code: int
    stdout: str
    stderr: str

    @property
    def rows(self) -> list[dict[str, str]]:
        """The table that it printed as CSV."""
        return list(csv.DictReader(io.StringIO(self.stdout)))


@pytest.fixture
def cli() -> Callable[..., Outcome]:
    """Run ``schedcore`` with the given words."""

    def run(*words: object) -> Outcome:
        result = CliRunner().invoke(app, [str(word) for word in words], prog_name="schedcore")
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return Outcome(result.exit_code, result.stdout, result.stderr)

    return run


def one_after_another(
    inst: schedcore.Instance, *, progress: Any = None, pause: float = 0.0
) -> schedcore.Result:
    """Feasible: all jobs on machine 0, one at a time, in input order."""
    ends = inst.jobs.release_time.max(initial=0.0) + np.cumsum(inst.jobs.processing_time + pause)
    starts = ends - inst.jobs.processing_time
    schedule = schedcore.Schedule(starts, np.zeros(inst.n_jobs, dtype=np.int64))
    if progress is not None:
        progress(inst.n_jobs // 2, inst.n_jobs)
    return schedcore.Result(schedule, "awct", metrics.awct(inst, schedule))


def all_at_once(inst: schedcore.Instance, *, progress: Any = None) -> schedcore.Result:
    """Infeasible: every job on machine 0 at its release time."""
    schedule = schedcore.Schedule(inst.jobs.release_time, np.zeros(inst.n_jobs, dtype=np.int64))
    return schedcore.Result(schedule, "awct", metrics.awct(inst, schedule))


def refusing(inst: schedcore.Instance, *, progress: Any = None) -> schedcore.Result:
    raise schedcore.InfeasibleError("job 3 fits no machine")


def interrupted(inst: schedcore.Instance, *, progress: Any = None) -> schedcore.Result:
    raise KeyboardInterrupt


@pytest.fixture(autouse=True)
def _known_policies(monkeypatch: pytest.MonkeyPatch) -> None:
    options = (registry.Option("pause", 0.0, "idle time before each job"),)
    for run, own in ((one_after_another, options), (all_at_once, ()), (refusing, ()), (interrupted, ())):
        algorithm = registry.Algorithm(run.__name__, run.__name__, "test", "this file", run, own, "awct")
        monkeypatch.setitem(registry._algorithms, run.__name__, algorithm)


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """Three jobs of 1, 2 and 4 processors; the second without a memory request."""
    path = tmp_path / "small.swf"
    rows = [
        "; MaxProcs: 4",
        "1 0 0 100 1 -1 -1 1 200 1024 1 1 1 1 1 1 -1 -1",
        "2 10 0 50 2 -1 512 2 60 -1 1 1 1 1 1 1 -1 -1",
        "3 20 0 30 4 -1 -1 4 30 256 1 1 1 1 1 1 -1 -1",
    ]
    path.write_text("\n".join(rows) + "\n")
    return path


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The current folder, with `difficult_policies`."""
    monkeypatch.chdir(tmp_path)
    with difficult_policies(tmp_path) as folder:
        yield folder
