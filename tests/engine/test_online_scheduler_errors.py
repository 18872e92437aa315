"""A call of the embedded engine that raises changes nothing: every snapshot before equals the one after."""

import re
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from engine.refused_calls import MACHINES, ONE, THREE, changes_nothing, pq_with_two_running_and_one_waiting
from schedcore import (
    InfeasibleError,
    InvalidInstanceError,
    Jobs,
    Machines,
    OnlineScheduler,
    PolicyError,
    UnsupportedError,
)

ONE_UNIT = Jobs([64.0], [[1]])
LARGEST_ID = 2**63 - 2


def test_an_unknown_id_cannot_complete() -> None:
    scheduler = pq_with_two_running_and_one_waiting()
    for unknown in (7, -1, LARGEST_ID):
        with changes_nothing(scheduler, InvalidInstanceError, f"job {unknown} is unknown"):
            scheduler.complete([0, unknown], 2)
    scheduler.complete([0], 2)


def test_a_job_cannot_complete_twice() -> None:
    scheduler = pq_with_two_running_and_one_waiting()
    with changes_nothing(scheduler, InvalidInstanceError, "job 1 has completed already"):
        scheduler.complete([0, 1, 1], 2)
    scheduler.complete([1], 2)
    with changes_nothing(scheduler, InvalidInstanceError, "job 1 has completed already"):
        scheduler.complete([1], 2)
    scheduler.advance(2)
    with changes_nothing(scheduler, InvalidInstanceError, "job 1 is unknown or has completed already"):
        scheduler.complete([0, 1], 2)


def test_a_job_cannot_complete_before_it_starts() -> None:
    scheduler = pq_with_two_running_and_one_waiting()
    with changes_nothing(scheduler, InvalidInstanceError, "job 2 cannot complete: it does not run"):
        scheduler.complete([0, 2], 2)
    scheduler.submit(ONE, 2, ids=[9])
    with changes_nothing(scheduler, InvalidInstanceError, "job 9 cannot complete"):
        scheduler.complete([9], 2)


def test_a_planned_job_cannot_complete() -> None:
    scheduler = OnlineScheduler("mris", Machines.identical(1, [1]), gamma0=1, knapsack="greedy")
    scheduler.submit(Jobs([1.0, 1.0], [[1], [1]]), 0)
    scheduler.advance(0)
    assert [row.id for row in scheduler.advance(1).plan] == [1]
    with changes_nothing(scheduler, InvalidInstanceError, "job 1 cannot complete"):
        scheduler.complete([1], 2)


def test_time_never_runs_backwards() -> None:
    scheduler = pq_with_two_running_and_one_waiting()
    for call in (
        lambda: scheduler.submit(ONE, 0.5),
        lambda: scheduler.submit(ONE[:0], 0.5),
        lambda: scheduler.complete([0], 0.5),
        lambda: scheduler.complete([], 0.5),
        lambda: scheduler.advance(0.5),
    ):
        with changes_nothing(scheduler, InvalidInstanceError, "backwards"):
            call()


@pytest.mark.parametrize("now", [-1.0, float("nan"), float("inf"), float("-inf")])
def test_an_instant_is_a_finite_non_negative_time(now: float) -> None:
    scheduler = pq_with_two_running_and_one_waiting()
    for call in (
        lambda: scheduler.submit(ONE, now),
        lambda: scheduler.complete([0], now),
        lambda: scheduler.advance(now),
    ):
        with changes_nothing(scheduler, InvalidInstanceError, "now = "):
            call()


def test_records_come_in_order_of_time() -> None:
    scheduler = pq_with_two_running_and_one_waiting()
    scheduler.complete([0], 2)
    scheduler.submit(ONE, 4)
    for call in (
        lambda: scheduler.submit(ONE, 3),
        lambda: scheduler.submit(ONE[:0], 3),
        lambda: scheduler.complete([1], 3),
    ):
        with changes_nothing(
            scheduler, InvalidInstanceError, "now = 3 lies before 4, the instant of the latest"
        ):
            call()
    scheduler.complete([1], 4)
    scheduler.advance(4)
    with changes_nothing(
        scheduler, InvalidInstanceError, "now = 3 lies before 4, the instant of the last decision"
    ):
        scheduler.submit(ONE, 3)


