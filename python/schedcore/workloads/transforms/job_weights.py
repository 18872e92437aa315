"""How much jobs count: equally, at random, or by their priority.

Studies of weighted completion times try several weightings of the same jobs. What is drawn comes from a stream of its
own, so that another weighting changes nothing else.
"""

from typing import Literal, TypeVar

import numpy as np

from schedcore.model import Instance, ParallelTaskInstance
from schedcore.model.arrays import FloatArray, IntArray
from schedcore.workloads.draws.splitmix import Draws, check_seed, open_uniform
from schedcore.workloads.reading.annotated_arguments import checks_choices

__all__ = ["DrawnWeights", "Weights", "draw_weights", "weights_of_priorities"]

Weights = Literal["equal", "random", "priority"]
DrawnWeights = Literal["equal", "random"]
WeighedT = TypeVar("WeighedT", Instance, ParallelTaskInstance)

_WEIGHT_STREAM = 0xB5297A4D3F84D5B5  # what a seed is xored with


def weights_of_priorities(priority: IntArray, weights: Weights, seed: int) -> FloatArray:
    """Return a weight for each job.

    Parameters
    ----------
    priority : (n_jobs,) int64
        At least 0.
    weights : {"equal", "random", "priority"}
        1 each, uniform in (0, 1), or 1 + priority.
    seed : int
        In [0, 2**64).
    """
    if weights == "priority":
        return (1 + priority).astype(np.float64)
    if weights == "random":
        return open_uniform(Draws(check_seed(seed) ^ _WEIGHT_STREAM, len(priority), per_job=1).column(0))
    return np.ones(len(priority))


@checks_choices
def draw_weights(inst: WeighedT, weights: DrawnWeights, seed: int = 1) -> WeighedT:
    """Return an instance with other weights of its jobs: those that generators give with the same seed.

    Parameters
    ----------
    inst : Instance or ParallelTaskInstance
    weights : {"equal", "random"}
        1 each, or uniform in (0, 1).
    seed : int
        In [0, 2**64).
    """
    unknown_priority = np.zeros(inst.n_jobs, dtype=np.int64)
    return inst.replace(weight=weights_of_priorities(unknown_priority, weights, seed))
