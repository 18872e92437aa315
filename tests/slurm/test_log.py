"""The accounting of a site is read onto its machines, with its partitions, classes, arrays and dependencies."""

from pathlib import Path

import pytest

import schedcore as sc
from schedcore import InvalidInstanceError
from schedcore.slurm import SlurmLog, read_log, read_site
from slurm.small_cluster import CONFIGURATION

HEADER = (
    "JobIDRaw|JobID|Submit|Eligible|Start|End|ElapsedRaw|TimelimitRaw|State|ReqCPUS|NNodes|ReqMem|ReqTRES|AllocTRES"
    "|Partition|Account|User|QOS|Constraints|Dependency"
)
QOS = "Name|Priority\nnormal|1\nhigh|9\n"


def row(number: int, called: str = "", **fields: str) -> str:
    told = {
        "Submit": "1000", "Eligible": "1000", "Start": "1100", "End": "1200", "Elapsed": "100", "Limit": "10",
        "State": "COMPLETED", "CPUS": "4", "Nodes": "2", "ReqMem": "3000M", "ReqTRES": "cpu=4,mem=3000M,node=2",
        "AllocTRES": "cpu=4,mem=3000M,node=2", "Partition": "batch", "Account": "physics", "User": "ann",
        "QOS": "normal", "Constraints": "", "Dependency": "",
    }  # fmt: skip
    return "|".join([str(number), called or str(number), *{**told, **fields}.values()])


def log(folder: Path, *rows: str, more: str = "", **options: object) -> SlurmLog:
    (folder / "slurm.conf").write_text(CONFIGURATION + more)
    (folder / "sacctmgr_qos.txt").write_text(QOS)
    (folder / "log.sacct").write_text("\n".join([HEADER, *rows]) + "\n")
    return read_log(folder / "log.sacct", read_site(folder), **options)  # type: ignore[arg-type]


def settings(read: SlurmLog) -> dict[str, int | None]:
    return {finding.setting: finding.n_jobs for finding in read.not_modelled}


def test_jobs_are_on_the_machines_of_the_site_in_its_resources(tmp_path: Path) -> None:
    gpus = "cpu=4,mem=3000M,node=2,gres/gpu=2,gres/gpu:a100=2"
    read = log(tmp_path, row(1), row(2, ReqTRES=gpus, AllocTRES=gpus, Constraints="fat&ssd", QOS="high"))
    jobs = read.instance.jobs
    assert read.instance.machines == read_site(tmp_path).machines
    # two nodes, each with half of 4 processors, 3000 MB and 2 GPUs
    assert jobs.demand.tolist() == [[2, 1500, 0], [2, 1500, 1]]
    assert jobs.n_tasks.tolist() == [2, 2]
    assert jobs.max_tasks_per_machine.tolist() == [1, 1]
    assert jobs.constraint.tolist() == ["", "(fat&ssd) & (a100)"]
    assert jobs.service_class.tolist() == ["normal", "high"]
    assert jobs.id.tolist() == [1, 2]
    assert settings(read) == {}


def test_memory_is_rounded_up_to_whole_mb(tmp_path: Path) -> None:
    read = log(tmp_path, row(1, Nodes="1", ReqMem="1025K", ReqTRES="cpu=4,mem=1025K,node=1"))
    assert read.instance.jobs.demand.tolist() == [[4, 2, 0]]


def test_jobs_without_memory_take_the_default_of_the_site(tmp_path: Path) -> None:
    nothing = {"ReqMem": "0", "ReqTRES": "cpu=4,node=2"}
    read = log(tmp_path, row(1, **nothing), row(2), more="DefMemPerCPU=500\n")
    assert read.instance.jobs.demand.tolist() == [[2, 1000, 0], [2, 1500, 0]]
    read = log(tmp_path, row(1, **nothing, AllocTRES="cpu=4,mem=8G,node=2"), row(2))
    assert read.instance.jobs.demand.tolist() == [[2, 4096, 0], [2, 1500, 0]]


def test_jobs_wait_for_those_that_they_name(tmp_path: Path) -> None:
    read = log(
        tmp_path,
        row(1),
        row(11, "10_1"),
        row(12, "10_2"),
        row(2, Dependency="afterok:1"),
        row(3, Dependency="afterany:10_*(unfulfilled),afternotok:1"),
        row(4, Dependency="afterok:10_2"),
        row(5, Dependency="afterok:999"),
        row(6, Dependency="singleton"),
    )
    jobs = read.instance.jobs
    assert jobs.id.tolist() == [1, 11, 12, 2, 3, 4, 5, 6]
    assert list(jobs.after_ok) == [(), (), (), (1,), (), (12,), (), ()]
    assert list(jobs.after_any) == [(), (), (), (), (11, 12, 1), (), (), ()]
    assert jobs.array.tolist() == [-1, 10, 10, -1, -1, -1, -1, -1]
    assert settings(read) == {"sacct: Dependency": 1}
    assert [(finding.value, finding.n_jobs) for finding in read.not_modelled] == [
        ("afterok", 1),
        ("singleton", 1),
    ]
    unbound = log(tmp_path, row(1), row(2, Dependency="afterok:1"), bind_dependencies=False)
    assert not unbound.instance.jobs.uses("after_ok")
    with pytest.raises(InvalidInstanceError, match=r"log.sacct: line 3: Dependency: 'whatever'"):
        log(tmp_path, row(1), row(2, Dependency="whatever"))


