"""The rules of a site as objects: what is checked, how they compare and print."""

import pickle
from typing import Any

import numpy as np
import pytest

from schedcore import (
    InfeasibleError,
    Instance,
    InvalidInstanceError,
    Jobs,
    Limit,
    Machines,
    Multifactor,
    Partition,
    ServiceClass,
    Site,
    solve,
)


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
        (lambda: Limit("array=x", "jobs", 1), "who = 'array=x' of a limit: array must be an integer from 0"),
        (
            lambda: Limit("array=-1", "jobs", 1),
            "who = 'array=-1' of a limit: array must be an integer from 0",
        ),
        (lambda: Limit("array=\u0663", "jobs", 1), "array must be an integer .* in digits 0 to 9"),
        (lambda: Limit("array=" + "9" * 5000, "jobs", 1), "who = 'array=9{100}.*[.]{3} of a limit: array"),
        (lambda: Limit(f"array={2**63}", "jobs", 1), "array must be an integer from 0 to 2"),
        (lambda: Multifactor(age=1e308, size=-1e308), "the weights add up to priorities of inf"),
        (
            lambda: Site(Multifactor(partition=1e200), [Partition("a", factor=-1e100)]),
            "the weights times the largest factors add up to priorities of 1e.300; they must be at most 1e.250",
        ),
        (lambda: Site(shares={"a": 1e308, "b": 1e308}), "the shares add up to inf"),
        (lambda: Site(shares={"a": 1e-300, "b": 1e300}), "the least, 1e-300, is no part"),
        (lambda: Site(shares={None: 1, "": 2}), "shares has both None and ''"),
        (
            lambda: Site(
                partitions=[Partition("a"), Partition("b")], limits=[Limit("partition=zz", "jobs", 1)]
            ),
            r"limits\[0\] = Limit\('partition=zz', 'jobs', 1\) is of no partition: the site has 'a', 'b'",
        ),
        (
            lambda: Site(service_classes=[ServiceClass("a")], limits=[Limit("service_class=zz", "jobs", 1)]),
            "is of no service_class: the site has 'a'",
        ),
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
        (lambda: Multifactor(max_age=np.array([1, 2])), "max_age must be a number"),
        (lambda: Multifactor(half_life="inf"), "half_life must be a number, not 'inf'"),
        (lambda: Multifactor(size="1"), "weight size must be a number"),
    ],
)
def test_other_kinds_of_objects(make: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        make()


def test_infinite_times_are_plain_numbers() -> None:
    weights = Multifactor(half_life=np.float32("inf"), max_age=np.float64("inf"))
    assert type(weights.half_life) is float
    assert type(weights.max_age) is float
    assert weights == Multifactor(half_life=float("inf"), max_age=float("inf"))


def test_limits_may_name_what_only_jobs_name_where_no_parts_are_given() -> None:
    assert (
        Site(limits=[Limit("partition=zz", "jobs", 1), Limit("user=zz", "jobs", 1)]).limits[0].value == "zz"
    )
    assert Limit("array=007", "jobs", 1).array == 7
    assert Limit("array", "jobs", 1).array is None
    assert Limit("user=7", "jobs", 1).array is None


def test_long_names_are_cut_in_messages() -> None:
    long = "n" * 100_000
    for make in (
        lambda: Partition(long, max_time=0),
        lambda: Partition(long, "x &"),
        lambda: ServiceClass(long, level=0.5),  # type: ignore[arg-type]
        lambda: Limit(f"user={long}", long, -1),
        lambda: Limit(f"{long}=", "jobs", 1),
        lambda: Limit(f"array={long}", "jobs", 1),
        lambda: Site(partitions=[Partition(long), Partition(long)]),
        lambda: Site(partitions=[Partition(long)], limits=[Limit(f"partition={long}z", "jobs", 1)]),
        lambda: Site(shares={long: 0}),
    ):
        with pytest.raises((InvalidInstanceError, TypeError)) as error:
            make()
        assert len(str(error.value)) < 1500
    jobs = Jobs([1], [[1]], partition=[long], account=[long])
    for site in (Site(partitions=[Partition("a")]), Site(shares={"a": 1})):
        with pytest.raises(InvalidInstanceError) as error:
            solve("easy", Instance(jobs, Machines([[1]])), site=site)
        assert len(str(error.value)) < 1500
    with pytest.raises(InfeasibleError) as infeasible:
        solve("easy", Instance(jobs, Machines([[1]])), site=Site(partitions=[Partition(long, max_time=0.5)]))
    assert len(str(infeasible.value)) < 1500


def test_a_class_is_preemptible_or_not() -> None:
    with pytest.raises(
        InvalidInstanceError, match="preemptible of service class 'a' = 1 must be True or False"
    ):
        ServiceClass("a", preemptible=1)  # type: ignore[arg-type]
