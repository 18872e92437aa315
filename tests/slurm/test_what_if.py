"""What a change would do to waiting jobs: what the same state shows that is so already."""

from pathlib import Path
from typing import Any

import pytest

from schedcore import InvalidInstanceError, UnsupportedError
from schedcore.slurm import SlurmState, read_state, what_if, when
from slurm.large_cluster import write_large_state
from slurm.small_cluster import NODES, a_job, a_node, running, state

FULL = [
    running(1, "Nodes=n1 CPU_IDs=0-7 Mem=8000 GRES="),
    running(2, "Nodes=n2 CPU_IDs=0-7 Mem=8000 GRES=", EndTime="9000"),
    running(3, "Nodes=n3 CPU_IDs=0-15 Mem=8000 GRES=", EndTime="20000"),
]
WHOLE = {"NumCPUs": "8", "CPUs__Task": "8"}
QUEUE = [*FULL, *(a_job(k, Priority=str(100 - k), **WHOLE) for k in (5, 6, 7))]


def test_nodes_that_join_let_jobs_start(tmp_path: Path) -> None:
    found = what_if(state(tmp_path, *QUEUE), add="1xn1")
    assert found.before.tolist() == [8600.0, 9000.0, 12200.0]
    assert found.after.tolist() == [6000.0, 8600.0, 9000.0]
    assert next(iter(found.rows())) == {
        "job": "5", "user": "ann", "partition": "batch", "before": 8600.0, "after": 6000.0, "change": -2600.0,
    }  # fmt: skip
    assert found.summary() == {
        "jobs": 3, "earlier": 3, "later": 0, "never_before": 0, "never_after": 0, "start_in_both": 3,
        "mean_wait_before": pytest.approx((2600 + 3000 + 6200) / 3), "wait_95_before": 6200.0,
        "mean_wait_after": pytest.approx((0 + 2600 + 3000) / 3), "wait_95_after": 3000.0,
    }  # fmt: skip


def test_closed_nodes_take_no_more_jobs(tmp_path: Path) -> None:
    found = what_if(state(tmp_path, *QUEUE, a_job(8, ReqNodeList="n1", Priority="1")), close=["n1", "n[1-2]"])
    assert found.after.tolist()[:3] == [20000.0, 20000.0, 23600.0]
    assert list(found.rows())[3]["after"] is None
    assert list(found.rows())[3]["change"] is None
    assert found.summary()["never_after"] == 1


def test_nodes_that_join_are_of_a_kind(tmp_path: Path) -> None:
    gpus = a_job(5, TresPerNode="gres:gpu:4", Priority="90")
    fat = {"AvailableFeatures": "fat", "ActiveFeatures": "fat", "Gres": "gpu:a100:4"}
    nodes = [a_node("n1"), a_node("n2"), a_node("n3", CPUTot="16", RealMemory="64000", **fat)]
    read = state(tmp_path, *FULL, gpus, scontrol_node="\n".join(nodes))
    assert what_if(read, add="1xn1").after.tolist() == [20000.0]
    assert what_if(read, add="2xn3").after.tolist() == [6000.0]
    assert what_if(read, add=["1xn1", "1xfat"]).after.tolist() == [6000.0]


def test_a_priority_moves_a_job_and_a_cancelled_one_is_in_no_row(tmp_path: Path) -> None:
    read = state(tmp_path, *QUEUE)
    found = what_if(read, priority={7: 200, "6": 150})
    assert found.after.tolist() == [12200.0, 9000.0, 8600.0]
    found = what_if(read, cancel=[5])
    assert found.called == ("6", "7")
    assert (found.before.tolist(), found.after.tolist()) == ([9000.0, 12200.0], [8600.0, 9000.0])


def test_priority_0_holds_a_job_and_others_release_it(tmp_path: Path) -> None:
    held = {"Priority": "0", **WHOLE}
    queue = [
        *QUEUE,
        a_job(8, Reason="JobHeldUser", **held),
        a_job(9, Reason="JobHeldAdmin", EligibleTime="30000", **held),
        a_job(10, Reason="DependencyNeverSatisfied", **held),
    ]
    read = state(tmp_path, *queue)
    assert what_if(read, priority={5: 0}).after.tolist()[:3] == [float("inf"), 8600.0, 9000.0]
    found = what_if(read, priority={8: 500, 9: 400, 10: 300})
    assert found.before.tolist() == [8600.0, 9000.0, 12200.0, *[float("inf")] * 3]
    assert found.after.tolist() == [9000.0, 12200.0, 12600.0, 8600.0, 30000.0, float("inf")]


def test_another_policy(tmp_path: Path) -> None:
    read = state(
        tmp_path,
        *FULL,
        a_job(5, Priority="20", **WHOLE),
        a_job(6, TimeLimit="00:10:00", Priority="10", **WHOLE),
    )
    found = what_if(read, policy="pq", options={"heuristic": "sjf"})
    assert (found.policy[:5], found.changed_policy) == ("easy:", "pq:heuristic=sjf")
    assert (found.before.tolist(), found.after.tolist()) == ([8600.0, 9000.0], [9000.0, 8600.0])


