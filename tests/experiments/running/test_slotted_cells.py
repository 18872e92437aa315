"""Runs in slots as cells: measured as by hand, cut short without failing, and kept as curves and by sizes of jobs."""

import dataclasses
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import schedcore
from experiments.described import run_here
from schedcore import InvalidInstanceError, metrics
from schedcore.experiments import Claim, Experiment, Figure, Results, Sweep, Workload
from schedcore.experiments.columns import KEPT, SIZE_CLASSES
from schedcore.experiments.description.document import from_document, to_document
from schedcore.experiments.report.tables import long_rows
from schedcore.workloads import mapreduce_standin, misestimate, slotted_standin

SIZE = {"n_jobs": 40, "window": 100}
FRACTIONAL = "OCORP, fractional"


def described(workload: Workload | None = None, **changes: Any) -> Experiment:
    own = Experiment(
        "slots",
        {"jobs": workload or Workload("slotted_standin", SIZE)},
        {"OCORP": "ocorp:gamma=150,lambda0=mu:10", "SRPT": "srpt"},
        {
            "s": Sweep(
                ["jobs"], ["OCORP", "SRPT"], {"load": [0.8, 1.2]}, keep=["curves", "by_size", "demands"]
            )
        },
        {
            "curves": Figure(
                "s",
                kind="curves",
                y="curve_l2_norm",
                panels="load",
                also={FRACTIONAL: ["OCORP", "curve_l2_fractional"]},
                claims=(
                    Claim("below", "below", ("OCORP", FRACTIONAL), panel=0.8),
                    Claim("gain", "gain", ("OCORP", "SRPT"), panel=1.2),
                ),
            ),
            "sizes": Figure(
                "s",
                kind="by_size",
                y="size_max_wait",
                where={"load": 1.2},
                claims=(
                    Claim("small", "difference", ("OCORP", "SRPT"), at=(5, 5)),
                    Claim("huge", "value", ("OCORP",), at=(SIZE_CLASSES[-1],)),
                ),
            ),
            "demands": Figure("s", kind="curves", y="demand_share", where={"load": 0.8}, policies=["SRPT"]),
        },
        job_sets=(1, 2),
    )
    return dataclasses.replace(own, **changes)


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    return run_here(described(), tmp_path_factory.mktemp("slots") / "results")


def solved(row: dict[str, Any]) -> tuple[schedcore.Instance, schedcore.PreemptiveResult]:
    load = 0.8 if "0.8" in row["workload_arguments"] else 1.2
    inst = slotted_standin(SIZE["n_jobs"], row["job_set"], window=SIZE["window"], load=load)
    options: dict[str, Any] = {} if row["policy"] == "srpt" else {"gamma": 150, "lambda0": ("mu", 10)}
    result = schedcore.solve(row["policy"], inst, **options)
    assert isinstance(result, schedcore.PreemptiveResult)
    return inst, result


def test_a_row_says_what_solving_by_hand_says(results: Results) -> None:
    assert len(results.rows) == 8
    for row in results.rows:
        inst, result = solved(row)
        assert (row["status"], row["verdict"], row["run_status"]) == ("ok", "valid", "finished")
        assert row["workload_hash"] == inst.content_hash()
        assert (row["objective"], row["value"]) == ("flow_power_sum", result.value)
        assert row["lower_bound"] == math.fsum(inst.jobs.processing_time**2)
        flow = result.completion_time - inst.jobs.release_time
        assert row["l2_norm"] == row["flow_norm"] == math.sqrt(math.fsum(flow**2))
        assert row["l2_ratio"] == pytest.approx(math.sqrt(row["ratio"]))
        assert row["l2_fractional"] == pytest.approx(math.sqrt(result.stats["fractional"]))
        assert row["avg_flow_time"] == row["weighted_average_flow_time"] == pytest.approx(flow.mean())
        slowdown = flow / inst.jobs.processing_time
        assert (row["avg_slowdown"], row["max_slowdown"]) == (pytest.approx(slowdown.mean()), slowdown.max())
        assert row["jain_index"] == schedcore.metrics.jain_index(inst.jobs.processing_time / flow)
        assert row["max_wait"] == (flow - inst.jobs.processing_time).max()
        assert row["n_preemptions"] == result.stats["preemptions"]
        assert row["n_live_migrations"] == result.stats["live_migrations"]
        assert row["max_gap"] == max(result.stats["max_gap"])
        assert (row["makespan"], row["n_unfinished"]) == (result.completion_time.max(), 0)
        assert row["offered_load"] == schedcore.workloads.offered_load(inst)[0]
        assert row["gamma"] == (None if row["policy"] == "srpt" else 150)
        assert all(row[name] is None for name in ("awct", "utilisation", "sum_cost", "lp_status"))


