"""What a run is told of the cluster beside the instance: incidents, the rules of the site, jobs that can never run."""

from typing import Any, Literal

from schedcore.errors import UnsupportedError
from schedcore.model import Incidents

from .fields import argument
from .option_set import Parameters

__all__ = ["Circumstances"]


class Circumstances(Parameters):
    """The arguments of a policy for clusters beside its instance: options in a subclass, and these."""

    incidents: Incidents | None = argument(default=None, kw_only=True)
    site: Any = argument(default=None, kw_only=True)
    infeasible: Literal["refuse", "drop"] = argument(default="refuse", kw_only=True)

    def features(self) -> dict[str, str]:
        """Return the features that incidents use, and where, as `schedcore.model.features_of` does.

        Raises
        ------
        TypeError
            For incidents that are none.
        UnsupportedError
            For rules of a site.
        """
        if self.site is not None:
            raise UnsupportedError("rules of a site (site=) are not heeded by any policy yet")
        incidents = self.incidents
        if incidents is None:
            return {}
        if not isinstance(incidents, Incidents):
            raise TypeError(f"incidents must be Incidents, not {type(incidents).__name__}")
        used = {}
        if incidents.failures is not None:
            used["failures"] = f"{len(incidents.failures)} of them"
        if incidents.cancellations:
            job, time = next(iter(incidents.cancellations.items()))
            used["cancellations"] = f"job with id {job} at {time!r}"
        return used
