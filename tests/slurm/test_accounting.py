"""What sacctmgr dumps and shows is read with nested accounts, quotes, and colons within resources."""

import pytest

from schedcore import InvalidInstanceError
from schedcore.slurm.accounting import read_associations, read_qos

DUMP = """\
# To edit this file start with a cluster line for the new cluster
Cluster - 'one':Fairshare=1:QOS='normal'
Parent - 'root'
User - 'root':DefaultAccount='root':AdminLevel='Administrator':Fairshare=1
Account - 'physics':Description='a: b':Organization='x':Fairshare=30:GrpTRES=cpu=100,gres/gpu:a100=4:GrpJobs=9
Account - 'art':Description='art':Fairshare=10
Parent - 'physics'
Account - 'plasma':Fairshare=2
User - 'ann':DefaultAccount='physics':Fairshare=5:MaxJobs=4
"""


def test_fields_end_where_another_one_begins() -> None:
    physics = next(each for each in read_associations(DUMP, "dump") if each.name == "physics")
    assert physics.record.text("Description") == "a: b"
    assert physics.record.tres("GrpTRES") == {"cpu": 100, "gres/gpu:a100": 4}
    assert physics.record.count("GrpJobs") == 9


def test_everybody_has_the_parent_that_stands_above() -> None:
    told = [(each.kind, each.name, each.parent) for each in read_associations(DUMP, "dump")]
    assert told == [
        ("cluster", "one", ""),
        ("user", "root", "root"),
        ("account", "physics", "root"),
        ("account", "art", "root"),
        ("account", "plasma", "physics"),
        ("user", "ann", "physics"),
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Cluster - 'one'\nwhatever\n", "dump: line 2: 'whatever' is not as Account"),
        ("Parent - 'nobody'\n", "dump: line 1: there is no account 'nobody'"),
        ("Account - 'a':Colour=3\n", "dump: line 1: 'Colour=3' begins with no known field"),
    ],
)
def test_other_lines_are_refused_with_their_place(text: str, message: str) -> None:
    with pytest.raises(InvalidInstanceError, match=message):
        read_associations(text, "dump")


def test_classes_are_read_by_the_names_of_their_columns() -> None:
    high, low = read_qos("Name|Priority|Preempt|GrpTRES\nhigh|100|low,idle|cpu=5\nlow|0||\n", "qos")
    assert (high.name, high.preempts, high.record.count("Priority")) == ("high", ("low", "idle"), 100)
    assert (low.preempts, low.record.tres("GrpTRES")) == ((), {})
    with pytest.raises(InvalidInstanceError, match="qos: line 2: 1 fields, but the first line names 2"):
        read_qos("Name|Priority\nhigh\n", "qos")
    with pytest.raises(InvalidInstanceError, match="qos: line 1: no column Name"):
        read_qos("high|100\n", "qos")