def test_norms_are_of_the_power_two_beside_that_of_the_policy(tmp_path: Path) -> None:
    experiment = described(
        policies={"k = 1": "srpt:k=1", "k = 2": "srpt"},
        sweeps={"s": Sweep(["jobs"], ["k = 1", "k = 2"])},
        figures={},
        job_sets=(1,),
    )
    one, two = sorted(run_here(experiment, tmp_path / "r").rows, key=lambda row: float(row["value"]))
    assert one["l2_norm"] == two["l2_norm"] == two["flow_norm"]
    assert one["l2_fractional"] == pytest.approx(two["l2_fractional"])
    assert one["flow_norm"] == one["value"] == pytest.approx(SIZE["n_jobs"] * one["avg_flow_time"])


def test_means_of_flow_times_heed_weights(tmp_path: Path) -> None:
    experiment = described(
        workloads={"jobs": Workload("slotted_standin", {**SIZE, "random_weights": True})},
        policies={"SRPT": "srpt"},
        sweeps={"s": Sweep(["jobs"], ["SRPT"])},
        figures={},
        job_sets=(1, 2),
    )
    for row in run_here(experiment, tmp_path / "r").rows:
        jobs = slotted_standin(SIZE["n_jobs"], row["job_set"], window=SIZE["window"])
        inst = schedcore.workloads.draw_weights(jobs, "random", row["job_set"])
        flow = schedcore.solve("srpt", inst).completion_time - inst.jobs.release_time
        weight = inst.jobs.weight
        assert row["weighted_average_flow_time"] == pytest.approx((weight * flow).sum() / weight.sum())
        assert row["weighted_average_flow_time"] != row["avg_flow_time"]


def test_curves_end_where_the_figures_of_merit_are(results: Results) -> None:
    large = results.large_columns(*KEPT["curves"])
    for row in results.rows:
        inst, result = solved(row)
        kept = large[row["cell"]]
        assert kept["curve_time"][0] == 0
        assert kept["curve_time"][-1] == row["makespan"]
        assert (np.diff(kept["curve_time"]) > 0).all()
        assert kept["curve_l2_norm"][-1] == pytest.approx(row["l2_norm"])
        assert kept["curve_l2_fractional"][-1] == pytest.approx(row["l2_fractional"])
        assert kept["curve_l2_least"][-1] ** 2 == pytest.approx(row["lower_bound"])
        assert kept["curve_offered_volume"][-1] == inst.jobs.processing_time @ inst.jobs.demand[:, 0]
        assert kept["curve_unfinished_volume"][-1] == kept["curve_unfinished_time"][-1] == 0
        slots = kept["curve_time"].astype(np.int64)
        found = metrics.work_over_time(inst, result.schedule, times=slots)
        np.testing.assert_allclose(kept["curve_unfinished_volume"], found.unfinished_volume)


