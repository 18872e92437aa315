"""The rules of a site as objects: what is checked, how they compare and print."""

import pickle
from typing import Any

import numpy as np
import pytest

from schedcore import InvalidInstanceError, Jobs, Limit, Multifactor, Partition, ServiceClass, Site


def by_size(jobs: Jobs) -> Any:
    return -jobs.n_tasks


def whole_site() -> Site:
    return Site(
        Multifactor(age=1, fair_share=2, half_life=float("inf")),
        [Partition("batch", "!gpu", max_time=3600, max_tasks=8, tier=-1, factor=0.5)],
        [ServiceClass("low", preemptible=True), ServiceClass("high", level=2, factor=1)],
        [Limit("user", "jobs", 3), Limit("account=physics", "tasks", 64), Limit("array=7", "jobs", 0)],
        {"physics": 3, None: 1},
        "checkpoint",
    )


def test_what_it_says() -> None:
    site = whole_site()
    assert site.multifactor == Multifactor(1, 2, half_life=float("inf"))
    assert [(each.party, each.value) for each in site.limits] == [
        ("user", None),
        ("account", "physics"),
        ("array", "7"),
    ]
    assert dict(site.shares or {}) == {None: 1.0, "physics": 3.0}
    assert not site.changes_nothing
    assert Site().changes_nothing
    assert Site("arrival", shares={}).changes_nothing
    assert Site("SJF").order == "sjf"
    assert repr(site.partitions[0]) == (
        "Partition(name='batch', constraint='!gpu', max_time=3600.0, max_tasks=8, tier=-1, factor=0.5)"
    )
    assert repr(site.limits[1]) == "Limit('account=physics', 'tasks', 64)"
    assert "1 partitions, 2 service_classes, 3 limits, 2 shares, preempt='checkpoint'" in repr(site)


@pytest.mark.parametrize(
    "site",
    [Site(), whole_site(), Site("priority"), Site([3.0, 1.0]), Site(by_size)],
    ids=["plain", "whole", "priority", "numbers", "callable"],
)
def test_compares_hashes_and_pickles_by_content(site: Site) -> None:
    again = pickle.loads(pickle.dumps(site))
    assert again == site
    assert hash(again) == hash(site)
    assert site != Site(limits=[Limit("user", "jobs", 1)])
    with pytest.raises(AttributeError, match="immutable"):
        site.preempt = "drop"


def test_arrays_are_copied() -> None:
    numbers = np.array([2.0, 1.0])
    site = Site(numbers)
    numbers[0] = 7
    assert site.order.tolist() == [2.0, 1.0]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Site("sfj"), r"unknown order 'sfj' of the queue; did you mean 'svf' or 'sjf'"),
        (lambda: Site([[1.0]]), r"order has shape \(1, 1\)"),
        (lambda: Site(object()), "order must be a name, a callable"),
        (lambda: Site(preempt="kill"), "unknown preempt 'kill'"),
        (lambda: Site(partitions=[Partition("a"), Partition("a")]), r"partitions\[1\] has the name 'a'"),
        (lambda: Site(shares={"a": 0}), r"shares\['a'\] = 0 must be finite and above 0"),
        (lambda: Partition("a", "x &"), "constraint of partition 'a': .*position 3"),
        (lambda: Partition(""), "name of a partition is empty"),
        (lambda: Partition("a", max_time=0), "max_time of partition 'a' = 0"),
        (lambda: Partition("a", max_tasks=0), "max_tasks of partition 'a' = 0"),
        (lambda: Partition("a", factor=float("nan")), "factor of partition 'a' = nan"),
        (lambda: Limit("group", "jobs", 1), "unknown party 'group' of a limit"),
        (lambda: Limit("user=", "jobs", 1), "names no value behind '='"),
        (lambda: Limit("user", "jobs", -1), r"most of Limit\('user', 'jobs'\) = -1"),
        (lambda: Multifactor(age=float("inf")), "weight age = inf must be finite"),
        (lambda: Multifactor(max_age=0), "max_age = 0"),
        (lambda: Multifactor(half_life=0), "half_life = 0"),
        (lambda: Multifactor(interval=-1), "interval = -1"),
    ],
)
def test_values_out_of_range(make: Any, message: str) -> None:
    with pytest.raises(InvalidInstanceError, match=message):
        make()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Site(partitions=Partition("a")), "partitions must be an iterable of Partition"),
        (lambda: Site(limits=[3]), r"limits\[0\] must be a Limit, not int"),
        (lambda: Site(shares=[1]), "shares must map accounts to numbers"),
        (lambda: Site(shares={3: 1}), "an account of shares must be a str, not 3"),
        (lambda: Partition(3), "name of a partition must be a str, not int"),
        (lambda: Partition("a", tier=0.5), "tier of partition 'a' must be an integer"),
        (lambda: Limit("array=x", "jobs", 1), "array must be an integer, not 'x'"),
        (lambda: Multifactor(size="1"), "weight size must be a number"),
    ],
)
def test_other_kinds_of_objects(make: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        make()


def test_a_class_is_preemptible_or_not() -> None:
    with pytest.raises(
        InvalidInstanceError, match="preemptible of service class 'a' = 1 must be True or False"
    ):
        ServiceClass("a", preemptible=1)  # type: ignore[arg-type]
