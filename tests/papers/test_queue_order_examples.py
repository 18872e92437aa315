"""Orders of queues by hand: who is first, and what the formulas say, worked out beside the cases.

One machine of 64 processors, on which every job wants to be alone; job 0 has it until 100. Then one job after another
runs, in the order of the queue as it is whenever one ends.
"""

import math

import numpy as np
import pytest

import schedcore
from reference import queue_formulas

Row = tuple[float, int, float]  # release time, processors, estimate


def in_order(order: str, rows: list[Row]) -> list[int]:
    """The rows in the order in which they run."""
    release, processors, estimate = zip(*rows, strict=True)
    jobs = schedcore.Jobs(
        [100.0, *estimate],
        [[1], *([n] for n in processors)],
        release_time=[0.0, *release],
        exclusive=True,
    )
    result = schedcore.fcfs(schedcore.Instance(jobs, schedcore.Machines([[64]])), order=order)
    assert result.schedule.start_time[0] == 0
    return np.argsort(result.schedule.start_time[1:]).tolist()


# r n = 40, 30, 32, 32; of equal areas the one that was released earlier.
def test_the_smallest_area_is_first() -> None:
    assert in_order("saf", [(1, 4, 10), (2, 1, 30), (3, 16, 2), (4, 8, 4)]) == [1, 2, 3, 0]


# At 100 wait / r = 100 / 50, 90 / 10, 20 / 4: 2, 9, 5. At 110 the others have 2.2 and 7.5.
def test_the_largest_expansion_factor_is_first() -> None:
    assert in_order("lxf", [(0, 1, 50), (10, 1, 10), (80, 1, 4)]) == [1, 2, 0]


# At 100 wait / r = 1, 0.9, 3. The third runs until 120; by then the others have 1.2 and 2.9.
def test_the_order_changes_while_jobs_wait() -> None:
    assert in_order("lxf", [(0, 1, 100), (91, 1, 10), (40, 1, 20)]) == [2, 1, 0]


# At 100 (wait / r)^3 n = 1 * 64, 8 * 4, 27 * 2. The first runs until 200; the others have 64 * 4 and 512 * 2.
def test_wfp3_weighs_the_cube_of_the_slowdown_with_the_processors() -> None:
    assert in_order("wfp3", [(0, 64, 100), (0, 4, 50), (40, 2, 20)]) == [0, 2, 1]


# One processor comes first, though it has just come. At 105 the others have 105 / (1 * 50) = 2.1 and 105 / (6 * 10) =
# 1.75.
def test_unicef_puts_jobs_of_one_processor_first() -> None:
    assert in_order("unicef", [(0, 2, 50), (0, 64, 10), (100, 1, 5)]) == [2, 0, 1]


# s = 1, 10, 100:
#   F1  2 * 10           3 * 1 + 870         0 * 64 + 1740
#   F2  10 * 10          31.6 + 25600        64 + 51200
#   F3  1000             1000 + 6.86e6       64 + 1.372e7
#   F4  100 * 3.16       1000 + 5.3e5        8 + 1.06e6
@pytest.mark.parametrize("order", ["f1", "f2", "f3", "f4"])
def test_jobs_released_early_are_first(order: str) -> None:
    assert in_order(order, [(0, 10, 100), (9, 1, 1000), (99, 64, 1)]) == [0, 1, 2]


# The second job is small, and log10(s) = 1: 870, 25601, 6860001, 530001. The first has 64 processors, so that it has
# less up to
#   F1  64 log10(r) = 832 at 10^13, 896 at 10^14
#   F2  64 sqrt(r) = 25599.9 at 159,999, 25608 at 160,100
#   F3  64 r = 6859968 at 107,187, 6860096 at 107,189
#   F4  8 r = 529992 at 66,249, 530016 at 66,252
@pytest.mark.parametrize(
    ("order", "short_enough", "too_long"),
    [("f1", 1e13, 1e14), ("f2", 159_999, 160_100), ("f3", 107_187, 107_189), ("f4", 66_249, 66_252)],
)
def test_the_constants_are_those_of_the_paper(order: str, short_enough: float, too_long: float) -> None:
    assert in_order(order, [(0, 64, short_enough), (9, 1, 1)]) == [0, 1]
    assert in_order(order, [(0, 64, too_long), (9, 1, 1)]) == [1, 0]


# Of 128 processors and 256 GB: (32, 64) are a quarter of both, so n = 32 of the first of equals; of (16, 96) the 96 GB
# are the larger share. r n = 32 * 20, 96 * 6 = 576, 32 * 18 = 576; by processors alone it would be 640, 96, 576.
def test_n_counts_the_resource_of_the_largest_share() -> None:
    demand = [[1, 0], [32, 64], [16, 96], [32, 0]]
    jobs = schedcore.Jobs([10, 20, 6, 18], demand, release_time=[0, 1, 1, 1], exclusive=True)
    instance = schedcore.Instance(jobs, schedcore.Machines([[128, 256]]))
    assert schedcore.fcfs(instance, order="saf").schedule.start_time.tolist() == [0, 34, 10, 16]
    assert [queue_formulas.demanded(row, 1, [128, 256]) for row in demand[1:]] == [32, 96, 32]


# Nobody can demand the first resource, of which there is none: r n = 3 * 8 and 4 * 2, and not 3 and 4.
def test_a_resource_of_which_there_is_none_does_not_count() -> None:
    jobs = schedcore.Jobs([1, 3, 4], [[0, 8], [0, 8], [0, 2]], exclusive=True)
    instance = schedcore.Instance(jobs, schedcore.Machines([[0, 8]]))
    assert schedcore.fcfs(instance, order="saf").schedule.start_time.tolist() == [0, 5, 1]
    assert [queue_formulas.demanded(row, 1, [0, 8]) for row in ([0, 8], [0, 2])] == [8, 2]


# Areas 60, 40, 12, 20, 9 on a machine of 10. At 1 job 1 is the head, protected at 10. At 2 job 2 is before it, fits,
# and starts. At 3 job 3 is the head, at 10 as well; at 4 job 4 is, at 5, when it starts. At 10 job 3 starts, and job 1
# when that has ended.
def test_easy_protects_the_head_of_that_order() -> None:
    jobs = schedcore.Jobs([10, 5, 3, 4, 9], [[6], [8], [4], [5], [1]], release_time=[0, 1, 2, 3, 4])
    instance = schedcore.Instance(jobs, schedcore.Machines([[10]]))
    result = schedcore.easy(instance, order="saf", record=True)
    assert result.schedule.start_time.tolist() == [0, 14, 2, 10, 5]
    heads = [(now, head, shadow) for now, head, shadow, _ in result.stats["shadow"]]
    assert heads == [(1, 1, 10), (2, 1, 10), (3, 3, 10), (4, 4, 5), (5, 3, 10), (10, 1, 14)]


def test_logarithms_of_the_reference_are_those_of_the_language_to_a_digit() -> None:
    for x in (1.0, 2.0, 3.0, 10.0, 1e-3, 12345.678, 1e15):
        assert math.isclose(queue_formulas.log10(x), math.log10(x), rel_tol=1e-15)
        assert math.isclose(queue_formulas.log2(x), math.log2(x), rel_tol=1e-15)
