"""``schedcore when``: when waiting jobs of a Slurm cluster start, and why they wait."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import schedcore
from schedcore.cli.cluster_state import (
    FromOption,
    TimeoutOption,
    TimezoneOption,
    about,
    date,
    duration,
    exactness,
    state_from,
)
from schedcore.cli.option_groups import with_option_groups
from schedcore.cli.output import OutputOptions
from schedcore.errors import InvalidInstanceError, UnsupportedError
from schedcore.problems.policy_choice import parse_policy
from schedcore.problems.presentation import Column, Presentation, Table, quantity

if TYPE_CHECKING:  # other commands need nothing of schedcore.slurm
    from schedcore.slurm import SlurmLog, SlurmState
    from schedcore.slurm.values import Zone

ForecastPolicyOption = Annotated[
    str | None,
    typer.Option(
        "--policy", "-p", metavar="NAME[:OPTION=VALUE,...]", show_default="easy, as deep as the site looks",
        help="The policy that is played, in the order and under the rules of the site.",
    ),
]  # fmt: skip
_SAMPLES = 100
#: So many of those whom a job waits for are named in a table.
_MOST_NAMED = 4


@with_option_groups
def when(
    jobs: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[JOB]...",
            show_default="all that wait",
            help="Jobs as Slurm writes them: 17, 17_3, 17_[1-5]; 17 are all tasks of an array.",
        ),
    ] = None,
    *,
    source: FromOption = None,
    policy: ForecastPolicyOption = None,
    history: Annotated[
        Path | None,
        typer.Option(
            "--history",
            metavar="FILE",
            show_default=False,
            help="Output of sacct -X -P of the past, with Timelimit: quantiles of the start come from how runs kept "
            "to their limits.",
        ),
    ] = None,
    samples: Annotated[
        int | None,
        typer.Option(
            "--samples",
            min=1,
            show_default="100",
            help="How many futures are drawn from the history.",
        ),
    ] = None,
    arrivals: Annotated[
        bool, typer.Option("--arrivals", help="Let jobs of the history arrive, too.")
    ] = False,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Of the futures.")] = 0,
    timeout: TimeoutOption = 30.0,
    timezone: TimezoneOption = None,
    out: OutputOptions,
) -> None:
    """Say when jobs start that wait on a Slurm cluster, why each of them waits, and for whom.

    planned is the start that Slurm's plan has at this moment, as squeue --start shows
    it, or - for none; Slurm plans anew every few seconds. expected is the start if every
    run takes its limit, and nobody comes or goes. With a history, 50, 90 and 95 per cent
    of the futures have started the job by q50, q90 and q95. JSON and CSV have seconds
    since 1970.
    """
    from schedcore.slurm.values import clock_zone

    if history is None and (arrivals or samples is not None):
        option = "--arrivals" if arrivals else "--samples"
        raise UnsupportedError(f"{option} is about a history; see --history")
    zone = clock_zone(timezone)
    state = state_from(source, timeout, timezone)
    log = None if history is None else _history(history, state)
    chosen = None if policy is None else parse_policy(policy)
    found = schedcore.slurm.when(
        state,
        jobs or None,
        policy=None if chosen is None else chosen.name,
        options=None if chosen is None else chosen.options,
        history=None if log is None else log.instance.jobs,
        n_samples=samples or _SAMPLES,
        seed=seed,
        arrivals=arrivals,
    )
    rows = list(found.rows())
    quantiles = [name for name in ("q50", "q90", "q95") if getattr(found, name) is not None]
    shown = [_shown(row, state.now, zone) for row in rows]
    columns = (
        Column("job", "job", is_text=True),
        Column("user", "user", is_text=True),
        Column("partition", "partition", is_text=True),
        Column("planned", "planned start", is_text=True),
        Column("expected", "expected start", is_text=True),
        Column("wait", "in"),
        *(Column(name, f"{name[1:]} % by", is_text=True) for name in quantiles),
        Column("reason", "because", is_text=True),
        Column("waits_for", "waits for", is_text=True),
    )
    remarks = (
        about(state, zone),
        f"played with {found.policy}"
        + (f", and in {found.n_samples:,} futures drawn from {history}" if quantiles else ""),
        *exactness(state),
        *(() if log is None else _about_history(log)),
    )
    flat = [{**row, "waits_for": ";".join(row["waits_for"])} for row in rows]
    document = {"now": found.now, "policy": found.policy, "samples": found.n_samples, "jobs": rows}
    out.present(Presentation(flat, document, (Table(shown, columns),), remarks))


def _history(path: Path, state: SlurmState) -> SlurmLog:
    log = schedcore.slurm.read_log(path, state.site, on_bad_row="skip")
    if log.report.estimates_missing >= 1.0:
        raise InvalidInstanceError(
            f"{path} does not tell how runs kept to their limits; save it with Timelimit or TimelimitRaw"
        )
    return log


def _about_history(log: SlurmLog) -> list[str]:
    """What is known of the history beside its jobs."""
    report = log.report
    lines = [f"{report.source}: {warning}" for warning in report.warnings]
    if report.dropped:
        dropped = quantity(report.dropped.total(), "row")
        reasons = ", ".join(f"{reason} {number:,}" for reason, number in report.dropped.items())
        lines.append(f"{report.source}: {dropped} of {report.rows_read:,} left out: {reasons}")
    touched = sum(1 for finding in log.not_modelled if finding.n_jobs)
    if touched:
        lines.append(
            f"{report.source}: {quantity(touched, 'thing')} of its jobs not modelled exactly; slurm.read_log lists them"
        )
    return lines


def _shown(row: Mapping[str, Any], now: float, zone: Zone) -> dict[str, Any]:
    whom = row["waits_for"]
    more = f" and {len(whom) - _MOST_NAMED} more" if len(whom) > _MOST_NAMED else ""
    instants = {name: date(row[name], zone) for name in ("expected", "q50", "q90", "q95") if name in row}
    instants["planned"] = "-" if row["planned"] is None else date(row["planned"], zone)
    wait = None if row["expected"] is None else row["expected"] - now
    # What Slurm says of a job that could start here, unless it is that others come first.
    otherwise = row["reason"] == "fits" and row["told"] not in ("", "None", "Priority", "Resources")
    reason = f"fits (Slurm: {row['told']})" if otherwise else row["reason"]
    return {
        **row,
        **instants,
        "wait": duration(wait),
        "reason": reason,
        "waits_for": " ".join(whom[:_MOST_NAMED]) + more,
    }
