"""``schedcore compare`` with variants: the same policies on the same jobs, with what-if changes of the workload."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from schedcore.cli.findings import tell_findings
from schedcore.cli.output import OutputOptions, Telling
from schedcore.cli.report_file import ReportFile
from schedcore.cli.variant_options import VariantOptions
from schedcore.cli.workload_choice import WorkloadOptions, as_typed
from schedcore.comparisons.progress import progress_bars
from schedcore.comparisons.what_if import WhatIf, compare_varied
from schedcore.errors import InvalidInstanceError
from schedcore.model import AnyInstance
from schedcore.problems import Problem
from schedcore.problems.policy_choice import PolicyChoice
from schedcore.problems.variant_comparison import draw_variants, presented_variants
from schedcore.reporting.content import of_variants
from schedcore.workloads.reading.option_spelling import spelling_options

__all__ = ["VARIANTS_DRAWING", "VariedComparison"]

#: What --plot writes where there are variants.
VARIANTS_DRAWING = "variants.png"


@dataclass(frozen=True)
class VariedComparison:
    """What compare was asked for, of which something is varied.

    Attributes
    ----------
    what_if : WhatIf
    options : WorkloadOptions
        With the machines of the recorded variant.
    workers : int
    """

    what_if: WhatIf
    options: WorkloadOptions
    workers: int

    @classmethod
    def of(cls, variants: VariantOptions, options: WorkloadOptions) -> "VariedComparison | None":
        """What is varied; None if nothing is."""
        what_if = variants.what_if(options.machines)
        if not what_if:
            if variants.workers is not None:
                raise InvalidInstanceError("--workers: without a variant policies run one after the other")
            return None
        if what_if.given["machines"] is not None:
            options = replace(options, machines=None)
        return cls(what_if, options, variants.n_workers)

    def run(
        self,
        source: str,
        choices: Sequence[PolicyChoice],
        kind: type[Problem[Any]] | None,
        objective: str | None,
        tau: float,
        out: OutputOptions,
        plot: Path | None,
        report: ReportFile | None,
    ) -> int:
        """Run the policies on all variants, print the table, draw it and write the page; return the exit code."""
        told = Telling()
        options = self.options
        read = options.read_workload(source, disturbed=False)

        def other_machines() -> AnyInstance:
            return replace(options, machines=self.what_if.against_machines).read_undisturbed(source)[0]

        with spelling_options(as_typed):
            varied = self.what_if.variants(
                read,
                other_machines,
                lambda inst: options.disturbances.of(inst, read.report.origin),
                objective=objective,
                has_cancellations=options.cancellations is not None,
                allow_loss=options.allow_loss,
            )
            problem, found = compare_varied(
                varied, choices, kind, progress_bars, told, tau=tau, workers=self.workers
            )
        out.present(presented_variants(problem, found))
        if plot is not None:
            draw_variants(found, plot / VARIANTS_DRAWING)
        if report is not None:
            report.write(
                of_variants(problem, found, told.sentences), source, options, self.what_if.against_machines
            )
        return tell_findings(found.evaluations)
