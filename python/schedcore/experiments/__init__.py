"""Experiments: workloads, policies, parameters and job sets as data, run on any number of workers, drawn and tabled.

`load` finds a description by name or reads it from TOML, `run` and `resume` fill a results folder, `open_results`
reads one. Descriptions can also be made of `Experiment`, `Workload`, `Sweep`, `Figure` and `Claim`. Rows are files
(``schedcore[traces]``), statistics and reports need ``schedcore[experiments]``, drawings ``schedcore[plot]``.
"""

from schedcore.experiments.catalogue import load, names, source
from schedcore.experiments.cells import n_cells
from schedcore.experiments.claim_description import Claim
from schedcore.experiments.claims import ClaimOutcome
from schedcore.experiments.description import Experiment, Sweep, Workload
from schedcore.experiments.figure_data import FigureData, Point
from schedcore.experiments.figure_description import Figure
from schedcore.experiments.results import Results, open_results
from schedcore.experiments.runner import Progress
from schedcore.experiments.running import resume, run
from schedcore.experiments.schema import COLUMNS, VOLATILE
from schedcore.experiments.statistics import Estimate

__all__ = [
    "COLUMNS",
    "VOLATILE",
    "Claim",
    "ClaimOutcome",
    "Estimate",
    "Experiment",
    "Figure",
    "FigureData",
    "Point",
    "Progress",
    "Results",
    "Sweep",
    "Workload",
    "load",
    "n_cells",
    "names",
    "open_results",
    "resume",
    "run",
    "source",
]
