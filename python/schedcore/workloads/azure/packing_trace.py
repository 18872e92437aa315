"""AzureTracesForPacking2020 (an SQLite file of VM requests and VM types) as an instance.

The steps follow Section 7.1 of the MRIS paper [Fan2024]_ with the gaps of the text filled: which requests are
dropped, how the random machine type of a request is drawn, how the list is thinned out. SQLite filters and
sorts; the rest is done on whole columns. Releases and lifetimes are whole seconds.

.. [Fan2024] X. Fan, B. Liang, "Online Non-preemptive Multi-Resource Scheduling for Weighted Completion Time
   on Multiple Machines", ICPP 2024.
"""

import contextlib
import os
import sqlite3
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from schedcore.errors import InvalidInstanceError
from schedcore.model import Instance, Jobs
from schedcore.model.amounts import amount_units
from schedcore.model.arrays import EXACT_BOUND, BoolArray, FloatArray, IntArray, first_index
from schedcore.model.extras import import_extra
from schedcore.model.integers import checked_integer
from schedcore.model.machines import MOST_MACHINES
from schedcore.workloads.draws.splitmix import Draws, check_seed
from schedcore.workloads.reading.annotated_arguments import checks_choices
from schedcore.workloads.reading.machines_spec import MachineChoice, ResourceUnit, choose_machines
from schedcore.workloads.reading.report import DataReport, make_report
from schedcore.workloads.reading.row_ledger import RowLedger
from schedcore.workloads.reading.source_file import FilePath
from schedcore.workloads.transforms.resources import draw_extra_demands
from schedcore.workloads.transforms.thinning import every_nth

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["read_azure_packing", "resource_names"]

_RESOURCE_NAMES = ("core", "memory", "storage", "nic")
_UNITS_PER_MACHINE = 1_000_000
_SECONDS_PER_DAY = 86_400
_CHUNK = 250_000  # rows that exist as Python objects at a time, on their way from SQLite to columns

# Why a request is no job and has no work that is known, in SQL; no request has both reasons.
_REFUSED = {
    "no_start": ("starttime is NULL", "starttime IS NULL"),
    "no_lifetime": ("endtime is not after starttime", "starttime >= 0 AND endtime <= starttime"),
}

# What a column may hold, in SQL: SQLite stores any value in any column, and takes a text for a number in arithmetic.
_INTEGER, _NUMBER, _NUMBER_OR_NULL = "('integer')", "('integer', 'real')", "('integer', 'real', 'null')"
_CONTENT: dict[str, dict[str, str]] = {
    "vm": {
        "vmId": _INTEGER,
        "vmTypeId": "('integer', 'null')",
        "priority": _NUMBER_OR_NULL,
        "starttime": _NUMBER_OR_NULL,
        "endtime": _NUMBER_OR_NULL,
    },
    "vmType": {
        "id": _NUMBER_OR_NULL,
        "vmTypeId": _INTEGER,
        **dict.fromkeys(("core", "memory", "hdd", "ssd", "nic"), _NUMBER_OR_NULL),
    },
}
_MOST_RESOURCES = 1000
_LATEST = EXACT_BOUND // _SECONDS_PER_DAY  # day


def resource_names(n_resources: int) -> tuple[str, ...]:
    """Return the names of the first resources; those beyond the four of the trace are extra ones."""
    extra = (f"extra_{index}" for index in range(n_resources - len(_RESOURCE_NAMES)))
    return (*_RESOURCE_NAMES, *extra)[:n_resources]


