"""What a report says of the origin of its numbers: code, hosts, workloads and policies, and what they cost.

Rows are summed up: workloads that differ in their draws alone are one entry, and so are policies with equal options,
so that an experiment of thousands of cells stays readable.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from schedcore import registry
from schedcore.experiments.description.experiment import Experiment
from schedcore.experiments.running.cells import Cell, canonical_json, cells_of_sweep
from schedcore.experiments.running.provenance import describe_code

__all__ = ["Option", "PolicyGroup", "WorkloadGroup", "policy_groups", "run_facts", "workload_groups"]

Rows = Sequence[Mapping[str, Any]]

_DRAWS = ("seed", "offset", "resource_seed", "arrival_seed")  # arguments that differ from job set to job set
_MOST_HASHES = 20
_MOST_NAMES = 8


@dataclass(frozen=True)
class WorkloadGroup:
    """Instances that differ in their draws alone; `hashes` are (draw, content hash), `unlisted` counts those beyond."""

    source: str
    arguments: Mapping[str, Any]
    n_jobs: str
    n_machines: str
    n_resources: str
    cells: int
    hashes: Sequence[tuple[str, str]]
    unlisted: int


@dataclass(frozen=True)
class Option:
    """An option of a policy as it was set."""

    name: str
    text: str
    is_default: bool


@dataclass(frozen=True)
class PolicyGroup:
    """A policy with its options, the labels it goes by, and what its finished cells cost; texts, "-" without cells."""

    labels: Sequence[str]
    name: str
    options: Sequence[Option]
    cells: int
    mean_solve: str
    longest_solve: str
    jobs_per_second: str
    peak_memory: str


def run_facts(rows: Rows) -> list[tuple[str, str]]:
    """When, where, with which code and at what cost the rows came about, as (what, text); empty without rows."""
    if not rows:
        return []
    wall = sum(row["wall_seconds"] or 0.0 for row in rows)
    hosts = sorted({row["host"] for row in rows})
    return [
        ("first cell began", _utc(min(row["started_at"] for row in rows))),
        ("last cell ended", _utc(max(row["finished_at"] for row in rows))),
        ("code", _names({describe_code(dict(row)) for row in rows})),
        ("Python", _names({row["python_version"] for row in rows})),
        ("NumPy", _names({row["numpy_version"] for row in rows})),
        ("platform", _names({row["platform"] for row in rows})),
        ("host" if len(hosts) == 1 else "hosts", _names(hosts)),
        ("worker processes", f"{len({(row['host'], row['worker']) for row in rows}):,}"),
        ("wall time of all cells", _duration(wall)),
        ("largest peak memory", _memory(rows)),
    ]


def workload_groups(rows: Rows) -> list[WorkloadGroup]:
    """Sum up the instances of the rows, by source and arguments."""
    groups: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for row in rows:
        shared = {name: value for name, value in _arguments(row).items() if name not in _DRAWS}
        groups.setdefault((row["workload"], canonical_json(shared)), []).append(row)
    found = [
        _workload_group(source, json.loads(arguments), members)
        for (source, arguments), members in groups.items()
    ]
    return sorted(found, key=lambda group: (group.source, _sortable(group.arguments)))


def policy_groups(experiment: Experiment, rows: Rows) -> list[PolicyGroup]:
    """Sum up the cells of a description by policy and options, in the order of its policies."""
    by_key = {row["cell"]: row for row in rows}
    labels: dict[tuple[str, str], set[str]] = {}
    cells: dict[tuple[str, str], dict[str, Cell]] = {}
    for sweep in experiment.sweeps.values():
        for member in cells_of_sweep(experiment, sweep):
            group = member.cell.policy, canonical_json(_options(member.cell))
            labels.setdefault(group, set()).add(member.policy)
            cells.setdefault(group, {})[member.cell.key] = member.cell
    place = {label: index for index, label in enumerate(experiment.policies)}
    found = [
        _policy_group(
            sorted(labels[policy, options], key=place.__getitem__), policy, json.loads(options),
            [by_key[key] for key in members if key in by_key],
        )
        for (policy, options), members in cells.items()
    ]  # fmt: skip
    return sorted(found, key=lambda group: place[group.labels[0]])


def _workload_group(source: str, arguments: Mapping[str, Any], rows: Rows) -> WorkloadGroup:
    instances: dict[str, dict[str, Any]] = {}
    for row in rows:
        if row["workload_hash"] is not None:
            draws = {name: value for name, value in _arguments(row).items() if name in _DRAWS}
            instances[row["workload_hash"]] = draws
    ordered = sorted(instances.items(), key=lambda entry: _sortable(entry[1]))
    hashes = [(", ".join(f"{name} {value}" for name, value in draws.items()), key) for key, draws in ordered]
    return WorkloadGroup(
        source,
        arguments,
        n_jobs=_range(row["n_jobs"] for row in rows),
        n_machines=_range(row["n_machines"] for row in rows),
        n_resources=_range(row["n_resources"] for row in rows),
        cells=len(rows),
        hashes=hashes[:_MOST_HASHES],
        unlisted=max(0, len(hashes) - _MOST_HASHES),
    )


def _policy_group(labels: Sequence[str], policy: str, options: Mapping[str, Any], rows: Rows) -> PolicyGroup:
    defaults = {option.name: option.default for option in registry.get(policy).options}
    timed = [row for row in rows if row["solve_seconds"] is not None]
    seconds = [row["solve_seconds"] for row in timed]
    total = sum(seconds)
    return PolicyGroup(
        labels,
        policy,
        [
            Option(name, _written(value), _written(value) == _written(defaults.get(name)))
            for name, value in options.items()
        ],
        cells=len(timed),
        mean_solve=_duration(total / len(timed)) if timed else "-",
        longest_solve=_duration(max(seconds)) if timed else "-",
        jobs_per_second=f"{sum(row['n_jobs'] for row in timed) / total:,.0f}" if total > 0 else "-",
        peak_memory=_memory(rows),
    )


def _arguments(row: Mapping[str, Any]) -> dict[str, Any]:
    arguments: dict[str, Any] = json.loads(row["workload_arguments"])
    return arguments


def _options(cell: Cell) -> dict[str, Any]:
    """The options, without the seeds that cells derive: policies that differ in those alone are one."""
    options = cell.all_options()
    return {
        name: "drawn for each cell" if name == "seed" and value == cell.derived_seed else value
        for name, value in options.items()
    }


def _sortable(arguments: Mapping[str, Any]) -> list[tuple[str, bool, Any]]:
    return [(name, isinstance(value, str), value) for name, value in sorted(arguments.items())]


def _names(names: Iterable[str]) -> str:
    ordered = sorted(names)
    shown = ", ".join(ordered[:_MOST_NAMES])
    return shown if len(ordered) <= _MOST_NAMES else f"{shown} and {len(ordered) - _MOST_NAMES} more"


def _range(numbers: Iterable[int | None]) -> str:
    known = {number for number in numbers if number is not None}
    if not known:
        return "-"
    low, high = min(known), max(known)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def _written(value: object) -> str:
    """As a policy word or TOML has it: ``none``, ``true``, ``0.1``, ``wsjf``."""
    return str(value).lower() if value is None or isinstance(value, bool) else str(value)


def _utc(instant: datetime) -> str:
    return instant.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def _duration(seconds: float) -> str:
    if seconds < 1:
        return f"{1e3 * seconds:.3g} ms"
    if seconds < 100:
        return f"{seconds:.3g} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def _memory(rows: Rows) -> str:
    most = max((row["peak_memory_bytes"] or 0 for row in rows), default=0)
    return f"{most / 2**20:,.0f} MiB" if most else "-"
