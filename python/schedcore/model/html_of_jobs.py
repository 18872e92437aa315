"""What a notebook shows of jobs: how many, when they come, how long and large they are, and the first of them.

O(n_jobs * n_resources), without sorting.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from .arrays import FloatArray, IntArray
from .html_text import Html, clipped, counted, facts, folded, sparkline, table
from .readable import readable_time, rounded_count
from .time_bins import N_BINS, sums_in_bins

__all__ = ["ShownJobs", "first_rows", "job_facts", "jobs_in_html", "picture_of_arrivals", "table_of_demands"]

_FIRST = slice(0, 3)


class ShownJobs(Protocol):
    """What is asked of jobs."""

    release_time: FloatArray
    processing_time: FloatArray
    demand: IntArray

    @property
    def n_tasks(self) -> NDArray[Any]: ...
    def uses(self, column: str) -> bool: ...
    def named_columns(self, resource_names: tuple[str, ...]) -> Mapping[str, NDArray[Any]]: ...
    def __getitem__(self, key: slice) -> Self: ...


def jobs_in_html(jobs: ShownJobs, resource_names: tuple[str, ...], others: Iterable[str]) -> tuple[Html, ...]:
    """Return the parts of a panel about jobs; `others` are the columns that they use beside the usual ones."""
    if not len(jobs.release_time):
        return ()
    resource = next((column for column in range(len(resource_names)) if jobs.demand[:, column].any()), 0)
    return (
        facts(job_facts(jobs, others)),
        table_of_demands(jobs, resource_names, {}),
        picture_of_arrivals(jobs, resource, resource_names),
        first_rows(jobs, resource_names),
    )


def job_facts(jobs: ShownJobs, others: Iterable[str]) -> list[tuple[str, object]]:
    """Return when jobs come, how long they take, and what else is said of them."""
    if not len(jobs.release_time):
        return []
    first, last = float(jobs.release_time.min()), float(jobs.release_time.max())
    median, high = _quantiles(jobs.processing_time, 50, 95)
    return [
        (
            "released",
            f"from {readable_time(first)} to {readable_time(last)}"
            if first < last
            else f"all at {readable_time(first)}",
        ),
        ("processing time", f"median {readable_time(median)}, 95 % within {readable_time(high)}"),
        ("with", ", ".join(others)),
    ]


def table_of_demands(
    jobs: ShownJobs, resource_names: tuple[str, ...], more: Mapping[str, Iterable[object]]
) -> Html:
    """Return a row a resource: `more` columns, and what jobs need, where there are any."""
    rows = list(zip(map(clipped, resource_names), *more.values(), strict=True))
    heads = ["resource", *more]
    if len(jobs.demand):
        heads += ["median demand", "largest"]
        needed = ((int(_quantiles(column, 50)[0]), int(column.max())) for column in jobs.demand.T)
        rows = [(*row, *two) for row, two in zip(rows, needed, strict=True)]
    return table(heads, rows) if rows else Html("")


def picture_of_arrivals(jobs: ShownJobs, resource: int, resource_names: tuple[str, ...]) -> Html:
    """Return the work that arrives over time, in one resource; nothing where all jobs come at once or none works."""
    if not len(jobs.release_time):
        return Html("")
    first, last = float(jobs.release_time.min()), float(jobs.release_time.max())
    with np.errstate(over="ignore"):
        work = jobs.processing_time * jobs.demand[:, resource]
        work = work * jobs.n_tasks if jobs.uses("n_tasks") else work
        arriving = sums_in_bins(jobs.release_time, work, first, last)
    name, part = clipped(resource_names[resource]), readable_time((last - first) / N_BINS)
    meaning = f"work in {name} that arrives, in parts of {part}; at most {rounded_count(arriving.max())}"
    return sparkline(arriving.tolist(), meaning)


def first_rows(jobs: ShownJobs, resource_names: tuple[str, ...]) -> Html:
    """Return the first jobs with all of their columns, folded."""
    columns = jobs[_FIRST].named_columns(resource_names)
    cells = ([_cell(value) for value in column.tolist()] for column in columns.values())
    rows = list(zip(*cells, strict=True))
    return folded(f"the first {counted(len(rows), 'job')}", table([clipped(name) for name in columns], rows))


def _cell(value: object) -> object:
    return value if isinstance(value, float) else clipped("" if value is None else str(value))


def _quantiles(values: NDArray[Any], *percents: int) -> list[Any]:
    """The least values that so many percent of all do not exceed; without sorting."""
    ranks = [-(-len(values) * percent // 100) - 1 for percent in percents]
    found: list[Any] = np.partition(values, ranks)[ranks].tolist()
    return found
