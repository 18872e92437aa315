"""Figures and claims that cannot be drawn or measured are refused, with their place, their value and what was meant."""

import math
import re

import pytest

from experiments.described import REMOVED, changed, document, refused
from schedcore import InvalidInstanceError
from schedcore.experiments.description.document import from_document


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        # figures
        refused("figures/lines", 3, "'lines' = 3 must be a table"),
        refused("figures/lines/sweep", REMOVED, "figure 'lines': sweep is missing"),
        refused("figures/lines/sweep", "laod", "figure 'lines': unknown sweep 'laod'", "did you mean 'load'"),
        refused("figures/lines/sweep", 3, "figure 'lines': sweep = 3 must be a text"),
        refused("figures/a b", {"sweep": "load"}, "figures: the name 'a b' must consist of letters, digits"),
        refused("figures/lines/titel", "x", "figure 'lines': unknown key 'titel'", "did you mean 'title'"),
        refused("figures/lines/title", 3, "figure 'lines': title = 3 must be a text"),
        refused("figures/lines/kind", "line", "figure 'lines': unknown kind 'line'", "did you mean 'lines'"),
        refused("figures/lines/y", "awtc", "figure 'lines': unknown y 'awtc'", "did you mean 'awct'"),
        refused("figures/lines/y", "job_set", "figure 'lines': unknown y 'job_set'"),
        refused("figures/lines/y", "policy", "figure 'lines': unknown y 'policy'"),
        refused("figures/delays/y", "makespan", "figure 'delays': unknown y 'makespan'"),
        refused("figures/lines/x", REMOVED, "figure 'lines': a figure of kind 'lines' has an x"),
        refused("figures/bars/x", "n_jobs", "figure 'bars': a figure of kind 'bars' has no x"),
        refused(
            "figures/lines/x", "n_job", "figure 'lines': unknown parameter 'n_job'", "did you mean 'n_jobs'"
        ),
        refused("figures/lines/x", 3, "figure 'lines': x = 3 must be a text"),
        refused(
            "figures/lines/x_column", "n_job", "figure 'lines': unknown x_column", "did you mean 'n_jobs'"
        ),
        refused("figures/lines/unit", "day", "figure 'lines': unknown unit 'day'", "did you mean 'days'"),
        refused("figures/lines/unit_length", 0, "figure 'lines': unit_length = 0 must be positive"),
        refused("figures/lines/unit_length", math.inf, "unit_length = inf"),
        refused("figures/lines/unit_length", "1", "unit_length = '1' must be a number"),
        refused("figures/lines/unit_length", True, "unit_length = True must be a number"),
        refused("figures/delays/unit", REMOVED, "unit_length = 100.0 must be positive, with a unit"),
        refused("figures/lines/lower_bound", 1, "lower_bound = 1 must be true or false"),
        refused("figures/lines/log_x", "yes", "log_x = 'yes' must be true or false"),
        refused("figures/lines/where", REMOVED, "figure 'lines': n_resources has the values 1, 4", "where"),
        refused("figures/lines/where", [4], "figure 'lines': where = [4] must be a table"),
        refused("figures/lines/where/n_resources", 5, "no point of the sweep 'load' has {'n_resources': 5}"),
        refused("figures/lines/where/n_resource", 4, "parameter 'n_resource'", "mean 'n_resources'"),
        refused("figures/bars/workload", REMOVED, "figure 'bars': which workload of ['azure', 'patience']"),
        refused("figures/bars/workload", "recorded", "figure 'bars': unknown workload 'recorded'"),
        refused("figures/lines/policies", ["TETRIS"], "figure 'lines': unknown policy 'TETRIS'"),
        refused("figures/lines/policies", [], "figure 'lines': no policy is shown"),
        refused("figures/lines/policies", "PQ", "figure 'lines': policies = 'PQ' must be a list"),
        refused("figures/lines/policies", ["PQ", "PQ"], "policies = ['PQ', 'PQ'] lists 'PQ' twice"),
        refused("figures/lines/published/[key]", 3, "published '[key]' = 3 must be a list of numbers"),
        refused("figures/lines/published/TETRIS", [1, 2], "figure 'lines': unknown policy 'TETRIS'"),
        refused("figures/lines/published/PQ", [1], "1 published values of 'PQ' at 2 values of x"),
        refused("figures/lines/published/PQ", "12", "published 'PQ' = '12' must be a list"),
        refused("figures/lines/published/PQ", [1, "2"], "published 'PQ'[1] = '2' must be a number"),
        refused("figures/lines/published/PQ", [1, math.nan], "published 'PQ'[1] = nan"),
        refused("figures/lines/published", [1], "published = [1] must be a table"),
        refused("figures/lines/published_x", [20, 30], "published_x: n_jobs = 30 is not among [20, 40, 80]"),
        refused("figures/lines/published_x", 20, "published_x = 20 must be a list"),
        refused("figures/lines/published_x", [20, [40]], "published_x[1] = [40] must be a text, true"),
        refused("figures/bars/published", {"PQ": [3.0]}, "1 published values of 'PQ' at 0 values"),
        refused(
            "figures/packing/highlight", [True], "figure 'packing': highlight[0] = True must be an integer"
        ),
        refused("figures/packing/highlight", [-1], "highlight[0] = -1 must be at least 0"),
        refused("figures/packing/highlight", 7, "highlight = 7 must be a list"),
        refused("sweeps/packing/keep", REMOVED, "kind 'packing' needs keep = ['schedule']", "'packing'"),
        refused("sweeps/delays/keep", REMOVED, "kind 'delays' needs keep = ['delay_quantiles']"),
        # claims
        refused("figures/lines/claims", "x", "figure 'lines': claims = 'x' must be a list"),
        refused("figures/lines/claims", [3], "figure 'lines': claims[0] = 3 must be a table"),
        refused("figures/lines/claims/0/text", REMOVED, "figure 'lines', claim None: text is missing"),
        refused(
            "figures/lines/claims/0/ratio",
            REMOVED,
            "claim 'a ratio': one of ratio, gain,",
            "is needed, not 0",
        ),
        refused(
            "figures/lines/claims/0/value",
            "PQ",
            "claim 'a ratio': one of ratio, gain,",
            "is needed, not 2",
        ),
        refused("figures/lines/claims/0/ratios", ["PQ"], "key 'ratios'", "did you mean 'ratio'"),
        refused("figures/lines/claims/0/ratio", "PQ", "claim 'a ratio': ratio needs 2 policies, not 1"),
        refused("figures/lines/claims/0/ratio", 3, "claim 'a ratio': ratio = 3 must be a list of policies"),
        refused(
            "figures/lines/claims/0/ratio",
            ["MRIS", "pq"],
            "claim 'a ratio': unknown policy 'pq' (choices: MRIS, PQ)",
        ),
        refused("figures/lines/claims/2/value", ["PQ", "PQ"], "claim 'a value': value needs 1 policies"),
        refused("figures/lines/claims/0/at", REMOVED, "claim 'a ratio': at = [] needs 2 values of n_jobs"),
        refused("figures/lines/claims/0/at", [40], "claim 'a ratio': at = [40] needs 2 values of n_jobs"),
        refused("figures/lines/claims/0/at", 41, "claim 'a ratio': n_jobs = 41 is not among [20, 40, 80]"),
        refused(
            "figures/lines/claims/0/at", {"x": 1}, "claim 'a ratio': at[0] = {'x': 1} must be a text, true"
        ),
        refused("figures/lines/claims/3/at", 40, "claim 'a crossing': at = [40, 40] says nothing here"),
        refused("figures/lines/claims/0/between", [2, 1], "claim 'a ratio': between = [2, 1] is empty"),
        refused("figures/lines/claims/0/between", [1], "between = [1] must be two numbers"),
        refused("figures/lines/claims/0/between", 1, "between = 1 must be two numbers"),
        refused("figures/lines/claims/0/between", ["1", 2], "between = ['1', 2] must be two numbers"),
        refused("figures/lines/claims/0/between", [math.nan, 2], "between = [nan, 2]"),
        refused("figures/lines/claims/0/published", 2, "claim 'a ratio': it has both published and between"),
        refused("figures/lines/claims/0/more_than", 2, "claim 'a ratio': it has both more_than and between"),
        refused("figures/lines/claims/2/published", 0, "claim 'a value': published = 0 has no tenth"),
        refused("figures/lines/claims/2/less_than", math.inf, "less_than = inf must be a finite number"),
        refused("figures/lines/claims/2/less_than", True, "less_than = True must be a finite number"),
        refused("figures/lines/claims/2/why", 3, "claim 'a value': why = 3 must be a text"),
        refused("figures/lines/claims/0/within", 3, "claim 'a ratio': within = 3 belongs to a share"),
        refused("figures/delays/claims/0/within", -1, "claim 'a share': within = -1 must be a number"),
        refused("figures/delays/claims/0/at", 3, "claim 'a share': at = [3] says nothing here"),
        refused("figures/delays/claims/0/share", ["TETRIS"], "claim 'a share': unknown policy 'TETRIS'"),
        refused("figures/bars/claims", [{"text": "a", "share": "PQ"}], "share belongs to figures of kind"),
        refused("figures/delays/claims", [{"text": "a", "value": "PQ"}], "share belongs to figures of kind"),
        refused("figures/bars/claims", [{"text": "a", "crossing": ["PQ", "PQ"]}], "has no crossing"),
    ],
)
def test_what_cannot_be_drawn_or_measured_is_refused(
    path: str, value: object, words: tuple[str, ...]
) -> None:
    with pytest.raises(InvalidInstanceError) as refusal:
        from_document(changed(path, value))
    for word in words:
        assert word in str(refusal.value)


def test_the_claims_look_only_at_the_points_that_are_shown() -> None:
    whole = changed("figures/lines/where/n_jobs", 20)
    with pytest.raises(InvalidInstanceError, match=re.escape("n_jobs = 40 is not among [20]")):
        from_document(whole)


def test_a_line_needs_numbers_to_stand_over() -> None:
    whole = document()
    whole["figures"] = {"words": {"sweep": "grid", "x": "policy.heuristic", "where": {"n_jobs": 10}}}
    whole["figures"]["words"]["workload"] = "azure"
    with pytest.raises(InvalidInstanceError, match=r"policy\.heuristic = 'wsjf' has no place on an axis"):
        from_document(whole)
    whole["figures"]["words"]["x_column"] = "solve_seconds"
    from_document(whole)
