"""Why the waiting jobs of an embedded scheduler wait."""

from __future__ import annotations

from dataclasses import dataclass

from numpy.typing import ArrayLike

from schedcore import _core

from .call_arguments import id_array

__all__ = ["Explanation", "Explanations"]


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a job waits: the first of these reasons that holds. Fields that say nothing of it are () or None.

    Attributes
    ----------
    id : int
    reason : str
        "held": by a hold.
        "dependency": it waits for others that have not ended (`jobs`, ascending).
        "limit": it would exceed a limit of the site (`limit`, the first of them).
        "down": it does not fit the empty cluster without machines that have failed or are closed (`machines`).
        "outage": beside running jobs it would fit now, if no outage were announced (`machines`).
        "reservation": beside running jobs and outages it would fit now, if nothing were reserved in advance
        (`machines`). Of a job that names a reservation: it waits for its start, or inside it at most until its end
        (`time`).
        "resources": running jobs hold what it needs. The first instant at which it fits beside them is `time`, on
        `machines`, which now lack `shortage`; inf and () where there is none.
        "reserved": it would fit, but for what others have been promised (`jobs`).
        "planned": it would fit, but has been promised a later start (`time`).
        "order": it would fit, and others come first that no limit holds: `before` of them, the first is in `jobs`.
        Where it is 0, the policy waits for an instant of its own: "mris" for the end of its interval, "ca_pq" for the
        last release.
    jobs : tuple of int
        In the order of the queue.
    machines : tuple of int
        Indices, ascending; of "resources" in the order of preference.
    limit : int or None
        The index in ``site.limits``.
    time : float or None
    shortage : tuple of int
        An amount for each resource.
    before : int or None
    """

    id: int
    reason: str
    jobs: tuple[int, ...] = ()
    machines: tuple[int, ...] = ()
    limit: int | None = None
    time: float | None = None
    shortage: tuple[int, ...] = ()
    before: int | None = None


class Explanations:
    """The part of `OnlineScheduler` that says why jobs wait."""

    _core: _core.engine.OnlineScheduler

    def explain(self, ids: ArrayLike | None = None) -> list[Explanation]:
        """Return why jobs wait, as of the last `advance`; it changes nothing.

        Parameters
        ----------
        ids : (n,) array_like of int, optional
            Jobs that wait or are held. Default: all of them, ascending.

        Raises
        ------
        InvalidInstanceError
            For a job that does not wait.
        UnsupportedError
            For a policy that heeds no changes of a cluster ("tetris_np", "jsq_mw"), and tasks of parallel jobs.

        Notes
        -----
        Costs a copy of the state, a plan of what runs and was promised, and a few searches of it for each job.
        """
        asked = None if ids is None else id_array(ids)
        return [
            Explanation(
                job,
                reason,
                tuple(jobs),
                tuple(machines),
                limit,
                time,
                tuple(shortage),
                before,
            )
            for job, reason, jobs, machines, time, shortage, before, limit in _core.gangs.explanations(
                self._core, asked
            )
        ]
