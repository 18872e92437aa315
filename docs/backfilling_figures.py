"""Figures 1 to 7 of the study of backfilling with several resources: what the workloads look like.

Leinberger, Karypis and Kumar, SC 1999, on the workload models of this library and on recorded logs. The figures of
results, 8 to 15, belong to the experiments ``backfilling-evaluation`` and ``backfilling-logs``. Most jobs take little
of the machine, so figures 4 and 6 have cumulative curves on a logarithmic axis below the frequencies of the paper. Run
as a script, this draws PNG and SVG into a folder; figures 6 and 7 need logs that record memory::

    python docs/backfilling_figures.py FOLDER [LOG.swf.gz ...]
"""

import math
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

import schedcore
from schedcore.experiments import load
from schedcore.plotting.style import INK, legend_above, lighten, series
from schedcore.workloads import feitelson, first_jobs, k_resource_demand, lublin, read_swf

VARIANCES = (0.01, 0.1, 1.0)
LARGEST_SIZE, UNITS = 128, 1_000_000
SEED, MANY_JOBS, JOBS_OF_A_RUN, JOBS_OF_A_LOG = 1, 100_000, 4_000, 10_000
CAPACITY = (16, 32)
DEMAND = ((8, 4), (4, 2), (7, 16), (11, 20), (1, 12), (1, 10))
RULES = {"fcfs": "FCFS", "ff": "FF", "unc": "optimum", "bb": "BB", "bl": "BL"}
HIGHEST = 0.5  # frequencies are drawn up to here, as in the paper
SMALLEST_SHARE = 1e-6  # of a machine, on logarithmic axes
TITLES = {
    "figure-1": "Six jobs of equal length, packed into epochs by five rules",
    "figure-2": "Sizes of the jobs of both base models",
    "figure-3": "The density of z, from which demands are made",
    "figure-4": "One demand of a job, and the largest of its eight",
    "figure-5": "Two demands of each job, as shares of the machine",
    "figure-6": "What the jobs of logs take",
    "figure-7": "Processors and memory of each job of logs",
}


def figure_1() -> Figure:
    """Six jobs of equal length, packed into epochs by five rules: use of processors and memory."""
    figure, panels = _panels(len(RULES), height=3.0)
    for panel, (rule, title) in zip(panels, RULES.items(), strict=True):
        packed = schedcore.epochs(DEMAND, CAPACITY, rule)
        used = np.array([np.sum([DEMAND[job] for job in jobs], axis=0) for jobs in packed])
        for k, (label, move) in enumerate((("processors", -0.2), ("memory", 0.2))):
            look = series(k)
            place = np.arange(len(packed)) + move
            panel.bar(
                place, 100 * used[:, k] / CAPACITY[k],
                width=0.36, color=look.colour, hatch=look.hatch, edgecolor="white", label=label,
            )  # fmt: skip
        for epoch, jobs in enumerate(packed):
            panel.text(epoch, 101, ",".join(map(str, jobs)), ha="center", va="bottom", fontsize="x-small")
        panel.set(xticks=range(len(packed)), xlim=(-0.6, 3.6), ylim=(0, 112), xlabel="epoch")
        panel.set_title(title, loc="right", fontsize="medium")
        lighten(panel, "y")
    panels[0].set_ylabel("machine in use (%)")
    _legend_below(figure, panels[0])
    return figure


def figure_2() -> Figure:
    """Sizes of the two base models, as a share of the machine."""
    figure, panels = _panels(2)
    for panel, model in zip(panels, (feitelson, lublin), strict=True):
        size, _ = model(MANY_JOBS, SEED)
        share = np.bincount(size, minlength=LARGEST_SIZE + 1)[1:] / len(size)
        panel.bar(np.arange(1, LARGEST_SIZE + 1) / LARGEST_SIZE, share, width=1 / LARGEST_SIZE, color=INK)
        _frequencies(panel, model.__name__.capitalize(), "size (share of 128 processors)")
        panel.set_xlim(0, 1 + 1 / LARGEST_SIZE)  # the whole bar of the largest size
    panels[0].set_ylabel("frequency")
    return figure