def test_classes_of_sizes_have_all_jobs_and_all_events(results: Results) -> None:
    large = results.large_columns(*KEPT["by_size"])
    for row in results.rows:
        inst, _ = solved(row)
        kept = large[row["cell"]]
        assert set(kept["size_from"]) <= set(SIZE_CLASSES)
        assert kept["size_n_jobs"].sum() == inst.n_jobs
        assert kept["size_max_wait"].max() == row["max_wait"]
        assert kept["size_n_jobs"] @ kept["size_mean_wait"] == pytest.approx(inst.n_jobs * row["avg_wait"])
        assert (kept["size_min_wait"] <= kept["size_mean_wait"]).all()
        assert kept["size_n_jobs"] @ kept["size_preemptions"] == pytest.approx(row["n_preemptions"])
        assert kept["size_n_jobs"] @ kept["size_migrations"] == pytest.approx(row["n_migrations"])
        first = kept["size_from"][0]
        inside = np.searchsorted(SIZE_CLASSES, inst.jobs.processing_time, side="right") == (
            SIZE_CLASSES.index(int(first)) + 1
        )
        assert kept["size_n_jobs"][0] == inside.sum()


def test_shares_of_demands_are_of_the_jobs_that_ask_for_at_most_so_much(results: Results) -> None:
    for key, kept in results.large_columns(*KEPT["demands"]).items():
        inst, _ = solved(next(row for row in results.rows if row["cell"] == key))
        cores = inst.jobs.demand[:, 0]
        for amount, share in zip(kept["demand_amount"], kept["demand_share"], strict=True):
            assert share == (cores <= amount).mean()


def test_curves_are_lines_of_policies_and_of_further_columns(results: Results) -> None:
    data = results.figure_data("curves")
    assert list(data.series) == ["OCORP", "SRPT", FRACTIONAL]
    assert data.missing == 0
    point = data.point(FRACTIONAL, None, 0.8)
    rows = [row for row in results.rows if row["policy"] == "ocorp" and "0.8" in row["workload_arguments"]]
    assert point.values == pytest.approx({row["job_set"]: row["l2_fractional"] for row in rows})
    below, gain = results.claims("curves")
    curves = data.point("OCORP", None, 0.8).curves, point.curves
    shares = [(curves[0][s].y <= curves[1][s].y).mean() for s in (1, 2)]
    assert below.measured is not None
    assert below.measured.mean == pytest.approx(np.mean(shares))
    ends = [data.point(policy, None, 1.2).values for policy in ("OCORP", "SRPT")]
    assert gain.measured is not None
    assert gain.measured.mean == pytest.approx(np.mean([100 * (1 - ends[0][s] / ends[1][s]) for s in (1, 2)]))
    table = results.table("curves", job_sets=[1])
    assert [row[0] for row in table.rows][:3] == [
        "load = 0.8: OCORP",
        "load = 0.8: OCORP, job set 1",
        "load = 0.8: SRPT",
    ]
    assert len(table.header) <= 15


def test_lines_by_size_have_a_point_a_class(results: Results) -> None:
    data = results.figure_data("sizes")
    assert [point.x for point in data.series["OCORP"]] == list(SIZE_CLASSES)
    small, huge = results.claims("sizes")
    assert small.measured is not None
    assert small.measured.n == 2
    assert huge.measured is None
    table = results.table("sizes")
    assert table.header[1] == "processing time = 1"
    assert len(table.header) < 12
    assert len(long_rows(data)) == 2 * (len(table.header) - 1)


def test_figures_of_kept_columns_are_drawn(results: Results) -> None:
    pytest.importorskip("matplotlib")
    curves = results.plot("curves")
    assert [panel.get_title(loc="right") for panel in curves.child_axes] == ["load = 0.8", "load = 1.2"]
    assert [len(panel.lines) for panel in curves.child_axes] == [3, 3]
    sizes = results.plot("sizes")
    assert sizes.get_xlabel() == "processing time"
    assert len(sizes.lines) == 2
    (line,) = results.plot("demands").lines
    assert line.get_drawstyle() == "steps-post"


