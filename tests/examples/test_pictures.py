"""The pictures of the gallery, the stories and README are what the code on these pages draws now."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from docs_script import docs_script

ROOT = Path(__file__).parents[2]
IMAGES = ROOT / "docs" / "images"
LARGEST, ALL_TOGETHER = 40_000, 600_000

pytest.importorskip("matplotlib")


def shown(page: Path) -> list[str]:
    return re.findall(r"!\[[^]]+\]\((?:docs/)?images/([\w.-]+)\)", page.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def script() -> Any:
    return docs_script("gallery_pictures")


def grey(picture: Path) -> np.ndarray[Any, Any]:
    image = pytest.importorskip("PIL.Image")
    with image.open(picture) as opened:
        return np.asarray(opened.convert("L"), dtype=np.float64) / 255


def assert_alike(drawn: Path, kept: Path) -> None:
    """As large as each other, and alike but for how releases of matplotlib draw letters and lines."""
    now, then = grey(drawn), grey(kept)
    told = f"{kept.name} is not what its code draws; run: python docs/gallery_pictures.py"
    assert np.abs(np.subtract(now.shape, then.shape)).max() <= 10, told
    height, width = np.minimum(now.shape, then.shape)
    assert np.abs(now[:height, :width] - then[:height, :width]).mean() < 0.02, told


def test_gallery_is_what_its_code_draws(script: Any, tmp_path: Path) -> None:
    drawn = []
    for name, figure in script.pictures("gallery"):
        drawn.append(name)
        script.save_small(figure, tmp_path / name)
        assert_alike(tmp_path / name, IMAGES / name)
    assert len(drawn) >= 10
    assert set(drawn) == {name for name in shown(ROOT / "docs" / "gallery.md") if name.startswith("gallery-")}


def test_readme_shows_what_its_command_draws(script: Any, tmp_path: Path) -> None:
    pytest.importorskip("typer")
    assert script.README_COMMAND in (ROOT / "README.md").read_text(encoding="utf-8")
    assert shown(ROOT / "README.md") == ["readme.png"]
    script.draw_readme(tmp_path / "readme.png")
    assert_alike(tmp_path / "readme.png", IMAGES / "readme.png")


def test_another_picture_is_not_alike() -> None:
    with pytest.raises(AssertionError, match="docs/gallery_pictures"):
        assert_alike(IMAGES / "gallery-waits.png", IMAGES / "gallery-hours.png")
    with pytest.raises(AssertionError, match="docs/gallery_pictures"):
        assert_alike(IMAGES / "gallery-queue.png", IMAGES / "gallery-hours.png")


def test_pictures_are_small_and_each_is_shown(script: Any) -> None:
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]
    files = {path.name: path.stat().st_size for path in IMAGES.iterdir()}
    assert set(files) == {name for page in pages for name in shown(page)}
    own = [size for name, size in files.items() if name.startswith(("gallery-", "story-", "readme"))]
    assert max(own) < LARGEST
    assert sum(own) < ALL_TOGETHER
    for story in script.STORIES:
        assert [name for name in shown(ROOT / "docs" / f"{story}.md") if name.startswith(f"{story}-")]
