"""A table of outages is read exactly, or refused with the line and the column."""

import logging
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cluster_strategies import outages
from example_shares import examples
from schedcore import InvalidInstanceError, Machines, Outages
from schedcore.workloads import read_outages

MACHINES = Machines.identical(4, [1], names=["n1", "n2", "n3", "login"])
ORIGIN = "2026-12-01"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "failures.csv"


def test_every_way_to_write_a_row_is_read(path: Path) -> None:
    path.write_text(
        "cause,machine,start,end\n"
        "disk,n2,10,20.5\n"
        "\n"
        ",3,2026-12-01T00:01, 2026-12-01T00:02\n"
        "fan,n1,1e2,\n"
        ',"n[1-2],login",0,INF\n'
        ",n3,1h,2h\n"
    )
    assert read_outages(path, MACHINES, ORIGIN) == Outages(
        [1, 3, 0, 0, 1, 3, 2],
        [10, 60, 100, 0, 0, 0, 3600],
        [20.5, 120, math.inf, math.inf, math.inf, math.inf, 7200],
    )


def test_a_table_without_rows_has_no_outages(path: Path) -> None:
    path.write_text("machine,start,end\n")
    assert len(read_outages(path, MACHINES)) == 0


@examples(30)
@given(rows=outages(4), data=st.data())
def test_what_pandas_writes_of_outages_is_read_again(
    tmp_path_factory: pytest.TempPathFactory, rows: Outages, data: st.DataObject
) -> None:
    path = tmp_path_factory.mktemp("outages") / "table.csv"
    rows.to_pandas().to_csv(path, index=data.draw(st.booleans()))
    assert read_outages(path, MACHINES) == rows


def test_what_is_over_before_time_0_is_left_out_and_counted(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path.write_text(
        "machine,start,end\n"
        "n1,2026-11-01,2026-11-02\n"
        "n[1-2],2026-11-30,2026-12-01T00:00:05\n"
        "n3,2026-11-30,2026-12-01\n"
        "n3,7,8\n"
    )
    with caplog.at_level(logging.WARNING, "schedcore"):
        assert read_outages(path, MACHINES, ORIGIN) == Outages([0, 1, 2], [0, 0, 7], [5, 5, 8])
    assert "2 rows (line 2, 4) left out: over before time 0" in caplog.text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "cannot be read: it is empty"),
        ("machine,start\nn1,0\n", "has no column end (it has: machine, start)"),
        ("start,end\n0,1\n", "has no column machine"),
        ("machine,start,end,end\nn1,0,1,2\n", "two columns named end"),
        ("machine,start,end\nn1,0\n", "not as many fields as column names"),
        (
            "machine,start,end\nn1,0,1\nn9,0,1\n",
            "line 3: machine: no machine is called 'n9' (machines are",
        ),
        ("machine,start,end\n,0,1\n", "line 2: machine is missing"),
        ("machine,start,end\n4,0,1\n", "line 2: machine: there is no machine 4; the 4 machines count from 0"),
        ("machine,start,end\n-1,0,1\n", "line 2: machine: no machine is called '-1'"),
        ("machine,start,end\nn[1-2,0,1\n", "line 2: machine: 'n[1-2' is malformed"),
        ("machine,start,end\nn1,,1\n", "line 2: start is missing"),
        ("machine,start,end\nn1,inf,\n", "line 2: start: 'inf' is not an instant"),
        ("machine,start,end\nn1,nan,\n", "line 2: start: 'nan' is not an instant"),
        ("machine,start,end\nn1,-1,2\n", "line 2: start '-1' is below 0"),
        ("machine,start,end\nn1,1e999,\n", "line 2: start '1e999' is not a number"),
        ("machine,start,end\nn1,0,1e17\n", "line 2: end '1e17' is beyond 2**53 seconds"),
        ("machine,start,end\nn1,0,soon\n", "line 2: end: 'soon' is not an instant"),
        ("machine,start,end\nn1,0,1\nn1,5,5\n", "line 3: end '5' is not after start"),
        ("machine,start_time,end_time\nn1,5,4\n", "line 2: end_time '4' is not after start_time"),
        ("machine,start,end\nn1,2026-12-01T25:00,\n", "line 2: start: '2026-12-01T25:00' is no date"),
        ("machine,start,end\nn1,2026-12-01T08:00Z,\n", "line 2: start: '2026-12-01T08:00Z' has a time zone"),
    ],
)
def test_other_tables_are_refused_with_the_line_and_the_column(path: Path, text: str, message: str) -> None:
    path.write_text(text)
    with pytest.raises(InvalidInstanceError) as error:
        read_outages(path, MACHINES, ORIGIN)
    assert message in str(error.value)
    assert len(str(error.value)) < 500


def test_dates_need_the_date_of_time_0(path: Path) -> None:
    path.write_text("machine,start,end\nn1,2026-12-01,\n")
    with pytest.raises(InvalidInstanceError, match=r"line 2: start: .* nothing says the date of time 0"):
        read_outages(path, MACHINES)


def test_short_hostlists_do_not_fill_the_memory(path: Path) -> None:
    machines = Machines.identical(100_000, [1])
    path.write_text("machine,start,end\n" + '"machine_[0-99999]",0,1\n' * 1001)
    with pytest.raises(InvalidInstanceError, match="100,100,000 outages are more than 100,000,000"):
        read_outages(path, machines)


def test_a_missing_file_is_named() -> None:
    with pytest.raises(FileNotFoundError, match=r"failures\.csv"):
        read_outages("failures.csv", MACHINES)
