"""Selections for backfilling, searched: the tables and the drawing of docs/backfilling.md that compare them.

The family are the selections of the experiment `backfilling-search`. One is chosen by its cells, on two job sets. The
other eight of `backfilling-rivals` judge it, and another model of workloads. Logs with one resource judge the whole
family; those with two the selections that have names. Run as a script with the folder of the logs and the results
folders, it rewrites what stands between the marks of the page::

    python docs/backfilling_selection.py ../shared/data/pwa-swf results/backfilling-search results/backfilling-rivals
"""

import logging
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from backfilling_logs import ONE_RESOURCE, PAGE, TWO_RESOURCES, Log, Options, page_with_tables, read
from backfilling_tables import CELL, STEADY, gains
from embedded_drawings import IMAGES, save_small
from marked_tables import opened
from matplotlib.figure import Figure

import schedcore

#: Name -> policy and options.
Runs = dict[str, tuple[str, Options]]
SEARCH, JUDGE = "backfilling-search", "backfilling-rivals"
JOB_SETS_THAT_CHOOSE = 2
WIDTH = 110  # of a line of the page
#: Named in the drawing: the option, and where its name stands.
LABELS = {
    "balance*fullness": ("bb", (-6, 12)),
    "balance^12*fullness": ("bb(12)", (4, 12)),
    "balance^256*estimate": ("sb", (10, -4)),
    "estimate": ("sjbf", (10, 4)),
    "balance": ("bb!", (10, 6)),
    "bl": ("bl", (-14, -14)),
    "bl!": ("bl!", (-14, -14)),
}
#: Shown wherever they stand.
NAMED = (*LABELS, "bl(7)")
#: Those that are judged: as `backfilling-rivals` calls them, and as selections.
JUDGED = {
    "balance^16*fullness^16*estimate": "balance^16*fullness^16*estimate",
    "BB-EASY": "bb",
    "bb(12)": "bb(12)",
    "sb": "sb",
    "EASY-SJBF": "sjbf",
}
#: The tables of the page, in its order.
TABLES = (
    "selection-search",
    "selection-ahead",
    "selection-report",
    "selection-report-lublin",
    "selection-logs",
    "selection-logs-2",
    "rivals-logs",
)
#: What the field uses beside EASY, on logs.
RIVALS: Runs = {
    "EASY-SJBF": ("easy", {"selection": "sjbf"}),
    "EASY++": ("easy", {"selection": "sjbf", "predictions": "last_two"}),
    **{
        order.upper(): ("easy", {"order": order})
        for order in ("sjf", "saf", "lxf", "wfp3", "unicef", "f1", "f2", "f3", "f4")
    },
    "BBSched": ("bbsched", {}),
}


class Score(NamedTuple):
    """How much a selection gains over FF-EASY in the cells, in percent; each pair is mean and weighted response."""

    n_cells: int
    ahead: tuple[int, int]
    ahead_in_both: int
    mean: tuple[float, float]
    least: tuple[float, float]


def scores(frame: pd.DataFrame, baseline: str) -> dict[str, Score]:
    """By policy, from a row an instance and policy; a cell's gain is the mean over its job sets."""
    found = {}
    for policy, own in gains(frame, STEADY, baseline).groupby("policy", sort=False):
        cells = own.groupby(CELL)[list(STEADY)].mean()
        ahead = cells > 0
        plain, weighted = STEADY
        found[str(policy)] = Score(
            len(cells),
            (int(ahead[plain].sum()), int(ahead[weighted].sum())),
            int(ahead.all(axis=1).sum()),
            (cells[plain].mean(), cells[weighted].mean()),
            (cells[plain].min(), cells[weighted].min()),
        )
    return found


def chosen(found: dict[str, Score]) -> str:
    """The selection that is ahead in both in most cells; of several the one whose least gain is largest."""
    return max(found, key=lambda name: (found[name].ahead_in_both, min(found[name].least)))


def ahead_in_all(found: dict[str, Score]) -> str:
    """The selections that are ahead in both responses in all cells."""
    names = [name for name, own in found.items() if own.ahead_in_both == own.n_cells]
    text = f"{len(names)} of {len(found)}: " + ", ".join(f"`{name}`" for name in names) + "."
    return textwrap.fill(text, WIDTH, break_long_words=False, break_on_hyphens=False)


def frontier(found: dict[str, Score]) -> list[str]:
    """Selections of which no other gains more in the mean response and as much in the weighted one, or the reverse."""

    def is_dominated(name: str) -> bool:
        own = found[name].mean
        return any(
            other.mean != own and other.mean[0] >= own[0] and other.mean[1] >= own[1]
            for other in found.values()
        )

    return sorted((name for name in found if not is_dominated(name)), key=lambda name: found[name].mean)


def cells_table(found: dict[str, Score], names: Iterable[str]) -> Iterator[str]:
    yield (
        "| selection | ahead in both | mean response | least cell | cells ahead "
        "| weighted | least cell | cells ahead |"
    )
    yield "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
    for name in names:
        own = found[name]
        columns = (
            f"{own.mean[each]:.1f} | {own.least[each]:.1f} | {own.ahead[each]}" for each in range(len(STEADY))
        )
        yield f"| `{JUDGED.get(name, name)}` | {own.ahead_in_both} | {' | '.join(columns)} |"


