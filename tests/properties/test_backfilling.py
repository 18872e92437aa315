"""The theorems about backfilling: who is protected, which policies coincide, and what no policy can do.

Jobs are in queue order of (release time, index). A policy's plans end at ``start + estimate``.
"""

from fractions import Fraction
from math import ceil

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import schedcore
from example_shares import examples
from properties.backfilling_instances import (
    ALGORITHMS,
    RESERVING,
    SELECTIONS,
    Options,
    backfill_instances,
    knobs,
    settings_drawn,
)
from reference.backfilling_textbook import Job, textbook_conservative, textbook_easy
from reference.optimum import optimum
from reference.vector_fit import fits

exact_instances = backfill_instances(exact=True)
any_instances = backfill_instances()
one_resource = backfill_instances(max_resources=1, max_machines=1)
selections = st.sampled_from(SELECTIONS)

Place = tuple[float, int]
Starts = list[float]


def solved(name: str, instance: schedcore.Instance, options: Options) -> tuple[Starts, list[int]]:
    schedule = schedcore.solve(name, instance, **options).schedule
    return schedule.start_time.tolist(), schedule.machine.tolist()


def queue_order(instance: schedcore.Instance) -> list[int]:
    release = instance.jobs.release_time.tolist()
    return sorted(range(instance.n_jobs), key=lambda j: (release[j], j))


# 1


@pytest.mark.parametrize("name", ALGORITHMS)
@examples(16)
@given(data=st.data(), instance=any_instances)
def test_every_schedule_is_feasible(name: str, data: st.DataObject, instance: schedcore.Instance) -> None:
    options = data.draw(settings_drawn(name, with_knobs=True))
    result = schedcore.solve(name, instance, **options)
    schedcore.validate(instance, result.schedule, raise_on_error=True)


# 2


@given(instance=any_instances)
def test_fcfs_starts_jobs_in_queue_order(instance: schedcore.Instance) -> None:
    starts, _ = solved("fcfs", instance, {})
    in_order = [starts[j] for j in queue_order(instance)]
    assert in_order == sorted(in_order)


# 3


@given(instance=any_instances, selection=selections)
def test_the_head_is_never_delayed_past_its_first_shadow_time(
    instance: schedcore.Instance, selection: str
) -> None:
    result = schedcore.solve("easy", instance, selection=selection, record=True)
    promised: dict[int, float] = {}
    for _, head, shadow_time, _ in result.stats["shadow"]:
        promised.setdefault(head, shadow_time)
    for head, shadow_time in promised.items():
        assert result.schedule.start_time[head] <= shadow_time


@given(instance=exact_instances, selection=selections)
def test_with_exact_estimates_the_head_starts_at_its_shadow_time(
    instance: schedcore.Instance, selection: str
) -> None:
    result = schedcore.solve("easy", instance, selection=selection, record=True)
    for _, head, shadow_time, _ in result.stats["shadow"]:
        assert result.schedule.start_time[head] == shadow_time


@given(instance=any_instances, selection=selections)
def test_easy_leaves_no_legal_candidate_behind(instance: schedcore.Instance, selection: str) -> None:
    result = schedcore.solve("easy", instance, selection=selection, record=True)
    jobs, capacity = instance.jobs, instance.machines.capacity
    start, machine = result.schedule.start_time, result.schedule.machine
    waiting_at_shadow = 0
    for now, head, shadow_time, shadow_machine in result.stats["shadow"]:
        running = (start <= now) & (now < start + jobs.processing_time)
        still_there = running & (start + jobs.estimated_processing_time > shadow_time)
        free = [c - jobs.demand[running & (machine == m)].sum(axis=0) for m, c in enumerate(capacity)]
        then = still_there & (machine == shadow_machine)
        extra = capacity[shadow_machine] - jobs.demand[then].sum(axis=0) - jobs.demand[head]
        assert min(extra) >= 0, "the backfilled jobs take what the head needs"
        for j in np.flatnonzero((jobs.release_time <= now) & (now < start)):
            waiting_at_shadow += 1
            for m in range(instance.n_machines):
                legal = fits(jobs.demand[j], free[m]) and (
                    m != shadow_machine
                    or now + jobs.estimated_processing_time[j] <= shadow_time
                    or fits(jobs.demand[j], extra)
                )
                assert not legal
    assert waiting_at_shadow >= len(result.stats["shadow"]), "a blocked head waits"


# 4


