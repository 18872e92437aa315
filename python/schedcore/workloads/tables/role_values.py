"""The columns that have roles, read: points in time, seconds, amounts and names of all rows, and how each was read.

A cell that cannot be read is bad, an empty one is none. Where a role was only guessed, is not needed, and nothing in
its column can be read so, the column is left out, and that is said.
"""

import dataclasses
from collections.abc import Mapping

import numpy as np

from schedcore.errors import InvalidInstanceError
from schedcore.model.arrays import EXACT_BOUND, BoolArray, FloatArray
from schedcore.model.coded_texts import CodedTexts
from schedcore.model.real_numbers import shown
from schedcore.workloads.logs.site_columns import text_names
from schedcore.workloads.reading.needed_choice import ChoiceNeededError
from schedcore.workloads.reading.option_spelling import spelled
from schedcore.workloads.reading.row_ledger import RowLedger
from schedcore.workloads.tables.amounts import has_unclear_size, read_bytes, read_counts
from schedcore.workloads.tables.cells import Cells, Numbers
from schedcore.workloads.tables.column_choice import ChosenColumn, ColumnChoice, unit_words
from schedcore.workloads.tables.dates import Ambiguous, read_instants
from schedcore.workloads.tables.durations import read_durations
from schedcore.workloads.tables.instants import Instants
from schedcore.workloads.tables.units import BYTES

__all__ = ["RoleValues", "Unreadable", "is_guessed_flag"]

Unreadable = tuple[str, str, BoolArray]  # role, meaning, rows


