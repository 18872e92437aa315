"""What a policy says that it ignores changes no decision, and what it does not say can change one.

Over every registered algorithm that is told weights, priorities or estimates, with any of its options, and for those
that take the rules of a site under several of these.
"""

from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import schedcore
from example_shares import examples
from own_policies import OwnFirstFit
from parallel_task_cases import drawn_tasks
from properties.registry_cases import ALGORITHMS, Options, problems, solve
from properties.slotted_registry_cases import SLOTTED, Case, slotted_problems, solve_slotted
from schedcore import (
    Instance,
    Jobs,
    Limit,
    Machines,
    Multifactor,
    Outages,
    Partition,
    ServiceClass,
    Site,
    registry,
)
from schedcore.registry import Algorithm

TEXTS = {"account": "ab", "partition": "pq", "service_class": "st", "user": "uv"}
TAKING_SITES = [case for case in ALGORITHMS if "site" in case.values[0].takes]
PARALLEL = [
    pytest.param(algorithm, id=algorithm.name)
    for algorithm in registry.algorithms(schedcore.ParallelTaskInstance)
]
PARTS: dict[str, Any] = {
    "partitions": [Partition("p", factor=1), Partition("q", factor=5)],
    "service_classes": [ServiceClass("s", level=1, factor=2), ServiceClass("t", preemptible=True)],
    "shares": {"a": 1, "b": 3, None: 2},
}
SITES = [
    Site(**PARTS),
    Site("priority", **PARTS),
    Site("wsjf", **PARTS),
    Site("sjf", partitions=[Partition("p", tier=1), Partition("q")], limits=[Limit("account", "jobs", 1)]),
    Site(Multifactor(age=1, job=1), **PARTS),
    Site(Multifactor(fair_share=100, size=1, interval=0, half_life=5), **PARTS),
    Site(Multifactor(partition=1, service_class=1), **PARTS),
    Site("svf", **PARTS, preempt="requeue"),
    Site(
        limits=[Limit("user=u", "jobs", 1), Limit("service_class", "tasks", 2)],
        partitions=PARTS["partitions"],
    ),
]


def other_columns(random: np.random.Generator, jobs: Jobs) -> dict[str, Any]:
    """Other values of all columns that can be ignored."""
    n = jobs.n_jobs
    columns: dict[str, Any] = {
        "weight": random.integers(1, 9, n),
        "priority": random.integers(0, 4, n),
        "estimated_processing_time": jobs.processing_time * random.integers(1, 4, n),
    }
    return columns | {name: random.choice(list(of), n).tolist() for name, of in TEXTS.items()}


@cache
def sites_of(algorithm: str) -> tuple[Site, ...]:
    """Those that it takes: some have an order of their own, others end no jobs."""
    taken = []
    for site in SITES:
        try:
            schedcore.solve(algorithm, crowded(0, slotted=False), site=site, infeasible="drop")
        except schedcore.UnsupportedError:
            continue
        taken.append(site)
    return tuple(taken)


def told(instance: Instance, seed: int) -> Instance:
    """The same jobs, which differ in all of these columns."""
    return instance.replace(**other_columns(np.random.default_rng(seed), instance.jobs))


def assert_only_read_columns_count(instance: Any, run: Any, seed: int) -> None:
    """What is ignored may be anything."""
    first = run(instance)
    ignored = first.stats["ignored"]
    others = other_columns(np.random.default_rng(seed + 1), instance.jobs)
    changed = instance.replace(**{name: others[name] for name in ignored})
    assert run(changed).schedule == first.schedule
    # nor does it matter whether they are told at all
    plain: dict[str, Any] = {"weight": 1, "estimated_processing_time": None}
    assert run(instance.replace(**{name: plain.get(name) for name in ignored})).schedule == first.schedule


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@examples(11)
@given(data=st.data(), seed=st.integers(0, 2**32))
def test_ignored_columns_change_no_decision(algorithm: Algorithm, data: st.DataObject, seed: int) -> None:
    options, instance = data.draw(problems(algorithm))
    assert_only_read_columns_count(told(instance, seed), lambda each: solve(algorithm, each, options), seed)


