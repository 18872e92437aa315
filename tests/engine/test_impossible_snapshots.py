"""Snapshots with a right checksum whose states no scheduler can come to: each is refused, and says why."""

import json
import struct
import subprocess
import sys
from typing import Any

import pytest

import schedcore
from boundary.saved_states import engine_state, parts
from schedcore import InvalidInstanceError, OnlineScheduler

Options = dict[str, Any]
MACHINE = schedcore.Machines([[10]])


def two_jobs(policy: str, lengths: list[float], demands: list[int], **options: Any) -> OnlineScheduler:
    """Jobs 0 and 1 on one machine of capacity 10, both arrived at 0.5 and decided upon."""
    scheduler = OnlineScheduler(policy, MACHINE, **options)
    scheduler.submit(schedcore.Jobs(lengths, [[demand] for demand in demands]), 0.5)
    scheduler.advance(0.5)
    return scheduler


def refuse(scheduler: OnlineScheduler, at: int, changed: bytes, message: str) -> None:
    """These bytes at this place of the policy's part are refused, and those that are there are not."""
    saved = parts(scheduler.save())
    place = engine_state(scheduler).policy_at + at
    engine = saved.engine[:place] + changed + saved.engine[place + len(changed) :]
    assert engine != saved.engine
    assert OnlineScheduler.load(saved.joined()).save() == saved.joined()
    with pytest.raises(InvalidInstanceError, match=message):
        OnlineScheduler.load(saved._replace(engine=engine).joined())


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("pq", {}),
        ("ca_pq", {"last_release_time": 0.5}),
        ("tetris", {}),
        ("bf_exec", {}),
        ("fcfs", {}),
        ("first_fit", {}),
        ("easy", {}),
    ],
)
def test_a_job_that_fits_does_not_wait(name: str, options: Options) -> None:
    scheduler = two_jobs(name, [5.0, 5.0], [9, 2], **options)
    assert (scheduler.n_running, scheduler.n_waiting) == (1, 1)
    saved = parts(scheduler.save())
    header = json.loads(saved.header) | {"capacity": [[90]]}
    with pytest.raises(InvalidInstanceError, match=r"the snapshot is damaged: .* fits"):
        OnlineScheduler.load(saved._replace(header=json.dumps(header).encode()).joined())


@pytest.mark.parametrize("name", ["pq", "bf_exec"])
def test_a_job_does_not_wait_beside_an_idle_machine(name: str) -> None:
    scheduler = two_jobs(name, [5.0, 5.0], [9, 2])
    saved, state = parts(scheduler.save()), engine_state(scheduler)
    runs = state.blocked_at - 8 - 16 - 8  # one row and the length of the plan
    engine = saved.engine[:runs] + bytes(8) + saved.engine[runs + 8 + 16 :]
    with pytest.raises(InvalidInstanceError, match="a job waits that fits"):
        OnlineScheduler.load(saved._replace(engine=engine).joined())


def test_a_batch_does_not_wait_beside_an_idle_machine() -> None:
    scheduler = two_jobs("mris", [1.0, 1.0], [9, 9], gamma0=1.0, replan="always", knapsack="greedy")
    decision = scheduler.advance(1.5)
    assert (scheduler.n_running, scheduler.n_waiting, decision.next_wakeup) == (1, 1, float("inf"))
    saved = parts(scheduler.save())
    header = json.loads(saved.header) | {"capacity": [[18]]}
    with pytest.raises(InvalidInstanceError, match=r"a job waits that may start|the volume of a batch"):
        OnlineScheduler.load(saved._replace(header=json.dumps(header).encode()).joined())


def test_jobs_are_collected_until_the_last_release() -> None:
    scheduler = two_jobs("ca_pq", [5.0, 5.0], [9, 2], last_release_time=40.0)
    refuse(scheduler, 0, b"\0", "it has stopped collecting jobs too early")


@pytest.mark.parametrize(
    ("name", "options", "at"),
    [
        ("easy", {}, 8),
        ("fcfs", {}, 8),
        ("conservative", {}, 39),  # behind the reservation and the number of overruns
        ("conservative", {"mode": "rebuild"}, 39),
    ],
)
@pytest.mark.parametrize("end", [0.6, 8.25, 9.0, float("inf")])
def test_a_running_job_ends_by_its_estimate(name: str, options: Options, at: int, end: float) -> None:
    scheduler = two_jobs(name, [8.0, 3.0], [10, 10], **options)  # until 8.5, and until 11.5
    refuse(scheduler, at, struct.pack("<d", end), "a job is planned to end at an instant that its")


@pytest.mark.parametrize("mode", ["compress", "rebuild"])
@pytest.mark.parametrize("end", [8.75, 12.0, float("inf")])
def test_a_reservation_is_as_long_as_the_estimate(mode: str, end: float) -> None:
    scheduler = two_jobs("conservative", [8.0, 3.0], [10, 10], mode=mode)
    refuse(scheduler, 12, struct.pack("<d", end), "a reservation ends at another instant than its job")


@pytest.mark.parametrize("mode", ["compress", "rebuild"])
def test_a_reservation_that_is_due_is_kept_where_it_can_be(mode: str) -> None:
    scheduler = two_jobs("conservative", [8.0, 3.0], [10, 10], mode=mode)
    refuse(scheduler, 4, struct.pack("<dd", 0.5, 3.5), "a job waits whose place has come")


