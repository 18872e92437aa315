"""The search for the best selection: the tables of docs/backfilling.md that compare selections.

A selection is chosen on seeds 1 to 3 of the synthetic workloads and two logs, and reported on seeds 4 to 6 and the
other logs. Run as a script with the folder of the logs, it rewrites what stands between the marks of the page::

    python docs/backfilling_selection.py ../shared/data/pwa-swf
"""

import logging
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from backfilling_logs import ONE_RESOURCE, PAGE, TWO_RESOURCES, Log, page_with_tables, read, run

import schedcore
from schedcore.workloads import calibrate_gap, feitelson, k_resource_demand, lublin, unit_arrivals

SELECTIONS = ["bl!", "bb!", "sb(999)", "sb(512)", "sb(256)", "sb(128)", "sb(64)", "sb(8)", "sb(1)"]
CHOSEN_ON = ("KTH", "SDSC-DS")


def synthetic(seed: int) -> Iterator[tuple[str, schedcore.Instance]]:
    """The 54 workloads of the paper's evaluation for one seed, by base model."""
    for name, model in (("Feitelson", feitelson), ("Lublin", lublin)):
        size, processing_time = model(4000, seed)
        arrivals = unit_arrivals(4000, seed)
        for n_resources in (2, 4, 8):
            for variance in (0.01, 0.1, 1.0):
                demand = k_resource_demand(size, n_resources, variance, seed)
                machines = schedcore.Machines.identical(1, [1_000_000] * n_resources)
                jobs = schedcore.Jobs(processing_time, demand)
                for load in (32, 64, 128):
                    gap = calibrate_gap(jobs, arrivals, load).gap
                    yield (
                        name,
                        schedcore.Instance(jobs.replace(release_time=np.floor(gap * arrivals)), machines),
                    )


def gains(instance: schedcore.Instance, selections: list[str]) -> dict[str, tuple[float, float]]:
    """Percent better than FF-EASY: mean response, weighted mean response."""
    base = run(instance, "easy", {})
    found = {selection: run(instance, "easy", {"selection": selection}) for selection in selections}
    return {
        selection: (
            100 * (base.response - one.response) / base.response,
            100 * (base.weighted - one.weighted) / base.weighted,
        )
        for selection, one in found.items()
    }


def selection_table(seeds: tuple[int, ...]) -> Iterator[str]:
    """Mean gains over the workloads of some seeds, the least of a cell, and how many cells are ahead."""
    cells: dict[tuple[str, str], list[list[tuple[float, float]]]] = {}
    for seed in seeds:
        counters: dict[str, int] = {}
        for model, instance in synthetic(seed):
            position = counters.setdefault(model, 0)
            counters[model] += 1
            for selection, gain in gains(instance, SELECTIONS).items():
                rows = cells.setdefault((selection, model), [[] for _ in range(27)])
                rows[position].append(gain)
    yield "| selection | base model | mean response | least cell | cells ahead | weighted | least cell | cells ahead |"
    yield "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |"
    for (selection, model), rows in sorted(cells.items(), key=lambda item: SELECTIONS.index(item[0][0])):
        mean = np.array([np.mean(row, axis=0) for row in rows])
        response, weighted = mean.T
        yield (
            f"| {selection} | {model} | {response.mean():.1f} | {response.min():.1f} | {(response > 0).sum()} of 27 "
            f"| {weighted.mean():.1f} | {weighted.min():.1f} | {(weighted > 0).sum()} of 27 |"
        )


def selection_logs_table(folder: Path, logs: list[Log]) -> Iterator[str]:
    yield "| log | " + " | ".join(SELECTIONS) + " |"
    yield "| --- |" + " ---: |" * len(SELECTIONS)
    for log in logs:
        found = gains(read(folder, log), SELECTIONS)
        yield f"| {log.name} | " + " | ".join(f"{a:.1f} / {b:.1f}" for a, b in found.values()) + " |"


def main(folder: Path) -> None:
    """Rewrite the tables of the page."""
    logging.getLogger("schedcore").setLevel(logging.ERROR)
    chosen = [log for log in ONE_RESOURCE if log.prefix in CHOSEN_ON]
    others = [log for log in (*ONE_RESOURCE, *TWO_RESOURCES) if log not in chosen]
    tables = {
        "selection-search": lambda: selection_table((1, 2, 3)),
        "selection-search-logs": lambda: selection_logs_table(folder, chosen),
        "selection-report": lambda: selection_table((4, 5, 6)),
        "selection-report-logs": lambda: selection_logs_table(folder, others),
    }
    PAGE.write_text(page_with_tables(PAGE.read_text(), tables))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
