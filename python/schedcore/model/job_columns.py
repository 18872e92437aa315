"""What jobs of a cluster may have beside times and demands: the table of these columns, each declared once.

Checks, defaults, selections, `Jobs.replace`, equality, tables, pickles and the documentation of `Jobs` follow from it.
A column that is not given, or has the default in every row, is not stored. So jobs without any of them are equal to,
hash like and cost as much as jobs of before there were any.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, TypedDict, TypeVar

from numpy.typing import ArrayLike

from .choices import check_choice
from .coded_texts import CodedTexts
from .integer_lists import IntegerLists
from .job_column_kinds import (
    ConstraintColumn,
    FlagColumn,
    IdColumn,
    IntegerColumn,
    JobColumn,
    NameColumn,
    RealColumn,
    RecordedColumn,
    TextColumn,
)
from .job_notes import NotesColumn

__all__ = [
    "APART",
    "JOB_COLUMNS",
    "PAST",
    "JobColumnArguments",
    "JobColumns",
    "checked_columns",
    "documented",
]

#: A text for all jobs or one for each; ids of other jobs, a sequence for each job.
Texts = str | Sequence[str | None] | ArrayLike | CodedTexts | None
Notes = Mapping[str, Any] | None
IdLists = Sequence[Any] | ArrayLike | IntegerLists | None


class JobColumnArguments(TypedDict, total=False):
    """The columns as arguments of `Jobs`."""

    n_tasks: ArrayLike
    max_tasks_per_machine: ArrayLike | None
    exclusive: ArrayLike
    constraint: Texts
    priority: ArrayLike | None
    user: Texts
    account: Texts
    partition: Texts
    service_class: Texts
    array: ArrayLike | None
    after_ok: IdLists
    after_any: IdLists
    after_not_ok: IdLists
    checkpoint_interval: ArrayLike | None
    restart_cost: ArrayLike | None
    recorded_start_time: ArrayLike | None
    name: Texts
    notes: Notes


class JobColumns:
    """The columns as attributes of `Jobs`: each has an entry for every job, the default where nothing was given.

    Numbers and flags are read-only arrays; texts are object arrays of str or None, made from codes when first asked
    for; ids are tuples of tuples. A default column is made anew at each access.
    """

    __slots__ = ()
    __signature__: ClassVar[inspect.Signature]

    n_tasks = IntegerColumn(
        "Number of equal tasks, which start and end together; at least 1. The demand is that of one task.",
        1,
        least=1,
    )
    max_tasks_per_machine = IntegerColumn("At most so many tasks on one machine; 0: no bound.", 0, least=0)
    exclusive = FlagColumn("Whether no other job may be on its machines while it runs.", default=False)
    constraint = ConstraintColumn(
        'Expression over the labels of the machines that it may use, such as ``"gpu & !rack=3"``; "": all machines.',
        default="",
    )
    priority = RealColumn("Higher is more urgent, where a policy orders by priority; finite.")
    user = TextColumn("Who submitted it; None or empty: nobody.")
    account = TextColumn("Who pays for it; None or empty: nobody.")
    partition = TextColumn("The partition that it was submitted to; None or empty: none.")
    service_class = TextColumn("Its class of service; None or empty: none.")
    array = IntegerColumn(
        "Number of the array of jobs that it belongs to, at least 0; -1: none.", -1, least=-1, repeats=False
    )
    after_ok = IdColumn("Ids of jobs that must have completed before it may start.")
    after_any = IdColumn("Ids of jobs that must have ended, in whatever way, before it may start.")
    after_not_ok = IdColumn("Ids of jobs that must have ended without completing before it may start.")
    checkpoint_interval = RealColumn(
        "Its work is saved each time so much of it is done; 0: never.", least=0.0
    )
    restart_cost = RealColumn("How much longer a run takes that resumes saved work; at least 0.", least=0.0)
    recorded_start_time = RecordedColumn(
        "When it started in the log that it comes from, on the clock of the release times; NaN where no log says it."
    )

    name = NameColumn(
        "What its source calls it, where that is more than its id, such as ``1234_7``; None or empty: nothing else."
    )
    notes = NotesColumn(
        "Further columns of its source, by name, such as those that a reader was told to keep; for group-bys."
    )

    @property
    def _stored(self) -> Mapping[str, Any]:
        raise NotImplementedError

    @property
    def n_jobs(self) -> int:
        """Number of jobs."""
        raise NotImplementedError

    @property
    def note_names(self) -> tuple[str, ...]:
        """The names of the `notes`; O(1)."""
        return tuple(self._stored.get("notes", ()))

    def uses(self, column: str) -> bool:
        """Whether a column of a cluster, such as "n_tasks", differs from its default for some job; O(1)."""
        return column in self._stored

    def coded(self, column: str) -> CodedTexts:
        """Return the constraint, user, account, partition, service_class or one of the `notes` as kernels read it.

        Returns
        -------
        CodedTexts
            ``codes`` (n_jobs,) int32 into the distinct ``names``, which are in order of first appearance; -1 for none.
            O(1) where some job has a text.
        """
        notes: Mapping[str, CodedTexts] = self._stored.get("notes", {})
        if column in notes and column not in JOB_COLUMNS:
            return notes[column]
        texts: TextColumn = _column_of_kind(column, TextColumn)
        return texts.coded(self._stored.get(column), self.n_jobs)

    def id_lists(self, column: str) -> IntegerLists:
        """Return "after_ok", "after_any" or "after_not_ok" as kernels read it.

        Returns
        -------
        IntegerLists
            The ids of job j are ``values[offsets[j]:offsets[j + 1]]``. O(1) where some job names one.
        """
        ids: IdColumn = _column_of_kind(column, IdColumn)
        return ids.lists(self._stored.get(column), self.n_jobs)


#: Name -> column, in the order of the arguments.
JOB_COLUMNS: Mapping[str, JobColumn[Any, Any]] = {
    name: column for name, column in vars(JobColumns).items() if isinstance(column, JobColumn)
}

#: What tells what happened to the jobs; it is not known any more of jobs that are changed.
PAST = frozenset(name for name, column in JOB_COLUMNS.items() if column.is_past)
#: What is no part of the problem: jobs that differ in these alone are equal.
APART = PAST | {name for name, column in JOB_COLUMNS.items() if column.is_name}


def checked_columns(given: JobColumnArguments, n_jobs: int) -> dict[str, Any]:
    """Return the given columns that are not the default everywhere, as they are stored.

    Raises
    ------
    InvalidInstanceError
        For a value outside its bounds, a malformed constraint, and another number of entries; names job and value.
    TypeError
        For entries of another type, and for a name that is no column.
    """
    stored = {}
    for name, values in given.items():
        column = JOB_COLUMNS.get(name)
        if column is None:
            raise TypeError(f"Jobs.__init__() got an unexpected keyword argument {name!r}")
        kept = column.checked(values, n_jobs)
        if kept is not None:
            stored[name] = kept
    return stored


_JobsT = TypeVar("_JobsT", bound=JobColumns)


def documented(jobs: type[_JobsT]) -> type[_JobsT]:
    """Show the columns in the signature and in the documentation of the class that takes them as arguments."""
    own = inspect.signature(jobs.__init__)
    _, *parameters = own.parameters.values()
    arguments = [each for each in parameters if each.kind is not each.VAR_KEYWORD]
    hints = {name: hint.__forward_arg__ for name, hint in JobColumnArguments.__annotations__.items()}
    lines = []
    for name, column in JOB_COLUMNS.items():
        default = None if name not in _SHOWN_DEFAULTS else column.default
        arguments.append(
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=hints[name])
        )
        lines += [f"    {name} : {column.form}, default {column.default!r}", f"        {column.meaning}"]
    jobs.__signature__ = own.replace(parameters=arguments)
    if jobs.__doc__ is not None:
        before, after = jobs.__doc__.split(_PLACE)
        jobs.__doc__ = f"{before}{chr(10).join(lines).lstrip()}{after}"
    return jobs


_SHOWN_DEFAULTS = ("n_tasks", "exclusive")
_PLACE = "(columns)"


def _column_of_kind(name: str, kind: type[Any]) -> Any:
    """Return the column `name`, which must be of a kind; another name is an error with the close matches."""
    check_choice("column", name, [each for each, column in JOB_COLUMNS.items() if isinstance(column, kind)])
    return JOB_COLUMNS[name]
