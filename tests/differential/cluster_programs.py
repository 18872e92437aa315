"""Random programs for an embedded scheduler on a cluster, run by the library and by the reference side by side.

Jobs end early, late or at their estimates; machines fail, come back and are announced to be out, at any time; jobs are
cancelled, held, released and requeued. Some programs begin with arrivals and completions alone. The library is saved,
loaded and copied on the way.
"""

from dataclasses import replace
from math import inf
from random import Random
from typing import Any

import numpy as np
import pytest

import schedcore
from differential.cluster_cases import Setting, can_preempt, takes_tasks
from differential.cluster_model import model_instance, model_machines, model_site
from differential.cluster_program_reservations import make_reservation, submit_inside
from reference.cluster_embedded import EmbeddedCluster
from reference.cluster_explanations import Why, explain
from reference.cluster_instance import ClusterJob
from reference.cluster_placement import can_ever_run, place
from reference.cluster_policy_names import KnownAhead
from reference.cluster_random import Features, random_cluster
from reference.cluster_site import NO_RULES, Site
from reference.cluster_site_random import RuleFeatures, random_site, without_absent
from schedcore import InfeasibleError

Row = tuple[int, float, tuple[tuple[int, int], ...]]


def awaited(row: ClusterJob) -> set[int]:
    return {*row.after_ok, *row.after_any, *row.after_not_ok}


def embedded_site(site: Site, machines: schedcore.Machines) -> schedcore.Site:
    """An order by numbers is a callable, which knows later jobs, too."""
    order = site.order
    if callable(order) or isinstance(order, (list, tuple)):
        by_number = order if callable(order) else order.__getitem__
        site = replace(site, order="arrival")
        plain = model_site(site, machines, 0)
        return schedcore.Site(
            lambda jobs: [by_number(job) for job in jobs.id.tolist()],
            plain.partitions,
            plain.service_classes,
            plain.limits,
            plain.shares,
            plain.preempt,
        )
    return model_site(site, machines, 0)


