"""The pictures of the gallery, the stories and README: each from the code that stands above it on its page.

``python docs/gallery_pictures.py`` draws those of the gallery and README into ``docs/images``. With the folders of
recorded logs, ``python docs/gallery_pictures.py LOGS...``, also those of the stories.

A page draws a picture of its own in a block that sets ``figure``, and shows it as ``images/PAGE-....png`` below.
"""

import contextlib
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")

from embedded_drawings import IMAGES, save_in_few_colours, save_small
from matplotlib import pyplot

DOCS = Path(__file__).parent
STORIES = ("story-backfilling", "story-gpu-nodes", "story-vm-fleet")
#: What README shows, and which of the drawings that it makes stands there.
README_COMMAND = "schedcore compare --plot drawings"
README_DRAWING = "drawings/awct.png"
_BLOCK_OR_PICTURE = re.compile(
    r"^```python\n(?P<code>.*?)^```\n|!\[[^]]*\]\(images/(?P<picture>[\w.-]+)\)", re.DOTALL | re.MULTILINE
)


def main(folders: list[str]) -> None:
    """Draw all that can be drawn with what is there."""
    for name, figure in pictures("gallery"):
        save_small(figure, IMAGES / name)
    draw_readme(IMAGES / "readme.png")
    for story in STORIES if folders else ():
        with working_in([Path(folder).resolve() for folder in folders]):
            for name, figure in pictures(story):
                save_small(figure, IMAGES / name)


def pictures(page: str) -> Iterator[tuple[str, Any]]:
    """Run the code of a page in its order, and yield the name of each picture of its own with its figure."""
    names: dict[str, Any] = {"__name__": page}
    for found in _BLOCK_OR_PICTURE.finditer((DOCS / f"{page}.md").read_text(encoding="utf-8")):
        if found["code"] is not None:
            with contextlib.redirect_stdout(None):
                exec(compile(found["code"], page, "exec"), names)
        elif found["picture"].startswith(f"{page}-"):
            yield found["picture"], names.pop("figure")
    pyplot.close("all")


@contextlib.contextmanager
def working_in(folders: list[Path]) -> Iterator[None]:
    """Work in an empty folder with links to the logs and tables in these."""
    with tempfile.TemporaryDirectory() as place, contextlib.chdir(place):
        for folder in folders:
            for file in (*folder.glob("*.gz"), *folder.glob("*.csv")):
                os.symlink(file, Path(place, file.name))
        yield


def draw_readme(path: Path) -> None:
    """Run the command of README, and keep the drawing that README shows."""
    with working_in([]):
        subprocess.run([sys.executable, "-m", *README_COMMAND.split()], check=True, capture_output=True)
        save_in_few_colours(README_DRAWING, path)


if __name__ == "__main__":
    main(sys.argv[1:])
