"""What a log says of its own schedule that cannot have been so, in sentences: figures, and no finding."""

from schedcore.metrics import RecordedRun
from schedcore.plotting.readable import significant
from schedcore.problems.policy_choice import RECORDED

__all__ = ["told_of_recorded"]


def told_of_recorded(run: RecordedRun, name: str = RECORDED) -> list[str]:
    """Return a sentence each for jobs without a start, starts before the release, and use above what there is.

    `name` is what the schedule is called.
    """
    sentences = []
    if run.n_without_start:
        sentences.append(
            f"{name}: it does not say when {run.n_without_start:,} of its "
            f"{run.n_without_start + run.inst.n_jobs:,} jobs started; the figures are about the others"
        )
    if run.n_early:
        sentences.append(
            f"{name}: {run.n_early:,} jobs started before their release; they count as started at it"
        )
    for above in run.excess():
        of_time, of_use = (significant(100 * share) for share in (above.share_of_time, above.share_of_use))
        sentences.append(
            f"{name}: up to {above.most:,} {above.resource} in use at one time, and there are {above.capacity:,}; "
            f"above that {of_time} % of the time, with {of_use} % of all use"
        )
    return sentences
