"""Drawings of experiments that pages embed, small enough for the repository.

A page embeds a figure by its name, ``![...](images/<experiment>-<figure>.png)``. The script that writes the tables of
a page from folders of results draws these figures anew from the same folders.
"""

import io
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from schedcore.experiments import Results
from schedcore.model.extras import import_extra

__all__ = ["draw_embedded", "embedded", "save_in_few_colours", "save_small"]

IMAGES = Path(__file__).parent / "images"
_DPI = 100
_COLOURS = 64


def embedded(page: str, experiment: str) -> Iterator[str]:
    """The figures of an experiment that a page shows, each once."""
    names = re.findall(rf"\]\(images/{re.escape(experiment)}-([\w-]+)\.png\)", page)
    return iter(dict.fromkeys(names))


def draw_embedded(page: str, results: Mapping[str, Results], folder: Path = IMAGES) -> list[Path]:
    """Draw the figures of these experiments that a page shows; return the paths."""
    paths = []
    for experiment, outcomes in results.items():
        for figure in embedded(page, experiment):
            paths.append(folder / f"{experiment}-{figure}.png")
            save_small(outcomes.plot(figure).figure, paths[-1])
    return paths


def save_small(figure: Any, path: Path) -> None:
    """Write a drawing as PNG, in so few colours that it is a third as large; close it."""
    drawing = io.BytesIO()
    figure.savefig(drawing, dpi=_DPI)
    import_extra("matplotlib.pyplot", "plot").close(figure)
    save_in_few_colours(drawing, path)


def save_in_few_colours(drawing: Any, path: Path) -> None:
    """Write an image, a file or its path, as PNG in so few colours that it is a third as large."""
    image = import_extra("PIL.Image", "plot")
    with image.open(drawing) as whole:
        few = whole.convert("RGB").quantize(
            _COLOURS, method=image.Quantize.MAXCOVERAGE, dither=image.Dither.NONE
        )
    few.save(path, optimize=True)
