"""The page of settings names every setting that is known, and calls "not modelled" what is reported as that."""

import ast
import inspect
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

import schedcore
from schedcore import slurm
from schedcore.slurm.backfill_settings import _HARMLESS, _MODELLED, _WHY
from schedcore.slurm.known_settings import KNOWN_SETTINGS, KNOWN_WORDS
from schedcore.slurm.limit_rules import _OTHERS
from schedcore.slurm.partitions import _RESTRICTING
from slurm.small_cluster import CONFIGURATION

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "scheduler-settings.md").read_text(encoding="utf-8")
PARAMETERS, NODES, PARTITIONS, ACCOUNTS = (
    "Slurm: SchedulerParameters",
    "Slurm: lines of nodes",
    "Slurm: lines of partitions",
    "Slurm: accounts, users and QOS",
)
OF_THE_CLUSTER = (
    "Slurm: the scheduler",
    "Slurm: order of the queue",
    "Slurm: what is handed out",
    "Slurm: preemption",
    "Slurm: limits",
    "Slurm: how runs end, and start again",
    "Slurm: nodes that sleep, fail and come back",
    "Slurm: what decides nothing",
)
MULTIFACTOR = "PriorityType=priority/multifactor\nPriorityWeightFairshare=1\n"
#: Settings of the whole cluster that are reported as not modelled.
REPORTED = (
    "SchedulerType=sched/other",
    "PriorityType=priority/other",
    MULTIFACTOR,
    MULTIFACTOR + "PriorityWeightJobSize=1",
    MULTIFACTOR + "PriorityWeightAssoc=1\nPriorityWeightTRES=CPU=1\nPrioritySiteFactorPlugin=site_factor/x",
    MULTIFACTOR + "PriorityUsageResetPeriod=MONTHLY",
    MULTIFACTOR + "PriorityFlags=MAX_TRES",
    "SelectTypeParameters=CR_Socket",
    "Licenses=a",
    "TopologyPlugin=topology/tree",
    "PreemptType=preempt/other",
    "PreemptType=preempt/qos\nPreemptMode=REQUEUE\nPreemptExemptTime=10",
    "PreemptType=preempt/qos\nPreemptMode=SUSPEND,GANG",
    "OverTimeLimit=10",
)
#: What of the page's names of this library is where.
OWNERS = {
    each.__name__: each
    for each in (
        *(
            schedcore.Site,
            schedcore.Partition,
            schedcore.ServiceClass,
            schedcore.Limit,
            schedcore.Multifactor,
        ),
        *(schedcore.Jobs, schedcore.Machines, schedcore.OnlineScheduler, slurm.SlurmState, slurm.SlurmSite),
    )
}


class Row(NamedTuple):
    """A row of a table: the names in its first column, what stands in the others, and its section."""

    section: str
    names: tuple[str, ...]
    here: str
    changes: str

    @property
    def is_reported(self) -> bool:
        """Whether the page says that schedcore tells of it."""
        return "not modelled" in self.here and "listed" not in self.here

    @property
    def may_be_reported(self) -> bool:
        """Whether it tells of it, perhaps for some values alone."""
        return self.is_reported or ("listed" in self.here + self.changes and "not listed" not in self.here)


def rows_of(page: str) -> Iterator[Row]:
    section = ""
    for line in page.splitlines():
        if line.startswith("#"):
            section = line.lstrip("# ")
        elif line.startswith("|") and not line.startswith("| ---"):
            cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
            assert len(cells) == 3, line
            assert all(cells), line
            yield Row(section, tuple(re.findall(r"`([^`]+)`", cells[0])), cells[1], cells[2])


ROWS = [row for row in rows_of(PAGE.partition("\n## Slurm\n")[2]) if row.names]


def named(*sections: str) -> Counter[str]:
    """How often each name stands in the first column, in lower case."""
    return Counter(name.lower() for row in ROWS if row.section in sections for name in row.names)


def reported(folder: Path, more: str, **others: str) -> set[str]:
    (folder / "slurm.conf").write_text(CONFIGURATION + more + "\n")
    for name, text in others.items():
        (folder / f"{name}.txt").write_text(text)
    return {finding.setting for finding in slurm.read_site(folder).not_modelled}


def test_every_setting_of_a_cluster_stands_once_and_nothing_else_does() -> None:
    found = named(*OF_THE_CLUSTER)
    assert set(found) == KNOWN_SETTINGS
    assert [name for name, number in found.items() if number > 1] == []


