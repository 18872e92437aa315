"""The command line does not go on in silence where a log lost much of its work, or where nobody knows its machine."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from data_folder import data_folder
from schedcore import experiments
from schedcore.experiments.results.folder import ResultsFolder

POLICY = ("-p", "one_after_another")


@pytest.fixture
def cluster(tmp_path: Path) -> Path:
    """Work 300 of jobs of one processor, 100 of one of four; of the log 25 % is lost on smaller machines."""
    return swf(tmp_path, (100, 1, 200), (200, 1, 400), (25, 4, 50))


def swf(folder: Path, *jobs: tuple[int, int, int], header: str = "; MaxProcs: 4\n", memory: int = -1) -> Path:
    """Jobs (run time, processors, requested time), one a thousand seconds."""
    path = folder / "cluster.swf"
    rows = [
        f"{number} {1000 * number} 0 {run} {size} -1 -1 {size} {limit} {memory} 1 1 1 1 1 1 -1 -1"
        for number, (run, size, limit) in enumerate(jobs, start=1)
    ]
    path.write_text(header + "\n".join(rows) + "\n")
    return path


@pytest.mark.parametrize(
    "words",
    [
        ("compare", "{}", *POLICY),
        ("run", "one_after_another", "{}"),
        ("bounds", "{}"),
        ("convert", "{}", "-o", "{}.parquet"),
        ("validate", "{}", "{}", "--known-jobs-only"),
    ],
    ids=lambda words: words[0],
)
def test_every_command_stops_where_much_work_is_lost_unless_told(
    cli: Callable[..., Any], cluster: Path, words: tuple[str, ...]
) -> None:
    words = tuple(word.format(cluster) for word in words)
    outcome = cli(*words, "--machines", "4x1", "--tasks", "whole")
    assert (outcome.exit_code, outcome.stdout) == (2, "")
    last = outcome.stderr.splitlines()[-1]
    assert last.startswith(f"schedcore: {cluster}: 25.0 % of the work left out, mostly as too_big")
    assert last.endswith("describe the whole as one, --machines 1x4; --allow-loss goes on without that work")
    allowed = cli(*words, "--machines", "4x1", "--tasks", "whole", "--allow-loss")
    assert allowed.exit_code == 0, allowed.stderr
    assert re.search(
        r"^WARNING: 25\.0 % of the work left out, mostly as too_big", allowed.stderr, re.MULTILINE
    )
    if words[0] in ("compare", "run", "bounds"):
        assert "\n25.0 % of the work left out\n" in allowed.stdout
    if words[0] == "convert":
        Path(words[-1]).unlink()
    # What the message says works.
    whole = cli(*words, "--machines", "1x4")
    assert whole.exit_code == 0, whole.stderr
    assert "left out" not in whole.stdout


EXPERIMENT = """
name = "recorded"
workloads = {{ log = {{ source = "cluster.swf"{arguments} }} }}
policies = {{ PQ = "pq" }}
sweeps = {{ all = {{ workloads = ["log"], policies = ["PQ"] }} }}
"""


@pytest.fixture
def recorded(cluster: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Path]:
    """Write a description of an experiment on the log `cluster`, with further arguments as TOML."""
    monkeypatch.chdir(cluster.parent)

    def describe(arguments: str) -> Path:
        path = cluster.parent / "recorded.toml"
        path.write_text(EXPERIMENT.format(arguments=arguments))
        return path

    return describe


def test_an_experiment_stops_where_much_work_is_lost_unless_told(
    cli: Callable[..., Any], cluster: Path, recorded: Callable[[str], Path]
) -> None:
    lossy = recorded(', machines = "4x1", tasks = "whole"')
    outcome = cli("experiment", "run", lossy, "-w", 1)
    assert (outcome.exit_code, outcome.stdout) == (2, "")
    (line,) = outcome.stderr.splitlines()
    assert line.startswith(
        f"schedcore: experiment 'recorded', workload 'log': {cluster}: 25.0 % of the work left out, mostly as too_big"
    )
    assert line.endswith(
        'describe the whole as one, machines = "1x4"; allow_loss = true in the table of the workload, or --allow-loss, '
        "goes on without that work"
    )
    assert not Path("results").exists()
    told = "1 of 1 cells done, 0 failed or invalid: "
    allowed = cli("experiment", "run", lossy, "-w", 1, "--allow-loss")
    assert (allowed.exit_code, allowed.stdout) == (0, f"{told}results/recorded\n")
    assert cli("experiment", "resume", "results/recorded", "-w", 1).exit_code == 0
    # What the message says works.
    for number, arguments in enumerate(
        (', machines = "1x4"', ', machines = "4x1", tasks = "whole", allow_loss = true')
    ):
        done = cli("experiment", "run", recorded(arguments), "-w", 1, "-o", f"out{number}")
        assert (done.exit_code, done.stdout) == (0, f"{told}out{number}\n")


def test_an_experiment_of_which_nothing_ran_yet_resumes_with_the_loss_allowed(
    cli: Callable[..., Any], cluster: Path, recorded: Callable[[str], Path]
) -> None:
    lossy = experiments.load(recorded(', machines = "4x1", tasks = "whole"'))
    ResultsFolder.create(Path("out"), lossy, {"cluster.swf": str(cluster)})
    for which in (("out",), ("recorded.toml", "-o", "out")):
        refused = cli("experiment", "resume", *which, "-w", 1)
        assert (refused.exit_code, "or --allow-loss, goes on without" in refused.stderr) == (2, True)
    assert cli("experiment", "resume", "out", "-w", 1, "--allow-loss").exit_code == 0
    assert experiments.open_results("out").experiment.workloads["log"].allow_loss


def test_an_experiment_on_a_machine_that_nobody_describes_is_refused(
    cli: Callable[..., Any], tmp_path: Path, recorded: Callable[[str], Path]
) -> None:
    swf(tmp_path, (1500, 2, 2000), (1500, 3, 2000), header="", memory=1024)
    outcome = cli("experiment", "run", recorded(""), "-w", 1, "--allow-loss")
    assert (outcome.exit_code, outcome.stdout) == (2, "")
    assert outcome.stderr.endswith('say what there is, such as machines = "1x5,5MB"\n')
    assert cli("experiment", "run", recorded(', machines = "1x5,5MB"'), "-w", 1).exit_code == 0


def test_some_lost_work_is_a_warning_and_a_line_below_the_table(
    cli: Callable[..., Any], tmp_path: Path
) -> None:
    log = swf(tmp_path, (950, 1, 1000), (25, 2, 50))  # 50 of 1000
    outcome = cli("compare", log, "--machines", "1x1", *POLICY)
    assert outcome.exit_code == 0
    assert "left out: 1 row; 5.0 % of the work left out" in outcome.stderr
    assert re.search(r"^WARNING: 5\.0 % of the work left out", outcome.stderr, re.MULTILINE)
    assert outcome.stdout.endswith("\n5.0 % of the work left out\n")
    outcome = cli("compare", log, "--machines", "1x1", "-p", "easy", "--against", "selection=bb")
    assert "\n5.0 % of the work left out\n" in outcome.stdout
    outcome = cli("compare", log, "--machines", "1x1", "-p", "srpt")
    assert outcome.stdout.endswith("\n5.0 % of the work left out\n")


def test_a_machine_that_nobody_describes_is_refused_with_what_ran_at_once(
    cli: Callable[..., Any], tmp_path: Path
) -> None:
    log = swf(tmp_path, (1500, 2, 2000), (1500, 3, 2000), header="", memory=1024)
    outcome = cli("compare", log, *POLICY)
    assert (outcome.exit_code, outcome.stdout) == (2, "")
    last = outcome.stderr.splitlines()[-1]
    assert "up to 5 processors and 5,120 KB of memory were in use at the same time (nine" in last
    suggestion = re.search(r"such as (--machines \S+)$", last)
    assert suggestion is not None
    assert suggestion[1] == "--machines 1x5,5MB"
    assert cli("compare", log, *suggestion[1].split(), *POLICY).exit_code == 0
    assert cli("compare", log, "--read", "n_resources=1", *POLICY).exit_code == 2
    assert cli("compare", log, "--read", "n_resources=1", "--read", "processors=5", *POLICY).exit_code == 0


@pytest.mark.parametrize(
    ("limits", "sentence"),
    [
        ((200, 400, 50), "decided with the estimates of the jobs: easy\n"),
        (
            (200, 400, -1),
            "decided with the estimates of the jobs (the true run time of the 33.3 % that have none): easy\n",
        ),
        (
            (-1, -1, -1),
            "decided with the true run times of the jobs: all policies (100 % have no estimate)\n",
        ),
        (
            (100, 200, 25),
            "decided with the true run times of the jobs: all policies (all estimates are exact)\n",
        ),
    ],
)
def test_what_policies_decided_with_is_told_as_it_is(
    cli: Callable[..., Any], tmp_path: Path, limits: tuple[int, int, int], sentence: str
) -> None:
    shapes = zip((100, 200, 25), (1, 1, 4), limits, strict=True)
    outcome = cli("compare", swf(tmp_path, *shapes), "-p", "easy")
    assert outcome.exit_code == 0
    assert sentence in outcome.stderr
    warned = "of the jobs have no estimate of their run time" in outcome.stderr
    assert warned == (-1 in limits)


def test_messages_use_the_spelling_of_the_command_line(cli: Callable[..., Any], tmp_path: Path) -> None:
    log = swf(tmp_path, (100, 1, 200), memory=1024)
    log.write_text(log.read_text() + "2 5 0 7 1 -1 -1 1 -1 -1 1 1 1 1 1 1 -1 -1\n3 5 0 7 1\n")
    said = cli("compare", log).stderr
    assert "--read on_bad_row=skip leaves such rows out" in said
    said = cli("compare", log, "--read", "on_bad_row=skip").stderr
    assert "choose --missing-memory used (the memory it used), --missing-memory skip, or a number" in said
    assert "leave memory out with --read n_resources=1" in said
    said = cli("compare", log, "--read", "on_bad_row=skip", "--read", "missing_estimate=error", "-m", "1x4,1GB",
               "--missing-memory", "skip").stderr  # fmt: skip
    assert "--missing-memory skip" in said
    assert '="' not in said


@pytest.mark.slow
def test_whole_jobs_on_nodes_of_one_processor_are_refused_for_kth(cli: Callable[..., Any]) -> None:
    log = data_folder("pwa-swf", "KTH-SP2-1996-2.1-cln.swf.gz")
    outcome = cli("compare", log, "--machines", "100x1", "--tasks", "whole")
    assert outcome.exit_code == 2
    assert "--machines 1x100" in outcome.stderr.splitlines()[-1]
    assert "19,105 rows" in outcome.stderr.splitlines()[-1]
