"""The backfilling policies decide exactly as their reference: starts, machines, shadow times and reservations.

All algorithms, selections, compressions and knobs, on machines that may differ, with exact and with too long estimates.
"""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import schedcore
from example_shares import examples
from properties.backfilling_instances import (
    ALGORITHMS,
    SELECTIONS,
    Options,
    backfill_instances,
    crowd,
    huge_capacities,
    settings_drawn,
    settings_of,
    takes,
)
from reference import backfilling_epochs, backfilling_scores
from reference.backfilling import ReferenceBackfill, simulate
from reference.backfilling_instance import BackfillInstance
from schedcore.algorithms.backfilling.selection import Selection

KNOBBED = [name for name in ALGORITHMS if name != "fcfs"]


def assert_equals_backfill_reference(
    name: str, instance: schedcore.Instance, options: Options
) -> ReferenceBackfill:
    record = {} if name == "fcfs" else {"record": True}
    result = schedcore.solve(name, instance, **options, **record)
    reference = simulate(BackfillInstance.from_instance(instance), name, **options)
    assert result.schedule.start_time.tolist() == reference.start_time
    assert result.schedule.machine.tolist() == reference.machine
    assert [tuple(row) for row in result.stats.get("shadow", [])] == reference.shadow
    places = result.stats.get("reservations", {})
    assert {job: [tuple(row) for row in rows] for job, rows in places.items()} == reference.reservations
    return reference


@pytest.mark.parametrize("name", ALGORITHMS)
@examples(16)
@given(data=st.data(), instance=backfill_instances())
def test_every_setting_equals_the_reference(
    name: str, data: st.DataObject, instance: schedcore.Instance
) -> None:
    for options in data.draw(st.lists(settings_drawn(name), min_size=1, max_size=6)):
        assert_equals_backfill_reference(name, instance, options)


@pytest.mark.parametrize("name", KNOBBED)
@examples(16)
@given(data=st.data(), instance=backfill_instances())
def test_every_knob_equals_the_reference(
    name: str, data: st.DataObject, instance: schedcore.Instance
) -> None:
    for options in data.draw(st.lists(settings_drawn(name, with_knobs=True), min_size=1, max_size=6)):
        assert_equals_backfill_reference(name, instance, options)


@pytest.mark.parametrize("name", ALGORITHMS)
@examples(16)
@given(data=st.data(), instance=backfill_instances(integer_times=False))
def test_real_times_equal_the_reference(name: str, data: st.DataObject, instance: schedcore.Instance) -> None:
    assert_equals_backfill_reference(name, instance, data.draw(settings_drawn(name)))


@pytest.mark.parametrize("name", ALGORITHMS)
@examples(16)
@given(
    data=st.data(), instance=backfill_instances(max_resources=8, max_machines=2, capacities=huge_capacities)
)
def test_huge_and_unequal_capacities_equal_the_reference(
    name: str, data: st.DataObject, instance: schedcore.Instance
) -> None:
    assert_equals_backfill_reference(name, instance, data.draw(settings_drawn(name)))


@given(instance=backfill_instances(), selection=st.sampled_from(SELECTIONS))
def test_one_protected_job_equals_the_reference_that_keeps_one_reservation(
    instance: schedcore.Instance, selection: str
) -> None:
    result = schedcore.solve("backfill", instance, protected=1, selection=selection)
    reference = simulate(
        BackfillInstance.from_instance(instance), "backfill", protected=1, selection=selection
    )
    assert result.schedule.start_time.tolist() == reference.start_time
    assert result.schedule.machine.tolist() == reference.machine


@pytest.mark.parametrize("name", ALGORITHMS)
@pytest.mark.parametrize(("n_machines", "n_resources"), [(1, 1), (1, 3), (2, 2), (4, 2)])
def test_long_queues_equal_the_reference(name: str, n_machines: int, n_resources: int) -> None:
    for seed, options in enumerate(settings_of(name)):
        instance = crowd(
            seed,
            n_jobs=40,
            n_machines=n_machines,
            n_resources=n_resources,
            overestimated=seed % 4 > 0,
        )
        assert_equals_backfill_reference(name, instance, options)


@pytest.mark.parametrize("name", ["first_fit", "easy"])
def test_equal_scores_on_many_machines_equal_the_reference(name: str) -> None:
    for seed in range(24):
        instance = crowd(seed, n_jobs=60, n_machines=5, n_resources=2)
        for selection in ("bb!", "bl!"):
            assert_equals_backfill_reference(name, instance, {"selection": selection})


