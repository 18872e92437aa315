"""What is varied: texts read, variants made, one set of jobs for all of them."""

import re

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from cluster_strategies import cluster_instances
from schedcore import Instance, InvalidInstanceError, Jobs, Machines, UnsupportedError
from schedcore.model.cluster_workload import ClusterWorkload, jobs_with_room, tasks_with_room
from schedcore.problems.variant_texts import is_percentages, parse_variants
from schedcore.problems.variants import Variant, common_jobs, jobs_of_both, variants_of
from schedcore.workloads import cluster_size, colocation_grid, with_cluster_size

JOBS = Jobs(
    [10, 10, 5], [[1], [8], [10]], release_time=[0, 10, 30], estimated_processing_time=[20, 20, 20],
    recorded_start_time=[0, 12, 31], id=[5, 6, 7],
)  # fmt: skip
POOL = Instance(JOBS, Machines([[10]]))


def sizes(variants: list[Variant]) -> list[int]:
    return [cluster_size(variant.inst.machines)[0] for variant in variants]


def test_percentages_follow_the_recorded_machines() -> None:
    variants = variants_of(POOL, parse_variants(machines="+10%,-25%, +5.4%"))
    assert [variant.labels for variant in variants] == [
        {"machines": "recorded"}, {"machines": "+10%"}, {"machines": "-25%"}, {"machines": "+5.4%"},
    ]  # fmt: skip
    assert sizes(variants) == [10, 11, 8, 11]  # 7.5 is rounded up
    assert [variant.is_recorded for variant in variants] == [True, False, False, False]
    with pytest.raises(InvalidInstanceError, match="'-4%' of 10 resource_0 changes nothing"):
        variants_of(POOL, parse_variants(machines="-4%"))


def test_several_things_are_varied_together() -> None:
    asked = parse_variants(machines="+10%,-10%", load="x2", estimates="exact,recorded")
    variants = variants_of(POOL, asked)
    assert [variant.words for variant in variants] == [
        "machines recorded, estimates recorded, load recorded",
        "machines +10%, estimates exact, load x2",
        "machines -10%, estimates exact, load x2",
    ]
    assert variants[1].inst.jobs.release_time.tolist() == [0, 5, 15]
    assert not variants[1].inst.jobs.uses("recorded_start_time")
    assert variants[1].inst.jobs.estimated_processing_time.tolist() == [10, 10, 5]
    assert variants[0].inst is POOL


def test_what_changes_nothing_is_the_recorded_variant_alone() -> None:
    for asked in ({"estimates": "recorded"}, {"load": "recorded", "estimates": "recorded"}):
        (variant,) = variants_of(POOL, parse_variants(**asked))
        assert variant.inst is POOL
        assert set(variant.labels) == set(asked)
    both = variants_of(POOL, parse_variants(estimates="recorded", load="x2"))
    assert [variant.words for variant in both] == [
        "estimates recorded, load recorded", "estimates recorded, load x2",
    ]  # fmt: skip


def test_a_sweep_has_its_points_and_beside_them_what_happened() -> None:
    asked = parse_variants(sweep="machines=8..12:2")
    variants = variants_of(POOL, asked)
    assert [(variant.labels["machines"], variant.point) for variant in variants] == [
        ("8", 8.0), ("10", 10.0), ("12", 12.0), ("recorded", None),
    ]  # fmt: skip
    assert [variant.is_only_recorded for variant in variants] == [False, False, False, True]
    unknown = Instance(JOBS.replace(recorded_start_time=None), POOL.machines)
    assert len(variants_of(unknown, asked)) == 3
    load = variants_of(POOL, parse_variants(sweep="load=0.5..1:0.25"))
    assert [variant.labels["load"] for variant in load[:3]] == ["x0.5", "x0.75", "x1"]
    assert load[0].inst.jobs.release_time.tolist() == [0, 20, 60]
    assert load[2].inst.jobs.release_time.tolist() == [0, 10, 30]
    estimates = variants_of(POOL, parse_variants(sweep="estimates=1..2"))
    assert [each.inst.jobs.estimated_processing_time[0] for each in estimates] == [20, 40, 20]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"machines": "10%"}, "machines '10%' is not a signed percentage"),
        ({"machines": "+10"}, "is not a signed percentage"),
        ({"machines": "+5%,+5%"}, "'+5%' is given twice"),
        ({"load": "x2,x2.0"}, "'x2' is given twice"),
        ({"machines": "+10%,+10.00%"}, "'+10%' is given twice"),
        ({"machines": "-100%"}, "leaves no machine"),
        ({"machines": "+10%,"}, "'' is not a signed percentage"),
        ({"load": "1.2"}, "load '1.2' is not a factor above 0 such as x1.2"),
        ({"load": "x0"}, "is not a factor above 0"),
        ({"load": "xnan"}, "is not a factor"),
        ({"estimates": "bad"}, "estimates 'bad' is not exact, recorded or a factor"),
        ({"sweep": "machines"}, "is not NAME=FROM..TO:STEP"),
        ({"sweep": "machines=4..2"}, "has no point: from 4 to 2"),
        ({"sweep": "machines=4..8:0"}, "has no point"),
        ({"sweep": "machines=0..2"}, "its first point must be above 0"),
        ({"sweep": "machines=1..2:0.5"}, "only whole machines"),
        ({"sweep": "machines=1..2000"}, "has 2,000 points; at most 1,000"),
        ({"sweep": "size=1..2"}, "unknown sweep 'size'"),
        ({"sweep": "machines=1..2", "load": "x2"}, "a sweep varies one thing"),
    ],
)
def test_nonsense_is_refused_in_one_sentence(given: dict[str, str], message: str) -> None:
    with pytest.raises(InvalidInstanceError, match=re.escape(message)) as refused:
        parse_variants(**given)
    assert "\n" not in str(refused.value)


