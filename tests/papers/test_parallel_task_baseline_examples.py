"""The worked examples F and G of the specification of parallel-task jobs: PSRS, Tetris and JSQ-MW.

For the reference implementations and for the library; every number is the specification's.
"""

from fractions import Fraction

import pytest

from differential.parallel_task_pieces import drawn, rows_of, solved
from parallel_task_cases import FOUR_TASKS, TWO_JOBS_WITH_LOCAL_MACHINES, single_tasks
from properties.parallel_task_instances import plain
from reference.parallel_tasks_jsq_mw import REMOTE, jsq_mw
from reference.parallel_tasks_optimum import slot_optimum
from reference.parallel_tasks_psrs import psrs
from reference.parallel_tasks_tetris import Tetris, tetris_np, tetris_p

F = single_tasks(FOUR_TASKS, [[10]])
G = TWO_JOBS_WITH_LOCAL_MACHINES

# F: PSRS and Tetris on one machine

# Ratios 1, 1, 1/2, 1/6. Task 2 fits from 10 on, half of the machine is free from 4 on: 6 >= 2 / 0.836 = 500/209. It
# runs [4 + 500/209, 6 + 500/209) alone but for task 3, and task 0 goes on after it.
F_PSRS = [
    (0, 0, 0, 1336 / 209),
    (0, 0, 1754 / 209, 12),
    (1, 0, 0, 4),
    (2, 0, 1336 / 209, 1754 / 209),
    (3, 0, 1336 / 209, 1963 / 209),
]
F_TETRIS = [(0, 0, 0, 10), (1, 0, 0, 4), (2, 0, 10, 12), (3, 0, 0, 3)]


def test_f_a_wide_task_preempts_after_its_patience() -> None:
    pieces = psrs(plain(F))
    assert drawn(pieces) == F_PSRS
    assert plain(F).weighted_completion_time(pieces) == Fraction(126_347, 209)  # 604.531100
    result = solved("psrs", F, "preempt")
    assert rows_of(result) == F_PSRS
    assert result.value == pytest.approx(126_347 / 209, rel=1e-14)
    assert (result.guarantee, result.stats["n_rounded_waits"]) == (2.37, 0)


def test_f_tetris_scores() -> None:
    run = Tetris(plain(F), True, "balanced", "divide")
    run.decide(Fraction(0))
    assert [round(float(score), 1) for score in run.first_scores] == [23.9, 11.5, 10.3, 1.5]


@pytest.mark.parametrize("name", ["tetris_p", "tetris_np"])
def test_f_tetris(name: str) -> None:
    reference = {"tetris_p": tetris_p, "tetris_np": tetris_np}[name](plain(F))
    assert drawn(reference.pieces) == F_TETRIS
    result = solved(name, F, "nonpreempt")
    assert (rows_of(result), result.value, result.guarantee) == (F_TETRIS, 547, None)
    assert result.options == {"scale": "balanced", "remote": "divide"}
    assert 0 < result.lower_bound <= 547


# G: JSQ-MW and Tetris-np with local machines

G_JSQ = [(0, 0, 0, 2), (1, 1, 3, 9), (2, 0, 2, 4), (3, 1, 0, 3), (4, 1, 0, 2)]
G_TETRIS = [(0, 0, 0, 2), (1, 0, 2, 5), (2, 1, 0, 4), (3, 1, 0, 3), (4, 0, 0, 4)]


def test_g_jsq_mw() -> None:
    pieces, joined = jsq_mw(plain(G))
    assert joined == {0: 0, 1: REMOTE, 2: 0, 3: 1, 4: 1}
    assert drawn(pieces) == G_JSQ
    result = solved("jsq_mw", G, "nonpreempt")
    assert (rows_of(result), result.completion_time.tolist(), result.value) == (G_JSQ, [9, 3], 12)
    assert result.guarantee is None
    assert 0 < result.lower_bound <= 9


def test_g_tetris_np_is_optimal() -> None:
    assert slot_optimum(plain(G), "nonpreempt") == 9
    assert drawn(tetris_np(plain(G)).pieces) == G_TETRIS
    result = solved("tetris_np", G, "nonpreempt")
    assert (rows_of(result), result.value) == (G_TETRIS, 9)
