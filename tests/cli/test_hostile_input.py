"""Input that asks for too much, or that is damaged, ends in one sentence on stderr and exit code 2."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from schedcore.workloads import azure_like, generators

LOG = "1 0 0 10 2 5 100 2 20 {} 1\n"


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "log.swf"
    path.write_text(LOG.format(100))
    return path


def refused(outcome: Any, message: str) -> None:
    assert outcome.exit_code == 2
    (sentence,) = outcome.stderr.splitlines()
    assert sentence.startswith("schedcore: ")
    assert message in sentence
    assert len(sentence) < 500


@pytest.mark.parametrize(
    ("workload", "message"),
    [
        ("azure_like:n_jobs=99999999999999", "n_jobs = 99999999999999 is above 100,000,000"),
        ("azure_like:n_jobs=10,n_machines=1000000000000", "n_machines = 1000000000000 is above 100,000,000"),
        (f"azure_like:n_jobs={'9' * 400}", "(400 characters) is above 100,000,000"),
        (f"azure_like:n_jobs={'9' * 5000}", "is not parameter=integer"),
        (
            "azure_like:n_jobs=10,n_machines=50000000",
            "n_machines = 50000000 must be at least 1 and at most 10000000",
        ),
        ("half_plus:n_jobs=99999999999999,n_machines=2", "is above 100,000,000"),
    ],
)
def test_generators_of_too_much_are_refused(cli: Callable[..., Any], workload: str, message: str) -> None:
    refused(cli("compare", workload, "-p", "pq"), message)


@pytest.mark.parametrize(
    ("machines", "message"),
    [
        ("1000000000000x10,1GB", "1000000000000 machines are more than 10,000,000"),
        ("9000000x1,1GB+9000000x1,1GB", "18000000 machines are more than 10,000,000"),
        ("9" * 5000, "more than 200 characters"),
        ("1x" + "9" * 150 + ",1GB", "units of processors"),
    ],
)
def test_machines_beyond_all_memory_are_refused(
    cli: Callable[..., Any], log: Path, machines: str, message: str
) -> None:
    refused(cli("compare", log, "-p", "pq", "--machines", machines), message)


def test_running_out_of_memory_ends_in_a_sentence(
    cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def exhausted(**_: object) -> object:
        raise MemoryError

    generator = generators.GENERATORS["azure_like"]
    monkeypatch.setattr("schedcore.workloads.generators.passed_argument", lambda *_: exhausted())
    assert generator.function is azure_like
    refused(
        cli("compare", "azure_like:n_jobs=7", "-p", "pq"),
        "azure_like: there is not enough memory for seed = 1, n_jobs = 7",
    )


@pytest.mark.parametrize("memory", ["1e308", "9" * 309, "9" * 5000])
def test_amounts_beyond_float64_are_refused_in_one_sentence(
    cli: Callable[..., Any], log: Path, memory: str
) -> None:
    log.write_text(LOG.format(memory))
    refused(cli("compare", log, "-p", "pq"), "log.swf: 1 row (line 1): a ")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--seed", "3", "--read", "seed=4"), "--read seed is given twice, as --seed 3 too"),
        (
            ("--missing-memory", "skip", "--read", "missing-memory=used"),
            "--read missing_memory is given twice, as --missing-memory skip too",
        ),
        (("--memory-capacity", "5", "--read", "memory_capacity=5"), "as --memory-capacity 5 too"),
        (("--censored", "keep", "--read", "censored=drop"), "as --censored keep too"),
        (("-m", "1x4", "--read", "machines=1x5"), "--read machines is given twice, as --machines 1x4 too"),
        (("--read", "mode=used", "--read", "mode=requested"), "--read mode is given twice"),
        (("--read", "source=x"), "--read source: the workload is named without an option"),
    ],
)
def test_an_option_that_is_given_twice_is_refused(
    cli: Callable[..., Any], log: Path, words: tuple[str, ...], message: str
) -> None:
    refused(cli("bounds", log, *words), message)


def test_machines_may_be_named_as_any_other_option(cli: Callable[..., Any], log: Path) -> None:
    words = ("bounds", log, "--tasks", "whole", "--format", "csv")
    by_name = cli(*words, "--read", "machines=2x4,1GB")
    assert by_name.exit_code == 0
    assert by_name.stdout == cli(*words, "--machines", "2x4,1GB").stdout


def test_a_damaged_file_is_refused_in_one_sentence(cli: Callable[..., Any], tmp_path: Path) -> None:
    path = tmp_path / "jobs.parquet"
    azure_like(n_jobs=5, n_machines=2, seed=1).to_parquet(path)
    path.write_bytes(path.read_bytes().replace(b"weight", b"\xff\xfeight"))
    refused(cli("compare", path, "-p", "pq"), "jobs.parquet is not a readable Parquet file")
