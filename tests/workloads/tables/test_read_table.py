"""A table with whatever columns becomes the jobs that it describes, and says how each column was read."""

import gzip
from pathlib import Path

import pytest

from schedcore import InvalidInstanceError, Machines, solve, validate
from schedcore.workloads import load, read_table
from schedcore.workloads.reading.needed_choice import ChoiceNeededError

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

MADE_BY_HAND = """\
job_id,created_at,started_at,secs,vcpu,n_gpu,mem_mb,owner,queue,note
7,2026-05-01T00:00:00,2026-05-01T00:01:00,3600,4,1,2048,ann,short,a
8,2026-05-01T00:10:00,2026-05-01T00:11:00,60,2,,1024,bob,long,b
9,2026-05-01T00:20:00,,,2,0,512,ann,short,
10,2026-05-01T00:20:00,2026-05-01T01:20:00,90.5,1,0,100,ann,short,
"""


def write(folder: Path, text: str, name: str = "jobs.csv") -> Path:
    path = folder / name
    path.write_text(text)
    return path


def test_a_table_made_by_hand(tmp_path: Path) -> None:
    instance, report = read_table(write(tmp_path, MADE_BY_HAND))
    jobs = instance.jobs
    assert instance.machines.resource_names == ("cores", "memory", "gpus")
    assert jobs.demand.tolist() == [[4, 2048, 1], [2, 1024, 0], [1, 100, 0]]
    assert jobs.release_time.tolist() == [0, 600, 1200]
    assert jobs.processing_time.tolist() == [3600, 60, 91]
    assert jobs.id.tolist() == [7, 8, 10]
    assert jobs.user.tolist() == ["ann", "bob", "ann"]
    assert jobs.partition.tolist() == ["short", "long", "short"]
    assert report.dropped == {"never_started": 1}
    assert report.lines["never_started"] == (4,)
    assert report.repaired == {"empty_amount": 1, "fractional_time": 1, "missing_estimate": 3}
    assert report.units == {"time": "s", "cores": "processors", "memory": "MB", "gpus": "GPUs"}
    assert report.origin == "2026-05-01T00:00:00"
    for sentence in (
        "submit is column created_at: ISO dates without a time zone",
        "runtime is column secs: seconds, by its name",
        "memory is column mem_mb: in MB, by its name",
        "not used: note",
        "time 0 is 2026-05-01T00:00:00",
    ):
        assert sentence in report.assumptions


def test_capacities_that_nobody_gave_are_a_guess_that_stops_a_command(tmp_path: Path) -> None:
    path = write(tmp_path, MADE_BY_HAND)
    # The job of 4 cores runs until 01:01, so that of 2, from 00:11 to 00:12, is beside it.
    assert "up to 6 cores, 3,072 MB of memory and 1 GPU were in use" in read_table(path)[1].stops["capacity"]
    instance, report = read_table(path, "2x8,16GB,2")
    assert not report.stops
    assert instance.machines.capacity.tolist() == [[8, 16_384, 2]] * 2
    assert instance.jobs.n_tasks.tolist() == [1, 2, 1]  # processors and GPUs divide evenly
    assert read_table(path, "2x8,16GB,2", tasks="whole")[0].jobs.n_tasks.tolist() == [1, 1, 1]
    assert read_table(path, Machines([[4, 4096, 1]], ["cores", "memory", "gpus"]))[0].n_machines == 1


def test_the_same_rows_between_semicolons_tabs_and_in_parquet_are_the_same_jobs(tmp_path: Path) -> None:
    csv = pytest.importorskip("pyarrow.csv")
    expected, _ = read_table(write(tmp_path, MADE_BY_HAND))
    for delimiter, name in ((";", "jobs.csv"), ("\t", "jobs.tsv")):
        text = MADE_BY_HAND.replace(",", delimiter)
        assert load(write(tmp_path, text, name))[0] == expected
        assert load(write(tmp_path, text.replace("90.5", "90,5"), name))[0] == expected
    packed = tmp_path / "jobs.csv.gz"
    packed.write_bytes(gzip.compress(MADE_BY_HAND.encode()))
    assert load(packed)[0] == expected
    table = csv.read_csv(write(tmp_path, MADE_BY_HAND))  # with timestamps, integers and floats
    pq.write_table(table, tmp_path / "jobs.parquet")
    instance, report = load(tmp_path / "jobs.parquet")
    assert instance == expected
    assert report.line_word == "row"
    assert report.lines["never_started"] == (3,)


