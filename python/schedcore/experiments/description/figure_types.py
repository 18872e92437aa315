"""Whether the entries of a figure are of the right kind, each by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from schedcore.errors import InvalidInstanceError
from schedcore.experiments.description.claim import Claim
from schedcore.experiments.description.plain_values import (
    check_count,
    check_distinct,
    check_flag,
    check_list,
    check_number,
    check_table,
    check_text,
    check_texts,
    is_number,
)

if TYPE_CHECKING:
    from schedcore.experiments.description.figure import Figure

__all__ = ["check_types"]

_TEXTS = ("sweep", "kind", "y", "title", "x_label", "y_label", "outcome")
_OPTIONAL_TEXTS = ("x", "x_column", "workload", "unit", "baseline", "panels", "panel_label")


def check_types(place: str, figure: Figure) -> None:
    """Raise an `InvalidInstanceError` that names the entry of the wrong kind at `place`."""
    for key in _TEXTS:
        check_text(place, key, getattr(figure, key))
    for key in _OPTIONAL_TEXTS:
        if getattr(figure, key) is not None:
            check_text(place, key, getattr(figure, key))
    check_flag(place, "lower_bound", figure.lower_bound)
    check_flag(place, "log_x", figure.log_x)
    if figure.unit_length is not None:
        check_number(place, "unit_length", figure.unit_length)
    check_table(place, "where", figure.where)
    check_table(place, "also", figure.also)
    for label, line in figure.also.items():
        check_list(place, f"also {label!r}", line, "a policy and a column")
        if len(line) != 2 or not all(isinstance(entry, str) for entry in line):
            raise InvalidInstanceError(
                f"{place}: also {label!r} = {list(line)} must be a policy and a column"
            )
    if figure.job_sets is not None:
        check_list(place, "job_sets", figure.job_sets, "numbers")
        check_distinct(place, "job_sets", figure.job_sets)
        if not figure.job_sets:
            raise InvalidInstanceError(f"{place} shows no job set")
    if figure.policies is not None:
        check_texts(place, "policies", figure.policies)
        if not figure.policies:
            raise InvalidInstanceError(f"{place} shows no policy")
    check_list(place, "y_range", figure.y_range, "two numbers")
    if figure.y_range and not (len(figure.y_range) == 2 and all(is_number(end) for end in figure.y_range)):
        raise InvalidInstanceError(f"{place}: y_range = {list(figure.y_range)} must be two numbers")
    check_list(place, "published_x", figure.published_x)
    check_table(place, "published", figure.published)
    for label, values in figure.published.items():
        check_list(place, f"published {label!r}", values, "numbers")
        for value in values:
            check_number(place, f"published {label!r}", value)
    check_list(place, "highlight", figure.highlight, "jobs")
    for job in figure.highlight:
        check_count(place, "job to highlight", job, 0)
    check_list(place, "claims", figure.claims)
    for claim in figure.claims:
        if not isinstance(claim, Claim):
            raise InvalidInstanceError(f"{place}: {claim!r} is no claim")
