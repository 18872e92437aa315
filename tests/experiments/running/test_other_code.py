"""Rows of different code are never mixed: modules of the user and the library itself are told apart by content."""

import concurrent.futures
import dataclasses
import json
from pathlib import Path

import pytest

from experiments.running.test_cells import key
from experiments.small_experiments import MODULE, of_policies, small
from schedcore import experiments, registry
from schedcore.errors import InvalidInstanceError, SchedcoreError
from schedcore.experiments.running import dispatch


def test_another_module_of_the_same_name_is_refused_in_one_process(policies: Path, tmp_path: Path) -> None:
    of_policies(policies, {"slow": "slowly"})
    other = tmp_path / "other"
    other.mkdir()
    (other / f"{MODULE}.py").write_text("raise AssertionError('never imported')\n")
    with pytest.raises(InvalidInstanceError, match=f"'{MODULE}': this process has imported other contents"):
        of_policies(other, {"slow": "slowly"})


@pytest.mark.parametrize(("name", "raised"), [("with_text", "Mine('my own')"), ("without_text", "Mine")])
def test_an_error_inside_a_module_keeps_its_type_and_traceback(
    tmp_path: Path, name: str, raised: str
) -> None:
    imports = "from schedcore.errors import InvalidInstanceError"
    (tmp_path / f"{name}.py").write_text(
        f"{imports}\nclass Mine(InvalidInstanceError): pass\nraise {raised}\n"
    )
    with pytest.raises(InvalidInstanceError) as caught:
        dataclasses.replace(small(), modules=[name], folder=tmp_path)
    assert repr(caught.value) == (raised if "(" in raised else f"{raised}()")
    assert caught.traceback[-1].path.name == f"{name}.py"


def test_an_edited_module_is_refused_where_the_old_one_is_imported(policies: Path) -> None:
    of_policies(policies, {"slow": "slowly"})
    module = policies / f"{MODULE}.py"
    module.write_text(module.read_text() + "# edited\n")
    with pytest.raises(InvalidInstanceError, match="begin a new process"):
        of_policies(policies, {"slow": "slowly"})


def test_an_edit_while_cells_wait_is_a_failed_row(policies: Path) -> None:
    experiment = of_policies(policies, {"pq": "pq"})
    module = policies / f"{MODULE}.py"
    module.write_text(module.read_text() + "# edited\n")
    with concurrent.futures.ThreadPoolExecutor(1) as executor:
        results = experiments.run(experiment, policies / "out", executor=executor)
    assert results.failures
    assert all("imported other contents" in row["error"] for row in results.failures)


def test_resume_refuses_another_module(policies: Path) -> None:
    with concurrent.futures.ThreadPoolExecutor(1) as executor:
        experiments.run(of_policies(policies, {"pq": "pq"}), policies / "out", executor=executor)
        path = policies / "out" / "experiment.json"
        record = json.loads(path.read_text())
        assert list(record["modules"]) == [MODULE]
        record["modules"][MODULE] = "0" * 64
        path.write_text(json.dumps(record))
        with pytest.raises(InvalidInstanceError, match=f"module '{MODULE}' differs from the one"):
            experiments.resume(policies / "out", executor=executor)


def test_rows_of_a_worker_with_another_version_are_not_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours = dispatch.code_identity()
    monkeypatch.setattr(dispatch, "code_identity", lambda: {**ours, "schedcore_version": "9"})
    with (
        concurrent.futures.ThreadPoolExecutor(1) as executor,
        pytest.raises(SchedcoreError, match=r"this is schedcore 9.*; its rows were not taken"),
    ):
        experiments.run(small(), tmp_path / "out", executor=executor)
    assert experiments.open_results(tmp_path / "out").rows == []


def test_a_derived_seed_is_no_default_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    pq = registry.get("pq")
    options = (registry.Option("seed", 0, "of what is drawn"),)
    draws = registry.Algorithm("draws", "Draws", pq.family, pq.source, pq.run, options, pq.objective)
    monkeypatch.setitem(registry._algorithms, "draws", draws)
    assert key(policy="draws") != key(policy="draws:seed=0")
    assert key(policy="draws:seed=7") == key(policy="draws:seed=7.0")
