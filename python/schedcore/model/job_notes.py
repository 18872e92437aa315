"""Further columns of the source of jobs, by name: texts by which they can be grouped, and that no policy reads."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from numpy.typing import NDArray

from schedcore.errors import InvalidInstanceError

from .coded_texts import CodedTexts
from .job_column_kinds import JobColumn

__all__ = ["NOTE_PREFIX", "NotesColumn", "notes_of_table"]

#: In a table the note ``queue`` is the column ``note_queue``.
NOTE_PREFIX = "note_"

Coded = Mapping[str, CodedTexts]


class NotesColumn(JobColumn[Coded, Mapping[str, NDArray[Any]]]):
    """Columns of texts by their names; one in which no job has a text is none."""

    form = "mapping of str to (n_jobs,) array_like of str or None"
    is_name = True

    def checked(self, values: Any, n_jobs: int) -> Coded | None:
        if values is None:
            return None
        if not isinstance(values, Mapping):
            raise TypeError(f"{self.name} must be a mapping of names to columns, not {type(values).__name__}")
        coded = {}
        for name, column in values.items():
            if not isinstance(name, str) or not name:
                raise InvalidInstanceError(f"{self.name}: {name!r} is no name of a column")
            coded[name] = CodedTexts.of(column, f"{self.name}[{name!r}]", n_jobs)
        return _with_texts(coded)

    def taken(self, stored: Coded, rows: Any) -> Coded | None:
        return _with_texts({name: column.take(rows) for name, column in stored.items()})

    def full(self, stored: Coded | None, n_jobs: int) -> Mapping[str, NDArray[Any]]:
        return MappingProxyType({name: column.texts() for name, column in (stored or {}).items()})

    def columns(self, stored: Coded) -> dict[str, NDArray[Any]]:
        return {f"{NOTE_PREFIX}{name}": column.texts() for name, column in stored.items()}


def _with_texts(columns: Coded) -> Coded | None:
    """Those in which some job has a text; None without any. A plain dict, as pickles hold it."""
    kept = {name: column for name, column in columns.items() if column.names}
    return kept or None


def notes_of_table(columns: Mapping[str, Any]) -> dict[str, Any]:
    """Return the columns of a table with its notes in one mapping; those without any as they are."""
    notes = {
        name.removeprefix(NOTE_PREFIX): column
        for name, column in columns.items()
        if name.startswith(NOTE_PREFIX)
    }
    others = {name: column for name, column in columns.items() if not name.startswith(NOTE_PREFIX)}
    return {**others, "notes": notes} if notes else others