def test_calls_without_records_fix_no_instant() -> None:
    scheduler = pq_with_two_running_and_one_waiting()
    scheduler.complete([], 2)
    assert scheduler.submit(ONE[:0], 2.5).tolist() == []
    scheduler.advance(3)
    assert scheduler.now == 3


def test_ids_are_unique_among_the_jobs_that_the_scheduler_knows() -> None:
    scheduler = pq_with_two_running_and_one_waiting()
    two = Jobs([1.0, 1.0], [[1, 0], [1, 0]])
    for ids, culprit in (([5, 5], 5), ([5, 0], 0), ([2, 5], 2)):
        with changes_nothing(scheduler, InvalidInstanceError, f"job {culprit} was submitted already"):
            scheduler.submit(two, 2, ids=ids)
    scheduler.submit(ONE, 2, ids=[5])
    with changes_nothing(scheduler, InvalidInstanceError, "job 5 was submitted already"):
        scheduler.submit(ONE, 2, ids=[5])
    # a completion that is recorded and not applied yet does not free its id
    scheduler.complete([0], 2)
    with changes_nothing(scheduler, InvalidInstanceError, "job 0 was submitted already"):
        scheduler.submit(ONE, 2, ids=[0])


def test_ids_are_non_negative_integers() -> None:
    scheduler = pq_with_two_running_and_one_waiting()
    for ids in ([-1], [2**63 - 1], [2**63], [2**64], [1.0], ["a"], [[1]], [1, 2], [], [True]):
        with changes_nothing(scheduler, InvalidInstanceError, "id"):
            scheduler.submit(ONE, 2, ids=ids)
    assert scheduler.submit(ONE, 2, ids=[LARGEST_ID]).tolist() == [LARGEST_ID]
    # the running number has come to its end
    with changes_nothing(scheduler, InvalidInstanceError, "id"):
        scheduler.submit(Jobs([1.0, 1.0], [[1, 0], [1, 0]]), 2)


def test_default_ids_run_on_behind_the_largest_id_seen() -> None:
    scheduler = OnlineScheduler("pq", MACHINES)
    assert scheduler.submit(THREE, 0).tolist() == [0, 1, 2]
    assert scheduler.submit(ONE, 0, ids=np.array([40], dtype=np.uint8)).tolist() == [40]
    assert scheduler.submit(THREE, 0).tolist() == [41, 42, 43]


@pytest.mark.parametrize(
    ("jobs", "error", "match"),
    [
        (Jobs([1.0, 1.0], [[1, 1], [1, 1]], weight=[1, 0]), InvalidInstanceError, "weight of job 8 is 0"),
        (Jobs([1.0, 1.0], [[1, 1], [0, 0]]), InvalidInstanceError, "job 8 demands nothing"),
        (Jobs([1.0, 1.0], [[1, 1], [1, 5]]), InfeasibleError, r"no machine can run job 8"),
        (Jobs([1.0, 1e-18], [[1, 1], [1, 1]]), InvalidInstanceError, "processing_time of job 8"),
        (Jobs([1.0, 1.0], [[1], [1]]), InvalidInstanceError, "resources"),
        (Jobs([1.0, 1.0], [[1, 1, 0], [1, 1, 0]]), InvalidInstanceError, "resources"),
    ],
    ids=[
        "zero weight",
        "no demand",
        "demand above capacity",
        "start + p == start",
        "R too small",
        "R too large",
    ],
)
@pytest.mark.parametrize(
    ("policy", "options"),
    [
        ("pq", {}),
        ("tetris", {}),
        ("bf_exec", {}),
        ("mris", {"gamma0": 1e-20}),
        ("ca_pq", {"last_release_time": 9}),
    ],
)
def test_a_job_that_the_policy_cannot_take_is_refused_with_its_call(
    policy: str, options: dict[str, Any], jobs: Jobs, error: type[Exception], match: str
) -> None:
    scheduler = OnlineScheduler(policy, MACHINES, **options)
    scheduler.submit(THREE, 3)
    scheduler.advance(3)
    with changes_nothing(scheduler, error, match):
        scheduler.submit(jobs, 4, ids=[7, 8])
    assert scheduler.submit(jobs[:1], 4, ids=[7]).tolist() == [7] if jobs.n_resources == 2 else True


