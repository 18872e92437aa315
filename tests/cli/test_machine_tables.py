"""A table of machines in place of their text."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

TABLE = """name,weight,labels,memory,processors
n[1-2],0,rack=1,1GB,4
big,0,"rack=2, ssd",2GB,8
"""


@pytest.fixture
def nodes(tmp_path: Path) -> Path:
    path = tmp_path / "nodes.csv"
    path.write_text(TABLE)
    return path


def test_a_table_of_machines_gives_what_their_text_gives(
    cli: Callable[..., Any], log: Path, nodes: Path
) -> None:
    options = ("--missing-memory", "used", "-p", "pq", "--format", "csv")
    by_table = cli("compare", log, "--machines", nodes, *options)
    assert by_table.exit_code == 0
    by_text = cli("compare", log, "--machines", "2x4,1GB+1x8,2GB", *options)
    assert [row["awct"] for row in by_table.rows] == [row["awct"] for row in by_text.rows]


def test_converted_instances_keep_the_names(cli: Callable[..., Any], log: Path, nodes: Path) -> None:
    pytest.importorskip("pyarrow")
    path = log.with_suffix(".parquet")
    told = cli("convert", log, "--machines", nodes, "--missing-memory", "used", "-o", path)
    assert "with names, labels)" in told.stderr


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (TABLE.replace("8\n", "-8\n"), "nodes.csv: line 3: processors: '-8' is not an amount of processors"),
        (TABLE.replace("memory", "gpus"), "unknown column 'gpus' for"),
        ("", "nodes.csv cannot be read: it is empty"),
    ],
)
def test_a_table_that_cannot_be_read_is_refused(
    cli: Callable[..., Any], log: Path, nodes: Path, text: str, message: str
) -> None:
    nodes.write_text(text)
    outcome = cli("compare", log, "--machines", nodes, "--missing-memory", "used", "-p", "pq")
    assert outcome.exit_code == 2
    assert message in " ".join(outcome.stderr.split())


def test_a_table_that_is_not_there_is_refused(cli: Callable[..., Any], log: Path) -> None:
    outcome = cli("compare", log, "--machines", "nodes.csv", "--missing-memory", "used", "-p", "pq")
    assert outcome.exit_code == 2
    assert "machines 'nodes.csv': no such file" in outcome.stderr
