"""What another program decided is read from SWF, sacct and Batsim alike, job by job."""

import codecs
import gzip
from pathlib import Path

import pytest

from data_folder import data_folder
from schedcore import Instance, InvalidInstanceError, Jobs, Machines, Schedule, validate
from schedcore.workloads import read_sacct, read_swf, recorded_schedule

INSTANCE = Instance(Jobs([10, 20, 5], [[1], [1], [1]], release_time=[0, 3, 4], id=[7, 5, 6]), Machines([[2]]))
STARTS = [0.0, 3.0, 10.0]

# Rows in another order, on a clock that is 100 s ahead, and a job 9 that never started.
SWF = """\
6 104 6 5 1 -1 -1 1 5 -1 1 -1 -1 -1 -1 -1 -1 -1
7 100 0 10 1 -1 -1 1 10 -1 1 -1 -1 -1 -1 -1 -1 -1
9 101 -1 -1 1 -1 -1 1 10 -1 5 -1 -1 -1 -1 -1 -1 -1
5 103 0 20 1 -1 -1 1 20 -1 1 -1 -1 -1 -1 -1 -1 -1
"""
SACCT = """\
State|JobIDRaw|Submit|Start
COMPLETED|6|1970-01-01T00:01:44|1970-01-01T00:01:50
COMPLETED|6.batch|1970-01-01T00:01:50|1970-01-01T00:01:50
COMPLETED|7|100|100
PENDING|9|101|Unknown
State|JobIDRaw|Submit|Start
TIMEOUT|5|103|103
"""
BATSIM = """\
job_id,workload_name,submission_time,starting_time,allocated_resources
w0!6,w0,104,110.0,0
w0!7,w0,100,100,0
w0!9,w0,101,-1,
w0!5,w0,103,103,1
"""
TEXTS = {"log.swf": SWF, "log.sacct": SACCT, "jobs.csv": BATSIM, "accounting.txt": SACCT}


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text)
    return path


@pytest.mark.parametrize("name", TEXTS)
def test_jobs_are_matched_by_id_and_time_zero_by_their_submit_times(tmp_path: Path, name: str) -> None:
    schedule = recorded_schedule(write(tmp_path, name, TEXTS[name]), INSTANCE)
    assert schedule == Schedule(STARTS, [0, 0, 0])


@pytest.mark.parametrize("name", TEXTS)
def test_jobs_that_are_missing_on_either_side_are_named(tmp_path: Path, name: str) -> None:
    path = write(tmp_path, name, TEXTS[name])
    more = Instance(
        Jobs([1] * 5, [[1]] * 5, release_time=[0, 3, 4, 0, 0], id=[7, 5, 6, 9, 8]), Machines([[2]])
    )
    with pytest.raises(InvalidInstanceError, match=r"has no row for job id 8, 9 \(2 such\)"):
        recorded_schedule(path, more)
    fewer = Instance(INSTANCE.jobs[:1], INSTANCE.machines)
    with pytest.raises(
        InvalidInstanceError, match=r"which the instance does not have: 5, 6 \(2 such\); known_jobs_only=True"
    ):
        recorded_schedule(path, fewer)
    other = Instance(Jobs([1, 1], [[1]] * 2, id=[7, 8]), Machines([[2]]))
    with pytest.raises(InvalidInstanceError, match=r"no row for job id 8 .*does not have: 5, 6"):
        recorded_schedule(path, other)
    assert recorded_schedule(path, fewer, known_jobs_only=True) == Schedule([0], [0])


@pytest.mark.parametrize("name", TEXTS)
def test_submit_times_of_another_workload_are_refused(tmp_path: Path, name: str) -> None:
    moved = Instance(INSTANCE.jobs.replace(release_time=[0, 3, 5]), INSTANCE.machines)
    with pytest.raises(
        InvalidInstanceError, match=r"ids 7 and 6 are submitted 4 s apart, in the instance 5 s"
    ):
        recorded_schedule(write(tmp_path, name, TEXTS[name]), moved)


def test_a_job_with_two_rows_is_named(tmp_path: Path) -> None:
    path = write(tmp_path, "log.swf", SWF + SWF.splitlines()[0] + "\n")
    with pytest.raises(InvalidInstanceError, match="has 2 rows for job id 6"):
        recorded_schedule(path, INSTANCE)


