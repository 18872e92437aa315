"""What a log tells of how its jobs ran: a schedule on all machines as one, and where that cannot have been so."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedcore import Instance, Jobs, Machines, Schedule, UnsupportedError, metrics, validate
from scheduled_jobs import scheduled_jobs

NAN = float("nan")


def instance(recorded: list[float] | None, capacity: int = 4) -> Instance:
    jobs = Jobs(
        [10, 10, 5, 1], [[2], [2], [1], [4]], release_time=[0, 1, 2, 3], weight=[1, 2, 3, 4],
        estimated_processing_time=[12, 12, 6, 2], id=[7, 8, 9, 10], user=["ann", "bob", None, "ann"],
        recorded_start_time=recorded,
    )  # fmt: skip
    return Instance(jobs, Machines([[capacity]]))


def test_a_worked_example() -> None:
    run = metrics.recorded_run(instance([0.0, 3.0, 13.0, NAN]))
    assert run is not None
    assert (run.jobs.tolist(), run.n_without_start, run.n_early) == ([0, 1, 2], 1, 0)
    assert run.inst.jobs.id.tolist() == [7, 8, 9]
    assert run.inst.jobs.user.tolist() == ["ann", "bob", None]
    assert run.inst.jobs.estimated_processing_time.tolist() == [12, 12, 6]
    found = metrics.summary(run.inst, run.schedule)
    assert (found["avg_wait"], found["max_wait"], found["makespan"]) == ((0 + 2 + 11) / 3, 11.0, 18.0)
    assert found["utilisation"] == (45 / (4 * 18),)
    assert run.excess() == ()


def test_use_above_what_there_is_is_measured() -> None:
    run = metrics.recorded_run(instance([0.0, 3.0, 4.0, 5.0]))
    assert run is not None
    # 2 in [0, 3), 4 in [3, 4), 5 in [4, 5), 9 in [5, 6), 5 in [6, 9), 4 in [9, 10), 2 in [10, 13)
    (above,) = run.excess()
    assert (above.resource, above.capacity, above.most) == ("resource_0", 4, 9)
    assert above.share_of_time == pytest.approx(5 / 13)
    assert above.share_of_use == pytest.approx((1 + 5 + 3) / (20 + 20 + 5 + 4))


def test_a_start_before_the_release_counts_as_one_at_it() -> None:
    run = metrics.recorded_run(instance([0.0, 0.5, 20.0, 30.0]))
    assert run is not None
    assert run.n_early == 1
    assert run.schedule.start_time.tolist() == [0.0, 1.0, 20.0, 30.0]
    assert validate(run.inst, run.schedule).ok


def test_nothing_is_told_where_nothing_was_recorded() -> None:
    assert metrics.recorded_run(instance(None)) is None
    assert metrics.recorded_run(instance([NAN] * 4)) is None


def test_amounts_that_no_machine_can_hold_are_refused() -> None:
    jobs = Jobs([1], [[2**52]], n_tasks=[4], recorded_start_time=[0])
    with pytest.raises(
        UnsupportedError, match=r"job 0 takes 18014398509481984 of resource_0, more than 2\*\*53"
    ):
        metrics.recorded_run(Instance(jobs, Machines([[2**53]])))
    with pytest.raises(UnsupportedError, match=r"all machines together have more than 2\*\*53 units"):
        metrics.recorded_run(
            Instance(jobs.replace(n_tasks=1, recorded_start_time=[0]), Machines([[2**53]] * 2))
        )


@given(scheduled_jobs(), st.data())
def test_a_schedule_that_is_recorded_is_told_as_it_was(
    drawn: tuple[Instance, Schedule], data: st.DataObject
) -> None:
    """Waits, use and makespan do not depend on where jobs ran."""
    inst, schedule = drawn
    told = Instance(inst.jobs.replace(recorded_start_time=schedule.start_time), inst.machines)
    assert told == inst
    run = metrics.recorded_run(told)
    assert run is not None
    start, end = schedule.start_time, schedule.start_time + inst.processing_time
    capacity = inst.machines.capacity.sum(axis=0)
    used = np.array([inst.demand[(start <= now) & (now < end)].sum(axis=0) for now in start])
    assert {above.resource: above.most for above in run.excess()} == {
        name: most
        for name, most, least in zip(inst.machines.resource_names, used.max(axis=0), capacity, strict=True)
        if most > least
    }
    assert run.n_early == 0
    expected, found = metrics.summary(inst, schedule), metrics.summary(run.inst, run.schedule)
    assert expected == found
    keep = np.array(data.draw(st.lists(st.booleans(), min_size=inst.n_jobs, max_size=inst.n_jobs)))
    some = np.where(keep, schedule.start_time, NAN)
    part = metrics.recorded_run(Instance(inst.jobs.replace(recorded_start_time=some), inst.machines))
    assert (part is None) == (not keep.any())
    if part is not None:
        assert part.jobs.tolist() == np.flatnonzero(keep).tolist()
        assert part.n_without_start == int((~keep).sum())
