"""What can be done to a workload after its source has been read: one declaration each, in the order of application.

Experiments loop over this table: their descriptions take the arguments, and job sets differ in what is drawn. The
functions stand in the modules beside this one and serve whoever calls them, too.
"""

from collections.abc import Mapping

from schedcore.errors import UnsupportedError
from schedcore.model import AnyInstance, Instance, ParallelTaskInstance
from schedcore.workloads.transforms.arrivals import at_time_zero, poisson_arrivals, scale_release_times
from schedcore.workloads.transforms.declaration import (
    Arguments,
    Transform,
    above_0,
    at_least_0,
    count,
    flag,
)
from schedcore.workloads.transforms.estimates import exact_estimates, misestimate
from schedcore.workloads.transforms.incidents import (
    killed,
    n_draws_of_failures,
    text,
    windows,
    with_outages,
)
from schedcore.workloads.transforms.job_weights import draw_weights
from schedcore.workloads.transforms.resources import draw_more_resources, first_resources
from schedcore.workloads.transforms.thinning import downsample, downsampling_offset, first_jobs

__all__ = ["TRANSFORMS", "TRANSFORM_OF", "transformed"]

_JOBS = (Instance,)
_JOBS_AND_PARALLEL_TASKS = (Instance, ParallelTaskInstance)

TRANSFORMS = (
    Transform(
        {"factor": count},
        _JOBS,
        lambda inst, given, _: downsample(inst, given["factor"], given.get("offset", 0)),
        draws="offset",
        draw=lambda given, job_set: downsampling_offset(given["factor"], job_set),
        n_job_sets=lambda given: int(given["factor"]),
    ),
    Transform(
        {"first_jobs": count},
        _JOBS_AND_PARALLEL_TASKS,
        lambda inst, given, _: first_jobs(inst, given["first_jobs"]),
    ),
    Transform(
        {"first_resources": count},
        _JOBS,
        lambda inst, given, _: first_resources(inst, given["first_resources"]),
    ),
    Transform(
        {"total_resources": count},
        _JOBS,
        lambda inst, given, full: draw_more_resources(
            inst, given["total_resources"], given["resource_seed"], full.jobs.demand[:, 0]
        ),
        draws="resource_seed",
    ),
    Transform({"exact_estimates": flag}, _JOBS, lambda inst, given, _: exact_estimates(inst)),
    Transform(
        {"poisson_average_queue": at_least_0, "poisson_mean_gap": at_least_0},
        _JOBS_AND_PARALLEL_TASKS,
        lambda inst, given, _: poisson_arrivals(
            inst,
            given["arrival_seed"],
            average_queue=given.get("poisson_average_queue"),
            mean_gap=given.get("poisson_mean_gap"),
        ),
        draws="arrival_seed",
    ),
    Transform(
        {"traffic_intensity": above_0},
        _JOBS_AND_PARALLEL_TASKS,
        lambda inst, given, _: scale_release_times(inst, 1 / given["traffic_intensity"]),
    ),
    Transform({"at_time_zero": flag}, _JOBS_AND_PARALLEL_TASKS, lambda inst, given, _: at_time_zero(inst)),
    Transform(
        {"misestimate_variance": at_least_0},
        _JOBS,
        lambda inst, given, _: misestimate(inst, given["misestimate_variance"], given["misestimate_seed"]),
        draws="misestimate_seed",
    ),
    Transform(
        {"random_weights": flag},
        _JOBS,
        lambda inst, given, _: draw_weights(inst, "random", given["weight_seed"]),
        draws="weight_seed",
    ),
    Transform({"outage": windows}, _JOBS, lambda inst, given, _: with_outages(inst, given)),
    # What happens unannounced is no part of an instance: `incidents_of` makes it of the instance and these.
    Transform(
        {"failures": text},
        _JOBS,
        lambda inst, given, _: inst,
        draws="failure_seed",
        n_job_sets=n_draws_of_failures,
    ),
    Transform({"cancellations": text}, _JOBS, lambda inst, given, _: inst),
    Transform({"killed": killed}, _JOBS, lambda inst, given, _: inst),
)
#: Argument, also one that is drawn -> its transform.
TRANSFORM_OF: Mapping[str, Transform] = {
    name: transform for transform in TRANSFORMS for name in transform.names
}


def transformed(full: AnyInstance, arguments: Arguments, title: str) -> AnyInstance:
    """Return an instance with all transforms applied that some arguments ask for, in the order of the table.

    Parameters
    ----------
    title : str
        What a message calls what is in the instance, such as "jobs of parallel tasks".

    Raises
    ------
    UnsupportedError
        For arguments that instances of this kind do not take; names them.
    Exception
        What the functions raise that are applied.
    """
    others = [name for name in arguments if not isinstance(full, TRANSFORM_OF[name].kinds)]
    if others:
        raise UnsupportedError(f"{', '.join(others)} cannot be applied to {title}, only to jobs")
    inst = full
    for transform in TRANSFORMS:
        if transform.is_asked_by(arguments):
            inst = transform.apply(inst, arguments, full)
    return inst
