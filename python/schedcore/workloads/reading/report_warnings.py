"""What of a report is worth a warning, and with what a command should not go on.

The limits stand here, once: readers say what they found, `make_report` asks which of it is loud, and commands obey.
"""

import dataclasses
import math
from collections.abc import Mapping

from schedcore.workloads.reading.needed_choice import Choice
from schedcore.workloads.reading.row_ledger import RowLedger

__all__ = [
    "EXCESSIVE_LOSS",
    "LOUD_LOSS",
    "Finding",
    "estimate_findings",
    "is_about_load",
    "load_findings",
    "loss_findings",
    "loss_in_words",
    "unknown_findings",
    "written_load",
    "written_share",
]

#: Above this share of any resource's work, lost work is a warning.
LOUD_LOSS = 0.01
#: Above this share, the command line does not go on unless it is told to.
EXCESSIVE_LOSS = 0.10
#: Above this share of the jobs, missing estimates are a warning.
LOUD_MISSING_ESTIMATES = 0.05
#: Above this offered load, the units of the source or the machines are in doubt.
DOUBTFUL_LOAD = 4.0

_OFFERED_LOAD = "offered load of "


@dataclasses.dataclass(frozen=True)
class Finding:
    """Something to warn of.

    Parameters
    ----------
    sentence : str
        What it is, and what to do about it.
    stop : str
        Why a command should not go on: "loss" or "capacity"; empty if it is a warning alone.
    choice : tuple of str and value, optional
        The option with which it would go on.
    """

    sentence: str
    stop: str = ""
    choice: Choice | None = None


def loss_findings(
    dropped_work: Mapping[str, Mapping[str, float]], work_lost: Mapping[str, float], ledger: RowLedger
) -> tuple[Finding, ...]:
    """Return the finding about the work that is lost, if it is loud: how much, mostly for what, and what to do."""
    most = max(work_lost.values(), default=0.0)
    if most <= LOUD_LOSS:
        return ()
    name = max(work_lost, key=work_lost.__getitem__)
    reason = max(sorted(dropped_work), key=lambda reason: dropped_work[reason][name])
    count = ledger.dropped[reason] or ledger.repaired[reason]
    sentence = f"{loss_in_words(work_lost)}, mostly as {reason}: {ledger.meaning[reason]} ({_rows(count)})"
    remedy = ledger.remedy.get(reason, "")
    stop = "loss" if most > EXCESSIVE_LOSS else ""
    return (Finding(f"{sentence}{remedy and f'; {remedy}'}", stop, ("allow_loss", True)),)


def unknown_findings(
    unknown: Mapping[str, int], n_kept: int, row_word: str, ledger: RowLedger
) -> tuple[Finding, ...]:
    """Return the finding about rows that may have run but left no trace of how much, if they are many.

    `n_kept` is how many rows were kept, and `row_word` what they are: "jobs" or "tasks".
    """
    count = sum(unknown.values())
    if count <= LOUD_LOSS * (n_kept + count):
        return ()
    reason = max(sorted(unknown), key=unknown.__getitem__)
    remedy = ledger.remedy.get(reason, "")
    return (
        Finding(
            f"{loss_in_words({}, count)} beside {n_kept:,} {row_word}, mostly as {reason}: {ledger.meaning[reason]}"
            f"{remedy and f'; {remedy}'}"
        ),
    )


def estimate_findings(n_missing: int, n_jobs: int) -> tuple[Finding, ...]:
    """Return the finding about jobs without an estimate, if they are many."""
    if n_missing <= LOUD_MISSING_ESTIMATES * n_jobs:
        return ()
    return (
        Finding(
            f"{written_share(n_missing / n_jobs)} of the jobs have no estimate of their run time; their exact run time "
            "takes its place, which no scheduler would know"
        ),
    )


def load_findings(load: Mapping[str, float], units: Mapping[str, str]) -> tuple[Finding, ...]:
    """Return a finding for each resource that is offered more than its machines can do until the last release."""

    def doubt(name: str, value: float) -> str:
        if value <= DOUBTFUL_LOAD:
            return ""
        read = " and ".join(
            f"{what} in {units[what]}" for what in (name, "time") if units.get(what, what) != what
        )
        return f"; check the machines{f' and the units: {read} was assumed' if read else ''}"

    return tuple(
        Finding(
            f"{_OFFERED_LOAD}{name} is {written_load(value)} > 1: the queue cannot drain while jobs arrive"
            f"{doubt(name, value)}"
        )
        for name, value in load.items()
        if value > 1
    )


def is_about_load(warning: str) -> bool:
    """Whether a warning of a report is about the offered load, which is another one once jobs are left out or moved."""
    return warning.startswith(_OFFERED_LOAD)


def loss_in_words(work_lost: Mapping[str, float], n_unknown: int = 0) -> str:
    """Return "2.5 % of the work left out", with the resources that lost some where there are several; else nothing.

    Where the work of `n_unknown` rows is not known, that is part of it.
    """
    most = max(work_lost.values(), default=0.0)
    if most <= 0:
        return f"an unknown share of the work left out ({_rows(n_unknown)})" if n_unknown else ""
    by_resource = ", ".join(
        f"{name} {written_share(share)}" for name, share in work_lost.items() if share > 0
    )
    known = f"{written_share(most)} of the work left out" + (
        f" ({by_resource})" if len(work_lost) > 1 else ""
    )
    return known + (f", and an unknown share ({_rows(n_unknown)})" if n_unknown else "")


def _rows(count: int) -> str:
    return f"{count:,} row{'s' * (count != 1)}"


def written_share(share: float) -> str:
    """Return a share in percent with one digit behind the point; never 0 for what is something."""
    if 0 < share < 0.0005:
        return "less than 0.1 %"
    return f"{100 * share:.1f} %" if 0 < share < 1 else f"{100 * share:.0f} %"


def written_load(load: float) -> str:
    """Return an offered load for people, "-" where there is none."""
    if math.isnan(load):
        return "-"
    return f"{load:.3f}" if load < 1e6 else f"{load:.4g}"
