"""Whatever is drawn, all that is written lies inside the picture, and panels that look alike are one."""

import functools
import itertools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

import schedcore
from schedcore import metrics
from schedcore.plotting import layout, panel
from schedcore.plotting.layout import texts
from schedcore.problems import problem_of
from schedcore.problems.comparison import draw
from schedcore.problems.drawings import pieces
from schedcore.problems.evaluation import Comparison, Evaluation
from schedcore.workloads import DataReport

Drawn = dict[str, Figure]
REPORT = DataReport("test", 0, 0)
LONG = "mris:knapsack=greedy,placement=scan,opportunistic=true,replan=always,epsilon=1/{}"


@pytest.fixture
def drawn() -> Iterator[Drawn]:
    """The figures that are written, by the name of the file."""
    with kept_figures() as kept:
        yield kept
    for name, figure in kept.items():
        check_nothing_is_cut(name, figure)


@contextmanager
def kept_figures() -> Iterator[Drawn]:
    """Keep figures instead of writing them to files."""
    kept: Drawn = {}
    last: list[Figure] = []

    def keep(figure: Figure, content: Any, **options: Any) -> None:
        figure.set_dpi(options["dpi"])
        last.append(figure)

    def name(path: Path, content: Any) -> None:
        kept[path.name] = last.pop()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Figure, "savefig", keep)
        patch.setattr(layout, "write_whole", name)
        yield kept


def check_nothing_is_cut(name: str, figure: Figure) -> None:
    """By the extents of what is written, and by the outermost pixels, which are empty."""
    figure.set_layout_engine("none")  # as it is written
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    pixels = np.asarray(canvas.buffer_rgba())[:, :, :3]
    for edge in (pixels[0], pixels[-1], pixels[:, 0], pixels[:, -1]):
        assert (edge == 255).all(), f"{name}: something reaches the edge"
    written = texts(figure)
    assert written
    for artist in written:
        extent = artist.get_window_extent()
        inside = (
            extent.x0 >= 0,
            extent.x1 <= figure.bbox.width,
            extent.y0 >= 0,
            extent.y1 <= figure.bbox.height,
        )
        assert all(inside), (
            f"{name}: {artist} reaches from {extent.min} to {extent.max} of {figure.bbox.size}"
        )
    names = [ax.title for ax in figure.axes] + [ax._right_title for ax in figure.axes]
    legends = [*figure.legends, *(ax.get_legend() for ax in figure.axes if ax.get_legend())]
    told = [*legends, *(title for title in names if title.get_text())]
    for first, second in itertools.combinations(told, 2):
        assert not first.get_window_extent().overlaps(second.get_window_extent()), (
            f"{name}: {first}, {second}"
        )


def evaluated(inst: schedcore.Instance, schedules: dict[str, schedcore.Schedule]) -> list[Evaluation]:
    """As if policies made for either objective had found these."""
    return [
        Evaluation(policy, objective, schedule, None, metrics.summary(inst, schedule))
        for (policy, schedule), objective in zip(
            schedules.items(), itertools.cycle(("awct", "average_response_time")), strict=False
        )
    ]


def plan(inst: schedcore.Instance, wait: float = 0.0) -> schedcore.Schedule:
    """All jobs one after another, each `wait` later than it could."""
    ends = inst.jobs.release_time.max(initial=0.0) + np.cumsum(inst.jobs.processing_time + wait)
    return schedcore.Schedule(ends - inst.jobs.processing_time, np.zeros(inst.n_jobs, dtype=np.int64))


def draw_jobs(
    folder: Path, inst: schedcore.Instance, schedules: dict[str, Any], bound: float | None = 1.0
) -> None:
    bounds = {"awct": bound, "average_response_time": bound, "makespan": bound}
    draw(problem_of(inst), Comparison(inst, REPORT, evaluated(inst, schedules), bounds), folder)


def few(n_jobs: int = 3, length: float = 60.0) -> schedcore.Instance:
    jobs = schedcore.Jobs(np.full(n_jobs, length), [[2, 1]] * n_jobs)
    return schedcore.Instance(jobs, schedcore.Machines([[4, 4]], ["processors", "memory"]))


NASTY: dict[str, Callable[[], tuple[schedcore.Instance, dict[str, Any]]]] = {
    "one job": lambda: (few(1), {"pq": plan(few(1)), "tetris": plan(few(1))}),
    "one policy": lambda: (few(), {"pq": plan(few())}),
    "zero waits": lambda: (few(2), {"pq": schedcore.Schedule([0.0, 0.0], [0, 0])}),
    "twelve policies": lambda: (few(9), {f"policy {i}": plan(few(9), 40.0 * i) for i in range(12)}),
    "long names": lambda: (few(9), {LONG.format(i): plan(few(9), 0.1 * i) for i in range(2, 5)}),
    "twelve long names": lambda: (few(9), {LONG.format(i): plan(few(9), 30.0 * i) for i in range(2, 14)}),
    "a word without an end": lambda: (few(), {"x" * 150: plan(few()), "y": plan(few(), 100.0)}),
    "huge waits": lambda: (few(9, 1e9), {"pq": plan(few(9, 1e9)), "mris": plan(few(9, 1e9), 1e13)}),
    "tiny times": lambda: (few(9, 1e-6), {"pq": plan(few(9, 1e-6)), "mris": plan(few(9, 1e-6), 1e-5)}),
    "a tail": lambda: (few(99), {"pq": plan(few(99)), "mris": plan(few(99), 1e5)}),
}


