"""What a configuration says becomes machines, rules, and a policy with options; what is lost is listed."""

from pathlib import Path

import pytest

import schedcore as sc
from schedcore import InvalidInstanceError, Limit, Multifactor, Partition, ServiceClass
from schedcore.slurm import SlurmSite, read_site
from schedcore.slurm.backfill_settings import LIKE_SLURM
from slurm.small_cluster import CONFIGURATION

DUMP = """\
Cluster - 'small':Fairshare=1:QOS='normal'
Parent - 'root'
Account - 'physics':Fairshare=30:GrpTRES=cpu=20,gres/gpu=2,node=3:GrpJobs=9
Account - 'art':Fairshare=10
Parent - 'physics'
User - 'ann':DefaultAccount='physics':Fairshare=1:MaxJobs=4
"""
QOS = """\
Name|Priority|GraceTime|Preempt|PreemptMode|GrpTRES|MaxTRESPU|GrpJobs
high|100|00:00:00|low||cpu=8||
normal|50|00:00:00|||||3
low|0|00:00:00||cluster|||
"""
MULTIFACTOR = """\
PriorityType=priority/multifactor
PriorityFlags=NO_FAIR_TREE
PriorityWeightAge=1000
PriorityWeightFairshare=2000
PriorityWeightPartition=300
PriorityWeightQOS=400
PriorityDecayHalfLife=14-0
PriorityMaxAge=1-0
PriorityCalcPeriod=10
"""


def site(folder: Path, more: str = "", dump: str = "", qos: str = "", base: str = CONFIGURATION) -> SlurmSite:
    (folder / "slurm.conf").write_text(base + more)
    for name, text in (("sacctmgr.txt", dump), ("sacctmgr_qos.txt", qos)):
        if text:
            (folder / name).write_text(text)
    return read_site(folder)


def settings(read: SlurmSite) -> set[str]:
    return {finding.setting for finding in read.not_modelled}


def test_nodes_become_machines_with_labels_and_weights(tmp_path: Path) -> None:
    machines = site(tmp_path).machines
    assert machines.names == ("n1", "n2", "n3", "n4")
    assert machines.resource_names == ("cpu", "memory", "gpu")
    assert machines.capacity.tolist() == [[8, 32000, 0]] * 2 + [[16, 64000, 4]] * 2
    assert machines.weight.tolist() == [2, 2, 1, 1]
    assert machines.labels[0] == {"thin", "partition=batch"}
    assert machines.labels[2] == {"fat", "ssd", "a100", "partition=batch", "partition=urgent"}


def test_processors_of_a_node_are_those_of_its_sockets_where_no_number_stands(tmp_path: Path) -> None:
    base = "NodeName=n1 Sockets=2 CoresPerSocket=8 ThreadsPerCore=2 RealMemory=10\n"
    assert site(tmp_path, base=base).machines.capacity.tolist() == [[32]]


def test_memory_is_a_resource_only_where_the_scheduler_hands_it_out(tmp_path: Path) -> None:
    read = site(tmp_path, "SelectTypeParameters=CR_Core\n")
    assert read.machines.resource_names == ("cpu", "gpu")


def test_partitions_keep_their_bounds_tiers_and_factors(tmp_path: Path) -> None:
    read = site(tmp_path)
    assert read.site.partitions == (
        Partition("batch", "partition=batch", 86_400, None, 1, 0.25),
        Partition("urgent", "partition=urgent", 3600, 1, 10, 1.0),
    )
    assert read.default_partition is not None
    assert read.default_partition.name == "batch"
    assert read.not_modelled == ()


def test_sets_of_nodes_stand_for_their_nodes(tmp_path: Path) -> None:
    read = site(
        tmp_path, "NodeSet=big Feature=fat\nNodeSet=few Nodes=n[1-2]\nPartitionName=p Nodes=big,few\n"
    )
    assert read.partitions[2].nodes == ("n3", "n4", "n1", "n2")


@pytest.mark.parametrize(
    ("parameters", "policy", "options", "interval"),
    [
        (
            "",
            "conservative",
            {"queue_depth": 500, "window": 86_400.0, "resolution": 60.0, **LIKE_SLURM},
            30.0,
        ),
        (
            "bf_max_job_test=50,bf_window=2880,bf_resolution=300,bf_interval=60",
            "conservative",
            {"queue_depth": 50, "window": 172_800.0, "resolution": 300.0, **LIKE_SLURM},
            60.0,
        ),
        (
            "bf_job_part_count_reserve=3",
            "backfill",
            {"queue_depth": 500, "window": 86_400.0, "resolution": 60.0, "protected": 3, "interval": 30.0},
            30.0,
        ),
    ],
)
def test_parameters_of_backfilling_become_options(
    tmp_path: Path, parameters: str, policy: str, options: dict[str, object], interval: float
) -> None:
    read = site(tmp_path, f"SchedulerParameters={parameters}\n" if parameters else "")
    assert (read.policy, dict(read.options), read.interval) == (policy, options, interval)


