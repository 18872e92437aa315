"""Cells as amounts: processors and GPUs as numbers, perhaps in thousandths, and memory in bytes with its unit.

A cell may say its unit (``16GB``, ``512Mi``, ``500m`` of a processor); otherwise the column has one, or the size of the
numbers tells: nobody gives a job some terabytes counted in gigabytes, nor less than 32 MB. Between the two it tells
nothing, as 64 is a job of 64 MB or one of 64 GB.
"""

import numpy as np

from schedcore.model.extras import import_extra
from schedcore.workloads.tables.cells import Cells, Numbers
from schedcore.workloads.tables.units import BYTES, SHARES

__all__ = ["has_unclear_size", "read_bytes", "read_counts"]

_WITH_UNIT = r"(?i)^(?P<number>\d+(?:\.\d+)?) *(?P<unit>[kmgt]?i?b?)$"
_MILLI = r"^(?P<number>\d+) *m$"
# The unit where the largest number is at least the first, or the smallest one at least the second; else GB.
_SIZES = ((1e9, 1e8, "b"), (4e6, 1e5, "kb"), (2e3, 1e2, "mb"))
# The largest number of a column that counts MB or GB.
_UNCLEAR = (32, 4096)


def has_unclear_size(cells: Cells) -> bool:
    """Whether numbers without a unit may as well be MB as GB, as none of them and no other cell tells."""
    numbers = _without_unknown(cells)
    some = numbers.values[~numbers.missing & ~numbers.bad & (numbers.values > 0)]
    return bool(len(some)) and not numbers.bad.any() and _UNCLEAR[0] <= some.max() <= _UNCLEAR[1]


def read_counts(cells: Cells, unit: str) -> tuple[Numbers, str]:
    """Return the distinct cells as numbers of processors or the like, and how they were read."""
    numbers = _without_unknown(cells)
    values, bad = numbers.values / SHARES.get(unit, 1), numbers.bad
    words = f"{'thousandths' if SHARES[unit] == 1000 else 'percent'} of one" if unit else ""
    if bad.any() and cells.is_text:
        compute, pyarrow = import_extra("pyarrow.compute", "traces"), import_extra("pyarrow", "traces")
        parts = compute.extract_regex(cells.texts(), _MILLI)
        texts = compute.struct_field(parts, "number").fill_null("nan")
        thousandths = texts.cast(pyarrow.float64()).to_numpy(zero_copy_only=False) / 1000
        found = bad & ~np.isnan(thousandths)
        if found.any():
            words = f"{words}{words and ' and '}texts such as {cells.example(found)} (thousandths)"
        values, bad = np.where(found, thousandths, values), bad & np.isnan(thousandths)
    return Numbers(values, bad, numbers.missing), words


def read_bytes(cells: Cells, unit: str) -> tuple[Numbers, str]:
    """Return the distinct cells in bytes, and how they were read."""
    numbers = _without_unknown(cells)
    values, bad, kinds = numbers.values, numbers.bad, []
    plain = ~numbers.missing & ~bad
    if plain.any():
        some = values[plain & (values > 0)] if (values[plain] > 0).any() else values[plain]
        least, most = float(some.min()), float(some.max())
        by_size = (word for high, low, word in _SIZES if most >= high or least >= low)
        word = unit or next(by_size, "gb")
        values = values * BYTES[word]
        told = "" if unit else f", by the size of the numbers ({least:,.15g} to {most:,.15g})"
        kinds.append(f"in {_written(word)}{told}")
    if bad.any() and cells.is_text:
        compute, pyarrow = import_extra("pyarrow.compute", "traces"), import_extra("pyarrow", "traces")
        parts = compute.extract_regex(cells.texts(), _WITH_UNIT)
        number = compute.struct_field(parts, "number").fill_null("nan").cast(pyarrow.float64())
        units = compute.utf8_lower(compute.struct_field(parts, "unit").fill_null("b")).dictionary_encode()
        sizes = np.array([BYTES.get(word, np.nan) for word in units.dictionary.to_pylist()] or [np.nan])
        written = number.to_numpy(zero_copy_only=False) * sizes[units.indices.to_numpy(zero_copy_only=False)]
        found = bad & ~np.isnan(written)
        if found.any():
            kinds.append(f"texts such as {cells.example(found)}")
        values, bad = np.where(found, written, values), bad & np.isnan(written)
    return Numbers(values, bad, numbers.missing), " and ".join(kinds)


def _without_unknown(cells: Cells) -> Numbers:
    """Return the numbers; -1 stands for unknown, as in logs."""
    numbers = cells.numbers
    unknown = numbers.values == -1
    return Numbers(np.where(unknown, np.nan, numbers.values), numbers.bad, numbers.missing | unknown)


def _written(word: str) -> str:
    """Return a unit of memory as reports write it."""
    size = BYTES[word]
    return next(name for name, least in zip(("TB", "GB", "MB", "KB", "bytes"), (40, 30, 20, 10, 0), strict=True)
                if size >= 2**least)  # fmt: skip
