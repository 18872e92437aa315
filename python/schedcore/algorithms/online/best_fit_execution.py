"""BF-EXEC: an arrival takes the fullest machine with room; a machine with a completion starts the shortest jobs.

Source: the baseline of Fan and Liang, ICPP 2024, section 7.2. Waiting jobs are tried only on machines with a
completion, weights are ignored, and there is no bounded competitive ratio.
"""

from schedcore import _core
from schedcore.engine.policy_simulation import run_policy
from schedcore.engine.queue_features import SINGLE_TASK_FEATURES
from schedcore.model import Instance, Machines, Result
from schedcore.parameters import Circumstances
from schedcore.registry import OnlinePolicy, registered

from .family import ONLINE

__all__ = ["bf_exec"]


def _policy(parameters: Circumstances, *, on_clusters: bool = False) -> _core.engine.Policy:
    return _core.online.BestFitExecutionPolicy(on_clusters=on_clusters)


def _embedded(machines: Machines, parameters: Circumstances) -> OnlinePolicy:
    return OnlinePolicy(_policy(parameters), for_clusters=_policy(parameters, on_clusters=True))


@registered(
    Circumstances,
    "BF-EXEC",
    ONLINE,
    embed=_embedded,
    takes=SINGLE_TASK_FEATURES,
    takes_embedded=SINGLE_TASK_FEATURES,
)
def bf_exec(instance: Instance, parameters: Circumstances) -> Result:
    """Schedule online by best fit on arrival and shortest first on completion.

    Parameters
    ----------
    instance : Instance
        As for `schedcore.online.pq`.

    Returns
    -------
    Result
        `objective` is "awct"; no guarantee.

    Raises
    ------
    InvalidInstanceError, InfeasibleError, UnsupportedError
        See `schedcore.solve`.

    Notes
    -----
    Best fit means least squared norm of free capacity in shares of the machine, compared exactly, ties to the lower
    machine. An arrival costs a search of the machines with room, a completion one of the waiting demand vectors.
    """
    return run_policy(
        "bf_exec",
        instance,
        _policy(parameters),
        parameters,
        cluster_policy=lambda: _policy(parameters, on_clusters=True),
    )
