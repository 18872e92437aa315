"""LP3 as one sparse program, and what its dual values prove.

With the load u_jc = (sum over the tasks of j of demand times time) / capacity of a *channel* c, a resource of a
machine, and delta_jq = 1 if job j comes before job q:

    min sum of w_j C_j,   C_j >= u_jc + sum over q != j of u_qc delta_qj  for every j and c in N_j,   C_j >= e_j,
    delta_jq + delta_qj = 1,   0 <= delta <= 1,

where N_j are the channels that j loads, or all of them, and e_j = r_j + the longest processing time of a task of j. A
schedule in which each task stays on its machine gives a solution: order the jobs by completion; until C_j all work of
the jobs up to j is done. Release times only delay it.

*The bound.* Let y_jc >= 0 with sum over c of y_jc at most w_j. Moving the first rows into the objective, the
coefficient of C_j is what is left of w_j, and each pair chooses for itself:

    sum of y_jc u_jc  +  sum of (w_j - sum over c of y_jc) e_j  +  sum over pairs of min(B_jq, B_qj)

with B_jq = sum over c of y_qc u_jc is at most the optimum, for any such y. Proposals that sum to more than w_j are
scaled down. The result is lowered by the rounding of at most `steps` operations on non-negative numbers.
"""

import numpy as np
from numpy.typing import NDArray

from schedcore.bounds.sparse_program import Program
from schedcore.model import ParallelTaskInstance

from .interval_rules import earliest_completion

__all__ = ["OrderRows"]

_Ints = NDArray[np.int64]
_Floats = NDArray[np.float64]


