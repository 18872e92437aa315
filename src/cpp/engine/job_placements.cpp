#include "schedcore/engine/job_placements.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "schedcore/engine/machine_table.hpp"

namespace schedcore {
namespace {

constexpr std::int64_t kLongest = std::int64_t{1} << 53;

std::size_t n_allowed_machines(const Eligibility& eligibility, std::size_t n_machines) {
  return eligibility.is_everywhere() ? n_machines : eligibility.machines().size();
}

}  // namespace

JobPlacements PlacementsView::of(std::size_t job, std::size_t n_machines, EligibilitySets& sets) const {
  JobPlacements placements;
  const auto machines = machine.subspan(first(job), count(job));
  if (machines.size() < n_machines) placements.eligibility = sets.intern({machines.begin(), machines.end()}, n_machines);
  placements.time = time.data() + first(job);
  placements.local = local.data() + first(job);
  placements.group = group[job];
  return placements;
}

Time JobPlacements::shortest_time(Time processing_time, std::size_t n_machines) const {
  if (time == nullptr) return processing_time;
  return static_cast<Time>(*std::min_element(time, time + n_allowed_machines(eligibility, n_machines)));
}

std::vector<JobPlacements> copied_placements(const PlacementsView& placements, std::size_t n_machines,
                                             EligibilitySets& sets) {
  std::vector<JobPlacements> copied;
  copied.reserve(placements.n_jobs());
  for (std::size_t job = 0; job < placements.n_jobs(); ++job) {
    JobPlacements own = placements.of(job, n_machines, sets);
    const std::size_t n_allowed = placements.count(job);
    auto row = std::make_shared<PlacementRow>(n_allowed);
    std::copy_n(own.time, n_allowed, row->time.begin());
    std::copy_n(own.local, n_allowed, row->local.get());
    own.time = row->time.data();
    own.local = row->local.get();
    own.owner = std::move(row);
    copied.push_back(std::move(own));
  }
  return copied;
}

void write_eligibility(SnapshotWriter& archive, const Eligibility& eligibility) {
  std::vector<std::uint32_t> machines;
  for (const std::uint32_t machine : eligibility.machines()) {
    if (archive.number_of(machine) != SnapshotWriter::kGone) machines.push_back(archive.number_of(machine));
  }
  archive(eligibility.is_everywhere(), machines);
}

Eligibility read_eligibility(SnapshotReader& archive, std::size_t n_machines, EligibilitySets& sets) {
  bool is_everywhere = true;
  std::vector<std::uint32_t> machines;
  archive(is_everywhere, machines);
  archive.require((!is_everywhere || machines.empty()) && machines.size() < n_machines, "the machines of a job are missing");
  for (std::size_t place = 0; place < machines.size(); ++place) {
    archive.require(machines[place] < n_machines && (place == 0 || machines[place - 1] < machines[place]),
                    "the machines of a job do not increase");
  }
  return is_everywhere ? Eligibility() : sets.intern(std::move(machines), n_machines);
}

void write_constraint(SnapshotWriter& archive, const std::shared_ptr<const std::string>& constraint, const Eligibility& eligibility) {
  archive(constraint != nullptr);
  if (constraint != nullptr) {
    archive(*constraint);
  } else {
    write_eligibility(archive, eligibility);
  }
}

void read_constraint(SnapshotReader& archive, std::size_t n_machines, EligibilitySets& sets,
                     std::shared_ptr<const std::string>& constraint, Eligibility& eligibility) {
  bool is_constrained = false;
  archive(is_constrained);
  if (!is_constrained) {
    eligibility = read_eligibility(archive, n_machines, sets);
    return;
  }
  std::string text;
  archive(text);
  archive.require(archive.machine_table() != nullptr && !text.empty() && MachineTable::is_wellformed(text),
                  "a constraint is malformed");
  const Constraint& known = archive.machine_table()->where(text);
  constraint = known.text;
  eligibility = known.eligibility;
}

void write_placements(SnapshotWriter& archive, const JobPlacements& placements, std::size_t n_machines) {
  const std::size_t n_allowed = n_allowed_machines(placements.eligibility, n_machines);
  archive(placements.group);
  write_constraint(archive, placements.constraint, placements.eligibility);
  archive(placements.shape.n_tasks, placements.shape.spread, placements.shape.is_exclusive, placements.checkpoint_interval,
          placements.restart_cost, placements.reservation);
  archive(placements.belongings != nullptr);
  if (placements.belongings) write_belongings(archive, *placements.belongings);
  archive(placements.time != nullptr, placements.local != nullptr);
  for (std::size_t place = 0; placements.time != nullptr && place < n_allowed; ++place) archive(placements.time[place]);
  for (std::size_t place = 0; placements.local != nullptr && place < n_allowed; ++place) archive(placements.local[place]);
}

JobPlacements read_placements(SnapshotReader& archive, std::size_t n_machines, EligibilitySets& sets) {
  JobPlacements placements;
  archive(placements.group);
  archive.require(placements.group >= JobPlacements::kAlone, "a number of a group is negative");
  read_constraint(archive, n_machines, sets, placements.constraint, placements.eligibility);
  const std::size_t n_allowed = n_allowed_machines(placements.eligibility, n_machines);
  JobShape& shape = placements.shape;
  archive(shape.n_tasks, shape.spread, shape.is_exclusive, placements.checkpoint_interval, placements.restart_cost,
          placements.reservation);
  archive.require(placements.reservation >= JobPlacements::kNoReservation, "a number of a reservation is negative");
  archive.require(shape.n_tasks >= 1 && shape.n_tasks <= kMostTasks && shape.spread >= 1, "a number of tasks is impossible");
  archive.require(placements.checkpoint_interval >= 0 && placements.checkpoint_interval < kNever &&
                      placements.restart_cost >= 0 && placements.restart_cost < kNever,
                  "a checkpoint or a restart takes no time that there is");
  bool has_belongings = false;
  archive(has_belongings);
  if (has_belongings) placements.belongings = std::make_shared<const JobBelongings>(read_belongings(archive));
  bool has_time = false;
  bool has_local = false;
  archive(has_time, has_local);
  if (!has_time && !has_local) return placements;
  auto row = std::make_shared<PlacementRow>(n_allowed);
  for (std::size_t place = 0; has_time && place < n_allowed; ++place) {
    archive(row->time[place]);
    archive.require(row->time[place] >= 1 && row->time[place] <= kLongest, "a processing time is no time");
  }
  for (std::size_t place = 0; has_local && place < n_allowed; ++place) archive(row->local[place]);
  if (has_time) placements.time = row->time.data();
  if (has_local) placements.local = row->local.get();
  placements.owner = std::move(row);
  return placements;
}

}  // namespace schedcore