def test_submit_times_that_the_reader_rounded_down_leave_starts_as_far_apart_as_they_were(
    tmp_path: Path,
) -> None:
    text = SWF.replace("6 104 6", "6 104.7 6").replace("5 103 0", "5 103.2 0.5")
    path = write(tmp_path, "log.swf", text)
    instance, _ = read_swf(path, n_resources=1)
    assert recorded_schedule(path, instance).start_time.tolist() == pytest.approx([10.7, 0, 3.7])


def test_the_machine_comes_from_the_file_where_there_are_several(tmp_path: Path) -> None:
    instance = Instance(INSTANCE.jobs, Machines([[1], [2]]))
    swf = write(tmp_path, "log.swf", SWF.replace(" -1 -1 -1\n", " 2 -1 -1\n"))
    assert recorded_schedule(swf, instance) == Schedule(STARTS, [1, 1, 1])
    batsim = write(tmp_path, "jobs.csv", BATSIM.replace(",0\n", ",1-2\n").replace(",1\n", ",0\n"))
    assert recorded_schedule(batsim, instance) == Schedule(STARTS, [1, 0, 1])
    torn = write(tmp_path, "torn.csv", BATSIM.replace(",1\n", ",0-1\n"))
    with pytest.raises(InvalidInstanceError, match=r"line 5 holds processors 0-1, which no one machine has"):
        recorded_schedule(torn, instance)
    for name in ("log.swf", "log.sacct"):
        path = write(tmp_path, name, TEXTS[name])
        with pytest.raises(InvalidInstanceError, match="does not say on which of the 2 machines"):
            recorded_schedule(path, instance)


def test_a_schedule_without_submit_times_is_on_the_clock_of_the_instance(tmp_path: Path) -> None:
    text = "job_id,starting_time\n5,3\n7,0\n6,10\n"
    assert recorded_schedule(write(tmp_path, "jobs.csv", text), INSTANCE).start_time.tolist() == STARTS


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("log.sacct", "JobID|Submit\n1|5\n", "lacks Start"),
        ("log.sacct", "JobID|Start\n1|soon\n", "Start of line 2 cannot be read"),
        ("jobs.csv", "job_id,starting_time\nseven,1\n", "line 2: job_id 'seven' is not an integer"),
        ("jobs.csv", "job_id,starting_time\n1.5,1\n", "line 2: job_id '1.5' is not an integer"),
        (
            "jobs.csv",
            f"job_id,starting_time\n{2**63},1\n",
            "line 2: job_id '9223372036854775808' is not an integer",
        ),
        ("jobs.csv", "job_id,starting_time\n7,1\n5,abc\n", "line 3: starting_time 'abc' is not a number"),
        ("jobs.csv", "job_id,starting_time\n7,nan\n5,\n6,-1\n", "has no row for job id 5, 6, 7"),
        ("jobs.csv", "job_id,starting_time\n\n9,1,0\n9,2,5\n", r"2 rows \(line 3, 4\): not as many fields"),
        ("jobs.csv", "job_id,starting_time,job_id\n7,1,7\n", "two columns named job_id"),
        (
            "jobs.csv",
            "job_id,starting_time,submission_time\n9,-1,x\n7,1,x\n",
            "line 3: submission_time 'x' is not a number",
        ),
        (
            "jobs.csv",
            "job_id,starting_time,allocated_resources\n7,1,0-\n",
            "line 2: allocated_resources '0-' is not a list",
        ),
        (
            "jobs.csv",
            "job_id,starting_time,allocated_resources\n7,1,3-1\n",
            "line 2: allocated_resources '3-1' is an interval that ends before it begins",
        ),
        ("log.swf", "1.5" + SWF[1:], r"line 1: job_number 1\.5 is no whole number"),
        ("log.swf", f"{2**64}" + SWF[1:], r"line 1: job_number 1\.8446744073709552e\+19 is no whole number"),
        ("log.sacct", "JobID|Start|Elapsed\n1|5|soon\n", "the run time of line 2 cannot be read"),
        ("plan.txt", "start_time,machine\n0,0\n", "not a known kind of schedule"),
        ("log.swf", "1 0 x 5\n", "not a finite number"),
    ],
)
def test_a_file_that_cannot_be_read_is_an_error(tmp_path: Path, name: str, text: str, message: str) -> None:
    with pytest.raises(InvalidInstanceError, match=message):
        recorded_schedule(write(tmp_path, name, text), INSTANCE)


