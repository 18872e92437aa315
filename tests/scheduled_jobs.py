"""Instances with schedules that metrics take: any starts that are not before the releases."""

from typing import Any

import numpy as np
from hypothesis import strategies as st

import schedcore


def instance(
    processing_time: Any, demand: Any, capacity: Any, release_time: Any = 0, weight: Any = 1
) -> schedcore.Instance:
    jobs = schedcore.Jobs(
        processing_time=processing_time, demand=demand, release_time=release_time, weight=weight
    )
    return schedcore.Instance(jobs=jobs, machines=schedcore.Machines(capacity))


def schedule(start_time: Any, machine: Any = None) -> schedcore.Schedule:
    start = np.asarray(start_time, dtype=np.float64)
    return schedcore.Schedule(start, np.zeros(len(start), dtype=np.int64) if machine is None else machine)


@st.composite
def scheduled_jobs(draw: st.DrawFn, integral: bool = True) -> tuple[schedcore.Instance, schedcore.Schedule]:
    """An instance and any starts not before the releases; metrics do not ask for feasibility."""
    n_jobs, n_resources, n_machines = draw(st.tuples(st.integers(1, 8), st.integers(1, 3), st.integers(1, 3)))
    top = draw(st.sampled_from([4, 50, 2**40]))
    grain = 1.0 if integral else draw(st.sampled_from([1.0, 0.1, 1 / 3]))
    times = st.integers(0, top).map(lambda ticks: ticks * grain)

    def column(values: st.SearchStrategy[Any]) -> list[Any]:
        return draw(st.lists(values, min_size=n_jobs, max_size=n_jobs))

    release = column(times)
    demand = column(st.lists(st.integers(0, 10), min_size=n_resources, max_size=n_resources))
    capacity = draw(
        st.lists(
            st.lists(st.integers(1, 20), min_size=n_resources, max_size=n_resources),
            min_size=n_machines,
            max_size=n_machines,
        )
    )
    inst = instance(
        column(st.integers(1, top).map(lambda ticks: ticks * grain)),
        np.array(demand, dtype=np.int64).reshape(n_jobs, n_resources),
        np.array(capacity, dtype=np.int64),
        release,
        column(st.integers(1, 9) if integral else st.floats(0.01, 1e6)),
    )
    waits = column(st.one_of(st.just(0.0), times))
    machine = np.array(column(st.integers(0, n_machines - 1)), dtype=np.int64)
    return inst, schedule(np.asarray(release) + waits, machine)
