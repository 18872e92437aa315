"""Runs on a cluster in one dictionary: the figures of a summary, what was lost, and who never completed."""

from typing import Any

from schedcore.metrics.capacity_use import capacity_use
from schedcore.metrics.completed_part import completed_part
from schedcore.metrics.run_work import run_work
from schedcore.metrics.summaries import summary
from schedcore.model import Incidents, Instance, Runs


def cluster_summary(
    inst: Instance,
    runs: Runs,
    outcome: Any = None,
    incidents: Incidents | None = None,
    tau: float = 10.0,
) -> dict[str, float | tuple[float, ...]]:
    """All summary figures of the runs of a result.

    Parameters
    ----------
    inst, runs : Instance, Runs
        ``result.runs`` of a result on the instance.
    outcome : (n_jobs,) array_like of str, optional
        ``result.outcome``.
    incidents : Incidents, optional
        What happened, for the capacity that was up.
    tau : float, default 10
        Threshold of the bounded slowdown, in the time unit of the instance.

    Returns
    -------
    dict
        The figures of `summary`, in this order, of the jobs that completed alone: `n_jobs` is how many. Waits end with
        the first start, completion is that of the last run. Only `utilisation` is that of all runs. Then:

        =================  ===============================================================================
        n_left_out         jobs that did not complete, which are in none of the figures above
        left_out_work      per resource: their processing time times what their tasks take
        n_runs             runs of all jobs
        used               per resource: length times amount, summed over all runs
        useful             per resource: processing time times amount, summed over the jobs that completed
        lost               per resource: used - useful
        goodput            per resource: useful / used
        utilisation_of_up  per resource: used / capacity that was up, without outages and failures
        =================  ===============================================================================

    Raises
    ------
    InvalidInstanceError, UnsupportedError, TypeError
        As `completed_part`, `run_work`, `capacity_use` and `summary`.

    Notes
    -----
    O(n_runs log n_runs + n_runs * n_resources + places). Where every job ran once, the figures of `summary` are those
    of the schedule, bit for bit.
    """
    part = completed_part(inst, runs, outcome)
    figures = summary(part.inst, part.runs, tau)
    use = capacity_use(inst, runs, incidents)
    work = run_work(inst, runs)
    figures["utilisation"] = tuple(use.utilisation[0].tolist())
    per_resource = {
        "used": work.used,
        "useful": work.useful,
        "lost": work.lost,
        "goodput": work.goodput,
        "utilisation_of_up": use.utilisation_of_up[0],
    }
    return {
        **figures,
        "n_left_out": part.n_left_out,
        "left_out_work": tuple(part.left_out_work.tolist()),
        "n_runs": runs.n_runs,
        **{name: tuple(values.tolist()) for name, values in per_resource.items()},
    }
