"""Short, medium and long jobs, classes 0, 1 and 2, and what each class demands: draws for slotted stand-ins.

Every function takes a column of draws and returns a column; all are the same on every platform.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from schedcore.model.arrays import FloatArray, IntArray
from schedcore.workloads.draws.portable_functions import exponential, logarithm, normal_quantile
from schedcore.workloads.draws.splitmix import UInt64Array, open_uniform

__all__ = [
    "SLOTTED_FAMILIES",
    "ClassTimes",
    "Demands",
    "SlottedFamily",
    "class_times",
    "demands",
    "draw_one_of",
]


class Demands(NamedTuple):
    """Values and how many percent of the jobs have each."""

    values: tuple[int, ...]
    percent: tuple[int, ...]


class SlottedFamily(NamedTuple):
    """How many percent of the jobs are short, medium and long, and what each class demands."""

    percent: tuple[int, int, int]
    demands: tuple[Demands, Demands, Demands]


class ClassTimes(NamedTuple):
    """Short and medium times are lognormal (median, sigma), long ones log-uniform between two bounds."""

    short: tuple[float, float]
    medium: tuple[float, float]
    long: tuple[float, float]


_POWERS = (1, 2, 4, 8, 16)
_THIN_DEMANDS = (
    Demands(_POWERS, (15, 20, 30, 20, 15)),
    Demands(_POWERS, (10, 20, 30, 25, 15)),
    Demands((1, 2), (80, 20)),
)

#: "thin": few long jobs with few cores; "heavy": long jobs make most of the work; "mixed" lies between.
SLOTTED_FAMILIES: dict[str, SlottedFamily] = {
    "thin": SlottedFamily((69, 30, 1), _THIN_DEMANDS),
    "mixed": SlottedFamily((78, 20, 2), _THIN_DEMANDS),
    "heavy": SlottedFamily(
        (80, 15, 5),
        (
            Demands((1, 2, 4, 6, 8, 16), (30, 27, 20, 8, 10, 5)),
            Demands((1, 2, 4, 8), (45, 30, 20, 5)),
            Demands((1, 2, 4), (70, 25, 5)),
        ),
    ),
}


def draw_one_of(draws: UInt64Array, values: Sequence[float], percent: Sequence[int]) -> FloatArray:
    """Return one of the values for each draw, with shares in percent that sum to 100."""
    assert sum(percent) == 100
    table = np.repeat(np.array(values, dtype=np.float64), percent)
    return table[(draws % np.uint64(100)).astype(np.intp)]


def class_times(job_class: IntArray, draws: UInt64Array, times: ClassTimes, longest: int) -> IntArray:
    """Return processing times in whole slots, from 1 to `longest`; one draw a job, whatever its class."""
    uniform = open_uniform(draws)
    result: FloatArray = np.empty(len(draws))
    for number, (median, sigma) in enumerate((times.short, times.medium)):
        of_class = job_class == number
        result[of_class] = median * exponential(sigma * normal_quantile(uniform[of_class]))
    low, high = logarithm(np.array(times.long))
    of_class = job_class == 2
    result[of_class] = exponential(low + (high - low) * uniform[of_class])
    return np.clip(np.rint(result), 1, longest).astype(np.int64)


def demands(job_class: IntArray, draws: UInt64Array, family: SlottedFamily) -> IntArray:
    """Return the demand of each job, by the distribution of its class."""
    result = np.zeros(len(draws), dtype=np.int64)
    for number, distribution in enumerate(family.demands):
        of_class = job_class == number
        result[of_class] = draw_one_of(draws[of_class], *distribution).astype(np.int64)
    return result
