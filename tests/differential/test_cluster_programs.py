"""An embedded scheduler on a cluster decides as the reference, whatever happens to jobs and machines."""

import os

import pytest

from differential.cluster_cases import (
    ALL_SETTINGS,
    RULED_SETTINGS,
    SELECTING_SETTINGS,
    Setting,
    name_of,
)
from differential.cluster_programs import Program
from own_policies import OwnFirstFit, OwnRemembering

#: A setting is tried in so many programs; the heavy check sets more.
N_PROGRAMS = int(os.environ.get("SCHEDCORE_CLUSTER_PROGRAMS", "4"))
#: Programs that have found something among hundreds of others.
RARE_SEEDS = (128, 177, 210, 315, 337, 368, 478, 487, 1125, 1155, 1200, 1347, 2266)
SEEDS = (*range(N_PROGRAMS), *(seed for seed in RARE_SEEDS if seed >= N_PROGRAMS))
#: Of those whose queue obeys the rules of a site.
RULED_PROGRAMS = [
    (policy, options) for policy, options in RULED_SETTINGS if not any(map(callable, options.values()))
]
#: Of those who overtake in a queue.
CROWDED_PROGRAMS = [each for each in RULED_PROGRAMS if each[0] in ("first_fit", "easy", "pq")]
SETTINGS = [(policy, options) for policy, options in ALL_SETTINGS if not any(map(callable, options.values()))]


@pytest.mark.parametrize("setting", SETTINGS, ids=name_of)
def test_random_programs(setting: Setting) -> None:
    for seed in SEEDS:
        Program(seed, setting, n_plain_steps=seed % 3 * 6).run(40)


@pytest.mark.parametrize("setting", CROWDED_PROGRAMS, ids=name_of)
@pytest.mark.parametrize("has_rules", [False, True])
def test_random_programs_in_which_many_wait(setting: Setting, has_rules: bool) -> None:
    """So many that those who overtake are asked for by class."""
    for seed in range(7000, 7000 + max(5, N_PROGRAMS // 6)):
        Program(seed, setting, n_plain_steps=seed % 3 * 6, has_rules=has_rules, is_crowded=True).run(25)


@pytest.mark.parametrize("setting", RULED_PROGRAMS, ids=name_of)
def test_random_programs_under_rules(setting: Setting) -> None:
    for seed in SEEDS[: max(15, len(SEEDS) // 3)] if setting in SELECTING_SETTINGS else SEEDS:
        Program(seed, setting, n_plain_steps=seed % 3 * 6, has_rules=True).run(40)


@pytest.mark.parametrize("policy", [OwnFirstFit, OwnRemembering])
def test_random_programs_of_own_policies(policy: type[OwnFirstFit]) -> None:
    for seed in SEEDS:
        Program(seed, ("first_fit", {}), n_plain_steps=seed % 3 * 6, own=policy()).run(40)
