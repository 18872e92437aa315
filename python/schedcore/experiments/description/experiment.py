"""What an experiment is: workloads, policies, parameters and job sets, and the figures to draw of them.

A description is data. It is written in Python with the classes below or in TOML (`document`), and says the same in
both. Names, types and what belongs together are checked when an `Experiment` is made, so that no run ends at a
spelling mistake; the values of arguments are checked by the generators and readers.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from schedcore.errors import InvalidInstanceError
from schedcore.experiments.description.conditions import Conditions, check_conditions, meets_any
from schedcore.experiments.description.figure import Figure
from schedcore.experiments.description.modules import import_modules
from schedcore.experiments.description.plain_values import (
    check_count,
    check_distinct,
    check_flag,
    check_known,
    check_list,
    check_name,
    check_number,
    check_scalar,
    check_table,
    check_text,
    check_texts,
)
from schedcore.experiments.description.workload_arguments import check_argument, check_arguments, has_job_set
from schedcore.experiments.policy_choice import PolicyChoice, check_option, parse_policy
from schedcore.experiments.results.schema import KEPT
from schedcore.workloads import GENERATORS

__all__ = ["INPUT", "KEEPABLE", "POLICY_PARAMETER", "Experiment", "Sweep", "Workload"]

#: A source ``input:NAME`` is a file that whoever runs the experiment names.
INPUT = "input:"
#: A parameter ``policy.NAME`` of a sweep is an option of its policies; all others are arguments of its workloads.
POLICY_PARAMETER = "policy."
#: Columns that a cell fills only when a sweep asks for them.
KEEPABLE = ("delay_quantiles", "schedule", *KEPT)
_MOST_CELLS = 1_000_000  # of a sweep: more were not meant


@dataclass(frozen=True, slots=True)
class Workload:
    """Where jobs, tasks to colocate or jobs of tasks come from.

    Parameters
    ----------
    source : str
        A generator ("azure_like"), a file that `schedcore.workloads.load` reads (relative to the description), or
        "input:NAME" for a file that whoever runs the experiment names.
    arguments : mapping
        Arguments of the generator or reader, and for every source: ``machines`` (see `load`), ``factor`` (take every
        factor-th job, from an offset that differs from job set to job set), ``full_jobs`` (length of the full list: a
        parameter ``n_jobs`` then means the factor ``full_jobs // n_jobs``), ``total_resources`` (resources beyond
        those of the log, each with the demands of random jobs), and for controlled conditions ``first_jobs`` (how many
        jobs are kept), ``exact_estimates`` (true: estimates are the processing times), ``poisson_average_queue``
        or ``poisson_mean_gap`` (`schedcore.workloads.poisson_arrivals`), ``traffic_intensity`` (release times are
        divided by it), ``at_time_zero`` (true: all jobs are released at once), ``first_resources`` (how many resources
        are kept) and ``misestimate_variance`` (`schedcore.workloads.misestimate`). Parameters of a sweep are added to
        these.
    allow_loss : bool
        Whether to run although the reader of the file leaves out more than 10 % of the work of any resource. It is no
        part of what makes a cell: results stay what they are when it changes.

    Notes
    -----
    Job set s of a generator is its ``seed=s``, unless the arguments fix the seed, and so it is of a file that tasks to
    colocate are drawn from; of a downsampled workload the s-th of its offsets, of which there are `factor` (of one
    list: a generator then needs a seed); of resources, arrivals or estimates that are drawn for one list the s-th draw;
    any other workload has one job set. What is done to lists of jobs (all but ``machines``) fails on tasks to colocate
    and on jobs of map and reduce tasks; jobs of parallel tasks take what sets their number and their release times.
    """

    source: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    allow_loss: bool = False

    @property
    def is_generator(self) -> bool:
        return self.source in GENERATORS

    @property
    def input_name(self) -> str | None:
        """NAME of ``input:NAME``, else None."""
        return self.source.removeprefix(INPUT) if self.source.startswith(INPUT) else None


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

    workloads: Sequence[str]
    policies: Sequence[str]
    parameters: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    job_sets: Sequence[int] | None = None
    keep: Sequence[str] = ()
    without: Conditions = ()
    only_at: Mapping[str, Conditions] = field(default_factory=dict)

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


@dataclass(frozen=True)
class Experiment:
    """A checked description.

    Parameters
    ----------
    name : str
        Letters, digits, ``-`` and ``_``; names the results folder.
    title, about : str
        One line, and what a reader should know.
    workloads : mapping of str to Workload
    policies : mapping of str to str
        Label to a policy with its options in one word, as in ``"mris:knapsack=exact"``.
    sweeps : mapping of str to Sweep
        What is run: the union of their cells, each once.
    figures : mapping of str to Figure
        What is drawn.
    job_sets : sequence of int
        Numbers of the job sets, from 0 on; only generators, and files that are drawn from, have a job set 0.
    inputs : mapping of str to str
        Name to description of the files that whoever runs the experiment names.
    modules : sequence of str
        Modules to import in every worker before a cell runs: those that register policies of your own. Their contents
        are part of what `resume` compares.
    tau : float
        Threshold of the bounded slowdown, in the unit of the workloads.
    folder : Path, optional
        What relative file names and `modules` are relative to; by default the current one.

    Raises
    ------
    InvalidInstanceError
        For an unknown policy, option, generator, argument or name (with the close matches), a value of the wrong
        kind, and whatever else cannot be run or drawn; says where.
    """

    name: str
    workloads: Mapping[str, Workload]
    policies: Mapping[str, str]
    sweeps: Mapping[str, Sweep]
    figures: Mapping[str, Figure] = field(default_factory=dict)
    title: str = ""
    about: str = ""
    job_sets: Sequence[int] = (1,)
    inputs: Mapping[str, str] = field(default_factory=dict)
    modules: Sequence[str] = ()
    tau: float = 10.0
    folder: Path | None = field(default=None, compare=False)
    choices: Mapping[str, PolicyChoice] = field(init=False, repr=False, compare=False)
    module_hashes: Mapping[str, str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        check_name("experiment name", self.name)
        place = f"experiment {self.name!r}"
        check_text(place, "title", self.title)
        check_text(place, "about", self.about)
        check_number(place, "tau", self.tau)
        _check_job_sets(place, self.job_sets)
        check_table(place, "inputs", self.inputs, str)
        check_table(place, "workloads", self.workloads, Workload)
        check_table(place, "policies", self.policies, str)
        check_table(place, "sweeps", self.sweeps, Sweep)
        check_table(place, "figures", self.figures, Figure)
        object.__setattr__(self, "module_hashes", import_modules(self.modules, self.folder))
        object.__setattr__(self, "choices", self._checked_policies())
        for name, workload in self.workloads.items():
            self._check_workload(f"{place}, workload {name!r}", workload)
        if not self.sweeps:
            raise InvalidInstanceError(f"{place} has no sweep: nothing would run")
        for name, sweep in self.sweeps.items():
            self._check_sweep(f"{place}, sweep {name!r}", sweep)
        for name, figure in self.figures.items():
            check_name(f"{place}: figure", name)
            check_known(f"{place}, figure {name!r}", "sweep", figure.sweep, self.sweeps)
            sweep = self.sweeps[figure.sweep]
            figure.check(f"{place}, figure {name!r}", sweep, self.job_sets_of(sweep))

    def job_sets_of(self, sweep: Sweep) -> Sequence[int]:
        """Its own, or those of the experiment."""
        return self.job_sets if sweep.job_sets is None else sweep.job_sets

    def _checked_policies(self) -> dict[str, PolicyChoice]:
        choices = {}
        for label, word in self.policies.items():
            try:
                choices[label] = parse_policy(word)
            except InvalidInstanceError as error:
                raise InvalidInstanceError(f"experiment {self.name!r}, policy {label!r}: {error}") from error
        return choices

    def _check_workload(self, place: str, workload: Workload) -> None:
        check_text(place, "source", workload.source)
        check_table(place, "arguments", workload.arguments)
        check_flag(place, "allow_loss", workload.allow_loss)
        if workload.input_name is not None:
            check_known(place, "input", workload.input_name, self.inputs)
        elif not workload.is_generator and not any(sign in workload.source for sign in "./\\"):
            check_known(place, "generator", workload.source, GENERATORS)
        for argument, value in workload.arguments.items():
            check_argument(place, workload, argument, value)

    def _check_sweep(self, place: str, sweep: Sweep) -> None:
        for kind, key, names, known in (
            ("workload", "workloads", sweep.workloads, self.workloads),
            ("policy", "policies", sweep.policies, self.policies),
            ("column to keep", "keep", sweep.keep, KEEPABLE),
        ):
            check_texts(place, key, names)
            if not names and key != "keep":
                raise InvalidInstanceError(f"{place} has no {kind}")
            for name in names:
                check_known(place, kind, name, known)
        if sweep.job_sets is not None:
            _check_job_sets(place, sweep.job_sets)
        check_table(place, "parameters", sweep.parameters)
        for parameter, values in sweep.parameters.items():
            check_list(place, parameter, values)
            if not values:
                raise InvalidInstanceError(f"{place}: parameter {parameter!r} has no values")
            for value in values:
                self._check_value(place, sweep, parameter, value)
            check_distinct(place, parameter, values)
        check_conditions(place, "without", sweep.without, sweep.parameters)
        check_table(place, "only_at", sweep.only_at)
        for label, conditions in sweep.only_at.items():
            check_known(f"{place}, only_at", "policy", label, sweep.policies)
            check_conditions(place, f"only_at of {label!r}", conditions, sweep.parameters)
        self._check_points(place, sweep)

    def _check_value(self, place: str, sweep: Sweep, parameter: str, value: object) -> None:
        option = parameter.removeprefix(POLICY_PARAMETER)
        if option == parameter:
            for name in sweep.workloads:
                check_argument(f"{place}, workload {name!r}", self.workloads[name], parameter, value)
            return
        check_scalar(place, parameter, value)
        for label in sweep.policies:
            try:
                check_option(self.choices[label].name, option, value)
            except InvalidInstanceError as error:
                raise InvalidInstanceError(f"{place}, policy {label!r}: {error}") from error

    def _check_points(self, place: str, sweep: Sweep) -> None:
        job_sets = self.job_sets_of(sweep)
        lists = (sweep.workloads, sweep.policies, job_sets, *sweep.parameters.values())
        n_cells = math.prod(len(values) for values in lists)
        if n_cells > _MOST_CELLS:  # also before any is left out: each is looked at
            raise InvalidInstanceError(f"{place} has {n_cells:,} cells, more than {_MOST_CELLS:,}")
        points = list(sweep.points())
        idle = set(sweep.policies).difference(*map(sweep.policies_at, points))
        if idle:
            what = "without leaves no combination" if not points else f"{min(idle)!r} runs at no combination"
            raise InvalidInstanceError(f"{place}: {what} of the parameters")
        runs = False
        for name, point in itertools.product(sweep.workloads, points):
            arguments = {key: value for key, value in point.items() if not key.startswith(POLICY_PARAMETER)}
            check_arguments(f"{place}, workload {name!r}", self.workloads[name], arguments)
            runs = runs or has_job_set(self.workloads[name], arguments, job_sets)
        if not runs:
            raise InvalidInstanceError(
                f"{place}: there is no job set {', '.join(map(str, job_sets))}; a factor f makes 1..f"
            )


def _check_job_sets(place: str, job_sets: Any) -> None:
    check_list(place, "job_sets", job_sets, "numbers, or in a document a number from 1 to 100,000")
    if not job_sets:
        raise InvalidInstanceError(f"{place}: job_sets is empty")
    for job_set in job_sets:
        check_count(place, "job set", job_set, 0)
    check_distinct(place, "job_sets", job_sets)
