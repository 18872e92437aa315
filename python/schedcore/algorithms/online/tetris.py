"""TETRIS as a non-preemptive baseline: pack what aligns with the free resources, weighed against small volume.

Source: Grandl et al., "Multi-resource packing for cluster schedulers", SIGCOMM 2014, in the adaptation of Fan and
Liang, ICPP 2024, section 7.2. Weights are ignored. No bounded competitive ratio.
"""

from schedcore import _core
from schedcore.algorithms.workload_run import Progress, run_policy
from schedcore.model import Instance, Machines, Result
from schedcore.model.choices import check_choice
from schedcore.registry import Algorithm, OnlinePolicy, Option, register

from .family import FAMILY

__all__ = ["tetris"]

_MODE = Option(
    "mode",
    "inverse",
    "second term of the score: inverse (a + eps/v), minus (a - eps v), plus (a + eps v, as printed)",
    ("inverse", "minus", "plus"),
)


def tetris(instance: Instance, mode: str = "inverse", *, progress: Progress = None) -> Result:
    """Schedule online by alignment: machine by machine, start the fitting job with the best score until none fits.

    Parameters
    ----------
    instance : Instance
        As for `schedcore.pq`.
    mode : {"inverse", "minus", "plus"}
        How small volume v counts beside the alignment a, see the module's source; "plus" prefers large volumes.
    progress : callable, optional
        ``progress(jobs_started, n_jobs)``.

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
    return run_policy("tetris", instance, _prototype(mode), options={"mode": mode}, progress=progress)


def _prototype(mode: str) -> _core.Policy:
    check_choice("mode", mode, _MODE.choices or ())
    return _core.TetrisPolicy(mode)


def _embed(machines: Machines, mode: str = "inverse") -> OnlinePolicy:
    return OnlinePolicy(_prototype(mode))


register(
    Algorithm(
        "tetris",
        "TETRIS",
        FAMILY,
        "Grandl et al., SIGCOMM 2014",
        tetris,
        (_MODE,),
        "awct",
        non_idling=True,
        embed=_embed,
    )
)