def test_jobs_that_leave_nothing_free_go_by_their_place_whatever_their_estimates() -> None:
    jobs = schedcore.Jobs([10, 4, 9, 8], [[5], [6], [5], [5]])
    instance = schedcore.Instance(jobs, schedcore.Machines.identical(1, [10]))
    for selection, starts in (
        ("balance*fullness*estimate", [0, 10, 0, 14]),
        ("fullness^2*estimate^3", [0, 10, 0, 14]),
        ("balance*estimate", [0, 10, 14, 0]),
    ):
        reference = assert_equals_backfill_reference("easy", instance, {"selection": selection})
        assert reference.start_time == starts


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("balance", "bb!"),
        ("Balance ^ 1 * FULLNESS", "bb"),
        ("balance^12*fullness", "bb(12)"),
        ("fullness", "bb(0)"),
        ("estimate*balance^2", "sb(2)"),
        ("balance^0*estimate^1", "sjbf"),
        ("balance^0", "ff"),
        ("bl(0)!", "ff"),
    ],
)
def test_products_are_the_selections_that_have_names(written: str, name: str) -> None:
    assert Selection.parse(written) == Selection.parse(name)


@pytest.mark.parametrize(
    "selection", ["bb", "bb(0)", "bb(12)", "bl(0)", "bl", "balance^3*fullness^2*estimate^2"]
)
@pytest.mark.parametrize("fuller_first", [False, True])
def test_scores_that_differ_by_less_than_a_double_shows_decide(selection: str, fuller_first: bool) -> None:
    # (a, b) and (a + 1, b - 1) of (2^45, 2^45 - 1): the shares sum up to 2^-90 less for the second. One of them fits.
    capacity = [2**45, 2**45 - 1]
    half = 2**44 - 2**20
    candidates = [[half, half], [half + 1, half - 1]]
    order = candidates if fuller_first else candidates[::-1]
    jobs = schedcore.Jobs([9, 1, 3, 3], [[2**30, 2**30], capacity, *order])
    instance = schedcore.Instance(jobs, schedcore.Machines([capacity]))
    assert_equals_backfill_reference("easy", instance, {"selection": selection})


@pytest.mark.parametrize("name", KNOBBED)
def test_long_queues_with_knobs_equal_the_reference(name: str) -> None:
    knobs: list[Options] = [
        {"resolution": 4},
        {"queue_depth": 3},
        {"window": 5},
        {"interval": 6},
        {"resolution": 5, "queue_depth": 6, "window": 12, "interval": 3},
    ]
    for seed, knob in enumerate(knobs):
        for options in settings_of(name)[:: 5 if name == "conservative" else 2]:
            if not takes(name, options, knob):
                continue
            assert_equals_backfill_reference(name, crowd(seed, n_jobs=40), {**options, **knob})


@st.composite
def partly_used_machines(draw: st.DrawFn) -> tuple[list[list[int]], list[int], list[int]]:
    """Demands that fit beside what is used, used amounts, capacities."""
    n_resources = draw(st.integers(1, 8))
    some = st.integers(1, 12) | huge_capacities
    capacity = draw(st.lists(some, min_size=n_resources, max_size=n_resources))
    used = [draw(st.integers(0, bound) | st.sampled_from([0, bound // 2])) for bound in capacity]
    demand = [
        [
            draw(st.integers(0, c - u) | st.sampled_from([0, (c - u) // 2, c - u]))
            for c, u in zip(capacity, used, strict=True)
        ]
        for _ in range(draw(st.integers(1, 5)))
    ]
    return demand, used, capacity


@given(machine=partly_used_machines(), selection=st.sampled_from([s for s in SELECTIONS if s != "ff"]))
def test_selection_scores_equal_the_reference(
    machine: tuple[list[list[int]], list[int], list[int]], selection: str
) -> None:
    numerators, denominators = schedcore.selection_scores(*machine, selection)
    expected = backfilling_scores.selection_scores(*machine, selection)
    assert (list(numerators), list(denominators)) == expected
    assert all(Fraction(a, b).denominator == b for a, b in zip(numerators, denominators, strict=True))


@given(
    capacity=st.lists(st.integers(2, 10), min_size=1, max_size=3),
    data=st.data(),
    rule=st.sampled_from(["fcfs", "unc", *SELECTIONS]),
)
def test_epochs_equal_the_reference(capacity: list[int], data: st.DataObject, rule: str) -> None:
    vectors = st.tuples(*(st.integers(0, bound) for bound in capacity)).filter(any)
    demand = data.draw(st.lists(vectors, min_size=1, max_size=7 if rule == "unc" else 12))
    expected = backfilling_epochs.epochs(demand, capacity, rule)
    assert [list(jobs) for jobs in schedcore.epochs(demand, capacity, rule)] == expected
