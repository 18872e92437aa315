"""What an embedded scheduler keeps of the rules of a site: what is needed, whatever has come and gone."""

from typing import Any

import pytest

from schedcore import Jobs, Limit, Machines, Multifactor, OnlineScheduler, Partition, ServiceClass, Site

ONE = Machines([[4]])
RULES = Site(
    Multifactor(age=1, fair_share=1, partition=1, half_life=10, interval=5),
    partitions=[Partition("short")],
    service_classes=[ServiceClass("low")],
    limits=[Limit("user", "jobs", 1)],
)


def one_by_one(scheduler: OnlineScheduler, numbers: range, *, saves: bool = False) -> OnlineScheduler:
    """One job after the other, each of a user and an account of its own."""
    for number in numbers:
        scheduler.submit(
            Jobs([1], [[4]], user=[f"user{number}"], account=[f"account{number}"], partition="short"),
            number,
            ids=[number],
        )
        if number > numbers.start:
            scheduler.complete([number - 1], number)
        assert scheduler.advance(number).starts.id.tolist() == [number]
        if saves and number % 50 == 0:
            scheduler = OnlineScheduler.load(scheduler.save())
    return scheduler


@pytest.mark.parametrize("policy", ["easy", "conservative"])
def test_users_and_accounts_that_have_gone_take_no_room(policy: str) -> None:
    scheduler = one_by_one(OnlineScheduler(policy, ONE, site=RULES), range(1000))
    early = len(scheduler.save())
    scheduler.complete([999], 1000)
    scheduler.advance(1000)
    scheduler = one_by_one(scheduler, range(1000, 4000))
    # Numbers have a digit more, or as many, and take eight bytes in the core.
    assert len(scheduler.save()) < early + 1000


def test_loading_in_between_leaves_no_trace() -> None:
    plain, saved = (
        one_by_one(OnlineScheduler("easy", ONE, site=RULES), range(1500), saves=saves)
        for saves in (False, True)
    )
    assert plain.save() == saved.save()
    for scheduler in (plain, saved):  # accounts that were forgotten come back, in another order
        names = [f"account{number}" for number in range(1499, 0, -7)]
        scheduler.submit(Jobs([1] * len(names), [[4]] * len(names), user=names, account=names), 1500)
        scheduler.complete([1499], 1500)
        scheduler.advance(1500)
    assert plain.save() == saved.save()


def test_names_that_no_rule_asks_about_are_not_kept() -> None:
    sizes = []
    for columns in ({}, {"user": "u" * 50, "account": "a" * 50, "service_class": "s" * 50}):
        scheduler = OnlineScheduler("easy", ONE, site=Site("priority"))
        scheduler.submit(Jobs([1], [[4]], **columns), 0)
        scheduler.advance(0)
        scheduler.complete([0], 1)
        scheduler.advance(1)
        sizes.append(len(scheduler.save()))
    assert sizes[0] == sizes[1]


@pytest.mark.parametrize("interval", [0.1, 0.7, 1e-320, 0])
def test_it_is_saved_at_any_instant(interval: float) -> None:
    scheduler = OnlineScheduler("easy", ONE, site=Site(Multifactor(fair_share=1, age=1, interval=interval)))
    for step in range(200):
        now = step / 10
        scheduler.submit(Jobs([0.1], [[4]], account=[f"a{step % 3}"]), now)
        if step:
            scheduler.complete([step - 1], now)
        scheduler.advance(now)
        saved = scheduler.save()
        scheduler = OnlineScheduler.load(saved)
        assert scheduler.save() == saved


def test_a_half_life_that_is_very_long_counts_use_in_full() -> None:
    def started(half_life: float) -> list[list[int]]:
        site = Site(Multifactor(fair_share=1, half_life=half_life, interval=0))
        scheduler = OnlineScheduler("easy", ONE, site=site)
        found: list[list[int]] = []
        for step in range(20):
            account = "a" if step % 3 else "b"
            scheduler.submit(Jobs([1, 1], [[4], [2]], account=[account, "b"]), 1000 * step)
            if step:
                scheduler.complete(found[-1], 1000 * step)
            found.append(scheduler.advance(1000 * step).starts.id.tolist())
        return found

    in_full = started(float("inf"))
    assert [started(half_life) for half_life in (1e17, 1e18, 1.7e308)] == [in_full] * 3


def test_jobs_that_no_longer_wait_for_another_are_forgotten_before_it_ends() -> None:
    sizes: list[Any] = []
    scheduler = OnlineScheduler("easy", ONE)
    scheduler.submit(Jobs([1e6], [[4]]), 0, ids=[0])
    for number in range(1, 2000):
        scheduler.submit(Jobs([1], [[4]], after_ok=[[0]]), number, ids=[1])
        scheduler.advance(number)
        scheduler.cancel([1], number)
        scheduler.advance(number)
        sizes.append(len(scheduler.save()))
    assert sizes[-1] == sizes[0]
