"""The page of claims: every claim of the experiments that it shows is there once, with a verdict and a reason."""

import dataclasses
import re
from collections import Counter
from fnmatch import fnmatchcase
from pathlib import Path
from types import ModuleType

import pytest

from docs_script import docs_script
from experiments.described import described, run_here
from schedcore import experiments
from schedcore.experiments import Claim, Results
from schedcore.experiments.results.claims import AGREES, DIFFERS, VERDICTS

pytest.importorskip("pyarrow")

DOCS = Path(__file__).parents[3] / "docs"
PAGE = (DOCS / "claims.md").read_text(encoding="utf-8")
MARKS = docs_script("marked_tables")


@pytest.fixture(scope="module")
def script() -> ModuleType:
    return docs_script("claims_tables")


def rows_of(table: str) -> list[list[str]]:
    """The cells of a table in Markdown, without its heading."""
    lines = [line for line in table.splitlines() if line.startswith("|")]
    return [
        [cell.strip() for cell in line.removeprefix("|").removesuffix("|").split("|")] for line in lines[2:]
    ]


def shown() -> dict[str, list[list[str]]]:
    """Experiment -> the rows of its claims."""
    marks = [mark for mark in MARKS.MARKED.finditer(PAGE) if mark["what"] == "claims"]
    tables = {mark["experiments"]: rows_of(mark[0]) for mark in marks}
    assert len(tables) == len(marks)
    return tables


def test_every_claim_is_there_once(script: ModuleType) -> None:
    for name, rows in shown().items():
        expected = Counter[tuple[str, str]]()
        for figure, description in experiments.load(name).figures.items():
            if figure in script.ELSEWHERE.get(name, ()):
                continue
            texts = [
                claim.text.removeprefix(script.OF_PAPER)
                for claim in description.judged
                if claim.expects and not claim.text.startswith(script.OF_OTHERS)
            ]
            expected.update((figure, text) for text in texts)
        assert Counter((row[0], row[1]) for row in rows) == expected, name


def test_a_verdict_is_one_of_three_and_has_a_reason_unless_it_agrees() -> None:
    for name, rows in shown().items():
        for row in rows:
            assert row[4] in VERDICTS, (name, row)
            assert row[5] or row[4] == AGREES, (name, row)


def test_verdicts_are_counted_as_the_tables_show_them(script: ModuleType) -> None:
    tables = shown()
    (counts,) = script.COUNTS.finditer(PAGE)
    assert [row[0] for row in rows_of(counts[0])] == list(tables)
    for name, *numbers in rows_of(counts[0]):
        found = Counter(row[4] for row in tables[name])
        assert [int(number) for number in numbers] == [found[verdict] for verdict in VERDICTS], name
    emptied = script.COUNTS.sub(r"\g<begin>\g<end>", PAGE)
    assert emptied != PAGE
    assert script.counted(emptied) == PAGE


def test_no_reason_is_left_over(script: ModuleType) -> None:
    rows = [(name, *row) for name, own in shown().items() for row in own if row[4] != AGREES]
    for entry in script.REASONS:
        assert entry.keys() <= {"experiment", "figure", "claim", "why"}
        assert any(
            fnmatchcase(name, entry["experiment"])
            and fnmatchcase(figure, entry.get("figure", "*"))
            and fnmatchcase(text, entry.get("claim", "*"))
            and reason.endswith(entry["why"])
            for name, figure, text, _published, _measured, _verdict, reason in rows
        ), entry


def test_a_claim_without_a_reason_is_an_error(
    script: ModuleType, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    experiment = described("lines")
    claims = [Claim("paper: PQ is poor", "value", ("PQ",), (20,), published=1e9)]
    figure = dataclasses.replace(experiment.figures["lines"], claims=claims, published={}, published_x=())
    experiment = dataclasses.replace(experiment, figures={"lines": figure})
    results: Results = run_here(experiment, tmp_path_factory.mktemp("claims") / "results")
    with pytest.raises(ValueError, match="without a reason:\nlines: paper: PQ is poor"):
        script.claims(results)
    reason = {"experiment": experiment.name, "claim": "PQ is *", "why": "It waits."}
    monkeypatch.setattr(script, "REASONS", [reason])
    (row,) = rows_of(script.claims(results))
    assert row[:2] == ["lines", "PQ is poor"]
    assert row[4:] == [DIFFERS, "It waits."]


def test_drawings_are_there_and_small() -> None:
    images = re.findall(r"!\[[^]]*\]\((images/[^)]*)\)", PAGE)
    assert len(images) >= 3
    assert all((DOCS / image).stat().st_size < 60_000 for image in images)
