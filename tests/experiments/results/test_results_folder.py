"""A results folder is gone on with only where that makes sense; whatever is refused is left as it was."""

import concurrent.futures
import dataclasses
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import pyarrow.parquet as pq
import pytest

import schedcore
from experiments.small_experiments import check_folder, of_policies, stable_rows
from schedcore import experiments
from schedcore.experiments import COLUMNS, Experiment, Sweep, Workload
from schedcore.experiments.description.document import to_document
from schedcore.experiments.results import folder as results_folder
from schedcore.experiments.running import provenance
from schedcore.workloads import azure_like

Patch = Callable[[dict[str, Any]], object]


@pytest.fixture(scope="module")
def executor() -> Iterator[concurrent.futures.Executor]:
    with concurrent.futures.ThreadPoolExecutor(2) as threads:
        yield threads


def described(**changes: Any) -> Experiment:
    """Two policies on two job sets; `changes` are fields."""
    return dataclasses.replace(
        Experiment(
            name="folders",
            workloads={"azure": Workload("azure_like", {"n_jobs": 30, "n_machines": 2})},
            policies={"pq": "pq", "mris": "mris"},
            sweeps={"all": Sweep(["azure"], ["pq", "mris"])},
            job_sets=(1, 2),
        ),
        **changes,
    )


@pytest.fixture
def output(tmp_path: Path, executor: concurrent.futures.Executor) -> Path:
    """The folder of a finished run, and one row that is missing."""
    experiments.run(described(), tmp_path / "out", executor=executor)
    return tmp_path / "out"


@pytest.fixture
def of_a_file(tmp_path: Path, executor: concurrent.futures.Executor) -> tuple[Experiment, Path, Path]:
    """An experiment on an input, the file, and the folder of a finished run."""
    file = tmp_path / "jobs.parquet"
    azure_like(n_jobs=30, n_machines=2, seed=1).to_parquet(file)
    experiment = described(
        workloads={"log": Workload("input:log")},
        sweeps={"all": Sweep(["log"], ["pq", "mris"])},
        inputs={"log": "any instance"},
    )
    experiments.run(experiment, tmp_path / "out", inputs={"log": file}, executor=executor)
    return experiment, file, tmp_path / "out"


