"""Virtual machines of the Azure trace of 2017, as jobs with vCPUs and memory.

The table (one row a VM, with arrival, size and an interval for the lifetime) covers 3.5 days of the 30-day
trace [Cortez2017]_. Lifetimes are known up to a bin of 5 minutes, an hour or a day; the upper end counts. VMs
that outlived the observation are censored: their lifetime is a lower bound.

.. [Cortez2017] E. Cortez et al., "Resource Central", SOSP 2017 (AzurePublicDatasetV1, CC-BY 4.0).
"""

import csv
import io
import itertools
import math
import os
from typing import TYPE_CHECKING, Literal

import numpy as np

from schedcore.errors import InvalidInstanceError, one_line
from schedcore.model import Instance, Jobs, Machines
from schedcore.model.arrays import EXACT_BOUND, BoolArray
from schedcore.model.extras import import_extra
from schedcore.model.machines import MOST_MACHINES
from schedcore.workloads.reading.annotated_arguments import checks_choices
from schedcore.workloads.reading.machines_spec import MachineChoice, ResourceUnit, choose_machines
from schedcore.workloads.reading.number_columns import float_column
from schedcore.workloads.reading.option_spelling import spelled
from schedcore.workloads.reading.report import DataReport, make_report
from schedcore.workloads.reading.row_ledger import RowLedger, WorkColumns
from schedcore.workloads.reading.source_file import (
    FilePath,
    TextBlock,
    refuse_lost_rows,
    refuse_nothing_but_bad_lines,
    text_blocks,
)

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["AZURE_V1_COLUMNS", "read_azure_v1"]

AZURE_V1_COLUMNS = (
    "vm",
    "arrival_s",
    "batch",
    "vcpus",
    "mem_gb",
    "dur_bin",
    "dur_lo_s",
    "dur_hi_s",
    "censored",
)

_WINDOW_START = 1_800_000  # s from the start of the trace; the table begins there
_SHORTEST = 300  # s, the resolution of the trace
_QUARTER_GB = 2**28
_RESOURCES = (ResourceUnit("vcpus"), ResourceUnit("memory", bytes_per_unit=_QUARTER_GB))
_HOST = (64, 448 * 4)
_NEEDED = ("vm", "arrival_s", "vcpus", "mem_gb", "dur_hi_s", "censored")


