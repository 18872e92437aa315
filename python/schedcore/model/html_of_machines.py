"""What a notebook shows of machines: which kinds of them, what they have together, and what else is said of them.

O(n_machines * n_resources); kinds are counted of so many machines that sorting them takes no time.
"""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from .amounts import exact_total
from .arrays import IntArray
from .html_text import Html, clipped, facts, table
from .machine_descriptions import LabelSets

__all__ = ["machine_facts", "table_of_kinds"]

_MOST_KINDS = 6
_MOST_LABELS = 8
#: Rows are sorted to find kinds; of more machines the least and the largest are shown.
_MOST_SORTED = 50_000


def table_of_kinds(capacity: IntArray, resource_names: Sequence[str]) -> Html:
    """Return a row for each kind of machines, the most frequent first, and one with the total."""
    rows: list[list[object]] = []
    identical = bool((capacity == capacity[0]).all())
    if identical or len(capacity) <= _MOST_SORTED:
        kinds, counts = (
            (capacity[:1], np.array([len(capacity)]))
            if identical
            else np.unique(capacity, axis=0, return_counts=True)
        )
        order = np.argsort(-counts, kind="stable")
        rows = [[f"{counts[kind]:,} ×", *kinds[kind].tolist()] for kind in order[:_MOST_KINDS].tolist()]
        if len(order) > _MOST_KINDS:
            others = int(counts[order[_MOST_KINDS:]].sum())
            rows.append([f"{others:,} of {len(order) - _MOST_KINDS} more kinds", *[""] * capacity.shape[1]])
    else:
        rows = [["least", *capacity.min(axis=0).tolist()], ["largest", *capacity.max(axis=0).tolist()]]
    if len(capacity) > 1:
        rows.append(["all", *map(exact_total, capacity.T)])
    return table(["machines", *map(clipped, resource_names)], rows)


def machine_facts(
    first_names: Sequence[str], n_machines: int, labels: LabelSets, weight: IntArray | None
) -> Html:
    """Return names of the first machines, how many carry which label, and their weights."""
    more = ", ..." if n_machines > len(first_names) else ""
    carriers: Counter[str] = Counter()
    if labels.codes is not None:
        for each, count in zip(labels.distinct, np.bincount(labels.codes).tolist(), strict=True):
            carriers.update(dict.fromkeys(each, count))
    shown = [f"{clipped(label)} ({count:,})" for label, count in carriers.most_common(_MOST_LABELS)]
    if len(carriers) > _MOST_LABELS:
        shown.append(f"{len(carriers) - _MOST_LABELS} more")
    weights = "" if weight is None else f"{weight.min():,} to {weight.max():,}"
    return facts(
        [
            ("names", ", ".join(map(clipped, first_names)) + more),
            ("labels", ", ".join(shown)),
            ("weights", weights),
        ]
    )