def test_tables_as_programs_write_them(tmp_path: Path) -> None:
    expected, _ = read_table(write(tmp_path, MADE_BY_HAND))
    with_index = "\r\n".join(
        f"{place},{row}" if place else f",{row}" for place, row in enumerate(MADE_BY_HAND.split())
    )
    assert (
        read_table(write(tmp_path, "\ufeff" + with_index.replace("started_at", '"started_at"')))[0]
        == expected
    )
    trailing = MADE_BY_HAND.replace("\n", ",\n") + "\n\n"
    assert read_table(write(tmp_path, trailing))[0] == expected


@pytest.mark.parametrize(
    ("header", "rows", "processing_time"),
    [
        ("start,end,cpus", ["2026-05-01T00:00,2026-05-01T01:00,1"], [3600]),
        ("submit,start,end,cpus", ["0,10,20,1", "5,10,40,2"], [10, 30]),
        ("submit,wait,end,cpus", ["0,10,20,1"], [10]),
        ("end,runtime,cpus", ["100,60,1"], [60]),
        ("runtime,cpus", ["01:00:00,1", "90m,2"], [3600, 5400]),
        ("submit,start,end,runtime,cpus", ["0,10,20,,1", "0,10,30,15,1"], [10, 15]),
        ("submit_ms,duration_min,cores", ["1777593600000,1.5,1"], [90]),
    ],
)
def test_run_times_come_from_whichever_columns_say_them(
    tmp_path: Path, header: str, rows: list[str], processing_time: list[float]
) -> None:
    instance, _ = read_table(write(tmp_path, "\n".join((header, *rows)) + "\n"))
    assert instance.jobs.processing_time.tolist() == processing_time


def test_jobs_released_when_they_started_have_no_recorded_wait(tmp_path: Path) -> None:
    told, _ = read_table(write(tmp_path, "submit,start,runtime,cpus\n0,5,60,1\n"))
    assert told.jobs.recorded_start_time.tolist() == [5]
    unknown, report = read_table(write(tmp_path, "start,runtime,cpus\n0,60,1\n5,60,1\n"))
    assert unknown.jobs.release_time.tolist() == [0, 5]
    assert not unknown.jobs.uses("recorded_start_time")
    assert any("each is released when it started" in sentence for sentence in report.assumptions)


def test_amounts_for_each_task_node_or_processor(tmp_path: Path) -> None:
    text = "submit,runtime,nodes,cpus_per_node,mem_per_cpu_gb,gpus_per_node\n0,60,2,8,4,2\n0,60,1,4,1,0\n"
    instance, report = read_table(write(tmp_path, text))
    assert instance.jobs.demand.tolist() == [[16, 65_536, 4], [4, 4096, 0]]
    assert "memory of a job is that of a cpu, times its cpus" in report.assumptions
    on_nodes, _ = read_table(write(tmp_path, text), "4x16,64GB,4")
    assert on_nodes.jobs.n_tasks.tolist() == [2, 1]
    assert on_nodes.jobs.demand.tolist() == [[8, 32_768, 2], [4, 4096, 0]]
    with pytest.raises(
        InvalidInstanceError, match="for each node, and no column says how many nodes a job has; name"
    ):
        read_table(write(tmp_path, "submit,runtime,cpus_per_node\n0,60,2\n"))


def test_further_resources_and_parts_of_one(tmp_path: Path) -> None:
    text = "submit,runtime,cpu,scratch_gb,licences,power\n0,60,500m,10,1,0.5\n0,60,2,,3,\n"
    words = "resource:licences=licences,resource:watts=power,resource:swap=scratch_gb,disk="
    instance, report = read_table(write(tmp_path, text), columns=words)
    assert instance.machines.resource_names == ("cores", "licences", "watts", "swap")
    assert instance.jobs.demand.tolist() == [[500, 1, 500, 10_240], [2000, 3, 0, 0]]
    assert report.units["watts"] == "1/1000 unit"
    disk, _ = read_table(write(tmp_path, text))
    assert disk.machines.resource_names == ("cores", "disk")


