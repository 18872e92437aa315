"""An embedded scheduler decides for a Slurm: which of the jobs that are given to it start, when, and on which nodes.

A job is given to it by its name, and held by its user until it is decided::

    sbatch --hold --job-name=driven-1 --nodes=2 --time=10 --wrap 'sleep 60'
    python examples/drive_slurm.py --state driver.state --policy easy --interval 5

Run it where scontrol may change these jobs: as root, as SlurmUser, as an operator, or as the user whose jobs they are.
A job that is decided gets its nodes (``ReqNodeList``) and is released; Slurm starts it. Jobs of other names are never
touched: where they run, their nodes are taken. To take a job back, cancel it or give it another name.

The loop looks at what Slurm says, and not at what it did itself, so it may be killed at any moment. It writes down what
it decides before it carries that out, and carries out again what Slurm does not show. Slurm runs a job once, however
often it is told to; one that a failed node has killed waits again here, and is decided anew.
"""

import argparse
import fcntl
import json
import os
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import schedcore
from schedcore import OnlineScheduler as Scheduler
from schedcore import slurm

POLICIES = ("easy", "conservative", "backfill", "fcfs", "first_fit", "pq")
HELD = ("JobHeldUser", "JobHeldAdmin")  # how users and operators hold; Slurm itself has other reasons


@dataclass
class Known:
    """A job that the scheduler knows."""

    id: int
    is_decided_here: bool  # not one that ran already, whoever has started it
    nodes: list[str] | None  # where it runs by the scheduler; None while it waits
    restarts: int  # how often Slurm had killed it when it was decided


