"""How much of a cluster was used: of what its machines have, and of what was up, in all and by kind of machine."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from schedcore.errors import InvalidInstanceError
from schedcore.metrics.capacity_down import times_down
from schedcore.metrics.job_amounts import amounts_of_tasks
from schedcore.metrics.over_time import busy_time, checked_stretch, horizon
from schedcore.metrics.run_columns import check_runs_of
from schedcore.metrics.run_work import totals
from schedcore.model import Incidents, Instance, Machines, Runs

_Table = npt.NDArray[np.float64]
_Rows = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class CapacityUse:
    """Amounts times time within a stretch, a row a kind of machine, or one for all; a column a resource.

    Attributes
    ----------
    names : tuple of str
        What the machines of a row have in common: capacities and labels.
    n_machines : (n_rows,) int64
    between : (float, float)
        The stretch.
    used : (n_rows, n_resources) float64
        What the runs took of these machines.
    nominal : (n_rows, n_resources) float64
        What the machines have, all of the time.
    up : (n_rows, n_resources) float64
        The same without outages and failures.
    """

    names: tuple[str, ...]
    n_machines: _Rows
    between: tuple[float, float]
    used: _Table
    nominal: _Table
    up: _Table

    @property
    def utilisation(self) -> _Table:
        """(n_rows, n_resources) used / nominal; 0 where there is nothing to use."""
        return _share(self.used, self.nominal)

    @property
    def utilisation_of_up(self) -> _Table:
        """(n_rows, n_resources) used / up; 0 where nothing was up."""
        return _share(self.used, self.up)


def capacity_use(
    inst: Instance,
    runs: Runs,
    incidents: Incidents | None = None,
    between: tuple[float, float] | None = None,
) -> CapacityUse:
    """Return what all machines together were used for, in one row named "all machines".

    Parameters
    ----------
    inst, runs : Instance, Runs
        ``result.runs`` of a result on the instance.
    incidents : Incidents, optional
        Its failures count as time in which machines were down, like the outages of the instance. Where an outage and a
        failure overlap, the time counts once.
    between : (float, float), optional
        Start and end of the stretch; by default from the first release to the last end of a run.

    Raises
    ------
    InvalidInstanceError
        For runs of a job that there is not, incidents of a machine or job that there is not, and a stretch that is no
        ascending pair of finite numbers.
    UnsupportedError
        If a job takes more than 2**53 units of a resource.
    TypeError
        For what are no runs, or no incidents.

    Notes
    -----
    O(n_runs * n_resources + d log d) for d outages and failures. An exclusive job counts with what its tasks take.
    """
    first, last, length = _stretch_and_lengths(inst, runs, between)
    used = totals(inst.demand_of_all_tasks()[runs.job], length)
    everything = np.zeros(inst.n_machines, dtype=np.int64)
    return _use(inst, ("all machines",), everything, used[np.newaxis], (first, last), incidents)


def capacity_use_by_kind(
    inst: Instance,
    runs: Runs,
    incidents: Incidents | None = None,
    between: tuple[float, float] | None = None,
) -> CapacityUse:
    """Return the same for each kind of machine: those with equal capacities and labels, by their first machine.

    Raises
    ------
    InvalidInstanceError, UnsupportedError, TypeError
        As `capacity_use`; and for a run on a machine that there is not.

    Notes
    -----
    As `capacity_use`, and O(places * (n_resources + log places)) time for the pairs of a run and a machine, with 8
    bytes for each of them and each resource.
    """
    first, last, length = _stretch_and_lengths(inst, runs, between)
    names, kind = machine_kinds(inst.machines)
    places = runs.allocation
    known = (places.machine >= 0) & (places.machine < inst.n_machines)
    if not known.all():
        row = int(np.argmin(known))
        raise InvalidInstanceError(
            f"run {places.run[row]} is on machine {places.machine[row]}; machines are numbered from 0 to "
            f"{inst.n_machines - 1}"
        )
    amounts = amounts_of_tasks(inst, runs.job[places.run], places.n_tasks)
    groups = _rows_of_kinds(kind[places.machine], len(names))
    used = np.array([totals(amounts[rows], length[places.run[rows]]) for rows in groups])
    return _use(inst, names, kind, used, (first, last), incidents)


def machine_kinds(machines: Machines) -> tuple[tuple[str, ...], _Rows]:
    """Return the names of the kinds of machines, and the kind of every machine."""
    sets = machines.label_sets
    codes = np.zeros(machines.n_machines, dtype=np.int64) if sets.codes is None else sets.codes
    features = np.column_stack([machines.capacity, codes])
    _, first, kind = np.unique(features, axis=0, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    names = tuple(_kind_name(machines, int(machine)) for machine in first[order])
    return names, rank[kind.reshape(-1)]


def _kind_name(machines: Machines, machine: int) -> str:
    amounts = zip(machines.resource_names, machines.capacity[machine].tolist(), strict=True)
    sets = machines.label_sets
    labels = () if sets.codes is None else sorted(sets.distinct[sets.codes[machine]])
    return ", ".join(f"{name}: {amount}" for name, amount in amounts) + "".join(f" {each}" for each in labels)


def _rows_of_kinds(kind: _Rows, n_kinds: int) -> list[_Rows]:
    """The rows of each kind, ascending."""
    ends = np.cumsum(np.bincount(kind, minlength=n_kinds))[:-1]
    return np.split(np.argsort(kind, kind="stable"), ends)


def _stretch_and_lengths(
    inst: Instance, runs: Runs, between: tuple[float, float] | None
) -> tuple[float, float, npt.NDArray[np.float64]]:
    """The stretch, and how much of each run lies within."""
    check_runs_of(inst, runs)
    stretch = None if between is None else checked_stretch(between)
    first, last = horizon(inst, runs) if stretch is None else stretch
    return first, last, busy_time(inst, runs, stretch)


def _use(
    inst: Instance,
    names: tuple[str, ...],
    kind: _Rows,
    used: _Table,
    between: tuple[float, float],
    incidents: Incidents | None,
) -> CapacityUse:
    up_time = time_up(inst, incidents, between)
    all_time = np.full(inst.n_machines, between[1] - between[0])
    machines = _rows_of_kinds(kind, len(names))
    capacity = inst.machines.capacity
    return CapacityUse(
        names,
        np.bincount(kind, minlength=len(names)),
        between,
        used,
        np.array([totals(capacity[rows], all_time[rows]) for rows in machines]),
        np.array([totals(capacity[rows], up_time[rows]) for rows in machines]),
    )


def time_up(
    inst: Instance, incidents: Incidents | None, between: tuple[float, float]
) -> npt.NDArray[np.float64]:
    """(n_machines,) Return how long each machine was up within a stretch: neither in an outage nor failed."""
    first, last = between
    up = np.full(inst.n_machines, last - first)
    down = times_down(inst, incidents)
    if down is None:
        return up
    within = np.minimum(down.end_time, last) - np.maximum(down.start_time, first)
    np.subtract.at(up, down.machine, np.maximum(within, 0.0))
    return up


def _share(used: _Table, available: _Table) -> _Table:
    share = np.zeros_like(used)
    np.divide(used, available, out=share, where=available > 0)
    return share
