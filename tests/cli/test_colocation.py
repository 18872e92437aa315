"""Tasks to colocate on the command line: compared, run, validated and bounded; what needs jobs is refused in words."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

import schedcore
from schedcore.bounds.colocation import lower_bound
from schedcore.problems.colocation import ColocationProblem
from schedcore.problems.schedules.assignments import read_assignment
from schedcore.workloads import colocation_grid, grid_instance, standin_tasks

KIND = "colocation_grid:cls=3,n_types=4,n_tasks=60,n_machines=5"
INSTANCE = colocation_grid(cls=3, n_types=4, n_tasks=60, n_machines=5, seed=1)
Cli = Callable[..., Any]


def test_a_table_with_cost_bound_and_check_of_each_algorithm(cli: Cli) -> None:
    outcome = cli("compare", KIND, "-p", "sched_mixed", "-p", "greedy_dedicated:inner=sched_mixed")
    assert outcome.exit_code == 0
    assert "60 tasks of 4 types on 5 machines" in " ".join(outcome.stdout.split())
    for heading in ("largest", "above", "sum of", "tasks/s", "check"):
        assert heading in outcome.stdout
    assert "greedy_dedicated:inner=sched_mixed" in outcome.stdout
    assert outcome.stdout.count(" valid") == 2
    assert "AWCT" not in outcome.stdout


def test_numbers_are_those_of_the_library_against_the_best_bound(cli: Cli) -> None:
    words = ("compare", KIND, "-p", "sched_mixed", "-p", "fill_rebalance:rule=first")
    bound = lower_bound(INSTANCE, "qcp").bound
    expected = [
        schedcore.solve("sched_mixed", INSTANCE), schedcore.solve("fill_rebalance", INSTANCE, rule="first")
    ]  # fmt: skip
    rows = cli(*words, "-f", "csv").rows
    for row, result in zip(rows, expected, strict=True):
        assert float(row["max_cost"]) == result.value
        assert float(row["sum_cost"]) == result.sum_numerator / 1000  # type: ignore[attr-defined]
        assert float(row["lower_bound"]) == bound
        assert float(row["gap"]) == result.value / bound - 1
        assert float(row["tasks_per_second"]) > 0
    document = json.loads(cli(*words, "-f", "json").stdout)
    assert document["lower_bounds"] == {"max_cost": bound}
    assert document["workload"]["n_types"] == 4
    assert [row["policy"] for row in document["policies"]] == ["sched_mixed", "fill_rebalance:rule=first"]


def test_without_a_policy_the_heuristics_of_the_problem_are_compared(cli: Cli) -> None:
    rows = cli("compare", KIND, "-f", "csv").rows
    assert [row["policy"] for row in rows] == list(ColocationProblem.default_policies)
    assert {row["verdict"] for row in rows} == {"valid"}


def test_an_algorithm_that_cannot_do_it_is_a_finding(cli: Cli) -> None:
    kind = "colocation_grid:cls=1,n_types=4,n_tasks=60,n_machines=3"
    outcome = cli("compare", kind, "-p", "fill_greedy", "-p", "sched_mixed")
    assert outcome.exit_code == 1
    assert "fill_greedy: FAILED: fill_greedy gives every cluster machines of its own" in outcome.stderr
    assert " valid" in outcome.stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("compare", KIND, "-p", "pq"), "pq is for jobs, and the workload has tasks to colocate"),
        (("run", "mris:replan=true", KIND), "mris:replan=true is for jobs"),
        (("compare", "patience:n_jobs=5", "-p", "sched_mixed"), "sched_mixed is for tasks to colocate, and"),
        (("run", "sched_mixed", "patience:n_jobs=5"), "is for tasks to colocate, and the workload has jobs"),
        (("compare", KIND, "-p", "sched_mixed", "--against", "base=multifit"), "--against: that is about jobs"),
        (("compare", KIND, "-p", "sched_mixed", "--classes", "size"), "--classes: that is about jobs over time"),
        (("bounds", KIND, "-m", "3"), "tasks to colocate"),
        (("validate", KIND, "plan.csv", "--known-jobs-only"), "--known-jobs-only: that is about jobs over time"),
        (("compare", "colocation_grid:cls=3"), "colocation_grid needs"),
    ],
)  # fmt: skip
def test_what_does_not_go_together_is_refused(cli: Cli, words: tuple[str, ...], message: str) -> None:
    outcome = cli(*words)
    assert outcome.exit_code == 2
    assert message in outcome.stderr
    assert outcome.stdout == ""


def test_assignments_are_drawn_of_the_policies_that_did_not_fail(cli: Cli, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    kind = "colocation_grid:cls=1,n_types=4,n_tasks=60,n_machines=3"
    outcome = cli("compare", kind, "-p", "fill_greedy", "-p", "sched_mixed", "--plot", tmp_path / "drawings")
    assert outcome.exit_code == 1
    (drawing,) = (tmp_path / "drawings").iterdir()
    assert drawing.name == "assignments.png"
    assert drawing.read_bytes().startswith(b"\x89PNG")


def test_the_report_counts_tasks(cli: Cli) -> None:
    assert "60 rows read, 60 tasks" in cli("compare", KIND, "-p", "sched_mixed").stderr


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_an_assignment_that_run_wrote_is_valid(cli: Cli, tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"assignment{suffix}"
    outcome = cli("run", "best_schedule", KIND, "-o", path)
    assert outcome.exit_code == 0
    assert "max_cost" in outcome.stdout
    checked = cli("validate", KIND, path)
    assert (checked.exit_code, checked.stdout) == (0, "the assignment is valid\n")
    fewer = cli("validate", KIND.replace("n_machines=5", "n_machines=4"), path)
    assert fewer.exit_code == 1
    assert "on machine 4: machines are numbered from 0 to 3" in fewer.stdout
    other = cli("validate", KIND.replace("n_tasks=60", "n_tasks=50"), path)
    assert other.exit_code == 2
    assert "task must name each of the 50 tasks of the workload once, 0 to 49" in other.stderr


def test_rows_of_an_assignment_may_stand_in_any_order(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "assignment.parquet"
    cli("run", "best_schedule", KIND, "-o", path)
    table = pq.read_table(path)
    machine = schedcore.solve("best_schedule", INSTANCE).schedule.machine
    np.testing.assert_array_equal(table["machine"].to_numpy(), machine)
    order = np.random.default_rng(1).permutation(60)
    rows = "\n".join(f"{task},{machine[task]}" for task in order)
    (tmp_path / "shuffled.csv").write_text(f"task,machine\n{rows}\n")
    assert cli("validate", KIND, tmp_path / "shuffled.csv").exit_code == 0
    read = read_assignment(tmp_path / "shuffled.csv", INSTANCE)
    np.testing.assert_array_equal(read.machine, machine)
    (tmp_path / "alone.csv").write_text("machine\n" + "0\n" * 59 + "7\n")
    outcome = cli("validate", KIND, tmp_path / "alone.csv")
    assert outcome.exit_code == 1
    assert outcome.stdout.startswith("task 59 is on machine 7")


def test_a_file_of_another_kind_is_no_assignment(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "log.swf").write_text("; MaxProcs: 4\n")
    outcome = cli("validate", KIND, tmp_path / "log.swf")
    assert outcome.exit_code == 2
    assert "not a known kind of assignment; known are .parquet, .csv" in outcome.stderr


def test_bounds_are_those_of_the_library(cli: Cli) -> None:
    found = {row["bound"]: row for row in json.loads(cli("bounds", KIND, "-f", "json").stdout)}
    assert list(found) == ["simple", "qcp"]
    for method, row in found.items():
        expected = lower_bound(INSTANCE, method)
        assert (row["value"], row["is_exact"]) == (expected.bound, expected.is_exact)
        assert row["objective"] == "max_cost"
    assert "qcp" in cli("bounds", KIND).stdout


def test_generated_tasks_are_read_back_and_not_converted(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "tasks.parquet"
    assert cli("generate", KIND, "-o", path).exit_code == 0
    assert schedcore.ColocationInstance.from_parquet(path) == INSTANCE
    assert cli("bounds", path, "-f", "json").stdout == cli("bounds", KIND, "-f", "json").stdout
    outcome = cli("convert", path, "-o", tmp_path / "tasks.swf")
    assert outcome.exit_code == 2
    assert "convert needs jobs, and the workload has tasks to colocate" in outcome.stderr


def test_an_instance_is_drawn_from_a_file_of_tasks(cli: Cli, tmp_path: Path) -> None:
    sample = standin_tasks(seed=3)
    sample.to_parquet(tmp_path / "sample.parquet")
    arguments = {"cls": 0, "n_types": 2, "n_tasks": 30, "n_machines": 3}
    read = [word for name, value in arguments.items() for word in ("--read", f"{name}={value}")]
    outcome = cli(
        "compare", tmp_path / "sample.parquet", *read, "--seed", 4, "-p", "best_schedule", "-f", "csv"
    )
    (row,) = outcome.rows
    inst = grid_instance(sample, "compatible", 2, 30, 3, 4)
    assert float(row["max_cost"]) == schedcore.solve("best_schedule", inst).value
