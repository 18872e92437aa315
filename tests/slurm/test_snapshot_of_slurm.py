"""What was submitted to a real Slurm is what its state tells: all jobs, and all of each job."""

import dataclasses
import re
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from schedcore.model import Limit, machines_that_satisfy
from schedcore.slurm import (
    SINFO_FORMAT,
    SQUEUE_FORMAT,
    SlurmJob,
    SlurmState,
    read_state,
    save_state,
    take_state,
)
from schedcore.workloads.reading.hostlists import expand_hostlist
from slurm.real_slurm import RealSlurm, real_slurm
from slurm.submitted_jobs import CONFIGURATION, NEVER, NODES, PARTITIONS, Asked, draw_jobs, submit

N_JOBS = 100
SEEDS = (1, 2)
DRAINED, DRAINING = "n8", "n7"
SERVICE = ("n1", "n4")  # under maintenance for two hours from NEVER on
# What a command of 22.05 never tells of a job, though the other ones do. `place` is where it stands.
UNTOLD = {
    "squeue.json": {"place", "cpus_per_task"},
    "squeue.txt": {
        *("place", "name", "array_throttle", "n_tasks", "tasks_per_node", "cpus_per_task", "max_nodes", "nice"),
        *("eligible_time", "considered_time", "memory_per_cpu", "requeue", "allocation", "tres", "licenses"),
    },
}  # fmt: skip


@dataclasses.dataclass(frozen=True)
class Snapshot:
    """A queue that was submitted, and the folder with all that commands told of it."""

    folder: Path
    asked: dict[str, Asked]  # as Slurm calls each job: 17, 17_3
    ids: dict[str, int]  # name -> number
    since: float  # the instant before all submissions

    def state(self, *files: str) -> SlurmState:
        """Return the state that these files tell; all of them by default."""
        return read_state([self.folder / name for name in files] if files else self.folder)

    def called(self, name: str, task: int | None) -> list[str]:
        """Return what Slurm calls a job, or all tasks of an array."""
        asked = next(each for each in self.asked.values() if each.name == name)
        tasks = asked.tasks if task is None else (task,)
        return [f"{self.ids[name]}_{each}" for each in tasks] or [str(self.ids[name])]


@pytest.fixture(scope="module")
def slurm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealSlurm]:
    with real_slurm(tmp_path_factory.mktemp("slurm"), CONFIGURATION) as started:
        started.run(
            "sbatch", f"--nodelist={DRAINING}", "--output=/dev/null", "--time=30", "--wrap=sleep 3000"
        )
        settle(started)
        for name in (DRAINED, DRAINING):
            started.run("scontrol", "update", f"NodeName={name}", "State=DRAIN", "Reason=test")
        at = time.strftime("%Y-%m-%dT%H:%M:%S", time.localtime(NEVER))
        started.run(
            "scontrol", "create", "reservation", "ReservationName=service", f"StartTime={at}", "Duration=120",
            f"Nodes={','.join(SERVICE)}", "Flags=MAINT", "Users=root",
        )  # fmt: skip
        yield started


@pytest.fixture(scope="module", params=SEEDS)
def snapshot(
    request: pytest.FixtureRequest, slurm: RealSlurm, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Snapshot]:
    jobs = draw_jobs(request.param, N_JOBS)
    before = int(time.time())
    ids = submit(slurm, jobs)
    settle(slurm)
    folder = tmp_path_factory.mktemp("saved")
    save_state(folder, accounting=False)
    for name, command in {
        "squeue.json": ("squeue", "--json"),
        "sinfo.json": ("sinfo", "--json"),
        "squeue.txt": ("squeue", "-a", "-o", SQUEUE_FORMAT),
        "sinfo.txt": ("sinfo", "-N", "-o", SINFO_FORMAT),
    }.items():
        (folder / name).write_text(slurm.run(*command))
    asked = {}
    for job in jobs:
        for task in job.tasks or (None,):
            asked[str(ids[job.name]) if task is None else f"{ids[job.name]}_{task}"] = job
    yield Snapshot(folder, asked, ids, before)
    slurm.run("scancel", *map(str, ids.values()))
    settle(slurm)


def settle(slurm: RealSlurm) -> None:
    """Wait until Slurm has started all that it starts, and nothing ends any more."""
    told, since = "", time.monotonic()
    for _ in range(200):
        now = slurm.run("squeue", "-h", "-a", "-r", "-o", "%i %T %N")
        if now != told or "COMPLETING" in now:
            told, since = now, time.monotonic()
        # The main scheduler looks at once, the backfill of the configuration every two seconds.
        elif time.monotonic() - since > 3:
            return
        time.sleep(0.25)
    raise AssertionError(f"Slurm does not come to rest:\n{told}")


