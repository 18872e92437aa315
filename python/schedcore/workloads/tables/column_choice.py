"""Which column of a table means what: as somebody said, and for the rest by the names of the columns.

What is said is a text, ``submit=created_at,memory=mem_mb:MB,cpus=vcpu``: a role, a column and perhaps a unit, behind
which ``/task``, ``/node`` or ``/cpu`` may say what the amount is for. A role without a column, ``user=``, is not looked
for. A column whose name has a comma, a colon or an equals sign stands in double quotes.
"""

import dataclasses
import difflib
import re
from collections.abc import Mapping, Sequence, Set

from schedcore.errors import InvalidInstanceError
from schedcore.model.choices import check_choice
from schedcore.model.real_numbers import shown
from schedcore.workloads.reading.csv_table import shown_names
from schedcore.workloads.reading.needed_choice import Choice, ChoiceNeededError
from schedcore.workloads.reading.option_spelling import spelled
from schedcore.workloads.tables.column_names import parts_of_name
from schedcore.workloads.tables.roles import RESOURCE, ROLES, Role, rank_of, role_named, unit_of_key
from schedcore.workloads.tables.units import BYTES, DATE_ORDERS, PARTS, SECONDS, SHARES

__all__ = ["ChosenColumn", "ColumnChoice", "ColumnWords", "choose_columns", "possible_roles", "unit_words"]

#: What `columns` may be: a text, or role -> column with its unit.
ColumnWords = str | Mapping[str, str]

_PART = re.compile(r'\s*([^=,"]*)=\s*("(?:[^"]|"")*"(?::[^,"]*)?|[^",]*)\s*(?:,|$)')
_QUOTED = re.compile(r'"((?:[^"]|"")*)"(?::([^,"]*))?')
_LONGEST = 10_000  # characters
_BESIDE_MINIMA = ("max", "avg", "mean", "average", "median")


@dataclasses.dataclass(frozen=True)
class ChosenColumn:
    """The column of a role.

    Parameters
    ----------
    role : Role
    column : str
    unit : str
        A word of `schedcore.workloads.tables.units` in small letters; empty where nobody says it.
    part : str
        "task", "node" or "cpu" where the amounts are for each of them; else empty.
    is_guess : bool
        Whether the name of the column alone told its role.
    unit_is_guess : bool
        Whether the name of the column alone told its unit.
    """

    role: Role
    column: str
    unit: str = ""
    part: str = ""
    is_guess: bool = False
    unit_is_guess: bool = False


@dataclasses.dataclass(frozen=True)
class ColumnChoice:
    """All roles that have columns.

    Parameters
    ----------
    source : str
        File name, for messages.
    names : tuple of str
        All columns of the table.
    chosen : dict
        Name of the role -> its column.
    said : dict
        Name of the role -> what somebody said of it.
    """

    source: str
    names: tuple[str, ...]
    chosen: dict[str, ChosenColumn]
    said: dict[str, str]

    def __contains__(self, role: str) -> bool:
        return role in self.chosen

    def saying(self, role: str, column: str, unit: str = "") -> str:
        """Return the option that says what was said, and that a role is this column; what to type in a message."""
        return spelled(*self.choice(role, column, unit))

    def choice(self, role: str, column: str, unit: str = "") -> Choice:
        """Return the same option with its value."""
        return _choice(self.said, role, column, unit)

    def choice_of_units(self, units: Mapping[str, str]) -> Choice:
        """Return the option that says what was said, and role -> unit of the columns that some roles have."""
        said: Mapping[str, str] = self.said
        for role, unit in units.items():
            said = {**said, role: _written(self.chosen[role].column, unit)}
        return "columns", _joined(said)

    def resources(self) -> list[ChosenColumn]:
        """Return the columns of what jobs demand, in the order of the instance."""
        return [column for column in self.chosen.values() if column.role.is_resource]

    def unused(self) -> list[str]:
        """Return the columns without a role."""
        used = {column.column for column in self.chosen.values()}
        return [name for name in self.names if name not in used]


