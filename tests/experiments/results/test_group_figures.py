"""Figures of groups: a bar a policy for each x, which may be a word or a workload, alone and in panels."""

from pathlib import Path
from typing import Any

import pytest

from experiments.described import changed, run_here
from schedcore import InvalidInstanceError
from schedcore.experiments import Claim, Experiment, Figure, Sweep, Workload
from schedcore.experiments.description.document import from_document, to_document


def described(**changes: Any) -> Experiment:
    settings = {"x": "policy.heuristic", "y": "awct", "panels": "n_jobs", **changes}
    return Experiment(
        "groups",
        {"azure": Workload("azure_like", {"n_machines": 2})},
        {"PQ": "pq", "MRIS": "mris"},
        {
            "s": Sweep(
                ["azure"], ["PQ", "MRIS"], {"n_jobs": [10, 20], "policy.heuristic": ["wsjf", "erf"]},
                only_at={"MRIS": {"n_jobs": 20}},
            )
        },
        {"f": Figure("s", kind="groups", **settings)},
        job_sets=(1, 2),
    )  # fmt: skip


def test_each_panel_has_the_bars_of_the_policies_that_run_there(tmp_path: Path) -> None:
    results = run_here(described(lower_bound=True), tmp_path / "results")
    first, second = results.plot("f").child_axes
    assert len(first.patches) == 2
    assert len(second.patches) == 4
    assert [text.get_text() for text in second.get_xticklabels()] == ["wsjf", "erf"]
    assert first.get_ylim() == second.get_ylim()
    assert first.lines
    table = results.table("f")
    assert list(table.header) == ["n_jobs", "policy.heuristic", "PQ", "MRIS", "lower bound"]
    assert [row[:2] for row in table.rows] == [["10", "wsjf"], ["10", "erf"], ["20", "wsjf"], ["20", "erf"]]
    assert [row[3] == "-" for row in table.rows] == [True, True, False, False]


def test_a_claim_names_the_word_that_it_is_about(tmp_path: Path) -> None:
    claims = (
        Claim("PQ against itself", "ratio", ("PQ", "PQ"), ("wsjf", "wsjf"), (1.0, 1.0), panel=10),
        Claim("MRIS", "value", ("MRIS",), ("erf",), panel=20),
    )
    outcomes = run_here(described(claims=claims), tmp_path / "results").claims("f")
    assert [outcome.verdict for outcome in outcomes] == ["agrees", None]
    assert outcomes[1].measured is not None
    assert outcomes[1].measured.n == 2


def test_a_document_says_the_same() -> None:
    document = to_document(described())
    assert document["figures"]["f"]["kind"] == "groups"
    assert to_document(from_document(document)) == document


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"x": None}, "a figure of kind 'groups' has an x"),
        ({"x": "heuristic"}, "unknown parameter 'heuristic'"),
        ({"panels": "policy.heuristic"}, "panels and x are both"),
        ({"panels": None}, "n_jobs has the values 10, 20; say which one under where"),
        ({"baseline": "MRIS"}, r"a figure of kind 'groups' has no baseline \(kinds with one: lines\)"),
        ({"y": "utilisation"}, "unknown y"),
    ],
)
def test_what_cannot_be_grouped_is_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInstanceError, match=message):
        described(**settings)


def test_lines_cannot_stand_over_workloads() -> None:
    with pytest.raises(InvalidInstanceError, match="unknown parameter 'workload'"):
        from_document(changed("figures/lines/x", "workload"))