def test_descriptions_with_curves_survive_a_document() -> None:
    document = to_document(described())
    assert document["figures"]["curves"]["also"] == {FRACTIONAL: ["OCORP", "curve_l2_fractional"]}
    assert to_document(from_document(document)) == document


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"y": "l2_norm"}, "unknown y 'l2_norm'"),
        ({"also": {"x": ["SVF", "curve_l2_norm"]}}, "also 'x': unknown policy 'SVF'"),
        ({"also": {"x": ["SRPT", "curve_l2"]}}, "also 'x': unknown y 'curve_l2'"),
        ({"also": {"x": ["SRPT"]}}, "also 'x' = .'SRPT'. must be a policy and a column"),
        ({"also": {"SRPT": ["OCORP", "curve_l2_norm"]}}, "also 'SRPT': this is one of the policies"),
        ({"also": {"x": ["SRPT", "demand_share"]}}, "demand_share is over demand_amount, and curve_l2_norm"),
        ({"unit": "s"}, "a figure of kind 'curves' has no unit"),
        ({"lower_bound": True}, "a figure of kind 'curves' has no lower_bound"),
        ({"published": {"SRPT": []}}, "a figure of kind 'curves' has no published"),
        ({"kind": "by_size", "also": {}}, "unknown y 'curve_l2_norm'"),
        ({"kind": "by_size", "y": "size_max_wait"}, r"kind 'by_size' has no also \(kinds with one: curves\)"),
        (
            {
                "kind": "boxes",
                "y": "ratio",
                "also": {},
                "claims": (Claim("c", "below", ("OCORP", "SRPT"), panel=0.8),),
            },
            "below belongs to figures of kind 'curves'",
        ),
        ({"x": "load"}, "a figure of kind 'curves' has no x"),
    ],
)
def test_figures_of_curves_that_cannot_be_drawn_are_refused(changes: dict[str, Any], message: str) -> None:
    curves = described().figures["curves"]
    with pytest.raises(InvalidInstanceError, match=message):
        described(figures={"curves": dataclasses.replace(curves, **{"claims": (), **changes})})


def test_curves_need_a_sweep_that_keeps_them() -> None:
    with pytest.raises(InvalidInstanceError, match=r"kind 'curves' needs keep = \['curves'\]"):
        described(sweeps={"s": Sweep(["jobs"], ["OCORP", "SRPT"], {"load": [0.8, 1.2]})})


def test_a_size_that_is_no_class_is_refused() -> None:
    figure = dataclasses.replace(
        described().figures["sizes"], claims=(Claim("c", "value", ("OCORP",), at=(3,)),)
    )
    with pytest.raises(InvalidInstanceError, match="processing time = 3 is not among"):
        described(figures={"sizes": figure})


def row_of(experiment: Experiment, folder: Path) -> dict[str, Any]:
    (row,) = run_here(experiment, folder).rows
    return row


def of_one(policy: str, workload: Workload | None = None, keep: tuple[str, ...] = ()) -> Experiment:
    sweeps = {"s": Sweep(["jobs"], ["A"], keep=keep)}
    return described(workload, policies={"A": policy}, sweeps=sweeps, figures={}, job_sets=(1,))


def test_a_run_cut_short_is_unfinished_and_not_invalid(tmp_path: Path) -> None:
    results = run_here(of_one("srpt:max_slots=20", keep=("curves",)), tmp_path / "r")
    (row,) = results.failures
    assert (row["status"], row["verdict"], row["run_status"]) == ("unfinished", "valid", "max_slots")
    assert row["error"].startswith(f"{row['n_unfinished']} jobs are not complete after the slots")
    assert [row[name] for name in ("value", "ratio", "l2_norm", "avg_wait", "traceback")] == [None] * 5
    assert row["makespan"] <= 20
    assert results.n_missing == 0
    assert "cut short" in results.report(tmp_path / "report.html").read_text()


