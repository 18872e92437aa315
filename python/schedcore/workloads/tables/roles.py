"""What a column of a table of jobs may mean, and by which names it is recognised.

A role has names of several ranks: of two columns with names of one rank nobody can tell which is meant, a name of an
earlier rank goes before one of a later.
"""

import dataclasses
import itertools
from collections.abc import Iterable
from typing import Literal

from schedcore.workloads.tables.column_names import NameParts
from schedcore.workloads.tables.units import BYTES, SECONDS, SHARES

__all__ = ["RESOURCE", "ROLES", "Kind", "Role", "rank_of", "role_named", "unit_of_key"]

Kind = Literal["instant", "duration", "count", "bytes", "amount", "number", "name"]

#: What a further resource is called: ``resource:NAME``.
RESOURCE = "resource:"


@dataclasses.dataclass(frozen=True)
class Role:
    """A meaning of a column.

    Parameters
    ----------
    name : str
        As users write it.
    kind : str
        "instant", "duration", "count" (of processors and the like), "bytes", "amount" (a count or bytes), "number" or
        "name".
    ranks : tuple of frozenset of str
        Names as `NameParts` has them as stem, those that say it best first.
    is_resource : bool
        Whether jobs demand it.
    is_optional : bool
        Whether a column that is only recognised by its name is left out where nothing in it can be read as this.
    """

    name: str
    kind: Kind
    ranks: tuple[frozenset[str], ...] = ()
    is_resource: bool = False
    is_optional: bool = False

    def takes_unit(self, unit: str) -> bool:
        """Whether a name that ends with this unit may have this role."""
        units: dict[Kind, Iterable[str]] = {
            "instant": SECONDS,
            "duration": SECONDS,
            "count": SHARES,
            "bytes": BYTES,
            "amount": (*BYTES, *SHARES),
        }
        return unit in units.get(self.kind, ())


def _forms(stems: str, before: str = "", behind: str = "") -> frozenset[str]:
    """Return all stems, alone and with one of some words before or behind them."""
    words = stems.split()
    prefixed = (a + b for a, b in itertools.product(before.split(), words))
    suffixed = (a + b for a, b in itertools.product(words, behind.split()))
    return frozenset((*words, *prefixed, *suffixed))


def _instants(stems: str) -> frozenset[str]:
    return _forms(
        stems, "time date", "time at ts timestamp timestamputc date datetime epoch unix utc timeutc on"
    )


def _counts(stems: str) -> tuple[frozenset[str], ...]:
    """Plain counts, then what was asked for, then what was given."""
    plain = _forms(stems, "n num numberof nr no total", "count num")
    asked = _forms(stems, "req requested request reqd", "req requested request limit")
    given = _forms(stems, "alloc allocated", "alloc allocated")
    return plain, asked - plain, given - plain


_UNTIMED = frozenset(("time", "timestamp", "ts", "date", "datetime"))

#: All roles but further resources, in the order in which the reading is told.
ROLES: tuple[Role, ...] = (
    Role(
        "submit",
        "instant",
        (
            _instants("submit submitted submission release released"),
            _instants("created create creation arrival arrived arrive queued enqueued enqueue received"),
            _UNTIMED,
        ),
    ),
    Role(
        "start",
        "instant",
        (_instants("start started begin began"), _instants("launch launched scheduled dispatched")),
        is_optional=True,
    ),
    Role(
        "end",
        "instant",
        (
            _instants("end ended finish finished"),
            _instants("complete completed completion stop stopped terminated deleted deletion"),
        ),
        is_optional=True,
    ),
    Role(
        "runtime",
        "duration",
        (
            _forms("runtime duration elapsed elapsedtime processingtime executiontime exectime", "job actual"),
            _forms("length lifetime servicetime wallclock wallclocktime timeused ranfor"),
            frozenset(word for word in SECONDS if len(word) > 1) - {"min"},  # which is a minimum as well
        ),
    ),
    Role(
        "estimate",
        "duration",
        (
            _forms(
                "estimate estimatedtime estimatedruntime estimatedduration estimatedprocessingtime estruntime "
                "timelimit timelimitraw reqtime requestedtime requesttime requestedwalltime reqwalltime walltimelimit "
                "walltimerequested timerequested expectedruntime runtimeestimate maxruntime"
            ),
            _forms("walltime limit"),
        ),
        is_optional=True,
    ),
    Role(
        "wait",
        "duration",
        (_forms("wait waittime waiting waitingtime queuetime queuewait queuingdelay queueingdelay waited"),),
        is_optional=True,
    ),
    Role("cpus", "count", _counts("cpu cpus core cores vcpu vcpus processor processors proc procs"), is_resource=True),
    Role("memory", "bytes", _counts("mem memory ram"), is_resource=True),
    Role("gpus", "count", _counts("gpu gpus accelerator accelerators"), is_resource=True),
    Role("disk", "bytes", _counts("disk storage scratch diskspace"), is_resource=True),
    Role("nodes", "count", (_counts("nodes")[0] | {"nnode", "numnode", "nodecount"}, *_counts("nodes")[1:]),
         is_optional=True),
    Role("tasks", "count", (_counts("tasks")[0] | {"ntask", "numtask", "taskcount"},), is_optional=True),
    Role("user", "name", (_forms("user username userid uid"), _forms("owner submitter submittedby createdby"))),
    Role(
        "account",
        "name",
        (_forms("account accountname"), _forms("project projectname projectid"), _forms("group groupname gid team")),
    ),
    Role("partition", "name", (_forms("partition"), _forms("queue queuename"), _forms("pool"))),
    Role("service_class", "name", (_forms("qos serviceclass"),)),
    Role("priority", "number", (_forms("priority prio"),), is_optional=True),
    Role("weight", "number", (_forms("weight"),), is_optional=True),
    Role("id", "name", (_forms("jobid idjob"), _forms("id"), _forms("job jobnumber jobno jobnr"))),
    Role("name", "name", (_forms("jobname name title"),)),
)  # fmt: skip

_BY_NAME = {role.name: role for role in ROLES}
# Names that say no unit and always have one: Slurm's raw time limit counts minutes.
_UNITS_OF_KEYS = {"timelimitraw": "min"}


def role_named(name: str) -> Role | None:
    """Return a role by the name that users write, a further resource as well; None if there is none."""
    if name.startswith(RESOURCE) and name.removeprefix(RESOURCE):
        return Role(name, "amount", is_resource=True)
    return _BY_NAME.get(name)


def unit_of_key(key: str) -> str:
    """Return the unit that a column of this name always has without saying it, in small letters; else empty."""
    return _UNITS_OF_KEYS.get(key, "")


def rank_of(parts: NameParts, role: Role) -> int | None:
    """Return the rank of a name among those of a role, 0 for the best; None if it is none of them."""
    fits = (not parts.unit or role.takes_unit(parts.unit)) and (not parts.part or role.is_resource)
    for rank, names in enumerate(role.ranks):
        if parts.key in names or (fits and parts.stem in names):
            return rank
    return None
