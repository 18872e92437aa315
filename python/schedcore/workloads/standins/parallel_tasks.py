"""A synthetic stand-in for the jobs of parallel tasks of Google's trace, as the SynchPack algorithms were tried on.

The evaluation [Shafiee2020]_ took 7521 jobs of 10 tasks on average from a month of the trace, which is not at hand.
Here the number of tasks is Pareto distributed, sizes and durations are lognormal around those of the job, priorities
have fixed shares, and arrivals are Poisson. One time unit is a second.

All logarithms come from `portable_functions`, so the same seed gives the same instance everywhere.

.. [Shafiee2020] M. Shafiee, J. Ghaderi, "Scheduling parallel-task jobs subject to packing and placement constraints",
   arXiv:2004.00518; Operations Research 70(6), 2022.
"""

from typing import NamedTuple

import numpy as np

from schedcore.errors import InvalidInstanceError
from schedcore.model import Machines, ParallelTaskInstance
from schedcore.model.arrays import FloatArray, IntArray
from schedcore.model.integers import checked_integer
from schedcore.model.real_numbers import finite_number
from schedcore.workloads.draws.portable_functions import exponential, logarithm, normal_quantile
from schedcore.workloads.draws.splitmix import Draws, check_seed, open_uniform
from schedcore.workloads.models.gap_calibration import submit_times
from schedcore.workloads.reading.annotated_arguments import checks_choices
from schedcore.workloads.transforms.job_weights import Weights, weights_of_priorities
from schedcore.workloads.transforms.task_placements import Placement, placement_columns

__all__ = ["parallel_task_standin"]

# What the seed is xored with for tasks and arrivals; the jobs have the seed itself, weights and placements their own.
_TASK_STREAM = 0xD1B54A32D192ED03
_ARRIVAL_STREAM = 0xAEF17502108EF2D9

_MOST_TASKS = 200
_PARETO_SHAPE = 0.92
_FEWEST_TASKS = 2.0
_PARETO_MASS = 0.9856117749145319  # 1 - (2 / 201)^0.92

_SIZE_SIGMA = 1.0
_LEAST_SIZE, _LARGEST_SIZE = 0.001, 0.9  # of a machine
_EQUAL_SIZES_PERCENT = 80
_SMALLEST_SHARE, _LARGEST_SHARE = 0.8, 1.25

_LARGEST_CAPACITY = 10**12  # volumes of tasks stay below 2**63

_MEDIAN_DURATION = 300.0
_DURATION_SIGMA = 1.2
_TASK_SIGMA = 0.3
_LONGEST = 36_000

_PRIORITY_PERCENT = (10, 8, 10, 5, 25, 4, 6, 5, 8, 15, 3, 1)
_PRIORITY = np.repeat(np.arange(len(_PRIORITY_PERCENT)), _PRIORITY_PERCENT)

_PER_JOB = 5  # tasks, size, whether all tasks share it, duration, priority
_PER_TASK = 2  # size and duration, relative to the job


class _Tasks(NamedTuple):
    job: IntArray
    size: IntArray
    processing_time: IntArray


