"""What a log says of jobs beside times and demands, as columns of `Jobs`: users, partitions, constraints and the like.

Texts are stored as codes, so that a log of a million rows and a few users costs little.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schedcore.errors import InvalidInstanceError
from schedcore.model import Machines
from schedcore.model.arrays import BoolArray, FloatArray, IntArray
from schedcore.model.coded_texts import CodedTexts
from schedcore.model.constraints import parsed

__all__ = [
    "NO_COLUMNS",
    "SiteColumn",
    "joined_constraints",
    "numbered_names",
    "readable_constraints",
    "taken",
    "text_names",
]

SiteColumn = CodedTexts | FloatArray | IntArray | BoolArray

NO_COLUMNS: Mapping[str, SiteColumn] = MappingProxyType({})


def taken(column: SiteColumn, rows: BoolArray) -> Any:
    """Return some rows of a column, whole numbers as integers where they are counts."""
    if isinstance(column, CodedTexts):
        return column.take(rows)
    chosen = column[rows]
    is_count = chosen.dtype.kind == "f" and (chosen == np.floor(chosen)).all() and (chosen >= 1).all()
    return chosen.astype(np.int64) if is_count else chosen


def numbered_names(numbers: FloatArray) -> CodedTexts:
    """Return names made of numbers, as logs have them instead of users; a negative number is nobody."""
    distinct, codes = np.unique(numbers, return_inverse=True)
    first = int(np.searchsorted(distinct, 0.0))
    names = [f"{number:.17g}" for number in distinct[first:].tolist()]
    return CodedTexts(np.maximum(codes.reshape(-1) - first, -1), names)


def text_names(texts: Any, nothing: Sequence[str] = ()) -> CodedTexts:
    """Return an Arrow column of texts; blanks around them do not count, and those of `nothing` are none."""
    encoded = texts.dictionary_encode()
    distinct = [text.strip() for text in encoded.dictionary.to_pylist()]
    known = tuple(dict.fromkeys(text for text in distinct if text and text not in nothing))
    code_of = {name: code for code, name in enumerate(known)}
    translation = np.array([code_of.get(text, -1) for text in distinct] or [-1], dtype=np.int64)
    codes: NDArray[np.int64] = encoded.indices.to_numpy().astype(np.int64)
    return CodedTexts(translation[codes], known)


def readable_constraints(constraints: CodedTexts, machines: Machines) -> tuple[CodedTexts, BoolArray]:
    """Return the constraints that can be told over the labels of the machines, and which rows lose theirs.

    Without any label nobody can tell them; others may be written in a way that `Jobs` does not know.
    """

    def is_readable(text: str) -> bool:
        try:
            parsed(text)
        except InvalidInstanceError:
            return False
        return machines.has_labels

    kept = constraints.mapped({text: "" for text in constraints.names if not is_readable(text)})
    return kept, (constraints.codes >= 0) & (kept.codes < 0)


def joined_constraints(first: CodedTexts, second: CodedTexts) -> CodedTexts:
    """Return constraints that hold where both of a row do."""
    width = len(second.names) + 1
    pair = (first.codes.astype(np.int64) + 1) * width + second.codes + 1
    distinct, codes = np.unique(pair, return_inverse=True)
    texts = []
    for both in distinct.tolist():
        left, right = divmod(both, width)
        parts = [("", *first.names)[left], ("", *second.names)[right]]
        told = [part for part in parts if part]
        texts.append(" & ".join(f"({part})" for part in told) if len(told) > 1 else "".join(told))
    known = tuple(dict.fromkeys(filter(None, texts)))
    code_of = {text: code for code, text in enumerate(known)} | {"": -1}
    translation = np.array([code_of[text] for text in texts] or [-1], dtype=np.int64)
    return CodedTexts(translation[codes.reshape(-1)], known)
