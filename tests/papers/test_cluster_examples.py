"""The worked examples of the cluster specification: gangs, machines that differ, constraints, outages, failures.

Jobs are rows ``(release, tasks, demand of a task, length)`` or ``(.., length, estimate)``, and columns. Starts,
places and runs are those of the specification, worked out on paper; the lines beside the cases say why.
"""

from dataclasses import dataclass
from math import inf
from typing import Any, Protocol

import pytest

import schedcore
from differential.cluster_model import model_incidents, model_instance
from reference import cluster_simulation
from reference.cluster_instance import ClusterInstance, ClusterJob, ClusterMachine, Down
from reference.cluster_labels import condition
from reference.cluster_site import NO_RULES
from reference.cluster_validation import outcomes, violations
from schedcore.model import machines_that_satisfy

Place = dict[int, int]  # machine -> tasks, in the order of placement
Run = tuple[float, float]  # start, end


def job(
    release: float,
    tasks: int,
    demand: tuple[int, ...],
    length: float,
    estimate: float | None = None,
    **columns: Any,
) -> ClusterJob:
    return ClusterJob(
        release, length, demand, length if estimate is None else estimate, n_tasks=tasks, **columns
    )


@dataclass(frozen=True)
class Outcome:
    """What the examples print of a result: by job its runs, and where the last one was."""

    runs: list[list[Run]]
    places: list[list[tuple[int, int]]]
    outcome: list[str]
    shadow: list[tuple[float, int, float, int]]
    reservations: dict[int, list[tuple[float, float, int]]]

    @property
    def starts(self) -> list[float]:
        """Of the last runs."""
        return [runs[-1][0] for runs in self.runs]

    @property
    def machines(self) -> list[int]:
        return [place[0][0] for place in self.places]


class Side(Protocol):
    """The reference implementation; the library has the same door."""

    def solve(self, policy: str, instance: ClusterInstance, **options: Any) -> Outcome: ...

    def allowed(self, constraint: str, machines: tuple[ClusterMachine, ...]) -> list[int]: ...


class Reference:
    """The pure-Python reading of the specification."""

    def solve(self, policy: str, instance: ClusterInstance, **options: Any) -> Outcome:
        result = cluster_simulation.run(instance, policy, **options)
        site = options.get("site", NO_RULES)
        assert violations(instance, result.runs, site) == []
        assert outcomes(instance, result.runs, result.outcome, site) == []
        jobs = range(len(instance.jobs))
        return Outcome(
            runs=[[(r.start, r.end) for r in result.runs if r.job == j] for j in jobs],
            places=[list(last.allocation) if (last := result.last_run(j)) else [] for j in jobs],
            outcome=result.outcome,
            shadow=result.shadow,
            reservations=result.reservations,
        )

    def allowed(self, constraint: str, machines: tuple[ClusterMachine, ...]) -> list[int]:
        asked = condition(constraint)
        return [m for m, machine in enumerate(machines) if asked(machine.labels)]


class Library:
    """`schedcore.solve`, with the classes of the library."""

    def solve(self, policy: str, instance: ClusterInstance, **options: Any) -> Outcome:
        told = {**options, "record": True} if policy in ("easy", "backfill", "conservative") else options
        model, incidents = model_instance(instance), model_incidents(instance)
        result = schedcore.solve(policy, model, incidents=incidents, **told)
        runs, outcome = result.runs, result.outcome
        assert runs is not None
        assert outcome is not None
        report = schedcore.validate(model, runs, incidents=incidents, outcome=outcome)
        assert report.ok, report.message
        times = list(zip(runs.start_time.tolist(), runs.end_time.tolist(), strict=True))
        jobs = range(len(instance.jobs))
        return Outcome(
            runs=[[times[row] for row in (runs.job == j).nonzero()[0]] for j in jobs],
            places=[result.schedule.allocation.of(j) for j in jobs],
            outcome=outcome.tolist(),
            shadow=result.stats.get("shadow", []),
            reservations=result.stats.get("reservations", {}),
        )

    def allowed(self, constraint: str, machines: tuple[ClusterMachine, ...]) -> list[int]:
        rows = schedcore.Machines([m.capacity for m in machines], labels=[m.labels for m in machines])
        try:
            mask = machines_that_satisfy(constraint, rows)
        except schedcore.InvalidInstanceError as error:
            raise ValueError(str(error)) from error
        return [m for m, holds in enumerate(mask.tolist()) if holds]


@pytest.fixture(params=[Reference, Library], ids=["reference", "library"])
def side(request: pytest.FixtureRequest) -> Side:
    chosen: Side = request.param()
    return chosen


