"""Commands of Slurm are called with a time limit, only to read, and what they say in failing is told."""

import os
import stat
import time
from pathlib import Path

import pytest

from schedcore import InvalidInstanceError, SchedcoreError
from schedcore.slurm import COMMANDS, CommandError, read_state, save_state, take_state
from slurm.small_cluster import NODES, PARTITIONS, a_job, running

READING = {"show", "-o", "-d", "-P", "dump"}


class FakeSlurm:
    """Commands of that name in a folder that the path begins with; each notes how it was called."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.calls = folder / "calls.txt"

    def add(self, name: str, script: str) -> None:
        path = self.folder / name
        path.write_text(f'#!/bin/sh\necho "{name} $*" >> {self.calls}\n{script}\n')
        path.chmod(path.stat().st_mode | stat.S_IXUSR)

    def says(self, name: str, answers: dict[str, str], otherwise: str = "exit 1") -> None:
        """Answer to the last word, from files."""
        cases = []
        for word, text in answers.items():
            (self.folder / f"{name}.{word}").write_text(text)
            cases.append(f"*{word}) cat {self.folder}/{name}.{word};;")
        self.add(name, f'case "$*" in {" ".join(cases)} *) {otherwise};; esac')


@pytest.fixture
def slurm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeSlurm:
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}/usr/bin{os.pathsep}/bin")
    fake = FakeSlurm(folder)
    began = f"{int(time.time()) - 600}"
    fake.says(
        "scontrol",
        {
            "config": f"Configuration data as of {time.strftime('%Y-%m-%dT%H:%M:%S')}\nClusterName = small\n",
            "node": NODES,
            "partition": PARTITIONS,
            "reservation": "No reservations in the system\n",
            "job": f"{running(5, 'Nodes=n1 CPU_IDs=0-3 Mem=0 GRES=', StartTime=began)}\n{a_job(6)}\n",
        },
    )
    return fake


def test_the_present_state_is_taken(slurm: FakeSlurm) -> None:
    slurm.says("sacctmgr", {"qos": "Name|Priority\nnormal|5\n"})
    before = time.time()
    state = take_state(timeout=10)
    assert before - 1 <= state.now <= time.time()
    assert state.running.jobs.id.tolist() == [5]
    assert state.waiting.jobs.id.tolist() == [6]
    assert [each.name for each in state.site.site.service_classes] == ["normal"]


def test_commands_only_read(slurm: FakeSlurm) -> None:
    slurm.says("sacctmgr", {"qos": "Name|Priority\nnormal|5\n"})
    take_state(timeout=10)
    calls = slurm.calls.read_text().split("\n")[:-1]
    assert len(calls) == len(COMMANDS) + 2
    for call in calls:
        assert not READING.isdisjoint(call.split()), call
    assert {call.split()[0] for call in calls} == {"scontrol", "sacctmgr"}


def test_a_dump_of_accounts_is_read(slurm: FakeSlurm) -> None:
    dump = "Parent - 'root'\\nAccount - 'physics':Fairshare=3\\n"
    slurm.add("sacctmgr", f'case "$*" in *file=*) printf "{dump}" > "${{3#file=}}";; *) exit 1;; esac')
    state = take_state(timeout=10)
    assert [each.name for each in state.site.parts.associations] == ["physics"]


def test_a_cluster_without_accounting_is_taken_without_it(slurm: FakeSlurm) -> None:
    slurm.add("sacctmgr", 'echo "slurmdbd is down" >&2; exit 1')
    assert take_state(timeout=10).site.site.service_classes == ()
    (slurm.folder / "sacctmgr").unlink()
    assert take_state(timeout=10).site.site.service_classes == ()


def test_accounting_that_fails_where_it_is_is_told(slurm: FakeSlurm, tmp_path: Path) -> None:
    slurm.add("sacctmgr", 'echo "slurmdbd is down" >&2; exit 1')
    assert save_state(tmp_path / "without", timeout=10) == ()
    with (slurm.folder / "scontrol.config").open("a") as file:
        file.write("AccountingStorageType   = accounting_storage/slurmdbd\n")
    dump, qos = save_state(tmp_path / "with", timeout=10)
    assert dump.startswith("sacctmgr dump small file=")
    assert dump.endswith("failed with code 1: slurmdbd is down")
    assert qos == "sacctmgr -P show qos failed with code 1: slurmdbd is down"


def test_a_dump_that_was_cut_is_left_out(slurm: FakeSlurm) -> None:
    slurm.add("sacctmgr", 'case "$*" in *file=*) : > "${3#file=}";; esac; exit 1')
    assert take_state(timeout=10).site.parts.associations == ()


def test_a_command_that_fails_tells_what_it_said(slurm: FakeSlurm) -> None:
    slurm.add("scontrol", 'echo "Unable to contact slurm controller" >&2; exit 3')
    with pytest.raises(
        CommandError, match=r"scontrol show config failed with code 3: Unable to contact slurm controller"
    ):
        take_state(timeout=10)
    slurm.add("scontrol", "exit 1")
    with pytest.raises(CommandError, match=r"failed with code 1: it said nothing"):
        take_state(timeout=10)


def test_a_command_that_hangs_is_ended(slurm: FakeSlurm) -> None:
    slurm.add("scontrol", 'echo "trying again" >&2; exec sleep 60')
    began = time.monotonic()
    with pytest.raises(
        CommandError, match=r"scontrol show config did not end within 0.5 s; it said: trying again"
    ):
        take_state(timeout=0.5)
    assert time.monotonic() - began < 30


def test_a_command_that_is_not_there_is_named(slurm: FakeSlurm, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(slurm.folder / "nothing"))
    with pytest.raises(CommandError, match="scontrol is not on this machine"):
        take_state(timeout=10)
    assert issubclass(CommandError, SchedcoreError)


def test_output_that_cannot_be_read_names_the_file_and_the_line(slurm: FakeSlurm) -> None:
    (slurm.folder / "scontrol.node").write_text("slurm_load_node: trouble\n")
    with pytest.raises(InvalidInstanceError, match=r"scontrol_node.txt: line 1: 'slurm_load_node: trouble'"):
        take_state(timeout=10, accounting=False)


def test_saved_output_is_read_again(slurm: FakeSlurm, tmp_path: Path) -> None:
    save_state(tmp_path / "saved", timeout=10, accounting=False)
    assert {path.name for path in (tmp_path / "saved").iterdir()} == {*COMMANDS, "now.txt"}
    assert read_state(tmp_path / "saved").jobs == take_state(timeout=10, accounting=False).jobs


@pytest.mark.parametrize("timeout", [0, -1, float("inf")])
def test_a_time_limit_is_above_0_and_finite(slurm: FakeSlurm, timeout: float) -> None:
    with pytest.raises(InvalidInstanceError, match="timeout = "):
        take_state(timeout=timeout)
    assert not slurm.calls.exists()
