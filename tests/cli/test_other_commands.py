"""``run``, ``validate``, ``bounds``, ``generate``, ``convert`` and ``policies``."""

import codecs
import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import schedcore
from schedcore import registry
from schedcore.bounds import average_response_time_lower_bound
from schedcore.workloads import azure_like

SMALL = "azure_like:n_jobs=40,n_machines=2"


@pytest.mark.parametrize("suffix", [".parquet", ".csv"])
def test_a_schedule_that_run_wrote_is_valid_and_complete(
    cli: Callable[..., Any], tmp_path: Path, suffix: str
) -> None:
    path = tmp_path / f"plan{suffix}"
    outcome = cli("run", "one_after_another:pause=0.1", SMALL, "-o", path, "-f", "json")
    assert outcome.exit_code == 0, outcome.stderr
    assert json.loads(outcome.stdout)["verdict"] == "valid"
    checked = cli("validate", SMALL, path)
    assert checked.exit_code == 0
    assert checked.stdout.splitlines()[0] == "the schedule is feasible"


def test_rows_of_a_schedule_file_are_matched_by_id(cli: Callable[..., Any], tmp_path: Path) -> None:
    path = tmp_path / "plan.csv"
    cli("run", "one_after_another", SMALL, "-o", path)
    header, *rows = path.read_text().splitlines()
    path.write_text("\n".join([header, *reversed(rows)]) + "\n")
    assert cli("validate", SMALL, path).exit_code == 0


def test_an_invalid_schedule_is_a_finding_and_its_violation_is_named(
    cli: Callable[..., Any], tmp_path: Path
) -> None:
    path = tmp_path / "plan.parquet"
    assert cli("run", "all_at_once", SMALL, "-o", path).exit_code == 1
    for output_format in ("table", "csv", "json"):
        outcome = cli("validate", SMALL, path, "-f", output_format)
        assert outcome.exit_code == 1
        assert "job " in outcome.stdout
    report = json.loads(cli("validate", SMALL, path, "-f", "json").stdout)
    assert report["ok"] is False
    assert report["kind"] == "capacity_exceeded"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("id,start_time\n0,1\n", "no column machine"),
        ("start_time,machine\n0,0\n", "has 1 jobs, the instance 40"),
        ("id,start_time,machine\n0,1,0\n", "no row for job id 1"),
        ("id,start_time,machine\n" + "".join(f"{j},1,0\n" for j in [*range(40), 7]), "2 rows for job id 7"),
        ("id,start_time,machine\n" + "".join(f"{j},1,0\n" for j in range(41)), "40"),
        ("id,start_time,machine\n0,,0\n", "line 2: start_time is missing"),
        ("id,start_time,machine\n0,soon,0\n", "line 2: start_time 'soon' is not a number"),
        ("id,start_time,machine\n0,1,0.5\n", "line 2: machine '0.5' is not an integer"),
        ("id,start_time,machine\n1,2\n0,1,0\n", "1 row (line 2): not as many fields as column names"),
        ("id,id,start_time,machine\n0,0,1,0\n", "has two columns named id"),
        ('id,start_time,machine\n0,"1,0\n', "line 2: a quote is not closed"),
        ('"id,start_time,machine\n0,1,0\n', "line 1: a quote is not closed"),
        ("", "cannot be read: it is empty"),
    ],
)
def test_a_senseless_schedule_file_ends_with_2(
    cli: Callable[..., Any], tmp_path: Path, text: str, message: str
) -> None:
    path = tmp_path / "plan.csv"
    path.write_text(text)
    outcome = cli("validate", SMALL, path)
    assert outcome.exit_code == 2
    assert message in outcome.stderr
    assert outcome.stdout == ""


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("plan.csv", bytes(range(128, 256)) * 9, "line 1 is not UTF-8 (byte 0x80)"),
        ("plan.csv", b"id,start_time,caf\xe9,machine\n", "line 1 is not UTF-8 (byte 0xe9)"),
        ("jobs.csv", b"job_id,starting_time,name\n1,2,caf\xe9\n", "line 2 is not UTF-8 (byte 0xe9)"),
        ("plan.csv", gzip.compress(b"id,start_time\n")[:9], "no column start_time|empty|damaged gzip file"),
        ("plan.csv", gzip.compress(b"id,start_time\n"), "has no column machine"),
        ("plan.parquet", bytes(range(256)), "is not a readable Parquet file"),
        ("plan.txt", b"id,start_time,machine\n", "not a known kind of schedule"),
        ("plan", bytes(range(256)), "not a known kind of schedule"),
    ],
)
def test_a_schedule_file_of_another_kind_ends_with_2_and_is_named(
    cli: Callable[..., Any], tmp_path: Path, name: str, content: bytes, message: str
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    outcome = cli("validate", SMALL, path)
    assert outcome.exit_code == 2
    told = outcome.stderr.splitlines()[-1]
    assert str(path) in told
    assert any(part in told for part in message.split("|"))


def test_a_schedule_with_a_byte_order_mark_and_blank_lines_is_read(
    cli: Callable[..., Any], tmp_path: Path
) -> None:
    path = tmp_path / "plan.csv"
    cli("run", "one_after_another", SMALL, "-o", path)
    path.write_bytes(codecs.BOM_UTF8 + path.read_bytes().replace(b"\n", b"\n\n"))
    assert cli("validate", SMALL, path).exit_code == 0


def test_a_missing_schedule_file_ends_with_2(cli: Callable[..., Any], tmp_path: Path) -> None:
    outcome = cli("validate", SMALL, tmp_path / "nothing.csv")
    assert outcome.exit_code == 2
    assert "nothing.csv" in outcome.stderr


def test_existing_output_is_kept_without_force(cli: Callable[..., Any], tmp_path: Path, log: Path) -> None:
    path = tmp_path / "precious.parquet"
    path.write_text("precious")
    for words in (
        ("run", "one_after_another", SMALL, "-o", path),
        ("generate", SMALL, "-o", path),
        ("convert", log, "--read", "n_resources=1", "-o", path),
    ):
        path.write_text("precious")
        outcome = cli(*words)
        assert outcome.exit_code == 2
        assert "--force" in outcome.stderr
        assert path.read_text() == "precious"
        assert cli(*words, "--force").exit_code == 0
        assert path.read_bytes().startswith(b"PAR1")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("plan.xlsx", "must end in"),
        ("no/such/plan.parquet", "does not exist"),
        ("folder.parquet", "is a folder"),
    ],
)
def test_an_output_that_cannot_be_written_is_told_before_the_run(
    cli: Callable[..., Any], tmp_path: Path, name: str, message: str
) -> None:
    (tmp_path / "folder.parquet").mkdir()
    outcome = cli("run", "interrupted", SMALL, "-o", tmp_path / name)
    assert outcome.exit_code == 2
    assert message in outcome.stderr


