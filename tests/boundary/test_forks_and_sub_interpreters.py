"""A fork while another thread decides, and an import in a sub-interpreter, end in an answer or a clear error."""

import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(os.name != "posix", reason="forks")

# A decision of seconds (many jobs placed by MRIS at once) runs in a thread while the main thread forks.
FORKED_WHILE_DECIDING = """
import os, sys, threading, time
import schedcore
from schedcore.workloads import azure_like

instance = azure_like(seed=1, n_jobs=150_000, n_machines=20)
busy = schedcore.OnlineScheduler("mris", instance.machines, gamma0=1.0, origin=0, knapsack="greedy")
busy.submit(instance.jobs, 2.0**22)
idle = busy.copy()
waiting = schedcore.OnlineScheduler("pq", instance.machines)
waiting.submit(instance.jobs[:10], 0)
thread = threading.Thread(target=lambda: busy.advance(2.0**22), daemon=True)
thread.start()
time.sleep(0.3)
child = os.fork()
if child == 0:
    later = 2.0**22
    one = instance.jobs[:1]
    for call in (lambda: busy.n_waiting, busy.copy, lambda: busy.advance(later), lambda: busy.submit(one, later)):
        try:
            call()
            print("answered", flush=True)
        except schedcore.UnsupportedError as error:
            print(error, flush=True)
    print("idle", idle.n_waiting, len(waiting.advance(0).starts) > 0, flush=True)
    del busy, thread
    print("gone", flush=True)
    sys.exit(0)  # the whole way out, destructors included
assert thread.is_alive(), "the decision was over before the fork"
status = os.waitpid(child, 0)[1]
print("child", status, flush=True)
os._exit(0)
"""

FORKED_WHILE_A_BOUND_IS_COMPUTED = """
import os, threading
import schedcore

inside, never = threading.Event(), threading.Event()
calls = []

def bound():
    calls.append(1)
    if len(calls) == 1:
        inside.set()
        never.wait()
    return 1.0

result = schedcore.Result(None, "awct", 2.0, lower_bound=bound)
threading.Thread(target=lambda: result.lower_bound, daemon=True).start()
inside.wait()
child = os.fork()
if child == 0:
    print("ratio", result.ratio(), flush=True)
    os._exit(0)
print("child", os.waitpid(child, 0)[1], flush=True)
os._exit(0)
"""

IMPORTED_IN_A_SUB_INTERPRETER = """
import sys
try:
    import _interpreters
except ImportError:
    import _xxsubinterpreters as _interpreters
try:
    interpreter = _interpreters.create("legacy")  # shares the GIL: the mode in which an import can wait for it
except TypeError:
    interpreter = _interpreters.create()
program = '''
import sys
sys.path[:] = {path!r}
try:
    import {module}
except ImportError as error:
    print("refused:", error, flush=True)
else:
    print("imported", flush=True)
'''
_interpreters.run_string(interpreter, program.format(path=sys.path, module=sys.argv[1]))
_interpreters.destroy(interpreter)
import schedcore
print("main", schedcore.OnlineScheduler("pq", schedcore.Machines([[1]])).n_waiting, flush=True)
"""


def output_of(program: str, *arguments: str) -> list[str]:
    """Lines of a program that must end in time."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program, *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_a_scheduler_that_another_thread_uses_at_a_fork_is_refused_in_the_child() -> None:
    lines = output_of(FORKED_WHILE_DECIDING)
    assert len(lines) == 7
    assert all("was at work in another thread when the process was forked" in line for line in lines[:4])
    assert lines[4:] == ["idle 0 True", "gone", "child 0"]


def test_a_bound_that_another_thread_computes_at_a_fork_is_computed_anew_in_the_child() -> None:
    assert output_of(FORKED_WHILE_A_BOUND_IS_COMPUTED) == ["ratio 2.0", "child 0"]


@pytest.mark.parametrize(
    "module", ["schedcore", "schedcore._core", "schedcore._core.engine", "schedcore.kernels"]
)
def test_an_import_in_a_sub_interpreter_is_refused_at_once(module: str) -> None:
    refused, main = output_of(IMPORTED_IN_A_SUB_INTERPRETER, module)
    assert refused.startswith("refused:")
    assert "sub-interpreter" in refused
    assert main == "main 0"