def test_another_policy_looks_as_deep_as_the_site(tmp_path: Path) -> None:
    conf = "SelectTypeParameters=CR_Core_Memory\nSchedulerParameters=bf_max_job_test=7,bf_window=60,bf_resolution=30\n"
    read = state(tmp_path, *QUEUE, **{"slurm.conf": conf})
    found = what_if(read, policy="conservative", options={"window": 100.0})
    assert found.changed_policy == "conservative:queue_depth=7,window=100.0,resolution=30.0"
    assert what_if(read, policy="first_fit").changed_policy == "first_fit:queue_depth=7"


def large(folder: Path, **changes: Any) -> SlurmState:
    """A cluster of 60 nodes with 300 jobs that wait, of which the texts are changed."""
    write_large_state(folder, 60, 300)
    for name, change in changes.items():
        path = folder / f"{name}.txt"
        path.write_text(
            "\n".join(each for line in path.read_text().splitlines() for each in change(line)) + "\n"
        )
    return read_state(folder, timezone="UTC")


@pytest.mark.parametrize(
    ("asked", "changes"),
    [
        (
            {"close": "n[11-30]"},
            {
                "scontrol_node": lambda line: [
                    line.replace("State=", "State=DRAIN+") if 11 <= int(line.split()[0][10:]) <= 30 else line
                ]
            },
        ),
        (
            {"add": "20xn1"},
            {
                "scontrol_node": lambda line: [line]
                + [line.replace("NodeName=n60", f"NodeName=m{k}").replace("fat", "thin") for k in range(20)]
                * ("NodeName=n60 " in line),
                "scontrol_partition": lambda line: [line.replace("Nodes=n[1-60]", "Nodes=n[1-60],m[0-19]")],
            },
        ),
        (
            {"priority": {200: 5e9}},
            {
                "scontrol_job_d": lambda line: [
                    line.replace("Priority=3999999800", "Priority=5000000000")
                    if line.startswith("JobId=200 ")
                    else line
                ]
            },
        ),
        (
            {"cancel": range(100, 150)},
            {"scontrol_job_d": lambda line: [line] * (not 100 <= int(line.split()[0][6:]) < 150)},
        ),
        ({"policy": "conservative", "options": {"compression": "none"}}, {}),
    ],
)  # fmt: skip
def test_a_change_does_what_a_state_shows_where_it_is_so(
    tmp_path: Path, asked: dict[str, Any], changes: dict[str, Any]
) -> None:
    (tmp_path / "before").mkdir()
    (tmp_path / "after").mkdir()
    before = large(tmp_path / "before")
    found = what_if(before, **asked)
    policy = {name: asked[name] for name in ("policy", "options") if name in asked}
    expected = when(large(tmp_path / "after", **changes), **policy)
    as_is = when(before)
    kept = [as_is.called.index(called) for called in found.called]
    assert found.before.tolist() == as_is.expected[kept].tolist()
    assert found.called == expected.called
    assert found.after.tolist() == expected.expected.tolist()
    assert found.after.tolist() != found.before.tolist()


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"close": "n9"}, r"there is no node n9; n\[1-3\] are there"),
        ({"close": "n[1-"}, "n\\[1-"),
        ({"close": ["n1", ""]}, "'' names no node to close"),
        ({"add": "4xgpu"}, r"gpu is neither a node nor a feature of one; n\[1-3\] are nodes"),
        ({"add": "4xthin"}, "the 3 nodes with the feature thin are of 2 kinds; name one of them, as in 4xn1"),
        ({"add": "n1"}, "'n1' does not say how many nodes of which kind, as 4xn17 does"),
        ({"add": "0xn1"}, "does not say how many"),
        ({"priority": {1: 5}}, "job 1 does not wait: it is RUNNING on n1"),
        ({"priority": {5: float("nan")}}, "priority of job 5 = nan must be finite"),
        ({"priority": {5: 1, "5": 2}}, "job 5 is given two priorities, 1 and 2"),
        ({"cancel": ["99"]}, "job 99 does not wait"),
        ({"close": ""}, "'' names no node to close"),
    ],
)
def test_what_the_cluster_does_not_have_is_refused(
    tmp_path: Path, asked: dict[str, Any], message: str
) -> None:
    with pytest.raises(InvalidInstanceError, match=message):
        what_if(state(tmp_path, *QUEUE), **asked)


def test_options_need_a_policy(tmp_path: Path) -> None:
    with pytest.raises(UnsupportedError, match="options are given without a policy"):
        what_if(state(tmp_path, *QUEUE), options={"queue_depth": 2})


def test_names_of_joined_nodes_are_new(tmp_path: Path) -> None:
    nodes = "\n".join([NODES, a_node("n1+1")])
    found = what_if(state(tmp_path, *QUEUE, scontrol_node=nodes, scontrol_partition=(
        "PartitionName=batch Default=YES MaxTime=UNLIMITED Nodes=n[1-3],n1+1 State=UP")), add="2xn1")  # fmt: skip
    assert found.after.tolist() == [6000.0] * 3
