"""What the kernel found wrong with runs, in a sentence that names the job, the value and the bound."""

from dataclasses import dataclass

import numpy as np

from .coded_texts import CodedTexts
from .constraints import machines_that_satisfy
from .dependencies import AFTER
from .instance import Instance
from .real_numbers import shown
from .runs import JOB_OUTCOMES, Runs
from .site import Site
from .site_checks import forbidden_by
from .validation_report import ValidationReport

__all__ = ["in_words"]

_Found = tuple[str, int, int, int, float, int, int, float, int]


def in_words(
    instance: Instance, runs: Runs, outcome: CodedTexts | None, site: Site, found: _Found
) -> ValidationReport:
    """Return the report on a violation as ``find_first_run_violation`` tells it."""
    violation = _Violation(*found)
    if violation.kind == "wrong_outcome":
        assert outcome is not None
        given = outcome.names[outcome.codes[violation.job]]
        message = (
            f"{instance.job_name(violation.job)} has the outcome {given!r}, its runs say "
            f"{JOB_OUTCOMES[violation.other]!r}"
        )
        return ValidationReport(False, message, violation.kind, violation.job)
    words = _Words(instance, runs, site, violation)
    return ValidationReport(
        False,
        f"{words.subject()}: {words.what()}",
        violation.kind,
        violation.job,
        None if violation.kind == "time_not_finite" or words.has_no_machine else violation.machine,
        violation.instant,
        violation.resource if violation.kind == "capacity_exceeded" else None,
        words.excess(),
        run=violation.run,
    )


@dataclass(frozen=True, slots=True)
class _Violation:
    """In the order in which the kernel tells it."""

    kind: str
    job: int
    run: int
    machine: int
    instant: float
    resource: int
    excess: int
    bound: float
    other: int


