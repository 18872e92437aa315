"""When are two model objects the same? When their contents are: one hash decides equality and `hash()`.

The content hash is SHA-256 over a canonical encoding: every value carries a tag and its length, numbers are
little-endian, mappings are sorted. It is the same in every process and on every platform.
"""

import hashlib
import struct
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, ClassVar, Self

import numpy as np

__all__ = ["Record", "content_hash"]


def content_hash(kind: str, fields: Mapping[str, object]) -> str:
    """Return the SHA-256 hex digest of named values.

    Handles None, bool, int, float, str, bytes, Fraction, NumPy scalars and numeric arrays, records, lists and
    tuples (alike), mappings, and named functions and classes (by module and qualified name).

    Raises
    ------
    TypeError
        For any other type.

    Notes
    -----
    O(size) time; arrays are hashed in place.
    """
    hasher = hashlib.sha256()
    _feed(hasher, kind)
    _feed(hasher, fields)
    return hasher.hexdigest()


class Record:
    """An immutable value: named fields, compared, hashed, pickled and copied by content.

    Subclasses list their fields in `_fields` and set them once, with `_assign`. Arrays among them are
    read-only.
    """

    __slots__ = ("_digest",)
    _fields: ClassVar[tuple[str, ...]] = ()
    _setters: ClassVar[Mapping[str, Callable[[object, object], None]]] = {}
    _digest: str | None

    def __init_subclass__(cls) -> None:
        """Keep what sets each slot: `__setattr__` refuses, and its base class looks every name up again."""
        super().__init_subclass__()
        slots = [name for ancestor in cls.__mro__ for name in getattr(ancestor, "__slots__", ())]
        cls._setters = {name: getattr(cls, name).__set__ for name in slots if name != "__dict__"}

    def content_hash(self) -> str:
        """Return the SHA-256 hex digest of the contents, the same on every platform; O(size), then kept."""
        if self._digest is None:
            object.__setattr__(self, "_digest", content_hash(type(self).__name__, self._contents()))
        assert self._digest is not None
        return self._digest

    def _contents(self) -> dict[str, object]:
        return {name: getattr(self, name) for name in self._fields}

    def _assign(self, **values: object) -> None:
        self._fill(values)

    def _fill(self, values: Mapping[str, object]) -> None:
        setters = self._setters
        for name, value in values.items():
            if isinstance(value, np.ndarray) and value.flags.writeable:
                value.setflags(write=False)
            setters[name](self, value)
        setters["_digest"](self, None)

    @classmethod
    def _restore(cls, values: dict[str, object]) -> Self:
        """Build an object from fields that are already checked."""
        record = cls.__new__(cls)
        record._fill(values)
        return record

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Record) or type(self) is not type(other):
            return NotImplemented
        return self.content_hash() == other.content_hash()

    def __hash__(self) -> int:
        return hash(self.content_hash())

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self)._restore, (self._contents(),)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} is immutable; cannot set {name}")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{type(self).__name__} is immutable; cannot delete {name}")


def _feed(hasher: "hashlib._Hash", value: object) -> None:
    """Add one value to the hash: a tag, the length of what follows, and the value itself."""
    match value:
        case None:
            _block(hasher, b"none", b"")
        case bool() | np.bool_():
            _block(hasher, b"bool", b"1" if value else b"0")
        case int() | np.integer():
            _block(hasher, b"int", str(int(value)).encode())
        case float() | np.floating():
            _block(hasher, b"float", struct.pack("<d", float(value)))
        case str():
            _block(hasher, b"str", value.encode())
        case bytes():
            _block(hasher, b"bytes", value)
        case Fraction():
            _block(hasher, b"fraction", str(value).encode())
        case np.ndarray() if value.dtype.kind in "biuf":
            array = np.ascontiguousarray(value, dtype=value.dtype.newbyteorder("<"))
            _block(hasher, b"array", f"{array.dtype.str} {value.shape}".encode())
            hasher.update(array.reshape(-1).view(np.uint8).data)
        case Record():
            _block(hasher, b"record", value.content_hash().encode())
        case list() | tuple():
            _block(hasher, b"sequence", str(len(value)).encode())
            for item in value:
                _feed(hasher, item)
        case Mapping():
            _block(hasher, b"mapping", str(len(value)).encode())
            for key in sorted(value, key=str):
                _feed(hasher, key)
                _feed(hasher, value[key])
        case _ if callable(value) and hasattr(value, "__qualname__"):
            _block(hasher, b"callable", f"{value.__module__}.{value.__qualname__}".encode())
        case _:
            raise TypeError(f"{type(value).__name__} has no content hash")


def _block(hasher: "hashlib._Hash", tag: bytes, payload: bytes) -> None:
    hasher.update(b"%s:%d:" % (tag, len(payload)))
    hasher.update(payload)
