"""No experiment runs in silence on a log that lost much of its work, or on a machine that nobody describes."""

import concurrent.futures
import sys
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from experiments.described import run_here
from schedcore import InvalidInstanceError, experiments
from schedcore.experiments import Experiment, Sweep, Workload
from schedcore.experiments.results.folder import ResultsFolder
from schedcore.experiments.running import instances
from schedcore.experiments.running.cell_row import Surroundings, run_cell
from schedcore.experiments.running.cells import Cell, unique_cells
from schedcore.experiments.running.instances import InstanceCache, WorkloadRefusedError
from schedcore.experiments.running.workforce import GivenExecutor
from schedcore.experiments.running.workload_check import refuse_workloads

LOSES = (
    '50.0 % of the work left out, mostly as too_big: demand above the capacity (1 row); a job runs inside one machine: '
    'describe the whole as one, machines = "1x4"'
)  # fmt: skip
WAY_ON = "; allow_loss = true in the table of the workload, or --allow-loss, goes on without that work"


@pytest.fixture(autouse=True)
def _nothing_warned_yet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(instances, "_warned", set())


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """Half of the work, 400 processor-seconds, is that of a job of two processors."""
    path = tmp_path / "log.swf"
    shapes = ((1, 90, 1), (2, 90, 1), (3, 20, 1), (4, 100, 2))
    rows = [f"{job} {job} 0 {run} {size} -1 -1 {size} 200 -1 1 1 1 1 1 1 -1 -1" for job, run, size in shapes]
    path.write_text("; MaxProcs: 4\n" + "\n".join(rows) + "\n")
    return path


@pytest.fixture
def output(tmp_path: Path) -> Path:
    return tmp_path / "out"


def reads(log: Path, machines: str | None = "4x1", *, allow_loss: bool = False, **arguments: Any) -> Workload:
    machine = {"tasks": "whole"} if machines is None else {"machines": machines, "tasks": "whole"}
    return Workload(str(log), {**machine, **arguments}, allow_loss)


def of(parameters: dict[str, list[Any]] | None = None, **workloads: Workload) -> Experiment:
    """One policy on some workloads."""
    sweeps = {"all": Sweep(list(workloads), ["pq"], parameters or {})}
    return Experiment(name="lossy", workloads=workloads, policies={"pq": "pq"}, sweeps=sweeps)


def cell_of(experiment: Experiment) -> Cell:
    (cell,) = unique_cells(experiment).values()
    return cell


def test_a_workload_that_loses_much_is_refused_before_anything_is_written(log: Path, output: Path) -> None:
    experiment = of(good=Workload("azure_like", {"n_jobs": 20}), log=reads(log))
    with pytest.raises(InvalidInstanceError) as refusal:
        run_here(experiment, output)
    assert str(refusal.value) == f"experiment 'lossy', workload 'log': {log}: {LOSES}{WAY_ON}"
    assert not output.exists()
    # What the message says works.
    for name, workload in (("whole", reads(log, "1x4")), ("lossy", reads(log, allow_loss=True))):
        assert not run_here(of(log=workload), output / name).failures


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        ({"n_resources": ""}, 'n_resources = "" must be 1 or 2'),
        ({"n_resources": 3}, "n_resources = 3 must be 1 or 2"),
        ({"status_rule": ""}, "unknown status_rule ''"),
        ({"on_bad_row": 'sk"ip'}, "unknown on_bad_row 'sk\"ip'; did you mean 'skip'"),
        ({"processors": ""}, 'processors = "" must be an integer'),
    ],
)
def test_a_value_that_a_reader_does_not_take_is_named_with_its_option(
    log: Path, argument: dict[str, Any], message: str
) -> None:
    cell = cell_of(of(log=reads(log, None, **argument)))
    with pytest.raises(InvalidInstanceError) as refusal:
        InstanceCache().get(cell, {})
    assert str(refusal.value).startswith(message)


def test_remarks_of_readers_need_no_library(
    log: Path, output: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "tomlkit", None)
    assert not run_here(of(log=reads(log, allow_loss=True)), output).failures
    assert capfd.readouterr().err.splitlines() == [f"WARNING: {log}: {LOSES}"]


def test_worker_processes_refuse_alike(log: Path, output: Path, capfd: pytest.CaptureFixture[str]) -> None:
    experiment = of({"first_jobs": [1, 2]}, log=reads(log))
    with pytest.raises(InvalidInstanceError) as refusal:
        experiments.run(experiment, output, workers=2)
    assert str(refusal.value) == f"experiment 'lossy', workload 'log': {log}: {LOSES}{WAY_ON}"
    assert (capfd.readouterr().err, output.exists()) == ("", False)


