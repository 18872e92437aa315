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

constexpr Amount kMostAdopted = Amount{1} << 60;  // far from where sums of a few more demands would overflow
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
  write_machines(archive);
  journal_.state().write(archive);
  pending_.write(archive, n_machines_);
  archive(next_id_, next_group_, next_reservation_);
}

void OnlineScheduler::read(SnapshotReader& archive) {
  read_machines(archive);
  journal_.name_machines(table_.names());
  journal_.read(archive);
  pending_.read(archive, n_machines_);
  archive(next_id_, next_group_, next_reservation_);
  check_reservations(archive);
  note_reservations();
  archive.require(next_id_ >= 0, "the next id is negative");
  archive.require(next_group_ >= 0 && next_group_ < kGroupEnd, "the next number of a group is impossible");
  beyond_recorded_ = next_id_;  // a scheduler that begins here has numbered nothing that could be given back
  journal_.state().for_each_id([&](std::int64_t id) { archive.require(id < next_id_, "the next id is in use"); });
  const JobTable& jobs = journal_.state().jobs();
  for (std::size_t event = 0; event < pending_.size(); ++event) {
    const auto& changes = pending_[event].changes;
    reads_removals_ |= std::ranges::find(changes, ChangeKind::remove, &RecordedChange::kind) != changes.end();
  }
  GroupCheck check_group;
  for (JobSlot job = 0; job < jobs.n_slots(); ++job) {
    const std::int64_t group = jobs.placements(job).group;
    archive.require(group < next_group_, "a number of a group is not in use");
    check_group(archive, group, jobs.weight(job), jobs.release_time(job));
  }
  KnownReservations reservations = decided_reservations();
  for (std::size_t event = 0; event < pending_.size(); ++event) {
    const RecordedEvent records = pending_[event];
    read_event(archive, records, reservations);
    for (std::size_t i = 0; i < records.placements.size(); ++i) {
      check_group(archive, records.placements[i].group, records.arrivals[i].weight, records.now);
    }
  }
  reads_removals_ = false;
}

// The checks of `submit` and `complete`, for records that were read.
void OnlineScheduler::read_event(SnapshotReader& archive, const RecordedEvent& event, KnownReservations& reservations) {
  archive.require(event.now >= now(), "records are in the past");
  archive.require(!event.arrivals.empty() || !event.completions.empty() || !event.changes.empty(),
                  "nothing was recorded at an instant");
  for (const RecordedChange& change : event.changes) {
    if (change.capacity == nullptr) continue;
    archive.require(static_cast<std::uint64_t>(change.subject) < n_machines_, "a machine changes that is not there");
    std::ranges::copy(*change.capacity, capacity_.begin() + change.subject * static_cast<std::ptrdiff_t>(pending_.n_resources()));
  }
  auto adopted = read_adopted(archive, event);
  const auto placements_of = [&](std::size_t i) { return event.placements.empty() ? JobPlacements() : event.placements[i]; };
  for (std::size_t i = 0; i < event.arrivals.size(); ++i) {
    const JobColumns& job = event.arrivals[i];
    const auto demand = event.demand.subspan(i * pending_.n_resources(), pending_.n_resources());
    const auto found = adopted.find(job.id);
    const bool is_adopted = found != adopted.end();
    if (is_adopted) {
      const auto [first, last] = found->second;
      read_adoption(archive, event, i, placements_of(i).shape, event.changes.subspan(first, last - first));
      adopted.erase(found);
    }
    archive.require(is_adopted ? job.release_time >= 0 && job.release_time <= event.now : job.release_time == event.now,
                    "a job arrives at another instant than its release");
    archive.require(job.id >= 0 && job.id < next_id_, "the next id is in use");
    archive.require(!journal_.state().knows(job.id) && arriving_.insert(job.id).second, "a job arrives twice");
    archive.require(std::ranges::all_of(demand, [](Amount amount) { return amount >= 0; }), "a demand is negative");
    const JobPlacements placements = placements_of(i);
    archive.require(placements.is_plain() || journal_.state().may_be_placed(), "the policy does not heed where jobs may run");
    archive.require(journal_.state().may_take(placements), "the policy does not take jobs of several tasks");
    const bool names_reservation = placements.reservation != JobPlacements::kNoReservation;
    archive.require(!names_reservation || (!is_adopted && placements.says_only_where() && journal_.state().may_be_disturbed() &&
                                           placements.reservation < next_reservation_),
                    "a job names a reservation that it cannot name");
    archive.require(placements.group < next_group_, "a number of a group is not in use");
    archive.require(placements.shortest_time(job.processing_time, n_machines_) == job.processing_time,
                    "a processing time is not that of the fastest machine");
    check_arrival(job, demand, &placements);
  }
  archive.require(adopted.empty(), "a job is adopted that does not arrive");
  for (const std::int64_t id : event.completions) {
    archive.require(journal_.state().runs(id), "a job has completed that does not run");
    archive.require(completing_.insert(id).second, "a job completes twice");
  }
  read_changes(archive, event, reservations);
}

// Where the changes of an event begin and end that say of a job that it runs already; of each job they stand together.
std::unordered_map<std::int64_t, std::pair<std::size_t, std::size_t>> OnlineScheduler::read_adopted(
    SnapshotReader& archive, const RecordedEvent& event) {
  std::unordered_map<std::int64_t, std::pair<std::size_t, std::size_t>> adopted;
  for (std::size_t k = 0; k < event.changes.size(); ++k) {
    if (event.changes[k].kind != ChangeKind::adopt) continue;
    const auto [found, is_new] = adopted.try_emplace(event.changes[k].subject, k, k + 1);
    if (is_new) continue;
    auto& [first, last] = found->second;
    archive.require(last == k && event.changes[first].span.begin == event.changes[k].span.begin, "a job is adopted twice");
    ++last;
  }
  return adopted;
}

