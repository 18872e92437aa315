"""What holds on every cluster, stated on the reference implementation: random instances with everything mixed."""

from collections.abc import Callable
from dataclasses import replace
from math import inf
from random import Random
from typing import Any

import pytest

from differential.cluster_cases import GANG_SETTINGS, SINGLE_SETTINGS, Setting, instances_for, name_of
from example_shares import n_cases, n_or_more
from reference.cluster_instance import ClusterInstance, ClusterJob, ClusterMachine, Down, preference_order
from reference.cluster_labels import condition
from reference.cluster_random import Features, random_cluster
from reference.cluster_simulation import ClusterRun, Simulation, run
from reference.cluster_state import RunRecord

FCFS, FIRST_FIT, EASY = GANG_SETTINGS[:3]
CONSERVATIVE = [s for s in GANG_SETTINGS if s[0] == "conservative"]
PQ = [s for s in GANG_SETTINGS if s[0] == "pq"]


def every(settings: list[Setting]) -> Any:
    return pytest.mark.parametrize("setting", settings, ids=name_of)


def solved(instance: ClusterInstance, setting: Setting) -> ClusterRun:
    return run(instance, setting[0], infeasible="drop", **setting[1])


@every([FCFS, FIRST_FIT])
def test_gang_of_unit_machines_starts_like_a_demand_on_one_machine(setting: Setting) -> None:
    for seed in range(100):
        random = Random(seed)
        n_machines = random.randint(1, 6)
        rows = []
        for _ in range(10):
            length = random.randint(1, 6)
            tasks = random.randint(1, n_machines)
            rows.append(ClusterJob(random.randint(0, 8), length, (1,), length, n_tasks=tasks))
        apart = ClusterInstance((ClusterMachine((1,)),) * n_machines, tuple(rows))
        pooled = ClusterInstance(
            (ClusterMachine((n_machines,)),), tuple(replace(j, n_tasks=1, demand=(j.n_tasks,)) for j in rows)
        )
        assert solved(apart, setting).starts() == solved(pooled, setting).starts()


@every(
    [s for s in GANG_SETTINGS + SINGLE_SETTINGS if "allocation" not in s[1]]
)  # which heeds who is next to whom
def test_permuting_machines_with_their_old_ranks_as_weights_permutes_the_places(setting: Setting) -> None:
    for seed, instance in enumerate(instances_for(setting, n_cases(18), first=4000)):
        to = list(range(len(instance.machines)))
        Random(seed).shuffle(to)  # machine m becomes machine to[m]
        old_order = preference_order(instance.machines)
        machines = list(instance.machines)
        for m, machine in enumerate(instance.machines):
            machines[to[m]] = replace(machine, weight=old_order.index(m))
        permuted = replace(
            instance,
            machines=tuple(machines),
            outages=tuple(replace(d, machine=to[d.machine]) for d in instance.outages),
            failures=tuple(replace(d, machine=to[d.machine]) for d in instance.failures),
        )
        before, after = solved(instance, setting), solved(permuted, setting)
        assert [renamed(r, to) for r in before.runs] == after.runs
        assert before.outcome == after.outcome


def renamed(record: RunRecord, to: list[int]) -> RunRecord:
    return replace(record, allocation=tuple((to[m], tasks) for m, tasks in record.allocation))


@every(GANG_SETTINGS + SINGLE_SETTINGS)
def test_labels_that_nobody_asks_for_and_other_names_change_nothing(setting: Setting) -> None:
    names = {"a": "zone:1", "b": "x.y", "rack=1": "q/-+"}
    for instance in instances_for(setting, n_cases(18), first=5000):
        machines = tuple(
            replace(m, labels=frozenset(names[x] for x in m.labels) | {f"extra{i % 2}"})
            for i, m in enumerate(instance.machines)
        )
        jobs = tuple(replace(j, constraint=with_names(j.constraint, names)) for j in instance.jobs)
        assert solved(instance, setting) == solved(replace(instance, machines=machines, jobs=jobs), setting)