def test_the_policy_takes_its_options_and_the_rules(tmp_path: Path) -> None:
    for more in ("", "SchedulerParameters=bf_job_part_count_reserve=2\n", "SchedulerType=sched/builtin\n"):
        read = site(tmp_path, more)
        jobs = sc.Jobs(
            [10.0] * 3, [[8, 1000, 0]] * 3, n_tasks=[4, 4, 1], partition=["batch", "batch", "urgent"]
        )
        result = sc.solve(read.policy, sc.Instance(jobs, read.machines), site=read.site, **read.options)
        # urgent is of a higher tier and has n3 and n4, with two tasks of 8 processors each; n1 and n2 have one each.
        assert result.schedule.start_time.tolist() == [0.0, 10.0, 0.0]


def test_the_builtin_scheduler_is_first_come_first_served(tmp_path: Path) -> None:
    assert site(tmp_path, "SchedulerType=sched/builtin\n").policy == "fcfs"


def test_parameters_that_change_decisions_are_listed_and_others_are_not(tmp_path: Path) -> None:
    read = site(
        tmp_path, "SchedulerParameters=bf_continue,bf_window_linear=60,bf_max_job_user=5,what_is_this=1\n"
    )
    assert [(finding.setting, finding.value) for finding in read.not_modelled] == [
        ("SchedulerParameters: bf_window_linear", "60"),
        ("SchedulerParameters: bf_max_job_user", "5"),
        ("SchedulerParameters: what_is_this", "1"),
    ]
    with pytest.raises(InvalidInstanceError, match=r"slurm.conf: line \d+: bf_window = 'x' is no number"):
        site(tmp_path, "SchedulerParameters=bf_window=x\n")


def test_weights_of_priority_become_a_multifactor_order(tmp_path: Path) -> None:
    read = site(tmp_path, MULTIFACTOR, DUMP.split("Parent - 'physics'")[0])
    assert read.site.order == Multifactor(
        age=1000,
        fair_share=2000,
        partition=300,
        service_class=400,
        max_age=86_400,
        half_life=1_209_600,
        interval=600,
    )
    assert settings(read) == {"AccountingStorageEnforce"}


def test_without_accounts_all_have_equal_shares_and_that_is_listed(tmp_path: Path) -> None:
    read = site(tmp_path, MULTIFACTOR)
    assert read.site.shares is None
    assert settings(read) == {"PriorityWeightFairshare"}


def test_the_basic_order_is_that_of_arrival(tmp_path: Path) -> None:
    assert site(tmp_path).site.order == "arrival"


def test_use_that_never_decays_has_an_infinite_half_life(tmp_path: Path) -> None:
    read = site(tmp_path, MULTIFACTOR.replace("14-0", "0"))
    assert read.site.multifactor is not None
    assert read.site.multifactor.half_life == float("inf")


@pytest.mark.parametrize(
    ("more", "setting"),
    [
        (MULTIFACTOR.replace("PriorityFlags=NO_FAIR_TREE\n", ""), "PriorityFlags"),
        (MULTIFACTOR.replace("NO_FAIR_TREE", "NO_FAIR_TREE,MAX_TRES"), "PriorityFlags"),
        (MULTIFACTOR + "PriorityWeightTRES=CPU=100\n", "PriorityWeightTRES"),
        (MULTIFACTOR + "PriorityWeightAssoc=5\n", "PriorityWeightAssoc"),
        (MULTIFACTOR + "PriorityWeightJobSize=5\n", "PriorityWeightJobSize"),
        (MULTIFACTOR + "PriorityUsageResetPeriod=MONTHLY\n", "PriorityUsageResetPeriod"),
        ("OverTimeLimit=10\n", "OverTimeLimit"),
        ("TopologyPlugin=topology/tree\n", "TopologyPlugin"),
        ("Licenses=matlab:5\n", "Licenses"),
        ("SelectTypeParameters=CR_Socket_Memory\n", "SelectTypeParameters"),
        ("PartitionName=x Nodes=n1 OverSubscribe=FORCE:4\n", "partition: OverSubscribe"),
        ("PartitionName=x Nodes=n1 AllowAccounts=art\n", "partition: AllowAccounts"),
        ("PartitionName=x Nodes=n1 DenyQos=low\n", "partition: DenyQos"),
        ("PartitionName=x Nodes=n1 MinNodes=2\n", "partition: MinNodes"),
        ("PartitionName=x Nodes=n1 State=DOWN\n", "partition: State"),
        ("PartitionName=x Nodes=n1 MaxCPUsPerNode=4\n", "partition: MaxCPUsPerNode"),
        ("PreemptType=preempt/qos\nPreemptMode=SUSPEND,GANG\n", "PreemptMode"),
        ("SchedulerType=sched/other\n", "SchedulerType"),
        ("NodeName=n9 CPUs=4 RealMemory=5 Gres=gpu:a:1,gpu:b:2\n", "node: Gres gpu"),
    ],
)
def test_what_cannot_be_modelled_is_listed(tmp_path: Path, more: str, setting: str) -> None:
    assert settings(site(tmp_path, more)) - {"PriorityWeightFairshare"} == {setting}


