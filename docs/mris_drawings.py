"""The drawings of docs/mris-evaluation.md, from the results of its experiments: what was measured, and published.

Run as a script with the results folders, it writes ``docs/images/mris_*.png``::

    python docs/mris_drawings.py results/mris-figures results/mris-heavy results/mris-azure-v1
"""

import dataclasses
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from embedded_drawings import IMAGES, save_small
from marked_tables import opened
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from schedcore.experiments import Results, open_results
from schedcore.plotting.style import legend_of_figure

#: Drawing -> the figure it shows, and the experiments side by side.
STAND_INS = ("mris-figures", "mris-heavy")
DRAWINGS = {
    "mris_load": ("figure-3", (*STAND_INS, "mris-azure-v1")),
    "mris_machines": ("figure-4", STAND_INS),
    "mris_delays": ("figure-5", STAND_INS),
    "mris_resources": ("figure-6", STAND_INS),
}
#: TETRIS and BF-EXEC would lie on PQ, the other forms of MRIS near MRIS.
POLICIES = ("MRIS", "PQ", "CA-PQ", "MRIS replan always")
NAMES = {"mris-figures": "azure_like", "mris-heavy": "azure_heavy", "mris-azure-v1": "trace of 2017"}
WIDTH, HEIGHT = 3.1, 3.2  # inches of a panel


def of_some_policies(results: Results) -> Results:
    """The same results, with figures that show `POLICIES` alone."""
    whole = results.experiment
    figures = {
        name: dataclasses.replace(
            figure,
            policies=POLICIES,
            claims=[claim for claim in figure.claims if set(claim.policies) <= set(POLICIES)],
        )
        for name, figure in whole.figures.items()
        if name in {shown for shown, _ in DRAWINGS.values()}
    }
    return open_results(results.path, dataclasses.replace(whole, figures=figures))


def drawn(figure: str, several: Sequence[Results]) -> Figure:
    """A figure of several experiments, a panel each."""
    drawing = Figure(figsize=(WIDTH * len(several), HEIGHT), layout="constrained")
    panels = drawing.subplots(1, len(several), squeeze=False)[0]
    for ax, results in zip(panels, several, strict=True):
        results.plot(figure, ax=ax)
        mark_published(results, figure, ax)
        ax.set_title(NAMES[results.experiment.name], loc="right", fontsize="small")
        ax.tick_params(labelsize="small")
        if figure == "figure-3":  # whose numbers of jobs are long
            ax.tick_params(axis="x", labelrotation=40)
    legend_of_figure(drawing, panels)
    return drawing


def mark_published(results: Results, figure: str, ax: Axes) -> None:
    """Crosses where the paper has the policies that are shown, in their colours."""
    colours = {line.get_label(): line.get_color() for line in ax.get_lines()}
    description = results.experiment.figures[figure]
    for policy in POLICIES:
        points = [
            (claim.within if claim.quantity == "share" else claim.at[0], claim.published)
            for claim in description.judged
            if claim.policies == (policy,) and claim.published is not None
        ]
        ax.scatter(
            [x for x, _ in points], [y for _, y in points], s=55, marker="x", linewidths=2, color=colours[policy],
            label="published" if policy == POLICIES[0] and points else None, clip_on=False, zorder=3,
        )  # fmt: skip


def draw(results: Mapping[str, Results], folder: Path = IMAGES) -> list[Path]:
    """Write all drawings of which the results are there."""
    paths = []
    for name, (figure, experiments) in DRAWINGS.items():
        if results.keys() >= set(experiments):
            paths.append(folder / f"{name}.png")
            save_small(drawn(figure, [results[one] for one in experiments]), paths[-1])
    return paths


if __name__ == "__main__":
    shown = map(of_some_policies, map(opened, sys.argv[1:]))
    draw({results.experiment.name: results for results in shown})
