"""OCORP+: OCORP with a price on every change of a job's rate, so that jobs are interrupted less often.

Source: H. Xu, Y. Liu and W. C. Lau, "Optimal job scheduling with resource packing for heterogeneous servers",
IEEE/ACM Transactions on Networking, 2021. Each slot is solved exactly in whole cores, over the
total rates of jobs ("joblevel") or over their rates on each machine ("flow"; "greedy" comes close). The kernel
is ``src/cpp/preemptive/switching_slot``.
"""

from functools import partial

from schedcore.errors import UnsupportedError
from schedcore.model import Instance, PreemptiveResult
from schedcore.model.amounts import exact_total
from schedcore.model.real_numbers import finite_number
from schedcore.parameters import Parameters, option
from schedcore.registry import registered

from .family import PREEMPTIVE
from .jobs_with_room import columns_with_room
from .ocorp import OcorpParameters, run_dual
from .slotted_simulation import believed_cores
from .switching_slots import Solver, check_single_cores

__all__ = ["ocorp_plus"]


class _Switching(Parameters, kw_only=True):
    alpha: float = option(
        "price of changing rates: times the square of every change, at least 0",
        "With 0 this is OCORP. What counts as large grows with the multipliers, which are of the size of"
        ' slot^(k + 1/2): the figures of the paper need k = 1 and lambda0 = "zero" to show an effect.',
        default=10.0,
        check=partial(finite_number, above_0=False),
        early=True,
    )
    solver: Solver = option(
        "how a slot is solved: by the rates of jobs, or machine by machine, greedily or exactly",
        '"joblevel" is exact for the sum over jobs of the squared changes of their total rates; cores are packed'
        ' afterwards (packing = "sticky" is meant for that). "greedy" and "flow" charge the changes on each machine,'
        " and place the cores themselves: core by core to the smallest marginal cost, or exactly, by shortest paths;"
        " without memory alone. A sum of squares over machines is less for a job spread over many, so that they split"
        " jobs.",
        default="joblevel",
    )


class OcorpPlusParameters(OcorpParameters, _Switching, kw_only=True):
    """What changes cost, and the options of OCORP."""


@registered(OcorpPlusParameters, "OCORP+: OCORP with a switching cost", PREEMPTIVE)
def ocorp_plus(instance: Instance, parameters: OcorpPlusParameters) -> PreemptiveResult:
    """Schedule as `ocorp` does, but charge ``alpha (x(t) - x(t - 1))^2`` for every change of a rate x = cores / demand.

    A slot minimises the sum over jobs of ``(w - lambda) x`` plus that charge; a job's first slot is free of it. While
    cores are wanted, a work-conserving slot gives all of them.

    Parameters
    ----------
    instance : Instance
        As in `ocorp`.

    Returns
    -------
    PreemptiveResult
        As of `ocorp`.

    Raises
    ------
    InfeasibleError, InvalidInstanceError, TypeError, UnsupportedError
        As `ocorp`; also `InvalidInstanceError` for a negative `alpha`, and `UnsupportedError` for "greedy" and
        "flow" with more than one resource, or where all machines have and all jobs together ask for more than
        10**7 cores.

    See Also
    --------
    ocorp : how a slot goes.

    Notes
    -----
    A slot with n active jobs takes expected O(n log n) by "joblevel", however many cores there are, O(cores log
    cores) by "greedy", and at least n times the number of machines for every core by "flow": for small clusters.
    """
    columns = columns_with_room(instance)
    if parameters.solver != "joblevel" and instance.n_resources > 1:
        raise UnsupportedError(
            f"ocorp_plus with solver = {parameters.solver!r} shares cores alone; with memory use 'joblevel'"
        )
    n_cores = min(exact_total(columns.capacity[:, 0]), exact_total(believed_cores(columns)))
    check_single_cores(parameters.solver, n_cores)
    return run_dual("ocorp_plus", instance, columns, parameters, policy="ocorp_plus")
