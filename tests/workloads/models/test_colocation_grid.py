"""Samples of tasks, the stand-in, and the instances drawn from them: equal to the definition, and reproducible."""

import math
import pickle
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference import colocation_grid as reference
from reference.generators import SplitMix64
from schedcore import ColocationInstance, InvalidInstanceError, _core
from schedcore.workloads import (
    COLOCATION_CLASSES,
    GridCell,
    TaskSample,
    colocation_grid,
    colocation_tasks,
    generate_from_text,
    grid_cells,
    grid_instance,
    load,
    reader_options,
    standin_tasks,
    task_type,
    uniform,
)
from schedcore.workloads.models.colocation_grid import GRID_REPETITIONS, grid_seed
from schedcore.workloads.reading.instance_file import write_instance

STANDIN = standin_tasks()


def test_the_stream_and_the_seed_are_those_of_the_definition() -> None:
    random = SplitMix64(1)
    assert [random.next(), random.next()] == [10451216379200822465, 13757245211066428519]
    assert grid_seed(0, 2, 10, 2, 0) == grid_seed("compatible", 2, 10, 2, 0) == 8904097439344731340
    assert grid_seed(3, 4, 5000, 100, 29) == reference.seed_of(3, 4, 5000, 100, 29)


def test_the_standin_has_the_published_figures() -> None:
    size, ratio = STANDIN
    assert (len(size), int(size.sum()), int(size.max())) == (5490, 100231, 100)
    assert np.bincount(task_type(ratio, 4)).tolist() == [558, 2201, 2137, 594]
    assert (STANDIN.n_records, STANDIN.n_dropped, STANDIN.dropped_share()) == (10_000, 4510, 0.451)
    assert STANDIN.type_shares(4) == (558 / 5490, 2201 / 5490, 2137 / 5490, 594 / 5490)


@pytest.mark.parametrize("seed", [57, 1])
def test_the_standin_equals_its_definition_record_by_record(seed: int) -> None:
    cpu, memory = reference.usage_records(seed, 10_000)
    size, ratio = reference.tasks_of_records(cpu, memory)
    sample = standin_tasks(seed)
    assert sample.size.tolist() == size
    np.testing.assert_allclose(
        sample.ratio, ratio, rtol=1e-12
    )  # powers differ in the last bits between libraries
    for n_types in (2, 3, 4):
        assert task_type(sample.ratio, n_types).tolist() == [
            reference.task_type(rho, n_types) for rho in ratio
        ]


def test_the_grid_has_the_published_cells_and_instances_per_panel() -> None:
    cells = grid_cells()
    assert len(cells) == len(set(cells)) == 431
    assert len(cells) * GRID_REPETITIONS == 12930
    panels = Counter((cell.cls, cell.is_small) for cell in cells)
    assert {panel: 30 * count for panel, count in panels.items()} == {
        ("compatible", True): 2520, ("compatible", False): 1350,
        ("mixed", True): 1680, ("mixed", False): 900,
        ("incompatible", True): 1890, ("incompatible", False): 1350,
        ("clashing", True): 1890, ("clashing", False): 1350,
    }  # fmt: skip
    assert cells[0] == GridCell("compatible", 2, 10, 2)
    assert cells[-1] == ("mixed", 4, 5000, 100)
    assert cells == sorted(
        cells, key=lambda c: (COLOCATION_CLASSES.index(c.cls), c.n_types, not c.is_small, *c[2:])
    )


@pytest.mark.parametrize("cell", grid_cells()[::7], ids=lambda cell: "-".join(map(str, cell)))
def test_an_instance_of_the_grid_equals_its_definition(cell: GridCell) -> None:
    size, ratio = STANDIN.size.tolist(), STANDIN.ratio.tolist()
    for repetition, independent in ((0, False), (29, True)):
        inst = grid_instance(STANDIN, *cell, repetition, independent)
        sizes, types, alpha = reference.grid_instance(size, ratio, *cell, repetition, independent)
        assert (inst.size.tolist(), inst.type.tolist(), inst.alpha.tolist()) == (sizes, types, alpha)
        assert (inst.n_machines, inst.alpha_denominator) == (cell.n_machines, 1000)