class _Words:
    """The parts of the sentence."""

    def __init__(self, instance: Instance, runs: Runs, site: Site, violation: _Violation) -> None:
        self.instance = instance
        self.jobs = instance.jobs
        self.runs = runs
        self.site = site
        self.found = violation
        self.end = float(runs.end_time[violation.run])
        self.places = runs.allocation.of(violation.run)

    @property
    def has_no_machine(self) -> bool:
        """Whether the run has tasks nowhere."""
        return not self.places

    def subject(self) -> str:
        found = self.found
        attempt = int(self.runs.attempt[found.run])
        job = self.instance.job_name(found.job) + (f", attempt {attempt}," if attempt else "")
        if found.kind == "time_not_finite":
            return f"{job} starts at {found.instant!r} and ends at {self.end!r}"
        where = "no machine" if self.has_no_machine else f"machine {found.machine}"
        return f"{job} starts at {found.instant!r} on {where}"

    def excess(self) -> int | float | None:
        found = self.found
        match found.kind:
            case "capacity_exceeded" | "wrong_n_tasks" | "too_many_tasks" | "limit_exceeded":
                return found.excess
            case "start_before_release" | "job_runs_twice":
                return found.bound - found.instant
            case "wrong_length" | "not_cut_short" | "past_cancellation":
                return self.end - found.bound
        return None

    def what(self) -> str:
        found, end = self.found, self.end
        match found.kind:
            case "time_not_finite":
                return "times of runs are finite numbers"
            case "unknown_job":
                return f"jobs are numbered from 0 to {self.instance.n_jobs - 1}"
            case "unknown_machine":
                return f"machines are numbered from 0 to {self.instance.n_machines - 1}"
            case "job_forbidden":
                return self._forbidden()
            case "start_before_release":
                return f"that is {self.excess()!r} before its release time {found.bound!r}"
            case "no_progress":
                return self._no_progress()
            case "attempt_out_of_order":
                return f"it should be attempt {found.other}"
            case "job_runs_twice":
                return f"another run of the job ends at {found.bound!r} only"
            case "job_has_ended":
                return f"the job ended for good at {found.bound!r}"
            case "past_cancellation":
                return f"it ends at {end!r}, after the cancellation of the job at {found.bound!r}"
            case "dependency_unmet":
                return self._dependency()
            case "wrong_length":
                return f"it completes at {end!r}, the work that is left takes until {found.bound!r}"
            case "not_cut_short":
                return f"it is {self._outcome()} at {end!r}, the work that is left takes until {found.bound!r} only"
            case "killed_by_nothing":
                nobody = "" if self.site.preempt is None else ", and no job starts that may preempt it"
                return f"it is killed at {end!r}, when none of its machines begins to fail{nobody}"
            case "cancelled_by_nobody":
                when = "never" if np.isinf(found.bound) else f"at {found.bound!r}"
                return f"it is cancelled at {end!r}, the job is cancelled {when}"
            case "limit_exceeded":
                return self._limit()
        return self._what_on_machine()

    def _what_on_machine(self) -> str:
        """What concerns the tasks."""
        found = self.found
        match found.kind:
            case "wrong_n_tasks":
                n_tasks = int(self.jobs.n_tasks[found.job])
                return f"it has {_counted(n_tasks + found.excess)}, the job {n_tasks}"
            case "machine_twice":
                return "it names this machine twice"
            case "no_tasks":
                fewest = min(n_tasks for machine, n_tasks in self.places if machine == found.machine)
                return f"it has {_counted(fewest)} there; where it has any, it has at least 1"
            case "machine_not_allowed":
                return self._excluded()
            case "too_many_tasks":
                most = int(self.jobs.max_tasks_per_machine[found.job])
                return f"it has {_counted(most + found.excess)} there, at most {most} may share a machine"
            case "during_outage" | "during_failure":
                down = found.kind.removeprefix("during_")
                return f"it ends at {self.end!r}, and {down} of this machine begins at {found.bound!r}"
            case "not_alone":
                if found.other < 0:
                    return "it wants the machine for itself, and is not alone there"
                return f"{self.instance.job_name(found.other)} has this machine for itself"
        name = self.instance.machines.resource_names[found.resource]
        capacity = int(self.instance.machines.capacity[found.machine, found.resource])
        return (
            f"{name} (resource {found.resource}) rises to {capacity + found.excess}, {found.excess} above "
            f"capacity {capacity}"
        )

    def _outcome(self) -> str:
        outcome = self.runs.coded_outcome
        return outcome.names[int(outcome.codes[self.found.run])]

    def _no_progress(self) -> str:
        if self.end < self.found.instant:
            return f"it ends at {self.end!r}, before it starts"
        length = float(self.jobs.processing_time[self.found.job])
        if self.found.instant + length == self.found.instant:
            return f"it ends as it starts, {length!r} later is the same float64"
        return "it ends as it starts"

    def _dependency(self) -> str:
        found = self.found
        other = self.jobs.id[found.other]
        columns = [name for name in AFTER if other in self._awaited(name)]
        name = f"{self.instance.job_name(found.other)} ({', '.join(columns)})"
        if np.isinf(found.bound) and found.bound > 0:
            return f"it waits for {name} still"
        when = "before it could run" if np.isinf(found.bound) else f"at {found.bound!r}"
        return f"it waits for {name}, which ended otherwise {when}"

    def _forbidden(self) -> str:
        reasons = forbidden_by(self.site, self.jobs, self.instance.machines)
        return next(reason(self.found.job) for mask, reason in reasons if mask[self.found.job])

    def _limit(self) -> str:
        found = self.found
        limit = self.site.limits[found.other]
        of_job = getattr(self.jobs, limit.party)[found.job]
        value = int(of_job) if limit.party == "array" else repr(str(of_job))
        return (
            f"{limit.what} of {limit.party} {value} rise to {limit.most + found.excess}, {found.excess} above "
            f"limits[{found.other}] = {limit!r}"
        )

    def _excluded(self) -> str:
        """Its own constraint is named where both exclude the machine."""
        constraint = self.jobs.coded("constraint")
        code = int(constraint.codes[self.found.job])
        text = constraint.names[code] if code >= 0 else ""
        if not machines_that_satisfy(text, self.instance.machines)[self.found.machine]:
            return f"its constraint {shown(repr(text))} excludes this machine"
        name = self.jobs.partition[self.found.job]
        partition = next(each for each in self.site.partitions if each.name == name)
        return (
            f"constraint {shown(repr(partition.constraint))} of its partition {name!r} excludes this machine"
        )

    def _awaited(self, column: str) -> list[int]:
        lists = self.jobs.id_lists(column)
        begin, end = lists.offsets[self.found.job : self.found.job + 2]
        ids: list[int] = lists.values[begin:end].tolist()
        return ids


def _counted(n_tasks: int) -> str:
    return f"{n_tasks} task{'' if n_tasks == 1 else 's'}"
