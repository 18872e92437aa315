"""What a result knows of its jobs: where metrics of whole results begin."""

from schedcore.errors import UnsupportedError
from schedcore.model import Instance, Result, Runs

__all__ = ["jobs_of", "runs_of_jobs"]


def jobs_of(result: Result, metric: str) -> Instance:
    """Return the instance of a result.

    Raises
    ------
    UnsupportedError
        For a result that does not know it, or of another kind of instance; names the metric.
    TypeError
        For what is no result.
    """
    if not isinstance(result, Result):
        raise TypeError(f"result must be a schedcore.Result, not {type(result).__name__}")
    if not isinstance(result.instance, Instance):
        raise UnsupportedError(f"{metric} needs a result that knows its instance of jobs")
    return result.instance


def runs_of_jobs(result: Result, metric: str) -> tuple[Instance, Runs]:
    """Return the instance of a result and the runs of its jobs; without runs it is an `UnsupportedError`, too."""
    inst = jobs_of(result, metric)
    if result.runs is None:
        raise UnsupportedError(f"{metric} needs jobs that run in one piece; the result has no runs")
    return inst, result.runs