def test_a_file_never_shows_the_inside_of_a_data_frame(tmp_path: Path) -> None:
    path = write(tmp_path, "jobs.csv", "job_id,starting_time\n" + "seven,1\n" * 3)
    with pytest.raises(InvalidInstanceError) as caught:
        recorded_schedule(path, INSTANCE)
    assert str(caught.value) == f"{path}: line 2: job_id 'seven' is not an integer below 2**63"


def test_the_largest_job_id_is_read_exactly(tmp_path: Path) -> None:
    instance = Instance(Jobs([1, 1], [[1], [1]], id=[2**63 - 1, 2**63 - 2]), Machines([[2]]))
    path = write(tmp_path, "jobs.csv", f"job_id,starting_time\n{2**63 - 1},5\n{2**63 - 2},6\n")
    assert recorded_schedule(path, instance).start_time.tolist() == [5, 6]
    row = " 0 {} 1" + " -1" * 14 + "\n"
    path = write(tmp_path, "log.swf", f"{2**63 - 1}{row.format(5)}{2**63 - 2}{row.format(6)}")
    assert recorded_schedule(path, instance).start_time.tolist() == [5, 6]


def test_only_a_negative_start_says_that_a_job_never_started(tmp_path: Path) -> None:
    text = BATSIM.replace("w0!9,w0,101,-1,", "w0!9,w0,never,-1.0,none")
    assert recorded_schedule(write(tmp_path, "jobs.csv", text), INSTANCE).start_time.tolist() == STARTS


@pytest.mark.parametrize("name", TEXTS)
def test_a_byte_order_mark_is_no_part_of_a_file(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(codecs.BOM_UTF8 + TEXTS[name].encode())
    assert recorded_schedule(path, INSTANCE).start_time.tolist() == STARTS


@pytest.mark.parametrize("name", TEXTS)
def test_a_gzipped_file_may_have_any_name(tmp_path: Path, name: str) -> None:
    for packed in (name, f"{name}.gz"):
        path = tmp_path / packed
        path.write_bytes(gzip.compress(TEXTS[name].encode()))
        assert recorded_schedule(path, INSTANCE).start_time.tolist() == STARTS


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("log.swf", SWF.replace("6 104 6 5", "6 104 6 7")),
        ("log.sacct", "JobID|Submit|Start|ElapsedRaw\n7|100|100|10\n5|103|103|20\n6|104|110|7\n"),
        ("jobs.csv", "job_id,starting_time,execution_time\n7,0,10\n5,3,20\n6,10,7\n"),
    ],
)
def test_run_times_of_another_workload_are_refused(tmp_path: Path, name: str, text: str) -> None:
    with pytest.raises(
        InvalidInstanceError, match=r"the job with id 6 runs 7 s, in the instance 5 s \(1 such\)"
    ):
        recorded_schedule(write(tmp_path, name, text), INSTANCE)


def test_run_times_may_be_rounded_by_a_second(tmp_path: Path) -> None:
    text = "job_id,starting_time,execution_time\n5,3,19.5\n7,0,10\n6,10,4.25\n"
    assert recorded_schedule(write(tmp_path, "jobs.csv", text), INSTANCE).start_time.tolist() == STARTS
    unknown = "JobID|Start|Elapsed\n7|0|\n5|3|00:00:20\n6|10|Unknown\n"
    assert recorded_schedule(write(tmp_path, "log.sacct", unknown), INSTANCE).start_time.tolist() == STARTS


