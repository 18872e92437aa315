"""Which code ran, where: what every row of results says of its origin."""

import multiprocessing
import os
import platform
import socket

import numpy as np

from schedcore.engine import build_config

__all__ = ["code_identity", "describe_code", "is_other_code", "worker_name"]


def code_identity() -> dict[str, str]:
    """Version and commit of schedcore, and the versions of what its numbers may depend on."""
    config = build_config()
    return {
        "schedcore_version": str(config["version"]),
        "schedcore_commit": str(config["commit"]),
        "python_version": platform.python_version(),
        "numpy_version": np.__version__,
        "platform": f"{platform.system()} {platform.machine()}",
    }


def describe_code(identity: dict[str, str]) -> str:
    """``schedcore 0.1.0 (commit 0123456789ab)`` for messages."""
    commit = identity["schedcore_commit"]
    return f"schedcore {identity['schedcore_version']}" + (
        f" (commit {commit[:12]}{commit[40:]})" if commit else ""
    )


def is_other_code(one: dict[str, str], other: dict[str, str]) -> bool:
    """Whether two identities are of different versions or commits of schedcore."""
    return any(one[part] != other[part] for part in ("schedcore_version", "schedcore_commit"))


def worker_name() -> tuple[str, str]:
    """Host and worker: the process, by its number and the name that its pool gave it."""
    return socket.gethostname(), f"{multiprocessing.current_process().name}:{os.getpid()}"
