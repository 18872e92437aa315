"""Whatever is wrong with a table is told in one sentence that names the file, the line and what to write."""

import decimal
import gzip
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schedcore import InvalidInstanceError, SchedcoreError
from schedcore.workloads import load, read_table

pa = pytest.importorskip("pyarrow")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("\n\n", "is empty"),
        ("1,2,3\n4,5,6\n", r"the first line has no names of columns but values .1,2,3."),
        ("a,,b\n1,2,3\n", r"no column says how long jobs ran .columns: a, column_2, b"),
        ("a,a\n1,2\n", "two columns named a"),
        (
            "a,b\n1,2\n",
            r"no column says how long jobs ran .columns: a, b.; name it, as with columns=\"runtime=COLUMN\"",
        ),
        ("submit,end,cpus\n1,2,3\n", "how long jobs ran, without start or wait"),
        ("submit,runtime\n1,2\n", r"no column says what jobs demand .*columns=\"cpus=COLUMN\""),
        ("submit,runtime,cpus\n", "no job is left"),
        ("submit,runtime,cpus\n1,2,3,4\n", r"1 row \(line 2\): not as many fields"),
        (
            "submit,runtime,cpus\n1,2,3\n1,fast,3\n",
            r"1 row \(line 3\): runtime cannot be read .* such as 'fast'",
        ),
        ("submit,runtime,cpus\n1,1:30,3\n1,2,3\n", "hours and minutes, or minutes and seconds"),
        ("submit,runtime,cpus\n1,-5,3\n", r"1 row \(line 2\): a time or an amount below 0"),
        ("submit,runtime,cpus\n1,5,-3\n", "below 0"),
        ("submit,runtime,cpus\n-7,5,3\n", "below 0"),
        ("submit,start,end,cpus\n1,9,5,3\n", "below 0"),
        ("submit,runtime,cpus,weight\n1,5,3,1\n1,5,3,-2\n", r"1 row \(line 3\): a weight below 0"),
        (
            "submit|runtime|cpus\n1|2|3\n",
            r"one name, 'submit\|runtime\|cpus': fields stand between commas, semicolons",
        ),
        ("submit runtime cpus\n1 2 3\n", r"one name, 'submit runtime cpus': fields stand between commas"),
        ("submit,runtime,1\n1,2,3\n", r"no column says what jobs demand .columns: submit, runtime, 1."),
        (
            "submit,cpus,estimate,end\n0,1,1,soon\n",
            r"how long jobs ran .*; column end is not read as end: 'soon' is",
        ),
        ("submit,runtime,cpus\n1,1e300,3\n", "a time above 2"),
        ("submit,runtime,cpus\n1,1,1e300\n", "a demand above 2"),
        ("submit,runtime,cpus\n1,inf,1\n2,3,4\n", "runtime cannot be read"),
        ("submit,runtime,cpus\n1,1,many\n", r"cpus is column cpus, but 'many' \(line 2\) cannot be read so"),
        (
            "submit,runtime,cpus\n03/04/2026,1,1\n",
            r"columns=\"submit=submit:dmy\" or columns=\"submit=submit:mdy\"",
        ),
        ("submit,runtime,cpus\n20260304,1,1\n", r"submit=submit:ymd"),
        ("submit,start,runtime,cpus\n2026-01-01,5,1,1\n", r"submit .column submit. has dates, but start"),
        ('submit,runtime,cpus\n"1,2,3\n', "line 2: a quote is not closed"),
        ("submit,runtime,cpus\n1,2,\xe9\n", "is not UTF-8"),
        ("duration,elapsed,cpus\n1,2,3\n", "runtime could be column duration or elapsed; say which"),
    ],
)
def test_one_sentence_says_what_is_wrong(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "jobs.csv"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(InvalidInstanceError, match=message) as refused:
        load(path)
    assert str(path) in str(refused.value)
    assert "\n" not in str(refused.value)


def test_bad_rows_are_skipped_where_somebody_says_so(tmp_path: Path) -> None:
    path = tmp_path / "jobs.csv"
    path.write_text("submit,runtime,cpus\n0,60,1\n0,fast,1\n0,-5,1\n0,1,1,1\n0,1e300,1\n")
    instance, report = read_table(path, on_bad_row="skip")
    assert instance.n_jobs == 1
    assert report.dropped == {"garbled_row": 1, "impossible_value": 1, "ragged_row": 1, "huge_time": 1}


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "jobs.csv.gz"
    path.write_bytes(gzip.compress(b"submit,runtime,cpus\n" + b"1,2,3\n" * 100_000)[:-50])
    with pytest.raises(InvalidInstanceError, match="truncated or damaged gzip file"):
        load(path)
    other = tmp_path / "jobs.parquet"
    other.write_bytes(b"PAR1 and nothing else")
    with pytest.raises(InvalidInstanceError, match=r"jobs\.parquet is not a readable Parquet file"):
        load(other)


def test_columns_of_any_type_end_in_jobs_or_one_sentence(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    columns = {
        "submit": [20_260_501, 20_260_502],
        "took": pa.array([60, 90], pa.duration("s")),
        "cores": pa.array([decimal.Decimal("1.50"), decimal.Decimal(2)]),
        "flag": [True, False],
        "void": pa.nulls(2),
        "lists": [[1], [2]],
        "bytes": pa.array([b"\xff", b"a"]),
        "day": pa.array([1, 2], pa.date32()),
        "clock": pa.array([1, 2], pa.time32("s")),
        "record": pa.array([{"a": 1}, None]),
        "coded": pa.array(["a", "b"]).dictionary_encode(),
        "long": pa.array(["a", "b"], pa.large_string()),
        "start": pa.nulls(2, pa.timestamp("us")),
        "zoned": pa.array([1, 2], pa.timestamp("ms", tz="UTC")),
        "huge": pa.array([2**63 + 5, 1], pa.uint64()),
        "float": pa.array([float("inf"), float("nan")]),
    }
    path = tmp_path / "jobs.parquet"
    parquet.write_table(pa.table(columns), path)
    plain = {"submit": "submit:ymd", "runtime": "took", "cpus": "cores"}
    instance, report = read_table(
        path, columns={**plain, "user": "coded", "account": "long", "partition": "flag"}
    )
    assert instance.jobs.demand.tolist() == [[1500], [2000]]
    assert instance.jobs.release_time.tolist() == [0, 86_400]
    assert instance.jobs.partition.tolist() == ["true", "false"]
    assert report.origin == "2026-05-01T00:00:00"
    for role in (
        "submit",
        "start",
        "runtime",
        "cpus",
        "memory",
        "user",
        "id",
        "priority",
        "weight",
        "resource:x",
    ):
        for name in columns:
            try:
                told = str(read_table(path, columns={**plain, role: name})[0])
            except SchedcoreError as error:
                told = str(error)
            assert "\n" not in told
    with pytest.raises(
        InvalidInstanceError, match="column lists holds list<element: int64>, no single values"
    ):
        read_table(path, columns={**plain, "user": "lists"})


def test_columns_are_for_tables_alone(tmp_path: Path) -> None:
    path = tmp_path / "log.swf"
    path.write_text("1 0 0 10 1 -1 5 1 10 5 1 1 1 1 1 1 -1 -1\n")
    with pytest.raises(
        InvalidInstanceError, match=r'columns="submit=a" says what the columns of a table of jobs mean'
    ):
        load(path, columns="submit=a")
    with pytest.raises(
        InvalidInstanceError, match=r"azure_like:.* is a workload of a kind that needs no telling"
    ):
        load("azure_like:seed=1,n_jobs=4", columns="submit=a")


ALPHABET = st.text(alphabet="019.-:;,+eTZPmsGB/ \t\n\"'=x%é", max_size=60)


@settings(deadline=None)
@given(
    header=st.lists(
        st.sampled_from(["submit", "start", "end", "runtime", "cpus", "mem_mb", "id", "user", "x", "wait", "nodes"]),
        min_size=1, max_size=6, unique=True,
    ),
    body=ALPHABET,
    words=st.none() | st.text(alphabet="submitruncpe=,:x\"/m", max_size=20),
    delimiter=st.sampled_from(",;\t"),
    machines=st.sampled_from([None, "2x4", "2x4,1GB", "1x1"]),
    skip=st.booleans(),
)  # fmt: skip
def test_no_text_ends_otherwise_than_in_jobs_or_one_sentence(
    tmp_path_factory: pytest.TempPathFactory,
    header: list[str],
    body: str,
    words: str | None,
    delimiter: str,
    machines: str | None,
    skip: bool,
) -> None:
    path = tmp_path_factory.mktemp("tables") / "jobs.csv"
    path.write_text(delimiter.join(header) + "\n" + body)
    try:
        instance, report = read_table(path, machines, on_bad_row="skip" if skip else "error", columns=words)
    except SchedcoreError as error:
        told = str(error)
    else:
        told = "jobs"
        assert report.rows_read == instance.n_jobs + report.dropped.total()
    assert told
    assert "\n" not in told
