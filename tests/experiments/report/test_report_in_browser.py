"""A real browser shows the report: Chromium, driven through a pipe, without a network.

Skipped where no Chromium is installed (Debian: ``apt install chromium``).
"""

import base64
import fcntl
import itertools
import json
import os
import select
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from schedcore.experiments import Claim, Experiment, Figure, Sweep, Workload, run

pytest.importorskip("jinja2")
pytest.importorskip("matplotlib")
pytest.importorskip("scipy")

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
SECONDS = 120  # for one answer of a browser that starts on a busy machine

pytestmark = pytest.mark.skipif(BROWSER is None, reason="no Chromium is installed")

# Descriptors 3 and 4 are where Chromium reads commands and writes answers.
SHELL = 'exec "$@" 3<&{0} 4>&{1}'


def _high_pipe() -> tuple[int, int]:
    """A pipe whose descriptors are not among the low ones that the shell replaces."""
    low = os.pipe()
    high = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in low]
    for end in low:
        os.close(end)
    return high[0], high[1]


class Browser:
    """A headless Chromium with one page; `events` are what it told unasked."""

    def __init__(self, folder: Path) -> None:
        assert BROWSER is not None
        commands, self._commands = _high_pipe()
        self._answers, answers = _high_pipe()
        self._process = subprocess.Popen(
            [
                "/bin/bash", "-c", SHELL.format(commands, answers), "browser", BROWSER, "--headless", "--no-sandbox",
                "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--remote-debugging-pipe",
                "--disable-background-networking", "--host-resolver-rules=MAP * ~NOTFOUND",
                f"--user-data-dir={folder}", "about:blank",
            ],
            pass_fds=(commands, answers), start_new_session=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        os.close(commands)
        os.close(answers)
        self._numbers = itertools.count(1)
        self._unread = b""
        self._session: str | None = None
        self.events: list[dict[str, Any]] = []

    def open_page(self) -> None:
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.ask(f"{domain}.enable")

    def close(self) -> None:
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait(SECONDS)
        os.close(self._commands)
        os.close(self._answers)

    def ask(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Send a command of the DevTools protocol and wait for its answer."""
        number = next(self._numbers)
        message = {"id": number, "method": method, "params": parameters}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._commands, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._read()
            if answer.get("id") == number:
                assert "error" not in answer, answer
                result: dict[str, Any] = answer["result"]
                return result
            self.events.append(answer)

    def wait_for(self, event: str) -> None:
        while not any(known.get("method") == event for known in self.events):
            self.events.append(self._read())

    def evaluate(self, expression: str) -> Any:
        answer = self.ask("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def show(self, page: Path, width: int, scheme: str = "light") -> None:
        self.ask(
            "Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False
        )
        self.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.events.clear()
        self.ask("Page.navigate", url=page.as_uri())
        self.wait_for("Page.loadEventFired")

    def _read(self) -> dict[str, Any]:
        end = time.monotonic() + SECONDS
        while b"\0" not in self._unread:
            ready, _, _ = select.select([self._answers], [], [], max(0.0, end - time.monotonic()))
            assert ready, f"the browser did not answer within {SECONDS} s"
            part = os.read(self._answers, 1 << 20)
            assert part, "the browser ended"
            self._unread += part
        message, _, self._unread = self._unread.partition(b"\0")
        answer: dict[str, Any] = json.loads(message)
        return answer


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    started = Browser(tmp_path_factory.mktemp("profile"))
    try:
        started.open_page()
        yield started
    finally:
        started.close()


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
    asked = {
        event["params"]["request"]["url"]
        for event in browser.events
        if event.get("method") == "Network.requestWillBeSent"
    }
    assert page.as_uri() in asked
    assert all(url == page.as_uri() or url.startswith("data:image/svg+xml;") for url in asked)
    complaints = ("Log.entryAdded", "Runtime.consoleAPICalled", "Runtime.exceptionThrown")
    assert [event for event in browser.events if event.get("method") in complaints] == []


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


# Contrast of text and background by WCAG 2: the ratio of their luminances, of which 4.5 is enough for small letters.
CONTRAST = """(() => {
  const luminance = colour => {
    const [r, g, b] = colour.match(/[\\d.]+/g).map(Number).slice(0, 3).map(part => {
      part /= 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const paper = luminance(getComputedStyle(document.body).backgroundColor);
  const texts = document.querySelectorAll('h1, p, a, dt, dd, caption, th, td, .verdict, .default');
  const ratios = [...texts].map(element => {
    const [low, high] = [luminance(getComputedStyle(element).color), paper].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  });
  return [paper, Math.min(...ratios)];
})()"""


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