@checks_choices
def parallel_task_standin(
    n_jobs: int,
    n_machines: int,
    seed: int,
    *,
    placement: Placement = "single",
    n_local: int = 3,
    remote_penalty: float = 2.0,
    load: float | None = 0.8,
    weights: Weights = "equal",
    median_size: float = 0.1,
    capacity: int = 1_000_000,
) -> ParallelTaskInstance:
    """Draw jobs of parallel tasks in the image of Google's trace of 2011.

    Parameters
    ----------
    n_jobs : int
        At least 0; of some ten tasks on average.
    n_machines : int
        Identical machines.
    seed : int
        In [0, 2**64).
    placement : {"single", "local_remote"}
        Every task runs on one random machine, or on all of them as `draw_placements` says.
    n_local : int
        Local machines of each task, where it may run on all.
    remote_penalty : float
        How many times longer a task takes on the other machines, at least 1.
    load : float or None
        Volume that arrives in a second, over the capacity of all machines; above 0. None: all jobs are released at 0.
    weights : {"equal", "random", "priority"}
        1 each, uniform in (0, 1), or 1 + priority, which is 0 to 11.
    median_size : float
        Median memory of a job's tasks, as a share of a machine: in [0.001, 0.9]. The knob of contention; with 0.03
        and 50 tasks a machine all algorithms do nearly the same.
    capacity : int
        Units of memory of a machine, from 1000 to 10**12.

    Returns
    -------
    ParallelTaskInstance
        Jobs in the order of arrival; release and processing times are whole seconds.

    Raises
    ------
    InvalidInstanceError
        For an argument out of range; names it.

    Notes
    -----
    O(n_tasks) time, plus the placements. Jobs and tasks depend on the seed, the median size and the capacity alone:
    instances that differ in machines, placement, penalty, weights or load share them, and more jobs begin with the
    same ones.

    The number of tasks is the floor of a Pareto variable on [2, 201) of shape 0.92. The size of a job is lognormal with
    sigma 1, clipped to [0.001, 0.9] of a machine; with probability 0.8 all tasks have it, else each multiplies it by
    U(0.8, 1.25), and what leaves that range is clipped again. Durations are lognormal with median 300 and sigma 1.2 for
    the job and another factor of sigma 0.3 for each task, rounded up and clipped to [1, 36000].
    """
    jobs = Draws(check_seed(seed), checked_integer("n_jobs", n_jobs, 0), _PER_JOB)
    checked_integer("n_machines", n_machines, 1)
    checked_integer("capacity", capacity, 1000, _LARGEST_CAPACITY)
    if not _LEAST_SIZE <= finite_number("median_size", median_size, above_0=True) <= _LARGEST_SIZE:
        raise InvalidInstanceError(f"median_size = {median_size} is outside [{_LEAST_SIZE}, {_LARGEST_SIZE}]")
    tasks = _draw_tasks(jobs, seed, n_jobs, median_size, capacity)
    return ParallelTaskInstance(
        weight=weights_of_priorities(_PRIORITY[jobs.below(4, len(_PRIORITY)).astype(np.intp)], weights, seed),
        release_time=_release_time(tasks, seed, n_jobs, load, capacity * n_machines),
        task_job=tasks.job,
        demand=tasks.size[:, np.newaxis],
        machines=Machines.identical(n_machines, [capacity], ["memory"]),
        **placement_columns(tasks.processing_time, n_machines, placement, n_local, remote_penalty, seed),
    )


def _draw_tasks(jobs: Draws, seed: int, n_jobs: int, median_size: float, capacity: int) -> _Tasks:
    job = np.repeat(np.arange(n_jobs, dtype=np.int64), _number_of_tasks(jobs))
    tasks = Draws(seed ^ _TASK_STREAM, len(job), _PER_TASK)
    base_size = np.clip(median_size * _lognormal(jobs, 1, _SIZE_SIGMA), _LEAST_SIZE, _LARGEST_SIZE)
    share = _SMALLEST_SHARE + (_LARGEST_SHARE - _SMALLEST_SHARE) * open_uniform(tasks.column(0))
    is_equal = (jobs.below(2, 100) < _EQUAL_SIZES_PERCENT)[job]
    size = np.clip(base_size[job] * np.where(is_equal, 1.0, share), _LEAST_SIZE, _LARGEST_SIZE)
    base_duration = _MEDIAN_DURATION * _lognormal(jobs, 3, _DURATION_SIGMA)
    duration = base_duration[job] * _lognormal(tasks, 1, _TASK_SIGMA)
    return _Tasks(
        job,
        np.floor(size * capacity).astype(np.int64),
        np.clip(np.ceil(duration), 1, _LONGEST).astype(np.int64),
    )


def _number_of_tasks(jobs: Draws) -> IntArray:
    """Invert the distribution function of the bounded Pareto variable."""
    above = 1 - _PARETO_MASS * open_uniform(jobs.column(0))
    number = np.floor(_FEWEST_TASKS * exponential(logarithm(above) / -_PARETO_SHAPE))
    return np.minimum(number, _MOST_TASKS).astype(np.int64)


def _lognormal(draws: Draws, column: int, sigma: float) -> FloatArray:
    """Median 1."""
    return exponential(sigma * normal_quantile(open_uniform(draws.column(column))))


def _release_time(tasks: _Tasks, seed: int, n_jobs: int, load: float | None, capacity: int) -> FloatArray:
    if load is None or n_jobs == 0:
        return np.zeros(n_jobs)
    if not 0 < load < np.inf:
        raise InvalidInstanceError(
            f"load = {load} must be finite and above 0, or None for jobs that all come at once"
        )
    volume = sum((tasks.size * tasks.processing_time).tolist())
    gaps = -logarithm(open_uniform(Draws(seed ^ _ARRIVAL_STREAM, n_jobs, per_job=1).column(0)))
    gaps[0] = 0.0  # the first job comes at once
    return submit_times(volume / n_jobs / (load * capacity), np.cumsum(gaps))
