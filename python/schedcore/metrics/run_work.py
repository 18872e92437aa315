"""What the runs of a cluster took, what of it was of use, and what was lost."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from schedcore.metrics.exact_sums import Column, exact_dot
from schedcore.metrics.run_columns import has_completed, run_length
from schedcore.model import Instance, Runs

Totals = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class RunWork:
    """Amounts times time, a column a resource.

    Attributes
    ----------
    used : (n_resources,) float64
        Length times amount, summed over all runs. The amount is what the tasks take, also of an exclusive job.
    useful : (n_resources,) float64
        Processing time times amount, summed over the jobs that completed.
    lost : (n_resources,) float64
        The rest: work that was done again, restart costs, and runs of jobs that never completed.
    """

    used: Totals
    useful: Totals

    @property
    def lost(self) -> Totals:
        """(n_resources,) used - useful; not below 0, where times that are no integers are rounded."""
        return np.maximum(self.used - self.useful, 0.0)

    @property
    def goodput(self) -> Totals:
        """(n_resources,) useful / used, in [0, 1]; 1 where nothing was used."""
        share = np.ones_like(self.used)
        np.divide(self.useful, self.used, out=share, where=self.used > 0)
        return np.minimum(share, 1.0)


def run_work(inst: Instance, runs: Runs) -> RunWork:
    """Return used, useful and lost work, and the goodput.

    Parameters
    ----------
    inst, runs : Instance, Runs
        ``result.runs`` of a result on the instance.

    Raises
    ------
    InvalidInstanceError
        For runs of a job that there is not.
    UnsupportedError
        If a job takes more than 2**53 units of a resource.
    TypeError
        For what are no runs.

    Notes
    -----
    O((n_runs + n_jobs) * n_resources). Sums are correctly rounded; of integers below 2**53 they are exact.
    """
    amounts = inst.demand_of_all_tasks()
    completed = has_completed(inst, runs)
    return RunWork(
        used=totals(amounts[runs.job], run_length(inst, runs)),
        useful=totals(amounts[completed], inst.processing_time[completed]),
    )


def totals(amounts: npt.NDArray[np.int64], time: Column) -> Totals:
    """(n_resources,) Sum of amount times time for each column of amounts."""
    columns = range(amounts.shape[1])
    return np.array([exact_dot(amounts[:, column], time) for column in columns], dtype=np.float64)