@given(data=st.data())
def test_sampling_equals_its_definition_where_types_are_rare(data: Any) -> None:
    n_types = data.draw(st.sampled_from([2, 3, 4]))
    ratios = {2: (0.5, 2.0), 3: (0.1, 1.0, 9.0), 4: (0.1, 0.5, 2.0, 9.0)}[n_types]
    common = data.draw(st.integers(0, n_types - 1))
    kinds = [*range(n_types), *[common] * data.draw(st.integers(0, 30))]
    ratio = [ratios[kind] for kind in data.draw(st.permutations(kinds))]
    size = list(range(1, len(ratio) + 1))
    cls = data.draw(st.sampled_from(COLOCATION_CLASSES if n_types > 2 else COLOCATION_CLASSES[:3]))
    n_tasks = data.draw(st.integers(n_types, len(size)))
    repetition, independent = data.draw(st.integers(0, 1000)), data.draw(st.booleans())
    inst = grid_instance((size, ratio), cls, n_types, n_tasks, 5, repetition, independent)
    expected = reference.grid_instance(size, ratio, cls, n_types, n_tasks, 5, repetition, independent)
    assert (inst.size.tolist(), inst.type.tolist(), inst.alpha.tolist()) == expected
    assert len(set(inst.size.tolist())) == n_tasks  # no task twice


def test_distinct_indices_equal_their_definition() -> None:
    for seed, population, n in ((1, 10, 10), (5, 1000, 7), (9, 1, 1), (9, 3, 0)):
        expected = reference.shuffled(SplitMix64(seed), population, n)[:n]
        assert _core.workloads.distinct_indices(seed, population, n).tolist() == expected


def test_records_become_tasks_by_the_larger_share_and_tiny_ones_are_dropped() -> None:
    # Largest CPU 2 and memory 10: shares (1, 0), (0.25, 0.5), (0.0049, 0.0049), (0.005, 0), (0, 1), (0.995, 0.1)
    sample = colocation_tasks([2, 0.5, 0.0098, 0.01, 0, 1.99], [0, 5, 0.049, 0, 10, 1])
    assert sample.size.tolist() == [100, 50, 1, 100, 100]  # 0.005 counts as 1; 99.5 is rounded up
    assert sample.ratio.tolist() == pytest.approx([math.inf, 0.5, math.inf, 0, 9.95])
    assert (sample.n_records, sample.n_dropped, len(sample)) == (6, 1, 5)
    assert task_type(sample.ratio, 4).tolist() == [3, 1, 3, 0, 3]


def test_a_ratio_on_a_threshold_is_of_the_lower_type() -> None:
    high = 10**0.66
    assert task_type([1.0, np.nextafter(1, 2), 0, math.inf], 2).tolist() == [0, 1, 0, 1]
    assert task_type([1 / high, 1, high, 2 * high], 3).tolist() == [0, 1, 1, 2]
    assert task_type([1 / high, 1, high, 2 * high], 4).tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("cpu", "memory", "message"),
    [
        ([1, -1], [1, 1], r"cpu\[1\] = -1.0 \(record 1\) must be at least 0"),
        ([1, 1], [1, math.nan], r"memory\[1\] = nan \(record 1\)"),
        ([math.inf, 1], [1, 1], r"cpu\[0\] = inf must be finite"),
        ([1, 2, 3], [1, 1], "memory has 2 entries for 3 records"),
        ([0, 0], [1, 1], "none of the 2 records has any cpu"),
        ([], [], "none of the 0 records has any cpu"),
    ],
)
def test_nonsense_records_are_refused(cpu: list[float], memory: list[float], message: str) -> None:
    with pytest.raises(InvalidInstanceError, match=message):
        colocation_tasks(cpu, memory)


