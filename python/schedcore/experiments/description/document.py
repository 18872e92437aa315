"""Descriptions as documents: nested tables of plain values, as TOML and JSON have them.

`from_document` and `to_document` are inverse to each other. A document is checked key by key, so that a misspelt key
is an error with its place and the close matches.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from schedcore.errors import InvalidInstanceError
from schedcore.experiments.description.claim import QUANTITIES, Claim
from schedcore.experiments.description.experiment import Experiment, Sweep, Workload
from schedcore.experiments.description.figure import Figure
from schedcore.experiments.description.plain_values import (
    check_known,
    check_table,
    check_text,
    refuse_oversized,
)

__all__ = ["from_document", "parse_toml", "to_document"]

_EXPERIMENT = (
    "name", "title", "about", "job_sets", "tau", "inputs", "modules", "workloads", "policies", "sweeps", "figures",
)  # fmt: skip
_SWEEP = tuple(Sweep.__dataclass_fields__)
_FIGURE = tuple(Figure.__dataclass_fields__)
_CLAIM = ("text", *QUANTITIES, "at", "between", "within", "panel")
_MOST_JOB_SETS = 100_000


def parse_toml(content: bytes, place: str) -> dict[str, Any]:
    """Parse TOML; what is none is an `InvalidInstanceError` that names the place and the line."""
    try:
        return tomllib.loads(content.decode("utf-8"))
    except (ValueError, RecursionError) as error:  # also numbers too long and lists too deep
        raise InvalidInstanceError(f"{place}: not a TOML file: {error}") from error


def from_document(document: Mapping[str, Any], folder: Path | None = None) -> Experiment:
    """Make the experiment that a document describes.

    Raises
    ------
    InvalidInstanceError
        For a missing, unknown or ill-typed key (with its place and the close matches), and for all that `Experiment`
        refuses.
    """
    check_table("description", "document", document)
    refuse_oversized("description", document)
    place = f"experiment {document.get('name', '')!r}"
    _check_keys(place, document, _EXPERIMENT)
    for key in ("name", "workloads", "policies", "sweeps"):
        if key not in document:
            raise InvalidInstanceError(f"{place} has no {key}")
    values = {key: _plain_tuple(value) for key, value in document.items()}
    values["job_sets"] = _numbers(document.get("job_sets", [1]))
    for key, kind, make in (
        ("workloads", "workload", _workload),
        ("sweeps", "sweep", _sweep),
        ("figures", "figure", _figure),
    ):
        check_table(place, key, document.get(key, {}), Mapping)
        values[key] = {
            label: make(f"{place}, {kind} {label!r}", table) for label, table in document.get(key, {}).items()
        }
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
        "sweeps": {name: _without_defaults(sweep, Sweep) for name, sweep in experiment.sweeps.items()},
        "figures": {
            name: _without_defaults(figure, Figure)
            | ({"claims": [_claim_document(claim) for claim in figure.claims]} if figure.claims else {})
            for name, figure in experiment.figures.items()
        },
    }


def _workload(place: str, table: Mapping[str, Any]) -> Workload:
    arguments = dict(table)
    if "source" not in table:
        raise InvalidInstanceError(f"{place} has no source: the name of a generator, file or input")
    allow_loss = arguments.pop("allow_loss", False)
    return Workload(arguments.pop("source"), arguments, allow_loss)


def _sweep(place: str, table: Mapping[str, Any]) -> Sweep:
    _check_keys(place, table, _SWEEP)
    values = {key: _plain_tuple(value) for key, value in table.items()}
    if "job_sets" in table:
        values["job_sets"] = _numbers(table["job_sets"])
    return Sweep(**{"workloads": (), "policies": (), **values})


def _figure(place: str, table: Mapping[str, Any]) -> Figure:
    _check_keys(place, table, _FIGURE)
    if "sweep" not in table:
        raise InvalidInstanceError(f"{place} has no sweep")
    values = {key: _plain_tuple(value) for key, value in table.items()}
    if "job_sets" in table:
        values["job_sets"] = _numbers(table["job_sets"])
    if isinstance(values.get("claims"), tuple):
        values["claims"] = tuple(_claim(place, claim) for claim in values["claims"])
    return Figure(**values)


def _claim(place: str, table: Any) -> Claim:
    check_table(place, "claim", table)
    text = table.get("text")
    check_text(place, "text of a claim", text)
    place = f"{place}, claim {text!r}"
    _check_keys(place, table, _CLAIM)
    quantities = [quantity for quantity in QUANTITIES if quantity in table]
    if len(quantities) != 1:
        raise InvalidInstanceError(f"{place} needs one of {', '.join(QUANTITIES)}, and has {len(quantities)}")
    named = _plain_tuple(table[quantities[0]])
    policies = (named,) if isinstance(named, str) else named
    at = _plain_tuple(table.get("at", ()))
    if not isinstance(at, tuple):
        at = (at,) * (len(policies) if isinstance(policies, tuple) else 1)
    between = _plain_tuple(table.get("between"))
    return Claim(text, quantities[0], policies, at, between, table.get("within", 0.0), table.get("panel"))


def _claim_document(claim: Claim) -> dict[str, Any]:
    document: dict[str, Any] = {"text": claim.text, claim.quantity: list(claim.policies)}
    if claim.at:
        document["at"] = list(claim.at)
    if claim.between is not None:
        document["between"] = list(claim.between)
    if claim.within:
        document["within"] = claim.within
    if claim.panel is not None:
        document["panel"] = claim.panel
    return document


def _without_defaults(record: Any, kind: type) -> dict[str, Any]:
    fields = kind.__dataclass_fields__  # type: ignore[attr-defined]
    document = {}
    for name in fields:
        value = getattr(record, name)
        if name == "claims" or value is None or value == fields[name].default or value in ((), {}):
            continue
        document[name] = _plain(value)
    return document


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain(entry) for key, entry in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_plain(entry) for entry in value]
    return value


def _plain_tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _check_keys(place: str, table: Mapping[str, Any], known: Sequence[str]) -> None:
    for key in table:
        check_known(place, "key", key, known)


def _numbers(job_sets: Any) -> Any:
    """A number n means the job sets 1..n; anything else is checked by the description."""
    if isinstance(job_sets, int) and not isinstance(job_sets, bool) and 1 <= job_sets <= _MOST_JOB_SETS:
        return tuple(range(1, job_sets + 1))
    return _plain_tuple(job_sets)
