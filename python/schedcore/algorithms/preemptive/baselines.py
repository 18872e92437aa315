"""The policies that OCORP is compared with: smallest remaining time, volume or cores first, or first come first served.

Source: H. Xu, Y. Liu and W. C. Lau, "Optimal job scheduling with resource packing for heterogeneous servers",
IEEE/ACM Transactions on Networking, 2021, section VI; FIFO is ours, for reference. Every slot is decided anew,
with interruptions, with the same packing onto servers and the same rules for memory as OCORP. The slots run in
``src/cpp/preemptive/slotted_simulation``.
"""

from collections.abc import Callable
from typing import Any, Literal

from numpy.typing import ArrayLike

from schedcore.errors import UnsupportedError
from schedcore.model import Instance, MapReduceInstance, PreemptiveResult
from schedcore.registry import Algorithm, register

from .family import (
    BASELINE_MEM_MODE,
    FAMILY,
    LATENCY,
    MAX_SLOTS,
    OBJECTIVE,
    PACKING,
    PAPER,
    PLACEMENT,
    POWER,
    RECORD,
    Progress,
    run_rules,
)
from .mapreduce_baselines import run_mapreduce_baseline
from .slot_run import run_baseline

__all__ = ["fifo", "srf", "srpt", "srvf", "svf"]


def srpt(
    instance: Instance | MapReduceInstance,
    *,
    k: int = 2,
    packing: Literal["ffd", "sticky"] = "ffd",
    mem_mode: Literal["backfill", "once"] = "backfill",
    placement: Literal["pack", "latency"] = "pack",
    latency: ArrayLike | None = None,
    max_slots: int | None = None,
    record: bool = False,
    progress: Progress = None,
) -> PreemptiveResult:
    """Serve jobs in ascending order of remaining processing time, remaining core-slots / cores.

    In slot t, the interval [t - 1, t), released jobs are served in that order, ties by index, each with all it can use,
    until all cores are given; the last may get fewer. Cores are packed onto servers, and memory is granted in the same
    order, passing over what does not fit.

    Parameters
    ----------
    instance : Instance or MapReduceInstance
        Times in whole slots; resources as in `ocorp`. Of a `MapReduceInstance`, as `ocorp_mapreduce` serves it,
        in this order.
    k : int
        Power of the flow times in `value`, `lower_bound` and "fractional", 1 to 64; no decision depends on it.
    packing : {"ffd", "sticky"}
        Pack each slot anew, or leave jobs first where they ran in the slot before.
    mem_mode : {"backfill", "once"}
        Cores of jobs that get no memory: offered to all jobs in order, or idle. For an `Instance`.
    placement : {"pack", "latency"}
        For a `MapReduceInstance`: pack the tasks, or place them where latency is least.
    latency : (n_tasks, n_machines) array_like, optional
        For ``placement="latency"``.
    max_slots : int, optional
        End the run after this slot.
    record : bool
        Keep the refusals of every slot in `stats`; as for `ocorp`, there are "multipliers", without rows.
    progress : callable, optional
        ``progress(jobs completed, n_jobs)``.

    Returns
    -------
    PreemptiveResult
        `value` is the sum of flow_time^k, `lower_bound` that of processing_time^k, `stats` as of `ocorp`;
        "gamma" is None.

    Raises
    ------
    InfeasibleError, InvalidInstanceError, TypeError
        As `ocorp`.
    UnsupportedError
        For `placement` or `latency` with an `Instance`, `mem_mode` with a `MapReduceInstance`, and slots beyond 2**53.

    Notes
    -----
    O((active jobs + machines) log) for each slot in which a job arrives, completes, can use less than before or changes
    places with another where that matters; slots in between are passed over.
    """
    return _run("srpt", instance, k, packing, mem_mode, placement, latency, max_slots, record, progress)


def srvf(
    instance: Instance | MapReduceInstance,
    *,
    k: int = 2,
    packing: Literal["ffd", "sticky"] = "ffd",
    mem_mode: Literal["backfill", "once"] = "backfill",
    placement: Literal["pack", "latency"] = "pack",
    latency: ArrayLike | None = None,
    max_slots: int | None = None,
    record: bool = False,
    progress: Progress = None,
) -> PreemptiveResult:
    """Serve jobs in ascending order of remaining volume, in core-slots; with estimates, as if cores were those.

    Parameters
    ----------
    instance, k, packing, mem_mode, placement, latency, max_slots, record, progress
        As in `srpt`.

    Returns
    -------
    PreemptiveResult
        As of `srpt`.

    Raises
    ------
    InfeasibleError, InvalidInstanceError, TypeError, UnsupportedError
        As `srpt`.

    See Also
    --------
    srpt : what each option means, and how a slot goes.
    """
    return _run("srvf", instance, k, packing, mem_mode, placement, latency, max_slots, record, progress)


