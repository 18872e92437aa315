"""The reservations of a cluster: ``scontrol show reservation`` as text or JSON."""

import dataclasses
from collections.abc import Iterable

from schedcore.errors import InvalidInstanceError
from schedcore.workloads.reading.hostlists import expand_hostlist

from .json_output import JsonObject
from .records import Record

__all__ = ["SlurmReservation", "reservations_of_json", "reservations_of_records"]


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class SlurmReservation:
    """A reservation of nodes for a time.

    Parameters
    ----------
    name : str
    start_time, end_time : float
        Seconds since 1970.
    nodes : tuple of str
        Empty where it reserves licenses alone.
    cores : int or None
        How many cores it has of these nodes in all.
    flags : tuple of str
        In capitals.
    users, accounts : tuple of str
        Whose jobs may use it.
    partition, licenses : str
    place : str
    """

    name: str
    start_time: float
    end_time: float
    nodes: tuple[str, ...] = ()
    cores: int | None = None
    flags: tuple[str, ...] = ()
    users: tuple[str, ...] = ()
    accounts: tuple[str, ...] = ()
    partition: str = ""
    licenses: str = ""
    place: str = ""

    @property
    def is_maintenance(self) -> bool:
        """Whether no job may run there."""
        return "MAINT" in self.flags


def reservations_of_records(records: Iterable[Record]) -> list[SlurmReservation]:
    """Return the reservations of ``scontrol show reservation``."""
    return [
        _checked(
            record.needed("ReservationName"),
            record.instant("StartTime"),
            record.instant("EndTime"),
            record.place,
            nodes=_hosts(record.text("Nodes"), record.place),
            cores=record.count("CoreCnt"),
            flags=_words((record.text("Flags") or "").upper()),
            users=_words(record.text("Users")),
            accounts=_words(record.text("Accounts")),
            partition=record.text("PartitionName") or "",
            licenses=record.text("Licenses") or "",
        )
        for record in records
    ]


def reservations_of_json(objects: Iterable[JsonObject]) -> list[SlurmReservation]:
    """Return the reservations of ``scontrol show reservation --json``, from 23.02 on."""
    return [
        _checked(
            each.needed("name"),
            each.instant("start_time"),
            each.instant("end_time"),
            each.place,
            nodes=_hosts(each.text("node_list"), each.place),
            cores=each.count("core_count"),
            flags=tuple(map(str.upper, each.words("flags"))),
            users=_words(each.text("users")),
            accounts=_words(each.text("accounts")),
            partition=each.text("partition") or "",
            licenses=each.text("licenses") or "",
        )
        for each in objects
    ]


def _checked(
    name: str, start: float | None, end: float | None, place: str, **others: object
) -> SlurmReservation:
    if start is None or end is None or not start < end:
        raise InvalidInstanceError(
            f"{place}: reservation {name} is from {start} to {end}, which is no span of time"
        )
    return SlurmReservation(name=name, start_time=start, end_time=end, place=place, **others)  # type: ignore[arg-type]


def _words(text: str | None) -> tuple[str, ...]:
    return tuple(filter(None, (word.strip() for word in (text or "").split(","))))


def _hosts(text: str | None, place: str) -> tuple[str, ...]:
    try:
        return expand_hostlist(text or "")
    except InvalidInstanceError as error:
        raise InvalidInstanceError(f"{place}: Nodes: {error}") from None