def test_shares_and_limits_come_from_the_accounts(tmp_path: Path) -> None:
    read = site(tmp_path, MULTIFACTOR + "AccountingStorageEnforce=limits\n", DUMP)
    assert read.site.shares is not None
    assert read.site.shares["physics"] == 0.75
    assert read.site.shares["art"] == 0.25
    assert set(read.site.limits) == {
        Limit("account=physics", "cpu", 20),
        Limit("account=physics", "gpu", 2),
        Limit("account=physics", "jobs", 9),
        Limit("user=ann", "jobs", 4),
    }
    assert [(finding.setting, finding.value) for finding in read.not_modelled] == [
        ("sacctmgr: GrpTRES", "node=3")
    ]


def test_limits_hold_only_where_they_are_enforced(tmp_path: Path) -> None:
    read = site(tmp_path, "", DUMP)
    assert read.site.limits == ()
    assert settings(read) == {"AccountingStorageEnforce"}


def test_limits_that_hold_but_are_not_told_are_listed(tmp_path: Path) -> None:
    enforced = "AccountingStorageEnforce=associations,limits,qos\n"
    assert settings(site(tmp_path, enforced)) == {"AccountingStorageEnforce"}
    assert "AccountingStorageEnforce" not in settings(
        site(tmp_path, enforced, "Parent - 'root'\nAccount - 'physics'\n")
    )


def test_nested_accounts_share_what_the_outer_one_has_and_are_listed(tmp_path: Path) -> None:
    dump = DUMP + "Account - 'plasma':Fairshare=3\nAccount - 'optics':Fairshare=1\n"
    read = site(tmp_path, MULTIFACTOR + "AccountingStorageEnforce=limits\n", dump)
    assert read.site.shares is not None
    assert read.site.shares["plasma"] == 0.75 * 0.75
    assert read.site.shares["optics"] == 0.75 * 0.25
    assert {"sacctmgr: nested accounts", "sacctmgr: limits of nested accounts"} <= settings(read)


def test_a_user_of_several_accounts_has_no_limit_of_one_and_that_is_listed(tmp_path: Path) -> None:
    dump = DUMP + "Parent - 'art'\nUser - 'ann':DefaultAccount='art'\n"
    read = site(tmp_path, "AccountingStorageEnforce=limits\n", dump)
    assert Limit("user=ann", "jobs", 4) not in read.site.limits
    assert "sacctmgr: limits of a user in one account" in settings(read)


def test_classes_preempt_by_level(tmp_path: Path) -> None:
    more = "PreemptType=preempt/qos\nPreemptMode=REQUEUE\nAccountingStorageEnforce=safe\n"
    read = site(tmp_path, more, qos=QOS)
    assert read.site.service_classes == (
        ServiceClass("high", 1, 1.0),
        ServiceClass("normal", 0, 0.5),
        ServiceClass("low", 0, 0.0, preemptible=True),
    )
    assert read.site.preempt == "requeue"
    assert read.policy == "easy"
    assert set(read.site.limits) == {
        Limit("service_class=high", "cpu", 8),
        Limit("service_class=normal", "jobs", 3),
    }


def test_what_becomes_of_preempted_jobs(tmp_path: Path) -> None:
    for mode, rule in (("CANCEL", "drop"), ("REQUEUE", "requeue"), ("CHECKPOINT", "checkpoint")):
        assert site(tmp_path, f"PreemptType=preempt/qos\nPreemptMode={mode}\n", qos=QOS).site.preempt == rule
    assert site(tmp_path, "PreemptType=preempt/none\nPreemptMode=OFF\n", qos=QOS).site.preempt is None


