"""Pictures of pages, coarse enough that another version of a browser or a font renderer makes the same."""

import io
import os
import shutil
import subprocess
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from browser import Browser

GOLDEN = Path(__file__).parent / "golden"
RENEWS = bool(os.environ.get("SCHEDCORE_RENEW_GOLDEN"))
FONT = "Liberation Sans"

_BLOCK = 8  # pixels that are taken together in either direction


def has_font() -> bool:
    """Whether the font is installed in which the pictures are kept."""
    if shutil.which("fc-list") is None:
        return False
    listed = subprocess.run(["fc-list", FONT], capture_output=True, text=True, check=False).stdout
    return bool(listed.strip())


def coarse_picture(browser: Browser, width: int) -> NDArray[np.float64]:
    """The whole page in one font, in shades of grey from 0 to 1, a number for each block of pixels."""
    from matplotlib.image import imread

    browser.evaluate(
        f"""(() => {{
          const style = document.createElement('style');
          style.textContent = `* {{ font-family: "{FONT}" !important; }}`;
          document.head.append(style);
        }})()"""
    )
    height = browser.evaluate("document.documentElement.scrollHeight")
    browser.ask(
        "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False
    )
    browser.evaluate(  # two frames later everything is drawn in the new size
        "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
    )
    pixels = imread(io.BytesIO(browser.picture()), format="png")[:, :, :3].mean(axis=2)
    rows, columns = (size // _BLOCK for size in pixels.shape)
    blocks = pixels[: rows * _BLOCK, : columns * _BLOCK].reshape(rows, _BLOCK, columns, _BLOCK)
    return np.asarray(blocks.mean(axis=(1, 3)), dtype=np.float64)


def kept_picture(name: str, now: NDArray[np.float64]) -> NDArray[np.float64]:
    """The picture that is kept under a name; first it is renewed where that was asked for."""
    from matplotlib.image import imread, imsave

    path = GOLDEN / f"{name}.png"
    if RENEWS:
        GOLDEN.mkdir(exist_ok=True)
        imsave(path, now, cmap="gray", vmin=0.0, vmax=1.0)
    return np.asarray(imread(path)[:, :, 0], dtype=np.float64)


def distance(first: NDArray[np.float64], second: NDArray[np.float64]) -> float:
    """Mean difference of two pictures, where both have something; 1 if one is much longer."""
    longer = max(len(first), len(second))
    if first.shape[1] != second.shape[1] or abs(len(first) - len(second)) > 0.03 * longer:
        return 1.0
    common = min(len(first), len(second))
    return float(np.abs(first[:common] - second[:common]).mean())
