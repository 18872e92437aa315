"""Schedule azure_like by PQ in a process of its own and print the time and the peak of its memory as JSON.

``python bench/python/pq_in_one_process.py N_JOBS N_MACHINES``; the peak covers the interpreter, the workload, the
schedule and the engine.
"""

import json
import resource
import sys
import time

import schedcore
from schedcore.workloads import azure_like


def main(n_jobs: int, n_machines: int) -> None:
    """Draw the workload of seed 1, solve it, print."""
    instance = azure_like(1, n_jobs, n_machines)
    begun = time.perf_counter(), time.process_time()
    result = schedcore.pq(instance)
    figures = {
        "seconds": round(time.perf_counter() - begun[0], 3),
        "cpu_seconds": round(time.process_time() - begun[1], 3),
        "peak_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
        "awct_days": f"{result.value / 86400:.3f}",
        "valid": schedcore.validate(instance, result.schedule).ok,
    }
    print(json.dumps(figures))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
