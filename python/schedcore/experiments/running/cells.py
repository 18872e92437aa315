"""Cells: the units of work of an experiment, and the key that says which of them are the same.

A cell is one policy with its options on one instance. Its key is a hash of everything that decides its outcome
(source and arguments of the workload, policy, options, with all defaults filled in), so cells that several sweeps
share have one key and run once, in any experiment, order and process.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from schedcore import registry
from schedcore.experiments.description.experiment import Experiment
from schedcore.experiments.description.sweep import POLICY_PARAMETER, Sweep
from schedcore.experiments.description.workload_arguments import arguments_of_source, instances
from schedcore.problems.policy_choice import PolicyChoice, option_value

__all__ = ["Cell", "SweepCell", "canonical_json", "cells_of_sweep", "n_cells", "unique_cells"]


@dataclass(frozen=True, slots=True)
class Cell:
    """One policy on one instance: all that a worker needs to know.

    Attributes
    ----------
    key : str
        SHA-256 hex digest; equal keys mean equal outcomes.
    experiment : str
    source : str
        Of the workload.
    arguments : dict
        Of the workload with defaults filled in: what makes the instance, together with `source`.
    policy : str
        Name in the registry.
    options : dict
        Those that are not defaults.
    defaults : dict
        Of all options, as a worker that cannot import the policy's module knows none.
    job_set : int
    derived_seed : int
        64 bits of the key, for whatever the policy draws: passed to a policy that has an option ``seed``.
    tau : float
    keep : tuple of str
        Optional columns to fill in.
    allow_loss : bool
        Of the workload; no part of the key, as it decides whether the cell runs and not what comes out.
    """

    key: str
    experiment: str
    source: str
    arguments: Mapping[str, Any]
    policy: str
    options: Mapping[str, Any]
    defaults: Mapping[str, Any]
    job_set: int
    derived_seed: int
    tau: float
    keep: tuple[str, ...]
    allow_loss: bool

    @property
    def workload_key(self) -> str:
        """Equal for cells on the same instance."""
        return f"{self.source} {canonical_json(self.arguments)}"

    @property
    def source_key(self) -> str:
        """Equal for cells whose instances are cut out of the same list of jobs."""
        return f"{self.source} {canonical_json(arguments_of_source(self.arguments))}"

    def all_options(self) -> dict[str, Any]:
        """The options with all defaults, as JSON can hold them."""
        return _as_json_holds({**self.defaults, **self.options})


@dataclass(frozen=True, slots=True)
class SweepCell:
    """Where a cell stands in a sweep: the names of its workload and policy there, and the parameters."""

    workload: str
    policy: str
    point: Mapping[str, Any]
    cell: Cell


def cells_of_sweep(experiment: Experiment, sweep: Sweep) -> Iterator[SweepCell]:
    """Every cell of a sweep, each once; a workload without a seed or offsets has one job set."""
    tau, keep = float(experiment.tau), tuple(sorted(sweep.keep))
    for name, point, policies, job_set, arguments in _grid(experiment, sweep):
        workload = experiment.workloads[name]
        written = canonical_json(arguments)
        for label, policy in policies.items():
            key = policy.key(written)
            seed = int(key[:16], 16)
            cell = Cell(
                key, experiment.name, workload.source, arguments, policy.name, policy.options_with(seed),
                policy.defaults, job_set, seed, tau, keep, workload.allow_loss,
            )  # fmt: skip
            yield SweepCell(name, label, point, cell)


def unique_cells(experiment: Experiment) -> dict[str, Cell]:
    """The cells of all sweeps by key, in the order of the sweeps; a cell keeps what any of them asks for.

    Work may be lost where all of its workloads allow that.
    """
    cells: dict[str, Cell] = {}
    for sweep in experiment.sweeps.values():
        for member in cells_of_sweep(experiment, sweep):
            known = cells.get(member.cell.key)
            if known is None:
                cells[member.cell.key] = member.cell
            elif not set(member.cell.keep) <= set(known.keep) or known.allow_loss > member.cell.allow_loss:
                keep = tuple(sorted({*known.keep, *member.cell.keep}))
                allow_loss = known.allow_loss and member.cell.allow_loss
                cells[member.cell.key] = replace(known, keep=keep, allow_loss=allow_loss)
    return cells


def n_cells(experiment: Experiment) -> int:
    """The number of cells that an experiment has to run."""
    # A key is a hash of these two texts; counting them makes neither hashes nor cells.
    identities: set[tuple[str, str]] = set()
    for sweep in experiment.sweeps.values():
        for _, _, policies, _, arguments in _grid(experiment, sweep):
            written = canonical_json(arguments)
            identities.update((written, policy.identity) for policy in policies.values())
    return len(identities)


def canonical_json(value: Any) -> str:
    """JSON with sorted keys and no spaces; a Fraction is written as a text."""
    return _CANONICAL.encode(value)


def _as_text(value: object) -> str:
    if isinstance(value, Fraction):
        return str(value)
    raise TypeError(f"{type(value).__name__} cannot be part of an experiment")


_CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":"), default=_as_text)


@dataclass(frozen=True, slots=True)
class _PolicyOfCells:
    """A policy of a sweep on a workload: what its cells have in common on every instance.

    `identity` is the JSON that keys are hashes of, without the arguments of the instance, which stand first there.
    """

    name: str
    options: Mapping[str, Any]
    defaults: Mapping[str, Any]
    draws_seed: bool
    identity: str

    def key(self, arguments: str) -> str:
        """The key of the cell on an instance with these arguments, given as canonical JSON."""
        return hashlib.sha256(f'{{"arguments":{arguments},{self.identity[1:]}'.encode()).hexdigest()

    def options_with(self, seed: int) -> Mapping[str, Any]:
        return {**self.options, "seed": seed} if self.draws_seed else self.options


def _grid(
    experiment: Experiment, sweep: Sweep
) -> Iterator[tuple[str, Mapping[str, Any], dict[str, _PolicyOfCells], int, dict[str, Any]]]:
    """Workload, parameters, policies that run there, job set and arguments of every instance of a sweep."""
    job_sets = experiment.job_sets_of(sweep)
    for name in sweep.workloads:
        workload = experiment.workloads[name]
        for point in sweep.points():
            own = {key: value for key, value in point.items() if not key.startswith(POLICY_PARAMETER)}
            for_policies = {
                key.removeprefix(POLICY_PARAMETER): value
                for key, value in point.items()
                if key.startswith(POLICY_PARAMETER)
            }
            policies = {
                label: _on_any_instance(experiment, workload.source, experiment.choices[label], for_policies)
                for label in sweep.policies_at(point)
            }
            for job_set, arguments in instances(workload, own, job_sets):
                yield name, point, policies, job_set, arguments


def _on_any_instance(
    experiment: Experiment, source: str, choice: PolicyChoice, extra_options: Mapping[str, Any]
) -> _PolicyOfCells:
    given = {name: option_value(choice.name, name, value) for name, value in extra_options.items()}
    options = {**choice.options, **given}
    known = registry.get(choice.name).options
    defaults = {option.name: option.default for option in known}
    # Keys stay what they were before these options were there.
    unsaid = {
        option.name
        for option in known
        if option.later and options.get(option.name, option.default) == option.default
    }
    draws = {"seed": "derived"} if "seed" in defaults and "seed" not in options else {}
    identity = canonical_json(
        {
            "policy": choice.name,
            "options": {
                name: _one_spelling(value)
                for name, value in {**defaults, **draws, **options}.items()
                if name not in unsaid
            },
            "source": source,
            "tau": float(experiment.tau),
        }
    )
    return _PolicyOfCells(choice.name, options, defaults, bool(draws), identity)


def _one_spelling(value: Any) -> Any:
    """2 and 2.0 are the same option."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _as_json_holds(options: Mapping[str, Any]) -> dict[str, Any]:
    return {name: str(value) if isinstance(value, Fraction) else value for name, value in options.items()}
