"""A real browser shows the page about a comparison: what scripts show is what numpy finds, in any width."""

import base64
import importlib.resources
import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from browser import BROWSER, CONTRAST, Browser, opened_browser
from reporting.pictures_of_pages import FONT, coarse_picture, distance, has_font, kept_picture
from schedcore import Instance, Jobs, Machines
from schedcore.comparisons.progress import shown_progress
from schedcore.problems import problem_of
from schedcore.problems.comparison import compare_policies
from schedcore.problems.evaluation import Comparison
from schedcore.problems.policy_choice import parse_policies
from schedcore.reporting.comparison_page import Repetition, write_comparison_page
from schedcore.reporting.content import of_comparison
from schedcore.workloads import DataReport

pytest.importorskip("jinja2")
pytest.importorskip("matplotlib")

pytestmark = pytest.mark.skipif(BROWSER is None, reason="no Chromium is installed")

HOSTILE = "</script><script>document.title = 'run'</script>"
N_JOBS = 300
ALIKE = 0.01  # mean difference of shades of grey, which go from 0 to 1


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with opened_browser(tmp_path_factory.mktemp("profile")) as opened:
        yield opened


@pytest.fixture(scope="module")
def comparison() -> Comparison:
    draw = np.random.default_rng(8)
    users = np.array(["ann", "bob", HOSTILE])[draw.integers(0, 3, N_JOBS)]
    length = draw.integers(600, 30_000, N_JOBS)
    release = np.sort(draw.integers(0, 20 * 86_400, N_JOBS))
    jobs = Jobs(
        processing_time=length, demand=draw.integers(1, 17, (N_JOBS, 1)), release_time=release, user=users.tolist(),
        recorded_start_time=np.where(draw.random(N_JOBS) < 0.1, np.nan, release + 60.0), id=np.arange(N_JOBS) + 7000,
    )  # fmt: skip
    inst = Instance(jobs, Machines.identical(3, [16], resource_names=["cores"]))
    report = DataReport(
        "jobs <of> me.swf", N_JOBS, N_JOBS, units={"time": "s"}, capacity={"cores": 48}, load={"cores": 0.9},
        origin="2026-01-05T06:00:00", warnings=("half of it <b>is</b> lost",), assumptions=("all weights are 1",),
    )  # fmt: skip
    choices = parse_policies(["fcfs", "easy", "recorded"])
    with shown_progress(None) as step:
        return compare_policies(problem_of(inst).suited_to(report), report, choices, step)


@pytest.fixture(scope="module")
def page(comparison: Comparison, tmp_path_factory: pytest.TempPathFactory) -> Path:
    problem = problem_of(comparison.inst).suited_to(comparison.report)
    content = of_comparison(problem, comparison, ["told <i>so</i>"])
    path = tmp_path_factory.mktemp("page") / "page.html"
    return write_comparison_page(path, content, Repetition("schedcore compare me.swf", "1.2.3"))


def show(browser: Browser, page: Path, width: int, scheme: str = "light") -> None:
    browser.show(page, width, scheme)
    browser.evaluate(
        """new Promise(done => {
          const look = () => document.getElementById('explorer').hidden ? setTimeout(look, 20) : done();
          look();
        })"""
    )


def text(browser: Browser, element: str) -> str:
    return str(browser.evaluate(f"document.getElementById('{element}').innerText"))


def choose(browser: Browser, element: str, value: object, event: str = "change") -> None:
    browser.evaluate(
        f"""(() => {{
          const element = document.getElementById('{element}');
          element.value = {str(value)!r};
          element.dispatchEvent(new Event('{event}'));
        }})()"""
    )


def listed_jobs(browser: Browser) -> list[list[str]]:
    rows = (
        "[...document.querySelectorAll('#jobs tr')].map(row => [...row.children].map(cell => cell.innerText))"
    )
    return list(browser.evaluate(rows))


