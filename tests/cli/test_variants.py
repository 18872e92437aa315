"""``schedcore compare`` with variants: more machines, other machines, other estimates, more traffic, sweeps."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cli.site_log import write_site
from schedcore import metrics, solve
from schedcore.workloads import read_swf, scale_release_times, with_cluster_size

READ = ("--read", "n_resources=1")


@pytest.fixture
def site(tmp_path: Path) -> Path:
    return write_site(tmp_path)


def test_a_row_per_policy_and_variant_begins_with_the_policy(cli: Callable[..., Any], site: Path) -> None:
    outcome = cli(
        "compare", site, *READ, "--machines", "+25%,-25%", "-p", "easy", "-p", "fcfs", "--allow-loss"
    )
    assert outcome.exit_code == 0, outcome.stderr
    rows = [line.split()[:2] for line in outcome.stdout.splitlines() if line.startswith(("easy", "fcfs"))]
    assert rows == [
        ["easy", "recorded"], ["easy", "+25%"], ["easy", "-25%"],
        ["fcfs", "recorded"], ["fcfs", "+25%"], ["fcfs", "-25%"],
    ]  # fmt: skip
    assert "left out of all variants, as they do not fit some" in outcome.stdout


def test_figures_are_those_of_the_library_on_the_same_jobs(cli: Callable[..., Any], site: Path) -> None:
    outcome = cli("compare", site, *READ, "--machines", "+25%", "--load", "x2", "-p", "easy", "--csv")
    inst, _ = read_swf(site, n_resources=1)
    changed = scale_release_times(with_cluster_size(inst, 10), 0.5)
    expected = [metrics.summary(each, solve("easy", each).schedule)["avg_wait"] for each in (inst, changed)]
    assert [float(row["avg_wait"]) for row in outcome.rows] == expected
    assert [(row["machines"], row["load"], row["cluster_size"]) for row in outcome.rows] == [
        ("recorded", "recorded", "8"), ("+25%", "x2", "10"),
    ]  # fmt: skip


def test_what_really_happened_stands_beside_the_recorded_variant_alone(
    cli: Callable[..., Any], site: Path
) -> None:
    rows = cli("compare", site, *READ, "--machines", "+25%", "--csv").rows
    assert [row["machines"] for row in rows if row["policy"] == "recorded"] == ["recorded"]
    swept = cli(
        "compare", site, *READ, "--sweep", "machines=8..12:2", "-p", "recorded", "-p", "easy", "--csv"
    ).rows
    assert [(row["policy"], row["machines"]) for row in swept] == [
        ("recorded", "recorded"), ("easy", "8"), ("easy", "10"), ("easy", "12"),
    ]  # fmt: skip


def test_other_machines_are_compared_on_the_same_jobs(cli: Callable[..., Any], site: Path) -> None:
    outcome = cli(
        "compare", site, *READ, "--against-machines", "2x4", "-p", "easy", "-p", "fcfs", "--json", "-w", 1
    )
    assert outcome.exit_code == 0, outcome.stderr
    found = json.loads(outcome.stdout)
    assert [variant["labels"] for variant in found["variants"]] == [
        {"machines": "recorded"},
        {"machines": "2x4"},
    ]
    assert [row["machines"] for row in found["policies"]] == ["recorded", "2x4"] * 2
    assert len({row["n_jobs"] for row in found["policies"]}) == 1
    few = cli("compare", site, *READ, "--against-machines", "1x4", "-p", "easy", "--json", "--allow-loss")
    left = json.loads(few.stdout)["left_out"]
    assert left["n_jobs"] > 0
    assert 0 < left["work"]["processors"] < 1
    refused = cli("compare", site, *READ, "--against-machines", "1x4", "-p", "easy")
    assert refused.exit_code == 2
    assert "--allow-loss goes on without these" in refused.stderr


def test_disturbances_hit_every_variant(cli: Callable[..., Any], site: Path) -> None:
    words = (*READ, "--machines", "+25%", "--outage", "all 1m 10m", "-p", "easy", "--csv")
    with_outage = cli("compare", site, *words)
    assert with_outage.exit_code == 0, with_outage.stderr
    without = cli("compare", site, *READ, "--machines", "+25%", "-p", "easy", "--csv")
    for disturbed, plain in zip(with_outage.rows, without.rows, strict=True):
        assert float(disturbed["avg_wait"]) > float(plain["avg_wait"])


def test_the_curve_is_drawn(cli: Callable[..., Any], site: Path, tmp_path: Path) -> None:
    for words in (("--sweep", "machines=8..12:2"), ("--machines", "+50%"), ("--sweep", "load=0.5..1:0.5")):
        outcome = cli("compare", site, *READ, *words, "--plot", tmp_path / "drawn", "--force")
        assert outcome.exit_code == 0, outcome.stderr
        assert [path.name for path in (tmp_path / "drawn").iterdir()] == ["variants.png"]


def test_as_many_workers_as_are_asked_for_give_the_same_rows(cli: Callable[..., Any], site: Path) -> None:
    found = []
    for workers in (1, 3):
        rows = cli("compare", site, *READ, "--sweep", "machines=8..16:2", "-w", workers, "--csv").rows
        found.append(
            [{k: v for k, v in row.items() if k not in ("seconds", "jobs_per_second")} for row in rows]
        )
    assert found[0] == found[1]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--machines", "+10%,4x2"), "percentages and machines in other words do not go together"),
        (("--machines", "+10%", "--against-machines", "4x2"), "which vary already"),
        (("--against-machines", "+10%"), "percentages are for --machines"),
        (("--sweep", "load=1..2", "--against-machines", "4x2"), "--sweep varies one thing"),
        (("--machines", "+10%", "--against", "selection=bb"), "--against: that is for one workload"),
        (("--machines", "+10%", "--classes", "size"), "--classes: that is for one workload"),
        (("--sweep", "machines=9..3"), "has no point"),
        (("--load", "fast"), "is not a factor above 0"),
        (("--workers", "2"), "--workers: without a variant policies run one after the other"),
    ],
)
def test_nonsense_is_one_sentence_and_writes_nothing(
    cli: Callable[..., Any], site: Path, tmp_path: Path, words: tuple[str, ...], message: str
) -> None:
    outcome = cli("compare", site, *READ, *words, "-p", "easy", "--plot", tmp_path / "drawn")
    assert (outcome.exit_code, outcome.stdout) == (2, "")
    assert message in outcome.stderr
    assert not (tmp_path / "drawn").exists() or not any((tmp_path / "drawn").iterdir())


def test_other_kinds_have_no_variants(cli: Callable[..., Any]) -> None:
    outcome = cli("compare", "colocation_grid:cls=3,n_types=3,n_tasks=20,n_machines=4", "--load", "x2")
    assert outcome.exit_code == 2
    assert "--load: that is about jobs over time, these are tasks to colocate" in outcome.stderr


def test_an_interrupt_ends_all_of_them(cli: Callable[..., Any]) -> None:
    outcome = cli(
        "compare", "azure_like:n_jobs=60,n_machines=3", "--load", "x2,x3", "-p", "interrupted", "-p", "pq"
    )
    assert outcome.exit_code == 130
    assert outcome.stdout == ""


def test_a_policy_that_fails_is_named_with_its_variant(cli: Callable[..., Any]) -> None:
    outcome = cli(
        "compare", "azure_like:n_jobs=60,n_machines=3", "--load", "x2", "-p", "refusing", "-p", "pq"
    )
    assert outcome.exit_code == 1
    assert "refusing (load x2): FAILED: job 3 fits no machine" in outcome.stderr


def test_policies_are_chosen_that_take_all_variants(cli: Callable[..., Any], site: Path) -> None:
    outcome = cli("compare", site, *READ, "--against-machines", "8x1", "--csv")
    assert outcome.exit_code == 0, outcome.stderr
    assert list(dict.fromkeys(row["policy"] for row in outcome.rows)) == [
        "easy", "conservative", "fcfs", "recorded", "easy:order=lxf",
    ]  # fmt: skip


def test_a_sweep_of_the_load_is_about_waits_too_and_shows_what_happened(
    cli: Callable[..., Any], site: Path
) -> None:
    rows = cli("compare", site, *READ, "--sweep", "load=0.5..1:0.5", "--csv").rows
    assert [(row["policy"], row["load"]) for row in rows if row["policy"] in ("easy", "recorded")] == [
        ("easy", "x0.5"), ("easy", "x1"), ("recorded", "recorded"),
    ]  # fmt: skip


def test_small_steps_are_told_apart(cli: Callable[..., Any], site: Path) -> None:
    rows = cli("compare", site, *READ, "--sweep", "load=0.00001..0.00003:0.00001", "-p", "easy", "--csv").rows
    assert [row["load"] for row in rows] == ["x1e-05", "x2e-05", "x3e-05"]


def test_cancellations_of_jobs_that_are_left_out_do_not_count(cli: Callable[..., Any], site: Path) -> None:
    cancelled = site.with_name("cancelled.csv")
    cancelled.write_text("id,time\n3,0\n4,30\n")  # of 8 and 5 processors
    outcome = cli(
        "compare",
        site,
        *READ,
        "--machines",
        "-25%",
        "--cancellations",
        cancelled,
        "-p",
        "easy",
        "--allow-loss",
        "--json",
    )
    assert outcome.exit_code == 0, outcome.stderr
    assert json.loads(outcome.stdout)["left_out"]["n_jobs"] > 0
    refused = cli("compare", site, *READ, "--load", "x2", "--cancellations", cancelled, "-p", "easy")
    assert refused.exit_code == 2
    assert "jobs come at others where the load varies" in refused.stderr


def test_what_the_log_cannot_have_done_is_told_beside_variants(cli: Callable[..., Any], site: Path) -> None:
    outcome = cli("compare", site, *READ, "--machines", "+25%", "-p", "easy", "-p", "recorded")
    assert "recorded: up to" in outcome.stderr


def test_nothing_to_run_is_an_error(cli: Callable[..., Any]) -> None:
    outcome = cli("compare", "azure_like:n_jobs=20,n_machines=2", "--sweep", "load=1..2", "-p", "recorded")
    assert (outcome.exit_code, outcome.stdout) == (2, "")
    assert "name a policy" in outcome.stderr


def test_two_formats_are_refused_before_anything_runs(cli: Callable[..., Any], site: Path) -> None:
    outcome = cli("compare", site, *READ, "--json", "--csv")
    assert outcome.exit_code == 2
    assert "rows read" not in outcome.stderr
