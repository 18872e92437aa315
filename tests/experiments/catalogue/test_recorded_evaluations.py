"""The evaluations on recorded requests: thinned as described, every row valid, whatever file holds the requests."""

import dataclasses
import json
import math
import random
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from data_folder import data_folder
from experiments.described import run_here
from schedcore.experiments import Experiment, Results, load
from schedcore.experiments.running.cells import unique_cells
from schedcore.experiments.running.instances import InstanceCache
from schedcore.workloads import downsampling_offset, read_azure_packing

pytest.importorskip("pyarrow")
pytest.importorskip("pandas")

AZURE_V1_JOBS = 259_159
FULL_LIST = 320  # jobs of the recorded list that the tests make up


def cut(experiment: Experiment, policies: set[str], **wanted: list[Any]) -> Experiment:
    """The cells of `policies` where parameters have the values wanted."""
    sweeps = {
        name: dataclasses.replace(
            sweep,
            policies=[policy for policy in sweep.policies if policy in policies],
            parameters={
                parameter: [value for value in values if value in wanted.get(parameter, values)]
                for parameter, values in sweep.parameters.items()
            },
        )
        for name, sweep in experiment.sweeps.items()
    }
    return dataclasses.replace(
        experiment, sweeps={n: s for n, s in sweeps.items() if s.policies}, figures={}, job_sets=(1, 2)
    )


@pytest.mark.slow
def test_the_recorded_requests_of_2017_are_thinned_and_scheduled(tmp_path: Path) -> None:
    table = data_folder("azure-v1-vms", "azure_v1_dev_vms.csv.gz")
    whole = load("mris-azure-v1")
    load_alone = dataclasses.replace(whole, sweeps={"load": whole.sweeps["load"]}, figures={})
    experiment = cut(load_alone, {"MRIS", "PQ"}, factor=[64, 4])
    results = run_here(experiment, tmp_path / "results", inputs={"trace": table})
    assert len(results.rows) == 2 * 2 * 2
    assert not results.failures
    for row in results.rows:
        arguments = json.loads(row["workload_arguments"])
        factor, offset = arguments["factor"], arguments["offset"]
        assert offset == downsampling_offset(factor, row["job_set"])
        assert row["n_jobs"] == math.ceil((AZURE_V1_JOBS - offset) / factor)
        assert (row["n_machines"], row["n_resources"], row["verdict"]) == (20, 2, "valid")
    assert len({row["workload_hash"] for row in results.rows}) == 4


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A packing trace with FULL_LIST requests that are jobs, and some that are none."""
    source = random.Random(7)
    vm = []
    for index in range(FULL_LIST + 20):
        start = -0.5 if index % 17 == 0 else source.uniform(0, 3)
        vm.append((index, 0, 10 + index % 3, index % 2, start, start + source.uniform(1e-4, 2)))
    types = [
        (0, 10, 0, 0.1, 0.2, 0.25, None, 0.05),
        (1, 10, 3, 0.3, 0.25, None, 0.125, 0.01),
        (2, 11, 0, 0.5, 0.5, 0.1, 0.2, None),
        (3, 12, 1, 0.02, 0.01, None, 0.03, 0.02),
    ]
    path = tmp_path_factory.mktemp("packing") / "trace.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE vm (vmId, tenantId, vmTypeId, priority, starttime, endtime)")
        connection.execute("CREATE TABLE vmType (id, vmTypeId, machineId, core, memory, hdd, ssd, nic)")
        connection.executemany("INSERT INTO vm VALUES (?, ?, ?, ?, ?, ?)", vm)
        connection.executemany("INSERT INTO vmType VALUES (?, ?, ?, ?, ?, ?, ?, ?)", types)
        connection.commit()
    assert read_azure_packing(path)[0].n_jobs == FULL_LIST
    return path


def small_packing() -> Experiment:
    """The evaluation with FULL_LIST in place of 4,096,000 jobs, and all other numbers of jobs scaled alike."""
    whole = load("mris-azure-packing")
    azure = dataclasses.replace(whole.workloads["azure"], arguments={"full_jobs": FULL_LIST})
    sweeps = {
        name: dataclasses.replace(
            sweep,
            parameters={
                parameter: [FULL_LIST // 32, FULL_LIST // 4] if parameter == "n_jobs" else values
                for parameter, values in sweep.parameters.items()
            },
        )
        for name, sweep in whole.sweeps.items()
        if name in ("load", "machines", "resources")
    }
    smaller = dataclasses.replace(
        whole, workloads={**whole.workloads, "azure": azure}, sweeps=sweeps, figures={}
    )
    return cut(smaller, {"MRIS", "PQ"}, n_machines=[5, 20], n_resources=[4, 8])


@pytest.fixture(scope="module")
def results(trace: Path, tmp_path_factory: pytest.TempPathFactory) -> Results:
    folder = tmp_path_factory.mktemp("evaluation") / "results"
    return run_here(small_packing(), folder, inputs={"trace": trace})


def test_the_packing_trace_is_scheduled_by_all_policies(results: Results) -> None:
    assert results.n_missing == 0
    assert not results.failures
    frame = results.sweep("resources")
    assert set(frame["n_resources"]) == {4, 8}
    assert set(results.sweep("machines")["n_machines"]) == {5, 20}
    for row in results.rows:
        arguments = json.loads(row["workload_arguments"])
        assert row["n_jobs"] == FULL_LIST // arguments["factor"]


def test_job_sets_are_those_that_the_reader_itself_thins_out(trace: Path) -> None:
    cache = InstanceCache()
    compared = 0
    for cell in unique_cells(small_packing()).values():
        arguments = dict(cell.arguments)
        if arguments.get("n_resources", 4) > 4:
            continue  # those beyond four are drawn for the full list, the reader draws for the jobs it takes
        thinned = cache.get(cell, {"input:trace": str(trace)})
        read, _ = read_azure_packing(trace, **arguments)
        assert thinned.machines == read.machines
        # `downsample` keeps the numbers that the jobs have in the full list
        assert thinned.jobs.replace(id=None) == read.jobs
        compared += 1
    assert compared


def test_more_resources_are_drawn_from_the_cores_of_the_full_list(trace: Path) -> None:
    cores = set(read_azure_packing(trace)[0].jobs.demand[:, 0].tolist())
    cache = InstanceCache()
    for cell in unique_cells(small_packing()).values():
        if cell.arguments.get("n_resources", 4) == 8:
            inst = cache.get(cell, {"input:trace": str(trace)})
            assert inst.n_resources == 8
            assert set(inst.jobs.demand[:, 4:].flatten().tolist()) <= cores
