"""``schedcore when``: when waiting jobs of a Slurm cluster start, and why they wait."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from schedcore import slurm
from schedcore.cli.cluster_state import (
    FromOption,
    TimeoutOption,
    TimezoneOption,
    about,
    date,
    duration,
    state_from,
)
from schedcore.cli.output import Format, FormatOption, present, tell
from schedcore.errors import InvalidInstanceError
from schedcore.model import Jobs
from schedcore.problems.policy_choice import parse_policy
from schedcore.problems.presentation import Column, Presentation, Table

ForecastPolicyOption = Annotated[
    str | None,
    typer.Option(
        "--policy", "-p", metavar="NAME[:OPTION=VALUE,...]", show_default="easy, as deep as the site looks",
        help="The policy that is played, in the order and under the rules of the site.",
    ),
]  # fmt: skip
#: So many of those whom a job waits for are named in a table.
_MOST_NAMED = 4


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
        int, typer.Option("--samples", min=1, help="How many futures are drawn from the history.")
    ] = 100,
    arrivals: Annotated[
        bool, typer.Option("--arrivals", help="Let jobs of the history arrive, too.")
    ] = False,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Of the futures.")] = 0,
    timeout: TimeoutOption = 30.0,
    timezone: TimezoneOption = None,
    output_format: FormatOption = Format.table,
) -> None:
    """Say when jobs start that wait on a Slurm cluster, why each of them waits, and for whom.

    planned is the start that Slurm's plan has at this moment, as squeue --start shows
    it, or - for none; Slurm plans anew every few seconds. expected is the start if every
    run takes its limit, and nobody comes or goes. With a history, 50, 90 and 95 per cent
    of the futures have started the job by q50, q90 and q95. JSON and CSV have seconds
    since 1970.
    """
    if arrivals and history is None:
        raise InvalidInstanceError("--arrivals needs a --history that they are drawn from")
    state = state_from(source, timeout, timezone)
    chosen = None if policy is None else parse_policy(policy)
    found = slurm.when(
        state,
        jobs or None,
        policy=None if chosen is None else chosen.name,
        options=None if chosen is None else chosen.options,
        history=None if history is None else _history(history, state),
        n_samples=samples,
        seed=seed,
        arrivals=arrivals,
    )
    rows = list(found.rows())
    quantiles = [name for name in ("q50", "q90", "q95") if getattr(found, name) is not None]
    shown = [_shown(row, state.now) for row in rows]
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
        about(state),
        f"played with {found.policy}"
        + (f", and in {found.n_samples:,} futures drawn from {history}" if quantiles else ""),
    )
    flat = [{**row, "waits_for": ";".join(row["waits_for"])} for row in rows]
    document = {"now": found.now, "policy": found.policy, "samples": found.n_samples, "jobs": rows}
    present(output_format, Presentation(flat, document, (Table(shown, columns),), remarks))


def _history(path: Path, state: slurm.SlurmState) -> Jobs:
    """Return the jobs of a log, which says what runs were expected to take."""
    log = slurm.read_log(path, state.site, on_bad_row="skip")
    jobs = log.instance.jobs
    if np.array_equal(jobs.estimated_processing_time, jobs.processing_time):  # which take the place of limits
        raise InvalidInstanceError(
            f"{path} has no Timelimit: it tells nothing of how runs keep to their limits"
        )
    tell(log.report.warnings)
    return jobs


def _shown(row: Mapping[str, Any], now: float) -> dict[str, Any]:
    whom = row["waits_for"]
    more = f" and {len(whom) - _MOST_NAMED} more" if len(whom) > _MOST_NAMED else ""
    instants = {name: date(row[name]) for name in ("expected", "q50", "q90", "q95") if name in row}
    instants["planned"] = "-" if row["planned"] is None else date(row["planned"])
    wait = None if row["expected"] is None else row["expected"] - now
    return {**row, **instants, "wait": duration(wait), "waits_for": " ".join(whom[:_MOST_NAMED]) + more}
