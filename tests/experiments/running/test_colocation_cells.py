"""Tasks to colocate run as cells like jobs do: solved, validated, measured, and drawn from a generator or a file."""

import dataclasses
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import schedcore
from experiments.described import run_here
from schedcore import registry
from schedcore.experiments import COLUMNS, Experiment, Figure, Results, Sweep, Workload, open_results
from schedcore.experiments.running.cells import unique_cells
from schedcore.model import Assignment, ColocationInstance, ColocationResult
from schedcore.workloads import azure_like, colocation_grid, grid_instance, standin_tasks

KIND = {"cls": 1, "n_types": 3, "n_tasks": 40, "n_machines": 5}
OF_JOBS = ("awct", "makespan", "avg_wait", "utilisation", "delay_quantiles", "start_time")


def described(workload: Workload | None = None, **changes: Any) -> Experiment:
    own = Experiment(
        "tasks",
        {"tasks": workload or Workload("colocation_grid", KIND)},
        {"mix": "sched_mixed", "fill": "fill_rebalance:bound=qcp"},
        {"s": Sweep(["tasks"], ["mix", "fill"], keep=["schedule"])},
        {"f": Figure("s", kind="boxes", y="ratio")},
        job_sets=(0, 1, 2),
        inputs={"sample": "tasks"},
    )
    return dataclasses.replace(own, **changes)


def misplacing(inst: ColocationInstance, *, progress: Any = None) -> ColocationResult:
    """Every task on a machine that is not there."""
    machine = [inst.n_machines] * inst.n_tasks
    return ColocationResult(Assignment(machine), 1, 1, inst)


@pytest.fixture
def results(tmp_path: Path) -> Results:
    return run_here(described(), tmp_path / "results")


def test_a_row_says_what_solving_by_hand_says(results: Results) -> None:
    rows = results.to_arrow().to_pylist()
    assert len(rows) == 6
    for row in rows:
        inst = colocation_grid(**KIND, seed=row["job_set"])
        options = {"bound": "qcp"} if row["policy"] == "fill_rebalance" else {}
        result = schedcore.solve(row["policy"], inst, **options)
        assert row["status"] == "ok"
        assert row["verdict"] == "valid"
        assert row["workload_hash"] == inst.content_hash()
        assert (row["n_jobs"], row["n_machines"], row["n_resources"]) == (40, 5, None)
        assert row["objective"] == "max_cost"
        assert row["value"] == result.value
        assert row["sum_cost"] == result.sum_numerator / inst.alpha_denominator  # type: ignore[attr-defined]
        assert row["lower_bound"] == result.lower_bound
        assert row["ratio"] == result.ratio()
        assert row["gap"] == result.gap()
        assert row["machine"] == result.schedule.machine.tolist()
        assert all(row[name] is None for name in OF_JOBS)


def test_job_sets_are_the_repetitions_from_the_first_one_on(results: Results) -> None:
    sample = standin_tasks()
    hashes = {row["job_set"]: row["workload_hash"] for row in results.rows}
    for repetition in (0, 1, 2):
        inst = grid_instance(sample, "incompatible", 3, 40, 5, repetition)
        assert hashes[repetition] == inst.content_hash()


def test_a_sample_in_a_file_gives_the_instances_that_it_gives_in_a_program(tmp_path: Path) -> None:
    sample = standin_tasks(seed=5)
    sample.to_parquet(tmp_path / "sample.parquet")
    of_file = described(Workload("input:sample", KIND))
    assert {cell.arguments["seed"] for cell in unique_cells(of_file).values()} == {0, 1, 2}
    opened = run_here(of_file, tmp_path / "results", inputs={"sample": tmp_path / "sample.parquet"})
    assert not opened.failures
    expected = {
        seed: grid_instance(sample, "incompatible", 3, 40, 5, seed).content_hash() for seed in (0, 1, 2)
    }
    assert {row["job_set"]: row["workload_hash"] for row in opened.rows} == expected


def test_a_sample_is_drawn_from_once_where_the_seed_is_fixed() -> None:
    fixed = described(Workload("input:sample", {**KIND, "seed": 7}))
    assert [cell.arguments["seed"] for cell in unique_cells(fixed).values()] == [7, 7]


@pytest.mark.parametrize(
    "argument", [{"factor": 2}, {"first_jobs": 5}, {"total_resources": 3}, {"exact_estimates": True}]
)
def test_what_is_done_to_lists_of_jobs_fails_on_tasks(tmp_path: Path, argument: dict[str, Any]) -> None:
    workload = Workload("colocation_grid", {**KIND, "seed": 1, **argument})
    rows = run_here(described(workload, job_sets=(1,)), tmp_path / "results").rows
    (name,) = argument
    assert {row["status"] for row in rows} == {"failed"}
    for row in rows:
        assert row["error"].startswith("UnsupportedError: colocation_grid: ")
        assert name in row["error"]
        assert row["error"].endswith("cannot be applied to tasks to colocate, only to jobs")


