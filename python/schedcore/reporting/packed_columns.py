"""Columns of numbers inside a page: small, exact, and read by a browser without a library.

They stand behind each other as typed arrays, compressed as a whole and written in base64.
"""

import base64
import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["PackedColumns"]

_LARGEST = 2**32 - 2  # of a column of whole numbers; one more stands for none
_WIDTHS: dict[str, Any] = {"u1": np.uint8, "u2": np.uint16, "u4": np.uint32}


class PackedColumns:
    """Collects columns and packs them; `add` returns the place by which a script finds a column."""

    def __init__(self) -> None:
        self._parts: list[NDArray[Any]] = []
        self._columns: list[dict[str, Any]] = []
        self._places: dict[tuple[str, bytes], int] = {}

    def add(self, column: NDArray[Any]) -> int:
        """Keep a column of numbers; NaN stands for none.

        Whole numbers from 0 to 2**32 - 2 take the fewest bytes they need, others are float64. Columns that are alike
        are kept once.
        """
        values = np.asarray(column, dtype=np.float64)
        known = values[~np.isnan(values)]
        has_gaps = len(known) < len(values)
        highest = float(known.max(initial=0.0))
        is_whole = bool((known >= 0).all()) and highest <= _LARGEST and bool((known == np.rint(known)).all())
        kind = "f8"
        stored: NDArray[Any] = values
        if is_whole:
            room = highest + has_gaps
            kind = "u1" if room < 2**8 else "u2" if room < 2**16 else "u4"
            none = np.iinfo(_WIDTHS[kind]).max
            stored = np.where(np.isnan(values), none, values).astype(_WIDTHS[kind])
        place = self._places.setdefault((kind, stored.tobytes()), len(self._parts))
        if place == len(self._parts):
            self._parts.append(stored)
            self._columns.append({"kind": kind, "length": len(values), "gaps": has_gaps})
        return place

    def packed(self) -> dict[str, Any]:
        """What a page holds: the columns in their order, and all bytes in little-endian order."""
        content = b"".join(part.astype(part.dtype.newbyteorder("<")).tobytes() for part in self._parts)
        return {
            "columns": self._columns,
            "bytes": base64.b64encode(zlib.compress(content, 9)).decode(),
        }
