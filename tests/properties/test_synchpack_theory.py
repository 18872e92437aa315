"""The steps of the proofs of SynchPack-1, -2 and -3, on solutions that the library found for its linear programs.

The schedules between the steps are those of the references, which tests/differential holds against the library. The
programs leave rows violated by up to about 1e-6 of their size, and so may the bounds be.
"""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import schedcore
from example_shares import examples
from parallel_task_cases import parallel_tasks
from properties.parallel_task_instances import (
    parallel_task_instances,
    plain,
    solution_rows,
    tiny_instances,
)
from reference import parallel_tasks_synchpack1 as reference1
from reference import parallel_tasks_synchpack2 as reference2
from reference.parallel_tasks_fractions import (
    UNIT,
    Share,
    done_by,
    interval_ends,
    jobs_in,
    lp_completion,
    progress,
)
from reference.parallel_tasks_instance import PlainTasks
from reference.parallel_tasks_optimum import slot_optimum
from reference.parallel_tasks_programs import interval_program, order_program
from reference.parallel_tasks_synchpack3 import synchpack3
from schedcore.bounds.parallel_tasks import relaxation_bound, solve_interval_program, solve_order_program

Instance = schedcore.ParallelTaskInstance

SLACK = 1 + Fraction(1, 100_000)
EPSILONS = st.sampled_from([Fraction(1), Fraction(1, 2), Fraction(1, 10)])
instances = parallel_task_instances(min_jobs=1)


def shares_found(
    instance: Instance, epsilon: Fraction = Fraction(1), *, doubling: bool = False
) -> list[Share]:
    fractions = solve_interval_program(instance, epsilon=epsilon, doubling=doubling).fractions
    assert fractions is not None
    columns = (fractions.interval, fractions.task, fractions.machine, fractions.units)
    return sorted(Share(*row) for row in zip(*(column.tolist() for column in columns), strict=True))


# The programs


@examples(25)
@given(instance=instances, epsilon=EPSILONS)
def test_the_first_program_has_the_value_of_its_definition(instance: Instance, epsilon: Fraction) -> None:
    bound = solve_interval_program(instance, epsilon=epsilon).bound
    assert bound == pytest.approx(interval_program(plain(instance), epsilon)[0], rel=1e-6, abs=1e-6)


@examples(25)
@given(instance=instances)
def test_the_second_program_has_the_value_of_its_definition(instance: Instance) -> None:
    bound = solve_interval_program(instance, doubling=True).bound
    assert bound == pytest.approx(interval_program(plain(instance), doubling=True)[0], rel=1e-6, abs=1e-6)


@examples(25)
@given(
    instance=parallel_task_instances(min_jobs=1, max_jobs=5, single_machine=True), all_machines=st.booleans()
)
def test_the_third_program_has_the_value_of_its_definition(instance: Instance, all_machines: bool) -> None:
    solution = solve_order_program(instance, all_machines=all_machines)
    value, _ = order_program(plain(instance), all_machines=all_machines)
    assert solution.bound == pytest.approx(value, rel=1e-6)


@examples(15)
@given(instance=instances.filter(lambda drawn: not drawn.single_machine), doubling=st.booleans())
def test_programs_that_begin_with_few_machines_prove_as_much(instance: Instance, doubling: bool) -> None:
    everything = solve_interval_program(instance, doubling=doubling).bound
    few = solve_interval_program(instance, doubling=doubling, machines_per_task=1).bound
    assert few == pytest.approx(everything, rel=1e-5, abs=1e-6)


@examples(25)
@given(instance=tiny_instances(min_jobs=1, most_tasks=3))
def test_programs_and_optima_are_ordered(instance: Instance) -> None:
    jobs = plain(instance)
    migrate, preempt, nonpreempt = (
        float(slot_optimum(jobs, kind, slots=2)) for kind in ("migrate", "preempt", "nonpreempt")
    )
    assert solve_interval_program(instance).bound <= migrate * (1 + 1e-9)
    assert solve_interval_program(instance, doubling=True).bound <= preempt * (1 + 1e-9)
    assert migrate <= preempt <= nonpreempt
    if instance.single_machine:
        few = solve_order_program(instance).bound
        every = solve_order_program(instance, all_machines=True).bound
        assert few <= every * (1 + 1e-6)
        assert every <= preempt * (1 + 1e-9)


