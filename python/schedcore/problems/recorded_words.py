"""What a log says of its own schedule that cannot have been so, in sentences: figures, and no finding."""

from schedcore.metrics import RecordedRun
from schedcore.plotting.readable import percent
from schedcore.problems.policy_choice import RECORDED
from schedcore.problems.presentation import quantity
from schedcore.workloads.reading.report import DataReport

__all__ = ["told_of_recorded"]


def told_of_recorded(run: RecordedRun, report: DataReport, name: str = RECORDED) -> list[str]:
    """Return a sentence each for jobs without a start, starts before the release, and use above what there is.

    `report` tells in which units amounts are; `name` is what the schedule is called.
    """
    sentences = []
    if run.n_without_start:
        sentences.append(
            f"{name}: no start is told of {run.n_without_start:,} of its "
            f"{run.n_without_start + run.inst.n_jobs:,} jobs; the figures are about the others"
        )
    if run.n_early:
        sentences.append(
            f"{name}: {quantity(run.n_early, 'job')} started before the release; that counts as a start at it"
        )
    for above in run.excess():
        unit = report.units.get(above.resource, above.resource)
        what = above.resource if unit == above.resource else f"{above.resource} ({unit})"
        sentences.append(
            f"{name}: up to {above.most:,} {what} in use at one time, and there are {above.capacity:,}; "
            f"above that {percent(above.share_of_time)} of the time, with {percent(above.share_of_use)} of all use"
        )
    return sentences
