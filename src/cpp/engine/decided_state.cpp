#include "schedcore/engine/decided_state.hpp"

#include <algorithm>

#include "schedcore/base/archive.hpp"

namespace schedcore {

bool DecidedState::runs(std::int64_t id) const {
  const auto found = slot_of_.find(id);
  return found != slot_of_.end() && engine_.jobs().state(found->second) == JobState::running;
}

std::vector<IdPlacement> DecidedState::plan() const {
  std::vector<IdPlacement> plan;
  for (const Placement& placement : engine_.planned()) {
    plan.push_back({engine_.jobs().id(placement.job), static_cast<std::int64_t>(placement.machine),
                    std::max(placement.start_time, now_)});
  }
  return plan;
}

void DecidedState::apply(const RecordedEvent& event, Monitor* monitor, std::vector<IdPlacement>& starts) {
  JobTable& jobs = engine_.jobs();
  arrived_.clear();
  completed_.clear();
  started_.clear();
  const std::size_t n_resources = jobs.n_resources();
  for (std::size_t job = 0; job < event.arrivals.size(); ++job) {
    const auto demand = event.demand.subspan(job * n_resources, n_resources);
    const JobPlacements* placements = event.placements.empty() ? nullptr : &event.placements[job];
    const JobSlot slot = jobs.add(event.arrivals[job], demand, placements);
    slot_of_.emplace(event.arrivals[job].id, slot);
    arrived_.push_back(slot);
  }
  for (const std::int64_t id : event.completions) completed_.push_back(slot_of_.at(id));
  const auto by_id = [&](JobSlot a, JobSlot b) { return jobs.id(a) < jobs.id(b); };
  std::sort(arrived_.begin(), arrived_.end(), by_id);
  std::sort(completed_.begin(), completed_.end(), by_id);

  engine_.watch(monitor, 0);
  engine_.advance(event.now, completed_, arrived_, started_);
  engine_.watch(nullptr, 0);

  for (const JobSlot slot : completed_) {
    slot_of_.erase(jobs.id(slot));
    jobs.remove(slot);
  }
  n_running_ += started_.size();
  n_running_ -= completed_.size();
  now_ = event.now;
  for (const Placement& start : started_) {
    starts.push_back({jobs.id(start.job), static_cast<std::int64_t>(start.machine), start.start_time});
  }
}

void DecidedState::write(SnapshotWriter& archive) const {
  engine_.write(archive);
  archive(now_);
}

void DecidedState::read(SnapshotReader& archive) {
  engine_.read(archive);
  archive(now_);
  archive.require(now_ == engine_.now(), "the engine is at another instant");
  const JobTable& jobs = engine_.jobs();
  for (JobSlot job = 0; job < jobs.n_slots(); ++job) {
    if (jobs.state(job) == JobState::free_slot) continue;
    if (jobs.state(job) == JobState::running) ++n_running_;
    archive.require(jobs.release_time(job) <= now_, "a job waits before its release");
    slot_of_.emplace(jobs.id(job), job);
  }
}

}  // namespace schedcore
