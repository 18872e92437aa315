"""A policy in C: compile policy_in_c.c with nothing but what the wheel brings, and run it in place of a name."""

import ctypes
import pathlib
import shutil
import subprocess
import tempfile

import numpy as np

import schedcore

source = pathlib.Path(__file__).with_suffix(".c")
compiler = shutil.which("cc")
if compiler is None:
    print("there is no C compiler (cc) here")
    raise SystemExit

with tempfile.TemporaryDirectory() as folder:
    library = pathlib.Path(folder) / "shortest_job_first.so"
    command = [compiler, "-O2", "-shared", "-fPIC", f"-I{schedcore.get_include()}", source, "-o", library]
    subprocess.run(command, check=True)
    compiled = ctypes.CDLL(str(library))

compiled.shortest_job_first.restype = ctypes.c_void_p
policy = schedcore.CompiledPolicy.at(compiled.shortest_job_first())

instance = schedcore.workloads.azure_like(seed=1, n_jobs=5000, n_machines=4)
result = schedcore.solve(policy, instance)
print(f"{result.algorithm}: {result.value:.0f}, at most {result.gap():.1%} above the optimum")
same = schedcore.solve("pq", instance, heuristic="sjf")
print("like pq by sjf:", np.array_equal(result.schedule.start_time, same.schedule.start_time))

# embedded, saved and loaded in the middle
scheduler = schedcore.OnlineScheduler(policy, schedcore.Machines.identical(1, [4]))
scheduler.submit(schedcore.Jobs([9, 5, 2], [[4], [4], [4]]), now=0)
print([start.id for start in scheduler.advance(0).starts])
scheduler = schedcore.OnlineScheduler.load(scheduler.save(), policy=policy)
scheduler.complete([2], now=2)
print([start.id for start in scheduler.advance(2).starts])
