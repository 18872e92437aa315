"""The drawings of the page "Your cluster", from the code of the page itself.

``python docs/cluster_drawings.py`` writes ``docs/images/cluster_runs.png`` and ``cluster_use.png``.
"""

import re
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")

from matplotlib import pyplot

from schedcore import plotting

DOCS = Path(__file__).parent
BLOCK = re.compile(r"^```python\n(.*?)^```\n", re.DOTALL | re.MULTILINE)


def main() -> None:
    """Run the page, then draw its last result in the two ways."""
    page: dict[str, Any] = {}
    for code in BLOCK.findall((DOCS / "cluster.md").read_text(encoding="utf-8")):
        exec(compile(code, "cluster.md", "exec"), page)
    site, result, incidents = page["site"], page["result"], page["incidents"]
    save(result.plot(), "cluster_runs.png")
    save(plotting.plot_utilisation(site, result.runs, incidents=incidents), "cluster_use.png")


def save(ax: Any, name: str) -> None:
    """Write the figure of these axes."""
    ax.figure.savefig(DOCS / "images" / name, dpi=100, metadata={"Software": None})
    pyplot.close(ax.figure)


if __name__ == "__main__":
    main()