def content(folder: Path) -> dict[str, bytes]:
    """All files but the lock."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.name != "lock"
    }


def change_record(folder: Path, patch: Patch) -> None:
    path = folder / "experiment.json"
    record = json.loads(path.read_bytes())
    patch(record)
    path.write_text(json.dumps(record))


def refused(folder: Path, message: str, *arguments: Any, **options: Any) -> None:
    """`resume` is refused with the message, and the folder stays as it was."""
    before = content(folder)
    with pytest.raises(schedcore.InvalidInstanceError, match=message):
        experiments.resume(folder, *arguments, **options)
    assert content(folder) == before


def test_the_data_set_is_one_that_parquet_readers_read(output: Path) -> None:
    table = pq.read_table(output / "rows")
    assert table.column_names == list(COLUMNS)
    assert table.num_rows == 4
    results = experiments.open_results(output)
    assert results.to_arrow().num_rows == len(results.rows) == len(results.to_pandas()) == 4
    assert repr(results) == f"Results(folders: 4 of 4 cells, 0 failures, {output})"


def test_a_finished_run_is_not_run_again(output: Path, executor: concurrent.futures.Executor) -> None:
    rows = {path.name: path.stat().st_mtime_ns for path in (output / "rows").iterdir()}
    told: list[experiments.Progress] = []
    experiments.resume(output, executor=executor, progress=told.append)
    assert {path.name: path.stat().st_mtime_ns for path in (output / "rows").iterdir()} == rows
    assert told == [experiments.Progress(done=4, total=4, new=0, failed=0)]


def test_run_never_writes_into_results(output: Path) -> None:
    before = content(output)
    with pytest.raises(
        schedcore.InvalidInstanceError, match="holds results of 'folders' already; resume goes on"
    ):
        experiments.run(described(), output)
    with pytest.raises(schedcore.InvalidInstanceError, match="holds results of 'folders' already"):
        experiments.run(described(name="other"), output)
    assert content(output) == before


def test_results_of_another_experiment_are_refused(output: Path) -> None:
    refused(output, "holds results of the experiment 'folders', not of 'other'", described(name="other"))
    with pytest.raises(schedcore.InvalidInstanceError, match="the experiment 'folders', not of 'other'"):
        experiments.open_results(output, described(name="other"))


@pytest.mark.parametrize(
    ("part", "other"),
    [("schedcore_version", "0.0.7"), ("schedcore_commit", "f" * 40)],
)
def test_results_of_another_version_or_commit_are_refused(output: Path, part: str, other: str) -> None:
    change_record(output, lambda record: record["code"].update({part: other}))
    told = provenance.describe_code({**provenance.code_identity(), part: other})
    ours = provenance.describe_code(provenance.code_identity())
    refused(output, re.escape(f"was begun with {told}, this is {ours}: rows of different code are not mixed"))
    assert len(experiments.open_results(output).rows) == 4  # to read it is no mistake


def test_a_description_may_grow(output: Path, executor: concurrent.futures.Executor, tmp_path: Path) -> None:
    grown = described(
        job_sets=(1, 2, 3),
        policies={"pq": "pq", "mris": "mris", "tetris": "tetris"},
        sweeps={"all": Sweep(["azure"], ["pq", "mris", "tetris"])},
    )
    results = experiments.resume(output, grown, executor=executor)
    assert (results.n_cells, results.n_missing) == (9, 0)
    assert to_document(experiments.open_results(output).experiment) == to_document(grown)
    assert stable_rows(results) == stable_rows(experiments.run(grown, tmp_path / "new", executor=executor))


def test_a_description_may_not_change(output: Path) -> None:
    refused(output, "2 of its 4 cells are not in the new one", described(job_sets=(1,)))
    refused(
        output,
        "2 of its 4 cells are not in the new one",
        described(policies={"pq": "pq:heuristic=wsvf", "mris": "mris"}),
    )
    refused(output, "4 of its 4 cells are not in the new one", described(tau=20.0))
    sweeps = {"all": Sweep(["azure"], ["pq", "mris"], keep=["schedule"])}
    refused(output, "0 of its 4 cells are not in the new one, 4 keep other columns", described(sweeps=sweeps))


def test_a_moved_file_is_named_by_its_input(
    of_a_file: tuple[Experiment, Path, Path], executor: concurrent.futures.Executor
) -> None:
    _, file, output = of_a_file
    moved = file.rename(file.with_name("elsewhere.parquet"))
    refused(output, "input:log: .*jobs.parquet is not there any more; say where it is")
    refused(output, "input:log: .*nowhere is no file", inputs={"log": "nowhere"})
    refused(output, "unknown input 'lgo' of 'folders'; did you mean 'log'", inputs={"lgo": moved})
    experiments.resume(output, inputs={"log": moved}, executor=executor)
    assert experiments.open_results(output).files == {"input:log": str(moved.resolve())}
    experiments.resume(output, executor=executor)  # remembered


def test_another_file_is_refused(of_a_file: tuple[Experiment, Path, Path], tmp_path: Path) -> None:
    experiment, file, output = of_a_file
    other = tmp_path / "other.parquet"
    azure_like(n_jobs=30, n_machines=2, seed=2).to_parquet(other)
    refused(output, f"{other} differs from the file that .* was begun with", inputs={"log": other})
    refused(output, f"{other} differs from the file", experiment, inputs={"log": other})
    file.write_bytes(other.read_bytes())
    refused(output, f"{file} differs from the file that {output} was begun with")


def test_an_input_that_is_not_given_is_asked_for(tmp_path: Path) -> None:
    experiment = described(
        workloads={"log": Workload("input:log")},
        sweeps={"all": Sweep(["log"], ["pq"])},
        inputs={"log": "a trace of last year"},
    )
    with pytest.raises(schedcore.InvalidInstanceError, match="needs the input 'log': a trace of last year"):
        experiments.run(experiment, tmp_path / "out")
    with pytest.raises(schedcore.InvalidInstanceError, match=r"input:log: .*nothing is no file"):
        experiments.run(experiment, tmp_path / "out", inputs={"log": tmp_path / "nothing"})
    assert not (tmp_path / "out").exists()


def test_a_grown_description_may_bring_files(
    output: Path, executor: concurrent.futures.Executor, tmp_path: Path
) -> None:
    file = tmp_path / "jobs.parquet"
    azure_like(n_jobs=30, n_machines=2, seed=1).to_parquet(file)
    grown = described(
        workloads={**described().workloads, "log": Workload("input:log")},
        sweeps={**described().sweeps, "more": Sweep(["log"], ["pq"])},
        inputs={"log": "any instance"},
    )
    refused(output, "needs the input 'log': any instance", grown)
    assert experiments.resume(output, grown, inputs={"log": file}, executor=executor).n_missing == 0


def test_a_folder_with_other_files_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("\\section{}")
    before = content(tmp_path)
    with pytest.raises(schedcore.InvalidInstanceError, match="holds other files and no results"):
        experiments.run(described(), tmp_path)
    with pytest.raises(
        schedcore.InvalidInstanceError, match=r"is no results folder: it has no experiment\.json"
    ):
        experiments.resume(tmp_path)
    assert content(tmp_path) == before
    assert {path.name for path in tmp_path.iterdir()} == {"thesis.tex"}


def test_an_empty_folder_is_taken(tmp_path: Path, executor: concurrent.futures.Executor) -> None:
    assert experiments.run(described(), tmp_path, executor=executor).n_missing == 0


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("kept")
    with pytest.raises(schedcore.InvalidInstanceError, match="exists and is not a folder"):
        experiments.run(described(), file)
    with pytest.raises(schedcore.InvalidInstanceError, match="is no results folder"):
        experiments.resume(file)
    with pytest.raises(NotADirectoryError):
        experiments.run(described(), file / "below")
    with pytest.raises(schedcore.InvalidInstanceError, match="is no results folder"):
        experiments.open_results(tmp_path / "nowhere")
    assert file.read_text() == "kept"


def test_a_folder_that_cannot_be_made_is_an_os_error() -> None:
    with pytest.raises(OSError, match="/proc/schedcore"):
        experiments.run(described(), "/proc/schedcore/out")


@pytest.mark.parametrize(
    ("record", "message"),
    [
        (b"", "is damaged: Expecting value"),
        (b'{"format": 1', "is damaged"),
        (b"\xff\xfe", "is damaged"),
        (b"[]", "is damaged"),
        (b"{}", "is damaged: 'format'"),
        (b"[" * 100_000, "is damaged"),
        (b'{"format": 2, "code": {}}', "is damaged: it has no code, folder, files, modules, description"),
        (b'{"format": 3}', "has format 3; schedcore .* reads 1 and 2"),
        (b'{"format": true}', "has format True"),
    ],
)
def test_a_damaged_record_is_said_to_be(output: Path, record: bytes, message: str) -> None:
    (output / "experiment.json").write_bytes(record)
    refused(output, f"{output}.*{message}")
    with pytest.raises(schedcore.InvalidInstanceError, match=message):
        experiments.run(described(), output)
    assert len(list((output / "rows").iterdir())) >= 1


def test_a_description_that_this_version_cannot_read_tells_which_could(output: Path) -> None:
    def of_another_time(record: dict[str, Any]) -> None:
        record["code"]["schedcore_version"] = "9.9"
        record["description"]["sweeps"]["all"]["repeats"] = 3

    change_record(output, of_another_time)
    refused(output, r"of schedcore 9\.9.*, cannot be read: .*'repeats'")


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("code", {"schedcore_version": "0.1.0"}),
        ("code", {"schedcore_version": "0.1.0", "schedcore_commit": None}),
        ("files", {"input:log": "jobs.parquet"}),
        ("files", {"input:log": {"path": "jobs.parquet"}}),
        ("modules", {"mine": 3}),
        ("folder", "a\0b"),
        ("description", []),
    ],
)
def test_a_record_without_what_belongs_in_it_is_damaged(output: Path, key: str, value: object) -> None:
    change_record(output, lambda record: record.update({key: value}))
    refused(output, rf"experiment\.json is damaged: it has no {key}$")


def test_a_file_of_rows_with_any_bit_flipped_is_named_and_not_read(output: Path) -> None:
    (part, *_) = sorted((output / "rows").glob("part-*"))
    content = part.read_bytes()
    random = Random(1)
    for place in {0, len(content) - 1, *random.sample(range(len(content)), 60)}:
        changed = bytearray(content)
        changed[place] ^= 1 << random.randrange(8)
        part.write_bytes(changed)
        with pytest.raises(schedcore.InvalidInstanceError, match=f"^{part} was changed after it was written"):
            experiments.open_results(output)
    refused(output, f"{part} was changed after it was written")
    part.write_bytes(content)
    assert len(experiments.open_results(output).rows) == 4


def test_cells_of_a_file_of_rows_that_is_taken_away_are_run_again(
    output: Path, executor: concurrent.futures.Executor
) -> None:
    before = stable_rows(experiments.open_results(output))
    (part, *others) = sorted((output / "rows").glob("part-*"))
    kept = {path: path.read_bytes() for path in others}
    part.unlink()
    assert stable_rows(experiments.resume(output, executor=executor)) == before
    assert {path: path.read_bytes() for path in others} == kept


def test_rows_of_a_version_without_checksums_are_read_with_a_warning(
    output: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (part, *_) = (output / "rows").glob("part-*")
    pq.write_table(pq.read_table(part).replace_schema_metadata(None), part)
    with pytest.raises(schedcore.InvalidInstanceError, match=r"was changed .* \(it has no checksum\)"):
        experiments.open_results(output)
    change_record(output, lambda record: record.update(format=1))
    caplog.clear()
    assert len(experiments.open_results(output).rows) == 4
    assert "begun by a version that wrote no checksums" in caplog.text


def test_a_damaged_file_of_rows_is_an_error_and_not_skipped(output: Path) -> None:
    (part, *_) = (output / "rows").glob("part-*")
    part.write_bytes(part.read_bytes()[:-20])
    with pytest.raises(schedcore.SchedcoreError, match=f"{part} was changed after it was written"):
        experiments.resume(output)
    assert part.exists()


def test_another_process_may_read_while_one_writes(output: Path) -> None:
    folder = results_folder.ResultsFolder.open(output)
    with folder.writing():
        assert len(experiments.open_results(output).rows) == 4


def test_rows_of_one_call_appear_together(output: Path) -> None:
    rows = experiments.open_results(output).to_arrow().to_pylist()
    folder = results_folder.ResultsFolder.open(output)
    before = len(list((output / "rows").iterdir()))
    folder.append([{**row, "cell": f"new {index}"} for index, row in enumerate(rows)])
    assert len(list((output / "rows").iterdir())) == before + 1
    folder.append([])
    assert len(list((output / "rows").iterdir())) == before + 1
    assert len(experiments.open_results(output).rows) == 8


def test_failures_are_kept_until_they_are_tried_again(
    policies: Path, executor: concurrent.futures.Executor
) -> None:
    experiment = of_policies(policies, {"pq": "pq", "raises": "raises"})
    output = policies / "out"
    first = experiments.run(experiment, output, executor=executor)
    assert (first.n_missing, len(first.failures)) == (3, 3)
    rows = stable_rows(first)
    second = experiments.resume(output, executor=executor)
    assert stable_rows(second) == rows
    assert check_folder(output, rows) == 6
