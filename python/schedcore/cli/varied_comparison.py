"""``schedcore compare`` with variants: the same policies on the same jobs, with what-if changes of the workload."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from schedcore.cli.findings import agreed_problem, tell_findings
from schedcore.cli.output import OutputOptions, tell
from schedcore.cli.progress import progress_bars
from schedcore.cli.variant_options import VariantOptions
from schedcore.cli.workload_choice import WorkloadOptions, refuse_options
from schedcore.errors import InvalidInstanceError
from schedcore.problems import Problem, problem_of
from schedcore.problems.able_policies import features_used
from schedcore.problems.comparison import ignored_columns
from schedcore.problems.policy_choice import PolicyChoice, parse_policies
from schedcore.problems.variant_comparison import compare_variants, draw_variants, presented_variants
from schedcore.problems.variant_texts import Asked

__all__ = ["VARIANTS_DRAWING", "VariedComparison"]

#: What --plot writes where there are variants.
VARIANTS_DRAWING = "variants.png"


@dataclass(frozen=True)
class VariedComparison:
    """What compare was asked for, of which something is varied.

    Attributes
    ----------
    asked : Asked
        What is varied.
    variants : VariantOptions
    options : WorkloadOptions
        With the machines of the recorded variant.
    """

    asked: Asked
    variants: VariantOptions
    options: WorkloadOptions

    @classmethod
    def of(cls, variants: VariantOptions, options: WorkloadOptions) -> "VariedComparison | None":
        """What is varied; None if nothing is."""
        asked, machines = variants.asked(options.machines)
        if not asked and variants.against_machines is None:
            if variants.workers is not None:
                raise InvalidInstanceError("--workers: without a variant policies run one after the other")
            return None
        return cls(asked, variants, replace(options, machines=machines))

    def refuse(self, **options: object) -> None:
        """Raise an `InvalidInstanceError` for an option that says nothing about variants."""
        for name, value in options.items():
            if value is not None:
                raise InvalidInstanceError(f"--{name}: that is for one workload; here it is varied")

    def run(
        self,
        source: str,
        choices: Sequence[PolicyChoice],
        kind: type[Problem[Any]] | None,
        objective: str | None,
        tau: float,
        out: OutputOptions,
        plot: Path | None,
    ) -> int:
        """Run the policies on all variants, print the table and draw it; return the exit code."""
        inst, report, _ = self.options.read_workload(source, disturbed=False)
        own = self.variants
        recorded = problem_of(inst, objective=objective).suited_to(report)
        refuse_options(
            recorded,
            machines=None if own.sweep else self.asked.changes.get("machines"),
            against_machines=own.against_machines,
            estimates=own.estimates,
            load=own.load,
            sweep=own.sweep,
        )
        common, workloads = own.variants(self.asked, self.options, source, inst, report)
        # Policies take all variants, so those are asked for that take the one that uses most of a cluster.
        hardest = max(workloads, key=lambda each: len(features_used(each.inst, each.incidents)))
        asked = choices or parse_policies(recorded.policies_for(hardest.inst, hardest.incidents))
        problem, able = agreed_problem(hardest, asked, kind, objective=recorded.objective)
        tell(problem.notes(able, report))
        problems = [replace(problem, inst=each.inst, incidents=each.incidents) for each in workloads]
        with progress_bars() as bars:
            found = compare_variants(
                problems, common, report, able, bars.step, tau=tau, workers=self.variants.n_workers
            )
        tell(ignored_columns(problem, [each for one in found.comparisons for each in one.evaluations]))
        tell(dict.fromkeys(note for comparison in found.comparisons for note in comparison.notes))
        out.present(presented_variants(problem, found))
        if plot is not None:
            draw_variants(found, plot / VARIANTS_DRAWING)
        return tell_findings(found.evaluations)
