"""The search for the best selection: the tables of docs/backfilling.md that compare selections.

A selection is chosen on seeds 1 to 3 of the synthetic workloads, in a steady state, and on two logs. It is reported on
seeds 4 to 6 and on the other logs. Run as a script with the folder of the logs, it rewrites what stands between the
marks of the page; the names of tables after it choose among them::

    python docs/backfilling_selection.py ../shared/data/pwa-swf [selection-search ...]
"""

import logging
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from backfilling_logs import ONE_RESOURCE, PAGE, TWO_RESOURCES, Log, page_with_tables, read

import schedcore
from schedcore import metrics
from schedcore.workloads import feitelson_k, lublin_k

N_JOBS = 64_000
SELECTIONS = [
    "bb(0)", "bb", "bb(2)", "bb(4)", "bb(8)", "bb(12)", "bb(16)", "bb(24)", "bb(32)", "bb(64)", "bb(256)", "bb!",
    "bl", "bl!", "sb(999)", "sb(256)", "sb(64)", "sb(8)", "sb(0)",
]  # fmt: skip
REPORTED = ["bb", "bb(8)", "bb(12)", "bb(16)", "bb!", "bl", "bl!", "sb(256)", "sb(0)"]
CHOSEN_ON = ("KTH", "SDSC-DS")
MODELS = {"Feitelson": feitelson_k, "Lublin": lublin_k}
CELLS = [(k, v, load) for k in (2, 4, 8) for v in (10, 100, 1000) for load in (32, 64, 128)]

#: Percent better than FF-EASY: mean response, weighted mean response.
Gains = dict[str, tuple[float, float]]


def steady_gains(instance: schedcore.Instance, selections: list[str]) -> Gains:
    """Gains in a steady state, weighted by volume."""

    def measured(selection: str) -> tuple[float, float]:
        schedule = schedcore.solve("easy", instance, selection=selection).schedule
        schedcore.validate(instance, schedule, raise_on_error=True)
        return metrics.steady_state(instance, schedule)[:2]

    return _gains(measured, selections)


def log_gains(instance: schedcore.Instance, selections: list[str]) -> Gains:
    """Gains on a log, weighted by the first resource times the estimate: what the queue knows of a job."""
    jobs = instance.jobs
    area = jobs.demand[:, 0] * jobs.estimated_processing_time

    def measured(selection: str) -> tuple[float, float]:
        schedule = schedcore.solve("easy", instance, selection=selection).schedule
        schedcore.validate(instance, schedule, raise_on_error=True)
        response = metrics.flow_time(instance, schedule)
        return float(response.mean()), float(area @ response / area.sum())

    return _gains(measured, selections)


def _gains(measured: Callable[[str], tuple[float, float]], selections: list[str]) -> Gains:
    base = measured("ff")
    found = {selection: measured(selection) for selection in selections}
    return {
        selection: (100 * (base[0] - mean) / base[0], 100 * (base[1] - weighted) / base[1])
        for selection, (mean, weighted) in found.items()
    }


def selection_table(seeds: tuple[int, ...], selections: list[str]) -> Iterator[str]:
    """Mean gains over the workloads of some seeds, the least of a cell, and how many cells are ahead."""
    cells: dict[tuple[str, str], list[list[tuple[float, float]]]] = {}
    for model, generator in MODELS.items():
        for position, (n_resources, variance, load) in enumerate(CELLS):
            for seed in seeds:
                instance = generator(seed, N_JOBS, n_resources, variance, average_queue=load)
                for selection, gain in steady_gains(instance, selections).items():
                    rows = cells.setdefault((selection, model), [[] for _ in CELLS])
                    rows[position].append(gain)
    columns = "mean response | least cell | cells ahead | weighted | least cell | cells ahead | in both"
    yield f"| selection | base model | {columns} |"
    yield "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
    for (selection, model), rows in sorted(cells.items(), key=lambda item: selections.index(item[0][0])):
        mean = np.array([np.mean(row, axis=0) for row in rows])
        response, weighted = mean.T
        n = len(CELLS)
        yield (
            f"| {selection} | {model} | {response.mean():.1f} | {response.min():.1f} | {(response > 0).sum()} of {n} "
            f"| {weighted.mean():.1f} | {weighted.min():.1f} | {(weighted > 0).sum()} of {n} "
            f"| {(mean > 0).all(axis=1).sum()} of {n} |"
        )


def selection_logs_table(folder: Path, logs: list[Log], selections: list[str]) -> Iterator[str]:
    yield "| log | " + " | ".join(selections) + " |"
    yield "| --- |" + " ---: |" * len(selections)
    for log in logs:
        found = log_gains(read(folder, log), selections)
        yield f"| {log.name} | " + " | ".join(f"{a:.2f} / {b:.2f}" for a, b in found.values()) + " |"


def main(folder: Path, names: list[str]) -> None:
    """Rewrite the tables of the page, or those that are named."""
    logging.getLogger("schedcore").setLevel(logging.ERROR)
    chosen = [log for log in ONE_RESOURCE if log.prefix in CHOSEN_ON]
    others = [log for log in (*ONE_RESOURCE, *TWO_RESOURCES) if log not in chosen]
    tables = {
        "selection-search": lambda: selection_table((1, 2, 3), SELECTIONS),
        "selection-search-logs": lambda: selection_logs_table(folder, chosen, SELECTIONS),
        "selection-report": lambda: selection_table((4, 5, 6), REPORTED),
        "selection-report-logs": lambda: selection_logs_table(folder, others, REPORTED),
    }
    for name in names or list(tables):  # one after the other, so that what is done stays done
        PAGE.write_text(page_with_tables(PAGE.read_text(), {name: tables[name]}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
