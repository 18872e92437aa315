"""The drawings of the pages "Your cluster" and "The rules of a site", from the code of the pages themselves.

``python docs/cluster_drawings.py`` writes ``cluster_runs.png``, ``cluster_use.png`` and ``shares_over_time.png`` into
``docs/images``.
"""

import re
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")

from embedded_drawings import IMAGES, save_small
from matplotlib import pyplot

from schedcore import plotting

DOCS = Path(__file__).parent
BLOCK = re.compile(r"^```python\n(.*?)^```\n", re.DOTALL | re.MULTILINE)


def main() -> None:
    """Run the pages, then draw what they end with."""
    page = run("cluster.md")
    site, result, incidents = page["site"], page["result"], page["incidents"]
    save_small(result.plot().figure, IMAGES / "cluster_runs.png")
    save_small(
        plotting.plot_utilisation(site, result.runs, incidents=incidents).figure, IMAGES / "cluster_use.png"
    )
    save_small(
        plotting.plot_shares_over_time(run("site-rules.md")["shares"]).figure, IMAGES / "shares_over_time.png"
    )


def run(page: str) -> dict[str, Any]:
    """Run the code of a page, and return its names."""
    names: dict[str, Any] = {}
    for code in BLOCK.findall((DOCS / page).read_text(encoding="utf-8")):
        exec(compile(code, page, "exec"), names)
    pyplot.close("all")
    return names


if __name__ == "__main__":
    main()
