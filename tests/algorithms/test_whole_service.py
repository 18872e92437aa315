"""Jobs that have all their cores on one server, or none: who runs where, computed by hand, and what is refused."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import schedcore
from reference.slotted_instance import SlottedJobs
from schedcore import InfeasibleError, InvalidInstanceError, UnsupportedError, solve
from slotted_cases import NON_CLAIRVOYANT, completions, map_reduce, pieces, slotted, slotted_instances

BASELINES = ["srpt", "srvf", "svf", "srf", "fifo"]
WHOLE = ["whole", "repacked"]

every_baseline = pytest.mark.parametrize("name", BASELINES)
every_service = pytest.mark.parametrize("service", WHOLE)

#: A server of 4 cores; by volume, which is 2, 9 and 10, job 0 (2 cores) leaves too little room for job 1 (3 cores).
ONE_TOO_WIDE = slotted([(0, 2, 1), (0, 3, 3), (0, 2, 5)], [4])


@every_service
def test_the_queue_stops_at_the_first_job_that_does_not_fit(service: str) -> None:
    # Slot 1: job 0; job 1 does not fit, so job 2 waits, although it would. Slots 2 to 4: job 1 alone; 5 to 9: job 2.
    result = solve("svf", ONE_TOO_WIDE, service=service)
    assert pieces(result) == [(0, 0, 0, 1, 2), (1, 1, 0, 4, 3), (4, 2, 0, 9, 2)]


@every_service
def test_skip_passes_over_it(service: str) -> None:
    # Slot 1: jobs 0 and 2. Slot 2: job 1 comes before job 2, which is preempted, and fits beside nobody until slot 5.
    result = solve("svf", ONE_TOO_WIDE, service=service, skip=True)
    assert pieces(result) == [(0, 0, 0, 1, 2), (0, 2, 0, 1, 2), (1, 1, 0, 4, 3), (4, 2, 0, 8, 2)]
    assert result.stats["preemptions"] == 1


def test_shared_cores_go_to_the_next_job_in_parts() -> None:
    # Slot 1: job 1 has the 2 cores that job 0 leaves.
    assert pieces(solve("svf", ONE_TOO_WIDE))[:2] == [(0, 0, 0, 1, 2), (0, 1, 0, 1, 2)]
    assert pieces(solve("svf", ONE_TOO_WIDE, service="shared")) == pieces(solve("svf", ONE_TOO_WIDE))


def test_a_server_that_is_free_is_taken_before_one_where_a_job_runs() -> None:
    # Job 1 comes before job 0 in slot 2, but server 1 is free, so job 0 keeps server 0.
    two_servers = slotted([(0, 2, 5), (1, 2, 1)], [2, 2])
    assert pieces(solve("svf", two_servers, service="whole")) == [(0, 0, 0, 5, 2), (1, 1, 1, 2, 2)]
    # Placed anew, job 1 takes the lowest server, and job 0 moves out and back.
    moved = solve("svf", two_servers, service="repacked")
    assert pieces(moved) == [(0, 0, 0, 1, 2), (1, 0, 1, 2, 2), (1, 1, 0, 2, 2), (2, 0, 0, 5, 2)]
    assert moved.stats["live_migrations"] == 2


def test_a_job_without_room_elsewhere_takes_the_lowest_server_from_jobs_that_come_later() -> None:
    # Slot 1: jobs 0 and 1 (of 5 and 6 slots) are on servers 0 and 1. Slot 2: job 2 comes first, finds no room beside
    # them, and takes server 0. Job 0 is next: server 0 is lost, and server 1 has no room beside job 1, but that comes
    # later. So job 0 takes server 1, and job 1 waits until a server is free after slot 3.
    full = slotted([(0, 2, 5), (0, 2, 6), (1, 2, 2)], [2, 2])
    result = solve("svf", full, service="whole")
    assert pieces(result) == [
        (0, 0, 0, 1, 2),
        (0, 1, 1, 1, 2),
        (1, 0, 1, 5, 2),
        (1, 2, 0, 3, 2),
        (3, 1, 0, 8, 2),
    ]
    assert (result.stats["preemptions"], result.stats["live_migrations"]) == (1, 1)


def test_what_jobs_left_behind_keeps_a_wide_job_out_unless_all_are_placed_anew() -> None:
    # Jobs 0 to 3 (2 cores) fill two servers of 4; jobs 0 and 2 end after slot 1. Job 4 needs 4 cores and comes last:
    # two are free on each server, four on one only if job 3 moves.
    apart = slotted([(0, 2, 1), (0, 2, 6), (0, 2, 1), (0, 2, 6), (0, 4, 4)], [4, 4])
    assert completions(solve("fifo", apart, service="whole")) == [1, 6, 1, 6, 10]
    assert completions(solve("fifo", apart, service="repacked")) == [1, 6, 1, 6, 5]


def test_memory_and_cores_must_fit_one_server_together() -> None:
    # Job 0 fits server 1 alone, by its memory. Job 1 has cores on server 0 and memory on server 1, where job 0 is, but
    # not beside it; it fits server 1 after slot 2.
    result = solve("fifo", slotted([(0, (1, 5), 2), (0, (1, 3), 1)], [(4, 2), (1, 8)]), service="whole")
    assert pieces(result) == [(0, 0, 1, 2, 1), (2, 1, 1, 3, 1)]
    assert result.stats["refusals"] == 0


def test_a_job_holds_what_it_is_believed_to_need_and_uses_what_is_left_to_do() -> None:
    # 4 core-slots believed to be 2 cores: after the first slot the half, 2, seems to be 1 believed core, then 1 of 1.
    # All the while job 1 finds no room beside 2 of 3 cores.
    few = slotted([(0, 4, 1), (0, 2, 1)], [3, 4], believed=[2, 2])
    assert pieces(solve("fifo", few, service="whole")) == [
        (0, 0, 0, 1, 2),
        (0, 1, 1, 1, 2),
        (1, 0, 0, 3, 1),
    ]
    one_server = slotted([(0, 3, 1), (0, 2, 1)], [3], believed=[2, 2])
    assert completions(solve("fifo", one_server, service="whole", skip=True)) == [2, 3]
    # Believed to be 4 cores, 2 of them idle.
    many = slotted([(0, 2, 2)], [4], believed=[4])
    assert pieces(solve("fifo", many, service="whole")) == [(0, 0, 0, 2, 4)]


def test_srf_overtakes_nobody_by_skipping() -> None:
    # Where one of d cores does not fit, none of more does.
    inst = schedcore.workloads.slotted_standin(300, 5, window=200)
    assert pieces(solve("srf", inst, service="whole", skip=True)) == pieces(
        solve("srf", inst, service="whole")
    )


@every_baseline
@every_service
@given(instance=slotted_instances(max_jobs=6, resources=(1, 2), whole=True), skip=st.booleans())
def test_a_job_runs_on_one_server_with_all_its_cores_for_its_processing_time(
    name: str, service: str, instance: schedcore.Instance, skip: bool
) -> None:
    result = solve(name, instance, service=service, skip=skip)
    jobs = SlottedJobs.from_instance(instance, whole=True)
    slots = [(job, slot) for start, job, _, end, _ in pieces(result) for slot in range(start, end)]
    assert len(set(slots)) == len(slots) == sum(jobs.processing_time)
    assert all(cores == jobs.demand[job][0] for _, job, _, _, cores in pieces(result))
    schedcore.validate(instance, result.schedule, raise_on_error=True)


@given(instance=slotted_instances(max_jobs=6, resources=(1, 2), whole=True))
def test_first_come_first_served_is_never_interrupted(instance: schedcore.Instance) -> None:
    stats = solve("fifo", instance, service="whole").stats
    assert (stats["preemptions"], stats["migrations"]) == (0, 0)


@every_service
def test_stretches_of_a_million_million_slots_are_passed_over(service: str) -> None:
    length = 10**12
    inst = slotted([(0, 2, length), (5, 2, 2 * length), (9, 1, 3 * length)], [3, 2], believed=[2, 1, 1])
    for name in BASELINES:
        assert len(pieces(solve(name, inst, service=service, skip=True))) < 30


# What is refused


@every_baseline
@every_service
def test_a_job_that_no_server_holds_whole_is_infeasible(name: str, service: str) -> None:
    with pytest.raises(
        InfeasibleError, match=r"job 1 asks for demand\[1, 0\] = 5, more than any machine has, 4:"
    ):
        solve(name, slotted([(0, 4, 1), (0, 5, 1)], [4, 3]), service=service)
    assert completions(solve(name, slotted([(0, 4, 1), (0, 5, 1)], [4, 3]))) != [None, None]
    apart = slotted([(0, (1, 1), 1), (0, (3, 5), 1)], [(4, 2), (2, 8)])
    with pytest.raises(
        InfeasibleError, match=r"job 1 asks for demand\[1\] = \[3, 5\]; every machine has too little"
    ):
        solve(name, apart, service=service)
    wrong = slotted([(0, 1, 1), (0, 1, 1)], [4, 3], believed=[1, 6])
    with pytest.raises(InfeasibleError, match=r"job 1 asks for estimated_demand\[1, 0\] = 6"):
        solve(name, wrong, service=service)


def test_memory_that_a_later_server_has_is_room_for_a_whole_job() -> None:
    # Cores that are shared could be on the server with most of them, where the memory is missing.
    inst = slotted([(0, (1, 5), 2)], [(4, 2), (1, 8)])
    with pytest.raises(InfeasibleError, match="first machine in packing order"):
        solve("fifo", inst)
    assert completions(solve("fifo", inst, service="whole")) == [2]


def test_the_identifier_of_a_job_that_fits_nowhere_is_named() -> None:
    jobs = schedcore.Jobs([1, 1], [[1], [9]], id=[40, 41])
    with pytest.raises(InfeasibleError, match=r"job 1 \(id 41\)"):
        solve("srf", schedcore.Instance(jobs, schedcore.Machines([[4]])), service="whole")


@every_baseline
@every_service
@pytest.mark.parametrize("option", [{"packing": "sticky"}, {"mem_mode": "once"}])
def test_options_of_shared_cores_are_refused(name: str, service: str, option: dict[str, Any]) -> None:
    (key, value), *_ = option.items()
    with pytest.raises(
        UnsupportedError, match=f"{key}='{value}' exists for service='shared' only, not '{service}'"
    ):
        solve(name, ONE_TOO_WIDE, service=service, **option)


@every_baseline
def test_nobody_is_skipped_where_cores_are_shared(name: str) -> None:
    with pytest.raises(UnsupportedError, match=r"skip=True needs service 'whole' or 'repacked'"):
        solve(name, ONE_TOO_WIDE, skip=True)
    with pytest.raises(UnsupportedError, match=r"skip=True"):
        solve(name, map_reduce([(0, (1, 1, 1), (1, 1, 1))], [1]), skip=True)


@every_baseline
@every_service
def test_tasks_of_map_and_reduce_phases_share_cores(name: str, service: str) -> None:
    with pytest.raises(UnsupportedError, match=f"{name} takes service = '{service}' for an Instance alone"):
        solve(name, map_reduce([(0, (1, 1, 1), (1, 1, 1))], [1]), service=service)


@every_baseline
def test_an_unknown_service_gets_the_close_matches(name: str) -> None:
    with pytest.raises(InvalidInstanceError, match=r"unknown service 'hole'; did you mean 'whole'"):
        solve(name, ONE_TOO_WIDE, service="hole")
    with pytest.raises(InvalidInstanceError, match="skip = 1 must be True or False"):
        solve(name, ONE_TOO_WIDE, service="whole", skip=1)


@pytest.mark.parametrize("name", ["ocorp", "ocorp_m", "ocorp_plus", "svf_transient"])
def test_service_is_an_option_of_the_baselines(name: str) -> None:
    with pytest.raises(InvalidInstanceError, match=f"service.*{name}|{name}.*service"):
        solve(name, slotted([(0, 1, 1)], [1]), service="whole")


def test_the_kernel_alone_waits_for_nobody_who_fits_nowhere() -> None:
    columns = {
        "release_time": np.array([0]),
        "processing_time": np.array([1]),
        "demand": np.array([[3]]),
        "estimated_demand": None,
        "capacity": np.array([[2], [2]]),
    }
    told: dict[str, Any] = {"packing": "ffd", "mem_mode": "backfill", "max_slots": None, "record": False}
    run = schedcore._core.preemptive.run_slots
    with pytest.raises(InfeasibleError, match="job 0 whole"):
        run(**columns, **told, policy="srpt", service="whole", progress=None)
    for policy in ("ocorp", *NON_CLAIRVOYANT):
        with pytest.raises(UnsupportedError, match="keys do not grow"):
            run(**columns, **told, policy=policy, service="whole", progress=None)