def choose_columns(source: str, names: Sequence[str], words: ColumnWords | None) -> ColumnChoice:
    """Say which columns have which roles.

    Raises
    ------
    InvalidInstanceError
        For a text that is no list of roles, an unknown role, a column that the table does not have, a unit that the
        role cannot have, and a role that is not said and that two columns could have; each says what to write instead.
    """
    said = _parts(words)
    chosen: dict[str, ChosenColumn] = {}
    for name, text in said.items():
        role = role_named(name)
        if role is not None and text:
            chosen[name] = _said_column(source, names, said, role, text)
    taken = {column.column for column in chosen.values()}
    for role in ROLES:
        if role.name in said:
            continue
        guess = _guess(source, names, taken, said, role)
        if guess is not None:
            chosen[role.name] = guess
            taken.add(guess.column)
    order = [role.name for role in ROLES]
    first = [name for name in chosen if name.startswith(RESOURCE)]
    in_order = {name: chosen[name] for name in order if name in chosen}
    further = {name: chosen[name] for name in first}
    return ColumnChoice(source, tuple(names), in_order | further, said)


def possible_roles(name: str) -> tuple[str, ...]:
    """Return the roles that a name alone may have, whatever the other columns are called."""
    parts = parts_of_name(name)
    return tuple(role.name for role in ROLES if rank_of(parts, role) is not None)


def unit_words(role: Role) -> str:
    """Return which units a role can have, for messages."""
    words = {
        "instant": "s, ms, us, ns, min, h, d, dmy, mdy, ymd",
        "duration": "s, ms, us, ns, min, h, d",
        "count": "milli, percent",
        "bytes": "B, KB, MB, GB, TB",
        "amount": "B, KB, MB, GB, TB, milli, percent",
    }.get(role.kind, "none")
    return words + (", each perhaps with /task, /node or /cpu" if role.is_resource else "")


def _parts(words: ColumnWords | None) -> dict[str, str]:
    """Return role -> what is said of it, quotes and units as they are written."""
    if words is None:
        return {}
    pairs = list(words.items()) if isinstance(words, Mapping) else _pairs(words)
    said: dict[str, str] = {}
    known = [role.name for role in ROLES]
    for role, text in pairs:
        if not isinstance(role, str) or not isinstance(text, str):
            raise InvalidInstanceError(
                f"columns: {role!r}: {text!r} is not the name of a role and that of a column"
            )
        name = role.strip()
        if role_named(name) is None:
            check_choice("role of a column", name, [*known, f"{RESOURCE}NAME"])
            raise InvalidInstanceError(
                f"{spelled('columns')}: write the name of the resource, as in {RESOURCE}disk"
            )
        if name in said:
            raise InvalidInstanceError(f"{spelled('columns')}: {name} is said twice, {said[name]} and {text}")
        said[name] = text.strip()
    return said


def _pairs(text: str) -> list[tuple[str, str]]:
    if len(text) > _LONGEST:
        raise InvalidInstanceError(f"{spelled('columns')}: more than {_LONGEST:,} characters")
    pairs, place = [], 0
    while place < len(text):
        match = _PART.match(text, place)
        if match is None or not match[1].strip():
            raise InvalidInstanceError(
                f"{spelled('columns')}: {shown(text[place:].strip())!r} is not ROLE=COLUMN[:UNIT], as in "
                f"submit=created_at,memory=mem:MB"
            )
        pairs.append((match[1], match[2]))
        place = match.end()
    return pairs


def _said_column(
    source: str, names: Sequence[str], said: Mapping[str, str], role: Role, text: str
) -> ChosenColumn:
    quoted = _QUOTED.fullmatch(text)
    if quoted is not None:
        column, unit = quoted[1].replace('""', '"'), quoted[2] or ""
    elif text in names:
        column, unit = text, ""
    else:
        column, _, unit = text.rpartition(":") if ":" in text else (text, "", "")
    if column not in names:
        close = difflib.get_close_matches(column, names) or [
            name for name in names if name.casefold() == column.casefold()
        ]
        hint = (
            f"; did you mean {' or '.join(_saying(said, role.name, name) for name in close)}?"
            if close
            else ""
        )
        raise InvalidInstanceError(
            f"{source} has no column {shown(column)!r} for {role.name} (it has: {shown_names(names)}){hint}"
        )
    parts = parts_of_name(column)
    of_name = parts.unit or unit_of_key(parts.key)
    of_name = of_name if role.takes_unit(of_name) else ""
    if not unit:
        _refuse_minimum(source, names, said, role, column)
        part = parts.part if role.is_resource else ""
        return ChosenColumn(role, column, of_name, part, unit_is_guess=bool(of_name or part))
    word, _, part = unit.strip().lower().partition("/")
    if not _is_unit(role, word) or (part and not (role.is_resource and part in PARTS)):
        hint = f" or leave it out, {_saying(said, role.name, column)}"
        raise InvalidInstanceError(
            f"{source}: {role.name}={text}: {shown(unit)!r} is no unit of {role.name} (units: {unit_words(role)});"
            f" write one of them{hint}"
        )
    return ChosenColumn(role, column, word or of_name, part, unit_is_guess=not word and bool(of_name))