def with_names(constraint: str, names: dict[str, str]) -> str:
    for old in sorted(names, key=len, reverse=True):
        constraint = constraint.replace(old, {"a": "<A>", "b": "<B>", "rack=1": "<C>"}[old])
    for old, mark in (("a", "<A>"), ("b", "<B>"), ("rack=1", "<C>")):
        constraint = constraint.replace(mark, names[old])
    condition(constraint)
    return constraint


# Reservations


@every(CONSERVATIVE[:3])
@pytest.mark.parametrize("estimates", [True, False])
def test_reservations_never_move_to_a_later_start(setting: Setting, estimates: bool) -> None:
    reserved = 0
    for instance in instances_for(setting, n_or_more(90), first=6000, incidents=False, estimates=estimates):
        result = solved(instance, setting)
        for job, rows in result.reservations.items():
            starts = [start for _, start, _ in rows]
            assert starts == sorted(starts, reverse=True)
            assert result.starts()[job] == starts[-1]
            assert estimates or starts[0] == starts[-1]
            reserved += 1
    assert reserved > 100


def test_the_protected_head_starts_no_later_than_any_reservation_it_was_given() -> None:
    rows = excused = 0
    for setting in (EASY, ("easy", {"selection": "bb"})):
        for instance in instances_for(setting, n_or_more(120), first=7000, incidents=False):
            result = solved(instance, setting)
            starts = result.starts()
            arrival = [(row.release_time, j) for j, row in enumerate(instance.jobs)]
            for now, head, start, _ in result.shadow:
                # Jobs that arrived earlier are passed over where they fit nowhere until a machine goes for ever. Where
                # a run ends early, one of them may start after all, and delay the head.
                earlier = [starts[job] for job in range(len(arrival)) if arrival[job] < arrival[head]]
                if any(other is not None and other > now for other in earlier):
                    assert any(outage.end == inf for outage in instance.outages)
                    excused += 1
                    continue
                assert starts[head] is not None
                assert starts[head] <= start
                rows += 1
    assert rows > 300
    assert excused <= rows // 1000


# Failures and outages


@every([FCFS, FIRST_FIT, EASY, *CONSERVATIVE[1:], *PQ])
def test_a_failure_of_a_machine_that_nobody_can_use_changes_nothing(setting: Setting) -> None:
    for seed, instance in enumerate(instances_for(setting, n_cases(36), first=8000)):
        random = Random(seed)
        useless = ClusterMachine((0,) * len(instance.machines[0].capacity), random.choice([-3, 0, 3]))
        more = replace(instance, machines=(*instance.machines, useless))
        n = len(instance.machines)
        failures = tuple(Down(n, s := random.randint(0, 15), s + random.randint(1, 8)) for _ in range(3))
        without = solved(more, setting)
        failing = solved(replace(more, failures=(*more.failures, *failures)), setting)
        assert failing.runs == without.runs == solved(instance, setting).runs
        assert failing.outcome == without.outcome
        assert failing.reservations == without.reservations


@every([FCFS, FIRST_FIT, *PQ])
def test_a_failure_within_an_idle_gap_changes_nothing(setting: Setting) -> None:
    tried = 0
    for seed, instance in enumerate(instances_for(setting, n_or_more(75), first=9000)):
        result = solved(instance, setting)
        for m in range(len(instance.machines)):
            busy = [r for r in result.runs if any(i == m for i, _ in r.allocation)]
            # a failure comes before the cancellations of its instant
            cancelled = {r.end for r in busy if r.outcome == "cancelled"}
            begin = Random(seed).choice(sorted({0, *(r.end for r in busy)} - cancelled))
            end = min((r.start for r in busy if r.end > begin), default=begin + 5)
            if not begin < end:
                continue
            failing = replace(instance, failures=(*instance.failures, Down(m, begin, end)))
            again = solved(failing, setting)
            assert (again.runs, again.outcome) == (result.runs, result.outcome)
            tried += 1
    assert tried > 100