def test_run_reports_a_policy_that_fails(cli: Callable[..., Any], tmp_path: Path) -> None:
    path = tmp_path / "plan.csv"
    outcome = cli("run", "refusing", SMALL, "-o", path)
    assert outcome.exit_code == 1
    assert "job 3 fits no machine" in outcome.stderr
    assert not path.exists()


@pytest.mark.parametrize("output_format", ["table", "csv", "json"])
def test_run_prints_its_figures_in_every_format(cli: Callable[..., Any], output_format: str) -> None:
    outcome = cli("run", "one_after_another", SMALL, "--format", output_format)
    assert outcome.exit_code == 0
    assert "avg_bounded_slowdown" in outcome.stdout


def test_generate_writes_what_the_generator_returns(cli: Callable[..., Any], tmp_path: Path) -> None:
    path = tmp_path / "instance.parquet"
    assert cli("generate", SMALL, "--seed", 5, "-o", path).exit_code == 0
    assert schedcore.Instance.from_parquet(path) == azure_like(5, 40, 2)


def test_generate_without_a_name_lists_the_generators(cli: Callable[..., Any]) -> None:
    assert "azure_like" in cli("generate").stdout
    assert "azure_like" in cli("generate", "-f", "csv").stdout
    listed = {row["generator"]: row["parameters"] for row in json.loads(cli("generate", "-f", "json").stdout)}
    assert listed["azure_like"] == {"seed": None, "n_jobs": None, "n_machines": 20, "n_resources": 4}


def test_generate_needs_an_output(cli: Callable[..., Any]) -> None:
    outcome = cli("generate", SMALL)
    assert outcome.exit_code == 2
    assert "--output" in outcome.stderr


def test_a_converted_log_equals_the_log(cli: Callable[..., Any], tmp_path: Path, log: Path) -> None:
    path = tmp_path / "log.parquet"
    outcome = cli("convert", log, "--machines", "1x4,8MB", "--missing-memory", "used", "-o", path)
    assert outcome.exit_code == 0
    assert "3 rows read" in outcome.stderr
    inst = schedcore.Instance.from_parquet(path)
    assert inst.jobs.processing_time.tolist() == [100, 50, 30]
    assert inst.jobs.demand.tolist() == [[1, 1024], [2, 1024], [4, 1024]]
    assert inst.machines.capacity.tolist() == [[4, 8192]]
    assert cli("compare", path, "-p", "one_after_another").exit_code == 0


def test_bounds_are_those_of_the_library(cli: Callable[..., Any]) -> None:
    inst = azure_like(1, 40, 2)
    expected = schedcore.lower_bounds(inst)
    listed = json.loads(cli("bounds", SMALL, "-f", "json").stdout)
    values = {row["bound"]: row["value"] for row in listed}
    assert values.pop("makespan") == schedcore.makespan_lower_bound(inst)
    assert values.pop("response") == average_response_time_lower_bound(inst)
    assert values == expected
    rows = cli("bounds", SMALL, "-f", "csv").rows
    assert [row["bound"] for row in rows] == [*expected, "response", "makespan"]
    assert "best" in cli("bounds", SMALL).stdout


def test_policies_lists_every_registered_algorithm_and_what_it_decides_with(cli: Callable[..., Any]) -> None:
    listed = {row["name"]: row for row in json.loads(cli("policies", "-f", "json").stdout)}
    assert list(listed) == list(registry.names())
    assert [option["name"] for option in listed["one_after_another"]["options"]] == ["pause"]
    solved = {
        schedcore.Instance: "jobs",
        schedcore.ColocationInstance: "tasks to colocate",
        schedcore.ParallelTaskInstance: "jobs of parallel tasks",
        schedcore.MapReduceInstance: "jobs of map and reduce tasks",
    }
    for algorithm in registry.algorithms():
        is_about_jobs = algorithm.instance_kind is schedcore.Instance and not algorithm.slotted
        titles = [solved[kind] for kind in (algorithm.instance_kind, *algorithm.also_solves)]
        if algorithm.slotted and algorithm.instance_kind is schedcore.Instance:
            titles[0] = "jobs in slots"
        assert listed[algorithm.name]["solves"] == ", ".join(titles)
        assert listed[algorithm.name]["decides_with"] == (algorithm.decides_with if is_about_jobs else None)
        assert listed[algorithm.name]["guarantee"] == algorithm.guarantee
    assert "one_after_another" in cli("policies").stdout
    assert len(cli("policies", "-f", "csv").rows) == len(listed)
