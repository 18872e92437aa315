"""Lower bound on the makespan: the longest job, and the load that is still to come at every release time."""

from schedcore import _core
from schedcore.model import Instance

from .bounded_instance import check_bounded
from .content_cache import ContentCache

__all__ = ["makespan_lower_bound"]


def makespan_lower_bound(inst: Instance) -> float:
    """Return a time before which no schedule completes all jobs.

    Parameters
    ----------
    inst : Instance
        Machines may differ from each other.

    Returns
    -------
    float
        The largest of release time + processing time of a job and, for every release time t and every
        resource as well as the average of all resources, t + what the jobs released at t or later need of it,
        divided by its capacity over all machines. 0.0 for no jobs.

    Raises
    ------
    TypeError, UnsupportedError
        For what is no instance, and other kinds of instances.

    Notes
    -----
    O(n_jobs * n_resources) time for jobs in order of release, without the GIL; computed once per instance. At
    most 2e-14 below the exact bound, relatively (more where the times are so unlike that schedules themselves
    are rounded); exact if the longest job decides.
    """
    check_bounded("makespan_lower_bound", inst, (Instance,))
    return _bounds.get(inst, _compute)


def _compute(inst: Instance) -> float:
    jobs = inst.jobs
    return _core.bounds.makespan_bound(
        jobs.release_time, jobs.processing_time, jobs.demand, inst.machines.capacity
    )


_bounds: ContentCache[float] = ContentCache()
