"""What scripts see of a comparison: every job, every run and its place, or the stretch in which jobs wait most."""

from typing import Any

import numpy as np
import pytest

import schedcore
from reporting.packed import unpacked
from schedcore import Incidents, Instance, Jobs, Machines, Outages
from schedcore.comparisons.progress import shown_progress
from schedcore.problems import problem_of
from schedcore.problems.comparison import compare_policies
from schedcore.problems.evaluation import Comparison
from schedcore.problems.policy_choice import parse_policies
from schedcore.reporting.explorer import Explorer
from schedcore.reporting.facts import facts_about
from schedcore.reporting.plans import plans_of, run_in_one_piece
from schedcore.workloads import DataReport, load

REPORT = DataReport("here", 5, 5, units={"time": "s"}, origin="2026-11-30T12:00:00+01:00")


def compared(inst: Any, *policies: str, incidents: Incidents | None = None) -> Comparison:
    choices = parse_policies(policies)
    problem = problem_of(inst, choices[0].name, incidents=incidents)
    with shown_progress(None) as step:
        return compare_policies(problem, REPORT, choices, step)


def small(n_machines: int = 2, **columns: Any) -> Instance:
    jobs = Jobs(
        processing_time=[4, 3, 2, 6, 1], demand=[[2], [3], [1], [2], [4]], release_time=[0, 0, 1, 2, 3],
        user=["ann", None, "bob", "ann", "bob"], **columns,
    )  # fmt: skip
    return Instance(jobs, Machines.identical(n_machines, [4], resource_names=["cores"]))


def document_of(comparison: Comparison) -> tuple[dict[str, Any], list[Any]]:
    document = Explorer.of(comparison.inst, plans_of(comparison)).document(REPORT)
    return document, unpacked(document)


def test_a_page_knows_jobs_users_and_when_it_all_began() -> None:
    document, columns = document_of(compared(small(), "easy"))
    jobs = document["jobs"]
    assert columns[jobs["release"]].tolist() == [0, 0, 1, 2, 3]
    assert columns[jobs["length"]].tolist() == [4, 3, 2, 6, 1]
    assert document["users"] == ["ann", "bob"]
    np.testing.assert_array_equal(columns[jobs["user"]], [0, np.nan, 1, 0, 1])
    assert document["origin"] == "2026-11-30T12:00:00"
    assert document["resources"] == ["cores"]
    assert len(document["plans"][0]["machines"]) == 2


@pytest.mark.parametrize("policy", ["easy", "pq", "conservative"])
def test_every_run_holds_what_its_job_takes_where_the_schedule_says(policy: str) -> None:
    inst = small(n_tasks=[2, 1, 3, 1, 2])
    comparison = compared(inst, policy)
    schedule = comparison.evaluations[0].schedule
    document, columns = document_of(comparison)
    plan = {name: place for name, place in document["plans"][0].items() if isinstance(place, int)}
    of = {name: columns[place] for name, place in plan.items()}
    np.testing.assert_array_equal(of["start"], schedule.start_time)
    order = of["runJob"].astype(int)
    np.testing.assert_array_equal(of["runStart"], schedule.start_time[order])
    np.testing.assert_array_equal(of["runEnd"], schedule.start_time[order] + inst.processing_time[order])
    places = zip(of["placeRun"].astype(int), of["placeMachine"], of["placeTasks"], strict=True)
    found = sorted((order[run], machine, n_tasks) for run, machine, n_tasks in places)
    allocation = schedule.allocation
    assert found == sorted(zip(allocation.job, allocation.machine, allocation.n_tasks, strict=True))


def test_jobs_that_are_killed_have_several_runs_and_wait_until_the_first() -> None:
    inst = small()
    incidents = Incidents(failures=Outages([0], [1.0], [2.0]))
    comparison = compared(inst, "easy", incidents=incidents)
    runs = comparison.evaluations[0].runs
    assert runs is not None
    assert len(runs) > inst.n_jobs
    document, columns = document_of(comparison)
    plan = document["plans"][0]
    starts = columns[plan["start"]]
    for job in range(inst.n_jobs):
        assert starts[job] == runs.start_time[runs.job == job].min()
    assert len(columns[plan["runJob"]]) == len(runs)


def test_what_really_happened_is_a_plan_on_one_machine_with_gaps() -> None:
    inst = small(recorded_start_time=[0, 1, np.nan, 5, 9])
    comparison = compared(inst, "easy", "recorded")
    document, columns = document_of(comparison)
    recorded = document["plans"][1]
    np.testing.assert_array_equal(columns[recorded["start"]], [0, 1, np.nan, 5, 9])
    assert columns[recorded["capacity"][0]].tolist() == [8]
    assert recorded["machines"] == []
    assert columns[recorded["runJob"]].tolist() == [0, 1, 3, 4]


def test_of_too_many_jobs_those_are_shown_that_wait_most() -> None:
    inst, _ = load("azure_like:n_jobs=400,n_machines=2,seed=3")
    comparison = compared(inst, "pq", "tetris")
    plans = plans_of(comparison)
    explorer = Explorer.of(inst, plans, "tetris", most_jobs=100)
    assert not explorer.is_whole
    assert explorer.second == 1
    order = np.argsort(inst.release_time, kind="stable")
    waits = (comparison.evaluations[0].schedule.start_time - inst.release_time)[order]
    sums = [waits[first : first + 100].sum() for first in range(301)]
    waited = waits[np.isin(order, explorer.rows)].sum()
    assert waited == pytest.approx(max(sums))
    assert (np.diff(np.flatnonzero(np.isin(order, explorer.rows))) == 1).all()
    part = explorer.plans[1]
    schedule = comparison.evaluations[1].schedule
    np.testing.assert_array_equal(part.start, schedule.start_time[explorer.rows])
    np.testing.assert_array_equal(part.run_start, part.start[part.run_job])
    machines = schedule.machine[explorer.rows][part.run_job[part.place_run]]
    np.testing.assert_array_equal(part.place_machine, machines)


def test_beyond_the_calendar_there_are_no_dates() -> None:
    inst = small()
    late = inst.replace(release_time=[0, 0, 1, 2, 4e11])
    assert document_of(compared(inst, "easy"))[0]["origin"] is not None
    assert document_of(compared(late, "easy"))[0]["origin"] is None
    words = dict(facts_about(problem_of(late), compared(late, "easy")))
    assert "jobs came within" in words
    assert "jobs came from" in dict(facts_about(problem_of(inst), compared(inst, "easy")))


def test_interrupted_jobs_have_no_plans() -> None:
    inst, _ = load("slotted_standin:n_jobs=20,seed=1")
    assert not run_in_one_piece(compared(inst, "srpt"))
    assert run_in_one_piece(compared(small(), "easy"))
    empty = schedcore.Instance(Jobs([], np.empty((0, 1), dtype=int)), Machines([[4]]))
    assert not run_in_one_piece(compared(empty, "easy"))
