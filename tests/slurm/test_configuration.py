"""slurm.conf is read as Slurm reads it; what is malformed is refused with file and line, what is unknown is listed."""

from pathlib import Path

import pytest

from schedcore import InvalidInstanceError
from schedcore.slurm.configuration import Configuration, read_configuration


def configuration(folder: Path, text: str) -> Configuration:
    (folder / "slurm.conf").write_text(text)
    return read_configuration(folder / "slurm.conf")


def test_comments_continuations_quotes_and_case(tmp_path: Path) -> None:
    read = configuration(
        tmp_path,
        "clustername=one # the name\n"
        "# SchedulerType=sched/builtin\n"
        "SchedulerParameters=bf_window=60,\\\nbf_continue\n"
        'PrologFlags="Alloc,Contain"\n'
        "MailProg=/bin/mail\\#1\n",
    )
    assert read.text("ClusterName") == "one"
    assert read.text("SchedulerType") is None
    assert read.parameters("schedulerparameters") == {"bf_window": "60", "bf_continue": ""}
    assert read.text("PrologFlags") == "Alloc,Contain"
    assert read.text("MailProg") == "/bin/mail#1"
    assert read.unknown == ()


def test_default_lines_hold_for_the_lines_after_them(tmp_path: Path) -> None:
    read = configuration(
        tmp_path,
        "NodeName=a CPUs=1\nNodeName=DEFAULT CPUs=8 RealMemory=100\nNodeName=b\nNodeName=DEFAULT CPUs=16\n"
        "NodeName=c RealMemory=7\nPartitionName=DEFAULT MaxTime=60\nPartitionName=p Nodes=ALL\n",
    )
    assert [(node.text("NodeName"), node.count("CPUs"), node.count("RealMemory")) for node in read.nodes] == [
        ("a", 1, None),
        ("b", 8, 100),
        ("c", 16, 7),
    ]
    assert [each.text("MaxTime") for each in read.partitions] == ["60"]


def test_included_files_are_read_where_they_stand(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "nodes.conf").write_text("\nNodeName=n[1-2] CPUs=4\n")
    read = configuration(tmp_path, "ClusterName=x\nInclude sub/nodes.conf\nPartitionName=p Nodes=ALL\n")
    assert [node.place for node in read.nodes] == ["nodes.conf: line 2"]
    with pytest.raises(InvalidInstanceError, match=r"slurm.conf includes itself: slurm.conf -> slurm.conf"):
        configuration(tmp_path, "Include slurm.conf\n")
    with pytest.raises(FileNotFoundError):
        configuration(tmp_path, "include absent.conf\n")


def test_an_included_file_that_is_not_there_is_named_with_the_line(tmp_path: Path) -> None:
    with pytest.raises(
        FileNotFoundError, match=r"slurm.conf: line 2: the file that it includes is not there.*absent.conf"
    ):
        configuration(tmp_path, "ClusterName=c\nInclude absent.conf\n")


def test_unknown_keys_are_listed_with_their_place(tmp_path: Path) -> None:
    read = configuration(
        tmp_path,
        "ClusterName=x\nScheduelrType=sched/builtin\nSlurmctldHost[0]=a\nNodeName=n1 CPUs=4 RealMemroy=5\n"
        "PartitionName=p Nodes=n1 MaxTimes=60 default=yes\nNodeSet=s Feature=x\n",
    )
    assert read.unknown == (
        ("ScheduelrType", "slurm.conf: line 2"),
        ("RealMemroy", "slurm.conf: line 4"),
        ("MaxTimes", "slurm.conf: line 5"),
    )


def test_lines_of_the_newest_version_are_known(tmp_path: Path) -> None:
    read = configuration(
        tmp_path,
        'PowerAction=wake Location=slurmctld Program="/sbin/wake -v"\nLicenseParameters=RemoteFuzzyMatch\n'
        "NodeName=n1 CPUs=4 SuspendTime=60\nPartitionName=p Nodes=n1 Exclusive=NODE\n",
    )
    assert read.unknown == ()
    assert set(read.settings) == {"licenseparameters"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "ClusterName=x\n\nthis is no setting\n",
            r"slurm.conf: line 3: 'this is no setting' is not KEY=VALUE",
        ),
        ("NodeName=n1 CPUs=4 whatever\n", r"slurm.conf: line 1: 'whatever' is not KEY=VALUE"),
        ("A=b\nSchedulerParameters=x,\\\ny z\n", r"slurm.conf: line 2: 'z' is not"),
    ],
)
def test_malformed_lines_name_file_and_line(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InvalidInstanceError, match=message):
        configuration(tmp_path, text)


def test_what_scontrol_shows_of_the_configuration_means_the_same(tmp_path: Path) -> None:
    read = configuration(
        tmp_path,
        "Configuration data as of 2026-11-28T14:38:30\n"
        "OverTimeLimit           = 10 min\n"
        "PowerPlugin             = \n"
        "PriorityMaxAge          = 7-00:00:00\n"
        "SlurmctldHost[0]        = vm(127.0.0.1)\n"
        "SchedulerParameters     = bf_interval=15,bf_resolution=1\n"
        "\nSlurmctld(primary) at vm is UP\n",
    )
    assert read.as_of == "2026-11-28T14:38:30"
    assert read.record.seconds("OverTimeLimit") == 600
    assert read.record.seconds("PriorityMaxAge") == 604_800
    assert read.parameters("SchedulerParameters") == {"bf_interval": "15", "bf_resolution": "1"}
    assert read.unknown == ()