@checks_choices
def read_azure_v1(
    path: FilePath,
    machines: MachineChoice | None = None,
    censored: Literal["keep", "drop"] = "keep",
    *,
    on_bad_row: Literal["error", "skip"] = "error",
) -> tuple[Instance, DataReport]:
    """Read the VM table, gzipped or not.

    Parameters
    ----------
    path : path-like
        CSV file with a header line and the columns `AZURE_V1_COLUMNS`; other columns are ignored.
    machines : Machines, str or int, optional
        Hosts, as ``"20x64,448GB"``; a number means that many hosts of 64 vCPUs and 448 GB. Default: the
        smallest number of those with which no offered load exceeds 1.
    censored : {"keep", "drop"}
        Whether VMs that were still running at the end count with the lifetime seen so far, a lower bound, or
        are dropped.
    on_bad_row : {"error", "skip"}
        What happens to a row with a missing, negative or non-finite value or one above 2**53, with no demand, with
        another number of fields than the header, or with the number of an earlier VM.

    Returns
    -------
    instance : Instance
        Jobs in file order: release time ``arrival_s - 1_800_000``, processing time ``max(300, dur_hi_s)``,
        weight 1, demand in vCPUs and quarters of a GB, ids the column ``vm``.
    report : DataReport

    Raises
    ------
    InvalidInstanceError
        For a damaged file, missing columns, bad rows (with their lines), an unknown option, and a table of
        which no row is left.
    ImportError
        If pandas is missing; names the extra.
    """
    chosen = None if machines is None else choose_machines(machines, _RESOURCES, _HOST)
    source = os.fspath(path)
    table, ledger = _read_table(source, path, on_bad_row)

    is_censored = table["censored"].to_numpy() != 0
    if censored == "drop":
        ledger.drop(
            "censored",
            "still running at the end of the observation; lifetime unknown",
            is_censored,
            remedy=f"{spelled('censored', 'keep')} counts the lifetime seen so far",
        )
    else:
        meaning = "still running at the end of the observation; counts with the lifetime seen so far"
        ledger.repair("censored", meaning, is_censored)
    duration = table["dur_hi_s"].to_numpy()
    ledger.repair(
        "short_duration", f"lifetime below {_SHORTEST} s counts as {_SHORTEST} s", duration < _SHORTEST
    )
    quarters = table["mem_gb"].to_numpy() * 4
    meaning = "memory rounded up to whole quarters of a GB"
    ledger.repair("memory_rounded_up", meaning, quarters != np.ceil(quarters))
    ledger.refuse_empty(source)

    kept = ledger.kept
    jobs = Jobs(
        processing_time=np.ceil(np.maximum(duration, _SHORTEST))[kept],
        demand=np.stack([table["vcpus"].to_numpy(), np.ceil(quarters)], axis=1)[kept].astype(np.int64),
        release_time=np.floor(table["arrival_s"].to_numpy() - _WINDOW_START)[kept],
        id=table["vm"].to_numpy()[kept].astype(np.int64),
    )
    hosts, assumption = (chosen, ()) if chosen is not None else _fewest_hosts(source, jobs)
    instance = Instance(jobs, hosts)
    report = make_report(
        source,
        instance,
        ledger=ledger,
        work=_work(table),
        units={"time": "s", "vcpus": "vCPUs", "memory": "1/4 GB"},
        assumptions=(
            f"time 0 is {_WINDOW_START:,} s of the trace",
            "a lifetime is the upper end of its bin",
            "all weights are 1",
            *assumption,
        ),
    )
    return instance, report


def _read_table(source: str, path: FilePath, on_bad_row: str) -> "tuple[pd.DataFrame, RowLedger]":
    """Return the columns of the good rows as float64, and the account of the others, which take no memory."""
    pandas = import_extra("pandas", "traces")
    blocks = text_blocks(path)
    first = next(blocks, None)
    if first is None or first.blank.all():
        raise InvalidInstanceError(f"{source}: not a table of VMs: it is empty")
    first_line = first.text.partition(b"\n")[0] + b"\n"
    _check_header(source, first_line)
    account = RowLedger(0, lambda rows: rows)
    tables, lines = [], []
    for block in itertools.chain((first.without_first_line(),), blocks):
        rows = block.only(~block.blank)
        table, ragged = _parse(source, first_line, rows)
        garbled = ~np.isfinite(table.to_numpy()).all(axis=1)
        refuse_nothing_but_bad_lines(source, rows.lines, np.count_nonzero(~garbled))
        ledger = RowLedger(len(table), rows.lines.__getitem__, more_follow=not rows.is_last)
        _refuse_bad_rows(source, table, ragged, garbled, ledger, on_bad_row)
        tables.append(table[ledger.kept])
        lines.append(rows.lines[ledger.kept])
        account.carry_over(ledger, _work(table))
    line = np.concatenate(lines)
    ledger = RowLedger(len(line), line.__getitem__)
    ledger.carry_over(account)
    whole = pandas.concat(tables, ignore_index=True)
    meaning = "the number of the VM is that of an earlier row"
    ledger.drop_bad(source, "repeated_vm", meaning, whole["vm"].duplicated().to_numpy(), on_bad_row)
    return whole, ledger


def _check_header(source: str, first_line: bytes) -> None:
    names = first_line.decode("latin-1").rstrip("\n").split(",")
    absent = [name for name in _NEEDED if name not in names]
    if absent:
        raise InvalidInstanceError(f"{source}: the table of VMs lacks the columns {', '.join(absent)}")
    for name in _NEEDED:
        if names.count(name) > 1:
            raise InvalidInstanceError(f"{source}: the table of VMs has two columns named {name}")


