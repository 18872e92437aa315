"""``schedcore compare --report``: one page that stands alone, with the command that makes it again."""

import hashlib
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from html_pages import refers_to_nothing_outside

pytest.importorskip("jinja2")
pytest.importorskip("matplotlib")

Cli = Callable[..., Any]

LOG = """; UnixStartTime: 1700000000
; MaxProcs: 8
1 0 5 600 4 -1 -1 4 900 -1 1 1 1 -1 -1 -1 -1 -1
2 60 400 1200 8 -1 -1 8 1800 -1 1 2 1 -1 -1 -1 -1 -1
3 120 0 300 2 -1 -1 2 300 -1 1 1 1 -1 -1 -1 -1 -1
4 180 10 60 9 -1 -1 9 100 -1 1 2 1 -1 -1 -1 -1 -1
5 240 1000 600 1 -1 -1 1 700 -1 1 3 1 -1 -1 -1 -1 -1
"""


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "small one.swf"
    path.write_text(LOG, encoding="utf-8")
    return path


def page_of(cli: Cli, path: Path, *words: object) -> str:
    outcome = cli("compare", *words, "--report", path)
    assert outcome.exit_code == 0, outcome.stderr
    return path.read_text(encoding="utf-8")


def test_a_log_gives_a_page_with_all_that_the_command_says(cli: Cli, log: Path, tmp_path: Path) -> None:
    page = page_of(cli, tmp_path / "out.html", log, "--read", "n_resources=1", "--allow-loss")
    elements = refers_to_nothing_outside(page)
    assert len(elements.of("script")) == 2
    (policy,) = (tag["content"] for tag in elements.of("meta") if "http-equiv" in tag)
    assert policy is not None
    assert policy.startswith(
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src 'sha256-"
    )
    for expected in (
        "How long do the jobs wait in small one.swf?", "has the smallest mean wait", "Mean wait by shape",
        "Mean wait by user", "Use of the machines over time", "Job by job", "5 rows read, 4 jobs", "2023-11-14 22:13",
        "one pool of 8 processors", f"schedcore compare '{log}' --read n_resources=1 --allow-loss", "SHA-256",
    ):  # fmt: skip
        assert expected in elements.text, expected
    assert str(log) not in elements.text.split("The data")[0]  # the folders of a file are no news


def test_the_command_to_repeat_says_all_and_the_files_it_read(cli: Cli, log: Path, tmp_path: Path) -> None:
    site = tmp_path / "site.toml"
    site.write_text('[compare]\npolicy = ["easy", "fcfs"]\nallow-loss = true\n', encoding="utf-8")
    gone = tmp_path / "gone.csv"
    gone.write_text("id,time\n5,300\n", encoding="utf-8")
    words = (log, "--config", site, "--save-config", tmp_path / "saved.toml", "--read", "n_resources=1")
    page = page_of(cli, tmp_path / "out.html", *words, "--cancellations", gone)
    (command,) = re.findall("<pre>(.*?)</pre>", page, re.DOTALL)
    assert command == (
        f"schedcore compare &#39;{log}&#39; --policy easy --policy fcfs --read n_resources=1 --cancellations {gone} "
        "--allow-loss"
    )
    files = page.split("SHA-256")[1]
    assert "small one.swf" in files
    assert "gone.csv" in files
    assert hashlib.sha256(gone.read_bytes()).hexdigest() in files


def test_classes_that_were_asked_for_are_on_the_page(cli: Cli, log: Path, tmp_path: Path) -> None:
    words = (log, "--read", "n_resources=1", "--read", "keep=queue", "--allow-loss", "--classes", "length")
    elements = refers_to_nothing_outside(page_of(cli, tmp_path / "out.html", *words))
    assert "Mean wait by processing time" in elements.text
    assert "narrow: at most 8 processors; short: at most an hour" in elements.text