@checks_choices
def read_azure_packing(
    path: FilePath,
    n_jobs: int = 4_096_000,
    factor: int = 1,
    offset: int = 0,
    machine_type: Literal["per_request", "per_type"] = "per_request",
    weight: Literal["priority_plus_one", "two_minus_priority"] = "priority_plus_one",
    seed: int = 1,
    n_machines: int = 20,
    n_resources: int = 4,
    *,
    machines: MachineChoice | None = None,
) -> tuple[Instance, DataReport]:
    """Read the packing trace.

    Parameters
    ----------
    path : path-like
        The SQLite file, with the tables ``vm`` and ``vmType``.
    n_jobs : int
        How many jobs of the sorted list are kept, before thinning out.
    factor, offset : int
        The jobs ``offset, offset + factor, offset + 2 factor, ...`` of those are taken.
    machine_type : {"per_request", "per_type"}
        Whether the row of ``vmType`` is drawn for each request or once for each VM type.
    weight : {"priority_plus_one", "two_minus_priority"}
        Priority 0 is high and 1 is low; the first, the paper's choice, gives low-priority requests the weight
        2.
    seed : int
        Of the draws: one per request in sorted order (or per VM type in increasing order), then one per taken
        job for each resource beyond four.
    n_machines : int
        Identical machines with 1,000,000 units of every resource.
    n_resources : int
        1..4 keep the first of core, memory, storage (hdd + ssd) and nic. Each one beyond four gives every job
        the core demand of a job drawn at random from all kept jobs. At most 1000.
    machines : Machines, str or int, optional
        Other machines, in units; takes the place of `n_machines`.

    Returns
    -------
    instance : Instance
        Jobs by (starttime, vmId); times in seconds.
    report : DataReport
        Places are values of vmId. Of requests that were alive at the start, or have no end, the work counts that they
        did within the times of the file.

    Raises
    ------
    InvalidInstanceError
        If the file is no SQLite database, lacks a table or column, holds anything but numbers where numbers belong, a
        demand that is negative, not finite or beyond 2**53 units, or a time beyond 2**53 s, or if no job is left; for
        an option out of range.
    ImportError
        If pandas is missing; names the extra.

    Notes
    -----
    O(rows log rows) time, mostly SQLite's; about 200 bytes per request.
    """
    checked_integer("n_jobs", n_jobs, 1)
    checked_integer("n_machines", n_machines, 1, MOST_MACHINES)
    checked_integer("n_resources", n_resources, 1, _MOST_RESOURCES)
    thinned = every_nth(factor, offset)
    check_seed(seed)
    names = resource_names(n_resources)
    hosts = choose_machines(
        n_machines if machines is None else machines,
        [ResourceUnit(name) for name in names],
        [_UNITS_PER_MACHINE] * n_resources,
    )
    source = os.fspath(path)
    requests, types, refused = _read_tables(path)

    ledger = RowLedger(len(requests), lambda rows: requests["vmId"].to_numpy()[rows])
    for reason, (count, places) in refused.items():
        ledger.leave_out(reason, _REFUSED[reason][0], count, places, lost=reason != "no_lifetime")
    start, end, priority = (
        requests[name].to_numpy(dtype=np.float64) for name in ("starttime", "endtime", "priority")
    )
    ledger.drop("alive_at_start", "starttime before the trace begins", start < 0)
    ledger.drop("no_end", "endtime is NULL: still alive after 90 days", np.isnan(end))
    ledger.drop("no_priority", "priority is NULL", np.isnan(priority))
    units = _units(source, types)
    chosen, n_draws = _draw_types(requests, types, seed, machine_type, ledger.kept)
    ledger.drop("unknown_type", "vmTypeId has no row in vmType", chosen < 0)
    clipped = np.any(units > _UNITS_PER_MACHINE, axis=1)
    np.minimum(units, _UNITS_PER_MACHINE, out=units)
    demand = units[chosen]  # a request of unknown type gets another's, and is dropped already
    ledger.repair("above_machine", "demand above 1 machine counts as 1", clipped[chosen])
    ledger.drop("no_demand", "no demand in any resource", (demand == 0).all(axis=1))
    beyond = np.cumsum(ledger.kept) > n_jobs
    ledger.drop("beyond_n_jobs", f"beyond the first {n_jobs:,} jobs", beyond, lost=False)
    full_list = np.flatnonzero(ledger.kept)
    taken = full_list[thinned]
    thinned_out = ledger.kept.copy()
    thinned_out[taken] = False
    meaning = f"not one of the jobs {offset}, {offset} + {factor}, ..."
    ledger.drop("thinned_out", meaning, thinned_out, lost=False)
    ledger.refuse_empty(source)

    lifetime = _lifetime(start, end)
    jobs = Jobs(
        processing_time=lifetime[taken],
        demand=_all_resources(demand, full_list, taken, n_resources, seed, n_draws),
        release_time=np.rint(_SECONDS_PER_DAY * start[taken]),
        weight=_weight(source, requests["vmId"].to_numpy()[taken], priority[taken], weight),
    )
    lifetime = lifetime[:, np.newaxis]
    fraction = types[list(_RESOURCE_NAMES)].to_numpy(dtype=np.float64)
    beyond_machine = _UNITS_PER_MACHINE * np.maximum(fraction - 1.0, 0.0)
    instance = Instance(jobs, hosts)
    report = make_report(
        source,
        instance,
        ledger=ledger,
        work=np.where(chosen[:, np.newaxis] >= 0, demand[:, :n_resources] * lifetime, np.nan),
        clipped={"above_machine": beyond_machine[chosen, :n_resources] * lifetime},
        line_word="vmId",
        units={"time": "s", **dict.fromkeys(names, "1/1,000,000 machine")},
        assumptions=(
            f"machine type drawn {machine_type.replace('_', ' ')} (seed {seed})",
            f"weight is {weight.replace('_', ' ')}",
        ),
    )
    return instance, report


