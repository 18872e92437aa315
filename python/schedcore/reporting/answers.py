"""The sentences at the top of a page: who is best in the figure that comes first, and how good any policy can be."""

from collections.abc import Sequence
from typing import Any

from schedcore.plotting.readable import readable_time
from schedcore.problems.difference import job_changes
from schedcore.problems.evaluation import Comparison
from schedcore.problems.presentation import Column, Presentation, Row, Table, quantity
from schedcore.problems.problem import Problem
from schedcore.problems.table_layout import cell
from schedcore.problems.time_units import unit_of
from schedcore.reporting.page_tables import best_rows, better_values, variant_columns

__all__ = ["answers_of", "answers_of_difference", "best_policy", "listed"]

_MOST_VARIANTS = 4


def answers_of(shown: Presentation) -> list[str]:
    """Which rows are best in the column that comes first, and what is below the table: how good any can be."""
    table = _first_table(shown)
    if table is None:
        return []
    notes = [f"{_capital(line)}." for line in table.note.splitlines() if line]
    column = _judging_column(table)
    if column is None:
        return notes
    if variant_columns(table):
        return [*_by_policy(table, column), *notes]
    unit = f" {column.unit}" if column.unit else ""
    told = {
        number: f"{row['policy']} {cell(row, column)}{unit}"
        for number, row in enumerate(table.rows)
        if row.get(column.key) is not None
    }
    if not told:
        return ["No policy has a schedule.", *notes]
    best = best_rows(table, column)
    not_done = [f"{row['policy']} {row['n_left_out']:,}" for row in table.rows if row.get("n_left_out")]
    if not_done:
        notes = [f"These are means of the jobs that were done. Not done: {', '.join(not_done)}.", *notes]
    if not best:
        return [f"{_capital(column.name)}: {', '.join(told.values())}.", *notes]
    names = [table.rows[number]["policy"] for number in best]
    extreme = "smallest" if better_values(column.key) == "lower" else "largest"
    sentence = f"{listed(names)} {'has' if len(names) == 1 else 'have'} the {extreme} {column.name}, "
    sentence += f"{cell(table.rows[best[0]], column)}{unit}"
    others = [words for number, words in told.items() if number not in best]
    return [f"{sentence}; {', '.join(others)}." if others else f"{sentence}.", *notes]


def answers_of_difference(problem: Problem[Any], comparison: Comparison) -> list[str]:
    """How the mean wait changes between two option sets, how many jobs start otherwise, and what is proven."""
    first, second = comparison.evaluations
    changes = job_changes(comparison.inst, first, second)
    if changes is None:
        return ["One of the two has no schedule."]
    before, after = (found.figures["avg_wait"] for found in (first, second))
    unit = unit_of(comparison.report, max(before, after))
    percent = f" ({100 * (after - before) / before:+.1f} %)" if before else ""
    waits = (
        f"The mean wait is {readable_time(before, unit)} under {first.policy} and {readable_time(after, unit)} under "
        f"{second.policy}{percent}."
    )
    moved = (
        f"Under {second.policy} {quantity(changes.n_earlier, 'job')} start earlier, {changes.n_later:,} later, and "
        f"{changes.n_same:,} at the same time."
    )
    note = problem.note(comparison.report, comparison.bounds)
    return [waits, moved, *(f"{_capital(line)}." for line in note.splitlines() if line)]


def _by_policy(table: Table, column: Column) -> list[str]:
    """A sentence a policy: how the figure changes from variant to variant, of many the first and the last."""
    rows: dict[str, list[Row]] = {}
    for row in table.rows:
        if row.get(column.key) is not None:
            rows.setdefault(row["policy"], []).append(row)
    unit = f" {column.unit}" if column.unit else ""
    sentences = []
    for policy, own in rows.items():
        shown = own if len(own) <= _MOST_VARIANTS else [own[0], own[-1]]
        told = [f"{cell(row, column)}{unit} ({_variant_words(table, row)})" for row in shown]
        sentences.append(f"{_capital(column.name)} of {policy}: {', '.join(told)}.")
    return sentences


def _variant_words(table: Table, row: Row) -> str:
    return ", ".join(f"{column.name} {cell(row, column)}" for column in variant_columns(table))


def _judging_column(table: Table) -> Column | None:
    """The first column with a better direction."""
    return next((column for column in table.columns if better_values(column.key) is not None), None)


def _capital(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}"


def best_policy(shown: Presentation) -> str | None:
    """The first policy that is best in that figure, if any is better than another."""
    table = _first_table(shown)
    column = None if table is None else _judging_column(table)
    if table is None or column is None:
        return None
    best = best_rows(table, column)
    return table.rows[best[0]]["policy"] if best else None


def _first_table(shown: Presentation) -> Table | None:
    return next((part for part in shown.parts if isinstance(part, Table)), None)


def listed(names: Sequence[str]) -> str:
    """Names as a sentence has them: a, b and c."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}" if names else "nothing"