def test_every_parameter_of_the_scheduler_stands_once_under_what_is_made_of_it() -> None:
    kinds: dict[str, set[str]] = {"modelled": set(), "not modelled": set(), "-": set()}
    for row in ROWS:
        if row.section == PARAMETERS:
            kind = row.here if row.here in kinds else "modelled"
            kinds[kind] |= {name.lower() for name in row.names}
    assert kinds == {"modelled": set(_MODELLED), "not modelled": set(_WHY), "-": set(_HARMLESS)}
    assert max(named(PARAMETERS).values()) == 1


@pytest.mark.parametrize("first", sorted(KNOWN_WORDS))
def test_every_word_of_a_line_stands_on_the_page(first: str) -> None:
    if first == "partitionname":
        assert named(PARTITIONS) == Counter(KNOWN_WORDS[first])
    elif first == "nodename":
        others = [row for row in ROWS if row.section == NODES and row.names[0].lower() in KNOWN_WORDS]
        lines = named(NODES) - Counter(
            name.lower() for row in others if row.names[0] != "NodeName" for name in row.names
        )
        assert lines == Counter(KNOWN_WORDS[first])
    else:
        (row,) = (row for row in ROWS if row.section == NODES and row.names[0].lower() == first)
        assert {name.lower() for name in row.names} == KNOWN_WORDS[first]


def test_what_is_reported_of_a_cluster_is_what_the_page_calls_so(tmp_path: Path) -> None:
    found = set[str]().union(*(reported(tmp_path, more) for more in REPORTED))
    found = {name for name in found if ":" not in name}
    rows = [row for row in ROWS if row.section in OF_THE_CLUSTER]
    assert found <= {name for row in rows if row.may_be_reported for name in row.names}
    assert {name for row in rows if row.is_reported for name in row.names} <= found


def test_what_is_reported_of_partitions_is_what_the_page_calls_so(tmp_path: Path) -> None:
    telling = {
        "MinNodes": "2", "OverSubscribe": "FORCE:4", "AllowAccounts": "a", "DenyAccounts": "a", "AllowQos": "a",
        "DenyQos": "a", "QOS": "a", "State": "DOWN",
    } | dict.fromkeys(_RESTRICTING, "7")  # fmt: skip
    found = reported(tmp_path, "PartitionName=x Nodes=n1 " + " ".join(f"{k}={v}" for k, v in telling.items()))
    names = {setting.removeprefix("partition: ").lower() for setting in found}
    assert names == {name.lower() for name in telling}
    rows = [row for row in ROWS if row.section == PARTITIONS]
    assert names <= {name.lower() for row in rows if row.may_be_reported for name in row.names}
    assert {name.lower() for row in rows if row.is_reported for name in row.names} <= names | {"shared"}


def test_limits_that_are_reported_are_those_that_the_page_calls_so(tmp_path: Path) -> None:
    qos = "|".join(("Name", *_OTHERS)) + "\n" + "|".join(("normal", *("cpu=1" for _ in _OTHERS))) + "\n"
    found = reported(tmp_path, "AccountingStorageEnforce=limits", sacctmgr_qos=qos)
    assert {f"sacctmgr: {name}" for name in _OTHERS} <= found
    rows = [row for row in ROWS if row.section == ACCOUNTS and row.is_reported]
    assert set(_OTHERS) <= {name for row in rows for name in row.names}


def test_whatever_else_is_reported_can_be_searched_for() -> None:
    """Findings are told in words such as ``job: features``; those that the sources write out stand on the page."""
    words = re.compile(r"(running job|job|reservation|sacct|sacctmgr|node): (\S.*)?\S")
    said = {
        node.value
        for path in (ROOT / "python" / "schedcore" / "slurm").glob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and words.fullmatch(node.value)
    }
    assert {"job: features", "sacctmgr: nested accounts", "running job: SUSPENDED"} <= said
    told = set(re.findall(r"`([^`]+)`", PAGE)) | {
        f"sacctmgr: {name}" for name in re.findall(r"`(\w+)`", PAGE)
    }
    assert said - told == set()


def test_names_of_this_library_exist() -> None:
    mentioned = set(re.findall(r"`([A-Z]\w+)\.(\w+)`", PAGE))
    assert {owner for owner, _ in mentioned} <= set(OWNERS)
    assert len(mentioned) > 50
    missing = [
        f"{owner}.{name}"
        for owner, name in sorted(mentioned)
        if not hasattr(OWNERS[owner], name) and name not in inspect.signature(OWNERS[owner]).parameters
    ]
    assert missing == []