def svf(
    instance: Instance | MapReduceInstance,
    *,
    k: int = 2,
    packing: Literal["ffd", "sticky"] = "ffd",
    mem_mode: Literal["backfill", "once"] = "backfill",
    placement: Literal["pack", "latency"] = "pack",
    latency: ArrayLike | None = None,
    max_slots: int | None = None,
    record: bool = False,
    progress: Progress = None,
) -> PreemptiveResult:
    """Serve jobs in ascending order of volume, processing time x cores.

    Parameters
    ----------
    instance, k, packing, mem_mode, placement, latency, max_slots, record, progress
        As in `srpt`.

    Returns
    -------
    PreemptiveResult
        As of `srpt`.

    Raises
    ------
    InfeasibleError, InvalidInstanceError, TypeError, UnsupportedError
        As `srpt`.

    See Also
    --------
    srpt : what each option means, and how a slot goes.
    """
    return _run("svf", instance, k, packing, mem_mode, placement, latency, max_slots, record, progress)


def srf(
    instance: Instance | MapReduceInstance,
    *,
    k: int = 2,
    packing: Literal["ffd", "sticky"] = "ffd",
    mem_mode: Literal["backfill", "once"] = "backfill",
    placement: Literal["pack", "latency"] = "pack",
    latency: ArrayLike | None = None,
    max_slots: int | None = None,
    record: bool = False,
    progress: Progress = None,
) -> PreemptiveResult:
    """Serve jobs in ascending order of the cores that they ask for.

    Parameters
    ----------
    instance, k, packing, mem_mode, placement, latency, max_slots, record, progress
        As in `srpt`.

    Returns
    -------
    PreemptiveResult
        As of `srpt`.

    Raises
    ------
    InfeasibleError, InvalidInstanceError, TypeError, UnsupportedError
        As `srpt`.

    See Also
    --------
    srpt : what each option means, and how a slot goes.
    """
    return _run("srf", instance, k, packing, mem_mode, placement, latency, max_slots, record, progress)


def fifo(
    instance: Instance | MapReduceInstance,
    *,
    k: int = 2,
    packing: Literal["ffd", "sticky"] = "ffd",
    mem_mode: Literal["backfill", "once"] = "backfill",
    placement: Literal["pack", "latency"] = "pack",
    latency: ArrayLike | None = None,
    max_slots: int | None = None,
    record: bool = False,
    progress: Progress = None,
) -> PreemptiveResult:
    """Serve jobs in order of release.

    Parameters
    ----------
    instance, k, packing, mem_mode, placement, latency, max_slots, record, progress
        As in `srpt`.

    Returns
    -------
    PreemptiveResult
        As of `srpt`.

    Raises
    ------
    InfeasibleError, InvalidInstanceError, TypeError, UnsupportedError
        As `srpt`.

    See Also
    --------
    srpt : what each option means, and how a slot goes.
    """
    return _run("fifo", instance, k, packing, mem_mode, placement, latency, max_slots, record, progress)


def _run(
    name: str,
    instance: Instance | MapReduceInstance,
    k: int,
    packing: Literal["ffd", "sticky"],
    mem_mode: str,
    placement: Literal["pack", "latency"],
    latency: ArrayLike | None,
    max_slots: int | None,
    record: bool,
    progress: Progress,
) -> PreemptiveResult:
    if isinstance(instance, MapReduceInstance):
        if mem_mode != BASELINE_MEM_MODE.default:
            raise UnsupportedError(
                f"{name} takes mem_mode = {mem_mode!r} for an Instance alone, not a MapReduceInstance"
            )
        return run_mapreduce_baseline(
            name,
            instance,
            k=k,
            packing=packing,
            placement=placement,
            latency=latency,
            max_slots=max_slots,
            record=record,
            progress=progress,
        )
    if placement != PLACEMENT.default or latency is not None:
        raise UnsupportedError(f"{name} takes placement and latency for a MapReduceInstance alone")
    return run_baseline(name, name, instance, run_rules(k, packing, max_slots, record), mem_mode, progress)


_TITLES: tuple[tuple[Callable[..., Any], str, str], ...] = (
    (srpt, "Shortest remaining processing time first, preemptive", PAPER),
    (srvf, "Smallest remaining volume first, preemptive", PAPER),
    (svf, "Smallest volume first, preemptive", PAPER),
    (srf, "Smallest request first, preemptive", PAPER),
    (fifo, "First in, first out, on all cores at once", "beyond the papers"),
)
for _function, _title, _source in _TITLES:
    register(
        Algorithm(
            _function.__name__,
            _title,
            FAMILY,
            _source,
            _function,
            (POWER, PACKING, BASELINE_MEM_MODE, PLACEMENT, LATENCY, MAX_SLOTS, RECORD),
            OBJECTIVE,
            also_solves=(MapReduceInstance,),
            slotted=True,
            machines_may_differ=True,
        )
    )
