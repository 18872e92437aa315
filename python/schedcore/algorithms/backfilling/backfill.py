"""Everything between EASY and conservative backfilling: the first N waiting jobs hold reservations.

Sources: those of `easy` and `conservative`, which are N = 1 and no limit.
"""

from schedcore import _core
from schedcore.errors import InvalidInstanceError
from schedcore.model import Instance, Machines, Result
from schedcore.parameters import option, same_option
from schedcore.registry import registered

from .family import BACKFILLING, PLANNING_FEATURES, BackfillingParameters, embedded, run_backfilling
from .plan import Compressing, protecting_gang_policy, protecting_policy
from .selection import Overtaking, Selection
from .site_limits import PlanLimits, positive_integer

__all__ = ["backfill"]


class _Protecting(BackfillingParameters):
    protected: int | None = option(
        "how many waiting jobs hold reservations: 1 is EASY, None conservative",
        'With None the selection has no say: that is `schedcore.backfilling.conservative` with "ff".'
        " 1 is `schedcore.backfilling.easy`.",
        default=1,
        check=positive_integer,
        early=True,
        takes="int or None",
        for_kernel=False,
    )


class BackfillParameters(PlanLimits, Compressing, Overtaking, _Protecting):
    """How many jobs are protected, who of the others overtakes, and what sites set."""

    reservation_depth: int | None = option(
        "another name of protected",
        "It takes the place of that where that is left at 1.",
        default=None,
        check=positive_integer,
        early=True,
        recorded=False,
        for_kernel=False,
    )
    record: bool = same_option(
        default=False,
        kw_only=True,
        description="keep shadow times (protected=1) or reservations in stats",
        details='``stats["shadow"]`` is as of `schedcore.backfilling.easy`, ``stats["reservations"]`` as of'
        " `schedcore.backfilling.conservative`.",
    )

    def check(self) -> None:
        """Refuse two numbers for one thing."""
        if self.reservation_depth is not None and self.protected not in (1, self.reservation_depth):
            raise InvalidInstanceError(
                f"protected = {self.protected} and reservation_depth = {self.reservation_depth} are two names of one"
                " number"
            )

    @property
    def n_protected(self) -> int | None:
        """How many jobs are protected, whatever the name."""
        return self.protected if self.reservation_depth is None else self.reservation_depth

    def scored(self, n_resources: int) -> Selection:
        """Return the selection of those without a reservation, of whom there are none where all hold one."""
        return Selection("ff") if self.n_protected is None else super().scored(n_resources)

    def prototype(self, machines: Machines) -> _core.engine.Policy:
        selection = self.scored(machines.n_resources)
        return protecting_policy(self, self.n_protected, selection, self.compression)

    def gang_prototype(self, machines: Machines) -> _core.engine.Policy:
        selection = self.scored(machines.n_resources)
        return protecting_gang_policy(self, self.n_protected, selection, self.compression)


@registered(
    BackfillParameters,
    "backfilling with the first N jobs protected",
    BACKFILLING,
    embed=embedded,
    takes=PLANNING_FEATURES,
    takes_embedded=PLANNING_FEATURES,
)
def backfill(instance: Instance, parameters: BackfillParameters) -> Result:
    """Backfilling that protects the first waiting jobs: 1 is EASY, None is conservative.

    One reservation is looked up anew in every pass, so that nothing is compressed.

    Parameters
    ----------
    instance : Instance
        As for `schedcore.backfilling.easy`.

    Returns
    -------
    Result
        `objective` is "average_response_time"; no guarantee.

    Raises
    ------
    InvalidInstanceError, InfeasibleError
        See `schedcore.solve`; also for two different numbers of protected jobs.

    Notes
    -----
    Cost as for `schedcore.backfilling.conservative` over the protected jobs; the others cost what they cost under EASY.
    """
    options = parameters.recorded(protected=parameters.n_protected)
    return run_backfilling("backfill", instance, parameters, options)
