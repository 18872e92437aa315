"""Sphinx: Markdown pages (MyST), the furo theme, signatures from the installed package.

``pip install . --group docs`` and ``sphinx-build -W docs docs/_build``.
"""

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
default_role = "code"

html_theme = "furo"
html_title = f"schedcore {release}"
