"""The Gittins policy: who is likeliest to be done soon for what it costs goes first, as completed jobs have taught.

Sources: J. C. Gittins, "Bandit processes and dynamic allocation indices", Journal of the Royal Statistical Society B
41, 1979; S. Aalto, U. Ayesta and R. Righter, "On the Gittins index in the M/G/1 queue", Queueing Systems 63, 2009; J.
Gu et al., "Tiresias: a GPU cluster manager for distributed deep learning", NSDI 2019, for service that counts cores and
time. The slots run in ``src/cpp/preemptive/slotted_simulation``, the order is ``gittins_order`` there.
"""

from numpy.typing import ArrayLike

from schedcore import _core
from schedcore.model import Instance, PreemptiveResult
from schedcore.model.arrays import FloatArray
from schedcore.registry import registered

from .family import PREEMPTIVE, OrderedRun
from .jobs_with_room import columns_with_room
from .slot_arrays import amounts_of
from .slotted_simulation import run_in_slots

__all__ = ["GittinsParameters", "gittins", "gittins_index"]


class GittinsParameters(OrderedRun, kw_only=True):
    """The options of the Gittins policy."""


@registered(
    GittinsParameters,
    "Gittins index, learnt from completed jobs, preemptive",
    PREEMPTIVE,
    source="Aalto, Ayesta and Righter, Queueing Systems 2009",
    reads=frozenset({"weight"}),
)
def gittins(instance: Instance, parameters: GittinsParameters) -> PreemptiveResult:
    """Serve jobs in descending order of weight times Gittins index, without knowing processing times.

    The sizes of jobs, in core-slots, are taken to be like those of the jobs that have completed so far. With S such a
    size, the index of a job that has got a is the largest value over d of ``P(S - a <= d | S > a)`` over ``E[min(S - a,
    d) | S > a]``. In slot t, the interval [t - 1, t), released jobs are served in that order, ties by index, each with
    all it can use, until all cores are given; memory is granted in the same order. A job that has got more than any job
    that has completed comes after those that have not, and of several the one first that has got least over its weight;
    so do all jobs until the first has completed, as under `las`. What a job has got, and what completed jobs had got,
    is measured. No decision depends on k.

    Parameters
    ----------
    instance : Instance
        As in `las`. Jobs of weight 0 are served after all others.

    Returns
    -------
    PreemptiveResult
        As of `srvf`; ``record=True`` keeps who was refused memory.

    Raises
    ------
    InfeasibleError, InvalidInstanceError, TypeError, UnsupportedError
        As `las`.

    Notes
    -----
    A slot costs O(n log m) for n active jobs and m different sizes of completed ones, beside what it costs under
    `srvf`, and O(m) if a job has completed since the last. Slots are passed over while nobody waits for cores or
    memory. If sizes are drawn alike and known, the index is optimal for the weighted sum of completion times on one
    core, where a job asks for one. Here they are learnt, and nothing is proven.
    """
    columns = columns_with_room(instance)
    return run_in_slots(
        "gittins", instance, columns, parameters, policy="gittins", weight=instance.jobs.weight
    )


def gittins_index(attained: ArrayLike, completed: ArrayLike) -> FloatArray:
    """Return the Gittins index of jobs by the service that each has got, if their sizes are like those of others.

    Parameters
    ----------
    attained : (n,) int
        What each job has got, in core-slots or any other unit, 0 to 2**53.
    completed : (m,) int
        Sizes of jobs that have completed, 1 to 2**53.

    Returns
    -------
    (n,) float
        The best chance of being done for each unit that it may cost; 0 where no completed job had got more.

    Raises
    ------
    InvalidInstanceError
        For amounts outside their ranges or not whole; names the entry.

    Notes
    -----
    O(m log m) to learn, then O(log m) and the corners of a hull for each job, of which there are few as a rule. What is
    compared is exact.
    """
    return _core.preemptive.gittins_index(
        amounts_of("attained", attained), amounts_of("completed", completed, row="size", least=1)
    )
