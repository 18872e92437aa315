"""Hypothesis strategies for what only clusters have: columns of jobs, descriptions of machines, outages."""

import math
from typing import Any

from hypothesis import strategies as st

from schedcore import Instance, Outages
from strategies import instances

LABELS = ("cpu", "gpu", "rack=1")
CONSTRAINTS = ("", "gpu", "!gpu & cpu", "rack=1|(cpu&!gpu)")
NAMES = ("", "ann", "bob", "ü", None)


_names = st.sampled_from(NAMES)
ENTRIES: dict[str, st.SearchStrategy[Any]] = {
    "n_tasks": st.integers(1, 5) | st.just(2**53),
    "max_tasks_per_machine": st.integers(0, 3),
    "exclusive": st.booleans(),
    "constraint": st.sampled_from(CONSTRAINTS),
    "priority": st.floats(allow_nan=False, allow_infinity=False),
    "user": _names,
    "account": _names,
    "partition": _names,
    "service_class": _names,
    "array": st.integers(-1, 3),
    "checkpoint_interval": st.floats(0, 100),
    "restart_cost": st.floats(0, 1e300),
}


@st.composite
def machine_descriptions(draw: st.DrawFn, n_machines: int) -> dict[str, Any]:
    """Names, labels and weights of machines, as arguments of `Machines`; some or none of them."""

    def for_each(strategy: st.SearchStrategy[Any], **more: Any) -> Any:
        return draw(st.lists(strategy, min_size=n_machines, max_size=n_machines, **more))

    return {
        "names": for_each(st.sampled_from([f"node{i}" for i in range(9)]), unique=True)
        if draw(st.booleans())
        else None,
        "labels": for_each(st.sets(st.sampled_from(LABELS))) if draw(st.booleans()) else None,
        "weight": for_each(st.integers(-2, 2)) if draw(st.booleans()) else None,
    }


@st.composite
def outages(draw: st.DrawFn, n_machines: int) -> Outages:
    """Outages of some machines, among them touching, overlapping and endless ones."""
    rows = draw(
        st.lists(
            st.tuples(
                st.integers(0, n_machines - 1), st.integers(0, 12), st.integers(1, 4) | st.just(math.inf)
            ),
            max_size=8,
        )
    )
    machine = [row[0] for row in rows]
    return Outages(machine, [float(row[1]) for row in rows], [row[1] + row[2] for row in rows])


@st.composite
def cluster_instances(draw: st.DrawFn, **bounds: Any) -> Instance:
    """Instances with any of the columns of a cluster, described machines and outages."""
    plain = draw(instances(integer_times=False, **bounds))
    n_jobs, ids = plain.n_jobs, plain.jobs.id.tolist()
    columns: dict[str, Any] = {
        name: draw(st.lists(entries, min_size=n_jobs, max_size=n_jobs))
        for name, entries in ENTRIES.items()
        if draw(st.booleans())
    }
    for name in ("after_ok", "after_any", "after_not_ok"):
        if draw(st.booleans()):
            columns[name] = [
                draw(st.none() | st.lists(st.sampled_from(ids[:job]), max_size=3)) if job else None
                for job in range(n_jobs)
            ]
    machines = plain.machines.replace(**draw(machine_descriptions(plain.n_machines)))
    known = draw(st.none() | outages(plain.n_machines))
    return Instance(plain.jobs.replace(**columns), machines, known)
