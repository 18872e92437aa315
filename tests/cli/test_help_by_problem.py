"""A person meets one kind of problem at a time: help speaks of jobs unless another kind is named."""

from collections.abc import Callable
from typing import Any

import pytest

from cli.processes import run_schedcore
from schedcore.cli.help_by_problem import NAMES
from schedcore.problems import PROBLEMS, Problem

SLOTTED = "slotted_standin:n_jobs=10,window=40,seed=1"
TASKS = "colocation_grid:cls=3,n_types=3,n_tasks=20,n_machines=4"


def words_of(text: str) -> str:
    return " ".join(text.replace("│", " ").split())


def test_help_is_about_jobs(cli: Callable[..., Any]) -> None:
    shown = words_of(cli("compare", "--help").stdout)
    assert "Compare policies on the jobs of a workload" in shown
    for option in ("--against", "--classes", "--objective", "--outage", "--missing-memory", "--tau"):
        assert option in shown
    assert "--problem colocation --help" in shown
    assert "fill_rebalance" not in shown


@pytest.mark.parametrize("kind", PROBLEMS, ids=NAMES)
def test_each_kind_has_help_of_its_own(cli: Callable[..., Any], kind: type[Problem[Any]]) -> None:
    texts = {
        words_of(cli("compare", *words).stdout)
        for words in (("--problem", kind.name, "--help"), ("--help", "--problem", kind.name),
                      (f"--problem={kind.name}", "-h"))
    }  # fmt: skip
    (shown,) = texts
    assert " ".join(kind.help_on_comparing.split())[:60] in shown
    assert kind.drawings[0].name in shown
    for option in ("against", "classes", "objective", "outage"):
        assert (f"--{option}" in shown) == (option in kind.accepts)


def test_all_commands_of_the_help_texts_run(cli: Callable[..., Any]) -> None:
    lines = [line.split() for kind in PROBLEMS for line in kind.help_on_comparing.splitlines()]
    commands = [words[1:] for words in lines if words[:1] == ["schedcore"]]
    assert len(commands) == len(PROBLEMS) - 1
    for words in commands:
        small = [
            word.replace("n_jobs=6487", "n_jobs=20").replace("n_jobs=2500", "n_jobs=6") for word in words
        ]
        small = [word.replace("n_jobs=40", "n_jobs=6").replace("n_tasks=200", "n_tasks=40") for word in small]
        assert cli(*small).exit_code == 0


def test_an_unknown_kind_is_refused_with_close_matches(cli: Callable[..., Any]) -> None:
    for words in (("--problem", "colocate"), ("--problem", "colocate", "--help")):
        outcome = cli("compare", *words)
        assert outcome.exit_code == 2
        assert "colocation" in outcome.stderr


def test_a_kind_that_the_workload_is_not_is_refused(cli: Callable[..., Any]) -> None:
    outcome = cli("compare", TASKS, "--problem", "jobs")
    assert (outcome.exit_code, outcome.stdout) == (2, "")
    assert "--problem jobs: this is about tasks to colocate (--problem colocation)" in outcome.stderr
    assert cli("compare", SLOTTED, "-p", "pq", "--problem", "slots").exit_code == 2
    assert cli("compare", TASKS, "--problem", "colocation", "-p", "fill_greedy").exit_code == 0


def test_jobs_run_in_slots_where_that_is_asked_for(cli: Callable[..., Any]) -> None:
    outcome = cli("compare", SLOTTED, "--problem", "slots", "--csv")
    assert outcome.exit_code == 0
    assert [row["policy"] for row in outcome.rows] == ["ocorp", "srpt", "srvf", "svf", "srf"]


def test_a_shell_completes_commands_and_names_of_policies() -> None:
    done = run_schedcore(
        _SCHEDCORE_COMPLETE="complete_bash", COMP_WORDS="schedcore compare -p cons", COMP_CWORD="3"
    )
    assert done.stdout.split() == ["conservative"]
    done = run_schedcore(_SCHEDCORE_COMPLETE="complete_bash", COMP_WORDS="schedcore comp", COMP_CWORD="1")
    assert done.stdout.split() == ["compare"]
    assert "--install-completion" in run_schedcore("--help").stdout
