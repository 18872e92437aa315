"""Which lifetimes let MRIS overtake PQ: the tables of docs/mris-evaluation.md that change nothing but lifetimes.

On the Azure trace of 2017 MRIS does not overtake PQ, on `azure_heavy` it does. The trace ends after 3.5 days, so its
lifetimes have no tail. Here both workloads run with lifetimes that are cut off, continued or those of the other one,
on the job sets of the evaluation. Run as a script with the table of the trace, it rewrites what stands between the
marks of the page; it takes a few minutes::

    python docs/mris_lifetimes.py azure_v1_dev_vms.csv.gz
"""

import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import numpy as np
import pandas as pd
from marked_tables import Tables, page_with_tables
from numpy.typing import NDArray

import schedcore
from schedcore import Instance, experiments
from schedcore.experiments.report.tables import FigureTable, markdown, written
from schedcore.experiments.results.statistics import estimate
from schedcore.workloads import azure_heavy, downsample, downsampling_offset, offered_load, read_azure_v1
from schedcore.workloads.draws.portable_functions import exponential, logarithm
from schedcore.workloads.draws.splitmix import Draws, UInt64Array, open_uniform
from schedcore.workloads.standins.azure_heavy import FITTED
from schedcore.workloads.standins.azure_requests import LONGEST

PAGE = Path(__file__).parent / "mris-evaluation.md"
WINDOW = 3.5 * 86_400  # what the table of the trace covers
HOSTS = "20x64,448GB"
FACTORS = (64, 32, 16, 8, 4)
N_JOBS = (8000, 16000, 32000, 64000, 128000, 256000)
JOB_SETS = range(1, 11)
SALT = 2017  # seed of what is drawn here; one draw a VM, for all job sets

Seconds = NDArray[np.float64]


class Trace:
    """The VMs of 2017, and which of them still ran when the observation ended."""

    def __init__(self, path: str) -> None:
        self.instance, _ = read_azure_v1(path, HOSTS)
        table = pd.read_csv(path, usecols=["vm", "censored"]).set_index("vm")
        self.is_cut = table.loc[self.instance.jobs.id, "censored"].to_numpy() != 0

    @property
    def lifetimes(self) -> Seconds:
        return self.instance.jobs.processing_time

    def continued(self) -> Seconds:
        """Lifetimes that were cut off go on: log-uniform from what was seen to 90 days."""
        seen = self.lifetimes
        steps = logarithm(LONGEST / seen) * open_uniform(self._draws())
        return np.where(self.is_cut, np.floor(seen * exponential(steps)), seen)

    def of_azure_heavy(self) -> Seconds:
        """Other lifetimes altogether, whatever the VM."""
        return FITTED.lifetimes(self._draws())

    def _draws(self) -> UInt64Array:
        return Draws(SALT, len(self.lifetimes), 1).column(0)


def shortened(lifetimes: Seconds) -> Seconds:
    """No lifetime is longer than what the trace covers."""
    return np.minimum(lifetimes, WINDOW)


def of_trace(trace: Trace, instance: Instance) -> Seconds:
    """Lifetimes of VMs of the trace that are drawn at random."""
    chosen = Draws(SALT, instance.n_jobs, 1).below(0, len(trace.lifetimes)).astype(np.intp)
    drawn: Seconds = trace.lifetimes[chosen]
    return drawn


def policy_days(name: str, instance: Instance) -> float:
    """AWCT of a policy of the evaluation, in days."""
    choice = experiments.load("mris-figures").choices[name]
    return schedcore.solve(choice.name, instance, **choice.options).value / 86_400


def cell(instances: Iterator[Instance]) -> str:
    """PQ over MRIS with its band, and how much work is offered on average: one cell of the table."""
    ratios, loads = [], []
    for instance in instances:
        ratios.append(policy_days("PQ", instance) / policy_days("MRIS", instance))
        loads.append(offered_load(instance)[0])
    return f"{written(estimate(ratios))} ({np.mean(loads):.1f})"


def thinned(instance: Instance, factor: int) -> Iterator[Instance]:
    """The job sets of the evaluation of the trace."""
    for job_set in JOB_SETS[:factor]:
        yield downsample(instance, factor, downsampling_offset(factor, job_set))


def trace_table(trace: Trace) -> str:
    """The VMs of 2017 with other lifetimes."""
    heavy = trace.of_azure_heavy()
    rows = {
        "as recorded": trace.lifetimes,
        "those cut off go on, up to 90 days": trace.continued(),
        "those of `azure_heavy`": heavy,
        "those of `azure_heavy`, none above 3.5 days": shortened(heavy),
    }
    n_jobs = [f"{-(-trace.instance.n_jobs // factor):,} jobs" for factor in FACTORS]
    lines = [
        [
            label,
            *(cell(thinned(trace.instance.replace(processing_time=lifetimes), factor)) for factor in FACTORS),
        ]
        for label, lifetimes in rows.items()
    ]
    return markdown(FigureTable(["lifetimes", *n_jobs], lines))


def heavy_table(trace: Trace) -> str:
    """The jobs of `azure_heavy` with other lifetimes."""
    rows: Mapping[str, Callable[[Instance], Seconds]] = {
        "as they are": lambda instance: instance.jobs.processing_time,
        "none above 3.5 days": lambda instance: shortened(instance.jobs.processing_time),
        "those of the trace": lambda instance: of_trace(trace, instance),
    }

    def drawn(n_jobs: int, lifetimes: Callable[[Instance], Seconds]) -> Iterator[Instance]:
        for seed in JOB_SETS:
            instance = azure_heavy(seed, n_jobs)
            yield instance.replace(processing_time=lifetimes(instance))

    lines = [
        [label, *(cell(drawn(n_jobs, lifetimes)) for n_jobs in N_JOBS)] for label, lifetimes in rows.items()
    ]
    return markdown(FigureTable(["lifetimes", *(f"{n_jobs:,} jobs" for n_jobs in N_JOBS)], lines))


def quantile_table(trace: Trace) -> str:
    """How long jobs live: the share that lives longer, and has which share of the time of all."""
    hours = (1, 6, 24, 84, 240, 720)
    rows = {
        "trace": trace.lifetimes,
        "trace, those cut off go on": trace.continued(),
        "`azure_like`": schedcore.workloads.azure_like(1, 256_000).jobs.processing_time,
        "`azure_heavy`": azure_heavy(1, 256_000).jobs.processing_time,
    }
    lines = []
    for label, lifetimes in rows.items():
        longer = [lifetimes > 3600 * n for n in hours]
        shares = (
            f"{100 * one.mean():.2g} % ({100 * lifetimes[one].sum() / lifetimes.sum():.0f} %)"
            for one in longer
        )
        lines.append(
            [label, f"{np.median(lifetimes) / 3600:.2f} h", f"{lifetimes.mean() / 3600:.1f} h", *shares]
        )
    heads = ("1 h", "6 h", "1 day", "3.5 days", "10 days", "30 days")
    return markdown(FigureTable(["lifetimes", "median", "mean", *(f"above {head}" for head in heads)], lines))


TABLES: Tables = {
    "quantiles": lambda trace, _: quantile_table(trace),
    "trace": lambda trace, _: trace_table(trace),
    "azure-heavy": lambda trace, _: heavy_table(trace),
}

if __name__ == "__main__":
    lifetimes = {"lifetimes": Trace(sys.argv[1])}
    PAGE.write_text(page_with_tables(PAGE.read_text(encoding="utf-8"), lifetimes, TABLES), encoding="utf-8")
