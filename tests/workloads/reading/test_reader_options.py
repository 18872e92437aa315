"""What is no value of an option is refused before anything is read, whatever the reader."""

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from schedcore import InvalidInstanceError
from schedcore.workloads import (
    google_mapreduce_jobs,
    google_parallel_tasks,
    google_slotted_jobs,
    google_task_requests,
    load,
    read_azure_packing,
    read_azure_v1,
    read_google_table,
    sample_google_requests,
    sample_google_usage,
)
from workloads.azure import test_azure_packing as packing

WORDS = ("abc", "2.5", 3, None, True)
INTEGERS = ("abc", 1.5, float("nan"), True, -(2**70), 2**70, [1])
SEEDS = ("abc", 1.5, None, -1, 2**64)
NUMBERS = ("abc", float("nan"), float("inf"), -1.0, 0, True, [1.0])
MACHINES = ("abc", 0, "2.5", "0x1", 2**70)
FLAGS = ("abc", 1, None)
ON_BAD_ROW = {"on_bad_row": WORDS}
WINDOW = {
    "t0": INTEGERS,
    "window": (*INTEGERS, 0),
    "slot": (*INTEGERS, 0, 86_401),
    "n_jobs": (*INTEGERS[:-2], 0),
}
#: Reader, with what else it needs -> option -> what it does not take.
OPTIONS: dict[Callable[..., Any], tuple[dict[str, Any], dict[str, tuple[Any, ...]]]] = {
    read_azure_packing: (
        {},
        {
            "n_jobs": (*INTEGERS, 0),
            "factor": (*INTEGERS, 0),
            "offset": (*INTEGERS, 1),
            "machine_type": WORDS,
            "weight": WORDS,
            "seed": SEEDS,
            "n_machines": (*INTEGERS, 0, 10**9),
            "n_resources": (*INTEGERS, 0, 10**9, 1e9),
            "machines": MACHINES,
        },
    ),
    read_azure_v1: ({}, {"machines": MACHINES, "censored": WORDS, **ON_BAD_ROW}),
    google_parallel_tasks: (
        {},
        {
            "strict": FLAGS,
            "min_priority": (*INTEGERS, 12),
            "n_machines": (*INTEGERS, 0, 10**9),
            "max_tasks": (*INTEGERS, 1),
            "placement": WORDS,
            "n_local": (*INTEGERS, 0, 201),
            "remote_penalty": (*NUMBERS, 0.5),
            "weights": WORDS,
            "seed": SEEDS,
            **ON_BAD_ROW,
        },
    ),
    google_slotted_jobs: (
        {},
        {
            **WINDOW,
            "load": NUMBERS,
            "memory_per_core": NUMBERS,
            "seed": SEEDS,
            "resources": WORDS,
            **ON_BAD_ROW,
        },
    ),
    google_mapreduce_jobs: ({}, {**WINDOW, "load": NUMBERS, **ON_BAD_ROW}),
    google_task_requests: ({}, {"which": WORDS, **ON_BAD_ROW}),
    sample_google_requests: ({"seed": 1}, {"seed": SEEDS, "n": (*INTEGERS, 0), **ON_BAD_ROW}),
    sample_google_usage: ({"seed": 1}, {"seed": SEEDS, "n": (*INTEGERS, 0), **ON_BAD_ROW}),
    read_google_table: ({"table": "task_events"}, {"table": WORDS, "columns": (["abc"], []), **ON_BAD_ROW}),
}  # fmt: skip
#: What is refused only beside the files: which parts there are.
NOT_HERE = {"path", "parts"}


@pytest.mark.parametrize("reader", OPTIONS, ids=lambda reader: reader.__name__)
def test_options_are_checked_before_anything_is_read(tmp_path: Path, reader: Callable[..., Any]) -> None:
    needed, table = OPTIONS[reader]
    assert {*table} == {*inspect.signature(reader).parameters} - NOT_HERE
    for name, values in table.items():
        for value in values:
            options = {**needed, name: value}
            if name in ("n_local", "remote_penalty"):
                options["placement"] = "local_remote"
            with pytest.raises((InvalidInstanceError, TypeError), match=name.removesuffix("s")):
                reader(tmp_path / "absent", **options)


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("n_jobs", "abc"),
        ("factor", 1.5),
        ("offset", "x"),
        ("n_resources", 1e9),
        ("n_resources", 10**9),
        ("n_machines", 2.5),
        ("seed", None),
    ],
)
def test_options_that_a_shell_hands_over_are_refused_as_input(
    tmp_path: Path, option: str, value: Any
) -> None:
    path = packing.write(tmp_path, packing.BY_HAND, packing.TYPES)
    with pytest.raises(InvalidInstanceError, match=f"^{option} ?="):
        load(path, **{option: value})
