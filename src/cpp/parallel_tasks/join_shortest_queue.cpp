#include "schedcore/parallel_tasks/join_shortest_queue.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "schedcore/engine/cluster.hpp"
#include "schedcore/exact/double_double.hpp"
#include "schedcore/index/fit.hpp"

namespace schedcore {
namespace {

// factor * a >= b, exactly, for lengths up to 2^53.
bool product_is_at_least(double factor, std::size_t a, std::size_t b) {
  const auto [product, error] = two_product(factor, static_cast<double>(a));
  const auto bound = static_cast<double>(b);
  return product != bound ? product > bound : error >= 0;  // rounding is monotone: only equality hides an error
}

// Calls visit(machine, is_local) for every machine on which the task may run, in order.
template <class Visit>
void for_each_placement(const JobPlacements& placements, std::size_t n_machines, const Visit& visit) {
  const auto is_local = [&](std::size_t place) { return placements.local == nullptr || placements.local[place]; };
  if (placements.eligibility.is_everywhere()) {
    for (std::size_t machine = 0; machine < n_machines; ++machine) visit(machine, is_local(machine));
  } else {
    std::size_t place = 0;
    for (const std::uint32_t machine : placements.eligibility.machines()) visit(machine, is_local(place++));
  }
}

}  // namespace

std::unique_ptr<Policy> JoinShortestQueuePolicy::clone() const { return std::make_unique<JoinShortestQueuePolicy>(*this); }

void JoinShortestQueuePolicy::attach(const MachinesView& machines) {
  n_resources_ = machines.n_resources;
  local_.resize(machines.n_machines);
  remote_.emplace(n_resources_);
}

std::size_t JoinShortestQueuePolicy::shortest_queue(JobSlot task, const JobTable& jobs) const {
  std::size_t shortest = n_machines();
  bool has_remote = false;
  for_each_placement(jobs.placements(task), n_machines(), [&](std::size_t machine, bool is_local) {
    has_remote |= !is_local;
    if (is_local && (shortest == n_machines() || length(machine) < length(shortest))) shortest = machine;
  });
  const bool has_local = shortest < n_machines();
  return has_remote && has_local && remote_->size() < length(shortest) ? n_machines() : shortest;
}

void JoinShortestQueuePolicy::push(JobSlot task, std::size_t queue, const JobTable& jobs) {
  if (queue_of_.size() <= task) queue_of_.resize(jobs.n_slots());
  queue_of_[task] = queue;
  // All of an instant come before all of the next one; at one instant the id decides, whoever was submitted first.
  const WaitingJob waiting{number_priority(jobs.release_time(task), jobs.id(task)), task};
  if (queue == n_machines()) {
    remote_->push(waiting, jobs.demand(task), 0, jobs.eligibility(task));
  } else {
    if (!local_[queue] && !spare_.empty()) {
      local_[queue] = std::move(spare_.back());
      spare_.pop_back();
    } else if (!local_[queue]) {
      local_[queue].emplace(n_resources_);
    }
    local_[queue]->push(waiting, jobs.demand(task));
  }
}

void JoinShortestQueuePolicy::route(std::span<const JobSlot> arrived, const Turn& turn) {
  fresh_.clear();
  for (const JobSlot task : arrived) {
    const std::size_t queue = shortest_queue(task, turn.jobs());
    push(task, queue, turn.jobs());
    if (queue == n_machines()) {
      fresh_.push_back(task);
    } else if (fits(turn.jobs().demand(task), turn.machines().free(queue))) {
      touched_.push_back({task, static_cast<std::uint32_t>(queue)});
    }
  }
}

void JoinShortestQueuePolicy::decide(const Event& event, Turn& turn) {
  touched_.assign(event.completed.begin(), event.completed.end());
  route(event.arrived, turn);
  offers_.run(touched_, fresh_, turn, false, [&](std::size_t machine, bool /*only_fresh*/) {
    serve(machine, turn);
    return false;
  });
}

void JoinShortestQueuePolicy::serve(std::size_t machine, Turn& turn) {
  const auto start_local = [&] { return local_[machine] && start_one(*local_[machine], machine, turn); };
  const auto start_remote = [&] { return start_one(*remote_, machine, turn); };
  for (bool any = true; any;) {
    const bool prefers_local = product_is_at_least(remote_penalty_, length(machine), remote_->size());
    any = prefers_local ? start_local() || start_remote() : start_remote() || start_local();
  }
  if (local_[machine] && local_[machine]->empty()) put_away(machine);
}

void JoinShortestQueuePolicy::put_away(std::size_t machine) {
  if (spare_.size() < kSpare) spare_.push_back(std::move(*local_[machine]));
  local_[machine].reset();
}

// Starts the first task of the queue that may run on the machine and fits, if there is one.
bool JoinShortestQueuePolicy::start_one(Queue& queue, std::size_t machine, Turn& turn) {
  if (queue.empty()) return false;
  const auto found = queue.first_fit(turn.machines().free(machine), machine);
  if (!found) return false;
  queue.erase(found.leaf, found.job.priority);
  turn.start(found.job.job, machine);
  return true;
}

// What waits in which queue; the order in a queue is that of the arrivals.
void JoinShortestQueuePolicy::write(SnapshotWriter& archive) const {
  for (const JobSlot task : archive.cluster().waiting) archive(static_cast<std::uint64_t>(queue_of_[task]));
}

void JoinShortestQueuePolicy::read(SnapshotReader& archive) {
  const Cluster& cluster = archive.cluster();
  for (const JobSlot task : cluster.waiting) {
    std::uint64_t queue = 0;
    archive(queue);
    bool can_be = false;
    for_each_placement(cluster.jobs.placements(task), n_machines(), [&](std::size_t machine, bool is_local) {
      can_be |= is_local ? queue == machine : queue == n_machines();
    });
    archive.require(can_be, "a task waits in a queue that is not for it");
    push(task, static_cast<std::size_t>(queue), cluster.jobs);
  }
  for (std::size_t machine = 0; machine < n_machines(); ++machine) {
    const auto free = cluster.free_on(machine);
    archive.require(!remote_->first_fit(free, machine), "a task waits that fits");
    archive.require(!local_[machine] || !local_[machine]->first_fit(free, machine), "a task waits that fits");
  }
}

void JoinShortestQueuePolicy::check_invariants() const {
  remote_->check_invariants();
  for (const auto& queue : local_) {
    if (queue) queue->check_invariants();
    if (queue && queue->empty()) throw std::logic_error("JoinShortestQueuePolicy: an empty queue is kept");
  }
}

}  // namespace schedcore
