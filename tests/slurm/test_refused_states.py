"""States that contradict themselves, are cut or of no known instant are refused by name."""

import json
import re
from pathlib import Path

import pytest

from schedcore import InvalidInstanceError
from schedcore.slurm import read_state
from slurm.small_cluster import ON_N1, PARTITIONS, a_job, not_modelled, running, saved, state


@pytest.mark.parametrize(
    ("jobs", "message"),
    [
        ([running(5, "Nodes=n9 CPU_IDs=0 Mem=1 GRES=")], "job 5 is RUNNING on node n9, which does not exist"),
        (
            [running(5, "Nodes=n1 CPU_IDs=0-8 Mem=1 GRES=")],
            "with job 5, jobs hold 9 of cpu on node n1, which has 8",
        ),
        (
            [running(5, ON_N1), running(6, "Nodes=n1 CPU_IDs=0-5 Mem=1 GRES=")],
            "line 2: with job 6, jobs hold 10 of cpu on node n1, which has 8",
        ),
        (
            [running(5, "Nodes=n1 CPU_IDs=0 Mem=99000 GRES=")],
            "hold 99,000 of memory on node n1, which has 32,000",
        ),
        ([running(5, "Nodes=n3 CPU_IDs=0 Mem=1 GRES=gpu:9")], "hold 9 of gpu on node n3, which has 4"),
        ([running(5, ON_N1, StartTime="Unknown")], "job 5 is RUNNING, but has no start"),
        ([running(5, ON_N1, StartTime="7000")], "since 7000, which is after the instant of the state, 6000"),
        ([running(5, "")], "job 5 is RUNNING, but on no node"),
        ([a_job(5), a_job(5)], "line 2: job 5 stands at scontrol_job_d.txt: line 1 already"),
        (
            [
                running(4, "Nodes=n[1-2] CPU_IDs=0-5 Mem=1 GRES="),
                running(5, "", NodeList="n[1-2]", NumCPUs="5"),
            ],
            "line 2: with job 5, jobs hold 9 of cpu on node n1, which has 8",
        ),
        ([running(5, "", NodeList="n[1-2]", NumCPUs="20")], "job 5 holds 20 cpu, but its 2 nodes have 16"),
    ],
)
def test_a_state_that_contradicts_itself_is_refused_by_name(
    tmp_path: Path, jobs: list[str], message: str
) -> None:
    with pytest.raises(InvalidInstanceError, match=message):
        state(tmp_path, *jobs)


def test_a_reservation_of_a_node_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInstanceError, match="reservation r has node n9, which does not exist"):
        state(tmp_path, scontrol_reservation="ReservationName=r StartTime=1 EndTime=2 Nodes=n9 Flags=MAINT")
    with pytest.raises(InvalidInstanceError, match=r"line 1: reservation r is from 3.0 to 2.0"):
        state(tmp_path, scontrol_reservation="ReservationName=r StartTime=3 EndTime=2 Nodes=n1 Flags=MAINT")


def test_jobs_may_share_processors_where_the_partition_lets_them(tmp_path: Path) -> None:
    jobs = [running(5, "Nodes=n1 CPU_IDs=0-7 Mem=1 GRES="), running(6, "Nodes=n1 CPU_IDs=0-7 Mem=1 GRES=")]
    read = state(tmp_path, *jobs, scontrol_partition=f"{PARTITIONS} OverSubscribe=FORCE:2")
    assert not_modelled(read) == {"partition: OverSubscribe": 2}
    with pytest.raises(InvalidInstanceError, match="hold 16 of cpu"):
        state(tmp_path, *jobs)


def test_an_instant_in_milliseconds_is_refused(tmp_path: Path) -> None:
    folder = saved(tmp_path, running(5, ON_N1), now="1700000000123000\n")
    with pytest.raises(InvalidInstanceError, match="is no date"):
        read_state(folder)
    (folder / "now.txt").write_text("999999999999999\n")
    with pytest.raises(InvalidInstanceError, match=r"now\.txt: .* is outside the years 1970 to 2499"):
        read_state(folder)


def test_the_instant_is_told_or_the_latest_that_is_known(tmp_path: Path) -> None:
    folder = saved(tmp_path, running(5, ON_N1))
    assert read_state(folder).now == 6000
    assert read_state(folder, now=6500).now == 6500
    (folder / "now.txt").write_text("4990\n")  # clocks of two machines differ by seconds
    assert read_state(folder).now == 5000
    (folder / "now.txt").write_text("soon\n")
    with pytest.raises(InvalidInstanceError, match=r"now.txt: 'soon' is no date"):
        read_state(folder)
    (folder / "now.txt").unlink()
    assert read_state(folder).now == 5000
    (folder / "scontrol_config.txt").write_text(
        "Configuration data as of 1970-01-01T03:00:00\nClusterName = x\n"
    )
    assert read_state(folder, timezone="Europe/Berlin").now == 7200
    (folder / "scontrol_config.txt").unlink()
    (folder / "scontrol_job_d.txt").write_text("No jobs in the system\n")
    with pytest.raises(InvalidInstanceError, match="nothing tells the instant of the state; give now="):
        read_state(folder)
    with pytest.raises(InvalidInstanceError, match="now = nan must be finite"):
        read_state(folder, now=float("nan"))


