"""Runs in slots on the command line: compared, run, written, validated again; what does not fit them is refused."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas
import pytest

import schedcore
from schedcore.problems.schedules.pieces import holds_pieces, read_pieces
from schedcore.workloads import mapreduce_standin, slotted_standin

JOBS = "slotted_standin:n_jobs=30,window=60,resources=cores_memory"
INSTANCE = slotted_standin(30, 1, window=60, resources="cores_memory")
MAPREDUCE = "mapreduce_standin:n_jobs=12,window=60"
SLOTTED = ("-p", "ocorp:gamma=90,lambda0=mu:10", "-p", "srpt")
Cli = Callable[..., Any]


def test_policies_are_compared_by_their_flow_times(cli: Cli) -> None:
    outcome = cli("compare", JOBS, *SLOTTED, "--format", "csv")
    assert outcome.exit_code == 0, outcome.stderr
    first, second = outcome.rows
    result = schedcore.solve("ocorp", INSTANCE, gamma=90, lambda0=("mu", 10))
    assert (first["policy"], first["verdict"]) == (SLOTTED[1], "valid")
    assert float(first["flow_power_sum"]) == result.value
    assert float(first["gap"]) == pytest.approx(result.gap())
    assert int(first["n_preemptions"]) == result.stats["preemptions"]
    assert float(second["flow_power_sum"]) == schedcore.solve("srpt", INSTANCE).value


def test_the_table_has_the_norm_and_the_interruptions(cli: Cli) -> None:
    outcome = cli("compare", JOBS, *SLOTTED)
    assert outcome.exit_code == 0
    for word in ("l2 norm of", "preemp-", "migra-", "slot", "valid", "30 jobs on"):
        assert word in outcome.stdout
    document = json.loads(cli("compare", JOBS, *SLOTTED, "--format", "json").stdout)
    assert document["lower_bounds"]["l2_norm"] <= document["policies"][0]["l2_norm"]


def test_the_norm_is_bounded_even_where_no_policy_takes_the_times(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "halves.parquet"
    inst = schedcore.Instance(schedcore.Jobs([2.5, 3], [[1], [1]], [0.5, 0]), schedcore.Machines([[2]]))
    inst.to_parquet(path)
    outcome = cli("compare", path, "-p", "ocorp", "--format", "json")
    assert outcome.exit_code == 1
    assert json.loads(outcome.stdout)["lower_bounds"]["l2_norm"] == pytest.approx((2.5**2 + 3**2) ** 0.5)


def test_without_a_policy_a_log_is_compared_as_ever(cli: Cli) -> None:
    outcome = cli("compare", "patience:n_jobs=10", "--format", "csv")
    assert outcome.exit_code == 0
    assert [row["policy"] for row in outcome.rows][:2] == [
        "mris",
        "mris:opportunistic=true,replan=always",
    ]


def test_jobs_of_map_and_reduce_tasks_have_policies_of_their_own(cli: Cli) -> None:
    outcome = cli("compare", MAPREDUCE, "--format", "csv")
    assert outcome.exit_code == 0, outcome.stderr
    rows = outcome.rows
    assert [row["policy"] for row in rows] == ["ocorp_mapreduce", "srpt", "srvf", "svf", "srf"]
    assert {row["verdict"] for row in rows} == {"valid"}
    assert "map and reduce tasks on" in cli("compare", MAPREDUCE).stdout


def test_a_run_is_written_and_validated_again(cli: Cli, tmp_path: Path) -> None:
    for workload, policy, inst in (
        (JOBS, "srf", INSTANCE),
        (MAPREDUCE, "ocorp_mapreduce", mapreduce_standin(12, 1, window=60)),
    ):
        for name in ("plan.csv", "plan.parquet"):
            path = tmp_path / name
            assert cli("run", policy, workload, "-o", path, "--force").exit_code == 0
            assert holds_pieces(path)
            assert (
                read_pieces(path, with_task=True, with_amount=True) == schedcore.solve(policy, inst).schedule
            )
            outcome = cli("validate", workload, path)
            assert (outcome.exit_code, outcome.stdout) == (0, "the schedule is feasible\n")


def test_a_file_that_lacks_work_is_partial_and_not_complete(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "plan.csv"
    outcome = cli("run", "srpt:max_slots=20", JOBS, "-o", path)
    assert outcome.exit_code == 1
    assert "UNFINISHED: " in outcome.stderr
    assert cli("validate", JOBS, path).exit_code == 1
    assert cli("validate", JOBS, path, "--kind", "partial").exit_code == 0
    table = cli("compare", JOBS, "-p", "srpt:max_slots=20", "-p", "srpt").stdout
    assert "UNFINISHED" in table
    assert "INVALID" not in table


def test_a_file_with_neither_task_nor_amount_has_a_row_a_job(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "plan.csv"
    path.write_text("id,job,start_time,end_time,machine\n0,0,0,1,0\n")
    workload = "slotted_standin:n_jobs=1,window=60"
    assert not holds_pieces(path)
    assert "before its release time" in cli("validate", workload, path).stdout


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_only_the_column_task_may_be_left_out_and_only_of_jobs_without_tasks(
    cli: Cli, tmp_path: Path, suffix: str
) -> None:
    path = tmp_path / f"plan{suffix}"
    for workload, policy in ((JOBS, "srf"), (MAPREDUCE, "ocorp_mapreduce")):
        assert cli("run", policy, workload, "-o", path, "--force").exit_code == 0
        written = pandas.read_csv(path) if suffix == ".csv" else pandas.read_parquet(path)
        for name in ("task", "amount"):
            table = written.drop(columns=name)
            if suffix == ".csv":
                table.to_csv(path, index=False)
            else:
                table.to_parquet(path)
            outcome = cli("validate", workload, path)
            if name == "task" and workload == JOBS:
                assert (outcome.exit_code, outcome.stdout) == (0, "the schedule is feasible\n")
            else:
                assert outcome.exit_code == 2
                assert f"no column {name}" in outcome.stderr.splitlines()[-1]


def test_a_schedule_with_too_many_cores_is_not_feasible(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "plan.csv"
    path.write_text("job,task,machine,start_time,end_time,amount\n0,-1,0,100,101,1000\n")
    outcome = cli("validate", JOBS, path, "--kind", "partial")
    assert outcome.exit_code == 1
    assert "job 0" in outcome.stdout


def test_instances_are_generated_and_loaded(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "jobs.parquet"
    assert cli("generate", MAPREDUCE, "-o", path).exit_code == 0
    inst, report = schedcore.workloads.load(path)
    assert inst == mapreduce_standin(12, 1, window=60)
    assert report.units["time"] == "slot"
    same = [cli("compare", source, "-p", "svf", "--format", "csv").rows for source in (path, MAPREDUCE)]
    assert same[0][0]["flow_power_sum"] == same[1][0]["flow_power_sum"]
    machines = cli("compare", path, "-p", "svf", "-m", "3x8", "--format", "json")
    assert json.loads(machines.stdout)["workload"]["n_machines"] == 3
    assert cli("generate", JOBS, "-o", tmp_path / "slots.parquet").exit_code == 0
    assert schedcore.workloads.load(tmp_path / "slots.parquet")[0] == INSTANCE


def test_bounds_of_map_and_reduce_jobs_are_those_of_every_job_alone(cli: Cli) -> None:
    rows = cli("bounds", MAPREDUCE, "--format", "csv").rows
    times = mapreduce_standin(12, 1, window=60).processing_time
    assert [float(row["value"]) for row in rows] == pytest.approx([times.sum(), (times**2).sum() ** 0.5])
    assert rows == cli("bounds", MAPREDUCE, "--slots", "--format", "csv").rows


def test_bounds_of_jobs_in_slots_are_those_of_the_library_and_hold(cli: Cli) -> None:
    rows = json.loads(cli("bounds", JOBS, "--slots", "--format", "json").stdout)
    found = {row["objective"]: row["value"] for row in rows}
    times = INSTANCE.jobs.processing_time
    assert found["flow_time"] == times.sum()
    assert found["l2_norm"] == pytest.approx((times**2).sum() ** 0.5)
    assert found["fractional_flow_time"] == schedcore.fractional_lower_bound(INSTANCE)
    assert found["fractional_flow_time"] <= schedcore.solve("srvf", INSTANCE).stats["fractional"]
    assert "fractional_flow_time" in cli("bounds", JOBS, "--slots").stdout


def test_bounds_in_slots_want_whole_slots(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "jobs.parquet"
    for time, wanted in ((1e200, "processing_time[1] = 1e+200"), (1.5, "processing_time[1] = 1.5")):
        jobs = schedcore.Jobs([1.0, time], [[1], [1]])
        schedcore.Instance(jobs, schedcore.Machines([[1]])).to_parquet(path, overwrite=True)
        outcome = cli("bounds", path, "--slots")
        assert outcome.exit_code == 2
        assert wanted in outcome.stderr.splitlines()[-1]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("compare", JOBS, "-p", "ocorp", "-p", "pq"), "ocorp interrupts and splits jobs, slot by slot, and pq"),
        (("compare", JOBS, *SLOTTED, "--classes", "size"), "--classes: that is about jobs that run in one piece"),
        (("compare", JOBS, "-p", "ocorp", "--against", "k=1"), "--against: that is about jobs that run in one piece"),
        (("compare", JOBS, "-p", "ocorp:lambda0=huge"), "lambda0"),
        (("bounds", "parallel_task_standin:n_jobs=3,n_machines=2", "--slots"), "--slots: that is about jobs over time"),
        (("compare", JOBS, "-p", "ocorp_mapreduce"), "is for jobs of map and reduce tasks, and the workload has jobs"),
        (("compare", MAPREDUCE, "-p", "ocorp"), "ocorp is for jobs, and the workload has jobs of map and reduce tasks"),
        (("run", "svf", "colocation_grid:cls=1,n_types=3,n_tasks=9,n_machines=3"), "svf is for jobs and jobs of map"),
        (("validate", JOBS, "plan.csv", "--kind", "preempt"), "--kind: that is about jobs of parallel tasks (migrate,"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused(cli: Cli, words: tuple[str, ...], message: str) -> None:
    outcome = cli(*words)
    assert outcome.exit_code == 2
    assert message in outcome.stderr


def test_times_between_slots_are_told_by_the_policy(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "jobs.parquet"
    schedcore.Instance(schedcore.Jobs([1.5, 2], [[1], [1]]), schedcore.Machines([[2]])).to_parquet(path)
    outcome = cli("compare", path, "-p", "srpt")
    assert outcome.exit_code == 1
    assert "srpt: FAILED: " in outcome.stderr
    assert "must be a whole number of slots" in outcome.stderr


def test_policies_are_listed_with_what_they_solve(cli: Cli) -> None:
    rows = {row["name"]: row for row in json.loads(cli("policies", "--format", "json").stdout)}
    assert rows["ocorp"]["solves"] == "jobs in slots"
    assert rows["srpt"]["solves"] == "jobs in slots, jobs of map and reduce tasks"
    assert rows["ocorp_mapreduce"]["solves"] == "jobs of map and reduce tasks"
    assert rows["pq"]["solves"] == "jobs"
    assert rows["ocorp"]["decides_with"] is None


def test_drawings_are_written(cli: Cli, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    assert cli("compare", JOBS, *SLOTTED, "--plot", tmp_path / "drawings").exit_code == 0
    assert {path.name for path in (tmp_path / "drawings").iterdir()} == {"pieces.png", "curves.png"}
