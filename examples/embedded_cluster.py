"""A small cluster manager that lets `OnlineScheduler` decide: jobs end early, late or on time."""

import heapq
import math
import random

import schedcore


def main() -> None:
    random.seed(4)
    machines = schedcore.Machines.identical(3, [64, 448], resource_names=["vcpus", "memory"])
    scheduler = schedcore.OnlineScheduler("mris", machines, gamma0=10, opportunistic=True, replan="always")

    arrivals = [(10 * number, number) for number in range(12)]  # (instant, id), a heap
    announced = {number: random.randint(10, 90) for _, number in arrivals}
    running: list[tuple[float, int]] = []  # (true end, id), a heap
    wakeup = math.inf
    while arrivals or running or wakeup < math.inf:
        now = min([instant for instant, _ in arrivals[:1] + running[:1]], default=wakeup)
        now = min(now, wakeup)
        while running and running[0][0] == now:
            scheduler.complete([heapq.heappop(running)[1]], now)
        while arrivals and arrivals[0][0] == now:
            _, number = heapq.heappop(arrivals)
            demand = [[random.choice([8, 16, 32]), random.choice([28, 56, 224])]]
            scheduler.submit(schedcore.Jobs([announced[number]], demand), now, ids=[number])
        decision = scheduler.advance(now)
        wakeup = decision.next_wakeup
        for number, machine, start_time in decision.starts:
            true_length = max(1, round(announced[number] * random.choice([0.5, 1.0, 1.2])))
            print(
                f"{now:6g}  start job {number} on machine {machine} for {announced[number]}, really {true_length}"
            )
            heapq.heappush(running, (start_time + true_length, number))
    print(f"{scheduler.n_waiting} waiting, {scheduler.n_running} running")


if __name__ == "__main__":
    main()
