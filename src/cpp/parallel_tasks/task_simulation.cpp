#include "schedcore/parallel_tasks/task_simulation.hpp"

#include <utility>

#include "schedcore/base/errors.hpp"
#include "schedcore/engine/engine.hpp"
#include "schedcore/engine/simulation.hpp"

namespace schedcore {

std::vector<TaskPiece> simulate_tasks(const ParallelTasksView& tasks, std::unique_ptr<Policy> policy, Monitor* monitor) {
  if (!policy->heeds_placements()) throw UnsupportedError("this policy does not heed where tasks may run");
  Engine engine(tasks.machines, std::move(policy));
  JobTable& table = engine.jobs();
  const PlacementsView placements{tasks.placement_start, tasks.placement_machine, tasks.placement_time,
                                  tasks.placement_local, tasks.task_job};
  EligibilitySets sets;
  std::vector<Time> release_time(tasks.n_tasks());
  table.reserve(tasks.n_tasks());
  for (std::size_t task = 0; task < tasks.n_tasks(); ++task) {
    const std::size_t job = tasks.job_of(task);
    release_time[task] = tasks.release_time[job];
    const JobColumns columns{release_time[task], tasks.shortest_time(task), tasks.weight[job], 0,
                             static_cast<std::int64_t>(task)};
    const JobPlacements own = placements.of(task, tasks.n_machines(), sets);
    static_cast<void>(table.add(columns, tasks.demand_of(task), &own));
  }
  std::vector<Placement> started;
  started.reserve(tasks.n_tasks());
  run_calendar(engine, release_time, {}, monitor, &started);
  std::vector<TaskPiece> pieces;
  pieces.reserve(started.size());
  for (const Placement& start : started) {
    const Time end = start.start_time + table.processing_time_on(start.job, start.machine);
    pieces.push_back({start.job, start.machine, start.start_time, end});
  }
  return pieces;
}

}  // namespace schedcore
