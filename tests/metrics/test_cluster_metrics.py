"""Metrics of runs on clusters: what was used, of use and lost; what was up; and jobs that ran several times."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from differential.cluster_model import model_incidents, model_instance, model_runs
from reference import cluster_simulation
from reference.cluster_instance import ClusterInstance
from reference.cluster_random import Features, random_cluster
from schedcore import (
    Allocation,
    Incidents,
    Instance,
    InvalidInstanceError,
    Jobs,
    Machines,
    Outages,
    RunAllocation,
    Runs,
    Schedule,
    UnsupportedError,
    metrics,
    validate,
)
from schedcore.model.runs import runs_of

# Two machines of 2 cores fail: machine 1 in [7, 9), machine 0 in [13, 14). Job 0 has two tasks of 2 cores and takes 10,
# saved after every 3 units of work, and a restart costs 1. EASY with checkpoints: it runs [0, 7), which saves 6;
# [11, 13) of 10 - 6 + 1 = 5, cut after 2, which saves nothing more; and [16, 21). Job 1 (1 core, 4) runs [7, 11) on
# machine 0, job 2 (2 cores, 3) [13, 16) on machine 1. Job 3 is cancelled and never ran.
INSTANCE = Instance(
    Jobs(
        [10, 4, 3, 5],
        [[2], [1], [2], [1]],
        [0, 1, 2, 3],
        id=[10, 11, 12, 13],
        n_tasks=[2, 1, 1, 1],
        checkpoint_interval=[3, 0, 0, 0],
        restart_cost=[1, 0, 0, 0],
        user=["ann", "bob", None, "ann"],
        after_any=[None, None, None, [10]],
    ),
    Machines([[2], [2]], ["cores"], labels=[["fast"], []]),
)
INCIDENTS = Incidents(Outages([1, 0], [7, 13], [9, 14]), {13: 20}, "checkpoint")
RUNS = Runs(
    [0, 1, 0, 2, 0],
    [0, 0, 1, 0, 2],
    [0, 7, 11, 13, 16],
    [7, 11, 13, 16, 21],
    ["killed", "completed", "killed", "completed", "completed"],
    RunAllocation([0, 0, 1, 2, 2, 3, 4, 4], [0, 1, 0, 0, 1, 1, 0, 1], [1] * 8),
)
OUTCOME = ["completed", "completed", "completed", "cancelled"]


def test_the_example_is_feasible() -> None:
    assert validate(INSTANCE, RUNS, incidents=INCIDENTS, outcome=OUTCOME).message == "the runs are feasible"


def test_used_useful_and_lost_work_of_the_example() -> None:
    # Used: job 0 (7 + 2 + 5) * 4, job 1 4 * 1, job 2 3 * 2. Useful: 10 * 4 + 4 + 6. Lost: 14 - 10 = 4 times 4 cores,
    # namely 1 unit after the last checkpoint, the run of 2, and 1 for the last restart.
    work = metrics.run_work(INSTANCE, RUNS)
    assert (work.used.tolist(), work.useful.tolist(), work.lost.tolist()) == ([66.0], [50.0], [16.0])
    assert work.goodput.tolist() == [50 / 66]


def test_capacity_of_the_example() -> None:
    # From 0 to 21: 2 machines * 2 cores * 21 = 84; down 2 * 2 + 1 * 2 = 6.
    use = metrics.capacity_use(INSTANCE, RUNS, INCIDENTS)
    assert (use.names, use.n_machines.tolist(), use.between) == (("all machines",), [2], (0.0, 21.0))
    assert (use.used.tolist(), use.nominal.tolist(), use.up.tolist()) == ([[66.0]], [[84.0]], [[78.0]])
    assert use.utilisation.tolist() == [[66 / 84]]
    assert use.utilisation_of_up.tolist() == [[66 / 78]]
    assert use.utilisation[0].tolist() == metrics.utilisation(INSTANCE, RUNS).tolist()
    kinds = metrics.capacity_use_by_kind(INSTANCE, RUNS, INCIDENTS)
    assert kinds.names == ("cores: 2 fast", "cores: 2")
    # Machine 0: 14 * 2 + 4; machine 1: 14 * 2 + 6.
    assert (kinds.used.tolist(), kinds.up.tolist()) == ([[32.0], [34.0]], [[40.0], [38.0]])
    # [6, 8): job 0 holds 4 until 7, then job 1 holds 1; machine 1 is down from 7 on.
    part = metrics.capacity_use(INSTANCE, RUNS, INCIDENTS, between=(6, 8))
    assert (part.used.tolist(), part.nominal.tolist(), part.up.tolist()) == ([[5.0]], [[8.0]], [[6.0]])


def test_outages_and_failures_that_overlap_count_once() -> None:
    announced = INSTANCE.replace(outages=Outages([1, 1], [8, 20], [10, np.inf]))
    use = metrics.capacity_use(announced, RUNS, INCIDENTS)
    assert use.up.tolist() == [
        [84.0 - 2 * (3 + 1 + 1)]
    ]  # machine 1 in [7, 10) and [20, 21), machine 0 in [13, 14)


def test_jobs_that_ran_again_wait_until_their_first_start_and_end_with_the_last() -> None:
    part = metrics.completed_part(INSTANCE, RUNS, OUTCOME)
    assert (part.inst.n_jobs, part.jobs.tolist()) == (3, [0, 1, 2])
    assert (part.left_out, part.n_left_out, part.left_out_work.tolist()) == ({"cancelled": 1}, 1, [5.0])
    inst, runs = part.inst, part.runs
    assert metrics.queuing_delay(inst, runs).tolist() == [0, 6, 11]
    assert metrics.completion_time(inst, runs).tolist() == [21, 11, 16]
    assert metrics.flow_time(inst, runs).tolist() == [21, 10, 14]
    assert metrics.slowdown(inst, runs).tolist() == [2.1, 2.5, 14 / 3]
    assert metrics.makespan(inst, runs) == 21
    assert metrics.times_overtaken(inst, runs).tolist() == [0, 0, 0]
    # Waiting: job 1 in [1, 7), job 2 in [2, 13), job 0 again in [7, 11) and [13, 16).
    queue = metrics.queue_length(inst, runs)
    assert queue.at([0, 1, 2, 6, 7, 10, 11, 12, 13, 15, 16]).tolist() == [0, 1, 2, 2, 2, 2, 1, 1, 1, 1, 0]
    # Their work, of 1 x 4, 2 x 3 and, from its beginning again, 2 x 2 x 10.
    work = metrics.waiting_work(inst, runs, "cores")
    assert work.at([0, 1, 2, 6, 7, 10, 11, 12, 13, 15, 16]).tolist() == [
        0,
        4,
        10,
        10,
        46,
        46,
        6,
        6,
        40,
        40,
        0,
    ]
    usage = metrics.resource_usage(inst, runs, machine=1)
    assert usage.at([0, 7, 11, 13, 16, 21]).ravel().tolist() == [2, 0, 2, 2, 2, 0]
    assert metrics.resource_usage(inst, runs).at([0, 7, 11, 13]).ravel().tolist() == [4, 1, 4, 2]


def test_a_summary_says_who_is_left_out() -> None:
    figures = metrics.cluster_summary(INSTANCE, RUNS, OUTCOME, INCIDENTS)
    assert (figures["n_jobs"], figures["n_left_out"], figures["left_out_work"]) == (3, 1, (5.0,))
    assert (figures["avg_wait"], figures["max_wait"], figures["makespan"]) == (17 / 3, 11.0, 21.0)
    assert figures["avg_response"] == 15.0
    assert figures["avg_queue_all"] == 24 / 21  # 6 + 11 + 4 + 3
    assert (figures["used"], figures["useful"], figures["lost"]) == ((66.0,), (50.0,), (16.0,))
    assert (figures["utilisation"], figures["utilisation_of_up"]) == ((66 / 84,), (66 / 78,))
    assert (figures["n_runs"], figures["goodput"]) == (5, (50 / 66,))


def test_who_did_not_complete_is_refused_by_name_elsewhere() -> None:
    for metric in (metrics.completion_time, metrics.flow_time, metrics.queue_length, metrics.awct):
        with pytest.raises(
            InvalidInstanceError, match=r"job 3 \(id 13\) never completed; metrics.completed_part"
        ):
            metric(INSTANCE, RUNS)  # type: ignore[operator]
    with pytest.raises(InvalidInstanceError, match=r"job 3 \(id 13\) never ran; metrics.completed_part"):
        metrics.queuing_delay(INSTANCE, RUNS)


def test_without_any_run_there_are_no_figures_but_what_is_left_out() -> None:
    nothing = Runs([], [], [], [], [], RunAllocation([], [], []))
    figures = metrics.cluster_summary(INSTANCE, nothing)
    assert (figures["n_jobs"], figures["n_left_out"], figures["left_out_work"]) == (0, 4, (55.0,))
    assert (figures["used"], figures["goodput"], figures["utilisation_of_up"]) == ((0.0,), (1.0,), (0.0,))
    assert metrics.completed_part(INSTANCE, nothing).left_out == {"not completed": 4}


def test_classes_by_who_submitted() -> None:
    classes = metrics.submitter_classes(INSTANCE)
    assert (classes.names, classes.of_job.tolist()) == (("ann", "bob", "(none)"), [0, 1, 2, 0])
    part = metrics.completed_part(INSTANCE, RUNS)
    rows = metrics.fairness_by_class(part.inst, part.runs, metrics.submitter_classes(part.inst)).rows()
    assert [(row["class"], row["n_jobs"], row["mean_wait"]) for row in rows] == [
        ("ann", 1, 0.0), ("bob", 1, 6.0), ("(none)", 1, 11.0),
    ]  # fmt: skip
    assert metrics.submitter_classes(INSTANCE, "account").names == ("(none)",)
    with pytest.raises(InvalidInstanceError, match="did you mean 'user'"):
        metrics.submitter_classes(INSTANCE, "users")


def test_schedules_of_gangs_count_all_tasks_where_they_are() -> None:
    # Job 0: 3 tasks of 2 cores in [0, 4), two of them on machine 1; job 1 alone on machine 0 in [4, 6).
    gangs = Instance(
        Jobs([4, 2], [[2], [1]], n_tasks=[3, 1], exclusive=[False, True]), Machines([[4], [4]], ["cores"])
    )
    plan = Schedule([0, 4], [1, 0], Allocation([0, 0, 1], [1, 0, 0], [2, 1, 1]))
    assert metrics.resource_usage(gangs, plan).at([0, 4, 6]).ravel().tolist() == [6, 1, 0]
    assert metrics.resource_usage(gangs, plan, machine=1).at([0, 4]).ravel().tolist() == [4, 0]
    assert metrics.utilisation(gangs, plan).tolist() == [(4 * 6 + 2 * 1) / (8 * 6)]
    assert metrics.utilisation(gangs, plan, between=(3, 5)).tolist() == [(6 + 1) / 16]
    assert metrics.size_classes(gangs).names == ("1", "5-8")
    assert metrics.shape_classes(gangs, narrow=5).names == ("narrow short", "wide short")
    # Volumes 4 * 6 / 8 and 2 * 1 / 8 weigh the responses 4 and 6.
    assert metrics.summary(gangs, plan)["weighted_avg_response"] == (3 * 4 + 0.25 * 6) / 3.25


def test_amounts_that_doubles_would_round_are_refused() -> None:
    huge = Instance(Jobs([1], [[2**52]], n_tasks=3), Machines([[2**53]], ["cores"]))
    with pytest.raises(UnsupportedError, match=r"job 0 takes 13510798882111488 of cores, more than 2\*\*53"):
        metrics.utilisation(huge, Schedule([0], [0]))
    just = Instance(Jobs([1], [[2**52]], n_tasks=2), Machines([[2**53]], ["cores"]))
    assert metrics.utilisation(just, Schedule([0], [0])).tolist() == [1.0]


def test_wrong_input_is_refused() -> None:
    with pytest.raises(TypeError, match="runs must be Runs, not Schedule"):
        metrics.run_work(INSTANCE, Schedule([0] * 4, [0] * 4))  # type: ignore[arg-type]
    few = Instance(INSTANCE.jobs[:1], INSTANCE.machines)
    for metric in (metrics.run_work, metrics.capacity_use, metrics.completed_part, metrics.flow_time):
        with pytest.raises(InvalidInstanceError, match=r"job\[1\] = 1 \(run 1\)"):
            metric(few, RUNS)  # type: ignore[operator]
    endless = Runs([0], [0], [0], [np.inf], "killed", RunAllocation([0], [0], [1]))
    with pytest.raises(InvalidInstanceError, match=r"end_time\[0\] = inf \(run 0\) must be finite"):
        metrics.run_work(few, endless)
    nowhere = Runs([0], [0], [0], [1], "killed", RunAllocation([0], [2], [1]))
    with pytest.raises(
        InvalidInstanceError, match="run 0 is on machine 2; machines are numbered from 0 to 1"
    ):
        metrics.capacity_use_by_kind(few, nowhere)
    many = Runs([0], [0], [0], [1], "killed", RunAllocation([0], [1], [3]))
    with pytest.raises(
        InvalidInstanceError, match=r"3 tasks of job 0 \(id 10\) are on one machine; it has 2"
    ):
        metrics.capacity_use_by_kind(few, many)
    with pytest.raises(InvalidInstanceError, match="must be finite and ascending"):
        metrics.capacity_use(INSTANCE, RUNS, between=(3, 2))
    with pytest.raises(TypeError, match="incidents must be Incidents"):
        metrics.capacity_use(INSTANCE, RUNS, {})  # type: ignore[arg-type]
    with pytest.raises(InvalidInstanceError, match=r"has the outcome 'completed', no run of it completed"):
        metrics.completed_part(INSTANCE, RUNS, ["completed"] * 4)


def simulated(seed: int, policy: str, **features: Any) -> tuple[ClusterInstance, Any]:
    instance = random_cluster(seed, Features(**features))
    return instance, cluster_simulation.run(instance, policy, infeasible="drop")


@given(seed=st.integers(0, 10**6), policy=st.sampled_from(["fcfs", "easy", "first_fit", "conservative"]))
def test_what_was_used_was_of_use_or_lost(seed: int, policy: str) -> None:
    instance, run = simulated(seed, policy)
    inst, runs = model_instance(instance), model_runs(run.runs)
    work = metrics.run_work(inst, runs)
    assert (work.used == work.useful + work.lost).all()
    expected = np.zeros(inst.n_resources)
    not_completed = np.zeros(inst.n_resources)
    for each in run.runs:
        taken = np.multiply(
            (each.end - each.start) * instance.jobs[each.job].n_tasks, instance.jobs[each.job].demand
        )
        expected += taken
        not_completed += taken * (each.outcome != "completed")
    assert work.used.tolist() == expected.tolist()
    assert ((work.goodput >= 0) & (work.goodput <= 1)).all()
    if instance.killed == "requeue":
        assert work.lost.tolist() == not_completed.tolist()


@given(seed=st.integers(0, 10**6))
def test_kinds_of_machines_add_up_to_all_and_what_is_up_is_counted_unit_by_unit(seed: int) -> None:
    instance, run = simulated(seed, "easy")
    inst, runs, incidents = model_instance(instance), model_runs(run.runs), model_incidents(instance)
    use = metrics.capacity_use(inst, runs, incidents)
    kinds = metrics.capacity_use_by_kind(inst, runs, incidents)
    assert kinds.n_machines.sum() == inst.n_machines
    for name in ("used", "nominal", "up"):
        assert getattr(kinds, name).sum(axis=0).tolist() == getattr(use, name)[0].tolist()
    up = np.zeros(inst.n_resources)
    downs = [*instance.outages, *instance.failures]
    for instant in range(int(use.between[0]), int(use.between[1])):
        for m, machine in enumerate(instance.machines):
            if not any(down.machine == m and down.start <= instant < down.end for down in downs):
                up += machine.capacity
    assert use.up[0].tolist() == up.tolist()
    assert (use.used <= use.up).all()
    assert (use.up <= use.nominal).all()


@given(seed=st.integers(0, 10**6), grain=st.sampled_from([1.0, 0.1, 1 / 3]))
def test_plain_runs_have_the_figures_of_their_schedule(seed: int, grain: float) -> None:
    random = np.random.default_rng(seed)
    n = int(random.integers(1, 9))
    release, length = random.integers(0, 20, n) * grain, random.integers(1, 9, n) * grain
    inst = Instance(Jobs(length, random.integers(0, 5, (n, 2)), release), Machines([[9, 9], [7, 8]]))
    plan = Schedule(release + random.integers(0, 9, n) * grain, random.integers(0, 2, n))
    runs = runs_of(plan, inst.processing_time)
    assert metrics.summary(inst, runs) == metrics.summary(inst, plan)
    figures = metrics.cluster_summary(inst, runs)
    assert {name: figures[name] for name in metrics.summary(inst, plan)} == metrics.summary(inst, plan)
    assert (figures["n_left_out"], figures["lost"], figures["goodput"]) == (0, (0.0, 0.0), (1.0, 1.0))
    assert metrics.times_overtaken(inst, runs).tolist() == metrics.times_overtaken(inst, plan).tolist()
    for machine in (None, 0, 1):
        by_run, by_job = (metrics.resource_usage(inst, each, machine) for each in (runs, plan))
        assert (by_run.times.tolist(), by_run.values.tolist()) == (
            by_job.times.tolist(),
            by_job.values.tolist(),
        )
