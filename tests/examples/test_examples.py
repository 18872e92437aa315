"""What the documentation shows is what happens: examples run, code blocks run and print what the page says."""

import contextlib
import io
import re
import runpy
from pathlib import Path
from typing import Any

import pytest

from data_folder import data_folder
from docs_script import docs_script
from schedcore import registry

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
# Pages whose Python needs nothing but the library; blocks marked `py` open a log of the reader's and do not run.
PAGES = [ROOT / "README.md", *(ROOT / "docs" / f"{name}.md" for name in (
    "getting-started", "embedding", "live-questions", "extending", "metrics", "workloads", "colocation",
    "parallel-tasks", "preemptive", "partition", "bounds", "cluster", "site-rules", "slurm", "gallery"
))]  # fmt: skip
# pages about recorded workloads, and the files that they read from the present folder
STORIES = {
    "story-backfilling": ["pwa-swf/KTH-SP2-1996-2.1-cln.swf.gz"],
    "story-gpu-nodes": [
        "alibaba-openb-2023/openb_pod_list_default.csv.gz", "alibaba-openb-2023/openb_node_list_all_node.csv"
    ],
    "story-vm-fleet": ["azure-v1-vms/azure_v1_dev_vms.csv.gz"],
}  # fmt: skip
# a block of Python, and the block of text directly below it: what it prints
BLOCK = re.compile(
    r"^```python\n(?P<code>.*?)^```\n(?:\n```text\n(?P<printed>.*?)^```\n)?", re.DOTALL | re.MULTILINE
)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_every_example_runs_and_prints(
    example: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if "parquet" in example.read_text(encoding="utf-8"):
        pytest.importorskip("pyarrow")
    if "numba" in example.read_text(encoding="utf-8"):
        pytest.importorskip("numba")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", [str(example)])
    monkeypatch.syspath_prepend(example.parent)  # as Python does for a script
    runpy.run_path(str(example), run_name="__main__")
    assert capsys.readouterr().out.strip()
    assert not list(tmp_path.iterdir()), "an example leaves no files behind"


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.stem)
def test_code_of_a_page_runs_in_order_and_prints_what_it_shows(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(registry, "_algorithms", dict(registry._algorithms))  # a page may add its own
    check_page(page)


@pytest.mark.slow
@pytest.mark.parametrize("story", STORIES)
def test_a_story_tells_what_comes_of_the_recorded_workload(
    story: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in STORIES[story]:
        file = data_folder(*name.split("/"))
        (tmp_path / file.name).symlink_to(file)
    monkeypatch.chdir(tmp_path)
    check_page(ROOT / "docs" / f"{story}.md")


def test_every_story_is_run() -> None:
    assert sorted(STORIES) == sorted(page.stem for page in (ROOT / "docs").glob("story-*.md"))
    assert sorted(STORIES) == sorted(docs_script("gallery_pictures").STORIES)


def check_page(page: Path) -> None:
    """Run the code of a page in the present folder, and compare what it prints with the text below each block."""
    blocks = list(BLOCK.finditer(page.read_text(encoding="utf-8")))
    assert blocks
    if any(word in block["code"] for block in blocks for word in ("plotting", ".plot(")):
        pytest.importorskip("matplotlib")
    namespace: dict[str, Any] = {"__name__": page.stem}
    for block in blocks:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(block["code"], str(page), "exec"), namespace)
        if block["printed"] is not None:
            assert printed.getvalue() == block["printed"], block["code"]


def test_readme_example_is_short() -> None:
    block = BLOCK.search((ROOT / "README.md").read_text(encoding="utf-8"))
    assert block is not None
    assert len(block["code"].splitlines()) <= 15


def test_table_of_policies_is_the_registry() -> None:
    table = docs_script("policy_table")
    page = (ROOT / "docs" / "policies.md").read_text(encoding="utf-8")
    assert page == table.page_with_table(page), "run: python docs/policy_table.py"


def test_table_of_figures_is_what_the_command_line_says_of_them() -> None:
    table = docs_script("figure_table")
    page = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    assert page == table.page_with_table(page), "run: python docs/figure_table.py"


def test_links_between_pages_lead_somewhere() -> None:
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]
    broken = [
        f"{page.name}: {target}"
        for page in pages
        for target in re.findall(r"\]\((?!https?:|#)([^)#\s]+)", page.read_text(encoding="utf-8"))
        if not (page.parent / target).exists()
    ]
    assert not broken
