"""Records of scontrol are read in both forms, whatever users call their jobs."""

import pytest

from schedcore import InvalidInstanceError
from schedcore.slurm.records import read_records

NODE = (
    "NodeName=n1 Arch=x86_64 CoresPerSocket=8 CPUTot=8 Gres=(null) OS=Linux 6.1 #1 SMP PREEMPT_DYNAMIC @0 "
    "RealMemory=32000 State=IDLE+DRAIN ThreadsPerCore=1 Reason=disk is full [root@2026-01-02T03:04:05]"
)


def test_values_may_have_blanks() -> None:
    (record,) = read_records(NODE, "nodes.txt", "NodeName")
    assert record.text("os") == "Linux 6.1 #1 SMP PREEMPT_DYNAMIC @0"
    assert record.text("Reason") == "disk is full [root@2026-01-02T03:04:05]"
    assert record.count("RealMemory") == 32000
    assert record.text("Gres") is None


def test_blocks_of_lines_are_the_same_as_single_lines() -> None:
    block = "JobId=5 JobName=a\n   UserId=ann(7) GroupId=g(7)\n   JobState=RUNNING Reason=None\n\nJobId=6 JobName=b\n"
    first, second = read_records(block, "jobs.txt", "JobId")
    assert (first.text("JobState"), first.place) == ("RUNNING", "jobs.txt: line 1")
    assert (second.text("JobId"), second.place) == ("6", "jobs.txt: line 5")


def test_no_name_of_a_job_can_pretend_to_be_a_field() -> None:
    name = "x JobState=RUNNING NodeList=n9"
    line = (
        f"JobId=5 JobName={name} UserId=ann(7) GroupId=g(7) MCS_label=N/A Priority=1 JobState=PENDING NodeList= "
        "Comment=JobState=RUNNING Priority=99"
    )
    (record,) = read_records(line, "jobs.txt", "JobId")
    assert record.text("JobName") == name
    assert record.text("JobState") == "PENDING"
    assert record.text("NodeList") is None
    assert record.count("Priority") == 1


@pytest.mark.parametrize("text", ["", "No reservations in the system\n", "No jobs in the system", "\n\n"])
def test_nothing_is_no_record(text: str) -> None:
    assert read_records(text, "r.txt", "ReservationName") == []


def test_a_line_that_is_no_record_is_refused_with_its_place() -> None:
    with pytest.raises(InvalidInstanceError, match=r"nodes.txt: line 2: 'slurm_load_node error.*NodeName="):
        read_records(
            f"{NODE}\nslurm_load_node error: Unable to contact slurm controller", "nodes.txt", "NodeName"
        )


def test_a_field_that_cannot_be_read_is_refused_with_its_place() -> None:
    (record,) = read_records(NODE.replace("32000", "much"), "nodes.txt", "NodeName")
    with pytest.raises(
        InvalidInstanceError, match=r"nodes.txt: line 1: RealMemory: 'much' is no whole number"
    ):
        record.count("RealMemory")
