"""The options of what-if: what is varied, and on how many cores."""

from dataclasses import dataclass
from typing import Annotated

import typer

from schedcore.cli.option_groups import option_group
from schedcore.cli.workload_choice import as_typed
from schedcore.comparisons.what_if import WhatIf
from schedcore.problems.parallel_runs import n_workers
from schedcore.problems.variant_texts import SWEPT
from schedcore.workloads.reading.option_spelling import spelling_options

__all__ = ["VariantOptions", "WorkersOption"]

AgainstMachinesOption = Annotated[
    str | None,
    typer.Option(
        "--against-machines", metavar="SPEC|FILE", show_default=False,
        help="What if these had been the machines? As --machines; the same jobs on both.",
    ),
]  # fmt: skip
EstimatesOption = Annotated[
    str | None,
    typer.Option(
        "--estimates", metavar="exact|x0.5|recorded", show_default=False,
        help="What if users had known how long jobs take, or said so many times as long? Several with commas.",
    ),
]  # fmt: skip
LoadOption = Annotated[
    str | None,
    typer.Option(
        "--load", metavar="x1.2", show_default=False,
        help="What if jobs came so many times as fast? Several with commas.",
    ),
]  # fmt: skip
SweepOption = Annotated[
    str | None,
    typer.Option(
        "--sweep", metavar="NAME=FROM..TO:STEP", show_default=False,
        help=f"Vary one thing over a range, such as machines=300..400:20: {', '.join(SWEPT)}. --plot draws the curve.",
    ),
]  # fmt: skip
WorkersOption = Annotated[
    int | None,
    typer.Option(
        "--workers", "-w", min=1, show_default="one a processor",
        help="How many policies run at the same time; without variants compare runs one after the other.",
    ),
]  # fmt: skip


@option_group
@dataclass(frozen=True)
class VariantOptions:
    """What is varied; an option that is not given is None."""

    against_machines: AgainstMachinesOption = None
    estimates: EstimatesOption = None
    load: LoadOption = None
    sweep: SweepOption = None
    workers: WorkersOption = None

    @property
    def n_workers(self) -> int:
        """How many policies run at the same time."""
        return n_workers(self.workers)

    def what_if(self, machines: str | None) -> WhatIf:
        """What is to be varied: among it --machines, if these are percentages."""
        with spelling_options(as_typed):
            return WhatIf.of(machines, self.against_machines, self.estimates, self.load, self.sweep)
