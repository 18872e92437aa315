"""Jobs of parallel tasks run as cells: solved, validated in the class that was promised, measured, also unsolved."""

import dataclasses
import math
from pathlib import Path
from typing import Any, Literal

import pytest

import schedcore
from experiments.described import run_here
from schedcore import (
    InvalidInstanceError,
    ParallelTaskInstance,
    ParallelTaskResult,
    PreemptiveSchedule,
    metrics,
    registry,
)
from schedcore.algorithms.parallel_tasks.epochs import mean_gap
from schedcore.experiments import Experiment, Figure, Results, Sweep, Workload
from schedcore.experiments.results.figure_data import figure_data
from schedcore.experiments.running.cells import unique_cells
from schedcore.workloads import at_time_zero, draw_placements, parallel_task_standin, scale_release_times

SIZE = {"n_jobs": 8, "n_machines": 4}


def described(workload: Workload | None = None, **changes: Any) -> Experiment:
    own = Experiment(
        "parallel",
        {"tasks": workload or Workload("parallel_task_standin", {**SIZE, "load": "none"})},
        {"SP-3": "synchpack3", "PSRS": "psrs"},
        {"s": Sweep(["tasks"], ["SP-3", "PSRS"], {"weights": ["equal", "priority"]})},
        {"f": Figure("s", kind="groups", x="weights", y="ratio")},
        job_sets=(1, 2),
        inputs={"file": "an instance"},
    )
    return dataclasses.replace(own, **changes)


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    return run_here(described(), tmp_path_factory.mktemp("parallel") / "results")


def test_a_row_says_what_solving_by_hand_says(results: Results) -> None:
    rows = results.to_arrow().to_pylist()
    assert len(rows) == 8
    for row in rows:
        weights: Literal["equal", "priority"]
        weights = "priority" if '"priority"' in row["workload_arguments"] else "equal"
        inst = parallel_task_standin(8, 4, row["job_set"], load=None, weights=weights)
        result = schedcore.solve(row["policy"], inst)
        assert (row["status"], row["verdict"]) == ("ok", "valid")
        assert row["workload_hash"] == inst.content_hash()
        assert (row["n_jobs"], row["n_tasks"], row["n_machines"]) == (8, inst.n_tasks, 4)
        assert row["objective"] == "weighted_completion_time"
        assert row["value"] == result.value
        assert row["lower_bound"] == result.lower_bound
        assert row["ratio"] == result.ratio()
        assert row["ratio"] >= 1
        summary = metrics.task_summary(inst, result.schedule)
        for name in (
            "weighted_average_completion_time",
            "weighted_average_delay",
            "makespan",
            "n_preemptions",
        ):
            assert row[name] == summary[name]
        assert row["lp_status"] == result.stats.get("lp_status")
        assert all(row[name] is None for name in ("sum_cost", "avg_wait", "delay_quantiles", "start_time"))


def test_groups_show_a_bar_a_weighting_and_policy(results: Results) -> None:
    data = results.figure_data("f")
    assert {policy: [point.x for point in points] for policy, points in data.series.items()} == {
        "SP-3": ["equal", "priority"],
        "PSRS": ["equal", "priority"],
    }
    assert len(results.plot("f").patches) == 4
    assert results.table("f").header == ["policy", "weights = equal", "weights = priority"]


def test_the_bound_on_an_average_is_the_bound_on_the_sum_in_other_units(tmp_path: Path) -> None:
    arguments = {**SIZE, "weights": "priority"}
    for y in ("weighted_average_completion_time", "weighted_average_delay"):
        experiment = described(
            Workload("parallel_task_standin", arguments),
            policies={"PSRS": "psrs"},
            sweeps={"s": Sweep(["tasks"], ["PSRS"], {"traffic_intensity": [1.0]})},
            figures={"f": Figure("s", kind="groups", x="traffic_intensity", y=y, lower_bound=True)},
            job_sets=(1,),
        )
        results = run_here(experiment, tmp_path / y)
        inst = parallel_task_standin(8, 4, 1, weights="priority")
        ((_, bound),) = results.figure_data("f").lower_bound()
        (row,) = results.rows
        waited = float(inst.weight @ inst.release_time) if y == "weighted_average_delay" else 0.0
        assert bound.mean == pytest.approx((row["lower_bound"] - waited) / inst.weight.sum())
        assert bound.mean <= row[y]


