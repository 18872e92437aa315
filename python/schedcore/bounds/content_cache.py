"""Remember what was computed for an instance without keeping the instance alive.

Instances are immutable and equal when their content hashes are, and each keeps its hash once computed. So a
few results under the hash serve every copy of an instance, in any thread.
"""

from collections import OrderedDict
from collections.abc import Callable
from typing import Generic, Protocol, TypeVar

from schedcore.model.process_lock import ProcessLock

__all__ = ["ContentCache"]

_Value = TypeVar("_Value")


class _Hashed(Protocol):
    def content_hash(self) -> str: ...


_Content = TypeVar("_Content", bound=_Hashed)


class ContentCache(Generic[_Value]):
    """The most recent results of one function of an instance, or of anything that has a content hash.

    Threads that ask for the same missing value at once may each compute it; all get an equal one. Nothing is
    remembered of a computation that raised.
    """

    def __init__(self, max_entries: int = 256) -> None:
        self._values: OrderedDict[str, _Value] = OrderedDict()
        self._max_entries = max_entries
        self._lock = ProcessLock()

    def get(
        self,
        inst: _Content,
        compute: Callable[[_Content], _Value],
        keep: Callable[[_Value], bool] = lambda value: True,
    ) -> _Value:
        """Return the remembered value for `inst`, or compute it, without the lock; remember it if `keep` says so."""
        key = inst.content_hash()
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
                return self._values[key]
        value = compute(inst)
        if not keep(value):
            return value
        with self._lock:
            self._values[key] = value
            if len(self._values) > self._max_entries:
                self._values.popitem(last=False)
        return value
