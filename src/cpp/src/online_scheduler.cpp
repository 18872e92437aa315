#include "schedcore/online_scheduler.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <unordered_set>
#include <utility>

#include "schedcore/archive.hpp"
#include "schedcore/errors.hpp"
#include "schedcore/number_text.hpp"
#include "schedcore/job_checks.hpp"

namespace schedcore {
namespace {

constexpr std::int64_t kIdEnd = std::numeric_limits<std::int64_t>::max();  // ids lie below

std::string job_name(std::int64_t id) { return "job " + std::to_string(id); }

// Also refuses the machines before the engine is built on them.
const MachinesView& checked(const MachinesView& machines, const Policy& policy) {
  if (policy.needs_identical_machines()) check_identical_machines(machines);
  return machines;
}

}  // namespace

OnlineScheduler::OnlineScheduler(const MachinesView& machines, std::unique_ptr<Policy> policy)
    : capacities_(distinct_capacities(checked(machines, *policy))), engine_(machines, std::move(policy)) {}

void OnlineScheduler::check_instant(Time now) const {
  if (is_broken_) throw PolicyError("an earlier decision failed; this scheduler's state is incomplete, restore a copy");
  if (!std::isfinite(now)) throw InvalidInstanceError("now = " + number_text(now) + " is not a finite time");
  if (now < now_) {
    throw InvalidInstanceError("now = " + number_text(now) + " lies before " + number_text(now_) +
                               ", the last instant; time never runs backwards");
  }
  if (recorded_instant_ && now != *recorded_instant_) {
    throw InvalidInstanceError("now = " + number_text(now) + " differs from " + number_text(*recorded_instant_) +
                               ", the instant of the records so far; call advance(" + number_text(*recorded_instant_) +
                               ") first");
  }
}

void OnlineScheduler::check_ids_left(std::size_t count) const {
  if (count <= static_cast<std::uint64_t>(kIdEnd - next_id_)) return;
  throw InvalidInstanceError("no " + std::to_string(count) + " ids are left above the largest one, " +
                             std::to_string(next_id_ - 1) + "; give ids");
}

std::int64_t OnlineScheduler::reserve_ids(std::size_t count) {
  check_ids_left(count);
  return std::exchange(next_id_, next_id_ + static_cast<std::int64_t>(count));
}

void OnlineScheduler::release_ids(std::int64_t first, std::size_t count) {
  if (next_id_ - first == static_cast<std::int64_t>(count)) next_id_ = first;
}

std::vector<std::int64_t> OnlineScheduler::submit(const JobsView& jobs, std::span<const double> custom_key,
                                                  std::span<const std::int64_t> ids, Time now) {
  check_instant(now);
  std::vector<std::int64_t> given(ids.begin(), ids.end());
  if (given.empty()) {
    check_ids_left(jobs.n_jobs());
    given.resize(jobs.n_jobs());
    std::iota(given.begin(), given.end(), next_id_);
  }
  std::unordered_set<std::int64_t> seen;
  for (std::size_t job = 0; job < jobs.n_jobs(); ++job) {
    const std::int64_t id = given[job];
    if (id < 0 || id == kIdEnd) {
      throw InvalidInstanceError("id " + std::to_string(id) + " must lie in 0 .. 2^63 - 2");
    }
    if (slot_of_.contains(id) || !seen.insert(id).second) {
      throw InvalidInstanceError(job_name(id) + " was submitted already");
    }
    check_job(id, jobs.processing_time[job], jobs.weight[job], jobs.demand_of(job), capacities_);
    check_duration(id, now, jobs.processing_time[job]);
    engine_.policy().check_job({now, jobs.processing_time[job], jobs.weight[job], 0, id}, now);
  }
  for (std::size_t job = 0; job < jobs.n_jobs(); ++job) {
    const JobSlot slot =
        engine_.jobs().add({now, jobs.processing_time[job], jobs.weight[job], custom_key.empty() ? 0 : custom_key[job],
                            given[job]},
                           jobs.demand_of(job));
    slot_of_.emplace(given[job], slot);
    arrivals_.push_back(slot);
    next_id_ = std::max(next_id_, given[job] + 1);
  }
  if (!given.empty()) recorded_instant_ = now;
  return given;
}

void OnlineScheduler::complete(std::span<const std::int64_t> ids, Time now) {
  check_instant(now);
  std::size_t n_recorded = 0;
  try {
    for (const std::int64_t id : ids) {
      const auto found = slot_of_.find(id);
      if (found == slot_of_.end()) throw InvalidInstanceError(job_name(id) + " is unknown or has completed already");
      if (engine_.jobs().state(found->second) != JobState::running) {
        throw InvalidInstanceError(job_name(id) + " cannot complete: it has not started");
      }
      if (!completing_.insert(id).second) throw InvalidInstanceError(job_name(id) + " has completed already");
      ++n_recorded;
    }
  } catch (...) {
    for (const std::int64_t id : ids.first(n_recorded)) completing_.erase(id);
    throw;
  }
  for (const std::int64_t id : ids) completions_.push_back(slot_of_.at(id));
  if (!ids.empty()) recorded_instant_ = now;
}

Decision OnlineScheduler::advance(Time now, Monitor* monitor) {
  check_instant(now);
  JobTable& jobs = engine_.jobs();
  const auto by_id = [&](JobSlot a, JobSlot b) { return jobs.id(a) < jobs.id(b); };
  std::sort(arrivals_.begin(), arrivals_.end(), by_id);
  std::sort(completions_.begin(), completions_.end(), by_id);
  is_broken_ = true;  // until the decision is whole
  std::vector<Placement> starts;
  engine_.watch(monitor, 0);
  engine_.advance(now, completions_, arrivals_, starts);
  engine_.watch(nullptr, 0);
  for (const JobSlot slot : completions_) {
    slot_of_.erase(jobs.id(slot));
    jobs.remove(slot);
  }
  n_running_ += starts.size();
  n_running_ -= completions_.size();
  arrivals_.clear();
  completions_.clear();
  completing_.clear();
  recorded_instant_.reset();
  now_ = now;

  Decision decision;
  decision.starts.reserve(starts.size());
  for (const Placement& start : starts) {
    decision.starts.push_back({jobs.id(start.job), static_cast<std::int64_t>(start.machine), start.start_time});
  }
  for (const Placement& placement : engine_.planned()) {
    decision.plan.push_back({jobs.id(placement.job), static_cast<std::int64_t>(placement.machine),
                             std::max(placement.start_time, now)});
  }
  decision.next_wakeup = engine_.next_wakeup();
  is_broken_ = false;
  return decision;
}

template <class Archive>
void OnlineScheduler::serialize(Archive& archive) {
  archive(capacities_, now_, recorded_instant_, arrivals_, completions_, next_id_, n_running_, is_broken_);
  std::vector<std::pair<std::int64_t, JobSlot>> ids(slot_of_.begin(), slot_of_.end());
  if constexpr (Archive::is_reading) {
    archive(ids);
    slot_of_ = {ids.begin(), ids.end()};
  } else {
    std::sort(ids.begin(), ids.end());
    archive(ids);
  }
  engine_.serialize(archive);
  if constexpr (Archive::is_reading) {
    completing_.clear();
    for (const JobSlot slot : completions_) completing_.insert(engine_.jobs().id(slot));
  }
}

std::string OnlineScheduler::snapshot() const {
  SnapshotWriter writer;
  const_cast<OnlineScheduler*>(this)->serialize(writer);  // only reads when the archive writes
  return writer.bytes();
}

void OnlineScheduler::restore(std::string_view bytes) {
  SnapshotReader reader(bytes);
  serialize(reader);
  if (!reader.at_end()) throw InvalidInstanceError("the snapshot was written by another version of schedcore");
}

}  // namespace schedcore