@examples(25)
@given(
    instance=tiny_instances(min_jobs=1, most_tasks=3, releases=("whole",), max_resources=2), data=st.data()
)
def test_bounds_with_release_times_stay_below_the_best_schedule(
    instance: Instance, data: st.DataObject
) -> None:
    programs = ["auto", "lp1", "lp2", *(["lp3"] if instance.single_machine else [])]
    program = data.draw(st.sampled_from(programs))
    kind = "migrate" if program == "lp1" else "preempt"
    best = float(slot_optimum(plain(instance), kind, slots=2))
    assert 0 <= relaxation_bound(instance, program=program) <= best * (1 + 1e-9)


# SynchPack-1: property 3 of the specification


@examples(20)
@given(instance=instances, epsilon=EPSILONS)
def test_fractions_end_within_three_times_their_intervals(instance: Instance, epsilon: Fraction) -> None:
    jobs = plain(instance)
    ends = interval_ends(jobs.horizon(), epsilon)
    shares = shares_found(instance, epsilon)
    runs = reference1.greedy_runs(jobs, shares)
    tau = reference1.interval_completions(runs, len(ends))
    one_machine = all(len(task.time) == 1 for task in jobs.tasks)
    for reached, end in zip(tau, ends, strict=True):
        assert Fraction(reached, UNIT) <= (2 if one_machine else 3) * end * SLACK
    completion = lp_completion(jobs, shares, ends)
    for job in range(jobs.n_jobs):
        alpha = [
            min(reference1.done_at(jobs, runs, t, reached) for t in jobs.tasks_of(job)) for reached in tau
        ]
        assert all(alpha[q] * UNIT >= progress(jobs, shares, job, q) for q in range(len(ends)))
        steps = np.diff([Fraction(0), *alpha])
        spent = sum((t * step for t, step in zip(tau, steps, strict=True)), Fraction(0)) / UNIT
        assert spent <= 3 * (1 + epsilon) * completion[job] * SLACK


@examples(20)
@given(instance=instances, epsilon=EPSILONS, lam=st.sampled_from([None, Fraction(1, 2), Fraction(1, 3)]))
def test_slow_motion_completes_jobs_at_their_stretched_time(
    instance: Instance, epsilon: Fraction, lam: Fraction | None
) -> None:
    jobs = plain(instance)
    ends = interval_ends(jobs.horizon(), epsilon)
    shares = shares_found(instance, epsilon)
    runs = reference1.greedy_runs(jobs, shares)
    reference = reference1.synchpack1(jobs, shares, len(ends), lam=lam or "derand", shift=False)
    stretched = [
        reference1.completion_at(jobs, runs, j, reference.lam) / reference.lam / UNIT
        for j in range(jobs.n_jobs)
    ]
    assert jobs.completion_times(reference.pieces) == stretched
    if lam is None:
        program = sum(
            (w * c for w, c in zip(jobs.weight, lp_completion(jobs, shares, ends).values(), strict=True)),
            Fraction(0),
        )
        factor = 4 if all(len(task.time) == 1 for task in jobs.tasks) else 6
        assert jobs.weighted_completion_time(reference.pieces) <= factor * (1 + epsilon) * program * SLACK


# SynchPack-2: property 4


