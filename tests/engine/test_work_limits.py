"""A limit on the work of one decision: counted steps, a cheaper way where they do not suffice, and a word about it.

MRIS with exact knapsacks takes cadp for a batch whose dynamic program would read more states than that.
"""

import pickle
import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import schedcore
from engine.event_driver import Driver
from example_shares import examples
from schedcore import Instance, InvalidInstanceError, Jobs, Machines, OnlineScheduler
from strategies import instances

#: How MRIS may be embedded, beside the exact knapsack.
FORMS: dict[str, dict[str, Any]] = {
    "fixed": {},
    "list": {"placement": "list"},
    "early": {"opportunistic": True},
    "replan": {"replan": True, "opportunistic": True},
    "always": {"replan": "always"},
}
SHORTENED = re.compile(r"knapsack: \d+ jobs by cadp")


def crowded(n_jobs: int = 80, seed: int = 0) -> Instance:
    """Weights near the volumes and all different, so that every knapsack needs its dynamic program."""
    rng = np.random.default_rng(seed)
    length = rng.integers(1, 40, n_jobs).astype(float)
    demand = rng.integers(1, 60, (n_jobs, 2))
    jobs = Jobs(
        length,
        demand,
        weight=length * demand.sum(axis=1) + rng.random(n_jobs),
        release_time=np.sort(rng.integers(0, 30, n_jobs)),
    )
    return Instance(jobs=jobs, machines=Machines.identical(2, [64, 64]))


def scheduler_of(instance: Instance, **options: Any) -> OnlineScheduler:
    shortest = min(instance.jobs.processing_time.tolist(), default=1.0)
    return OnlineScheduler("mris", instance.machines, **{"knapsack": "exact", "gamma0": shortest, **options})


def drive(instance: Instance, work_limit: int | None = None, between: Any = None, **options: Any) -> Driver:
    driver = Driver(scheduler_of(instance, **options), instance, work_limit=work_limit)
    if between is not None:
        driver.between = between
    return driver.run()


def shortened(driver: Driver) -> list[str]:
    return [text for _, decision in driver.decisions for text in decision.shortened]


def starts(driver: Driver) -> tuple[list[float], list[int]]:
    return driver.start_time, driver.machine


@pytest.mark.parametrize("form", FORMS)
def test_a_limit_that_suffices_changes_nothing(form: str) -> None:
    instance = crowded()
    free, limited = drive(instance, **FORMS[form]), drive(instance, 10**9, **FORMS[form])
    assert starts(limited) == starts(free)
    assert shortened(free) == shortened(limited) == []


def test_with_a_limit_of_one_step_batches_are_those_of_cadp() -> None:
    instance = crowded()
    limited = drive(instance, 1)
    assert starts(limited) == starts(drive(instance, knapsack="cadp"))
    assert starts(limited) != starts(drive(instance))
    assert len(shortened(limited)) > 1
    assert all(SHORTENED.fullmatch(text) for text in shortened(limited))


def test_the_larger_the_limit_the_fewer_batches_are_chosen_by_cadp() -> None:
    instance = crowded(200)
    counts = [len(shortened(drive(instance, limit))) for limit in (1, 1_000, 100_000, 10**9)]
    assert counts == sorted(counts, reverse=True)
    assert counts[0] > counts[-1] == 0


@pytest.mark.parametrize("form", FORMS)
@examples(16)
@given(instance=instances(max_jobs=14, max_machines=3), limit=st.integers(1, 60))
def test_every_start_under_a_limit_is_valid(form: str, instance: Instance, limit: int) -> None:
    driver = drive(instance, limit, **FORMS[form])  # checks every start against its own accounting
    schedule = schedcore.Schedule(np.array(driver.start_time), np.array(driver.machine))
    schedcore.validate(instance, schedule)


def loaded(scheduler: OnlineScheduler) -> OnlineScheduler:
    return pickle.loads(pickle.dumps(scheduler))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("between", [OnlineScheduler.copy, loaded], ids=["copied", "saved"])
def test_a_limited_scheduler_goes_on_alike_when_copied_and_saved(between: Any, form: str) -> None:
    instance = crowded(seed=3)
    plain = drive(instance, 300, **FORMS[form])
    again = drive(instance, 300, between, **FORMS[form])
    assert starts(again) == starts(plain)
    assert shortened(again) == shortened(plain) != []
    assert pickle.dumps(again.scheduler) == pickle.dumps(plain.scheduler)


@pytest.mark.parametrize("call", ["advance", "event"])
@pytest.mark.parametrize(
    ("limit", "error", "message"),
    [
        (0, InvalidInstanceError, "work_limit = 0 must be at least 1"),
        (-3, InvalidInstanceError, "work_limit = -3 must be at least 1"),
        (2**63, InvalidInstanceError, "work_limit = 9223372036854775808 must be at least 1 and at most"),
        (1.0, TypeError, "work_limit must be an integer, not 1.0"),
        (True, TypeError, "work_limit must be an integer, not True"),
        ("9", TypeError, "work_limit must be an integer, not '9'"),
    ],
)
def test_a_limit_that_is_none_is_refused_and_nothing_happens(
    call: str, limit: Any, error: type[Exception], message: str
) -> None:
    scheduler = OnlineScheduler("mris", Machines.identical(1, [4]), knapsack="exact", gamma0=1.0)
    scheduler.submit(Jobs([1.0], [[1]]), 0)
    before = pickle.dumps(scheduler)
    with pytest.raises(error, match=re.escape(message)):
        getattr(scheduler, call)(2, work_limit=limit)
    assert pickle.dumps(scheduler) == before
    assert getattr(scheduler, call)(2, work_limit=np.int64(5)).shortened == ()