@pytest.mark.slow
def test_the_workers_of_a_dask_cluster_refuse_alike(log: Path, output: Path, tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed", reason="needs schedcore[distributed]")
    experiment = of({"first_jobs": [1, 2]}, log=reads(log))
    with distributed.LocalCluster(
        1, processes=False, dashboard_address=":0", local_directory=str(tmp_path)
    ) as cluster:
        with pytest.raises(InvalidInstanceError, match=r"workload 'log': .* or --allow-loss, goes on"):
            experiments.run(experiment, output, scheduler=cluster.scheduler_address)
        assert not output.exists()
        allowed = of({"first_jobs": [1, 2]}, log=reads(log, allow_loss=True))
        assert not experiments.run(allowed, output, scheduler=cluster.scheduler_address).failures


def test_work_whose_loss_is_allowed_is_a_warning_and_the_description_says_so(
    log: Path, output: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    results = run_here(of({"first_jobs": [1, 2]}, log=reads(log, allow_loss=True)), output)
    assert [row["n_jobs"] for row in results.rows if row["status"] == "ok"] in ([1, 2], [2, 1])
    assert capfd.readouterr().err.splitlines() == [f"WARNING: {log}: {LOSES}"]
    assert "allow_loss = true" in results.report(output / "report.html").read_text()
    assert experiments.open_results(output).experiment.workloads["log"].allow_loss


def test_some_lost_work_is_a_warning_alone(
    log: Path, output: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    log.write_text(log.read_text().replace("4 4 0 100 2", "4 4 0 5 2"))
    assert not run_here(of(log=reads(log)), output).failures
    (line,) = capfd.readouterr().err.splitlines()
    assert line.startswith(f"WARNING: {log}: 4.8 % of the work left out, mostly as too_big")


def test_a_machine_that_nobody_describes_is_refused_whatever_is_allowed(log: Path, output: Path) -> None:
    log.write_text(log.read_text().partition("\n")[2])
    experiment = of(log=reads(log, None, allow_loss=True))
    with pytest.raises(InvalidInstanceError, match=r"workload 'log': .*nothing says how much") as refusal:
        run_here(experiment, output)
    assert str(refusal.value).endswith('say what there is, such as machines = "1x5"')
    assert not output.exists()
    assert not run_here(of(log=reads(log, "1x5")), output).failures


def test_every_workload_that_is_refused_is_named_once(log: Path, output: Path) -> None:
    experiment = of(
        {"machines": ["1x4", "2x1", "4x1"]}, one=reads(log, None), other=reads(log, None, on_bad_row="skip")
    )
    with pytest.raises(InvalidInstanceError) as refusal:
        run_here(experiment, output)
    one, other = str(refusal.value).split(". Also, ")
    assert one.startswith("experiment 'lossy', workload 'one': ")
    assert other.startswith("workload 'other': ")
    assert "describe the whole as one, machines" in one


def test_allowing_a_loss_changes_no_key(log: Path) -> None:
    assert cell_of(of(log=reads(log))).key == cell_of(of(log=reads(log, allow_loss=True))).key


def test_a_cell_that_workloads_share_is_refused_if_one_of_them_allows_no_loss(
    log: Path, output: Path
) -> None:
    experiment = of(allowed=reads(log, allow_loss=True), log=reads(log))
    assert not cell_of(experiment).allow_loss
    with pytest.raises(InvalidInstanceError, match="experiment 'lossy', workload 'log': "):
        run_here(experiment, output)


def test_a_folder_goes_on_once_the_loss_is_allowed_and_keeps_what_it_has(log: Path, output: Path) -> None:
    good = Workload("azure_like", {"n_jobs": 20})
    before = run_here(of(good=good), output).rows
    description = (output / "experiment.json").read_bytes()
    with pytest.raises(InvalidInstanceError, match=r"workload 'log': .* goes on without that work"):
        resume_here(output, of(good=good, log=reads(log)))
    assert experiments.open_results(output).rows == before
    assert (output / "experiment.json").read_bytes() == description
    after = resume_here(output, of(good=good, log=reads(log, allow_loss=True)))
    assert (len(after.rows), after.failures, after.n_missing) == (2, [], 0)
    assert before[0] in after.rows
    # What has run stays: there is nothing left to refuse.
    assert resume_here(output, of(good=good, log=reads(log))).rows == after.rows


def test_a_folder_that_was_begun_before_losses_were_refused_goes_on_with_the_loss_allowed(
    log: Path, output: Path
) -> None:
    ResultsFolder.create(output, of(log=reads(log)), {str(log): str(log)})
    with pytest.raises(InvalidInstanceError, match="workload 'log': "):
        resume_here(output, None)
    assert resume_here(output, of(log=reads(log, allow_loss=True))).n_missing == 0


def test_cells_refuse_themselves_also_where_a_worker_has_read_the_log_for_another(log: Path) -> None:
    lossy, allowed = of(log=reads(log)), of(log=reads(log, allow_loss=True))
    files, cache = {str(log): str(log)}, InstanceCache()
    for options in ({}, {"first_jobs": [2]}):
        sweeps = {"all": Sweep(["log"], ["pq"], options)}
        assert cache.get(cell_of(replace(allowed, sweeps=sweeps)), files).n_jobs >= 2
        with pytest.raises(WorkloadRefusedError):
            cache.get(cell_of(replace(lossy, sweeps=sweeps)), files)
    row = run_cell(cell_of(lossy), Surroundings({}, None, files))
    assert (row["status"], row["error"]) == ("failed", f"WorkloadRefusedError: {log}: {LOSES}{WAY_ON}")


def test_a_log_that_cannot_be_read_is_left_to_its_cells(log: Path, output: Path) -> None:
    log.write_text("; MaxProcs: 4\n1 1 0 garbled\n")
    results = run_here(of(good=Workload("azure_like", {"n_jobs": 20}), log=reads(log)), output)
    assert sorted(row["status"] for row in results.rows) == ["failed", "ok"]
    (failure,) = results.failures
    assert 'on_bad_row = "skip" leaves such rows out' in failure["error"]


def test_a_worker_that_dies_while_it_reads_leaves_the_log_to_its_cells(log: Path) -> None:
    class Dies(concurrent.futures.Executor):
        def submit(self, *_: Any, **__: Any) -> concurrent.futures.Future[Any]:  # type: ignore[override]
            future: concurrent.futures.Future[Any] = concurrent.futures.Future()
            future.set_exception(BrokenProcessPool())
            return future

    experiment = of(log=reads(log))
    refuse_workloads(experiment, unique_cells(experiment), {str(log): str(log)}, GivenExecutor(Dies()))


def resume_here(output: Path, experiment: Experiment | None) -> experiments.Results:
    with concurrent.futures.ThreadPoolExecutor(2) as executor:
        return experiments.resume(output, experiment, executor=executor)
