"""Where the jobs of an experiment come from."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from schedcore.experiments.description.declared import settle
from schedcore.experiments.description.refusals import placed
from schedcore.workloads.generators import GENERATORS

__all__ = ["INPUT", "Workload"]

#: A source ``input:NAME`` is a file that whoever runs the experiment names.
INPUT = "input:"


@dataclass(frozen=True, slots=True)
class Workload:
    """Where jobs, tasks to colocate or jobs of tasks come from.

    Parameters
    ----------
    source : str
        A generator ("azure_like"), a file that `schedcore.workloads.load` reads (relative to the description), or
        "input:NAME" for a file that whoever runs the experiment names.
    arguments : mapping
        Arguments of the generator or reader, and for every source: ``machines`` (see `load`), ``factor`` (take every
        factor-th job, from an offset that differs from job set to job set), ``full_jobs`` (length of the full list: a
        parameter ``n_jobs`` then means the factor ``full_jobs // n_jobs``), ``total_resources`` (resources beyond
        those of the log, each with the demands of random jobs), and for controlled conditions ``first_jobs`` (how many
        jobs are kept), ``exact_estimates`` (true: estimates are the processing times), ``poisson_average_queue``
        or ``poisson_mean_gap`` (`schedcore.workloads.poisson_arrivals`), ``traffic_intensity`` (release times are
        divided by it), ``at_time_zero`` (true: all jobs are released at once), ``first_resources`` (how many resources
        are kept) and ``misestimate_variance`` (`schedcore.workloads.misestimate`). Parameters of a sweep are added to
        these.
    allow_loss : bool
        Whether to run although the reader of the file leaves out more than 10 % of the work of any resource. It is no
        part of what makes a cell: results stay what they are when it changes.

    Notes
    -----
    Job set s of a generator is its ``seed=s``, unless the arguments fix the seed, and so it is of a file that tasks to
    colocate are drawn from; of a downsampled workload the s-th of its offsets, of which there are `factor` (of one
    list: a generator then needs a seed); of resources, arrivals or estimates that are drawn for one list the s-th draw;
    any other workload has one job set. What is done to lists of jobs (all but ``machines``) fails on tasks to colocate
    and on jobs of map and reduce tasks; jobs of parallel tasks take what sets their number and their release times.
    """

    source: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    allow_loss: bool = False

    def __post_init__(self) -> None:
        with placed("workload"):
            settle(self)

    @property
    def is_generator(self) -> bool:
        return self.source in GENERATORS

    @property
    def input_name(self) -> str | None:
        """NAME of ``input:NAME``, else None."""
        return self.source.removeprefix(INPUT) if self.source.startswith(INPUT) else None
