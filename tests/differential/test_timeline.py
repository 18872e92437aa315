"""The compiled resource timeline equals the linear scan over a sorted list, whatever happens to both."""

import copy
import pickle
from math import inf, nextafter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, initialize, invariant, multiple, rule

from reference.timeline import Timeline
from schedcore.engine.timeline import ResourceTimeline
from schedcore.errors import InvalidInstanceError

LARGEST_AMOUNT = 2**53

# Few distinct instants make boundaries coincide; halves, tenths and neighbours of 1 must stay distinct.
SIMPLE_TIMES = st.integers(0, 40).map(float)
TIMES = st.one_of(
    SIMPLE_TIMES,
    SIMPLE_TIMES,
    st.sampled_from([0.1, 0.2, 0.1 + 0.2, 0.3, 0.5, nextafter(1.0, 2.0), 2.0**53, 1e300]),
)
ENDS = st.one_of(TIMES, st.just(inf))


def amounts(n_resources: int) -> st.SearchStrategy[list[int]]:
    return st.lists(
        st.one_of(st.integers(0, 6), st.sampled_from([0, 1, LARGEST_AMOUNT])),
        min_size=n_resources,
        max_size=n_resources,
    )


class TimelineAgainstItsReference(RuleBasedStateMachine):
    """Every answer is compared at once; the structure is checked after every step."""

    reservations: Bundle[tuple[float, float, list[int]]] = Bundle("reservations")

    @initialize(
        data=st.data(), n_resources=st.sampled_from([1, 2, 3, 4, 5, 20]), origin=st.sampled_from([0.0, 3.0])
    )
    def begin(self, data: st.DataObject, n_resources: int, origin: float) -> None:
        capacity = data.draw(amounts(n_resources))
        self.n_resources = n_resources
        self.timeline = ResourceTimeline(capacity, origin)
        self.reference = Timeline(capacity, origin)

    @rule(target=reservations, data=st.data(), start=TIMES, end=ENDS)
    def reserve(self, data: st.DataObject, start: float, end: float) -> Any:
        start = max(start, self.reference.origin)
        if start >= end:
            return multiple()
        demand = data.draw(amounts(self.n_resources))
        self.timeline.reserve(start, end, demand)
        self.reference.reserve(start, end, demand)
        return start, end, demand

    @rule(reservation=consumes(reservations), part=st.sampled_from(["all", "head", "tail"]))
    def release(self, reservation: tuple[float, float, list[int]], part: str) -> None:
        start, end, demand = reservation
        middle = start + 1.5
        if start < middle < end:
            start, end = {"all": (start, end), "head": (start, middle), "tail": (middle, end)}[part]
        start = max(start, self.reference.origin)
        if start < end:
            self.timeline.release(start, end, demand)
            self.reference.release(start, end, demand)

    @rule(t=SIMPLE_TIMES)
    def forget_before(self, t: float) -> None:
        self.timeline.forget_before(t)
        self.reference.forget_before(t)

    @rule(
        data=st.data(),
        not_before=TIMES,
        duration=st.one_of(SIMPLE_TIMES.map(lambda t: t + 0.5), st.just(inf)),
    )
    def search(self, data: st.DataObject, not_before: float, duration: float) -> None:
        not_before = max(not_before, self.reference.origin)
        demand = data.draw(amounts(self.n_resources))
        shortage = self.reference.first_shortage(not_before, demand)
        assert self.timeline.first_shortage(not_before, demand) == shortage
        expected = self.reference.earliest_fit(not_before, duration, demand)
        assert self.timeline.earliest_fit(not_before, duration, demand) == expected

    @rule(start=TIMES, end=ENDS)
    def look(self, start: float, end: float) -> None:
        start = max(start, self.reference.origin)
        assert self.timeline.free_at(start).tolist() == self.reference.free_at(start)
        assert self.timeline.next_change(start) == self.reference.next_change(start)
        if start < end:
            assert self.timeline.range_min(start, end).tolist() == self.reference.range_min(start, end)

    @rule()
    def go_on_with_a_copy(self) -> None:
        unpickled = pickle.loads(pickle.dumps(self.timeline))
        assert unpickled == self.timeline
        self.timeline = copy.deepcopy(unpickled)

    @invariant()
    def is_the_same_function(self) -> None:
        if not hasattr(self, "reference"):
            return
        self.timeline.check_invariants()
        time, free = self.timeline.breakpoints()
        assert (time.tolist(), free.tolist()) == self.reference.breakpoints()
        assert self.timeline.n_breakpoints == len(time)
        assert self.timeline.origin == self.reference.origin


TestTimelineEqualsTheLinearScan = TimelineAgainstItsReference.TestCase


