"""Proportional fairness and dominant resource fairness: all jobs share all resources in every slot.

How much of what it asks for does each job get? Sources: S. Im, J. Kulkarni and K. Munagala, "Competitive algorithms
from competitive equilibria: non-clairvoyant scheduling under polyhedral constraints", STOC 2014, and S. Jäger, A.
Lindermayr and N. Megow, "The power of proportional fairness for non-clairvoyant scheduling under polyhedral
constraints", SODA 2025 (arXiv 2408.14310), for proportional fairness; A. Ghodsi et al., "Dominant resource fairness:
fair allocation of multiple resource types", NSDI 2011. The slots run in ``src/cpp/preemptive/slotted_simulation``,
shares and whole cores are ``fair_rates`` and ``whole_cores`` there.
"""

from collections.abc import Callable
from typing import Concatenate, Literal, ParamSpec

from schedcore.model import Instance, PreemptiveResult
from schedcore.parameters import option
from schedcore.registry import registered

from .family import PREEMPTIVE, OrderedRun
from .jobs_with_room import columns_with_room
from .slotted_simulation import run_in_slots

__all__ = ["FairParameters", "drf", "proportional_fairness"]

Arguments = ParamSpec("Arguments")


class FairParameters(OrderedRun, kw_only=True):
    """The options of fair sharing."""

    remainders: Literal["carried", "dropped"] = option(
        "whole cores by largest remainder, with what a job is owed from slots before, or of the slot alone",
        '"dropped" passes over all slots in which no share changes. But of jobs that are alike those with the lower'
        " indices get the cores that remain, in all of these slots.",
        default="carried",
    )


def _fair_policy(
    parameters: Callable[Arguments, FairParameters],
    name: str,
    title: str,
    source: str,
    doc: str,
    notes: str,
) -> Callable[Concatenate[Instance, Arguments], PreemptiveResult]:
    """Register the policy that the kernel knows by this name; `doc` says what it does, `notes` what its shares cost."""

    def run(instance: Instance, parameters: FairParameters) -> PreemptiveResult:
        columns = columns_with_room(instance)
        return run_in_slots(name, instance, columns, parameters, policy=name, weight=instance.jobs.weight)

    run.__doc__ = f"""{doc}

    A job at rate x takes x of everything that it asks for, from the pool of all machines. Its cores are then made
    whole, as `whole_cores` says, and packed onto servers. Memory, which a job holds in full wherever it runs, is
    granted first to those that are owed the most slots of their shares, passing over what does not fit. No decision
    depends on k, nor on processing times.

    Parameters
    ----------
    instance : Instance
        As in `las`. Jobs with at most 2^-40 of the largest weight share what the others leave over.

    Returns
    -------
    PreemptiveResult
        As of `las`.

    Raises
    ------
    InfeasibleError, InvalidInstanceError, TypeError, UnsupportedError
        As `ocorp`.

    Notes
    -----
    {notes}

    Shares are computed anew where a job arrives, completes or can use less than before. Whole cores take O(n) in each
    slot that is not passed over; slots are where every share is a whole number and nobody is refused memory, or
    remainders are dropped. Shares are doubles, rounded to 2^-20 cores before anything is compared.
    """
    return registered(parameters, title, PREEMPTIVE, name=name, source=source, reads=frozenset({"weight"}))(
        run
    )


drf = _fair_policy(
    FairParameters,
    "drf",
    "Weighted dominant resource fairness, preemptive",
    "Ghodsi et al., NSDI 2011",
    """Share all resources so that dominant shares, over weights, are as equal as they can be.

    In slot t, the interval [t - 1, t), the dominant share of a job is its largest part of all there is of a resource.
    All grow together from 0, in proportion to the jobs' weights. A job drops out when it has all the cores it can
    use; where a resource is used up, so do all jobs that use it, and the others go on. With cores alone this is
    `proportional_fairness`.""",
    "Shares of n jobs cost O(n log n + n K) for each of the K resources that are used up.",
)
proportional_fairness = _fair_policy(
    FairParameters,
    "proportional_fairness",
    "Proportional fairness, preemptive",
    "Im, Kulkarni and Munagala, STOC 2014",
    """Share all resources so that the weighted sum of the logarithms of all rates is largest.

    In slot t, the interval [t - 1, t), the rates x of the jobs, up to what they can use, maximise the sum of
    ``weight * log x``. With cores alone this is `drf`.""",
    """Where rates need not be whole cores, and memory is shared as they are, the weighted sum of completion times is at
    most 27 times the optimum, and at most 4 times it if a job that leaves makes no other slower (Jäger, Lindermayr and
    Megow); for flow times there is no such constant. Whole cores and memory held in full are beyond the proof.

    Shares of n jobs cost O(n log n) where a single resource is short, otherwise O(n K^2) for each of a few steps of
    Newton's method, for K resources.""",
)
