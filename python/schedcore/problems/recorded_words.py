"""What a log says of its own schedule that cannot have been so, in sentences: figures, and no finding."""

from schedcore.metrics import RecordedRun
from schedcore.plotting.readable import significant
from schedcore.problems.policy_choice import RECORDED
from schedcore.problems.presentation import quantity

__all__ = ["told_of_recorded"]


def told_of_recorded(run: RecordedRun, name: str = RECORDED) -> list[str]:
    """Return a sentence each for jobs without a start, starts before the release, and use above what there is.

    `name` is what the schedule is called.
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
        of_time, of_use = (significant(100 * share) for share in (above.share_of_time, above.share_of_use))
        sentences.append(
            f"{name}: up to {above.most:,} {above.resource} in use at one time, and there are {above.capacity:,}; "
            f"above that {of_time} % of the time, with {of_use} % of all use"
        )
    return sentences
