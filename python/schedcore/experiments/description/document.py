"""Descriptions as documents: nested tables of plain values, as TOML and JSON have them.

`from_document` and `to_document` are inverse to each other. Where a document is shorter than the classes, it is spelt
out here: a number of job sets, the arguments of a workload beside its source, the quantity of a claim as its key.
"""

from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

from schedcore.errors import InvalidInstanceError
from schedcore.experiments.description.claim import QUANTITIES, Claim, Policies
from schedcore.experiments.description.declared import INTEGER_BITS, check, is_list
from schedcore.experiments.description.experiment import Experiment
from schedcore.experiments.description.figure import Figure
from schedcore.experiments.description.refusals import placed, refuse_if
from schedcore.experiments.description.sweep import Sweep
from schedcore.experiments.description.workload import Workload
from schedcore.model.choices import check_choice

__all__ = ["from_document", "to_document"]

Table = Mapping[str, Any]

_OF_CLAIMS = [field.name for field in fields(Claim) if field.name not in ("quantity", "policies")]
_MOST_JOB_SETS = 100_000
_DEEPEST = 20  # a description has five levels of tables and lists


def from_document(document: Table, folder: Path | None = None) -> Experiment:
    """Make the experiment that a document describes.

    Raises
    ------
    InvalidInstanceError
        For a missing, unknown or ill-typed key (with its place and the close matches), and for all that `Experiment`
        refuses.
    """
    check(Mapping[str, Any], "description", document)
    with placed("description"):
        _refuse_oversized(document)
    with placed(f"experiment {document.get('name', '')!r}"):
        values = _arguments(Experiment, document)
        for key, kind, make in _PARTS:
            tables = document.get(key, {})
            check(Mapping[str, Table], key, tables)
            values[key] = {}
            for label, table in tables.items():
                with placed(f"{kind} {label!r}"):
                    values[key][label] = make(table)
    return Experiment(**values, folder=folder)


def to_document(experiment: Experiment) -> dict[str, Any]:
    """Write a description as a document; keys with default values are left out."""
    return {
        "name": experiment.name,
        "title": experiment.title,
        "about": experiment.about,
        "job_sets": list(experiment.job_sets),
        "tau": experiment.tau,
        "inputs": dict(experiment.inputs),
        "modules": list(experiment.modules),
        "workloads": {
            name: {"source": workload.source, **workload.arguments}
            | ({"allow_loss": True} if workload.allow_loss else {})
            for name, workload in experiment.workloads.items()
        },
        "policies": dict(experiment.policies),
        "sweeps": {name: _without_defaults(sweep) for name, sweep in experiment.sweeps.items()},
        "figures": {name: _without_defaults(figure) for name, figure in experiment.figures.items()},
    }


def _workload(table: Table) -> Workload:
    refuse_if("source" not in table, "source is missing: the name of a generator, file or input")
    arguments = dict(table)
    return Workload(
        arguments.pop("source"), allow_loss=arguments.pop("allow_loss", False), arguments=arguments
    )


def _sweep(table: Table) -> Sweep:
    return Sweep(**_arguments(Sweep, table))


def _figure(table: Table) -> Figure:
    values = _arguments(Figure, table)
    if is_list(table.get("claims")):
        check(list[Table], "claims", list(table["claims"]))
        values["claims"] = [_claim(claim) for claim in table["claims"]]
    return Figure(**values)


#: Key of a document -> what one of its tables is called, and what is made of it.
_PARTS: tuple[tuple[str, str, Callable[[Table], Any]], ...] = (
    ("workloads", "workload", _workload),
    ("sweeps", "sweep", _sweep),
    ("figures", "figure", _figure),
)


def _arguments(kind: type[Experiment | Sweep | Figure], table: Table) -> dict[str, Any]:
    """The arguments of a class, whose names are the keys of its table."""
    arguments = {field.name: field for field in fields(kind) if field.init and field.name != "folder"}
    for key in table:
        check_choice("key", key, arguments)
    for name, field in arguments.items():
        is_needed = field.default is MISSING and field.default_factory is MISSING
        refuse_if(is_needed and name not in table, f"{name} is missing")
    number: Any = table.get("job_sets")
    is_number = isinstance(number, int) and number is not True and 1 <= number <= _MOST_JOB_SETS
    return {**table, "job_sets": range(1, number + 1)} if is_number else dict(table)


def _claim(table: Table) -> Claim:
    with placed(f"claim {table.get('text')!r}"):
        for key in table:
            check_choice("key", key, [*_OF_CLAIMS, *QUANTITIES])
        refuse_if("text" not in table, "text is missing")
        quantities = [quantity for quantity in QUANTITIES if quantity in table]
        n_quantities = len(quantities)
        refuse_if(n_quantities != 1, f"one of {', '.join(QUANTITIES)} is needed, not {n_quantities}")
        named = table[quantities[0]]
        policies = (named,) if isinstance(named, str) else named
        check(Policies, quantities[0], policies)
    others = {key: value for key, value in table.items() if key not in QUANTITIES}
    at = table.get("at", ())
    others["at"] = at if is_list(at) else (at,) * len(policies)
    return Claim(quantity=quantities[0], policies=policies, **others)


def _claim_document(claim: Claim) -> dict[str, Any]:
    document = _without_defaults(claim)
    return {"text": claim.text, document.pop("quantity"): document.pop("policies"), **document}


def _without_defaults(record: Any) -> dict[str, Any]:
    given = {field: getattr(record, field.name) for field in fields(record)}
    return {
        field.name: _plain(value)
        for field, value in given.items()
        if value is not None and value != field.default and value not in ((), {})
    }


def _plain(value: Any) -> Any:
    if isinstance(value, Claim):
        return _claim_document(value)
    if isinstance(value, Mapping):
        return {key: _plain(entry) for key, entry in value.items()}
    return [_plain(entry) for entry in value] if is_list(value) else value


def _refuse_oversized(document: object) -> None:
    """Refuse what later steps could not even print: integers beyond 64 bits, and tables nested without end."""
    waiting = [(document, 0)]
    while waiting:
        value, depth = waiting.pop()
        if isinstance(value, int) and value.bit_length() > INTEGER_BITS:
            raise InvalidInstanceError(f"an integer has {value.bit_length()} bits, more than {INTEGER_BITS}")
        refuse_if(depth > _DEEPEST, f"more than {_DEEPEST} tables or lists within each other")
        if isinstance(value, Mapping):
            waiting += [(entry, depth + 1) for entry in value.values()]
        elif isinstance(value, (list, tuple)):
            waiting += [(entry, depth + 1) for entry in value]
