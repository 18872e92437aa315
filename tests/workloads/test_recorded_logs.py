"""Recorded workloads give the counts that their folders state."""

from pathlib import Path
from typing import Any

import pytest

from data_folder import data_folder
from schedcore import InvalidInstanceError
from schedcore.workloads import read_azure_v1, read_swf, read_swf_table

KB_PER_NODE = 1_048_576

# Log: rows, jobs after the field's filter with processors alone, processors, run longer than requested.
LOGS = {
    "HPC2N-2002-2.2-cln": (202_871, 202_871, 240, 14_817),
    "KTH-SP2-1996-2.1-cln": (28_476, 28_475, 100, 475),
    "LPC-EGEE-2004-1.2-cln": (234_889, 220_679, 140, 755),
    "NASA-iPSC-1993-3.1-cln": (18_239, 18_239, 128, 0),
    "OSC-Clust-2000-3.1-cln": (36_097, 36_097, 178, 0),
    "RICC-2010-2": (447_794, 447_786, 8_192, 7_092),
    "SDSC-DS-2004-2.1-cln": (96_069, 84_969, 1_664, 10_658),
    "SDSC-SP2-1998-4.2-cln": (59_715, 54_034, 128, 4_134),
    "Sandia-Ross-2001-1.1-cln": (57_882, 55_872, 1_524, 3_664),
}

# The same filter: why the other rows are no jobs.
DROPPED = {
    "KTH-SP2-1996-2.1-cln": {"no_processors": 1},
    "LPC-EGEE-2004-1.2-cln": {"no_runtime": 14_210},
    "RICC-2010-2": {"no_runtime": 8},
    "SDSC-DS-2004-2.1-cln": {"no_runtime": 11_100},
    "SDSC-SP2-1998-4.2-cln": {"no_runtime": 5_681},
    "Sandia-Ross-2001-1.1-cln": {"partial": 1_994, "no_runtime": 1, "no_processors": 15},
}

WARNED = {
    "NASA-iPSC-1993-3.1-cln": ["100 % of the jobs have no estimate"],
    "OSC-Clust-2000-3.1-cln": ["100 % of the jobs have no estimate"],
    "RICC-2010-2": ["nothing says how much there was of processors: the largest job, with 8,192 processors"],
}

# Mode "used", for the logs that recorded processor time and memory.
DROPPED_OF_USED = {
    "HPC2N-2002-2.2-cln": {"no_processors": 40_097, "no_memory": 1_748},
    "LPC-EGEE-2004-1.2-cln": {"no_runtime": 14_210, "no_processors": 348, "no_usage": 26_675},
    "Sandia-Ross-2001-1.1-cln": {
        "partial": 1_994,
        "no_runtime": 1,
        "no_processors": 3_268,
        "no_memory": 4_582,
    },
}


def log(name: str) -> Path:
    return data_folder("pwa-swf", f"{name}.swf.gz")


@pytest.mark.parametrize("name", LOGS)
def test_processors_of_every_log(name: str) -> None:
    rows, n_jobs, processors, raised = LOGS[name]
    instance, report = read_swf(log(name), n_resources=1)
    assert (report.rows_read, instance.n_jobs) == (rows, n_jobs)
    assert instance.machines.capacity.tolist() == [[processors]]
    assert report.repaired["estimate_raised"] == raised
    assert report.dropped == DROPPED.get(name, {})
    assert rows == n_jobs + sum(report.dropped.values())
    assert instance.jobs.release_time.min() == 0
    assert len(report.warnings) == len(WARNED.get(name, ()))
    for warning, beginning in zip(report.warnings, WARNED.get(name, ()), strict=True):
        assert warning.startswith(beginning)


def hpc2n(**options: Any) -> Any:
    return read_swf(log("HPC2N-2002-2.2-cln"), memory_capacity=120 * KB_PER_NODE, **options)


def test_hpc2n_needs_a_choice_for_jobs_without_a_memory_request() -> None:
    with pytest.raises(
        InvalidInstanceError, match=r"27,512 jobs without a memory request; choose missing_memory="
    ):
        hpc2n()


