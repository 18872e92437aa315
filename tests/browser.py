"""A real browser for tests: Chromium without a window, driven through a pipe, without a network.

Tests that need it are skipped where none is installed (Debian: ``apt install chromium``).
"""

import base64
import contextlib
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
from pathlib import Path
from typing import Any

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
SECONDS = 120  # for one answer of a browser that starts on a busy machine

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

    def complaints(self) -> list[dict[str, Any]]:
        """What the page wrote to the console, and what it was not allowed to do."""
        kinds = ("Log.entryAdded", "Runtime.consoleAPICalled", "Runtime.exceptionThrown")
        return [event for event in self.events if event.get("method") in kinds]

    def asked_for(self) -> set[str]:
        """The addresses that the page asked for."""
        asked = (event for event in self.events if event.get("method") == "Network.requestWillBeSent")
        return {event["params"]["request"]["url"] for event in asked}

    def picture(self, *, whole: bool = False) -> bytes:
        """The page as it is seen, as PNG; the whole of it, or as high as the window."""
        return base64.b64decode(self.ask("Page.captureScreenshot", captureBeyondViewport=whole)["data"])


@contextlib.contextmanager
def opened_browser(folder: Path) -> Iterator[Browser]:
    """A browser with one empty page, whose profile is in `folder`."""
    started = Browser(folder)
    try:
        started.open_page()
        yield started
    finally:
        started.close()


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