def test_percentages_are_told_from_machines() -> None:
    assert all(map(is_percentages, ("+10%", "-10%,+20%", " +5", "10%")))
    assert not any(map(is_percentages, ("20x64,448GB", "20", "nodes.csv", "4x1+2x2")))


def test_what_if_is_about_jobs() -> None:
    with pytest.raises(UnsupportedError, match="jobs that run in one piece"):
        variants_of(colocation_grid(1, 2, 10, 2, 1), parse_variants(load="x2"))  # type: ignore[arg-type]


def test_jobs_that_fit_some_variants_only_are_left_out_of_all() -> None:
    common = common_jobs(variants_of(POOL, parse_variants(machines="-10%")))
    assert [variant.inst.jobs.id.tolist() for variant in common.variants] == [[5, 6], [5, 6]]
    assert common.n_left_out == 1
    assert common.work_left_out == {"resource_0": 50 / 140}
    whole = common_jobs(variants_of(POOL, parse_variants(machines="+10%")))
    assert (whole.n_left_out, whole.work_left_out) == (0, {})
    with pytest.raises(InvalidInstanceError, match=r"machines -90%: no job is left"):
        common_jobs(variants_of(Instance(JOBS[1:], POOL.machines), parse_variants(machines="-90%")))


def test_jobs_that_wait_for_those_are_left_out_too() -> None:
    jobs = Jobs([1] * 4, [[10], [1], [1], [1]], after_ok=[None, [0], None, [1]])
    common = common_jobs(variants_of(Instance(jobs, Machines([[10]])), parse_variants(machines="-10%")))
    assert common.variants[0].inst.jobs.id.tolist() == [2]
    assert common.n_left_out == 3


def test_jobs_of_both_wait_for_none_that_is_gone() -> None:
    jobs = Jobs([1] * 4, [[1]] * 4, after_ok=[None, [0], None, [2]])
    first = Instance(jobs, Machines([[10]]))
    second = Instance(jobs[[1, 2, 3]].replace(after_ok=[None, None, [2]]), Machines([[5]] * 2))
    one, other = jobs_of_both(first, second)
    assert one.jobs.id.tolist() == other.jobs.id.tolist() == [2, 3]


def test_what_was_left_out_before_counts() -> None:
    part = variants_of(POOL.take_jobs([0, 1]), parse_variants(machines="+10%"))
    common = common_jobs(part, POOL, n_of_others=4)
    assert (common.n_left_out, common.n_unmeasured) == (5, 4)
    assert common.work_left_out == {"resource_0": 50 / 140}


@given(cluster_instances())
def test_room_for_jobs_is_what_an_empty_cluster_has(inst: Instance) -> None:
    assume(inst.jobs.n_tasks.max(initial=1) < 2**38)  # more are refused
    room = tasks_with_room(inst, ClusterWorkload.of(inst))
    assert np.array_equal(jobs_with_room(inst), room >= inst.jobs.n_tasks)


@given(cluster_instances(), st.integers(1, 6))
def test_common_jobs_fit_all_variants(inst: Instance, size: int) -> None:
    assume(inst.jobs.n_tasks.max(initial=1) < 2**38)
    assume(inst.n_machines > 1 or inst.machines.capacity[0, 0] > 0)  # a pool of nothing has no size
    variants = [
        Variant({"machines": "recorded"}, inst),
        Variant({"machines": "other"}, with_cluster_size(inst, size)),
    ]
    try:
        common = common_jobs(variants)
    except InvalidInstanceError:
        fits = jobs_with_room(inst) & jobs_with_room(variants[1].inst)
        assert not fits.any() or any(
            inst.jobs.uses(name) for name in ("after_ok", "after_any", "after_not_ok")
        )
        return
    for variant in common.variants:
        assert jobs_with_room(variant.inst).all()
    assert common.variants[0].inst.n_jobs + common.n_left_out == inst.n_jobs