BACKFILLING = ["first_fit", "easy", "conservative"]


# E1. Job 0 fills machine 1. At 1 free is (2,7), (0,0), (0,2): job 2 has rooms 0 on 1, 0 on 2 and 2 on 0. Job 3 ends at
# 3 on machine 0. At 3 the head leaves (2,0) on machine 2 and (1,2) on machine 0: nothing for job 4.

GANG = ClusterInstance(
    machines=(ClusterMachine((4, 8), weight=1), ClusterMachine((8, 8)), ClusterMachine((4, 4))),
    jobs=(
        job(0, 4, (2, 2), 5),
        job(0, 3, (2, 1), 3),
        job(1, 5, (1, 2), 4),
        job(1, 1, (2, 2), 2),
        job(1, 1, (2, 1), 9),
    ),
)


def test_gang_under_fcfs(side: Side) -> None:
    outcome = side.solve("fcfs", GANG)
    assert outcome.starts == [0, 0, 3, 5, 5]
    assert outcome.places == [[(1, 4)], [(2, 2), (0, 1)], [(2, 2), (0, 3)], [(1, 1)], [(1, 1)]]
    assert outcome.machines == [1, 2, 2, 1, 1]


@pytest.mark.parametrize("policy", BACKFILLING)
def test_gang_that_others_overtake(side: Side, policy: str) -> None:
    outcome = side.solve(policy, GANG)
    assert outcome.starts == [0, 0, 3, 1, 5]
    assert outcome.places == [[(1, 4)], [(2, 2), (0, 1)], [(2, 2), (0, 3)], [(0, 1)], [(1, 1)]]


def test_gang_is_reserved_on_the_first_machine_of_its_allocation(side: Side) -> None:
    assert side.solve("easy", GANG).shadow[0] == (1, 2, 3, 2)
    assert side.solve("conservative", GANG).reservations[2] == [(1, 3, 2)]


# E2. Job 1 wants an empty machine, job 3 two of them: machine 2 is empty at 3, 0 and 1 at 4.

EXCLUSIVE_AND_SPREAD = ClusterInstance(
    machines=(ClusterMachine((4,)),) * 3,
    jobs=(
        job(0, 2, (1,), 4, spread=1),
        job(0, 1, (1,), 3, exclusive=True),
        job(0, 3, (1,), 2, spread=2),
        job(1, 2, (3,), 2, exclusive=True),
        job(1, 1, (2,), 2),
        job(1, 1, (4,), 5),
    ),
)


def test_exclusive_jobs_and_a_bound_of_tasks_on_one_machine(side: Side) -> None:
    outcome = side.solve("fcfs", EXCLUSIVE_AND_SPREAD)
    assert outcome.starts == [0, 0, 0, 4, 4, 6]
    assert outcome.places == [
        [(0, 1), (1, 1)],
        [(2, 1)],
        [(0, 2), (1, 1)],
        [(0, 1), (1, 1)],
        [(2, 1)],
        [(0, 1)],
    ]


@pytest.mark.parametrize("policy", BACKFILLING)
def test_jobs_overtake_an_exclusive_one(side: Side, policy: str) -> None:
    outcome = side.solve(policy, EXCLUSIVE_AND_SPREAD)
    assert outcome.starts == [0, 0, 0, 4, 1, 3]
    assert outcome.places == [
        [(0, 1), (1, 1)],
        [(2, 1)],
        [(0, 2), (1, 1)],
        [(0, 1), (1, 1)],
        [(1, 1)],
        [(2, 1)],
    ]


# E3.

LABELLED = (
    ClusterMachine((2,), labels=frozenset({"cpu", "rack=0"})),
    ClusterMachine((2,), labels=frozenset({"cpu", "rack=1", "ssd"})),
    ClusterMachine((2,), labels=frozenset({"gpu", "rack=1"})),
)
CONSTRAINED = ClusterInstance(
    machines=LABELLED,
    jobs=(
        job(0, 2, (1,), 3),
        job(0, 1, (2,), 4, constraint="gpu|ssd"),
        job(0, 1, (1,), 2, constraint="!gpu&rack=1"),
        job(0, 1, (2,), 5, constraint="cpu&!ssd|gpu"),
        job(0, 1, (1,), 2, constraint="!(cpu&ssd)"),
    ),
)


