"""The hand-computed examples of the MRIS specification, for the reference implementations and for the library.

Jobs are rows ``(p, w, r, d_0, ...)``. Every number here was worked out on paper (the
derivations stand beside the cases); none was printed by the code under test.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol

import pytest

import schedcore
from reference.plain_instance import PlainInstance
from reference.solving import solve_with_reference

KEYS = ["wsjf", "wsvf", "wsdf", "sjf", "svf", "sdf", "erf"]
KNAPSACKS = ["exact", "cadp", "greedy", "greedy_union"]
PLACEMENTS = ["scan", "list", "nobackfill"]

FOUR_JOBS = PlainInstance.from_rows(
    [(4, 1, 0, 10, 2), (1, 3, 1, 5, 5), (2, 2, 1, 4, 6), (1, 1, 2, 6, 1)], capacity=[10, 10]
)
LEMMA_41 = PlainInstance.from_rows([(400, 1, 0, 3), *[(100, 1, 1, 1)] * 3], capacity=[3])
HALF_PLUS = PlainInstance.from_rows([(1, 1, 0, 51)] * 5, capacity=[100], n_machines=2)
PLACEMENT = PlainInstance.from_rows(
    [(3, 1, 0, 6), (3, 1, 0, 6), (5, 5, 0, 1), (1, 1, 5, 10), (7, 1, 0, 1)], capacity=[10]
)
TWO_MACHINES = PlainInstance.from_rows(
    [(3, 1, 0, 6), (2, 4, 0, 5), (2, 1, 1, 5), (4, 2, 2, 10), (1, 1, 2, 4)], capacity=[10], n_machines=2
)


@dataclass(frozen=True)
class Outcome:
    """What the examples print: starts, machines, sum w C, makespan, and MRIS's batches by k."""

    starts: list[float]
    machines: list[int]
    sum_weighted_completion: float
    makespan: float
    batches: dict[int, list[int]]


class Solve(Protocol):
    def __call__(self, name: str, instance: PlainInstance, **options: Any) -> Outcome: ...


def by_reference(name: str, instance: PlainInstance, **options: Any) -> Outcome:
    result = solve_with_reference(name, instance, **options)
    return Outcome(
        result.schedule.start_time,
        result.schedule.machine,
        float(result.schedule.sum_weighted_completion(instance)),
        result.schedule.makespan(instance),
        {row.k: row.chosen for row in result.iterations},
    )


def by_library(name: str, instance: PlainInstance, **options: Any) -> Outcome:
    library_instance = schedcore.Instance(
        jobs=schedcore.Jobs(
            processing_time=instance.processing_time,
            demand=instance.demand,
            release_time=instance.release_time,
            weight=instance.weight,
        ),
        machines=schedcore.Machines(instance.capacities),
    )
    result = schedcore.solve(name, library_instance, **options)
    assert schedcore.validate(library_instance, result.schedule).ok
    ends = result.schedule.start_time + instance.processing_time
    return Outcome(
        result.schedule.start_time.tolist(),
        result.schedule.machine.tolist(),
        result.value * instance.n_jobs if result.objective == "awct" else float(ends @ instance.weight),
        ends.max(),
        {row["k"]: list(row["chosen"]) for row in result.stats.get("iterations", [])},
    )


@pytest.fixture(params=[by_reference, by_library], ids=["reference", "library"])
def solve(request: pytest.FixtureRequest) -> Solve:
    chosen: Solve = request.param
    return chosen


# Example 14.1. At 4 the WSJF keys are 1/3, 1, 1: J1 starts; J2 (memory 5 + 6) and J3 (cpu 5 + 6) wait for 5.


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("pq", {"heuristic": "wsjf"}),
        ("pq", {"heuristic": "wsvf"}),
        ("pq", {"heuristic": "erf"}),
        ("bf_exec", {}),
        ("tetris", {"mode": "minus"}),
    ],
)
def test_four_jobs_short_weighted_job_first(solve: Solve, name: str, options: dict[str, Any]) -> None:
    outcome = solve(name, FOUR_JOBS, **options)
    assert outcome.starts == [0, 4, 5, 5]
    assert outcome.sum_weighted_completion == pytest.approx(39)
    assert outcome.makespan == 7


# TETRIS at 4, free (10, 10): a = 100, 100, 70 and 1/v = 1/10, 1/20, 1/7 give scores 192.2 : 146.1 : 201.7.


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("pq", {"heuristic": "sdf"}),
        ("tetris", {"mode": "inverse"}),
        ("tetris", {"mode": "plus"}),
        ("tetris", {}),
    ],
)
def test_four_jobs_small_demand_first(solve: Solve, name: str, options: dict[str, Any]) -> None:
    outcome = solve(name, FOUR_JOBS, **options)
    assert outcome.starts == [0, 6, 4, 4]
    assert outcome.sum_weighted_completion == pytest.approx(42)
    assert outcome.makespan == 7


def test_four_jobs_collected(solve: Solve) -> None:
    outcome = solve("ca_pq", FOUR_JOBS, heuristic="wsjf")
    assert outcome.starts == [5, 2, 3, 3]
    assert outcome.sum_weighted_completion == pytest.approx(32)
    assert outcome.makespan == 9


@pytest.mark.parametrize("placement", PLACEMENTS)
@pytest.mark.parametrize("knapsack", KNAPSACKS)
def test_four_jobs_mris_finds_the_optimum(solve: Solve, knapsack: str, placement: str) -> None:
    # gamma = 1: J1; gamma = 2: J2 and J3 (volume 27 of 40); gamma = 4: J0
    outcome = solve("mris", FOUR_JOBS, knapsack=knapsack, placement=placement)
    assert outcome.starts == [4, 1, 2, 2]
    assert outcome.sum_weighted_completion == pytest.approx(25)
    assert outcome.makespan == 8
    assert outcome.batches == {0: [1], 1: [2, 3], 2: [0]}


