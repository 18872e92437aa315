"""List scheduling of typed tasks: all types together, each type alone, and the better of the two.

SCHEDMIXED, SCHEDJUXTAPOSE and BESTSCHEDULE of Pascual and Rzadca, TPDS 2019, section 4.1. With two types and
coefficients up to 1 the better one costs at most sqrt(2) times what longest-processing-time-first guarantees on one
type.
"""

import numpy as np
from numpy.typing import NDArray

from schedcore import _core
from schedcore.model import ColocationInstance, ColocationResult
from schedcore.model.choices import check_choice
from schedcore.registry import Algorithm, register

from .colocation_run import Progress, colocation_result
from .family import BASE, BOUND, FAMILY, OBJECTIVE, PAPER
from .guarantees import juxtaposed_guarantee, mixed_guarantee

__all__ = ["best_schedule", "sched_juxtapose", "sched_mixed"]


def sched_mixed(
    instance: ColocationInstance, base: str = "lpt", bound: str = "simple", *, progress: Progress = None
) -> ColocationResult:
    """Spread tasks over the machines by their sizes, whatever their types.

    Parameters
    ----------
    instance : ColocationInstance
    base : {"lpt", "multifit"}
        Longest-processing-time-first, or MULTIFIT.
    bound : {"simple", "qcp"}
        The lower bound of the result, see `schedcore.colocation.lower_bound`.
    progress : callable, optional
        Never called: this takes no time.

    Returns
    -------
    ColocationResult
        `guarantee` is 4/3 - 1/(3 m) for one type; for two that cost themselves 1, with "lpt", that times 2 / (1 + the
        smaller cross coefficient) if both are at most 1, and times the larger one if both are at least 1.

    Notes
    -----
    O(n log n) with "lpt"; some O(log of the total size) packings with "multifit".
    """
    guarantee = mixed_guarantee(instance, base)
    return colocation_result(
        "sched_mixed",
        instance,
        _machines(instance, "sched_mixed", base),
        bound=bound,
        guarantee=guarantee,
        options={"base": base},
    )


def sched_juxtapose(
    instance: ColocationInstance, base: str = "lpt", bound: str = "simple", *, progress: Progress = None
) -> ColocationResult:
    """Spread the tasks of each type over all machines on their own, with the machines mirrored for every other type.

    Parameters
    ----------
    instance : ColocationInstance
    base, bound, progress
        As for `schedcore.sched_mixed`.

    Returns
    -------
    ColocationResult
        `guarantee` is 4/3 - 1/(3 m) for one type; for two that cost themselves 1, with "lpt" and cross coefficients up
        to 1, that times 1 + the larger one.

    Notes
    -----
    O(n log n) with "lpt".
    """
    guarantee = juxtaposed_guarantee(instance, base)
    return colocation_result(
        "sched_juxtapose",
        instance,
        _machines(instance, "sched_juxtapose", base),
        bound=bound,
        guarantee=guarantee,
        options={"base": base},
    )


def best_schedule(
    instance: ColocationInstance, base: str = "lpt", bound: str = "simple", *, progress: Progress = None
) -> ColocationResult:
    """Take the cheaper of `schedcore.sched_mixed` and `schedcore.sched_juxtapose`, the former on a tie.

    Parameters
    ----------
    instance : ColocationInstance
    base, bound, progress
        As for `schedcore.sched_mixed`.

    Returns
    -------
    ColocationResult
        `guarantee` is the smaller of the two.

    Notes
    -----
    O(n log n) with "lpt".
    """
    guarantees = (mixed_guarantee(instance, base), juxtaposed_guarantee(instance, base))
    return colocation_result(
        "best_schedule",
        instance,
        _machines(instance, "best_schedule", base),
        bound=bound,
        guarantee=min((proven for proven in guarantees if proven is not None), default=None),
        options={"base": base},
    )


def _machines(instance: ColocationInstance, mixing: str, base: str) -> NDArray[np.int64]:
    check_choice("base", base, BASE.choices or ())
    return _core.type_list_scheduling(
        instance.size, instance.type, instance.alpha, instance.n_machines, mixing, base
    )


for _name, _title, _run in (
    ("sched_mixed", "SCHEDMIXED", sched_mixed),
    ("sched_juxtapose", "SCHEDJUXTAPOSE", sched_juxtapose),
    ("best_schedule", "BESTSCHEDULE", best_schedule),
):
    register(
        Algorithm(
            _name,
            _title,
            FAMILY,
            PAPER,
            _run,
            (BASE, BOUND),
            OBJECTIVE,
            instance_kind=ColocationInstance,
            guarantee=True,
        )
    )
