"""Jobs of parallel tasks on the command line: compared, run, validated and bounded; what needs jobs is refused."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import schedcore
from schedcore import ParallelTaskInstance, ParallelTaskResult, metrics, registry
from schedcore.bounds.parallel_tasks import relaxation_bound
from schedcore.problems import problem_of
from schedcore.problems.schedules.pieces import read_pieces
from schedcore.workloads import parallel_task_standin

KIND = "parallel_task_standin:n_jobs=8,n_machines=4,load=none"
ONLINE = "parallel_task_standin:n_jobs=8,n_machines=4"
REMOTE = "parallel_task_standin:n_jobs=6,n_machines=4,load=none,placement=local_remote"
INSTANCE = parallel_task_standin(8, 4, 1, load=None)
Cli = Callable[..., Any]


def unsolved(inst: ParallelTaskInstance, *, progress: Any = None) -> ParallelTaskResult:
    """The linear program was not solved in time."""
    return ParallelTaskResult(None, inst, stats={"lp_status": "time_limit"}, lower_bound=3.0)


@pytest.fixture(autouse=True)
def _known(monkeypatch: pytest.MonkeyPatch) -> None:
    algorithm = registry.Algorithm(
        "unsolved", "unsolved", "test", "", unsolved, (), "weighted_completion_time", ParallelTaskInstance
    )
    monkeypatch.setitem(registry._algorithms, "unsolved", algorithm)


def test_a_table_with_completion_bound_and_check_of_each_algorithm(cli: Cli) -> None:
    outcome = cli("compare", KIND, "-p", "synchpack3", "-p", "tetris_p:scale=1")
    assert outcome.exit_code == 0
    title = f"8 jobs of {INSTANCE.n_tasks} tasks on 4 machines"
    assert title in " ".join(outcome.stdout.split())
    for heading in ("weighted average", "completion", "above", "preemp-", "check"):
        assert heading in outcome.stdout
    assert outcome.stdout.count(" valid") == 2
    assert "delay" not in outcome.stdout
    assert "delay" in cli("compare", ONLINE, "-p", "psrs").stdout


def test_numbers_are_those_of_the_library_against_the_best_bound(cli: Cli) -> None:
    words = ("compare", KIND, "-p", "synchpack3", "-p", "psrs")
    expected = [schedcore.solve(name, INSTANCE) for name in ("synchpack3", "psrs")]
    best = max(result.lower_bound or 0.0 for result in expected)
    for row, result in zip(cli(*words, "-f", "csv").rows, expected, strict=True):
        assert float(row["weighted_completion_time"]) == result.value
        assert float(row["lower_bound"]) == best
        assert float(row["gap"]) == result.value / best - 1
        summary = metrics.task_summary(INSTANCE, result.schedule)
        assert float(row["makespan"]) == summary["makespan"]
        assert int(row["n_preemptions"]) == summary["n_preemptions"]
    document = json.loads(cli(*words, "-f", "json").stdout)
    assert document["lower_bounds"] == {"weighted_completion_time": best}
    assert document["workload"]["n_tasks"] == INSTANCE.n_tasks
    assert [row["policy"] for row in document["policies"]] == ["synchpack3", "psrs"]


@pytest.mark.parametrize(
    ("workload", "first"),
    [(KIND, "synchpack3"), (ONLINE, "synchpack3:online=true"), (REMOTE, "synchpack2")],
)
def test_without_a_policy_those_that_take_the_instance_are_compared(
    cli: Cli, workload: str, first: str
) -> None:
    rows = cli("compare", workload, "-f", "csv").rows
    assert rows[0]["policy"] == first
    assert {row["verdict"] for row in rows} == {"valid"}
    inst = schedcore.workloads.generate_from_text(f"{workload},seed=1")
    assert isinstance(inst, ParallelTaskInstance)
    assert [row["policy"] for row in rows] == list(problem_of(inst).policies())


def test_epochs_may_be_told_in_mean_gaps(cli: Cli) -> None:
    (row,) = cli("compare", ONLINE, "-p", "synchpack3:online=true,tau0=2gaps", "-f", "csv").rows
    inst = parallel_task_standin(8, 4, 1)
    gap = float(np.ptp(inst.release_time)) / 7
    assert float(row["tau0"]) == pytest.approx(2 * gap)


def test_no_schedule_is_told_with_status_and_bound(cli: Cli, tmp_path: Path) -> None:
    outcome = cli("compare", KIND, "-p", "unsolved", "-p", "psrs")
    assert outcome.exit_code == 1
    assert "NO SCHEDULE" in outcome.stdout
    assert " valid" in outcome.stdout
    assert (
        "unsolved: NO SCHEDULE: no schedule: the linear program ended with the status 'time_limit'"
        in outcome.stderr
    )
    run = cli("run", "unsolved", KIND, "-o", tmp_path / "none.csv")
    assert run.exit_code == 1
    assert "lower_bound" in run.stdout
    assert "time_limit" in run.stdout
    assert not (tmp_path / "none.csv").exists()


def test_an_algorithm_that_cannot_do_it_is_a_finding(cli: Cli) -> None:
    outcome = cli("compare", REMOTE, "-p", "psrs", "-p", "jsq_mw")
    assert outcome.exit_code == 1
    assert "psrs: FAILED: psrs needs one machine for each task" in outcome.stderr
    assert " valid" in outcome.stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("compare", KIND, "-p", "pq"), "pq is for jobs, and the workload has jobs of parallel tasks"),
        (("run", "synchpack3", "patience:n_jobs=5"), "is for jobs of parallel tasks, and the workload has jobs"),
        (("compare", KIND, "-p", "psrs", "--against", "v=0.5"), "--against: that is about jobs over time, these are"),
        (("compare", KIND, "-p", "psrs", "--classes", "size"), "--classes: that is about jobs over time"),
        (("validate", KIND, "plan.csv", "--known-jobs-only"), "--known-jobs-only: that is about jobs over time"),
        (("validate", "patience:n_jobs=5", "plan.csv", "--kind", "preempt"), "--kind: that is about jobs of parallel"),
        (("compare", KIND, "-p", "synchpack3:solver=barrier"), "unknown solver 'barrier' of 'synchpack3'"),
        (("compare", "parallel_task_standin:n_jobs=8"), "parallel_task_standin needs n_machines"),
        (("compare", ONLINE.replace("8", "1"), "-p", "synchpack3:online=true,tau0=soon"), "tau0 = 'soon' must be"),
    ],
)  # fmt: skip
def test_what_does_not_go_together_is_refused(cli: Cli, words: tuple[str, ...], message: str) -> None:
    outcome = cli(*words)
    assert outcome.exit_code in (1, 2)
    assert message in outcome.stderr


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_pieces_that_run_wrote_are_valid(cli: Cli, tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"pieces{suffix}"
    outcome = cli("run", "psrs", KIND, "-o", path)
    assert outcome.exit_code == 0
    assert "weighted_average_completion_time" in outcome.stdout
    assert read_pieces(path, with_task=True, with_amount=False) == schedcore.solve("psrs", INSTANCE).schedule
    checked = cli("validate", KIND, path)
    assert (checked.exit_code, checked.stdout) == (0, "the schedule is feasible\n")
    assert cli("validate", KIND, path, "--kind", "preempt").exit_code == 0


def test_the_kind_of_schedule_is_what_is_checked(cli: Cli, tmp_path: Path) -> None:
    pieces = schedcore.solve("psrs", INSTANCE).schedule
    first = pieces.to_arrow().to_pandas().sort_values(["job", "task"]).reset_index(drop=True)
    half = first.iloc[[0]].copy()
    middle = float(first.loc[0, "start_time"] + first.loc[0, "end_time"]) / 2
    half["start_time"], first.loc[0, "end_time"] = middle + 1e6, middle
    half["end_time"] += 1e6
    path = tmp_path / "pieces.csv"
    type(first)(np.concatenate([first, half]), columns=first.columns).astype(
        {"job": int, "task": int, "machine": int}
    ).to_csv(path, index=False)
    assert cli("validate", KIND, path, "--kind", "preempt").exit_code == 0
    outcome = cli("validate", KIND, path, "--kind", "nonpreempt", "-f", "json")
    assert outcome.exit_code == 1
    assert json.loads(outcome.stdout)["kind"] == "task_interrupted"
    unknown = cli("validate", KIND, path, "--kind", "moving")
    assert unknown.exit_code == 2
    assert "moving" in unknown.stderr


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("job,task,machine,start_time\n0,0,0,0\n", "end_time"),
        ("job,task,machine,start_time,end_time\n0,0,1.5,0,1\n", "machine"),
        ("job,task,machine,start_time,end_time\n0,0,0,zero,1\n", "start_time"),
    ],
)
def test_files_without_the_columns_are_refused_in_words(
    cli: Cli, tmp_path: Path, content: str, message: str
) -> None:
    path = tmp_path / "pieces.csv"
    path.write_text(content)
    outcome = cli("validate", KIND, path)
    assert outcome.exit_code == 2
    assert message in outcome.stderr


def test_schedules_whose_tasks_move_are_measured_against_bounds_on_those(cli: Cli) -> None:
    rows = cli("compare", REMOTE, "-p", "synchpack1", "-p", "tetris_np", "-f", "csv").rows
    moving, staying = (float(row["lower_bound"]) for row in rows)
    instance = parallel_task_standin(6, 4, 1, load=None, placement="local_remote")
    assert moving == pytest.approx(schedcore.solve("synchpack1", instance).lower_bound)
    assert staying == pytest.approx(relaxation_bound(instance))
    assert moving < staying
    of_one_machine = cli("compare", KIND, "-p", "synchpack1", "-p", "psrs", "-f", "csv").rows
    assert of_one_machine[0]["lower_bound"] == of_one_machine[1]["lower_bound"]


def test_bounds_are_a_row_a_linear_program_with_its_status(cli: Cli) -> None:
    rows = {row["bound"]: row for row in cli("bounds", KIND, "-f", "csv").rows}
    assert list(rows) == ["alone", "lp1", "lp2", "lp3"]
    value = {name: float(row["value"]) for name, row in rows.items()}
    for name in ("lp1", "lp2", "lp3"):
        best = max(value["alone"], value[name])
        assert best == pytest.approx(relaxation_bound(INSTANCE, name), rel=1e-6)
        assert rows[name]["status"] == "optimal"
    assert value["lp1"] <= value["lp2"] * (1 + 1e-6)
    longest = np.maximum.reduceat(INSTANCE.placement_time, INSTANCE.task_start[:-1])
    assert value["alone"] == pytest.approx(longest.sum())
    found = [row["bound"] for row in cli("bounds", REMOTE, "-f", "csv").rows]
    assert found == ["alone", "lp1", "lp2"]
    holds = [row["holds_for"] for row in cli("bounds", REMOTE, "-f", "csv").rows]
    assert holds == ["migrate", "migrate", "preempt"]
    assert {row["holds_for"] for row in rows.values()} == {"migrate"}
    assert "optimal" in cli("bounds", KIND).stdout


def test_a_generated_file_is_compared_under_chosen_conditions(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "tasks.parquet"
    assert cli("generate", "parallel_task_standin:n_jobs=6,n_machines=4,load=none", "-o", path).exit_code == 0
    of_file = cli("compare", path, "-p", "psrs", "-f", "csv").rows
    generated = cli("compare", KIND.replace("8", "6", 1), "-p", "psrs", "-f", "csv").rows
    assert of_file[0]["weighted_completion_time"] == generated[0]["weighted_completion_time"]
    anywhere = cli("compare", path, "--read", "placement=local_remote", "-p", "jsq_mw", "-f", "csv")
    assert anywhere.rows[0]["verdict"] == "valid"
    refused = cli("convert", path, "-o", tmp_path / "log.swf")
    assert refused.exit_code == 2
    assert "convert needs jobs, and the workload has jobs of parallel tasks" in refused.stderr


@pytest.mark.parametrize("n_machines", [4, 20])
def test_pieces_or_usage_are_drawn_of_the_policies_that_did_not_fail(
    cli: Cli, tmp_path: Path, n_machines: int
) -> None:
    pytest.importorskip("matplotlib")
    kind = KIND.replace("n_machines=4", f"n_machines={n_machines}")
    words = ("compare", kind, "-p", "synchpack3", "-p", "unsolved", "--plot", tmp_path / "drawings")
    assert cli(*words).exit_code == 1
    (drawing,) = (tmp_path / "drawings").iterdir()
    assert drawing.name == "pieces.png"
    assert drawing.read_bytes().startswith(b"\x89PNG")


def test_policies_tell_what_they_solve(cli: Cli) -> None:
    rows = {row["name"]: row for row in json.loads(cli("policies", "-f", "json").stdout)}
    for name in ("synchpack1", "synchpack2", "synchpack3", "psrs", "tetris_p", "tetris_np", "jsq_mw"):
        assert rows[name]["solves"] == "jobs of parallel tasks"
        assert rows[name]["objective"] == "weighted_completion_time"