@pytest.mark.parametrize("seed", range(3))
def test_timeline_equals_the_linear_scan_with_hundreds_of_breakpoints(seed: int) -> None:
    rng = np.random.default_rng(seed)
    timeline, reference = ResourceTimeline([40, 60]), Timeline([40, 60])
    for start, length, cpu, memory in rng.integers((0, 1, 0, 0), (3000, 60, 9, 9), (250, 4)).tolist():
        timeline.reserve(start, start + length, [cpu, memory])
        reference.reserve(start, start + length, [cpu, memory])
    timeline.check_invariants()
    time, free = timeline.breakpoints()
    assert (time.tolist(), free.tolist()) == reference.breakpoints()
    queries = rng.integers((0, 1, 0, 0), (3000, 400, 41, 61), (60, 4)).tolist()
    for not_before, duration, *demand in queries:
        assert timeline.first_shortage(not_before, demand) == reference.first_shortage(not_before, demand)
        expected = reference.earliest_fit(not_before, duration, demand)
        assert timeline.earliest_fit(not_before, duration, demand) == expected


@given(st.permutations(range(8)))
def test_releasing_in_any_order_restores_the_empty_timeline(order: list[int]) -> None:
    empty = ResourceTimeline([LARGEST_AMOUNT, 5])
    timeline = copy.copy(empty)
    jobs = [(float(i), float(2 * i + 3), [LARGEST_AMOUNT, i]) for i in range(8)]
    for job in jobs:
        timeline.reserve(*job)
    assert timeline != empty
    for i in order:
        timeline.release(*jobs[i])
    assert timeline == empty
    assert timeline.n_breakpoints == 1


def test_a_copy_does_not_follow_the_original() -> None:
    timeline = ResourceTimeline([4])
    before = copy.copy(timeline)
    timeline.reserve(1, 2, [3])
    assert before.n_breakpoints == 1
    assert before.first_shortage(0, [4]) == inf
    assert timeline.first_shortage(0, [4]) == 1


@pytest.mark.parametrize(
    ("misuse", "message"),
    [
        (lambda t: t.reserve(2, 2, [1, 1]), "end = 2 must be after start = 2"),
        (lambda t: t.release(3, 2, [1, 1]), "end = 2 must be after start = 3"),
        (lambda t: t.reserve(1, float("nan"), [1, 1]), "end = nan"),
        (lambda t: t.reserve(float("nan"), 3, [1, 1]), "start = nan must be finite"),
        (lambda t: t.reserve(0.5, 3, [1, 1]), "start = 0.5 lies before the origin of the timeline, 1"),
        (lambda t: t.reserve(1, 3, [1]), r"demand must have shape \(2,\)"),
        (lambda t: t.reserve(1, 3, [1, -1]), r"demand\[1\] = -1"),
        (lambda t: t.reserve(1, 3, [1, 2**53 + 1]), r"demand\[1\] = 9007199254740993"),
        (lambda t: t.free_at(0.0), "t = 0 lies before"),
        (lambda t: t.free_at(inf), "t = inf must be finite"),
        (lambda t: t.range_min(1, 1), "end = 1 must be after start = 1"),
        (lambda t: t.first_shortage(0, [1, 1]), "not_before = 0 lies before"),
        (lambda t: t.first_shortage(1, [1, 1, 1]), r"shape \(2,\)"),
        (lambda t: t.earliest_fit(1, 0, [1, 1]), "duration = 0 must be positive"),
        (lambda t: t.earliest_fit(1, float("nan"), [1, 1]), "duration = nan"),
        (lambda t: t.forget_before(inf), "t = inf must be finite"),
        (lambda t: t.next_change(0), "after = 0 lies before"),
        (lambda t: ResourceTimeline([]), "capacity must have shape"),
        (lambda t: ResourceTimeline([1, -2]), r"capacity\[1\] = -2"),
        (lambda t: ResourceTimeline([1], origin=-1.0), "origin = -1"),
    ],
)
def test_misuse_is_named_and_changes_nothing(misuse: Any, message: str) -> None:
    timeline = ResourceTimeline([4, 4])
    timeline.reserve(0, 6, [1, 2])
    timeline.forget_before(1)
    before = copy.copy(timeline)
    with pytest.raises(InvalidInstanceError, match=message):
        misuse(timeline)
    assert timeline == before


def test_fractional_amounts_are_a_type_error() -> None:
    with pytest.raises(TypeError):
        ResourceTimeline([0.5])
    with pytest.raises(TypeError):
        ResourceTimeline([4]).reserve(0, 1, [0.5])


def test_a_mutable_timeline_is_not_hashable_and_says_what_it_is() -> None:
    timeline = ResourceTimeline([4], origin=2)
    with pytest.raises(TypeError, match="unhashable"):
        hash(timeline)
    assert repr(timeline) == "ResourceTimeline(n_resources=1, n_breakpoints=1, origin=2)"
    assert timeline != 3
