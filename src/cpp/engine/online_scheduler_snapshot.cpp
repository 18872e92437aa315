// Snapshots of an embedded engine: what the caller has recorded, and the engine with its policy.
#include <algorithm>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>

#include "schedcore/base/archive.hpp"
#include "schedcore/base/errors.hpp"
#include "schedcore/engine/online_scheduler.hpp"

namespace schedcore {
namespace {

constexpr std::int64_t kGroupEnd = std::int64_t{1} << 62;  // more than anyone has

// Tasks of one job have its weight, and arrive together.
class GroupCheck {
 public:
  void operator()(SnapshotReader& archive, std::int64_t group, double weight, Time release_time) {
    if (group == JobPlacements::kAlone) return;
    const auto [known, is_new] = facts_.try_emplace(group, weight, release_time);
    archive.require(is_new || known->second == std::pair(weight, release_time), "tasks of a job differ in what it has");
  }

 private:
  std::unordered_map<std::int64_t, std::pair<double, Time>> facts_;
};

}  // namespace

void OnlineScheduler::write(SnapshotWriter& archive) const {
  journal_.state().write(archive);
  pending_.write(archive, n_machines_);
  archive(next_id_, next_group_);
}

void OnlineScheduler::read(SnapshotReader& archive) {
  journal_.read(archive);
  pending_.read(archive, n_machines_);
  archive(next_id_, next_group_);
  archive.require(next_id_ >= 0, "the next id is negative");
  archive.require(next_group_ >= 0 && next_group_ < kGroupEnd, "the next number of a group is impossible");
  beyond_recorded_ = next_id_;  // a scheduler that begins here has numbered nothing that could be given back
  journal_.state().for_each_id([&](std::int64_t id) { archive.require(id < next_id_, "the next id is in use"); });
  const JobTable& jobs = journal_.state().jobs();
  GroupCheck check_group;
  for (JobSlot job = 0; job < jobs.n_slots(); ++job) {
    const std::int64_t group = jobs.placements(job).group;
    archive.require(group < next_group_, "a number of a group is not in use");
    check_group(archive, group, jobs.weight(job), jobs.release_time(job));
  }
  for (std::size_t event = 0; event < pending_.size(); ++event) {
    const RecordedEvent records = pending_[event];
    read_event(archive, records);
    for (std::size_t i = 0; i < records.placements.size(); ++i) {
      check_group(archive, records.placements[i].group, records.arrivals[i].weight, records.now);
    }
  }
}

// The checks of `submit` and `complete`, for records that were read.
void OnlineScheduler::read_event(SnapshotReader& archive, const RecordedEvent& event) {
  archive.require(event.now >= now(), "records are in the past");
  archive.require(!event.arrivals.empty() || !event.completions.empty() || !event.changes.empty(),
                  "nothing was recorded at an instant");
  for (std::size_t i = 0; i < event.arrivals.size(); ++i) {
    const JobColumns& job = event.arrivals[i];
    const auto demand = event.demand.subspan(i * pending_.n_resources(), pending_.n_resources());
    archive.require(job.release_time == event.now, "a job arrives at another instant than its release");
    archive.require(job.id >= 0 && job.id < next_id_, "the next id is in use");
    archive.require(!journal_.state().knows(job.id) && arriving_.insert(job.id).second, "a job arrives twice");
    archive.require(std::ranges::all_of(demand, [](Amount amount) { return amount >= 0; }), "a demand is negative");
    const JobPlacements placements = event.placements.empty() ? JobPlacements() : event.placements[i];
    archive.require(placements.is_plain() || journal_.state().may_be_placed(), "the policy does not heed where jobs may run");
    archive.require(journal_.state().may_take(placements), "the policy does not take jobs of several tasks");
    archive.require(placements.group < next_group_, "a number of a group is not in use");
    archive.require(placements.shortest_time(job.processing_time, n_machines_) == job.processing_time,
                    "a processing time is not that of the fastest machine");
    check_arrival(job, demand, &placements);
  }
  for (const std::int64_t id : event.completions) {
    archive.require(journal_.state().runs(id), "a job has completed that does not run");
    archive.require(completing_.insert(id).second, "a job completes twice");
  }
  read_changes(archive, event);
}

// The checks of the records beside arrivals and completions.
void OnlineScheduler::read_changes(SnapshotReader& archive, const RecordedEvent& event) {
  archive.require(event.changes.empty() || journal_.state().may_be_disturbed(), "the policy does not heed what is recorded");
  for (const RecordedChange& change : event.changes) {
    const Standing before = standing(change.subject);
    const auto is_machine = [&] {
      return change.subject >= 0 && static_cast<std::uint64_t>(change.subject) < n_machines_;
    };
    bool may = true;
    switch (change.kind) {
      case ChangeKind::repair:
      case ChangeKind::open:
      case ChangeKind::fail:
      case ChangeKind::close:
      case ChangeKind::remove: may = is_machine(); break;
      case ChangeKind::announce:
        may = is_machine() && change.span.begin >= 0 && change.span.begin < change.span.end && change.span.end > event.now;
        break;
      case ChangeKind::cancel: may = before != Standing::unknown; break;
      case ChangeKind::hold: may = before != Standing::unknown; break;
      case ChangeKind::release: may = before != Standing::unknown; break;
      case ChangeKind::requeue: may = before == Standing::running || before == Standing::killed; break;
    }
    archive.require(may, "a record is of a machine or a job that it cannot be of");
  }
  note_standing(event);
}

std::string OnlineScheduler::snapshot() const {
  SnapshotWriter writer;
  write(writer);
  return writer.bytes();
}

OnlineScheduler::OnlineScheduler(const MachinesView& machines, SchedulerParts parts, std::string_view snapshot)
    : OnlineScheduler(machines, std::move(parts)) {
  SnapshotReader reader(snapshot);
  try {
    read(reader);
  } catch (const InfeasibleError& error) {  // a job that the machines cannot run
    throw InvalidInstanceError(std::string("the snapshot is damaged: ") + error.what());
  }
  reader.require(reader.at_end(), "it goes on behind its end");
}

void OnlineScheduler::check_invariants(const MachinesView& machines, SchedulerParts parts) const {
  const std::string bytes = snapshot();
  const OnlineScheduler read_back(machines, std::move(parts), bytes);
  journal_.state().check_against(read_back.journal_.state());
  if (read_back.snapshot() != bytes) throw std::logic_error("OnlineScheduler: a snapshot is read as another state");
}

}  // namespace schedcore
