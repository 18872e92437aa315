"""Backfilling with predictions from the runs of each user: every policy decides as its reference."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import schedcore
from properties.backfilling_instances import Options, crowd
from reference.backfilling import simulate
from reference.backfilling_instance import BackfillInstance

SETTINGS: list[tuple[str, Options]] = [
    ("fcfs", {}),
    ("first_fit", {"selection": "sjbf"}),
    ("easy", {}),
    ("easy", {"selection": "sjbf"}),
    ("easy", {"selection": "sb", "order": "lxf", "resolution": 40.0}),
    ("easy", {"order": "saf", "interval": 300.0}),
    ("backfill", {"protected": 3}),
    ("conservative", {}),
    ("conservative", {"mode": "rebuild"}),
]


@st.composite
def of_users(draw: st.DrawFn) -> schedcore.Instance:
    """Minutes to hours, so that runs outlive several predictions; estimates are exact or far too long."""
    n_jobs = draw(st.integers(1, 14))
    column = lambda values: draw(st.lists(values, min_size=n_jobs, max_size=n_jobs))  # noqa: E731
    length = np.array(column(st.sampled_from([30.0, 46.7, 60.0, 100.0, 400.0, 3000.1, 40_000.0, 5e6])))
    jobs = schedcore.Jobs(
        length,
        column(st.lists(st.integers(0, 4), min_size=2, max_size=2).filter(any)),
        release_time=column(st.sampled_from([0.0, 2.1, 50.0, 60.0, 100.0, 500.3, 4000.0])),
        estimated_processing_time=length * column(st.sampled_from([1.0, 1.5, 20.0])),
        user=["ann", *column(st.sampled_from(["ann", "bob", None]))[1:]],
    )
    n_machines = draw(st.integers(1, 2))
    return schedcore.Instance(jobs, schedcore.Machines([[5, 5]] * n_machines))


def assert_equals_reference(name: str, instance: schedcore.Instance, options: Options) -> None:
    record = {"record": True} if name == "easy" else {}
    result = schedcore.solve(name, instance, predictions="last_two", **options, **record)
    users = instance.jobs.user.tolist()
    reference = simulate(BackfillInstance.from_instance(instance), name, users=users, **options)
    assert result.schedule.start_time.tolist() == reference.start_time
    assert result.schedule.machine.tolist() == reference.machine
    assert [tuple(row) for row in result.stats.get("shadow", [])] == reference.shadow
    assert schedcore.validate(instance, result.schedule).ok


@pytest.mark.parametrize(("name", "options"), SETTINGS)
@given(instance=of_users())
def test_predictions_equal_the_reference(name: str, options: Options, instance: schedcore.Instance) -> None:
    assert_equals_reference(name, instance, options)


@pytest.mark.parametrize(("name", "options"), SETTINGS)
def test_long_queues_equal_the_reference(name: str, options: Options) -> None:
    for seed in range(4):
        drawn = crowd(seed, n_jobs=50, n_machines=2)
        users = [("ann", "bob", "cem", None)[j % 4] for j in range(50)]
        times = {
            "processing_time": drawn.jobs.processing_time * 40,
            "release_time": drawn.jobs.release_time * 40,
            "estimated_processing_time": drawn.jobs.estimated_processing_time * 120,
        }
        jobs = drawn.jobs.replace(user=users, **times)
        assert_equals_reference(name, schedcore.Instance(jobs, drawn.machines), options)
