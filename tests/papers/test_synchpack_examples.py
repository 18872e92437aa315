"""The worked examples of the specification of parallel-task jobs, for the references and for the library.

Every number is the specification's; letters are its examples. Example B and C are about parts that no result shows, so
the library's kernels are called; everything else goes through `schedcore.solve` and the bounds.
"""

from fractions import Fraction

import numpy as np
import pytest

from differential.parallel_task_pieces import drawn, rows_of, solved
from parallel_task_cases import THREE_PINNED_JOBS, parallel_tasks
from properties.parallel_task_instances import plain, solution_rows
from reference import parallel_tasks_synchpack1 as reference1
from reference import parallel_tasks_synchpack2 as reference2
from reference.parallel_tasks_fractions import UNIT, Share, interval_ends, lp_completion
from reference.parallel_tasks_optimum import slot_optimum
from reference.parallel_tasks_programs import interval_program, order_program
from reference.parallel_tasks_synchpack3 import synchpack3
from reference.parallel_tasks_validity import violations
from schedcore import _core
from schedcore.bounds.parallel_tasks import solve_interval_program, solve_order_program
from schedcore.model import kernel_columns

QUARTER, HALF = UNIT // 4, UNIT // 2

A = parallel_tasks([1], [(0, [1], {0: 1})], [[1]])
D = parallel_tasks(
    [1, 2, 1, 1],
    [(0, [6], {0: 2, 1: 4}), (1, [6], {0: 2}), (2, [8], {0: 4}), (3, [4], {0: 4})],
    [[10], [10]],
)
E = THREE_PINNED_JOBS
D_SHARES = [
    Share(1, 0, 0, HALF),
    Share(2, 0, 1, HALF),
    Share(1, 1, 0, UNIT),
    Share(2, 2, 0, QUARTER),
    Share(3, 2, 0, 3 * QUARTER),
    Share(3, 3, 0, UNIT),
]
E_SHARES = [
    Share(2, 0, 0, 3 * QUARTER),
    Share(3, 0, 0, QUARTER),
    Share(2, 1, 1, 3 * QUARTER),
    Share(3, 1, 1, QUARTER),
    Share(1, 2, 0, UNIT),
    Share(1, 3, 1, UNIT),
    Share(2, 4, 0, UNIT),
]

# A: without the repair, everything lies in interval 0 and costs nothing


def test_a_jobs_that_may_complete_in_interval_0_cost_nothing() -> None:
    assert interval_program(plain(A), repaired=False)[0] == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("doubling", [False, True])
def test_a_the_repaired_program_equals_the_optimum(doubling: bool) -> None:
    solution = solve_interval_program(A, doubling=doubling)
    assert plain(A).horizon() == 1
    assert solution.intervals.ends.tolist() == [1, 2]
    assert solution.bound == pytest.approx(1, rel=1e-6)
    assert solution.bound <= slot_optimum(plain(A), "migrate") == 1
    assert interval_program(plain(A), doubling=doubling)[0] == pytest.approx(1)


# B: 0.6 on machine 0 in interval 1, 0.4 on machine 1 in interval 3, at half the speed


B_SHARES = [Share(1, 0, 0, 600_000_000), Share(3, 0, 1, 400_000_000)]
B_SLOWED = {
    "task": {(0, 0, 1): Fraction(1)},
    "machine": {(0, 0, 1): Fraction(3, 5), (0, 1, 3): Fraction(2, 5)},
}


@pytest.mark.parametrize("cap", ["task", "machine"])
def test_b_a_task_stops_when_all_of_it_is_done(cap: str) -> None:
    assert reference2.slow_motion(B_SHARES, Fraction(1, 2), cap) == B_SLOWED[cap]
    columns = [np.array(column) for column in ([0, 0], [0, 1], [1, 3], [s.units for s in B_SHARES])]
    *where, units, whole = _core.parallel_tasks.cap_fractions(*columns, HALF, cap)
    rows = zip(*(column.tolist() for column in (*where, units)), strict=True)
    assert [((t, i, q), Fraction(x, whole)) for t, i, q, x in rows] == list(B_SLOWED[cap].items())
    assert cap == "machine" or whole == HALF


# C: three tasks fill two copies each of intervals 1 and 2; volumes 20, 12, 6

