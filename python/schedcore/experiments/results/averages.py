"""Means over combinations of parameters, job set by job set, so that job sets stay what bands are made of.

Keys of values are pairs of a combination and a job set.
"""

import math
from collections.abc import Collection, Hashable, Mapping
from typing import Any

__all__ = ["averaged", "by_combination"]


def averaged(values: Mapping[Any, float], wanted: Collection[Any]) -> dict[Hashable, float]:
    """Job set -> the mean over its combinations among the keys that are wanted, if each of them has a value."""
    keys_of: dict[Hashable, list[Any]] = {}
    for key in wanted:
        keys_of.setdefault(key[1], []).append(key)
    return {
        job_set: math.fsum(values[key] for key in keys) / len(keys)
        for job_set, keys in keys_of.items()
        if all(key in values for key in keys)
    }


def by_combination(values: Mapping[Any, float]) -> dict[Hashable, dict[Hashable, float]]:
    """Combination -> job set -> value."""
    parts: dict[Hashable, dict[Hashable, float]] = {}
    for (combination, job_set), value in values.items():
        parts.setdefault(combination, {})[job_set] = value
    return parts
