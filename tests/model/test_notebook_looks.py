"""What a notebook shows of jobs, machines, schedules and results: worked numbers, and nothing that raises."""

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import schedcore
from html_pages import Elements
from parallel_task_cases import TWO_JOBS_WITH_LOCAL_MACHINES
from schedcore import ColocationInstance, Incidents, Instance, Jobs, Machines, Outages, Result, Schedule
from slotted_cases import THREE_JOBS_ON_TWO_CORES, map_reduce
from strategies import instances

KNOWN = {
    "div", "b", "table", "caption", "thead", "tbody", "tr", "th", "td", "details", "summary", "svg", "path",
    "br", "small",
}  # fmt: skip
HOSTILE = '<script>alert("x")</script>&'
MACHINES = Machines([[4, 8], [4, 8], [8, 16]], ["cores", HOSTILE])
JOBS = Jobs(
    processing_time=[60, 120, 180, 7200],
    demand=[[1, 2], [2, 2], [4, 2], [8, 16]],
    release_time=[0, 0, 300, 600],
    user=["ann", HOSTILE, None, "ann"],
    n_tasks=[1, 1, 2, 1],
)
INSTANCE = Instance(JOBS, MACHINES)


def looked_at(what: Any) -> Elements:
    """What a notebook shows of it: closed tags, no more than those known, and nothing from outside."""
    page = Elements(what._repr_html_())
    assert {tag for tag, _ in page.tags} <= KNOWN
    for _, attributes in page.tags:
        assert not set(attributes) & {"href", "src", "xlink:href"}
        assert not any(name.startswith("on") for name in attributes)
    return page


def test_jobs_by_hand() -> None:
    page = looked_at(JOBS)
    assert page.text.startswith("4 jobs")
    assert "releasedfrom 0 s to 10.00 min" in page.text
    assert "processing timemedian 2.000 min, 95 % within 2.000 h" in page.text
    assert "withn_tasks, user" in page.text
    assert "resource_028" in page.text  # the second of four demands in order, and the largest
    assert "the first 3 jobs" in page.text
    # 60 parts of 10 s: at 0 the work is 60 + 240, at 300 s 2 * 720, at the end 57600
    assert "work in resource_0 that arrives, in parts of 10.00 s; at most 57.6k" in page.text
    assert HOSTILE in page.text


def test_machines_by_hand() -> None:
    page = looked_at(
        MACHINES.replace(labels=[["gpu"], [], ["gpu", "big"]], weight=[1, 0, 2], names=["a", "b", "<c>"])
    )
    assert page.text.startswith("3 machines")
    assert f"machinescores{HOSTILE}2 ×481 ×816all1632" in page.text
    assert "namesa, b, <c>" in page.text
    assert "labelsgpu (2), big (1)" in page.text
    assert "weights0 to 2" in page.text


def test_many_kinds_of_machines_are_counted_and_not_listed() -> None:
    capacity = np.arange(1, 21).reshape(20, 1)
    text = looked_at(Machines(np.vstack([capacity, [[20]]]))).text
    assert "2 ×20" in text
    assert "14 of 14 more kinds" in text
    assert f"all{210 + 20}" in text
    many = looked_at(Machines(np.arange(1, 60_001).reshape(-1, 1))).text
    assert "least1largest60,000" in many
    assert "all1,800,030,000" in many
    assert "1,024 ×" in looked_at(Machines.identical(1024, [2**53])).text
    assert f"all{1024 * 2**53:,}" in looked_at(Machines.identical(1024, [2**53])).text


def test_instances_by_hand() -> None:
    page = looked_at(Instance(JOBS, MACHINES, Outages([0], [10], [20])))
    assert page.text.startswith("4 jobs on 3 machines")
    # (60 + 240 + 1440 + 57600) / (16 * 600), and (120 + 240 + 720 + 115200) / (32 * 600)
    assert "cores166.18128" in page.text
    assert f"{HOSTILE}326.056216" in page.text
    assert "outages1" in page.text
    assert "work in cores that arrives" in page.text


def test_schedules_by_hand() -> None:
    page = looked_at(Schedule([0, 60, float("inf"), 600], [0, 0, 7, 2]))
    assert "not started1" in page.text
    assert "startsfrom 0 s to 10.00 min" in page.text
    assert "machines used2" in page.text
    assert "starts, in parts of 10.00 s; at most 1" in page.text


def test_results_by_hand() -> None:
    schedule = Schedule([0, 60, 300, 600], [0, 0, 1, 2])
    given = {"algorithm": HOSTILE, "options": {"order": HOSTILE}, "instance": INSTANCE}
    page = looked_at(Result(schedule, "makespan", 7800, lower_bound=7500, guarantee=2, **given))
    assert page.text.startswith(f"Result of {HOSTILE}: 4 jobs")
    for told in ("makespan7800", "lower bound7500", "gapat most 4.0 %", "guarantee2 times the optimum"):
        assert told in page.text
    assert "makespan2.167 h" in page.text
    assert "mean wait15.00 s" in page.text  # only the second job waits, for 60 s
    assert "use of cores in parts of 2.167 min: 47.5 % on average" in page.text  # 59340 / (16 * 7800)
    assert len(page.of("svg")) == 1


