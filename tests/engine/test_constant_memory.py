"""An embedded scheduler holds what is alive and nothing else, however much has happened.

``SCHEDCORE_STEADY_EVENTS=10000000`` makes it as many events of each policy, and then measures the process, too.
"""

import os

import pytest

from engine.steady_load import CASES, SteadyCluster

N_EVENTS = int(os.environ.get("SCHEDCORE_STEADY_EVENTS", "50000"))
IN_FULL = ("easy", "pq")  # a fifth of it for the others, which share most of what could grow
ENOUGH_TO_MEASURE = 1_000_000  # allocator and interpreter have what they need after a tenth of it
# Of bytes that go up and down; a byte an event adds more to the second half of ten million.
MARGIN = 4 * 2**20


@pytest.mark.parametrize("case", CASES)
def test_the_state_is_as_large_after_many_events_as_after_few(case: str) -> None:
    n_events = N_EVENTS if case in IN_FULL else N_EVENTS // 5
    first, *later = SteadyCluster(case).samples(n_events)
    per_job = first.snapshot_bytes / first.n_alive
    for sample in later:
        assert sample.n_machines == first.n_machines
        assert 0.8 * first.n_alive <= sample.n_alive <= 1.2 * first.n_alive
        assert sample.snapshot_bytes <= 1.15 * per_job * sample.n_alive
    assert later[-1].n_events >= n_events
    if n_events >= ENOUGH_TO_MEASURE:
        early, late = later[: len(later) // 2], later[len(later) // 2 :]
        largest = max(sample.resident_bytes for sample in early)
        assert max(sample.resident_bytes for sample in late) <= largest + MARGIN