class Driver:
    """Tells the scheduler what has happened in Slurm since it looked last, and Slurm what the scheduler decides."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.begin_anew()
        if options.state.exists():
            header, _, saved = options.state.read_bytes().partition(b"\n")
            self.book = json.loads(header)
            self.known = {called: Known(**each) for called, each in self.book["known"].items()}
            self.scheduler = Scheduler.load(saved)

    def begin_anew(self) -> None:
        """Forget everything: at the next look, what runs is taken over, and what is held is taken in."""
        self.known: dict[str, Known] = {}  # as Slurm calls the job: 17, 17_3
        self.told: dict[str, slurm.SlurmJob] = {}  # what Slurm said of each at the last look
        self.book: dict[str, Any] = {"next_id": 0, "down": [], "closed": [], "announced": []}
        self.scheduler: Scheduler | None = None

    def save(self, scheduler: Scheduler) -> None:
        """Replace the file by a new one, which is there whole or not at all."""
        self.book["known"] = {called: asdict(each) for called, each in self.known.items()}
        new = self.options.state.with_suffix(".new")
        with new.open("wb") as file:
            file.write(json.dumps(self.book).encode() + b"\n" + scheduler.save())
            file.flush()
            os.fsync(file.fileno())
        new.replace(self.options.state)

    def step(self, state: slurm.SlurmState) -> None:
        """Decide by what Slurm says, write it down, and carry it out."""
        scheduler = self.scheduler = self.scheduler or self.new_scheduler(state)
        if scheduler.machines.names != state.machines.names:
            raise schedcore.InvalidInstanceError("Slurm has other nodes now")
        now = max(state.now, scheduler.now)
        self.told = told = {called: job for job in state.jobs for called in names_of(job)}
        completed, cancelled = self.ended()
        taken = [row for row, called in enumerate(state.running.called) if called not in self.known]
        failed = self.tell_of_nodes(scheduler, state, now)
        lost = {node for row in taken for node in told[state.running.called[row]].nodes}
        lost |= {state.machines.names[machine] for machine in (*state.down, *state.closed)}
        scheduler.complete(completed, now)
        killed = set(scheduler.fail_machines(failed, now).tolist())
        scheduler.requeue([number for number in self.requeued(lost) if number not in killed], now)
        running, own_ids = state.running, [self.know(state.running.called[row], runs=True) for row in taken]
        places = [running.machine[row] for row in taken]
        scheduler.adopt(running.jobs[taken].replace(id=own_ids), places, running.start_time[taken], now)
        submitted, ids = self.new_jobs(state, now)
        decision = scheduler.event(now, cancelled=cancelled, submitted=submitted, ids=ids)
        called = {each.id: name for name, each in self.known.items()}
        for number in decision.killed.tolist():
            self.known[called[number]].nodes = None
        for number in decision.starts.id.tolist():
            each = self.known[called[number]]
            each.nodes = [state.machines.names[at] for at, _ in decision.starts.allocation.of(number)]
            each.restarts = told[called[number]].restarts
            print(f"{now:.0f}: job {called[number]} starts on {','.join(each.nodes)}", flush=True)
        self.save(scheduler)
        self.carry_out()

    def new_scheduler(self, state: slurm.SlurmState) -> Scheduler:
        """Return one with the nodes and the rules of Slurm, but for preemption, which is left to Slurm."""
        names, labels, rules = state.machines.names, state.machines.labels, state.rules
        by_name = [{*own, f"node={name}"} for own, name in zip(labels, names, strict=True)]  # as jobs may ask
        rules = schedcore.Site(rules.order, rules.partitions, rules.service_classes, rules.limits)
        machines = state.machines.replace(labels=by_name)
        return Scheduler(self.options.policy, machines, site=rules, infeasible="wait")

    def is_given(self, job: slurm.SlurmJob) -> bool:
        """Whether a job that waits is one to decide on. Those that Slurm itself holds have failed to start."""
        return job.name.startswith(self.options.prefix) and (job.reason in HELD or not job.is_held)

    def ended(self) -> tuple[list[int], list[int]]:
        """Forget who has ended, or runs where nobody here has put it; return who of them ran here, and who waited."""
        ran, waited = list[int](), list[int]()
        for called, each in list(self.known.items()):
            job = self.told.get(called)
            if job is not None and job.is_running:
                stays = sorted(job.nodes) == sorted(each.nodes or [])
            else:  # one that is COMPLETING stays until it is known whether it waits again
                stays = (
                    job is not None and each.is_decided_here and (not job.is_waiting or self.is_given(job))
                )
            if not stays:
                (waited if each.nodes is None else ran).append(each.id)
                del self.known[called]
        return ran, waited

    def requeued(self, lost: set[str]) -> list[int]:
        """Return who waits again: Slurm has killed it, or has not started it and has lost a node of it meanwhile."""
        waiting = [
            (self.told[called], each) for called, each in self.known.items() if self.told[called].is_waiting
        ]
        return [
            each.id
            for job, each in waiting
            if each.nodes and (job.restarts > each.restarts or not lost.isdisjoint(each.nodes))
        ]

    def tell_of_nodes(self, scheduler: Scheduler, state: slurm.SlurmState, now: float) -> list[int]:
        """Tell which nodes are open, closed and under maintenance; return which have failed."""
        before = {name: set(self.book[name]) for name in ("down", "closed")}
        self.book |= {"down": state.down.tolist(), "closed": state.closed.tolist()}
        scheduler.repair_machines(sorted(before["down"] - set(self.book["down"])), now)
        scheduler.open(sorted(before["closed"] - set(self.book["closed"])), now)
        scheduler.close(sorted(set(self.book["closed"]) - before["closed"]), now)
        outages = state.outages()
        for machine, start, end in zip(outages.machine, outages.start_time, outages.end_time, strict=True):
            if [int(machine), float(end)] not in self.book["announced"]:
                scheduler.announce_outage(machine, max(start, now), end, now)
                self.book["announced"].append([int(machine), float(end)])
        return sorted(set(self.book["down"]) - before["down"])

    def new_jobs(self, state: slurm.SlurmState, now: float) -> tuple[schedcore.Jobs, list[int]]:
        """Return the jobs that are given to the scheduler now: held, due, and without others that they wait for."""
        rows, ids = list[int](), list[int]()
        for row, called in enumerate(state.waiting.called):
            job = self.told[called]
            is_due = job.reason in HELD and not job.dependency and (job.eligible_time or 0) <= now
            # One that Slurm has killed and would start again is taken in as well.
            if called not in self.known and self.is_given(job) and (is_due or job.restarts):
                rows.append(row)
                ids.append(self.know(called))
        return state.waiting.jobs[rows], ids

    def know(self, called: str, *, runs: bool = False) -> int:
        """Write down a job that is new here, and return its number."""
        number, job = self.book["next_id"], self.told[called]
        self.book["next_id"] += 1
        self.known[called] = Known(number, not runs, list(job.nodes) if runs else None, job.restarts)
        return number

    def carry_out(self) -> None:
        """Make Slurm what the scheduler has decided: who starts is released on its nodes, everybody else held."""
        for called, each in self.known.items():
            job = self.told[called]
            if not each.is_decided_here or not job.is_waiting or (job.is_held and not each.nodes):
                continue
            if each.nodes is None:
                self.scontrol("uhold", called)
            elif job.reason in (*HELD, "BeginTime") or sorted(job.required_nodes) != sorted(each.nodes):
                # One that was requeued would otherwise wait two more minutes for its last run to be cleaned up.
                change = (f"JobId={called}", f"ReqNodeList={','.join(each.nodes)}", "StartTime=now")
                if self.scontrol("update", *change):
                    self.scontrol("release", called)

    def scontrol(self, *words: str) -> bool:
        """Return whether it succeeded. Where not, the job has changed meanwhile, and the next look tells how."""
        try:
            timeout = self.options.timeout
            subprocess.run(["scontrol", *words], check=True, capture_output=True, text=True, timeout=timeout)
        except (subprocess.SubprocessError, OSError) as error:
            print(f"scontrol {' '.join(words)}: {getattr(error, 'stderr', '') or error}", file=sys.stderr)
            return False
        return True


def names_of(job: slurm.SlurmJob) -> list[str]:
    """Return how Slurm calls a job that is alive, or each task of an array."""
    # One that is COMPLETING still has its nodes, and may be about to wait again.
    if not job.is_waiting and not job.is_running and job.state != "COMPLETING":
        return []
    return [f"{job.array_job_id}_{task}" for task in job.array_tasks] or [job.called]


def look(timeout: float) -> slurm.SlurmState | None:
    """Return what Slurm says; None where it does not answer, or something changed between two of its commands."""
    try:
        return slurm.take_state(timeout)
    except (slurm.CommandError, schedcore.InvalidInstanceError) as error:
        print(error, file=sys.stderr)
        return None


def main(words: list[str]) -> None:
    """Decide until somebody ends the program."""
    parser = argparse.ArgumentParser(description="Decide for a Slurm which held jobs start, when, and where.")
    parser.add_argument("--state", type=Path, required=True, help="file of what is decided, to go on from")
    parser.add_argument("--policy", choices=POLICIES, default="easy")
    parser.add_argument("--prefix", default="driven-", help="of the names of jobs to decide on (driven-)")
    parser.add_argument("--interval", type=float, default=5.0, help="seconds between two looks at Slurm (5)")
    parser.add_argument("--timeout", type=float, default=20.0, help="seconds for each command of Slurm (20)")
    if not words:
        parser.print_help()
        return
    options = parser.parse_args(words)
    with options.state.with_suffix(".lock").open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            sys.exit(f"somebody else works with {options.state}")
        driver = Driver(options)
        while True:
            if state := look(options.timeout):
                try:
                    driver.step(state)
                except schedcore.InvalidInstanceError as error:
                    print(f"begins anew, as what Slurm says does not fit: {error}", file=sys.stderr)
                    driver.begin_anew()
            time.sleep(options.interval)


if __name__ == "__main__":
    main(sys.argv[1:])