@examples(30)
@given(
    instance=instances,
    lam=st.sampled_from([None, Fraction(1), Fraction(1, 2), Fraction(1, 5), Fraction(9, 10)]),
)
def test_batches_fill_their_intervals_as_proved(instance: Instance, lam: Fraction | None) -> None:
    jobs = plain(instance)
    shares = shares_found(instance, doubling=True)
    speed = reference2.best_lambda(jobs, shares) if lam is None else lam
    slowed = reference2.slow_motion(shares, speed)
    copy_of = reference2.matching(reference2.mapping(jobs, slowed))
    assert sorted(copy_of) == list(range(len(jobs.tasks)))
    for t, i, interval in slowed:
        assert interval <= max(1, reference2.interval_of_job(jobs, shares, jobs.tasks[t].job, speed)), (t, i)
    machine_of = {t: copy.machine for t, copy in copy_of.items()}
    interval_of = {t: copy.interval for t, copy in copy_of.items()}
    pieces = reference2.batches(jobs, machine_of, interval_of, sorted(copy_of))
    for i, interval in {(copy.machine, copy.interval) for copy in copy_of.values()}:
        end, capacity = 2**interval, jobs.capacity[i][0]
        batch = [p for p in pieces if p.machine == i and interval_of[p.task] == interval]
        assert all(jobs.tasks[p.task].time[i] <= end for p in batch)
        volume = sum(area(jobs, p.task, i) for p in batch)
        spread = sum(
            (part * area(jobs, t, i) for (t, m, q), part in slowed.items() if (m, q) == (i, interval)),
            Fraction(0),
        )
        assert volume <= capacity * end + spread
        length = max(p.end for p in batch) - min(p.start for p in batch)
        assert length <= 2 * max(Fraction(end), Fraction(volume, capacity))
        assert max(p.end for p in batch) <= (4 * end + 2 * end / speed) * SLACK
    value, proxy = jobs.weighted_completion_time(pieces), reference2.proxy(jobs, shares, speed)
    assert value <= 12 * proxy * SLACK
    if lam is None:
        bound = Fraction(solve_interval_program(instance, doubling=True).bound)
        assert proxy <= 2 * bound * SLACK
        assert value <= 24 * bound * SLACK


def area(jobs: PlainTasks, task: int, machine: int) -> int:
    return jobs.tasks[task].demand[0] * jobs.tasks[task].time[machine]


def test_capping_each_machine_on_its_own_may_leave_work_after_the_interval_of_the_job() -> None:
    instance = plain(parallel_tasks([1], [(0, [1], {0: 1, 1: 1})], [[1], [1]]))
    shares = [Share(1, 0, 0, 600_000_000), Share(3, 0, 1, 400_000_000)]
    last = {
        cap: max(interval for _, _, interval in reference2.slow_motion(shares, Fraction(1, 2), cap))
        for cap in ("task", "machine")
    }
    assert reference2.interval_of_job(instance, shares, 0, Fraction(1, 2)) == 1
    assert last == {"task": 1, "machine": 3}
    assert done_by(shares, 0, 1) == 600_000_000
    assert jobs_in(instance, shares) == [0]


# SynchPack-3: property 5


@examples(25)
@given(instance=parallel_task_instances(min_jobs=1, max_jobs=5, single_machine=True))
def test_jobs_complete_within_four_times_their_program(instance: Instance) -> None:
    jobs = plain(instance)
    completion = solve_order_program(instance).completion
    assert completion is not None
    order, pieces = synchpack3(jobs, completion.tolist())
    for job, end in enumerate(jobs.completion_times(pieces)):
        assert end <= 4 * completion[job] * (1 + 1e-5)
    for i, (capacity,) in enumerate(jobs.capacity):
        before = 0
        for job in order:
            before += sum(area(jobs, t, i) for t in jobs.tasks_of(job) if i in jobs.tasks[t].time)
            assert before <= 2 * capacity * completion[job] * (1 + 1e-5)


# Greedy packing: property 6


@given(
    instance=parallel_task_instances(min_jobs=1, max_jobs=8, max_machines=1, single_machine=True),
    data=st.data(),
)
def test_a_batch_takes_at_most_twice_its_volume_or_its_longest_task(
    instance: Instance, data: st.DataObject
) -> None:
    jobs = plain(instance)
    last = len(interval_ends(jobs.horizon())) - 1
    rows = solution_rows(instance, [Share(last, t, 0, UNIT) for t in range(instance.n_tasks)])
    result = schedcore.solve("synchpack2", instance, lp_solution=rows, shift=False)
    longest = max(task.time[0] for task in jobs.tasks)
    volume = Fraction(sum(area(jobs, t, 0) for t in range(instance.n_tasks)), jobs.capacity[0][0])
    assert result.completion_time.max() <= 2 * max(longest, volume)


def test_pieces_that_end_inside_a_slot_can_be_better() -> None:
    # three tasks of one unit, two at a time: 1.5 with preemption in half units, 2 in whole ones
    instance = parallel_tasks([1], [(0, [1], {0: 1})] * 3, [[2]])
    assert [slot_optimum(plain(instance), "preempt", slots) for slots in (1, 2)] == [2, Fraction(3, 2)]
    assert slot_optimum(plain(instance), "nonpreempt", 2) == 2
    assert relaxation_bound(instance) <= 1.5
