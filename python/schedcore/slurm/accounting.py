"""What the accounting database says: ``sacctmgr dump`` for accounts and users, ``sacctmgr -P show qos`` for classes.

A line of a dump is ``Account - 'physics':Fairshare=30:GrpTRES=cpu=100,gres/gpu:a100=4``. A colon ends a field only
where the name of another one follows; texts in quotes may hold anything.
"""

import dataclasses
import itertools
import re
from collections.abc import Mapping

from schedcore.errors import InvalidInstanceError
from schedcore.model.real_numbers import shown

from .records import Record

__all__ = ["Association", "QosRow", "read_associations", "read_qos"]

_LINE = re.compile(r"(Cluster|Parent|Account|User)\s*-\s*'?([^':]+)'?(?::(.*))?", re.IGNORECASE)
_FIELDS = (
    *(
        "AdminLevel",
        "Classification",
        "Comment",
        "Coordinator",
        "DefaultAccount",
        "DefaultQOS",
        "DefaultWCKey",
    ),
    *(
        "Description",
        "Fairshare",
        "Flags",
        "GrpCPUMins",
        "GrpCPURunMins",
        "GrpCPUs",
        "GrpJobs",
        "GrpJobsAccrue",
    ),
    *(
        "GrpMemory",
        "GrpNodes",
        "GrpSubmit",
        "GrpSubmitJobs",
        "GrpTRES",
        "GrpTRESMins",
        "GrpTRESRunMins",
        "GrpWall",
    ),
    *("MaxCPUMins", "MaxCPUMinsPerJob", "MaxCPUs", "MaxCPUsPerJob", "MaxJobs", "MaxJobsAccrue", "MaxNodes"),
    *(
        "MaxNodesPerJob",
        "MaxSubmit",
        "MaxSubmitJobs",
        "MaxTRES",
        "MaxTRESMins",
        "MaxTRESMinsPerJob",
        "MaxTRESPerJob",
    ),
    *(
        "MaxTRESPerNode",
        "MaxTRESPN",
        "MaxWall",
        "MaxWallDuration",
        "MaxWallDurationPerJob",
        "MinPrioThreshold",
    ),
    *("Organization", "Partition", "Priority", "QOS", "RawUsage", "WCKeys"),
)
_FIELD = re.compile(rf"(?:^|:)({'|'.join(_FIELDS)})\s*=", re.IGNORECASE)
_QUOTED = re.compile(r"'[^']*'")


@dataclasses.dataclass(frozen=True)
class Association:
    """An account, or a user in one.

    Parameters
    ----------
    kind : {"cluster", "account", "user"}
    name : str
    parent : str
        The account above it; empty for a cluster, "root" at the top.
    record : Record
        Its fields.
    """

    kind: str
    name: str
    parent: str
    record: Record


@dataclasses.dataclass(frozen=True)
class QosRow:
    """A quality of service.

    Parameters
    ----------
    name : str
    record : Record
        The columns of ``sacctmgr -P show qos``.
    """

    name: str
    record: Record

    @property
    def preempts(self) -> tuple[str, ...]:
        """The names of those whose jobs it may preempt."""
        return tuple(filter(None, (name.strip() for name in (self.record.text("Preempt") or "").split(","))))


def read_associations(text: str, source: str) -> list[Association]:
    """Read the output of ``sacctmgr dump``.

    Raises
    ------
    InvalidInstanceError
        For a line that is none of it, and an account below one that is not there; names the file and the line.
    """
    associations: list[Association] = []
    parent, known = "", {"root"}
    for number, line in enumerate(text.splitlines(), 1):
        content = line.strip()
        if not content or content.startswith("#"):
            continue
        place = f"{source}: line {number}"
        match = _LINE.fullmatch(content)
        if match is None:
            raise InvalidInstanceError(
                f"{place}: {content[:50]!r} is not as Account - 'physics':Fairshare=30"
            )
        kind, name = match[1].lower(), match[2].strip()
        if kind == "parent":
            if name not in known:
                raise InvalidInstanceError(
                    f"{place}: there is no account {shown(repr(name))} above this line"
                )
            parent = name
            continue
        if kind == "account":
            known.add(name)
        above = "" if kind == "cluster" else parent or "root"
        associations.append(Association(kind, name, above, Record(_fields(match[3] or "", place), place)))
    return associations


def read_qos(text: str, source: str) -> list[QosRow]:
    """Read the output of ``sacctmgr -P show qos``: names of columns in the first line, fields between ``|``.

    Raises
    ------
    InvalidInstanceError
        Without a column Name, and for a line of another number of fields; names the file and the line.
    """
    lines = [(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    if not lines:
        return []
    columns = [name.strip() for name in lines[0][1].split("|")]
    if "name" not in map(str.lower, columns):
        raise InvalidInstanceError(
            f"{source}: line {lines[0][0]}: no column Name; was sacctmgr show qos run with -n, or without -P?"
        )
    rows = []
    for number, line in lines[1:]:
        place, fields = f"{source}: line {number}", line.split("|")
        if len(fields) != len(columns):
            raise InvalidInstanceError(
                f"{place}: {len(fields)} fields, but the first line names {len(columns)}"
            )
        record = Record(dict(zip(columns, fields, strict=True)), place)
        rows.append(QosRow(record.needed("Name"), record))
    return rows


def _fields(text: str, place: str) -> Mapping[str, str]:
    # Quoted texts are taken out first, so that nothing in them looks like a field.
    quoted = _QUOTED.findall(text)
    bare = _QUOTED.sub("\0", text)
    found = list(_FIELD.finditer(bare))
    if bare and (not found or found[0].start() != 0):
        raise InvalidInstanceError(f"{place}: {text[:40]!r} begins with no known field")
    fields: dict[str, str] = {}
    texts = iter(quoted)
    for match, following in itertools.zip_longest(found, found[1:]):
        value = bare[match.end() : following.start() if following else len(bare)]
        fields[match[1]] = re.sub("\0", lambda _: next(texts)[1:-1], value)
    return fields
