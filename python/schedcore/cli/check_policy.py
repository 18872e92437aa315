"""``schedcore check-policy``: does a policy keep what every policy has to keep?"""

from typing import Annotated

import typer

from schedcore.cli.option_groups import with_option_groups
from schedcore.cli.output import OutputOptions
from schedcore.cli.run import PolicyArgument
from schedcore.engine.policy_checks import CHECKS, PolicyReport
from schedcore.engine.policy_checks import check_policy as checked
from schedcore.problems.policy_choice import parse_policy
from schedcore.problems.presentation import Column, Presentation, Table


@with_option_groups
def check_policy(
    policy: PolicyArgument,
    n_instances: Annotated[
        int, typer.Option("--instances", "-n", min=1, help="How many random instances to try it on.")
    ] = 200,
    seed: Annotated[
        int, typer.Option("--seed", min=0, help="Of the first instance; the others count on.")
    ] = 0,
    *,
    out: OutputOptions,
) -> None:
    """Try what every policy has to keep on small random instances; exit code 1 if it does not.

    Schedules are feasible, and the same each time. Embedded, it decides as in a simulation: also when it is asked at
    other instants in between, copied, or saved and loaded. Instances have all the features of a cluster that the policy
    takes. Besides the policies of the library those of installed packages have names.
    """
    choice = parse_policy(policy)
    report = checked(choice.name, n_instances=n_instances, seed=seed, **choice.options)
    rows = [
        {"check": check, "meaning": meaning, "verdict": _verdict(report, check)}
        for check, meaning in CHECKS.items()
    ]
    columns = [Column(name, name, is_text=True) for name in ("check", "verdict", "meaning")]
    document = {
        "policy": report.policy,
        "ok": report.ok,
        "n_passed": report.n_passed,
        "findings": report.findings,
        "left_out": report.left_out,
    }
    out.present(Presentation(rows, document, (Table(rows, columns),)))
    if not report:
        raise typer.Exit(1)


def _verdict(report: PolicyReport, check: str) -> str:
    if check in report.findings:
        return f"VIOLATED: {report.findings[check]}"
    if check in report.left_out:
        return f"left out: {report.left_out[check]}"
    return f"holds on {report.n_passed[check]} instances"