def test_nothing_is_requested_or_complained_about_and_no_text_runs(browser: Browser, page: Path) -> None:
    show(browser, page, 1280)
    sizes = browser.evaluate(
        "Promise.all([...document.images].map(i => i.decode().then(() => [i.naturalWidth, i.naturalHeight])))"
    )
    assert len(sizes) >= 2
    assert all(width > 300 and height > 100 for width, height in sizes)
    asked = browser.asked_for()
    assert page.as_uri() in asked
    assert all(url == page.as_uri() or url.startswith("data:image/") for url in asked)
    assert browser.complaints() == []
    assert browser.evaluate("document.title") == "How long do the jobs wait in jobs <of> me.swf?"
    body = browser.evaluate("document.body.innerText")
    for expected in (
        "half of it <b>is</b> lost",
        "told <i>so</i>",
        HOSTILE,
        "schedcore compare me.swf",
        "1.2.3",
    ):
        assert expected in body


def test_no_script_but_that_of_the_page_may_run(browser: Browser, page: Path) -> None:
    show(browser, page, 1280)
    browser.evaluate(
        """(() => {
          const script = document.createElement('script');
          script.textContent = "document.title = 'run'";
          document.body.append(script);
        })()"""
    )
    assert browser.evaluate("document.title") != "run"
    assert any("Content Security Policy" in str(complaint) for complaint in browser.complaints())


@pytest.mark.parametrize("width", [1600, 400, 320])
def test_the_page_itself_never_scrolls_sideways(browser: Browser, page: Path, width: int) -> None:
    show(browser, page, width)
    assert browser.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_stands_out_from_the_background(browser: Browser, page: Path, scheme: str) -> None:
    show(browser, page, 1280, scheme)
    paper, least = browser.evaluate(CONTRAST)
    assert (paper > 0.5) == (scheme == "light")
    assert least >= 4.5


def test_jobs_are_compared_as_numpy_does_it(browser: Browser, page: Path, comparison: Comparison) -> None:
    show(browser, page, 1280)
    choose(browser, "first", 0)
    choose(browser, "second", 1)
    fcfs, easy, _ = (found.schedule for found in comparison.evaluations)
    change = easy.start_time - fcfs.start_time
    n_earlier, n_later = int((change < 0).sum()), int((change > 0).sum())
    summary = text(browser, "summary")
    assert f"Under easy {n_earlier} jobs start earlier than under fcfs, {n_later} later" in summary
    assert f"{N_JOBS - n_earlier - n_later} at the same time" in summary
    order = np.lexsort((np.arange(N_JOBS), -np.abs(change)))
    assert [row[0] for row in listed_jobs(browser)] == [
        str(comparison.inst.jobs.id[job]) for job in order[:20]
    ]
    choose(browser, "order", "later")
    latest = int(np.argmax(change))
    assert listed_jobs(browser)[0][0] == str(comparison.inst.jobs.id[latest])


def test_jobs_are_found_by_id_and_by_user_page_by_page(
    browser: Browser, page: Path, comparison: Comparison
) -> None:
    show(browser, page, 1280)
    choose(browser, "find", "7042", "input")
    assert [row[0] for row in listed_jobs(browser)] == ["7042"]
    choose(browser, "find", "ANN", "input")
    users = comparison.inst.jobs.user
    n_found = int((users == "ann").sum())
    assert text(browser, "page") == f"1 to 20 of {n_found}"
    assert {row[1] for row in listed_jobs(browser)} == {"ann"}
    browser.evaluate("document.getElementById('next').click()")
    assert text(browser, "page") == f"21 to 40 of {n_found}"
    choose(browser, "find", "nobody", "input")
    assert text(browser, "page") == "no such job"
    assert listed_jobs(browser) == []


def test_jobs_without_a_recorded_start_are_told(browser: Browser, page: Path, comparison: Comparison) -> None:
    show(browser, page, 1280)
    choose(browser, "first", 2)
    choose(browser, "second", 0)
    n_unknown = int(np.isnan(comparison.inst.jobs.recorded_start_time).sum())
    assert n_unknown > 0
    assert f"{n_unknown} start under one of them alone, or never." in text(browser, "summary")


