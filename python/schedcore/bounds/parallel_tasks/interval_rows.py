"""The rows and columns of `interval_layout` as one sparse program, and its dual values as prices."""

import numpy as np
from numpy.typing import NDArray

from schedcore.bounds.ranges import Ranges
from schedcore.bounds.sparse_program import Program

from .interval_layout import Layout
from .interval_prices import Prices
from .interval_rules import IntervalRules, least_cost
from .task_fractions import TaskFractions, cleaned

__all__ = ["IntervalRows"]

_HUGE = 1e100  # times the unit of the objective; a price beyond it, or NaN, is none

_Ints = NDArray[np.int64]
_Floats = NDArray[np.float64]
_Entries = tuple[_Ints, _Ints, _Floats]  # rows, columns, values


class IntervalRows:
    """The program of a layout; costs are divided by `unit`, so that they are near 1 for all times and weights.

    Columns are z, X, s, U, W in this order; rows are stocks, sums of X, capacities, times.

    Attributes
    ----------
    program : Program
    unit : float
    """

    __slots__ = ("_columns", "_layout", "_rows", "_rules", "_stocked", "program", "unit")

    def __init__(self, rules: IntervalRules, layout: Layout) -> None:
        self._rules, self._layout = rules, layout
        self.unit = least_cost(rules.instance) / rules.instance.n_jobs
        self._stocked = Ranges(layout.stocks.first, layout.stocks.last - 1)
        several = layout.counted.last >= 0
        sizes = [layout.fractions, layout.counted, self._stocked, layout.capacity, layout.time]
        self._columns = np.cumsum([0, *(part.n_places for part in sizes)])
        rows = [layout.stocks.n_places, int(several.sum()), layout.capacity.n_places, layout.time.n_places]
        self._rows = np.cumsum([0, *rows])
        cost, upper = np.zeros(self._columns[-1]), np.full(self._columns[-1], np.inf)
        right = np.zeros(self._rows[-1])
        self._set_limits(cost, upper, right)
        entries = [
            *self._fraction_entries(),
            *self._counting_entries(several),
            *self._used_entries(layout.capacity, 2, 3),
            *self._used_entries(layout.time, 3, 4),
        ]
        row, column, value = (np.concatenate(part) for part in zip(*entries, strict=True))
        self.program = Program(cost, upper, right, right, row, column, value)

    def value(self, values: _Floats) -> float:
        """Return the objective, in the unit of the instance."""
        return float(self.program.cost @ values) * self.unit

    def violation(self, values: _Floats) -> float:
        """Return by how much the worst row or bound is missed; a whole task, machine or job is 1."""
        program = self.program
        reached = np.bincount(program.row, program.value * values[program.column], len(program.row_lower))
        outside = np.maximum(-values, values - program.column_upper).max(initial=0.0)
        return float(max(np.abs(reached - program.row_lower).max(initial=0.0), outside))

    def fractions(self, values: _Floats) -> TaskFractions | None:
        """Return the cleaned fractions of a solution."""
        instance = self._rules.instance
        owner, interval = self._layout.fractions.places()
        placement = self._layout.chosen[owner]
        return cleaned(
            instance.placement_task[placement],
            instance.placement_machine[placement],
            interval,
            values[: self._columns[1]],
            instance.n_tasks,
        )

    def prices(self, row_prices: _Floats) -> Prices:
        """Return the dual values of the rows as prices; 0 for useless ones."""
        instance, intervals, layout = self._rules.instance, self._rules.intervals, self._layout
        n = intervals.n_intervals
        known = np.where(np.abs(row_prices) < _HUGE, row_prices, 0.0) * self.unit
        stock, _, capacity, time = np.split(known, self._rows[1:-1])
        offered = np.maximum(instance.machines.capacity, 1)[:, :, None] * intervals.ends
        last = np.maximum(layout.stocks.place(np.arange(instance.n_tasks), layout.stocks.last), 0)
        owner, _ = layout.stocks.places()
        reward = layout.stocks.table(stock[last][owner] - stock, n)
        completion = self._rules.completion()[instance.task_job]
        task_last = self._last_of_tasks()
        alone = instance.weight[instance.task_job, None] * (
            completion[np.arange(instance.n_tasks), task_last][:, None] - completion
        )
        return Prices(
            work=layout.capacity.table(capacity, n).reshape(offered.shape) / offered,
            time=None if layout.time.n_places == 0 else layout.time.table(time, n) / intervals.ends,
            reward=np.where(layout.shared[:, None], reward, alone),
        )

    def _last_of_tasks(self) -> _Ints:
        """(n_tasks,) The last interval with a fraction of each task."""
        task = self._rules.instance.placement_task[self._layout.chosen]
        start = np.searchsorted(task, np.arange(self._rules.instance.n_tasks))
        return np.asarray(np.maximum.reduceat(self._layout.fractions.last, start))

    def _set_limits(self, cost: _Floats, upper: _Floats, right: _Floats) -> None:
        rules, layout = self._rules, self._layout
        instance = rules.instance
        charge = instance.weight[:, None] * rules.completion() / self.unit
        owner, interval = layout.fractions.places()
        task = instance.placement_task[layout.chosen[owner]]
        cost[: self._columns[1]] = np.where(
            layout.shared[task], 0.0, charge[instance.task_job[task], interval]
        )
        cost[self._columns[1] : self._columns[2]] = charge[layout.counted.places()]
        upper[self._columns[3] : self._columns[4]] = 1.0
        if layout.time.n_places:
            upper[self._columns[4] :] = (rules.room() / rules.intervals.ends)[layout.time.places()]
        right[: self._rows[1]] = ~layout.shared[layout.stocks.places()[0]]
        right[self._rows[1] : self._rows[2]] = 1.0

    def _fraction_entries(self) -> list[_Entries]:
        """Return the entries of z: in a row of stock, and in those of capacity and time that there are."""
        instance, layout, ends = self._rules.instance, self._layout, self._rules.intervals.ends
        owner, interval = layout.fractions.places()
        placement = layout.chosen[owner]
        task, machine = instance.placement_task[placement], instance.placement_machine[placement]
        time = instance.placement_time[placement].astype(np.float64)
        z = np.arange(len(owner))
        shared = layout.shared[task]
        entries = [(layout.stocks.place(task, np.where(shared, interval, 0)), z, np.where(shared, -1.0, 1.0))]
        for resource in range(instance.n_resources):
            demand = instance.demand[task, resource]
            chain = machine * instance.n_resources + resource
            seen = (demand > 0) & (interval <= layout.capacity.last[chain])
            at = np.maximum(interval, layout.capacity.first[chain])[seen]
            offered = instance.machines.capacity[machine[seen], resource] * ends[at]
            row = self._rows[2] + layout.capacity.place(chain[seen], at)
            entries.append((row, z[seen], -demand[seen] * time[seen] / offered))
        seen = interval <= layout.time.last[task]
        row = self._rows[3] + layout.time.place(task[seen], interval[seen])
        entries.append((row, z[seen], -time[seen] / ends[interval[seen]]))
        return entries

    def _counting_entries(self, several: NDArray[np.bool_]) -> list[_Entries]:
        """Return the entries of X and s."""
        layout = self._layout
        task, interval = layout.stocks.places()
        job = self._rules.instance.task_job[task]
        row = np.arange(len(task))
        counts = layout.shared[task] & (interval >= layout.counted.first[job])
        counted = layout.counted.place(job[counts], interval[counts])
        owner, _ = layout.counted.places()
        rank = np.cumsum(several) - 1  # among the jobs with several tasks
        x = np.arange(len(owner))
        stock_task, stock_interval = self._stocked.places()
        here = layout.stocks.place(stock_task, stock_interval)
        s = self._columns[2] + np.arange(len(here))
        one = np.ones(len(here))
        return [
            (row[counts], self._columns[1] + counted, np.ones(len(counted))),
            (self._rows[1] + rank[owner], self._columns[1] + x, np.ones(len(x))),
            (here, s, one),
            (here + 1, s, -one),
        ]

    def _used_entries(self, used: Ranges, row_part: int, column_part: int) -> list[_Entries]:
        """Return the entries of U or W: in the row of the same interval and in the next."""
        ends = self._rules.intervals.ends
        owner, interval = used.places()
        place = np.arange(len(owner))
        row, column = self._rows[row_part] + place, self._columns[column_part] + place
        goes_on = interval < used.last[owner]
        before = interval[goes_on]
        return [
            (row, column, np.ones(len(row))),
            (row[goes_on] + 1, column[goes_on], -ends[before] / ends[before + 1]),
        ]