def figure_3() -> Figure:
    """The densities of z, from which demands are made: normal with mean 1/2, cut to (0, 1]."""
    figure, (panel,) = _panels(1)
    z = np.linspace(0, 1, 401)
    for index, variance in enumerate(VARIANCES):
        deviation = math.sqrt(variance)
        inside = math.erf(0.5 / deviation / math.sqrt(2))
        density = np.exp(-((z - 0.5) ** 2) / (2 * variance)) / (deviation * math.sqrt(2 * math.pi) * inside)
        look = series(index)
        panel.plot(
            z,
            density,
            color=look.colour,
            linestyle=look.line,
            linewidth=look.width,
            label=f"v = {variance:g}",
        )
    panel.set(xlim=(0, 1), ylim=(0, None), xlabel="z", ylabel="density")
    lighten(panel, "y")
    legend_above(panel)
    return figure


def figure_4() -> Figure:
    """One demand, and the largest of eight, for three variances."""
    columns = {}
    for variance in VARIANCES:
        demand = _demands(MANY_JOBS, 8, variance)
        columns[f"v = {variance:g}"] = {"one demand": demand[:, 0], "largest of 8": demand.max(axis=1)}
    return _distributions(columns, LARGEST_SIZE, HIGHEST, smallest=1e-3)


def figure_5() -> Figure:
    """Two demands of each job, for three variances."""
    figure, panels = _panels(len(VARIANCES), height=2.9)
    for panel, variance in zip(panels, VARIANCES, strict=True):
        _scatter(panel, _demands(JOBS_OF_A_RUN, 2, variance), f"v = {variance:g}", ("R[0]", "R[1]"))
    return figure


def figure_6(logs: Mapping[str, NDArray[np.float64]]) -> Figure:
    """What the jobs of recorded logs take of processors and memory."""
    columns = {title: {"processors": taken[:, 0], "memory": taken[:, 1]} for title, taken in logs.items()}
    return _distributions(columns, 50, 1.0, smallest=SMALLEST_SHARE)


def figure_7(logs: Mapping[str, NDArray[np.float64]]) -> Figure:
    """Processors and memory that each job of recorded logs takes, on logarithmic axes."""
    figure, panels = _panels(len(logs), height=2.9)
    for panel, (title, taken) in zip(panels, logs.items(), strict=True):
        labels = ("processors (share of the machine)", "memory (share of the machine)")
        _scatter(panel, taken[(taken > 0).all(axis=1)], title, labels)
        ends = (SMALLEST_SHARE, 1.5)
        panel.set(xscale="log", yscale="log", xlim=ends, ylim=ends)
        if panel is not panels[0]:
            panel.set_ylabel("")
    return figure


def shares(log: Path) -> NDArray[np.float64]:
    """What the first jobs of a log take of the machine of the experiment, a row a job: processors and memory."""
    workloads = load("backfilling-logs").workloads
    own = workloads[_name(log)].arguments if _name(log) in workloads else {"mode": "used"}
    options = {name: value for name, value in own.items() if name != "exact_estimates"}
    inst, _ = read_swf(log, **options)
    kept = first_jobs(inst, min(JOBS_OF_A_LOG, inst.n_jobs))
    return kept.jobs.demand / inst.machines.capacity[0]


def draw(folder: Path, logs: Mapping[str, NDArray[np.float64]]) -> list[Path]:
    """Write every figure as PNG and SVG; return the paths."""
    drawn = {
        function.__name__.replace("_", "-"): function()
        for function in (figure_1, figure_2, figure_3, figure_4, figure_5)
    }
    if logs:
        drawn |= {"figure-6": figure_6(logs), "figure-7": figure_7(logs)}
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for name, figure in drawn.items():
        figure.suptitle(TITLES[name], x=0.01, ha="left", fontsize="medium", fontweight="bold")
        for suffix in ("png", "svg"):
            paths.append(folder / f"{name}.{suffix}")
            figure.savefig(paths[-1], dpi=200)
    return paths


