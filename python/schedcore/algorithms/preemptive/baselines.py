"""The policies that OCORP is compared with: smallest remaining time, volume or cores first, or first come first served.

Source: H. Xu, Y. Liu and W. C. Lau, "Optimal job scheduling with resource packing for heterogeneous servers",
IEEE/ACM Transactions on Networking 29(4), 2021, section VI; FIFO is ours, for reference. Every slot is decided anew,
with interruptions, with the same packing onto servers and the same rules for memory as OCORP; or, as `service` says,
without splitting jobs over servers, which the paper does not tell of its simulation. The slots run in
``src/cpp/preemptive/slotted_simulation``, or for jobs of map and reduce tasks in ``mapreduce_simulation``.
"""

from collections.abc import Callable
from typing import Concatenate, ParamSpec

from schedcore.errors import UnsupportedError
from schedcore.model import Instance, MapReduceInstance, PreemptiveResult
from schedcore.registry import registered

from .family import PREEMPTIVE, PhaseRun, ServiceRun
from .jobs_with_room import columns_with_room, columns_with_server
from .mapreduce_simulation import run_mapreduce
from .slotted_simulation import run_in_slots

__all__ = ["fifo", "srf", "srpt", "srvf", "svf"]

Arguments = ParamSpec("Arguments")


class BaselineParameters(PhaseRun, ServiceRun, kw_only=True):
    """The options of a policy that solves two kinds of instances; one group is of either."""


def _baseline(
    parameters: Callable[Arguments, BaselineParameters],
    name: str,
    title: str,
    order: str,
    order_of_phases: str,
    source: str = PREEMPTIVE.facts["source"],
) -> Callable[Concatenate[Instance | MapReduceInstance, Arguments], PreemptiveResult]:
    """Register the policy that the kernels know by this name."""

    def run(instance: Instance | MapReduceInstance, parameters: BaselineParameters) -> PreemptiveResult:
        if isinstance(instance, MapReduceInstance):
            for option in ("mem_mode", "service"):
                value = getattr(parameters, option)
                if value != getattr(BaselineParameters, option):
                    raise UnsupportedError(
                        f"{name} takes {option} = {value!r} for an Instance alone, not a MapReduceInstance"
                    )
            return run_mapreduce(name, instance, parameters.part(PhaseRun), order=name, record=False)
        if parameters.placement != BaselineParameters.placement or parameters.latency is not None:
            raise UnsupportedError(f"{name} takes placement and latency for a MapReduceInstance alone")
        columns = (columns_with_room if parameters.service == "shared" else columns_with_server)(instance)
        return run_in_slots(name, instance, columns, parameters.part(ServiceRun), policy=name)

    run.__doc__ = f"""Serve jobs in {order}.

    In slot t, the interval [t - 1, t), released jobs are served in that order, ties by index, each with all it can use,
    until all cores are given; the last may get fewer. Cores are packed onto servers, and memory is granted in the same
    order, passing over what does not fit. With another `service` a job has all that it asks for on one server, or does
    not run, and the first that does not fit keeps those after it from running, unless it is skipped. Of jobs of map and
    reduce tasks the active phase is served, in {order_of_phases}.
    No decision depends on k. There are no multipliers to record.

    Parameters
    ----------
    instance : Instance or MapReduceInstance
        Times in whole slots; resources as in `ocorp`. Of a `MapReduceInstance`, as `ocorp_mapreduce` serves it.

    Returns
    -------
    PreemptiveResult
        `value` is the sum of flow_time^k, `lower_bound` that of processing_time^k, `stats` as of `ocorp`;
        "gamma" is None.

    Raises
    ------
    InfeasibleError, InvalidInstanceError, TypeError
        As `ocorp`. Where jobs are served whole, for one that fits no machine.
    UnsupportedError
        For `placement` or `latency` with an `Instance`, `mem_mode` or `service` with a `MapReduceInstance`, `packing`
        or `mem_mode` where jobs are served whole, `skip` where they are not, and slots beyond 2**53.

    Notes
    -----
    O((active jobs + machines) log) for each slot in which a job arrives, completes, can use less than before or changes
    places with another where that matters; slots in between are passed over.
    """
    return registered(
        parameters, title, PREEMPTIVE, name=name, source=source, also_solves=(MapReduceInstance,)
    )(run)


srpt = _baseline(
    BaselineParameters,
    "srpt",
    "Shortest remaining processing time first, preemptive",
    "ascending order of remaining processing time, remaining core-slots / cores",
    "ascending order of the largest remaining time of a map task plus the largest of a reduce task",
)
srvf = _baseline(
    BaselineParameters,
    "srvf",
    "Smallest remaining volume first, preemptive",
    "ascending order of remaining volume, in core-slots; with estimates, as if cores were those",
    "ascending order of the core-slots that remain in both phases",
)
svf = _baseline(
    BaselineParameters,
    "svf",
    "Smallest volume first, preemptive",
    "ascending order of volume, processing time x cores",
    "ascending order of the core-slots of both phases",
)
srf = _baseline(
    BaselineParameters,
    "srf",
    "Smallest request first, preemptive",
    "ascending order of the cores that they ask for",
    "ascending order of the cores of a task of that phase",
)
fifo = _baseline(
    BaselineParameters,
    "fifo",
    "First in, first out, on all cores at once",
    "order of release",
    "that order, too",
    source="beyond the papers",
)
