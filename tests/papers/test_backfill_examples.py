"""The worked examples of the backfilling specification, for the reference implementations and for the library.

Jobs are rows ``(submit, demand, runtime)`` or ``(submit, demand, runtime, estimate)``. The starts, shadow times,
reservations, scores and figures are those of the specification, worked out on paper; the lines beside the cases say
why.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol

import pytest

import schedcore
from reference import backfilling, backfilling_epochs, backfilling_scores
from reference import metrics as reference_metrics
from reference.backfilling_instance import BackfillInstance

EXTRA_IS_A_VECTOR = BackfillInstance.from_rows(
    [
        (0, (6, 4), 10),
        (0, (2, 4), 4),
        (1, (5, 7), 5),
        (1, (2, 2), 12),
        (2, (2, 2), 8),
        (3, (2, 1), 20),
        (3, (0, 3), 6),
    ],
    capacity=[[10, 10]],
)
FIVE_POLICIES = BackfillInstance.from_rows(
    [
        (0, (3, 7), 4),
        (0, (1, 5), 1),
        (1, (8, 1), 7),
        (2, (8, 3), 5),
        (2, (2, 3), 6),
        (3, (9, 2), 5),
        (3, (1, 2), 6),
        (3, (1, 4), 4),
    ],
    capacity=[[10, 10]],
)
SELECTORS = BackfillInstance.from_rows(
    [(0, (1, 4), 4), (0, (7, 7), 5), (0, (3, 6), 1), (0, (3, 2), 7), (1, (9, 1), 1)], capacity=[[10, 10]]
)
COMPRESSION = BackfillInstance.from_rows(
    [(0, 2, 3, 4), (0, 3, 4, 7), (0, 1, 3, 3), (1, 2, 1, 1)], capacity=[[4]]
)
SELECTED_COMPRESSION = BackfillInstance.from_rows(
    [(0, (8, 1), 4, 8), (0, (7, 1), 1, 1), (1, (10, 1), 2, 3), (2, (3, 8), 1, 2)], capacity=[[10, 10]]
)
TWO_MACHINES = BackfillInstance.from_rows(
    [(0, (6, 2), 9), (0, (5, 5), 5), (1, (6, 6), 4), (1, (2, 2), 20), (1, (3, 3), 4), (1, (3, 3), 5)],
    capacity=[[8, 8], [8, 8]],
)
SIX_JOBS = [(8, 4), (4, 2), (7, 16), (11, 20), (1, 12), (1, 10)]  # CPUs, GB
SIX_JOBS_MACHINE = (16, 32)

Place = tuple[float, float, int]  # decision time, start, machine


@dataclass(frozen=True)
class Outcome:
    """What the examples print of a run."""

    starts: list[float]
    machines: list[int]
    shadow: list[tuple[float, int, float, int]]
    reservations: dict[int, list[Place]]

    def shadow_of(self, head: int) -> list[tuple[float, float, int]]:
        """(time of the pass, shadow time, machine) of every pass in which this job was the blocked head."""
        return [(t, s, m) for t, h, s, m in self.shadow if h == head]

    def first_reservations(self) -> dict[int, tuple[float, float]]:
        """job -> (decision time, start)."""
        return {job: (rows[0][0], rows[0][1]) for job, rows in self.reservations.items()}


class Side(Protocol):
    """The reference implementation or the library."""

    def solve(self, name: str, instance: BackfillInstance, **options: Any) -> Outcome: ...

    def epochs(
        self, demand: list[tuple[int, ...]], capacity: tuple[int, ...], rule: str
    ) -> list[list[int]]: ...

    def scores(
        self,
        demand: list[tuple[int, ...]],
        used: tuple[int, ...],
        capacity: tuple[int, ...],
        selection: str,
    ) -> list[Fraction]: ...

    def summary(self, instance: BackfillInstance, outcome: Outcome) -> dict[str, Any]: ...


class Reference:
    """The pure-Python reading of the specification."""

    def solve(self, name: str, instance: BackfillInstance, **options: Any) -> Outcome:
        run = backfilling.simulate(instance, name, **options)
        return Outcome(run.start_time, run.machine, run.shadow, run.reservations)

    def epochs(self, demand: list[tuple[int, ...]], capacity: tuple[int, ...], rule: str) -> list[list[int]]:
        return backfilling_epochs.epochs(demand, capacity, rule)

    def scores(
        self,
        demand: list[tuple[int, ...]],
        used: tuple[int, ...],
        capacity: tuple[int, ...],
        selection: str,
    ) -> list[Fraction]:
        return _fractions(*backfilling_scores.selection_scores(demand, used, capacity, selection))

    def summary(self, instance: BackfillInstance, outcome: Outcome) -> dict[str, Any]:
        schedule = schedcore.Schedule(outcome.starts, outcome.machines)
        return reference_metrics.summary(library_instance(instance), schedule)


class Library:
    """The kernels behind ``schedcore``."""

    def solve(self, name: str, instance: BackfillInstance, **options: Any) -> Outcome:
        problem = library_instance(instance)
        result = schedcore.solve(name, problem, **options, **({} if name == "fcfs" else {"record": True}))
        schedcore.validate(problem, result.schedule, raise_on_error=True)
        return Outcome(
            result.schedule.start_time.tolist(),
            result.schedule.machine.tolist(),
            [tuple(row) for row in result.stats.get("shadow", [])],
            {job: [tuple(row) for row in rows] for job, rows in result.stats.get("reservations", {}).items()},
        )

    def epochs(self, demand: list[tuple[int, ...]], capacity: tuple[int, ...], rule: str) -> list[list[int]]:
        return [list(jobs) for jobs in schedcore.epochs(demand, capacity, rule)]

    def scores(
        self,
        demand: list[tuple[int, ...]],
        used: tuple[int, ...],
        capacity: tuple[int, ...],
        selection: str,
    ) -> list[Fraction]:
        return _fractions(*schedcore.selection_scores(demand, used, capacity, selection))

    def summary(self, instance: BackfillInstance, outcome: Outcome) -> dict[str, Any]:
        schedule = schedcore.Schedule(outcome.starts, outcome.machines)
        return schedcore.metrics.summary(library_instance(instance), schedule)


def library_instance(instance: BackfillInstance) -> schedcore.Instance:
    jobs = schedcore.Jobs(
        processing_time=instance.processing_time,
        demand=instance.demand,
        release_time=instance.release_time,
        estimated_processing_time=instance.estimated_processing_time,
    )
    return schedcore.Instance(jobs, schedcore.Machines(instance.capacity))


def _fractions(numerators: list[int], denominators: list[int]) -> list[Fraction]:
    assert all(type(number) is int for number in [*numerators, *denominators])
    result = [Fraction(a, b) for a, b in zip(numerators, denominators, strict=True)]
    assert [(f.numerator, f.denominator) for f in result] == list(zip(numerators, denominators, strict=True))
    return result


@pytest.fixture(params=[Reference, Library], ids=["reference", "library"])
def side(request: pytest.FixtureRequest) -> Side:
    chosen: Side = request.param()
    return chosen


# Section 5: six jobs of equal length.


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("fcfs", [[0, 1], [2], [3, 4], [5]]),
        ("ff", [[0, 1, 4, 5], [2], [3]]),
        ("unc", [[0, 2, 4], [1, 3, 5]]),
        ("bb", [[3, 4], [2, 0, 5], [1]]),
        ("bl", [[3, 4], [0, 2, 5], [1]]),
    ],
)
def test_epochs_of_the_six_job_example(side: Side, rule: str, expected: list[list[int]]) -> None:
    assert side.epochs(SIX_JOBS, SIX_JOBS_MACHINE, rule) == expected


@pytest.mark.parametrize(
    ("rule", "use"),
    [
        ("fcfs", [(12, 6), (7, 16), (12, 32), (1, 10)]),
        ("ff", [(14, 28), (7, 16), (11, 20)]),
        ("unc", [(16, 32), (16, 32)]),
    ],
)
def test_use_of_the_epochs_of_the_six_job_example(side: Side, rule: str, use: list[tuple[int, int]]) -> None:
    found = side.epochs(SIX_JOBS, SIX_JOBS_MACHINE, rule)
    assert [tuple(sum(SIX_JOBS[j][k] for j in jobs) for k in range(2)) for jobs in found] == use


def test_bb_scores_of_the_six_jobs_on_the_empty_machine(side: Side) -> None:
    scores = side.scores(SIX_JOBS, (0, 0), SIX_JOBS_MACHINE, "bb")
    printed = [1.1, 1.35, 0.566667, 0.360119, 1.339286, 1.354167]
    assert [round(float(score), 6) for score in scores] == printed


@pytest.mark.parametrize(("name", "rule"), [("fcfs", "fcfs"), ("first_fit", "ff"), ("easy", "ff")])
def test_six_jobs_of_length_one_start_at_their_epoch_numbers(side: Side, name: str, rule: str) -> None:
    instance = BackfillInstance.from_rows([(0, d, 1) for d in SIX_JOBS], [list(SIX_JOBS_MACHINE)])
    epoch_of = {
        job: number
        for number, jobs in enumerate(side.epochs(SIX_JOBS, SIX_JOBS_MACHINE, rule))
        for job in jobs
    }
    assert side.solve(name, instance).starts == [epoch_of[j] for j in range(6)]


# Example 8.1. At 1 the head 2 finds 10, extra (5, 3); job 3 takes (2, 2) of it, job 5 at 4 (2, 1): job 4 needs (2, 2)
# of (3, 1). Job 6 ends at 10. At 10 job 4 is the head, free (1, 0) until job 3 ends at 13.


def test_extra_resources_are_a_vector(side: Side) -> None:
    outcome = side.solve("easy", EXTRA_IS_A_VECTOR)
    assert outcome.starts == [0, 0, 10, 1, 13, 4, 4]
    assert outcome.shadow == [(1, 2, 10, 0), (2, 2, 10, 0), (3, 2, 10, 0), (4, 2, 10, 0), (10, 4, 13, 0)]


# EASY-SJBF. Job 0 leaves (4, 4) until 10, when the head 1 wants (8, 8); extra (2, 2). Queue order takes job 2, which
# leaves (0, 3): nobody else fits before it ends at 6. Then job 3 leaves nothing until 9. The shortest is job 3; at 3
# jobs 2 and 4 fit, job 2 is shorter, and job 4 starts at 9, within extra. At 3 "sb" prefers job 4, with which the
# machine is as evenly used; then (4, 1) fits beside neither it nor the head, until 15.


@pytest.mark.parametrize(
    ("selection", "starts"),
    [("ff", [0, 10, 0, 6, 9]), ("sjbf", [0, 10, 3, 0, 9]), ("sb", [0, 10, 15, 0, 3])],
)
def test_the_shortest_estimate_overtakes_first(side: Side, selection: str, starts: list[float]) -> None:
    instance = BackfillInstance.from_rows(
        [(0, (6, 6), 10), (0, (8, 8), 5), (0, (4, 1), 6), (0, (4, 4), 3), (0, (1, 1), 9)], [[10, 10]]
    )
    outcome = side.solve("easy", instance, selection=selection)
    assert outcome.starts == starts
    assert outcome.shadow_of(1)[0] == (0, 10, 0)


# Example 8.2.

# policy, options, starts, sum of responses, weighted average, bounded slowdown, average queue (arrivals), utilisation
FIVE_POLICY_TABLE = [
    ("fcfs", {}, [0, 4, 4, 11, 11, 17, 17, 22], 110, 13.606272, 1.5125, 7 / 3, [0.6769, 0.4269]),
    ("first_fit", {}, [0, 4, 8, 15, 2, 20, 4, 5], 82, 12.885017, 1.3, 2, [0.7040, 0.4440]),
    ("easy", {}, [0, 4, 5, 12, 2, 17, 8, 8], 80, 11.536585, 1.2, 2, [0.8000, 0.5045]),
    (
        "backfill",
        {"protected": 2},
        [0, 4, 4, 11, 9, 16, 3, 5],
        76,
        11.142857,
        1.1875,
        7 / 3,
        [0.8381, 0.5286],
    ),
    ("conservative", {}, [0, 4, 4, 11, 5, 16, 11, 11], 86, 11.644599, 1.225, 7 / 3, [0.8381, 0.5286]),
]


@pytest.mark.parametrize(
    ("name", "options", "starts", "response", "weighted", "slowdown", "queue", "utilisation"),
    FIVE_POLICY_TABLE,
    ids=[row[0] for row in FIVE_POLICY_TABLE],
)
def test_five_policies_and_their_metrics(
    side: Side,
    name: str,
    options: dict[str, Any],
    starts: list[float],
    response: int,
    weighted: float,
    slowdown: float,
    queue: float,
    utilisation: list[float],
) -> None:
    outcome = side.solve(name, FIVE_POLICIES, **options)
    assert outcome.starts == starts
    summary = side.summary(FIVE_POLICIES, outcome)
    assert 8 * float(summary["avg_response"]) == response
    assert float(summary["weighted_avg_response"]) == pytest.approx(weighted, abs=5e-7)
    assert float(summary["avg_bounded_slowdown"]) == slowdown
    assert float(summary["avg_queue_arrivals"]) == pytest.approx(queue)
    assert [round(float(share), 4) for share in summary["utilisation"]] == utilisation


def test_easy_protects_each_head_in_turn(side: Side) -> None:
    outcome = side.solve("easy", FIVE_POLICIES)
    assert outcome.shadow_of(1) == [(0, 4, 0), (1, 4, 0), (2, 4, 0), (3, 4, 0)]
    assert outcome.shadow_of(2) == [(4, 5, 0)]
    assert outcome.shadow_of(3) == [(5, 12, 0), (8, 12, 0)]


def test_two_protected_jobs_both_hold_time_four(side: Side) -> None:
    outcome = side.solve("backfill", FIVE_POLICIES, protected=2)
    assert outcome.reservations[1] == [(0, 4, 0)]
    assert outcome.reservations[2] == [(1, 4, 0)]


def test_conservative_reservations_are_made_at_arrival_and_kept(side: Side) -> None:
    outcome = side.solve("conservative", FIVE_POLICIES)
    made = {1: (0, 4), 2: (1, 4), 3: (2, 11), 4: (2, 5), 5: (3, 16), 6: (3, 11), 7: (3, 11)}
    assert outcome.reservations == {job: [(when, start, 0)] for job, (when, start) in made.items()}


# Example 8.3: used (60, 40) of (100, 100); candidates a, b, c, d in queue order.

CANDIDATES = [(20, 10), (30, 20), (10, 30), (40, 55)]


@pytest.mark.parametrize(
    ("selection", "expected"),
    [
        ("bb", [Fraction(28, 65), Fraction(3, 10), Fraction(3, 10), Fraction(1, 39)]),
        ("bl", [Fraction(7, 10), Fraction(1, 2), Fraction(3, 10), Fraction(1, 40)]),
        ("bb!", [Fraction(16, 13), Fraction(6, 5), Fraction(1), Fraction(40, 39)]),
        ("bl!", [Fraction(2), Fraction(2), Fraction(1), Fraction(1)]),
    ],
)
def test_scores_of_four_candidates(side: Side, selection: str, expected: list[Fraction]) -> None:
    assert side.scores(CANDIDATES, (60, 40), (100, 100), selection) == expected


@pytest.mark.parametrize(
    ("selection", "starts"),
    [("ff", [0, 4, 0, 1, 9]), ("bl", [0, 4, 9, 0, 10]), ("bb", [0, 4, 0, 2, 1])],
)
def test_selectors_start_different_jobs_behind_the_same_head(
    side: Side, selection: str, starts: list[float]
) -> None:
    outcome = side.solve("easy", SELECTORS, selection=selection)
    assert outcome.starts == starts
    assert outcome.shadow_of(1)[0] == (0, 4, 0)


def test_scores_behind_the_head_at_zero_and_at_one(side: Side) -> None:
    # at 0 job 0 holds (1, 4): jobs 2 (3, 6) and 3 (3, 2) are legal
    bb = side.scores([(3, 6), (3, 2)], (1, 4), (10, 10), "bb")
    assert [round(float(score), 6) for score in bb] == [0.428571, 0.6]
    assert side.scores([(3, 6), (3, 2)], (1, 4), (10, 10), "bl") == [Fraction(3, 5), Fraction(1, 2)]
    # at 1 job 2 has ended: jobs 3 (3, 2) and 4 (9, 1)
    bb = side.scores([(3, 2), (9, 1)], (1, 4), (10, 10), "bb")
    assert [round(float(score), 6) for score in bb] == [0.6, 0.333333]


# Example 8.4. At 3 job 0 ends one unit early. Compression: job 1 needs 3 of 4 and job 3 holds 2 during [3, 4).
# Rebuilt, job 1 is placed first, at 3, and job 3 behind it.


def test_compression_keeps_the_hole_that_was_promised(side: Side) -> None:
    outcome = side.solve("conservative", COMPRESSION)
    assert outcome.starts == [0, 4, 0, 3]
    assert outcome.reservations == {1: [(0, 4, 0)], 3: [(1, 3, 0)]}


def test_rebuilding_takes_a_promised_place_away(side: Side) -> None:
    assert side.solve("conservative", COMPRESSION, mode="rebuild").starts == [0, 3, 0, 7]


# Example 8.5. At 4 job 0 ends four units early.


@pytest.mark.parametrize(
    ("selection", "starts", "moved"),
    [
        ("ff", [0, 4, 5, 7], {1: [(4, 4)], 2: [(4, 5)], 3: [(4, 8), (7, 7)]}),
        ("bb", [0, 4, 5, 4], {1: [(4, 4)], 2: [(4, 6), (5, 5)], 3: [(4, 4)]}),
        ("bl", [0, 6, 4, 6], {1: [(4, 7), (6, 6)], 2: [(4, 4)], 3: [(4, 7), (6, 6)]}),
    ],
)
def test_selectors_choose_in_a_compression(
    side: Side, selection: str, starts: list[float], moved: dict[int, list[tuple[float, float]]]
) -> None:
    outcome = side.solve("conservative", SELECTED_COMPRESSION, selection=selection)
    assert outcome.starts == starts
    assert outcome.first_reservations() == {1: (0, 8), 2: (1, 9), 3: (2, 12)}
    assert {job: [row[:2] for row in rows[1:]] for job, rows in outcome.reservations.items()} == moved


def test_scores_in_the_compression_at_four(side: Side) -> None:
    waiting = [(7, 1), (10, 1), (3, 8)]
    bb = side.scores(waiting, (0, 0), (10, 10), "bb")
    assert [round(float(score), 6) for score in bb] == [1.05, 0.818182, 0.654545]
    (job_1_beside_job_3,) = side.scores([(7, 1)], (3, 8), (10, 10), "bb")
    assert round(float(job_1_beside_job_3), 6) == 0.052632
    bl = side.scores(waiting, (0, 0), (10, 10), "bl")
    assert bl == [Fraction(6, 10), Fraction(45, 100), Fraction(9, 10)]


# Example 8.6. At 1 the head 2 fits machine 0 at 9, machine 1 at 5. At 5 job 5 fits both at 9.


def test_only_the_machine_of_the_shadow_is_protected(side: Side) -> None:
    outcome = side.solve("easy", TWO_MACHINES)
    assert outcome.starts == [0, 0, 5, 1, 1, 9]
    assert outcome.machines == [0, 1, 1, 0, 1, 0]
    assert outcome.shadow == [(1, 2, 5, 1), (5, 5, 9, 0)]