@pytest.mark.parametrize(
    ("constraint", "machines"),
    [
        ("", [0, 1, 2]),
        ("  ", [0, 1, 2]),
        ("gpu|ssd", [1, 2]),
        ("!gpu&rack=1", [1]),
        ("cpu&!ssd|gpu", [0, 2]),
        ("!(cpu&ssd)", [0, 2]),
        ("!fpga & rack=1", [1, 2]),
        ("fpga", []),
        ("!!gpu", [2]),
        ("cpu | rack=1 & gpu", [0, 1, 2]),
        ("(cpu | gpu) & rack=1", [1, 2]),
    ],
)
def test_truth_table_of_constraints(side: Side, constraint: str, machines: list[int]) -> None:
    assert side.allowed(constraint, LABELLED) == machines


@pytest.mark.parametrize(
    ("constraint", "position"),
    [
        ("gpu&", 4),
        ("|gpu", 0),
        ("!", 1),
        ("(gpu", "4|0"),  # where it ends, or the parenthesis that is not closed
        ("gpu)", 3),
        ("()", 1),
        ("gpu ssd", 4),
        ("gpu&&ssd", 4),
        ("gpu!ssd", 3),
        ("g,u", 1),
        ("gpu*", 3),
        (" gpu\n", 4),
        ("& &", 0),
    ],
)
def test_malformed_constraints_are_refused_with_their_place(
    side: Side, constraint: str, position: int | str
) -> None:
    with pytest.raises(ValueError, match=rf"\b({position})\b"):
        side.allowed(constraint, LABELLED)


def test_a_label_that_no_machine_carries_refuses_the_job(side: Side) -> None:
    instance = ClusterInstance(LABELLED, (job(0, 1, (1,), 1), job(0, 1, (1,), 1, constraint="fpga")))
    with pytest.raises((ValueError, schedcore.InfeasibleError), match="job 1"):
        side.solve("fcfs", instance)
    assert side.solve("fcfs", instance, infeasible="drop").outcome == ["completed", "never"]


@pytest.mark.parametrize(
    ("policy", "starts", "machines"),
    [("fcfs", [0, 0, 4, 4, 4], [0, 1, 1, 0, 2])]
    + [(name, [0, 0, 4, 0, 3], [0, 1, 1, 2, 0]) for name in BACKFILLING],
)
def test_jobs_go_where_their_constraints_allow(
    side: Side, policy: str, starts: list[float], machines: list[int]
) -> None:
    outcome = side.solve(policy, CONSTRAINED)
    assert outcome.starts == starts
    assert outcome.machines == machines


# E4. The head could have the machine at 6, but [6, 11) meets the outage. Job 3 would run [1, 11), job 5 until 11.

AROUND_AN_OUTAGE = ClusterInstance(
    machines=(ClusterMachine((4,)),),
    jobs=(
        job(0, 1, (3,), 6),
        job(0, 1, (4,), 5),
        job(1, 1, (1,), 5),
        job(1, 1, (1,), 10),
        job(6, 1, (2,), 4),
        job(6, 1, (2,), 5),
    ),
    outages=(Down(0, 10, 14),),
)


@pytest.mark.parametrize(
    ("policy", "starts"),
    [("fcfs", [0, 14, 19, 19, 19, 23])] + [(name, [0, 14, 1, 19, 6, 19]) for name in BACKFILLING],
)
def test_no_run_reaches_into_an_announced_outage(side: Side, policy: str, starts: list[float]) -> None:
    assert side.solve(policy, AROUND_AN_OUTAGE).starts == starts


def test_the_shadow_of_the_head_is_the_end_of_the_outage(side: Side) -> None:
    assert side.solve("easy", AROUND_AN_OUTAGE).shadow[0] == (0, 1, 14, 0)


# E5. At 7 job 0 is killed on both machines. Under EASY it is passed over while machine 1 is down; at 9 it is reserved
# at 11, at 13 machine 0 fails. Checkpoint under EASY: the first run saves 6, so the next takes 10 - 6 + 1 = 5; it is
# cut after 2: nothing more is saved. Under FCFS the second run of 4 does 3: 9 are saved, the last takes 2.
# Conservative: at 7 job 2 is reserved at 11 on machine 0, and moves to 9 when machine 1 comes back.

FAILING = {
    "machines": (ClusterMachine((2,)),) * 2,
    "jobs": (
        job(0, 2, (2,), 10, checkpoint_interval=3, restart_cost=1),
        job(1, 1, (1,), 4),
        job(2, 1, (2,), 3),
    ),
    "failures": (Down(1, 7, 9), Down(0, 13, 14)),
}