@pytest.mark.parametrize("name", RESERVING)
@given(data=st.data(), instance=any_instances)
def test_no_reservation_is_ever_delayed(name: str, data: st.DataObject, instance: schedcore.Instance) -> None:
    options = data.draw(settings_drawn(name).filter(lambda o: o.get("mode") != "rebuild"))
    result = schedcore.solve(name, instance, record=True, **options)
    for job, rows in result.stats["reservations"].items():
        starts = [start for _, start, _ in rows]
        assert starts == sorted(starts, reverse=True)
        assert result.schedule.start_time[job] == starts[-1] <= starts[0]
        assert result.schedule.machine[job] == rows[-1][2]


@given(data=st.data(), instance=exact_instances)
def test_with_exact_estimates_every_job_starts_at_its_first_reservation(
    data: st.DataObject, instance: schedcore.Instance
) -> None:
    options = data.draw(settings_drawn("conservative"))
    result = schedcore.solve("conservative", instance, record=True, **options)
    for job, rows in result.stats["reservations"].items():
        assert len(rows) == 1
        assert result.schedule.start_time[job] == rows[0][1]


# 5


def scalar_jobs(instance: schedcore.Instance) -> list[Job]:
    """In queue order."""
    jobs = instance.jobs
    return [
        Job(
            float(jobs.release_time[j]),
            int(jobs.demand[j, 0]),
            float(jobs.processing_time[j]),
            float(jobs.estimated_processing_time[j]),
        )
        for j in queue_order(instance)
    ]


@given(instance=one_resource)
def test_easy_with_one_resource_is_the_textbook_algorithm(instance: schedcore.Instance) -> None:
    starts, _ = solved("easy", instance, {})
    n_nodes = int(instance.machines.capacity[0, 0])
    assert [starts[j] for j in queue_order(instance)] == textbook_easy(scalar_jobs(instance), n_nodes)


@given(instance=backfill_instances(exact=True, max_resources=1, max_machines=1))
def test_conservative_with_one_resource_is_the_textbook_algorithm(instance: schedcore.Instance) -> None:
    starts, _ = solved("conservative", instance, {})
    n_nodes = int(instance.machines.capacity[0, 0])
    assert [starts[j] for j in queue_order(instance)] == textbook_conservative(scalar_jobs(instance), n_nodes)


# 6


@given(instance=any_instances, selection=selections)
def test_one_protected_job_is_easy(instance: schedcore.Instance, selection: str) -> None:
    easy = solved("easy", instance, {"selection": selection})
    assert solved("backfill", instance, {"protected": 1, "selection": selection}) == easy


@given(instance=any_instances, selection=selections, site=knobs)
def test_all_jobs_protected_is_first_fit_conservative(
    instance: schedcore.Instance, selection: str, site: Options
) -> None:
    conservative = solved("conservative", instance, site)
    assert solved("backfill", instance, {"protected": None, "selection": selection, **site}) == conservative


@given(instance=any_instances, selection=selections, site=knobs, depth=st.integers(1, 4))
def test_reservation_depth_of_easy_is_the_number_of_protected_jobs(
    instance: schedcore.Instance, selection: str, site: Options, depth: int
) -> None:
    protected = solved("backfill", instance, {"protected": depth, "selection": selection, **site})
    deep = {"reservation_depth": depth, "selection": selection, **site}
    assert solved("easy", instance, deep) == protected


# 7


@given(data=st.data(), instance=exact_instances)
def test_with_exact_estimates_all_conservative_variants_are_one(
    data: st.DataObject, instance: schedcore.Instance
) -> None:
    options = data.draw(settings_drawn("conservative"))
    assert solved("conservative", instance, options) == solved("conservative", instance, {})


# 8


@given(instance=backfill_instances(exact=True, max_machines=1))
def test_on_one_machine_conservative_starts_no_job_later_than_fcfs(instance: schedcore.Instance) -> None:
    conservative, _ = solved("conservative", instance, {})
    fcfs, _ = solved("fcfs", instance, {})
    assert all(a <= b for a, b in zip(conservative, fcfs, strict=True))


# 9


@pytest.mark.parametrize("name", ["first_fit", "easy", "conservative", "backfill"])
@given(instance=any_instances)
def test_best_lowest_without_window_and_fullness_is_first_fit(
    name: str, instance: schedcore.Instance
) -> None:
    more = {"protected": 2} if name == "backfill" else {}
    first_fit = solved(name, instance, {"selection": "ff", **more})
    assert solved(name, instance, {"selection": "bl(0)!", **more}) == first_fit


@given(instance=one_resource, selection=st.sampled_from(["bb", "bl", "bl(0)", "bl(2)"]))
def test_with_one_resource_the_largest_demand_goes_first(
    instance: schedcore.Instance, selection: str
) -> None:
    starts, _ = solved("easy", instance, {"selection": selection})
    n_nodes = int(instance.machines.capacity[0, 0])
    expected = textbook_easy(scalar_jobs(instance), n_nodes, largest_first=True)
    assert [starts[j] for j in queue_order(instance)] == expected


