"""What jobs wait for: ``afterok:12(unfulfilled),afterany:13_4:14_*(unfulfilled)``."""

import dataclasses
import re

from schedcore.errors import InvalidInstanceError
from schedcore.model.real_numbers import shown

__all__ = ["AWAITED", "Dependency", "read_dependencies"]

#: Kind of dependency -> column of `Jobs`.
AWAITED = {"afterok": "after_ok", "afterany": "after_any", "afternotok": "after_not_ok"}
_KINDS = (*AWAITED, "after", "aftercorr", "afterburstbuffer", "singleton", "expand")
_STATE = re.compile(r"\((\w+)\)$")
_JOB = re.compile(r"([0-9]{1,15})(?:_(\*|[0-9]{1,9}))?(?:\+([0-9]+))?(?:\((\w+)\))?")


@dataclasses.dataclass(frozen=True, slots=True)
class Dependency:
    """That a job waits for another one.

    Parameters
    ----------
    kind : str
        As "afterok".
    job_id : int or None
        Of the other job; None for "singleton".
    task : int or None
        Which task of an array; None: the job, or all tasks of the array.
    any_of : bool
        Whether one of several dependencies is enough.
    """

    kind: str
    job_id: int | None
    task: int | None = None
    any_of: bool = False


def read_dependencies(text: str) -> tuple[Dependency, ...]:
    """Return what a job waits for that is not fulfilled; none for an empty text.

    Raises
    ------
    InvalidInstanceError
        For any other text.
    """
    content = text.strip()
    if not content:
        return ()
    any_of = "?" in content
    found: list[Dependency] = []
    kind = ""
    for part in re.split(r"[,?]", content):
        pieces = part.strip().split(":")
        if pieces[0] and not pieces[0][0].isdigit():
            kind = _STATE.sub("", pieces.pop(0)).lower()
            if kind not in _KINDS:
                raise InvalidInstanceError(
                    f"{shown(repr(text))}: {shown(repr(kind))} is no kind of dependency"
                )
            if kind == "singleton":
                found.append(Dependency(kind, None, any_of=any_of))
                continue
        if not pieces or not kind:
            raise InvalidInstanceError(f"{shown(repr(text))} is no dependency such as afterok:12:13")
        for piece in pieces:
            match = _JOB.fullmatch(piece)
            if match is None:
                raise InvalidInstanceError(f"{shown(repr(text))}: {shown(repr(piece))} is no job")
            if (match[4] or "unfulfilled").lower() == "unfulfilled":
                task = None if match[2] in (None, "*") else int(match[2])
                found.append(Dependency(kind, int(match[1]), task, any_of))
    return tuple(found)