def test_a_column_named_as_schedcore_names_it_does_not_make_an_instance(tmp_path: Path) -> None:
    path = tmp_path / "jobs.parquet"
    pq.write_table(pa.table({"release_time": [0, 5], "processing_time": [60, 90], "cores": [1, 2]}), path)
    instance, _ = load(path, machines="1x4")
    assert instance == read_table(path, machines="1x4")[0]


def test_parts_of_nodes_and_hardly_anything_are_counted_up(tmp_path: Path) -> None:
    path = write(tmp_path, "submit,runtime,cpus,nodes\n0,60,8,1.5\n0,60,0.0000001,1\n")
    instance, _ = read_table(path, "4x16")
    assert instance.jobs.n_tasks.tolist() == [2, 1]
    assert instance.jobs.demand.tolist() == [[4000], [1]]
    with pytest.raises(InvalidInstanceError, match="resource:cores is a second resource called cores"):
        read_table(path, columns="resource:cores=nodes")


def test_memory_is_rounded_up_where_it_is_no_whole_number_of_kilobytes(tmp_path: Path) -> None:
    text = "submit,runtime,memory\n0,60,1025B\n0,60,1MB\n"
    instance, report = read_table(write(tmp_path, text))
    assert instance.jobs.demand.tolist() == [[2], [1024]]
    assert "memory is rounded up to whole KB" in report.assumptions


def test_estimates_priorities_weights_and_starts_are_kept(tmp_path: Path) -> None:
    text = "submit,start,runtime,walltime,cpus,priority,weight\n0,5,60,01:00:00,1,7,2.5\n10,20,60,30s,1,,\n"
    instance, report = read_table(write(tmp_path, text))
    assert instance.jobs.estimated_processing_time.tolist() == [3600, 60]
    assert instance.jobs.priority.tolist() == [7, 0]
    assert instance.jobs.weight.tolist() == [2.5, 1]
    assert report.repaired["estimate_raised"] == 1
    assert instance.jobs.recorded_start_time.tolist() == [5, 20]
    assert "all weights are 1" not in report.assumptions


def test_ids_that_are_texts_are_not_refused(tmp_path: Path) -> None:
    instance, report = read_table(write(tmp_path, "id,submit,runtime,cpus\n12_3,0,60,1\n12+0,0,0,1\n"))
    assert instance.jobs.id.tolist() == [0, 1]
    assert any("such as 12_3" in sentence for sentence in report.assumptions)
    assert instance.jobs.name.tolist() == ["12_3", "12+0"]
    assert "id" not in report.repaired
    mixed, _ = read_table(write(tmp_path, "id,submit,runtime,cpus\n12,0,60,1\n1,0,60,1\n12_3,0,9,1\n"))
    assert [mixed.jobs.called(job) for job in range(3)] == ["12", 1, "12_3"]  # the id of the second is 1


def test_a_guessed_column_in_which_nothing_can_be_read_is_left_out(tmp_path: Path) -> None:
    text = "submit,runtime,cpus,priority,nodes\n0,60,1,high,n[1-4]\n0,60,1,low,n7\n"
    instance, report = read_table(write(tmp_path, text))
    assert instance.n_jobs == 2
    assert "column priority is not read as priority: 'high' is none" in report.assumptions
    with pytest.raises(
        InvalidInstanceError, match=r"priority is column priority, but 'high' \(line 2\) cannot be read"
    ):
        read_table(write(tmp_path, text), columns="priority=priority")


def test_rows_that_are_no_jobs_are_counted_with_their_work(tmp_path: Path) -> None:
    # Work 100 * 1 of the first, 100 * 1 and more of those that are dropped.
    text = "submit,runtime,cpus\n0,100,1\n0,100,\n0,,1\n,100,1\n0,100,0\n"
    _, report = read_table(write(tmp_path, text))
    assert report.n_jobs == 1
    assert report.dropped == {"unknown_demand": 1, "no_runtime": 1, "no_submit": 1, "no_demand": 1}
    assert report.lines == {
        **report.lines, "unknown_demand": (3,), "no_runtime": (4,), "no_submit": (5,), "no_demand": (6,)
    }  # fmt: skip
    assert report.dropped_work["no_submit"] == {"cores": 0.5}
    assert report.stops["loss"]
    assert report.unknown_work == {"unknown_demand": 1, "no_runtime": 1}


