"""A file is there whole or not at all, under its final name, whoever has that name and however the writing ends."""

import errno
import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import BinaryIO

import pytest

from schedcore.model.whole_file import UNFINISHED, whole_file


class Failure(Exception):
    pass


def write_half(file: BinaryIO) -> None:
    file.write(b"half")
    raise Failure


@pytest.mark.parametrize("before", [None, b"precious"])
def test_writing_that_fails_half_way_leaves_what_was_there(tmp_path: Path, before: bytes | None) -> None:
    path = tmp_path / "file"
    if before is not None:
        path.write_bytes(before)
    with pytest.raises(Failure), whole_file(path, overwrite=True) as file:
        write_half(file)
    assert (path.read_bytes() if path.exists() else None) == before
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name] * (before is not None)


@pytest.mark.parametrize("n_bytes", [100, 100_000])
def test_a_disk_that_is_full_is_told_with_the_name_of_the_file(
    tmp_path: Path, n_bytes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Few bytes wait in a buffer: they meet the full disk when they are flushed, and once more when it is closed."""
    monkeypatch.setattr(os, "open", lambda *_, really=os.open: really("/dev/full", os.O_WRONLY))
    for path in (tmp_path / "file", Path("/dev/full")):
        with (
            pytest.raises(OSError, match="No space left") as caught,
            whole_file(path, overwrite=True) as file,
        ):
            file.write(b"x" * n_bytes)
        assert caught.value.filename == str(path)
    assert list(tmp_path.iterdir()) == []


def test_until_it_is_whole_a_file_has_another_name(tmp_path: Path) -> None:
    with whole_file(tmp_path / "file") as file:
        file.write(b"x" * 100_000)
        (entry,) = tmp_path.iterdir()
        assert entry.name.startswith(UNFINISHED)
        assert entry.name.endswith("-file")
    assert [entry.name for entry in tmp_path.iterdir()] == ["file"]
    assert (tmp_path / "file").read_bytes() == b"x" * 100_000


def test_a_file_that_exists_is_kept_unless_told_otherwise(tmp_path: Path) -> None:
    path, link = tmp_path / "file", tmp_path / "link"
    path.write_bytes(b"precious")
    link.symlink_to(tmp_path / "nowhere")
    for taken in (path, link, tmp_path):
        with pytest.raises(FileExistsError) as caught, whole_file(taken):
            pytest.fail("it was opened")
        assert caught.value.filename == str(taken)
    assert path.read_bytes() == b"precious"
    with whole_file(path, overwrite=True) as file:
        file.write(b"new")
    assert path.read_bytes() == b"new"


@pytest.mark.parametrize("links", [True, False])
def test_a_file_that_came_to_be_meanwhile_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, links: bool
) -> None:
    if not links:
        monkeypatch.setattr("os.link", refuse_links)
    path = tmp_path / "file"
    with pytest.raises(FileExistsError), whole_file(path):
        path.write_bytes(b"precious")
    assert path.read_bytes() == b"precious"
    assert [entry.name for entry in tmp_path.iterdir()] == ["file"]


def test_file_systems_without_hard_links_will_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.link", refuse_links)
    with whole_file(tmp_path / "file") as file:
        file.write(b"new")
    assert (tmp_path / "file").read_bytes() == b"new"
    assert [entry.name for entry in tmp_path.iterdir()] == ["file"]


def refuse_links(*_: object) -> None:
    raise OSError(errno.EPERM, "Operation not permitted")


def test_a_symbolic_link_stays_and_the_file_behind_it_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    file, link = tmp_path / "folder" / "file", tmp_path / "link"
    link.symlink_to(Path("folder") / "file")
    for content in (b"first", b"second"):  # the link dangles at first
        with whole_file(link, overwrite=True) as opened:
            opened.write(content)
        assert link.is_symlink()
        assert file.read_bytes() == content
        assert not file.is_symlink()


def test_permissions_are_those_of_open_or_of_the_replaced_file(tmp_path: Path) -> None:
    path, usual = tmp_path / "file", tmp_path / "usual"
    usual.touch()
    with whole_file(path):
        pass
    assert mode(path) == mode(usual)
    path.chmod(0o640)
    with whole_file(path, overwrite=True):
        pass
    assert mode(path) == 0o640


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write to everything")
def test_a_file_that_may_not_be_written_is_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"precious")
    path.chmod(0o444)
    with pytest.raises(PermissionError), whole_file(path, overwrite=True):
        pytest.fail("it was opened")
    assert path.read_bytes() == b"precious"


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_devices_and_pipes_are_written_directly(tmp_path: Path) -> None:
    with whole_file("/dev/null", overwrite=True) as file:
        file.write(b"lost")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)
    write = (
        "from schedcore.model.whole_file import whole_file\n"
        "with whole_file('/dev/stdout', overwrite=True) as file: file.write(b'said')"
    )
    piped = subprocess.run([sys.executable, "-c", write], capture_output=True, check=True)
    assert piped.stdout == b"said"
    with open(tmp_path / "out", "wb") as out:  # a regular file, which others have open
        subprocess.run([sys.executable, "-c", write], stdout=out, check=True)
        assert os.fstat(out.fileno()).st_nlink == 1
    assert (tmp_path / "out").read_bytes() == b"said"


def test_a_name_that_is_as_long_as_names_may_be_can_be_written(tmp_path: Path) -> None:
    path = tmp_path / ("x" * 255)
    with whole_file(path) as file:
        file.write(b"long")
    assert path.read_bytes() == b"long"


def test_what_cannot_be_opened_is_named_as_the_caller_did(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as caught, whole_file(tmp_path / "absent" / "file"):
        pytest.fail("it was opened")
    assert caught.value.filename == str(tmp_path / "absent" / "file")
    with pytest.raises(IsADirectoryError), whole_file(tmp_path, overwrite=True):
        pytest.fail("it was opened")


def test_what_replaces_a_private_file_is_private_all_the_time(tmp_path: Path) -> None:
    path = tmp_path / "secret"
    path.write_text("before")
    path.chmod(0o600)
    with whole_file(path, overwrite=True) as file:
        file.write(b"after")
        (unfinished,) = tmp_path.glob(f"{UNFINISHED}*")
        assert unfinished.stat().st_mode & 0o077 == 0
    assert path.read_text() == "after"


def test_a_file_in_a_folder_that_takes_no_other_one_is_written_in_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file"
    path.write_text("before")

    def no_new_file(name: object, flags: int, mode: int = 0o777) -> int:
        if flags & os.O_EXCL:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), name)
        return real(name, flags, mode)  # type: ignore[arg-type]

    real = os.open
    monkeypatch.setattr(os, "open", no_new_file)
    with whole_file(path, overwrite=True) as file:
        file.write(b"after")
    assert path.read_text() == "after"
    with pytest.raises(PermissionError), whole_file(tmp_path / "new") as file:
        file.write(b"after")
    assert [each.name for each in tmp_path.iterdir()] == ["file"]
