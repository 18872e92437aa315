"""MRIS after a job has ended before its processing time: no work waits beside idle machines unless the proof needs it.

While every job ends on time, decisions are those of `solve` (see test_online_scheduler.py).
"""

import heapq
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import schedcore
from engine.event_driver import Driver, embedded_options
from engine.policy_cases import crowded
from example_shares import examples
from schedcore import Decision

Options = dict[str, Any]
PLANS: list[Options] = [
    {},
    {"opportunistic": True},
    {"placement": "nobackfill"},
    {"placement": "list"},
    {"replan": True},
    {"opportunistic": True, "replan": True},
]
NO_PLAN: list[Options] = [{"replan": "always"}, {"opportunistic": True, "replan": "always"}]
early_factors = st.lists(st.sampled_from([0.0625, 0.25, 0.5, 1.0]), min_size=1, max_size=7)


def form_name(form: Options) -> str:
    return "-".join(f"{key}={value}" for key, value in form.items()) or "plain"


@dataclass
class IdleWatch(Driver):
    """Checks after every decision that nothing waits while nothing runs, once a job has ended early.

    With busy periods this counts from the beginning of the period.
    """

    forgets: bool = False
    longest_that_must_wait: float = 0.0  # in units of the present interval; 0: nothing may wait
    origin: float = 0.0
    gamma0: float = 1.0
    ended_early: bool = False

    def event(self, now: float) -> None:
        ended = [j for j, end in self._ends.items() if end == now]
        promised = self.instance.jobs.processing_time
        self.ended_early |= any(now < self.start_time[j] + promised[j] for j in ended)
        is_empty = len(ended) == self.scheduler.n_running and self.scheduler.n_waiting == 0
        if self.forgets and is_empty and self._to_come and self._release[self._to_come[-1]] == now:
            self.origin, self.ended_early = now, False
        super().event(now)

    def _account(self, now: float, decision: Decision) -> None:
        super()._account(now, decision)
        if not self.ended_early or self._ends:
            return
        interval = self.gamma0
        while self.origin + 2 * interval <= now:
            interval *= 2
        for j, start in enumerate(self.start_time):
            if start < 0 and j not in self._to_come:
                assert self.longest_that_must_wait > 0, f"job {j} waits while nothing runs"
                assert self.instance.jobs.processing_time[j] > self.longest_that_must_wait * interval * (
                    1 - 1e-9
                )


def watched(
    instance: schedcore.Instance, options: Options, factor: list[float], longest: float = 0.0
) -> IdleWatch:
    given_options = embedded_options("mris", instance, options)
    duration = [p * factor[j % len(factor)] for j, p in enumerate(instance.jobs.processing_time.tolist())]
    watch = IdleWatch(
        schedcore.OnlineScheduler("mris", instance.machines, **given_options),
        instance,
        duration=duration,
        forgets=options.get("origin") == "busy",
        longest_that_must_wait=longest,
        gamma0=float(given_options["gamma0"]),  # type: ignore[arg-type]
    )
    watch.run()
    return watch


@pytest.mark.parametrize("form", [*PLANS, NO_PLAN[0]], ids=form_name)
@examples(60)
@given(instance=crowded(), factor=early_factors, origin=st.sampled_from([0.0, "busy"]))
def test_nothing_waits_while_nothing_runs_after_an_early_end(
    form: Options, instance: schedcore.Instance, factor: list[float], origin: float | str
) -> None:
    watched(instance, {**form, "origin": origin}, factor)


@examples(100)
@given(instance=crowded(), factor=early_factors, origin=st.sampled_from([0.0, "busy"]))
def test_without_a_plan_only_jobs_too_long_for_the_proof_wait_while_nothing_runs_after_an_early_end(
    instance: schedcore.Instance, factor: list[float], origin: float | str
) -> None:
    guarantee = schedcore.solve("mris", instance).guarantee
    assert guarantee is not None
    form = {**NO_PLAN[1], "origin": origin, "patience": 0.5, "heuristic": "svf"}
    watched(instance, form, factor, longest=guarantee / 2 - 2)  # 2c - 2


def played(policy: str, options: Options, now: float) -> tuple[float, float]:
    """400 jobs that end at 2 % of their processing times, submitted at `now`: first start and last end since then."""
    draw = np.random.default_rng(17)
    length = draw.integers(300, 800, 400).astype(float)
    jobs = schedcore.Jobs(length, draw.integers(3, 11, (400, 1)), weight=draw.integers(1, 10, 400))
    scheduler = schedcore.OnlineScheduler(policy, schedcore.Machines.identical(4, [10]), **options)
    scheduler.submit(jobs, now)
    begin, first, last = now, np.inf, now
    ends: list[tuple[float, int]] = []
    n_started = 0
    while n_started < 400 or ends:
        ended = []
        while ends and ends[0][0] == now:
            ended.append(heapq.heappop(ends)[1])
        scheduler.complete(ended, now)
        decision = scheduler.advance(now)
        n_started += len(decision.starts)
        for job, _, start in decision.starts:
            first, last = min(first, start), max(last, start + 0.02 * length[job])
            heapq.heappush(ends, (start + 0.02 * length[job], job))
        now = min([decision.next_wakeup, *(end for end, _ in ends[:1])])
    return first - begin, last - begin


@pytest.mark.parametrize("now", [0.0, 1.76e9])
@pytest.mark.parametrize("form", [*PLANS, *NO_PLAN], ids=form_name)
def test_jobs_much_shorter_than_announced_end_about_as_early_as_with_pq(form: Options, now: float) -> None:
    _, by_pq = played("pq", {}, now)
    first, last = played("mris", {**form, "gamma0": 300.0}, now)
    most_waste = 0.05 if form == NO_PLAN[1] else 0.8
    assert last <= first + (1 + most_waste) * by_pq
