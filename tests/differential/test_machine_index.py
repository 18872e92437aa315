"""First fit and best fit of the compiled machine index equal the look at every machine."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference.machine_index import MachineIndex as Reference
from schedcore._core.index import MachineIndex
from schedcore.errors import InvalidInstanceError

# Around the largest number that is scanned linearly, and around one and two levels of groups.
N_MACHINES = st.sampled_from([1, 2, 8, 9, 31, 32, 33, 64, 200, 256, 257, 1030])
SMALL_AMOUNTS = st.integers(0, 5)


@st.composite
def indices_with_their_reference(draw: st.DrawFn) -> tuple[MachineIndex, Reference, int]:
    """Both built from the same free vectors; few distinct rows, so that ties are common."""
    n_machines, n_resources = draw(N_MACHINES), draw(st.sampled_from([1, 2, 4, 20]))
    rows = st.lists(SMALL_AMOUNTS, min_size=n_resources, max_size=n_resources)
    kinds = np.array(draw(st.lists(rows, min_size=1, max_size=4)), dtype=np.int64)
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    free = kinds[rng.integers(0, len(kinds), n_machines)]
    return MachineIndex(free), Reference(free.tolist()), n_resources


@given(indices_with_their_reference(), st.data())
def test_searches_equal_the_look_at_every_machine_through_changes(
    built: tuple[MachineIndex, Reference, int], data: st.DataObject
) -> None:
    index, reference, n_resources = built
    rows = st.lists(SMALL_AMOUNTS, min_size=n_resources, max_size=n_resources)
    for _ in range(data.draw(st.integers(1, 12))):
        demand, scale = data.draw(rows), data.draw(rows)
        from_machine = data.draw(st.integers(0, len(reference.free) + 1))
        assert index.first_fit(demand, from_machine) == reference.first_fit(demand, from_machine)
        assert index.best_fit(demand, scale) == reference.best_fit(demand, scale)
        machine = data.draw(st.integers(0, len(reference.free) - 1))
        change = data.draw(st.sampled_from(["acquire", "release"]))
        getattr(index, change)(machine, demand)
        getattr(reference, change)(machine, demand)
        assert index.free(machine).tolist() == reference.free[machine]
        index.check_invariants()


@given(
    st.lists(st.lists(st.integers(2**53 - 3, 2**53 - 1), min_size=3, max_size=3), min_size=1, max_size=40),
    st.lists(st.sampled_from([0, 1, 2]), min_size=3, max_size=3),
)
def test_best_fit_compares_norms_that_differ_in_the_last_of_110_bits(
    free: list[list[int]], scale: list[int]
) -> None:
    assert MachineIndex(np.array(free)).best_fit([0, 0, 0], scale) == Reference(free).best_fit(
        [0, 0, 0], scale
    )


def test_misuse_is_named() -> None:
    index = MachineIndex([[4, 4]])
    for misuse, message in [
        (lambda: MachineIndex([1, 2]), "free must have shape"),
        (lambda: index.free(1), "machine = 1 must be below n_machines = 1"),
        (lambda: index.acquire(1, [1, 1]), "machine = 1"),
        (lambda: index.first_fit([1]), r"shape \(2,\)"),
        (lambda: index.best_fit([1, 1], [2**52, 1]), "below 2\\^54"),
    ]:
        with pytest.raises(InvalidInstanceError, match=message):
            misuse()
