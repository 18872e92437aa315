"""What every policy has to keep, tried on random instances: of the library, of an installed package, or of your own."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from schedcore import registry
from schedcore.errors import InvalidInstanceError, SchedcoreError, UnsupportedError
from schedcore.model import Incidents, Instance, Jobs, Machines, Outages, Result, validate

from .decision import Decision
from .online import OnlineScheduler
from .own_policy import Policy, chosen_algorithm
from .replay import Between, known_in_advance, replayed_starts, reports_of, simulated_starts
from .solving import solve

__all__ = ["CHECKS", "PolicyReport", "check_policy"]

#: What is checked, and what that means.
CHECKS = {
    "feasible": "every job runs, and the schedule is feasible",
    "reproducible": "the same instance gets the same schedule again",
    "embedded": "told of the same events one by one, an embedded scheduler starts the same jobs",
    "wake-ups": "asked at other instants in between, it does so, too",
    "copies": "copied in between, it does so, too",
    "saved": "saved and loaded in between, it does so, too",
}


@dataclass(frozen=True, slots=True)
class PolicyReport:
    """What came of checking a policy.

    Attributes
    ----------
    policy : str
    n_passed : dict
        By check: on how many instances it held.
    findings : dict
        By check that did not hold: what happened on the first such instance, and the seed of that.
    left_out : dict
        By check that could not be made: why.
    """

    policy: str
    n_passed: dict[str, int] = field(default_factory=dict)
    findings: dict[str, str] = field(default_factory=dict)
    left_out: dict[str, str] = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        """Whether everything held."""
        return not self.findings

    def __bool__(self) -> bool:
        return self.ok


class _Violation(Exception):
    pass


def check_policy(
    policy: str | Policy, *, n_instances: int = 50, seed: int = 0, **options: Any
) -> PolicyReport:
    """Try what every policy has to keep on random instances with all the features that it takes.

    Parameters
    ----------
    policy : str or Policy
        A name of `schedcore.registry.names()`, or a policy of your own, for jobs (`Instance`).
    n_instances : int
        Of at most 20 jobs and 4 machines each; half of them with failures and cancellations where it takes them.
    seed : int
        Of the first instance; the others count on.
    **options
        Of the policy.

    Returns
    -------
    PolicyReport
        True in a condition if everything held.

    Raises
    ------
    UnsupportedError
        For a policy of other problems, or one that works in slots.
    InvalidInstanceError
        For less than one instance, an unknown name, and unknown options.
    """
    if n_instances < 1:
        raise InvalidInstanceError(f"n_instances = {n_instances} must be at least 1")
    algorithm = chosen_algorithm(policy)
    if algorithm.instance_kind is not Instance or algorithm.slotted:
        raise UnsupportedError(
            f"{algorithm.name!r} is no policy for jobs that run to their end; only these are checked"
        )
    algorithm.check_options(options)
    report = PolicyReport(algorithm.name, dict.fromkeys(CHECKS, 0))
    if not algorithm.embeddable:
        _leave_out(report, ("embedded", "wake-ups", "copies", "saved"), "it has no embedded form")
    elif any(callable(value) for value in options.values()):
        _leave_out(report, ("saved",), "a key of somebody's own is not saved")
    for number in range(n_instances):
        trial = _Trial(policy, algorithm, options, seed + number)
        for check, tried in trial.checks().items():
            if check in report.findings or check in report.left_out:
                continue
            try:
                tried()
                report.n_passed[check] += 1
            except (_Violation, SchedcoreError) as error:
                if check == "saved" and isinstance(error, UnsupportedError):
                    _leave_out(report, (check,), str(error))
                    continue
                kind = "" if isinstance(error, _Violation) else f"{type(error).__name__}: "
                report.findings[check] = f"{kind}{error} (seed {seed + number})"
    return report


def _leave_out(report: PolicyReport, checks: tuple[str, ...], why: str) -> None:
    for check in checks:
        report.left_out[check] = why
        del report.n_passed[check]


class _Trial:
    """A policy on one random instance."""

    def __init__(
        self, policy: str | Policy, algorithm: registry.Algorithm, options: dict[str, Any], seed: int
    ) -> None:
        self.policy = policy
        self.options = options
        self.rng = np.random.default_rng(seed)
        self.instance = self._instance(algorithm)
        self.incidents = self._incidents(algorithm, seed)
        self._result: Result | None = None

    def checks(self) -> dict[str, Callable[[], None]]:
        return {
            "feasible": self.feasible,
            "reproducible": self.reproducible,
            "embedded": self.embedded,
            "wake-ups": self.wakeups,
            "copies": self.copies,
            "saved": self.saved,
        }

    @property
    def result(self) -> Result:
        if self._result is None:
            self._result = self.solved()
        return self._result

    def solved(self) -> Result:
        told: dict[str, Any] = {} if self.incidents is None else {"incidents": self.incidents}
        return solve(self.policy, self.instance, **told, **self.options)

    def feasible(self) -> None:
        result = self.result
        if result.outcome is None or result.runs is None:
            report = validate(self.instance, result.schedule)
        else:
            for job in np.flatnonzero(result.outcome == "waiting"):
                raise _Violation(f"job {job} never starts")
            report = validate(
                self.instance,
                result.runs,
                incidents=self.incidents,
                outcome=result.outcome,
                site=result.site,
            )
        if not report:
            raise _Violation(report.message)

    def reproducible(self) -> None:
        self.compare(simulated_starts(self.solved()), "a second run")

    def embedded(self) -> None:
        self.replay(None, "the embedded scheduler")

    def wakeups(self) -> None:
        def asked(scheduler: OnlineScheduler, instant: float) -> tuple[OnlineScheduler, list[Decision]]:
            between = np.sort(self.rng.uniform(scheduler.now, instant, 2))
            return scheduler, [scheduler.advance(now) for now in between if scheduler.now < now < instant]

        self.replay(asked, "asked in between, the embedded scheduler")

    def copies(self) -> None:
        self.replay(lambda scheduler, _: (scheduler.copy(), []), "copied in between, the embedded scheduler")

    def saved(self) -> None:
        own = self.policy if isinstance(self.policy, Policy) else None

        def loaded(scheduler: OnlineScheduler, _: float) -> tuple[OnlineScheduler, list[Decision]]:
            return OnlineScheduler.load(scheduler.save(), policy=own), []

        self.replay(loaded, "loaded in between, the embedded scheduler")

    def replay(self, between: Between | None, who: str) -> None:
        name = self.policy if isinstance(self.policy, str) else ""
        known = known_in_advance(name, self.instance, self.result)
        incidents = self.incidents or Incidents()
        reports = reports_of(self.instance, incidents, self.result)
        scheduler = OnlineScheduler(
            self.policy, self.instance.machines, killed=incidents.killed, **{**known, **self.options}
        )
        try:
            starts = replayed_starts(scheduler, self.instance, reports, between)
        except InvalidInstanceError as error:  # what ends, or is killed, has to have started
            raise _Violation(f"{who} goes another way than the simulation: {error}") from error
        self.compare(starts, who)

    def compare(self, starts: list[Any], who: str) -> None:
        expected = simulated_starts(self.result)
        if starts == expected:
            return
        one, other = next(
            (pair for pair in zip(expected, starts, strict=False) if pair[0] != pair[1]), (None, None)
        )
        if one is None:
            raise _Violation(f"{who} starts {len(starts)} runs, not {len(expected)}")
        raise _Violation(f"{who} has (job, start, places) {other} where the simulation has {one}")

    def _instance(self, algorithm: registry.Algorithm) -> Instance:
        rng, takes = self.rng, algorithm.takes
        n_jobs, n_machines = int(rng.integers(1, 21)), int(rng.integers(1, 5))
        n_resources = int(rng.integers(1, 4))
        most = rng.integers(4, 9, n_resources)
        capacity = np.tile(most, (n_machines, 1))
        if algorithm.machines_may_differ and rng.random() < 0.5:
            capacity[1:] = np.maximum(1, capacity[1:] - rng.integers(0, 4, capacity[1:].shape))
        columns: dict[str, Any] = {}
        of_machines: dict[str, Any] = {}
        if "constraints" in takes and rng.random() < 0.5:
            of_machines["labels"] = [
                ["a"],
                *(["b"] if rng.random() < 0.5 else ["a"] for _ in range(n_machines - 1)),
            ]
            columns["constraint"] = [[None, "a", "!b"][k] for k in rng.integers(0, 3, n_jobs)]
        if "weights" in takes and rng.random() < 0.5:
            of_machines["weight"] = rng.integers(0, 3, n_machines)
        if "exclusive" in takes and rng.random() < 0.5:
            columns["exclusive"] = rng.random(n_jobs) < 0.2
        demand = rng.integers(0, most + 1, (n_jobs, n_resources))
        demand[:, 0] = np.maximum(demand[:, 0], 1)
        if "gangs" in takes and rng.random() < 0.5:
            # Every machine has 1 of everything.
            demand = np.minimum(demand, 1)
            columns["n_tasks"] = rng.integers(1, n_machines + 1, n_jobs)
            columns.pop("constraint", None)
        outages = None
        if "outages" in takes and rng.random() < 0.5:
            begin = rng.integers(0, 20, 2).astype(float)
            outages = Outages(rng.integers(0, n_machines, 2), begin, begin + rng.integers(1, 9, 2))
        late = not algorithm.needs_zero_releases
        jobs = Jobs(
            rng.integers(1, 9, n_jobs),
            demand,
            release_time=rng.integers(0, 16, n_jobs) if late else 0,
            weight=rng.integers(1, 5, n_jobs),
            **columns,
        )
        return Instance(jobs, Machines(capacity, **of_machines), outages=outages)

    def _incidents(self, algorithm: registry.Algorithm, seed: int) -> Incidents | None:
        if seed % 2 or not {"failures", "cancellations"} <= algorithm.takes:
            return None
        rng, instance = self.rng, self.instance
        begin = rng.integers(0, 20, 2).astype(float)
        machines = rng.integers(0, instance.n_machines, 2)
        return Incidents(
            failures=Outages(machines, begin, begin + rng.integers(1, 9, 2)),
            cancellations={int(rng.integers(0, instance.n_jobs)): float(rng.integers(0, 25))},
        )