@pytest.mark.parametrize("bound", [None, 1e-9, 50.0, 1e12])
def test_no_bar_label_is_cut_wherever_the_bound_lies(
    drawn: Drawn, tmp_path: Path, bound: float | None
) -> None:
    draw_jobs(tmp_path, few(), {"pq": plan(few()), "mris": plan(few(), 1000.0)}, bound)
    others = {"shares.png", "waits_by_user.png", "waits_by_hour.png"}
    assert set(drawn) == {drawing.name for drawing in problem_of(few()).drawings} - others


@pytest.mark.parametrize("n_users", [1, 6, 40])
def test_nothing_written_about_users_is_cut(drawn: Drawn, tmp_path: Path, n_users: int) -> None:
    names = [f"{'a user with a long name ' * 3}{number % n_users}" for number in range(80)]
    jobs = few(80).jobs.replace(user=names)
    inst = schedcore.Instance(jobs, few().machines)
    results = {name: schedcore.solve(name, inst) for name in ("fcfs", "pq")}
    results["late"] = schedcore.Result(plan(inst, 1e4), "awct", 0.0, instance=inst)
    evaluations = [
        Evaluation(name, "awct", result.schedule, None, metrics.summary(inst, result.schedule), result=result)
        for name, result in results.items()
    ]
    bounds = {"awct": None, "average_response_time": None, "makespan": None}
    draw(problem_of(inst), Comparison(inst, REPORT, evaluations, bounds, column="user"), tmp_path)
    assert ("waits_by_user.png" in drawn) == (n_users > 1)
    panels = drawn["shares.png"].axes
    assert panels[0].get_title(loc="right").startswith("fcfs = pq")
    assert len(panels[0].lines) == min(n_users, 6)


def test_the_line_of_all_other_users_lies_inside(drawn: Drawn, tmp_path: Path) -> None:
    # Eighty users who use the same, all at once: five of them a sixteenth, the others the rest.
    jobs = few(80).jobs.replace(user=[f"u{number}" for number in range(80)])
    inst = schedcore.Instance(jobs, schedcore.Machines([[160, 80]], ["processors", "memory"]))
    result = schedcore.solve("fcfs", inst)
    evaluation = Evaluation(
        "fcfs", "awct", result.schedule, None, metrics.summary(inst, result.schedule), result=result
    )
    bounds = {"awct": None, "average_response_time": None, "makespan": None}
    draw(problem_of(inst), Comparison(inst, REPORT, [evaluation], bounds, column="user"), tmp_path)
    (panel,) = drawn["shares.png"].axes
    others = next(line for line in panel.lines if str(line.get_label()) == "75 others")
    assert np.nanmax(np.asarray(others.get_ydata())) == pytest.approx(93.75)
    assert panel.get_ylim()[1] > 93.75


@pytest.mark.parametrize(("days", "unit", "n_drawn"), [(15.0, "s", 2), (13.0, "s", 1), (15.0, "ticks", 0)])
def test_dates_are_drawn_where_they_are_known(
    drawn: Drawn, tmp_path: Path, days: float, unit: str, n_drawn: int
) -> None:
    inst = few(30).replace(release_time=np.linspace(0, days * 86_400, 30))
    plans = {
        "late": schedcore.Schedule(inst.release_time + 7000, np.zeros(30, dtype=int)),
        "one by one": plan(inst),
    }
    report = DataReport("test", 0, 0, origin="2026-12-24T12:00:00+00:00", units={"time": unit})
    bounds = {"awct": 1.0, "average_response_time": 1.0, "makespan": 1.0}
    draw(problem_of(inst), Comparison(inst, report, evaluated(inst, plans), bounds), tmp_path)
    labels = {name: figure.axes[-1].get_xlabel() for name, figure in drawn.items()}
    assert ("waits_by_hour.png" in drawn) == (n_drawn == 2)
    for name in ("utilisation.png", "queue.png"):
        assert labels[name] == ("date, 2026 to 2027, UTC" if unit == "s" else "time (ticks)")
    looks = [
        [text.get_text() for legend in (*figure.legends, *filter(None, [figure.axes[0].get_legend()]))
         for text in legend.get_texts()]
        for name, figure in drawn.items() if name in ("queue.png", "queuing_delay.png", "waits_by_hour.png")
    ]  # fmt: skip
    assert all(look == ["late", "one by one"] for look in looks)


@pytest.fixture(scope="module")
def drawings_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Drawn]:
    """The drawings of one of `NASTY`, each drawn once."""

    @functools.cache
    def drawings(name: str) -> Drawn:
        with kept_figures() as kept:
            draw_jobs(tmp_path_factory.mktemp("nasty"), *NASTY[name]())
        return kept

    return drawings


