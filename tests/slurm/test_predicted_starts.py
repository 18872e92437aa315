"""When waiting jobs start, why each waits and for whom: worked examples on four nodes, and a history."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from schedcore import InvalidInstanceError, Jobs, UnsupportedError
from schedcore.slurm import PredictedStarts, read_state, what_if, when
from slurm.large_cluster import write_large_state
from slurm.small_cluster import NODES, a_job, a_node, running, state

INF = float("inf")
ALL_OF_N1 = "Nodes=n1 CPU_IDs=0-7 Mem=8000 GRES="
ALL_OF_N2 = "Nodes=n2 CPU_IDs=0-7 Mem=8000 GRES="
ALL_OF_N3 = "Nodes=n3 CPU_IDs=0-15 Mem=8000 GRES="
FULL = [running(1, ALL_OF_N1), running(2, ALL_OF_N2, EndTime="9000"), running(3, ALL_OF_N3, EndTime="20000")]


def told(found: PredictedStarts) -> dict[str, tuple[float | None, str, tuple[str, ...]]]:
    return {row["job"]: (row["expected"], row["reason"], tuple(row["waits_for"])) for row in found.rows()}


def test_a_job_waits_for_those_that_hold_what_it_needs(tmp_path: Path) -> None:
    read = state(tmp_path, *FULL, a_job(5, NumCPUs="4", CPUs__Task="4"))
    found = when(read)
    assert told(found) == {"5": (8600.0, "resources", ("1",))}
    assert (found.now, found.called, found.user, found.partition) == (6000.0, ("5",), ("ann",), ("batch",))
    assert found.told == ("Resources",)
    assert found.policy == "easy:queue_depth=500,window=86400.0,resolution=60.0"
    assert found.q50 is None
    assert found.planned.tolist() == read.planned_starts().start_time.tolist() == [8600.0]


def test_a_job_that_fits_starts_at_once_and_others_wait_behind_it(tmp_path: Path) -> None:
    small = {"NumCPUs": "8", "CPUs__Task": "8"}
    read = state(
        tmp_path,
        *FULL[:1],
        *(a_job(k, Priority=str(100 - k), **small) for k in (5, 6, 7, 8)),
    )
    # 6 has room on n2, 5 and 7 on n3: the fourth waits for one of them
    assert told(when(read))["8"] == (8600.0, "resources", ("1",))
    assert [told(when(read))[str(k)][1] for k in (5, 6, 7)] == ["fits"] * 3


def test_the_order_is_that_of_slurms_priorities(tmp_path: Path) -> None:
    whole = {"NumCPUs": "8", "CPUs__Task": "8", "ReqNodeList": "n1"}
    read = state(
        tmp_path,
        *FULL,
        a_job(5, Priority="10", **whole),
        a_job(6, Priority="20", TimeLimit="00:10:00", **whole),
    )
    assert told(when(read)) == {"5": (9200.0, "resources", ("1",)), "6": (8600.0, "resources", ("1",))}
    assert when(read, [6, "5"]).called == ("6", "5")


def test_reasons_of_jobs_that_no_resource_holds(tmp_path: Path) -> None:
    read = state(
        tmp_path,
        *FULL,
        a_job(5, Priority="0", Reason="JobHeldUser"),
        a_job(6, Dependency="afterany:1(unfulfilled)", EligibleTime="Unknown"),
        a_job(7, EligibleTime="15000", Reason="BeginTime"),
        a_job(8, Reservation="r", Reason="Reservation"),
        a_job(9, ReqNodeList="n4"),
        a_job(10, ArrayJobId="10", ArrayTaskId="0-2%1", ArrayTaskThrottle="1"),
        scontrol_node="\n".join([NODES, a_node("n4", State="IDLE+DRAIN")]),
        scontrol_partition="PartitionName=batch AllowGroups=ALL Default=YES MaxTime=UNLIMITED Nodes=n[1-4] State=UP",
        scontrol_reservation="ReservationName=r StartTime=30000 EndTime=40000 Nodes=n2 CoreCnt=8 Flags=SPEC_NODES "
        "Users=ann",
    )
    found = told(when(read))
    assert found["5"] == (None, "held", ())
    assert found["6"] == (8600.0, "dependency", ("1",))
    assert found["7"][:2] == (15000.0, "begin")
    assert found["8"] == (None, "reservation", ("r",))
    assert found["9"] == (None, "down", ("n4",))
    assert found["10_0"] == (8600.0, "resources", ("1",))
    # one after another, as the throttle says; 6 and 10_0 take 4 of the 8 processors of n1
    assert [found[f"10_{k}"][0] for k in (1, 2)] == [12200.0, 15800.0]
    assert when(read, ["10_[1-2]", 9]).called == ("10_1", "10_2", "9")
    assert when(read, ["10"]).called == ("10_0", "10_1", "10_2")


def test_a_job_that_asks_for_more_than_there_is_never_starts(tmp_path: Path) -> None:
    read = state(tmp_path, *FULL, a_job(5, NumNodes="4-4", NumCPUs="8", NumTasks="4"))
    assert told(when(read)) == {"5": (None, "never", ())}


SHORT = "PartitionName=batch AllowGroups=ALL Default=YES MaxTime=01:00:00 MaxNodes=1 Nodes=n[1-3] State=UP"
LONG = {"TimeLimit": "02:00:00"}
WIDE = {"NumNodes": "2-2", "NumTasks": "2", "NumCPUs": "4"}


@pytest.mark.parametrize("above", [LONG, WIDE, {**LONG, "Priority": "0", "Reason": "JobHeldUser"}])
def test_a_job_above_a_limit_of_its_partition_never_starts_and_others_do(
    tmp_path: Path, above: dict[str, str]
) -> None:
    behind = {"NumCPUs": "8", "CPUs__Task": "8", "ReqNodeList": "n1"}
    read = state(tmp_path, *FULL, a_job(5, **above), a_job(6, **behind), scontrol_partition=SHORT)
    assert told(when(read)) == {"5": (None, "never", ()), "6": (8600.0, "resources", ("1",))}
    assert what_if(read, close="n2").after.tolist() == [INF, 8600.0]
    assert read.not_modelled == ()


def test_a_running_job_above_a_limit_of_its_partition_holds_its_nodes(tmp_path: Path) -> None:
    both = "Nodes=n[1-2] CPU_IDs=0-7 Mem=8000 GRES="
    above = running(
        1, both, NodeList="n[1-2]", NumNodes="2", NumCPUs="16", EndTime="15000", TimeLimit="03:00:00"
    )
    waits = a_job(5, NumCPUs="8", CPUs__Task="8", ExcNodeList="n3")
    read = state(tmp_path, above, waits, scontrol_partition=SHORT)
    assert told(when(read)) == {"5": (15000.0, "resources", ("1",))}


def test_jobs_above_a_limit_of_their_account_do_what_slurm_lets_them(tmp_path: Path) -> None:
    files = {
        "slurm.conf": "SelectTypeParameters=CR_Core_Memory\nAccountingStorageEnforce=limits\n",
        "sacctmgr": "Cluster - 'small'\nParent - 'root'\nAccount - 'physics':GrpTRES=cpu=4\n",
    }
    whole = {"NumCPUs": "8", "CPUs__Task": "8", "ReqNodeList": "n1"}
    read = state(tmp_path, *FULL, a_job(5, **whole), a_job(6, **whole, Account="biology"), **files)
    assert told(when(read)) == {"5": (None, "never", ()), "6": (8600.0, "resources", ("1",))}


def test_a_job_that_waits_for_what_is_not_modelled_does_not_start(tmp_path: Path) -> None:
    read = state(
        tmp_path,
        *FULL[:1],
        a_job(5, Dependency="after:1+30(unfulfilled)"),
        a_job(6, Dependency="afterany:5(unfulfilled)"),
        a_job(7, TresPerNode="gres/nosuch:1"),
        a_job(8, Dependency="afterok:1(unfulfilled)?afterok:2(unfulfilled)"),
    )
    assert told(when(read)) == {
        "5": (None, "dependency", ("after:1",)),
        "6": (None, "dependency", ("5",)),
        "7": (None, "never", ("nosuch",)),
        "8": (8600.0, "dependency", ("1",)),
    }
    assert read.n_inexact == 3


def test_a_limit_that_holds_a_job_is_told(tmp_path: Path) -> None:
    two = running(
        1, "Nodes=n1 CPU_IDs=0-1 Mem=1000 GRES=", ArrayJobId="1", ArrayTaskId="0", ArrayTaskThrottle="1"
    )
    read = state(tmp_path, two, a_job(5, ArrayJobId="1", ArrayTaskId="1-2%1", ArrayTaskThrottle="1"))
    assert told(when(read)) == {
        "1_1": (8600.0, "limit", ("array 1: 1 at once",)),
        "1_2": (12200.0, "limit", ("array 1: 1 at once",)),
    }


def test_limits_are_told_with_those_whom_they_hold(tmp_path: Path) -> None:
    files = {
        "slurm.conf": "SelectTypeParameters=CR_Core_Memory\nAccountingStorageEnforce=limits\n",
        "sacctmgr": "Cluster - 'small'\nParent - 'root'\nAccount - 'physics':GrpTRES=cpu=8\n",
    }
    read = state(tmp_path, running(1, ALL_OF_N1), a_job(5), **files)
    assert told(when(read)) == {"5": (8600.0, "limit", ("account physics: 8 cpu",))}


def test_a_job_waits_for_those_whose_ends_let_it_start(tmp_path: Path) -> None:
    half = {"NumCPUs": "4", "CPUs__Task": "4", "ReqNodeList": "n1"}
    read = state(
        tmp_path,
        running(1, "Nodes=n1 CPU_IDs=0-3 Mem=1000 GRES="),
        running(2, "Nodes=n1 CPU_IDs=4-7 Mem=1000 GRES=", EndTime="20000"),
        a_job(5, **half),
    )
    assert told(when(read)) == {"5": (8600.0, "resources", ("1",))}


def test_a_job_that_could_start_at_once_is_doubtful_as_one_that_others_wait_for(tmp_path: Path) -> None:
    whole = {"NumCPUs": "8", "CPUs__Task": "8", "ReqNodeList": "n1"}
    read = state(tmp_path, a_job(5, Priority="20", **whole), a_job(6, Priority="10", **whole))
    assert told(when(read)) == {"5": (6000.0, "fits", ()), "6": (9600.0, "resources", ("5?",))}


def test_nodes_of_a_reservation_are_out_of_service_for_its_time(tmp_path: Path) -> None:
    whole = {"NumCPUs": "8", "CPUs__Task": "8", "ReqNodeList": "n1", "TimeLimit": "01:00:00"}
    maintenance = "ReservationName=m StartTime=7000 EndTime=9500 Nodes=n1 CoreCnt=8 Flags={} Users=root"
    for flags in ("MAINT,SPEC_NODES", "SPEC_NODES"):
        read = state(tmp_path, a_job(5, **whole), scontrol_reservation=maintenance.format(flags))
        assert told(when(read)) == {"5": (9500.0, "outage", ("n1",))}
    part = maintenance.format("SPEC_NODES").replace("CoreCnt=8", "CoreCnt=4")
    assert told(when(state(tmp_path, a_job(5, **whole), scontrol_reservation=part))) == {
        "5": (6000.0, "fits", ())
    }


def test_quantiles_come_from_a_history(tmp_path: Path) -> None:
    read = state(tmp_path, *FULL, a_job(5, NumCPUs="4", CPUs__Task="4"))
    half = Jobs(np.full(30, 5.0), np.ones((30, 3), dtype=int), estimated_processing_time=np.full(30, 10.0))
    # at 6000 job 1 has run for 1000 of its 3600 s, so that half of its limit is at 6800; 2 ends at 7000
    found = when(read, history=half, n_samples=5)
    assert found.q50 is not None
    assert (found.q50.tolist(), found.expected.tolist(), found.n_samples) == ([6800.0], [8600.0], 5)
    assert next(found.rows())["q95"] == 6800.0


def test_any_policy_that_takes_the_site_can_be_played(tmp_path: Path) -> None:
    whole = {"NumCPUs": "8", "CPUs__Task": "8", "ReqNodeList": "n1"}
    read = state(
        tmp_path,
        *FULL,
        a_job(5, Priority="20", **whole),
        a_job(6, Priority="10", TimeLimit="00:10:00", **whole),
    )
    found = when(read, policy="pq", options={"heuristic": "sjf"})
    assert found.policy == "pq:heuristic=sjf"
    assert found.expected.tolist() == [9200.0, 8600.0]
    assert when(read, policy="conservative").expected.tolist() == [8600.0, 12200.0]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([99], "job 99 does not wait: the state does not have it"),
        (["1"], "job 1 does not wait: it is RUNNING on n1"),
        (["x"], "'x' is no job, such as 17, 17_3 or 17_"),
        (["5_"], "'5_' is no job"),
        (["5_[1-"], "'5_\\[1-' is no job"),
        (["5_[3-1]"], "3-1 is no range of tasks"),
        ([""], "'' is no job"),
        (["5_7"], "job 5_7 does not wait"),
    ],
)
def test_words_that_are_no_waiting_job_are_refused(tmp_path: Path, words: list[Any], message: str) -> None:
    with pytest.raises(InvalidInstanceError, match=message):
        when(state(tmp_path, *FULL, a_job(5)), words)


def test_other_bad_input(tmp_path: Path) -> None:
    read = state(tmp_path, *FULL, a_job(5))
    with pytest.raises(UnsupportedError, match="options are given without a policy: queue_depth"):
        when(read, options={"queue_depth": 3})
    with pytest.raises(InvalidInstanceError, match="unknown algorithm 'nope'"):
        when(read, policy="nope")
    with pytest.raises(UnsupportedError, match="'tetris' does not take rules of a site"):
        when(read, policy="tetris")
    with pytest.raises(TypeError, match=r"history must be schedcore\.Jobs"):
        when(read, history=[1])  # type: ignore[arg-type]


def test_nobody_waits(tmp_path: Path) -> None:
    assert len(when(state(tmp_path, *FULL))) == 0


def test_jobs_of_a_large_cluster_start_or_say_why_not(tmp_path: Path) -> None:
    write_large_state(tmp_path, 200, 1000)
    read = read_state(tmp_path, timezone="UTC")
    found = when(read)
    starts = dict(zip(found.called, found.expected.tolist(), strict=True))
    for row in found.rows():
        if row["expected"] is None:
            assert row["reason"] in ("held", "dependency", "never"), row
        else:
            assert row["expected"] >= found.now
        if row["reason"] == "begin":
            assert row["expected"] >= found.now + 3600
        if row["reason"] == "dependency" and row["expected"] is not None:
            (awaited,) = row["waits_for"]
            assert starts.get(awaited, found.now) <= row["expected"]
    assert {"fits", "resources", "held", "begin", "dependency", "never"} <= set(found.reason)
