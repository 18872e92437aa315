"""Columns that pandas read, as float64 whatever stands in them."""

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from schedcore.model.arrays import FloatArray
from schedcore.model.extras import import_extra

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["float_column"]


def float_column(column: "pd.Series[Any]") -> FloatArray:
    """Return a column as float64: NaN where it is missing or no number, infinite where it is beyond the doubles.

    The words True and False are no numbers, although pandas makes truth values of columns that have nothing else.
    """
    pandas = import_extra("pandas", "traces")
    if column.dtype == bool:
        return np.full(len(column), np.nan)
    if (
        column.dtype == object
    ):  # where a number has more digits than 64 bits hold, pandas makes it an int of Python
        column = column.map(_within_doubles)
    values: FloatArray = pandas.to_numeric(column, errors="coerce").to_numpy(dtype=np.float64, copy=True)
    return values


def _within_doubles(value: object) -> object:
    if isinstance(value, bool):
        return math.nan
    if not isinstance(value, int):
        return value
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf
