"""A saved state is the same when it is loaded, and no other file is taken for one."""

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedcore import InvalidInstanceError
from schedcore.slurm import SlurmState, read_state
from schedcore.slurm.state_file import SavedState, read_state_file, write_state
from slurm.small_cluster import a_job, running, saved

DUMP = "Cluster - 'small'\nParent - 'root'\nAccount - 'physics':Fairshare=3:GrpTRES=cpu=4\n"
QOS = "Name|Priority|Preempt\nhigh|9|normal\nnormal|1|\n"
CONFIGURATION = """\
SelectTypeParameters=CR_Core_Memory
PriorityType=priority/multifactor
PriorityWeightFairshare=5
AccountingStorageEnforce=limits
SchedulerParameters=bf_window_linear=9
NoSuchKey=1
"""


@pytest.fixture
def state(tmp_path: Path) -> SlurmState:
    jobs = [
        running(5, "Nodes=n3 CPU_IDs=0-5 Mem=3000 GRES=gpu:a100:2(IDX:0-1)"),
        a_job(
            6, ArrayJobId="6", ArrayTaskId="1-3%2", Features="thin|fat", TimeLimit="UNLIMITED", Licenses="x"
        ),
        a_job(7, Dependency="afterok:5(unfulfilled)", TresPerNode="gres/gpu:a100:1", JobName="Ü | \" '"),
    ]
    reservation = "ReservationName=r StartTime=7000 EndTime=9000 Nodes=n1 Flags=MAINT"
    files = {
        "slurm.conf": CONFIGURATION,
        "sacctmgr": DUMP,
        "sacctmgr_qos": QOS,
        "scontrol_reservation": reservation,
    }
    return read_state(saved(tmp_path, "\n".join(jobs), **files), timezone="UTC")


def test_a_loaded_state_is_the_saved_one(state: SlurmState, tmp_path: Path) -> None:
    state.save(tmp_path / "now.parquet")
    loaded = SlurmState.load(tmp_path / "now.parquet")
    assert loaded.now == state.now
    assert loaded.jobs == state.jobs
    assert loaded.reservations == state.reservations
    assert loaded.site.site == state.site.site
    assert loaded.site.options == state.site.options
    assert loaded.site.unknown_settings == state.site.unknown_settings
    assert loaded.machines == state.machines
    assert loaded.rules == state.rules
    assert loaded.waiting.jobs == state.waiting.jobs
    assert loaded.running.jobs == state.running.jobs
    assert loaded.not_modelled == state.not_modelled
    assert loaded.not_modelled


def test_a_file_that_exists_is_kept_unless_it_may_be_replaced(state: SlurmState, tmp_path: Path) -> None:
    path = tmp_path / "now.parquet"
    path.write_text("mine")
    with pytest.raises(FileExistsError):
        state.save(path)
    assert path.read_text() == "mine"
    state.save(path, overwrite=True)
    assert SlurmState.load(path).jobs == state.jobs