def test_runs_of_a_requeued_job_are_jobs_of_their_own_and_then_nobody_waits(tmp_path: Path) -> None:
    first = row(1, State="REQUEUED", End="1150", Elapsed="50")
    read = log(tmp_path, first, row(1, Start="1160", End="1260"), row(2, Dependency="afterok:1"))
    assert read.instance.n_jobs == 3
    assert read.instance.jobs.processing_time.tolist() == [50, 100, 100]
    assert settings(read) == {"sacct: Dependency": 1}


def test_waiting_tasks_of_an_array_with_a_throttle_are_left_out_and_counted(tmp_path: Path) -> None:
    waiting = row(10, "10_[3-9%2]", State="PENDING", Start="Unknown", End="Unknown", Elapsed="0")
    read = log(tmp_path, row(11, "10_1"), row(12, "10_2"), waiting)
    assert read.instance.jobs.array.tolist() == [10, 10]
    assert read.report.dropped["unfinished"] == 1
    assert read.limits == (sc.Limit("array=10", "jobs", 2),)
    assert settings(read) == {"sacct: waiting tasks of arrays": 7}


def test_parts_of_heterogeneous_jobs_are_counted(tmp_path: Path) -> None:
    read = log(tmp_path, row(7, "7+0"), row(8, "7+1"), row(9))
    assert read.instance.n_jobs == 3
    assert read.report.not_modelled["het_component"] == 2


def test_what_the_site_has_no_more_is_taken_away_and_listed(tmp_path: Path) -> None:
    read = log(tmp_path, row(1, Partition="old"), row(2, QOS="gone"), row(3))
    assert read.instance.jobs.partition.tolist() == [None, "batch", "batch"]
    assert read.instance.jobs.service_class.tolist() == ["normal", None, "normal"]
    assert settings(read) == {"sacct: partition": 1, "sacct: service_class": 1}


def test_jobs_of_exclusive_partitions_are_exclusive(tmp_path: Path) -> None:
    read = log(
        tmp_path,
        row(1),
        row(2, Partition="whole"),
        more="PartitionName=whole Nodes=ALL OverSubscribe=EXCLUSIVE\n",
    )
    assert read.instance.jobs.exclusive.tolist() == [False, True]


def test_generic_resources_that_are_not_read_are_listed(tmp_path: Path) -> None:
    node = "NodeName=f1 CPUs=8 RealMemory=32000 Gres=fpga:2\n"
    asked = "cpu=4,mem=3000M,node=2,gres/fpga=2"
    none = "cpu=4,mem=3000M,node=2,gres/fpga=0"
    never = row(5, ReqTRES=asked, State="CANCELLED", Start="Unknown", Elapsed="0")
    rows = [row(1, ReqTRES=asked), row(2, AllocTRES=asked), row(3), row(4, ReqTRES=none), never]
    read = log(tmp_path, *rows, more=node)
    assert settings(read)["sacct: gres"] == 2
    fpga = read.instance.machines.resource_names.index("fpga")
    assert read.instance.demand[:, fpga].tolist() == [0] * 4


def test_settings_of_the_site_count_the_jobs_of_the_log(tmp_path: Path) -> None:
    read = log(tmp_path, row(1), row(2), more="SchedulerParameters=bf_window_linear=9\n")
    assert settings(read) == {"SchedulerParameters: bf_window_linear": 2}


def test_a_log_runs_under_the_rules_of_its_site(tmp_path: Path) -> None:
    hour = {"Limit": "60", "Elapsed": "3600", "End": "4700"}
    read = log(
        tmp_path,
        row(1, **hour, Partition="urgent", Nodes="1"),
        row(2, **hour, Dependency="afterok:1"),
        row(3, Partition="batch", QOS="high"),
    )
    site = read_site(tmp_path)
    result = sc.solve(site.policy, read.instance, site=site.site, **site.options)
    assert result.schedule.start_time.tolist() == [0, 3600, 0]
    # Jobs of urgent run on n3 and n4 alone, and by weight these come first for all.
    assert set(result.schedule.allocation.machine.tolist()) <= {2, 3}
