"""In which stretches of time limits hold jobs: from what the runs of each user, account and so on take of a limit.

What is taken changes at starts and ends of runs only. Jobs that all limits treat alike share one line of stretches, so
the cost goes by such profiles, and by the events of their users and accounts while they wait.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from schedcore.model import Instance, Limit, Runs
from schedcore.model.run_rules import only_value, party_of_jobs
from schedcore.model.site_checks import limited_amount

__all__ = ["LimitUse", "held_times"]

_Column = npt.NDArray[np.float64]
_Codes = npt.NDArray[np.int64]
_Places = npt.NDArray[np.intp]

_ROWS_AT_ONCE = 2_000_000  # events of profiles, some 100 bytes each


@dataclass(frozen=True, eq=False)
class LimitUse:
    """What runs take of a limit over time, value by value.

    Attributes
    ----------
    values : list of str
        Whom the limit tells apart.
    of_job : (n_jobs,) int64
        Index into `values`; -1 of jobs that it does not limit.
    room : (n_jobs,) int64
        A job is held while its value takes more than that.
    first_event : (n_values + 1,) intp
        The events of value v are those from ``first_event[v]`` to ``first_event[v + 1] - 1``, by time.
    time : (n_events,) float64
    taken : (n_events + 1,) int64
        Before each event, and after all. All runs of a value end, so it is 0 before the first event of each.
    """

    values: list[str]
    of_job: _Codes
    room: _Codes
    first_event: _Places
    time: _Column
    taken: _Codes

    @classmethod
    def of(cls, limit: Limit, inst: Instance, runs: Runs) -> LimitUse:
        """Sweep over the starts and ends of the runs that a limit counts; O(n_runs log n_runs)."""
        of_job, values = party_of_jobs(limit.party, inst.jobs)
        only = only_value(limit, values)
        if only >= 0:
            of_job = np.where(of_job == only, of_job, -1)
        # No job that is above a limit by itself ever runs, so how far it is above does not matter.
        amount = np.minimum(limited_amount(limit, inst.jobs, inst.machines), limit.most + 1).astype(np.int64)
        counted = np.flatnonzero(of_job[runs.job] >= 0)
        job = runs.job[counted]
        owner = np.tile(of_job[job], 2)
        time = np.concatenate([runs.start_time[counted], runs.end_time[counted]])
        order = np.lexsort((time, owner))
        change = np.concatenate([amount[job], -amount[job]])[order]
        taken = np.concatenate(([0], np.cumsum(change)))
        first_event = np.searchsorted(owner[order], np.arange(len(values) + 1))
        return cls(values, of_job, limit.most - amount, first_event, time[order], taken)

    def may_hold(self) -> npt.NDArray[np.bool_]:
        """(n_jobs,) Whether the limit would hold the job at any time."""
        most = np.zeros(len(self.values) + 1, dtype=np.int64)  # the last entry is that of -1
        owner = np.repeat(np.arange(len(self.values)), np.diff(self.first_event))
        np.maximum.at(most, owner, self.taken[1:])
        return np.asarray((self.of_job >= 0) & (most[self.of_job] > self.room), dtype=np.bool_)

    def window(self, value: _Codes, begin: _Column, end: _Column) -> tuple[_Places, _Places]:
        """The first event of each value after `begin`, and the one behind the last before `end`; none of -1."""
        instants, number = np.unique(self.time, return_inverse=True)
        owner = np.repeat(np.arange(len(self.values)), np.diff(self.first_event))
        turn = len(instants) + 1
        key, of_value = owner * turn + number, np.maximum(value, 0) * turn
        first = np.searchsorted(key, of_value + np.searchsorted(instants, begin, side="right"))
        last = np.searchsorted(key, of_value + np.searchsorted(instants, end, side="left"))
        return np.where(value < 0, 0, first), np.where(value < 0, 0, np.maximum(first, last))


def held_times(uses: list[LimitUse], jobs: _Codes, since: _Column, until: _Column) -> npt.NDArray[np.float64]:
    """(len(jobs), n_limits) How long each limit was the first that held each of the jobs in [since, until)."""
    columns: list[_Codes] = []
    for use in uses:
        holds = use.may_hold()[jobs]
        columns += [np.where(holds, use.of_job[jobs], -1), np.where(holds, use.room[jobs], 0)]
    profiles, of_job = np.unique(np.stack(columns, axis=1), axis=0, return_inverse=True)
    of_job = of_job.reshape(-1)
    begin, end = np.full(len(profiles), np.inf), np.full(len(profiles), -np.inf)
    np.minimum.at(begin, of_job, since)
    np.maximum.at(end, of_job, until)
    windows = [use.window(profiles[:, 2 * index], begin, end) for index, use in enumerate(uses)]
    n_rows = len(uses) + np.sum([last - first for first, last in windows], axis=0)
    by_profile = np.argsort(of_job, kind="stable")
    first_job = np.searchsorted(of_job[by_profile], np.arange(len(profiles) + 1))
    held = np.zeros((len(jobs), len(uses)))
    for low, high in _chunks(n_rows):
        rows = by_profile[first_job[low] : first_job[high]]
        part = [(first[low:high], last[low:high]) for first, last in windows]
        lines = _Lines.of(uses, profiles[low:high], begin[low:high], part)
        profile = of_job[rows] - low
        held[rows] = lines.held_until(profile, until[rows]) - lines.held_until(profile, since[rows])
    return held


def _chunks(n_rows: _Places) -> Iterator[tuple[int, int]]:
    """Stretches of profiles with so many rows together, at least one profile each."""
    total = np.concatenate(([0], np.cumsum(n_rows)))
    low = 0
    while low < len(n_rows):
        fitting = int(np.searchsorted(total, total[low] + _ROWS_AT_ONCE, side="right")) - 1
        high = max(low + 1, fitting)
        yield low, high
        low = high


@dataclass(frozen=True, eq=False)
class _Lines:
    """Which limit holds the jobs of some profiles: rows by profile, then by time.

    From each row on `holder` is the limit, n_limits for none; `held` (n_rows, n_limits) is how long each of them held
    jobs in all rows before, also of other profiles.
    """

    profile: _Codes
    time: _Column
    holder: _Codes
    held: npt.NDArray[np.float64]

    @classmethod
    def of(
        cls,
        uses: list[LimitUse],
        profiles: _Codes,
        begin: _Column,
        windows: list[tuple[_Places, _Places]],
    ) -> _Lines:
        """Put the events of all limits in one order, and carry on what each of them says."""
        everyone = np.arange(len(profiles))
        owners, times, limits, said = [], [], [], []
        for index, (use, (first, last)) in enumerate(zip(uses, windows, strict=True)):
            value, room = profiles[:, 2 * index], profiles[:, 2 * index + 1]
            length = last - first
            owner = np.repeat(everyone, length)
            event = np.arange(len(owner)) - np.repeat(np.cumsum(length) - last, length)
            owners += [everyone, owner]
            times += [begin, use.time[event]]
            limits.append(np.full(len(everyone) + len(owner), index))
            said += [(value >= 0) & (use.taken[first] > room), use.taken[event + 1] > room[owner]]
        order = np.lexsort((np.concatenate(times), np.concatenate(owners)))
        profile, time, limit, says = (
            np.concatenate(column)[order] for column in (owners, times, limits, said)
        )
        rows = np.arange(len(order))
        holder = np.full(len(order), len(uses))
        for index in range(len(uses) - 1, -1, -1):
            # A profile begins with a row of each limit at the same instant. Until the last of them some limits say what
            # they said of the profile before; but no time passes there.
            latest = np.maximum.accumulate(np.where(limit == index, rows, 0))
            holder = np.where(says[latest], index, holder)
        length_of_row = np.diff(time, append=0.0)
        length_of_row[np.flatnonzero(np.diff(profile, append=-1))] = 0.0
        held = np.zeros((len(order), len(uses)))
        for index in range(len(uses)):
            np.cumsum(np.where(holder == index, length_of_row, 0.0)[:-1], out=held[1:, index])
        return cls(profile, time, holder, held)

    def held_until(self, profile: _Codes, instant: _Column) -> npt.NDArray[np.float64]:
        """(n, n_limits) `held` at instants, none of them before the first row of its profile."""
        instants, number = np.unique(self.time, return_inverse=True)
        turn = len(instants) + 1
        place = np.searchsorted(instants, instant, side="right") - 1
        row = np.searchsorted(self.profile * turn + number, profile * turn + place, side="right") - 1
        held = self.held[row]
        holder = self.holder[row]
        some = np.flatnonzero(holder < held.shape[1])
        held[some, holder[some]] += (instant - self.time[row])[some]
        return held