def _name(log: Path) -> str:
    """Logs of the archive are called after their machine, as in ``HPC2N-2002-2.2-cln.swf.gz``."""
    return log.name.partition("-")[0]


def _demands(n_jobs: int, n_resources: int, variance: float) -> NDArray[np.float64]:
    size, _ = feitelson(n_jobs, SEED)
    return k_resource_demand(size, n_resources, variance, SEED) / UNITS


def _panels(n_panels: int, height: float = 2.6, n_rows: int = 1) -> tuple[Figure, list[Any]]:
    """A figure with panels side by side, row by row."""
    width = 4.6 if n_panels == 1 else 0.6 + (2.0 if n_panels > 4 else 2.7) * n_panels
    figure = Figure(figsize=(width, height * n_rows), layout="constrained")
    return figure, list(figure.subplots(n_rows, n_panels, squeeze=False).flat)


def _distributions(
    columns: Mapping[str, Mapping[str, NDArray[np.float64]]], n_bins: int, highest: float, smallest: float
) -> Figure:
    """Frequencies, and below them the share of jobs that take at most so much, from `smallest` on."""
    figure, panels = _panels(len(columns), n_rows=2)
    above, below = panels[: len(columns)], panels[len(columns) :]
    for panel, cumulative, (title, values) in zip(above, below, columns.items(), strict=True):
        _histograms(panel, values, n_bins)
        _frequencies(panel, title, "share of the machine")
        panel.set_ylim(0, highest)
        _cumulative(cumulative, values, smallest)
    above[0].set_ylabel("frequency")
    below[0].set_ylabel("share of jobs with\nat most so much")
    _legend_below(figure, above[0])
    return figure


def _histograms(panel: Any, columns: Mapping[str, NDArray[np.float64]], n_bins: int) -> None:
    edges = np.linspace(0, 1, n_bins + 1)
    for index, (label, values) in enumerate(columns.items()):
        share = np.histogram(values, edges)[0] / len(values)
        look = series(index)
        panel.stairs(share, edges, color=look.colour, linestyle=look.line, linewidth=1.3, label=label)


def _cumulative(panel: Any, columns: Mapping[str, NDArray[np.float64]], smallest: float) -> None:
    for index, values in enumerate(columns.values()):
        look = series(index)
        panel.step(
            [smallest, *np.maximum(np.sort(values), smallest), 1.0],
            [0.0, *(np.arange(1, len(values) + 1) / len(values)), 1.0],
            where="post", color=look.colour, linestyle=look.line, linewidth=1.3,
        )  # fmt: skip
    panel.set(xscale="log", xlim=(smallest, 1), ylim=(0, 1.02), xlabel="share of the machine")
    lighten(panel, "both")


def _frequencies(panel: Any, title: str, x_label: str) -> None:
    panel.set(xlim=(0, 1), ylim=(0, HIGHEST), xlabel=x_label)
    panel.set_title(title, loc="right", fontsize="medium")
    lighten(panel, "y")


def _scatter(panel: Any, pairs: NDArray[np.float64], title: str, labels: tuple[str, str]) -> None:
    panel.plot(pairs[:, 0], pairs[:, 1], ".", color=INK, markersize=1.6, alpha=0.35, rasterized=True)
    panel.set(xlim=(0, 1), ylim=(0, 1), xlabel=labels[0], ylabel=labels[1])
    panel.set_title(title, loc="right", fontsize="medium")
    lighten(panel, "both")


def _legend_below(figure: Figure, panel: Any) -> None:
    handles, labels = panel.get_legend_handles_labels()
    figure.legend(
        handles, labels, loc="outside lower center", ncols=len(labels), frameon=False, fontsize="small"
    )


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(f"usage: {Path(sys.argv[0]).name} FOLDER [LOG.swf.gz ...]")
    opened = {_name(path): shares(path) for path in map(Path, sys.argv[2:])}
    for written in draw(Path(sys.argv[1]), opened):
        print(written)