def _read_tables(
    path: FilePath,
) -> "tuple[pd.DataFrame, pd.DataFrame, dict[str, tuple[int, tuple[int | str, ...]]]]":
    """Return the other requests by (starttime, vmId), the types by (vmTypeId, id), the refused requests."""
    pandas = import_extra("pandas", "traces")
    file = Path(path)
    if not file.is_file():
        raise FileNotFoundError(f"{os.fspath(path)}: no such file")
    refused: dict[str, tuple[int, tuple[int | str, ...]]] = {}
    # Read-only, so that a wrong path or a locked file never creates or changes anything.
    with contextlib.closing(sqlite3.connect(f"{file.resolve().as_uri()}?mode=ro", uri=True)) as connection:
        try:
            _refuse_other_content(os.fspath(path), connection)
            for reason, (_, condition) in _REFUSED.items():
                count = connection.execute(f"SELECT count(*) FROM vm WHERE {condition}").fetchone()[0]
                if count:
                    rows = connection.execute(f"SELECT vmId FROM vm WHERE {condition} ORDER BY vmId LIMIT 5")
                    refused[reason] = (count, tuple(row[0] for row in rows))
            others = " AND ".join(f"NOT coalesce({condition}, 0)" for _, condition in _REFUSED.values())
            chunks = pandas.read_sql_query(
                "SELECT vmId, coalesce(vmTypeId, 0) AS vmTypeId, vmTypeId IS NOT NULL AS has_type, priority, "
                f"starttime, endtime FROM vm WHERE {others} ORDER BY starttime, vmId",
                connection,
                chunksize=_CHUNK,
            )
            requests = pandas.concat(list(chunks), ignore_index=True)
            types = pandas.read_sql_query(
                "SELECT vmTypeId, coalesce(core, 0) AS core, coalesce(memory, 0) AS memory, "
                "coalesce(hdd, 0) + coalesce(ssd, 0) AS storage, coalesce(nic, 0) AS nic, rowid AS row "
                "FROM vmType ORDER BY vmTypeId, id",
                connection,
            )
        except (sqlite3.DatabaseError, pandas.errors.DatabaseError) as error:
            raise InvalidInstanceError(f"{os.fspath(path)}: not the Azure packing trace: {error}") from error
    return requests, types, refused


def _refuse_other_content(source: str, connection: sqlite3.Connection) -> None:
    """Refuse a value of another type than its column has, and a time that float64 seconds cannot tell apart."""
    for table, columns in _CONTENT.items():
        bad = {column: f"typeof({column}) NOT IN {types}" for column, types in columns.items()}
        found = connection.execute(
            f"SELECT rowid, {', '.join(f'{condition}, typeof({column})' for column, condition in bad.items())} "
            f"FROM {table} WHERE {' OR '.join(bad.values())} LIMIT 1"
        ).fetchone()
        if found is not None:
            row, flags, kinds = found[0], found[1::2], found[2::2]
            column, kind = next(
                (column, kind) for column, flag, kind in zip(bad, flags, kinds, strict=True) if flag
            )
            needed = "an integer" if columns[column] != _NUMBER_OR_NULL else "a number"
            raise InvalidInstanceError(
                f"{source}: {column} in row {row} of {table} is of type {kind}, not {needed}"
            )
    found = connection.execute(
        f"SELECT vmId, starttime, endtime FROM vm WHERE starttime > {_LATEST} OR endtime > {_LATEST} LIMIT 1"
    ).fetchone()
    if found is not None:
        raise InvalidInstanceError(
            f"{source}: vmId {found[0]} has a time beyond 2**53 s (starttime {found[1]}, endtime {found[2]}, in days)"
        )