def _parse(source: str, first_line: bytes, rows: TextBlock) -> "tuple[pd.DataFrame, BoolArray]":
    """Return the columns as float64, NaN for what is no finite number, and which rows have another number of fields."""
    pandas = import_extra("pandas", "traces")
    try:
        raw = pandas.read_csv(
            io.BytesIO(first_line + rows.text),
            usecols=_NEEDED,
            index_col=False,
            low_memory=False,  # the type of a column would depend on where pandas cuts it
            skip_blank_lines=False,
            quoting=csv.QUOTE_NONE,
            keep_default_na=False,
            na_values=[""],
            encoding="latin-1",
        )
    except (pandas.errors.EmptyDataError, pandas.errors.ParserError) as error:
        raise InvalidInstanceError(f"{source}: not a table of VMs: {one_line(error)}") from error
    refuse_lost_rows(source, rows, len(raw), len(rows.lines))
    ragged = rows.count(b",") != first_line.count(b",")
    table = pandas.DataFrame({name: float_column(raw[name]) for name in _NEEDED})
    return table.where(np.isfinite(table.to_numpy()) & ~ragged[:, np.newaxis]), ragged


def _work(table: "pd.DataFrame") -> WorkColumns:
    """Return vCPUs and quarters of a GB times lifetime of all rows, shape (n_rows, 2); NaN where it is not known."""
    vcpus, memory, duration = (
        np.where((table[name] >= 0) & (table[name] <= EXACT_BOUND), table[name], np.nan)
        for name in ("vcpus", "mem_gb", "dur_hi_s")
    )
    work: WorkColumns = np.stack([vcpus, np.ceil(memory * 4)], axis=1)
    return work * np.ceil(np.maximum(duration, _SHORTEST))[:, np.newaxis]


def _refuse_bad_rows(
    source: str,
    table: "pd.DataFrame",
    ragged: BoolArray,
    garbled: BoolArray,
    ledger: RowLedger,
    on_bad_row: str,
) -> None:
    before = table["arrival_s"].to_numpy() < _WINDOW_START
    negative = (table[["vcpus", "mem_gb", "dur_hi_s", "vm"]] < 0).any(axis=1).to_numpy()
    most = np.where(np.array(_NEEDED) == "mem_gb", EXACT_BOUND / 4, EXACT_BOUND)
    huge = np.asarray((table.to_numpy() > most).any(axis=1))
    fractional = (table[["vcpus", "vm"]] % 1 != 0).any(axis=1).to_numpy()
    without_demand = ((table["vcpus"] == 0) & (table["mem_gb"] == 0)).to_numpy()
    for reason, meaning, bad in (
        ("ragged_row", "not as many fields as column names", ragged),
        ("garbled_row", "a field is missing or not a finite number", garbled),
        ("huge_value", "a number (of memory: of quarters of a GB) above 2**53", huge),
        ("before_window", f"arrival_s below {_WINDOW_START:,}", before),
        ("negative_value", "a size, a lifetime or the number of the VM is negative", negative),
        ("fractional_value", "vcpus or the number of the VM is not an integer", fractional),
        ("no_demand", "neither vCPUs nor memory", without_demand),
    ):
        ledger.drop_bad(source, reason, meaning, bad, on_bad_row)


def _fewest_hosts(source: str, jobs: Jobs) -> tuple[Machines, tuple[str, ...]]:
    horizon = float(jobs.release_time.max() - jobs.release_time.min())
    work = [float(jobs.processing_time @ jobs.demand[:, k]) for k in range(len(_HOST))]
    needed = [math.ceil(w / (horizon * host)) if horizon else 1 for w, host in zip(work, _HOST, strict=True)]
    number = max(1, *needed)
    if number > MOST_MACHINES:
        raise InvalidInstanceError(
            f"{source}: it takes {number:.3g} hosts of 64 vCPUs and 448 GB to keep up with these VMs, more than "
            f"{MOST_MACHINES:,}, the most there can be; name the hosts, as with {spelled('machines', '20x64,448GB')}"
        )
    assumption = f"{number:,} hosts of 64 vCPUs and 448 GB, the fewest with which no offered load exceeds 1"
    return choose_machines(number, _RESOURCES, _HOST), (assumption,)
