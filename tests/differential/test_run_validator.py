"""The compiled validator of runs and its reference accept the same runs, and find the same thing wrong first."""

import os
from collections import Counter
from random import Random

import pytest

from differential.cluster_model import model_incidents, model_instance, model_runs
from differential.cluster_mutations import mutated
from reference import cluster_simulation, cluster_validation
from reference.cluster_instance import ClusterInstance
from reference.cluster_random import Features, random_cluster
from reference.cluster_state import RunRecord
from schedcore import Allocation, Schedule, ValidationReport, validate

#: So many instances are tried with each policy; the heavy check sets more.
N_INSTANCES = int(os.environ.get("SCHEDCORE_CLUSTER_INSTANCES", "120"))
POLICIES = ("fcfs", "first_fit", "easy", "conservative", "pq")

#: What the library calls it -> which sentence of the reference it breaks.
SENTENCES = {
    "unknown_machine": "allocations",
    "start_before_release": "starts_after_release",
    "no_progress": "lengths_and_ends",
    "attempt_out_of_order": "one_run_at_a_time",
    "job_runs_twice": "one_run_at_a_time",
    "job_has_ended": "one_run_at_a_time",
    "past_cancellation": "cancellations",
    "wrong_n_tasks": "allocations",
    "wrong_length": "lengths_and_ends",
    "not_cut_short": "lengths_and_ends",
    "killed_by_nothing": "lengths_and_ends",
    "cancelled_by_nobody": "lengths_and_ends",
    "machine_twice": "allocations",
    "no_tasks": "allocations",
    "machine_not_allowed": "allocations",
    "too_many_tasks": "allocations",
    "during_outage": "usable_machines",
    "during_failure": "usable_machines",
    "not_alone": "exclusive_machines",
    "capacity_exceeded": "capacities",
}


def report_of(
    instance: ClusterInstance, runs: list[RunRecord], outcome: list[str] | None = None
) -> ValidationReport:
    return validate(
        model_instance(instance), model_runs(runs), incidents=model_incidents(instance), outcome=outcome
    )


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("max_jobs", [11, 30])
def test_simulated_runs_are_feasible(policy: str, max_jobs: int) -> None:
    for seed in range(N_INSTANCES if max_jobs == 11 else N_INSTANCES // 5):
        instance = random_cluster(seed, max_jobs=max_jobs)
        run = cluster_simulation.run(instance, policy, infeasible="drop")
        assert cluster_validation.outcomes(instance, run.runs, run.outcome) == []
        assert report_of(instance, run.runs, run.outcome).ok, seed


@pytest.mark.parametrize("policy", POLICIES)
def test_changed_runs_are_judged_alike(policy: str) -> None:
    kinds: Counter[str | None] = Counter()
    for seed in range(N_INSTANCES):
        random = Random(f"{policy} {seed}")
        instance = random_cluster(seed)
        run = cluster_simulation.run(instance, policy, infeasible="drop")
        if run.runs:
            for _ in range(8):
                kinds[assert_same_verdict(instance, mutated(random, instance, run.runs))] += 1
    assert kinds[None] > N_INSTANCES / 10
    assert len(kinds) >= min(15, N_INSTANCES // 8)


def assert_same_verdict(instance: ClusterInstance, runs: list[RunRecord]) -> str | None:
    report = report_of(instance, runs)
    assert report.ok == (cluster_validation.violations(instance, runs) == []), (report, runs)
    if report.kind is None:
        return None
    # What began before is feasible, and with what begins then, the sentence is broken.
    assert report.instant is not None
    before = [run for run in runs if run.start < report.instant]
    assert cluster_validation.violations(instance, before) == []
    until = [run for run in runs if run.start <= report.instant]
    assert getattr(cluster_validation, SENTENCES[report.kind])(instance, until), report
    assert report.run is not None
    told = model_runs(runs)
    assert (told.job[report.run], told.start_time[report.run]) == (report.job, report.instant)
    return report.kind


def test_changed_outcomes_are_judged_alike() -> None:
    for seed in range(N_INSTANCES):
        random = Random(seed)
        instance = random_cluster(seed)
        run = cluster_simulation.run(instance, "easy", infeasible="drop")
        outcome = list(run.outcome)
        changed = random.randrange(len(outcome))
        outcome[changed] = random.choice(["completed", "killed", "cancelled", "never", "waiting"])
        report = report_of(instance, run.runs, outcome)
        assert report.ok == (cluster_validation.outcomes(instance, run.runs, outcome) == []), seed
        if not report.ok:
            assert (report.kind, report.job) == ("wrong_outcome", changed)


def test_a_schedule_is_judged_as_its_runs() -> None:
    """Without incidents every job runs once; starts are moved now and then."""
    n_feasible = 0
    for seed in range(N_INSTANCES):
        random = Random(seed)
        instance = random_cluster(seed, Features(incidents=False))
        run = cluster_simulation.run(instance, "first_fit", infeasible="drop")
        ran = [j for j, last in enumerate(run.last_runs()) if last is not None]
        kept = ClusterInstance(instance.machines, tuple(instance.jobs[j] for j in ran), instance.outages)
        runs = [last for last in run.last_runs() if last is not None]
        for row in range(len(runs)):
            if random.random() < 0.1:
                runs[row] = RunRecord(
                    row, 0, runs[row].start + 1, runs[row].end + 1, "completed", runs[row].allocation
                )
        runs = [RunRecord(row, 0, r.start, r.end, r.outcome, r.allocation) for row, r in enumerate(runs)]
        report = validate(model_instance(kept), schedule_of(runs))
        assert report.ok == (cluster_validation.violations(kept, runs) == []), seed
        n_feasible += report.ok
    assert N_INSTANCES / 4 < n_feasible < N_INSTANCES


def schedule_of(runs: list[RunRecord]) -> Schedule:
    told = model_runs(runs).allocation
    rows = model_runs(runs).job[told.run]
    return Schedule(
        [run.start for run in runs],
        [run.allocation[0][0] for run in runs],
        Allocation(rows, told.machine, told.n_tasks),
    )
