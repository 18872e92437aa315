"""Which column means what: told by its name, by somebody, or refused with what to write."""

import pytest

from schedcore import InvalidInstanceError
from schedcore.workloads.tables.column_choice import choose_columns
from schedcore.workloads.tables.column_names import parts_of_name
from schedcore.workloads.tables.roles import ROLES


@pytest.mark.parametrize(
    ("name", "key", "stem", "unit", "part"),
    [
        ("created_at", "createdat", "createdat", "", ""),
        ("createdAt", "createdat", "createdat", "", ""),
        ("numCPUs", "numcpus", "numcpus", "", ""),
        ("jobID", "jobid", "jobid", "", ""),
        ("Memory (MB)", "memorymb", "memory", "mb", ""),
        ("memLimitGiB", "memlimitgib", "memlimit", "gib", ""),
        ("mem_per_cpu_mb", "mempercpumb", "mem", "mb", "cpu"),
        ("gpus per node", "gpuspernode", "gpus", "", "node"),
        ("runtime [s]", "runtimes", "runtime", "s", ""),
        ("secs", "secs", "secs", "", ""),
        ("cpu_milli", "cpumilli", "cpu", "milli", ""),
        ("CPU (%)", "cpupercent", "cpu", "percent", ""),
        ("Memory %", "memorypercent", "memory", "percent", ""),
    ],
)
def test_names_are_taken_apart(name: str, key: str, stem: str, unit: str, part: str) -> None:
    assert parts_of_name(name) == (key, stem, unit, part)


@pytest.mark.parametrize(
    ("role", "names"),
    [
        ("submit", "submit submit_time submitTime SubmitTime created_at createdAt arrival queued time_submit "
                   "submit_ts submission_time timestamp submit_ms release_time"),
        ("start", "start started_at start_time startTime begin launched_at"),
        ("end", "end finished_at ended completion_time stop_time deletion_time"),
        ("runtime", "runtime run_time duration elapsed secs runtime_s duration_min job_duration elapsed_time_ms "
                    "processing_time"),
        ("estimate", "estimate walltime timelimit requested_time time_limit_min walltime_requested"),
        ("wait", "wait wait_time queue_time waiting_time_s"),
        ("cpus", "cpus cores vcpu ncpus n_cpu num_cpu procs cpu_milli cpus_per_task req_cpus CPUs"),
        ("gpus", "gpus n_gpu num_gpus gpu_count gpus_per_node alloc_gpus"),
        ("memory", "memory mem mem_mb ram mem_gib mem_per_cpu requested_memory_gb memGB"),
        ("disk", "disk disk_gb storage"),
        ("nodes", "nodes n_nodes node_count num_nodes nnodes"),
        ("tasks", "tasks ntasks num_tasks"),
        ("user", "user owner username uid submitted_by"),
        ("account", "account project group"),
        ("partition", "partition queue pool"),
        ("service_class", "qos"),
        ("priority", "priority prio"),
        ("id", "id job_id jobid JobID job"),
        ("name", "name job_name"),
    ],
)  # fmt: skip
def test_roles_are_recognised_by_their_names(role: str, names: str) -> None:
    for name in names.split():
        chosen = choose_columns("jobs.csv", [name, "other"], None).chosen
        assert {found: column.column for found, column in chosen.items()} == {role: name}


def test_percent_of_memory_are_no_amount() -> None:
    chosen = choose_columns("jobs.csv", ["CPU (%)", "Memory (%)", "disk%"], None).chosen
    assert {role: (column.column, column.unit) for role, column in chosen.items()} == {
        "cpus": ("CPU (%)", "percent")
    }


def test_no_name_tells_two_roles() -> None:
    for role in ROLES:
        for other in ROLES:
            if role is not other:
                shared = frozenset().union(*role.ranks) & frozenset().union(*other.ranks)
                assert not shared, (role.name, other.name, shared)


def test_a_better_name_goes_first_and_equal_ones_are_refused() -> None:
    names = ["created_at", "submit_time", "runtime", "cores"]
    assert choose_columns("x", names, None).chosen["submit"].column == "submit_time"
    with pytest.raises(
        InvalidInstanceError, match=r"^jobs\.csv: runtime could be column duration or elapsed; say"
    ) as no:
        choose_columns("jobs.csv", ["submit", "duration", "elapsed", "cores"], "user=")
    assert str(no.value).endswith('columns="user=,runtime=duration"')
    said = choose_columns("x", ["submit", "duration", "elapsed"], "runtime=elapsed")
    assert said.chosen["runtime"].column == "elapsed"
    assert said.unused() == ["duration"]


@pytest.mark.parametrize(
    ("words", "column", "unit", "part"),
    [
        ("memory=a", "a", "", ""),
        ("memory=a:MB", "a", "mb", ""),
        ("memory=a:mb/cpu", "a", "mb", "cpu"),
        ("memory=a:/node", "a", "", "node"),
        ('memory="b:c, d"', "b:c, d", "", ""),
        ('memory="b:c, d":GB', "b:c, d", "gb", ""),
        ("memory=e:f", "e:f", "", ""),
        ("memory=g_kb", "g_kb", "kb", ""),
        ("memory=g_kb:MB", "g_kb", "mb", ""),
        ('memory="say ""h"""', 'say "h"', "", ""),
        (" submit = a , memory = e:f:GB ", "e:f", "gb", ""),
    ],
)
def test_what_is_said(words: str, column: str, unit: str, part: str) -> None:
    names = ["a", "b:c, d", "e:f", "g_kb", 'say "h"']
    chosen = choose_columns("x", names, words).chosen["memory"]
    assert (chosen.column, chosen.unit, chosen.part, chosen.is_guess) == (column, unit, part, False)


def test_a_mapping_says_the_same_and_an_empty_column_leaves_a_role_out() -> None:
    names = ["submit", "runtime", "cpus", "user", "power"]
    said = choose_columns("x", names, {"user": "", "resource:watts": "power"})
    assert list(said.chosen) == ["submit", "runtime", "cpus", "resource:watts"]
    assert said.unused() == ["user"]
    assert [column.role.name for column in said.resources()] == ["cpus", "resource:watts"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("submit", "'submit' is not ROLE=COLUMN"),
        ("=a", "is not ROLE=COLUMN"),
        ("submit=a,,", "is not ROLE=COLUMN"),
        ("submt=a", "unknown role 'submt' of a column; did you mean 'submit'"),
        ("resource:=a", "role"),
        ("submit=a,submit=b", "submit is said twice, a and b"),
        (
            "submit=creatd",
            r'no column .creatd. for submit .it has: a, b, created.; did you mean columns="submit=created',
        ),
        (
            "memory=a:hours",
            r"'hours' is no unit of memory .units: B, KB, MB, GB, TB, .*columns=\"memory=a\"$",
        ),
        ("submit=a:GB", "'GB' is no unit of submit"),
        ("runtime=a:dmy", "'dmy' is no unit of runtime"),
        ("user=a:s", "'s' is no unit of user"),
        ("memory=a:MB/month", "'MB/month' is no unit of memory"),
        ('submit="a', "is not ROLE=COLUMN"),
        ("x" * 20_000, "more than 10,000 characters"),
    ],
)
def test_what_is_said_wrongly_is_refused_in_one_sentence(words: str, message: str) -> None:
    with pytest.raises(InvalidInstanceError, match=message) as refused:
        choose_columns("jobs.csv", ["a", "b", "created"], words)
    assert "\n" not in str(refused.value)
