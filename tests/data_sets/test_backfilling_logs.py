"""Backfilling on recorded logs of parallel machines: promises are kept and every schedule is valid.

The nine logs of the Parallel Workloads Archive, processors alone; conservative backfilling on some of them, the others
are in the benchmarks. Three of them with memory, too.
"""

import functools
import itertools
import logging
from typing import Any

import numpy as np
import pytest

import schedcore
from data_folder import data_folder
from reference.backfilling_textbook import Job, textbook_easy
from schedcore.workloads import read_swf

LOGS: dict[str, dict[str, Any]] = {
    "HPC2N-2002-2.2-cln": {},
    "KTH-SP2-1996-2.1-cln": {},
    "LPC-EGEE-2004-1.2-cln": {},
    "NASA-iPSC-1993-3.1-cln": {},
    "OSC-Clust-2000-3.1-cln": {},
    "RICC-2010-2": {},
    "SDSC-DS-2004-2.1-cln": {},
    "SDSC-SP2-1998-4.2-cln": {},
    "Sandia-Ross-2001-1.1-cln": {"status_rule": "ignore"},
}
WITH_MEMORY: dict[str, dict[str, Any]] = {
    "HPC2N-2002-2.2-cln": {"missing_memory": "used", "memory_capacity": 120 * 1024 * 1024},
    "LPC-EGEE-2004-1.2-cln": {
        "mode": "used",
        "memory_capacity": 70 * 4_132_376,
    },  # else its queue never drains
    "Sandia-Ross-2001-1.1-cln": {"mode": "used", "status_rule": "ignore"},
}


@functools.cache
def read(name: str, n_resources: int = 1) -> schedcore.Instance:
    path = data_folder("pwa-swf", f"{name}.swf.gz")
    options = LOGS[name] if n_resources == 1 else WITH_MEMORY[name]
    logging.getLogger("schedcore").setLevel(logging.ERROR)  # some are offered more work than they can do
    try:
        return read_swf(path, n_resources=n_resources, **options)[0]
    finally:
        logging.getLogger("schedcore").setLevel(logging.NOTSET)


def solved(name: str, instance: schedcore.Instance, **options: Any) -> schedcore.Result:
    result = schedcore.solve(name, instance, **options)
    schedcore.validate(instance, result.schedule, raise_on_error=True)
    return result


@pytest.mark.parametrize("name", LOGS)
@pytest.mark.parametrize("selection", ["ff", "bb", "sb"])
def test_no_head_starts_after_its_first_shadow_time(name: str, selection: str) -> None:
    instance = read(name)
    result = solved("easy", instance, selection=selection, record=True)
    shadow = np.array(result.stats["shadow"]).reshape(-1, 4)
    heads, first = np.unique(shadow[:, 1].astype(np.int64), return_index=True)
    assert np.all(result.schedule.start_time[heads] <= shadow[first, 2])


@pytest.mark.parametrize("name", ["KTH-SP2-1996-2.1-cln", "SDSC-DS-2004-2.1-cln", "SDSC-SP2-1998-4.2-cln"])
def test_no_reservation_is_ever_delayed(name: str) -> None:
    instance = read(name)
    result = solved("conservative", instance, record=True)
    start = result.schedule.start_time
    for job, rows in result.stats["reservations"].items():
        promised = [row[1] for row in rows]
        assert all(later <= earlier for earlier, later in itertools.pairwise(promised))
        assert start[job] == promised[-1]


@pytest.mark.parametrize("name", WITH_MEMORY)
@pytest.mark.parametrize(
    ("policy", "options"),
    [("easy", {}), ("easy", {"selection": "bb"}), ("easy", {"selection": "bl!"}), ("conservative", {})],
)
def test_schedules_with_memory_are_valid(name: str, policy: str, options: dict[str, Any]) -> None:
    solved(policy, read(name, 2), **options)


@pytest.mark.parametrize("name", ["NASA-iPSC-1993-3.1-cln", "KTH-SP2-1996-2.1-cln"])
def test_easy_is_the_textbook_algorithm(name: str) -> None:
    instance = read(name)
    jobs = instance.jobs[:1200]
    columns = (jobs.release_time, jobs.demand[:, 0], jobs.processing_time, jobs.estimated_processing_time)
    rows = [Job(*row) for row in zip(*(column.tolist() for column in columns), strict=True)]
    expected = textbook_easy(rows, int(instance.machines.capacity[0, 0]))
    result = solved("easy", schedcore.Instance(jobs, instance.machines))
    assert result.schedule.start_time.tolist() == expected


@pytest.mark.parametrize("name", ["NASA-iPSC-1993-3.1-cln", "SDSC-SP2-1998-4.2-cln"])
def test_exact_estimates_make_all_conservative_forms_one(name: str) -> None:
    instance = read(name)
    jobs = instance.jobs[:5000]
    exact = schedcore.Instance(jobs.replace(estimated_processing_time=None), instance.machines)
    expected = solved("conservative", exact).schedule
    for options in ({"selection": "bl"}, {"selection": "bb"}, {"mode": "rebuild"}, {"compression": "none"}):
        assert solved("conservative", exact, **options).schedule == expected
    assert solved("backfill", exact, protected=None, selection="bb").schedule == expected
