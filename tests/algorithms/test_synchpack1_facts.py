"""What the proof of SynchPack-1 promises of all fractions that respect the program, and the choice of lambda.

Progress of tasks is followed in rational numbers, apart from the kernels.
"""

from fractions import Fraction
from typing import Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import schedcore
from algorithms.fraction_instances import UNIT, Drawn, drawn_fractions
from example_shares import examples
from schedcore import _core, synchpack1
from schedcore.model.kernel_columns import kernel_columns

CAPS: st.SearchStrategy[Literal["task", "machine"]] = st.sampled_from(["task", "machine"])


class Progress:
    """Which share of every task is done when in the schedule of the fractions, in rational numbers."""

    def __init__(self, case: Drawn) -> None:
        inst = case.instance
        rows = np.array(case.rows, dtype=np.int64)
        task = inst.task_start[rows[:, 0]] + rows[:, 1]
        machine, interval, units = rows.T[2:].copy()
        made = _core.parallel_tasks.FractionSchedule(
            kernel_columns(inst), task, machine, interval, units, len(case.ends), None
        )
        times = {
            (int(t), int(i)): int(p)
            for t, i, p in zip(inst.placement_task, inst.placement_machine, inst.placement_time, strict=True)
        }
        self.job = inst.task_job.tolist()
        self.weight = inst.weight.tolist()
        self.tau = [Fraction(t, UNIT) for t in made.tau().tolist()]
        self.steps: list[list[tuple[Fraction, Fraction, int]]] = [[] for _ in self.job]
        for f, start, end in zip(*(column.tolist() for column in made.pieces()), strict=True):
            own = int(task[f])
            self.steps[own].append((Fraction(start, UNIT), Fraction(end, UNIT), times[own, case.rows[f][2]]))

    def share_at(self, task: int, time: Fraction) -> Fraction:
        return sum((max(Fraction(0), min(time, e) - s) / p for s, e, p in self.steps[task]), Fraction(0))

    def job_share_at(self, job: int, time: Fraction) -> Fraction:
        return min(self.share_at(t, time) for t, own in enumerate(self.job) if own == job)

    def job_reaches(self, job: int, share: Fraction) -> Fraction:
        return max(self._reaches(t, share) for t, own in enumerate(self.job) if own == job)

    def _reaches(self, task: int, share: Fraction) -> Fraction:
        done = Fraction(0)
        for start, end, time in self.steps[task]:
            if done + (end - start) / time >= share:
                return start + (share - done) * time
            done += (end - start) / time
        raise AssertionError

    def value(self, lam: Fraction) -> Fraction:
        return sum(
            (Fraction(w) * self.job_reaches(j, lam) / lam for j, w in enumerate(self.weight)), Fraction(0)
        )

    def best_lambda(self) -> Fraction:
        shares = {self.job_share_at(j, t) for j in range(len(self.weight)) for t in self.tau} - {Fraction(0)}
        return min(shares | {Fraction(1)}, key=lambda lam: (self.value(lam), -lam))


@examples(150)
@given(drawn_fractions())
def test_the_chosen_lambda_is_that_of_exact_arithmetic(case: Drawn) -> None:
    exact = Progress(case)
    best = exact.best_lambda()
    result = synchpack1(case.instance, lp_solution=case.rows, shift=False)
    assert result.stats["lambda"] == pytest.approx(float(best), rel=1e-14)
    assert result.value == pytest.approx(float(exact.value(best)), rel=1e-12)
    assert result.stats["tau"].tolist() == [float(t) for t in exact.tau]


@examples(100)
@given(
    drawn_fractions(),
    st.sampled_from([1.0, 0.75, 0.5, 1 / 3, 0.2, 0.9]),
    st.sampled_from(["task", "machine"]),
)
def test_schedules_are_feasible_jobs_complete_in_time_and_the_shift_delays_none(
    case: Drawn, lam: float, cap: Literal["task", "machine"]
) -> None:
    plain, shifted = (
        synchpack1(case.instance, lp_solution=case.rows, lam=lam, cap=cap, shift=shift)
        for shift in (False, True)
    )
    for result in (plain, shifted):
        assert schedcore.validate(case.instance, result.schedule, kind="migrate").ok
    assert plain.completion_time is not None
    assert shifted.completion_time is not None
    assert (shifted.completion_time <= plain.completion_time).all()
    if cap == "task":
        exact = Progress(case)
        expected = [
            float(exact.job_reaches(j, Fraction(lam)) / Fraction(lam)) for j in range(case.instance.n_jobs)
        ]
        assert plain.completion_time == pytest.approx(expected, rel=1e-12)


@examples(100)
@given(st.booleans().flatmap(lambda one: drawn_fractions(one_machine=one)))
def test_what_the_proof_says_of_fractions_that_respect_the_program(case: Drawn) -> None:
    exact = Progress(case)
    inst = case.instance
    factor = 2 if inst.single_machine else 3
    assert all(t <= factor * d for t, d in zip(exact.tau, case.ends, strict=True))
    result = synchpack1(inst, lp_solution=case.rows, shift=False)
    done = np.zeros((inst.n_tasks, len(case.ends)), dtype=np.int64)
    for j, k, _, interval, units in case.rows:
        done[inst.task_start[j] + k, interval:] += units
    done[:, 0] = 0  # no job counts as complete in interval 0
    for job in range(inst.n_jobs):
        own = inst.task_job == job
        shares = [exact.job_share_at(job, t) for t in exact.tau]
        assert all(
            share >= Fraction(int(f), UNIT) for share, f in zip(shares, done[own].min(axis=0), strict=True)
        )
        steps = [t * (b - a) for t, a, b in zip(exact.tau, [Fraction(0), *shares], shares, strict=False)]
        assert sum(steps) <= 2 * factor * Fraction(result.stats["lp_completion"][job]) * (
            1 + Fraction(1, 10**12)
        )
    # 2 factor (1 + epsilon) = 8 or 12 times what the fractions cost in the program
    assert result.value <= 4 * factor * (inst.weight @ result.stats["lp_completion"]) * (1 + 1e-12)


@examples(50)
@given(drawn_fractions(n_resources=2), st.booleans())
def test_several_resources_are_packed_each_on_its_own_and_nothing_is_guaranteed(
    case: Drawn, shift: bool
) -> None:
    result = synchpack1(case.instance, shift=shift)
    assert schedcore.validate(case.instance, result.schedule, kind="migrate").ok
    assert result.guarantee is None
    assert result.lower_bound is not None
    assert result.value >= result.lower_bound
