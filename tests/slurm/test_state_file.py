"""A saved state is the same when it is loaded, and no other file is taken for one."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedcore import InvalidInstanceError
from schedcore.slurm import SlurmState, read_state, when
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


@pytest.mark.parametrize(
    ("column", "values", "message"),
    [
        ("time_limit", [-5.0] * 3, r"row 0 \(job 5\): time_limit = -5.0 is not from 0 to"),
        ("time_limit", [1.0, float("nan"), 1.0], r"row 1 \(job 6\): time_limit = nan is not from 0 to"),
        ("priority", [float("inf")] * 3, "priority = inf is not from 0 to"),
        ("end_time", [1e300] * 3, "end_time: .* outside the years 1970 to 2499"),
        ("start_time", [float("nan")] * 3, "start_time = nan is not an instant"),
        ("max_nodes", [-5] * 3, "max_nodes = -5 is not from 0 to"),
        ("cpus", [2**62] * 3, "cpus = 4611686018427387904 is not from 0 to"),
        ("cpus", ["x"] * 3, "cpus = 'x' is not a whole number"),
        ("user", [1] * 3, "user = 1 is not a text"),
        ("reason", [None] * 3, "reason = None is not a text"),
        ("exclusive", ["x"] * 3, "exclusive = 'x' is not true or false"),
        ("state", ["[[1]]"] * 3, "state = '\\[\\[1\\]\\]' is no state of a job"),
        ("tres", ["[[1]]"] * 3, r"tres\[0\] = \[1\] is not a list of 2"),
        ("gres_per_node", ['[["gpu", "", -1]]'] * 3, r"gres_per_node\[0\]\[2\] = -1 is not from 0"),
        ("allocation", ['[["n1", 2, "x", []]]'] * 3, r"allocation\[0\]: memory = 'x' is not a whole number"),
        ("nodes", ["{"] * 3, "nodes = '{' is no list"),
        ("nodes", None, "column nodes is missing; the file is of another version, or altered"),
    ],
)
def test_every_field_of_a_job_is_checked_for_its_type_and_bounds(
    state: SlurmState, tmp_path: Path, column: str, values: list[Any] | None, message: str
) -> None:
    state.save(tmp_path / "now.parquet")
    table = pq.read_table(tmp_path / "now.parquet")
    index = table.schema.get_field_index(column)
    table = table.remove_column(index)
    if values is not None:
        table = table.add_column(index, column, pa.array(values))
    pq.write_table(table, tmp_path / "altered.parquet")
    with pytest.raises(InvalidInstanceError, match=f"altered.parquet is damaged: .*{message}"):
        SlurmState.load(tmp_path / "altered.parquet")


@pytest.mark.parametrize("value", [None, "x", -1, 2**70, 1.5, float("nan"), [], [[1]], {"a": 1}, True])
def test_every_field_of_a_site_is_kept_or_refused(state: SlurmState, tmp_path: Path, value: object) -> None:
    state.save(tmp_path / "now.parquet")
    table = pq.read_table(tmp_path / "now.parquet")
    metadata = table.schema.metadata[b"schedcore.slurm"]
    refused = 0
    for part in ("nodes", "partitions", "reservations"):
        for field in json.loads(metadata)[part][0]:
            content = json.loads(metadata)
            content[part][0][field] = value
            changed = table.replace_schema_metadata({b"schedcore.slurm": json.dumps(content)})
            pq.write_table(changed, tmp_path / "altered.parquet")
            try:
                read = SlurmState.load(tmp_path / "altered.parquet")
                assert len(when(read)) == 4
                assert read.not_modelled
            except InvalidInstanceError:
                refused += 1
    assert refused > 10


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
