"""Whom waiting jobs wait for: dependencies as ids of jobs, and those that have no counterpart."""

import dataclasses
from collections.abc import Iterable, Mapping, Sequence

from schedcore.errors import InvalidInstanceError

from .dependencies import AWAITED, Dependency, read_dependencies
from .jobs import SlurmJob

__all__ = ["MOST_AWAITED", "Awaited", "AwaitedJobs", "Ids", "dependencies_of"]

Ids = dict[int, dict[int | None, int]]  # number of a job or an array -> task, None for no array -> id

#: So many ids can be awaited in all; n tasks that each wait for all n tasks of another array are n * n.
MOST_AWAITED = 10_000_000
_FULFILLED = "on a job that neither waits nor runs; taken as fulfilled"
_ONE_IS_ENOUGH = "one of several is enough; the job waits until all of them have ended instead"
_UNKNOWN = "this kind of dependency is not modelled; the job does not start here"


@dataclasses.dataclass(frozen=True)
class Awaited:
    """Whom a job waits for.

    Parameters
    ----------
    columns : mapping of str to tuple of int
        Column of `Jobs` -> ids.
    otherwise : tuple of str
        What it waits for that has no counterpart, such as ``after:12``.
    notes : tuple of (str, str)
        What is not exact: (kind of dependency, why).
    """

    columns: Mapping[str, tuple[int, ...]]
    otherwise: tuple[str, ...] = ()
    notes: tuple[tuple[str, str], ...] = ()


class AwaitedJobs:
    """The dependencies of a queue. Jobs that wait for the same tasks of an array share one tuple."""

    def __init__(self, jobs: Sequence[SlurmJob], ids: Ids) -> None:
        self._jobs = jobs
        self._ids = ids
        self._of_array: dict[int, tuple[int, ...]] = {}
        self._alike: dict[tuple[str, str], list[SlurmJob]] | None = None
        self._place: dict[int, int] = {}
        self._n_awaited = 0

    def of(self, job: SlurmJob, task: int | None) -> Awaited:
        """Return whom a job waits for, or one task of an array.

        Raises
        ------
        InvalidInstanceError
            For a text that is no dependency, and where more than `MOST_AWAITED` ids are awaited in all.
        """
        columns: dict[str, tuple[int, ...]] = {}
        otherwise, notes = list[str](), list[tuple[str, str]]()
        for dependency in dependencies_of(job):
            kind = dependency.kind
            column, own = self._awaited(job, task, dependency)
            if column is None:
                otherwise.append(kind if dependency.job_id is None else f"{kind}:{dependency.job_id}")
                notes.append((kind, _UNKNOWN))
                continue
            if dependency.any_of:
                notes.append((kind, _ONE_IS_ENOUGH))
            elif not own and kind != "singleton":
                notes.append((kind, _FULFILLED))
            column = "after_any" if dependency.any_of else column
            earlier = columns.get(column)
            columns[column] = tuple(dict.fromkeys((*earlier, *own))) if earlier else own
        self._n_awaited += sum(map(len, columns.values()))
        if self._n_awaited > MOST_AWAITED:
            array = "" if task is None else "array "
            raise InvalidInstanceError(
                f"{job.place}: with {array}{job.array_job_id or job.job_id}, waiting jobs wait for "
                f"{self._n_awaited:,} others, one by one; at most {MOST_AWAITED:,} can be read"
            )
        return Awaited(columns, tuple(otherwise), tuple(dict.fromkeys(notes)))

    def _awaited(
        self, job: SlurmJob, task: int | None, dependency: Dependency
    ) -> tuple[str | None, tuple[int, ...]]:
        """Return the column and the ids of one dependency; no column where it has no counterpart."""
        if dependency.kind == "singleton":
            # Without names nobody knows which jobs are meant.
            return ("after_any", self._singleton(job, task)) if job.name else (None, ())
        column, of_task = AWAITED.get(dependency.kind), dependency.task
        if dependency.kind == "aftercorr" and task is not None:
            column, of_task = "after_ok", task
        number = dependency.job_id or -1
        of_job = self._ids.get(number, {})
        if of_task is not None:
            return column, (of_job[of_task],) if of_task in of_job else ()
        if number not in self._of_array:
            self._of_array[number] = tuple(of_job.values())
        return column, self._of_array[number]

    def _singleton(self, job: SlurmJob, task: int | None) -> tuple[int, ...]:
        """Return the jobs of the same name and user that run or came earlier.

        One of them that is a singleton itself stands for all before it, and a task for those before it in its array.
        """
        own = self._ids[job.array_job_id or job.job_id]
        if task is not None and task != job.array_tasks[0]:
            return (own[job.array_tasks[job.array_tasks.index(task) - 1]],)
        if self._alike is None:
            self._alike = _by_name_and_user(self._jobs)
            self._place = {id(job): at for alike in self._alike.values() for at, job in enumerate(alike)}
        awaited: list[int] = []
        alike = self._alike[job.user, job.name]
        for index in range(self._place[id(job)] - 1, -1, -1):
            other = alike[index]
            tasks = self._ids[other.array_job_id or other.job_id]
            others = [tasks[each] for each in other.array_tasks or (None,)]
            if other.is_waiting and "singleton" in other.dependency.lower():
                awaited.append(others[-1])
                break
            awaited += others
        return tuple(awaited)


def dependencies_of(job: SlurmJob) -> tuple[Dependency, ...]:
    """Return what a job waits for; an error that tells where it stands."""
    try:
        return read_dependencies(job.dependency)
    except InvalidInstanceError as error:
        raise InvalidInstanceError(f"{job.place}: Dependency: {error}") from None


def _number(job: SlurmJob) -> int:
    return job.array_job_id or job.job_id


def _by_name_and_user(jobs: Iterable[SlurmJob]) -> dict[tuple[str, str], list[SlurmJob]]:
    """Return the jobs that run or wait by user and name: those that run, and then the others in order of submission."""
    alike: dict[tuple[str, str], list[SlurmJob]] = {}
    for job in sorted(jobs, key=lambda job: (job.is_waiting, _number(job))):
        if job.is_running or job.is_waiting:
            alike.setdefault((job.user, job.name), []).append(job)
    return alike