def test_delays_of_tasks_cannot_be_kept(tmp_path: Path) -> None:
    sweep = Sweep(["tasks"], ["mix"], keep=["delay_quantiles", "schedule"])
    (row,) = run_here(described(sweeps={"s": sweep}, figures={}, job_sets=(1,)), tmp_path / "r").failures
    assert "tasks to colocate have no delay_quantiles to keep (what they have: schedule)" in row["error"]
    assert row["n_jobs"] == 40


@pytest.mark.parametrize(("workload", "policy"), [("azure_like", "sched_mixed"), ("colocation_grid", "pq")])
def test_a_policy_for_another_kind_of_instance_is_a_failed_cell(
    tmp_path: Path, workload: str, policy: str
) -> None:
    arguments = KIND if workload == "colocation_grid" else {"n_jobs": 10, "n_machines": 2}
    experiment = described(Workload(workload, arguments), policies={"mix": policy, "fill": policy})
    (row, *_) = run_here(experiment, tmp_path / "results").failures
    assert row["error"].startswith(f"UnsupportedError: '{policy}' solves ")


def test_a_task_on_a_machine_that_is_not_there_is_an_invalid_schedule(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    algorithm = registry.Algorithm(
        "misplacing", "misplacing", "test", "", misplacing, (), "max_cost", ColocationInstance
    )
    monkeypatch.setitem(registry._algorithms, "misplacing", algorithm)
    experiment = described(policies={"mix": "misplacing", "fill": "sched_mixed"}, job_sets=(1,))
    results = run_here(experiment, tmp_path / "results")
    (row,) = results.failures
    assert row["status"] == "invalid"
    assert "machines are numbered from 0 to 4" in row["verdict"]
    assert [len(point.values) for (point,) in results.figure_data("f").series.values()] == [0, 1]


@pytest.mark.parametrize("kind", ["packing", "bars"])
def test_a_figure_of_what_only_jobs_have_is_refused_in_words(tmp_path: Path, kind: str) -> None:
    results = run_here(described(figures={"f": Figure("s", kind=kind)}), tmp_path / "results")
    with pytest.raises(
        schedcore.InvalidInstanceError, match="figure 'f' of 'tasks': no finished cell has awct"
    ):
        results.plot("f")


def test_jobs_and_tasks_stand_in_one_folder(tmp_path: Path) -> None:
    experiment = described(
        workloads={
            "tasks": Workload("colocation_grid", KIND),
            "jobs": Workload("azure_like", {"n_jobs": 20}),
        },
        policies={"mix": "sched_mixed", "fill": "fill_rebalance", "pq": "pq"},
        sweeps={"s": Sweep(["tasks"], ["mix", "fill"]), "jobs": Sweep(["jobs"], ["pq"])},
        job_sets=(1, 2),
    )
    frame = run_here(experiment, tmp_path / "results").to_pandas()
    assert len(frame) == 6
    assert (frame["awct"].isna() == (frame["objective"] == "max_cost")).all()
    assert (frame["sum_cost"].isna() == (frame["objective"] == "awct")).all()


def test_folders_written_before_a_column_was_added_are_read(results: Results) -> None:
    later = {"ratio", "sum_cost"}
    before = results.to_arrow()
    for path in (results.path / "rows").iterdir():
        table = pq.read_table(path)
        pq.write_table(table.drop_columns(sorted(later)).replace_schema_metadata(None), path)
    record = results.path / "experiment.json"  # such folders had no checksums either
    record.write_text(json.dumps(json.loads(record.read_text()) | {"format": 1}))
    opened = open_results(results.path).to_arrow()
    assert opened.schema == before.schema
    assert opened.column_names == list(COLUMNS)
    for name in COLUMNS:
        expected = pa.nulls(6, before[name].type).to_pylist() if name in later else before[name].to_pylist()
        assert opened[name].to_pylist() == expected


def test_an_instance_of_jobs_in_a_file_is_no_sample(tmp_path: Path) -> None:
    azure_like(n_jobs=5, n_machines=2, seed=1).to_parquet(tmp_path / "jobs.parquet")
    experiment = described(Workload("input:sample", KIND), job_sets=(1,))
    results = run_here(experiment, tmp_path / "results", inputs={"sample": tmp_path / "jobs.parquet"})
    assert {row["status"] for row in results.rows} == {"failed"}
