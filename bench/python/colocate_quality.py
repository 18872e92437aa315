"""How good colocate is on the grid of the colocation study: against the bounds, and against exact optima.

``python bench/python/colocate_quality.py [REPETITIONS] [WORK_LIMIT]`` prints two tables. The large grid: value by
the bound of the program and by the bound that colocate proves, the share proven optimal, seconds. The cells of 10
tasks: the distance to the optimum, and how often it is found; colocate ends with branch and bound there,
improvement does not.
"""

import sys
import time
from collections import defaultdict
from collections.abc import Callable

import numpy as np

import schedcore
from schedcore import colocation
from schedcore.workloads import GridCell

Row = tuple[float, ...]


def large_grid_row(instance: schedcore.ColocationInstance, work_limit: int) -> Row:
    """Value by bound of the program, value by proven bound, whether optimal, seconds."""
    bound = colocation.lower_bound(instance).bound
    begun = time.perf_counter()
    result = schedcore.colocate(instance, work_limit)
    seconds = time.perf_counter() - begun
    return (
        result.value / bound,
        result.value / (result.lower_bound or bound),
        float(result.stats["status"] == "optimal"),
        seconds,
    )


def ten_tasks_row(instance: schedcore.ColocationInstance, work_limit: int) -> Row:
    """The bound, improved heuristics and colocate by the optimum, and whether the latter two found it."""
    optimum = schedcore.mct_exact(instance).cost_numerator
    bound = colocation.lower_bound(instance).bound * instance.alpha_denominator
    improved = colocation.improve(instance, schedcore.best_schedule(instance), work_limit).cost_numerator
    found = schedcore.colocate(instance, work_limit).cost_numerator
    assert found <= improved
    return (
        bound / optimum,
        improved / optimum,
        found / optimum,
        float(improved == optimum),
        float(found == optimum),
    )


def table(
    titles: str,
    cells: list[GridCell],
    repetitions: int,
    row: Callable[[schedcore.ColocationInstance], Row],
) -> None:
    """Print the mean row of every class, and its largest entries."""
    tasks = colocation.standin_tasks()
    rows = defaultdict(list)
    for cell in cells:
        for repetition in range(repetitions):
            rows[cell.cls].append(row(colocation.grid_instance(tasks, *cell, repetition)))
    print(f"| class | instances | {titles} |")
    print("| --- " * (2 + titles.count("|") + 1) + "|")
    for cls, found in rows.items():
        mean, largest = np.mean(found, axis=0), np.max(found, axis=0)
        entries = " | ".join(f"{a:.4f} ({b:.4f})" for a, b in zip(mean, largest, strict=True))
        print(f"| {cls} | {len(found)} | {entries} |")
    print()


def main(repetitions: int = 4, work_limit: int = 2_000_000) -> None:
    """Print both tables; every entry is a mean, with the largest value in brackets."""
    cells = colocation.grid_cells()
    table(
        "value / program | value / proven | optimal | seconds",
        [cell for cell in cells if not cell.is_small],
        repetitions,
        lambda instance: large_grid_row(instance, work_limit),
    )
    table(
        "bound / optimum | improved best_schedule / optimum | colocate / optimum | improved optimal | colocate optimal",
        [cell for cell in cells if cell.n_tasks == 10],
        repetitions,
        lambda instance: ten_tasks_row(instance, work_limit),
    )


if __name__ == "__main__":
    main(*(int(argument) for argument in sys.argv[1:]))
