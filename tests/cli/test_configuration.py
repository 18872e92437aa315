"""``--config`` and ``--save-config``: the options of a call as a file, and back."""

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from schedcore.cli.app import app

Cli = Callable[..., Any]


def configuration(folder: Path, text: str) -> Path:
    path = folder / "site.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_saved_call_does_the_same_again(cli: Cli, log: Path, tmp_path: Path) -> None:
    saved = tmp_path / "saved.toml"
    words = (
        "compare", log, "-p", "easy", "-p", "fcfs", "--read", "n_resources=1", "--tau", 5, "--json", "--allow-loss",
    )  # fmt: skip
    first = cli(*words, "--save-config", saved)
    assert first.exit_code == 0, first.stderr
    assert tomllib.loads(saved.read_text(encoding="utf-8")) == {
        "compare": {
            "workload": str(log), "policy": ["easy", "fcfs"], "read": ["n_resources=1"], "allow-loss": True, "tau": 5.0,
            "json": True,
        }
    }  # fmt: skip
    second = cli("compare", "--config", saved)
    assert second.exit_code == 0, second.stderr
    assert _without_times(second.stdout) == _without_times(first.stdout)


def _without_times(text: str) -> list[str]:
    return [line for line in text.splitlines() if "seconds" not in line and "per_second" not in line]


def test_what_is_typed_stands_above_the_file(cli: Cli, log: Path, tmp_path: Path) -> None:
    text = f'[compare]\nworkload = "{log}"\npolicy = "easy"\nread = "n_resources=1"\ncsv = true\n'
    site = configuration(tmp_path, text)
    assert [row["policy"] for row in cli("compare", "--config", site).rows] == ["easy"]
    assert [row["policy"] for row in cli("compare", "--config", site, "-p", "fcfs").rows] == ["fcfs"]
    other = cli(
        "compare", "azure_like:n_jobs=10,n_machines=2", "--config", site, "--read", "seed=1", "-p", "pq"
    )
    assert "azure_like" in other.stderr


@pytest.mark.parametrize("typed", [["--csv"], ["-f", "csv"]])
def test_a_format_that_is_typed_stands_above_another_one_of_the_file(
    cli: Cli, log: Path, tmp_path: Path, typed: list[str]
) -> None:
    site = configuration(tmp_path, '[compare]\npolicy = "easy"\nread = "n_resources=1"\njson = true\n')
    assert [row["policy"] for row in cli("compare", log, "--config", site, *typed).rows] == ["easy"]
    assert cli("compare", log, "--config", site).stdout.startswith("{")


def test_a_file_has_a_table_a_command(cli: Cli, log: Path, tmp_path: Path) -> None:
    text = f'[inspect]\nworkload = "{log}"\n[experiment.list]\ncsv = true\n[compare]\npolicy = "nonsense"\n'
    site = configuration(tmp_path, text)
    assert cli("inspect", "--config", site).exit_code == 0
    assert cli("experiment", "list", "--config", site).rows
    missing = cli("run", "easy", log, "--config", site)
    assert missing.exit_code == 2
    assert "has no table [run]" in missing.stderr


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[compare\n", "is no TOML"),
        ("[compare]\npolicies = ['easy']\n", "policy"),
        ("[compare]\nconfig = 'x.toml'\n", "unknown"),
        ("[compare]\njson = 'yes'\n", "true and false are for switches"),
        ("[compare]\ntau = true\n", "true and false are for switches"),
        ("[compare]\ntau = [1, 2]\n", "neither a text nor a number"),
        ("[compare]\npolicy = [{a = 1}]\n", "neither a text nor a number"),
        ("[compare]\ntau = 'long'\n", "--tau"),
        ("compare = 3\n", "has no table [compare]"),
        ("", "has no table [compare]"),
    ],
)
def test_nonsense_in_a_file_is_told_with_its_key(cli: Cli, tmp_path: Path, text: str, sentence: str) -> None:
    outcome = cli("compare", "--config", configuration(tmp_path, text))
    assert outcome.exit_code == 2
    assert sentence in outcome.stderr
    assert "Traceback" not in outcome.stderr


def test_files_that_are_not_there_or_not_text_are_told(cli: Cli, tmp_path: Path) -> None:
    outcome = cli("compare", "--config", tmp_path / "none.toml")
    assert outcome.exit_code == 2
    assert "none.toml" in outcome.stderr
    binary = tmp_path / "binary.toml"
    binary.write_bytes(b"\xff\xfe")
    assert "is no TOML" in cli("compare", "--config", binary).stderr


def test_nothing_is_saved_over_a_file_or_by_a_call_that_is_refused(
    cli: Cli, log: Path, tmp_path: Path
) -> None:
    taken = configuration(tmp_path, "mine = 1\n")
    outcome = cli("compare", log, "--save-config", taken)
    assert outcome.exit_code == 2
    assert "exists" in outcome.stderr
    assert "rows read" not in outcome.stderr
    assert taken.read_text(encoding="utf-8") == "mine = 1\n"
    new = tmp_path / "new.toml"
    assert cli("compare", log, "-p", "nonsense", "--save-config", new).exit_code == 2
    assert not new.exists()
    assert cli("compare", log, "--save-config", tmp_path / "new.json").exit_code == 2


def test_a_call_with_a_finding_is_saved(cli: Cli, log: Path, tmp_path: Path) -> None:
    new = tmp_path / "new.toml"
    words = ("compare", log, "-p", "all_at_once", "--read", "n_resources=1", "--save-config", new)
    assert cli(*words).exit_code == 1
    assert tomllib.loads(new.read_text(encoding="utf-8"))["compare"]["policy"] == ["all_at_once"]


def test_every_command_takes_a_file() -> None:
    import typer.main

    found = {}

    def look(command: Any, path: tuple[str, ...]) -> None:
        for name, sub in getattr(command, "commands", {}).items():
            look(sub, (*path, name))
        if not hasattr(command, "commands"):
            found[path] = {option for parameter in command.params for option in parameter.opts}

    look(typer.main.get_command(app), ())
    assert len(found) > 15
    assert [path for path, options in found.items() if not {"--config", "--save-config"} <= options] == []
