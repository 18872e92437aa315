"""Least attained service first: who has got least goes first, and nobody need know how long a job is.

Sources: M. Nuyens and A. Wierman, "The foreground-background queue: a survey", Performance Evaluation 65, 2008, for the
rule; J. Gu et al., "Tiresias: a GPU cluster manager for distributed deep learning", NSDI 2019, for service that counts
cores and time. The slots run in ``src/cpp/preemptive/slotted_simulation``, the order is ``attained_service`` there.
"""

from schedcore.model import Instance, PreemptiveResult
from schedcore.registry import registered

from .family import PREEMPTIVE, OrderedRun
from .jobs_with_room import columns_with_room
from .slotted_simulation import run_in_slots

__all__ = ["LasParameters", "las"]


class LasParameters(OrderedRun, kw_only=True):
    """The options of LAS."""


@registered(
    LasParameters,
    "Least attained service first, preemptive",
    PREEMPTIVE,
    source="Nuyens and Wierman, Performance Evaluation 2008",
)
def las(instance: Instance, parameters: LasParameters) -> PreemptiveResult:
    """Serve jobs in ascending order of the core-slots that they have got, without knowing processing times.

    In slot t, the interval [t - 1, t), released jobs are served in that order, ties by index, each with all it can use,
    until all cores are given; the last may get fewer. Cores are packed onto servers, and memory is granted in the same
    order, passing over what does not fit. Jobs that have got the same take turns, slot by slot. What a job has got is
    measured, so it is the same whatever its cores are believed to be. No decision depends on k.

    Parameters
    ----------
    instance : Instance
        Times in whole slots; resources as in `ocorp`. Processing times say when a job is done, and how many cores it
        can still use in its last slots; no decision looks at them.

    Returns
    -------
    PreemptiveResult
        As of `srvf`.

    Raises
    ------
    InfeasibleError, InvalidInstanceError, TypeError
        As `ocorp`.
    UnsupportedError
        For slots beyond 2**53.

    Notes
    -----
    A slot costs what it costs under `srvf`, and slots are passed over alike. But jobs that have got the same and wait
    for each other change places in every slot.
    """
    return run_in_slots("las", instance, columns_with_room(instance), parameters, policy="las")
