"""Do any two of many rectangles overlap? Here: does a processor belong to two jobs at the same time?

A rectangle is an interval of processor numbers times an interval of time. Each interval of numbers is cut into the
dyadic intervals of a segment tree, at most two of each length. Two intervals share a number exactly if such a piece of
one is a piece of the other, or has one of its pieces strictly inside; so on every level it is enough to compare pieces
with pieces, and pieces with the rectangles that reach partly into them. Both are a sort by node and time.
"""

import numpy as np
from numpy.typing import NDArray

from schedcore.model.arrays import FloatArray, IntArray

__all__ = ["overlapping_pair"]


def overlapping_pair(
    first: IntArray, last: IntArray, start: FloatArray, end: FloatArray
) -> tuple[int, int] | None:
    """Return two of n rectangles that overlap, or None if no two do.

    Parameters
    ----------
    first, last : (n,) int64
        Numbers ``first`` to ``last``, both included; not negative, ``first <= last``.
    start, end : (n,) float64
        The time [start, end); ``start < end``.

    Returns
    -------
    tuple of int or None
        Indices, the one that starts earlier before the other; always the same for the same rectangles.

    Notes
    -----
    O(n log m log n) time for numbers below m, O(n) memory; whole columns at a time.
    """
    low, high = first.copy(), last + 1  # what is left to cut, in nodes of the level
    level = 0
    while (low < high).any():
        at_low = np.flatnonzero((low < high) & (low % 2 == 1))
        at_high = np.flatnonzero((low < high) & (high % 2 == 1))
        pieces = np.concatenate([at_low, at_high])
        nodes = np.concatenate([low[at_low], high[at_high] - 1])
        pair = _on_one_level(pieces, nodes, _reaching_in(first, last, level, nodes), start, end)
        if pair is not None:
            return pair
        low[at_low] += 1
        high[at_high] -= 1
        low, high, level = low >> 1, high >> 1, level + 1
    return None


def _reaching_in(
    first: IntArray, last: IntArray, level: int, nodes: IntArray
) -> tuple[NDArray[np.intp], IntArray]:
    """Return the rectangles that have some numbers of a node of the level but not all, and the nodes."""
    left, right = first >> level, last >> level
    cut_left = (left << level < first) | (((left + 1) << level) - 1 > last)
    cut_right = (left != right) & (((right + 1) << level) - 1 > last)
    rectangles = np.concatenate([np.flatnonzero(cut_left), np.flatnonzero(cut_right)])
    reached = np.concatenate([left[cut_left], right[cut_right]])
    matters = np.isin(reached, nodes)
    return rectangles[matters], reached[matters]


def _on_one_level(
    pieces: NDArray[np.intp],
    nodes: IntArray,
    reaching_in: tuple[NDArray[np.intp], IntArray],
    start: FloatArray,
    end: FloatArray,
) -> tuple[int, int] | None:
    order = np.lexsort((start[pieces], nodes))
    pieces, nodes = pieces[order], nodes[order]
    clash = (nodes[1:] == nodes[:-1]) & (start[pieces[1:]] < end[pieces[:-1]])
    if clash.any():
        k = int(np.argmax(clash))
        return int(pieces[k]), int(pieces[k + 1])
    # The pieces of a node follow each other now. Another rectangle overlaps one of them in time exactly if it overlaps
    # the last of those that start before its end.
    others, reached = reaching_in
    n_pieces = len(pieces)
    everything = np.concatenate([pieces, others])
    node = np.concatenate([nodes, reached])
    is_piece = np.arange(len(everything)) < n_pieces
    time = np.concatenate([start[pieces], end[others]])
    order = np.lexsort((is_piece, time, node))  # at one time an end comes before a start
    last_piece = np.maximum.accumulate(np.where(is_piece[order], np.arange(len(order)), -1))
    before = order[last_piece]
    asks = ~is_piece[order] & (last_piece >= 0)
    clash = asks & (node[before] == node[order]) & (end[everything[before]] > start[everything[order]])
    if clash.any():
        k = int(np.argmax(clash))
        a, b = int(everything[before[k]]), int(everything[order[k]])
        return (a, b) if start[a] <= start[b] else (b, a)
    return None
