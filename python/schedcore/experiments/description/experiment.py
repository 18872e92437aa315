"""What an experiment is: workloads, policies, parameters and job sets, and the figures to draw of them.

A description is data. It is written in Python with the classes of this folder or in TOML (`document`), and says the
same in both. Every class checks the types of what it is given (`declared`); names and what belongs together are checked
when an `Experiment` is made, so that no run ends at a spelling mistake. Values of arguments are checked by the
generators and readers.
"""

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from schedcore.experiments.description.conditions import check_conditions
from schedcore.experiments.description.declared import (
    DISTINCT,
    JobSets,
    Name,
    Number,
    listed,
    settle,
)
from schedcore.experiments.description.figure import Figure
from schedcore.experiments.description.figure_check import check_figure
from schedcore.experiments.description.modules import import_modules
from schedcore.experiments.description.refusals import placed, refuse_if, written
from schedcore.experiments.description.sweep import POLICY_PARAMETER, Sweep
from schedcore.experiments.description.workload import Workload
from schedcore.experiments.description.workload_arguments import check_argument, check_arguments, has_job_set
from schedcore.model.choices import check_choice
from schedcore.problems.kept_columns import KEEPS
from schedcore.problems.policy_choice import PolicyChoice, check_option, parse_policy
from schedcore.workloads.generators import GENERATORS

__all__ = ["Experiment"]

#: Columns that a cell fills only when a sweep asks for them.
_KEEPABLE = dict.fromkeys(keep.name for keep in KEEPS)
_MOST_CELLS = 1_000_000  # of a sweep: more were not meant


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

    Notes
    -----
    Lists are kept as tuples, here and in the parts, which check their own entries when they are made.
    """

    name: Name
    workloads: Mapping[str, Workload]
    policies: Mapping[str, str]
    sweeps: Mapping[str, Sweep]
    figures: Mapping[Name, Figure] = field(default_factory=dict)
    title: str = ""
    about: str = ""
    job_sets: JobSets = (1,)
    inputs: Mapping[str, str] = field(default_factory=dict)
    modules: Annotated[Sequence[str], listed("names of modules"), DISTINCT] = ()
    tau: Number = 10.0
    folder: Path | None = field(default=None, compare=False)
    choices: Mapping[str, PolicyChoice] = field(init=False, repr=False, compare=False)
    module_hashes: Mapping[str, str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        where = f"experiment {written(self.name)}"
        with placed(where):
            settle(self)
        # Not with the place: what a module raises is its own, with its type and traceback.
        object.__setattr__(self, "module_hashes", import_modules(self.modules, self.folder))
        with placed(where):
            object.__setattr__(self, "choices", self._checked_policies())
            for name, workload in self.workloads.items():
                with placed(f"workload {name!r}"):
                    self._check_workload(workload)
            refuse_if(not self.sweeps, "no sweep: nothing would run")
            for name, sweep in self.sweeps.items():
                with placed(f"sweep {name!r}"):
                    self._check_sweep(sweep)
            for name, figure in self.figures.items():
                with placed(f"figure {name!r}"):
                    check_choice("sweep", figure.sweep, self.sweeps)
                    sweep = self.sweeps[figure.sweep]
                    check_figure(figure, sweep, self.job_sets_of(sweep))

    def job_sets_of(self, sweep: Sweep) -> Sequence[int]:
        """Its own, or those of the experiment."""
        return self.job_sets if sweep.job_sets is None else sweep.job_sets

    def _checked_policies(self) -> dict[str, PolicyChoice]:
        choices = {}
        for label, word in self.policies.items():
            with placed(f"policy {label!r}"):
                choices[label] = parse_policy(word)
        return choices

    def _check_workload(self, workload: Workload) -> None:
        if workload.input_name is not None:
            check_choice("input", workload.input_name, self.inputs)
        elif not workload.is_generator and not any(sign in workload.source for sign in "./\\"):
            check_choice("generator", workload.source, GENERATORS)
        for argument, value in workload.arguments.items():
            check_argument(workload, argument, value)

    def _check_sweep(self, sweep: Sweep) -> None:
        refuse_if(not sweep.workloads, "no workload")
        refuse_if(not sweep.policies, "no policy")
        for kind, names, known in (
            ("workload", sweep.workloads, self.workloads),
            ("policy", sweep.policies, self.policies),
            ("column to keep", sweep.keep, _KEEPABLE),
        ):
            for name in names:
                check_choice(kind, name, known)
        # Also before any is left out, as each is looked at.
        lists = (sweep.workloads, sweep.policies, self.job_sets_of(sweep), *sweep.parameters.values())
        n_cells = math.prod(map(len, lists))
        refuse_if(n_cells > _MOST_CELLS, f"{n_cells:,} cells are more than {_MOST_CELLS:,}")
        for parameter, values in sweep.parameters.items():
            refuse_if(not values, f"parameter {parameter!r} has no values")
            for value in values:
                self._check_value(sweep, parameter, value)
        with placed("without"):
            check_conditions(sweep.without, sweep.parameters)
        for label, conditions in sweep.only_at.items():
            with placed(f"only_at {label!r}"):
                check_choice("policy", label, sweep.policies)
                check_conditions(conditions, sweep.parameters)
        self._check_points(sweep)

    def _check_value(self, sweep: Sweep, parameter: str, value: object) -> None:
        option = parameter.removeprefix(POLICY_PARAMETER)
        if option == parameter:
            for name in sweep.workloads:
                with placed(f"workload {name!r}"):
                    check_argument(self.workloads[name], parameter, value)
            return
        for label in sweep.policies:
            with placed(f"policy {label!r}"):
                check_option(self.choices[label].name, option, value)

    def _check_points(self, sweep: Sweep) -> None:
        job_sets = self.job_sets_of(sweep)
        points = list(sweep.points())
        refuse_if(not points, "without leaves no combination of the parameters")
        idle = set(sweep.policies).difference(*map(sweep.policies_at, points))
        refuse_if(bool(idle), f"{min(idle, default='')!r} runs at no combination of the parameters")
        runs = False
        for name, point in itertools.product(sweep.workloads, points):
            arguments = {key: value for key, value in point.items() if not key.startswith(POLICY_PARAMETER)}
            with placed(f"workload {name!r}"):
                check_arguments(self.workloads[name], arguments)
            runs = runs or has_job_set(self.workloads[name], arguments, job_sets)
        refuse_if(not runs, f"there is no job set {', '.join(map(str, job_sets))}; a factor f makes 1..f")
