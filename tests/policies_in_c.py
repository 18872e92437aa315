"""Policies in C, compiled while tests run."""

import ctypes
import shutil
import subprocess
from pathlib import Path

import pytest

import schedcore
from schedcore import CompiledPolicy

#: Wakes every time unit. Starts in order of arrival what fits, at multiples of EVERY; of 0 never: the remainder is NaN.
POLLING = """
#include <math.h>
#include "schedcore/policy.h"

static int decide(void *state, schedcore_turn *turn) {
  const double now = schedcore_now(turn);
  (void)state;
  if (fmod(now, EVERY) == 0) {
    const int64_t *waiting = schedcore_ids(turn, SCHEDCORE_WAITING);
    for (int64_t k = 0, n = schedcore_n_ids(turn, SCHEDCORE_WAITING); k < n; ++k) {
      const int64_t machine = schedcore_first_fit(turn, waiting[k]);
      if (machine >= 0 && schedcore_start(turn, waiting[k], machine) != 0) return -1;
    }
  }
  return schedcore_wake(turn, now + 1);
}

const schedcore_policy *policy(void) {
  static const schedcore_policy table = {
      .version = SCHEDCORE_POLICY_VERSION, .name = "polling", .decide = decide};
  return &table;
}
"""


def policy_in_c(source: Path, folder: Path, function: str, *options: str) -> CompiledPolicy:
    """The policy whose table this function of a source returns; without a C compiler the test is skipped."""
    if (compiler := shutil.which("cc")) is None:
        pytest.skip("there is no C compiler")
    built = folder / "policy.so"
    strict = ["-std=c99", "-Wall", "-Wextra", "-Wconversion", "-pedantic", "-Werror"]
    words = [*strict, "-O1", "-shared", "-fPIC", f"-I{schedcore.get_include()}", *options, source, "-lm"]
    subprocess.run([compiler, *words, "-o", built], check=True)
    table_of = getattr(ctypes.CDLL(str(built)), function)
    table_of.restype = ctypes.c_void_p
    return CompiledPolicy.at(table_of())


def polling(every: int, folder: Path) -> CompiledPolicy:
    """A policy that wakes at every instant to come, and starts jobs at multiples of `every`; of 0, never."""
    source = folder / "polling.c"
    source.write_text(POLLING)
    return policy_in_c(source, folder, "policy", f"-DEVERY={every}")