@pytest.mark.parametrize(
    ("killed", "policies", "runs_of_job_0", "start_of_1", "start_of_2"),
    [
        ("requeue", ["fcfs"], [(0, 7), (9, 13), (14, 24)], 24, 24),
        ("requeue", ["easy"], [(0, 7), (11, 13), (16, 26)], 7, 13),
        ("requeue", ["first_fit", "conservative"], [(0, 7), (12, 13), (14, 24)], 7, 9),
        ("checkpoint", ["fcfs"], [(0, 7), (9, 13), (14, 16)], 16, 16),
        ("checkpoint", ["easy"], [(0, 7), (11, 13), (16, 21)], 7, 13),
        ("checkpoint", ["first_fit", "conservative"], [(0, 7), (12, 13), (14, 19)], 7, 9),
        ("drop", ["fcfs", *BACKFILLING], [(0, 7)], 7, 9),
    ],
)
def test_what_failures_kill(
    side: Side,
    killed: str,
    policies: list[str],
    runs_of_job_0: list[Run],
    start_of_1: float,
    start_of_2: float,
) -> None:
    for policy in policies:
        outcome = side.solve(policy, ClusterInstance(**FAILING, killed=killed))
        assert outcome.runs[0] == runs_of_job_0
        assert outcome.runs[1:] == [[(start_of_1, start_of_1 + 4)], [(start_of_2, start_of_2 + 3)]]
        assert outcome.outcome == ["killed" if killed == "drop" else "completed", "completed", "completed"]


def test_a_reservation_moves_when_a_machine_comes_back(side: Side) -> None:
    reservations = side.solve("conservative", ClusterInstance(**FAILING)).reservations
    assert [row for row in reservations[2] if row[0] >= 7] == [(7, 11, 0), (9, 9, 1)]


# E6. Reservations made at 1 and 2: job 2 at 6 (1:2), job 3 at 8 (0), job 4 at 10 (1). At 3 those of 2 and 4 are void;
# compression does not move job 3; then job 1 gets 11, job 2 17, job 4 21, all on 0. At 5 job 0 ends early: jobs 1 and 2
# cannot move, job 3 starts, job 4 moves to 8. At 7 machine 1 is back: job 1 starts there, job 2 moves to 10.

AFTER_A_FAILURE = ClusterInstance(
    machines=(ClusterMachine((2,)),) * 2,
    jobs=(
        job(0, 1, (2,), 5, 8),
        job(0, 1, (2,), 6),
        job(1, 2, (1,), 4),
        job(1, 1, (2,), 3),
        job(2, 1, (1,), 2),
    ),
    failures=(Down(1, 3, 7),),
)


@pytest.mark.parametrize(
    ("policy", "options", "starts", "machines", "place_of_2"),
    [
        ("conservative", {}, [0, 7, 10, 5, 8], [0, 1, 0, 0, 0], [(0, 2)]),
        ("conservative", {"compression": "fixpoint"}, [0, 7, 10, 5, 8], [0, 1, 0, 0, 0], [(0, 2)]),
        ("conservative", {"compression": "none"}, [0, 11, 17, 8, 21], [0, 0, 0, 0, 0], [(0, 2)]),
        ("easy", {}, [0, 5, 7, 11, 11], [0, 0, 1, 0, 1], [(1, 2)]),
    ],
)
def test_reservations_after_a_failure(
    side: Side,
    policy: str,
    options: dict[str, Any],
    starts: list[float],
    machines: list[int],
    place_of_2: list[tuple[int, int]],
) -> None:
    outcome = side.solve(policy, AFTER_A_FAILURE, **options)
    assert outcome.starts == starts
    assert outcome.machines == machines
    assert outcome.places[2] == place_of_2
    assert outcome.runs[1][0] == (0, 3)


def test_void_reservations_are_made_anew_behind_the_others(side: Side) -> None:
    reservations = side.solve("conservative", AFTER_A_FAILURE).reservations
    assert reservations[2] == [(1, 6, 1), (3, 17, 0), (7, 10, 0)]
    assert reservations[3] == [(1, 8, 0), (5, 5, 0)]
    assert reservations[4] == [(2, 10, 1), (3, 21, 0), (5, 8, 0)]
    assert reservations[1] == [(3, 11, 0), (7, 7, 1)]


# Beyond the examples: what waits for a machine that never comes back.


@pytest.mark.parametrize("policy", ["fcfs", *BACKFILLING])
def test_a_job_whose_machine_never_comes_back_waits(side: Side, policy: str) -> None:
    instance = ClusterInstance(
        (ClusterMachine((1,), labels=frozenset({"a"})), ClusterMachine((1,))),
        (job(0, 1, (1,), 5, constraint="a"), job(2, 1, (1,), 3)),
        failures=(Down(0, 1, inf),),
    )
    outcome = side.solve(policy, instance)
    assert outcome.runs[0] == [(0, 1)]
    assert outcome.outcome[0] == "waiting"
    assert outcome.runs[1] == ([] if policy == "fcfs" else [(2, 5)])