def test_a_log_can_be_checked_against_itself(tmp_path: Path) -> None:
    text = (
        "JobIDRaw|Submit|Start|End|ElapsedRaw|State|AllocCPUS\n"
        "1|100|100|110|10|COMPLETED|2\n2|101|105|115|10|COMPLETED|2\n3|102|Unknown|Unknown|0|PENDING|1\n"
    )
    path = write(tmp_path, "log.sacct", text)
    instance, _ = read_sacct(path, processors=4)
    assert validate(instance, recorded_schedule(path, instance))
    instance, _ = read_sacct(path, processors=3)
    found = validate(instance, recorded_schedule(path, instance))
    assert (found.kind, found.job, found.instant, found.excess) == ("capacity_exceeded", 1, 5.0, 1)


def test_tasks_of_arrays_are_matched_by_their_names(tmp_path: Path) -> None:
    """Without JobIDRaw no row has a number of its own, and the ids of the jobs count the rows."""
    path = tmp_path / "arrays.sacct"
    path.write_text(
        "JobID|Submit|Start|End|Elapsed|AllocCPUS|State\n"
        "9_1|2026-05-01T00:00:00|2026-05-01T00:02:00|2026-05-01T00:12:00|00:10:00|4|COMPLETED\n"
        "9_0|2026-05-01T00:00:00|2026-05-01T00:01:00|2026-05-01T00:02:00|00:01:00|4|COMPLETED\n"
        "7|2026-05-01T00:00:30|2026-05-01T00:12:00|2026-05-01T00:13:00|00:01:00|4|COMPLETED\n"
    )
    inst, _ = read_sacct(path)
    assert inst.jobs.id.tolist() == [0, 1, 2]
    assert recorded_schedule(path, inst).start_time.tolist() == [120.0, 60.0, 720.0]
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join([lines[0], *reversed(lines[1:])]))
    assert recorded_schedule(path, inst).start_time.tolist() == [120.0, 60.0, 720.0]


def test_a_recorded_log_was_scheduled_by_its_own_scheduler() -> None:
    path = data_folder("pwa-swf", "KTH-SP2-1996-2.1-cln.swf.gz")
    instance, _ = read_swf(path, n_resources=1)
    schedule = recorded_schedule(path, instance, known_jobs_only=True)
    assert (schedule.start_time >= instance.jobs.release_time).all()
    assert (schedule.machine == 0).all()


def test_run_times_may_differ_by_rounding_alone(tmp_path: Path) -> None:
    instance = Instance(Jobs([10, 1, 2.345], [[1]] * 3, id=[1, 2, 3]), Machines([[3]]))
    rows = "job_id,starting_time,execution_time\n1,0,{}\n2,0,{}\n3,0,{}\n"
    for times in ((10, 1, 2.345), (9.2, 0, 2.34), (9.999, 0.3, 3), (10, 1, 2), ("", "nan", "")):
        path = write(tmp_path, "jobs.csv", rows.format(*times))
        assert recorded_schedule(path, instance).start_time.tolist() == [0, 0, 0]
    for times, job in (((11, 1, 2.345), 1), ((9, 1, 2.345), 1), ((10, 1.2, 2.345), 2), ((10, 1, 2.4), 3)):
        path = write(tmp_path, "jobs.csv", rows.format(*times))
        with pytest.raises(InvalidInstanceError, match=f"the job with id {job} runs"):
            recorded_schedule(path, instance)


def test_rows_of_unknown_jobs_may_hold_anything_where_they_are_left_out(tmp_path: Path) -> None:
    one = Instance(Jobs([10], [[1]], id=[7]), Machines([[3]]))
    texts = {
        "jobs.csv": "job_id,starting_time,execution_time\nw0!7,5,10\nprobe,x,y\n8,?,?\n",
        "log.swf": "7 0 5 10 1 -1 -1 1 -1 -1 1 -1 -1 -1 -1 -1 -1 -1\n"
        "8.5 1 5 -3 1 -1 -1 1 -1 -1 1 -1 -1 -1 -1 -1 -1 -1\n",
        "log.sacct": "JobIDRaw|Submit|Start|ElapsedRaw\n7|0|5|10\n7|0|5|10\n8|0|5|abc\n9|?|?|1\n",
    }
    for name, text in texts.items():
        path = write(tmp_path, name, text)
        assert recorded_schedule(path, one, known_jobs_only=True).start_time.tolist() == [5]
