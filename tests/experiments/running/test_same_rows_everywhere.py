"""The same rows come out whatever runs the cells, in whatever order."""

import concurrent.futures
import contextlib
import multiprocessing
import os
import random
import sys
import threading
import unittest.mock
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import schedcore
from experiments.small_experiments import (
    UNIFORM,
    difficult_policies,
    of_policies,
    small,
    stable_rows,
    troubled,
)
from schedcore import experiments
from schedcore.errors import SchedcoreError
from schedcore.experiments import Experiment, Results, Sweep, Workload
from schedcore.experiments.results.folder import ResultsFolder
from schedcore.experiments.running import dispatch, instances, workforce
from schedcore.experiments.running.cell_row import Surroundings
from schedcore.experiments.running.cells import Cell, unique_cells
from schedcore.experiments.running.workforce import GivenExecutor
from schedcore.workloads import azure_like

Rows = dict[str, list[str]]


@contextlib.contextmanager
def dask_cluster(**options: Any) -> Iterator[Any]:
    """A Dask cluster of processes on this machine; it sets variables for its workers, and they go with it."""
    distributed = pytest.importorskip("distributed", reason="needs schedcore[distributed]")
    with (
        unittest.mock.patch.dict(os.environ),
        distributed.LocalCluster(processes=True, dashboard_address=":0", **options) as cluster,
    ):
        yield cluster


@pytest.fixture(scope="module")
def described(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Experiment, Experiment]]:
    """All that can be described, and cells that fail."""
    with difficult_policies(tmp_path_factory.mktemp("policies")) as folder:
        yield small(), troubled(folder)


@pytest.fixture(scope="module")
def expected(
    described: tuple[Experiment, Experiment], tmp_path_factory: pytest.TempPathFactory
) -> tuple[Rows, Rows]:
    """The rows as one worker process makes them."""
    folder = tmp_path_factory.mktemp("one")
    of_small, of_troubled = (
        stable_rows(experiments.run(one, folder / one.name, workers=1)) for one in described
    )
    return of_small, of_troubled


@pytest.fixture
def threads() -> Iterator[concurrent.futures.ThreadPoolExecutor]:
    with concurrent.futures.ThreadPoolExecutor(3) as executor:
        yield executor


def test_the_rows_to_compare_with_are_of_all_kinds(expected: tuple[Rows, Rows]) -> None:
    of_small, of_troubled = expected
    # sizes 3 x 3 policies, the cells of "delays" are among them, three workloads x 2 policies; 3 job sets of each
    assert len(of_small["cell"]) == (9 + 6) * 3
    assert set(of_small["status"]) == {"'ok'"}
    assert sum(value != "None" for value in of_small["start_time"]) == 6
    assert Counter(of_troubled["status"]) == {"'ok'": 6, "'failed'": 6, "'invalid'": 3}
    assert of_small["cell"] == sorted(of_small["cell"])


@pytest.mark.parametrize("workers", [2, 4])
def test_any_number_of_processes_makes_the_same_rows(
    described: tuple[Experiment, Experiment], expected: tuple[Rows, Rows], workers: int, tmp_path: Path
) -> None:
    for experiment, rows in zip(described, expected, strict=True):
        assert stable_rows(experiments.run(experiment, tmp_path / experiment.name, workers=workers)) == rows


def test_threads_make_the_same_rows(
    described: tuple[Experiment, Experiment],
    expected: tuple[Rows, Rows],
    threads: concurrent.futures.Executor,
    tmp_path: Path,
) -> None:
    for experiment, rows in zip(described, expected, strict=True):
        assert stable_rows(experiments.run(experiment, tmp_path / experiment.name, executor=threads)) == rows


@pytest.mark.slow
def test_a_dask_cluster_makes_the_same_rows(
    described: tuple[Experiment, Experiment], expected: tuple[Rows, Rows], tmp_path: Path
) -> None:
    with dask_cluster(n_workers=2, threads_per_worker=2, local_directory=str(tmp_path)) as cluster:
        for experiment, rows in zip(described, expected, strict=True):
            results = experiments.run(
                experiment, tmp_path / experiment.name, scheduler=cluster.scheduler_address
            )
            assert stable_rows(results) == rows