# 10


@pytest.mark.parametrize("name", ALGORITHMS)
@examples(16)
@given(data=st.data(), instance=any_instances, factor=st.sampled_from([2, 3, 10**6, 2**45]))
def test_scaling_all_amounts_by_an_integer_changes_nothing(
    name: str, data: st.DataObject, instance: schedcore.Instance, factor: int
) -> None:
    scaled = schedcore.Instance(
        instance.jobs.replace(demand=instance.jobs.demand * factor),
        schedcore.Machines(instance.machines.capacity * factor),
    )
    options = data.draw(settings_drawn(name, with_knobs=True))
    assert solved(name, scaled, options) == solved(name, instance, options)


# 11


@pytest.mark.parametrize("name", ALGORITHMS)
@examples(16)
@given(data=st.data(), instance=any_instances)
def test_the_integral_of_the_queue_length_is_the_sum_of_waits(
    name: str, data: st.DataObject, instance: schedcore.Instance
) -> None:
    options = data.draw(settings_drawn(name))
    schedule = schedcore.solve(name, instance, **options).schedule
    release, start = instance.jobs.release_time, schedule.start_time
    instants = np.unique(np.concatenate([release, start]))
    queue = [int(((release <= t) & (t < start)).sum()) for t in instants]
    integral = sum(q * length for q, length in zip(queue, np.diff(instants), strict=False))
    assert integral == (start - release).sum()
    summary = schedcore.metrics.summary(instance, schedule)
    horizon = (start + instance.jobs.processing_time).max() - release.min()
    assert summary["avg_queue_all"] == pytest.approx(integral / horizon)
    assert summary["max_queue"] == max(queue)
    assert summary["avg_slowdown"] >= 1
    assert summary["avg_bounded_slowdown"] >= 1
    assert max(summary["utilisation"]) <= 1


# 12


@pytest.mark.parametrize("name", ALGORITHMS)
@examples(16)
@given(data=st.data(), instance=backfill_instances(max_jobs=5, max_machines=2))
def test_no_policy_beats_the_offline_optimum(
    name: str, data: st.DataObject, instance: schedcore.Instance
) -> None:
    starts, _ = solved(name, instance, data.draw(settings_drawn(name)))
    completions = sum(map(Fraction, starts)) + sum(map(Fraction, instance.jobs.processing_time.tolist()))
    assert completions >= optimum(instance).sum_weighted_completion  # all weights are 1


# 13


@given(capacity=st.lists(st.integers(2, 10), min_size=1, max_size=3), data=st.data())
def test_the_fewest_epochs_are_at_most_those_of_any_rule_and_at_least_the_volume(
    capacity: list[int], data: st.DataObject
) -> None:
    vectors = st.tuples(*(st.integers(0, bound) for bound in capacity)).filter(any)
    demand = data.draw(st.lists(vectors, min_size=1, max_size=8))
    count = {
        rule: len(schedcore.epochs(demand, capacity, rule)) for rule in ["unc", "fcfs", "ff", *SELECTIONS]
    }
    assert count["unc"] == min(count.values())
    assert count["unc"] >= max(
        ceil(Fraction(sum(d[k] for d in demand), bound)) for k, bound in enumerate(capacity)
    )


# 14


@st.composite
def filled_machines(draw: st.DrawFn) -> tuple[list[int], list[int], list[int]]:
    """A demand, what is used beside it, and a capacity that holds both."""
    n_resources = draw(st.integers(1, 8))
    capacity = draw(st.lists(st.integers(1, 10**6), min_size=n_resources, max_size=n_resources))
    used = [draw(st.integers(0, bound)) for bound in capacity]
    demand = [draw(st.integers(0, c - u)) for c, u in zip(capacity, used, strict=True)]
    return demand, used, capacity


@given(machine=filled_machines())
def test_balance_is_between_one_and_the_number_of_resources(
    machine: tuple[list[int], list[int], list[int]],
) -> None:
    demand, used, capacity = machine
    (numerator,), (denominator,) = schedcore.selection_scores([demand], used, capacity, "bb!")
    assert 1 <= Fraction(numerator, denominator) <= len(capacity)


@given(machine=filled_machines())
def test_a_perfect_fill_scores_zero(machine: tuple[list[int], list[int], list[int]]) -> None:
    _, used, capacity = machine
    rest = [c - u for c, u in zip(capacity, used, strict=True)]
    assert schedcore.selection_scores([rest], used, capacity, "bb") == ([0], [1])
    assert schedcore.selection_scores([rest], used, capacity, "bb!") == ([1], [1])
