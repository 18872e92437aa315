// Which machines there are: those that join, that have more or less than before, and how the state gets to know them.
//
// Machines that join need seats in the table.  Where none is free, everything is written with other numbers and read again, by
// a state that has seats for them; they are out of service until their record is applied, so nobody can tell.
#include <algorithm>
#include <string>
#include <utility>

#include "schedcore/base/archive.hpp"
#include "schedcore/base/errors.hpp"
#include "schedcore/engine/online_scheduler.hpp"

namespace schedcore {

void OnlineScheduler::call_machines(IdPlacements& placements) const {
  if (table_.is_as_called()) return;
  for (IdPlacement& job : placements.jobs) job.machine = table_.number_of(static_cast<std::size_t>(job.machine));
  for (IdTasks& tasks : placements.tasks) tasks.machine = table_.number_of(static_cast<std::size_t>(tasks.machine));
}

std::uint32_t OnlineScheduler::checked_machine(std::int64_t number) const {
  if (number < 0 || number >= table_.next_number()) {
    throw InvalidInstanceError("machine " + std::to_string(number) + " is not there; there are " +
                               std::to_string(table_.next_number()) + " machines");
  }
  const auto machine = table_.machine_of(number);
  if (!machine || is_removed(*machine)) throw InvalidInstanceError("machine " + std::to_string(number) + " was removed");
  return *machine;
}

void OnlineScheduler::change_largest(std::uint32_t machine, std::span<const Amount> capacity) {
  std::ranges::copy(capacity, largest_.begin() + static_cast<std::ptrdiff_t>(machine * pending_.n_resources()));
  distinct_largest_.clear();
  empty_cluster_.reset();
}

void OnlineScheduler::set_capacity(std::int64_t number, std::span<const Amount> capacity, Time now) {
  check_heeds_clusters();
  check_record(now);
  const std::uint32_t machine = checked_machine(number);
  const std::size_t n_resources = pending_.n_resources();
  if (capacity.size() != n_resources) {
    throw InvalidInstanceError("the capacity of " + machine_name(machine) + " has " + std::to_string(capacity.size()) +
                               " resources; it must have " + std::to_string(n_resources));
  }
  for (std::size_t k = 0; k < n_resources; ++k) {
    if (is_capacity(capacity[k])) continue;
    throw InvalidInstanceError("capacity[" + std::to_string(k) + "] of " + machine_name(machine) + " is " +
                               std::to_string(capacity[k]) + "; it must lie in 0 .. 2^53");
  }
  const std::size_t first = machine * n_resources;
  std::vector<Amount> largest(capacity.begin(), capacity.end());
  for (std::size_t k = 0; k < n_resources; ++k) largest[k] = std::max(largest[k], largest_[first + k]);
  pending_.add_change(now, {.kind = ChangeKind::set_capacity,
                            .subject = machine,
                            .capacity = std::make_shared<const std::vector<Amount>>(capacity.begin(), capacity.end())});
  std::ranges::copy(capacity, capacity_.begin() + static_cast<std::ptrdiff_t>(first));
  change_largest(machine, largest);
  machines_have_changed_ = true;
}

// Tasks say how long they take on each machine, and cannot say it of others.
void OnlineScheduler::check_jobs_may_be_renumbered() const {
  const JobTable& jobs = journal_.state().jobs();
  const auto check = [](std::int64_t id, const JobPlacements& placements) {
    if (placements.says_only_where()) return;
    throw UnsupportedError("machines cannot join as long as job " + std::to_string(id) +
                           " is there, a task of a parallel job that knows others only");
  };
  for (JobSlot job = 0; job < jobs.n_slots(); ++job) {
    if (jobs.state(job) != JobState::free_slot) check(jobs.id(job), jobs.placements(job));
  }
  for (std::size_t event = 0; event < pending_.size(); ++event) {
    const RecordedEvent records = pending_[event];
    for (std::size_t i = 0; i < records.placements.size(); ++i) check(records.arrivals[i].id, records.placements[i]);
  }
}

// Those that are removed, where no job runs any more.
std::vector<bool> OnlineScheduler::gone_machines() const {
  const Availability& availability = journal_.state().availability();
  std::vector<bool> gone(n_machines_);
  for (std::uint32_t machine = 0; machine < n_machines_; ++machine) {
    gone[machine] = availability.is_removed(machine) && !joining_.contains(machine);
  }
  const JobTable& jobs = journal_.state().jobs();
  for (JobSlot job = 0; job < jobs.n_slots(); ++job) {
    if (jobs.state(job) != JobState::running) continue;
    jobs.for_each_place(job, [&](std::uint32_t machine, Amount /*n_tasks*/) { gone[machine] = false; });
  }
  return gone;
}

void OnlineScheduler::renumber(MachineTable::Grown grown) {
  const std::size_t n_resources = pending_.n_resources();
  const std::size_t n_machines = grown.table.size();
  const auto moved = [&](std::span<const Amount> rows) {
    std::vector<Amount> after(n_machines * n_resources);
    for (std::size_t machine = 0; machine < n_machines_; ++machine) {
      const std::uint32_t number = grown.number_of[machine];
      if (number == SnapshotWriter::kGone) continue;
      std::ranges::copy(rows.subspan(machine * n_resources, n_resources),
                        after.begin() + static_cast<std::ptrdiff_t>(number * n_resources));
    }
    return after;
  };
  DecidedState known = journal_.state();
  static_cast<void>(known.heed_clusters());
  SnapshotWriter writer;
  writer.renumber_machines(grown.number_of, n_machines);
  known.write(writer);
  pending_.write(writer, n_machines);
  const std::vector<Amount> decided = moved(known.machines_view().capacity);
  DecidedState state({decided, n_machines, n_resources}, unused_parts_->clone());
  SnapshotReader reader(writer.bytes());
  reader.set_machine_table(grown.table);
  reader.set_machines_renumbered();
  state.read(reader);
  state.continue_as(known);
  EventLog pending(n_resources);
  pending.read(reader, n_machines);
  std::vector<Amount> capacity = moved(capacity_);
  std::vector<Amount> largest = moved(largest_);
  DecisionJournal journal(std::move(state));
  const IdPlacements plan = journal.state().plan(planned_);
  next_told_.note(journal.state(), plan, planned_);
  journal_ = std::move(journal);
  pending_ = std::move(pending);
  capacity_ = std::move(capacity);
  largest_ = std::move(largest);
  n_machines_ = n_machines;
  table_ = std::move(grown.table);
  distinct_largest_.clear();
  empty_cluster_.reset();
  std::swap(told_, next_told_);
  note_standings();
  note_reservations();
}

std::vector<std::int64_t> OnlineScheduler::add_machines(const MachineDescriptions& machines, Time now) {
  check_heeds_clusters();
  check_record(now);
  const std::size_t n_resources = pending_.n_resources();
  if (machines.machines.n_resources != n_resources) {
    throw InvalidInstanceError("machines that join have " + std::to_string(machines.machines.n_resources) +
                               " resources, those that are there " + std::to_string(n_resources));
  }
  check_jobs_may_be_renumbered();
  auto seats = table_.seat(machines);
  if (!seats) {
    renumber(table_.grown(machines, gone_machines()));
    seats = table_.seat(machines);
  }
  std::vector<std::int64_t> numbers;
  for (std::size_t machine = 0; machine < machines.machines.n_machines; ++machine) {
    const std::uint32_t seat = seats->at(machine);
    const auto capacity = machines.machines.capacity_of(machine);
    pending_.add_change(now, {.kind = ChangeKind::join,
                              .subject = seat,
                              .capacity = std::make_shared<const std::vector<Amount>>(capacity.begin(), capacity.end())});
    joining_.insert(seat);
    std::ranges::copy(capacity, capacity_.begin() + static_cast<std::ptrdiff_t>(seat * n_resources));
    change_largest(seat, capacity);
    numbers.push_back(table_.number_of(seat));
  }
  journal_.name_machines(table_.names());
  machines_have_changed_ = true;
  return numbers;
}

void OnlineScheduler::write_machines(SnapshotWriter& archive) const {
  archive(machines_have_changed_);
  if (!machines_have_changed_) return;
  table_.write(archive);
  const auto decided = journal_.state().machines_view().capacity;
  archive(std::vector<Amount>(decided.begin(), decided.end()), largest_);
}

// As of the last decision; pending records say the rest.
void OnlineScheduler::read_machines(SnapshotReader& archive) {
  archive(machines_have_changed_);
  archive.set_machine_table(table_);
  if (!machines_have_changed_) return;
  const std::size_t n_resources = pending_.n_resources();
  table_.read(archive);
  n_machines_ = table_.size();
  archive(capacity_, largest_);
  for (const auto* rows : {&capacity_, &largest_}) {
    archive.require(rows->size() == n_machines_ * n_resources && std::ranges::all_of(*rows, is_capacity),
                    "the machines have other amounts than resources");
  }
  journal_ = DecisionJournal(DecidedState({capacity_, n_machines_, n_resources}, unused_parts_->clone()));
}

}  // namespace schedcore
