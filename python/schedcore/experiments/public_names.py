"""What `schedcore.experiments` shows."""

from schedcore.experiments.catalogue import load, names, source
from schedcore.experiments.columns import COLUMNS, VOLATILE
from schedcore.experiments.description.claim import Claim
from schedcore.experiments.description.experiment import Experiment
from schedcore.experiments.description.figure import Figure
from schedcore.experiments.description.sweep import Sweep
from schedcore.experiments.description.workload import Workload
from schedcore.experiments.opened import Results, open_results
from schedcore.experiments.results.claims import ClaimOutcome
from schedcore.experiments.results.figure_data import FigureData, Point
from schedcore.experiments.results.statistics import Estimate
from schedcore.experiments.running.cells import n_cells
from schedcore.experiments.running.dispatch import Progress
from schedcore.experiments.start_or_resume import resume, run

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
