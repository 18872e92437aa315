"""PSRS: every machine by itself plans its tasks by modified Smith ratio; wide tasks interrupt the others in the end.

Source: U. Schwiegelshohn, "Preemptive weighted completion time scheduling of parallel jobs", SIAM Journal on Computing
33(6), 2004, in the form in which Shafiee and Ghaderi compare with it.
Plans are made in ``src/cpp/parallel_tasks/psrs``.
"""

from fractions import Fraction
from numbers import Rational

from schedcore import _core
from schedcore.bounds.parallel_tasks import relaxation_bound
from schedcore.errors import InvalidInstanceError
from schedcore.model import ParallelTaskInstance, ParallelTaskResult, usable
from schedcore.model.kernel_columns import kernel_columns
from schedcore.model.real_numbers import finite_number, shown
from schedcore.parameters import Parameters, option
from schedcore.registry import registered

from .family import PARALLEL_TASKS, refuse_choice_of_machines
from .task_result import task_result

__all__ = ["psrs"]

_V = Fraction(209, 250)
_FACTOR = 2.37  # with this v, on one machine
_LARGEST_PART = 2**31 - 1  # of v as a fraction
_FLOAT_DENOMINATOR = 1_000_000


def _exact(name: str, v: object) -> Fraction:
    value = finite_number(name, v, above_0=True)
    fraction = (
        Fraction(v) if isinstance(v, Rational) else Fraction(value).limit_denominator(_FLOAT_DENOMINATOR)
    )
    if not (fraction > 0 and max(fraction.numerator, fraction.denominator) <= _LARGEST_PART):
        raise InvalidInstanceError(
            f"{name} = {shown(v)}, as the fraction {shown(fraction)}, must be above 0, and its numerator and "
            f"denominator below 2**31"
        )
    return fraction


class PsrsParameters(Parameters, kw_only=True):
    """The one option of PSRS."""

    v: float | Fraction = option(
        "how impatient wide tasks are: they wait p / v once half of the machine is free",
        "Above 0; near 0 they interrupt nobody. A float counts as the nearest fraction with a denominator up to"
        " 1,000,000: 0.836 is 209/250.",
        default=0.836,
        check=_exact,
    )


@registered(
    PsrsParameters,
    "PSRS: modified Smith ratios, wide tasks interrupt",
    PARALLEL_TASKS,
    source="Schwiegelshohn, SIAM Journal on Computing 2004",
    schedule_class="preempt",
    guarantee=True,
)
def psrs(instance: ParallelTaskInstance, parameters: PsrsParameters) -> ParallelTaskResult:
    """Schedule with preemption by the ratio weight / (demand x processing time), largest first.

    On each machine a task starts at the first instant, not before the start of the one before it in the list, from
    which there is room for it for good. A wide task (it needs more than half of some resource) waits no longer than
    p / v once half of every resource is free for good: then all others stop until it is done. At every release the
    plans of the machines concerned are made anew, with what remains of the tasks.

    Parameters
    ----------
    instance : ParallelTaskInstance
        One machine for each task.
    progress : callable, optional
        ``progress(tasks finished, n_tasks)``, one machine after the other.

    Returns
    -------
    ParallelTaskResult
        `guarantee` is 2.37 for one machine with one resource, jobs of one task, release times of 0 and the default
        `v`, else None. `lower_bound` is computed when asked for. `stats` has "n_rounded_waits": how often p / v had to
        be rounded up, by less than 1e-15 of the last completion time. Only arrivals can bring that about, where they
        cut what earlier ones had cut, some ten times over. 0: every decision is exact.

    Raises
    ------
    InfeasibleError
        If a task does not fit its machine.
    InvalidInstanceError
        If `v` is not above 0, or its numerator or denominator is 2**31 or more.
    TypeError
        If `v` is no number.
    UnsupportedError
        For tasks with several machines, and release times so fine that their digits need more than 126 bits.

    Notes
    -----
    Where there are several resources, the sum over them of demand / capacity takes the place of the demand. For n
    tasks of a machine, k of which run at a time, O(n (k + log n)), and O(k log n) more for each arrival. Times are
    computed as fractions and are the nearest doubles to them.
    """
    v: Fraction = parameters.checked("v")
    inst = usable(instance)
    refuse_choice_of_machines(inst, "psrs")
    pieces, n_rounded = _core.parallel_tasks.psrs(
        kernel_columns(inst),
        v_numerator=v.numerator,
        v_denominator=v.denominator,
        progress=parameters.progress,
    )
    return task_result(
        "psrs",
        instance,
        pieces,
        stats={"n_rounded_waits": n_rounded},
        guarantee=_FACTOR if v == _V and _is_proven(inst) else None,
        lower_bound=lambda: relaxation_bound(inst),
        options=parameters.recorded(),
    )


def _is_proven(instance: ParallelTaskInstance) -> bool:
    return (
        instance.n_machines == 1
        and instance.n_resources == 1
        and instance.n_tasks == instance.n_jobs
        and not instance.release_time.any()
    )