@dataclasses.dataclass(eq=False)
class RoleValues:
    """The columns of a table by role, read when they are asked for.

    Parameters
    ----------
    choice : ColumnChoice
    cells : dict
        Name of the column -> cells.
    ledger : RowLedger
        For places in messages.
    line_word : str

    Attributes
    ----------
    sentences : dict
        Role -> how its column was read, in the order of reading.
    unreadable : list
        Roles with cells that cannot be read, a sentence for each, and its rows.
    clocks : dict
        Role -> which clock its points in time are on, see `InstantCells`.
    left_out : list of str
        Sentences about columns that were left out, for errors that follow from it.
    """

    choice: ColumnChoice
    cells: Mapping[str, Cells]
    ledger: RowLedger
    line_word: str = "line"
    sentences: dict[str, str] = dataclasses.field(default_factory=dict)
    unreadable: list[Unreadable] = dataclasses.field(default_factory=list)
    clocks: dict[str, str] = dataclasses.field(default_factory=dict)
    left_out: list[str] = dataclasses.field(default_factory=list)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.ledger.kept)

    def __contains__(self, role: str) -> bool:
        return role in self.choice

    def column(self, role: str) -> ChosenColumn:
        """Return the column of a role."""
        return self.choice.chosen[role]

    def instants(self, role: str) -> Instants | None:
        """Return a column of points in time; None without one."""
        if role not in self.choice:
            return None
        column = self.column(role)
        cells = self.cells[column.column]
        if is_guessed_flag(column, cells):
            self._leave_out(column, "its cells are only 0, 1, true and false")
            return None
        self._refuse_grouped(column, cells)
        try:
            read = read_instants(cells, column.unit)
        except Ambiguous as error:
            choices = tuple(self.choice.choice(role, column.column, unit) for unit in error.units)
            *ways, last = (spelled(*choice) for choice in choices)
            raise ChoiceNeededError(
                f"{self.choice.source}: {role} is column {column.column}, but {error}; write {', '.join(ways)} or "
                f"{last}",
                choices,
            ) from None
        if not self._is_readable(column, cells, read.bad, read.missing):
            return None
        if read.clock:
            self.clocks[role] = read.clock
        self._tell(column, read.words, "" if not column.unit else self._of_unit(column))
        return read.instants.take(cells.codes)

    def durations(self, role: str) -> FloatArray | None:
        """Return a column of seconds, NaN where nothing stands; None without one."""
        if role not in self.choice:
            return None
        column = self.column(role)
        cells = self.cells[column.column]
        self._refuse_grouped(column, cells)
        numbers, words = read_durations(cells, column.unit)
        if not self._is_readable(column, cells, numbers.bad, numbers.missing):
            return None
        assumed = (
            "as nothing says otherwise" if "seconds" in words and not column.unit else self._of_unit(column)
        )
        return self._of_rows(column, cells, numbers, words, assumed)

    def has_plain_numbers(self, role: str) -> bool:
        """Whether a column has numbers of which neither its name nor anybody says the unit."""
        column = self.column(role)
        numbers = self.cells[column.column].numbers
        return not column.unit and bool((~numbers.bad & ~numbers.missing).any())

    def amounts(self, role: str) -> FloatArray | None:
        """Return a column of counts, or of bytes, NaN where nothing stands; None without one."""
        if role not in self.choice:
            return None
        column = self.column(role)
        cells = self.cells[column.column]
        self._refuse_grouped(column, cells)
        if column.role.kind == "bytes" and not column.unit and has_unclear_size(cells):
            choices = tuple(
                self.choice.choice(role, column.column, self._in_part(column, unit)) for unit in ("MB", "GB")
            )
            raise ChoiceNeededError(
                f"{self.choice.source}: {role} is column {column.column}, and its numbers may be MB or GB; write "
                f"{' or '.join(spelled(*choice) for choice in choices)}",
                choices,
            )
        numbers, words = (read_bytes if self.counts_bytes(role) else read_counts)(cells, column.unit)
        if not self._is_readable(column, cells, numbers.bad, numbers.missing):
            return None
        return self._of_rows(column, cells, numbers, words, self._of_unit(column))

    def counts_bytes(self, role: str) -> bool:
        """Whether amounts of a resource are bytes: by its role, its unit, or texts such as 16GB in its cells."""
        column = self.column(role)
        if column.role.kind != "amount":
            return column.role.kind == "bytes"
        if column.unit:
            return column.unit in BYTES
        cells = self.cells[column.column]
        as_bytes, as_counts = read_bytes(cells, "b")[0], read_counts(cells, "")[0]
        return bool(np.count_nonzero(as_bytes.bad) < np.count_nonzero(as_counts.bad))

    def numbers(self, role: str) -> FloatArray | None:
        """Return a column of plain numbers, NaN where nothing stands; None without one."""
        if role not in self.choice:
            return None
        column = self.column(role)
        cells = self.cells[column.column]
        self._refuse_grouped(column, cells)
        numbers = cells.numbers
        bad = numbers.bad | (np.abs(np.nan_to_num(numbers.values)) > EXACT_BOUND)
        if not self._is_readable(column, cells, bad, numbers.missing):
            return None
        return self._of_rows(
            column, cells, dataclasses.replace(numbers, values=np.where(bad, np.nan, numbers.values)), "", ""
        )

    def names(self, role: str) -> CodedTexts | None:
        """Return a column of names, coded; None without one."""
        if role not in self.choice:
            return None
        column = self.column(role)
        self._tell(column, "", "")
        return self.texts(column.column)

    def texts(self, column: str) -> CodedTexts:
        """Return a column by its own name, coded."""
        cells = self.cells[column]
        names = text_names(cells.texts())
        own = np.where(cells.missing, -1, names.codes)
        return CodedTexts(own[cells.codes], names.names)

    def told_left_out(self) -> str:
        """Return what to add to an error that may follow from columns that were left out; empty without any."""
        return "".join(f"; {sentence}" for sentence in self.left_out)

    def _in_part(self, column: ChosenColumn, unit: str) -> str:
        return f"{unit}/{column.part}" if column.part else unit

    def _of_unit(self, column: ChosenColumn) -> str:
        return "by its name" if column.unit_is_guess and column.unit else ""

    def _of_rows(
        self, column: ChosenColumn, cells: Cells, numbers: Numbers, words: str, why: str
    ) -> FloatArray:
        each = f" for each {column.part}" if column.part else ""
        self._tell(column, words + each, why)
        return numbers.values[cells.codes]

    def _tell(self, column: ChosenColumn, words: str, why: str) -> None:
        how = ", ".join(part for part in (words.strip(), why) if part)
        self.sentences[column.role.name] = f"{column.role.name} is column {column.column}{how and f': {how}'}"

    def _is_readable(self, column: ChosenColumn, cells: Cells, bad: BoolArray, missing: BoolArray) -> bool:
        """Whether a column can be read; notes what cannot, and refuses one in which nothing can."""
        role = column.role
        if not bad.any():
            return True
        row = cells.first_row(bad)
        example = shown(cells.example(bad))
        if not (~bad & ~missing).any():
            if column.is_guess and role.is_optional:
                self._leave_out(column, f"{example!r} is none")
                return False
            place = f"{self.line_word} {self.ledger.first_places(_only(row, self.n_rows))[0]}"
            other = self.choice.saying(role.name, "COLUMN")
            raise InvalidInstanceError(
                f"{self.choice.source}: {role.name} is column {column.column}, but {example!r} ({place}) cannot be "
                f"read so{self._hint(column, example)}; name another column or unit with {other}"
            )
        meaning = f"{role.name} cannot be read in column {column.column}, such as {example!r}"
        self.unreadable.append((role.name, meaning + self._hint(column, example), bad[cells.codes]))
        return True

    def _refuse_grouped(self, column: ChosenColumn, cells: Cells) -> None:
        if cells.grouped:
            raise InvalidInstanceError(
                f"{self.choice.source}: {column.role.name} is column {column.column}, but {cells.grouped} in a file "
                f"between semicolons is a number of thousands, or one with three decimals; write its numbers without "
                f"points, or name another column with {self.choice.saying(column.role.name, 'COLUMN')}"
            )

    def _leave_out(self, column: ChosenColumn, why: str) -> None:
        role = column.role.name
        self.sentences[role] = f"column {column.column} is not read as {role}: {why}"
        self.left_out.append(self.sentences[role])
        del self.choice.chosen[role]

    def _hint(self, column: ChosenColumn, example: str) -> str:
        if column.role.kind == "duration" and example.count(":") == 1:
            return " (hours and minutes, or minutes and seconds? write all three)"
        return "" if column.role.kind in ("name", "number") else f" (units: {unit_words(column.role)})"


def is_guessed_flag(column: ChosenColumn, cells: Cells) -> bool:
    """Whether only a name such as completed makes a column a start or end, and it says yes or no."""
    role = column.role
    return column.is_guess and role.kind == "instant" and role.is_optional and cells.are_flags


def _only(row: int, n_rows: int) -> BoolArray:
    mask = np.zeros(n_rows, dtype=np.bool_)
    mask[row] = True
    return mask