def test_a_schedule_of_a_table_is_feasible(tmp_path: Path) -> None:
    instance, _ = read_table(write(tmp_path, MADE_BY_HAND), "1x8,16GB,2")
    assert validate(instance, solve("easy", instance).schedule)


@pytest.mark.parametrize(
    ("memory", "gigabytes"),
    [((64, 8), None), ((4096, 100), None), ((2048,), None), ((16, 4), 1), ((64_000, 8), 1 / 1024)],
)
def test_memory_without_a_unit_is_guessed_only_where_its_size_tells(
    tmp_path: Path, memory: tuple[int, ...], gigabytes: float | None
) -> None:
    path = write(
        tmp_path, "submit,runtime,cpus,memory\n" + "".join(f"0,60,1,{amount}\n" for amount in memory)
    )
    if gigabytes is None:
        with pytest.raises(ChoiceNeededError, match="its numbers may be MB or GB") as refused:
            read_table(path)
        in_mb, in_gb = (read_table(path, columns=str(words))[0] for _, words in refused.value.choices)
        assert in_gb.jobs.demand[:, 1].tolist() == [1024 * amount for amount in memory]
        assert in_mb.jobs.demand[:, 1].tolist() == list(memory)
    else:
        instance, report = read_table(path)
        assert instance.jobs.demand[:, 1].tolist() == [1024 * gigabytes * amount for amount in memory]
        assert any("by the size of the numbers" in sentence for sentence in report.assumptions)


def test_memory_of_each_processor_stays_that_where_its_unit_is_chosen(tmp_path: Path) -> None:
    path = write(tmp_path, "submit,runtime,cpus,mem_per_cpu\n0,60,2,64\n")
    with pytest.raises(ChoiceNeededError) as refused:
        read_table(path)
    assert [words for _, words in refused.value.choices] == [
        "memory=mem_per_cpu:MB/cpu",
        "memory=mem_per_cpu:GB/cpu",
    ]


@pytest.mark.parametrize(
    ("cells", "runtimes"),
    [
        (("1.000", "12.500"), None),
        (("1.000.000", "5"), None),
        (("1.000", "0.500"), [1, 1]),
        (("1.000", "1500"), [1, 1500]),
        (("1.5", "2.250"), [2, 3]),
        (("1,000", "12,500"), [1, 13]),
    ],
)
def test_points_between_semicolons_may_be_those_of_thousands(
    tmp_path: Path, cells: tuple[str, ...], runtimes: list[int] | None
) -> None:
    path = write(tmp_path, "submit;runtime;cpus\n" + "".join(f"0;{cell};1\n" for cell in cells))
    if runtimes is None:
        with pytest.raises(
            InvalidInstanceError, match="is a number of thousands, or one with three decimals"
        ):
            read_table(path)
    else:
        assert read_table(path)[0].jobs.processing_time.tolist() == runtimes
        assert read_table(write(tmp_path, path.read_text().replace(";", "\t"), "jobs.tsv"))[0].n_jobs == 2


@pytest.mark.parametrize("cells", [("1", "0"), ("true", "False"), ("1", "")])
def test_a_flag_is_no_point_in_time(tmp_path: Path, cells: tuple[str, str]) -> None:
    rows = "".join(f"5,60,1,{cell}\n" for cell in cells)
    instance, report = read_table(write(tmp_path, f"submit,runtime,cpus,completed\n{rows}"))
    assert instance.n_jobs == 2
    assert (
        "column completed is not read as end: its cells are only 0, 1, true and false" in report.assumptions
    )
    path = write(tmp_path, f"submit,start,cpus,completed\n{rows}")
    with pytest.raises(
        InvalidInstanceError, match=r"no column says how long .*; column completed is not read as end"
    ):
        read_table(path)
    assert (
        read_table(write(tmp_path, "submit,start,end,cpus\n0,0,1,1\n"), columns="start=start,end=end")[
            0
        ].n_jobs
        == 1
    )


def test_columns_of_a_table_in_parquet_may_be_called_demands(tmp_path: Path) -> None:
    path = tmp_path / "jobs.parquet"
    pq.write_table(pa.table({"submit": [0, 5], "runtime": [60, 90], "demand_cpus": [1, 2]}), path)
    instance, _ = load(path, machines="1x4", columns="cpus=demand_cpus")
    assert instance.jobs.demand.tolist() == [[1], [2]]
