"""Pods of Alibaba's GPU cluster: units, constraints over models of GPUs, and what becomes of every row."""

import re
from pathlib import Path

import pytest

from data_folder import data_folder
from schedcore import Instance, InvalidInstanceError, Machines, solve, validate
from schedcore.workloads import DataReport, load, read_openb, read_openb_nodes

HEADER = "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time"
NODES = """sn,cpu_milli,memory_mib,gpu,model
a,32000,1000,0,
b,32000,1000,2,T4
c,16000,2000,4,G2
"""


def write(folder: Path, *rows: str, header: str = HEADER) -> Path:
    (folder / "openb_node_list_all_node.csv").write_text(NODES)
    path = folder / "pods.csv"
    path.write_text("\n".join((header, *rows)) + "\n")
    return path


def pod(
    number: object = 0, cpu: object = 1000, gpus: object = 0, share: object = 0, spec: str = "",
    created: object = 100, deleted: object = 200, scheduled: object = 110,
) -> str:  # fmt: skip
    return f"pod-{number},{cpu},100,{gpus},{share},{spec},LS,Running,{created},{deleted},{scheduled}"


def read(folder: Path, *rows: str, on_bad_row: str = "error") -> tuple[Instance, DataReport]:
    return read_openb(write(folder, *rows), on_bad_row=on_bad_row)  # type: ignore[arg-type]


def test_pods_are_jobs_with_shares_of_gpus(tmp_path: Path) -> None:
    instance, report = read(
        tmp_path, pod(7, share=460, gpus=1), pod(9, gpus=2, share=1000, created=50, scheduled=60), pod(12)
    )
    jobs = instance.jobs
    assert jobs.demand.tolist() == [[1000, 100, 460], [1000, 100, 2000], [1000, 100, 0]]
    assert jobs.id.tolist() == [7, 9, 12]
    assert jobs.release_time.tolist() == [50, 0, 50]
    assert jobs.processing_time.tolist() == [90, 140, 90]
    assert jobs.service_class.tolist() == ["LS"] * 3
    assert jobs.recorded_start_time.tolist() == [60, 10, 60]
    assert report.is_batch_log
    assert report.not_modelled == {"gpu_fragmentation": 1}
    assert "fragmentation within a node is ignored" in str(report)


def test_the_nodes_beside_the_pods_keep_names_and_models(tmp_path: Path) -> None:
    machines = read(tmp_path, pod())[0].machines
    assert machines.names == ("a", "b", "c")
    assert machines.capacity.tolist() == [[32000, 1000, 0], [32000, 1000, 2000], [16000, 2000, 4000]]
    assert machines.labels == (frozenset(), frozenset({"T4"}), frozenset({"G2"}))
    assert machines == read_openb_nodes(tmp_path / "openb_node_list_all_node.csv")


def test_the_models_that_a_pod_allows_are_a_constraint(tmp_path: Path) -> None:
    rows = (pod(1, gpus=1, share=500, spec="T4|V100"), pod(2, gpus=1, share=1000), pod(3, gpus=3, spec="T4"))
    instance, report = read(tmp_path, *rows)
    assert instance.jobs.constraint.tolist() == ["T4|V100", ""]
    assert report.dropped == {"constraint": 1}  # node b has 2 GPUs
    # 3000 of 4500 thousandths, each for 90 s.
    assert report.work_lost["gpu"] == pytest.approx(3000 / 4500)
    assert solve("easy", instance).schedule.machine[0] == 1


def test_nodes_without_models_ignore_what_pods_ask_for_and_say_so(tmp_path: Path) -> None:
    path = write(tmp_path, pod(1, gpus=1, share=500, spec="T4|V100"))
    instance, report = read_openb(path, machines="2x32,1GB,8")
    assert instance.machines.capacity.tolist() == [[32000, 1024, 8000]] * 2
    assert not instance.jobs.uses("constraint")
    assert report.not_modelled["constraint_ignored"] == 1


def test_pods_that_never_ran_are_no_loss_and_those_at_the_end_are_counted(tmp_path: Path) -> None:
    _, report = read(tmp_path, pod(1, deleted=900), pod(2), pod(3, scheduled="", deleted=900))
    assert report.dropped == {"never_scheduled": 1}
    assert report.work_lost == {"cpu": 0, "memory": 0, "gpu": 0}
    assert report.unknown_work.total() == 0
    assert report.repaired["censored"] == 1
    assert report.estimates_missing == 1