@pytest.mark.parametrize(
    ("workers", "preload", "message"),
    [
        (0, "", r"has no worker after 2 s"),
        (1, "import sys; sys.modules['schedcore'] = None", r"cannot run schedcore: ModuleNotFoundError"),
        (
            1,
            "import schedcore.experiments.running.provenance as p\n"
            "p.build_config = lambda: {'version': 9, 'commit': ''}",
            r"the worker tcp://.* has schedcore 9, this is schedcore ",
        ),
    ],
)
def test_a_cluster_that_cannot_run_the_cells_is_refused_before_a_folder_is_begun(
    workers: int, preload: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not workers:
        monkeypatch.setattr(workforce, "_CONNECTION_SECONDS", 2)
    options = {"preload": preload} if preload else {}
    with (
        dask_cluster(n_workers=workers, local_directory=str(tmp_path), **options) as cluster,
        pytest.raises(SchedcoreError, match=message),
    ):
        experiments.run(small(), tmp_path / "out", scheduler=cluster.scheduler_address)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("seed", range(3))
def test_any_order_of_cells_and_any_slices_make_the_same_rows(
    described: tuple[Experiment, Experiment],
    expected: tuple[Rows, Rows],
    threads: concurrent.futures.Executor,
    seed: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(dispatch, "_SLICE_SECONDS", (0.0, 0.01, 2.0)[seed])
    monkeypatch.setattr(dispatch, "_grouped", lambda cells: [dispatch._Slice([cell]) for cell in cells])
    for experiment, rows in zip(described, expected, strict=True):
        cells = list(unique_cells(experiment).values())
        random.Random(seed).shuffle(cells)
        folder = ResultsFolder.create(tmp_path / experiment.name, experiment, {})
        with folder.writing():
            surroundings = Surroundings(dict(experiment.module_hashes), experiment.folder, {})
            dispatch.run_cells(cells, surroundings, GivenExecutor(threads, 1 + seed), folder.append)
        assert stable_rows(Results(folder)) == rows


def test_parts_of_a_run_make_the_same_rows(
    expected: tuple[Rows, Rows], threads: concurrent.futures.Executor, tmp_path: Path
) -> None:
    """One job set at first, the description grown afterwards."""
    experiments.run(small(job_sets=1), tmp_path / "grown", executor=threads)
    assert stable_rows(experiments.resume(tmp_path / "grown", small(), executor=threads)) == expected[0]


def test_a_policy_that_draws_gets_the_seed_of_its_cell(expected: tuple[Rows, Rows]) -> None:
    _, rows = expected
    drawn = [
        (float(value), float(int(seed)))
        for policy, value, seed in zip(rows["policy"], rows["value"], rows["derived_seed"], strict=True)
        if policy == "'draws'"
    ]
    assert len(set(drawn)) == 3
    assert all(value == seed for value, seed in drawn)


COUNTING = """
import os
from schedcore.experiments.running import instances

def reading(source, arguments, files, read=instances._read):
    with open({path!r}, "a") as file:
        file.write(f"{{os.getpid()}} {{source}} {{sorted(arguments.items())}}\\n")
    return read(source, arguments, files)

instances._read = reading
"""


@pytest.fixture
def counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Experiment, Path]]:
    """An experiment with 15 instances, four of them from one long list, and where its workers note what they read."""
    monkeypatch.setattr(instances, "_read", instances._read)  # undone in the end
    monkeypatch.setattr(sys, "path", list(sys.path))
    noted = tmp_path / "noted"
    (tmp_path / "counting_reads.py").write_text(COUNTING.format(path=str(noted)))
    uniform = {name: value for name, value in UNIFORM.items() if name != "n_jobs"}
    yield (
        Experiment(
            name="counted",
            workloads={
                "uniform": Workload("uniform", uniform),
                "thinned": Workload("azure_like", {"seed": 1, "n_jobs": 200, "factor": 4}),
            },
            policies={"pq": "pq", "tetris": "tetris", "bf": "bf_exec", "wsjf": "pq:heuristic=wsjf"},
            sweeps={
                "sizes": Sweep(["uniform"], ["pq", "tetris", "bf", "wsjf"], {"n_jobs": [20, 30, 40]}),
                "thinned": Sweep(["thinned"], ["pq", "tetris", "bf", "wsjf"]),
            },
            job_sets=(1, 2, 3, 4),
            modules=["counting_reads"],
            folder=tmp_path,
        ),
        noted,
    )
    sys.modules.pop("counting_reads", None)