class OrderRows:
    """The program: a row for every job and channel, a column for every job and every pair that shares a channel.

    Columns C are in units of `unit`; delta of a pair is 1 if the job of lower index comes first.

    Attributes
    ----------
    program : Program
    """

    __slots__ = (
        "_earliest",
        "_first_leads",
        "_load",
        "_other_load",
        "_pair",
        "_row_job",
        "_row_of",
        "_unit",
        "_weight",
        "n_pairs",
        "program",
    )

    def __init__(self, instance: ParallelTaskInstance, *, all_machines: bool) -> None:
        n = instance.n_jobs
        self._weight = instance.weight
        self._earliest = earliest_completion(instance)
        job, channel, load = _loads(instance)
        # a row for each (job, channel) with load, or for each pair of a job and a channel that anybody loads
        if all_machines:
            channels = np.unique(channel)
            self._row_job = np.repeat(np.arange(n), len(channels))
            row_channel = np.tile(channels, n)
        else:
            self._row_job, row_channel = job, channel
        self._load = np.zeros(len(self._row_job))
        key = self._row_job * (channel.max() + 1) + row_channel  # ascends
        self._load[np.searchsorted(key, job * (channel.max() + 1) + channel)] = load
        self._row_of, other, self._other_load = _others(self._row_job, row_channel, job, channel, load)
        mine = self._row_job[self._row_of]
        self._first_leads = other < mine  # then the other comes before if delta is 1
        pairs, self._pair = np.unique(
            np.minimum(mine, other) * n + np.maximum(mine, other), return_inverse=True
        )
        self.n_pairs = len(pairs)
        self._unit = float(max(self._rows_at_most().max(), self._earliest.max()))
        self.program = self._program()

    def completion(self, values: _Floats) -> _Floats:
        """Return the least C for the delta of a solution, which need not be feasible by itself."""
        delta = np.clip(values[len(self._weight) :], 0.0, 1.0)[self._pair]
        before = np.where(self._first_leads, delta, 1.0 - delta) * self._other_load
        reached = self._load + np.bincount(self._row_of, before, len(self._load))
        completion = self._earliest.copy()
        np.maximum.at(completion, self._row_job, reached)
        return completion

    def prove(self, row_prices: _Floats) -> float:
        """Return what the prices prove about sum of w C: anything will do for them."""
        with np.errstate(over="ignore", invalid="ignore"):
            usable = np.where(np.isfinite(row_prices), np.maximum(row_prices, 0.0), 0.0)
            return self._proven(usable)

    def _proven(self, price: _Floats) -> float:
        n_rows_of = np.bincount(self._row_job, minlength=len(self._weight))
        steps = int(n_rows_of.max()) + 64
        total = np.bincount(self._row_job, price, len(self._weight)) * (1 + steps * 2.0**-51)
        scale = np.divide(self._weight, total, out=np.ones_like(total), where=total > self._weight)
        price = price * (scale * (1 - 2.0**-50))[self._row_job]
        left = np.maximum(self._weight - np.bincount(self._row_job, price, len(self._weight)), 0.0)
        caused = price[self._row_of] * self._other_load
        if_first = np.bincount(self._pair, np.where(self._first_leads, caused, 0.0), self.n_pairs)
        if_last = np.bincount(self._pair, np.where(self._first_leads, 0.0, caused), self.n_pairs)
        # numpy adds pairwise, which takes fewer steps than a scalar product
        alone = (self._weight * self._earliest).sum()
        of_jobs = (price * self._load).sum() + (left * self._earliest).sum()
        bound = of_jobs + np.minimum(if_first, if_last).sum()
        # all terms are non-negative; what is left of a weight is correct to within `steps` units of the weight
        bound -= steps * 2.0**-51 * (2 * bound + alone)
        return float(bound) if np.isfinite(bound) else -np.inf

    def _rows_at_most(self) -> _Floats:
        """Return C_j if all others come before j."""
        return self._load + np.bincount(self._row_of, self._other_load, len(self._load))

    def _program(self) -> Program:
        n, n_rows = len(self._weight), len(self._row_job)
        sign = np.where(self._first_leads, -1.0, 1.0)
        rhs = self._load + np.bincount(
            self._row_of, np.where(self._first_leads, 0.0, self._other_load), n_rows
        )
        scale = self._weight.max()
        return Program(
            cost=np.concatenate([self._weight / scale, np.zeros(self.n_pairs)]),
            column_lower=np.concatenate([self._earliest / self._unit, np.zeros(self.n_pairs)]),
            column_upper=np.concatenate([np.full(n, np.inf), np.ones(self.n_pairs)]),
            row_lower=rhs / self._unit,
            row_upper=np.full(n_rows, np.inf),
            row=np.concatenate([np.arange(n_rows), self._row_of]),
            column=np.concatenate([self._row_job, n + self._pair]),
            value=np.concatenate([np.ones(n_rows), sign * self._other_load / self._unit]),
        )


def _loads(instance: ParallelTaskInstance) -> tuple[_Ints, _Ints, _Floats]:
    """Return job, channel and load wherever there is one, ascending by both; one machine a task."""
    n_channels = instance.n_machines * instance.n_resources
    task, resource = np.nonzero(instance.demand)
    machine = instance.placement_machine[task]
    key = instance.task_job[task] * n_channels + machine * instance.n_resources + resource
    share = instance.demand[task, resource] / instance.machines.capacity[machine, resource]
    keys, entry = np.unique(key, return_inverse=True)
    load = np.bincount(entry, share * instance.placement_time[task], len(keys)).astype(np.float64)
    return (keys // n_channels).astype(np.int64), (keys % n_channels).astype(np.int64), load


def _others(
    row_job: _Ints, row_channel: _Ints, job: _Ints, channel: _Ints, load: _Floats
) -> tuple[_Ints, _Ints, _Floats]:
    """Return (row, other job, its load) for every job that loads the channel of a row, but the row's own."""
    order = np.argsort(channel, kind="stable")
    n_channels = int(channel.max()) + 1
    begin = np.searchsorted(channel[order], np.arange(n_channels + 1))
    counts = np.diff(begin)[row_channel]
    row = np.repeat(np.arange(len(row_job)), counts)
    within = np.arange(len(row)) - np.repeat(np.cumsum(counts) - counts, counts)
    entry = order[begin[row_channel][row] + within]
    differs = job[entry] != row_job[row]
    return row[differs], job[entry][differs], load[entry][differs]