def test_two_instants_that_no_clock_explains_are_refused(tmp_path: Path) -> None:
    config = "Configuration data as of 1970-01-01T03:00:00\nClusterName = x\n"
    folder = saved(tmp_path, a_job(6), now="7500\n", scontrol_config=config)
    assert read_state(folder, timezone="Europe/Berlin").now == 7500
    message = r"scontrol_config.txt is of 1970-01-01T03:00:00, which is 10800, but now.txt says 7500: .*\(timezone=, "
    with pytest.raises(InvalidInstanceError, match=message):
        read_state(folder, timezone="UTC")
    (folder / "now.txt").write_text("1970-01-01T03:01:00\n")
    assert read_state(folder, timezone="Europe/Berlin").now == 7260


@pytest.mark.parametrize("moment", ["1795878625000", "2500-01-01T00:00:00+00:00", "0999-01-01T00:00:00"])
def test_instants_are_those_of_the_years_from_1970_on(tmp_path: Path, moment: str) -> None:
    folder = saved(tmp_path, a_job(6), now=moment)
    with pytest.raises(InvalidInstanceError, match=r"now.txt: .*outside the years 1970 to 2499"):
        read_state(folder, timezone="UTC")
    with pytest.raises(InvalidInstanceError, match=r"line 1: SubmitTime: .*outside the years"):
        read_state(saved(tmp_path, a_job(6, SubmitTime=moment)), timezone="UTC")
    saved(tmp_path, a_job(6))
    with pytest.raises(InvalidInstanceError, match=r"now: .*outside the years"):
        read_state(folder, now=1.8e12)
    (folder / "now.txt").write_text("6000")
    (folder / "scontrol_job_d.txt").unlink()
    job = {"job_id": 5, "job_state": "PENDING", "submit_time": 1795878625000}
    (folder / "squeue.json").write_text(json.dumps({"jobs": [job]}))
    with pytest.raises(InvalidInstanceError, match=r"jobs\[0\]: submit_time: .*outside the years"):
        read_state(folder)


@pytest.mark.parametrize(
    "name",
    [
        *("scontrol_job_d.txt", "scontrol_node.txt", "scontrol_partition.txt", "scontrol_reservation.txt"),
        *("slurm.conf", "scontrol_config.txt", "sacctmgr.txt", "sacctmgr_qos.txt", "now.txt"),
    ],
)
def test_an_empty_file_is_no_answer(tmp_path: Path, name: str) -> None:
    folder = saved(tmp_path, a_job(6))
    (folder / name).write_text(" \n")
    with pytest.raises(InvalidInstanceError, match=f"{name} is empty; save it anew"):
        read_state(folder)


def test_a_record_that_is_cut_is_refused_wherever_that_is(tmp_path: Path) -> None:
    whole = a_job(6, TimeLimit="02:00:00", NumNodes="2-2")
    for end in range(len("JobId=6"), whole.index("WorkDir=")):
        with pytest.raises(InvalidInstanceError, match="line 2: "):
            state(tmp_path, a_job(5), whole[:end])
    for end in range(len("JobId=6"), whole.index("Licenses=")):  # where nobody tells of folders
        with pytest.raises(InvalidInstanceError, match="line 1: "):
            state(tmp_path, whole[:end])
    with pytest.raises(
        InvalidInstanceError, match="line 1: job 6 has no NumCPUs, Licenses; the file may be cut"
    ):
        state(tmp_path, whole[: whole.index("NumCPUs=")])


@pytest.mark.parametrize(
    "line", ["slurm_load_jobs error: Unable to contact slurm controller", '[{"job_id": 5}]']
)
def test_what_is_no_list_of_jobs_is_quoted(tmp_path: Path, line: str) -> None:
    with pytest.raises(
        InvalidInstanceError, match=f"line 1: no JOBID, PARTITION, .* in '{re.escape(line)}'; save"
    ):
        state(tmp_path, line)


def test_names_of_nodes_that_there_are_not_are_quoted_in_short(tmp_path: Path) -> None:
    with pytest.raises(InvalidInstanceError, match=r"line 1: Nodes: there is no node 'x+\.\.\.") as caught:
        state(tmp_path, scontrol_partition=PARTITIONS.replace("n[1-3]", "x" * 3000))
    assert len(str(caught.value)) < 200


def test_an_empty_cluster_has_no_jobs(tmp_path: Path) -> None:
    read = state(tmp_path)
    assert (read.running.jobs.n_jobs, read.waiting.jobs.n_jobs, len(read.outages().machine)) == (0, 0, 0)
    assert read.waiting.jobs.demand.shape == (0, 3)
