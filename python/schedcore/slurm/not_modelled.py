"""What a site or its state has and schedcore cannot model: said, with the number of jobs that it touches."""

import dataclasses
from collections.abc import Iterable

__all__ = ["EVERYBODY", "NotModelled", "listed", "merged"]

EVERYBODY = "all"


@dataclasses.dataclass(frozen=True, slots=True)
class NotModelled:
    """One thing that is not modelled, or not exactly.

    Parameters
    ----------
    setting : str
        What it is called, as ``"SchedulerParameters: bf_window_linear"`` or ``"job: licenses"``.
    value : str
        What it was set to.
    why : str
        What schedcore does instead.
    scope : str
        Whose jobs it may touch: "all", or as ``"partition=batch"``, ``"account=physics"``, ``"service_class=high"``.
    n_jobs : int or None
        How many jobs it touches; None where no jobs are at hand, as for a configuration alone.
    """

    setting: str
    value: str
    why: str
    scope: str = EVERYBODY
    n_jobs: int | None = None

    def __str__(self) -> str:
        value = f" = {self.value}" if self.value else ""
        touched = "" if self.n_jobs is None else f" ({self.n_jobs:,} job{'s' * (self.n_jobs != 1)})"
        return f"{self.setting}{value}: {self.why}{touched}"


def merged(findings: Iterable[NotModelled]) -> tuple[NotModelled, ...]:
    """Return findings with those that are equal but for `n_jobs` counted together, in order of first appearance."""
    counts: dict[NotModelled, int | None] = {}
    for finding in findings:
        key = dataclasses.replace(finding, n_jobs=None)
        before, more = counts.get(key), finding.n_jobs
        counts[key] = more if before is None else before + (more or 0)
    return tuple(dataclasses.replace(finding, n_jobs=n_jobs) for finding, n_jobs in counts.items())


def listed(findings: Iterable[NotModelled]) -> str:
    """Return a line for each finding, for people."""
    return "\n".join(f"not modelled: {finding}" for finding in findings)