def test_a_bound_that_nobody_asked_for_is_not_computed() -> None:
    def bound() -> float:
        raise AssertionError

    assert (
        "computed when asked for" in looked_at(Result(Schedule([0], [0]), "awct", 1, lower_bound=bound)).text
    )


def test_runs_that_were_killed_are_counted() -> None:
    incidents = Incidents(failures=Outages([0, 1, 2], [30, 30, 30], [60, 60, 60]))
    result = schedcore.solve("easy", INSTANCE, incidents=incidents)
    page = looked_at(result)
    assert f"runs{len(result.runs)}" in page.text
    assert "outcomes4 completed" in page.text
    assert "mean wait" not in page.text  # of several runs of a job there is no single one


def test_results_of_other_kinds() -> None:
    tasks = looked_at(schedcore.solve("synchpack1", TWO_JOBS_WITH_LOCAL_MACHINES))
    assert "weighted_completion_time" in tasks.text
    assert tasks.of("svg")
    slots = looked_at(schedcore.solve("srpt", THREE_JOBS_ON_TWO_CORES, k=2))
    assert "makespan5.000 slots" in slots.text  # 8 core-slots of two cores, and the last job alone at the end
    assert "80.0 % on average" in slots.text
    assert looked_at(
        schedcore.solve("ocorp_mapreduce", map_reduce([(0, (2, 1, 1), (1, 1, 2))], [2]), k=1)
    ).of("svg")
    shared = looked_at(
        schedcore.solve("colocate", ColocationInstance([1, 2], [0, 1], [[1, 2], [2, 1]], n_machines=2))
    )
    assert "max_cost" in shared.text
    assert "2 tasks" in shared.text


def test_what_does_not_belong_together_is_shown_as_far_as_it_goes() -> None:
    for schedule in (Schedule([0, 1], [0, 0]), None, schedcore.PreemptiveSchedule([9], [0], [0], [0], [1])):
        for instance in (INSTANCE, TWO_JOBS_WITH_LOCAL_MACHINES, None):
            if schedule is not None:
                assert "makespan2" in looked_at(Result(schedule, "makespan", 2, instance=instance)).text


def test_nothing_at_all_is_shown_as_such() -> None:
    none = Jobs([], [])
    assert looked_at(none).text == "0 jobs"
    assert looked_at(Schedule([], [])).text == "Schedule of 0 jobs"
    page = looked_at(Instance(none, MACHINES))
    assert page.text.startswith("0 jobs on 3 machines")
    assert "cores160" in page.text
    assert "value0" in looked_at(Result(Schedule([], []), "value", 0, instance=Instance(none, MACHINES))).text


@given(instances(allow_no_demand=True, integer_times=False), st.data())
def test_no_instance_raises(inst: Instance, data: st.DataObject) -> None:
    names = data.draw(
        st.lists(st.text(min_size=1), min_size=inst.n_resources, max_size=inst.n_resources, unique=True)
    )
    machines = inst.machines.replace(resource_names=names)
    texts = st.none() | st.text()
    users = data.draw(st.lists(texts, min_size=inst.n_jobs, max_size=inst.n_jobs))
    inst = inst.replace(machines=machines, user=users)
    for what in (inst, inst.jobs, inst.machines):
        looked_at(what)
    for name in names:
        assert name[:59] in looked_at(machines).text


@given(instances(), st.data())
def test_no_schedule_raises(inst: Instance, data: st.DataObject) -> None:
    starts = data.draw(st.lists(st.floats(), min_size=inst.n_jobs, max_size=inst.n_jobs))
    machine = data.draw(
        st.lists(st.integers(-(2**63), 2**63 - 1), min_size=inst.n_jobs, max_size=inst.n_jobs)
    )
    schedule = Schedule(starts, machine)
    looked_at(schedule)
    looked_at(
        Result(schedule, "awct", data.draw(st.floats()), lower_bound=data.draw(st.floats()), instance=inst)
    )


def test_the_largest_numbers_there_are() -> None:
    jobs = Jobs([1.7e308] * 3, [[2**53]] * 3, [0, 1.7e308, 1.7e308], n_tasks=2**40)
    inst = Instance(jobs, Machines.identical(1024, [2**53]))
    schedule = Schedule([-1.7e308, 1.7e308, float("nan")], [0, 1, 2])
    for what in (jobs, inst, inst.machines, schedule, Result(schedule, "awct", float("inf"), instance=inst)):
        looked_at(what)
