"""The site of the documentation is built without a warning, and every link inside it leads somewhere."""

import subprocess
import sys
from html.parser import HTMLParser
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

DOCS = Path(__file__).parents[2] / "docs"


class Links(HTMLParser):
    """What a page links to or shows, and the names in it that a link can lead to."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.targets: list[str] = []
        self.names: set[str] = {"", "top"}
        self.feed(page.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("href", "src") and value and not value.startswith(("data:", "mailto:")):
                self.targets.append(value)
            elif name in ("id", "name") and value:
                self.names.add(value)


def broken_links(site: Path) -> list[str]:
    """Links of a built site to files or places in them that there are not."""
    pages = {page.resolve(): Links(page) for page in site.rglob("*.html")}
    broken = []
    for page, links in pages.items():
        for target in links.targets:
            parts = urlsplit(target)
            if parts.scheme or parts.netloc:
                continue
            file = (page.parent / unquote(parts.path)).resolve() if parts.path else page
            if not file.is_file() or (file in pages and unquote(parts.fragment) not in pages[file].names):
                broken.append(f"{page.name}: {target}")
    return broken


@pytest.mark.slow
def test_site_is_built_without_a_warning_and_its_links_lead_somewhere(tmp_path: Path) -> None:
    for module in ("sphinx", "myst_parser", "furo"):
        if find_spec(module) is None:
            pytest.skip(f"{module} is not installed; pip install --group docs")
    site = tmp_path / "site"
    built = subprocess.run(
        [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html", "-d", tmp_path / "read", DOCS, site],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert built.returncode == 0, built.stderr
    assert (site / "index.html").is_file()
    assert broken_links(site) == []


def test_broken_links_are_found(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text('<a id="here"></a><a href="#here"></a><a href="b.html#there"></a>')
    (tmp_path / "b.html").write_text(
        '<a href="a.html#here"></a><a href="c.html"></a><img src="d.png"><a href="https://example.org/e"></a>'
    )
    assert sorted(broken_links(tmp_path)) == ["a.html: b.html#there", "b.html: c.html", "b.html: d.png"]
