"""Instances of the colocation problem with known optima, behind the hardness results of [Pascual2019]_.

.. [Pascual2019] F. Pascual, K. Rzadca, "Optimizing egalitarian performance when colocating tasks with types for cloud
   data center resource management", IEEE Transactions on Parallel and Distributed Systems 30(11), 2019.
"""

import numpy as np
from numpy.typing import ArrayLike

from schedcore.errors import InvalidInstanceError
from schedcore.model import ColocationInstance
from schedcore.model.arrays import first_index, place, unmasked
from schedcore.model.columns import integer_column
from schedcore.model.integers import at_least

__all__ = ["hard_cliques", "hard_gap", "hard_partition"]

_INT64_MAX = 2**63 - 1


def hard_partition(a: ArrayLike) -> ColocationInstance:
    """Hide a partition problem in coefficients: unit tasks, each of its own type, on two machines.

    Parameters
    ----------
    a : (q,) array_like of int
        Numbers to split into two sides, at least 1; q at least 1.

    Returns
    -------
    ColocationInstance
        q + 2 tasks; task i < q costs every other task ``a[i]``, and the last two keep apart. The optimum is 1 plus the
        larger side of the most even split.

    Raises
    ------
    InvalidInstanceError
        For no numbers, a number below 1, and numbers whose sum leaves 64 bits.
    """
    numbers = integer_column(a, "a", row="number")
    if not len(numbers):
        raise InvalidInstanceError("a holds no number to split")
    wrong = numbers < 1
    if wrong.any():
        raise InvalidInstanceError(f"{place('a', numbers, first_index(wrong))} must be at least 1")
    total = sum(numbers.tolist())
    if total > _INT64_MAX:
        raise InvalidInstanceError(f"the numbers of a add up to {total}, above 2**63 - 1")
    n_types = len(numbers) + 2
    alpha = np.empty((n_types, n_types), dtype=np.int64)
    alpha[:-2] = numbers[:, np.newaxis]
    alpha[-2:, :-2] = numbers
    alpha[-2:, -2:] = total
    np.fill_diagonal(alpha, 1)
    return _units(alpha, 2)


def hard_cliques(n: int, edges: ArrayLike, K: int, r: int) -> ColocationInstance:
    """Hide a partition into cliques: a unit task and type per vertex, harmless to its neighbours only.

    Parameters
    ----------
    n : int
        Vertices, at least 1.
    edges : (n_edges, 2) array_like of int
        Pairs of different vertices, 0 to n - 1; a repeated pair counts once.
    K : int
        Machines, at least 1.
    r : int
        Cost of vertices without an edge to each other, at least 1.

    Returns
    -------
    ColocationInstance
        The optimum is 1 if the vertices split into at most `K` cliques, otherwise at least ``r + 1``.

    Raises
    ------
    InvalidInstanceError
        For an argument out of range; names the edge.
    """
    at_least(1, n=n, K=K, r=r)
    pairs = np.asarray(unmasked(edges, "edges"))
    if pairs.size == 0:
        pairs = np.empty((0, 2), dtype=np.int64)
    if pairs.ndim != 2 or pairs.shape[1] != 2:
        raise InvalidInstanceError(f"edges must have shape (n_edges, 2), not {pairs.shape}")
    ends = integer_column(pairs.reshape(-1), "edges", row="end").reshape(-1, 2)
    wrong = ((ends < 0) | (ends >= n)).any(axis=1) | (ends[:, 0] == ends[:, 1])
    if wrong.any():
        edge = int(np.argmax(wrong))
        raise InvalidInstanceError(
            f"edges[{edge}] = {ends[edge].tolist()} does not join two different vertices of 0..{n - 1}"
        )
    alpha = np.full((n, n), r, dtype=np.int64)
    alpha[ends[:, 0], ends[:, 1]] = alpha[ends[:, 1], ends[:, 0]] = 0
    np.fill_diagonal(alpha, 1)
    return _units(alpha, K)


def hard_gap(m: int, a: int, alpha: int) -> ColocationInstance:
    """Show what it costs to give every machine to one type: nearly ``1 + 1 / alpha`` times the optimum.

    Parameters
    ----------
    m : int
        Machines, at least 2.
    a : int
        Size of the smallest task of type 0, at least 1.
    alpha : int
        Both coefficients between the two types, at least 2.

    Returns
    -------
    ColocationInstance
        m - 1 tasks of size ``alpha * a`` and one of size ``a``, all of type 0, and a unit task of type 1. The optimum
        is ``alpha * a + 1``, the best allocation with machines of one type ``(alpha + 1) * a``.

    Raises
    ------
    InvalidInstanceError
        For an argument out of range.
    """
    at_least(2, m=m, alpha=alpha)
    at_least(1, a=a)
    size = [alpha * a] * (m - 1) + [a, 1]
    return ColocationInstance(size, [0] * m + [1], [[1, alpha], [alpha, 1]], 1, n_machines=m)


def _units(alpha: np.ndarray, n_machines: int) -> ColocationInstance:
    """Return the instance with one unit task of every type."""
    n_types = len(alpha)
    return ColocationInstance(
        np.ones(n_types, dtype=np.int64), np.arange(n_types), alpha, 1, n_machines=n_machines
    )
