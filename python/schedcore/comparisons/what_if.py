"""What if: which variants of a workload does somebody ask for, and how do the same policies do on all of them?

Options are spelled as the user of this moment writes them (`spelling_options`).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from schedcore.comparisons.agreement import ReadWorkload, Tell, agreed_problem, refuse_options
from schedcore.comparisons.progress import Bars
from schedcore.errors import InvalidInstanceError
from schedcore.model import AnyInstance, Incidents
from schedcore.problems import Problem, problem_of
from schedcore.problems.able_policies import features_used
from schedcore.problems.comparison import ignored_columns
from schedcore.problems.policy_choice import PolicyChoice, parse_policies
from schedcore.problems.variant_comparison import VariantComparison, compare_variants, left_out_in_words
from schedcore.problems.variant_texts import Asked, is_percentages, parse_variants
from schedcore.problems.variants import CommonJobs, common_jobs, jobs_of_both, variants_of
from schedcore.workloads.reading.option_spelling import spelled

__all__ = ["VariedWorkload", "WhatIf", "compare_varied", "refuse_beside_variants"]

_MOST_LOST = 0.1

#: Gives an instance its outages, and says what happens to it unannounced.
Disturb = Callable[[Any], tuple[Any, Incidents | None]]


def refuse_beside_variants(**options: object) -> None:
    """Raise an `InvalidInstanceError` for an option that says nothing about variants."""
    for name, value in options.items():
        if value is not None:
            raise InvalidInstanceError(f"{spelled(name)}: that is for one workload; here it is varied")


@dataclass(frozen=True)
class VariedWorkload:
    """Variants of a workload.

    Attributes
    ----------
    recorded : Problem
        What the workload is by itself, with the objective that suits it.
    common : CommonJobs
        The variants, with one set of jobs.
    workloads : list of ReadWorkload
        The same with what disturbs each.
    """

    recorded: Problem[Any]
    common: CommonJobs
    workloads: list[ReadWorkload]


@dataclass(frozen=True)
class WhatIf:
    """What is to be varied.

    Attributes
    ----------
    asked : Asked
    against_machines : str or None
        How other machines are called that are a variant.
    given : mapping
        The options that say so, with their values.
    """

    asked: Asked
    against_machines: str | None = None
    given: Mapping[str, object] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.asked) or self.against_machines is not None

    @classmethod
    def of(
        cls,
        machines: str | None = None,
        against_machines: str | None = None,
        estimates: str | None = None,
        load: str | None = None,
        sweep: str | None = None,
    ) -> "WhatIf":
        """What options say, of which each may be None; `machines` that are no percentages are none of them.

        Raises
        ------
        InvalidInstanceError
            As `parse_variants`, and for machines that are varied twice.
        """
        if machines is not None and not is_percentages(machines):
            machines = None
        asked = parse_variants(machines, estimates, load, sweep)
        if against_machines is not None:
            against = spelled("against_machines")
            if "machines" in asked.changes:
                raise InvalidInstanceError(f"{against} varies the machines, which vary already")
            if asked.points:
                raise InvalidInstanceError(f"{spelled('sweep')} varies one thing; {against} another")
            if is_percentages(against_machines):
                raise InvalidInstanceError(
                    f"{against} {against_machines!r}: percentages are for {spelled('machines')}"
                )
        given = {"machines": machines, "against_machines": against_machines, "estimates": estimates}
        return cls(asked, against_machines, {**given, "load": load, "sweep": sweep})

    def variants(
        self,
        workload: ReadWorkload,
        other_machines: Callable[[], AnyInstance],
        disturb: Disturb,
        *,
        objective: str | None = None,
        has_cancellations: bool = False,
        allow_loss: bool = False,
    ) -> VariedWorkload:
        """The variants with one set of jobs, and each with what disturbs it.

        Parameters
        ----------
        workload : ReadWorkload
            As it was recorded, undisturbed.
        other_machines : callable
            Returns the same on the machines `against_machines`, where these are a variant.
        has_cancellations : bool
            Whether jobs are cancelled at times that somebody gave.

        Raises
        ------
        UnsupportedError
            For another kind of workload than jobs that run in one piece.
        InvalidInstanceError
            For what `variants_of` and `common_jobs` refuse; for cancellations where jobs come faster; where more than
            10 % of the work of any resource is left out, unless losses are allowed.
        """
        inst: Any = workload.inst
        recorded = problem_of(inst, objective=objective).suited_to(workload.report)
        refuse_options(recorded, **self.given)
        if has_cancellations and "load" in self.asked.changes:
            raise InvalidInstanceError(
                f"{spelled('cancellations')} are at times of the log, and jobs come at others where the load varies"
            )
        whole, others, n_of_others = inst, [], 0
        if self.against_machines is not None:
            other: Any = other_machines()
            inst, changed = jobs_of_both(inst, other)
            n_of_others = len(other.jobs) - len(changed.jobs)
            others.append((self.against_machines, changed))
        variants, incidents = [], []
        for variant in variants_of(inst, self.asked, others):
            changed_inst, unannounced = disturb(variant.inst)
            variants.append(replace(variant, inst=changed_inst))
            incidents.append(unannounced)
        common = common_jobs(variants, whole, n_of_others)
        most = max(common.work_left_out.values(), default=0.0)
        if most > _MOST_LOST and not allow_loss:
            raise InvalidInstanceError(
                f"{left_out_in_words(common)}; {spelled('allow_loss', True)} goes on without these"
            )
        return VariedWorkload(
            recorded,
            common,
            [
                ReadWorkload(
                    variant.inst, workload.report, None if found is None else found.of_jobs(variant.inst)
                )
                for variant, found in zip(common.variants, incidents, strict=True)
            ],
        )


def compare_varied(
    varied: VariedWorkload,
    choices: Sequence[PolicyChoice],
    kind: type[Problem[Any]] | None,
    bars: Bars,
    tell: Tell,
    *,
    tau: float,
    workers: int,
) -> tuple[Problem[Any], VariantComparison]:
    """Run policies on all variants, by default those that the workload is compared by; see `agreed_problem`."""
    recorded, report = varied.recorded, varied.workloads[0].report
    # Policies take all variants, so those are asked for that take the one that uses most of a cluster.
    hardest = max(varied.workloads, key=lambda each: len(features_used(each.inst, each.incidents)))
    asked = choices or parse_policies(recorded.policies_for(hardest.inst, hardest.incidents))
    problem, able = agreed_problem(hardest, asked, kind, tell, objective=recorded.objective)
    tell(problem.notes(able, report))
    problems = [replace(problem, inst=each.inst, incidents=each.incidents) for each in varied.workloads]
    with bars() as step:
        found = compare_variants(problems, varied.common, report, able, step, tau=tau, workers=workers)
    tell(ignored_columns(problem, [each for one in found.comparisons for each in one.evaluations]))
    tell(dict.fromkeys(note for comparison in found.comparisons for note in comparison.notes))
    return problem, found