# Example 14.2 (lemma41 with N = 4): the long job takes the machine one unit before everybody else comes.


@pytest.mark.parametrize(
    ("name", "options"),
    [
        *[("pq", {"heuristic": key}) for key in KEYS],
        *[("tetris", {"mode": m}) for m in ("inverse", "minus", "plus")],
        ("bf_exec", {}),
    ],
)
def test_long_job_first_delays_everybody(solve: Solve, name: str, options: dict[str, Any]) -> None:
    outcome = solve(name, LEMMA_41, **options)
    assert outcome.starts == [0, 400, 400, 400]
    assert outcome.sum_weighted_completion == pytest.approx(1900)


def test_long_job_waits_for_its_interval_in_mris(solve: Solve) -> None:
    # gamma = 100: J1..J3; gamma = 200: nobody; gamma = 400: J0
    outcome = solve("mris", LEMMA_41)
    assert outcome.starts == [400, 100, 100, 100]
    assert outcome.sum_weighted_completion == pytest.approx(1400)
    assert outcome.batches == {0: [1, 2, 3], 2: [0]}


def test_long_job_last_after_collecting(solve: Solve) -> None:
    outcome = solve("ca_pq", LEMMA_41)
    assert outcome.starts == [101, 1, 1, 1]
    assert outcome.sum_weighted_completion == pytest.approx(804)


# Example 14.3 (half_plus with N = 5, M = 2): one job a machine at a time.


@pytest.mark.parametrize("name", ["pq", "offline_pq"])
def test_half_plus_exceeds_the_printed_makespan_bound(solve: Solve, name: str) -> None:
    outcome = solve(name, HALF_PLUS)
    assert outcome.starts == [0, 0, 1, 1, 2]
    assert outcome.machines == [0, 1, 0, 1, 0]
    assert outcome.makespan == 3 > max(2, Fraction(2 * 5 * 51, 100 * 2))
    assert outcome.sum_weighted_completion == pytest.approx(9)


@pytest.mark.parametrize(
    ("knapsack", "batches"),
    [
        # zeta_0 = 200, K = 4, sizes 12 each, C = 50: four fit, the last is left out
        ("cadp", {0: [0, 1, 2, 3], 1: [4]}),
        # capacity 400 takes all five
        ("greedy", {0: [0, 1, 2, 3, 4]}),
    ],
)
def test_half_plus_mris(solve: Solve, knapsack: str, batches: dict[int, list[int]]) -> None:
    outcome = solve("mris", HALF_PLUS, knapsack=knapsack)
    assert outcome.starts == [1, 1, 2, 2, 3]
    assert outcome.machines == [0, 1, 0, 1, 0]
    assert outcome.sum_weighted_completion == pytest.approx(14)
    assert outcome.makespan == 4
    assert outcome.batches == batches


# Example 14.5: at gamma = 4 J0 at 4 and J1 at 7; at gamma = 8 the batch J2, J3, J4 in WSJF order.


@pytest.mark.parametrize(
    ("placement", "starts", "value", "makespan"),
    [
        ("scan", [4, 7, 8, 15, 8], 113, 16),
        # J3 right behind J2 at 13 keeps J4 (7 long) from starting before 14
        ("list", [4, 7, 8, 13, 14], 117, 21),
        ("nobackfill", [4, 7, 10, 17, 10], 127, 18),
    ],
)
@pytest.mark.parametrize("knapsack", KNAPSACKS)
def test_placements_differ(
    solve: Solve, knapsack: str, placement: str, starts: list[float], value: float, makespan: float
) -> None:
    outcome = solve("mris", PLACEMENT, knapsack=knapsack, placement=placement)
    assert outcome.starts == starts
    assert outcome.sum_weighted_completion == pytest.approx(value)
    assert outcome.makespan == makespan


# Example 14.6: two machines.


def test_two_machines_pq(solve: Solve) -> None:
    # J1 on 0 and J0 on 1 at 0; J2 on 0 at 1; at 2 J1 ends, J4 starts on 0, J3 does not fit; at 3 J3 on 0
    outcome = solve("pq", TWO_MACHINES, heuristic="wsjf")
    assert outcome.starts == [0, 0, 1, 3, 2]
    assert outcome.machines == [1, 0, 0, 0, 0]
    assert outcome.sum_weighted_completion == pytest.approx(31)


def test_two_machines_bf_exec(solve: Solve) -> None:
    # J0 on 0; J1 on 1 (6 + 5 > 10 on 0); J2 at 1 on 1; at 2 J4 on 0 (free 4 against 5), J3 queues
    # until machine 0 is empty at 3
    outcome = solve("bf_exec", TWO_MACHINES)
    assert outcome.starts == [0, 0, 1, 3, 2]
    assert outcome.machines == [0, 1, 1, 0, 0]
    assert outcome.sum_weighted_completion == pytest.approx(31)


@pytest.mark.parametrize(("name", "batches"), [("ca_pq", {}), ("mris", {1: [1, 2, 4], 2: [0, 3]})])
def test_two_machines_after_waiting(solve: Solve, name: str, batches: dict[int, list[int]]) -> None:
    outcome = solve(name, TWO_MACHINES, heuristic="wsjf")
    assert outcome.starts == [4, 2, 2, 4, 2]
    assert outcome.sum_weighted_completion == pytest.approx(46)
    assert outcome.batches == batches