def test_every_worker_process_reads_a_workload_once(counted: tuple[Experiment, Path], tmp_path: Path) -> None:
    experiment, noted = counted
    results = experiments.run(experiment, tmp_path / "out", workers=2)
    assert not results.failures
    reads = Counter(noted.read_text().splitlines())
    assert max(reads.values()) == 1
    # 12 of "uniform" and the one list of "thinned", at most once in each of two workers
    assert len({line.split(" ", 1)[1] for line in reads}) == 13
    assert len(reads) <= 2 * 13


def test_threads_at_work_on_many_workloads_read_each_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Six threads, each with a workload of its own, cell after cell in lockstep."""
    n_threads, n_rounds = 6, 4
    experiment = Experiment(
        name="many",
        workloads={"azure": Workload("azure_like", {"n_jobs": 20})},
        policies={"pq": "pq"},
        sweeps={"all": Sweep(["azure"], ["pq"])},
        job_sets=tuple(range(1, n_threads + 1)),
    )
    reads: list[int] = []
    read = instances._read
    monkeypatch.setattr(instances, "_read", lambda *words: (reads.append(words[1]["seed"]), read(*words))[1])
    cache, round_begins = instances.InstanceCache(), threading.Barrier(n_threads)

    def work(cell: Cell) -> None:
        for _ in range(n_rounds):
            round_begins.wait(timeout=60)
            cache.get(cell, {})

    with concurrent.futures.ThreadPoolExecutor(n_threads) as executor:
        list(executor.map(work, unique_cells(experiment).values()))
    assert sorted(reads) == list(range(1, n_threads + 1))


def test_a_worker_that_outlives_a_run_reads_the_file_of_the_next_one(
    threads: concurrent.futures.Executor, tmp_path: Path
) -> None:
    experiment = Experiment(
        name="of_a_file",
        workloads={"log": Workload("input:log"), "half": Workload("input:log", {"factor": 2})},
        policies={"pq": "pq"},
        sweeps={"all": Sweep(["log", "half"], ["pq"])},
        inputs={"log": "any"},
    )
    path = tmp_path / "log.parquet"
    seen = set()
    for seed in (1, 2):
        inst = azure_like(n_jobs=40, n_machines=2, seed=seed)
        inst.to_parquet(path, overwrite=True)
        results = experiments.run(experiment, tmp_path / f"{seed}", inputs={"log": path}, executor=threads)
        hashes = {row["workload_hash"] for row in results.rows}
        assert inst.content_hash() in hashes
        assert len(hashes) == 2
        assert not hashes & seen
        seen |= hashes


def test_an_instance_without_jobs_is_a_cell_like_any_other(
    threads: concurrent.futures.Executor, tmp_path: Path
) -> None:
    experiment = Experiment(
        name="none",
        workloads={"none": Workload("azure_like", {"n_jobs": 0})},
        policies={"pq": "pq", "mris": "mris"},
        sweeps={"all": Sweep(["none"], ["pq", "mris"], keep=["delay_quantiles", "schedule"])},
    )
    results = experiments.run(experiment, tmp_path / "out", executor=threads)
    assert [row["status"] for row in results.rows] == ["ok", "ok"]
    assert results.to_arrow()["delay_quantiles"].to_pylist() == [[], []]


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ("exit", "SystemExit: enough"),
        ("long", "RuntimeError: word word"),
        ("undecodable", r"FileNotFoundError: traces/caf\udce9.csv"),
        ("no_exception", "BaseException: below all exceptions"),
        ("unspeakable", "the cell did not come back from its worker: RuntimeError: no text"),
        ("nothing", "AttributeError"),
    ],
)
def test_whatever_a_policy_raises_becomes_a_row_and_stops_nothing(
    how: str, said: str, threads: concurrent.futures.Executor, tmp_path: Path
) -> None:
    with difficult_policies(tmp_path) as folder:
        experiment = of_policies(folder, {"pq": "pq", "odd": f"raises_oddly:how={how}"}, job_sets=1)
        results = experiments.run(experiment, tmp_path / "out", executor=threads)
    assert sorted(row["status"] for row in results.rows) == ["failed", "ok"]
    (failure,) = results.failures
    assert failure["error"].startswith(said)
    assert "raises_oddly" in failure["traceback"] or how in ("nothing", "unspeakable")


def test_a_keyboard_interrupt_of_a_policy_does_not_end_the_run(policies: Path) -> None:
    """Workers leave Ctrl-C to their parent, so it can only come from the cell."""
    experiment = of_policies(policies, {"pq": "pq", "odd": "raises_oddly:how=keyboard"}, job_sets=1)
    results = experiments.run(experiment, policies / "out", workers=1)
    assert sorted(row["status"] for row in results.rows) == ["failed", "ok"]
    assert "KeyboardInterrupt" in results.failures[0]["error"]


def test_a_module_that_workers_cannot_import_is_named_in_the_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", list(sys.path))
    with difficult_policies(tmp_path) as folder:
        module = tmp_path / "difficult_policies.py"
        here_only = (
            "import multiprocessing as mp\nif mp.parent_process() is not None: raise OSError('not here')\n"
        )
        module.write_text(here_only + module.read_text())
        experiment = of_policies(folder, {"slow": "slowly:seconds=0"}, job_sets=2)
        results = experiments.run(experiment, tmp_path / "out", workers=1)
    assert [row["error"] for row in results.rows] == ["OSError: not here"] * 2
    assert all('"seconds":0' in row["policy_options"] for row in results.rows)


def test_an_executor_that_was_shut_down_is_said_to_be(policies: Path) -> None:
    executor = concurrent.futures.ThreadPoolExecutor(1)
    experiment = of_policies(policies, {"slow": "slowly"}, job_sets=20)

    def shut_down(progress: experiments.Progress) -> None:
        if progress.new == 1:
            executor.shutdown(wait=False)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dispatch, "_SLICE_SECONDS", 0.0)
        with pytest.raises(SchedcoreError, match="takes no more cells: cannot schedule new futures"):
            experiments.run(experiment, policies / "out", executor=executor, progress=shut_down)
    assert experiments.open_results(policies / "out").n_missing == 19
    with concurrent.futures.ThreadPoolExecutor(1) as another:
        assert experiments.resume(policies / "out", executor=another).n_missing == 0


def test_an_executor_of_the_caller_that_broke_is_reported_and_what_had_finished_is_kept(
    policies: Path,
) -> None:
    experiment = of_policies(policies, {"pq": "pq", "kills": "kills_its_process"}, job_sets=2)
    with concurrent.futures.ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as executor:
        executor.submit(int).result()
        with pytest.raises(SchedcoreError, match="a worker process died and broke the executor"):
            experiments.run(experiment, policies / "out", executor=executor)
    (policies / "difficult_policies.py").touch()
    results = experiments.resume(policies / "out", workers=1)
    assert sorted(row["status"] for row in results.rows) == ["failed", "failed", "ok", "ok"]


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="forking a process with threads warns")
def test_processes_forked_during_a_run_do_not_keep_the_folder_locked(policies: Path) -> None:
    experiment = of_policies(policies, {"pq": "pq"}, job_sets=1)
    with concurrent.futures.ProcessPoolExecutor(1, multiprocessing.get_context("fork")) as executor:
        experiments.run(experiment, policies / "out", executor=executor)
        grown = of_policies(policies, {"pq": "pq"}, job_sets=2)
        assert experiments.resume(policies / "out", grown, executor=executor).n_missing == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"workers": 0}, "workers = 0 must be an integer of at least 1"),
        ({"workers": 2.0}, "workers = 2.0 must be"),
        ({"workers": 2, "scheduler": "tcp://127.0.0.1:1"}, "has its own workers"),
        ({"scheduler": "tcp://127.0.0.1:1", "executor": concurrent.futures.Executor()}, "name one of them"),
        ({"scheduler": "nonsense"}, "'nonsense' is no address such as tcp://host:8786"),
    ],
)
def test_workers_that_make_no_sense_are_refused(
    options: dict[str, Any], message: str, tmp_path: Path
) -> None:
    with pytest.raises(schedcore.InvalidInstanceError, match=message):
        experiments.run(small(), tmp_path / "out", **options)
    assert not (tmp_path / "out").exists()
