"""The tables of docs/backfilling-evaluation.md, from the results of its experiments.

Run as a script with the results folders, it rewrites what stands between the marks of the page::

    python docs/backfilling_tables.py results/backfilling-evaluation results/backfilling-logs

Reference values, two files beside this one, are printed by the specification of these experiments.
"""

import sys
from pathlib import Path

import pandas as pd
from marked_tables import Tables, rewrite

from schedcore.experiments.report.tables import written
from schedcore.experiments.results.statistics import estimate

PAGE = Path(__file__).parent / "backfilling-evaluation.md"
BASELINE = "FF-EASY"
POLICIES = ("BL-EASY", "BB-EASY", "FF-CONS", "BL!-EASY", "BB!-EASY", "FF")
PLAIN, WEIGHTED = "avg_response", "weighted_avg_response"
STEADY = ("steady_avg_response", "steady_weighted_avg_response")
CELL = ["n_resources", "variance_per_mille", "average_queue"]
#: Columns of the table of means: heading -> parameter and value, or nothing for all cells.
MARGINS: dict[str, tuple[str, int] | None] = {
    "all": None,
    **{f"K={k}": ("n_resources", k) for k in (2, 4, 8)},
    **{f"v={v / 1000:g}": ("variance_per_mille", v) for v in (10, 100, 1000)},
    **{f"load={load}": ("average_queue", load) for load in (32, 64, 128)},
}


def gains(
    frame: pd.DataFrame, metrics: tuple[str, str] = (PLAIN, WEIGHTED), baseline: str = BASELINE
) -> pd.DataFrame:
    """Gain over the baseline in percent, on the same instance: a row an instance and policy, a column a metric."""
    instance = ["workload", "workload_hash"]
    own = frame[frame["policy"] == baseline].set_index(instance)[list(metrics)]
    gained = frame.merge(own, left_on=instance, right_index=True, suffixes=("", " of baseline"))
    for metric in metrics:
        gained[metric] = 100 * (1 - gained[metric] / gained[f"{metric} of baseline"])
    return gained[gained["policy"] != baseline]


def reference(kind: str, model: str) -> pd.DataFrame:
    """The reference values of a base model: ``"cells"`` or ``"means"``."""
    table = pd.read_csv(Path(__file__).parent / f"backfilling_reference_{kind}.csv")
    return table[table["model"] == model]


def cells_table(frame: pd.DataFrame) -> str:
    """Mean gains of every cell, and the printed ones in brackets; the offered load, and what the baseline uses."""
    mean = gains(frame).groupby([*CELL, "policy"])[[PLAIN, WEIGHTED]].mean()
    used = frame[frame["policy"] == BASELINE].groupby(CELL)["utilisation"].apply(_mean_utilisation)
    offered = frame.groupby(CELL)["offered_load"].mean()
    rows = []
    for printed in reference("cells", frame["workload"].iloc[0]).to_dict("records"):
        place = printed["n_resources"], round(1000 * printed["variance"]), printed["average_queue"]
        row = [str(place[0]), f"{printed['variance']:g}", str(place[2]), f"{offered[place]:.2f}"]
        for policy in POLICIES:
            measured = mean.loc[(*place, policy)]
            row.append(f"{_gain(measured[PLAIN])} / {_gain(measured[WEIGHTED])} ({printed[policy]})")
        rows.append([*row, f"{used[place]:.3f} ({printed['utilisation']:.2f})"])
    return _markdown(["K", "v", "load", "offered", *POLICIES, "utilisation"], rows)


def means_table(frame: pd.DataFrame) -> str:
    """Means over all cells with a parameter, the runs won, and the printed ones in brackets."""
    gained = gains(frame)
    rows = []
    for printed in reference("means", frame["workload"].iloc[0]).to_dict("records"):
        own = gained[gained["policy"] == printed["policy"]]
        row = [printed["policy"]]
        for heading, part in MARGINS.items():
            shown = own if part is None else own[own[part[0]] == part[1]]
            row.append(f"{_gain(shown[PLAIN].mean())} ({printed[heading]:g})")
        for heading, metric in (("wins avg", PLAIN), ("wins weighted", WEIGHTED)):
            row.append(f"{(own[metric] > 0).sum()} of {len(own)} ({printed[heading]:g})")
        rows.append([*row, f"{_gain(own[WEIGHTED].mean())} ({printed['mean weighted']:g})"])
    return _markdown(["policy", *MARGINS, "runs won", "runs won, weighted", "mean, weighted"], rows)


