"""What is run: a grid of policies, workloads, parameters and job sets."""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any

from schedcore.experiments.description.conditions import Conditions, meets_any
from schedcore.experiments.description.declared import DISTINCT, JobSets, Names, Scalar, listed, settle
from schedcore.experiments.description.refusals import placed

__all__ = ["POLICY_PARAMETER", "Sweep"]

#: A parameter ``policy.NAME`` of a sweep is an option of its policies; all others are arguments of its workloads.
POLICY_PARAMETER = "policy."


@dataclass(frozen=True, slots=True)
class Sweep:
    """A grid: every policy on every workload, at every combination of the parameters, for every job set.

    Not every combination need make sense, nor every policy run at each: `without` and `only_at` hold conditions. One
    is a mapping of parameters to a value or a list of values, which all must be met; a list of conditions is met where
    one of them is.

    Parameters
    ----------
    workloads, policies : sequence of str
        Names in the experiment's tables.
    parameters : mapping of str to sequence
        Values of each parameter: an argument of the workloads, or with the prefix ``policy.`` an option of the
        policies.
    job_sets : sequence of int, optional
        By default those of the experiment.
    keep : sequence of str
        Columns to fill in: "delay_quantiles" (1000 quantiles of the queuing delay), "schedule" (start time and machine
        of each job), "demands" (share of the jobs by demand), and of runs in slots "curves" (work and norms of flow
        times over time) and "by_size" (waiting times and interruptions by processing time).
    without : condition or sequence of conditions
        Combinations of parameters that meet one of these do not exist.
    only_at : mapping of str to condition or sequence of conditions
        A policy of the sweep -> where it runs; all others run everywhere.
    """

    workloads: Names
    policies: Names
    parameters: Mapping[str, Annotated[Sequence[Scalar], listed("values"), DISTINCT]] = field(
        default_factory=dict
    )
    job_sets: JobSets | None = None
    keep: Names = ()
    without: Conditions = ()
    only_at: Mapping[str, Conditions] = field(default_factory=dict)

    def __post_init__(self) -> None:
        with placed("sweep"):
            settle(self)

    def points(self) -> Iterator[dict[str, Any]]:
        """Every combination of the parameters that exists, the last one varying fastest."""
        for values in itertools.product(*self.parameters.values()):
            point = dict(zip(self.parameters, values, strict=True))
            if not meets_any(point, self.without):
                yield point

    def policies_at(self, point: Mapping[str, Any]) -> list[str]:
        """The policies that run at a combination of the parameters."""
        return [
            label
            for label in self.policies
            if label not in self.only_at or meets_any(point, self.only_at[label])
        ]