def test_every_job_and_every_task_is_there_once(snapshot: Snapshot) -> None:
    state = snapshot.state()
    told = [*state.waiting.called, *state.running.called]
    own = [called for called in told if called in snapshot.asked]
    assert sorted(own) == sorted(snapshot.asked)
    assert len(told) == len(own) + 1  # the job on the node that is drained
    assert len(state.running.called) > 10
    assert len(state.waiting.called) > 50
    # Nothing runs that is not shown.
    assert "nodes: jobs not shown" not in {each.setting for each in state.not_modelled}


def test_what_a_waiting_job_asked_for_is_read_back(snapshot: Snapshot) -> None:
    state = snapshot.state()
    waiting, jobs = state.waiting, state.waiting.jobs
    names = np.array(state.machines.names)
    for row, called in enumerate(waiting.called):
        asked = snapshot.asked[called]
        allowed = machines_that_satisfy(jobs.constraint[row] or "", state.machines)
        allowed = allowed & machines_that_satisfy(f"partition={jobs.partition[row]}", state.machines)
        released = asked.begin if asked.begin is not None else jobs.release_time[row]
        assert (jobs.n_tasks[row], jobs.max_tasks_per_machine[row]) == (asked.n_tasks, asked.per_machine), (
            called
        )
        assert tuple(jobs.demand[row]) == asked.demand, called
        assert jobs.estimated_processing_time[row] == 60 * asked.minutes, called
        assert jobs.partition[row] == asked.partition, called
        assert set(names[allowed].tolist()) == asked.nodes, called
        assert jobs.exclusive[row] == asked.exclusive, called
        assert jobs.release_time[row] == released, called
        assert asked.begin or snapshot.since <= released <= state.now, called
        assert (jobs.user[row], jobs.account[row]) == ("root", asked.account or None), called
        assert jobs.array[row] == (snapshot.ids[asked.name] if asked.tasks else -1), called
        assert bool(waiting.held[row]) == asked.held, called
        assert jobs.priority[row] == (0 if asked.held else asked.priority or jobs.priority[row]), called


def test_why_jobs_wait_is_told(snapshot: Snapshot) -> None:
    waiting = snapshot.state().waiting
    reasons = set()
    for called, reason in zip(waiting.called, waiting.reason, strict=True):
        asked = snapshot.asked[called]
        if asked.held:
            assert reason == ("JobHeldAdmin" if asked.by_admin else "JobHeldUser"), called
        elif asked.begin is not None:
            assert reason in ("BeginTime", "Dependency"), called
        elif asked.awaited or asked.corresponding:
            assert reason == "Dependency", called
        else:
            assert reason not in ("JobHeldAdmin", "JobHeldUser", "BeginTime", "Dependency"), called
        reasons.add(reason)
    assert reasons >= {"JobHeldAdmin", "JobHeldUser", "BeginTime", "Dependency"}


def test_for_whom_jobs_wait_is_told(snapshot: Snapshot) -> None:
    state = snapshot.state()
    jobs = state.waiting.jobs
    name = dict(zip(jobs.id.tolist(), state.waiting.called, strict=True))
    name |= dict(zip(state.running.jobs.id.tolist(), state.running.called, strict=True))
    n_dependencies = 0
    for row, called in enumerate(state.waiting.called):
        asked = snapshot.asked[called]
        expected: dict[str, set[str]] = {"after_ok": set(), "after_any": set(), "after_not_ok": set()}
        for column, other, task in asked.awaited:
            expected[column].update(snapshot.called(other, task))
        if asked.corresponding:
            expected["after_ok"].update(snapshot.called(asked.corresponding, int(called.partition("_")[2])))
        told = {column: {name[number] for number in getattr(jobs, column)[row]} for column in expected}
        assert told == expected, called
        n_dependencies += sum(map(len, told.values()))
    assert n_dependencies > 20


def test_what_slurm_says_of_a_job_beside_its_shape_is_kept(snapshot: Snapshot) -> None:
    for job in snapshot.state().jobs:
        asked = next((each for each in snapshot.asked.values() if each.name == job.name), None)
        if asked is not None and (job.is_waiting or job.is_running):
            assert (job.nice, job.requeue, job.restarts) == (asked.nice, asked.requeue, 0), job.called
            assert job.array_throttle == (asked.throttle or None), job.called
            told = (job.account, job.licenses, job.shares_nodes)
            assert told == (asked.account, asked.licenses, asked.shares_nodes), job.called
            assert job.gres_per_node == ((("gpu", "", asked.n_gpus),) if asked.n_gpus else ()), job.called


