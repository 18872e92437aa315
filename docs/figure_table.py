"""The table of figures in docs/cli.md, from what the command line says of them; as a script it rewrites the page."""

from pathlib import Path

from schedcore.problems.figure_meanings import MEANINGS

PAGE = Path(__file__).parent / "cli.md"
BEGIN, END = "<!-- figures: begin -->", "<!-- figures: end -->"


def figure_table() -> str:
    """One row a key of the rows that commands print as CSV and JSON."""
    rows = [("key", "meaning"), ("---", "---"), *((f"`{key}`", said) for key, said in MEANINGS.items())]
    return "\n".join(f"| {key} | {said} |" for key, said in rows)


def page_with_table(page: str) -> str:
    """The page with what stands between its marks replaced."""
    before, rest = page.split(BEGIN)
    after = rest.split(END)[1]
    return f"{before}{BEGIN}\n{figure_table()}\n{END}{after}"


if __name__ == "__main__":
    PAGE.write_text(page_with_table(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
