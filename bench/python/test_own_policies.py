"""What a decision of somebody's own policy costs beside its own work: in Python, and in C beside PQ of the library.

Every job starts when it arrives, so both PQ and the policy in C have one search and one start a job to do.
"""

import ctypes
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import schedcore

SOURCE = """
#include "schedcore/policy.h"
static int decide(void *state, schedcore_turn *turn) {
  const int64_t n = schedcore_n_ids(turn, SCHEDCORE_ARRIVED);
  const int64_t *ids = schedcore_ids(turn, SCHEDCORE_ARRIVED);
  (void)state;
  for (int64_t k = 0; k < n; ++k) {
    if (schedcore_start(turn, ids[k], schedcore_first_fit(turn, ids[k])) != 0) return -1;
  }
  return 0;
}
static const schedcore_policy table = {SCHEDCORE_POLICY_VERSION, 0, "starts", decide, 0, 0, 0, 0, 0, 0};
const schedcore_policy *policy(void) { return &table; }
"""


class Idle(schedcore.Policy):
    """Nothing but the boundary; started when the last job is there, because all have to run."""

    def __init__(self, n_jobs: int) -> None:
        self.n_left = n_jobs

    def decide(self, event: Any, turn: Any) -> None:
        self.n_left -= 1
        if self.n_left <= 0:
            for job in turn.waiting.tolist():
                machines = turn.fits(job)
                if len(machines):
                    turn.start(job, machines[0])


class Starts(schedcore.Policy):
    def decide(self, event: Any, turn: Any) -> None:
        for job in event.arrived.tolist():
            turn.start(job, turn.fits(job)[0])


def loose(n_jobs: int) -> schedcore.Instance:
    rng = np.random.default_rng(0)
    jobs = schedcore.Jobs(
        rng.integers(1, 100, n_jobs), rng.integers(1, 10, (n_jobs, 2)), release_time=np.arange(n_jobs)
    )
    return schedcore.Instance(jobs, schedcore.Machines.identical(100, [64, 64]))


def test_decisions_in_python(benchmark: Any) -> None:
    instance = loose(20_000)
    result = benchmark.pedantic(lambda: schedcore.solve(Starts(), instance), rounds=5)
    assert result.stats["events"] == 20_040


def test_decisions_in_python_that_do_nothing(benchmark: Any) -> None:
    instance = loose(2_000)
    benchmark.pedantic(lambda: schedcore.solve(Idle(instance.n_jobs), instance), rounds=5)


@pytest.mark.parametrize("policy", ["pq", "in C"])
def test_one_start_a_job(benchmark: Any, policy: str, tmp_path: Path) -> None:
    instance = loose(200_000)
    if policy == "in C":
        compiler = shutil.which("cc")
        if compiler is None:
            pytest.skip("there is no C compiler")
        (tmp_path / "policy.c").write_text(SOURCE)
        command = [
            compiler,
            "-O2",
            "-shared",
            "-fPIC",
            f"-I{schedcore.get_include()}",
            "policy.c",
            "-o",
            "policy.so",
        ]
        subprocess.run(command, check=True, cwd=tmp_path)
        library = ctypes.CDLL(str(tmp_path / "policy.so"))
        library.policy.restype = ctypes.c_void_p
        compiled = schedcore.CompiledPolicy.at(library.policy())
        benchmark.pedantic(lambda: schedcore.solve(compiled, instance), rounds=20)
    else:
        benchmark.pedantic(lambda: schedcore.solve(policy, instance), rounds=20)
