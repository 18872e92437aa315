"""A ``schedcore_policy`` of schedcore/policy.h, made with `ctypes`."""

import ctypes
from typing import Any

__all__ = ["DECIDE", "Table", "capsule_of", "table_of"]

DECIDE = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
_NAME = b"schedcore.policy"


class Table(ctypes.Structure):
    _fields_ = [
        ("version", ctypes.c_uint32),
        ("flags", ctypes.c_uint32),
        ("name", ctypes.c_char_p),
        *(
            (name, ctypes.c_void_p)
            for name in ("decide", "context", "create", "copy", "destroy", "save", "load")
        ),
    ]


_kept: list[Any] = []  # as long as anything may point there


def table_of(**fields: Any) -> Table:
    """A table of the right version that does nothing, but for these fields."""
    nothing = DECIDE(lambda state, turn: 0)
    decide = ctypes.cast(nothing, ctypes.c_void_p).value
    table = Table(**{"version": 1, "name": b"mine", "decide": decide, **fields})
    _kept.extend((nothing, table))
    return table


def capsule_of(table: Table, name: bytes = _NAME) -> Any:
    new = ctypes.pythonapi.PyCapsule_New
    new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    _kept.append(name)
    return new(ctypes.addressof(table), name, None)
