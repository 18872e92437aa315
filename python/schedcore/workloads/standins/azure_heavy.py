"""A stand-in for the Azure packing trace of 2020 whose lifetimes have a heavy tail.

The requests are those of `azure_like`, but for their lifetimes. Most of these are lognormal. A small share lives for 4
to 90 days, spread evenly over the logarithms, and makes three quarters of the work (median of all 1.6 h, mean 0.77
days). The four numbers behind this were fitted to the AWCT of MRIS and PQ that Fan and Liang (ICPP 2024) show in figure
3, and to nothing else; `docs/azure_heavy_fit.py` fits them anew. Logarithms and the like are those of
`portable_functions`, so the same seed gives the same instance everywhere.
"""

from dataclasses import dataclass

import numpy as np

from schedcore.model import Instance
from schedcore.model.arrays import FloatArray
from schedcore.workloads.draws.portable_functions import exponential, logarithm, normal_quantile
from schedcore.workloads.draws.splitmix import UInt64Array, open_uniform
from schedcore.workloads.standins.azure_requests import LONGEST, SHORTEST, drawn_requests

__all__ = ["FITTED", "HeavyTail", "azure_heavy"]

_DAY = 86_400


@dataclass(frozen=True)
class HeavyTail:
    """Lifetimes that are lognormal, but for a share that is log-uniform up to 90 days.

    Parameters
    ----------
    median : float
        Of the lognormal ones, in seconds.
    sigma : float
        Standard deviation of their logarithms.
    share : float
        Share of the others, above 0 and below 1.
    least : float
        The shortest of the others, in seconds; below 90 days.
    """

    median: float
    sigma: float
    share: float
    least: float

    def lifetimes(self, draws: UInt64Array) -> FloatArray:
        """Return whole seconds from 5 to 90 days, one a draw."""
        place = open_uniform(draws)
        body = 1 - self.share
        is_long = place >= body
        lifetime = np.empty_like(place)
        # either part has its quantile at the place within the part
        normal = normal_quantile(place[~is_long] / body)
        lifetime[~is_long] = self.median * exponential(self.sigma * normal)
        span = logarithm(np.array([LONGEST / self.least]))
        lifetime[is_long] = self.least * exponential(span * ((place[is_long] - body) / self.share))
        np.clip(lifetime, SHORTEST, LONGEST, out=lifetime)
        return np.floor(lifetime, out=lifetime)


#: Fitted to figure 3 on the job sets 1 to 3, among round numbers.
FITTED = HeavyTail(median=5400, sigma=1.75, share=0.0175, least=4 * _DAY)


def azure_heavy(seed: int, n_jobs: int, n_machines: int = 20, n_resources: int = 4) -> Instance:
    """Draw the jobs of `azure_like` with lifetimes that have a heavy tail.

    Arguments, errors and cost are those of `azure_like`, and so are the jobs, but for their processing times.
    """
    return drawn_requests(seed, n_jobs, n_machines, n_resources, FITTED.lifetimes)
