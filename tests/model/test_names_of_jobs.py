"""What people call jobs: carried along with them, and no part of the problem."""

import pickle
from pathlib import Path
from typing import Any

import pytest

from schedcore import Instance, InvalidInstanceError, Jobs, Machines
from schedcore.model.job_columns import APART


def jobs(name: Any = ("12_1", None, "12+1")) -> Jobs:
    return Jobs([4, 1, 2], [[10], [5], [4]], name=name, id=[7, 8, 9])


def test_a_job_is_called_by_its_name_else_by_its_id() -> None:
    assert [jobs().called(job) for job in range(3)] == ["12_1", 8, "12+1"]
    assert [jobs(None).called(job) for job in range(3)] == [7, 8, 9]
    assert jobs().name.tolist() == ["12_1", None, "12+1"]
    assert not jobs(["", None, ""]).uses("name")
    assert isinstance(jobs().called(1), int)


def test_jobs_are_the_same_problem_whatever_they_are_called() -> None:
    assert {"recorded_start_time", "name", "notes"} == APART
    machines = Machines([[10]])
    for other in (None, ["a", "b", "c"]):
        assert jobs() == jobs(other)
        assert hash(jobs()) == hash(jobs(other))
        assert Instance(jobs(), machines).content_hash() == Instance(jobs(other), machines).content_hash()


def test_selections_changes_tables_and_pickles_keep_names(tmp_path: Path) -> None:
    assert jobs()[[2, 1]].name.tolist() == ["12+1", None]
    assert not jobs()[[1]].uses("name")
    assert jobs().replace(processing_time=[1, 1, 1], release_time=3).name.tolist() == ["12_1", None, "12+1"]
    assert pickle.loads(pickle.dumps(jobs())).name.tolist() == ["12_1", None, "12+1"]
    for table in (jobs().to_arrow(), jobs().to_pandas(), jobs().to_polars()):
        assert Jobs.from_arrow(table).name.tolist() == ["12_1", None, "12+1"]
    Instance(jobs(), Machines([[10]])).to_parquet(tmp_path / "jobs.parquet")
    assert Instance.from_parquet(tmp_path / "jobs.parquet").jobs.name.tolist() == ["12_1", None, "12+1"]


def test_names_are_texts_one_a_job() -> None:
    with pytest.raises(InvalidInstanceError, match="name"):
        jobs(["a", "b"])
    with pytest.raises(TypeError, match="name"):
        jobs(["a", 3, "c"])


def test_no_policy_is_said_to_ignore_names() -> None:
    import schedcore

    result = schedcore.solve("pq", Instance(jobs(), Machines([[10]])))
    assert "name" not in result.stats["ignored"]