C = parallel_tasks([1, 1, 1], [(0, [2], {0: 10}), (1, [2], {0: 6}), (2, [2], {0: 3})], [[10]])
C_SLOWED = {
    (0, 0, 1): Fraction(1, 2),
    (0, 0, 2): Fraction(1, 2),
    (1, 0, 1): Fraction(4, 5),
    (1, 0, 2): Fraction(1, 5),
    (2, 0, 1): Fraction(2, 5),
    (2, 0, 2): Fraction(3, 5),
}
C_EDGES = {
    (0, (1, 0)): Fraction(5, 10),
    (0, (2, 0)): Fraction(5, 10),
    (1, (1, 0)): Fraction(5, 10),
    (1, (1, 1)): Fraction(3, 10),
    (1, (2, 0)): Fraction(2, 10),
    (2, (1, 1)): Fraction(4, 10),
    (2, (2, 0)): Fraction(3, 10),
    (2, (2, 1)): Fraction(3, 10),
}
C_MATCHING = {0: (1, 0), 1: (1, 1), 2: (2, 0)}  # task: interval, copy


def test_c_tasks_by_falling_volume_fill_the_copies() -> None:
    edges = reference2.mapping(plain(C), C_SLOWED)
    assert {(t, (c.interval, c.number)): x for (t, c), x in edges.items()} == C_EDGES
    assert {t: (c.interval, c.number) for t, c in reference2.matching(edges).items()} == C_MATCHING


def test_c_kernels_of_the_mapping() -> None:
    tasks, machines, intervals = (np.array(column) for column in zip(*C_SLOWED, strict=True))
    tenths = np.array([int(10 * part) for part in C_SLOWED.values()])
    columns = (kernel_columns(C), tasks, machines, intervals, tenths, 10)
    edges = zip(*(column.tolist() for column in _core.parallel_tasks.mapping_edges(*columns)), strict=True)
    assert list(edges) == [(t, interval, 0, c, 10 * x) for (t, (interval, c)), x in C_EDGES.items()]
    machine_of, interval_of = _core.parallel_tasks.map_tasks(*columns)
    assert machine_of.tolist() == [0, 0, 0]
    assert interval_of.tolist() == [interval for interval, _ in C_MATCHING.values()]


# D: SynchPack-1 after its program

D_BEST = ([
    (0, 0, 0, 4 / 3),
    (0, 1, 4 / 3, 8 / 3),
    (1, 0, 4 / 3, 10 / 3),
    (2, 0, 4, 8),
    (3, 0, 0, 4),
])  # fmt: skip