def test_throttles_of_arrays_are_limits(snapshot: Snapshot) -> None:
    waiting = {snapshot.asked[called].name for called in snapshot.state().waiting.called}
    throttles = {(each.name, each.throttle) for each in snapshot.asked.values() if each.throttle}
    limits = [
        Limit(f"array={snapshot.ids[name]}", "jobs", most) for name, most in throttles if name in waiting
    ]
    assert limits
    assert sorted(snapshot.state().rules.limits, key=str) == sorted(limits, key=str)


def test_jobs_without_a_priority_of_their_own_come_in_order_of_submission(snapshot: Snapshot) -> None:
    waiting = snapshot.state().waiting
    rows = [
        (waiting.jobs.array[row] if waiting.jobs.array[row] >= 0 else waiting.jobs.id[row], waiting.jobs.priority[row])
        for row, called in enumerate(waiting.called)
        if snapshot.asked[called].priority is None and not snapshot.asked[called].held
        and not snapshot.asked[called].nice
    ]  # fmt: skip
    priorities = [priority for _, priority in sorted(rows)]
    assert priorities == sorted(priorities, reverse=True)
    assert len(set(priorities)) > 10


def test_running_jobs_are_where_they_say_themselves_that_they_are(
    snapshot: Snapshot, slurm: RealSlurm
) -> None:
    state = snapshot.state()
    names, held = state.machines.names, dict[str, dict[str, list[int]]]()
    for row, called in enumerate(state.occupancy.called):
        for machine, number in state.occupancy.machine[row]:
            amounts = held.setdefault(called, {}).setdefault(names[machine], [0, 0])
            amounts[0] += number * int(state.occupancy.jobs.demand[row, 0])
            amounts[1] += number * int(state.occupancy.jobs.demand[row, 1])
    for row, called in enumerate(state.running.called):
        if called not in snapshot.asked:
            continue
        asked, jobs, number = snapshot.asked[called], state.running.jobs, state.running.jobs.id[row]
        told = dict(line.split("=", 1) for line in (slurm.folder / f"told.{number}").read_text().splitlines())
        nodes = expand_hostlist(told["SLURM_JOB_NODELIST"])
        cpus = amounts_of_nodes(told["SLURM_JOB_CPUS_PER_NODE"])
        per_cpu, per_node = (int(told.get(f"SLURM_MEM_PER_{what}", 0)) for what in ("CPU", "NODE"))
        memory = [per_cpu * cpu or per_node or NODES[node][1] for node, cpu in zip(nodes, cpus, strict=True)]
        if not asked.exclusive:  # those have all processors; how many count does not matter
            assert held[called] == {
                node: [cpu, of_node] for node, cpu, of_node in zip(nodes, cpus, memory, strict=True)
            }, called
        places = {names[machine]: count for machine, count in state.running.machine[row]}
        assert places.keys() == set(nodes) <= asked.nodes, called
        assert sum(places.values()) == jobs.n_tasks[row], called
        assert jobs.exclusive[row] == asked.exclusive, called
        assert jobs.estimated_processing_time[row] == 60 * asked.minutes, called
        assert jobs.partition[row] == asked.partition, called
        assert jobs.array[row] == (snapshot.ids[asked.name] if asked.tasks else -1), called
        assert snapshot.since <= state.running.start_time[row] <= state.now, called


def amounts_of_nodes(text: str) -> list[int]:
    """Return 4, 4, 16 of ``4(x2),16``."""
    parts = re.findall(r"(\d+)(?:\(x(\d+)\))?", text)
    return [int(amount) for amount, times in parts for _ in range(int(times or 1))]


def test_nodes_and_partitions_are_those_of_the_configuration(snapshot: Snapshot) -> None:
    state = snapshot.state()
    machines, names = state.machines, state.machines.names
    assert {name: tuple(machines.capacity[m]) for m, name in enumerate(names)} == NODES
    for m, name in enumerate(names):
        features = {"thin"} if NODES[name][0] == 16 else {"fat", "ssd"}
        own = {f"partition={partition}" for partition, nodes in PARTITIONS.items() if name in nodes}
        assert {label for label in machines.labels[m] if not label.startswith("node=")} == features | own
    assert [machines.weight[names.index(name)] for name in ("n1", "n8")] == [1, 5]
    partitions = {each.name: each for each in state.rules.partitions}
    assert partitions.keys() == PARTITIONS.keys()
    assert partitions["urgent"].tier > partitions["batch"].tier
    assert partitions["urgent"].max_time == 36_000
    told = {each.name: each for each in state.site.partitions}
    assert (told["batch"].is_default, told["batch"].default_time, told["batch"].oversubscribe) == (
        True,
        2700,
        "NO",
    )
    assert (told["urgent"].is_default, told["urgent"].default_time) == (False, None)