def _draw_types(
    requests: "pd.DataFrame", types: "pd.DataFrame", seed: int, machine_type: str, counted: BoolArray
) -> tuple[IntArray, int]:
    """Draw a row of `types` for each request; -1 where its type has none. Also return the number of draws.

    Only requests that are `counted` have draws; the others share those, as only the share of lost work hangs on theirs.
    """
    known, wanted = (table["vmTypeId"].to_numpy(dtype=np.int64) for table in (types, requests))
    has_type = requests["has_type"].to_numpy(dtype=np.bool_)
    if machine_type == "per_request":
        which, n_draws = np.cumsum(counted) - 1, int(np.count_nonzero(counted))
    else:
        distinct = np.unique(wanted[counted & has_type])
        which = np.searchsorted(distinct, wanted)
        n_draws = len(distinct) + bool((counted & ~has_type).any())  # no type is one, behind all others
    draw = Draws(seed, max(n_draws, 1), 1).column(0)[np.clip(which, 0, max(n_draws - 1, 0))]
    first = np.searchsorted(known, wanted, side="left")
    n_rows = (np.searchsorted(known, wanted, side="right") - first) * has_type
    pick = (draw % np.maximum(n_rows, 1).astype(np.uint64)).astype(np.int64)
    return np.where(n_rows > 0, first + pick, -1), n_draws


def _units(source: str, types: "pd.DataFrame") -> IntArray:
    """Return fractions of a machine as units, rounded down, at least 1 where positive."""
    if not len(types):
        raise InvalidInstanceError(f"{source}: vmType is empty")
    names = list(_RESOURCE_NAMES)
    fraction = types[names].to_numpy(dtype=np.float64)
    wrong = ~((fraction >= 0) & (fraction <= EXACT_BOUND // _UNITS_PER_MACHINE))
    if wrong.any():
        row, resource = first_index(wrong)
        raise InvalidInstanceError(
            f"{source}: {names[resource]} = {fraction[row, resource]:g} in row {types['row'].iloc[row]} of vmType is "
            f"negative or not finite, or more than {EXACT_BOUND // _UNITS_PER_MACHINE:,} machines"
        )
    return np.array(amount_units(fraction, _UNITS_PER_MACHINE, name="demand", row="type"))


def _lifetime(start: FloatArray, end: FloatArray) -> FloatArray:
    """Return lifetimes in seconds; without an end until the last of all times, and none begins before the trace."""
    last = max(start.max(initial=0), end.max(initial=0, where=~np.isnan(end)))
    days = np.where(np.isnan(end), last, end) - np.maximum(start, 0)
    seconds: FloatArray = np.maximum(1.0, np.rint(_SECONDS_PER_DAY * days))
    return seconds


def _weight(source: str, vm_id: IntArray, priority: FloatArray, rule: str) -> FloatArray:
    weight: FloatArray = priority + 1 if rule == "priority_plus_one" else 2 - priority
    if (weight <= 0).any():
        first = int(np.argmax(weight <= 0))
        raise InvalidInstanceError(
            f"{source}: priority {priority[first]:g} of vmId {vm_id[first]} gives weight {weight[first]:g}"
        )
    return weight


def _all_resources(
    demand: IntArray,
    full_list: NDArray[np.intp],
    taken: NDArray[np.intp],
    n_resources: int,
    seed: int,
    n_draws: int,
) -> IntArray:
    """Return the demands of the taken jobs; resources beyond four are the core demands of random jobs."""
    result = np.empty((len(taken), n_resources), dtype=np.int64)
    result[:, :4] = demand[taken, : min(n_resources, 4)]
    draw_extra_demands(result[:, 4:], demand[full_list, 0], seed, skip=n_draws)
    return result