# The waves of MRIS: behind the origin, the early end, the next interval, no leftover, no iterations and the sweep stand
# how many there are, then of each its number, how many jobs it has, and which.
WAVES = 8 + 1 + 4 + 8 + 8 + 8


@pytest.mark.parametrize(
    ("at", "k", "message"),
    [
        (8 + 16, 2**31 - 1, "no job is so long"),
        (8 + 16, 100, "a job waits for another interval of MRIS"),
        (8, 1, "a job waits for another interval of MRIS"),
    ],
)
def test_mris_takes_a_job_at_the_gamma_of_its_length(at: int, k: int, message: str) -> None:
    scheduler = two_jobs("mris", [8.0, 3.0], [6, 6], gamma0=1.0)  # at k = 3 and at k = 2
    refuse(scheduler, WAVES + at, struct.pack("<i", k), message)


@pytest.mark.parametrize("number", [0, 2**40, 2**64 - 1])
def test_mris_sweeps_at_a_number_of_jobs_that_it_can_have_had(number: int) -> None:
    scheduler = two_jobs("mris", [8.0, 3.0], [6, 6], gamma0=1.0)
    refuse(scheduler, WAVES - 8, struct.pack("<Q", number), "arrivals of MRIS are swept at another number")


@pytest.mark.parametrize("placement", ["scan", "nobackfill"])
@pytest.mark.parametrize("makespan", [1e20, 1.7e308])
def test_the_makespan_of_mris_is_that_of_jobs(placement: str, makespan: float) -> None:
    scheduler = two_jobs("mris", [8.0, 3.0], [6, 6], gamma0=1.0, placement=placement)
    refuse(scheduler, WAVES + 8 + 2 * 16, struct.pack("<d", makespan), "no job ends at the makespan")


def test_a_makespan_that_a_job_has_left_behind_is_taken() -> None:
    scheduler = two_jobs(
        "mris", [64.0, 64.0], [6, 6], gamma0=1.0, placement="nobackfill", origin=0, knapsack="greedy"
    )
    assert scheduler.advance(64.0).plan.start_time.tolist() == [128.0]  # and ends at 192
    scheduler.complete([0], 65.0)
    assert len(scheduler.advance(65.0).starts) == 1  # and ends at 129
    data = scheduler.save()
    assert OnlineScheduler.load(data).save() == data


@pytest.mark.parametrize("volume", [0.0, 1e6, float("nan")])
def test_the_volume_of_a_batch_is_that_of_its_jobs(volume: float) -> None:
    scheduler = two_jobs("mris", [1.0, 1.0], [9, 9], gamma0=1.0, replan="always", knapsack="greedy")
    scheduler.advance(1.5)  # one of them starts
    # No wave, one unfinished batch: k and span, and its jobs, of which one has started.
    at = WAVES + 8 + 8 + 4 + 8 + 8 + 2 * 4
    refuse(scheduler, at, struct.pack("<d", volume), "the volume of a batch is not that of its jobs")


@pytest.mark.parametrize("number", [2**62, 2**63, 2**64 - 1])
def test_the_number_of_started_jobs_does_not_wrap(number: int) -> None:
    saved = parts(two_jobs("pq", [5.0, 5.0], [9, 2]).save())
    engine = saved.engine[:10] + struct.pack("<Q", number) + saved.engine[18:]
    with pytest.raises(InvalidInstanceError, match="more jobs have started than anyone can start"):
        OnlineScheduler.load(saved._replace(engine=engine).joined())


MANY_CLASSES = """
import resource, struct
import schedcore
from boundary.saved_states import engine_state, parts

n_resources, n_bytes = 1000, 2**20
scheduler = schedcore.OnlineScheduler("tetris", schedcore.Machines([[10] * n_resources]))
saved, at = parts(scheduler.save()), engine_state(scheduler).policy_at + 8
engine = saved.engine[:at] + struct.pack("<Q", n_bytes // 8) + bytes(n_bytes) + saved.engine[at + 8 :]
data = saved._replace(engine=engine).joined()
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + 2**28, used + 2**28))
try:
    schedcore.OnlineScheduler.load(data)
except schedcore.InvalidInstanceError as error:
    print(error)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits the address space")
def test_classes_that_cannot_be_there_take_no_memory(request: pytest.FixtureRequest) -> None:
    done = subprocess.run(
        [sys.executable, "-c", MANY_CLASSES],
        cwd=request.config.rootpath / "tests",
        capture_output=True,
        text=True,
        check=False,
    )
    assert "the number of classes is impossible" in done.stdout, done.stderr


def test_work_that_was_put_off_goes_on_within_the_queue() -> None:
    scheduler = OnlineScheduler("conservative", MACHINE)
    scheduler.submit(schedcore.Jobs([9.0, 2.0, 3.0, 4.0], [[9]] * 4), 0)
    scheduler.advance(0)
    scheduler.complete([0], 1)
    decision = scheduler.advance(1, work_limit=1)
    assert decision.starts.id.tolist() == [1]
    assert decision.shortened == ("compression: 2 reservations put off",)
    # Work is put off, in a pass in which something moved; it goes on before the first that waits, as do searches.
    state = b"\x01\x01\x01" + struct.pack("<QQ", 0, 0)
    at = parts(scheduler.save()).engine.rindex(state) - engine_state(scheduler).policy_at
    refuse(scheduler, at + 3, struct.pack("<Q", 3), "work goes on behind the end of the queue")
    refuse(scheduler, at + 11, struct.pack("<Q", 3), "work goes on behind the end of the queue")
