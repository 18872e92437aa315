"""The options of what-if: what is varied, and on how many cores."""

import os
from dataclasses import dataclass, replace
from typing import Annotated, Any

import typer

from schedcore.cli.option_groups import option_group
from schedcore.cli.workload_choice import ReadWorkload, WorkloadOptions
from schedcore.errors import InvalidInstanceError
from schedcore.problems.variant_comparison import left_out_in_words
from schedcore.problems.variant_texts import SWEPT, Asked, is_percentages, parse_variants
from schedcore.problems.variants import CommonJobs, common_jobs, jobs_of_both, variants_of
from schedcore.workloads import DataReport

__all__ = ["VariantOptions", "WorkersOption", "n_workers"]

_MOST_LOST = 0.1

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


def n_workers(asked: int | None) -> int:
    """How many policies run at the same time: as many as are asked for, else one a processor."""
    return asked or len(os.sched_getaffinity(0))


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

    def asked(self, machines: str | None) -> tuple[Asked, str | None]:
        """What is to be varied, and the machines to read the workload with: those of --machines, if they are any.

        Raises
        ------
        InvalidInstanceError
            As `parse_variants`, and for machines that are varied twice.
        """
        percentages = machines if machines is not None and is_percentages(machines) else None
        asked = parse_variants(percentages, self.estimates, self.load, self.sweep)
        if self.against_machines is not None:
            if "machines" in asked.changes:
                raise InvalidInstanceError("--against-machines varies the machines, which vary already")
            if asked.points:
                raise InvalidInstanceError("--sweep varies one thing; --against-machines another")
            if is_percentages(self.against_machines):
                raise InvalidInstanceError(
                    f"--against-machines {self.against_machines!r}: percentages are for --machines"
                )
        return asked, None if percentages is not None else machines

    def variants(
        self, asked: Asked, options: WorkloadOptions, source: str, inst: Any, report: DataReport
    ) -> tuple[CommonJobs, list[ReadWorkload]]:
        """The variants with one set of jobs, and each as commands have it, with what disturbs it.

        Raises
        ------
        InvalidInstanceError
            For what `variants_of` and `common_jobs` refuse; for cancellations where jobs come faster; where more than
            10 % of the work of any resource is left out, unless losses are allowed.
        """
        if options.cancellations is not None and "load" in asked.changes:
            raise InvalidInstanceError(
                "--cancellations are at times of the log, and jobs come at others where the load varies"
            )
        whole, others, n_of_others = inst, [], 0
        if self.against_machines is not None:
            other: Any
            other, _ = replace(options, machines=self.against_machines).read_undisturbed(source)
            inst, changed = jobs_of_both(inst, other)
            n_of_others = len(other.jobs) - len(changed.jobs)
            others.append((self.against_machines, changed))
        disturbances, variants, incidents = options.disturbances, [], []
        for variant in variants_of(inst, asked, others):
            changed_inst: Any
            changed_inst, unannounced = disturbances.of(variant.inst, report.origin)
            variants.append(replace(variant, inst=changed_inst))
            incidents.append(unannounced)
        common = common_jobs(variants, whole, n_of_others)
        most = max(common.work_left_out.values(), default=0.0)
        if most > _MOST_LOST and not options.allow_loss:
            raise InvalidInstanceError(f"{left_out_in_words(common)}; --allow-loss goes on without these")
        return common, [
            ReadWorkload(variant.inst, report, None if found is None else found.of_jobs(variant.inst))
            for variant, found in zip(common.variants, incidents, strict=True)
        ]