def steady_cells_table(frame: pd.DataFrame) -> str:
    """Mean gains of every cell in a steady state, the offered load, and how much the queues grow."""
    gained = gains(frame, STEADY)
    mean = gained.groupby([*CELL, "policy"])[list(STEADY)].mean()
    grown = frame.groupby([*CELL, "policy"])["queue_growth"].mean()
    offered = frame.groupby(CELL)["offered_load"].mean()
    policies = _in_order(gained)
    rows = []
    for place, load in offered.items():
        assert isinstance(place, tuple)
        row = [str(place[0]), f"{place[1] / 1000:g}", str(place[2]), f"{load:.3f}"]
        row += [f"{grown[*place, policy]:.2f}" for policy in (BASELINE, "FF-CONS")]
        for policy in policies:
            plain, weighted = mean.loc[(*place, policy)]
            row.append(f"{_gain(plain)} / {_gain(weighted)}")
        rows.append(row)
    header = ["K", "v", "load", "offered", f"growth, {BASELINE}", "growth, FF-CONS", *policies]
    return _markdown(header, rows)


def steady_means_table(frame: pd.DataFrame) -> str:
    """Means over all cells and over those with a parameter, with bands over the job sets, and the cells ahead."""
    gained = gains(frame, STEADY)
    rows = []
    for policy in _in_order(gained):
        own = gained[gained["policy"] == policy]
        row = [policy]
        for part in MARGINS.values():
            shown = own if part is None else own[own[part[0]] == part[1]]
            of_job_sets = [shown.groupby("job_set")[metric].mean() for metric in STEADY]
            is_whole = part is None
            row.append(
                " / ".join(
                    written(estimate(list(each)), 1) if is_whole else _gain(each.mean())
                    for each in of_job_sets
                )
            )
        of_cells = own.groupby(CELL)[list(STEADY)].mean()
        row += [str(int((of_cells[metric] > 0).sum())) for metric in STEADY]
        rows.append([*row, str(int((of_cells > 0).all(axis=1).sum()))])
    header = ["policy", *MARGINS, "cells ahead", "weighted", "in both"]
    return _markdown(header, rows, n_texts=1)


def _in_order(gained: pd.DataFrame) -> list[str]:
    """The policies in the order in which the sweep has them."""
    return list(dict.fromkeys(gained["policy"]))


def logs_table(frame: pd.DataFrame) -> str:
    """Mean gains on every log, slice and load, and what the baseline uses of processors and memory."""
    cell = ["workload", "first_jobs", "poisson_average_queue"]
    mean = gains(frame).groupby([*cell, "policy"])[[PLAIN, WEIGHTED]].mean()
    rows = []
    for place, runs in frame[frame["policy"] == BASELINE].groupby(cell, sort=False):
        row = [place[0], f"{place[1]:,}", str(place[2]), f"{runs['avg_queue_arrivals'].mean():.0f}"]
        row.append(f"{runs['offered_load'].mean():.2f}")
        for policy in POLICIES:
            measured = mean.loc[(*place, policy)]
            row.append(f"{_gain(measured[PLAIN])} / {_gain(measured[WEIGHTED])}")
        processors, memory = (runs["utilisation"].str[k].mean() for k in (0, 1))
        rows.append([*row, f"{processors:.2f} / {memory:.2f}"])
    header = ["log", "jobs", "load", "queue", "offered", *POLICIES, "processors / memory used"]
    return _markdown(header, rows, n_texts=1)


def _mean_utilisation(of_runs: pd.Series) -> float:
    return sum(sum(values) / len(values) for values in of_runs) / len(of_runs)


def _gain(value: float) -> str:
    return f"{value + 0.0:.1f}" if abs(value) >= 0.05 else "0.0"


def _markdown(header: list[str], rows: list[list[str]], n_texts: int = 0) -> str:
    marks = ["---"] * n_texts + ["---:"] * (len(header) - n_texts)
    return "\n".join(f"| {' | '.join(line)} |" for line in [header, marks, *rows])


TABLES: Tables = {
    "cells": lambda results, sweep: cells_table(results.sweep(sweep)),
    "means": lambda results, sweep: means_table(results.sweep(sweep)),
    "logs": lambda results, sweep: logs_table(results.sweep(sweep)),
    "steady-cells": lambda results, sweep: steady_cells_table(results.sweep(sweep)),
    "steady-means": lambda results, sweep: steady_means_table(results.sweep(sweep)),
}

if __name__ == "__main__":
    rewrite(PAGE, sys.argv[1:], TABLES)
