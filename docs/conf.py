"""Sphinx: Markdown pages (MyST), the furo theme, signatures from the installed package.

``pip install . --group docs`` and ``python -m sphinx -W --keep-going -b html docs docs/_build``.
"""

from sphinx.application import Sphinx

import schedcore

project = "schedcore"
author = "The schedcore authors"
version = release = schedcore.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.mathjax"]
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3
source_suffix = {".md": "markdown"}
exclude_patterns = ["_build"]

autodoc_member_order = "bysource"
autodoc_typehints = "none"
napoleon_google_docstring = False
napoleon_use_rtype = False
# Types such as (n_jobs,) int64 are words, not links to whatever has that name.
napoleon_use_param = False
napoleon_custom_sections = [("Attributes", "params_style")]
default_role = "code"

html_theme = "furo"
html_title = f"schedcore {release}"
html_show_copyright = False


def setup(app: Sphinx) -> None:
    """Read docstrings of attributes as sentences, before napoleon takes what is before a colon for a type."""
    app.connect("autodoc-process-docstring", _begin_with_an_empty_line, priority=400)


def _begin_with_an_empty_line(
    app: Sphinx, what: str, name: str, obj: object, options: object, lines: list[str]
) -> None:
    if what in ("attribute", "data", "property"):
        lines.insert(0, "")
