"""A round trip through Arrow, Parquet or a data frame loses nothing."""

import builtins
import importlib
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given

from schedcore import Instance, InvalidInstanceError, Jobs, Machines, Schedule
from strategies import instances


def example(**changes: object) -> Instance:
    jobs = Jobs([4, 1.5], [[10, 2], [5, 5]], [0, 0.1], [1, 3], id=[7, 3])
    return Instance(jobs.replace(**changes), Machines([[10, 10], [20, 5]], ["cpu", "Speicher ü"]))


@given(instances(identical_machines=False, integer_times=False, allow_no_demand=True))
def test_arrow_round_trip_is_exact(instance: Instance) -> None:
    restored = Instance.from_arrow(instance.to_arrow())
    assert restored == instance
    assert restored.content_hash() == instance.content_hash()


@pytest.mark.parametrize("estimate", [None, [5, 5], [4, 1.5]])
def test_parquet_round_trip_is_exact(tmp_path: Path, estimate: list | None) -> None:
    instance = example(estimated_processing_time=estimate)
    path = tmp_path / "instance.parquet"
    instance.to_parquet(path)
    restored = Instance.from_parquet(str(path))
    assert restored == instance
    assert restored.content_hash() == instance.content_hash()
    assert restored.jobs.has_estimates == (estimate is not None)
    assert restored.machines.resource_names == ("cpu", "Speicher ü")


@pytest.mark.parametrize("value", [2**53, 2**53 - 1])
def test_the_greatest_values_survive(tmp_path: Path, value: int) -> None:
    jobs = Jobs([value], [[value]], value, value, [value], [2**63 - 1])
    jobs.to_parquet(tmp_path / "jobs.parquet")
    assert Jobs.from_parquet(tmp_path / "jobs.parquet") == jobs


def test_instances_without_jobs_survive(tmp_path: Path) -> None:
    instance = Instance(Jobs([], []), Machines([[1, 2]]))
    instance.to_parquet(tmp_path / "empty.parquet")
    assert Instance.from_parquet(tmp_path / "empty.parquet") == instance


def test_schedules_survive_even_infeasible_ones(tmp_path: Path) -> None:
    schedule = Schedule([0.1, float("nan"), float("inf")], [0, -1, 5])
    schedule.to_parquet(tmp_path / "schedule.parquet")
    assert Schedule.from_parquet(tmp_path / "schedule.parquet") == schedule


def test_tables_name_the_resources() -> None:
    assert example().to_arrow().column_names == [
        "id", "release_time", "processing_time", "weight", "demand_cpu", "demand_Speicher ü",
    ]  # fmt: skip
    assert "estimated_processing_time" in example(estimated_processing_time=[5, 5]).to_arrow().column_names


def test_one_dimensional_columns_are_not_copied() -> None:
    jobs = example().jobs
    table = jobs.to_arrow()
    assert np.shares_memory(table["release_time"].chunk(0).to_numpy(), jobs.release_time)
    assert np.shares_memory(Jobs.from_arrow(table).release_time, jobs.release_time)


def test_polars_and_record_batches_are_read_too() -> None:
    instance = example()
    assert Jobs.from_arrow(instance.jobs.to_polars()) == instance.jobs
    assert Jobs.from_arrow(instance.jobs.to_arrow().to_batches()[0]) == instance.jobs
    chunked = pa.concat_tables([instance.to_arrow().slice(0, 1), instance.to_arrow().slice(1)])
    assert Instance.from_arrow(chunked) == instance


def test_frames_have_a_row_a_job() -> None:
    instance = example()
    assert instance.to_pandas()["demand_cpu"].tolist() == [10, 5]
    assert instance.jobs.to_pandas()["demand_resource_1"].tolist() == [2, 5]
    assert instance.to_polars()["id"].to_list() == [7, 3]


def test_columns_that_are_left_out_get_the_defaults() -> None:
    assert Jobs.from_arrow(pl.DataFrame({"processing_time": [1, 2], "demand_cpu": [3, 4]})) == Jobs(
        [1, 2], [[3], [4]]
    )


def test_demand_columns_may_come_in_any_order() -> None:
    table = example().to_arrow()
    assert Instance.from_arrow(table.select(table.column_names[::-1])) == example()


def test_an_existing_file_is_kept_unless_told_otherwise(tmp_path: Path) -> None:
    path = tmp_path / "instance.parquet"
    path.write_text("precious")
    with pytest.raises(FileExistsError):
        example().to_parquet(path)
    assert path.read_text() == "precious"
    example().to_parquet(path, overwrite=True)
    assert Instance.from_parquet(path) == example()


