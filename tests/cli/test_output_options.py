"""How results are written: one format, said in either way; widths, colours, and what columns mean."""

import json
import os
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import pytest

from cli.processes import run_schedcore, shown_on_a_terminal
from problems.small_problems import policies_of, small
from schedcore.problems import PROBLEMS, Problem
from schedcore.problems.comparison import bounds_of, compare_policies, presented
from schedcore.problems.figure_meanings import MEANINGS, meaning_of
from schedcore.problems.policy_choice import parse_policies
from schedcore.problems.presentation import Table
from schedcore.workloads import DataReport

SMALL = "azure_like:n_jobs=60,n_machines=3"


@pytest.mark.parametrize(
    "words",
    [
        ("compare", SMALL, "-p", "pq"), ("compare", SMALL, "-p", "easy", "--against", "selection=bb"),
        ("run", "pq", SMALL), ("bounds", SMALL), ("policies",), ("generate",), ("check-policy", "pq", "-n", "2"),
        ("experiment", "list"),
    ],
)  # fmt: skip
def test_json_and_csv_have_options_of_their_own(cli: Callable[..., Any], words: tuple[str, ...]) -> None:
    printed = {}
    for option, output_format in (("--json", "json"), ("--csv", "csv")):
        found, expected = cli(*words, option), cli(*words, "--format", output_format)
        assert found.exit_code == expected.exit_code == 0
        if words[0] in ("policies", "generate", "bounds", "experiment", "check-policy"):
            assert found.stdout == expected.stdout
        else:  # times that policies took differ
            assert len(found.stdout.splitlines()) == len(expected.stdout.splitlines())
        printed[output_format] = found.stdout
    assert json.loads(printed["json"]) is not None


def test_two_formats_at_a_time_are_refused(cli: Callable[..., Any]) -> None:
    for words in (("--json", "--csv"), ("--json", "-f", "csv"), ("--csv", "-f", "table")):
        outcome = cli("policies", *words)
        assert (outcome.exit_code, outcome.stdout) == (2, "")
        assert "one format at a time" in outcome.stderr
    assert cli("policies", "--json", "-f", "json").exit_code == 0


def test_markdown_is_a_table_of_a_page(cli: Callable[..., Any]) -> None:
    outcome = cli("compare", SMALL, "-p", "pq", "-f", "markdown")
    title, empty, head, rule, row = outcome.stdout.splitlines()[:5]
    assert title.startswith("azure_like")
    assert empty == ""
    assert head.startswith("| policy | AWCT (days) | above bound |")
    assert set(rule) <= set("|-: ")
    assert row.startswith("| pq |")
    assert len({line.count("|") for line in (head, rule, row)}) == 1


@pytest.mark.parametrize("width", [40, 66, 100])
def test_every_line_of_stdout_obeys_columns_in_a_pipe(width: int) -> None:
    for words in (("compare", SMALL), ("compare", SMALL, "-p", "pq", "--explain-columns"), ("bounds", SMALL)):
        done = run_schedcore(*words, COLUMNS=str(width))
        assert done.returncode == 0
        assert max(map(len, done.stdout.splitlines())) <= width
        if width == 40 and words == ("compare", SMALL):
            check_narrow(done.stdout)


def check_narrow(narrow: str) -> None:
    """What has no room beside the rest stands below it, or is left out and named."""
    begins = [
        line.split(":")[0].split()[0] for line in narrow.splitlines() if line and not line.startswith(" ")
    ]
    assert [name for name in begins if name in ("mris", "pq", "tetris")] == ["mris", "mris", "pq", "tetris"]
    assert "no room for:" in narrow


def test_headings_are_bold_on_a_terminal_and_not_elsewhere() -> None:
    words = ("compare", SMALL, "-p", "pq")
    environment = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    shown, _ = shown_on_a_terminal(*words, environment={**environment, "TERM": "xterm-256color"})
    assert b"\x1b[1mpolicy" in shown
    plain, _ = shown_on_a_terminal(
        *words, environment={**environment, "TERM": "xterm-256color", "NO_COLOR": "1"}
    )
    assert b"\x1b[1mpolicy" not in plain


def test_columns_explain_themselves(cli: Callable[..., Any]) -> None:
    outcome = cli("compare", SMALL, "-p", "pq", "--explain-columns")
    assert "AWCT (days): average of weight times completion time" in outcome.stdout
    assert "check: valid, INVALID" in outcome.stdout
    assert "average of weight" not in cli("compare", SMALL, "-p", "pq").stdout


@pytest.mark.parametrize("kind", PROBLEMS, ids=lambda kind: kind.title)
def test_every_figure_of_a_comparison_has_a_meaning(kind: type[Problem[Any]]) -> None:
    problem = small(kind)
    choices = parse_policies(policies_of(problem))
    report = DataReport("small", 0, 0)
    comparison = compare_policies(
        problem, report, choices, lambda title, total: nullcontext(lambda done, of: None)
    )
    shown = presented(problem, comparison)
    keys = {key for row in shown.rows for key in row} | {
        column.key for part in shown.parts if isinstance(part, Table) for column in part.columns
    }
    bounds = bounds_of(problem, report)
    keys |= {key for row in bounds.rows for key in row}
    assert sorted(keys - MEANINGS.keys()) == []


def test_a_key_without_a_meaning_is_said_in_words() -> None:
    assert meaning_of("times_told") == "times told"
    assert meaning_of("utilisation_cores") == MEANINGS["utilisation"]