def test_a_job_that_starts_under_one_policy_alone_is_found_and_told(
    browser: Browser, page: Path, comparison: Comparison
) -> None:
    show(browser, page, 1280)
    choose(browser, "first", 2)
    choose(browser, "second", 0)
    job = int(np.flatnonzero(np.isnan(comparison.inst.jobs.recorded_start_time))[0])
    choose(browser, "find", 7000 + job, "input")
    (row,) = listed_jobs(browser)
    assert row[0] == str(7000 + job)
    assert row[4] == "never"
    assert row[6] == "-"
    browser.evaluate("document.querySelector('#jobs button').click()")
    assert "It starts under recorded: never; under fcfs: 2026-01-" in text(browser, "told")


def test_a_window_shows_the_jobs_that_run_in_it(browser: Browser, page: Path, comparison: Comparison) -> None:
    show(browser, page, 1280)
    choose(browser, "first", 0)
    choose(browser, "second", 1)
    choose(browser, "length", 86_400)
    choose(browser, "from", "2026-01-12T06:00")
    assert text(browser, "window") == "2026-01-12 06:00 to 2026-01-13 06:00"
    from_, to = 7 * 86_400, 8 * 86_400
    for index, policy in enumerate(("fcfs", "easy")):
        start = comparison.evaluations[index].schedule.start_time
        end = start + comparison.inst.processing_time
        n_seen = int(((start < to) & (end > from_)).sum())
        label = browser.evaluate(f"document.getElementById('runs-{index}').getAttribute('aria-label')")
        assert label == f"{n_seen} jobs under {policy} from 2026-01-12 06:00 to 2026-01-13 06:00"
    browser.evaluate("document.getElementById('later').click()")
    assert text(browser, "window") == "2026-01-13 00:00 to 2026-01-14 00:00"
    browser.evaluate("document.getElementById('closer').click()")
    assert text(browser, "window") == "2026-01-13 06:00 to 2026-01-13 18:00"


def test_a_job_that_is_pointed_at_is_described(browser: Browser, page: Path, comparison: Comparison) -> None:
    show(browser, page, 1280)
    choose(browser, "first", 0)
    choose(browser, "find", "7100", "input")
    browser.evaluate("document.querySelector('#jobs button').click()")
    told = text(browser, "told")
    assert told.startswith("Job 7100 of ")
    assert "It starts under fcfs: 2026-01-" in told


@pytest.mark.skipif(not has_font(), reason=f"no font {FONT} is installed")
@pytest.mark.parametrize("width", [1600, 400])
def test_the_page_looks_as_it_did(browser: Browser, page: Path, width: int) -> None:
    """Renewed with SCHEDCORE_RENEW_GOLDEN=1; look at the page before."""
    show(browser, page, width)
    now = coarse_picture(browser, width)
    kept = kept_picture(f"page-{width}", now)
    assert distance(now, kept) < ALIKE
    browser.evaluate("document.querySelector('style').remove()")
    assert distance(coarse_picture(browser, width), kept) > 3 * ALIKE


def test_the_page_prints(browser: Browser, page: Path) -> None:
    show(browser, page, 1280, "dark")
    document = base64.b64decode(browser.ask("Page.printToPDF")["data"])
    assert document.startswith(b"%PDF-")
    browser.ask("Emulation.setEmulatedMedia", media="print")
    assert browser.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    browser.ask("Emulation.setEmulatedMedia", media="")


def scripts(*names: str) -> str:
    package = importlib.resources.files("schedcore.reporting")
    return "\n".join(package.joinpath(name).read_text(encoding="utf-8") for name in names)


def run_script(browser: Browser, text: str, result: str) -> Any:
    browser.ask("Page.navigate", url="about:blank")
    return browser.evaluate(f"(() => {{ {text}\nreturn {result}; }})()")


