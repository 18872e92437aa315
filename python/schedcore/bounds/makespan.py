"""Lower bound on the makespan: the longest job, and the load that is still to come at every release time."""

from schedcore import _core
from schedcore.model import Instance

from .bounded_instance import check_bounded
from .content_cache import ContentCache
from .load_around_outages import load_around_outages
from .parts import Part, Parts

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
        divided by its capacity over all machines. Jobs that fit some of the machines only count on those alone, too,
        and outages take capacity away. 0.0 for no jobs.

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
    check_bounded("makespan_lower_bound", inst, (Instance,), counts_tasks=True)
    return _bounds.get(inst, _compute)


def _compute(inst: Instance) -> float:
    parts = Parts(inst)
    whole = parts.whole()
    bounds = [_of_part(whole), *map(_of_part, parts.confined())]
    if inst.outages is not None:
        bounds.append(load_around_outages(inst, whole.release_time, whole.amounts))
    return max(bounds)


def _of_part(part: Part) -> float:
    return _core.bounds.makespan_bound(part.release_time, part.processing_time, part.amounts, part.capacity)


_bounds: ContentCache[float] = ContentCache()
