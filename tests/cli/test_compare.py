"""``schedcore compare``: results on stdout, everything else on stderr, findings in the exit code."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import schedcore
from schedcore import metrics
from schedcore.bounds import awct_lower_bound
from schedcore.problems.jobs import JobsProblem
from schedcore.workloads import azure_like

DRAWINGS = [drawing.name for drawing in JobsProblem.drawings]

SMALL = "azure_like:n_jobs=60,n_machines=3"


def test_a_table_with_a_row_for_each_policy(cli: Callable[..., Any]) -> None:
    outcome = cli("compare", SMALL, "-p", "one_after_another", "-p", "one_after_another:pause=5")
    assert outcome.exit_code == 0
    assert "one_after_another:pause=5" in outcome.stdout
    for heading in ("AWCT", "bound", "mean", "p50", "p90", "p99", "bounded", "span", "jobs/s", "check"):
        assert heading in outcome.stdout
    assert outcome.stdout.count(" valid") == 2


def test_the_data_report_goes_to_stderr(cli: Callable[..., Any]) -> None:
    outcome = cli("compare", SMALL, "-p", "one_after_another", "--format", "csv")
    assert "offered load" in outcome.stderr
    assert "offered load" not in outcome.stdout


def test_one_line_on_stderr_says_which_policies_ignore_weights(cli: Callable[..., Any]) -> None:
    policies = ("tetris", "pq", "easy", "mris", "pq:heuristic=sjf")
    outcome = cli("compare", SMALL, *(word for policy in policies for word in ("-p", policy)))
    assert [line for line in outcome.stderr.splitlines() if "ignore" in line] == [
        "tetris, easy, pq:heuristic=sjf ignore: weight"
    ]
    assert "ignore" not in outcome.stdout
    assert "ignore" not in cli("compare", SMALL, "-p", "mris").stderr
    assert "easy ignores: weight\n" in cli("run", "easy", SMALL).stderr


def test_csv_holds_the_metrics_of_the_library(cli: Callable[..., Any]) -> None:
    outcome = cli("compare", SMALL, "--seed", 3, "-p", "one_after_another", "--format", "csv")
    (row,) = outcome.rows
    inst = azure_like(3, 60, 3)
    result = schedcore.solve("one_after_another", inst)
    expected = metrics.summary(inst, result.schedule)
    assert row["policy"] == "one_after_another"
    for name in ("awct", "avg_wait", "avg_bounded_slowdown", "makespan", "wait_p99", "max_queue"):
        assert float(row[name]) == expected[name]
    assert float(row["utilisation_core"]) == expected["utilisation"][0]  # type: ignore[index]
    bound = awct_lower_bound(inst)
    assert float(row["lower_bound"]) == bound
    assert float(row["gap"]) == pytest.approx(float(row["awct"]) / bound - 1)
    assert float(row["jobs_per_second"]) > 0


def test_json_is_one_strict_document(cli: Callable[..., Any]) -> None:
    outcome = cli("compare", SMALL, "-p", "one_after_another", "-p", "all_at_once", "--format", "json")

    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    content = json.loads(outcome.stdout, parse_constant=refuse)
    assert [row["policy"] for row in content["policies"]] == ["one_after_another", "all_at_once"]
    assert [row["verdict"] for row in content["policies"]] == ["valid", "INVALID"]
    assert content["workload"]["n_jobs"] == 60
    assert content["lower_bounds"]["awct"] > 0


def test_an_invalid_schedule_is_a_finding(cli: Callable[..., Any]) -> None:
    outcome = cli("compare", SMALL, "-p", "all_at_once", "-p", "one_after_another")
    assert outcome.exit_code == 1
    assert "INVALID" in outcome.stdout
    assert "all_at_once: INVALID: job " in outcome.stderr


def test_a_failing_policy_leaves_the_others_their_rows(cli: Callable[..., Any]) -> None:
    outcome = cli("compare", SMALL, "-p", "refusing", "-p", "one_after_another", "-f", "csv")
    assert outcome.exit_code == 1
    assert [row["verdict"] for row in outcome.rows] == ["FAILED", "valid"]
    assert "refusing: FAILED: job 3 fits no machine" in outcome.stderr


def test_an_interrupt_ends_with_130_and_no_traceback(cli: Callable[..., Any]) -> None:
    outcome = cli("compare", SMALL, "-p", "interrupted")
    assert outcome.exit_code == 130
    assert outcome.stdout == ""
    assert outcome.stderr.endswith("schedcore: interrupted\n")


def test_the_same_seed_gives_the_same_figures_and_another_seed_others(cli: Callable[..., Any]) -> None:
    def awct(seed: int) -> str:
        return cli("compare", SMALL, "-p", "one_after_another", "--seed", seed, "-f", "csv").rows[0]["awct"]

    assert awct(2) == awct(2) != awct(3)


def test_no_jobs_is_no_error(cli: Callable[..., Any], tmp_path: Path) -> None:
    outcome = cli("compare", "azure_like:n_jobs=0", "-p", "one_after_another", "--plot", tmp_path / "drawn")
    assert outcome.exit_code == 0


def test_plot_writes_the_drawings(cli: Callable[..., Any], tmp_path: Path) -> None:
    folder = tmp_path / "new" / "drawn"
    outcome = cli("compare", SMALL, "-p", "one_after_another", "-p", "refusing", "--plot", folder)
    assert outcome.exit_code == 1
    assert {path.name for path in folder.iterdir()} == {*DRAWINGS} - {
        "response.png",
        "shares.png",
        "waits_by_user.png",
        "waits_by_hour.png",
    }
    for path in folder.iterdir():
        assert path.read_bytes().startswith(b"\x89PNG")


def test_a_folder_with_something_in_it_is_not_written_to_without_force(
    cli: Callable[..., Any], tmp_path: Path
) -> None:
    (tmp_path / DRAWINGS[0]).write_text("precious")
    words = ("compare", SMALL, "-p", "one_after_another", "--plot", tmp_path)
    outcome = cli(*words)
    assert outcome.exit_code == 2
    assert "not empty" in outcome.stderr
    assert outcome.stdout == ""
    assert (tmp_path / DRAWINGS[0]).read_text() == "precious"
    assert cli(*words, "--force").exit_code == 0
    assert (tmp_path / DRAWINGS[0]).read_bytes().startswith(b"\x89PNG")


def test_a_log_needs_to_be_told_what_missing_memory_means(cli: Callable[..., Any], log: Path) -> None:
    words = ("compare", log, "--machines", "1x4,8MB", "-p", "one_after_another")
    refused = cli(*words)
    assert refused.exit_code == 2
    assert "choose --missing-memory used (the memory it used), --missing-memory skip" in refused.stderr
    assert "leave memory out with --read n_resources=1" in refused.stderr
    words = (*words, "--allow-loss")
    for choice, n_jobs in (("skip", 2), ("used", 3), ("256", 3)):
        outcome = cli(*words, "--missing-memory", choice, "-f", "csv")
        assert outcome.exit_code == 0
        assert int(outcome.rows[0]["n_jobs"]) == n_jobs


def test_reader_options_reach_the_reader(cli: Callable[..., Any], log: Path) -> None:
    outcome = cli("compare", log, "--read", "n_resources=1", "-p", "one_after_another", "-f", "json")
    assert outcome.exit_code == 0
    assert list(json.loads(outcome.stdout)["policies"][0]["utilisation"]) == ["processors"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("-p", "one_after_anothr"), "did you mean 'one_after_another'"),
        (("-p", "one_after_another:puase=1"), "did you mean 'pause'"),
        (("-p", "one_after_another:pause"), "'pause' is not option=value"),
        (("-p", "one_after_another:pause=1,pause=2"), "'pause' twice"),
        (("-p", "one_after_another", "-p", "one_after_another"), "given twice"),
        (("-p", "all_at_once:pause=1"), "has no options"),
        (("--machines", "twenty"), "machines 'twenty'"),
        (("--machines", "0x1,1,1,1"), "machines '0x1,1,1,1'"),
        (("--censored", "maybe"), "censored"),
        (("--read", "mode"), "is not option=value"),
        (("--format", "xml"), "xml"),
        (("--tau", "-1"), "tau"),
        (("--seed", "-1"), "seed"),
        (("--plot", __file__), "is not a folder"),
        (("--tau", "inf"), "inf is not finite"),
        (("--tau", "nan"), "tau"),
    ],
)
def test_wrong_use_ends_with_2_and_a_sentence(
    cli: Callable[..., Any], words: tuple[str, ...], message: str
) -> None:
    outcome = cli("compare", SMALL, *words)
    assert outcome.exit_code == 2
    assert message in outcome.stderr
    assert "Traceback" not in outcome.stderr
    assert outcome.stdout == ""


@pytest.mark.parametrize(
    ("workload", "message"),
    [
        ("nowhere.swf.gz", "no such file"),
        ("azure_lik:n_jobs=5", "did you mean 'azure_like'"),
        ("azure_like:n_jbos=5", "did you mean 'n_jobs'"),
        ("azure_like:n_jobs=many", "integer"),
        ("azure_like", "n_jobs"),
    ],
)
def test_a_wrong_workload_ends_with_2_and_a_sentence(
    cli: Callable[..., Any], workload: str, message: str
) -> None:
    outcome = cli("compare", workload, "-p", "one_after_another")
    assert outcome.exit_code == 2
    assert message in outcome.stderr


@pytest.mark.parametrize(
    ("workload", "message"),
    [("lemma41:n_jobs=4", "nothing is drawn"), ("azure_like:seed=1,n_jobs=4", "given twice")],
)
def test_a_seed_that_means_nothing_is_refused(cli: Callable[..., Any], workload: str, message: str) -> None:
    outcome = cli("compare", workload, "--seed", 7, "-p", "one_after_another")
    assert outcome.exit_code == 2
    assert message in outcome.stderr


def test_the_built_in_workload_and_policies_need_no_arguments(cli: Callable[..., Any]) -> None:
    outcome = cli("compare", "--format", "csv")
    assert outcome.exit_code == 0, outcome.stderr
    rows = outcome.rows
    assert {"mris", "pq", "tetris", "bf_exec", "ca_pq"} <= {row["policy"] for row in rows}
    assert {row["verdict"] for row in rows} == {"valid"}
    assert {row["n_jobs"] for row in rows} == {"16000"}
    assert all(float(row["gap"]) > 0 for row in rows)
    days = {row["policy"]: float(row["awct"]) / 86_400 for row in rows}
    assert round(days["pq"], 3) == 8.991
    assert round(days["tetris"], 3) == 8.976
    assert round(days["bf_exec"], 3) == 8.968
    assert round(days["ca_pq"], 3) == 16.798