def _is_unit(role: Role, word: str) -> bool:
    """Whether somebody may give this unit, which may be empty before what the amount is for."""
    if role.kind == "instant":
        return word in SECONDS or word in DATE_ORDERS
    if role.kind == "duration":
        return word in SECONDS
    if not role.is_resource:
        return False
    of_kind = {"count": (*SHARES,), "bytes": (*BYTES,), "amount": (*BYTES, *SHARES)}[role.kind]
    return not word or word in of_kind


def _refuse_minimum(
    source: str, names: Sequence[str], said: Mapping[str, str], role: Role, column: str
) -> None:
    """Refuse a name such as runtime_min beside runtime_max: it may be a minimum, or count minutes."""
    parts = parts_of_name(column)
    if parts.unit != "min" or not role.takes_unit(parts.unit):
        return
    keys = {f"{parts.stem}{word}" for word in _BESIDE_MINIMA}
    others = [name for name in names if parts_of_name(name).key in keys]
    if others:
        choices = (
            _choice(said, role.name, column, "min"),
            *(_choice(said, role.name, name) for name in others),
        )
        *ways, last = (spelled(*choice) for choice in choices)
        raise ChoiceNeededError(
            f"{source}: {role.name} is column {column}, but beside {' and '.join(others)} it may be a minimum, or "
            f"count minutes; write {', '.join(ways)} or {last}",
            choices,
        )


def _guess(
    source: str, names: Sequence[str], taken: Set[str], said: Mapping[str, str], role: Role
) -> ChosenColumn | None:
    """Return the column that has the best of the names of a role; an error if that are several."""
    ranks = {name: rank_of(parts_of_name(name), role) for name in names if name not in taken}
    known = {name: rank for name, rank in ranks.items() if rank is not None}
    if not known:
        return None
    best = min(known.values())
    candidates = [name for name, rank in known.items() if rank == best]
    if len(candidates) > 1:
        listed = f"{', '.join(candidates[:-1])} or {candidates[-1]}"
        raise ChoiceNeededError(
            f"{source}: {role.name} could be column {listed}; say which, as with "
            f"{_saying(said, role.name, candidates[0])}",
            tuple(_choice(said, role.name, name) for name in candidates),
        )
    _refuse_minimum(source, names, said, role, candidates[0])
    parts = parts_of_name(candidates[0])
    has_unit = parts.key not in role.ranks[best]
    is_unit = role.kind == "duration" and parts.key in SECONDS
    unit = parts.unit if has_unit else parts.key if is_unit else unit_of_key(parts.key)
    return ChosenColumn(
        role, candidates[0], unit, parts.part if has_unit else "", is_guess=True, unit_is_guess=bool(unit)
    )


def _saying(said: Mapping[str, str], role: str, column: str) -> str:
    return spelled(*_choice(said, role, column))


def _choice(said: Mapping[str, str], role: str, column: str, unit: str = "") -> Choice:
    return "columns", _joined({**said, role: _written(column, unit)})


def _written(column: str, unit: str) -> str:
    needs_quotes = re.search('[,:="]|^ | $', column) is not None
    name = '"{}"'.format(column.replace('"', '""')) if needs_quotes else column
    return f"{name}:{unit}" if unit else name


def _joined(said: Mapping[str, str]) -> str:
    return ",".join(f"{role}={text}" for role, text in said.items())