def test_other_files_are_refused_by_name(state: SlurmState, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        SlurmState.load(tmp_path / "absent.parquet")
    (tmp_path / "text.parquet").write_text("no Parquet")
    with pytest.raises(InvalidInstanceError, match=r"text.parquet is not a readable Parquet file"):
        SlurmState.load(tmp_path / "text.parquet")
    pq.write_table(pa.table({"job_id": [1]}), tmp_path / "other.parquet")
    with pytest.raises(InvalidInstanceError, match=r"other.parquet holds no state of a Slurm cluster"):
        SlurmState.load(tmp_path / "other.parquet")


@pytest.mark.parametrize(
    "part", ["settings", "nodes", "partitions", "reservations", "associations", "qos", "now"]
)
@pytest.mark.parametrize("damage", [None, 3, [3], [[3]], {"x": 1}])
def test_damaged_metadata_is_refused_by_name(
    state: SlurmState, tmp_path: Path, part: str, damage: object
) -> None:
    state.save(tmp_path / "now.parquet")
    table = pq.read_table(tmp_path / "now.parquet")
    content = json.loads(table.schema.metadata[b"schedcore.slurm"])
    if part == "now" and damage == 3:
        damage = "soon"
    content[part] = damage
    damaged = table.replace_schema_metadata({b"schedcore.slurm": json.dumps(content)})
    pq.write_table(damaged, tmp_path / "damaged.parquet")
    with pytest.raises(InvalidInstanceError, match=r"damaged.parquet is damaged"):
        SlurmState.load(tmp_path / "damaged.parquet")


def test_a_state_that_contradicts_itself_is_refused_from_a_file_too(
    state: SlurmState, tmp_path: Path
) -> None:
    state.save(tmp_path / "now.parquet")
    table = pq.read_table(tmp_path / "now.parquet")
    content = json.loads(table.schema.metadata[b"schedcore.slurm"])
    content["nodes"] = content["nodes"][:2]
    content["partitions"][0]["nodes"] = ["n1", "n2"]
    damaged = table.replace_schema_metadata({b"schedcore.slurm": json.dumps(content)})
    pq.write_table(damaged, tmp_path / "damaged.parquet")
    with pytest.raises(InvalidInstanceError, match="job 5 is RUNNING on node n3, which does not exist"):
        SlurmState.load(tmp_path / "damaged.parquet")


@given(
    name=st.text(st.characters(exclude_categories=("Cs",)), max_size=20),
    priority=st.none() | st.floats(0, 2**53),
    limit=st.none() | st.just(float("inf")) | st.floats(0, 1e9),
    tasks=st.lists(st.integers(0, 10**6), max_size=4).map(tuple),
)
def test_every_field_of_a_job_is_kept(
    tmp_path_factory: pytest.TempPathFactory,
    name: str,
    priority: float | None,
    limit: float | None,
    tasks: tuple[int, ...],
) -> None:
    from schedcore.slurm import NodeShare, SlurmJob
    from schedcore.slurm.configuration import Configuration
    from schedcore.slurm.parts_of_site import SiteParts

    job = SlurmJob(
        job_id=3, state="PENDING", name=name, priority=priority, time_limit=limit, array_tasks=tasks, array_job_id=3,
        allocation=(NodeShare("n1", 2, 3, (("gpu", "a", 1),)),), tres=(("cpu", 2),), exclusive=True,
        required_nodes=("n1",), gres_per_job=(("gpu", "", 2),), nice=-3, restarts=2, requeue=False,
    )  # fmt: skip
    path = tmp_path_factory.mktemp("states") / "now.parquet"
    write_state(SavedState(1.5, SiteParts(Configuration({}), (), ()), [job], ()), path, overwrite=False)
    read = read_state_file(path)
    assert read.jobs == (job,)
    assert read.now == 1.5


@pytest.mark.parametrize(
    ("column", "row", "value", "message"),
    [
        ("time_limit", 1, -5.0, "row 1: time_limit = -5.0 must be at least 0"),
        ("time_limit", 0, float("nan"), "row 0: time_limit = nan must be at least 0"),
        ("max_nodes", 1, 0, "row 1: max_nodes = 0 must be at least 1"),
        ("cpus", 0, -5, "row 0: cpus = -5 must be at least 0"),
        ("partition", 2, None, "row 2: partition is missing"),
        ("requeue", 0, None, "row 0: requeue is missing"),
        ("memory_per_node", 0, -1.0, "row 0: memory_per_node = -1.0 must be at least 0"),
    ],
)
def test_altered_rows_are_refused(
    state: SlurmState, tmp_path: Path, column: str, row: int, value: object, message: str
) -> None:
    state.save(tmp_path / "now.parquet")
    table = pq.read_table(tmp_path / "now.parquet")
    values = table[column].to_pylist()
    values[row] = value
    index = table.column_names.index(column)
    pq.write_table(
        table.set_column(index, table.schema.field(index), pa.array(values, table.schema.field(index).type)),
        tmp_path / "altered.parquet",
    )
    with pytest.raises(InvalidInstanceError, match=message):
        SlurmState.load(tmp_path / "altered.parquet")
    pq.write_table(table.drop_columns([column]), tmp_path / "altered.parquet")
    with pytest.raises(InvalidInstanceError, match=f"there is no column {column}"):
        SlurmState.load(tmp_path / "altered.parquet")
    other = table.set_column(index, column, pa.array([[1]] * len(values)))
    pq.write_table(other, tmp_path / "altered.parquet")
    with pytest.raises(InvalidInstanceError, match=f"column {column} is list"):
        SlurmState.load(tmp_path / "altered.parquet")


@pytest.mark.parametrize(
    ("part", "field", "value", "message"),
    [
        ("nodes", "cpus", "8", "SlurmNode: cpus = '8' has another type"),
        ("nodes", "cpus", -8, "SlurmNode: cpus = -8 must be at least 0"),
        ("nodes", "features", "thin", "SlurmNode: features = 'thin' has another type"),
        ("nodes", "memory", True, "SlurmNode: memory = True has another type"),
        ("partitions", "tier", None, "SlurmPartition: tier = None has another type"),
        ("reservations", "start_time", "soon", "SlurmReservation: start_time = 'soon' has another type"),
    ],
)
def test_altered_parts_of_the_site_are_refused(
    state: SlurmState, tmp_path: Path, part: str, field: str, value: object, message: str
) -> None:
    state.save(tmp_path / "now.parquet")
    table = pq.read_table(tmp_path / "now.parquet")
    content = json.loads(table.schema.metadata[b"schedcore.slurm"])
    content[part][0][field] = value
    altered = table.replace_schema_metadata({b"schedcore.slurm": json.dumps(content)})
    pq.write_table(altered, tmp_path / "altered.parquet")
    with pytest.raises(InvalidInstanceError, match=message):
        SlurmState.load(tmp_path / "altered.parquet")