class Program:
    def __init__(
        self,
        seed: int,
        setting: Setting,
        *,
        n_plain_steps: int,
        own: schedcore.Policy | None = None,
        has_rules: bool = False,
        is_crowded: bool = False,
    ) -> None:
        """The policy `own` runs in the library in place of that of the setting, like which it is to decide.

        In a crowd many jobs come with the first step, so that most of them wait together, and at most instants nobody
        ends and nothing is disturbed.
        """
        policy, options = setting
        self.own = own
        self.draw = Random(seed)
        features = Features(tasks=takes_tasks(setting) and (own is None or "gangs" in own.takes))
        self.site = NO_RULES
        if has_rules:
            rules = RuleFeatures(order=policy != "pq", forward=False, preemption=can_preempt(setting))
            instance, self.site = random_site(seed, rules, features, max_jobs=120 if is_crowded else 14)
            instance = without_absent(instance, self.site)
        else:
            instance = random_cluster(seed, features, max_jobs=120 if is_crowded else 14)
        self.instance = instance
        self.infeasible = self.draw.choice(["refuse", "refuse", "wait"])
        self.jobs = {
            j: row
            for j, row in enumerate(instance.jobs)
            if not self.site.forbids(self.site.seen(row))
            if self.infeasible == "wait" or can_ever_run(self.site.seen(row), instance.machines)
        }
        self.to_come = sorted(self.jobs, key=lambda j: (self.jobs[j].release_time, j))
        self.constraints = sorted({row.constraint for row in instance.jobs} | {""})
        self.model = model_instance(instance)
        known, told = KnownAhead(), dict[str, Any]()
        self.last_release_time = inf
        if policy == "ca_pq":
            self.last_release_time = float(self.draw.randint(0, 20))
            told = {"last_release_time": self.last_release_time}
            known = KnownAhead(self.last_release_time)
        if policy == "mris":
            told = {"gamma0": known.shortest_processing_time, "origin": options.get("origin", 0.0)}
        self.reference = EmbeddedCluster(
            policy,
            instance.machines,
            site=self.site,
            killed=instance.killed,
            infeasible=self.infeasible,
            known=known,
            **options,
        )
        self.library = schedcore.OnlineScheduler(
            self.own or policy,
            self.model.machines,
            site=embedded_site(self.site, self.model.machines) if has_rules else None,
            killed=instance.killed,
            infeasible=self.infeasible,
            **({} if own else {**told, **options}),
        )
        if policy == "mris":
            # Where jobs run late, MRIS counts on other ends, and wakes up at other instants, as long as nothing of a
            # cluster has happened. Machines that come back change nothing else.
            self.reference.repair_machines([0], 0.0)
            self.library.repair_machines([0], 0.0)
        self.n_plain_steps = n_plain_steps
        self.n_at_once = 60 if is_crowded else 0
        self.submitted: set[int] = set()
        self.now = 0.0
        self.mentioned: set[int] = set()  # since the last decision
        self.failing: set[int] = set()  # machines, since then
        self.resized: set[int] = set()  # likewise

    @property
    def machines(self) -> range:
        return range(len(self.reference.state.machines))

    def run(self, n_steps: int) -> None:
        for step in range(n_steps):
            self.now += self.draw.choice([0, 0, 1, 1, 2, 3])
            self.submit(self.draw.randint(0, 3) + (self.n_at_once if step == 0 else 0))
            is_calm = self.n_at_once > 0 and self.draw.random() < 0.5
            if not is_calm:
                self.complete()
            if step >= self.n_plain_steps:
                if is_calm:
                    self.reserve()
                else:
                    self.disturb()
            if self.draw.random() < 0.8:
                self.advance()
                self.mentioned.clear()
                self.failing.clear()
                self.resized.clear()
            if self.draw.random() < 0.1:
                self.library = self.library.copy()

    def submit(self, n: int) -> None:
        batch, self.to_come = self.to_come[:n], self.to_come[n:]
        batch = [j for j in batch if self.reference.may_wait(self.jobs[j])]
        # Whoever waits for a job that was never submitted is refused.
        while absent := [
            j for j in batch if not self.submitted.issuperset(awaited(self.jobs[j]) - set(batch))
        ]:
            batch = [j for j in batch if j not in absent]
        if batch and self.now <= self.last_release_time:
            self.reference.submit({j: self.jobs[j] for j in batch}, self.now)
            self.library.submit(self.model.jobs[np.array(batch)], self.now, ids=batch)
            self.submitted.update(batch)

    def complete(self) -> None:
        self.record("complete", self.some(self.reference.all_running(), 0.3))

    def disturb(self) -> None:
        state = self.reference.state
        running, waiting = self.reference.all_running(), self.reference.all_waiting()
        self.record("requeue", self.some(running, 0.05))
        self.record("cancel", self.some(running | waiting, 0.05))
        if self.to_come and self.draw.random() < 0.3:
            self.adopt(self.to_come.pop())
        arriving = [records for now, records in self.reference.pending.items() if now == self.now]
        self.update(
            [
                j
                for records in arriving
                for j in (*records.adopted, *records.submitted)
                if self.draw.random() < 0.2
            ]
        )
        self.update(self.some(running | waiting, 0.06))
        held = self.some(waiting - state.on_hold, 0.08)
        self.record("hold", held)
        if self.draw.random() < 0.5:
            # at one instant, perhaps with something else that is said of them
            self.update([job for job in held if self.draw.random() < 0.6])
            self.record("release", [job for job in held if self.draw.random() < 0.6])
        self.record("release", self.some(state.on_hold, 0.4))
        there = sorted(set(self.machines) - self.reference.removed)
        if there and self.draw.random() < 0.1:
            start = self.now + self.draw.randint(0, 8)
            end = inf if self.draw.random() < 0.1 else start + self.draw.randint(1, 6)
            machine = self.draw.choice(there)
            self.reference.announce_outage(machine, start, end, self.now)
            self.library.announce_outage(machine, start, end, self.now)
        self.reserve()
        self.change_machines()
        self.stop("fail_machines", 0.06)
        self.stop("close", 0.05, self.draw.choice(["finish", "requeue", "drop"]))
        self.stop("remove_machines", 0.01, self.draw.choice(["finish", "requeue", "drop"]))
        for what in ("repair_machines", "open"):
            machines = self.some_machines(0.25)
            if machines:
                getattr(self.reference, what)(machines, self.now)
                getattr(self.library, what)(machines, self.now)

    def reserve(self) -> None:
        """Amounts are set aside, on machines that are named or chosen; jobs are submitted that name them."""
        if self.site.preempt is not None:
            return  # what reservations leave of a machine is not told anew as if victims had ended
        if self.draw.random() < 0.12:
            make_reservation(self)
        known = self.reference.known_reservations(self.now)
        for number in sorted(known):
            if self.draw.random() < 0.04:
                self.reference.cancel_reservation(number, self.now)
                self.library.cancel_reservation(number, self.now)
            elif self.to_come and self.draw.random() < 0.4 and self.now <= self.last_release_time:
                submit_inside(self, number, known[number])

    def change_machines(self) -> None:
        """Some join, like others that were there; some have other amounts of their resources from now on."""
        if self.draw.random() < 0.06:
            joining = [self.draw.choice(self.instance.machines) for _ in range(self.draw.choice([1, 1, 2]))]
            if self.draw.random() < 0.2:
                joining = [replace(joining[0], weight=self.draw.randint(-2, 3))]
            numbers = self.reference.add_machines(joining, self.now)
            assert self.library.add_machines(model_machines(joining), self.now).tolist() == numbers
            self.resized.update(numbers)
        for machine in self.some_machines(0.03):
            if machine in self.resized:
                continue
            capacity = tuple(
                self.draw.choice([0, amount, amount, max(0, amount - 1), amount + 1])
                for amount in self.draw.choice(self.instance.machines).capacity
            )
            self.reference.set_capacity(machine, capacity, self.now)
            self.library.set_capacity(machine, capacity, self.now)
            self.resized.add(machine)

    def some_machines(self, share: float) -> list[int]:
        """Some of those that are not removed."""
        return [m for m in self.machines if m not in self.reference.removed and self.draw.random() < share]

    def adopt(self, job: int) -> None:
        """A job that runs where there is room for it, as far as is known."""
        state = self.reference.state
        row = replace(self.jobs[job], after_ok=(), after_any=(), after_not_ok=())
        free = {
            m: [c - u for c, u in zip(machine.capacity, state.used(m), strict=True)]
            for m, machine in enumerate(state.machines)
        }
        waits = any(records.adopted for records in self.reference.pending.values())
        not_there = state.failed | self.reference.removed | self.failing | self.resized
        there = [m for m in self.machines if m not in not_there]
        for m in set(self.machines) - set(there):
            free[m] = [0] * len(free[m])
        allocation = None if waits else place(replace(row, constraint=""), state.machines, free)
        if allocation is None or self.now > self.last_release_time:
            return
        start = max(0.0, self.now - self.draw.randint(0, 6))
        release = float(self.draw.randint(0, int(start)))
        adopted = self.model.jobs[np.array([job])].replace(
            release_time=[release], after_ok=None, after_any=None, after_not_ok=None
        )
        self.submitted.add(job)
        if not self.reference.may_wait(row):
            with pytest.raises(InfeasibleError):
                self.library.adopt(adopted, [list(allocation)], start, self.now, ids=[job])
            return
        self.reference.adopt(job, replace(row, release_time=release), start, allocation, self.now)
        self.library.adopt(adopted, [list(allocation)], start, self.now, ids=[job])

    def update(self, jobs: list[int]) -> None:
        """The jobs are not mentioned: other records may follow."""
        for job in jobs:
            said: dict[str, Any] = {}
            if self.draw.random() < 0.5:
                remaining_time = self.draw.randint(1, 8) + self.jobs[job].restart_cost
                if self.may_become(job, remaining_time):
                    said["remaining_time"] = remaining_time
                else:
                    with pytest.raises(InfeasibleError, match=f"job {job} can never run: its remaining_time"):
                        self.library.update([job], self.now, remaining_time=remaining_time)
            if self.draw.random() < 0.4:
                said["weight"] = self.draw.choice([1, 2, 5])
            constraint = self.draw.choice(self.constraints)
            row = replace(self.jobs[job], constraint=constraint)
            if self.draw.random() < 0.4 and self.reference.may_wait(row):
                said["constraint"] = constraint
            if said:
                self.reference.update([job], self.now, **said)
                self.library.update([job], self.now, **said)

    def may_become(self, job: int, remaining_time: float) -> bool:
        """Whether it may be said to take so long: of a job that runs, whatever its partition allows."""
        most = self.site.partition_of(self.jobs[job]).max_time
        return most is None or remaining_time <= most or job in self.reference.all_running()

    def some(self, jobs: object, share: float) -> list[int]:
        """Some of them that no record is about yet."""
        assert isinstance(jobs, (set, dict, list))
        return [j for j in sorted(set(jobs) - self.mentioned) if self.draw.random() < share]

    def record(self, what: str, jobs: list[int]) -> None:
        if jobs:
            self.mentioned.update(jobs)
            getattr(self.reference, what)(jobs, self.now)
            getattr(self.library, what)(jobs, self.now)

    def stop(self, what: str, share: float, *how: str) -> None:
        machines = self.some_machines(share)
        if not machines:
            return
        if what == "fail_machines":
            self.failing.update(machines)
        expected = getattr(self.reference, what)(machines, self.now, *how)
        killed = getattr(self.library, what)(machines, self.now, *how).tolist()
        # The library leaves those out that other records end before.
        assert set(killed) <= set(expected)
        assert set(expected) - set(killed) <= self.mentioned
        self.mentioned.update(expected)

    def advance(self) -> None:
        expected = self.reference.advance(self.now)
        decision = self.library.advance(self.now)
        assert self.rows(decision.starts) == sorted(expected.starts)
        assert self.rows(decision.plan) == sorted(expected.plan)
        assert decision.next_wakeup == expected.next_wakeup
        assert decision.preempted.tolist() == expected.preempted
        assert decision.left.tolist() == expected.left
        columns = (
            decision.broken.id,
            decision.broken.promised,
            decision.broken.expected,
            decision.broken.cause,
        )
        broken = list(zip(*(column.tolist() for column in columns), strict=True))
        assert sorted(broken) == sorted(expected.broken)
        if self.draw.random() < 0.1:
            estimates = self.reference.estimate_start()
            assert self.library.estimate_start().tolist() == list(estimates.values())
        if self.draw.random() < 0.3:
            expected_reasons = explain(self.reference)
            found = {
                row.id: Why(
                    row.reason,
                    list(row.jobs),
                    list(row.machines),
                    row.time,
                    list(row.shortage),
                    row.before,
                    row.limit,
                )
                for row in self.library.explain()
            }
            assert found == expected_reasons
        if self.draw.random() < 0.15:
            saved = self.library.save()
            order = self.library.site.order if self.library.site is not None else None
            self.library = schedcore.OnlineScheduler.load(
                saved, policy=self.own, heuristic=order if callable(order) else None
            )
            assert self.library.save() == saved

    def rows(self, placements: schedcore.Placements) -> list[Row]:
        """A job is there twice where it was killed and has started again since the last decision."""
        tasks = placements.allocation
        places = iter(
            zip(*(column.tolist() for column in (tasks.id, tasks.machine, tasks.n_tasks)), strict=True)
        )
        found = []
        for job, start in zip(placements.id.tolist(), placements.start_time.tolist(), strict=True):
            allocation = []
            while sum(n for _, n in allocation) < self.jobs[job].n_tasks:
                id, machine, n_tasks = next(places)
                assert id == job
                allocation.append((machine, n_tasks))
            found.append((job, start, tuple(allocation)))
        assert next(places, None) is None
        return sorted(found)
