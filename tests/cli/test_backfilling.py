"""``schedcore compare`` with the policies of batch systems: two objectives, estimates, classes, and differences."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import schedcore
from data_folder import data_folder
from schedcore import Instance, Jobs, Machines, metrics
from schedcore.bounds import average_response_time_lower_bound, awct_lower_bound
from schedcore.workloads import read_swf


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """60 jobs on 8 processors; most ask for three times their run time, some for less than it, some for nothing."""
    rows = ["; MaxProcs: 8"]
    for job in range(1, 61):
        submit, run, size = 7 * job, 10 + 37 * job % 90, 1 + 5 * job % 8
        requested = -1 if job % 10 == 0 else run - 5 if job % 10 == 1 else 3 * run
        rows.append(f"{job} {submit} -1 {run} {size} -1 -1 {size} {requested} -1 1 1 1 1 1 1 -1 -1")
    path = tmp_path / "site.swf"
    path.write_text("\n".join(rows) + "\n")
    return path


def compare(cli: Callable[..., Any], log: Path, *words: object) -> Any:
    outcome = cli("compare", log, "--read", "n_resources=1", *words, "-f", "json")
    assert outcome.exit_code == 0, outcome.stderr
    return json.loads(outcome.stdout)


def test_every_gap_is_to_the_bound_of_the_same_objective(cli: Callable[..., Any], site: Path) -> None:
    content = compare(cli, site, "-p", "easy", "-p", "pq")
    inst, _ = read_swf(site, n_resources=1)
    bounds = content["lower_bounds"]
    assert bounds["awct"] == awct_lower_bound(inst)
    assert bounds["average_response_time"] == average_response_time_lower_bound(inst)
    assert bounds["makespan"] == schedcore.makespan_lower_bound(inst)
    for row in content["policies"]:
        assert row["awct_gap"] == row["awct"] / bounds["awct"] - 1 >= 0
        assert row["avg_response_gap"] == row["avg_response"] / bounds["average_response_time"] - 1 >= 0
        assert row["makespan_gap"] == row["makespan"] / bounds["makespan"] - 1 >= 0
    easy, pq = content["policies"]
    assert (easy["objective"], easy["gap"]) == ("average_response_time", easy["avg_response_gap"])
    assert (pq["objective"], pq["gap"]) == ("awct", pq["awct_gap"])
    result = schedcore.solve("easy", inst)
    assert easy["gap"] == result.gap()
    assert easy["lower_bound"] == result.lower_bound


def test_what_is_drawn_is_what_the_policies_are_made_for(
    cli: Callable[..., Any], site: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "drawn"
    compare(cli, site, "-p", "easy", "-p", "fcfs", "--plot", folder)
    assert {path.name for path in folder.iterdir()} == {
        "response.png",
        "queuing_delay.png",
        "utilisation.png",
        "queue.png",
    }
    compare(cli, site, "-p", "easy", "-p", "pq", "--plot", folder, "--force")
    assert (folder / "awct.png").exists()


@pytest.mark.parametrize(
    ("policies", "shown"),
    [
        (("easy", "pq"), {"AWCT", "response"}),
        (("easy", "fcfs"), {"response"}),
        (("pq", "tetris"), {"AWCT"}),
    ],
)
def test_a_generator_is_compared_by_what_its_policies_are_made_for(
    cli: Callable[..., Any], policies: tuple[str, ...], shown: set[str]
) -> None:
    words = [word for policy in policies for word in ("-p", policy)]
    outcome = cli("compare", "feitelson_k:n_jobs=60,seed=1", *words)
    assert {word for word in ("AWCT", "response") if word in outcome.stdout} == shown
    assert outcome.stdout.count("above") == len(shown)


@pytest.mark.parametrize(
    ("words", "shown"),
    [((), set()), (("--objective", "awct"), {"AWCT"}), (("--objective", "response"), {"response"})],
)
def test_a_log_is_compared_by_waits_unless_another_objective_is_asked_for(
    cli: Callable[..., Any], site: Path, words: tuple[str, ...], shown: set[str]
) -> None:
    outcome = cli("compare", site, "--read", "n_resources=1", "-p", "easy", "-p", "pq", *words)
    assert outcome.exit_code == 0
    assert {word for word in ("AWCT", "response") if word in outcome.stdout} == shown
    assert outcome.stdout.count("above") == len(shown)
    heads = [line.split() for line in outcome.stdout.splitlines()[1:4]]
    if not shown:
        assert heads == [
            ["mean", "wait", "bounded", "make-", "longest"],
            ["wait", "p95", "slow-", "use", "of", "span", "wait"],
            ["policy", "min", "min", "down", "processors", "min", "min", "check"],
        ]


def test_policies_decide_with_the_estimates_and_the_repairs_are_printed(
    cli: Callable[..., Any], site: Path
) -> None:
    outcome = cli("compare", site, "--read", "n_resources=1", "-p", "conservative", "-p", "pq", "-f", "json")
    assert "6 missing_estimate" in outcome.stderr
    assert "6 estimate_raised" in outcome.stderr
    assert (
        "decided with the estimates of the jobs (the true run time of the 10.0 % that have none): conservative; what "
        "other policies know"
    ) in outcome.stderr
    inst, _ = read_swf(site, n_resources=1)
    assert inst.jobs.has_estimates
    exact = schedcore.Instance(
        inst.jobs.replace(estimated_processing_time=inst.jobs.processing_time), inst.machines
    )
    wait = json.loads(outcome.stdout)["policies"][0]["avg_wait"]
    assert wait == metrics.summary(inst, schedcore.conservative(inst).schedule)["avg_wait"]
    assert wait != metrics.summary(exact, schedcore.conservative(exact).schedule)["avg_wait"]


def test_the_caller_may_refuse_missing_estimates(cli: Callable[..., Any], site: Path) -> None:
    outcome = cli(
        "compare", site, "--read", "n_resources=1", "--read", "missing_estimate=error", "-p", "easy"
    )
    assert outcome.exit_code == 2
    assert "estimate" in outcome.stderr


def test_a_workload_without_estimates_says_nothing_about_them(cli: Callable[..., Any]) -> None:
    outcome = cli("compare", "azure_like:n_jobs=60,n_machines=3", "-p", "easy", "-p", "pq")
    assert outcome.exit_code == 0
    assert "estimates" not in outcome.stderr


def test_the_same_policy_under_two_names_has_the_same_row(cli: Callable[..., Any], site: Path) -> None:
    words = ("easy", "backfill:protected=1", "conservative", "backfill:protected=none,selection=bb!")
    rows = compare(cli, site, *(word for policy in words for word in ("-p", policy)))["policies"]
    volatile = {"policy", "seconds", "jobs_per_second"}
    easy, one, conservative, everyone = (
        {key: value for key, value in row.items() if key not in volatile} for row in rows
    )
    assert easy == one != conservative == everyone


def test_rows_tell_who_waited_longest_and_was_overtaken(cli: Callable[..., Any], site: Path) -> None:
    fcfs, first_fit = compare(cli, site, "-p", "fcfs", "-p", "first_fit")["policies"]
    assert (fcfs["overtaken_share"], fcfs["avg_overtaken"], fcfs["max_overtaken"]) == (0, 0, 0)
    inst, _ = read_swf(site, n_resources=1)
    expected = metrics.overtaking_summary(inst, schedcore.first_fit(inst).schedule)
    assert first_fit["max_overtaken"] == expected.max > 0
    assert first_fit["avg_overtaken"] == expected.mean
    assert first_fit["max_wait_job"] == inst.jobs.id[expected.longest_wait_job]


@pytest.mark.parametrize("kind", ["size", "size:processors", "share", "length", "shape"])
def test_classes_have_a_row_for_each_policy(cli: Callable[..., Any], site: Path, kind: str) -> None:
    words = (
        "compare",
        site,
        "--read",
        "n_resources=1",
        "-p",
        "easy",
        "-p",
        "refusing",
        "-p",
        "fcfs",
        "--classes",
        kind,
    )
    outcome = cli(*words, "-f", "csv")
    assert outcome.exit_code == 1
    rows = outcome.rows
    assert [row["policy"] for row in rows] == ["easy", "fcfs"] * (len(rows) // 2)
    assert sum(int(row["n_jobs"]) for row in rows) == 120
    names = list(dict.fromkeys(row["class"] for row in rows))
    table = cli(*words).stdout
    assert all(name in table for name in names)
    assert len(json.loads(cli(*words, "-f", "json").stdout)["classes"]) == len(rows)


def test_users_are_classes_where_the_workload_has_them(cli: Callable[..., Any], tmp_path: Path) -> None:
    jobs = Jobs([4, 1, 2], [[1], [1], [1]], user=["bob", None, "ann"])
    Instance(jobs, Machines([[1]])).to_parquet(tmp_path / "users.parquet")
    outcome = cli("compare", tmp_path / "users.parquet", "-p", "fcfs", "--classes", "user", "-f", "csv")
    assert outcome.exit_code == 0
    waits = [(row["class"], float(row["mean_wait"])) for row in outcome.rows]
    assert waits == [("ann", 5.0), ("bob", 0.0), ("(none)", 4.0)]
    shares = [float(row["share_used"]) for row in outcome.rows]
    assert shares == [2 / 7, 4 / 7, 1 / 7]
    table = cli("compare", tmp_path / "users.parquet", "-p", "fcfs", "--classes", "user").stdout
    assert all(share in table for share in ("28.6 %", "57.1 %", "14.3 %"))
    refused = cli("compare", tmp_path / "users.parquet", "-p", "fcfs", "--classes", "account")
    assert refused.exit_code == 2
    assert "the jobs have no account; they have user" in refused.stderr


def test_policies_whose_results_do_not_name_the_instance_have_figures_by_user(
    cli: Callable[..., Any], tmp_path: Path
) -> None:
    Instance(Jobs([4, 1], [[1], [1]], user=["bob", "ann"]), Machines([[1]])).to_parquet(
        tmp_path / "users.parquet"
    )
    words = (
        "compare",
        tmp_path / "users.parquet",
        "-p",
        "one_after_another",
        "--classes",
        "user",
        "-f",
        "csv",
    )
    outcome = cli(*words, "--plot", tmp_path / "drawings")
    assert outcome.exit_code == 0, outcome.stderr
    assert [(row["class"], float(row["share_used"])) for row in outcome.rows] == [("ann", 0.2), ("bob", 0.8)]


def test_users_are_told_what_failures_cost_them(cli: Callable[..., Any], tmp_path: Path) -> None:
    jobs = Jobs([4, 1, 2], [[1], [1], [1]], user=["bob", "ann", "ann"])
    Instance(jobs, Machines([[1]], ["cores"])).to_parquet(tmp_path / "users.parquet")
    (tmp_path / "failures.csv").write_text("machine,start,end\nn1,3,5\n")
    words = ("compare", tmp_path / "users.parquet", "-p", "fcfs", "--classes", "user")
    words += ("--failures", tmp_path / "failures.csv")
    outcome = cli(*words, "-f", "csv", "--plot", tmp_path / "drawings")
    assert outcome.exit_code == 0, outcome.stderr
    told = [(row["class"], row["n_completed"], row["lost_by_failure_cores"]) for row in outcome.rows]
    assert told == [("ann", "2", "0.0"), ("bob", "1", "3.0")]
    assert float(outcome.rows[1]["share_lost"]) == 3 / 7
    assert "42.9 %" in cli(*words).stdout
    assert (tmp_path / "drawings" / "shares.png").exists()


def difference(cli: Callable[..., Any], log: Path, policy: str, against: str) -> Any:
    return compare(cli, log, "-p", policy, "--against", against)


def test_a_difference_is_second_minus_first_for_every_figure(cli: Callable[..., Any], site: Path) -> None:
    content = difference(cli, site, "easy", "queue_depth=2,selection=bb")
    first, second = content["first"], content["second"]
    assert (first["policy"], second["policy"]) == ("easy", "easy:queue_depth=2,selection=bb")
    rows = {row["figure"]: row for row in content["difference"]}
    assert {"awct", "avg_response", "avg_wait", "max_wait", "utilisation_processors"} <= set(rows)
    for figure, row in rows.items():
        if figure in first:
            assert (row["first"], row["second"]) == (first[figure], second[figure])
        assert row["difference"] == row["second"] - row["first"]
        if row["first"]:
            assert row["percent"] == pytest.approx(100 * (row["second"] / row["first"] - 1), abs=1e-9)
    wait = rows["avg_wait"]
    assert wait["better"] == ("second" if wait["second"] < wait["first"] else "first")
    use = rows["utilisation_processors"]
    assert use["better"] == (
        "second" if use["second"] > use["first"] else "first" if use["second"] < use["first"] else "equal"
    )
    assert rows["avg_overtaken"]["better"] is None


def test_jobs_that_start_earlier_and_later_are_counted_and_the_largest_named(
    cli: Callable[..., Any], site: Path
) -> None:
    jobs = difference(cli, site, "backfill", "protected=none")["jobs"]
    inst, _ = read_swf(site, n_resources=1)
    change = schedcore.conservative(inst).schedule.start_time - schedcore.easy(inst).schedule.start_time
    assert jobs["identical"] is False
    assert (jobs["n_earlier"], jobs["n_later"]) == ((change < 0).sum(), (change > 0).sum())
    assert jobs["n_earlier"] + jobs["n_later"] + jobs["n_same"] == inst.n_jobs
    assert jobs["most_earlier"] == {"id": inst.jobs.id[change.argmin()], "by": -change.min()}
    assert jobs["most_later"] == {"id": inst.jobs.id[change.argmax()], "by": change.max()}


def test_option_sets_that_decide_alike_give_identical_schedules(cli: Callable[..., Any], site: Path) -> None:
    content = difference(cli, site, "easy:queue_depth=1000", "defaults")
    assert content["second"]["policy"] == "easy"
    assert content["jobs"]["identical"] is True
    assert content["jobs"]["most_earlier"] is content["jobs"]["most_later"] is None
    timed = [row for row in content["difference"] if row["figure"] != "seconds"]
    assert {row["difference"] for row in timed} == {0}
    assert {row["better"] for row in timed} == {"equal", None}
    outcome = cli(
        "compare", site, "--read", "n_resources=1", "-p", "easy:queue_depth=1000", "--against", "defaults"
    )
    assert "Both schedules are identical." in outcome.stdout


def test_the_table_of_a_difference_says_which_is_better(cli: Callable[..., Any], site: Path) -> None:
    words = ("compare", site, "--read", "n_resources=1", "-p", "easy", "--against", "queue_depth=1")
    outcome = cli(*words, "--classes", "size")
    assert outcome.exit_code == 0
    for text in (
        "first:  easy\n",
        "second: easy:queue_depth=1\n",
        "mean wait",
        " %",
        "better",
        "start earlier",
    ):
        assert text in outcome.stdout
    rows = cli(*words, "-f", "csv").rows
    assert list(rows[0]) == ["figure", "first", "second", "difference", "percent", "better"]


def test_a_failure_under_one_option_set_is_a_finding(cli: Callable[..., Any], site: Path) -> None:
    words = (
        "compare",
        site,
        "--read",
        "n_resources=1",
        "-p",
        "conservative",
        "--against",
        "mode=rebuild,selection=bb",
    )
    for output_format in ("table", "csv", "json"):
        outcome = cli(*words, "-f", output_format)
        assert outcome.exit_code == 1
        assert "FAILED" in outcome.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--against", "selection=bb"), "name one with --policy"),
        (("-p", "easy", "-p", "fcfs", "--against", "selection=bb"), "name one with --policy"),
        (("-p", "easy", "--against", "selection=bc"), "unknown selection"),
        (("-p", "easy", "--against", "queue_dept=3"), "did you mean 'queue_depth'"),
        (("-p", "easy", "--against", "easy"), "is not option=value"),
        (("-p", "easy", "--against", "defaults"), "are the same options"),
        (("-p", "easy", "--classes", "shapes"), "did you mean 'shape'"),
        (("-p", "easy", "--classes", "size:cores"), "unknown resource 'cores'"),
        (("-p", "easy", "--classes", "share:processors"), "is not about one resource"),
    ],
)
def test_wrong_use_ends_with_2_and_a_sentence(
    cli: Callable[..., Any], site: Path, words: tuple[str, ...], message: str
) -> None:
    outcome = cli("compare", site, "--read", "n_resources=1", *words)
    assert outcome.exit_code == 2
    assert message in outcome.stderr
    assert outcome.stdout == ""


def test_all_policies_on_a_recorded_log(cli: Callable[..., Any]) -> None:
    log = data_folder("pwa-swf", "KTH-SP2-1996-2.1-cln.swf.gz")
    policies = ("fcfs", "first_fit", "easy", "easy:selection=bb", "conservative", "pq", "tetris")
    content = compare(cli, log, *(word for policy in policies for word in ("-p", policy)))
    assert content["workload"]["repaired"]["estimate_raised"] == 475
    rows = {row["policy"]: row for row in content["policies"]}
    assert {row["verdict"] for row in rows.values()} == {"valid"}
    assert all(row["avg_response_gap"] >= 0 and row["awct_gap"] >= 0 for row in rows.values())
    assert rows["fcfs"]["max_overtaken"] == 0
    assert rows["easy"]["avg_wait"] < rows["fcfs"]["avg_wait"]
    assert rows["first_fit"]["max_wait"] > rows["conservative"]["max_wait"]