@pytest.mark.parametrize(
    ("row", "reason", "meaning"),
    [
        (pod(cpu="x"), "garbled_row", "missing or no finite number"),
        (pod(deleted=""), "garbled_row", "missing or no finite number"),
        (pod(cpu=-1), "impossible_value", "below 0 or above"),
        (pod(cpu="1e300"), "impossible_value", "below 0 or above"),
        (pod(cpu=1.5), "impossible_value", "no whole number"),
        (pod(gpus=1, share=1001), "impossible_value", "above 1000 of a GPU"),
        (pod(deleted=100), "impossible_value", "ends before it starts"),
        ("pod-1,0,0,0,0,,LS,Running,1,2,1", "no_demand", "neither processors nor memory"),
        ("pod-1,0,0", "ragged_row", "not as many fields"),
    ],
)
def test_bad_rows_are_refused_by_line_or_left_out_as_jobs_and_as_work(
    tmp_path: Path, row: str, reason: str, meaning: str
) -> None:
    with pytest.raises(InvalidInstanceError, match=rf"1 row \(line 3\): .*{meaning}"):
        read(tmp_path, pod(), row)
    instance, report = read(tmp_path, pod(), row, on_bad_row="skip")
    assert instance.n_jobs == 1
    assert report.dropped == {reason: 1}
    assert report.unknown_work.total() + (max(report.work_lost.values()) > 0) == (reason != "no_demand")


def test_a_list_without_times_is_refused_by_name(tmp_path: Path) -> None:
    path = write(tmp_path, "pod-0,1,1,0,0", header="name,cpu_milli,memory_mib,num_gpu,gpu_milli")
    with pytest.raises(
        InvalidInstanceError, match=r"pods\.csv: a list of pods without creation_time, deletion"
    ):
        load(path)
    with pytest.raises(InvalidInstanceError, match="a list of nodes is no workload"):
        load(tmp_path / "openb_node_list_all_node.csv")


def test_pods_without_nodes_are_refused(tmp_path: Path) -> None:
    path = write(tmp_path, pod())
    (tmp_path / "openb_node_list_all_node.csv").unlink()
    with pytest.raises(InvalidInstanceError, match=r"name the nodes, with machines=.* or as in machines="):
        load(path)
    (tmp_path / "nodes.csv").write_text(NODES)
    assert load(path, machines=str(tmp_path / "nodes.csv"))[0].n_machines == 3


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (NODES.replace("32000", "x", 1), "line 2: cpu_milli 'x' is not an integer"),
        (NODES.replace(",2,", ",-2,"), "line 3: gpu '-2' is below 0 or above 2**53"),
        (NODES.replace("\nc,", "\na,"), "line 4: sn 'a' is the name of an earlier node"),
        (NODES.replace("T4", "T 4"), "line 3: model: 'T 4' can be no label"),
        (NODES.replace("\nb,", "\n,"), "line 3: sn is missing"),
        (NODES.partition("\n")[0], "has no row, but there must be a node"),
    ],
)
def test_nodes_that_cannot_be_read_are_refused_by_line(tmp_path: Path, text: str, sentence: str) -> None:
    path = tmp_path / "nodes.csv"
    path.write_text(text + "\n")
    with pytest.raises(InvalidInstanceError, match=re.escape(sentence)):
        read_openb_nodes(path)


# List: jobs; 897 pods never ran in each list with 8,152.
RECORDED = {"default": 7_255, "gpuspec33": 7_254, "cpu250": 8_486, "cpu050": 6_561, "gpushare40": 7_171}


@pytest.mark.parametrize("name", RECORDED)
def test_recorded_pods_run_on_the_recorded_nodes(name: str) -> None:
    instance, report = load(data_folder("alibaba-openb-2023", f"openb_pod_list_{name}.csv.gz"))
    assert isinstance(instance, Instance)
    assert instance.n_jobs == RECORDED[name]
    assert report.rows_read == instance.n_jobs + sum(report.dropped.values())
    # 125,514 cores, 597,684 GiB and 6,212 GPUs.
    assert report.capacity == {"cpu": 125_514_000, "memory": 597_684 * 1024, "gpu": 6_212_000}
    assert instance.machines.has_names
    assert max(report.work_lost.values()) < 0.001
    result = solve("pq", instance)
    assert validate(instance, result.schedule).ok


def test_recorded_pods_without_times_are_refused() -> None:
    with pytest.raises(
        InvalidInstanceError, match=r"multigpu30\.csv\.gz: a list of pods without creation_time"
    ):
        load(data_folder("alibaba-openb-2023", "openb_pod_list_multigpu30.csv.gz"))


def test_machines_of_another_shape_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInstanceError, match="1 resources, the jobs 3"):
        read_openb(write(tmp_path, pod()), machines=Machines([[1]]))
