"""A real browser shows the report: Chromium, driven through a pipe, without a network.

Skipped where no Chromium is installed (Debian: ``apt install chromium``).
"""

import base64
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from browser import BROWSER, CONTRAST, Browser, opened_browser
from schedcore.experiments import Claim, Experiment, Figure, Sweep, Workload, run

pytest.importorskip("jinja2")
pytest.importorskip("matplotlib")
pytest.importorskip("scipy")

pytestmark = pytest.mark.skipif(BROWSER is None, reason="no Chromium is installed")


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with opened_browser(tmp_path_factory.mktemp("profile")) as opened:
        yield opened


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    experiment = Experiment(
        name="browser",
        title="A report <b>in</b> a browser",
        about="Small & quick.",
        job_sets=(1, 2, 3),
        workloads={"azure": Workload("azure_like")},
        policies={"PQ": "pq", "<script>document.title = 'run'</script>": "ca_pq", "MRIS": "mris:knapsack=greedy"},
        sweeps={
            "load": Sweep(
                ["azure"], ["PQ", "<script>document.title = 'run'</script>", "MRIS"],
                {"n_jobs": [30, 60, 90, 120, 150, 180], "n_machines": [2]}, keep=["delay_quantiles", "schedule"],
            )
        },
        figures={
            "lines": Figure(
                "load", x="n_jobs", unit="days", lower_bound=True, title="Load", outcome="PQ & MRIS differ.",
                claims=[Claim("MRIS against PQ", "ratio", ("MRIS", "PQ"), (180, 180), (0.0, 1e9))],
            ),
            "bars": Figure("load", kind="bars", where={"n_jobs": 60}, title="Bars"),
            "delays": Figure("load", kind="delays", where={"n_jobs": 60}, unit="days", title="Delays"),
            "packing": Figure("load", kind="packing", where={"n_jobs": 30}, title="Packing"),
        },
    )  # fmt: skip
    folder = tmp_path_factory.mktemp("experiment")
    with ThreadPoolExecutor(1) as executor:
        return run(experiment, folder / "r", executor=executor).report(folder / "report.html")


def test_every_drawing_is_decoded_and_nothing_is_requested_or_complained_about(
    browser: Browser, page: Path
) -> None:
    browser.show(page, 1280)
    images = (
        "Promise.all([...document.images].map(i => i.decode().then(() => [i.naturalWidth, i.naturalHeight])))"
    )
    sizes = browser.evaluate(images)
    assert len(sizes) == 4
    assert all(width > 300 and height > 100 for width, height in sizes)
    asked = browser.asked_for()
    assert page.as_uri() in asked
    assert all(url == page.as_uri() or url.startswith("data:image/svg+xml;") for url in asked)
    assert browser.complaints() == []


def test_texts_are_shown_as_written_and_none_of_them_runs(browser: Browser, page: Path) -> None:
    browser.show(page, 1280)
    assert browser.evaluate("document.title") == "A report <b>in</b> a browser"
    assert browser.evaluate("document.querySelector('h1').innerText") == "A report <b>in</b> a browser"
    text = browser.evaluate("document.body.innerText")
    for expected in (
        "Small & quick.", "54 of 54", "What agrees and what differs", "1 agree", "PQ & MRIS differ.", "agrees",
        "<script>document.title = 'run'</script>", "Every schedule passed the exact validator.", "Time and memory",
    ):  # fmt: skip
        assert expected in text
    assert browser.evaluate("document.scripts.length") == 0


@pytest.mark.parametrize("width", [1280, 400, 320])
def test_the_page_itself_never_scrolls_sideways(browser: Browser, page: Path, width: int) -> None:
    browser.show(page, width)
    assert browser.evaluate("document.documentElement.scrollWidth") <= width
    if width == 320:
        boxes = "[...document.querySelectorAll('.scroll')].filter(b => b.scrollWidth > b.clientWidth).length"
        assert browser.evaluate(boxes) > 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_stands_out_from_the_background(browser: Browser, page: Path, scheme: str) -> None:
    browser.show(page, 1280, scheme)
    paper, least = browser.evaluate(CONTRAST)
    assert (paper > 0.5) == (scheme == "light")
    assert least >= 4.5


def test_the_page_prints(browser: Browser, page: Path) -> None:
    browser.show(page, 1280, "dark")
    document = base64.b64decode(browser.ask("Page.printToPDF")["data"])
    assert document.startswith(b"%PDF-")
    browser.ask("Emulation.setEmulatedMedia", media="print")
    assert browser.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    browser.ask("Emulation.setEmulatedMedia", media="")