def test_the_same_call_gives_the_same_bytes_but_for_times_that_were_measured(
    cli: Cli, log: Path, tmp_path: Path
) -> None:
    words = (log, "-p", "fcfs", "--read", "n_resources=1", "--allow-loss")
    pages = [page_of(cli, tmp_path / f"{name}.html", *words) for name in "ab"]
    assert pages[0] == pages[1]


@pytest.mark.parametrize(
    ("words", "question"),
    [
        (
            ["-p", "easy", "--against", "order=lxf"],
            "What changes from easy to easy:order=lxf on small one.swf?",
        ),
        (["--machines", "+25%,+50%"], "What would other machines do to the jobs of small one.swf?"),
        (["--sweep", "machines=8..12:2"], "What would other machines do to the jobs of small one.swf?"),
        (["--objective", "awct", "-p", "pq"], "Which policy suits small one.swf best?"),
        (["-p", "easy", "--outage", "all 1h 1h"], "How long do the jobs wait in small one.swf?"),
    ],
)
def test_every_comparison_has_a_page(
    cli: Cli, log: Path, tmp_path: Path, words: list[str], question: str
) -> None:
    page = page_of(cli, tmp_path / "out.html", log, *words, "--read", "n_resources=1", "--allow-loss")
    elements = refers_to_nothing_outside(page)
    assert question in elements.text
    assert "8, offered load" in elements.text  # of the recorded cluster, whatever is varied
    assert "How to repeat this" in elements.text


@pytest.mark.parametrize(
    "workload",
    [
        "colocation_grid:cls=1,n_types=2,n_tasks=8,n_machines=3", "parallel_task_standin:n_jobs=8,n_machines=3",
        "mapreduce_standin:n_jobs=5", "azure_like:n_jobs=0,n_machines=2", "azure_like:n_jobs=1,n_machines=2",
    ],
)  # fmt: skip
def test_every_kind_of_problem_has_a_page(cli: Cli, tmp_path: Path, workload: str) -> None:
    page = page_of(cli, tmp_path / "out.html", workload)
    elements = refers_to_nothing_outside(page)
    assert workload.partition(":")[0] in elements.text
    assert bool(elements.of("canvas")) == (workload == "azure_like:n_jobs=1,n_machines=2")


def test_slots_have_a_page_without_single_jobs(cli: Cli, tmp_path: Path) -> None:
    page = page_of(cli, tmp_path / "out.html", "slotted_standin:n_jobs=8", "--problem", "slots")
    assert not refers_to_nothing_outside(page).of("canvas")


def test_what_cannot_be_written_is_refused_before_anything_runs(cli: Cli, log: Path, tmp_path: Path) -> None:
    taken = tmp_path / "taken.html"
    taken.write_text("mine", encoding="utf-8")
    for target, sentence in (
        (taken, "--force overwrites it"), (tmp_path / "out.txt", "must end in .html"),
        (tmp_path / "none" / "out.html", "does not exist"), (tmp_path, "must end in .html"),
    ):  # fmt: skip
        outcome = cli("compare", log, "--report", target)
        assert outcome.exit_code == 2
        assert sentence in outcome.stderr
        assert "rows read" not in outcome.stderr
    assert taken.read_text(encoding="utf-8") == "mine"
    page_of(cli, taken, log, "--force", "--read", "n_resources=1", "--allow-loss")


def test_a_policy_that_fails_is_on_the_page_and_the_command_says_so(
    cli: Cli, log: Path, tmp_path: Path
) -> None:
    outcome = cli(
        "compare", log, "-p", "easy", "-p", "all_at_once", "-p", "refusing", "--read", "n_resources=1", "--allow-loss",
        "--report", tmp_path / "out.html",
    )  # fmt: skip
    assert outcome.exit_code == 1
    elements = refers_to_nothing_outside((tmp_path / "out.html").read_text(encoding="utf-8"))
    assert "all_at_once: INVALID" in elements.text
    assert "refusing: FAILED: job 3 fits no machine" in elements.text
    assert any("wrong" in (tag.get("class") or "") for tag in elements.of("td"))