def test_online_cells_tell_their_epochs(tmp_path: Path) -> None:
    experiment = described(
        Workload("parallel_task_standin", SIZE),
        policies={"1": "synchpack3:online=true,tau0=1gap", "5": "synchpack3:online=true,tau0=5gaps"},
        sweeps={"s": Sweep(["tasks"], ["1", "5"], {"traffic_intensity": [2.0]})},
        figures={},
        job_sets=(1,),
    )
    inst = scale_release_times(parallel_task_standin(8, 4, 1), 0.5)
    rows = run_here(experiment, tmp_path / "results").rows
    assert {row["workload_hash"] for row in rows} == {inst.content_hash()}
    assert sorted(row["tau0"] for row in rows) == pytest.approx([mean_gap(inst), 5 * mean_gap(inst)])
    for row in rows:
        result = schedcore.solve("synchpack3", inst, online=True, tau0=row["tau0"])
        assert row["value"] == result.value
        assert row["n_epochs"] == len(result.stats["epochs"])
        assert row["weighted_average_delay"] < row["weighted_average_completion_time"]


def unsolved(inst: ParallelTaskInstance, *, progress: Any = None) -> ParallelTaskResult:
    """The linear program was not solved in time."""
    return ParallelTaskResult(None, inst, stats={"lp_status": "time_limit"}, lower_bound=3.0)


def interrupting(inst: ParallelTaskInstance, *, progress: Any = None) -> ParallelTaskResult:
    """A feasible schedule with one task in two pieces."""
    machine, time = inst.placement_machine, inst.placement_time
    ends = time.cumsum()
    schedule = PreemptiveSchedule(inst.task_job, inst.task_number, machine, ends - time, ends)
    columns = [schedule.job, schedule.task, schedule.machine, schedule.start_time, schedule.end_time]
    last = [int(column[-1]) for column in columns]
    middle = (last[3] + last[4]) / 2
    pieces = [[*column[:-1], value] for column, value in zip(columns, [*last[:4], middle], strict=True)]
    for column, value in zip(pieces, [*last[:3], middle + 5, last[4] + 5], strict=True):
        column.append(value)
    return ParallelTaskResult(PreemptiveSchedule(*pieces), inst)


def leaving_out(inst: ParallelTaskInstance, *, progress: Any = None) -> ParallelTaskResult:
    """A piece of the first task alone."""
    time = int(inst.placement_time[0])
    schedule = PreemptiveSchedule([0], [0], [int(inst.placement_machine[0])], [0], [time])
    return ParallelTaskResult(schedule, inst)


@pytest.fixture
def _known(monkeypatch: pytest.MonkeyPatch) -> None:
    for run, promised in ((unsolved, "migrate"), (interrupting, "nonpreempt"), (leaving_out, "migrate")):
        algorithm = registry.Algorithm(
            run.__name__, run.__name__, "test", "", run, (), "weighted_completion_time", ParallelTaskInstance,
            schedule_class=promised,  # type: ignore[arg-type]
        )  # fmt: skip
        monkeypatch.setitem(registry._algorithms, run.__name__, algorithm)


def row_of(policy: str, folder: Path) -> dict[str, Any]:
    experiment = described(
        policies={"A": policy}, sweeps={"s": Sweep(["tasks"], ["A"])}, figures={}, job_sets=(1,)
    )
    (row,) = run_here(experiment, folder).failures
    return row


@pytest.mark.usefixtures("_known")
def test_no_schedule_in_time_is_a_row_with_status_and_bound_and_no_value(tmp_path: Path) -> None:
    row = row_of("unsolved", tmp_path / "results")
    assert row["status"] == "unsolved"
    assert row["error"] == "no schedule: the linear program ended with the status 'time_limit'"
    assert (row["lower_bound"], row["lp_status"]) == (3.0, "time_limit")
    assert [row[name] for name in ("value", "ratio", "gap", "verdict", "makespan")] == [None] * 5
    assert row["traceback"] is None


@pytest.mark.usefixtures("_known")
def test_an_unsolved_cell_has_finished_and_no_bar(tmp_path: Path) -> None:
    experiment = described(
        policies={"A": "unsolved", "PSRS": "psrs"},
        sweeps={"s": Sweep(["tasks"], ["A", "PSRS"], {"weights": ["equal"]})},
        job_sets=(1,),
    )
    results = run_here(experiment, tmp_path / "results")
    assert results.n_missing == 0
    assert [len(points[0].values) for points in results.figure_data("f").series.values()] == [0, 1]
    assert len(results.plot("f").patches) == 1
    assert "no schedule in the time given" in results.report(tmp_path / "report.html").read_text()


@pytest.mark.usefixtures("_known")
def test_a_schedule_outside_the_promised_class_is_invalid(tmp_path: Path) -> None:
    row = row_of("interrupting", tmp_path / "results")
    assert row["status"] == "invalid"
    assert row["n_preemptions"] == 1
    assert schedcore.validate(
        parallel_task_standin(8, 4, 1, load=None),
        interrupting(parallel_task_standin(8, 4, 1, load=None)).schedule,
    )


