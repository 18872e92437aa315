"""The columns of a page as a browser reads them, in Python."""

import base64
import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray


def unpacked(document: dict[str, Any]) -> list[NDArray[np.float64]]:
    """The columns of a packed document, NaN where there is none."""
    content = zlib.decompress(base64.b64decode(document["bytes"]))
    columns, begin = [], 0
    for about in document["columns"]:
        width = int(about["kind"][1])
        end = begin + width * about["length"]
        stored = np.frombuffer(content[begin:end], dtype=f"<{about['kind']}")
        values = stored.astype(np.float64)
        if about["gaps"] and about["kind"] != "f8":
            values[stored == 2 ** (8 * width) - 1] = np.nan
        columns.append(values)
        begin = end
    assert begin == len(content)
    return columns
