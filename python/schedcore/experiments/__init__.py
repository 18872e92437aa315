"""Experiments: workloads, policies, parameters and job sets as data, run on any number of workers, drawn and tabled.

`load` finds a description by name or reads it from TOML, `run` and `resume` fill a results folder, `open_results`
reads one. Descriptions can also be made of `Experiment`, `Workload`, `Sweep`, `Figure` and `Claim`. All of it comes
with ``schedcore[experiments]``, Dask with ``schedcore[distributed]``.
"""

from typing import TYPE_CHECKING

from schedcore.model.extras import import_extra
from schedcore.names_on_demand import names_on_demand

import_extra("pydantic", "experiments")  # a missing one is named before a module of this folder imports it

if TYPE_CHECKING:
    from schedcore.experiments.public_names import *  # noqa: F403
else:
    __getattr__, __dir__ = names_on_demand(__name__)