def test_a_sample_is_a_value() -> None:
    sample = TaskSample([3, 1], [0.5, math.inf], n_records=5, n_dropped=3)
    assert sample == pickle.loads(pickle.dumps(sample)) != TaskSample([3, 1], [0.5, math.inf])
    assert hash(sample) == hash(TaskSample([3, 1], [0.5, math.inf], 5, 3))
    with pytest.raises(AttributeError):
        sample.n_records = 6
    with pytest.raises(ValueError, match="read-only"):
        sample.size[0] = 1
    for wrong in (([0], [1.0]), ([1], [-1.0]), ([1], [math.nan]), ([1, 2], [1.0]), ([1], [1.0], 5, 3)):
        with pytest.raises(InvalidInstanceError):
            TaskSample(*wrong)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("compatible", 5, 10, 2, 0), "n_types = 5"),
        (("compatible", 1, 10, 2, 0), "n_types = 1"),
        (("mixed", 2, 10, 2, 0), "mixed coefficients need 3 or 4 types"),
        (("clashed", 3, 10, 2, 0), "did you mean 'clashing'"),
        ((4, 3, 10, 2, 0), "cls = 4 is not 0, 1, 2 or 3"),
        ((-1, 3, 10, 2, 0), "cls = -1"),
        (("mixed", 4, 3, 2, 0), "n_tasks = 3 is not between n_types = 4 and the 5490 tasks"),
        (("mixed", 4, 5491, 2, 0), "n_tasks = 5491 is not between"),
        (("mixed", 4, 10, 0, 0), "n_machines = 0 is below 1"),
        (("mixed", 4, 10, 2, -1), "-1 is outside"),
    ],
)
def test_arguments_out_of_range_are_named(arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(InvalidInstanceError, match=message):
        grid_instance(STANDIN, *arguments)


def test_a_sample_without_some_type_is_refused() -> None:
    with pytest.raises(InvalidInstanceError, match=r"no task of the sample is of type 1 \(n_types = 2\)"):
        grid_instance(([1, 2, 3], [0.1, 0.2, 0.3]), 0, 2, 2, 1, 0)
    with pytest.raises(TypeError, match=r"n_tasks = 2\.5 must be an integer"):
        grid_instance(STANDIN, 0, 2, 2.5, 1, 0)  # type: ignore[arg-type]


def test_the_generator_draws_from_the_standin() -> None:
    inst, report = load("colocation_grid:cls=3,n_types=4,n_tasks=200,n_machines=10,seed=7")
    assert inst == colocation_grid(3, 4, 200, 10, 7) == grid_instance(STANDIN, "mixed", 4, 200, 10, 7)
    assert inst == generate_from_text("colocation_grid:n_tasks=200,n_types=4,n_machines=10,cls=3,seed=7")
    assert (report.n_jobs, report.units, report.load) == (200, {}, {})
    with pytest.raises(InvalidInstanceError, match="machines=5: tasks to colocate run on identical"):
        load("colocation_grid:cls=3,n_types=4,n_tasks=200,n_machines=10,seed=7", machines=5)


def test_an_instance_of_tasks_survives_parquet(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    inst = grid_instance(STANDIN, 1, 3, 50, 4, 2)
    inst.to_parquet(tmp_path / "plain.parquet")
    write_instance(tmp_path / "written.parquet", inst, {})
    for name in ("plain.parquet", "written.parquet"):
        loaded, report = load(tmp_path / name)
        assert isinstance(loaded, ColocationInstance)
        assert loaded == inst
        assert report.n_jobs == 50
        with pytest.raises(InvalidInstanceError, match='machines="2x4": tasks to colocate'):
            load(tmp_path / name, machines="2x4")
        with pytest.raises(InvalidInstanceError, match="read without options"):
            load(tmp_path / name, seed=2)


def test_a_sample_as_parquet_is_a_source_of_instances(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    path = tmp_path / "sample.parquet"
    STANDIN.to_parquet(path)
    assert TaskSample.from_parquet(path) == STANDIN
    options = {"cls": "clashing", "n_types": 3, "n_tasks": 40, "n_machines": 5}
    inst, report = load(path, **options, seed=12)
    assert inst == grid_instance(STANDIN, 2, 3, 40, 5, 12)
    assert (report.rows_read, report.n_jobs) == (5490, 40)
    assert "repetition 12" in str(report)
    assert load(path, **options, seed=12, independent=True)[0] != inst
    assert set(options) <= set(reader_options())
    with pytest.raises(InvalidInstanceError, match="needs n_types, n_tasks, n_machines"):
        load(path, cls=1)
    with pytest.raises(InvalidInstanceError, match="did you mean 'n_tasks'"):
        load(path, **options, n_task=3)
    with pytest.raises(InvalidInstanceError, match="machines=3: tasks to colocate"):
        load(path, 3, **options)


def test_jobs_as_parquet_stay_jobs(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    jobs = uniform(1, 5, 3, 2, 100, 20, 5, 100, 60)
    jobs.to_parquet(tmp_path / "jobs.parquet")
    assert load(tmp_path / "jobs.parquet")[0] == jobs
    (tmp_path / "cut.parquet").write_bytes((tmp_path / "jobs.parquet").read_bytes()[:99])
    with pytest.raises(InvalidInstanceError, match=r"cut\.parquet is not a readable Parquet file"):
        load(tmp_path / "cut.parquet")
