"""TETRIS as a non-preemptive baseline: pack what aligns with the free resources, weighed against small volume.

Source: Grandl et al., "Multi-resource packing for cluster schedulers", SIGCOMM 2014, in the adaptation of Fan and
Liang, ICPP 2024, section 7.2. Weights are ignored. No bounded competitive ratio.
"""

from typing import Literal

from schedcore import _core
from schedcore.engine.policy_simulation import run_policy
from schedcore.engine.queue_features import SINGLE_TASK_FEATURES
from schedcore.model import Instance, Machines, Result
from schedcore.parameters import Circumstances, option
from schedcore.registry import OnlinePolicy, registered

from .family import ONLINE

__all__ = ["tetris"]


class TetrisParameters(Circumstances):
    """How TETRIS weighs small volume."""

    mode: Literal["inverse", "minus", "plus"] = option(
        "second term of the score: inverse (a + eps/v), minus (a - eps v), plus (a + eps v, as printed)",
        'v is the volume of the job, a its alignment; "plus" prefers large volumes.',
        default="inverse",
    )


def _policy(parameters: TetrisParameters, *, on_clusters: bool = False) -> _core.engine.Policy:
    return _core.online.TetrisPolicy(mode=parameters.mode, on_clusters=on_clusters)


def _embedded(machines: Machines, parameters: TetrisParameters) -> OnlinePolicy:
    return OnlinePolicy(_policy(parameters), for_clusters=_policy(parameters, on_clusters=True))


@registered(
    TetrisParameters,
    "TETRIS",
    ONLINE,
    source="Grandl et al., SIGCOMM 2014",
    non_idling=True,
    embed=_embedded,
    takes=SINGLE_TASK_FEATURES,
    takes_embedded=SINGLE_TASK_FEATURES,
)
def tetris(instance: Instance, parameters: TetrisParameters) -> Result:
    """Schedule online by alignment: machine by machine, start the fitting job with the best score until none fits.

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
    Scores within 1e-9 of the best count as ties and go to the lowest job index. A start costs one pass over the
    distinct demand vectors that fit the machine.
    """
    return run_policy(
        "tetris",
        instance,
        _policy(parameters),
        parameters,
        cluster_policy=lambda: _policy(parameters, on_clusters=True),
    )
