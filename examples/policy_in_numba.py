"""A policy that Numba compiles: shortest job first, from what a turn tells alone."""

import numpy as np
from numba import carray, cfunc, types

import schedcore

turn_functions = schedcore.engine.turn_functions()
n_ids, ids, job = turn_functions.n_ids, turn_functions.ids, turn_functions.job
first_fit, start = turn_functions.first_fit, turn_functions.start
WAITING = 0  # SCHEDCORE_WAITING of schedcore/policy.h
PROCESSING_TIME = 2  # a schedcore_job is eight fields of eight bytes; this one is a double


@cfunc(types.int32(types.voidptr, types.voidptr))
def shortest_job_first(state, turn):
    n_waiting = n_ids(turn, WAITING)
    waiting = carray(ids(turn, WAITING), n_waiting)
    processing_time = np.empty(n_waiting)
    for k in range(n_waiting):
        processing_time[k] = carray(job(turn, waiting[k]), 8).view(np.float64)[PROCESSING_TIME]
    for k in np.argsort(processing_time, kind="mergesort"):
        machine = first_fit(turn, waiting[k])
        if machine >= 0 and start(turn, waiting[k], machine) != 0:
            return -1
    return 0


policy = schedcore.CompiledPolicy(shortest_job_first, name="shortest job first by Numba")
instance = schedcore.workloads.azure_like(seed=1, n_jobs=2000, n_machines=4)
result = schedcore.solve(policy, instance)
print(f"{result.algorithm}: {result.value:.0f}, at most {result.gap():.1%} above the optimum")
same = schedcore.solve("pq", instance, heuristic="sjf")
print("like pq by sjf:", np.array_equal(result.schedule.start_time, same.schedule.start_time))
