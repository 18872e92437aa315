"""What a log says of the jobs that started: ids and times, machines and processors where it has them."""

import dataclasses
from typing import Any

from numpy.typing import NDArray

from schedcore.model.arrays import FloatArray, IntArray
from schedcore.workloads.logs.held_processors import HeldProcessors

__all__ = ["RecordedStarts"]


@dataclasses.dataclass(frozen=True)
class RecordedStarts:
    """Rows of jobs that started.

    Parameters
    ----------
    id : (n_rows,) int64
        Job ids.
    start : (n_rows,) float64
        On the clock of the log.
    submit : (n_rows,) float64, optional
        On the same clock, which is the instance's where there are none.
    run_time : (n_rows,) float64, optional
        How long the jobs ran; negative where the log does not say it.
    machine : (n_rows,) int64, optional
        Machines of the instance.
    held : HeldProcessors, optional
        The numbers of the processors.
    eligible : (n_rows,) float64, optional
        When jobs could start, on the clock of `submit`: either may be what the instance calls their release. NaN where
        it cannot be read.
    """

    id: IntArray
    start: FloatArray
    submit: FloatArray | None = None
    run_time: FloatArray | None = None
    machine: IntArray | None = None
    held: HeldProcessors | None = None
    eligible: FloatArray | None = None

    def rows(self, chosen: NDArray[Any]) -> "RecordedStarts":
        """Return the rows that a mask or an array of indices chooses."""
        return RecordedStarts(
            self.id[chosen],
            self.start[chosen],
            None if self.submit is None else self.submit[chosen],
            None if self.run_time is None else self.run_time[chosen],
            None if self.machine is None else self.machine[chosen],
            None if self.held is None else self.held.rows(chosen),
            None if self.eligible is None else self.eligible[chosen],
        )
