"""The sentences at the top of a page, and which values of a table are marked."""

from typing import Any

from schedcore.problems.presentation import Column, Presentation, Table
from schedcore.reporting.answers import answers_of, best_policy, listed
from schedcore.reporting.page_tables import best_rows, page_table

POLICY, VERDICT = Column("policy", "policy", is_text=True), Column("verdict", "check", is_text=True)
WAIT = Column("avg_wait", "mean\nwait", "{:.1f}".format, unit="h")
SHARE = Column("zero_wait_share", "at\nonce", "{:.1f}".format)
TASTE = Column("overtaken_share", "over-\ntaken", "{:.1f}".format)


def row(policy: str, wait: float | None, *, problem: str | None = None, **more: Any) -> dict[str, Any]:
    return {"policy": policy, "avg_wait": wait, "verdict": "valid", "problem": problem, **more}


def presentation(rows: list[dict[str, Any]], *columns: Column, note: str = "") -> Presentation:
    return Presentation(rows, rows, (Table(rows, [POLICY, *columns, VERDICT], "title", note),))


def test_the_best_policy_is_named_and_the_others_follow() -> None:
    rows = [row("easy", 2.0), row("fcfs", 9.0), row("recorded", 1.0), row("sb", 1.5)]
    shown = presentation(rows, WAIT, note="no schedule is better than 1.0 h\nwork was lost")
    assert answers_of(shown) == [
        "sb has the smallest mean wait, 1.5 h; easy 2.0 h, fcfs 9.0 h, recorded 1.0 h.",
        "No schedule is better than 1.0 h.",
        "Work was lost.",
    ]
    assert best_policy(shown) == "sb"


def test_equal_policies_share_the_first_place_and_all_alike_are_listed() -> None:
    rows = [row("easy", 2.0), row("fcfs", 9.0), row("sb", 2.0)]
    shown = presentation(rows, WAIT)
    assert answers_of(shown) == ["easy and sb have the smallest mean wait, 2.0 h; fcfs 9.0 h."]
    alike = presentation([row("easy", 0.0), row("fcfs", 0.0)], WAIT)
    assert answers_of(alike) == ["Mean wait: easy 0.0 h, fcfs 0.0 h."]
    assert best_policy(alike) is None


def test_a_schedule_that_is_not_valid_is_never_the_best() -> None:
    rows = [row("easy", 2.0), row("wrong", 0.5, problem="job 1 starts early"), row("fcfs", 9.0)]
    table = presentation(rows, WAIT).parts[0]
    assert isinstance(table, Table)
    assert best_rows(table, WAIT) == [0]
    cells = page_table(table).rows[1]
    assert [cell.is_wrong for cell in cells] == [False, False, True]


def test_policies_that_leave_out_jobs_are_not_compared() -> None:
    shown = presentation([row("easy", 2.0, n_left_out=0), row("fcfs", 1.0, n_left_out=1200)], WAIT)
    assert answers_of(shown) == [
        "Mean wait: easy 2.0 h, fcfs 1.0 h.",
        "These are means of the jobs that were done. Not done: fcfs 1,200.",
    ]
    assert best_policy(shown) is None


def test_without_any_value_there_is_no_schedule() -> None:
    assert answers_of(presentation([row("easy", None, problem="failed")], WAIT)) == [
        "No policy has a schedule."
    ]


def test_some_figures_are_better_when_higher_and_some_are_a_matter_of_taste() -> None:
    rows = [
        row("easy", 2.0, zero_wait_share=0.5, overtaken_share=0.1),
        row("fcfs", 9.0, zero_wait_share=0.7, overtaken_share=0.0),
    ]
    table = Table(rows, [POLICY, WAIT, SHARE, TASTE])
    assert [best_rows(table, column) for column in (WAIT, SHARE, TASTE)] == [[0], [1], []]


def test_policies_compete_within_a_variant_alone() -> None:
    machines = Column("machines", "machines", is_text=True)
    rows = [
        row("easy", 2.0, machines="recorded"), row("easy", 1.0, machines="+10%"),
        row("sb", 1.5, machines="recorded"), row("sb", None, machines="+10%", problem="failed"),
        row("fcfs", 0.9, machines="+10%"),
    ]  # fmt: skip
    shown = presentation(rows, machines, WAIT)
    table = shown.parts[0]
    assert isinstance(table, Table)
    assert best_rows(table, WAIT) == [2, 4]
    assert answers_of(shown) == [
        "Mean wait of easy: 2.0 h (machines recorded), 1.0 h (machines +10%).",
        "Mean wait of sb: 1.5 h (machines recorded).",
        "Mean wait of fcfs: 0.9 h (machines +10%).",
    ]


def test_of_a_long_sweep_the_first_and_the_last_are_told() -> None:
    machines = Column("machines", "machines", is_text=True)
    rows = [row("easy", 9.0 - n, machines=str(n)) for n in range(6)]
    assert answers_of(presentation(rows, machines, WAIT)) == [
        "Mean wait of easy: 9.0 h (machines 0), 4.0 h (machines 5)."
    ]


def test_names_are_listed_as_a_sentence_has_them() -> None:
    assert [listed(names) for names in ([], ["a"], ["a", "b"], ["a", "b", "c"])] == [
        "nothing", "a", "a and b", "a, b and c",
    ]  # fmt: skip