def test_chains_of_preemption_have_a_level_for_each_link_and_circles_are_listed(tmp_path: Path) -> None:
    more = "PreemptType=preempt/qos\nPreemptMode=CANCEL\n"
    chain = "Name|Priority|Preempt\na|0|b\nb|0|c\nc|0|\n"
    read = site(tmp_path, more, qos=chain)
    assert [(each.level, each.preemptible) for each in read.site.service_classes] == [
        (2, False),
        (1, True),
        (0, True),
    ]
    assert [finding.value for finding in read.not_modelled if finding.setting == "sacctmgr: Preempt"] == [
        "a does not preempt c"
    ]
    read = site(tmp_path, more, qos="Name|Priority|Preempt\na|0|b\nb|0|a\n")
    assert [each.level for each in read.site.service_classes] == [0, 0]
    assert "sacctmgr: Preempt" in settings(read)


def test_tiers_of_partitions_can_decide_who_preempts(tmp_path: Path) -> None:
    read = site(tmp_path, "PreemptType=preempt/partition_prio\nPreemptMode=REQUEUE\n")
    assert read.site.service_classes == (
        ServiceClass("batch", 1, 0, preemptible=True),
        ServiceClass("urgent", 10, 0, preemptible=True),
    )
    assert read.classes_are_partitions


def test_the_number_of_jobs_that_something_touches_is_counted(tmp_path: Path) -> None:
    read = site(tmp_path, "PartitionName=x Nodes=n1 AllowAccounts=art MaxCPUsPerNode=4\nLicenses=a\n")
    jobs = sc.Jobs(
        [1.0] * 4,
        [[1, 1, 0]] * 4,
        partition=["x", "x", "x", "batch"],
        account=["art", "physics", None, "physics"],
    )
    counted = {finding.setting: finding.n_jobs for finding in read.touched_by(jobs)}
    assert counted == {"partition: AllowAccounts": 2, "partition: MaxCPUsPerNode": 3, "Licenses": 4}
    assert str(read.touched_by(jobs)[0]).endswith("(3 jobs)")


def test_nodes_and_partitions_of_commands_are_before_those_of_the_configuration(tmp_path: Path) -> None:
    (tmp_path / "scontrol_node.txt").write_text("NodeName=m1 CPUTot=4 RealMemory=7 State=IDLE Weight=1\n")
    (tmp_path / "scontrol_partition.txt").write_text(
        "PartitionName=q AllowGroups=ALL Nodes=m1 MaxTime=UNLIMITED\n"
    )
    read = site(tmp_path)
    assert read.machines.names == ("m1",)
    assert [partition.name for partition in read.partitions] == ["q"]


def test_files_are_known_by_what_they_hold(tmp_path: Path) -> None:
    for name, text in (("a", CONFIGURATION + MULTIFACTOR), ("b", DUMP), ("c", QOS)):
        (tmp_path / name).write_text(text)
    read = read_site([tmp_path / "a", tmp_path / "b", tmp_path / "c"])
    assert read.site.shares is not None
    assert len(read.site.service_classes) == 3


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ("NodeName=n1 CPUs=4\n", "node n1 stands at slurm.conf: line 5 already"),
        ("PartitionName=batch Nodes=n1\n", "partition batch stands at slurm.conf: line 7 already"),
        ("PartitionName=x Nodes=n[1-9]\n", "slurm.conf: line 9: Nodes: there is no node 'n5'"),
        ("PartitionName=x Nodes=n[1\n", "slurm.conf: line 9: Nodes: .*malformed"),
        ("PartitionName=x Nodes=n1 MaxTime=soon\n", "slurm.conf: line 9: MaxTime: 'soon' is no time"),
        ("NodeName=m1 RealMemory=lots\n", "slurm.conf: line 9: RealMemory: 'lots' is no amount of memory"),
        ("NodeName=m1 Gres=gpu:a:b:c\n", "slurm.conf: line 9: Gres: "),
        (
            "PriorityType=priority/multifactor\nPriorityWeightAge=abc\n",
            "slurm.conf: line 10: PriorityWeightAge: 'abc' is no",
        ),
        (
            "PriorityType=priority/multifactor\nPriorityDecayHalfLife=x\n",
            "slurm.conf: line 10: PriorityDecayHalfLife: 'x' is",
        ),
    ],
)
def test_bad_lines_are_refused_with_their_place(tmp_path: Path, more: str, message: str) -> None:
    with pytest.raises(InvalidInstanceError, match=message):
        site(tmp_path, more)


def test_a_folder_without_a_configuration_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInstanceError, match=r"no slurm.conf or scontrol_config.txt is there"):
        read_site(tmp_path)
    with pytest.raises(FileNotFoundError):
        read_site(tmp_path / "absent")
    with pytest.raises(InvalidInstanceError, match="no node is known"):
        site(tmp_path, base="ClusterName=x\n")
