"""Which further columns of its source does somebody want jobs to keep?"""

from collections.abc import Collection, Sequence

from schedcore.errors import InvalidInstanceError
from schedcore.model.choices import check_choice
from schedcore.workloads.reading.option_spelling import spelled

__all__ = ["Keep", "kept_columns"]

#: Names of columns, also in one text with commas.
Keep = str | Sequence[str]


def kept_columns(keep: Keep, known: Collection[str]) -> tuple[str, ...]:
    """Return the names of the columns, each once.

    Raises
    ------
    InvalidInstanceError
        For one that the source does not have, with the close matches.
    """
    if not isinstance(keep, (str, Sequence)) or isinstance(keep, bytes):
        raise InvalidInstanceError(f"{spelled('keep')} {keep!r} must be names of columns")
    words = keep.split(",") if isinstance(keep, str) else keep
    names = tuple(dict.fromkeys(str(word).strip() for word in words))
    if "" in names and keep:
        raise InvalidInstanceError(f"{spelled('keep')} {keep!r} names a column without a name")
    named = tuple(filter(None, names))
    for name in named:
        check_choice(f"column to {spelled('keep')}", name, list(known))
    return named
