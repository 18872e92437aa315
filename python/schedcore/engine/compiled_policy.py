"""Policies of your own that are machine code: in C, or in what compiles to functions that C can call, such as Numba."""

from __future__ import annotations

import ctypes
from types import SimpleNamespace
from typing import Any, Literal

from schedcore import _core
from schedcore.model.choices import checked_flag

from .own_policy import Policy
from .queue_features import QUEUE_FEATURES, SINGLE_TASK_FEATURES

__all__ = ["CompiledPolicy", "turn_functions"]

_CAPSULE = b"schedcore.policy"  # kept, as capsules do not copy their names
_TURN, _ID, _NUMBER = ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64
_NUMBERS = ctypes.POINTER(ctypes.c_int64)
# Of the functions of `schedcore_turn_functions`, what they return and what they are called with.
_SIGNATURES: dict[str, tuple[Any, ...]] = {
    "now": (ctypes.c_double, _TURN),
    "n_resources": (_NUMBER, _TURN),
    "n_ids": (_NUMBER, _TURN, _NUMBER),
    "ids": (_NUMBERS, _TURN, _NUMBER),
    "runs": (_NUMBERS, _TURN),
    "capacity": (_NUMBERS, _TURN),
    "free": (_NUMBERS, _TURN),
    "job": (_NUMBERS, _TURN, _ID),
    "demand": (_NUMBERS, _TURN, _ID),
    "is_waiting": (ctypes.c_int, _TURN, _ID),
    "first_fit": (_NUMBER, _TURN, _ID),
    "n_fits": (_NUMBER, _TURN, _ID),
    "fits": (_NUMBERS, _TURN, _ID),
    "start": (ctypes.c_int, _TURN, _ID, _NUMBER),
    "start_tasks": (ctypes.c_int, _TURN, _ID, _NUMBERS, _NUMBER),
    "wake": (ctypes.c_int, _TURN, ctypes.c_double),
    "fail": (ctypes.c_int, _TURN, ctypes.c_char_p),
    "room": (_NUMBERS, _TURN, _ID),
}


def turn_functions() -> SimpleNamespace:
    """Return what a turn can do as functions of `ctypes`, which Numba calls from compiled code.

    They are the functions of ``schedcore/policy.h`` (in `schedcore.get_include()`), under the names of the table there:
    ``n_ids(turn, list)``, ``ids(turn, list)``, ``first_fit(turn, id)``, ``start(turn, id, machine)`` and so on.
    Rows of structures are eight bytes a field: ``carray(job(turn, id), 8).view(np.float64)[2]`` is a processing time.
    """
    addresses = _core.engine.turn_function_addresses()
    return SimpleNamespace(
        **{name: ctypes.CFUNCTYPE(*types)(addresses[name]) for name, types in _SIGNATURES.items()}
    )


class CompiledPolicy(Policy):
    """A policy of your own in machine code, which is asked without the GIL.

    Parameters
    ----------
    policy : capsule or function
        A capsule named "schedcore.policy" around a ``schedcore_policy`` of ``schedcore/policy.h``. Or ``decide`` alone,
        ``int decide(void *state, schedcore_turn *turn)``, of a policy that remembers nothing: an object with an
        `address`, as ``numba.cfunc`` makes them, or a function of `ctypes`. (What one of `ctypes` raises in Python is
        printed and lost; for Python there is `Policy`.)
    name : str, optional
        Of a function; by default its own.
    takes_gangs : bool
        Of a function: whether it takes jobs of several tasks and exclusive ones. A capsule says so itself.
    decides_with : {"processing_time", "estimated_processing_time"}
        Of a function: what it is told of how long jobs take. A capsule says so itself.

    Raises
    ------
    InvalidInstanceError
        A table of another version, or one in which functions are missing.
        A `takes_gangs` that is not True or False.
    TypeError
        For what is neither a capsule of that name nor a function, and a `name` that is no text.

    Notes
    -----
    Whatever the pointers point to is called. The policy keeps the capsule, or the function.
    """

    def __init__(
        self,
        policy: Any,
        *,
        name: str | None = None,
        takes_gangs: bool = False,
        decides_with: Literal["processing_time", "estimated_processing_time"] = "processing_time",
    ) -> None:
        if name is not None and not isinstance(name, str):
            raise TypeError(f"name must be a str, not {name!r}")
        takes_gangs = checked_flag("takes_gangs", takes_gangs)
        if type(policy).__name__ == "PyCapsule":
            if name is not None or takes_gangs or decides_with != "processing_time":
                raise TypeError("a capsule says its name, what it takes and what it decides with itself")
            self._prototype = _core.engine.CompiledPolicy(policy)
            if self._prototype.uses_estimates:
                decides_with = "estimated_processing_time"
        else:
            self._prototype = _core.engine.CompiledPolicy.of_function(
                _address_of(policy),
                name=name or str(getattr(policy, "__name__", "compiled")),
                takes_gangs=takes_gangs,
                owner=policy,
            )
        # Each object has its own, in place of those of the class.
        vars(self).update(
            name=self._prototype.name,
            takes=QUEUE_FEATURES if self._prototype.takes_gangs else SINGLE_TASK_FEATURES,
            decides_with=decides_with,
        )

    @classmethod
    def at(cls, address: int) -> CompiledPolicy:
        """Return the policy whose ``schedcore_policy`` is at this address, as of a library that `ctypes` has loaded.

        It has to stay there.
        """
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        if not isinstance(address, int):
            raise TypeError(f"the address of a policy is an integer, not {type(address).__name__}")
        if not 0 < address < 2 ** (8 * ctypes.sizeof(ctypes.c_void_p)) or address % ctypes.alignment(
            ctypes.c_void_p
        ):
            raise ValueError(
                f"{address} is not the address of a policy; is the restype of its function c_void_p?"
            )
        return cls(new(address, _CAPSULE, None))

    def prototype(self) -> _core.engine.Policy:
        """Return the policy as the engine takes it."""
        return self._prototype

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError(f"policy {self.label} is machine code, which cannot be pickled")


def _address_of(function: Any) -> int:
    # One that numba has compiled says what it takes as a function of ctypes.
    typed = getattr(function, "ctypes", function)
    if isinstance(typed, ctypes._CFuncPtr):  # type: ignore[attr-defined]  # the base class of all functions
        if typed.restype is not ctypes.c_int:
            raise TypeError("decide returns a 32-bit integer: a ctypes.c_int, or an int32 of numba")
        if typed.argtypes is not None and len(typed.argtypes) != 2:
            raise TypeError(
                f"decide takes what it remembers and the turn, not {len(typed.argtypes)} arguments"
            )
    address = getattr(function, "address", None)
    if isinstance(address, int):
        return address
    if typed is function and isinstance(function, ctypes._CFuncPtr):  # type: ignore[attr-defined]
        return ctypes.cast(function, ctypes.c_void_p).value or 0
    raise TypeError(
        "a policy in machine code is a capsule named 'schedcore.policy', a function with an address, or one of ctypes, "
        f"not {type(function).__name__}"
    )