@pytest.mark.usefixtures("_known")
def test_a_schedule_that_leaves_tasks_out_is_invalid_and_has_no_figures(tmp_path: Path) -> None:
    row = row_of("leaving_out", tmp_path / "results")
    assert row["status"] == "invalid"
    assert "task" in row["verdict"]
    assert row["makespan"] is None


def test_jobs_of_tasks_keep_nothing(tmp_path: Path) -> None:
    sweep = Sweep(["tasks"], ["PSRS"], keep=["schedule"])
    (row,) = run_here(described(sweeps={"s": sweep}, figures={}, job_sets=(1,)), tmp_path / "r").failures
    assert "jobs of parallel tasks have no schedule to keep (what they have: nothing)" in row["error"]


def test_a_file_is_read_under_the_conditions_of_the_sweep(tmp_path: Path) -> None:
    inst = parallel_task_standin(8, 4, 3, weights="priority")
    inst.to_parquet(tmp_path / "tasks.parquet")
    experiment = described(
        Workload("input:file", {"placement": "local_remote", "n_local": 2}),
        policies={"JSQ": "jsq_mw"},
        sweeps={"s": Sweep(["tasks"], ["JSQ"], {"at_time_zero": [True], "remote_penalty": [1.5, 3.0]})},
        figures={},
    )
    assert {cell.arguments["seed"] for cell in unique_cells(experiment).values()} == {1, 2}
    rows = run_here(experiment, tmp_path / "r", inputs={"file": tmp_path / "tasks.parquet"}).rows
    expected = {
        at_time_zero(draw_placements(inst, 2, penalty, seed)).content_hash()
        for penalty in (1.5, 3.0)
        for seed in (1, 2)
    }
    assert {row["status"] for row in rows} == {"ok"}
    assert {row["workload_hash"] for row in rows} == expected


def test_groups_may_be_workloads() -> None:
    experiment = described(
        workloads={name: Workload("input:file", {"weights": name}) for name in ("equal", "random")},
        sweeps={"s": Sweep(["equal", "random"], ["PSRS"])},
        figures={"f": Figure("s", kind="groups", x="workload", y="ratio")},
    )
    (points,) = figure_data(experiment, "f", {}).series.values()
    assert [(point.x, len(point.cells)) for point in points] == [("equal", 2), ("random", 2)]


@pytest.mark.parametrize("argument", [{"factor": 2}, {"total_resources": 3}, {"exact_estimates": True}])
def test_what_is_done_to_rigid_jobs_fails_on_parallel_tasks(tmp_path: Path, argument: dict[str, Any]) -> None:
    workload = Workload("parallel_task_standin", {**SIZE, "seed": 1, **argument})
    experiment = described(workload, sweeps={"s": Sweep(["tasks"], ["PSRS"])}, figures={}, job_sets=(1,))
    (row,) = run_here(experiment, tmp_path / "results").failures
    assert row["error"].startswith("UnsupportedError: parallel_task_standin: ")
    assert "cannot be applied to jobs of parallel tasks, only to jobs" in row["error"]


@pytest.mark.parametrize(
    ("argument", "value", "message"),
    [
        ("traffic_intensity", 0, "traffic_intensity = 0 must be above 0"),
        ("traffic_intensity", "high", "must be a number of at least 0"),
        ("at_time_zero", 1, "must be true or false"),
        ("weights", 3, "weights"),
        ("n_jobs", 2.5, "n_jobs"),
    ],
)
def test_an_argument_of_the_wrong_kind_is_refused_before_anything_runs(
    argument: str, value: Any, message: str
) -> None:
    with pytest.raises(InvalidInstanceError, match=message):
        described(Workload("parallel_task_standin", {**SIZE, "load": "none", argument: value}))


def test_traffic_intensity_divides_the_release_times_of_rigid_jobs_too(tmp_path: Path) -> None:
    experiment = Experiment(
        "rigid",
        {"jobs": Workload("azure_like", {"n_jobs": 30, "n_machines": 2})},
        {"PQ": "pq"},
        {"s": Sweep(["jobs"], ["PQ"], {"traffic_intensity": [1.0, 4.0], "at_time_zero": [False, True]})},
    )
    rows = run_here(experiment, tmp_path / "results").rows
    assert {row["status"] for row in rows} == {"ok"}
    waits = {row["workload_arguments"]: row["avg_wait"] for row in rows}
    assert len(waits) == 4
    assert all(math.isfinite(wait) for wait in waits.values())
