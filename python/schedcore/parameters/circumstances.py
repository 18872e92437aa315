"""What a run is told of the cluster beside the instance: incidents, the rules of the site, jobs that can never run."""

from typing import Any, Literal

from schedcore.errors import UnsupportedError
from schedcore.model import Incidents, features_of_incidents

from .fields import argument
from .option_set import Parameters

__all__ = ["Circumstances"]


class Circumstances(Parameters):
    """The arguments of a policy for clusters beside its instance: options in a subclass, and these."""

    incidents: Incidents | None = argument(default=None, kw_only=True)
    site: Any = argument(default=None, kw_only=True)
    infeasible: Literal["refuse", "drop"] = argument(default="refuse", kw_only=True)

    def features(self) -> dict[str, str]:
        """Return the features that incidents use, and where, as `schedcore.model.features_of_incidents` does.

        Raises
        ------
        TypeError
            For incidents that are none.
        UnsupportedError
            For rules of a site.
        """
        if self.site is not None:
            raise UnsupportedError("rules of a site (site=) are not heeded by any policy yet")
        if self.incidents is None:
            return {}
        if not isinstance(self.incidents, Incidents):
            raise TypeError(f"incidents must be Incidents, not {type(self.incidents).__name__}")
        return features_of_incidents(self.incidents)
