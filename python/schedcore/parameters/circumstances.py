"""What a run is told of the cluster beside the instance: incidents, the rules of the site, jobs that can never run."""

from typing import Literal

from schedcore.model import Incidents, Site, features_of_incidents, features_of_site
from schedcore.model.telling_columns import columns_read_by

from .fields import argument
from .option_set import Parameters

__all__ = ["Circumstances"]


class Circumstances(Parameters):
    """The arguments of a policy for clusters beside its instance: options in a subclass, and these."""

    incidents: Incidents | None = argument(default=None, kw_only=True)
    site: Site | None = argument(default=None, kw_only=True)
    infeasible: Literal["refuse", "drop"] = argument(default="refuse", kw_only=True)

    def features(self) -> dict[str, str]:
        """Return the features that incidents and the site use, and where, as those of `schedcore.model` do.

        Raises
        ------
        TypeError
            For incidents or a site that are none.
        """
        if self.incidents is not None and not isinstance(self.incidents, Incidents):
            raise TypeError(f"incidents must be Incidents, not {type(self.incidents).__name__}")
        if self.site is not None and not isinstance(self.site, Site):
            raise TypeError(f"site must be a Site, not {type(self.site).__name__}")
        return features_of_incidents(self.incidents) | features_of_site(self.site)

    def columns_read(self) -> frozenset[str]:
        """Return the columns of jobs that the rules of the site read."""
        return columns_read_by(self.site)
