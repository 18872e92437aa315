"""``convert`` writes for other programs, ``validate`` checks what they decided."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import schedcore
from schedcore.workloads import SACCT_COMMAND, read_swf, read_swf_table

ACCOUNTING = """\
JobIDRaw|Submit|Start|End|ElapsedRaw|TimelimitRaw|State|ReqCPUS|NNodes|ReqMem
1|1000|1000|1100|100|5|COMPLETED|1|1|1Mc
2|1010|1100|1150|50|5|FAILED|2|1|4Mn
2.batch|1010|1100|1150|50||FAILED|2|1|
3|1020|1150|1180|30|1|TIMEOUT|4|1|1M
4|1021|Unknown|Unknown|0|5|PENDING|4|1|1M
"""

SYSTEM = ("--machines", "1x4,4MB")  # which no accounting says


@pytest.fixture
def accounting(tmp_path: Path) -> Path:
    path = tmp_path / "slurm.sacct"
    path.write_text(ACCOUNTING)
    return path


def test_every_command_reads_an_accounting_of_slurm(cli: Callable[..., Any], accounting: Path) -> None:
    outcome = cli("compare", accounting, *SYSTEM, "-p", "one_after_another", "-f", "csv")
    assert outcome.exit_code == 0, outcome.stderr
    assert outcome.rows[0]["n_jobs"] == "3"
    assert "dropped 1 job_step" in outcome.stderr
    assert "dropped 1 unfinished" in outcome.stderr


def test_the_help_tells_how_to_make_a_log_of_a_slurm_cluster(cli: Callable[..., Any]) -> None:
    text = cli("convert", "--help").stdout
    for line in SACCT_COMMAND.splitlines():
        assert line in text


@pytest.mark.parametrize("suffix", [".swf", ".swf.gz", ".csv"])
def test_a_schedule_goes_through_every_format_and_back(
    cli: Callable[..., Any], tmp_path: Path, accounting: Path, suffix: str
) -> None:
    plan, exchanged = tmp_path / "plan.parquet", tmp_path / f"exchanged{suffix}"
    assert cli("run", "one_after_another", accounting, *SYSTEM, "-o", plan).exit_code == 0
    outcome = cli("convert", accounting, *SYSTEM, "--schedule", plan, "-o", exchanged)
    assert outcome.exit_code == 0, outcome.stderr
    checked = cli("validate", accounting, exchanged, *SYSTEM)
    message, _, *_, row = checked.stdout.splitlines()
    assert (checked.exit_code, message) == (0, "the schedule is feasible")
    assert row.split()[-1] == "feasible"
    # And from there into another format.
    other = tmp_path / "other.csv"
    assert cli("convert", accounting, *SYSTEM, "--schedule", exchanged, "-o", other).exit_code == 0
    assert cli("validate", accounting, other, *SYSTEM).exit_code == 0


def test_a_log_becomes_swf_with_all_its_jobs(
    cli: Callable[..., Any], tmp_path: Path, accounting: Path
) -> None:
    path = tmp_path / "log.swf"
    assert cli("convert", accounting, *SYSTEM, "-o", path).exit_code == 0
    jobs = read_swf(path)[0].jobs
    assert jobs.id.tolist() == [1, 2, 3]
    assert jobs.demand.tolist() == [[1, 1024], [2, 4096], [4, 1024]]
    assert jobs.estimated_processing_time.tolist() == [300, 300, 60]
    assert read_swf_table(path)[1]["wait_time"].tolist() == [-1, -1, -1]


def test_a_log_is_checked_against_its_own_starts(cli: Callable[..., Any], accounting: Path) -> None:
    assert cli("validate", accounting, accounting, *SYSTEM).exit_code == 0
    capacities = ("--read", "processors=4", "--memory-capacity", 4096)
    outcome = cli("validate", accounting, accounting, *capacities)
    message, _, *_, row = outcome.stdout.splitlines()
    assert (outcome.exit_code, message) == (0, "the schedule is feasible")
    assert row.split()[-1] == "feasible"
    accounting.write_text(ACCOUNTING.replace("2|1010|1100", "2|1010|1020").replace("1150|1180", "1030|1060"))
    outcome = cli("validate", accounting, accounting, *SYSTEM, "-f", "json")
    assert outcome.exit_code == 1
    assert json.loads(outcome.stdout)["kind"] == "capacity_exceeded"


def test_a_schedule_of_sacct_counts_from_the_releases_of_the_workload(
    cli: Callable[..., Any], tmp_path: Path
) -> None:
    log, other, out = tmp_path / "h2.sacct", tmp_path / "h2.parquet", tmp_path / "h2.csv"
    log.write_text(
        "JobIDRaw|Submit|Eligible|Start|ElapsedRaw|State|ReqCPUS\n"
        "1|1000|1100|1150|50|COMPLETED|1\n2|1005|1105|1155|50|COMPLETED|1\n"
    )

    def starts(workload: Path, *words: str) -> list[float]:
        outcome = cli(
            "convert", workload, "-o", out, "--schedule", log, "--machines", "1x4", "--force", *words
        )
        assert outcome.exit_code == 0, outcome.stderr
        rows = [line.split(",") for line in out.read_text().splitlines()]
        return [float(row[rows[0].index("starting_time")]) for row in rows[1:]]

    for words, expected in (
        ((), [50, 55]),
        (("--read", "release=eligible"), [50, 55]),
        (("--read", "release=submit"), [150, 155]),
    ):
        assert starts(log, *words) == expected
        assert cli("validate", log, log, "--machines", "1x4", *words).exit_code == 0
        if words:  # a workload of which nobody knows from which clock its releases are
            cli("convert", log, "-o", other, "--machines", "1x4", "--force", *words)
            assert starts(other, *words) == expected
    outcome = cli("validate", other, log)
    assert outcome.exit_code == 2
    assert "say which it is, --read release=eligible or --read release=submit" in outcome.stderr
    assert cli("validate", other, log, "--read", "release=submit").exit_code == 0
    outcome = cli("validate", other, log, "--read", "release=later")
    assert (outcome.exit_code, "unknown --read release 'later'" in outcome.stderr) == (2, True)
    outcome = cli("validate", other, out, "--read", "release=submit")
    assert (outcome.exit_code, "without options" in outcome.stderr) == (2, True)


def test_jobs_are_released_when_eligible_or_as_asked(cli: Callable[..., Any], tmp_path: Path) -> None:
    log = tmp_path / "eligible.sacct"
    log.write_text(
        "JobIDRaw|JobID|Submit|Eligible|Start|ElapsedRaw|State|ReqCPUS|Reason\n"
        "1|1+0|1000|1000|1000|50|COMPLETED|1|None\n2|1+1|1000|1300|1400|50|COMPLETED|1|Dependency\n"
    )
    for words, released in (((), [0, 300]), (("--read", "release=submit"), [0, 0])):
        words = (*words, "--machines", "1x1")
        outcome = cli("convert", log, *words, "-o", tmp_path / "x.parquet", "--force")
        assert outcome.exit_code == 0
        assert "not modelled: 1 dependency" in outcome.stderr
        assert "not modelled: 2 het_component" in outcome.stderr
        inst = schedcore.Instance.from_parquet(tmp_path / "x.parquet")
        assert inst.jobs.release_time.tolist() == released
        assert cli("validate", log, log, *words).exit_code == 0


def test_jobs_that_the_reader_left_out_are_named_unless_told(
    cli: Callable[..., Any], accounting: Path
) -> None:
    words = ("validate", accounting, accounting, "--machines", "1x2,1GB", "--allow-loss")
    outcome = cli(*words)
    assert outcome.exit_code == 2
    assert "a row for job id, which the instance does not have: 3 (1 such)" in outcome.stderr
    assert cli(*words, "--known-jobs-only").exit_code == 0


def test_known_jobs_only_holds_for_schedules_of_run(
    cli: Callable[..., Any], tmp_path: Path, accounting: Path
) -> None:
    plan = tmp_path / "plan.csv"
    plan.write_text("id,start_time,machine\n3,500,0\n1,0,0\n2,100,0\n77,0,0\n")
    outcome = cli("validate", accounting, plan, *SYSTEM)
    assert outcome.exit_code == 2
    assert "77 (1 such)" in outcome.stderr
    assert cli("validate", accounting, plan, *SYSTEM, "--known-jobs-only").exit_code == 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("-o", "x.csv"), "needs --schedule"),
        (("-o", "x.xlsx"), "must end in .parquet or .swf or .swf.gz or .csv"),
        (("-o", "x.parquet", "--schedule", "plan.csv"), "an instance has no schedule"),
        (("-o", "x.swf", "--schedule", "absent.csv", *SYSTEM), "absent.csv"),
        (
            ("-o", "x.swf", "--read", "gpus=true", "-m", "1x4,4MB,1"),
            "not for the resources processors, memory, gpus",
        ),
    ],
)
def test_a_senseless_conversion_ends_with_2_and_writes_nothing(
    cli: Callable[..., Any],
    tmp_path: Path,
    accounting: Path,
    monkeypatch: pytest.MonkeyPatch,
    words: tuple[str, ...],
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    outcome = cli("convert", accounting, *words)
    assert outcome.exit_code == 2
    assert message in outcome.stderr
    assert [path.name for path in tmp_path.iterdir()] == [accounting.name]


def test_units_that_swf_does_not_have_are_refused(cli: Callable[..., Any], tmp_path: Path, log: Path) -> None:
    log.write_text("1 0 0 100 1 90 512 1 200 1024 1 1 1 1 1 1 -1 -1\n")
    measured = ("--read", "mode=used", "--machines", "1x1,1MB")
    used, plan = tmp_path / "used.parquet", tmp_path / "plan.csv"
    assert cli("convert", log, *measured, "-o", used).exit_code == 0
    assert cli("run", "one_after_another", used, "-o", plan).exit_code == 0
    for words in (
        (log, *measured, "-o", tmp_path / "x.swf"),
        (used, "-o", tmp_path / "x.swf"),  # the units are kept in Parquet
        (used, "--schedule", plan, "-o", tmp_path / "x.csv"),
    ):
        outcome = cli("convert", *words)
        assert outcome.exit_code == 2
        assert "processors counts in thousandths of a processor, the format in processors" in outcome.stderr
    assert not list(tmp_path.glob("x.*"))


@pytest.mark.parametrize(
    ("workload", "note"),
    [
        ("lublin_k:seed=1,n_jobs=9,mean_gap=60,n_resources=2", "resource_1 counts in 1/1,000,000 machine"),
        ("half_plus:n_jobs=5,n_machines=2", "time counts in tick, which the format calls s"),
    ],
)
def test_generated_jobs_become_a_log_in_units_of_their_own(
    cli: Callable[..., Any], tmp_path: Path, workload: str, note: str
) -> None:
    assert cli("generate", workload, "-o", tmp_path / "generated.parquet").exit_code == 0
    assert cli("convert", workload, "-o", tmp_path / "converted.parquet").exit_code == 0
    for source in (workload, tmp_path / "generated.parquet", tmp_path / "converted.parquet"):
        outcome = cli("convert", source, "-o", tmp_path / "x.swf", "--force")
        assert outcome.exit_code == 0
        assert note in outcome.stderr


def test_an_instance_of_unknown_units_counts_processors_and_kilobytes(
    cli: Callable[..., Any], tmp_path: Path
) -> None:
    instance = schedcore.Instance(schedcore.Jobs([1], [[2, 6]]), schedcore.Machines([[4, 8]]))
    instance.to_parquet(tmp_path / "instance.parquet")
    assert cli("convert", tmp_path / "instance.parquet", "-o", tmp_path / "x.swf").exit_code == 0
    assert read_swf(tmp_path / "x.swf")[0].jobs.demand.tolist() == [[2, 6]]


JOBS = """\
job_id,submission_time,starting_time,execution_time,allocated_resources
1,0,0,100,0
2,10,100,50,{second}
3,20,120,30,{third}
"""


@pytest.mark.parametrize(
    ("second", "third", "code", "message"),
    [
        ("0-1", "2-5", 0, "the schedule is feasible"),
        ("1 0", "2-3 4 5", 0, "the schedule is feasible"),
        (
            "0-1",
            "1-4",
            1,
            "job 2 (id 3) starts at 120.0 on machine 0: it holds processor 1, which job 1 (id 2)",
        ),
        ("0-1", "2-4", 1, "holds 3 processors and demands 4"),
        ("0-1", "2-4 4", 1, "holds processor 4 twice"),
        ("0-1", "5-8", 1, "holds processors beyond number 7, the last of the machines"),
    ],
)
def test_the_processors_that_batsim_names_are_checked_one_by_one(
    cli: Callable[..., Any], tmp_path: Path, log: Path, second: str, third: str, code: int, message: str
) -> None:
    path = tmp_path / "jobs.csv"
    path.write_text(JOBS.format(second=second, third=third))
    outcome = cli("validate", log, path, "--read", "n_resources=1", "--read", "processors=8")
    assert (outcome.exit_code, outcome.stderr.count("Traceback")) == (code, 0)
    assert message in outcome.stdout
    # Too many jobs at a time are told as that, whatever processors they name.
    outcome = cli("validate", log, path, "--read", "n_resources=1", "--read", "processors=5", "-f", "json")
    assert json.loads(outcome.stdout)["kind"] == "capacity_exceeded"


def test_processors_are_not_counted_where_the_workload_counts_something_else(
    cli: Callable[..., Any], tmp_path: Path, log: Path
) -> None:
    log.write_text("; MaxProcs: 4\n1 0 0 100 1 90 512 1 200 1024 1 1 1 1 1 1 -1 -1\n")
    path = tmp_path / "jobs.csv"
    path.write_text("job_id,starting_time,allocated_resources\n1,0,0\n")
    assert cli("validate", log, path, "--read", "mode=used", "--memory-capacity", 512).exit_code == 0


def test_output_in_another_format_is_kept_without_force(
    cli: Callable[..., Any], tmp_path: Path, accounting: Path
) -> None:
    path = tmp_path / "precious.swf.gz"
    path.write_text("precious")
    assert cli("convert", accounting, "-o", path).exit_code == 2
    assert path.read_text() == "precious"
    assert cli("convert", accounting, *SYSTEM, "-o", path, "--force").exit_code == 0
    assert schedcore.workloads.load(path)[0].n_jobs == 3