@pytest.mark.parametrize(("now", "least"), [(0.0, 2.0**-21), (2.0**31, 2.0**-21), (2.0**41, 2.0**-11)])
@pytest.mark.parametrize("policy", ["pq", "easy", "conservative"])
def test_a_job_whose_end_could_not_be_told_from_a_late_start_is_refused(
    policy: str, now: float, least: float
) -> None:
    # Taken, it would make every decision fail from the instant on at which it could start.
    scheduler = OnlineScheduler(policy, Machines.identical(1, [4, 4]))
    scheduler.submit(Jobs([1.0], [[4, 4]]), now, ids=[1])
    assert scheduler.advance(now).starts.id.tolist() == [1]
    with changes_nothing(scheduler, InvalidInstanceError, "too short for a job that may have to wait"):
        scheduler.submit(Jobs([least], [[1, 1]]), now, ids=[7])
    scheduler.submit(Jobs([least * 1.5], [[1, 1]]), now, ids=[7])
    late = max(2 * now, 2.0**32)
    scheduler.complete([1], late)
    assert scheduler.advance(late).starts.id.tolist() == [7]


@pytest.mark.parametrize("replan", [False, True, "always"])
def test_mris_refuses_jobs_shorter_than_its_first_interval(replan: bool | str) -> None:
    scheduler = OnlineScheduler("mris", MACHINES, gamma0=2, replan=replan)
    scheduler.submit(Jobs([2.0], [[1, 1]]), 0)
    with changes_nothing(
        scheduler, InvalidInstanceError, "processing_time of job 1 is 1.5, below gamma0 = 2"
    ):
        scheduler.submit(Jobs([1.5], [[1, 1]]), 0)


@pytest.mark.parametrize("last_release_time", [0, 5])
def test_ca_pq_refuses_jobs_after_the_last_release(last_release_time: float) -> None:
    scheduler = OnlineScheduler("ca_pq", MACHINES, last_release_time=last_release_time)
    scheduler.submit(ONE, last_release_time)
    scheduler.advance(last_release_time)
    with changes_nothing(scheduler, InvalidInstanceError, "job 1 arrives at 6, after last_release_time"):
        scheduler.submit(ONE, 6)


@pytest.mark.parametrize("last_release_time", [None, -1, float("nan"), float("inf")])
def test_ca_pq_must_be_told_the_last_release(last_release_time: float | None) -> None:
    with pytest.raises(InvalidInstanceError, match="last_release_time"):
        OnlineScheduler("ca_pq", MACHINES, last_release_time=last_release_time)
    with pytest.raises(InvalidInstanceError, match="last_release_time"):
        OnlineScheduler("ca_pq", MACHINES)


@pytest.mark.parametrize(
    ("policy", "options", "message"),
    [
        ("mris", {"gamma0": True}, "gamma0 must be a number, not True"),
        ("mris", {"gamma0": Decimal(1)}, "gamma0 must be a number"),
        ("mris", {"gamma0": 10**400}, r"gamma0 = 100000000000\.\.\. \(401 characters\) must be finite"),
        (
            "mris",
            {"gamma0": 1, "origin": 10**400},
            r"origin = 100000000000\.\.\. \(401 characters\) must be finite",
        ),
        ("mris", {"gamma0": 1, "origin": True}, "origin must be a time or 'busy', not True"),
        ("mris", {"gamma0": 1, "opportunistic": "yes"}, "opportunistic = 'yes' must be True or False"),
        ("mris", {"gamma0": 1, "replan": 2}, "replan = 2 must be True, False or 'always'"),
        ("mris", {"gamma0": 1, "replan": None}, "replan = None must be True, False or 'always'"),
        ("mris", {"gamma0": 1, "patience": "2"}, "patience must be a number, not '2'"),
        ("mris", {"gamma0": 1, "memory_limit": 1.5}, "memory_limit must be an integer, not 1.5"),
        ("mris", {"gamma0": 1, "memory_limit": 2**70}, "memory_limit = 1180591620717411303424 must be"),
        ("ca_pq", {"last_release_time": "3"}, "last_release_time must be a time, not '3'"),
        ("easy", {"interval": Decimal(3)}, "interval = Decimal\\('3'\\) must be a number"),
        ("conservative", {"window": -(10**400)}, "window = -1000"),
    ],
)
def test_an_option_of_the_wrong_kind_is_refused_by_name(
    policy: str, options: dict[str, Any], message: str
) -> None:
    with pytest.raises((InvalidInstanceError, TypeError), match=message):
        OnlineScheduler(policy, MACHINES, **options)


