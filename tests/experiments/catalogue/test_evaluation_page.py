"""The page on the evaluation of MRIS shows tables of its experiments, and reference values to the printed digit."""

import re
from pathlib import Path
from types import ModuleType

import pytest

from data_folder import data_folder
from docs_script import docs_script
from papers.reference_values import BY_KEY, BY_N_JOBS, BY_N_MACHINES, DELAY_SHARES, WITH_TWENTY_RESOURCES
from schedcore import experiments

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "mris-evaluation.md").read_text(encoding="utf-8")
VERDICTS = ("agrees", "differs", "cannot hold")


MARKED = docs_script("marked_tables").MARKED


@pytest.fixture(scope="module")
def writer() -> ModuleType:
    return docs_script("evaluation_tables")


@pytest.fixture(scope="module")
def lifetimes() -> ModuleType:
    pytest.importorskip("pandas")
    return docs_script("mris_lifetimes")


def rows_of(table: str) -> list[list[str]]:
    """The cells of a table in Markdown, its heading first."""
    lines = [line for line in table.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if "---" not in line]


def row_of(table: str, label: str) -> list[str]:
    return next(row[1:] for row in rows_of(table) if row[0] == label)


def test_every_mark_names_a_figure_or_sweep_and_holds_a_table(
    writer: ModuleType, lifetimes: ModuleType
) -> None:
    marks = list(MARKED.finditer(PAGE))
    assert len(marks) == PAGE.count(": begin -->")
    assert [mark["what"] for mark in marks if mark["experiments"] == "lifetimes"] == list(lifetimes.TABLES)
    for mark in marks:
        assert mark[0].count("\n|") > 2, mark["begin"]
        if mark["experiments"] == "lifetimes":
            continue
        assert mark["what"] in writer.TABLES
        described = [experiments.load(name) for name in mark["experiments"].split("+")]
        if mark["part"] is not None:
            known = {
                name for one in described for name in (one.sweeps if mark["what"] == "cost" else one.figures)
            }
            assert mark["part"] in known


def test_every_claim_of_the_evaluations_is_on_the_page(writer: ModuleType) -> None:
    shown = {
        (name, mark["part"], row[0]): row
        for mark in MARKED.finditer(PAGE)
        if mark["what"] == "claims"
        for name in mark["experiments"].split("+")
        for row in rows_of(mark[0])
    }
    for name in writer.CALLED:
        for figure, description in experiments.load(name).figures.items():
            if (name, figure) in writer.ELSEWHERE:
                continue
            for claim in description.claims:
                row = shown[name, figure, claim.text]
                assert (row[1] == "-") != claim.expects, claim.text


def test_verdicts_are_counted_as_the_tables_show_them(writer: ModuleType) -> None:
    """Each claim and each published value once."""
    marks = list(MARKED.finditer(PAGE))
    (counts,) = (mark for mark in marks if mark["what"] == "verdicts")
    names = counts["experiments"].split("+")
    for column, name in enumerate(names):
        counted = dict.fromkeys(VERDICTS, 0)
        for mark in marks:
            several = mark["experiments"].split("+")
            if mark["what"] in ("claims", "table") and name in several:
                for row in rows_of(mark[0])[1:]:
                    cells = row if mark["what"] == "table" else [row[2 + several.index(name)]]
                    for verdict in VERDICTS:
                        counted[verdict] += sum(
                            cell.startswith(f"{verdict}: ") or cell.endswith(f": {verdict}") for cell in cells
                        )
        rows = (row_of(counts[0], label)[column] for label in ("all", "beside these, what the fit has seen"))
        written = [[int(number) for number in row.split(" / ")] for row in rows if row != "-"]
        assert [sum(numbers) for numbers in zip(*written, strict=True)] == list(counted.values()), name
        assert sum(counted.values()) > 40


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
        if f"| {policy} |" not in tables[figure]:
            continue
        cells = row_of(tables[figure], policy)[column : column + len(values)]
        if decimals == 3:
            assert cells == values
        else:  # shares come to a thousandth
            assert [float(cell) for cell in cells] == pytest.approx([float(v) for v in values], abs=0.0061)
        shown += 1
    assert shown >= 2


def test_drawings_of_the_page_are_small() -> None:
    images = re.findall(r"!\[[^]]*\]\((images/[^)]*)\)", PAGE)
    assert len(images) >= 3
    assert all((ROOT / "docs" / image).stat().st_size < 60_000 for image in images)


def test_lifetimes_that_are_run_again_give_the_numbers_of_the_page(lifetimes: ModuleType) -> None:
    trace = lifetimes.Trace(str(data_folder("azure-v1-vms", "azure_v1_dev_vms.csv.gz")))
    tables = {mark["what"]: mark[0] for mark in MARKED.finditer(PAGE) if mark["experiments"] == "lifetimes"}
    heavy = trace.of_azure_heavy()
    for label, times in (
        ("as recorded", trace.lifetimes),
        ("those cut off go on, up to 90 days", trace.continued()),
        ("those of `azure_heavy`, none above 3.5 days", lifetimes.shortened(heavy)),
    ):
        instance = trace.instance.replace(processing_time=times)
        assert lifetimes.cell(lifetimes.thinned(instance, 64)) == row_of(tables["trace"], label)[0]
    assert lifetimes.quantile_table(trace) in PAGE