def responses(instance: schedcore.Instance, policy: str, options: Options) -> tuple[float, float]:
    """Mean response, and weighted by processors x estimate."""
    jobs = instance.jobs
    schedule = schedcore.solve(policy, instance, **options).schedule
    response = schedule.start_time + jobs.processing_time - jobs.release_time
    weight = jobs.demand[:, 0] * jobs.estimated_processing_time
    return float(np.mean(response)), float(np.average(response, weights=weight))


def gains_on_log(instance: schedcore.Instance, runs: Runs) -> dict[str, tuple[float, float]]:
    """Percent better than FF-EASY."""
    base = responses(instance, "easy", {})
    found = {}
    for name, (policy, options) in runs.items():
        plain, weighted = responses(instance, policy, options)
        found[name] = (100 * (1 - plain / base[0]), 100 * (1 - weighted / base[1]))
    return found


def selecting(selections: Iterable[str]) -> Runs:
    """EASY with each of them."""
    return {f"`{name}`": ("easy", {"selection": name}) for name in selections}


def of_one_resource(selections: Iterable[str]) -> list[str]:
    """One of each rule, fullness and estimate, without those in queue order.

    With one resource the balance is the same for all, and `bl` decides as `fullness`.
    """
    distinct = {}
    for name in selections:
        parsed = schedcore.algorithms.backfilling.selection.Selection.parse(name)
        if parsed.in_queue_order(1):
            continue
        powers = parsed.rule, parsed.fullness, parsed.estimate
        distinct.setdefault(powers, name)
    return list(distinct.values())


def with_users(folder: Path, log: Log) -> schedcore.Instance:
    """The log as `read` has it, and who submitted each job."""
    instance = read(folder, log)
    users = read(folder, log._replace(options={**log.options, "columns": True})).jobs.user
    return schedcore.Instance(instance.jobs.replace(user=users), instance.machines)


def logs_table(folder: Path, logs: list[Log], runs: Runs, heading: str = "selection") -> Iterator[str]:
    """Gains in mean and weighted response, and on how many logs each run is ahead in both."""
    yield f"| {heading} | " + " | ".join(log.name for log in logs) + " | ahead in both |"
    yield "| --- |" + " ---: |" * (len(logs) + 1)
    needs_users = any("predictions" in options for _, options in runs.values())
    columns = [gains_on_log((with_users if needs_users else read)(folder, log), runs) for log in logs]
    for name in runs:
        cells = [column[name] for column in columns]
        ahead = sum(plain > 0 and weighted > 0 for plain, weighted in cells)
        yield f"| {name} | " + " | ".join(f"{a:.1f} / {b:.1f}" for a, b in cells) + f" | {ahead} |"


def drawn(found: dict[str, Score]) -> Figure:
    """Every selection by its mean gains, and the frontier; named are those that options name, and the chosen one."""
    drawing = Figure(figsize=(6.4, 4.4), layout="constrained")
    ax = drawing.subplots()
    points = np.array([score.mean for score in found.values()])
    ax.scatter(points[:, 0], points[:, 1], s=14, color="0.6", label="searched")
    best = frontier(found)
    ax.plot(*np.array([found[name].mean for name in best]).T, marker="o", markersize=4, label="frontier")
    ax.plot(*found[chosen(found)].mean, marker="*", markersize=11, linestyle="", label="chosen")
    for name, (option, offset) in LABELS.items():
        ax.annotate(
            option,
            found[name].mean,
            xytext=offset,
            textcoords="offset points",
            arrowprops={"arrowstyle": "-", "color": "0.5", "linewidth": 0.6},
        )
    ax.axhline(0, color="0.8", linewidth=0.8)
    ax.margins(0.08)
    ax.set_xlabel("gain in mean response time (%)")
    ax.set_ylabel("gain in weighted response time (%)")
    ax.legend(loc="lower right")
    return drawing


def main(folder: Path, results_folders: list[str]) -> None:
    """Rewrite the tables of the page, and draw the frontier."""
    logging.getLogger("schedcore").setLevel(logging.ERROR)
    results = {each.experiment.name: each for each in map(opened, results_folders)}
    found = scores(results[SEARCH].sweep("search"), "ff")
    shown = list(dict.fromkeys([chosen(found), *NAMED]))
    feitelson = results[JUDGE].sweep("feitelson")
    others = scores(feitelson[feitelson["job_set"] > JOB_SETS_THAT_CHOOSE], "FF-EASY")
    lublin = scores(results[JUDGE].sweep("lublin"), "FF-EASY")
    made: list[Callable[[], Iterable[str]]] = [
        lambda: cells_table(found, shown),
        lambda: [ahead_in_all(found)],
        lambda: cells_table(others, JUDGED),
        lambda: cells_table(lublin, JUDGED),
        lambda: logs_table(folder, ONE_RESOURCE, selecting(of_one_resource(found))),
        lambda: logs_table(folder, TWO_RESOURCES, selecting(JUDGED.values())),
        lambda: logs_table(folder, ONE_RESOURCE, RIVALS, "policy"),
    ]
    tables = dict(zip(TABLES, made, strict=True))
    PAGE.write_text(page_with_tables(PAGE.read_text(), tables))
    save_small(drawn(found), IMAGES / f"{SEARCH}-frontier.png")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
