"""Cells as lengths of time, in seconds: numbers, ``90m``, ``1h30m``, ``01:30:00``, ``1-02:03:04``, ``PT2H``.

One of two parts, ``1:30``, is refused: some read it as hours, others as minutes.
"""

from typing import Any

import numpy as np

from schedcore.model.arrays import FloatArray
from schedcore.model.extras import import_extra
from schedcore.workloads.tables.cells import Cells, Numbers
from schedcore.workloads.tables.units import SECONDS, per_second, time_word

__all__ = ["read_durations", "settled"]

_N = r"\d+(?:\.\d+)?"
_CLOCK = r"^(?:(?P<d>\d+)(?:-| +days?,? +))?(?P<h>\d+):(?P<m>[0-5]?\d):(?P<s>[0-5]?\d(?:\.\d+)?)$"
_WORDS = (
    rf"(?i)^(?:(?P<w>{_N}) *(?:w|weeks?))?[ ,]*(?:(?P<d>{_N}) *(?:d|days?))?[ ,]*"
    rf"(?:(?P<h>{_N}) *(?:h|hrs?|hours?))?[ ,]*(?:(?P<m>{_N}) *(?:m|mins?|minutes?))?[ ,]*"
    rf"(?:(?P<s>{_N}) *(?:s|secs?|seconds?))?$"
)
_MILLISECONDS = rf"^(?P<ms>{_N}) *ms$"
_ISO = rf"^P(?:(?P<w>{_N})W)?(?:(?P<d>{_N})D)?(?:T(?:(?P<h>{_N})H)?(?:(?P<m>{_N})M)?(?:(?P<s>{_N})S)?)?$"
_EXACT_TO = 6  # digits behind the point of a second
_LARGEST_SETTLED = 1e9  # seconds


def read_durations(cells: Cells, unit: str) -> tuple[Numbers, str]:
    """Return the distinct cells of a column in seconds, and how they were read.

    Plain numbers count in the unit, and in seconds without one.
    """
    types = import_extra("pyarrow", "traces").types
    missing = cells.missing
    if types.is_duration(cells.distinct.type):
        pyarrow = import_extra("pyarrow", "traces")
        in_a_second = {"s": 1, "ms": 1000, "us": 10**6, "ns": 10**9}[cells.distinct.type.unit]
        counts = cells.distinct.cast(pyarrow.int64()).fill_null(0).to_numpy(zero_copy_only=False)
        seconds = np.where(missing, np.nan, settled(counts / in_a_second))
        return Numbers(seconds, np.zeros_like(missing), missing), "durations"
    numbers = cells.numbers
    word = unit or "s"
    in_a_second = per_second(word)
    scaled = numbers.values / in_a_second if in_a_second else numbers.values * SECONDS[word]
    values = np.where(numbers.values == -1, np.nan, settled(scaled))
    missing = missing | (numbers.values == -1)  # which stands for unknown in logs
    bad, kinds = numbers.bad, []
    if (~missing & ~bad).any():
        kinds.append(time_word(word))
    if bad.any() and cells.is_text:
        written = _written(cells.texts())
        found = bad & ~np.isnan(written)
        if found.any():
            kinds.append(f"texts such as {cells.example(found)}")
        values, bad = np.where(found, written, values), bad & np.isnan(written)
    return Numbers(values, bad, missing), " and ".join(kinds)


def settled(seconds: FloatArray) -> FloatArray:
    """Return times without what a multiplication added in the last digits: 1.1 hours are 3960 s and no more."""
    with np.errstate(invalid="ignore"):
        rounded: FloatArray = np.where(
            np.abs(seconds) < _LARGEST_SETTLED, np.round(seconds, _EXACT_TO), seconds
        )
    return rounded


def _written(texts: Any) -> FloatArray:
    """Return texts with units, or as a clock shows them, in seconds; NaN for others."""
    seconds = np.full(len(texts), np.nan)
    for pattern in (_CLOCK, _WORDS, _MILLISECONDS, _ISO):
        left = np.flatnonzero(np.isnan(seconds))
        if len(left):
            seconds[left] = _by_pattern(texts.take(left), pattern)
    return settled(seconds)


def _by_pattern(texts: Any, pattern: str) -> FloatArray:
    compute, pyarrow = import_extra("pyarrow.compute", "traces"), import_extra("pyarrow", "traces")
    parts = compute.extract_regex(texts, pattern)
    is_found = parts.is_valid().to_numpy(zero_copy_only=False)
    total, given = np.zeros(len(texts)), np.zeros(len(texts), dtype=np.bool_)
    for field in parts.type:
        part = compute.struct_field(parts, field.name).fill_null("")
        has_part = compute.not_equal(part, "")
        number = compute.if_else(has_part, part, "0").cast(pyarrow.float64()).to_numpy(zero_copy_only=False)
        total += number * SECONDS[field.name]
        given |= has_part.to_numpy(zero_copy_only=False)
    return np.where(is_found & given, total, np.nan)