@pytest.mark.parametrize("case", [case for case in SLOTTED if case.values[0].kind is Instance])
@examples(11)
@given(data=st.data(), seed=st.integers(0, 2**32))
def test_ignored_columns_change_no_slot(case: Case, data: st.DataObject, seed: int) -> None:
    problem = data.draw(slotted_problems(case))
    instance = told(problem.instance, seed)
    assert_only_read_columns_count(
        instance, lambda each: solve_slotted(case, problem._replace(instance=each)), seed
    )


@pytest.mark.parametrize("algorithm", TAKING_SITES)
@examples(16)
@given(data=st.data(), seed=st.integers(0, 2**32))
def test_columns_that_a_site_names_and_does_not_read_change_no_decision(
    algorithm: Algorithm, data: st.DataObject, seed: int
) -> None:
    site = data.draw(st.sampled_from(sites_of(algorithm.name)))
    options, instance = data.draw(problems(algorithm))
    options.pop("selection", None)  # those that score jobs take no sites
    options.pop("order", None)  # sites have one
    under = {**options, "site": site, "infeasible": "drop"}
    assert_only_read_columns_count(told(instance, seed), lambda each: solve(algorithm, each, under), seed)


def crowded(seed: int, *, slotted: bool) -> Instance:
    """Jobs that wait for each other, unless `slotted` also for an outage to be over; all at once, which every policy
    takes.
    """
    random = np.random.default_rng(seed)
    jobs = Jobs(random.integers(1, 9, 12), random.integers(1, 4, (12, 1)))
    outages = None if slotted else Outages([0], [8], [12])
    return told(Instance(jobs, Machines([[4]]), outages=outages), seed)


def changes_a_decision(algorithm: Algorithm, column: str, options: Options) -> bool:
    """Whether another column `column` leads to another schedule, for one of some instances."""
    for seed in range(60):
        instance = crowded(seed, slotted="outages" not in algorithm.takes)
        other = other_columns(np.random.default_rng(1000 + seed), instance.jobs)[column]
        first = schedcore.solve(algorithm.name, instance, **options)
        if column in first.stats["ignored"]:
            return False
        changed = schedcore.solve(algorithm.name, instance.replace(**{column: other}), **options)
        if changed.schedule != first.schedule:
            return True
    raise AssertionError(f"{algorithm.name} reads {column} with {options}, and it never counts")


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_columns_that_are_not_ignored_can_change_a_decision(algorithm: Algorithm) -> None:
    choices: list[Options] = [{}]
    if any(option.name == "heuristic" for option in algorithm.options):
        keys = [{"heuristic": key} for key in ("wsjf", "wsvf", "wsdf", "sjf", "svf", "sdf", "erf")]
        choices = [
            *keys,
            {"heuristic": lambda jobs: -jobs.priority - jobs.weight + jobs.estimated_processing_time},
        ]
    if any(option.name == "window_size" for option in algorithm.options):
        choices = [{"window_size": 1}]  # of all jobs no set leaves anybody who fits
    read = {
        column
        for options in choices
        for column in ("weight", "priority", "estimated_processing_time")
        if changes_a_decision(algorithm, column, options)
    }
    by_estimates = algorithm.decides_with == "estimated_processing_time"
    assert by_estimates == (read == {"estimated_processing_time"})


@pytest.mark.parametrize("algorithm", TAKING_SITES)
def test_columns_that_a_site_reads_can_change_a_decision(algorithm: Algorithm) -> None:
    counted = []
    for site in sites_of(algorithm.name):
        options: Options = {"site": site, "infeasible": "drop"}
        parties = {limit.party for limit in site.limits}
        parties |= {"account"} if site.shares else set()
        parties |= {"partition"} if site.partitions else set()
        parties |= {"service_class"} if site.service_classes else set()
        counted.append(
            {
                column
                for column in ("weight", "priority", *parties)
                if changes_a_decision(algorithm, column, options)
            }
        )
    assert len({frozenset(each) for each in counted}) >= 2  # by the site


@pytest.mark.parametrize("algorithm", PARALLEL)
def test_weights_of_parallel_tasks_count_unless_they_are_ignored(algorithm: Algorithm) -> None:
    differ = []
    for seed in range(40):
        random = np.random.default_rng(seed)
        drawn = drawn_tasks(seed)
        instance = drawn.replace(weight=random.permutation(np.arange(1.0, drawn.n_jobs + 1)))
        try:
            first = schedcore.solve(algorithm.name, instance)
        except schedcore.UnsupportedError:
            continue  # what it takes is not what was drawn
        expected = ("weight",) if algorithm.name == "jsq_mw" and instance.n_jobs > 1 else ()
        assert first.stats["ignored"] == expected
        other = instance.replace(weight=instance.weight[::-1] ** 3)
        differ.append(schedcore.solve(algorithm.name, other).schedule != first.schedule)
    assert any(differ) == (algorithm.name != "jsq_mw")


def test_every_algorithm_of_the_library_says_what_it_reads() -> None:
    own = [each for each in registry.algorithms() if each.run.__module__.startswith("schedcore.")]
    assert len(own) > 30
    for algorithm in own:
        assert algorithm.reads is not None
        assert algorithm.reads <= {"weight", "priority"}


def test_nothing_is_said_where_jobs_do_not_differ() -> None:
    jobs = Jobs([1, 2], [[1], [1]], weight=3, priority=2, estimated_processing_time=[1, 2], partition="p")
    instance = Instance(jobs, Machines([[1]]))
    for algorithm in registry.algorithms(Instance):
        assert schedcore.solve(algorithm.name, instance).stats["ignored"] == ()
    assert schedcore.solve("easy", instance, site=SITES[0]).stats["ignored"] == ()


def test_a_key_of_the_callers_own_reads_all_or_nothing() -> None:
    instance = crowded(1, slotted=True)
    assert schedcore.online.pq(instance, lambda jobs: jobs.weight).stats["ignored"] == ()
    ordered = Site(lambda jobs: jobs.weight, **PARTS)
    assert schedcore.solve("easy", instance, site=ordered).stats["ignored"] == ()
    numbers = schedcore.online.pq(instance, np.arange(12.0)).stats["ignored"]
    assert numbers == ("weight", "priority", "estimated_processing_time")
    with_factors = Site(Multifactor(fair_share=1), **PARTS)
    ignored = schedcore.solve("easy", instance, site=with_factors).stats["ignored"]
    assert ignored == ("weight", "priority", "partition", "service_class")


def test_nothing_is_said_of_an_algorithm_that_does_not_say_what_it_reads(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(registry, "_algorithms", dict(registry._algorithms))
    instance = crowded(1, slotted=True)

    @registry.registered(
        registry.Parameters, "Silent", registry.Family("own", {"source": "", "objective": "awct"})
    )
    def silent(instance: Instance, parameters: registry.Parameters) -> schedcore.Result:
        """Nobody knows."""
        return schedcore.Result(schedcore.online.pq(instance).schedule, "awct", 1)

    assert schedcore.solve("silent", instance).stats == {"ignored": ()}


def test_a_policy_of_ones_own_is_told_weights_and_no_priorities() -> None:
    instance = crowded(1, slotted=True)
    assert schedcore.solve(OwnFirstFit(), instance).stats["ignored"] == ("priority",)
    of_true_times = type("OfTrueTimes", (OwnFirstFit,), {"decides_with": "processing_time"})()
    ignored = schedcore.solve(of_true_times, instance).stats["ignored"]
    assert ignored == ("priority", "estimated_processing_time")
