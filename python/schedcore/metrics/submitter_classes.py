"""Jobs sorted into classes by who submitted them, on whose account, where, and with which service."""

import numpy as np

from schedcore.errors import InvalidInstanceError
from schedcore.metrics.job_classes import JobClasses
from schedcore.model import Instance
from schedcore.model.choices import check_choice

#: The columns of jobs by which `submitter_classes` tells them apart.
SUBMITTER_COLUMNS = ("user", "account", "partition", "service_class")

_NONE = "(none)"


def naming_columns(inst: Instance) -> tuple[str, ...]:
    """The columns of names by which the jobs of an instance can be told apart, also those without any name."""
    return tuple(dict.fromkeys((*SUBMITTER_COLUMNS, *inst.jobs.note_names)))


def submitter_classes(inst: Instance, column: str = "user") -> JobClasses:
    """Classes by a name that jobs carry, in alphabetical order; last those without, as "(none)".

    Parameters
    ----------
    inst : Instance
    column : str, default "user"
        "user", "account", "partition", "service_class", or one of the `notes` of the jobs.

    Returns
    -------
    JobClasses
        Without measures and bounds.

    Raises
    ------
    InvalidInstanceError
        For another column, with the close matches.

    Notes
    -----
    O(n_jobs + n_names log n_names).
    """
    check_choice("column", column, naming_columns(inst))
    coded = inst.jobs.coded(column)
    order = sorted(range(len(coded.names)), key=lambda code: coded.names[code])
    rank = np.empty(len(order) + 1, dtype=np.int64)
    rank[order] = np.arange(len(order))
    rank[-1] = len(order)  # of the code -1
    names = [coded.names[code] for code in order] + ([_NONE] if (coded.codes < 0).any() else [])
    no_bounds = np.empty((len(names), 0))
    return JobClasses((), tuple(names), no_bounds, no_bounds, rank[coded.codes])


def named_classes(inst: Instance, column: str) -> JobClasses:
    """The same; a column in which no job has a name is an `InvalidInstanceError`."""
    classes = submitter_classes(inst, column)
    if inst.n_jobs and not inst.jobs.coded(column).names:
        others = [name for name in naming_columns(inst) if inst.jobs.coded(name).names]
        hint = f"; they have {', '.join(others)}" if others else ""
        raise InvalidInstanceError(f"the jobs have no {column}{hint}")
    return classes