@pytest.mark.parametrize("seed", range(4))
def test_boxes_never_overlap_and_are_as_high_as_what_jobs_take(browser: Browser, seed: int) -> None:
    """Runs on machines of which some are full, and some hold more than there is, as logs may tell."""
    draw = np.random.default_rng(seed)
    n_runs, capacity = 60, [8, 0, 5]
    start = draw.integers(0, 40, n_runs)
    end = start + draw.integers(0, 9, n_runs)
    place_run = np.sort(np.concatenate([np.arange(n_runs), draw.integers(0, n_runs, 20)]))
    machine, n_tasks = draw.choice([0, 2], len(place_run)), draw.integers(1, 3, len(place_run))
    demand = draw.integers(0, 4, n_runs)
    plan = {
        "runJob": list(range(n_runs)), "runStart": start.tolist(), "runEnd": end.tolist(),
        "placeRun": place_run.tolist(), "placeMachine": machine.tolist(), "placeTasks": n_tasks.tolist(),
        "demand": [demand.tolist()], "capacity": [capacity],
    }  # fmt: skip
    found = run_script(browser, scripts("stacking.js"), f"stacked({plan}, 0)")
    boxes = [np.array(units).reshape(-1, 2) for units in found["boxes"]]
    for run, units in enumerate(boxes):
        own = place_run == run
        taken = int((n_tasks[own] * demand[run]).sum()) if end[run] > start[run] else 0
        assert int((units[:, 1] - units[:, 0]).sum()) == taken
    for now in range(50):
        cover = sorted(
            tuple(unit) for run, units in enumerate(boxes) if start[run] <= now < end[run] for unit in units
        )
        assert all(low[1] <= high[0] for low, high in itertools.pairwise(cover))
    assert found["top"] >= found["total"] == sum(capacity)
    within = [unit for units in boxes for unit in units if unit[0] < sum(capacity)]
    assert all(unit[1] <= 8 or unit[0] >= 8 for unit in within)  # no box lies on two machines


def test_the_queue_over_time_is_its_mean_in_each_stretch(browser: Browser) -> None:
    draw = np.random.default_rng(2)
    release = np.sort(draw.uniform(0, 100, 50))
    start = release + draw.uniform(0, 30, 50)
    call = f"queueOf({release.tolist()}, {start.tolist()}, 0, 140, 28)"
    found = run_script(browser, scripts("clock.js", "drawing.js"), f"Array.from({call})")
    edges = np.linspace(0, 140, 29)
    for value, (low, high) in zip(found, itertools.pairwise(edges), strict=True):
        waited = np.clip(np.minimum(start, high) - np.maximum(release, low), 0, None).sum()
        assert value == pytest.approx(waited / (high - low))


@pytest.mark.parametrize(
    ("clock", "asked", "expected"),
    [
        ("'s', '2026-01-05T06:00:00'", "at(3660)", "2026-01-05 07:01"),
        ("'s', null", "at(90061)", "day 1, 01:01"),
        ("'days', null", "at(2.5)", "2.5 days"),
        ("'s', null", "at(NaN)", "never"),
        ("'s', null", "lasting(NaN)", "never"),
        ("'s', null, 60", "at(61)", "day 0, 00:01:01"),
        ("'s', '2026-01-05T06:00:00', 60", "at(61)", "2026-01-05 06:01:01"),
        (
            "'s', null, 60",
            "ticks(0, 60, 4).map(t => t.label).join('; ')",
            "day 0, 00:00:00; day 0, 00:00:30; day 0, 00:01:00",
        ),
        ("'s', null", "lasting(90)", "90 s"),
        ("'s', null", "lasting(600)", "10 min"),
        ("'s', null", "lasting(7200)", "2 h"),
        ("'s', null", "lasting(200000)", "2.31 days"),
        ("'slots', null", "lasting(1234.5)", "1235 slots"),
        (
            "'s', '2026-01-05T06:00:00'",
            "ticks(0, 86400, 4).map(t => t.label).join(' ')",
            "06:00 12:00 18:00 01-06 06:00",
        ),
        ("'s', null", "ticks(0, 3 * 86400, 3).map(t => t.label).join(' ')", "day 0 day 1 day 2 day 3"),
        ("'days', null", "ticks(0, 10, 5).map(t => t.label).join(' ')", "0 2 4 6 8 10"),
    ],
)
def test_times_in_words(browser: Browser, clock: str, asked: str, expected: str) -> None:
    assert run_script(browser, scripts("clock.js"), f"new Clock({clock}).{asked}") == expected
