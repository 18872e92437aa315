"""The search for a selection, and the rivals of EASY: what is searched, how it is judged, what the page shows of it."""

import re
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType

import pytest

import schedcore
from docs_script import docs_script
from schedcore import experiments

DOCS = Path(__file__).parents[3] / "docs"
CELLS = {
    "n_resources": (2, 4, 8),
    "variance_per_mille": (10, 100, 1000),
    "average_queue": (32, 64, 128),
}
WEIGHTS = [0, 1, 2, 4, 8, 12, 16, 32, 64, 128, 256, 512, 999]


@pytest.fixture(scope="module")
def script() -> ModuleType:
    for package in ("matplotlib", "PIL", "pandas"):
        pytest.importorskip(package)
    return docs_script("backfilling_selection")


def powers(selection: str) -> tuple[int, int, int]:
    """Of balance, fullness and estimate."""
    found = {"balance": 0, "fullness": 0, "estimate": 0}
    for factor in selection.split("*"):
        name, _, power = factor.partition("^")
        found[name] = int(power or 1)
    return found["balance"], found["fullness"], found["estimate"]


def test_the_family_is_a_grid_of_powers_and_bl(script: ModuleType) -> None:
    experiment = experiments.load("backfilling-search")
    options = [choice.options for choice in experiment.choices.values()]
    selections = [str(own["selection"]) for own in options if own]
    products = [powers(selection) for selection in selections if not selection.startswith("bl")]
    assert len(set(products)) == len(products)
    grid = {(w, a, b) for w in WEIGHTS for a, b in [(1, 0), (0, 1), (1, 1), (4, 1), (16, 1), (64, 1)]}
    assert set(products) == grid | {(1, 0, 0)}
    assert len(selections) - len(products) == 6
    sweep = experiment.sweeps["search"]
    assert set(sweep.policies) == experiment.choices.keys()
    assert set(script.NAMED) < set(sweep.policies)
    assert sweep.parameters == CELLS
    assert experiment.workloads["feitelson"].arguments["n_jobs"] == 64000


def test_rivals_run_in_the_same_steady_state_and_plans_in_part_of_it() -> None:
    experiment = experiments.load("backfilling-rivals")
    assert experiment.sweeps["feitelson"].parameters == CELLS
    orders = {choice.options.get("order") for choice in experiment.choices.values()}
    assert orders >= {"sjf", "saf", "lxf", "wfp3", "unicef", "f1", "f2", "f3", "f4"}
    named = {choice.name for choice in experiment.choices.values()}
    assert named == {"easy", "bbsched", "plan_annealing"}
    plans = experiment.sweeps["plans"]
    assert plans.parameters.keys() == CELLS.keys()
    assert all(set(values) <= set(CELLS[name]) for name, values in plans.parameters.items())
    steady = experiments.load("backfilling-steady")
    assert experiment.workloads == steady.workloads
    assert experiment.sweeps["lublin"].parameters == CELLS


def judged(script: ModuleType, gained: Mapping[str, list[tuple[float, float]]]) -> dict[str, object]:
    """Scores of policies with these gains in cells, each the mean of two job sets."""
    pandas = pytest.importorskip("pandas")
    n_cells = len(next(iter(gained.values())))
    rows = []
    for policy, gains in {"ff": [(0.0, 0.0)] * n_cells, **gained}.items():
        for cell, (plain, weighted) in enumerate(gains):
            rows += [
                {
                    "policy": policy,
                    "workload": "feitelson",
                    "workload_hash": 2 * cell + job_set,
                    "n_resources": 2,
                    "variance_per_mille": 10,
                    "average_queue": cell,
                    "steady_avg_response": 100 - (plain if policy == "ff" else plain + off),
                    "steady_weighted_avg_response": 200 - 2 * weighted,
                }
                for job_set, off in enumerate((-4, 4))
            ]
    return dict(script.scores(pandas.DataFrame(rows), "ff"))


def test_scores_count_cells_and_the_chosen_one_is_ahead_in_most(script: ModuleType) -> None:
    found = judged(script, {"a": [(10, -1), (20, 5)], "b": [(1, 2), (3, 4)], "c": [(1, 3), (2, 1)]})
    a, b = found["a"], found["b"]
    assert a.ahead == (2, 1)
    assert a.ahead_in_both == 1
    assert a.mean == pytest.approx((15, 2))
    assert a.least == pytest.approx((10, -1))
    assert b.ahead_in_both == 2
    # Of b and c, which are ahead in both cells, each has a least gain of 1: the first counts.
    assert script.chosen(found) == "b"
    assert script.chosen({name: found[name] for name in "ca"}) == "c"
    found = judged(script, {"b": [(1, 2), (3, 4)], "d": [(2, 2), (3, 2)]})
    assert script.chosen(found) == "d"


