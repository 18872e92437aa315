"""The frame that all pages share: one HTML file that loads nothing, which browsers enforce.

Style, pictures and scripts are part of the page. Its content security policy allows no others, and of scripts only
those of the package, by their hashes, so a text from a workload never runs.
"""

import base64
import hashlib
import importlib.resources
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from schedcore.model.extras import import_extra
from schedcore.model.whole_file import write_whole

__all__ = ["json_text", "render_page", "script_text", "write_page"]

_FRAME = "schedcore.reporting"


def render_page(package: str, template: str, scripts: Sequence[str] = (), **context: Any) -> str:
    """Fill a template that extends ``frame.html.jinja``; every text is escaped.

    Parameters
    ----------
    package, template : str
        The package that holds the template, and its file.
    scripts : sequence of str
        What the page runs, in this order, one after the other; the template finds it as `script`.
    **context
        What the template names; a name that is missing is an error.

    Raises
    ------
    ImportError
        Without jinja2 (``schedcore[experiments]``).
    """
    jinja = import_extra("jinja2", "experiments")
    script = "\n".join(scripts)
    environment = jinja.Environment(
        loader=jinja.FunctionLoader(lambda name: _text_of(package if name == template else _FRAME, name)),
        autoescape=True,
        undefined=jinja.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    page: str = environment.get_template(template).render(policy=_policy(script), script=script, **context)
    return page


def script_text(package: str, names: Sequence[str]) -> str:
    """The scripts of a package as one, in which what they declare is visible to the later ones and not outside."""
    texts = "\n".join(_text_of(package, name).strip() for name in names)
    return f'(() => {{\n"use strict";\n{texts}\n}})();'


def json_text(content: Any) -> str:
    """JSON that may stand inside a script element: no text in it ends the element or begins a comment."""
    text = json.dumps(content, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def write_page(path: Path, page: str) -> Path:
    """Write a page in one step and return its path.

    Raises
    ------
    OSError
        If it cannot be written; a page that stood there before stays as it was.
    """
    write_whole(path, page.encode())
    return path


def _policy(script: str) -> str:
    parts = ["default-src 'none'", "style-src 'unsafe-inline'", "img-src data:"]
    if script:
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        parts.append(f"script-src 'sha256-{digest}'")
    return "; ".join(parts)


def _text_of(package: str, name: str) -> str:
    return importlib.resources.files(package).joinpath(name).read_text(encoding="utf-8")
