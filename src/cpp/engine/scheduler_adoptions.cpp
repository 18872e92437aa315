// Jobs that run already when an embedded engine hears of them.
#include <algorithm>
#include <string>
#include <unordered_map>
#include <vector>

#include "schedcore/base/errors.hpp"
#include "schedcore/base/number_text.hpp"
#include "schedcore/engine/job_checks.hpp"
#include "schedcore/engine/online_scheduler.hpp"

namespace schedcore {

std::vector<std::int64_t> OnlineScheduler::adopt(const JobsView& jobs, std::span<const double> custom_key,
                                                 std::span<const std::int64_t> ids, Time now, const ClusterColumns& columns,
                                                 const Adoptions& adoptions) {
  check_heeds_clusters();
  check_record(now);
  std::vector<TaskPlace> places(adoptions.places.begin(), adoptions.places.end());
  for (TaskPlace& place : places) place.machine = checked_machine(place.machine);
  Adoptions known = adoptions;
  known.places = places;
  std::vector<JobPlacements> own = own_placements(jobs.n_jobs(), columns);
  for (JobPlacements& each : own) {
    if (!each.waits_for_others()) continue;
    JobBelongings free = *each.belongings;  // who runs waits for nobody
    free.awaited.clear();
    each.belongings = std::make_shared<const JobBelongings>(std::move(free));
  }
  return record_arrivals(jobs, custom_key, ids, now, own, &known);
}

// Of one job by itself.
void OnlineScheduler::check_adoption(std::int64_t id, const JobShape& shape,
                                     const Adoptions& adoptions, std::size_t job, Time now) const {
  const std::string name = "job " + std::to_string(id);
  const Time start = adoptions.start_time[job];
  if (!(start >= 0 && start <= now)) {
    throw InvalidInstanceError(name + " cannot be adopted: its start_time, " + number_text(start) +
                               ", must lie between 0 and now = " + number_text(now));
  }
  if (!(adoptions.release_time[job] <= start)) {
    throw InvalidInstanceError(name + " cannot be adopted: its release_time, " + number_text(adoptions.release_time[job]) +
                               ", lies after its start_time, " + number_text(start));
  }
  const auto places =
      adoptions.places.subspan(adoptions.first_place[job], adoptions.first_place[job + 1] - adoptions.first_place[job]);
  Amount n_tasks = 0;
  std::vector<std::uint32_t> machines;
  for (const TaskPlace& place : places) {
    machines.push_back(place.machine);
    const std::string here = std::to_string(place.n_tasks) + " tasks on " + machine_name(place.machine);
    if (place.n_tasks < 1 || place.n_tasks > shape.spread) {
      throw InvalidInstanceError(name + " cannot be adopted with " + here + "; at least 1 and at most " +
                                 std::to_string(std::min(shape.spread, shape.n_tasks)) + " may be there");
    }
    n_tasks += std::min(place.n_tasks, kMostTasks);
  }
  if (n_tasks != shape.n_tasks) {
    throw InvalidInstanceError(name + " cannot be adopted with " + std::to_string(n_tasks) + " tasks; it has " +
                               std::to_string(shape.n_tasks));
  }
  std::vector<std::uint32_t> checked = machines;
  std::ranges::sort(checked);
  if (const auto twice = std::ranges::adjacent_find(checked); twice != checked.end()) {
    throw InvalidInstanceError(name + " cannot be adopted: " + machine_name(*twice) + " is named twice");
  }
}

// As far as is recorded.
bool OnlineScheduler::will_have_failed(std::uint32_t machine) const {
  bool has_failed = journal_.state().availability().has_failed(machine);
  for (std::size_t position = 0; position < pending_.size(); ++position) {
    bool fails = false;
    for (const RecordedChange& change : pending_[position].changes) {
      if (change.subject != machine) continue;
      if (change.kind == ChangeKind::repair) has_failed = false;
      fails |= change.kind == ChangeKind::fail;
    }
    has_failed |= fails;
  }
  return has_failed;
}

// All of them beside each other, and beside what is known to run there and not to end before.
void OnlineScheduler::check_room_of_adopted(const JobsView& jobs, std::span<const std::int64_t> ids,
                                            std::span<const JobPlacements> own, const Adoptions& adoptions) const {
  const std::size_t n_resources = pending_.n_resources();
  for (std::size_t job = 0; job < jobs.n_jobs(); ++job) {
    for (std::size_t p = adoptions.first_place[job]; p < adoptions.first_place[job + 1]; ++p) {
      const TaskPlace& place = adoptions.places[p];
      if (tasks_that_fit(jobs.demand_of(job), capacity_of(place.machine)) >= place.n_tasks) continue;
      throw InvalidInstanceError("job " + std::to_string(ids[job]) + " cannot run on " + machine_name(place.machine) +
                                 ", which has less than its tasks demand");
    }
  }
  std::unordered_map<std::uint32_t, std::vector<Amount>> used;
  for (const TaskPlace& place : adoptions.places) used.try_emplace(place.machine, n_resources);
  const auto take = [&](std::uint32_t machine, Amount n_tasks, bool is_exclusive, std::span<const Amount> demand) {
    const auto found = used.find(machine);
    if (found == used.end()) return;
    const auto capacity = capacity_of(machine);
    for (std::size_t k = 0; k < n_resources; ++k) found->second[k] += is_exclusive ? capacity[k] : n_tasks * demand[k];
  };
  const JobTable& table = journal_.state().jobs();
  for (JobSlot slot = 0; slot < table.n_slots(); ++slot) {
    if (table.state(slot) != JobState::running || standing(table.id(slot)) != Standing::running) continue;
    table.for_each_place(slot, [&](std::uint32_t machine, Amount n_tasks) {
      take(machine, n_tasks, table.shape(slot).is_exclusive, table.demand(slot));
    });
  }
  ArrivalsById arrivals(pending_);
  for (std::size_t position = 0; position < pending_.size(); ++position) {
    for (const RecordedChange& change : pending_[position].changes) {
      if (change.kind != ChangeKind::adopt || standing(change.subject) != Standing::adopting) continue;
      const KnownJob job = known_job(change.subject, now(), arrivals);
      take(change.place.machine, change.place.n_tasks, job.placements.shape.is_exclusive, job.demand);
    }
  }
  for (std::size_t job = 0; job < jobs.n_jobs(); ++job) {
    for (std::size_t p = adoptions.first_place[job]; p < adoptions.first_place[job + 1]; ++p) {
      const TaskPlace& place = adoptions.places[p];
      if (will_have_failed(place.machine)) {
        throw InvalidInstanceError(machine_name(place.machine) + " has failed, nothing can run there");
      }
      take(place.machine, place.n_tasks, !own.empty() && own[job].shape.is_exclusive, jobs.demand_of(job));
      const auto capacity = capacity_of(place.machine);
      const std::vector<Amount>& all = used.at(place.machine);
      for (std::size_t k = 0; k < n_resources; ++k) {
        if (all[k] <= capacity[k]) continue;
        throw InvalidInstanceError("jobs on " + machine_name(place.machine) + " would hold " + std::to_string(all[k]) +
                                   " of resource " + std::to_string(k) + ", of which it has " + std::to_string(capacity[k]) +
                                   ", with job " + std::to_string(ids[job]) + ", which is to be adopted");
      }
    }
  }
}

}  // namespace schedcore