@pytest.mark.parametrize(
    ("policy", "keep", "words"),
    [
        (
            "srpt",
            "schedule",
            "jobs in slots have no schedule to keep (what they have: curves, by_size, demands)",
        ),
        ("pq", "curves", "jobs have no curves to keep (what they have: delay_quantiles, schedule, demands)"),
    ],
)
def test_what_a_run_does_not_have_cannot_be_kept(tmp_path: Path, policy: str, keep: str, words: str) -> None:
    assert words in row_of(of_one(policy, keep=(keep,)), tmp_path / "r")["error"]


def test_times_that_are_no_slots_are_told_by_the_policy(tmp_path: Path) -> None:
    path = tmp_path / "jobs.parquet"
    schedcore.Instance(schedcore.Jobs([1.5], [[1]]), schedcore.Machines([[2]])).to_parquet(path)
    experiment = Experiment(
        "file",
        {"jobs": Workload("input:jobs")},
        {"A": "srpt"},
        {"s": Sweep(["jobs"], ["A"])},
        inputs={"jobs": "times between slots"},
    )
    (row,) = run_here(experiment, tmp_path / "r", inputs={"jobs": path}).failures
    assert row["status"] == "failed"
    assert "must be a whole number of slots" in row["error"]


def test_a_policy_for_other_jobs_says_so(tmp_path: Path) -> None:
    row = row_of(of_one("ocorp_mapreduce"), tmp_path / "r")
    assert "'ocorp_mapreduce' solves MapReduceInstance, not Instance" in row["error"]


def test_estimates_are_drawn_once_a_job_set(tmp_path: Path) -> None:
    arguments = {**SIZE, "seed": 1}
    sweep = Sweep(["jobs"], ["SRPT"], {"misestimate_variance": [0.0, 0.5]})
    experiment = described(Workload("slotted_standin", arguments), sweeps={"s": sweep}, figures={})
    rows = run_here(experiment, tmp_path / "r").rows
    inst = slotted_standin(SIZE["n_jobs"], 1, window=SIZE["window"])
    expected = [
        misestimate(inst, variance, seed).content_hash() for variance in (0.0, 0.5) for seed in (1, 2)
    ]
    assert sorted(row["workload_hash"] for row in rows) == sorted(expected)
    assert len({row["value"] for row in rows}) > 1


def test_the_first_resources_are_cores_alone(tmp_path: Path) -> None:
    arguments = {**SIZE, "seed": 1, "resources": "cores_memory", "first_resources": 1}
    row = row_of(of_one("srpt", Workload("slotted_standin", arguments)), tmp_path / "r")
    assert row["n_resources"] == 1
    alone = schedcore.solve("srpt", slotted_standin(SIZE["n_jobs"], 1, window=SIZE["window"]))
    assert row["value"] == alone.value
    more = of_one("srpt", Workload("slotted_standin", {**arguments, "first_resources": 3}))
    assert "first 3 resources: the workload has only 2" in row_of(more, tmp_path / "more")["error"]


def test_jobs_of_map_and_reduce_tasks_are_measured_alike(tmp_path: Path) -> None:
    workload = Workload("mapreduce_standin", {"n_jobs": 15, "window": 80})
    row = row_of(of_one("srvf", workload, ("curves", "by_size")), tmp_path / "r")
    inst = mapreduce_standin(15, 1, window=80)
    result = schedcore.solve("srvf", inst)
    assert (row["status"], row["value"]) == ("ok", result.value)
    assert (row["n_jobs"], row["n_tasks"], row["n_machines"]) == (15, inst.n_tasks, inst.n_machines)
    assert row["lower_bound"] == math.fsum(inst.processing_time.astype(float) ** 2)
    other = of_one("srvf", Workload("mapreduce_standin", {"n_jobs": 15, "first_jobs": 5}))
    assert (
        "first_jobs cannot be applied to jobs of map and reduce tasks"
        in row_of(other, tmp_path / "o")["error"]
    )
