"""What the bytes of a saved scheduler look like: a header that says what it is, the engine's own part, a checksum.

In this order: the line ``schedcore snapshot <format>``, the length of the header (8 bytes, little endian), the header
(JSON in UTF-8), the engine's part, and the SHA-256 of everything before it. The header holds the version of the
library, the order of bytes, the policy, its options, the machines and the rules of the site. All of it is data:
nothing is executed, and a callable is not stored. The number of the format changes whenever old bytes would be read as
something else; other numbers are refused.
"""

import hashlib
import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, cast

import numpy as np

from schedcore import _core
from schedcore.errors import InvalidInstanceError
from schedcore.model import Machines, Site
from schedcore.model.incidents import KILLED
from schedcore.model.site_json import CALLABLE, has_callable_order, site_as_json, site_from_json

__all__ = ["FORMAT", "SavedScheduler", "damaged", "other_format"]

# 1 were the pickles of versions before `save`; 2 did not say where jobs may run, 3 knew no failures, 4 none of the
# other changes to machines and jobs, 5 no machines that join, or have more or less than before, and 7 no
# rules of a site.
FORMAT = 8
_MAGIC = b"schedcore snapshot "
_DIGITS = 9  # of the format's number, at most
_LENGTH = 8
_CHECKSUM = hashlib.sha256().digest_size


def other_format(found: int) -> InvalidInstanceError:
    """Return the error for bytes of another format."""
    return InvalidInstanceError(f"snapshot format {found}, this build reads format {FORMAT}")


@dataclass(frozen=True, slots=True)
class SavedScheduler:
    """A scheduler as it stands in bytes; `options` has no callable, but `has_callable` says that there was one."""

    policy: str
    machines: Machines
    options: dict[str, Any]
    has_callable: bool
    killed: str
    infeasible: str
    site: dict[str, Any] | None  # as `site_as_json` says it
    users: dict[int, str]  # by the id of a job
    is_own: bool  # the policy is none of the library's
    engine: bytes

    @classmethod
    def of(
        cls,
        policy: str,
        machines: Machines,
        options: Mapping[str, Any],
        killed: str,
        infeasible: str,
        site: Site | None,
        users: dict[int, str],
        is_own: bool,
        engine: bytes,
    ) -> "SavedScheduler":
        """Tell a callable heuristic, which is left out, from the other options."""
        is_option = callable(options.get("heuristic"))
        kept = {name: value for name, value in options.items() if not (is_option and name == "heuristic")}
        rules = None if site is None else site_as_json(site)
        has_callable = is_option or (rules is not None and has_callable_order(rules))
        return cls(policy, machines, kept, has_callable, killed, infeasible, rules, users, is_own, engine)

    @property
    def orders_by_callable(self) -> bool:
        """Whether the callable is the order of the site."""
        return self.site is not None and has_callable_order(self.site)

    def to_bytes(self) -> bytes:
        """Return the bytes; the same scheduler has the same ones."""
        options = {name: _plain(name, value) for name, value in self.options.items()}
        if self.has_callable and not self.orders_by_callable:
            options["heuristic"] = CALLABLE
        header = {
            "library": _core.build_config()["version"],
            "byte_order": sys.byteorder,
            "policy": self.policy,
            "own": self.is_own,
            "options": options,
            "killed": self.killed,
            "infeasible": self.infeasible,
            "site": self.site,
            "users": {str(job): self.users[job] for job in sorted(self.users)},
            **self.machines.as_json(),
        }
        text = json.dumps(header, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()
        body = b"%b%d\n%b%b%b" % (_MAGIC, FORMAT, len(text).to_bytes(_LENGTH, "little"), text, self.engine)
        return body + hashlib.sha256(body).digest()

    @classmethod
    def from_bytes(cls, data: bytes) -> "SavedScheduler":
        """Read what `to_bytes` wrote; any other bytes are an `InvalidInstanceError`."""
        line, end, _ = data[: len(_MAGIC) + _DIGITS + 1].partition(b"\n")
        number = line.removeprefix(_MAGIC)
        if not line.startswith(_MAGIC) or not end or not number.isdigit() or number.startswith(b"0"):
            raise InvalidInstanceError("these bytes are not a saved scheduler")
        if number != b"%d" % FORMAT:
            raise other_format(int(number))
        body = data[:-_CHECKSUM]
        start = len(line) + 1 + _LENGTH
        if len(body) < start or hashlib.sha256(body).digest() != data[-_CHECKSUM:]:
            raise damaged("its checksum is that of other bytes")
        length = int.from_bytes(body[start - _LENGTH : start], "little")
        if length > len(body) - start:
            raise damaged("it ends too early")
        try:
            header = json.loads(body[start : start + length].decode())
            byte_order = _text(header["byte_order"])
            options = dict(header["options"])
            has_callable = options.get("heuristic") == CALLABLE
            if has_callable:
                del options["heuristic"]
            site = header["site"]
            if site is not None:
                site_from_json(site, order="arrival")  # or says what is wrong
                has_callable = has_callable or has_callable_order(site)
            saved = cls(
                _text(header["policy"]),
                Machines.from_json(header),
                {_text(name): _option(value) for name, value in options.items()},
                has_callable,
                _one_of(KILLED, header["killed"]),
                _one_of(("refuse", "wait"), header["infeasible"]),
                site,
                {_id(job): _text(user) for job, user in dict(header["users"]).items()},
                _truth(header["own"]),
                body[start + length :],
            )
        except (KeyError, TypeError, ValueError, ArithmeticError, RecursionError) as error:
            raise damaged(f"its header: {error}") from error
        if byte_order != sys.byteorder:
            raise InvalidInstanceError(f"the snapshot was saved on a {byte_order}-endian machine")
        return saved


def damaged(what: str) -> InvalidInstanceError:
    """Return the error for bytes that no scheduler was saved as."""
    return InvalidInstanceError(f"the snapshot is damaged: {what}")


def _one_of(choices: tuple[str, ...], value: object) -> str:
    if value not in choices:
        raise ValueError(f"{value!r} is none of {', '.join(choices)}")
    return str(value)


def _truth(value: object) -> bool:
    if not isinstance(value, bool):
        raise TypeError(f"{value!r} is neither true nor false")
    return value


def _id(value: object) -> int:
    number = int(_text(value))
    if str(number) != value or not 0 <= number < 2**63 - 1:
        raise ValueError(f"{value!r} is no id of a job")
    return number


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is no name")
    return value


def _plain(name: str, value: object) -> object:
    """The value of an option as JSON has it, exactly; fractions and pairs are objects."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Fraction):
        return {"fraction": [value.numerator, value.denominator]}
    if isinstance(value, tuple | list):
        return {"items": [_plain(name, item) for item in value]}
    raise TypeError(
        f"{name} = {value!r} cannot be saved: it is neither text, a number, a fraction nor a list of them"
    )


def _option(value: object) -> object:
    if isinstance(value, dict):
        if value.keys() == {"fraction"}:
            numerator, denominator = cast(list[int], value["fraction"])
            return Fraction(numerator, denominator)
        if value.keys() == {"items"}:
            return tuple(_option(item) for item in value["items"])
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise TypeError(f"{value!r} is no option")
