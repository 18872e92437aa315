"""The cluster validator of the references finds what is wrong with runs, one sentence of the definition at a time."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from reference import cluster_validation
from reference.cluster_instance import ClusterInstance, ClusterJob, ClusterMachine, Down
from reference.cluster_state import RunRecord

INSTANCE = ClusterInstance(
    machines=(ClusterMachine((2,), labels=frozenset({"a"})), ClusterMachine((3,))),
    jobs=(
        ClusterJob(1, 4, (1,), 4, n_tasks=2, spread=1),
        ClusterJob(0, 5, (1,), 5, exclusive=True, constraint="!a"),
        ClusterJob(0, 9, (2,), 9, constraint="a", checkpoint_interval=2, restart_cost=1),
    ),
    outages=(Down(1, 20, 22),),
    failures=(Down(0, 8, 10),),
    cancellations={0: 17},
    killed="checkpoint",
)
# Job 2 is killed at 8 when 4 of 5 units are saved; it then takes 9 - 4 + 1 = 6.
GANG = RunRecord(0, 0, 16, 17, "cancelled", ((0, 1), (1, 1)))
ALONE = RunRecord(1, 0, 0, 5, "completed", ((1, 1),))
CUT = RunRecord(2, 0, 3, 8, "killed", ((0, 1),))
RESUMED = RunRecord(2, 1, 10, 16, "completed", ((0, 1),))
RUNS = [ALONE, CUT, RESUMED, GANG]

Edit = Callable[[list[RunRecord]], list[RunRecord]]


def changed(run: RunRecord, **fields: object) -> Edit:
    return lambda runs: [replace(r, **fields) if r is run else r for r in runs]  # type: ignore[arg-type]


def test_feasible_runs_are_found_to_be_so() -> None:
    assert cluster_validation.violations(INSTANCE, RUNS) == []


@pytest.mark.parametrize(
    ("check", "edit"),
    [
        ("starts_after_release", changed(GANG, start=0.5)),
        ("allocations", changed(GANG, allocation=((0, 1),))),
        ("allocations", changed(GANG, allocation=((1, 2),))),
        ("allocations", changed(GANG, allocation=((1, 1), (1, 1)))),
        ("allocations", changed(ALONE, allocation=((0, 1),))),
        ("capacities", changed(GANG, start=15)),
        ("exclusive_machines", changed(GANG, start=4)),
        ("usable_machines", changed(GANG, start=19, end=21)),
        ("usable_machines", changed(CUT, end=9)),
        ("usable_machines", changed(RESUMED, start=9.5)),
        ("one_run_at_a_time", changed(RESUMED, attempt=2)),
        ("one_run_at_a_time", changed(RESUMED, start=7)),
        ("one_run_at_a_time", changed(CUT, outcome="completed")),
        ("cancellations", changed(GANG, end=18)),
        ("cancellations", changed(GANG, start=17, end=21, outcome="completed")),
        ("lengths_and_ends", changed(RESUMED, end=17)),
        ("lengths_and_ends", changed(ALONE, end=4)),
        ("lengths_and_ends", changed(CUT, end=7)),
        ("lengths_and_ends", changed(GANG, end=16)),
        ("lengths_and_ends", changed(GANG, end=18)),
        ("lengths_and_ends", changed(GANG, outcome="killed")),
    ],
)
def test_what_is_wrong_is_found(check: str, edit: Edit) -> None:
    runs = edit(RUNS)
    assert runs != RUNS
    assert getattr(cluster_validation, check)(INSTANCE, runs)
    assert cluster_validation.violations(INSTANCE, runs)


@pytest.mark.parametrize("job", range(3))
@pytest.mark.parametrize("outcome", ["completed", "killed", "cancelled", "never", "waiting"])
def test_outcomes_follow_from_the_runs(job: int, outcome: str) -> None:
    told = ["cancelled", "completed", "completed"]
    agrees = outcome == told[job]
    told[job] = outcome
    assert (cluster_validation.outcomes(INSTANCE, RUNS, told) == []) == agrees


def test_a_dropped_job_does_not_run_again() -> None:
    assert cluster_validation.one_run_at_a_time(replace(INSTANCE, killed="drop"), RUNS)