@pytest.mark.parametrize("now", ["3", b"3", True, np.True_, None, np.ma.masked, 1j])
def test_an_instant_is_a_number(now: Any) -> None:
    scheduler = OnlineScheduler("pq", MACHINES)
    for call in (
        scheduler.advance,
        lambda now: scheduler.submit(ONE, now),
        lambda now: scheduler.complete([], now),
    ):
        with pytest.raises(TypeError):
            call(now)
    with pytest.raises(InvalidInstanceError, match="now = inf"):
        scheduler.advance(10**400)


@pytest.mark.parametrize("gamma0", [None, 0, -1, float("nan"), float("inf")])
def test_mris_must_be_told_its_first_interval(gamma0: float | None) -> None:
    with pytest.raises(InvalidInstanceError, match="gamma0"):
        OnlineScheduler("mris", MACHINES, gamma0=gamma0)
    with pytest.raises(InvalidInstanceError, match="gamma0"):
        OnlineScheduler("mris", MACHINES)


def test_an_algorithm_that_needs_the_whole_workload_has_no_embedded_form() -> None:
    with pytest.raises(UnsupportedError, match="'offline_pq' has no embedded form"):
        OnlineScheduler("offline_pq", MACHINES)


def test_unknown_names_are_answered_with_the_close_matches() -> None:
    with pytest.raises(InvalidInstanceError, match="'mris'"):
        OnlineScheduler("mirs", MACHINES)
    with pytest.raises(InvalidInstanceError, match="'gamma0'"):
        OnlineScheduler("mris", MACHINES, gama0=1)
    with pytest.raises(InvalidInstanceError, match="'last_release_time'"):
        OnlineScheduler("ca_pq", MACHINES, last_release=1)
    with pytest.raises(InvalidInstanceError, match="last_release_time"):
        OnlineScheduler("pq", MACHINES, last_release_time=1)


def test_a_key_that_is_an_array_cannot_know_later_jobs() -> None:
    for policy, options in (("pq", {}), ("ca_pq", {"last_release_time": 1}), ("mris", {"gamma0": 1})):
        with pytest.raises(UnsupportedError, match="array"):
            OnlineScheduler(policy, MACHINES, heuristic=np.array([1.0]), **options)


def nan_for_long_jobs(jobs: Jobs) -> Any:
    return np.where(jobs.processing_time > 3, np.nan, jobs.processing_time)


def fails_on_long_jobs(jobs: Jobs) -> Any:
    if (jobs.processing_time > 3).any():
        raise ZeroDivisionError("no key for long jobs")
    return jobs.processing_time


@pytest.mark.parametrize("heuristic", [nan_for_long_jobs, fails_on_long_jobs])
def test_a_failing_key_names_the_job_and_changes_nothing(heuristic: Any) -> None:
    scheduler = OnlineScheduler("pq", MACHINES, heuristic=heuristic)
    with changes_nothing(scheduler, PolicyError, "job 12"):
        scheduler.submit(THREE, 0, ids=[10, 11, 12])
    scheduler.submit(THREE[:2], 0)
    with changes_nothing(scheduler, PolicyError, "job 2"):
        scheduler.submit(THREE[2:], 0)


def test_a_failing_key_is_chained_to_its_cause() -> None:
    scheduler = OnlineScheduler("pq", MACHINES, heuristic=fails_on_long_jobs)
    with pytest.raises(PolicyError) as caught:
        scheduler.submit(THREE, 0)
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


def test_a_key_over_the_columns_sees_the_instant_as_release_time_and_orders_the_jobs() -> None:
    seen: list[list[float]] = []

    def longest_first(jobs: Jobs) -> Any:
        seen.append(jobs.release_time.tolist())
        return -jobs.processing_time

    scheduler = OnlineScheduler("pq", Machines.identical(1, [4, 4]), heuristic=longest_first)
    scheduler.submit(THREE, 5)
    assert [start.id for start in scheduler.advance(5).starts] == [2]
    assert seen == [[5.0, 5.0, 5.0]]