// Checks its start and its places, and that all that is adopted can be counted.
void OnlineScheduler::read_adoption(SnapshotReader& archive, const RecordedEvent& event, std::size_t arrival,
                                    const JobShape& shape, std::span<const RecordedChange> changes) {
  const JobColumns& job = event.arrivals[arrival];
  const std::size_t n_resources = pending_.n_resources();
  const auto demand = event.demand.subspan(arrival * n_resources, n_resources);
  std::vector<TaskPlace> places;
  for (const RecordedChange& change : changes) {
    archive.require(change.place.machine < n_machines_, "a job is adopted on a machine that is not there");
    places.push_back(change.place);
  }
  const Time start_time = changes.front().span.begin;
  const std::size_t first_place[] = {0, places.size()};
  check_adoption(job.id, shape, {{&job.release_time, 1}, {&start_time, 1}, first_place, places}, 0, event.now);
  for (const TaskPlace& place : places) {
    Amount most = 0;
    for (std::size_t k = 0; k < n_resources; ++k) {
      most = std::max(most, shape.is_exclusive ? capacity_of(place.machine)[k] : place.n_tasks * demand[k]);
    }
    Amount& all = adopted_on_[place.machine];
    archive.require(all <= kMostAdopted - most, "more is adopted on a machine than can be counted");
    all += most;
  }
}

// The checks of the records beside arrivals and completions.  `reservations` are those that are known before them, or over.
void OnlineScheduler::read_changes(SnapshotReader& archive, const RecordedEvent& event, KnownReservations& reservations) {
  archive.require(event.changes.empty() || journal_.state().may_be_disturbed(), "the policy does not heed what is recorded");
  ArrivalsById arrivals(pending_);
  for (const RecordedChange& change : event.changes) {
    const Standing before = standing(change.subject);
    const auto is_machine = [&] {
      return change.subject >= 0 && static_cast<std::uint64_t>(change.subject) < n_machines_ &&
             !table_.is_seat_free(static_cast<std::size_t>(change.subject));
    };
    const auto is_updatable = [&] {
      // It may have been recorded to complete after that, at this instant.
      const bool has_ended = before == Standing::ended && !completing_.contains(change.subject);
      if (before == Standing::unknown || has_ended) return false;
      KnownJob job = known_job(change.subject, event.now, arrivals);
      if (!job.placements.says_only_where()) return false;
      if (change.kind == ChangeKind::set_time) check_remaining(job, change.span.begin, event.now);
      if (change.kind != ChangeKind::set_machines) return true;
      job.placements.eligibility = change.eligibility;
      check_fits_empty_cluster(change.subject, job.demand, &job.placements);
      return true;
    };
    bool may = true;
    switch (change.kind) {
      case ChangeKind::repair:
      case ChangeKind::open:
      case ChangeKind::fail:
      case ChangeKind::close:
      case ChangeKind::remove: may = is_machine(); break;
      case ChangeKind::join: may = is_machine() && journal_.state().availability().is_removed(change.subject); break;
      case ChangeKind::set_capacity: may = is_machine(); break;
      case ChangeKind::announce:
        may = is_machine() && change.span.begin >= 0 && change.span.begin < change.span.end && change.span.end > event.now;
        break;
      case ChangeKind::reserve:
        may = change.reservation->begin >= event.now && reservations.emplace(change.subject, change.reservation).second;
        break;
      case ChangeKind::cancel_reservation:
        may = reservations.contains(change.subject) && reservations.at(change.subject)->end > event.now;
        reservations.erase(change.subject);
        break;
      case ChangeKind::adopt: break;  // checked with the arrivals
      case ChangeKind::cancel: may = before != Standing::unknown; break;
      case ChangeKind::set_time:
      case ChangeKind::set_weight: may = is_updatable() && change.span.begin > 0 && change.span.begin < kNever; break;
      case ChangeKind::set_priority:
        may = is_updatable() && change.span.begin > -kNever && change.span.begin < kNever;
        break;
      case ChangeKind::set_machines: may = is_updatable(); break;
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

OnlineScheduler::OnlineScheduler(const MachineDescriptions& machines, SchedulerParts parts, std::string_view snapshot)
    : OnlineScheduler(machines, std::move(parts)) {
  SnapshotReader reader(snapshot);
  try {
    read(reader);
  } catch (const InfeasibleError& error) {  // a job that the machines cannot run
    throw InvalidInstanceError(std::string("the snapshot is damaged: ") + error.what());
  }
  reader.require(reader.at_end(), "it goes on behind its end");
  const IdPlacements plan = journal_.state().plan(planned_);
  told_.note(journal_.state(), plan, planned_);
}

void OnlineScheduler::check_invariants(const MachineDescriptions& machines, SchedulerParts parts) const {
  const std::string bytes = snapshot();
  const OnlineScheduler read_back(machines, std::move(parts), bytes);
  journal_.state().check_against(read_back.journal_.state());
  if (read_back.snapshot() != bytes) throw std::logic_error("OnlineScheduler: a snapshot is read as another state");
}

}  // namespace schedcore