def test_hpc2n_with_each_choice_for_missing_memory() -> None:
    instance, report = hpc2n(missing_memory="skip")
    assert instance.n_jobs == 175_359
    assert report.dropped == {"no_memory": 27_512}
    assert any("27,512" in sentence and "skip" in sentence for sentence in report.assumptions)
    instance, report = hpc2n(missing_memory="used")
    assert instance.n_jobs == 200_734
    assert report.dropped == {"no_memory": 2_137}
    assert report.repaired["memory_from_usage"] == 27_512 - 2_137
    instance, report = hpc2n(missing_memory=512 * 1024)
    assert instance.n_jobs == 202_871
    assert report.repaired["memory_assumed"] == 27_512
    assert instance.machines.capacity.tolist() == [[240, 125_829_120]]


def test_hpc2n_on_nodes_instead_of_a_pool() -> None:
    instance, report = read_swf(
        log("HPC2N-2002-2.2-cln"), missing_memory="skip", machines=f"120x2,{KB_PER_NODE}KB", tasks="whole"
    )
    assert instance.n_machines == 120
    assert (instance.jobs.demand <= [2, KB_PER_NODE]).all()
    assert instance.n_jobs + report.dropped["too_big"] == 175_359


def test_ricc_requests_memory_in_every_job() -> None:
    _, report = read_swf(log("RICC-2010-2"), memory_capacity=1024 * 12 * KB_PER_NODE, processors=8192)
    assert report.dropped["no_runtime"] == 8
    assert "no_memory" not in report.dropped


def test_used_memory_of_hpc2n_lpc_and_sandia() -> None:
    for name in DROPPED_OF_USED:
        instance, report = read_swf(log(name), mode="used")
        assert instance.jobs.demand.any(axis=1).all()
        assert report.dropped["too_big"] == 0
        assert report.dropped == DROPPED_OF_USED[name]
    # Sandia's status field holds exit codes: 2 is no part of a checkpointed job there.
    _, strict = read_swf(log("Sandia-Ross-2001-1.1-cln"), n_resources=1)
    _, ignoring = read_swf(log("Sandia-Ross-2001-1.1-cln"), n_resources=1, status_rule="ignore")
    assert strict.dropped["partial"] == 1_994
    assert "partial" not in ignoring.dropped


def test_the_header_and_all_fields_of_hpc2n() -> None:
    header, table = read_swf_table(log("HPC2N-2002-2.2-cln"))
    assert header["MaxProcs"] == "240"
    assert header["Partition"] == "1  DEFAULT\n2  ALL"
    assert int(header["MaxRecords"]) == len(table) == 202_871
    assert table.shape[1] == 18
    assert (table["requested_memory"] > 0).sum() == 175_359
    assert (table["used_memory"] > 0).sum() == 200_733


@pytest.mark.parametrize(("censored", "n_jobs"), [("keep", 259_159), ("drop", 244_842)])
def test_azure_v1_counts(censored: Any, n_jobs: int) -> None:
    path = data_folder("azure-v1-vms", "azure_v1_dev_vms.csv.gz")
    instance, report = read_azure_v1(path, machines="20x64,448GB", censored=censored)
    assert report.rows_read == 259_159
    assert instance.n_jobs == n_jobs
    assert report.repaired["short_duration"] == 7_029
    assert (report.repaired if censored == "keep" else report.dropped)["censored"] == 14_317
    jobs = instance.jobs
    assert (jobs.release_time.min(), jobs.release_time.max()) == (0, 299_700)
    assert jobs.processing_time.min() == 300
    assert jobs.demand.max(axis=0).tolist() == [16, 448]
    assert instance.machines.capacity.tolist() == [[64, 1792]] * 20
    assert (report.work_lost["memory"] > 0.5) == ("loss" in report.stops) == (censored == "drop")
    overloads = [text for text in report.warnings if text.startswith("offered load")]
    assert len(overloads) == len(report.warnings) - len(report.stops) == 2