@pytest.mark.parametrize("content", [b"", b"not a parquet file", b"PAR1" + bytes(50) + b"PAR1"])
def test_a_file_that_is_not_parquet_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "broken.parquet"
    path.write_bytes(content)
    with pytest.raises(InvalidInstanceError, match=r"broken\.parquet is not a readable Parquet file"):
        Jobs.from_parquet(path)
    with pytest.raises(FileNotFoundError):
        Jobs.from_parquet(tmp_path / "absent.parquet")


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"demand_cpu": [1]}, "no column processing_time"),
        ({"processing_time": [1]}, "demand has 0 rows for 1 jobs"),
        (
            {"processing_time": [1], "demand_cpu": [1], "realese_time": [1]},
            r"unknown columns \['realese_time'\]",
        ),
        ({"processing_time": [1], "demand": [1]}, r"unknown columns \['demand'\]"),
        ({"processing_time": [1, None], "demand_cpu": [1, 1]}, r"processing_time\[1\] is null"),
        ({"processing_time": [1], "demand_cpu": [0.5]}, r"demand\[0, 0\] = 0\.5 .* is a float"),
        ({"processing_time": [0], "demand_cpu": [1]}, r"processing_time\[0\] = 0"),
    ],
)
def test_bad_tables_are_refused_by_name(columns: dict, message: str) -> None:
    with pytest.raises(InvalidInstanceError, match=message):
        Jobs.from_arrow(pa.table(columns))


def test_repeated_columns_are_refused() -> None:
    table = pa.Table.from_arrays([pa.array([1]), pa.array([1])], names=["processing_time", "processing_time"])
    with pytest.raises(InvalidInstanceError, match="two columns named 'processing_time'"):
        Jobs.from_arrow(table)


def test_text_columns_are_a_type_error() -> None:
    with pytest.raises(TypeError, match="processing_time must hold"):
        Jobs.from_arrow(pa.table({"processing_time": ["1"], "demand_cpu": [1]}))


def test_a_table_without_machines_is_no_instance() -> None:
    with pytest.raises(InvalidInstanceError, match=r"carries no machines; read it with Jobs\.from_arrow"):
        Instance.from_arrow(example().jobs.to_arrow())


@pytest.mark.parametrize(
    ("metadata", "message"),
    [
        (b"{", "not schedcore's JSON"),
        (b'{"format": 99}', "format that this version does not read"),
        (b"[]", "format that this version does not read"),
        (b'{"format": 1, "resource_names": ["gpu"], "capacity": [[1]]}', "demand columns"),
    ],
)
def test_broken_metadata_is_refused(metadata: bytes, message: str) -> None:
    table = example().to_arrow().replace_schema_metadata({b"schedcore": metadata})
    with pytest.raises(InvalidInstanceError, match=message):
        Instance.from_arrow(table)


def test_a_schedule_needs_its_two_columns() -> None:
    with pytest.raises(InvalidInstanceError, match="start_time and machine"):
        Schedule.from_arrow(pa.table({"start_time": [1.0]}))


@pytest.mark.parametrize(
    ("call", "package"),
    [
        (lambda i, path: i.to_arrow(), "pyarrow"),
        (lambda i, path: i.to_parquet(path), "pyarrow"),
        (lambda i, path: Instance.from_parquet(path), "pyarrow"),
        (lambda i, path: Instance.from_arrow(None), "pyarrow"),
        (lambda i, path: i.to_pandas(), "pandas"),
        (lambda i, path: i.jobs.to_polars(), "polars"),
    ],
)
def test_a_missing_package_names_the_extra(monkeypatch, tmp_path: Path, call, package: str) -> None:
    def import_module(name: str) -> object:
        raise ModuleNotFoundError(f"No module named {name!r}")

    monkeypatch.setattr(importlib, "import_module", import_module)
    with pytest.raises(builtins.ImportError, match=rf"{package} is missing; .* schedcore\[traces\]"):
        call(example(), tmp_path / "x.parquet")


@pytest.mark.parametrize("ids", [None, [0, 1], [7, 3]])
def test_tables_remember_whether_identifiers_were_given(tmp_path: Path, ids: list[int] | None) -> None:
    instance = example(id=ids)
    instance.to_parquet(tmp_path / "instance.parquet")
    instance.jobs.to_parquet(tmp_path / "jobs.parquet")
    copies = [
        Instance.from_parquet(tmp_path / "instance.parquet").jobs,
        Jobs.from_parquet(tmp_path / "jobs.parquet"),
        Jobs.from_arrow(instance.jobs.to_arrow()),
        Jobs.from_arrow(instance.jobs.to_pandas()),
        Instance.from_arrow(instance.to_pandas()).jobs,
    ]
    assert [restored.has_ids for restored in copies] == [ids is not None] * len(copies)
    assert all(restored.id.tolist() == instance.jobs.id.tolist() for restored in copies)
    assert Jobs.from_arrow(instance.jobs[1:].to_arrow()).has_ids == (ids is not None)


def test_identifiers_that_are_written_into_a_table_count_as_given() -> None:
    assert Jobs.from_arrow(pl.DataFrame({"processing_time": [1], "demand_cpu": [3], "id": [0]})).has_ids
    assert not Jobs.from_arrow(pl.DataFrame({"processing_time": [1], "demand_cpu": [3]})).has_ids
    frame = Jobs([1, 2], [[1], [1]]).to_pandas()
    frame["id"] = [41, 42]
    assert Jobs.from_arrow(frame).has_ids
    table = Jobs([1, 2], [[1], [1]]).to_arrow()
    assert Jobs.from_arrow(table.set_column(0, "id", pa.array([41, 42]))).has_ids
