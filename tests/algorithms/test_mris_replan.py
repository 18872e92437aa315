"""Re-planning at the edge of its bound: "at most 2c gamma" includes equality."""

import schedcore


def test_a_new_plan_is_kept_when_a_job_ends_exactly_at_its_bound():
    # c = 2R = 2.  At gamma = 8 the plan is made anew for jobs 0 and 1 together with 4 and 6, which the batch of
    # gamma = 4 had left planned; job 4 then ends at 15 + 1 = 16 = 2c * 4, just within its bound.
    instance = schedcore.Instance(
        schedcore.Jobs(
            processing_time=[3, 3, 2, 3, 1, 3, 2],
            demand=[[3], [4], [3], [2], [4], [4], [3]],
            release_time=[3, 3, 1, 3, 3, 3, 0],
            weight=[1, 1, 3, 2, 1, 1, 3],
        ),
        schedcore.Machines.identical(1, [4]),
    )
    result = schedcore.solve("mris", instance, heuristic="wsdf", knapsack="exact", replan=True)
    assert result.schedule.start_time.tolist() == [9, 12, 2, 4, 15, 16, 7]
    assert result.stats["replans"] > 0
