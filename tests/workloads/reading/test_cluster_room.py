"""What fits on an empty cluster is what the literal walk over its machines places."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from schedcore import Machines
from schedcore.model import machines_that_satisfy
from schedcore.model.coded_texts import CodedTexts
from schedcore.workloads.reading.cluster_room import fits_empty_cluster

AMOUNTS = st.lists(st.integers(0, 6), min_size=2, max_size=2)


@given(
    capacity=st.lists(AMOUNTS, min_size=1, max_size=5),
    jobs=st.lists(
        st.tuples(AMOUNTS.filter(any), st.integers(1, 9), st.sampled_from(["", "a", "!a"])), max_size=6
    ),
    own_machine=st.booleans(),
    data=st.data(),
)
def test_jobs_fit_if_a_walk_over_the_machines_places_all_their_tasks(
    capacity: list[list[int]], jobs: list[tuple[list[int], int, str]], own_machine: bool, data: st.DataObject
) -> None:
    labels = data.draw(st.lists(st.sampled_from([[], ["a"]]), min_size=len(capacity), max_size=len(capacity)))
    machines = Machines(capacity, labels=labels)
    expected = []
    for demand, n_tasks, constraint in jobs:
        placed = 0
        for machine, may in enumerate(machines_that_satisfy(constraint, machines)):
            room = min(has // asks for has, asks in zip(capacity[machine], demand, strict=True) if asks)
            placed += (min(room, 1) if own_machine else room) * bool(may)
        expected.append(placed >= n_tasks)
    fits = fits_empty_cluster(
        np.array([demand for demand, _, _ in jobs], dtype=float).reshape(-1, 2),
        np.array([n_tasks for _, n_tasks, _ in jobs], dtype=float),
        machines,
        own_machine=own_machine,
        constraint=CodedTexts.of([constraint for _, _, constraint in jobs], "constraint"),
    )
    assert fits.tolist() == expected
