"""List scheduling of typed tasks: all types together, each type alone, and the better of the two.

SCHEDMIXED, SCHEDJUXTAPOSE and BESTSCHEDULE of Pascual and Rzadca, TPDS 2019, section 4.1. With two types and
coefficients up to 1 the better one costs at most sqrt(2) times what longest-processing-time-first guarantees on one
type.
"""

from fractions import Fraction

from schedcore import _core
from schedcore.model import ColocationInstance, ColocationResult
from schedcore.registry import registered

from .assignment_result import colocation_result, kernel_columns
from .family import COLOCATION, Bounding, Spreading
from .guarantees import juxtaposed_guarantee, mixed_guarantee

__all__ = ["best_schedule", "sched_juxtapose", "sched_mixed"]


class SpreadingParameters(Bounding, Spreading):
    """How tasks are spread, and what the result is compared with."""


@registered(SpreadingParameters, "SCHEDMIXED", COLOCATION)
def sched_mixed(instance: ColocationInstance, parameters: SpreadingParameters) -> ColocationResult:
    """Spread tasks over the machines by their sizes, whatever their types.

    Parameters
    ----------
    instance : ColocationInstance

    Returns
    -------
    ColocationResult
        `guarantee` is 4/3 - 1/(3 m) for one type; for two that cost themselves 1, with "lpt", that times 2 / (1 + the
        smaller cross coefficient) if both are at most 1, and times the larger one if both are at least 1.

    Notes
    -----
    O(n log n) with "lpt"; some O(log of the total size) packings with "multifit".
    """
    return _result("sched_mixed", instance, parameters, mixed_guarantee(instance, parameters.base))


@registered(SpreadingParameters, "SCHEDJUXTAPOSE", COLOCATION)
def sched_juxtapose(instance: ColocationInstance, parameters: SpreadingParameters) -> ColocationResult:
    """Spread the tasks of each type over all machines on their own, with the machines mirrored for every other type.

    Parameters
    ----------
    instance : ColocationInstance

    Returns
    -------
    ColocationResult
        `guarantee` is 4/3 - 1/(3 m) for one type; for two that cost themselves 1, with "lpt" and cross coefficients up
        to 1, that times 1 + the larger one.

    Notes
    -----
    O(n log n) with "lpt".
    """
    return _result("sched_juxtapose", instance, parameters, juxtaposed_guarantee(instance, parameters.base))


@registered(SpreadingParameters, "BESTSCHEDULE", COLOCATION)
def best_schedule(instance: ColocationInstance, parameters: SpreadingParameters) -> ColocationResult:
    """Take the cheaper of `schedcore.colocation.sched_mixed` and `schedcore.colocation.sched_juxtapose`.

    Where both cost the same, it is the former.

    Parameters
    ----------
    instance : ColocationInstance

    Returns
    -------
    ColocationResult
        `guarantee` is the smaller of the two.

    Notes
    -----
    O(n log n) with "lpt".
    """
    guarantees = (
        mixed_guarantee(instance, parameters.base),
        juxtaposed_guarantee(instance, parameters.base),
    )
    proven = min((each for each in guarantees if each is not None), default=None)
    return _result("best_schedule", instance, parameters, proven)


def _result(
    name: str, instance: ColocationInstance, parameters: SpreadingParameters, guarantee: Fraction | None
) -> ColocationResult:
    return colocation_result(
        name,
        instance,
        _core.colocation.type_list_scheduling(
            **kernel_columns(instance), mixing=name, **parameters.for_kernel()
        ),
        bound=parameters.bound,
        options=parameters.recorded(),
        guarantee=guarantee,
    )