@pytest.mark.parametrize("name", NASTY)
def test_nothing_written_about_jobs_is_cut(drawings_of: Callable[[str], Drawn], name: str) -> None:
    drawn = drawings_of(name)
    assert set(drawn) >= {"awct.png", "queuing_delay.png", "utilisation.png"}
    for file, figure in drawn.items():
        check_nothing_is_cut(file, figure)


def test_many_long_names_leave_room_for_what_is_drawn(drawings_of: Callable[[str], Drawn]) -> None:
    drawn = drawings_of("twelve long names")
    for name, (width, height) in {"awct.png": (2.9, 2.9), "queuing_delay.png": (3.5, 2.5)}.items():
        extent = drawn[name].axes[0].get_window_extent()
        dpi = drawn[name].dpi
        assert extent.width / dpi >= width
        assert extent.height / dpi >= height
    assert all(
        ax.get_window_extent().height / drawn["utilisation.png"].dpi >= 0.6
        for ax in drawn["utilisation.png"].axes
    )


def test_policies_that_decide_alike_share_a_panel(drawn: Drawn, tmp_path: Path) -> None:
    inst = few(9)
    draw_jobs(tmp_path, inst, {"a": plan(inst), "b": plan(inst), "c": plan(inst, 300.0)})
    assert [ax.get_title(loc="right") for ax in drawn["utilisation.png"].axes] == ["a = b", "c"]


def test_policies_that_differ_little_share_a_panel_with_their_difference(
    drawn: Drawn, tmp_path: Path
) -> None:
    inst = few(40)
    late = plan(inst)
    starts = late.start_time.copy()
    starts[-1] += 1.0
    draw_jobs(tmp_path, inst, {"a": late, "b": schedcore.Schedule(starts, late.machine)})
    shared, strip = drawn["utilisation.png"].axes
    assert shared.get_title(loc="right") == "a \N{ALMOST EQUAL TO} b"
    assert [text.get_text() for text in strip.get_legend().get_texts()] == ["b \N{MINUS SIGN} a (processors)"]
    assert any(np.any(stairs.get_data().values) for stairs in strip.patches)


@pytest.mark.parametrize("n_machines", [2, 60])
def test_nothing_written_about_tasks_is_cut_and_equal_assignments_share_a_panel(
    drawn: Drawn, tmp_path: Path, n_machines: int
) -> None:
    inst = schedcore.ColocationInstance(
        [4, 3, 2, 2], [0, 1, 2, 1], [[1, 2, 2], [2, 1, 2], [2, 2, 1]], 1, n_machines=n_machines
    )
    one, other = schedcore.Assignment([0, 1, 0, 1]), schedcore.Assignment([0, 0, 0, 0])
    evaluations = [
        Evaluation(policy, "cost", assignment, None, {"lower_bound": 5.0})
        for policy, assignment in ((LONG, one), ("b", one), ("c", other))
    ]
    draw(problem_of(inst), Comparison(inst, REPORT, evaluations, {}), tmp_path)
    named = [ax.get_title(loc="right").replace("\n", "") for ax in drawn["assignments.png"].axes]
    assert named == [f"{LONG} = b", "c"]


@pytest.mark.parametrize("many", [False, True])
@pytest.mark.parametrize("n_jobs", [1, 5, 30])
def test_nothing_written_about_slots_is_cut(
    drawn: Drawn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, n_jobs: int, many: bool
) -> None:
    if many:
        monkeypatch.setattr(pieces, "FEW_JOBS", 0)
    jobs = schedcore.Jobs(
        np.arange(1, n_jobs + 1), [[1 + i % 3] for i in range(n_jobs)], np.arange(n_jobs) // 2
    )
    inst = schedcore.Instance(jobs, schedcore.Machines([[4], [2]], ["cores"]))
    plans = {name: schedcore.solve(name, inst).schedule for name in ("srpt", "srf")}
    evaluations = [
        Evaluation(f"{LONG} {name} {copy}", "flow", schedule, None, {})
        for name, schedule in plans.items()
        for copy in range(2)
    ]
    draw(problem_of(inst, "srpt"), Comparison(inst, REPORT, evaluations, {}), tmp_path)
    assert set(drawn) == {"pieces.png", "curves.png"}
    assert len([ax for ax in drawn["pieces.png"].axes if ax.get_title(loc="right")]) < len(evaluations)


def test_nothing_written_about_parallel_tasks_is_cut(drawn: Drawn, tmp_path: Path) -> None:
    inst = schedcore.workloads.parallel_task_standin(4, 2, seed=1)
    evaluations = [
        Evaluation(name, "awct", schedcore.solve(name, inst).schedule, None, {})
        for name in ("tetris_np", "jsq_mw")
    ]
    draw(problem_of(inst), Comparison(inst, REPORT, evaluations, {}), tmp_path)
    assert set(drawn) == {"pieces.png"}


def test_few_is_the_same_for_results_and_comparisons() -> None:
    assert pieces.FEW_JOBS == panel.FEW_JOBS