@every(GANG_SETTINGS[:11])
def test_an_outage_from_zero_on_equals_an_exclusive_job_that_comes_first(setting: Setting) -> None:
    policy, options = setting
    for seed, instance in enumerate(instances_for(setting, n_cases(30), first=10000)):
        preferred = preference_order(instance.machines)[0]
        length = Random(seed).randint(1, 12)
        machines = list(instance.machines)
        machines[preferred] = replace(machines[preferred], labels=machines[preferred].labels | {"first"})
        others = {
            "machines": tuple(machines),
            "outages": tuple(o for o in instance.outages if o.machine != preferred),
            "failures": tuple(f for f in instance.failures if f.machine != preferred),
        }
        out = replace(instance, **others)
        out = replace(out, outages=(*out.outages, Down(preferred, 0, length)))
        demand = tuple(int(c > 0) for c in machines[preferred].capacity)
        first = ClusterJob(0, length, demand, length, exclusive=True, constraint="first")
        held = replace(
            instance,
            **others,
            jobs=(first, *instance.jobs),
            cancellations={j + 1: t for j, t in instance.cancellations.items()},
        )
        expected = run(out, policy, infeasible="drop", **options)
        result = run(held, policy, infeasible="drop", **options)
        assert [replace(r, job=r.job - 1) for r in result.runs if r.job > 0] == expected.runs
        assert result.outcome[1:] == expected.outcome
        assert result.first_machines()[0] == preferred


# Passes


class Watched(Simulation):
    """Looks at the state after every pass."""

    def __init__(
        self,
        instance: ClusterInstance,
        policy: str,
        options: dict[str, Any],
        look: Callable[[Simulation], None],
    ) -> None:
        super().__init__(instance, policy, "drop", options)
        self.look = look

    def step(self, now: float) -> None:
        super().step(now)
        self.look(self)


@every([FIRST_FIT, *PQ])
def test_after_a_pass_no_waiting_job_fits(setting: Setting) -> None:
    policy, options = setting

    def look(simulation: Simulation) -> None:
        state = simulation.state
        assert all(state.fits_at(j, state.now) is None for j in state.waiting)

    for instance in instances_for(setting, n_cases(30), first=11000):
        Watched(instance, policy, options, look).run()


@every(CONSERVATIVE)
def test_after_a_pass_everybody_who_could_be_placed_holds_a_reservation(setting: Setting) -> None:
    policy, options = setting

    def look(simulation: Simulation) -> None:
        state = simulation.state
        assert all((j in state.reservations) == (state.earliest(j) is not None) for j in state.waiting)
        assert all(start > state.now for start, _ in state.reservations.values())

    for instance in instances_for(setting, n_cases(30), first=12000):
        Watched(instance, policy, options, look).run()


@every([s for s in GANG_SETTINGS if s[0] != "pq"])
def test_killed_work_is_done_again_to_the_unit(setting: Setting) -> None:
    killed = 0
    for instance in instances_for(setting, n_or_more(75), first=13000):
        result = solved(replace(instance, killed="requeue"), setting)
        for job, row in enumerate(instance.jobs):
            runs = [r for r in result.runs if r.job == job]
            if result.outcome[job] == "completed":
                lost = sum(r.end - r.start for r in runs if r.outcome != "completed")
                assert sum(r.end - r.start for r in runs) - lost == row.processing_time
            killed += sum(r.outcome == "killed" for r in runs)
    assert killed > 20


@every([EASY, *CONSERVATIVE, *PQ])
def test_without_failures_that_last_and_outages_that_do_nobody_waits_for_ever(setting: Setting) -> None:
    for seed in range(14000, 14050):
        instance = random_cluster(seed, Features())
        finite = replace(
            instance,
            outages=tuple(o for o in instance.outages if o.end < inf),
            failures=tuple(f for f in instance.failures if f.end < inf),
        )
        assert "waiting" not in solved(finite, setting).outcome
