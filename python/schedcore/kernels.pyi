"""Signatures of the Cython module: the wrappers; the C functions are in kernels.pxd."""

from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

class KnapsackMethod(IntEnum):
    EXACT = 0
    CADP = 1
    GREEDY = 2
    GREEDY_UNION = 3
    GREEDY_PREFIX = 4

def vector_fits(demand: NDArray[np.int64], available: NDArray[np.int64]) -> bool: ...
def vector_fits_many(demand: NDArray[np.int64], available: NDArray[np.int64]) -> NDArray[np.bool_]: ...
def vector_first_fitting(demand: NDArray[np.int64], available: NDArray[np.int64]) -> int: ...
def knapsack_items(
    weight: NDArray[np.int64],
    size: NDArray[np.int64],
    capacity: int,
    method: KnapsackMethod = ...,
    epsilon: tuple[int, int] = (1, 10),
    memory_limit: int = ...,
) -> NDArray[np.int64]: ...
