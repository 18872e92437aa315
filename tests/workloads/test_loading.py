"""`load` finds the reader or generator that a text means, and says what it does not know."""

import codecs
import gzip
import sys
from pathlib import Path

import pytest

from schedcore import Instance, InvalidInstanceError
from schedcore.model.arrow import write_parquet
from schedcore.workloads import GENERATORS, azure_like, generate, generate_from_text, load, uniform
from schedcore.workloads.file_kind import kind_of_file
from schedcore.workloads.reading.instance_file import write_instance
from schedcore.workloads.reading.source_file import read_head

MILLIONTHS = "1/1,000,000 machine"


@pytest.mark.parametrize("generator", GENERATORS.values(), ids=lambda generator: generator.name)
def test_every_generator_has_a_working_example(generator) -> None:  # type: ignore[no-untyped-def]
    text = generator.name + ":" + ",".join(f"{key}={value}" for key, value in generator.example.items())
    instance, report = load(text)
    assert (
        instance == generator.function(**generator.example) == generate(generator.name, **generator.example)
    )
    assert report.source == text
    assert generator.description.endswith(".")
    assert set(generator.required) <= set(generator.example) <= set(generator.parameters)


def test_a_generator_is_called_by_name_and_parameters() -> None:
    assert generate_from_text(" azure_like : n_jobs=100, seed=3 ") == azure_like(3, 100)
    assert load("azure_like:seed=3,n_jobs=100", machines=7)[0] == azure_like(3, 100, 7)
    other = load("azure_like:seed=3,n_jobs=100", machines="2x500000,600000,1,1")[0]
    assert other.machines.capacity.tolist() == [[500_000, 600_000, 1, 1]] * 2


def test_an_instance_survives_parquet(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    instance = uniform(1, 50, 3, 2, 100, 20, 5, 100, 60)
    path = tmp_path / "instance.parquet"
    instance.to_parquet(path)
    loaded, report = load(path)
    assert loaded == instance
    assert report.n_jobs == 50
    assert load(path, machines=9)[0].machines.capacity.tolist() == [[100, 100]] * 9
    assert load(path, machines="2x70,80")[0].machines.capacity.tolist() == [[70, 80]] * 2


def test_units_survive_parquet_and_are_no_part_of_the_instance(tmp_path: Path) -> None:
    generated, about = load("lublin_k:seed=1,n_jobs=9,mean_gap=60")
    assert about.units == {"time": "s", "resource_0": MILLIONTHS, "resource_1": MILLIONTHS}
    write_instance(tmp_path / "with.parquet", generated, about.units)
    generated.to_parquet(tmp_path / "without.parquet")
    for name, units in (("with.parquet", about.units), ("without.parquet", {})):
        loaded, report = load(tmp_path / name)
        assert loaded.content_hash() == generated.content_hash()
        assert report.units == units
        assert Instance.from_parquet(tmp_path / name) == generated
    with pytest.raises(FileExistsError):
        write_instance(tmp_path / "with.parquet", generated, {})


@pytest.mark.parametrize("units", [b"{", b"[]", b'{"time": 1}'])
def test_units_that_cannot_be_read_are_refused(tmp_path: Path, units: bytes) -> None:
    table = uniform(1, 5, 3, 2, 100, 20, 5, 100, 60).to_arrow()
    table = table.replace_schema_metadata({**table.schema.metadata, b"schedcore.units": units})
    write_parquet(table, tmp_path / "instance.parquet")
    with pytest.raises(InvalidInstanceError, match=r"instance\.parquet: the units .* cannot be read"):
        load(tmp_path / "instance.parquet")


SWF = b"1 0 0 10 1 -1 5 1 10 5 1 1 1 1 1 1 -1 -1\n"


@pytest.mark.parametrize(
    ("name", "content", "kind"),
    [
        ("log.swf", SWF, "swf"),
        ("log.SWF.gz", gzip.compress(SWF), "swf"),
        ("log.sacct", b"", "sacct"),
        ("log.txt", b"JobID|State\n", "sacct"),
        ("log.csv", gzip.compress(codecs.BOM_UTF8 + b"JobID|State\r\n"), "sacct"),
        ("x.swf", b"PAR1", "parquet"),
        ("x", b"SQLite format 3\x00", "sqlite"),
        ("x.parquet", b"text", "parquet"),
        ("x.csv", b'"job_id", starting_time \n', "batsim"),
        ("x", b"arrival_s,vcpus\n", "azure_v1"),
        ("x.csv", b"id,start_time\n", "csv"),
        ("x.csv.gz", gzip.compress(b""), "csv"),
        ("x.csv", b"", "csv"),
        ("x", b"id,start_time\n", None),
        ("x", b"", None),
    ],
)
def test_the_kind_of_a_file_is_told_by_its_beginning_or_its_name(
    tmp_path: Path, name: str, content: bytes, kind: str | None
) -> None:
    (tmp_path / name).write_bytes(content)
    assert kind_of_file(tmp_path / name) == kind


@pytest.mark.parametrize("packed", [False, True])
def test_only_the_beginning_of_a_file_is_read_for_its_kind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, packed: bool
) -> None:
    text = b"job_id,starting_time\n" + b"1,1\n" * 1_000_000
    path = tmp_path / "jobs.csv"
    path.write_bytes(gzip.compress(text)[:-100] if packed else text)
    monkeypatch.setattr(Path, "read_bytes", lambda _: pytest.fail("all of it was read"))
    assert kind_of_file(path) == "batsim"
    assert len(read_head(path, 1000)) <= 1000


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("azure_lik:seed=1", r"unknown generator 'azure_lik'; did you mean 'azure_like'"),
        ("azure_like:seed=1,n_job=4", r"unknown parameter 'n_job' of azure_like; did you mean 'n_jobs'\?"),
        ("azure_like:seed=1", r"azure_like needs n_jobs"),
        ("azure_like:seed=one,n_jobs=4", r"'seed=one' is not parameter=integer"),
        ("azure_like:1", r"'1' is not parameter=value"),
        ("half_plus:n_jobs=4,n_machines=0", r"n_machines = 0"),
        ("absent.swf", r"absent\.swf: no such file"),
        ("some/where", r"some/where: no such file"),
    ],
)
def test_unknown_sources_are_refused_with_the_close_matches(text: str, message: str) -> None:
    with pytest.raises(InvalidInstanceError, match=message):
        load(text)


def test_unknown_options_and_kinds_of_file_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "log.swf"
    path.write_text("1 0 0 10 1 -1 5 1 10 5 1 1 1 1 1 1 -1 -1\n")
    assert load(path, missing_memory="skip", n_resources=1)[0].n_jobs == 1
    with pytest.raises(
        InvalidInstanceError, match=r"option 'missing_mem' for .*log\.swf; did you mean 'missing_memory'"
    ):
        load(path, missing_mem="skip")
    with pytest.raises(InvalidInstanceError, match=r"options of a reader \(censored\) with a generator"):
        load("azure_like:seed=1,n_jobs=4", censored="drop")
    other = tmp_path / "notes.txt"
    other.write_text("hello\n")
    with pytest.raises(InvalidInstanceError, match=r"notes\.txt: not a known kind of workload"):
        load(other)
    with pytest.raises(InvalidInstanceError, match=r"no such file"):
        load(tmp_path)


def test_a_missing_package_is_named_with_its_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "log.swf"
    path.write_text("1 0 0 10 1 -1 5 1 10 5 1 1 1 1 1 1 -1 -1\n")
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match=r"schedcore\[traces\]"):
        load(path)
