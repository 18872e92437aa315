"""The peak of a block is the memory that it held, whatever ran before."""

import resource
from pathlib import Path

import numpy as np
import pytest

from schedcore.experiments.running import peak_memory
from schedcore.experiments.running.peak_memory import PeakMemory

MEGABYTE = 2**20


def touch(n_bytes: int) -> None:
    """Make `n_bytes` resident and give them back to the system: one mapping, all pages written."""
    np.ones(n_bytes, dtype=np.uint8)


@pytest.fixture
def resettable() -> None:
    with PeakMemory() as memory:
        pass
    if not memory.is_of_block:
        pytest.skip("this system does not reset the high-water mark")


@pytest.mark.usefixtures("resettable")
def test_the_peak_rises_by_what_the_block_touches_and_is_forgotten_after_it() -> None:
    with PeakMemory() as before:
        pass
    with PeakMemory() as large:
        touch(200 * MEGABYTE)
    with PeakMemory() as after:
        touch(MEGABYTE)
    assert large.is_of_block
    assert after.is_of_block
    assert large.bytes - before.bytes == pytest.approx(200 * MEGABYTE, abs=8 * MEGABYTE)
    assert large.bytes - after.bytes == pytest.approx(199 * MEGABYTE, abs=8 * MEGABYTE)


@pytest.mark.usefixtures("resettable")
def test_what_was_resident_before_counts() -> None:
    with PeakMemory() as without:
        pass
    resident = np.ones(100 * MEGABYTE, dtype=np.uint8)
    with PeakMemory() as within:
        pass
    assert within.bytes - without.bytes == pytest.approx(resident.nbytes, abs=8 * MEGABYTE)


def test_a_block_that_fails_is_measured_and_its_error_passes() -> None:
    memory = PeakMemory()
    with pytest.raises(ZeroDivisionError), memory:
        raise ZeroDivisionError
    assert memory.bytes > 0


@pytest.mark.parametrize("missing", ["_RESET", "_STATUS"])
def test_without_a_reset_the_peak_is_that_of_the_whole_life(
    missing: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A folder cannot be written to; a status of another system lacks the line.
    stand_in = tmp_path if missing == "_RESET" else tmp_path / "status"
    if missing == "_STATUS":
        stand_in.write_text("Name:\tpython\n")
        monkeypatch.setattr(peak_memory, "_RESET", tmp_path / "clear_refs")
    monkeypatch.setattr(peak_memory, missing, stand_in)
    with PeakMemory() as memory:
        touch(MEGABYTE)
    assert not memory.is_of_block
    assert memory.bytes == resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
