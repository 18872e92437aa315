"""Settings of the randomised tests, and what keeps one test out of the way of the next.

Reproducible and short by default; ``SCHEDCORE_HYPOTHESIS_PROFILE=thorough`` draws fresh examples, many more of them.
Which tests share a process, and in what order, is left to chance: none may leave anything open behind it.
"""

import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

TESTS = Path(__file__).parent

# Drawing an instance with several resources is slow on a busy machine; that is no finding.
SLOW_DRAWS = [HealthCheck.too_slow, HealthCheck.data_too_large]

settings.register_profile(
    "ci", deadline=None, max_examples=16, derandomize=True, database=None, suppress_health_check=SLOW_DRAWS
)
settings.register_profile("thorough", deadline=None, max_examples=400, suppress_health_check=SLOW_DRAWS)
settings.load_profile(os.environ.get("SCHEDCORE_HYPOTHESIS_PROFILE", "ci"))

# Also for the programs that tests start: no window, and pages and tables as wide and as plain as the tests expect them.
os.environ |= {"MPLBACKEND": "Agg", "COLUMNS": "200"}
for _name in ("FORCE_COLOR", "NO_COLOR", "PY_COLORS", "GITHUB_ACTIONS", "TTY_COMPATIBLE", "TTY_INTERACTIVE",
              "TERMINAL_WIDTH"):  # fmt: skip
    os.environ.pop(_name, None)

# Hypothesis would also draw constants of whatever modules the tests before have imported into the process.
with contextlib.suppress(ImportError):
    from hypothesis.internal.conjecture import providers

    providers.is_local_module_file = lambda path: False


#: Files with a real Slurm, of which only one can run on a machine: the same worker takes these files one after the
#: other, so that no other waits for it.
WITH_SLURM = (
    "slurm/test_plans_of_slurm.py",
    "slurm/test_drive_slurm.py",
    "slurm/test_decisions_of_slurm.py",
    "slurm/test_snapshot_of_slurm.py",
)
#: Files that take a minute or more.
LONG_FILES = (
    *WITH_SLURM,
    "boundary/test_cpp.py",
    "experiments/running/test_kill_and_resume.py",
    "experiments/catalogue/test_backfilling_evaluation.py",
    "experiments/catalogue/test_colocation_grid.py",
)


def pytest_configure(config: pytest.Config) -> None:
    """Let hypothesis report a failure: where a code formatter is installed it writes a patch, and that warns.

    And let workers take files in the order below, not the one with most tests first.
    """
    config.addinivalue_line("filterwarnings", "ignore:mypy_extensions.TypedDict:DeprecationWarning")
    if hasattr(config.option, "loadscopereorder"):  # pytest-xdist 3.8 on
        config.option.loadscopereorder = False


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Give all files with a real Slurm to the same worker."""
    if config.getoption("dist") != "loadfile":
        return None
    from xdist.scheduler import LoadFileScheduling

    class OneSlurmAtATime(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            file = super()._split_scope(nodeid)
            return "slurm" if file.endswith(WITH_SLURM) else file

    return OneSlurmAtATime(config, log)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with long files, so that at the end no worker is left alone with one."""
    rank = {TESTS / name: n for n, name in enumerate(LONG_FILES)}
    items.sort(key=lambda item: rank.get(item.path, len(rank)))


def pytest_make_parametrize_id(val: object) -> str | None:
    """Name bytes by their number: packed ones tell when they were packed, and all workers must agree on the names."""
    return f"{len(val)}_bytes" if isinstance(val, bytes) else None


@pytest.fixture(autouse=True)
def _no_figure_left_open() -> Iterator[None]:
    """Close what was drawn: pyplot keeps its figures, and warns where a process holds too many."""
    yield
    if pyplot := sys.modules.get("matplotlib.pyplot"):
        pyplot.close("all")
