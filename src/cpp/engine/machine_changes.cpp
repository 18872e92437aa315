// What happens to an engine whose machines have more, or less, than before.
#include <algorithm>
#include <utility>

#include "schedcore/base/archive.hpp"
#include "schedcore/engine/cluster.hpp"
#include "schedcore/engine/engine.hpp"

namespace schedcore {

// What jobs that are alone on it hold, and what blocks it, is all that it has, so that changes with it.
void Engine::set_capacity(std::uint32_t machine, std::span<const Amount> capacity) {
  Amount n_times = availability_.is_blocked(machine) ? 0 : 1;
  if (jobs_.any_shaped()) {
    running_.for_each([&](JobSlot job) {
      if (!jobs_.shape(job).is_exclusive || jobs_.names_reservation(job)) return;
      jobs_.for_each_place(job, [&](std::uint32_t on, Amount /*n_tasks*/) { n_times -= on == machine ? 1 : 0; });
    });
  }
  std::vector<Amount> more(n_resources_);
  std::vector<Amount> less(n_resources_);
  for (std::size_t k = 0; k < n_resources_; ++k) {
    Amount& before = capacity_[machine * n_resources_ + k];
    const Amount change = n_times * (capacity[k] - before);
    (change > 0 ? more : less)[k] = std::abs(change);
    before = capacity[k];
  }
  machines_.release(machine, more);
  machines_.acquire(machine, less);
}

void Engine::take_up_capacities(const Happenings& happenings) {
  const auto change = [&](std::uint32_t machine, std::span<const Amount> capacity) {
    const auto before = capacity_of(machine);
    if (std::ranges::equal(before, capacity)) return;
    bool is_more = false;
    bool is_less = false;
    for (std::size_t k = 0; k < n_resources_; ++k) {
      is_more |= capacity[k] > before[k];
      is_less |= capacity[k] < before[k];
    }
    if (is_more) raised_.push_back(machine);
    if (is_less) lowered_.push_back(machine);
    set_capacity(machine, capacity);
    changed_machines_.push_back(machine);
  };
  const std::vector<Amount> nothing(n_resources_);
  const auto is_removed = [&](std::uint32_t machine) {
    return std::ranges::any_of(happenings.closed, [&](const ClosedMachine& closed) {
      return closed.machine == machine && closed.is_removed;
    });
  };
  for (const ResizedMachine& each : happenings.resized) {
    if (each.joins) change_block(each.machine, [&] { availability_.join(each.machine); });
    change(each.machine, is_removed(each.machine) ? nothing : *each.capacity);
  }
  for (const ClosedMachine& closed : happenings.closed) {
    if (closed.is_removed) change(closed.machine, nothing);
  }
  if (raised_.empty() && lowered_.empty()) return;
  expect_other_machines();
  std::ranges::sort(raised_);
  std::ranges::sort(lowered_);
  are_limits_void_ = true;
  jobs_.set_total_capacity(machines_view().total());
  renew_policy(happenings);
}

// Another one of the same kind, for machines as they are now, goes on as this would: it reads what this has written.
void Engine::renew_policy(const Happenings& happenings) {
  if (policy_->take_up_machines(machines_view())) return;
  std::vector<bool> is_new(jobs_.n_slots());
  for (const JobSlot job : happenings.arrived) is_new[job] = true;
  for (const AdoptedJob& adopted : happenings.adopted) is_new[adopted.job] = true;
  Cluster known = cluster();
  std::erase_if(known.waiting, [&](JobSlot job) { return is_new[job]; });
  known.machines = machines_view();
  SnapshotWriter writer;
  writer.keep_slots(jobs_.generations());
  writer.set_cluster(known);
  policy_->write(writer);
  std::unique_ptr<Policy> renewed = unattached_->clone();
  renewed->attach(machines_view());
  SnapshotReader reader(writer.bytes());
  reader.name_jobs(static_cast<std::uint32_t>(jobs_.n_slots()));
  reader.set_machines_have_changed();
  reader.set_cluster(known);
  renewed->read(reader);
  policy_ = std::move(renewed);
}

}  // namespace schedcore
