"""``schedcore what-if``: what a change of a Slurm cluster does to the jobs that wait."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
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
from schedcore.cli.when import ForecastPolicyOption
from schedcore.errors import InvalidInstanceError
from schedcore.problems.policy_choice import parse_policy
from schedcore.problems.presentation import Column, Presentation, Table, quantity

if TYPE_CHECKING:  # other commands need nothing of schedcore.slurm
    from schedcore.slurm import ChangedStarts

CloseOption = Annotated[
    list[str] | None,
    typer.Option(
        "--close", metavar="NODES", show_default=False,
        help="Nodes that start no more jobs, such as n[1-4]; repeatable.",
    ),
]  # fmt: skip
AddOption = Annotated[
    list[str] | None,
    typer.Option(
        "--add", metavar="COUNTxKIND", show_default=False,
        help="Nodes that join: 4xn17 for four more like n17, 4xgpu where all nodes with the feature gpu are alike; "
        "repeatable.",
    ),
]  # fmt: skip
PriorityOption = Annotated[
    list[str] | None,
    typer.Option(
        "--priority", metavar="JOB=NUMBER", show_default=False,
        help="Another priority of a job, in the numbers of Slurm; 0 holds it, others release it; repeatable.",
    ),
]  # fmt: skip
CancelOption = Annotated[
    list[str] | None,
    typer.Option(
        "--cancel", metavar="JOB", show_default=False, help="A job that leaves the queue; repeatable."
    ),
]


@with_option_groups
def what_if(
    *,
    source: FromOption = None,
    close: CloseOption = None,
    add: AddOption = None,
    policy: ForecastPolicyOption = None,
    priority: PriorityOption = None,
    cancel: CancelOption = None,
    most: Annotated[
        int, typer.Option("--most", min=0, help="So many jobs are shown, those that change most first.")
    ] = 20,
    timeout: TimeoutOption = 30.0,
    timezone: TimezoneOption = None,
    out: OutputOptions,
) -> None:
    """Say for which waiting jobs of a Slurm cluster a change would matter, and by how much.

    Starts are expected ones: every run takes its limit, and nobody comes or goes. Nothing
    is changed on the cluster. JSON and CSV have all jobs, and seconds since 1970.
    """
    from schedcore.slurm.values import clock_zone

    changes = (close, add, policy, priority, cancel)
    if not any(changes):
        raise InvalidInstanceError(
            "nothing is changed; see --close, --add, --policy, --priority and --cancel"
        )
    priorities = _priorities(priority or ())
    zone = clock_zone(timezone)
    state = state_from(source, timeout, timezone)
    chosen = None if policy is None else parse_policy(policy)
    found = schedcore.slurm.what_if(
        state,
        close=close or (),
        add=add or (),
        policy=None if chosen is None else chosen.name,
        options=None if chosen is None else chosen.options,
        priority=priorities,
        cancel=cancel or (),
    )
    rows, summary = list(found.rows()), found.summary()
    changed = [row for row in rows if row["change"] != 0]
    changed.sort(key=lambda row: math.inf if row["change"] is None else abs(row["change"]), reverse=True)
    shown = [
        {
            **row,
            "before": date(row["before"], zone),
            "after": date(row["after"], zone),
            "change": _change(row),
        }
        for row in changed[:most]
    ]
    columns = (
        Column("job", "job", is_text=True),
        Column("user", "user", is_text=True),
        Column("partition", "partition", is_text=True),
        Column("before", "starts now", is_text=True),
        Column("after", "starts then", is_text=True),
        Column("change", "later by"),
    )
    left_out = len(changed) - len(shown)
    remarks = [about(state, zone), f"played with {found.policy}" + _other_policy(found), *exactness(state)]
    if left_out:
        remarks.append(
            f"{quantity(left_out, 'more job')} change less; --most shows more, and --format csv all"
        )
    parts: tuple[Table | str, ...] = (_verdict(summary),)
    out.present(
        Presentation(
            rows,
            {
                "now": found.now,
                "policy": found.policy,
                "changed_policy": found.changed_policy,
                **summary,
                "jobs": rows,
            },
            (*parts, Table(shown, columns)) if shown else parts,
            tuple(remarks),
        ),
    )


def _priorities(words: Sequence[str]) -> dict[str | int, float]:
    priorities: dict[str | int, float] = {}
    for word in words:
        job, equals, number = word.partition("=")
        try:
            value = float(number)
        except ValueError:
            raise InvalidInstanceError(f"--priority {word} is not JOB=NUMBER") from None
        if priorities.setdefault(job, value) != value:
            raise InvalidInstanceError(
                f"job {job} is given two priorities, {priorities[job]:g} and {value:g}"
            )
        if not equals or not job:
            raise InvalidInstanceError(f"--priority {word} is not JOB=NUMBER")
    return priorities


def _verdict(summary: Mapping[str, Any]) -> str:
    same = summary["jobs"] - summary["earlier"] - summary["later"]
    lines = [
        f"{quantity(summary['earlier'], 'job')} would start earlier, {summary['later']:,} later, {same:,} as now.",
        f"mean wait from now on  {duration(summary['mean_wait_before'])} -> {duration(summary['mean_wait_after'])}",
        f"95 % wait from now on  {duration(summary['wait_95_before'])} -> {duration(summary['wait_95_after'])}",
        f"waits are of {quantity(summary['start_in_both'], 'job')} that start in both cases",
    ]
    if summary["never_before"] or summary["never_after"]:
        lines.append(f"jobs that do not start {summary['never_before']:,} -> {summary['never_after']:,}")
    return "\n".join(lines) + "\n"


def _change(row: Mapping[str, Any]) -> str:
    if row["change"] is not None:
        return duration(row["change"])
    return "never" if row["after"] is None else "starts at all"


def _other_policy(found: ChangedStarts) -> str:
    return "" if found.changed_policy == found.policy else f", and then with {found.changed_policy}"
