"""Calls of one function of the compiled modules with arguments that are wrong in one or two places.

Run as a program, ``python -m boundary.core_fuzz NAME SEED COUNT`` (NAME may be "all"), so that a crash ends this
process alone: every call is written to standard output before it is made. Whatever a call answers is right, and so is
every exception in `ALLOWED`.
"""

import os
import random
import resource
import signal
import sys
from typing import Any

import numpy as np

from boundary.core_calls import CALLS
from schedcore import SchedcoreError

#: MemoryError: what somebody asks for may be more than there is.
ALLOWED = (TypeError, ValueError, SchedcoreError, MemoryError)

INTEGERS = [-(2**63), -(2**31), -2, -1, 0, 1, 2, 3, 7, 100, 2**62, 2**63 - 1]
HUGE_INTEGERS = [2**31, 2**32 + 1, 2**53, 2**53 + 1, 10**9]
FLOATS = [-np.inf, -1e308, -1.0, -0.0, 0.0, 5e-324, 1e-9, 0.5, 1.0, 3.0, 2.0**53, 1e308, np.inf, np.nan]


class Stopped(Exception):
    """A call that takes long answers to signals, which is all that it has to do."""


def _changed_entries(array: Any, rng: random.Random) -> Any:
    if array.size == 0:
        return array
    changed = array.copy()
    flat = changed.reshape(-1)
    for _ in range(rng.choice([1, 1, 2, array.size])):
        position = rng.randrange(array.size)
        if array.dtype.kind == "i":
            flat[position] = rng.choice(INTEGERS + HUGE_INTEGERS)
        elif array.dtype.kind == "f":
            flat[position] = rng.choice(FLOATS)
        else:
            flat[position] = rng.choice([0, 1])
    return changed


def _other_shape(array: Any, rng: random.Random) -> Any:
    axis = rng.randrange(max(array.ndim, 1))
    match rng.randrange(9):
        case 0:
            return np.delete(array, -1, axis) if array.shape[axis] else array
        case 1:
            return np.concatenate([array, array], axis)
        case 2:
            return np.take(array, range(min(1, array.shape[axis])), axis)
        case 3:
            return np.take(array, [], axis)
        case 4:
            return array.reshape(-1)
        case 5:
            return array[None]
        case 6:
            return np.ascontiguousarray(array.T)
        case 7:
            return array.reshape(-1)[0] if array.size else array
        case _:
            return np.concatenate([array, np.take(array, range(min(1, array.shape[axis])), axis)], axis)


def _other_form(array: Any, rng: random.Random) -> Any:
    match rng.randrange(10):
        case 0:
            return np.repeat(array, 2, axis=0)[::2]
        case 1:
            return np.asfortranarray(array)
        case 2:
            return array[::-1]
        case 3:
            return array.astype(rng.choice([np.int32, np.uint64, np.float64, np.int64, np.bool_]))
        case 4:
            return array.astype(object)
        case 5:
            return array.astype(array.dtype.newbyteorder())
        case 6:
            frozen = array.copy()
            frozen.setflags(write=False)
            return frozen
        case 7:
            return rng.choice([None, "text", 3, {}, [], object()])
        case 8:
            return array.tolist()
        case _:
            permutation = np.array(rng.sample(range(array.size), array.size), dtype=np.intp)
            return array.reshape(-1)[permutation].reshape(array.shape)


def _wrong(value: Any, rng: random.Random) -> Any:
    if isinstance(value, np.ndarray):
        return rng.choice([_changed_entries, _changed_entries, _other_shape, _other_form])(value, rng)
    if isinstance(value, tuple | list) and value:
        position = rng.randrange(len(value))
        if rng.random() < 0.2:
            return value[:-1]
        return type(value)([*value[:position], _wrong(value[position], rng), *value[position + 1 :]])
    if isinstance(value, bool):
        return rng.choice([not value, None, "text", 2])
    if isinstance(value, int):
        return rng.choice([*INTEGERS, *INTEGERS, 2**64, value + 1, value - 1, 0.5, None, "text"])
    if isinstance(value, float):
        return rng.choice([*FLOATS, None, "text", 2**64])
    if isinstance(value, str):
        return rng.choice(["", "no such word", None, 3])
    return rng.choice([None, 3, "text", np.zeros(2), lambda *call: None])


def run(name: str, seed: int, count: int) -> None:
    """Make `count` calls; a line before each."""
    rng = random.Random(f"{name} {seed}")
    makers = CALLS[name]
    for number in range(count):
        function, arguments = makers[number % len(makers)]()
        if arguments:
            for argument in rng.sample(sorted(arguments), min(rng.choice([1, 1, 2]), len(arguments))):
                arguments[argument] = _wrong(arguments[argument], rng)
        print(f"{name} {seed} {number}: {arguments}"[:2000].replace("\n", " "), flush=True)
        try:
            _call(function, arguments)
        except RuntimeError:
            if not name.endswith("check_invariants"):  # whose answer it is to machines that are not its own
                raise
        except Stopped:
            print("  stopped", flush=True)


def _call(function: Any, arguments: dict[str, Any]) -> None:
    signal.setitimer(signal.ITIMER_REAL, 0.3)
    try:
        function(**arguments)
    except ALLOWED:
        pass
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _stop(signum: int, frame: object) -> None:
    raise Stopped


if __name__ == "__main__":
    signal.signal(signal.SIGALRM, _stop)
    if "libasan" not in os.environ.get("LD_PRELOAD", ""):  # which maps terabytes
        resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
    for chosen in CALLS if sys.argv[1] == "all" else [sys.argv[1]]:
        run(chosen, int(sys.argv[2]), int(sys.argv[3]))
    print("done", flush=True)
