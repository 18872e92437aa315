"""Files that are there whole or not at all, whenever the writing fails, or the process or the machine stops.

What is written goes into a file of another name in the same folder, is forced to the disk, and takes the final
name in one step. Whatever writes a file that a user names, or that a reader must never see half of, writes it so.
"""

import contextlib
import errno
import os
import secrets
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

__all__ = ["UNFINISHED", "remove_unfinished", "whole_file", "write_whole"]

#: Prefix of files that are being written; readers of Parquet data sets ignore it.
UNFINISHED = ".unfinished-"

_LONGEST_TAIL = 40  # characters of the final name in the other one, so that it is no longer than names may be
_NO_NEIGHBOURS = (errno.EACCES, errno.EPERM, errno.EROFS)
_NO_HARD_LINKS = (errno.EPERM, errno.ENOTSUP, errno.ENOSYS, errno.EINVAL)


@contextlib.contextmanager
def whole_file(path: str | os.PathLike[str], *, overwrite: bool = False) -> Iterator[BinaryIO]:
    """Open a file for writing bytes that has the name `path` only once the block has ended well.

    Parameters
    ----------
    path : path-like
        The final name. Where it is a symbolic link, the file that the link points to is replaced.
    overwrite : bool
        Whether a file that exists is replaced.

    Yields
    ------
    BinaryIO
        To be written and left open.

    Raises
    ------
    FileExistsError
        If `path` exists and `overwrite` is false, also if it came to be meanwhile; it is left as it was.
    OSError
        As `open` does; names `path`.

    Notes
    -----
    If anything is raised, what stood there before stays, and nothing else is left. A process that is killed leaves
    a file whose name begins with `UNFINISHED`. A new file gets the permissions that `open` would give it, another
    one's successor those of the other, and its owner where that is allowed. What is no regular file, such as
    ``/dev/null``, a pipe or ``/dev/stdout``, cannot be replaced and is written directly; so is a file in a folder
    that takes no other one, which a failure then leaves unfinished.
    """
    name = os.fspath(path)
    if not overwrite and os.path.lexists(name):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), name)
    replaced = _status(name)
    if replaced is not None and (not stat.S_ISREG(replaced.st_mode) or _is_open_file(name)):
        with _naming(name), open(name, "wb") as special:
            yield special
        return
    if replaced is not None and not os.access(name, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), name)
    final = Path(os.path.realpath(name))
    tail = final.name[-_LONGEST_TAIL:]
    unfinished = final.with_name(f"{UNFINISHED}{os.getpid()}-{secrets.token_hex(4)}-{tail}")
    mode = 0o666 if replaced is None else 0o600  # what replaces a private file is private all the time
    try:
        descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
    except OSError as error:
        if replaced is not None and error.errno in _NO_NEIGHBOURS:
            with _naming(name), open(name, "wb") as only_this:
                yield only_this
            return
        error.filename = name
        raise
    try:
        with _naming(name), open(descriptor, "wb") as file:
            yield file
            file.flush()
            if replaced is not None:
                _take_over(descriptor, replaced)
            os.fsync(descriptor)
        _name(unfinished, final, name, overwrite)
    finally:
        unfinished.unlink(missing_ok=True)
    _sync_folder(final.parent)


def write_whole(path: Path, content: bytes | bytearray | memoryview) -> None:
    """Give the file `path` the bytes `content` in one step; what stood there before stays if anything fails."""
    with whole_file(path, overwrite=True) as file:
        file.write(content)


def remove_unfinished(folder: Path, name: str) -> None:
    """Take away what killed processes left of files with a name that matches the pattern `name`."""
    for leftover in folder.glob(f"{UNFINISHED}*-{name}"):
        leftover.unlink()


@contextlib.contextmanager
def _naming(name: str) -> Iterator[None]:
    """Name a file in errors that do not, such as that of a full disk, also where closing the file meets it again."""
    try:
        yield
    except OSError as error:
        error.filename = error.filename or name
        raise


def _status(name: str) -> os.stat_result | None:
    try:
        return os.stat(name)
    except FileNotFoundError:
        return None


def _is_open_file(name: str) -> bool:
    """Whether `name` is one that the system gives to open files, as ``/dev/stdout`` does whatever that is."""
    folder = os.path.realpath(os.path.dirname(name) or os.curdir)
    return folder == "/dev" or folder.startswith("/proc/")


def _take_over(descriptor: int, replaced: os.stat_result) -> None:
    with contextlib.suppress(
        PermissionError
    ):  # others own the successor of a file in a folder that they share
        os.fchown(descriptor, replaced.st_uid, replaced.st_gid)
    os.fchmod(descriptor, replaced.st_mode & 0o777)


def _name(unfinished: Path, final: Path, name: str, overwrite: bool) -> None:
    if not overwrite:
        try:
            os.link(unfinished, final)
        except FileExistsError:
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), name) from None
        except OSError as error:
            if error.errno not in _NO_HARD_LINKS:
                raise
            os.close(
                os.open(final, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
            )  # takes the name, or says who has it
        else:
            return
    try:
        os.replace(unfinished, final)
    except OSError as error:
        if error.errno != errno.EBUSY:
            raise
        shutil.copyfile(unfinished, final)  # a file that is mounted by itself stays what it is


def _sync_folder(folder: Path) -> None:
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except PermissionError:  # a folder that takes files and shows none
        return
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno != errno.EINVAL:  # of file systems that have no order to sync a folder
            raise
    finally:
        os.close(descriptor)
