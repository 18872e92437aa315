"""The page on the evaluation of MRIS shows tables of its experiments, and reference values to the printed digit."""

import re
from pathlib import Path

import pytest

from docs_script import docs_script
from papers.reference_values import BY_KEY, BY_N_JOBS, BY_N_MACHINES, DELAY_SHARES, WITH_TWENTY_RESOURCES
from schedcore import experiments

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "mris-evaluation.md").read_text(encoding="utf-8")


MARKED = docs_script("marked_tables").MARKED


def row_of(table: str, label: str) -> list[str]:
    row = re.search(rf"^\| {re.escape(label)} \|(.*)\|$", table, re.MULTILINE)
    assert row is not None, label
    return [cell.strip() for cell in row[1].split("|")]


def test_every_mark_names_a_figure_or_sweep_and_holds_a_table() -> None:
    marks = list(MARKED.finditer(PAGE))
    assert len(marks) == PAGE.count(": begin -->")
    for mark in marks:
        experiment = experiments.load(mark["experiments"])
        assert mark["part"] in (experiment.sweeps if mark["what"] == "cost" else experiment.figures)
        assert mark[0].count("\n|") > 2, mark["begin"]


def single(values: dict[str, str]) -> dict[str, list[str]]:
    return {label: [value] for label, value in values.items()}


@pytest.mark.parametrize(
    ("figure", "reference", "column", "decimals"),
    [
        ("figure-1", {key.upper(): [value] for key, value in BY_KEY.items()}, 4, 3),
        ("figure-3", BY_N_JOBS, 0, 3),
        ("placements", BY_N_JOBS, 0, 3),
        ("figure-4", BY_N_MACHINES, 0, 3),
        ("figure-5", DELAY_SHARES, 0, 2),
        ("figure-6", single(WITH_TWENTY_RESOURCES), 4, 3),
    ],
)
def test_job_set_1_has_the_reference_values(
    figure: str, reference: dict[str, list[str]], column: int, decimals: int
) -> None:
    tables = {mark["part"]: mark[0] for mark in MARKED.finditer(PAGE) if mark["what"] == "job-set-1"}
    shown = 0
    for label, values in reference.items():
        policy = label.removesuffix(" scan")
        if f"| {policy}, job set 1 |" not in tables[figure]:
            continue
        cells = row_of(tables[figure], f"{policy}, job set 1")[column : column + len(values)]
        if decimals == 3:
            assert cells == values
        else:  # shares come to a thousandth
            assert [float(cell) for cell in cells] == pytest.approx([float(v) for v in values], abs=0.0061)
        shown += 1
    assert shown >= 2