def test_the_frontier_leaves_out_what_others_beat(script: ModuleType) -> None:
    found = judged(script, {"a": [(10, -1)], "b": [(1, 4)], "c": [(1, 3)], "d": [(5, 4)], "e": [(5, 4)]})
    assert script.frontier(found) == ["d", "e", "a"]


def test_those_ahead_everywhere_are_named(script: ModuleType) -> None:
    found = judged(script, {"a": [(10, -1), (20, 5)], "b": [(1, 2), (3, 4)], "c": [(1, 3), (2, 1)]})
    assert script.ahead_in_all(found) == "2 of 3: `b`, `c`."


def test_what_is_judged_are_rivals_and_the_chosen_one(script: ModuleType) -> None:
    rivals = experiments.load(script.JUDGE)
    selections = [str(rivals.choices[policy].options["selection"]) for policy in script.JUDGED]
    assert selections == list(script.JUDGED.values())
    for sweep in ("feitelson", "lublin"):
        assert set(script.JUDGED) < set(rivals.sweeps[sweep].policies)


def test_a_row_of_the_table_has_both_gains(script: ModuleType) -> None:
    found = judged(script, {"a": [(10, -1), (20, 5)]})
    header, _, row = script.cells_table(found, ["a"])
    assert header.count("|") == row.count("|")
    assert row == "| `a` | 1 | 15.0 | 10.0 | 2 | 2.0 | -1.0 | 1 |"


def test_with_one_resource_the_balance_does_not_distinguish_selections(script: ModuleType) -> None:
    names = ["ff", "balance", "estimate", "balance^4*estimate", "fullness", "balance*fullness", "bl"]
    kept = script.of_one_resource(names)
    assert kept == ["estimate", "fullness", "bl"]


def test_gains_on_a_log_are_over_first_fit_and_weighted_by_area(script: ModuleType) -> None:
    # One machine of 4. Job 0 takes 3 until 10, and job 1 needs all; 2 and 3 fit beside job 0, and 2 is longer.
    jobs = schedcore.Jobs([10, 2, 8, 2], [[3], [4], [1], [1]])
    instance = schedcore.Instance(jobs, schedcore.Machines([[4]]))
    # First fit: 0, 10, 0, 8: responses 10, 12, 8, 10. By estimate: 0, 10, 2, 0: 10, 12, 10, 2.
    assert script.responses(instance, "easy", {}) == (10.0, (30 * 10 + 8 * 12 + 8 * 8 + 2 * 10) / 48)
    assert script.responses(instance, "easy", {"selection": "estimate"}) == (
        8.5,
        (30 * 10 + 8 * 12 + 8 * 10 + 2 * 2) / 48,
    )
    gained = script.gains_on_log(instance, script.selecting(["estimate"]))
    assert gained == {"`estimate`": pytest.approx((15.0, 0.0))}


def test_a_log_has_a_column_and_users_are_read_for_predictions(
    script: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    jobs = [(1, 0, 10, 3, 20, 7), (2, 0, 10, 4, 12, 7), (3, 1, 5, 1, 60, 8), (4, 2, 6, 2, 30, -1)]
    rows = [
        f"{job} {submitted} 0 {ran} {n} -1 -1 {n} {asked} -1 1 {user} 1 -1 1 -1 -1 -1"
        for job, submitted, ran, n, asked, user in jobs
    ]
    (tmp_path / "ONE-1.swf").write_text("; MaxProcs: 4\n" + "\n".join(rows) + "\n", encoding="utf-8")
    monkeypatch.setattr(script, "read", lambda folder, log: schedcore.workloads.read_swf(
        folder / "ONE-1.swf", **log.options
    )[0])  # fmt: skip
    log = script.Log("one", "ONE", {"n_resources": 1})
    with_users = script.with_users(tmp_path, log)
    assert with_users.jobs.user.tolist() == ["7", "7", "8", None]
    header, _, *lines = script.logs_table(tmp_path, [log, log], script.RIVALS, "policy")
    assert header == "| policy | one | one | ahead in both |"
    assert [line.split(" | ")[0].strip("| ") for line in lines] == list(script.RIVALS)
    assert all(line.count("|") == header.count("|") for line in lines)


def test_the_page_has_a_place_for_every_table_and_drawing(script: ModuleType) -> None:
    page = (DOCS / "backfilling.md").read_text(encoding="utf-8")
    assert re.findall(r"<!-- ((?:selection|rivals)-[\w-]+): begin -->", page) == list(script.TABLES)
    drawings = re.findall(r"images/(backfilling-search-[\w-]+\.png)", page)
    assert drawings == ["backfilling-search-frontier.png"]
    assert (DOCS / "images" / drawings[0]).stat().st_size < 60_000
