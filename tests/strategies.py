"""Hypothesis strategies for instances, shared by all tests.

What they like to draw: equal times, demands equal to a capacity, demands of zero, capacities from one unit to
2**53, times up to 2**40, no job, one job, more machines than jobs, one resource and twenty. Every job fits an
empty machine (every machine where they are identical), and every processing time is long enough to count
beside any sum of the times of up to 32 jobs.
"""

from functools import lru_cache

import numpy as np
from hypothesis import strategies as st

from schedcore import Instance, Jobs, Machines

HUGE_TIME = 2**40
SHORTEST_TIME = 2.0**-6  # SHORTEST_TIME + 2**45 > 2**45 in float64

integer_processing_times = (
    st.integers(1, 4) | st.integers(1, 100) | st.sampled_from([HUGE_TIME - 1, HUGE_TIME])
)
integer_release_times = st.just(0) | st.integers(0, 10) | st.integers(0, 200) | st.just(HUGE_TIME)
real_processing_times = st.sampled_from([0.1, 0.2, 0.3, 0.5, 1.0, float(HUGE_TIME)]) | st.floats(
    SHORTEST_TIME, 1000.0
)
real_release_times = st.sampled_from([0.0, 0.1, 0.2, 0.3, 1.0]) | st.floats(0.0, 1000.0)
integer_weights = st.integers(1, 3) | st.integers(1, 10**6)
real_weights = st.sampled_from([0.1, 0.5, 1.0, 3.0]) | st.floats(2.0**-20, 2.0**20)
capacities = st.integers(1, 12) | st.sampled_from([10, 1_000_000, 2**53]) | st.just(0)


@st.composite
def capacity_vectors(draw: st.DrawFn, n_resources: int) -> list[int]:
    """Capacities of one machine, some of them zero, never all."""
    vector = draw(st.lists(capacities, min_size=n_resources, max_size=n_resources))
    if not any(vector):
        vector[draw(st.integers(0, n_resources - 1))] = draw(st.integers(1, 12))
    return vector


@st.composite
def demand_vectors(draw: st.DrawFn, capacity: list[int], *, allow_no_demand: bool = False) -> list[int]:
    """What one job needs: at most `capacity`, often zero or all of it, not zero everywhere unless allowed."""
    vector = [draw(_amounts_up_to(bound)) for bound in capacity]
    if not allow_no_demand and not any(vector):
        resource = draw(st.sampled_from([k for k, bound in enumerate(capacity) if bound > 0]))
        vector[resource] = draw(st.integers(1, min(capacity[resource], 12)))
    return vector


@lru_cache(maxsize=10_000)  # to make one takes longer than to draw from it
def _amounts_up_to(bound: int) -> st.SearchStrategy[int]:
    corners = sorted({0, min(1, bound), bound // 3, bound // 2, bound - bound // 2, max(bound - 1, 0), bound})
    return st.integers(0, bound) | st.sampled_from(corners)


@st.composite
def instances(
    draw: st.DrawFn,
    max_jobs: int = 8,
    max_machines: int = 4,
    max_resources: int = 20,
    min_jobs: int = 0,
    integer_times: bool = True,
    zero_releases: bool = False,
    identical_machines: bool | None = None,
    allow_no_demand: bool = False,
) -> Instance:
    """Instances in which every job fits a machine.

    Parameters
    ----------
    min_jobs, max_jobs, max_machines, max_resources : int
        Bounds of the sizes; 20 resources are drawn only where `max_resources` allows them.
    integer_times : bool
        Times and weights are integers; otherwise any doubles.
    zero_releases : bool
        All jobs are released at time 0.
    identical_machines : bool
        All machines have the same capacities, or each of several its own, some of them nothing at all; by default
        sometimes this, sometimes that.
    allow_no_demand : bool
        Jobs may need nothing at all, which the algorithms of the online family refuse.
    """
    sizes = [size for size in (1, 2, 3, 4, 20) if size <= max_resources]
    n_resources = draw(st.sampled_from(sizes))
    n_jobs = draw(st.integers(min_jobs, max_jobs))
    are_identical = draw(st.booleans()) if identical_machines is None else identical_machines
    are_identical |= max_machines == 1
    n_machines = draw(st.integers(1 if are_identical else 2, max_machines))
    n_kinds = 1 if are_identical else n_machines
    capacity = [draw(capacity_vectors(n_resources)) for _ in range(n_kinds)]
    if n_kinds > 1 and draw(st.sampled_from([False] * 7 + [True])):
        capacity[draw(st.integers(0, n_kinds - 1))] = [0] * n_resources
    hosts = [row for row in capacity if any(row)]

    def column(strategy: st.SearchStrategy[float]) -> list[float]:
        return draw(st.lists(strategy, min_size=n_jobs, max_size=n_jobs))

    demand = []
    for _ in range(n_jobs):
        host = draw(st.sampled_from(hosts))
        demand.append(draw(demand_vectors(host, allow_no_demand=allow_no_demand)))
    release = integer_release_times if integer_times else real_release_times
    jobs = Jobs(
        processing_time=column(integer_processing_times if integer_times else real_processing_times),
        demand=np.array(demand, dtype=np.int64).reshape(n_jobs, n_resources),
        release_time=0 if zero_releases else column(release),
        weight=column(integer_weights if integer_times else real_weights),
    )
    return Instance(jobs, Machines(capacity * n_machines if are_identical else capacity))
