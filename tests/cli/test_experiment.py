"""``schedcore experiment``: its commands, exit codes and messages."""

import json
import os
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cli.processes import run_program, run_schedcore, run_schedcore_without, shown_on_a_terminal
from cli.small_description import describe
from schedcore import experiments
from schedcore.experiments.running import workforce


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The results of a run."""
    folder = tmp_path_factory.mktemp("finished")
    experiments.run(experiments.load(describe(folder)), folder / "out", workers=1)
    return folder / "out"


@pytest.mark.parametrize("output_format", ["table", "csv", "json"])
def test_list_tells_every_experiment_that_comes_along(cli: Callable[..., Any], output_format: str) -> None:
    outcome = cli("experiment", "list", "-f", output_format)
    assert outcome.exit_code == 0, outcome.stderr
    for name in experiments.names():
        assert name in outcome.stdout
    if output_format == "json":
        rows = {row["name"]: row for row in json.loads(outcome.stdout)}
        experiment = experiments.load("mris-figures")
        assert rows["mris-figures"]["cells"] == experiments.n_cells(experiment)
        assert rows["mris-figures"]["figures"] == len(experiment.figures)


def test_what_show_prints_is_a_description_to_start_from(cli: Callable[..., Any], tmp_path: Path) -> None:
    outcome = cli("experiment", "show", "mris-figures")
    assert outcome.exit_code == 0
    copy = tmp_path / "copy.toml"
    copy.write_text(outcome.stdout)
    assert experiments.load(copy) == experiments.load("mris-figures")
    unknown = cli("experiment", "show", "mris-figure")
    assert unknown.exit_code == 2
    assert "unknown experiment 'mris-figure'; did you mean 'mris-figures'" in unknown.stderr


def test_run_ends_with_0_and_says_where_the_rows_are(cli: Callable[..., Any], place: Path) -> None:
    outcome = cli("experiment", "run", describe(place), "-w", 1)
    assert (outcome.exit_code, outcome.stderr) == (0, "")
    assert outcome.stdout == "8 of 8 cells done, 0 failed or invalid: results/sizes\n"
    again = cli("experiment", "run", describe(place), "-w", 1)
    assert again.exit_code == 2
    assert "results/sizes holds results of 'sizes' already; resume goes on with them" in again.stderr
    resumed = cli("experiment", "resume", "results/sizes", "-w", 1)
    assert (resumed.exit_code, resumed.stdout) == (0, outcome.stdout)


def test_failed_cells_end_with_1_until_they_succeed(cli: Callable[..., Any], place: Path) -> None:
    cause = place / "cause"
    cause.touch()
    description = describe(place, raises=f"raises_while:file={cause}")
    outcome = cli("experiment", "run", description, "-o", "out", "-w", 1)
    assert outcome.exit_code == 1
    assert outcome.stdout == "8 of 12 cells done, 4 failed or invalid: out\n"
    lines = outcome.stderr.splitlines()
    assert len(lines) == 4
    assert all(line.startswith("FAILED: raises_while ") for line in lines)
    assert all(line.endswith(": OSError: the file is still there") for line in lines)
    cause.unlink()
    resumed = cli("experiment", "resume", description, "-o", "out", "-w", 1)
    assert (resumed.exit_code, resumed.stderr) == (0, "")
    assert resumed.stdout == "12 of 12 cells done, 0 failed or invalid: out\n"


def test_invalid_schedules_end_with_1_and_long_errors_are_cut(cli: Callable[..., Any], place: Path) -> None:
    description = describe(place, invalid="at_time_zero", long="raises_oddly:how=long")
    outcome = cli("experiment", "run", description, "-o", "out", "-w", 1)
    assert outcome.exit_code == 1
    assert "12 of 16 cells done, 8 failed or invalid" in outcome.stdout
    assert outcome.stderr.count("INVALID: at_time_zero ") == 4
    assert outcome.stderr.count("FAILED: raises_oddly ") == 4
    assert max(map(len, outcome.stderr.splitlines())) < 1000
    whole = {len(row["error"]) for row in experiments.open_results("out").failures}
    assert max(whole) == len("RuntimeError: ") + 1_000_000


def test_only_the_chosen_figures_are_run(cli: Callable[..., Any], place: Path) -> None:
    description = describe(place)
    text = description.read_text()
    description.write_text(
        f'{text}\n[sweeps.more]\nworkloads = ["azure"]\npolicies = ["PQ"]\nparameters = {{ n_jobs = [90] }}\n'
    )
    outcome = cli("experiment", "run", description, "--figure", "sizes", "-w", 1)
    assert outcome.stdout == "8 of 10 cells done, 0 failed or invalid: results/sizes\n"
    unknown = cli("experiment", "resume", description, "--figure", "size", "-w", 1)
    assert unknown.exit_code == 2
    assert "unknown figure 'size' of 'sizes'; did you mean 'sizes'?" in unknown.stderr
    assert cli("experiment", "resume", description, "-w", 1).stdout.startswith("10 of 10 cells done")


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ('PQ = "pq"', 'PQ = "pqq"', "policy 'PQ': unknown"),
        ('MRIS = "mris"', 'MRIS = "mris:knapsak=exact"', "did you mean 'knapsack'?"),
        ("job_sets = 2", "jobsets = 2", "experiment 'sizes': unknown key 'jobsets'; did you mean 'job_sets'?"),
        ("job_sets = 2", "job_sets = 0", "job_sets"),
        ("parameters =", "parameter =", "sweep 'sizes': unknown key 'parameter'; did you mean 'parameters'?"),
        ("n_jobs = [30, 60]", "n_job = [30, 60]", "did you mean 'n_jobs'"),
        ('source = "azure_like"', 'source = "azure_lik"', "did you mean 'azure_like' or"),
        ('y = "awct"', 'y = "awtc"', "did you mean 'awct'?"),
        ('text = "PQ', 'txt = "PQ', "figure 'sizes', claim None: unknown key 'txt'; did you mean 'text'?"),
        ("[policies]", "[polices]", "'polices'; did you mean 'policies'?"),
        ("job_sets = 2", "job_sets =", "not a TOML file"),
        ("job_sets = 2", 'job_sets = 2\nmodules = ["no_such_module"]', "module 'no_such_module' of the experiment"),
    ],
)  # fmt: skip
def test_a_mistake_in_a_description_is_named_before_anything_runs(
    cli: Callable[..., Any], place: Path, before: str, after: str, message: str
) -> None:
    description = describe(place)
    text = description.read_text()
    assert before in text
    description.write_text(text.replace(before, after))
    outcome = cli("experiment", "run", description, "-o", "out")
    assert outcome.exit_code == 2
    assert message in outcome.stderr
    assert len(outcome.stderr.splitlines()) == 1
    assert not (place / "out").exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["run", "nowhere.toml"], "nowhere.toml: no such file"),
        (["run", "mris"], "unknown experiment 'mris' (choices: "),
        (["resume", "mris-figures"], "results/mris-figures is no results folder"),
        (["run", "mris-azure-v1"], "needs the input"),
        (["run", "mris-azure-v1", "-i", "vms"], "--input 'vms' is not NAME=FILE"),
        (["run", "mris-figures", "-i", "trace=x"], "unknown input 'trace' of 'mris-figures'"),
        (["run", "mris-figures", "-o", "file/below"], "Not a directory: file/below"),
        (["run", "mris-figures", "-o", "file"], "file exists and is not a folder"),
        (["table", "mris-figures"], "is no results folder"),
        (["plot", "."], "is no results folder"),
        (["report", "file"], "file"),
    ],
)
def test_wrong_use_ends_with_2_and_one_sentence(
    cli: Callable[..., Any], place: Path, words: list[str], message: str
) -> None:
    (place / "file").write_text("kept")
    outcome = cli("experiment", *words)
    assert outcome.exit_code == 2
    assert message in outcome.stderr
    assert outcome.stdout == ""
    assert len(outcome.stderr.splitlines()) == 1
    assert not (place / "results").exists()
    assert (place / "file").read_text() == "kept"


def test_a_scheduler_that_does_not_answer_is_named_and_no_folder_begun(
    cli: Callable[..., Any], place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("distributed", reason="needs schedcore[distributed]")
    assert workforce._CONNECTION_SECONDS <= 10
    monkeypatch.setattr(workforce, "_CONNECTION_SECONDS", 1)
    threads = set(threading.enumerate())
    outcome = cli("experiment", "run", describe(place), "--scheduler", "tcp://127.0.0.1:1")
    assert outcome.exit_code == 2
    assert "the Dask scheduler tcp://127.0.0.1:1 cannot be reached within 1 s" in outcome.stderr
    assert not (place / "results").exists()
    for address in ("nonsense://127.0.0.1:1", "tls://127.0.0.1:1"):  # the second one needs keys
        outcome = cli("experiment", "run", describe(place), "--scheduler", address)
        assert outcome.exit_code == 2
        assert f"the Dask scheduler {address} cannot be reached" in outcome.stderr
    assert set(threading.enumerate()) <= threads
    both = cli("experiment", "run", describe(place), "--scheduler", "tcp://127.0.0.1:1", "-w", 2)
    assert (both.exit_code, "has its own workers" in both.stderr) == (2, True)


def test_table_prints_means_claims_and_rows(cli: Callable[..., Any], finished: Path) -> None:
    shown = cli("experiment", "table", finished)
    assert shown.exit_code == 0, shown.stderr
    for text in ("AWCT by number of jobs", "PQ", "MRIS", "30", "60", "PQ is no better than twice MRIS"):
        assert text in shown.stdout
    as_markdown = cli("experiment", "table", finished, "-f", "markdown").stdout
    assert any(set(line) <= set("|-: ") and "---" in line for line in as_markdown.splitlines() if line)
    rows = cli("experiment", "table", finished, "-f", "csv").rows
    as_json = json.loads(cli("experiment", "table", finished, "-f", "json").stdout)
    assert len(rows) == len(as_json) == 4
    assert {row["policy"] for row in rows} == {"PQ", "MRIS"}
    assert rows[0].keys() == as_json[0].keys()
    for command in ("table", "plot"):
        unknown = cli("experiment", command, finished, "--figure", "size")
        assert (unknown.exit_code, unknown.stdout) == (2, "")
        assert "unknown figure 'size' of 'sizes'; did you mean 'sizes'?" in unknown.stderr


def test_drawings_and_report_are_written_once_unless_forced(
    cli: Callable[..., Any], finished: Path, tmp_path: Path
) -> None:
    drawn = cli("experiment", "plot", finished, "-o", tmp_path / "drawings")
    assert drawn.exit_code == 0, drawn.stderr
    paths = [Path(line) for line in drawn.stdout.splitlines()]
    assert {path.name for path in paths} == {"sizes.png", "sizes.svg"}
    assert all(path.stat().st_size > 1000 for path in paths)
    assert cli("experiment", "plot", finished, "-o", tmp_path / "drawings").exit_code == 2
    assert cli("experiment", "plot", finished, "-o", tmp_path / "drawings", "--force").exit_code == 0
    page = tmp_path / "page.html"
    assert cli("experiment", "report", finished, "-o", page).stdout == f"{page}\n"
    assert "Sizes" in page.read_text()
    assert cli("experiment", "report", finished, "-o", page).exit_code == 2
    assert cli("experiment", "report", finished, "-o", page, "--force").exit_code == 0


@pytest.mark.parametrize(("option", "expected"), [("file=cause", 1), ("file=none_such", 0)])
def test_a_process_exits_with_1_if_a_cell_killed_its_worker(place: Path, option: str, expected: int) -> None:
    (place / "cause").touch()
    description = describe(place, kills=f"kills_its_process:{option}", talks="talks")
    done = run_schedcore("experiment", "run", description, "-o", "out", "-w", 2)
    assert done.returncode == expected, done.stderr
    assert f"{16 - 4 * expected} of 16 cells done, {4 * expected} failed or invalid: out" in done.stdout
    assert done.stderr.count("its worker process died") == 4 * expected
    assert "Traceback" not in done.stderr
    assert "\x1b" not in done.stdout + done.stderr


def test_a_progress_bar_counts_cells_on_a_terminal(place: Path) -> None:
    words = ("experiment", "run", describe(place), "-o", "out", "-w", "1")
    environment = {**os.environ, "TERM": "xterm-256color"}
    shown, printed = shown_on_a_terminal(*words, environment=environment, stdout=subprocess.PIPE)
    assert b"8/8" in shown
    assert b"cells/s" in shown
    assert printed == "8 of 8 cells done, 0 failed or invalid: out\n"


@pytest.mark.parametrize("words", [[], ["experiment"], ["experiment", "run"]])
def test_help_imports_nothing_heavy(words: list[str]) -> None:
    done = run_program(
        f"import sys; sys.argv = {['schedcore', *words, '--help']!r}\n"
        "from schedcore.__main__ import main\n"
        "try:\n    main()\nexcept SystemExit as end:\n    assert not end.code\n"
        "heavy = {'pyarrow', 'pandas', 'polars', 'matplotlib', 'distributed', 'scipy', 'jinja2', 'schedcore.slurm'}\n"
        "heavy &= set(sys.modules)\n"
        "sys.exit(', '.join(heavy) or 0)"
    )
    assert done.returncode == 0, done.stderr


def test_other_commands_need_nothing_of_experiments_and_slurm() -> None:
    done = run_program(
        "import sys; sys.argv = ['schedcore', 'compare', 'azure_like:n_jobs=20,n_machines=2', '-p', 'pq']\n"
        "from schedcore.__main__ import main\n"
        "try:\n    main()\nexcept SystemExit as end:\n    assert not end.code\n"
        "unneeded = {'schedcore.experiments', 'schedcore.slurm', 'schedcore.workloads.public_names'}\n"
        "sys.exit(', '.join(unneeded & set(sys.modules)) or 0)"
    )
    assert done.returncode == 0, done.stderr


def test_what_few_need_is_loaded_when_it_is_asked_for() -> None:
    done = run_program(
        "import sys, numpy, highspy\n"
        "before = set(sys.modules)\n"
        "import schedcore\n"
        "rare = {'backfilling', 'colocation', 'comparisons', 'experiments', 'online', 'parallel_tasks', 'plotting'}\n"
        "rare |= {'preemptive', 'slurm', 'workloads.loading', 'workloads.public_names'}\n"
        "rare = {f'schedcore.{name}' for name in rare} | {'importlib.metadata', 'importlib.resources'}\n"
        "assert not rare & (set(sys.modules) - before)\n"
        "assert schedcore.slurm.read_state and 'slurm' in dir(schedcore)\n"
        "assert schedcore.plotting.plot_result and 'schedcore.workloads.loading' not in sys.modules\n"
        "assert schedcore.workloads.load and 'load' in dir(schedcore.workloads)\n"
        "import schedcore.experiments\n"
        "assert schedcore.experiments.load and 'asyncio' not in sys.modules"
    )
    assert done.returncode == 0, done.stderr


def test_a_worker_does_not_load_what_draws_and_reports() -> None:
    done = run_program(
        "import sys\n"
        "import schedcore.experiments.running.cell_row, schedcore.experiments.running.local_processes\n"
        "needless = {'catalogue', 'opened', 'public_names', 'report', 'results', 'start_or_resume'}\n"
        "needless = {f'schedcore.experiments.{name}' for name in needless}\n"
        "needless |= {'schedcore.reporting', 'schedcore.slurm', 'schedcore.workloads.public_names'}\n"
        "sys.exit(', '.join(needless & set(sys.modules)) or 0)"
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("package", ["workloads", "experiments"])
def test_the_names_of_a_package_loaded_on_demand_are_its_own(package: str) -> None:
    done = run_program(
        f"from schedcore import {package} as package\n"
        f"from schedcore.{package} import load\n"
        f"from schedcore.{package} import *\n"
        f"import schedcore.{package}.public_names as shown\n"
        "assert dir(package) == sorted(shown.__all__) and package.__all__ == shown.__all__\n"
        "assert all(getattr(package, name) is getattr(shown, name) is globals()[name] for name in dir(package))\n"
        "assert package.load is load and not hasattr(package, 'no_such_name')\n"
        "import pickle, pydoc\n"
        "assert pickle.loads(pickle.dumps(load)) is load\n"
        "assert 'load(' in pydoc.plain(pydoc.render_doc(package))"
    )
    assert done.returncode == 0, done.stderr


def test_the_library_names_the_extra_of_experiments_when_they_are_asked_for() -> None:
    done = run_program(
        "import sys; sys.modules['pydantic'] = None; import schedcore\n"
        "from schedcore import *\n"
        "def refused(statement, kind):\n"
        "    try:\n        exec(statement)\n"
        "    except kind as error:\n        return 'schedcore[experiments]' in str(error)\n"
        "assert refused('schedcore.experiments', AttributeError)\n"
        "assert refused('import schedcore.experiments', ImportError)\n"
        "assert refused('from schedcore import experiments', ImportError)\n"
        "import inspect, pydoc\n"
        "assert not hasattr(schedcore, 'experiments') and 'experiments' not in dir(schedcore)\n"
        "assert dict(inspect.getmembers(schedcore))['solve'] is schedcore.solve\n"
        "assert 'OnlineScheduler' in pydoc.render_doc(schedcore)"
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("package", "extra", "words"),
    [
        ("pyarrow", "traces", ["run", "{place}/sizes.toml", "-o", "{place}/out"]),
        ("distributed", "distributed", ["run", "{place}/sizes.toml", "-o", "{place}/out", "--scheduler", "tcp://h:1"]),
        ("matplotlib", "plot", ["plot", "{finished}", "-o", "{place}/drawings"]),
        ("scipy", "experiments", ["table", "{finished}"]),
        ("jinja2", "experiments", ["report", "{finished}", "-o", "{place}/page.html"]),
        ("tomlkit", "experiments", ["report", "{finished}", "-o", "{place}/page.html"]),
    ],
)  # fmt: skip
def test_a_missing_package_is_named_with_its_extra(
    package: str, extra: str, words: list[str], place: Path, finished: Path
) -> None:
    describe(place)
    named = (word.format(place=place, finished=finished) for word in words)
    done = run_schedcore_without(package, "experiment", *named)
    assert done.returncode == 2, done.stderr
    assert f"schedcore[{extra}]" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (place / "out").exists()
