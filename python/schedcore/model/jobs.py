"""The jobs of an instance: one row a job, one read-only column a quantity."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, ClassVar, Self, SupportsIndex, Unpack

from numpy.typing import ArrayLike, NDArray

from schedcore.errors import InvalidInstanceError

from .amounts import demand_of_jobs
from .arrays import FloatArray, IntArray, frozen, selection
from .arrow import Columnar, Columns, Metadata
from .columns import identifier_column, measure_column, refuse_repetition
from .html_of_jobs import jobs_in_html
from .html_text import counted, panel
from .job_columns import (
    APART,
    JOB_COLUMNS,
    PAST,
    JobColumnArguments,
    JobColumns,
    checked_columns,
    documented,
)
from .job_tables import (
    DEMAND_PREFIX,
    ESTIMATED_DEMAND_PREFIX,
    checksum,
    constructor_arguments,
    may_be_null,
    resource_columns,
)
from .machines import default_resource_names

__all__ = ["NONE_STORED", "Jobs"]


@documented
class Jobs(Columnar, JobColumns):
    """Jobs with demands in several resources, columnar and immutable.

    Parameters
    ----------
    processing_time : (n_jobs,) array_like
        How long each job runs once started; finite, above 0.
    demand : (n_jobs, n_resources) array_like
        Amount of each resource that a job holds while it runs, in units. Integers in [0, 2**53] are used as
        they are; floats need a `resolution`. A job without any demand is stored; some algorithms refuse it.
        With no jobs, an empty list will do.
    release_time : array_like, scalar or (n_jobs,)
        When each job becomes known and may start; finite, at least 0.
    weight : array_like, scalar or (n_jobs,)
        Importance in weighted objectives; finite, at least 0. Some algorithms refuse zero.
    estimated_processing_time : (n_jobs,) array_like, optional
        What the submitter expected; finite, above 0; may lie below the processing time. Default: the
        processing time.
    estimated_demand : (n_jobs, n_resources) array_like, optional
        What the submitter asked for, where that is not what the job can use; in units as the demand. Preemptive
        policies decide with it, all others with the demand. Default: the demand.
    id : (n_jobs,) array_like of int, optional
        Unique non-negative identifiers; default 0, 1, 2, ... Whether they were given is remembered in `has_ids`:
        an embedded scheduler takes given ones as its own.
    resolution : int, optional
        Units per 1.0 for float demands: ``floor(x * resolution + 1e-6)``, at least 1 where x > 0.
    (columns)

    Raises
    ------
    InvalidInstanceError
        For any value outside its bounds; names the job, the value and the bound. Times and weights given as
        integers above 2**53 are refused, because float64 would round them.
    TypeError
        For a column that does not hold numbers.

    Notes
    -----
    O(n_jobs * n_resources). A read-only, C-contiguous input array of the right dtype (int64 demands and ids,
    float64 otherwise) is kept without a copy: handing one over promises that its memory does not change any
    more. A writable array is copied, so that the caller may go on using it.

    ``jobs[key]`` with a slice, an index array or a boolean mask selects jobs and keeps their identifiers.

    `has_ids` says who chose the identifiers, not what they are: jobs with equal identifiers are equal and hash
    alike whoever chose them. Selections, `replace`, copies, pickles, Arrow, Parquet and pandas keep it; the
    column ``id`` of any other table, also of one whose identifiers were changed, counts as given.

    The arguments from `n_tasks` on are the columns of a cluster. One value stands for all jobs, but ``after_*`` are
    sequences. A column that is not given, or has its default in every row, is not stored: such jobs are equal to, hash
    like and cost as much as those without. Texts are stored as codes, so many jobs may share few of them. That there
    are such jobs as ``after_*`` name, `Instance` checks.

    What was recorded of jobs is no part of the problem that they are: jobs that differ in `recorded_start_time` alone
    are equal and hash alike. `replace` drops it where it is given other releases, lengths or sizes, unless it is
    given anew: what was recorded is about other jobs then.
    """

    __slots__ = (
        "_stored",
        "demand",
        "estimated_demand",
        "estimated_processing_time",
        "has_demand_estimates",
        "has_estimates",
        "has_ids",
        "id",
        "processing_time",
        "release_time",
        "weight",
    )
    _fields: ClassVar[tuple[str, ...]] = (
        "processing_time",
        "demand",
        "release_time",
        "weight",
        "estimated_processing_time",
        "has_estimates",
        "estimated_demand",
        "has_demand_estimates",
        "id",
        "has_ids",
    )
    __iter__ = None  # a row is no object of its own; iterate over the columns

    processing_time: FloatArray
    demand: IntArray
    release_time: FloatArray
    weight: FloatArray
    estimated_processing_time: FloatArray
    has_estimates: bool
    estimated_demand: IntArray
    has_demand_estimates: bool
    id: IntArray
    has_ids: bool
    _stored: Mapping[str, Any]

    def __init__(
        self,
        processing_time: ArrayLike,
        demand: ArrayLike,
        release_time: ArrayLike = 0,
        weight: ArrayLike = 1,
        estimated_processing_time: ArrayLike | None = None,
        id: ArrayLike | None = None,
        resolution: SupportsIndex | None = None,
        estimated_demand: ArrayLike | None = None,
        **columns: Unpack[JobColumnArguments],
    ) -> None:
        processing = measure_column(processing_time, "processing_time", positive=True)
        n_jobs = len(processing)
        estimate = processing
        if estimated_processing_time is not None:
            estimate = measure_column(
                estimated_processing_time, "estimated_processing_time", n_jobs, positive=True
            )
        held = demand_of_jobs(demand, n_jobs, resolution)
        believed = held
        if estimated_demand is not None:
            believed = demand_of_jobs(estimated_demand, n_jobs, resolution, "estimated_demand")
            if believed.shape != held.shape:
                raise InvalidInstanceError(
                    f"estimated_demand has shape {believed.shape}, demand {held.shape}"
                )
        self._assign(
            processing_time=processing,
            demand=held,
            release_time=measure_column(release_time, "release_time", n_jobs, positive=False),
            weight=measure_column(weight, "weight", n_jobs, positive=False),
            estimated_processing_time=estimate,
            has_estimates=estimated_processing_time is not None,
            estimated_demand=believed,
            has_demand_estimates=estimated_demand is not None,
            id=identifier_column(id, n_jobs),
            has_ids=id is not None,
            _stored=checked_columns(columns, n_jobs) if columns else NONE_STORED,
        )

    @classmethod
    def of_checked_columns(
        cls,
        processing_time: FloatArray,
        demand: IntArray,
        release_time: FloatArray,
        weight: FloatArray,
        id: IntArray,
        **columns: Unpack[JobColumnArguments],
    ) -> Self:
        """Return jobs of read-only columns of the right types that were checked when jobs were made of them before.

        A fraction of what the constructor costs; `columns` are those of a cluster.
        """
        return cls._restore(
            {
                "processing_time": processing_time,
                "demand": demand,
                "release_time": release_time,
                "weight": weight,
                "estimated_processing_time": processing_time,
                "has_estimates": False,
                "id": id,
                "_stored": checked_columns(columns, len(processing_time)) if columns else NONE_STORED,
            }
        )

    @property
    def n_jobs(self) -> int:
        """Number of jobs."""
        return len(self.processing_time)

    @property
    def n_resources(self) -> int:
        """Number of resources; may be 0 if there are no jobs."""
        return int(self.demand.shape[1])

    def __len__(self) -> int:
        return self.n_jobs

    def __getitem__(self, key: slice | ArrayLike) -> Self:
        """Return the selected jobs, in the order of `key`; a job selected twice is an error."""
        rows = selection(key)
        chosen = {
            name: frozen(getattr(self, name)[rows], getattr(self, name).dtype.type) for name in _COLUMNS
        }
        if not isinstance(rows, slice) and rows.dtype.kind != "b":
            refuse_repetition(chosen["id"])
        if not self.has_estimates:
            chosen["estimated_processing_time"] = chosen["processing_time"]
        if not self.has_demand_estimates:
            chosen["estimated_demand"] = chosen["demand"]
        taken = ((name, JOB_COLUMNS[name].taken(stored, rows)) for name, stored in self._stored.items())
        return self._restore(
            {
                **chosen,
                "_stored": {name: stored for name, stored in taken if stored is not None},
                "has_estimates": self.has_estimates,
                "has_demand_estimates": self.has_demand_estimates,
                "has_ids": self.has_ids,
            }
        )

    def replace(self, **changes: Any) -> Jobs:
        """Return jobs with some constructor arguments changed, as in ``jobs.replace(weight=2)``.

        Without estimates of their own, jobs with other processing times or demands expect those.
        """
        arguments: dict[str, Any] = {
            "processing_time": self.processing_time,
            "demand": self.demand,
            "release_time": self.release_time,
            "weight": self.weight,
            "estimated_processing_time": self.estimated_processing_time if self.has_estimates else None,
            "estimated_demand": self.estimated_demand if self.has_demand_estimates else None,
            "id": self.id,
            **self._stored,
        }
        if not changes.keys().isdisjoint(_TOLD_BY_LOGS):
            arguments = {name: value for name, value in arguments.items() if name not in PAST}
        jobs = Jobs(**{**arguments, **changes})
        return jobs if "id" in changes else jobs.with_ids_given(self.has_ids)

    def called(self, job: int) -> str | int:
        """Return what to call a job: its name, else its id; O(1) where jobs have names."""
        return self.coded("name").text(job) or int(self.id[job])

    def with_ids_given(self, given: bool) -> Self:
        """Return the same jobs, with identifiers that count as given or as not; shares the columns."""
        if given == self.has_ids:
            return self
        return self._with(has_ids=given)

    def _with(self, **checked: object) -> Self:
        contents = {name: getattr(self, name) for name in self._fields}
        return self._restore({**contents, "_stored": self._stored, **checked})

    def __repr__(self) -> str:
        if self.n_jobs == 0:
            return "Jobs(0 jobs)"
        return (
            f"Jobs({self.n_jobs} jobs, {self.n_resources} resources, "
            f"release_time {_range(self.release_time)}, processing_time {_range(self.processing_time)})"
        )

    def _repr_html_(self) -> str:
        """What a notebook shows: when jobs come, how long and large they are, and three of them.

        O(n_jobs * n_resources).
        """
        parts = jobs_in_html(self, default_resource_names(self.n_resources), self._told_columns())
        return panel(counted(self.n_jobs, "job"), *parts)

    def _told_columns(self) -> list[str]:
        """Return the names of the columns beside times and demands that tell jobs apart, or say more of them."""
        told = {
            "weight": bool(self.n_jobs) and bool((self.weight != self.weight[0]).any()),
            "estimated_processing_time": self.has_estimates,
            "estimated_demand": self.has_demand_estimates,
        }
        return [*(name for name, is_told in told.items() if is_told), *filter(self.uses, JOB_COLUMNS)]

    def _columns(self) -> Columns:
        return self.named_columns(default_resource_names(self.n_resources))

    def named_columns(self, resource_names: tuple[str, ...]) -> dict[str, NDArray[Any]]:
        """Return the columns of a table; the demand in resource ``cpu`` is the column ``demand_cpu``.

        Columns of a cluster come last, those alone that are not the default everywhere.
        """
        columns: dict[str, NDArray[Any]] = {
            "id": self.id,
            "release_time": self.release_time,
            "processing_time": self.processing_time,
            "estimated_processing_time": self.estimated_processing_time,
            "weight": self.weight,
        }
        if not self.has_estimates:
            del columns["estimated_processing_time"]
        columns |= resource_columns(DEMAND_PREFIX, resource_names, self.demand)
        if self.has_demand_estimates:
            columns |= resource_columns(ESTIMATED_DEMAND_PREFIX, resource_names, self.estimated_demand)
        for name, column in JOB_COLUMNS.items():
            if self.uses(name):
                columns |= column.columns(self._stored[name])
        return columns

    def _metadata(self) -> Metadata | None:
        """Nothing about given identifiers; of others their checksum: whoever changes them in the table gives them."""
        return None if self.has_ids else {_DEFAULT_IDS: checksum(self.id)}

    def __reduce__(self) -> tuple[Any, ...]:
        restore, (contents,) = super().__reduce__()
        return restore, ({**contents, **self._stored, "has_ids": self.has_ids},)

    def _contents(self) -> dict[str, object]:
        """What decides equality: not who chose the identifiers, nor names, nor what was recorded, and neither estimated
        demands nor columns of a cluster where there are none.

        So the hash of jobs without them is what it was before there were any.
        """
        stored = {name: column for name, column in self._stored.items() if name not in APART}
        contents = {**super()._contents(), **stored}
        del contents["has_ids"]
        if not self.has_demand_estimates:
            del contents["estimated_demand"], contents["has_demand_estimates"]
        return contents

    @classmethod
    def _restore(cls, values: dict[str, Any]) -> Self:
        if "has_demand_estimates" not in values or "has_ids" not in values:  # from before, or not needed
            values = {
                "estimated_demand": values["demand"],
                "has_demand_estimates": False,
                "has_ids": True,
                **values,
            }
        if "_stored" not in values:  # a pickle holds each column by its name
            stored = {name: values[name] for name in JOB_COLUMNS if name in values}
            values = {name: value for name, value in values.items() if name not in stored}
            values["_stored"] = stored
        return super()._restore(values)

    @classmethod
    def _may_be_null(cls, column: str) -> bool:
        return may_be_null(column)

    @classmethod
    def _from_columns(cls, columns: Columns, metadata: Metadata | None) -> Self:
        jobs = cls(**constructor_arguments(columns))
        kept = metadata is not None and metadata.get(_DEFAULT_IDS) == checksum(jobs.id)
        return jobs.with_ids_given(jobs.has_ids and not kept)


#: Of jobs without any column of a cluster.
NONE_STORED: Mapping[str, Any] = MappingProxyType({})
_DEFAULT_IDS = "default_ids"
#: With another value of one of these a job is not the one whose start was recorded.
_TOLD_BY_LOGS = frozenset({"processing_time", "demand", "release_time", "n_tasks"})
_COLUMNS = (
    "processing_time",
    "demand",
    "release_time",
    "weight",
    "estimated_processing_time",
    "estimated_demand",
    "id",
)


def _range(column: FloatArray) -> str:
    return f"{column.min():g}..{column.max():g}"