def test_d_the_greedy_schedule_of_fractions() -> None:
    instance = plain(D)
    assert instance.horizon() == 12
    assert interval_ends(12) == [1, 2, 4, 8, 16]
    runs = reference1.greedy_runs(instance, D_SHARES)
    seconds = [(r.start // UNIT, r.share.task, r.share.machine, r.end // UNIT) for r in runs]
    assert sorted(seconds) == [
        (0, 0, 0, 1),
        (0, 3, 0, 1),
        (1, 0, 1, 3),
        (1, 1, 0, 3),
        (1, 3, 0, 3),
        (3, 2, 0, 4),
        (4, 2, 0, 7),
        (7, 3, 0, 8),
    ]
    values = {
        lam: reference1.objective_at(instance, runs, lam) / UNIT
        for lam in reference1.lambda_candidates(instance, runs, 5)
    }
    assert values == {1: 24, Fraction(3, 4): Fraction(64, 3), Fraction(1, 4): 34}


@pytest.mark.parametrize("shift", [False, True])
def test_d_synchpack1_chooses_three_quarters(shift: bool) -> None:
    # Nothing can move to the left: task 1 needs 6 of the 10 units that tasks 0 and 3 hold; task 2 needs 8, which are
    # free from 4 on.
    reference = reference1.synchpack1(plain(D), D_SHARES, 5, shift=shift)
    assert (reference.lam, reference.tau) == (Fraction(3, 4), [0, 3, 4, 8, 8])
    assert drawn(reference.pieces) == D_BEST
    result = solved("synchpack1", D, "migrate", lp_solution=solution_rows(D, D_SHARES), shift=shift)
    assert (result.stats["lambda"], result.stats["lp_status"]) == (0.75, "given")
    assert list(result.stats["lp_completion"]) == [1.5, 1, 3.5, 4]
    assert list(result.stats["tau"]) == [0, 3, 4, 8, 8]
    assert (result.stats["horizon"], result.stats["n_intervals"]) == (12, 5)
    assert (result.completion_time.tolist(), result.value) == ([8 / 3, 10 / 3, 8, 4], 64 / 3)
    assert rows_of(result) == D_BEST
    assert (result.lower_bound, result.guarantee) == (None, None)


@pytest.mark.parametrize(("shift", "job_2", "value"), [(False, (6, 10), 24), (True, (4, 8), 22)])
def test_d_half_speed_and_the_shift(shift: bool, job_2: tuple[int, int], value: int) -> None:
    expected = [(0, 0, 0, 2), (1, 0, 2, 4), (2, 0, *job_2), (3, 0, 0, 4)]
    reference = reference1.synchpack1(plain(D), D_SHARES, 5, lam=Fraction(1, 2), shift=shift)
    assert drawn(reference.pieces) == expected
    assert violations(plain(D), reference.pieces, "migrate") == []
    rows = solution_rows(D, D_SHARES)
    result = solved("synchpack1", D, "migrate", lp_solution=rows, lam=0.5, shift=shift)
    assert rows_of(result) == expected
    assert result.value == value


# E: SynchPack-2 and -3 on one instance

E_THREE = [(0, 0, 2, 6), (1, 1, 2, 3), (2, 0, 0, 2), (3, 1, 0, 2), (4, 0, 0, 3)]


@pytest.mark.parametrize("kind", ["preempt", "nonpreempt"])
def test_e_the_optimum_is_15(kind: str) -> None:
    assert slot_optimum(plain(E), kind) == 15


def test_e_values_of_the_programs() -> None:
    assert order_program(plain(E))[0] == pytest.approx(13)
    assert interval_program(plain(E))[0] == pytest.approx(6.810077519)
    assert interval_program(plain(E), doubling=True)[0] == pytest.approx(7.5)
    assert solve_order_program(E).bound == pytest.approx(13, rel=1e-6)
    assert solve_interval_program(E).bound == pytest.approx(6.810077519, rel=1e-6)
    assert solve_interval_program(E, doubling=True).bound == pytest.approx(7.5, rel=1e-6)


def test_e_synchpack3() -> None:
    order, pieces = synchpack3(plain(E), [4.0, 2.0, 3.0])
    assert order == [1, 2, 0]
    assert drawn(pieces) == E_THREE
    result = solved("synchpack3", E, "preempt", lp_solution=np.array([4.0, 2.0, 3.0]))
    assert list(result.stats["order"]) == [1, 2, 0]
    assert (rows_of(result), result.value, result.stats["lp_status"]) == (E_THREE, 15, "given")
    assert (result.lower_bound, result.guarantee) == (None, None)


def test_e_synchpack3_solves_its_program() -> None:
    result = solved("synchpack3", E, "preempt")
    assert list(result.stats["order"]) == [1, 2, 0]
    assert list(result.stats["lp_completion"]) == pytest.approx([4, 2, 3], abs=1e-6)
    assert (rows_of(result), result.value, result.guarantee) == (E_THREE, 15, 4)
    assert result.lower_bound == pytest.approx(13, rel=1e-6)


@pytest.mark.parametrize(("shift", "task_4", "value"), [(False, (2, 5), 17), (True, (0, 3), 15)])
def test_e_synchpack2(shift: bool, task_4: tuple[int, int], value: int) -> None:
    expected = [*E_THREE[:4], (4, 0, *task_4)]
    instance = plain(E)
    completion = lp_completion(instance, E_SHARES, interval_ends(instance.horizon()))
    assert completion == {0: Fraction(5, 2), 1: 1, 2: 2}
    assert reference2.proxy(instance, E_SHARES, Fraction(1)) == 9
    assert reference2.proxy(instance, E_SHARES, Fraction(3, 4)) == Fraction(28, 3)
    reference = reference2.synchpack2(instance, E_SHARES, shift=shift)
    assert (reference.lam, drawn(reference.pieces)) == (1, expected)
    result = solved("synchpack2", E, "nonpreempt", lp_solution=solution_rows(E, E_SHARES), shift=shift)
    assert list(result.stats["lp_completion"]) == [2.5, 1, 2]
    assert (result.stats["lambda"], result.stats["proxy"], result.value) == (1, 9, value)
    assert list(result.stats["machine_of_task"]) == [0, 1, 0, 1, 0]
    assert list(result.stats["interval_of_task"]) == [2, 2, 1, 1, 2]
    assert (result.stats["horizon"], result.stats["n_intervals"]) == (9, 5)
    assert (result.lower_bound, result.guarantee) == (None, None)
    assert rows_of(result) == expected