def test_a_failed_decision_changes_nothing_and_fails_again() -> None:
    # 40 jobs with different weights, more than fit: the exact knapsack needs more than 64 bytes
    scheduler = OnlineScheduler(
        "mris", Machines.identical(1, [10]), gamma0=64, knapsack="exact", memory_limit=64
    )
    n = 40
    jobs = Jobs(np.full(n, 64.0), np.arange(n).reshape(n, 1) % 5 + 1, weight=np.arange(n) * 7 % 41 + 1.0)
    scheduler.submit(jobs, 0)
    last = scheduler.advance(0)
    scheduler.submit(ONE_UNIT, 64)
    for _ in range(2):
        with changes_nothing(scheduler, UnsupportedError, "bytes"):
            scheduler.advance(64)
        assert (scheduler.now, scheduler.recorded_instant) == (0, 64)
        assert (scheduler.n_waiting, scheduler.n_running) == (n, 0)
        assert scheduler.last_decision == last
    scheduler.complete([], 64)
    scheduler.submit(ONE_UNIT, 65)
    with changes_nothing(scheduler, InvalidInstanceError, "latest record"):
        scheduler.submit(ONE_UNIT, 64)


def test_an_advance_over_several_instants_fails_as_a_whole() -> None:
    # The decision at 4 starts one job; the one at 64, which the same call would make, needs too much memory.
    scheduler = OnlineScheduler(
        "mris", Machines.identical(1, [10]), gamma0=4, origin=0, knapsack="exact", memory_limit=64
    )
    n = 40
    scheduler.submit(Jobs([4.0], [[1]]), 4)
    late = Jobs(np.full(n, 64.0), np.arange(n).reshape(n, 1) % 5 + 1, weight=np.arange(n) * 7 % 41 + 1.0)
    scheduler.submit(late, 40)
    with changes_nothing(scheduler, UnsupportedError, "bytes"):
        scheduler.advance(70)
    assert (scheduler.now, scheduler.recorded_instant, scheduler.n_waiting) == (0, 4, 0)
    assert [tuple(start) for start in scheduler.advance(39).starts] == [(0, 0, 4.0)]
    assert (scheduler.now, scheduler.recorded_instant, scheduler.n_running) == (39, 40, 1)


def test_an_instant_at_which_waiting_jobs_could_not_start_is_not_recorded() -> None:
    scheduler = OnlineScheduler("easy", Machines.identical(1, [4]))
    scheduler.submit(Jobs([10.0, 10.0], [[4], [4]]), 0)
    scheduler.advance(0)
    message = (
        "now = 1.8e+18, where the clock is too coarse for job 1, which waits with a processing_time of 10"
    )
    for record in (
        lambda now: scheduler.complete([0], now),
        lambda now: scheduler.cancel([0], now),
        lambda now: scheduler.requeue([0], now),
        lambda now: scheduler.add_machines(Machines([[4]]), now),
        lambda now: scheduler.event(now, completed=[0]),
    ):
        with changes_nothing(scheduler, InvalidInstanceError, re.escape(message)):
            record(1.8e18)
    scheduler.complete([0], 20)
    assert [tuple(start) for start in scheduler.advance(20).starts] == [(1, 0, 20.0)]
    scheduler.complete([1], 1.8e18)
    assert scheduler.advance(1.8e18).next_wakeup == float("inf")
    unsent = OnlineScheduler("easy", Machines.identical(1, [4]))
    unsent.submit(Jobs([10.0], [[4]]), 0)
    with changes_nothing(unsent, InvalidInstanceError, "too coarse for job 0"):
        unsent.add_machines(Machines([[4]]), 1.8e18)


def test_a_constraint_that_nothing_satisfies_is_named() -> None:
    scheduler = OnlineScheduler("easy", Machines([[4]], labels=[{"cpu"}]))
    with changes_nothing(scheduler, InfeasibleError, r"0 fit the empty cluster \(constraint 'tpu'\)"):
        scheduler.submit(Jobs([1.0], [[1]], constraint=["tpu"]), 0)
    for written, said in [
        ("!cpu", "!cpu"),
        ("!(cpu & x)&cpu&x", "!(x&cpu)&cpu&x"),
        ("(tpu|gpu)&cpu", "(gpu|tpu)&cpu"),
        ("cpu&!(gpu|cpu)|tpu", "!(cpu|gpu)&cpu|tpu"),
        ("!!(tpu)", "!!tpu"),
    ]:
        with changes_nothing(scheduler, InfeasibleError, re.escape(f"(constraint '{said}')")):
            scheduler.submit(Jobs([1.0], [[1]], constraint=[written]), 0)
