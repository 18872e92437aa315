"""A small description with a figure of each kind, as a document and as an experiment, for tests to change."""

import copy
import json
import os
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from schedcore.experiments import Experiment, Results, run
from schedcore.experiments.description.document import from_document

#: Whether the longest evaluations are run again with all their cells, which the heavier check does.
WHOLE_EVALUATIONS = "SCHEDCORE_WHOLE_EVALUATIONS" in os.environ

_DOCUMENT: dict[str, Any] = {
    "name": "small",
    "title": "A small experiment",
    "about": "What it is for.",
    "job_sets": 3,
    "tau": 5.0,
    "inputs": {"log": "a log"},
    "workloads": {
        "azure": {"source": "azure_like", "n_machines": 2},
        "patience": {"source": "patience", "n_jobs": 20},
        "recorded": {"source": "input:log", "censored": "keep"},
        "file": {"source": "log.swf", "full_jobs": 64, "allow_loss": True},
    },
    "policies": {"MRIS": "mris:knapsack=greedy,epsilon=1/10", "PQ": "pq", "TETRIS": "tetris"},
    "sweeps": {
        "load": {
            "workloads": ["azure"],
            "policies": ["MRIS", "PQ"],
            "parameters": {"n_jobs": [20, 40, 80], "n_resources": [1, 4]},
        },
        "grid": {
            "workloads": ["azure", "patience"],
            "policies": ["PQ"],
            "parameters": {"n_jobs": [10, 20], "policy.heuristic": ["wsjf", "erf"]},
            "job_sets": [2, 4],
        },
        "delays": {
            "workloads": ["azure"],
            "policies": ["MRIS", "PQ", "TETRIS"],
            "parameters": {"n_jobs": [40]},
            "keep": ["delay_quantiles"],
        },
        "packing": {
            "workloads": ["patience"],
            "policies": ["MRIS", "PQ"],
            "keep": ["schedule"],
            "job_sets": [1, 2],
        },
        "recorded": {"workloads": ["recorded", "file"], "policies": ["PQ"], "parameters": {"machines": [3]}},
    },
    "figures": {
        "lines": {
            "sweep": "load",
            "x": "n_jobs",
            "where": {"n_resources": 4},
            "unit": "days",
            "lower_bound": True,
            "log_x": False,
            "published_x": [20, 40],
            "published": {"MRIS": [1.5, 2.5]},
            "outcome": "MRIS is behind.",
            "claims": [
                {"text": "a ratio", "ratio": ["MRIS", "PQ"], "at": 40, "between": [1.0, 2.0]},
                {"text": "growth", "ratio": ["PQ", "PQ"], "at": [80, 20]},
                {"text": "a value", "value": "PQ", "at": 20},
                {"text": "a crossing", "crossing": ["MRIS", "PQ"], "between": [20, 80]},
            ],
        },
        "bars": {
            "sweep": "grid",
            "kind": "bars",
            "workload": "azure",
            "where": {"n_jobs": 10, "policy.heuristic": "erf"},
            "y": "makespan",
            "unit": "hours",
        },
        "delays": {
            "sweep": "delays",
            "kind": "delays",
            "policies": ["PQ", "MRIS"],
            "unit": "ticks",
            "unit_length": 100.0,
            "claims": [{"text": "a share", "share": "PQ", "within": 1, "between": [0, 1]}],
        },
        "packing": {"sweep": "packing", "kind": "packing", "highlight": [0, 7]},
    },
}


def document() -> dict[str, Any]:
    """A copy of the valid document."""
    return copy.deepcopy(_DOCUMENT)


def described(*figures: str, names: Mapping[str, str] | None = None) -> Experiment:
    """The experiment of the figures named, with their sweeps alone; of all that run without files by default.

    `names` are other names for policies.
    """
    text = json.dumps(document())
    for policy, name in (names or {}).items():
        text = text.replace(json.dumps(policy), json.dumps(name))
    whole = json.loads(text)
    whole["figures"] = {name: whole["figures"][name] for name in figures or whole["figures"]}
    shown = {figure["sweep"] for figure in whole["figures"].values()}
    whole["sweeps"] = {name: sweep for name, sweep in whole["sweeps"].items() if name in shown}
    for name in ("recorded", "file"):
        del whole["workloads"][name]
    return from_document(whole)


def run_here(experiment: Experiment, folder: Path, **options: Any) -> Results:
    """Run in this process, on two threads."""
    with ThreadPoolExecutor(2) as executor:
        return run(experiment, folder, executor=executor, workers=2, **options)


REMOVED = object()


def changed(path: str, value: object) -> dict[str, Any]:
    """The valid document with the entry at ``a/b/0/c`` replaced, added or REMOVED."""
    whole: Any = document()
    *parents, last = path.split("/")
    entry = whole
    for key in parents:
        entry = entry[int(key)] if isinstance(entry, list) else entry[key]
    key = int(last) if isinstance(entry, list) else last
    if value is REMOVED:
        del entry[key]
    else:
        entry[key] = value
    return whole  # type: ignore[no-any-return]


def refused(path: str, value: object, *words: str) -> Any:
    return pytest.param(path, value, words, id=f"{path}={str(value)[:30]}" if value is not REMOVED else path)
