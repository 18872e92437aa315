"""Reading pages: what is in them, and that they refer to nothing outside."""

import re
from html.parser import HTMLParser


class Elements(HTMLParser):
    """The start tags of a page with their attributes, its headings' levels, and its visible text."""

    VOID = ("meta", "img", "br", "input")

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.text = ""
        self.feed(page)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if not {"style", "script"} & set(self.open):
            self.text += data

    def of(self, *tags: str) -> list[dict[str, str | None]]:
        return [attributes for tag, attributes in self.tags if tag in tags]


def refers_to_nothing_outside(page: str) -> Elements:
    """Check that a page loads nothing, and runs nothing but scripts that are part of it; return its elements."""
    elements = Elements(page)
    assert not elements.of("link", "iframe", "object", "base", "form")
    for _, attributes in elements.tags:
        for name, value in attributes.items():
            if name in ("src", "href", "srcset", "data", "action", "poster"):
                assert value
                assert value.startswith(("data:image/svg+xml;base64,", "data:image/png;base64,", "#"))
            assert not name.startswith("on")
    (style,) = re.findall(r"<style>(.*?)</style>", page, flags=re.DOTALL)
    assert "url(" not in style
    assert "@import" not in style
    return elements