def test_drained_nodes_are_closed_and_maintenance_is_an_outage(snapshot: Snapshot) -> None:
    state = snapshot.state()
    names = state.machines.names
    assert [names[m] for m in state.closed] == [DRAINING, DRAINED]
    assert state.down.tolist() == []
    assert DRAINING in {names[machine] for places in state.running.machine for machine, _ in places}
    outages = state.outages()
    assert [names[m] for m in outages.machine] == list(SERVICE)
    assert (outages.start_time == NEVER).all()
    assert (outages.end_time == NEVER + 7200).all()


def test_taking_the_state_is_saving_and_reading_it(snapshot: Snapshot) -> None:
    saved = snapshot.state("scontrol_job_d.txt", "scontrol_node.txt", "scontrol_partition.txt",
                           "scontrol_reservation.txt", "scontrol_config.txt", "now.txt")  # fmt: skip
    taken = take_state(accounting=False)
    assert [without_place(job) for job in taken.jobs] == [without_place(job) for job in saved.jobs]
    assert taken.waiting.jobs.id.tolist() == saved.waiting.jobs.id.tolist()
    assert taken.machines == saved.machines


def without_place(job: SlurmJob) -> SlurmJob:
    return dataclasses.replace(job, place="", considered_time=None)  # Slurm looks at it again and again


@pytest.mark.parametrize("file", UNTOLD)
def test_commands_agree_in_what_they_tell_of_jobs(snapshot: Snapshot, file: str) -> None:
    others = ("scontrol_node.txt", "scontrol_partition.txt", "scontrol_config.txt", "now.txt")
    jobs = [by_task(snapshot.state(jobs, *others)) for jobs in ("scontrol_job_d.txt", file)]
    assert jobs[0].keys() == jobs[1].keys()
    silent = set()
    for called, job in jobs[0].items():
        for field in dataclasses.fields(SlurmJob):
            told, other = getattr(job, field.name), getattr(jobs[1][called], field.name)
            if field.name == "place" or told == other:
                continue
            if file == "squeue.txt" and field.name == "memory_per_node":
                assert other == job.memory_per_cpu, called  # it does not tell which of the two it is
                continue
            if file == "squeue.txt" and field.name == "min_nodes":
                assert other > told, called  # squeue's own estimate
                continue
            if field.name in UNTOLD[file] and other in (None, (), "", field.default):
                silent.add(field.name)
                continue
            assert told == other, f"{called}: {field.name}"
    # squeue's text has no throttle for a task that was split off its array; whether one was depends on what runs.
    at_times = {"array_throttle"} & UNTOLD[file]
    assert silent | {"place"} | at_times == UNTOLD[file], "a command tells more than it is said to"


def by_task(state: SlurmState) -> dict[str, SlurmJob]:
    """Return the jobs that are alive, each task of an array on its own."""
    jobs = {}
    for job in state.jobs:
        for task in job.array_tasks or (0,) if job.is_waiting or job.is_running else ():
            own = dataclasses.replace(job, array_tasks=(task,) if job.array_tasks else ())
            jobs[f"{job.array_job_id or job.job_id}_{task}"] = own
    return jobs


def test_json_and_text_make_the_same_jobs(snapshot: Snapshot) -> None:
    others = ("scontrol_node.txt", "scontrol_partition.txt", "scontrol_config.txt", "now.txt")
    text, json = (snapshot.state(jobs, *others) for jobs in ("scontrol_job_d.txt", "squeue.json"))
    for what in ("waiting", "running", "occupancy"):
        assert getattr(text, what).jobs == getattr(json, what).jobs
        assert getattr(text, what).called == getattr(json, what).called
    assert text.waiting.held.tolist() == json.waiting.held.tolist()
    assert text.waiting.reason == json.waiting.reason
    assert text.running.machine == json.running.machine
    assert text.running.start_time.tolist() == json.running.start_time.tolist()


@pytest.mark.parametrize("file", ["sinfo.json", "sinfo.txt"])
def test_commands_agree_in_what_they_tell_of_nodes(snapshot: Snapshot, file: str) -> None:
    others = ("scontrol_job_d.txt", "scontrol_partition.txt", "scontrol_config.txt", "now.txt")
    states = [snapshot.state(nodes, *others) for nodes in ("scontrol_node.txt", file)]
    assert states[0].machines == states[1].machines
    assert states[0].closed.tolist() == states[1].closed.tolist()
    for nodes in zip(*(sorted(state.site.nodes, key=str) for state in states), strict=True):
        assert set(nodes[0].partitions) == set(nodes[1].partitions)
